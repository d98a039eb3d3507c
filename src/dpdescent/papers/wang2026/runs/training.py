"""Runs of Algorithm 1 as several artefacts make them: arms share all but noise and step; steps are tuned elsewhere."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dpdescent.algorithms import lambda_cgd
from dpdescent.algorithms.lambda_cgd import KANProblem, State
from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import FIXED, NO_NOISE, Noise, of_run
from dpdescent.papers.wang2026.design import (
    Array,
    Row,
    Spec,
    fixed_size_batches,
    normals_of,
    problem_of,
    test_points,
    value,
)  # fmt: skip
from dpdescent.papers.wang2026.runs import calibrated
from dpdescent.privacy.events import Mechanism

POPULATION, EMPIRICAL, GAIN = "population risk", "empirical risk", "gain over lam = 0"


@dataclass(frozen=True)
class Size:
    """Number of records, batch size and number of iterates of Algorithm 1."""

    n: int
    B: int
    T: int

    @classmethod
    def of(cls, spec: Spec) -> "Size":
        """That of a cell."""
        return cls(spec["cell"]["n"], spec["cell"]["B"], spec["cell"]["T"])

    @property
    def r(self) -> float:
        return self.B / self.n


@dataclass(frozen=True)
class Arm:
    """One run: its noise, its step size, its clipping threshold, the radius of its projection."""

    noise: Noise
    eta: float
    C_clip: float
    radius: float = np.inf


def calibrated_noise(spec: Spec, size: Size, accountant: str, lam: float, eps: float, delta: float) -> Noise:
    """Noise of an accountant, for batches of fixed size; the accountant may be made for others."""
    found = calibrated.multiplier(spec, accountant, size.T, size.r, lam, eps, delta)
    return Noise(
        accountant, found.multiplier, lam, size.T, size.r, eps, delta, found.relation, "fixed size", found.precondition
    )  # fmt: skip


def fixed_noise(size: Size, kappa: float, lam: float, delta: float) -> Noise:
    """Noise of a given multiplier; delta is the one at which the ledger gives an epsilon."""
    accountant = FIXED if kappa > 0.0 else NO_NOISE
    return Noise(accountant, kappa, lam, size.T, size.r, np.nan, delta, "zero-out", _sampler(size))


def run(
    spec: Spec, trials: Sequence[int], size: Size, arms: Sequence[Arm], problem: KANProblem | None = None, *,
    tested: bool = False, observe: Callable[[State], None] | None = None,
) -> lambda_cgd.Runs:  # fmt: skip
    """Runs all arms of all seeds on the seeds' records, starts, batches and normals.

    Args:
        spec: the cell.
        trials: the seeds; those named twice share batches and normals.
        size: size of the runs.
        arms: what differs between runs of a seed.
        problem: other records or starts than the seeds' own.
        tested: whether every iterate is tried on fresh records.
        observe: called at every iterate.
    """
    made = lambda_cgd.CGDArms(
        np.array([arm.eta for arm in arms]), np.array([arm.C_clip for arm in arms]),
        np.array([arm.noise.kappa for arm in arms]), np.array([arm.noise.lam for arm in arms]),
        np.array([arm.radius for arm in arms]),
    )  # fmt: skip
    noisy = any(arm.noise.kappa > 0.0 for arm in arms)
    return lambda_cgd.run(
        problem or problem_of(spec, trials, size.n), made,
        fixed_size_batches(spec, trials, size.n, size.B, size.T), normals_of(spec, trials) if noisy else None,
        steps=size.T, test=test_points(spec, trials) if tested else None,
        per_step=value(spec, "per_step") if tested else 1, observe=observe,
    )  # fmt: skip


def tuned(spec: Spec, size: Size, noises: Sequence[Noise], C_clip: float) -> list[Arm]:
    """Each noise with the step of the least mean population risk on seeds that the table does not have."""
    etas = sorted(as_list(value(spec, "eta")))
    seeds = range(-value(spec, "tuning_seeds"), 0)
    runs = run(spec, seeds, size, [Arm(noise, eta, C_clip) for noise in noises for eta in etas], tested=True)
    risks = runs.population_average.mean(axis=0).reshape(len(noises), len(etas))
    best = np.argmin(np.nan_to_num(risks, nan=np.inf), axis=1)
    return [Arm(noise, etas[index], C_clip) for noise, index in zip(noises, best, strict=True)]


def columns(spec: Spec, size: Size, noise: Noise) -> Row:
    """The columns by which every run is known, but for its threshold and step."""
    return {"n": size.n, "B": size.B, "m": value(spec, "m"), "d": value(spec, "d"), **noise.columns}


def risk_rows(spec: Spec, size: Size, arms: Sequence[Arm], own: Row | None = None) -> Iterator[Row]:
    """Averaged risks of every arm and seed, and what each has gained over the arm of its kind without correlation.

    Args:
        spec: the cell.
        size: its size.
        arms: the runs.
        own: columns of the artefact's own.
    """
    trials = range(*spec["trials"])
    runs = run(spec, trials, size, arms, tested=True)
    plain = {_kind(arm): index for index, arm in enumerate(arms) if arm.noise.lam == 0.0}
    for index, arm in enumerate(arms):
        base = {"panel": spec["panel"], **columns(spec, size, arm.noise), "C_clip": arm.C_clip, "eta": arm.eta}
        for place, trial in enumerate(trials):
            row = {**base, **(own or {}), "trial": trial, "clipped": float(runs.clipped[:, place, index].mean())}
            risk = runs.population_average[place]
            yield {**row, "series": POPULATION, "value": float(risk[index])}
            yield {**row, "series": EMPIRICAL, "value": float(runs.empirical_average[place, index])}
            if arm.noise.lam > 0.0 and _kind(arm) in plain:
                yield {**row, "series": GAIN, "value": float(risk[plain[_kind(arm)]] - risk[index])}


def _kind(arm: Arm) -> tuple[str, float, float, float]:
    """Arms of one accountant and target; of a given multiplier, those with the same step and multiplier."""
    noise = arm.noise
    own = (arm.eta, noise.kappa) if noise.accountant in (FIXED, NO_NOISE) else (noise.eps, noise.delta)
    return noise.accountant, arm.C_clip, *own


def entries(
    spec: Spec, size: Size, arms: Iterable[Arm], own: str = "", caveat: str = ""
) -> Iterator[tuple[str, Mechanism, float]]:
    """Ledger entries of runs, one for those that differ in the step only; steps were tuned on other records.

    Args:
        spec: the cell.
        size: its size.
        arms: the runs.
        own: what else tells the cell apart.
        caveat: why there is no guarantee all the same.
    """
    place = f"{spec['variant']}: {spec['panel']} n={size.n} B={size.B} T={size.T}{own}"
    found = {}
    for arm in arms:
        noise = arm.noise
        target = f"kappa={noise.kappa:g}" if np.isnan(noise.eps) else f"eps={noise.eps:g}"
        name = f"{place}, {noise.accountant} {target} lam={noise.lam:g} C_clip={arm.C_clip:.4g}"
        found[name] = (name, of_run(noise, arm.C_clip, caveat), noise.delta)
    yield from found.values()


def _sampler(size: Size) -> str:
    return "full batch" if size.n == size.B else "fixed size"


def averages(curve: Array) -> Array:
    """Running averages over the iterates, in the shape of the curve (T, ...)."""
    counts = np.arange(1, len(curve) + 1).reshape(-1, *[1] * (curve.ndim - 1))
    means: Array = np.cumsum(curve, axis=0) / counts
    return means
