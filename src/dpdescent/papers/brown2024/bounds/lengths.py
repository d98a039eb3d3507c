"""How long the intervals of brown2024 are by the exact law, beside the mean lengths of Figures 6 and 11."""

from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.brown2024.bounds import runs
from dpdescent.papers.brown2024.bounds.cases import Experiment
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import CHANCE, chance, identity, stated
from dpdescent.replication.judging.evidence import Bound, Evidence

LAW = "Lemma 2.3"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates rows of every plotted length."""
    for artefact, place in runs.LENGTH.items():
        for process in ("clipped", "exact"):
            experiment = Experiment(evidence, artefact, place, process)
            rows = experiment.rows(process=process)
            for found in each(rows[rows["series"].isin(runs.CONSTRUCTIONS)]):
                yield from _by_the_law(experiment, found)


def _by_the_law(experiment: Experiment, found: pd.Series) -> Iterator[Bound]:
    case, name = runs.constructed(experiment, found), "expected length by the exact law"
    if experiment.panel == "exact":
        why = f"equality: measured is the mean length, {CHANCE} either way allowed"
        yield identity(
            bound=name, location=LAW, setting=case.text, value=found["predicted"], measured=found["mean"],
            allowed=chance(found), note=why,
        )  # fmt: skip
    else:
        why = f"without clipping; {found['clip_fraction']:.2%} of the gradients are clipped"
        yield stated(
            bound=name, location=LAW, setting=case.text, value=found["predicted"], note=why, measured=found["mean"],
        )  # fmt: skip
