"""DP-2S-GD on real data: whole paths of many runs on one data set (liang2025 Sec. 4.2, App. G.4, G.5)."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms import dp_2s_gd
from dpdescent.baselines.least_squares import TwoStageFit, two_stage_least_squares
from dpdescent.data.iv import IVSample
from dpdescent.data.tabular import read_prepared
from dpdescent.papers.liang2025.arms import Arm, columns, mechanism
from dpdescent.papers.liang2025.runs.synthetic import PAPER, Row, Spec
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.events import Mechanism
from dpdescent.randomness import stream

# Runs that share a matrix product. Fixed, because the last bits of a product depend on its width, and a run must not
# depend on how trials are cut into parts.
WIDTH = 200

# The distance of beta^(t) to the end of the same run, as a parameter of its own.
MOVE = "beta less beta^(T)"

DATA_USED = "sample moments (centring, scaling), eigenvalues of H_hat (step sizes), a clip constant set after a look"


def learning_paths(spec: Spec) -> Iterator[Row]:
    """Yields rows of one part: beta^(t) and Theta^(t) of every run, t and budget, beside 2SLS on the same data.

    The parameter `beta less beta^(T)` is the move of each run to its own end, whose standard error is that of pairs.
    """
    sample = read_prepared(spec["data"])
    if sample.p != 1:
        raise ValueError(f"learning paths are shown for one regressor, but the data set has p={sample.p}")
    fit = two_stage_least_squares(sample)
    benchmarks = {"two_sls": fit.beta[0], "first_stage": fit.Theta[0, 0], "records": sample.n}
    for arm in arms(spec, sample, fit):
        axes = {"rho1": arm.rho1, "rho2": arm.rho2, "series": arm.algorithm}
        for trial, path in runs(spec, sample, arm):
            measures = {"clip_fraction_stage1": path.clipped1[0], "clip_fraction_stage2": path.clipped2[0]}
            for name, values in _parameters(path):
                for t, value in enumerate(values):
                    yield {**axes, "parameter": name, "t": t, "trial": trial, "value": value, **benchmarks, **measures}


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of a data set, one for each budget."""
    return releases_on(spec, read_prepared(spec["data"]))


def releases_on(spec: Spec, sample: IVSample) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of the runs on a sample, one for each budget."""
    for arm in arms(spec, sample, two_stage_least_squares(sample)):
        name = f"{spec['variant']}: {arm.algorithm} n={sample.n} T={arm.T} rho1={arm.rho1} rho2={arm.rho2}"
        yield name, mechanism(arm, sample.n), spec["settings"]["dp_delta"]


def arms(spec: Spec, sample: IVSample, fit: TwoStageFit) -> list[Arm]:
    """Returns one arm for each budget, the same for both stages as in every real-data experiment of the paper."""
    settings, T = spec["settings"], spec["arms"]["T"]
    gamma = prescriptions.clipping_threshold(settings["clip_constant_real"], sample.n, sample.q, T, settings["tau"])
    common = {"calibration": settings["calibration"], "data_used": DATA_USED}
    steps = step_sizes(spec, sample, fit)
    return [Arm("DP-2S-GD", T, rho, rho, steps, gamma, **common) for rho in spec["arms"]["rho"]]


def step_sizes(spec: Spec, sample: IVSample, fit: TwoStageFit) -> prescriptions.StepSizes:
    """Returns the paper's step sizes with eigenvalues of H_hat in place of their bounds, which need the unknown Theta.

    With the setting `curvature: population` Theta_hat'Theta_hat replaces H_hat: the instruments are taken as isotropic,
    as in the paper's own formula.
    """
    settings = spec["settings"]
    shape = prescriptions.IVProblem(
        n=sample.n, p=sample.p, q=sample.q, tau=settings["tau"], theta_min=1.0, theta_norm=1.0, sigma_1=1.0, sigma_2=1.0
    )  # fmt: skip
    constants = prescriptions.Constants(settings["concentration_constant"], 0.0)
    ZZ = (sample.Z * sample.weights[:, None]).T @ sample.Z / sample.n
    metric = ZZ if settings["curvature"] == "sample" else np.eye(sample.q)
    eigenvalues = np.linalg.eigvalsh(fit.Theta.T @ metric @ fit.Theta)
    window = prescriptions.Spectrum(
        prescriptions.delta(shape, constants), float(eigenvalues[0]), float(eigenvalues[-1])
    )
    return prescriptions.recommended_step_sizes(window)


def runs(spec: Spec, sample: IVSample, arm: Arm) -> Iterator[tuple[int, dp_2s_gd.Descent]]:
    """Yields every run of a part, computed in aligned blocks of WIDTH runs.

    Runs of one trial at different budgets share their normals.
    """
    start, stop = spec["trials"]
    for block in range(start // WIDTH, -(-stop // WIDTH)):
        trials = range(block * WIDTH, (block + 1) * WIDTH)
        noise = dp_2s_gd.Normals.stack([_normals(spec, sample, arm.T, trial) for trial in trials])
        result = dp_2s_gd.descend(sample, columns([arm] * WIDTH, sample.n), noise, record=True)
        for k, trial in enumerate(trials):
            if start <= trial < stop:
                yield trial, _single(result, k)


def _normals(spec: Spec, sample: IVSample, T: int, trial: int) -> dp_2s_gd.Normals:
    rng = stream(spec["seed"], PAPER, spec["artefact"], "trial", trial, "noise")
    return dp_2s_gd.Normals.draw(rng, T, sample.p, sample.q)


def _single(result: dp_2s_gd.Descent, k: int) -> dp_2s_gd.Descent:
    assert result.Theta_path is not None
    assert result.beta_path is not None
    one = slice(k, k + 1)
    return dp_2s_gd.Descent(
        result.Theta[one], result.beta[one], result.clipped1[one], result.clipped2[one],
        result.Theta_path[:, one], result.beta_path[:, one],
    )  # fmt: skip


def _parameters(path: dp_2s_gd.Descent) -> Iterator[tuple[str, list[float]]]:
    """Yields the parameters' paths by name: `beta`, its move, and `Theta`, numbered where instruments are several."""
    assert path.Theta_path is not None
    assert path.beta_path is not None
    beta = path.beta_path[:, 0, 0]
    yield "beta", beta.tolist()
    yield MOVE, (beta - beta[-1]).tolist()
    q = path.Theta_path.shape[2]
    for j in range(q):
        yield ("Theta" if q == 1 else f"Theta_{j + 1}"), path.Theta_path[:, 0, j, 0].tolist()
