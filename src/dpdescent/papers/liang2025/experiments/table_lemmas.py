"""Quantities that the lemmas of appendices C to E bound, measured: sample moments, noise, both paths and curvature.

Most quantities come from a run with the noise of eq. (4) on unclipped gradients, because the lemmas describe the
descent without clipping. A run without noise on the same data shows what noise adds, and Algorithm 1 how much it clips.
A quantity's name begins with the place of its bound in the paper.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpdescent.algorithms import dp_2s_gd, two_stage_gd
from dpdescent.data.iv import IVParameters, IVSample, draw_sample
from dpdescent.papers.liang2025.arms import Arm, columns, mechanism
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import convergence, lemmas, prescriptions
from dpdescent.privacy.events import Mechanism

Array = NDArray[np.float64]
Quantities = dict[str, float]

# Columns of the descent: Algorithm 1, its noise without clipping, neither noise nor clipping.
CLIPPED, UNCLIPPED, NOISE_FREE = range(3)
# A distance of Theta to its limit that is rounding.
CONVERGED = 1e-10


@dataclass(frozen=True)
class Path:
    """An unclipped run of T steps with the moments, step sizes and noise that its bounds need.

    Attributes:
        moments: moments of the sample.
        eta, alpha: step sizes.
        Theta: Theta^(0), ..., Theta^(T), shape (T + 1, q, p).
        beta: beta^(0), ..., beta^(T), shape (T + 1, p).
        nu: noise of the second stage on the mean gradient, shape (T, p).
    """

    moments: two_stage_gd.Moments
    eta: float
    alpha: float
    Theta: Array
    beta: Array
    nu: Array

    @property
    def settled(self) -> int:
        """T0 = T/2, from which step on the second stage contracts in the proof (liang2025 App. C, below eq. 26)."""
        return len(self.nu) // 2

    @property
    def first_stage_error(self) -> Array:
        """||Theta^(t) - Theta_hat|| for t = 0, ..., T, shape (T + 1,)."""
        norms: Array = np.linalg.norm(self.Theta - self.moments.theta_hat, 2, axis=(1, 2))
        return norms

    @property
    def curvature(self) -> Array:
        """Eigenvalues of H^(t) = Theta^(t)' Z'Z Theta^(t) / n in rising order for t < T, shape (T, p)."""
        return np.array([np.linalg.eigvalsh(Theta.T @ self.moments.zz @ Theta) for Theta in self.Theta[:-1]])


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Yields rows of one design and sample size: every quantity of every trial, with noise and without."""
    cell, given = spec["cell"], spec["arms"]
    shape = {symbol: cell[symbol] for symbol in ("p", "q", "r", "n")} | given
    for trial in range(*spec["trials"]):
        parameters = synthetic.parameters_of(spec, trial)
        sample = draw_sample(parameters, cell["n"], synthetic.trial_stream(spec, trial, "data"))
        for series, quantities in measured(spec, trial, parameters, sample).items():
            for name, value in quantities.items():
                yield {**shape, "quantity": name, "series": series, "trial": trial, "value": value}


def measured(spec: synthetic.Spec, trial: int, parameters: IVParameters, sample: IVSample) -> dict[str, Quantities]:
    """Returns all quantities of one trial by series: `measured` with the artefact's noise, `noise-free` without."""
    problem = prescriptions.IVProblem.of(parameters, sample.n, spec["settings"]["tau"])
    made, moments = arms(spec, problem), two_stage_gd.Moments.of(sample)
    runs, normals = columns(made, problem.n), synthetic.normals(spec, trial, made, sample)
    result = dp_2s_gd.descend(sample, runs, normals, record=True)
    noisy, free = (path_of(moments, runs, result, normals, column) for column in (UNCLIPPED, NOISE_FREE))
    Xi = runs.lambda1[UNCLIPPED] * normals.stage1[:, 0].swapaxes(1, 2)
    window = prescriptions.spectrum(problem, bound_constants(spec))
    both = path_quantities(noisy, window), path_quantities(free, window)
    noise = noise_quantities(noisy, free, Xi, float(runs.lambda1[UNCLIPPED]))
    clipping = clip_quantities(sample, noisy, result)
    return {
        "measured": {**sample_quantities(sample, parameters, moments, problem.tau), **noise, **both[0], **clipping},
        "noise-free": both[1],
    }


