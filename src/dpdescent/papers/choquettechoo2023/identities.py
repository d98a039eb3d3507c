"""Statements that hold by construction, each with a number of its own: what two ways of writing one thing differ by.

They hang on no experiment. Runs are of a few steps, on records of a stream that is the same in every build.
"""

import math
from collections.abc import Iterator
from functools import cache

import numpy as np

from dpdescent.algorithms import dp_ftrl
from dpdescent.algorithms.dp_ftrl import FTRLArms
from dpdescent.noise.strategies import toeplitz
from dpdescent.noise.strategies.toeplitz import Toeplitz
from dpdescent.papers.choquettechoo2023 import laws
from dpdescent.papers.choquettechoo2023.criteria import equal
from dpdescent.papers.choquettechoo2023.multipliers import Descent, Multiplier, static_multiplier
from dpdescent.papers.choquettechoo2023.setting import FTRL, PAPER, SGD, Array, RegressionProblem, power_law
from dpdescent.privacy import zcdp
from dpdescent.randomness import stream
from dpdescent.replication.judging.bound_rows import bound_row
from dpdescent.replication.judging.evidence import Bound, Evidence
from dpdescent.sums import added

# Steps of a run and of the matrices, dimension, learning rate, zCDP budget and order of the divergence.
STEPS, SMALL, D, ETA, RHO, ALPHA = 64, 8, 4, 0.1, 0.5, 2.0
# A factor on all coefficients; how far a gradient is beyond the clip norm; curvatures of the multipliers.
FACTOR, BEYOND, CONDITION = 3.0, 2.0, 10.0
# Lags of a multiplier beside the static one, as shares of its lambda_0.
LAGS = (0.2, 1.0, 0.2)
ROUNDED = 1e-12
SETTING = f"T={STEPS}, d={D}, eta={ETA:g}"


def divergence(gradient: float) -> float:
    """Renyi divergence of one step whose noise is calibrated at clip norm 1, for a gradient of some norm, unclipped."""
    return ALPHA * zcdp.gaussian_rho(gradient, zcdp.gaussian_noise_sd(1.0, RHO))


def drawn(role: str, *shape: int) -> Array:
    """Standard normals of a role."""
    return stream(0, PAPER, "identities", role).standard_normal(shape)


@cache
def records(sigma_sgd: float = 0.1) -> tuple[Array, Array]:
    """Inputs of spectrum 1/k and labels, of which theta = (1, ..., 1) is the truth, with noise of a sd."""
    X = drawn("inputs", STEPS, D) * np.sqrt(power_law(D, 1.0))
    return X, X.sum(axis=1) + sigma_sgd * drawn("labels", STEPS)


def noise(strategy: Toeplitz) -> Array:
    """Correlated noise of all steps, from the same normals for all strategies."""
    return strategy.correlate(drawn("noise", STEPS, D))


def engine(strategy: Toeplitz, clip_norm: float, noise_sd: float = 1.0, sigma_sgd: float = 0.1) -> Array:
    """The iterates of DP-FTRL by the engine of all runs; it clips nothing at an infinite clip norm."""
    arms = FTRLArms(np.array([ETA]), np.array([clip_norm]), np.array([noise_sd]))
    X, Y = records(sigma_sgd)
    path = dp_ftrl.single_pass(X, Y[:, None], arms, np.zeros(D), noise(strategy)[:, None, None], record=True).path
    assert path is not None
    return path[:, 0, 0]


def dp_sgd(clip_norm: float) -> Array:
    """The iterates of DP-SGD written out: every gradient clipped, and its own noise added."""
    theta, path = np.zeros(D), []
    for x, y, w in zip(*records(), drawn("noise", STEPS, D), strict=True):
        gradient = x * (x @ theta - y)
        theta = theta - ETA * (gradient * min(1.0, clip_norm / float(np.linalg.norm(gradient))) + w)
        path.append(theta)
    return np.array(path)


def largest_gradient(path: Array) -> float:
    """The largest norm of the gradients along iterates from zero."""
    X, Y = records()
    before = np.vstack([np.zeros(D), path[:-1]])
    return float(np.linalg.norm(X * (np.vecdot(X, before) - Y)[:, None], axis=1).max())


def two_forms(B: Array) -> tuple[Array, Array]:
    """The iterates of (11), whose gradients depend on them, and those of (12) at the same gradients."""
    X, Y = (part[: len(B)] for part in records())
    w, theta, gradients, path = drawn("noise", len(B), D), np.zeros(D), [], []
    for x, y, correlated in zip(X, Y, B @ w, strict=True):
        gradients.append(x * (x @ theta - y))
        theta = theta - ETA * (gradients[-1] + correlated)
        path.append(theta)
    return np.array(path), -ETA * np.tri(len(B)) @ B @ (np.linalg.inv(B) @ np.array(gradients) + w)


