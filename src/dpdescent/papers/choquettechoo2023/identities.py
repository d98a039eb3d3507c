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
from dpdescent.papers.choquettechoo2023.setting import PAPER, Array, RegressionProblem, power_law
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
def records() -> tuple[Array, Array]:
    """Inputs of spectrum 1/k and labels, of which theta = (1, ..., 1) is the truth."""
    X = drawn("inputs", STEPS, D) * np.sqrt(power_law(D, 1.0))
    return X, X.sum(axis=1) + 0.1 * drawn("labels", STEPS)


def noise(strategy: Toeplitz) -> Array:
    """Correlated noise of all steps, from the same normals for all strategies."""
    return strategy.correlate(drawn("noise", STEPS, D))


def engine(strategy: Toeplitz, clip_norm: float) -> Array:
    """The iterates of DP-FTRL by the engine of all runs; it clips nothing at an infinite clip norm."""
    arms = FTRLArms(np.array([ETA]), np.array([clip_norm]), np.array([1.0]))
    X, Y = records()
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
    yield _nothing("DP-FTRL at B = I less DP-SGD", "Sec. 1", f"{SETTING}, G=1", dp_sgd(1.0) - engine(toeplitz.identity(), 1.0),
        "largest difference of iterates on equal records and normals; DP-SGD is written out")  # fmt: skip
    yield bound_row(
        bound="Renyi divergence without clipping", location="Remark 1.2", setting=f"alpha={ALPHA:g}, a gradient of norm {BEYOND:g} G",
        value=ALPHA * RHO, measured=divergence(BEYOND), direction="at least",
        note="alpha rho, to which the noise is calibrated at clip norm G; measured grows with the square of the norm, which nothing bounds",
    )  # fmt: skip
    first, second = two_forms(B)
    yield _nothing("iterates of (11) less those of (12)", "(11), (12)", f"T={SMALL}, d={D}, coefficients (7)", first - second,
        "largest difference of iterates, at the gradients of (11)")  # fmt: skip
    yield equal("phi(B) of (3)", "(3)", f"T={SMALL}, coefficients (7)", float(np.linalg.norm(np.tri(SMALL) @ B)) ** 2, prefix_error(B),
        "|A B|_F^2; measured is the sum over prefix sums and noises of (3), over the noise's variance and d")  # fmt: skip
    for own, value, words in ((True, 1.0, "their own sensitivity"), (False, FACTOR**2, "the sensitivity of (7)")):
        yield equal("F_inf of scaled coefficients", "Sec. 1.2", f"{FACTOR:g} times (7), at {words}", value, scaled(FACTOR, own),
            "over F_inf of coefficients (7): the error of coefficients means something with their sensitivity only")  # fmt: skip
    yield _nothing("DP-FTRL that clips nothing less Noisy-FTRL", "Sec. 2.3 (a)", f"{SETTING}, G={beyond:.4g}", engine(damped, beyond) - unclipped,
        "largest difference of iterates, at a clip norm of twice the largest gradient", allowed=0.0)  # fmt: skip
    yield bound_row(
        bound="psi of a mean of multipliers over the mean of psi", location="Sec. 3, (90)", setting=f"eta={ETA:g}, kappa={CONDITION:g}",
        value=1.0, measured=mean_multiplier(), allowed=ROUNDED,
        note="1: the mean of two psi that meet (90) meets it with the mean of their multipliers, so that the set is convex; the largest over frequencies, which is where both are one, elsewhere it is less",
    )  # fmt: skip


def _nothing(bound: str, location: str, setting: str, differences: Array, note: str, allowed: float = ROUNDED) -> Bound:
    """A row for two things that are one."""
    return bound_row(
        bound=bound, location=location, setting=setting, value=0.0, measured=float(np.abs(differences).max()),
        note=note, allowed=allowed,
    )  # fmt: skip
