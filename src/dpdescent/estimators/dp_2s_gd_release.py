"""One run of DP-2S-GD (liang2025 Alg. 1) on a user's own table: settings, noise, privacy account.

The only value taken from the data is the number of records, which is public. Step sizes and thresholds are given,
columns are centred by given constants, and the number of clipped gradients is not released. One row is one record:
neighbouring tables have one row replaced.
"""

import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from dpdescent.algorithms import dp_2s_gd, stability
from dpdescent.data.iv import Array, IVSample
from dpdescent.estimators.run import LARGEST, require_finite
from dpdescent.privacy import accounting, zcdp
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism

Released = Literal["beta", "all"]

CHOICE = {
    "rho1": "the zCDP budget of the first stage, such as 1; a run costs rho1 + rho2, and every further one again",
    "rho2": "the zCDP budget of the second stage, such as 1; a run costs rho1 + rho2",
    "gamma1": "the first stage's clipping threshold, a public guess of |z| |x - Theta'z| for most records; noise grows "
    "with it, and what lies above it is clipped",
    "gamma2": "the second stage's clipping threshold, a public guess of |Theta'z| |y - beta'Theta'z| for most records; "
    "noise grows with it, and what lies above it is clipped",
    "eta": "the first stage's step size, about 1 over a public guess of the largest eigenvalue of E[zz'] (1 where "
    "instruments are uncorrelated and of variance 1); beyond 2 over it the descent diverges",
    "alpha": "the second stage's step size, about 1 over a public guess of the largest eigenvalue of "
    "E[Theta'zz'Theta], the part of x's second moment that instruments explain; beyond 2 over it the descent diverges",
}

# What each choice of published iterates costs, and why both cost the same.
RELEASED = {
    "beta": "only the last beta is published; it rests on all noisy first-stage steps too, so that no cost below "
    "rho1 + rho2 is proved (Lemma F.1 of liang2025, which claims rho2, is refuted)",
    "all": "all iterates of both stages may be published: rho1 + rho2 is the cost of all of them together",
}

EXACT = (
    "in exact arithmetic: each step adds Gaussian noise to the mean of gradients that are clipped at the threshold, "
    "which one replaced record of n, n public, moves by 2 gamma / n at most; costs add over the steps of both stages. "
    "Settings, columns and centring constants must be chosen without the data, and one person may be in one row only"
)

# Smaller noise loses digits, or all of itself, and an account of it would be wrong.
LEAST = sys.float_info.min


@dataclass(frozen=True)
class Settings:
    """Settings of a run; all of them are public.

    Attributes:
        rho1, rho2: zCDP budgets of the two stages.
        gamma1, gamma2: clipping thresholds of the two stages.
        eta, alpha: step sizes of the two stages.
        steps: number of iterations T, over which the budget is divided; liang2025 uses 20.

    Raises:
        ValueError: if a value is not positive and finite.
    """

    rho1: float
    rho2: float
    gamma1: float
    gamma2: float
    eta: float
    alpha: float
    steps: int = 20

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not 0.0 < value < math.inf:
                raise ValueError(f"{name}={value} must be positive and finite")


@dataclass(frozen=True)
class Outcome:
    """Results of a run that may be published.

    Attributes:
        beta: last second-stage iterate, shape (p,).
        paths: iterates 0 to T: `Theta_path`, shape (T + 1, q, p), and `beta_path`, shape (T + 1, p); empty where only
            beta is published.
        noise_error: standard error of each coefficient by the noise alone, as `noise_error` gives it.
        warnings: what is wrong with the run as far as its own noisy iterates show; the account covers all of them.
    """

    beta: Array
    paths: dict[str, Array] = field(default_factory=dict)
    noise_error: tuple[float, float] = (0.0, 0.0)
    warnings: tuple[str, ...] = ()


def mechanism(settings: Settings, n: int) -> Mechanism:
    """Mechanism of a run on n records, with the smallest noise that each stage's budget allows."""
    total = settings.rho1 + settings.rho2
    return Mechanism("DP-2S-GD", _stages(settings, n), "replace-one", "full batch", total, "proved", EXACT)


def _stages(settings: Settings, n: int) -> tuple[GaussianReleases, GaussianReleases]:
    """Releases of the two stages; both the added noise and the account are derived from them."""

    def stage(what: str, gamma: float, rho: float) -> GaussianReleases:
        sensitivity = mean_sensitivity(gamma, n)
        noise_sd = zcdp.gaussian_noise_sd(sensitivity, rho, settings.steps)
        return GaussianReleases(f"{what} clipped mean gradient", sensitivity, noise_sd, settings.steps)

    return stage("first-stage", settings.gamma1, settings.rho1), stage("second-stage", settings.gamma2, settings.rho2)


def account(settings: Settings, n: int, delta: float, released: Released) -> dict[str, Any]:
    """Privacy guarantee of a run as a mapping, to be written to a file.

    Raises:
        ValueError: if delta is not below 1/n, because publishing a random record would otherwise count as private.
    """
    zcdp.require_delta(delta)
    if delta * n >= 1.0:
        raise ValueError(f"delta={delta} must be below 1/n = {1 / n:.3g}, or publishing a record at random would pass")
    made = mechanism(settings, n)
    # The larger of the two is reported, because rounding may put the cost of the noise slightly below the budget.
    rho = max(made.rho, made.claimed_rho)
    parts = [{**asdict(each), "rho": each.rho} for each in _stages(settings, n)]
    return {
        "algorithm": made.name, "relation": made.relation, "n": n, "releases": parts, "rho": rho, "delta": delta,
        "epsilon": accounting.tight_epsilon(rho, delta), "guarantee": made.guarantee, "holds": made.reason,
        "release": released, "release_costs": RELEASED[released],
    }  # fmt: skip