def prefix_error(B: Array) -> float:
    """phi(B) of (3) over the noise's variance and d: each prefix sum's variance, noise by noise."""
    sums = (added(row[s] for row in B[: t + 1]) for t in range(len(B)) for s in range(len(B)))
    return added(each**2 for each in sums)


def scaled(factor: float, at_own_sensitivity: bool) -> float:
    """F_inf of coefficients (7) times a factor, at their own sensitivity or at that of (7), over F_inf of (7)."""
    problem, T = RegressionProblem(power_law(D, 1.0), ETA, RHO), 2000
    plain = toeplitz.nu_family(ETA * problem.mu).coefficients(T)

    def error(beta: Array, gamma_of: Array) -> float:
        lagged = (b * np.eye(SMALL, k=-k) for k, b in enumerate(gamma_of[:SMALL]))
        encoder = np.linalg.inv(sum(lagged, np.zeros((SMALL, SMALL))))
        return laws.suboptimality(problem, laws.q_of(problem, beta), float(encoder[:, 0] @ encoder[:, 0]))

    return error(factor * plain, factor * plain if at_own_sensitivity else plain) / error(plain, plain)


def excess(shift: Array) -> float:
    """The error (8) that a shift of the last iterate from theta* has."""
    return 0.5 * float(power_law(D, 1.0) @ shift[-1] ** 2)


def labels_part(strategy: Toeplitz, sigma_sgd: float) -> float:
    """The error that the labels' noise adds to one run of Noisy-FTRL, whose privacy noise has sd 1."""
    return excess(engine(strategy, math.inf, sigma_sgd=sigma_sgd) - engine(strategy, math.inf, sigma_sgd=0.0))


def privacy_part(strategy: Toeplitz, rho: float, clip_norm: float) -> float:
    """The error that the privacy noise adds to one run of Noisy-FTRL, at the sensitivity of its steps."""
    squared = strategy.sensitivity_squared(STEPS)
    sd = math.sqrt(RegressionProblem(power_law(D, 1.0), ETA, rho, clip_norm).noise_variance(squared))
    return excess(engine(strategy, math.inf, noise_sd=sd) - engine(strategy, math.inf, noise_sd=0.0))


def mean_path(sigma_sgd: float, rho: float, damped: bool) -> Array:
    """Deviations of mean estimation by the engine of all runs; an infinite rho is no privacy noise."""
    strategy = toeplitz.nu_family(ETA) if damped else toeplitz.identity()
    sd = math.sqrt(strategy.sensitivity_squared(STEPS) / (2.0 * rho))
    values = sigma_sgd * drawn("inputs", STEPS, D)[:, :1]
    return dp_ftrl.mean_estimation(np.array([ETA]), values, sd * noise(strategy)[:, None, :1], start=1.0)


def mean_parts(damped: bool) -> tuple[float, float]:
    """Of delta_T^2 the part of records of ten times the spread, and the part of noise at a tenth of rho, over before."""
    base, still, quiet = mean_path(0.1, RHO, damped), mean_path(0.0, RHO, damped), mean_path(0.1, math.inf, damped)
    records_part = (mean_path(1.0, RHO, damped) - still)[-1] / (base - still)[-1]
    noise_part = (mean_path(0.1, RHO / 10.0, damped) - quiet)[-1] / (base - quiet)[-1]
    return float(np.square(records_part).item()), float(np.square(noise_part).item())


