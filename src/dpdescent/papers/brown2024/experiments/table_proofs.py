"""Sizes that Sec. 1.2 and the proofs of App. C bound or take for granted, measured on normal data sets."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms import dp_gd
from dpdescent.algorithms.gaussian_law import IterateLaw
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.data.linear import LinearSample
from dpdescent.papers.brown2024.arms import Setting
from dpdescent.papers.brown2024.design import Array, Row, Spec, sample_of, trial_stream
from dpdescent.papers.brown2024.theory import concentration, gaussian_data, no_clipping
from dpdescent.privacy.events import Mechanism

# The quantities of the table, as its rows name them.
GRADIENT = "largest gradient of a run without clipping"
CAUCHY_SCHWARZ = "largest |x_i|^2 |theta_t - theta*| + |x_i| |xi_i| of that run"
RESIDUAL = "largest residual after one step from theta*"
STEP = "length of that step's noise"
NOISE = "largest |x_i| |x_i'(theta_t - E theta_t)| over eta lambda"
NOISE_OVER_C0 = "the same over c0^2, c0 = max |x_i| / sqrt(p)"
PROJECTION = "(33): largest |x_i' M^s z_t| over its bound"
KERNEL = "(67): largest sum_j (x_i' A_t x_j)^2 over its bound"
ESTIMATE = "(80): |theta_hat - theta*| over 2 c0^2 sigma sqrt(p)"
DIRECTION = "C.6: p u_1^2 for the direction u of M^t x_i"
FOURTH = "C.6: p (p + 2) u_1^4 / 3"
CONDITION_NUMBER = "condition number of A"
RECORDS = "A.10: n from which I/2 <= X'X/n <= 2I"
# Power of M at which directions are taken.
POWER = 5


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one size: every quantity on each data set."""
    cell = spec["cell"]
    p, n, panel = cell["p"], cell["p"] * cell["n_over_p"], str(spec["panel"]).split(",")[0]
    for trial in range(*spec["trials"]):
        if spec["panel"] == "spectrum":
            made: Iterable[tuple[str, int, float]] = [(RECORDS, 0, _records(spec, p, n, trial))]
        else:
            made = _on(spec, *sample_of(spec, p, n, trial), trial)
        for quantity, T, value in made:
            yield {
                "panel": panel, "quantity": quantity, "n": n, "p": p, "T": T, "series": "measured", "trial": trial,
                "value": value,
            }  # fmt: skip


def _on(spec: Spec, sample: LinearSample, theta_star: Array, trial: int) -> Iterator[tuple[str, int, float]]:
    """Yields quantity, number of steps and value on one data set; the longest run serves all numbers of steps."""
    setting, longest = setting_of(spec, sample.n, sample.p), max(spec["arms"]["steps"])
    law = IterateLaw.of(sample.gram, eta=setting.eta, noise_sd=setting.noise_sd)
    normals = trial_stream(spec, sample.p, sample.n, trial, "proofs").standard_normal((longest, 1, 1, sample.p))
    arms = dp_gd.DPGDArms.alike(1, longest, setting.eta, np.inf, setting.noise_sd)
    path = dp_gd.descend([sample], arms, normals, record=True).path
    assert path is not None
    theta, residuals = path[:, 0, 0], sample.y - sample.X @ theta_star
    yield from _gradients(sample, theta[: setting.T - 1], theta_star, residuals, setting.T)
    yield from _noise(spec, sample, law, theta)
    yield from _projections(spec, sample, law, setting.noise_sd * normals[: setting.T, 0, 0], setting)
    yield from _first_step(sample, theta_star, residuals, setting, normals[0, 0, 0])
    yield from _of_the_data(spec, sample, law, theta_star, setting)


def _gradients(
    sample: LinearSample, theta: Array, theta_star: Array, residuals: Array, T: int
) -> Iterator[tuple[str, int, float]]:  # fmt: skip
    """Yields the largest gradient of T steps from zero, and what the Cauchy-Schwarz inequality alone makes of it."""
    visited = np.vstack([np.zeros(sample.p), theta])
    found = np.abs(sample.y[:, None] - sample.X @ visited.T).max(axis=1) * sample.norms
    away = float(np.linalg.norm(visited - theta_star, axis=1).max())
    yield GRADIENT, T, float(found.max())
    yield CAUCHY_SCHWARZ, T, float((sample.norms * (sample.norms * away + np.abs(residuals))).max())


