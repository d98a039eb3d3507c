"""The mean error of least squares given its covariates, beside every plotted one of Figures 1, 2, 8 and 9."""

from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.brown2024.bounds import runs
from dpdescent.papers.brown2024.bounds.cases import Case, Experiment
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import CHANCE, chance, identity
from dpdescent.replication.judging.evidence import Bound, Evidence


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates rows of every point."""
    for artefact in runs.DIMENSION:
        yield from _dimension(runs.dimension(evidence, artefact))
    for experiment in runs.costs(evidence):
        yield from _cost(experiment)


def _dimension(experiment: Experiment) -> Iterator[Bound]:
    for found in each(experiment.rows(series="OLS", error_to="theta_star")):
        yield _least_squares(experiment.case(n=found["n"], p=found["p"]), found)


def _least_squares(case: Case, found: pd.Series) -> Bound:
    why = f"equality: given the same covariates; measured is the mean, {CHANCE} either way allowed"
    return identity(
        bound="error of least squares, exact", location="Claim A.12", setting=case.size, value=found["predicted"],
        measured=found["mean"], allowed=chance(found), note=why,
    )  # fmt: skip


def _cost(experiment: Experiment) -> Iterator[Bound]:
    rows = experiment.rows(panel=experiment.panel, series="sampling")
    for found in each(rows.drop_duplicates("n")):
        yield _least_squares(experiment.case(n=found["n"], k=found["clip_factor"]), found)
