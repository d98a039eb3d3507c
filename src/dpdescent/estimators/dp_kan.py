"""lambda-CGD for Kolmogorov-Arnold networks (wang2026 Algorithm 1), on a user's own records."""

import math
from itertools import chain, islice, repeat
from typing import Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from dpdescent.algorithms import lambda_cgd, samplers
from dpdescent.checks import require_known, require_positive, require_positive_finite, require_real, require_whole
from dpdescent.estimators.dp_ftrl import Relation
from dpdescent.estimators.run import Array, Run, epsilon_delta, fitting, guarded, require_finite, rho_of
from dpdescent.gate import columns, generator, plain, records
from dpdescent.models.kan import KAN
from dpdescent.privacy import sampling, zcdp
from dpdescent.privacy.events import (
    CorrelatedReleases,
    Mechanism,
    Release,
    SubsampledGaussianReleases,
    correlated_release,
)
from dpdescent.privacy.participation import encoder, fixed_size, tail
from dpdescent.privacy.participation.search import raised
from dpdescent.renamed import renamed

Sampler = Literal["fixed size", "Poisson", "fixed order"]

_CLIPPED = (
    "in exact arithmetic: gradients are clipped at clip_norm, sums are divided by the nominal batch size, and iterates "
    "are post-processing; settings must be chosen without the data"
)
_REASONS = {
    "sampled": f"amplification by Poisson sampling of independent noise, by privacy-loss distributions; {_CLIPPED}",
    "mixture": "given the batches, which do not depend on the records, the run is one Gaussian release of the encoded "
    "sums, whose sensitivity depends on how often a record takes part; epsilon is by the mean over that (joint "
    "convexity), or, for independent noise on batches of fixed size under replace-one, by the dominating pair of "
    f"sampling without replacement, which is amplified; {_CLIPPED}",
    "cyclic": "batches come in one order in every epoch, so that a record takes part in every b-th step; the run is "
    f"one Gaussian release of the encoded sums; no amplification; {_CLIPPED}",
}


