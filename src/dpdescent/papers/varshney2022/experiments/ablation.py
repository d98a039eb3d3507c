"""One choice of DP-AMBSSGD changed at a time, on the same records."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from dpdescent.papers.varshney2022.arms import AMBSSGD, LOG_POWER, Choice
from dpdescent.papers.varshney2022.design import Array, Row, Spec, design_of, iterations, place_of, trial_stream
from dpdescent.papers.varshney2022.runs import baselines
from dpdescent.papers.varshney2022.runs.mini_batches import Outcome, runs_of, trials_of
from dpdescent.papers.varshney2022.theory import privacy
from dpdescent.privacy.events import Mechanism

LAST, RANDOM = "last iterate", "random offset"
# Which choices are tried.
EVERY = "every choice"

Key = tuple[str, str]


def run(spec: Spec) -> Iterator[Row]:
    """Yields a risk for each choice, level and trial."""
    design, sigma, N = design_of(spec), spec["arms"]["sigma"], spec["cell"]["N"]
    base = {
        "N": N, "d": len(design.lam), "sigma": sigma, "eps": spec["settings"]["eps"],
        "delta": spec["settings"]["delta"],
    }  # fmt: skip
    for trial, X, Y in trials_of(spec, design, N, sigma):
        offset = float(trial_stream(spec, place_of(design, N), trial, "offset").random())
        found = choices(spec, offset)
        outcomes = runs_of(spec, found, X, Y, trial)
        for choice, level in found:
            outcome = outcomes[choice, level]
            average = _average(outcome, level) if choice == "tail" else outcome.average
            yield {
                **base, "choice": choice, "level": level, "series": AMBSSGD, "trial": trial,
                "value": float(design.risk(average)), **outcome.measures,
            }  # fmt: skip


def choices(spec: Spec, offset: float) -> dict[Key, Choice]:
    """Returns the run of every level of every choice; the offset is that of the trial's grid of thresholds."""
    found = {}
    for choice, levels in spec["arms"]["choices"].items():
        if spec["arms"]["only"] not in (EVERY, choice):
            continue
        changes: dict[str, Any] = {}
        for level in levels:
            # Only printed choices add up, because the panel shows them one after another.
            changes = (changes if choice == "printed, one by one" else {}) | _change(spec, choice, level, offset)
            found[choice, level] = _ours(spec, changes)
    return found


def _ours(spec: Spec, changes: dict[str, Any]) -> Choice:
    settings, T = spec["settings"], changes.get("T", iterations(spec))
    rest = {name: value for name, value in changes.items() if name != "T"}
    return Choice.ours(spec, design_of(spec), spec["cell"]["N"], spec["arms"]["sigma"], settings["eps"], T, **rest)


def _change(spec: Spec, choice: str, level: str, offset: float) -> dict[str, Any]:
    """Returns what a level of a choice replaces in the main setting.

    Raises:
        ValueError: if there is no such choice.
    """
    published = privacy.published_multiplier(spec["settings"]["eps"], spec["settings"]["delta"])
    printed_levels = math.ceil(200 * math.log2(spec["cell"]["N"]))
    if choice == "printed, one by one":
        printed: dict[str, dict[str, Any]] = {
            "none": {}, "+ noise multiplier": {"multiplier": published}, "+ rule": {"rule": "as published"},
            "+ factor": {"factor": LOG_POWER}, "+ overlap": {"overlap": True, "guard": 0.0},
            "+ Delta": {"levels": printed_levels, "wide": True},
        }  # fmt: skip
        if level not in printed:
            raise ValueError(f"{choice!r} has {level!r}: take some of {list(printed)}")
        return printed[level]
    if choice == "noise multiplier":
        return {"exact": {}, "as published": {"multiplier": published}}[_one_of(choice, level, "exact", "as published")]
    if choice == "doublings":
        return {"levels": printed_levels if level == "as published" else int(level)}
    if choice == "grid":
        return {"offset": offset} if _one_of(choice, level, "fixed", RANDOM) == RANDOM else {}
    if choice == "tail":
        return {}
    names = {"rule": "rule", "factor": "factor", "statistic": "stat_size", "iterations": "T"}
    if choice not in names:
        known = [*names, "noise multiplier", "doublings", "grid", "tail", "printed, one by one"]
        raise ValueError(f"choices has {choice!r}: take some of {known}")
    return {names[choice]: level if choice in ("rule", "factor") else int(level)}


def _one_of(choice: str, level: str, *known: str) -> str:
    if level not in known:
        raise ValueError(f"{choice!r} has {level!r}: take some of {list(known)}")
    return level


def _average(outcome: Outcome, tail: str) -> Array:
    """Returns the last iterate, or the mean of another share of the iterates."""
    path = outcome.path[1:]
    return np.asarray(path[-1]) if tail == LAST else baselines.tail_average(path, float(tail))


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries; the public offset of the grid and the average that is taken change no release."""
    for (choice, level), found in choices(spec, 0.0).items():
        yield f"{spec['variant']}: {choice}, {level}", found.arm().mechanism, found.delta
