"""Preconditioned DP-GD on a user's own records; in none of the five papers."""

import numpy as np
from numpy.typing import ArrayLike

from dpdescent.algorithms import exact_descents
from dpdescent.algorithms import preconditioned_dp_gd as engine
from dpdescent.algorithms.preconditioned_dp_gd import ETA, FLOOR, MOMENT_SHARE, STEPS
from dpdescent.checks import require_positive, require_positive_finite, require_probability, require_real, require_whole
from dpdescent.estimators.run import (
    Array,
    Run,
    exactly,
    fitting,
    guarded,
    require_finite,
    require_own_noise,
    rho_of,
)
from dpdescent.gate import columns, generator, plain, records
from dpdescent.privacy.arithmetic import Arithmetic
from dpdescent.renamed import renamed


@renamed(eta="step_size", gamma="clip_norm", bound="covariate_bound")
@plain
def preconditioned_dp_gd(
    X: ArrayLike, y: ArrayLike, *, covariate_bound: float, clip_norm: float, rng: np.random.Generator | int | None,
    rho: float | None = None, epsilon: float | None = None, delta: float | None = None,
    steps: int = STEPS, step_size: float = ETA, moment_share: float = MOMENT_SHARE, floor: float = FLOOR,
    normals: tuple[Array, Array] | None = None, arithmetic: Arithmetic = "floating point",
) -> Run:  # fmt: skip
    """Fits a linear regression by DP-GD after a private whitening of the covariates; late steps get more budget.

    It needs no knowledge of the covariance of the covariates: in the new coordinates all directions contract alike, so
    that the step size and the schedule for isotropic covariates serve. Directions whose variance is below the noise of
    the second moment stay slow.

    Args:
        X: covariates, shape (n, p), centred by public constants.
        y: responses, shape (n,), centred in the same way.
        covariate_bound: B, a public bound to which the norms of records x are clipped, such as 1.2 sqrt(p) + 1 for unit
            variances.
        clip_norm: gamma in the papers, the clipping threshold on a record's gradient in the new coordinates, |x'W|
            |residual|, where |x'W| is about sqrt(p): a few times sqrt(p) times the sd of the responses.
        rng: generator of the noise: `secure_generator()` for a guarantee; otherwise a generator, a seed, or None, which
            `exact` arithmetic requires.
        rho: zCDP budget of the run, under the replace-one relation.
        epsilon, delta: the budget as (epsilon, delta), in place of rho.
        steps: number of iterations T.
        step_size: eta in the papers, in the new coordinates, where the largest eigenvalue is about 1.
        moment_share: share of the budget for the second moment.
        floor: share of the steps' budget that is divided equally among them.
        normals: standard normals to use instead of rng's: those of the second moment, shape (p, p), and those of the
            steps, shape (T, p).
        arithmetic: `exact` for a real release: the guarantee then holds for what a machine computes, with integers and
            discrete noise from the operating system (`exact_sums`). `floating point` otherwise.

    Returns:
        The run: `estimate` of shape (p,), `path` of shape (T, p), both in the covariates' own units, and
        `also["second_moment"]` of shape (p, p).

    Raises:
        ValueError: if an argument is out of its range, or the iterates overflow.
    """
    require_whole(steps=steps)
    require_real(
        covariate_bound=covariate_bound, clip_norm=clip_norm, step_size=step_size, moment_share=moment_share,
        floor=floor,
    )  # fmt: skip
    require_own_noise(rng, arithmetic, normals)
    rng, names = generator(rng), columns(X)
    X, y = records(X=(X, 2), y=(y, 1))
    n, p = X.shape
    require_positive(steps=steps)
    require_positive_finite(step_size=step_size, clip_norm=clip_norm, covariate_bound=covariate_bound)
    require_probability(moment_share=moment_share)
    if not step_size < 2.0:
        raise ValueError(
            f"step_size={step_size} must be below 2, or nothing contracts where the largest eigenvalue is 1"
        )
    budget = rho_of(n, rho, epsilon, delta, arithmetic)
    settings = engine.Settings(covariate_bound, clip_norm, budget, steps, step_size, moment_share, floor)
    event = settings.mechanism(n, p)
    # numpy's warnings are off, because overflow is reported below in one line.
    with np.errstate(all="ignore"):
        if arithmetic == "exact":
            out, event = exact_descents.preconditioned(X, y, settings), exactly(event)
        else:
            out = engine.descend(X, y, settings, _normals(normals, rng, steps, p))
            event = guarded(event, rng, handed=normals is not None)
    require_finite(out.path)
    # A copy, because a change to one of them must not change the other.
    return Run(out.path[-1].copy(), out.path, out.clipped, event, {"second_moment": out.moment}, names, n, delta)


def _normals(handed: tuple[Array, Array] | None, rng: np.random.Generator, steps: int, p: int) -> tuple[Array, Array]:
    """The normals that the caller handed over, checked, or new ones from the generator."""
    if handed is None:
        return rng.standard_normal((p, p)), rng.standard_normal((steps, p))
    return fitting("normals[0]", handed[0], (p, p)), fitting("normals[1]", handed[1], (steps, p))