@renamed(x="X", eta="step_size", record="keep_path")
@plain
def dp_kan(
    X: ArrayLike, y: ArrayLike, *, kan: KAN, steps: int, batch_size: int, step_size: float, clip_norm: float,
    rng: np.random.Generator | int | None, rho: float | None = None, epsilon: float | None = None,
    delta: float | None = None, correlation: float = 0.0, sampler: Sampler = "fixed size",
    relation: Relation = "replace-one", radius: float = math.inf, start: tuple[Array, Array] | None = None,
    keep_path: bool = False, normals: Array | None = None,
) -> Run:  # fmt: skip
    """Trains the first layer of a KAN on the logistic loss by mini-batch DP-SGD with correlated noise.

    Args:
        X: inputs, shape (n, d), all in [-1, 1].
        y: labels, -1 or 1, shape (n,).
        kan: the network.
        steps: number of noisy steps T.
        batch_size: B, the number of records per batch; for `Poisson` the mean number; for `fixed order` a divisor of n.
        step_size: eta in the paper, its learning rate.
        clip_norm: clipping threshold on a record's gradient.
        rng: generator of the start, the batches and the noise, in this order: `secure_generator()` for a guarantee;
            otherwise a generator, a seed or None.
        rho: zCDP budget; for `fixed order` only, because zCDP cannot express amplification by random batches.
        epsilon, delta: the budget as (epsilon, delta), in place of rho; the noise is the smallest that our accountants
            prove sufficient.
        correlation: lambda, the share of a step's noise that the next step subtracts, in [0, 1); 0 is DP-SGD.
        sampler: batches of fixed size, Poisson samples, or the same batches in the same order in every epoch.
        relation: `replace-one` or `zero-out`.
        radius: radius of the ball around the start onto which iterates are projected; inf switches the projection off.
        start: first layer, shape (m, d p), and second layer, shape (m, p), chosen without the data; None draws them
            from rng. The second layer is not trained.
        keep_path: whether to keep all iterates.
        normals: standard normals to use instead of rng's, shape (T, m, d p).

    Returns:
        The run: `estimate`, the last first layer W, of shape (m, d p); `path` of shape (T, m, d p) with keep_path; and
        `also["start"]` and `also["head"]`, the initial layers. The outputs of the network are `kan.outputs(W,
        kan.features(X), kan.heads(head))`.

    Raises:
        ValueError: if an argument is out of its range, rho is given for random batches, or the iterates overflow.
    """
    if not isinstance(kan, KAN):
        raise ValueError(f"kan must be a KAN, such as KAN(2, 8, CubicSplines(4)), got {type(kan).__name__}")
    _check(sampler, relation, steps, batch_size)
    require_whole(width=kan.width, inputs=kan.inputs, cells=kan.splines.cells)
    require_real(step_size=step_size, clip_norm=clip_norm, correlation=correlation, radius=radius)
    require_positive_finite(step_size=step_size, clip_norm=clip_norm)
    if not 0.0 <= correlation < 1.0:
        raise ValueError(f"correlation={correlation} must lie in [0, 1)")
    rng, names = generator(rng), columns(X)
    X, y = records(X=(X, 2), y=(y, 1))
    if X.shape[1] != kan.inputs:
        raise ValueError(f"X of shape {X.shape} must have kan.inputs={kan.inputs} columns")
    if outside := int((np.abs(X) > 1.0).sum()):
        raise ValueError(f"X has {outside} values outside [-1, 1]: scale it by public constants")
    if strange := int((np.abs(y) != 1.0).sum()):
        raise ValueError(f"y has {strange} labels that are neither -1 nor 1: recode them")
    n, lead = len(X), (kan.width, kan.inputs * kan.splines.count)
    if batch_size > n:
        raise ValueError(f"batch_size={batch_size} must not exceed the {n} records")
    kappa = _multiplier(n, steps, batch_size, correlation, sampler, relation, rho, epsilon, delta)
    W, head = kan.initial(rng) if start is None else start
    W, head = fitting("start[0]", W, lead), fitting("start[1]", head, (kan.width, kan.splines.count))
    problem = lambda_cgd.KANProblem(kan, kan.features(X)[None], y[None], W[None], kan.heads(head[None]))
    arms = lambda_cgd.CGDArms(*(np.array([v]) for v in (step_size, clip_norm, kappa, correlation, radius)))
    # Drawn all at once and before the noise, because the noise from a generator must not depend on the engine's blocks.
    batches = _batches(n, steps, batch_size, sampler, rng)
    noise = (
        rng
        if normals is None
        else cast(np.random.Generator, _HandedNormals(fitting("normals", normals, (steps, *lead))))
    )
    path: list[Array] = []
    with np.errstate(all="ignore"):
        # The last batch is repeated, because the engine only measures the last iterate on its last batch.
        out = lambda_cgd.run(
            problem, arms, (rows[None] for rows in chain(batches, batches[-1:])), [noise], steps=steps + 1,
            batch_size=batch_size,
            observe=(lambda state: path.append(state.weights[0, 0].copy())) if keep_path else None,
        )  # fmt: skip
    require_finite(out.final)
    event = guarded(
        _event(n, steps, batch_size, correlation, sampler, relation, kappa, clip_norm), rng, handed=normals is not None
    )
    kept = np.stack(path[1:]) if keep_path else np.empty((0, *lead))
    clipped = float(out.clipped[:steps, 0, 0].mean())
    return Run(out.final[0, 0], kept, clipped, event, {"start": W, "head": head}, names, n, delta)


class _HandedNormals:
    """Stand-in for a generator: returns handed-over normals in the order in which the engine draws them, then zeros."""

    def __init__(self, normals: Array) -> None:
        self.left = normals

    def standard_normal(self, out: Array) -> None:
        part, self.left = self.left[: len(out)], self.left[len(out) :]
        out[: len(part)], out[len(part) :] = part, 0.0