def centred(
    sample: IVSample, constants: Mapping[str, float], instruments: list[str], regressors: list[str], outcome: str
) -> IVSample:
    """Subtracts public constants from the named columns of a sample; a column in both lists is centred in both.

    Raises:
        ValueError: if a constant is not finite, or belongs to no column in use.
    """
    used = [*instruments, *regressors, outcome]
    for name, value in constants.items():
        if name not in used:
            raise ValueError(f"centre: {name!r} is no column in use; there are {', '.join(used)}")
        if not math.isfinite(value):
            raise ValueError(f"centre: {name}={value} must be finite")
    z, x = (np.array([constants.get(name, 0.0) for name in names]) for names in (instruments, regressors))
    # What overflows is clipped like any other value that is too large.
    with np.errstate(over="ignore"):
        moved = sample.Z - z, sample.X - x, sample.y - constants.get(outcome, 0.0)
    return IVSample(*(np.clip(part, -LARGEST, LARGEST) for part in moved))


def run(sample: IVSample, settings: Settings, rng: np.random.Generator, released: Released = "beta") -> Outcome:
    """Runs DP-2S-GD once and returns what may be published; raises the errors of `descend`."""
    path = descend(sample, settings, dp_2s_gd.Normals.draw(rng, settings.steps, sample.p, sample.q))
    assert path.Theta_path is not None
    assert path.beta_path is not None
    paths = {"Theta_path": path.Theta_path[:, 0], "beta_path": path.beta_path[:, 0]}
    error = noise_error(settings, sample.n)
    return Outcome(path.beta[0], paths if released == "all" else {}, error, tuple(_warnings(settings, sample.n, paths)))


def noise_error(settings: Settings, n: int) -> tuple[float, float]:
    """Standard error of each coefficient by the second stage's noise alone, from public settings: at least, at most.

    The last step adds alpha times its noise, undamped. Earlier steps add to it, sqrt(T) times as much in all where the
    descent hardly contracts; by how much it does, and what the first stage's noise adds, only the data know.
    """
    error = settings.alpha * _stages(settings, n)[1].noise_sd
    return error, error * math.sqrt(settings.steps)


def _warnings(settings: Settings, n: int, paths: Mapping[str, Array]) -> Iterator[str]:
    first, second = _stages(settings, n)
    for name, path, noise in (
        ("eta", paths["Theta_path"], settings.eta * first.noise_sd),
        ("alpha", paths["beta_path"], settings.alpha * second.noise_sd),
    ):
        if stability.is_left(path, noise):
            yield (
                f"the iterates have left the region where they are stable: steps turn back and do not shrink; take a "
                f"smaller {name} than {getattr(settings, name):g}, or less noise"
            )
    error = noise_error(settings, n)[1]
    if float(np.abs(paths["beta_path"][-1]).max()) < 2.0 * error:
        yield (
            f"no coefficient is above twice the {error:.3g} that the noise alone may make; take more records, a larger "
            "rho2, or a smaller gamma2 or alpha"
        )


def descend(sample: IVSample, settings: Settings, normals: dp_2s_gd.Normals) -> dp_2s_gd.Descent:
    """Runs DP-2S-GD once with given normals and returns the whole paths.

    Raises:
        ValueError: if there are fewer instruments than regressors, no more records than instruments, the noise is too
            small or too large for double precision, or the iterates overflow.
    """
    if sample.q < sample.p:
        raise ValueError(f"{sample.q} instruments cannot identify {sample.p} effects; name as many as regressors")
    if sample.n <= sample.q:
        raise ValueError(f"{sample.n} records do not suffice for {sample.q} instruments; more records are needed")
    _require_noise(settings, sample.n)
    cut = IVSample(*(np.clip(part, -LARGEST, LARGEST) for part in (sample.Z, sample.X, sample.y)))
    # numpy's warnings are off, because overflow is reported below in one line.
    with np.errstate(all="ignore"):
        path = dp_2s_gd.descend(cut, _arms(settings, sample.n), normals, record=True)
    require_finite(path.Theta_path, path.beta_path)
    return path


def _require_noise(settings: Settings, n: int) -> None:
    """Checks that each stage's noise, times its step size, is what the account says.

    Raises:
        ValueError: if it underflows or overflows.
    """
    for stage, step, name in zip(_stages(settings, n), (settings.eta, settings.alpha), ("eta", "alpha"), strict=True):
        if not LEAST <= step * stage.noise_sd < math.inf:
            raise ValueError(
                f"{name}={step:g} times noise of sd {stage.noise_sd:g} is beyond double precision, so that the noise "
                "would not be what the account says; take a threshold, budget and step size of ordinary size"
            )


def _arms(settings: Settings, n: int) -> dp_2s_gd.TwoStageArms:
    noise_sds = [stage.noise_sd for stage in _stages(settings, n)]
    values = (settings.eta, settings.alpha, settings.gamma1, settings.gamma2, *noise_sds)
    return dp_2s_gd.TwoStageArms(np.array([settings.steps]), *(np.array([value]) for value in values))
