"""How far clipping may move the law of DP-GD by brown2024's Lemma 2.2: the probability that some gradient is clipped.

Total variation bounds differences of probabilities, such as coverage. Of a mean error, which has no ceiling, it bounds
nothing by itself; its shift stands beside it all the same.
"""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.brown2024.bounds import runs
from dpdescent.papers.brown2024.bounds.cases import Experiment
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import CHANCE, VACUOUS, chance, pick, row, stated
from dpdescent.replication.judging.evidence import Bound, Evidence

COUPLED, FRACTION = "P(some gradient is clipped)", "fraction clipped"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates rows of single runs, then of the coverage of intervals with and without clipping."""
    yield from _single(evidence)
    for artefact, place in runs.COVERAGE.items():
        yield from _coverage(Experiment(evidence, artefact, place, "clipped"))


def _single(evidence: Evidence) -> Iterator[Bound]:
    experiment = Experiment(evidence, "ext_no_clipping", "coupling", "coupling")
    rows = experiment.rows(panel="coupling")
    plotted = [point for panel in runs.costs(evidence) for point in runs.plotted(panel)]
    for found in each(rows[rows["series"] == COUPLED]):
        case = experiment.case(n=found["n"], p=found["p"], T=found["T"], k=found["clip_factor"])
        keys = {key: found[key] for key in ("n", "p", "T", "clip_factor")}
        share = pick(rows[rows["series"] == FRACTION], "mean", **keys)
        why = f"share of runs; measured is the fraction of gradients clipped{_empty(found['mean'])}"
        yield stated(
            bound="TV between DP-GD and its law without clipping", location="Lemma 2.2", setting=case.text,
            value=found["mean"], note=why, measured=share,
        )  # fmt: skip
        for other, point in plotted:
            if other.setting == case.setting:
                yield _shift(other.text, found["mean"], point)


def _shift(text: str, tv: float, point: pd.Series) -> Bound:
    change = abs(point["mean"] / point["predicted"] - 1.0)
    why = "measured is the relative change of the mean error from the exact law's, of which TV bounds nothing by itself"
    return stated(
        bound="TV beside the shift of the mean error", location="Lemma 2.2", setting=text, value=tv,
        note=f"{why}{_empty(tv)}", measured=change,
    )  # fmt: skip


def _coverage(experiment: Experiment) -> Iterator[Bound]:
    """Yields the coverage of DP-GD beside that of the exact process on the same data sets, with other normals."""
    free = experiment.rows(process="exact").set_index(["n", "steps", "series"])
    for found in each(experiment.rows(process="clipped")):
        key = (found["n"], found["steps"], found["series"])
        if found["series"] not in runs.CONSTRUCTIONS or key not in free.index:
            continue
        case = runs.constructed(experiment, found)
        count, beside = float(found["clip_fraction"]) * case.setting.n * case.setting.releases, free.loc[key]
        tv, change = min(1.0, count), abs(found["mean"] - beside["mean"])
        why = (
            f"at most the mean number of clipped gradients of a run, {count:.3g} (Markov's inequality); "
            f"{CHANCE} above allowed{_empty(tv)}"
        )
        allowed = math.hypot(chance(found), chance(beside))
        yield row(
            bound="change of coverage by clipping", location="Lemma 2.2", setting=case.text, value=tv, measured=change,
            note=why, allowed=allowed,
        )  # fmt: skip


def _empty(tv: float) -> str:
    return f"; {VACUOUS}: 1 bounds nothing" if tv >= 1.0 else ""