def _check(sampler: Sampler, relation: Relation, steps: int, batch_size: int) -> None:
    require_whole(steps=steps, batch_size=batch_size)
    require_positive(steps=steps, batch_size=batch_size)
    require_known(Sampler, sampler=sampler)
    require_known(Relation, relation=relation)


def _batches(n: int, steps: int, batch_size: int, sampler: Sampler, rng: np.random.Generator) -> list[lambda_cgd.Index]:
    """The rows of each step's batch."""
    if sampler == "Poisson":
        return samplers.poisson(n, batch_size / n, steps, rng)
    if sampler == "fixed size":
        return list(samplers.fixed_size(n, batch_size, steps, rng))
    return list(islice(chain.from_iterable(repeat(samplers.fixed_order(n, batch_size, rng))), steps))


def _multiplier(
    n: int, steps: int, batch_size: int, lam: float, sampler: Sampler, relation: Relation,
    rho: float | None, epsilon: float | None, delta: float | None,
) -> float:  # fmt: skip
    """The noise multiplier kappa: the sd of the noise on the sum of a batch's gradients, divided by clip_norm."""
    shift, rate = _shift(relation), batch_size / n
    if sampler == "fixed order":
        return zcdp.gaussian_noise_sd(shift * _encoder_norm(n, steps, batch_size, lam), rho_of(n, rho, epsilon, delta))
    if rho is not None or epsilon is None or delta is None:
        raise ValueError(f"rho={rho}, epsilon={epsilon}, delta={delta}: sampler={sampler!r} needs epsilon and delta")
    epsilon, delta = epsilon_delta(n, epsilon, delta)
    if _is_amplified(lam, sampler, relation):
        return sampling.noise_multiplier(epsilon, rate, steps, delta)
    if lam != 0.0 or sampler != "fixed size" or relation != "replace-one":
        return tail.multiplier(epsilon, delta, steps, rate, lam, shift, "mixture")
    kappa = fixed_size.multiplier(epsilon, steps, rate, delta)
    # Needed because `fixed_size.epsilon` uses another grid, which differs by a few millionths.
    return raised(kappa, lambda kappa: fixed_size.epsilon(kappa, steps, rate, delta) <= epsilon)


def _event(
    n: int, steps: int, batch_size: int, lam: float, sampler: Sampler, relation: Relation, kappa: float,
    clip_norm: float,
) -> Mechanism:  # fmt: skip
    shift, noise_sd, rate = clip_norm * _shift(relation), clip_norm * kappa, batch_size / n
    what, kind = "sums of clipped gradients", "mixture"
    release: Release = CorrelatedReleases(what, shift, noise_sd, lam, rate, steps)
    if sampler == "fixed order":
        kind, release = "cyclic", correlated_release(_encoder_norm(n, steps, batch_size, lam), shift, noise_sd)
    elif _is_amplified(lam, sampler, relation):
        kind, release = "sampled", SubsampledGaussianReleases(what, shift, noise_sd, rate, steps)
    return Mechanism("lambda-CGD", (release,), relation, sampler, math.inf, "proved", _REASONS[kind])


def _shift(relation: Relation) -> float:
    """Largest shift of a sum by one participation of a record, in units of clip_norm."""
    return 2.0 if relation == "replace-one" else 1.0


def _encoder_norm(n: int, steps: int, batch_size: int, lam: float) -> float:
    """Norm of the encoded gradients of a record that takes part in every (n / batch_size)-th step."""
    return math.sqrt(encoder.cyclic_norm_squared(steps, n // batch_size, lam))


def _is_amplified(lam: float, sampler: Sampler, relation: Relation) -> bool:
    """Whether Poisson sampling amplifies the guarantee of this run."""
    return lam == 0.0 and sampler == "Poisson" and relation == "zero-out"
