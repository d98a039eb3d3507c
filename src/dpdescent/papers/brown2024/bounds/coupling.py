"""How far clipping may move the law of DP-GD by brown2024's Lemma 2.2: the probability that some gradient is clipped.

Total variation bounds differences of probabilities, such as coverage.
"""

import math
from collections.abc import Iterator

from dpdescent.papers.brown2024.bounds import runs
from dpdescent.papers.brown2024.bounds.cases import Experiment
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import CHANCE, VACUOUS, chance, row
from dpdescent.replication.judging.evidence import Bound, Evidence

COUPLED, FRACTION = "P(some gradient is clipped)", "fraction clipped"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates rows of the coverage of intervals with and without clipping."""
    for artefact, place in runs.COVERAGE.items():
        yield from _coverage(Experiment(evidence, artefact, place, "clipped"))


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
