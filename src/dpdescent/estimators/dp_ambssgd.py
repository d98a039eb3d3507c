"""DP-AMBSSGD for linear regression (varshney2022 Algorithm 2), on a user's own records."""

import math

import numpy as np
from numpy.typing import ArrayLike

from dpdescent.algorithms import dp_ambssgd as engine
from dpdescent.algorithms import exact_descents
from dpdescent.algorithms.dp_stat import Rule, Search
from dpdescent.checks import require_positive_finite, require_real, require_whole
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
from dpdescent.privacy.events import Mechanism
from dpdescent.renamed import renamed

PROVED = (
    "in exact arithmetic: a record is in the statistic or in the gradient of one iteration, by a permutation that does "
    "not depend on the data; the counts of the search (sensitivity 1 each) and the mean of gradients clipped at zeta_t "
    "(2 zeta_t / b) are Gaussian releases of mu = 1/alpha each; parallel composition. All settings must be chosen "
    "without the data"
)


@renamed(eta="step_size", tail="tail_share")
@plain
def dp_ambssgd(
    X: ArrayLike, y: ArrayLike, *, steps: int, step_size: float, largest: float, levels: int, stat_size: int,
    scale: float, rng: np.random.Generator | int | None, rho: float | None = None, epsilon: float | None = None,
    delta: float | None = None, rule: Rule = "corrected", margin: float = 1.0, quantile: float = 0.9,
    offset: float = 0.0, tail_share: float = 0.5, normals: tuple[Array, Array] | None = None,
    arithmetic: Arithmetic = "floating point",
) -> Run:  # fmt: skip
    """Fits a linear regression by one pass over mini-batches in random order, with private thresholds and noise.

    Every iteration takes n // T new records; the first `stat_size` of them choose the clipping threshold.

    Args:
        X: covariates, shape (n, d).
        y: responses, shape (n,).
        steps: number of iterations T.
        step_size: eta in the paper.
        largest: B, the largest residual that the search for a threshold considers.
        levels: L, the number of times that the search halves B.
        stat_size: s, the number of records per batch that the search uses.
        scale: factor that turns a residual into the norm of a gradient, about a bound on |x| for most records: zeta_t =
            scale gamma_t.
        rng: generator of the noise and of the order of records: `secure_generator()` for a guarantee; otherwise a
            generator, a seed, or None, which `exact` arithmetic requires.
        rho: zCDP budget of the run, under the replace-one relation.
        epsilon, delta: the budget as (epsilon, delta), in place of rho.
        rule, margin, quantile, offset: settings that say where the search stops; see `algorithms.dp_stat.Search`.
        tail_share: share of the iterates, the last ones, whose mean is the estimate, in (0, 1].
        normals: standard normals to use instead of rng's: those of the gradients, shape (T, d), and those of the
            counts, shape (T, L). The order of the records still comes from rng, before anything else.
        arithmetic: `exact` for a real release: the guarantee then holds for what a machine computes, with integers and
            discrete noise from the operating system (`exact_sums`). `floating point` otherwise.

    Returns:
        The run: `estimate` of shape (d,), `path` of shape (T, d), and `also["thresholds"]`, zeta_t, of shape (T,).

    Raises:
        ValueError: if an argument is out of its range, or the iterates overflow.
    """
    require_whole(steps=steps, levels=levels, stat_size=stat_size)
    require_real(
        step_size=step_size, largest=largest, scale=scale, margin=margin, quantile=quantile, offset=offset,
        tail_share=tail_share,
    )  # fmt: skip
    require_own_noise(rng, arithmetic, normals)
    rng, names = generator(rng), columns(X)
    require_positive_finite(step_size=step_size, tail_share=tail_share)
    if tail_share > 1.0:
        raise ValueError(f"tail_share={tail_share} must not exceed 1")
    X, y = records(X=(X, 2), y=(y, 1))
    n, d = X.shape
    # A record takes part in one of the two Gaussian releases, whose cost is 1 / (2 alpha^2).
    alpha = math.sqrt(0.5 / rho_of(n, rho, epsilon, delta, arithmetic))
    search = Search(largest, levels, alpha, rule=rule, margin=margin, quantile=quantile, offset=offset)
    arm = engine.SGDArm(step_size, alpha, engine.Adaptive(search, stat_size, scale))
    # numpy's warnings are off, because overflow is reported below in one line.
    with np.errstate(all="ignore"):
        if arithmetic == "exact":
            out = exact_descents.batched(X, y, steps, arm, tail_share)
        else:
            batches = engine.batches_of(X, y[:, None], steps, rng)
            out = engine.descend(batches, [arm], _normals(normals, rng, steps, d, levels), tail_share)
    require_finite(out.path)
    event = Mechanism(
        "DP-AMBSSGD", arm.releases(n // steps), "replace-one", "shuffled single pass", math.inf, "proved", PROVED
    )  # fmt: skip
    event = exactly(event) if arithmetic == "exact" else guarded(event, rng, handed=normals is not None)
    also = {"thresholds": out.thresholds[:, 0]}
    return Run(out.average[0], out.path[1:, 0], float(out.clipped[:, 0].mean()), event, also, names, n, delta)


def _normals(
    handed: tuple[Array, Array] | None, rng: np.random.Generator, steps: int, d: int, levels: int
) -> engine.Normals:  # fmt: skip
    """The normals that the caller handed over, checked, or new ones from the generator."""
    if handed is None:
        return engine.Normals.draw(rng, steps, d, levels)
    gradient, counts = handed
    shapes = ("normals[0]", gradient, (steps, d)), ("normals[1]", counts, (steps, levels))
    return engine.Normals(*(fitting(*argument)[:, None] for argument in shapes))
