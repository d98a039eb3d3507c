"""What the exact law of brown2024's iterates says of its intervals, beside simulated coverage (Figures 5, 10).

Theorem 3.1 hides constants, and so does Claim C.11. What stands for them is explicit: the divergence of the estimates'
joint law from m independent ones, and Pinsker's inequality (`algorithms.gaussian_law`).
"""

from collections.abc import Iterator

from dpdescent.algorithms.gaussian_law import Construction
from dpdescent.papers.brown2024.bounds import runs
from dpdescent.papers.brown2024.bounds.cases import Experiment
from dpdescent.papers.brown2024.runs.constructions import BATCHED
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import CHANCE, VACUOUS, chance, pick, row, stated
from dpdescent.replication.judging.evidence import Bound, Evidence

THEOREM: tuple[Construction, ...] = ("independent runs", "checkpoints")
C10 = "Claim C.10, Thm 3.1"
BY_PINSKER = "by the exact law on each data set and Pinsker's inequality"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of simulated coverage, then of the theorem's estimates T iterations apart."""
    for artefact, place in runs.COVERAGE.items():
        yield from _guaranteed(Experiment(evidence, artefact, place, "exact"))
    yield from _theorem(Experiment(evidence, "ext_no_clipping", "coverage", "coverage"))


def _guaranteed(experiment: Experiment) -> Iterator[Bound]:
    """Yields the guaranteed coverage of runs without clipping, as Theorem 3.1 supposes."""
    table = experiment.rows(process="exact")
    rows = table[table["series"].isin(runs.CONSTRUCTIONS)]
    for found in each(rows):
        case = runs.constructed(experiment, found)
        theorem = "; the paper has no theorem for them" if found["series"] == BATCHED else ""
        empty = f"; {VACUOUS}" if found["guaranteed"] <= 0 else ""
        why = f"1 - alpha - TV, mean over coordinates, {BY_PINSKER}; {CHANCE} below allowed{theorem}{empty}"
        yield row(
            bound="guaranteed coverage", location=C10, setting=case.text, value=found["guaranteed"],
            measured=found["mean"], direction="at least", note=why, allowed=chance(found),
        )  # fmt: skip


def _theorem(experiment: Experiment) -> Iterator[Bound]:
    """Yields rows of Theorem 3.1's own estimates: last iterates of m runs of T steps, or every T-th of one run."""
    rows = experiment.rows(panel="coverage")
    for (p, n, T), group in rows.groupby(["p", "n", "T"]):
        for construction in THEOREM:
            case = experiment.case(
                n=n, p=p, T=T, k=experiment.evidence.settings["clip_factor"], runs=experiment.value("m"),
                place=f"Thm 3.1, {construction}",
            )  # fmt: skip
            worst = pick(group[group["series"] == f"TV bound, {construction}"], "q975")
            if worst is not None:
                kept = max(0.0, 1.0 - experiment.evidence.settings["alpha"] - worst)
                why = f"1 - alpha - TV, worst coordinate, 2.5 % quantile over data sets, {BY_PINSKER}{_empty(worst)}"
                yield stated(bound="guaranteed coverage", location=C10, setting=case.text, value=kept, note=why)


def _empty(tv: float) -> str:
    return f"; {VACUOUS}: 1 or more bounds nothing" if tv >= 1.0 else ""
