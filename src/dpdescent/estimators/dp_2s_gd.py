"""DP-2S-GD for instrumental variables (liang2025 Algorithm 1), on a user's own records.

The number of records, which is public, is the only value taken from the data. Step sizes and thresholds are arguments,
and the number of clipped gradients is not part of the path. One row is one record: neighbouring tables differ in one
replaced row.
"""

import math
import sys
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpdescent.algorithms import dp_2s_gd as engine
from dpdescent.algorithms import exact_descents
from dpdescent.checks import require_probability, require_real, require_whole
from dpdescent.data.iv import IVSample
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
from dpdescent.gate import LARGEST, columns, generator, plain, records
from dpdescent.privacy import zcdp
from dpdescent.privacy.arithmetic import Arithmetic
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism
from dpdescent.renamed import renamed

EXACT = (
    "in exact arithmetic: each step adds Gaussian noise to the mean of gradients that are clipped at the threshold, "
    "which one replaced record of n, n public, moves by 2 clip_norm / n at most; costs add over the steps of both "
    "stages. Settings, columns and centring constants must be chosen without the data, and one person may be in one "
    "row only"
)

# Smaller noise would lose digits, or vanish, and the account of it would be wrong.
LEAST = sys.float_info.min


@dataclass(frozen=True)
class Settings:
    """Settings of a run; all of them are public.

    Attributes:
        rho1, rho2: zCDP budgets of the two stages.
        clip_norm1, clip_norm2: gamma1 and gamma2 in the paper, clipping thresholds of the two stages.
        step_size1, step_size2: eta and alpha in the paper, step sizes of the two stages.
        steps: number of iterations T, among which the budget is divided; liang2025 uses 20.

    Raises:
        ValueError: if a value is not positive and finite.
    """

    rho1: float
    rho2: float
    clip_norm1: float
    clip_norm2: float
    step_size1: float
    step_size2: float
    steps: int = 20

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not 0.0 < value < math.inf:
                raise ValueError(f"{name}={value} must be positive and finite")


@renamed(eta="step_size1", alpha="step_size2", gamma1="clip_norm1", gamma2="clip_norm2")
@plain
def dp_2s_gd(
    Z: ArrayLike, X: ArrayLike, y: ArrayLike, *, steps: int, step_size1: float, step_size2: float, clip_norm1: float,
    clip_norm2: float, rng: np.random.Generator | int | None, rho: float | None = None, epsilon: float | None = None,
    delta: float | None = None, first_share: float = 0.5, normals: Array | None = None,
    arithmetic: Arithmetic = "floating point",
) -> Run:  # fmt: skip
    """Estimates causal effects by two-stage gradient descent from zero, with clipping and noise in both stages.

    Args:
        Z: instruments, shape (n, q).
        X: regressors whose effects are estimated, shape (n, p) with p <= q.
        y: outcomes, shape (n,).
        steps: number of iterations T of both stages.
        step_size1, step_size2: eta and alpha in the paper, step sizes of the first and the second stage.
        clip_norm1, clip_norm2: gamma1 and gamma2 in the paper, clipping thresholds of the first and the second stage.
        rng: generator of the noise: `secure_generator()` for a guarantee; otherwise a generator, a seed, or None, which
            `exact` arithmetic requires.
        rho: zCDP budget of both stages together, under the replace-one relation.
        epsilon, delta: the budget as (epsilon, delta), in place of rho.
        first_share: share of the budget that the first stage gets, in (0, 1).
        normals: standard normals to use instead of rng's, shape (T, p q + p): in every step first those of the first
            stage, of shape (p, q), then those of the second.
        arithmetic: `exact` for a real release: the guarantee then holds for what a machine computes, with integers and
            discrete noise from the operating system (`exact_sums`). `floating point` otherwise.

    Returns:
        The run: `estimate`, the last beta, of shape (p,), `path` of shape (T, p), and `also["Theta_path"]`, the
        first stage's iterates 1 to T, shape (T, q, p).

    Raises:
        ValueError: if an argument is out of its range, or the iterates overflow.
    """
    require_whole(steps=steps)
    require_real(
        step_size1=step_size1, step_size2=step_size2, clip_norm1=clip_norm1, clip_norm2=clip_norm2,
        first_share=first_share,
    )  # fmt: skip
    require_probability(first_share=first_share)
    require_own_noise(rng, arithmetic, normals)
    rng, names = generator(rng), columns(X)
    sample = IVSample(*records(Z=(Z, 2), X=(X, 2), y=(y, 1)))
    total = rho_of(sample.n, rho, epsilon, delta, arithmetic)
    rho1 = first_share * total
    settings = Settings(rho1, total - rho1, clip_norm1, clip_norm2, step_size1, step_size2, steps)
    if arithmetic == "exact":
        Thetas, betas, share = descend_exactly(sample, settings)
        exact_event = exactly(mechanism(settings, sample.n))
        return Run(betas[-1].copy(), betas[1:], share, exact_event, {"Theta_path": Thetas[1:]}, names, sample.n, delta)
    p, q = sample.p, sample.q
    drawn = None if normals is None else engine.Normals.split(fitting("normals", normals, (steps, p * q + p)), p, q)
    out = descend(sample, settings, engine.Normals.draw(rng, steps, p, q) if drawn is None else drawn)
    assert out.Theta_path is not None
    assert out.beta_path is not None
    event = guarded(mechanism(settings, sample.n), rng, handed=drawn is not None)
    clipped = float(out.clipped1[0] + out.clipped2[0]) / 2.0
    also = {"Theta_path": out.Theta_path[1:, 0]}
    return Run(out.beta[0], out.beta_path[1:, 0], clipped, event, also, names, sample.n, delta)