def arms(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> list[Arm]:
    """Returns Algorithm 1 at the artefact's budgets, its noise without clipping, and Algorithm 2 at its step sizes."""
    given, calibration = spec["arms"], spec["settings"]["calibration"]
    gamma, steps = synthetic.threshold(spec, problem, given["T"]), synthetic.step_sizes(spec, problem)
    private = Arm("DP-2S-GD", given["T"], given["rho1"], given["rho2"], steps, gamma, calibration)
    free = replace(private, algorithm="2S-GD", rho1=math.inf, rho2=math.inf, gamma=math.inf)
    return [private, replace(private, algorithm="DP-2S-GD, unclipped"), free]


def bound_constants(spec: synthetic.Spec) -> prescriptions.Constants:
    """Returns constants at which eq. (10) bounds what is measured; those of the step sizes are too small for that."""
    settings = spec["settings"]
    return prescriptions.Constants(settings["bound_concentration_constant"], settings["bound_first_stage_constant"])


def path_of(
    moments: two_stage_gd.Moments,
    runs: dp_2s_gd.TwoStageArms,
    result: dp_2s_gd.Descent,
    normals: dp_2s_gd.Normals,
    column: int,
) -> Path:
    """Returns the path of one column of the descent.

    Raises:
        ValueError: if the descent did not record its paths.
    """
    if result.Theta_path is None or result.beta_path is None:
        raise ValueError("the descent kept no paths: record=True is needed")
    steps = float(runs.eta[column]), float(runs.alpha[column])
    nu = runs.lambda2[column] * normals.stage2[:, 0]
    return Path(moments, *steps, result.Theta_path[:, column], result.beta_path[:, column], nu)


def record_quantities(Z: Array, E2: Array, sigma_2: float, tau: float) -> Quantities:
    """Returns the shares of records beyond the norms of App. E.1, whose constant is sqrt(2) for Gaussian vectors."""

    def beyond(rows: Array, sigma: float) -> float:
        reach = sigma * (math.sqrt(rows.shape[1]) + math.sqrt(2 * tau))
        return float((np.linalg.norm(rows, axis=1) > reach).mean())

    return {"E.1 share of ||z_i|| beyond": beyond(Z, 1.0), "E.1 share of ||eps2_i|| beyond": beyond(E2, sigma_2)}


def sample_quantities(
    sample: IVSample, parameters: IVParameters, moments: two_stage_gd.Moments, tau: float
) -> Quantities:
    """Returns the quantities that depend on the data alone: Lemmas D.2, D.3, D.5 to D.8 and eq. (47), (48)."""
    E2 = sample.X - sample.Z @ parameters.Theta
    E1 = sample.y - sample.X @ parameters.beta
    instruments = np.linalg.svd(sample.Z, compute_uv=False) / math.sqrt(sample.n)
    H_hat = np.linalg.eigvalsh(moments.theta_hat.T @ moments.zz @ moments.theta_hat)
    return {
        "D.2 sigma_min(Z)/sqrt(n)": float(instruments[-1]),
        "D.2 sigma_max(Z)/sqrt(n)": float(instruments[0]),
        "D.3 ||Z'E2||/n": _norm(sample.Z.T @ E2 / sample.n),
        "(47) ||Z'E1||/n": _norm(sample.Z.T @ E1 / sample.n),
        "(48) ||X'Z||/n": _norm(moments.zx),
        "D.5 ||Theta_hat - Theta||": _norm(moments.theta_hat - parameters.Theta),
        "D.6 lambda_min(H_hat)": float(H_hat[0]),
        "D.6 lambda_max(H_hat)": float(H_hat[-1]),
        "D.7 ||beta_hat - beta||": _norm(moments.beta_hat - parameters.beta),
        "D.8 ||Z'r||/n": _norm(moments.residual),
        "(12) ||Theta_hat'Z'r||/n": _norm(moments.theta_hat.T @ moments.residual),
        **record_quantities(sample.Z, E2, parameters.sigma_2, tau),
    }


def noise_quantities(noisy: Path, free: Path, Xi: Array, lambda_1: float) -> Quantities:
    """Returns norms of single noises and of the accumulated noise N^(T-1) (liang2025 Lemma D.4, App. E.1).

    N is the difference of the runs with and without noise, because the first stage is linear.
    """
    N, last = noisy.Theta[-1] - free.Theta[-1], len(Xi) - 1
    covariance = lemmas.accumulated_noise_covariance(noisy.moments.zz, noisy.eta, lambda_1, last)
    sizes = np.linalg.norm(noisy.nu, axis=1)
    return {
        "E.1 ||Xi||": _norm(Xi[-1]),
        "App. C ||nu||": float(sizes[-1]),
        "E.1 max ||nu||": float(sizes.max()),
        "D.4 ||N||": _norm(N),
        "E.4 ||N||_F^2 over its mean given Z": float(np.sum(N**2) / (N.shape[1] * np.trace(covariance))),
        "E.1 closed forms against the runs": closed_form_gap(noisy, Xi),
    }


def closed_form_gap(path: Path, Xi: Array) -> float:
    """Returns the largest distance of a run to its closed forms over its largest iterate (liang2025 App. E.1)."""
    Theta = lemmas.first_stage_path(path.moments, path.eta, Xi)
    beta = lemmas.second_stage_path(path.moments, path.Theta, path.alpha, path.nu)
    gaps = [np.abs(made - run).max() / np.abs(run).max() for made, run in ((Theta, path.Theta), (beta, path.beta))]
    return float(max(gaps))


def path_quantities(path: Path, window: prescriptions.Spectrum) -> Quantities:
    """Returns the quantities that depend on the path, split at T0 (liang2025 eq. 14, 16, 18, 19 and Lemma D.9)."""
    T0, errors, curvature = path.settled, path.first_stage_error, path.curvature
    growth = np.abs(1 - path.alpha * curvature).max(axis=1)
    return {
        "(19) max ||e_Theta|| before T0": float(errors[:T0].max()),
        "(18) max ||e_Theta|| from T0": float(errors[T0:-1].max()),
        "(14) lambda_min(H) from T0": float(curvature[T0:].min()),
        "(14) lambda_max(H) from T0": float(curvature[T0:].max()),
        "D.9 product of ||I - alpha H|| before T0": float(np.prod(growth[:T0])),
        "(16) ||e_beta||": _norm(path.beta[-1] - path.moments.beta_hat),
        "(26) ||e_beta|| at T/2": _norm(path.beta[T0] - path.moments.beta_hat),
        "(13) ||H - H_hat|| over its bound from T0": curvature_error(path, window),
        **second_stage_bound(path, window),
    }


def curvature_error(path: Path, window: prescriptions.Spectrum) -> float:
    """Returns the largest ||H^(t) - H_hat|| from T0 on over the bound above eq. (13), at the step's own distance."""
    zz, target, largest = path.moments.zz, path.moments.theta_hat, 0.0
    H_hat = target.T @ zz @ target
    for Theta, radius in zip(path.Theta[path.settled : -1], path.first_stage_error[path.settled : -1], strict=True):
        bound = (2 * _norm(target) + radius) * (1 + window.delta) ** 2 * radius
        # Both sides are rounding once the first stage has converged.
        largest = max(largest, _norm(Theta.T @ zz @ Theta - H_hat) / bound if radius > CONVERGED else 0.0)
    return largest


def second_stage_bound(path: Path, window: prescriptions.Spectrum) -> Quantities:
    """Returns the right-hand side of liang2025 eq. (16) at the trial's own norms, and whether (16) applies.

    It applies where ||e_Theta|| <= eps_bar from T0 on (eq. 13) and kappa_beta < 1; elsewhere there is no right-hand
    side.
    """
    moments, T0, T = path.moments, path.settled, len(path.nu)
    radius, theta_hat_norm = float(path.first_stage_error[T0:-1].max()), _norm(moments.theta_hat)
    kappa = prescriptions.contraction(window, prescriptions.StepSizes(path.eta, path.alpha)).beta
    if kappa >= 1 or radius > convergence.error_radius(window, theta_hat_norm):
        return {"(16) applies": 0.0}
    errors = np.linalg.norm(path.beta - moments.beta_hat, axis=1)
    bound = convergence.second_stage_error(
        window=window, kappa_beta=kappa, alpha=path.alpha, radius=radius, theta_hat_norm=theta_hat_norm,
        beta_hat_norm=_norm(moments.beta_hat), residual_norm=_norm(moments.residual),
        noise_norm=float(np.linalg.norm(path.nu[T0:], axis=1).max()), start_error=float(errors[T0]), elapsed=T - T0,
    )  # fmt: skip
    return {"(16) applies": 1.0, "(16) right-hand side": bound, "(16) error over bound": float(errors[-1]) / bound}


def clip_quantities(sample: IVSample, path: Path, result: dp_2s_gd.Descent) -> Quantities:
    """Returns how much Algorithm 1 clips, and the largest gradients of the unclipped path (liang2025 Lemma D.1).

    At thresholds of that size the unclipped path would not have been clipped.
    """
    first, second = largest_gradients(sample, path)
    return {
        "D.1 largest gradient, stage 1": first,
        "D.1 largest gradient, stage 2": second,
        "D.1 clip fraction, stage 1": float(result.clipped1[CLIPPED]),
        "D.1 clip fraction, stage 2": float(result.clipped2[CLIPPED]),
    }


def largest_gradients(sample: IVSample, path: Path) -> tuple[float, float]:
    """Returns the largest norm of each stage's per-sample gradients over all records and steps (liang2025 App. E.1)."""
    z_norm, first, second = np.linalg.norm(sample.Z, axis=1), 0.0, 0.0
    for Theta, beta in zip(path.Theta[:-1], path.beta[:-1], strict=True):
        V = sample.Z @ Theta
        first = max(first, float((z_norm * np.linalg.norm(V - sample.X, axis=1)).max()))
        second = max(second, float((np.linalg.norm(V, axis=1) * np.abs(V @ beta - sample.y)).max()))
    return first, second


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one cell: Algorithm 1, and both diagnostic runs, which guarantee nothing."""
    n, delta = spec["cell"]["n"], spec["settings"]["dp_delta"]
    problem = prescriptions.IVProblem.of(synthetic.parameters_of(spec, trial=0), n, spec["settings"]["tau"])
    shape = " ".join(f"{symbol}={spec['cell'][symbol]}" for symbol in ("p", "q"))
    for arm in arms(spec, problem):
        yield f"{spec['variant']}: {arm.algorithm} {shape} n={n} T={arm.T}", mechanism(arm, n), delta


def _norm(value: Array) -> float:
    """Returns the operator norm of a matrix or the Euclidean norm of a vector."""
    return float(np.linalg.norm(value, 2))
