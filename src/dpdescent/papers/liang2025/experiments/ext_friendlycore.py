"""DP-2S-GD beside the FriendlyCore estimator of App. F.2, which the paper never runs, at equal budget and relation."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms import dp_2s_gd
from dpdescent.baselines.friendly_core import friendly_core_two_stage_least_squares, moment_points
from dpdescent.baselines.least_squares import two_stage_least_squares
from dpdescent.data.iv import draw_sample
from dpdescent.papers.liang2025.arms import Arm, columns
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy import zcdp
from dpdescent.privacy.events import Mechanism
from dpdescent.randomness import stream


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Yields rows of one sample size: both estimators at every total budget; T is 0 for the one that takes no steps."""
    cell, settings = spec["cell"], spec["settings"]
    radius = public_radius(spec)
    for trial in range(*spec["trials"]):
        parameters = synthetic.parameters_of(spec, trial)
        problem = prescriptions.IVProblem.of(parameters, cell["n"], settings["tau"])
        sample = draw_sample(parameters, cell["n"], synthetic.trial_stream(spec, trial, "data"))
        truth, runs = two_stage_least_squares(sample).beta, arms(spec, problem)
        result = dp_2s_gd.descend(sample, columns(runs, cell["n"]), synthetic.normals(spec, trial, runs, sample))
        for arm, beta in zip(runs, result.beta, strict=True):
            yield _row(spec, trial, "DP-2S-GD", float(np.linalg.norm(beta - truth)), cell["n"]) | arm.labels
        for rho in spec["arms"]["rho"]:
            rng = synthetic.trial_stream(spec, trial, f"friendly core rho={rho}")
            beta, info = friendly_core_two_stage_least_squares(sample, rho, settings["dp_delta"], radius, rng)
            error = float(np.linalg.norm(beta - truth))
            # Without an estimate, because the core is too small, the zero vector is what can be published.
            failed = not np.isfinite(error)
            value = float(np.linalg.norm(truth)) if failed else error
            row = _row(spec, trial, "FriendlyCore-2SLS", value, info.core_size)
            size = 0.0 if failed else info.noise_sd * float(np.sqrt(moment_points(sample).shape[1]))
            yield row | {"rho": rho, "T": 0, "failed": float(failed), "moment_noise": size}


def _row(spec: synthetic.Spec, trial: int, series: str, value: float, used: float) -> synthetic.Row:
    return {
        "n": spec["cell"]["n"], "series": series, "trial": trial, "value": value, "records_used": used, "failed": 0.0,
        "moment_noise": 0.0,
    }  # fmt: skip


def public_radius(spec: synthetic.Spec) -> float:
    """Returns a quantile of the distances between moment vectors of a public sample; no private data are used."""
    cell, settings = spec["cell"], spec["settings"]
    rng = stream(spec["seed"], synthetic.PAPER, spec["artefact"], "public sample")
    points = moment_points(draw_sample(synthetic.parameters_of(spec, 0), cell["public_n"], rng))
    first, second = points[::2], points[1::2]
    return float(np.quantile(np.linalg.norm(first - second, axis=1), settings["radius_quantile"]))


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one sample size."""
    yield from synthetic.releases(spec, arms)
    delta = spec["settings"]["dp_delta"]
    for rho in spec["arms"]["rho"]:
        name = f"{spec['variant']}: FriendlyCore-2SLS n={spec['cell']['n']} rho={rho}"
        yield name, _friendly_core(rho, delta), 2 * delta


def _friendly_core(rho: float, delta: float) -> Mechanism:
    """Returns the event of FriendlyCore: approximate zCDP fails with probability delta, its conversion with another."""
    return Mechanism(
        "FriendlyCore-2SLS", (), "replace-one", "full batch", float("inf"), "proved",
        f"({rho}, {delta})-approximate zCDP by our argument in baselines.friendly_core, hence the epsilon of Bun and "
        f"Steinke at {delta} more (Sec. 8); not a Gaussian composition, so that it is not tight; the radius comes from "
        "a public sample",
        claimed_eps_delta=(zcdp.epsilon(rho, delta), 2 * delta),
    )  # fmt: skip


def arms(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> list[Arm]:
    """Returns one arm of DP-2S-GD for each T and total budget, half of which goes to each stage."""
    given, steps, calibration = spec["arms"], synthetic.step_sizes(spec, problem), spec["settings"]["calibration"]
    return [
        Arm(
            "DP-2S-GD", T, 0.5 * rho, 0.5 * rho, steps, synthetic.threshold(spec, problem, T), calibration,
            {"T": T, "rho": rho},
        )
        for T in given["T"]
        for rho in given["rho"]
    ]  # fmt: skip
