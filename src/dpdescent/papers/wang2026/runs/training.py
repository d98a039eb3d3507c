"""Runs of Algorithm 1 as several artefacts make them: arms share all but noise and step; steps are tuned elsewhere."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from dpdescent.algorithms import lambda_cgd, racing
from dpdescent.algorithms.lambda_cgd import KANProblem, State
from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import FIXED, INDEPENDENT, NO_NOISE, Arm, Noise, engine
from dpdescent.papers.wang2026.design import (
    Array,
    Row,
    Size,
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
# What a correlation gains in population risk over the next smaller one of the grid, on the same seed.
STEP = "gain over the next smaller lam"


def calibrated_noise(spec: Spec, size: Size, accountant: str, lam: float, eps: float, delta: float) -> Noise:
    """Returns the noise of an accountant, for the batches of Algorithm 1; the accountant may be made for others."""
    return replace(calibrated.noise(spec, size, accountant, lam, eps, delta), sampler="fixed size")


def run(
    spec: Spec, trials: Sequence[int], arms: Sequence[Arm], problem: KANProblem | None = None, *,
    tested: bool = False, observe: Callable[[State], None] | None = None,
) -> lambda_cgd.Runs:  # fmt: skip
    """Runs all arms of all seeds on the seeds' records, starts, batches and normals.

    Args:
        spec: the cell.
        trials: the seeds; those named twice share batches and normals.
        arms: what differs between runs of a seed; all of one size.
        problem: other records or starts than the seeds' own.
        tested: whether every iterate is tried on fresh records.
        observe: called at every iterate.

    Raises:
        ValueError: if the arms are of several sizes.
    """
    size, *others = dict.fromkeys(arm.size for arm in arms)
    if others:
        raise ValueError(f"arms of sizes {[size, *others]}: run those of one size together, as they share batches")
    noisy = any(arm.noise.kappa > 0.0 for arm in arms)
    return lambda_cgd.run(
        problem or problem_of(spec, trials, size.n), engine(arms),
        fixed_size_batches(spec, trials, size.n, size.B, size.T), normals_of(spec, trials) if noisy else None,
        steps=size.T, test=test_points(spec, trials) if tested else None,
        per_step=value(spec, "per_step") if tested else 1, observe=observe,
    )  # fmt: skip


def tuned(spec: Spec, arms: Sequence[Arm]) -> list[Arm]:
    """Returns each arm with the step of the least mean population risk on seeds that the table does not have."""
    etas, seeds = sorted(as_list(value(spec, "eta"))), range(-value(spec, "tuning_seeds"), 0)

    def scores(seed: int, asked: dict[int, list[int]]) -> dict[int, Array]:
        """Risks, which are losses and so never negative, with their signs turned; a run that diverged is the worst."""
        runs = [replace(arms[index], eta=etas[place]) for index, places in asked.items() for place in places]
        risks = np.nan_to_num(run(spec, [seeds[seed]], runs, tested=True).population_average[0], nan=np.inf)
        ends = np.cumsum([len(places) for places in asked.values()])[:-1]
        return dict(zip(asked, np.split(-risks, ends), strict=True))

    best = racing.best_of_each(len(arms), len(etas), len(seeds), scores, highest=0.0)
    return [replace(arm, eta=etas[index]) for arm, index in zip(arms, best, strict=True)]


def columns(spec: Spec, noise: Noise) -> Row:
    """Returns the columns by which every run is known, but for its threshold and step."""
    return {"n": noise.size.n, "B": noise.size.B, "m": value(spec, "m"), "d": value(spec, "d"), **noise.columns}


def risk_rows(spec: Spec, arms: Sequence[Arm], own: Row | None = None) -> Iterator[Row]:
    """Yields averaged risks of every arm and seed, and what each has gained over its kind without correlation.

    Args:
        spec: the cell.
        arms: the runs.
        own: columns of the artefact's own.
    """
    trials = range(*spec["trials"])
    runs = run(spec, trials, arms, tested=True)
    plain = {_kind(arm): index for index, arm in enumerate(arms) if arm.noise.lam == 0.0}
    for index, arm in enumerate(arms):
        base = {"panel": spec["panel"], **columns(spec, arm.noise), "C_clip": arm.C_clip, "eta": arm.eta}
        for place, trial in enumerate(trials):
            row = {**base, **(own or {}), "trial": trial, "clipped": float(runs.clipped[:, place, index].mean())}
            risk = runs.population_average[place]
            yield {**row, "series": POPULATION, "value": float(risk[index])}
            yield {**row, "series": EMPIRICAL, "value": float(runs.empirical_average[place, index])}
            if arm.noise.lam > 0.0 and _kind(arm) in plain:
                yield {**row, "series": GAIN, "value": float(risk[plain[_kind(arm)]] - risk[index])}


def with_steps(rows: Iterable[Row], *kind: str) -> Iterator[Row]:
    """Yields the rows, and the gains of every correlation over the next smaller one, on the same seed.

    Args:
        rows: rows of runs, population risks among them.
        kind: columns that both runs of a gain share, besides panel and seed.
    """
    found: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        yield row
        if row["series"] == POPULATION and row["kappa"] > 0.0:
            found.setdefault((row["panel"], row["trial"], *(row[name] for name in kind)), []).append(row)
    for same in found.values():
        for before, after in pairwise(sorted(same, key=lambda row: float(row["lam"]))):
            yield {**after, "series": STEP, "value": before["value"] - after["value"]}


def _kind(arm: Arm) -> tuple[str, float, float, float]:
    """Returns what arms share that gains compare: accountant and target, or a given multiplier and step."""
    noise = arm.noise
    own = (arm.eta, noise.kappa) if noise.accountant in (FIXED, NO_NOISE) else (noise.eps, noise.delta)
    # Independent noise of another accountant that correlated noise is compared with counts as that one's.
    names = {independent: name for name, independent in INDEPENDENT.items()}
    return names.get(noise.accountant, noise.accountant), arm.C_clip, *own


def entries(
    spec: Spec, arms: Iterable[Arm], own: str = "", caveat: str = "", stand_in: str = ""
) -> Iterator[tuple[str, Mechanism, float]]:
    """Returns ledger entries of runs, one for those that differ in step or radius only, which release the same.

    Args:
        spec: the cell.
        arms: the runs.
        own: what else tells the cell apart.
        caveat: why there is no guarantee all the same.
        stand_in: why these are listed in place of other runs.
    """
    found = {}
    for arm in arms:
        noise, size = arm.noise, arm.size
        place = f"{spec['variant']}: {spec['panel']} n={size.n} B={size.B} T={size.T}{own}"
        target = f"kappa={noise.kappa:g}" if np.isnan(noise.eps) else f"eps={noise.eps:g}"
        name = f"{place}, {noise.accountant} {target} lam={noise.lam:g} C_clip={arm.C_clip:.4g}"
        found[name] = (name, arm.event(caveat, stand_in), noise.delta)
    yield from found.values()


def averages(curve: Array) -> Array:
    """Returns running averages over the iterates, in the shape of the curve (T, ...)."""
    counts = np.arange(1, len(curve) + 1).reshape(-1, *[1] * (curve.ndim - 1))
    means: Array = np.cumsum(curve, axis=0) / counts
    return means