def _noise(
    spec: Spec, sample: LinearSample, law: IterateLaw, theta: Array
) -> Iterator[tuple[str, int, float]]:  # fmt: skip
    """Yields, for every number of steps, the largest gradient that noise alone makes, in units of eta lambda."""
    c0 = float(sample.norms.max()) / sample.p**0.5
    centred = theta - np.array([law.mean(t + 1) for t in range(len(theta))])
    sizes = np.abs(sample.X @ centred.T) * sample.norms[:, None]
    for T in spec["arms"]["steps"]:
        largest = float(sizes[:, :T].max()) / (law.eta * law.noise_sd)
        yield NOISE, T, largest
        yield NOISE_OVER_C0, T, largest / c0**2


def _projections(
    spec: Spec, sample: LinearSample, law: IterateLaw, noise: Array, setting: Setting
) -> Iterator[tuple[str, int, float]]:  # fmt: skip
    """Yields the largest |x_i' M^s z_t| over its bound, at the c0 that the covariates alone need."""
    c0, worst, along = float(sample.norms.max()) / sample.p**0.5, 0.0, noise @ law.eigenvectors
    for s in range(setting.T):
        bound = no_clipping.noise_projection(
            c0=c0, noise_sd=setting.noise_sd, n=sample.n, p=sample.p, T=setting.T, t=s, beta=spec["settings"]["beta"]
        )
        moved = (along * law.contraction**s) @ law.eigenvectors.T
        worst = max(worst, float(np.abs(sample.X @ moved.T).max()) / bound)
    yield PROJECTION, setting.T, worst


def _first_step(
    sample: LinearSample, theta_star: Array, residuals: Array, setting: Setting, normal: Array
) -> Iterator[tuple[str, int, float]]:  # fmt: skip
    """Yields how far one noisy step from theta* moves, and the largest residual after it (eq. 5)."""
    noise = setting.eta * setting.noise_sd * normal
    theta = theta_star + setting.eta * (residuals @ sample.X) / sample.n + noise
    yield STEP, 1, float(np.linalg.norm(noise))
    yield RESIDUAL, 1, float(np.abs(sample.y - sample.X @ theta).max())


def _of_the_data(
    spec: Spec, sample: LinearSample, law: IterateLaw, theta_star: Array, setting: Setting
) -> Iterator[tuple[str, int, float]]:  # fmt: skip
    """Yields what hangs on the data alone: the kernel, the estimate, directions, the covariance's shape."""
    T, beta, p = setting.T, spec["settings"]["beta"], sample.p
    c1 = gaussian_data.covariate_constant(n=sample.n, p=p, beta=beta)
    ceiling = gaussian_data.kernel_bound(c1=c1, n=sample.n, p=p)
    along, summed = sample.X @ law.eigenvectors, np.zeros(p)
    worst = 0.0
    for t in range(T):
        summed = summed + law.eta * law.contraction**t
        worst = max(worst, float(((along * summed) ** 2 @ law.eigenvalues).max()) * sample.n)
    yield KERNEL, T, worst / ceiling
    c0 = no_clipping.condition(sample, theta_star, sigma=1.0, eta=law.eta, T=T).c0
    away = float(np.linalg.norm(linear_least_squares(sample.gram) - theta_star))
    yield ESTIMATE, T, away / (2.0 * c0**2 * p**0.5)
    moved = concentration.contracted_covariates(sample, law.eta, POWER)
    first = (moved[:, 0] / np.linalg.norm(moved, axis=1)) ** 2
    yield DIRECTION, POWER, float(p * first.mean())
    yield FOURTH, POWER, float(p * (p + 2) / 3.0 * (first**2).mean())
    yield CONDITION_NUMBER, 0, float(law.stationary_variances.max() / law.stationary_variances.min())


def _records(spec: Spec, p: int, most: int, trial: int) -> float:
    """Returns the smallest n, in blocks of p/2 records, from which on part (i) holds up to the largest one."""
    rng = trial_stream(spec, p, 0, trial, "spectrum")
    block, total, last = max(p // 2, 1), np.zeros((p, p)), 0
    for n in range(block, most + 1, block):
        X = rng.standard_normal((block, p))
        total += X.T @ X
        s = np.linalg.eigvalsh(total / n)
        if s[0] < 0.5 or s[-1] > 2.0:
            last = n
    return float(last + block)


def setting_of(spec: Spec, n: int, p: int) -> Setting:
    """Returns the setting whose noise the runs have: the paper's."""
    return Setting.of(spec, n, p, spec["arms"]["T"], spec["settings"]["clip_factor"])


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entry of one panel: runs without clipping, whose sensitivity has no bound."""
    if spec["panel"] != "spectrum":
        event = Mechanism.without_privacy(
            "DP-GD without clipping", "gradients that are not clipped have no bound, hence no sensitivity"
        )
        cell = spec["cell"]
        place = f"{spec['variant']}: {event.name}, {spec['panel']}, p={cell['p']} n={cell['p'] * cell['n_over_p']}"
        yield place, event, spec["settings"]["dp_delta"]
