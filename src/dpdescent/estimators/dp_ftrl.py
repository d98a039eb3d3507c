"""DP-FTRL for linear regression in a single pass (choquettechoo2023 Algorithm 1), on a user's own records."""

import math
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from dpdescent.algorithms import dp_ftrl as engine
from dpdescent.checks import require_known, require_positive_finite, require_real, require_whole
from dpdescent.estimators.run import Array, Run, fitting, guarded, require_finite, rho_of
from dpdescent.gate import columns, generator, plain, records
from dpdescent.noise.strategies.base import Strategy
from dpdescent.privacy import zcdp
from dpdescent.privacy.events import Mechanism, correlated_release
from dpdescent.renamed import renamed

Relation = Literal["replace-one", "zero-out"]

PROVED = (
    "in exact arithmetic: each record takes part in one step, the place of which is public, with a gradient clipped at "
    "clip_norm; the run is one Gaussian release of the encoded gradients, whose sensitivity is the encoder's largest "
    "column norm times what a record moves its gradient by (choquettechoo2023 Thm. 1.1); decoding is post-processing. "
    "Step size, threshold and strategy must be chosen without the data"
)


@renamed(eta="step_size")
@plain
def dp_ftrl(
    X: ArrayLike, y: ArrayLike, *, strategy: Strategy, step_size: float, clip_norm: float,
    rng: np.random.Generator | int | None, rho: float | None = None, epsilon: float | None = None,
    delta: float | None = None, relation: Relation = "replace-one", tail: int = 0, start: Array | None = None,
    normals: Array | None = None,
) -> Run:  # fmt: skip
    """Fits a linear regression by one pass over the records in their order, with clipping and correlated noise.

    Args:
        X: covariates, shape (n, d); step t uses record t.
        y: responses, shape (n,).
        strategy: correlation of the noise between steps, such as `nu_family(0.05)`; `identity()` is DP-SGD.
        step_size: eta in the paper, its learning rate.
        clip_norm: clipping threshold on a record's gradient `x (x'theta - y)`.
        rng: generator of the noise: `secure_generator()` for a guarantee; otherwise a generator, a seed or None.
        rho: zCDP budget of the run.
        epsilon, delta: the budget as (epsilon, delta), in place of rho.
        relation: `replace-one`, or the paper's `zero-out`, under which a record's gradient becomes zero and half of the
            noise suffices.
        tail: number of last iterates whose mean is the estimate; 0 means the last iterate itself.
        start: theta_0, shape (d,), chosen without the data; None for zeros.
        normals: standard normals to use instead of rng's, before the strategy correlates them, shape
            (strategy.noises(n), d).

    Returns:
        The run: `estimate` of shape (d,) and `path` of shape (n, d).

    Raises:
        ValueError: if an argument is out of its range, or the iterates overflow.
    """
    require_known(Relation, relation=relation)
    if not isinstance(strategy, Strategy):
        raise ValueError(f"strategy must be one, such as identity(), got {type(strategy).__name__}")
    require_whole(tail=tail)
    require_real(step_size=step_size, clip_norm=clip_norm)
    rng, names = generator(rng), columns(X)
    require_positive_finite(step_size=step_size, clip_norm=clip_norm)
    X, y = records(X=(X, 2), y=(y, 1))
    n, d = X.shape
    gamma = math.sqrt(strategy.sensitivity_squared(n))
    shift = clip_norm * (2.0 if relation == "replace-one" else 1.0)
    noise_sd = zcdp.gaussian_noise_sd(gamma * shift, rho_of(n, rho, epsilon, delta))
    arms = engine.FTRLArms(np.array([step_size]), np.array([clip_norm]), np.array([noise_sd]))
    shape = (strategy.noises(n), d)
    noise = strategy.correlate(rng.standard_normal(shape) if normals is None else fitting("normals", normals, shape))
    theta0 = np.zeros(d) if start is None else fitting("start", start, (d,))
    # numpy's warnings are off, because overflow is reported below in one line.
    with np.errstate(all="ignore"):
        out = engine.single_pass(X, y[:, None], arms, theta0, noise[:, None, None, :], tail=tail, record=True)
    assert out.path is not None
    require_finite(out.path)
    event = Mechanism(
        f"DP-FTRL ({strategy.name})", (correlated_release(gamma, shift, noise_sd),), relation, "single pass", math.inf,
        "proved", PROVED,
    )  # fmt: skip
    estimate = out.average[0, 0] if tail else out.theta[0, 0]
    event = guarded(_trusted(event, strategy), rng, handed=normals is not None)
    return Run(estimate, out.path[:, 0, 0], float(out.clipped[0, 0]), event, names=names, n=n, delta=delta)


def _trusted(event: Mechanism, strategy: Strategy) -> Mechanism:
    """The event, without a guarantee where code outside this package computed the sensitivity."""
    kinds = {type(kind) for kind in (strategy, getattr(strategy, "base", strategy))}
    if foreign := sorted(kind.__name__ for kind in kinds if kind.__module__.partition(".")[0] != "dpdescent"):
        why = f"the sensitivity is by the word of {' and '.join(foreign)}, which is no strategy of this package"
        return replace(event, guarantee="none", reason=f"{why}. If it is right: {event.reason}")
    return event