def mechanism(settings: Settings, n: int) -> Mechanism:
    """The mechanism of a run on n records, with the smallest noise that the budget of each stage allows."""
    total = settings.rho1 + settings.rho2
    return Mechanism("DP-2S-GD", stages(settings, n), "replace-one", "full batch", total, "proved", EXACT)


def stages(settings: Settings, n: int) -> tuple[GaussianReleases, GaussianReleases]:
    """The Gaussian releases of the two stages; both the added noise and the account are derived from them."""

    def stage(what: str, clip_norm: float, rho: float) -> GaussianReleases:
        sensitivity = mean_sensitivity(clip_norm, n)
        noise_sd = zcdp.gaussian_noise_sd(sensitivity, rho, settings.steps)
        return GaussianReleases(f"{what} clipped mean gradient", sensitivity, noise_sd, settings.steps)

    return (
        stage("first-stage", settings.clip_norm1, settings.rho1),
        stage("second-stage", settings.clip_norm2, settings.rho2),
    )


def descend(sample: IVSample, settings: Settings, normals: engine.Normals) -> engine.Descent:
    """Runs DP-2S-GD once with given normals and returns the whole paths.

    Raises:
        ValueError: if there are fewer instruments than regressors, no more records than instruments, the noise is too
            small or too large for double precision, or the iterates overflow.
    """
    usable = _usable(sample, settings)
    # numpy's warnings are off, because overflow is reported below in one line.
    with np.errstate(all="ignore"):
        path = engine.descend(usable, _arms(settings, sample.n), normals, record=True)
    require_finite(path.Theta_path, path.beta_path)
    return path


def descend_exactly(sample: IVSample, settings: Settings) -> tuple[Array, Array, float]:
    """Runs DP-2S-GD once with sums that a machine computes exactly.

    Returns:
        Iterates 0 to T of both stages, shapes (T + 1, q, p) and (T + 1, p), and the share of clipped gradients.

    Raises:
        ValueError: as for `descend`.
    """
    usable = _usable(sample, settings)
    first, second = stages(settings, sample.n)
    with np.errstate(all="ignore"):
        Thetas, betas, share = exact_descents.two_stage(
            usable.Z, usable.X, usable.y, (settings.step_size1, settings.step_size2),
            (settings.clip_norm1, settings.clip_norm2), (first.noise_sd, second.noise_sd), settings.steps,
        )  # fmt: skip
    require_finite(Thetas, betas)
    return Thetas, betas, share


def _usable(sample: IVSample, settings: Settings) -> IVSample:
    """The records with every value clipped to the largest usable size, after a check of records and settings."""
    if sample.q < sample.p:
        raise ValueError(f"{sample.q} instruments cannot identify {sample.p} effects; name as many as regressors")
    if sample.n <= sample.q:
        raise ValueError(f"{sample.n} records do not suffice for {sample.q} instruments; more records are needed")
    _require_noise(settings, sample.n)
    return IVSample(*(np.clip(part, -LARGEST, LARGEST) for part in (sample.Z, sample.X, sample.y)))


def _require_noise(settings: Settings, n: int) -> None:
    """Checks that the noise of each stage, times its step size, is as large as the account says.

    Raises:
        ValueError: if the product underflows or overflows.
    """
    for stage, name in zip(stages(settings, n), ("step_size1", "step_size2"), strict=True):
        step = getattr(settings, name)
        if not LEAST <= step * stage.noise_sd < math.inf:
            raise ValueError(
                f"{name}={step:g} times noise of sd {stage.noise_sd:g} is beyond double precision, so that the noise "
                "would not be what the account says; take a threshold, budget and step size of ordinary size"
            )


def _arms(settings: Settings, n: int) -> engine.TwoStageArms:
    """The settings as the one arm that the engine runs."""
    noise_sds = [stage.noise_sd for stage in stages(settings, n)]
    values = (settings.step_size1, settings.step_size2, settings.clip_norm1, settings.clip_norm2, *noise_sds)
    return engine.TwoStageArms(np.array([settings.steps]), *(np.array([value]) for value in values))