def mean_multiplier() -> float:
    """The largest quotient of the psi that the mean of two multipliers allows and the mean of theirs."""
    descent, omega = Descent(ETA, 1.0 / CONDITION, 1.0), np.linspace(0.0, math.pi, 201)
    static = static_multiplier(descent, omega, np.ones_like(omega))
    lambda_0 = float(static.lambdas[0])
    pair = [lambda_0 * np.array(lags) for lags in ((0.0, 1.0, 0.0), LAGS)]
    psis = [Multiplier(lambdas).psi(descent, omega) for lambdas in pair]
    mean = Multiplier((pair[0] + pair[1]) / 2.0).psi(descent, omega)
    return float((mean / ((psis[0] + psis[1]) / 2.0)).max())


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of what holds by construction, in the order of the paper; no table is needed."""
    damped = toeplitz.nu_family(ETA / D)
    B = damped.decoder(SMALL)
    unclipped = engine(damped, math.inf)
    beyond = 2.0 * largest_gradient(unclipped)
    yield nothing("DP-FTRL at B = I less DP-SGD", "Sec. 1", f"{SETTING}, G=1", dp_sgd(1.0) - engine(toeplitz.identity(), 1.0),
        "largest difference of iterates on equal records and normals; DP-SGD is written out")  # fmt: skip
    yield bound_row(
        bound="Renyi divergence without clipping", location="Remark 1.2", setting=f"alpha={ALPHA:g}, a gradient of norm {BEYOND:g} G",
        value=ALPHA * RHO, measured=divergence(BEYOND), direction="at least",
        note="alpha rho, to which the noise is calibrated at clip norm G; measured grows with the square of the norm, which nothing bounds",
    )  # fmt: skip
    first, second = two_forms(B)
    yield nothing("iterates of (11) less those of (12)", "(11), (12)", f"T={SMALL}, d={D}, coefficients (7)", first - second,
        "largest difference of iterates, at the gradients of (11)")  # fmt: skip
    yield equal("phi(B) of (3)", "(3)", f"T={SMALL}, coefficients (7)", float(np.linalg.norm(np.tri(SMALL) @ B)) ** 2, prefix_error(B),
        "|A B|_F^2; measured is the sum over prefix sums and noises of (3), over the noise's variance and d")  # fmt: skip
    for own, value, words in ((True, 1.0, "their own sensitivity"), (False, FACTOR**2, "the sensitivity of (7)")):
        yield equal("F_inf of scaled coefficients", "Sec. 1.2", f"{FACTOR:g} times (7), at {words}", value, scaled(FACTOR, own),
            "over F_inf of coefficients (7): the error of coefficients means something with their sensitivity only")  # fmt: skip
    yield nothing("DP-FTRL that clips nothing less Noisy-FTRL", "Sec. 2.3 (a)", f"{SETTING}, G={beyond:.4g}", engine(damped, beyond) - unclipped,
        "largest difference of iterates, at a clip norm of twice the largest gradient", allowed=0.0)  # fmt: skip
    yield from _parts(damped)
    yield bound_row(
        bound="psi of a mean of multipliers over the mean of psi", location="Sec. 3, (90)", setting=f"eta={ETA:g}, kappa={CONDITION:g}",
        value=1.0, measured=mean_multiplier(), allowed=ROUNDED,
        note="1: the mean of two psi that meet (90) meets it with the mean of their multipliers, so that the set is convex; the largest over frequencies, which is where both are one, elsewhere it is less",
    )  # fmt: skip


def _parts(damped: Toeplitz) -> Iterator[Bound]:
    """Evaluates the powers of sigma_sgd, G and rho in what the two noises add to the error of one run."""
    for name, strategy in ((SGD, toeplitz.identity()), (FTRL, damped)):
        yield equal("labels' part of the error, sigma_sgd x 10", "Thm 2.2", f"{SETTING}, {name}", 100.0,
            labels_part(strategy, 10.0) / labels_part(strategy, 1.0), "of one run of the engine, privacy noise beside it")  # fmt: skip
        for G, rho in ((3.0, RHO), (1.0, RHO / 10.0)):
            factor = privacy_part(strategy, rho, G) / privacy_part(strategy, RHO, 1.0)
            yield equal("privacy's part of the error", "Thm 2.2", f"{SETTING}, {name}, G=1 to {G:g}, rho={RHO:g} to {rho:g}", G**2 * RHO / rho, factor,
                "G^2/rho, over the same before; of one run of the engine, the labels' noise beside it")  # fmt: skip
        records_part, noise_part = mean_parts(name == FTRL)
        setting = f"T={STEPS}, eta={ETA:g}, {'beta*' if name == FTRL else 'independent noise'}"
        yield equal("records' part of mean estimation's error, sigma_sgd x 10", "Thm 2.1", setting, 100.0, records_part,
            "of one run of the engine, privacy noise beside it")  # fmt: skip
        yield equal("privacy's part of mean estimation's error, rho / 10", "Thm 2.1", setting, 10.0, noise_part,
            "of one run of the engine, the records' noise beside it")  # fmt: skip
    same = labels_part(damped, 1.0) / labels_part(toeplitz.identity(), 1.0)
    yield equal("labels' part of the error, coefficients (7) over independent noise", "Sec. 2.2", SETTING, 1.0, same,
        "the same for all choices of the noise coefficients; of one run of the engine")  # fmt: skip


def nothing(bound: str, location: str, setting: str, differences: Array, note: str, allowed: float = ROUNDED) -> Bound:
    """A row for two things that are one."""
    return bound_row(
        bound=bound, location=location, setting=setting, value=0.0, measured=float(np.abs(differences).max()),
        note=note, allowed=allowed,
    )  # fmt: skip
