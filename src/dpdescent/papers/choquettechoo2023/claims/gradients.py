"""Claims about gradients and iterates without clipping: (9), Theorem D.4 and what Theorem D.13 (b) says of clipping."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.choquettechoo2023.experiments.ext_gradients import ITERATES, NO_CLIPPING
from dpdescent.papers.choquettechoo2023.reading import NEARLY, SAME_ORDER, claim, every, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import NOTHING, Estimate, known, less, proportion

ARTEFACT = "ext_gradients"
# What a panel moves; the labels' panel moves both of what (9) takes the product of.
AXES = {"dimension": "d", "labels": "labels", "start": "start", "steps": "T"}
# The printed power of what each panel moves in (9), where it decides the maximum: logarithms only in T.
PRINTED = {"dimension": 1.0, "labels": 1.0, "start": 1.0, "steps": 0.0}
# Starts at which their term is the larger one, beside labels of sd 1.
FAR = 1.0
WHOLE = "what a share 1 - p of runs does not exceed, p the failure probability"
ORDERS = "constants have no value: growth is judged, not the level"
NEW = "The claim was added after a review: constants and powers of the logarithm have no value, but growth does."


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges (9) as a whole and by its parameters, the two bounds of Theorem D.4, and the clip norm of Theorem D.13."""
    gradient, distance = (_quantiles(evidence, series) for series in ("largest gradient", "largest distance"))
    small, large = (gradient[gradient["rule"] == rule] for rule in (NO_CLIPPING, ITERATES))
    yield every(
        id="gradient-bound", artefact=ARTEFACT, location="Sec. 2.3 (a), (9)", kind="theorem", source="paper",
        statement="for eta small enough, with probability 1 - p no gradient exceeds c max(Tr H |theta_0 - theta*|, sigma_sgd sqrt(Tr H)) polylog(T/p)",
        quantity=f"largest gradient ({WHOLE}) over that, c = 1 and the logarithm to the power 5/2 of D.13, as one parameter grows: its largest value over its first",
        cells=_growth(small, "summary"), criterion=at_most(SAME_ORDER), changed=NEW, note=f"{ORDERS}; {_levels(small, 'summary')}",
    )  # fmt: skip
    yield every(
        id="gradient-powers", artefact=ARTEFACT, location="Sec. 2.3 (a), (9)", kind="theorem", source="paper",
        statement="that bound is linear in Tr H times the initial distance, linear in sigma_sgd sqrt(Tr H), and polylogarithmic in T",
        quantity=f"log-log slope of the largest gradient ({WHOLE}) in Tr H, in sigma_sgd sqrt(Tr H), in the distance and in T, less the printed power: the largest",
        cells=_slopes(small), criterion=at_most(NEARLY, ": no faster than the bound, logarithms omitted"), changed=NEW,
    )  # fmt: skip
    for id, series, table, form in (
        ("iterate-bound", "squared distances from theta* are at most C (|theta_0'|^2 + eta R^2 sigma_sgd^2/mu + eta^2 sigma^2 d |beta|_1^2/nu) log^3(T/p)", distance[distance["rule"] == ITERATES], "iterate_form"),
        ("gradient-bound-d.4", "squared gradients are at most C R^4 times that, with sigma_sgd^2/R^2 added, times log^5(T/p) in the place of log^3", large, "gradient_form"),
    ):  # fmt: skip
        yield every(
            id=id, artefact=ARTEFACT, location="Thm D.4", kind="theorem", source="paper",
            statement=f"with probability 1 - p all {series}",
            quantity=f"the largest norm ({WHOLE}) over the root of the bound at constant 1, as one parameter grows: its largest value over its first",
            cells=_growth(table, form), criterion=at_most(SAME_ORDER), changed=NEW, note=f"{ORDERS}; {_levels(table, form)}",
        )  # fmt: skip
    clipped = rows(evidence, ARTEFACT, series="clipped", rule=NO_CLIPPING)
    failure = evidence.settings["failure"]
    yield claim(
        id="clip-norm", artefact=ARTEFACT, location="Thm D.13 (b)", kind="theorem", source="paper",
        statement="with the clip norm and the learning rate of Theorem D.13 no gradient is clipped with probability 1 - p",
        quantity="share of runs with a gradient beyond that clip norm, all constants at 1: the largest",
        measured=_share(clipped), criterion=at_most(failure, ", p"),
        changed="Before a review the claim was not testable, because the constants have no value; at 1 it can fail.",
        note="larger constants clip less at smaller steps",
    )  # fmt: skip


def _quantiles(evidence: Evidence, series: str) -> pd.DataFrame:
    """Rows of a series, with the quantile of level 1 - p for a mean and `labels`, sigma_sgd sqrt(d)."""
    level = {0.05: "q95", 0.1: "q90", 0.025: "q975"}.get(evidence.settings["failure"], "q95")
    found = rows(evidence, ARTEFACT, series=series)
    moved = algebra.floats(found, "sigma_sgd") * algebra.floats(found, "d") ** 0.5
    return found.assign(mean=algebra.floats(found, level), se=math.nan, labels=moved)


def _panels(table: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Panel, mechanism and rows, in the order of what the panel moves."""
    for (panel, mechanism), group in table.groupby(["panel", "mechanism"]):
        if panel in AXES:
            yield str(panel), str(mechanism), group.sort_values(AXES[str(panel)])


def _growth(table: pd.DataFrame, form: str) -> algebra.Places:
    found = {
        f"{panel}, {mechanism}": algebra.growth(algebra.floats(group, "mean") / algebra.floats(group, form))
        for panel, mechanism, group in _panels(table)
    }
    return {place: each for place, each in found.items() if not math.isnan(each.value)}


def _slopes(table: pd.DataFrame) -> algebra.Places:
    found = {}
    for panel, mechanism, group in _panels(table):
        kept = group[group["start"] >= FAR] if panel == "start" else group
        found[f"{panel}, {mechanism}"] = less(algebra.line(kept, AXES[panel]), PRINTED[panel])
    return {place: each for place, each in found.items() if not math.isnan(each.value)}


def _levels(table: pd.DataFrame, form: str) -> str:
    ratios = algebra.positive(algebra.floats(table, "mean") / algebra.floats(table, form))
    return f"at constant 1 it is {min(ratios):.3g} to {max(ratios):.3g} of the bound" if ratios else "no rows"


def _share(table: pd.DataFrame) -> Estimate:
    """The largest share of a row with its Clopper-Pearson limits; no correction is needed, because all must pass."""
    found = [proportion(row["mean"], row["trials"]) for row in algebra.each(table) if row["trials"] > 0]
    return max(known(found), key=lambda each: each.high, default=NOTHING)
