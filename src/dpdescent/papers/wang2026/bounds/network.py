"""The network and its start: Assumptions 3.2 and 3.3, Lemmas B.5 to B.7, eq. (4), (5), (15), Lemma C.12."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.wang2026.bounds.cases import KINDS, failure, first, place, splines_of, vacuous
from dpdescent.papers.wang2026.experiments import comparator, initialisation
from dpdescent.papers.wang2026.reading import rows
from dpdescent.papers.wang2026.theory.constants import Constants
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import exact, row, simulated
from dpdescent.replication.judging.evidence import Bound, Evidence, joined

START, NTK = "initialisation", "comparator"
# Of the grid on which the basis is looked at.
POINTS = 20_001
# What the table has a quantile of; the bounds at the start are for higher ones.
QUANTILE, COLUMN = 0.975, "q975"
WITH_MARGINS = ("comparator", "bound_vs_run")


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of the basis, the start, the margin and its comparator."""
    yield from _basis(evidence)
    yield from _start(evidence)
    for artefact in WITH_MARGINS:
        yield from _margins(evidence, artefact)
    table = rows(evidence, NTK, panel="ntk", series=comparator.ALONG)
    for found in each(table.dropna(subset=["n", "T", "m", "d", "gamma", "tau_gamma", "condition"])):
        yield _along_margin(evidence, found)


def _basis(evidence: Evidence) -> Iterator[Bound]:
    """|h|, |h'| and |h''| of all basis functions together."""
    splines = splines_of(evidence, START)
    u = np.linspace(-1.0, 1.0, POINTS)
    norms = {"|h|": splines.values(u), "|h'|": splines.first(u), "|h''|": splines.second(u)}
    for kind, constants in KINDS.items():
        known = constants(splines)
        for (name, values), value in zip(norms.items(), (known.norm_h, known.norm_h1, known.norm_h2), strict=True):
            measured = float(np.linalg.norm(values, axis=-1).max())
            why = f"{kind} constants, p={known.p}; measured is the largest on a grid of [-1, 1]"
            yield exact(name, "Ass. 3.2, Lemma B.6", f"cells={splines.cells}, {kind}", value, measured, why)


def _start(evidence: Evidence) -> Iterator[Bound]:
    """Rows of what holds at the start with a probability."""
    table = rows(evidence, START).dropna(subset=["m", "n", "d"])
    delta = float(evidence.settings_of(START)["delta_conf"])
    for found in each(table[table["series"] == initialisation.EVENT]):
        text = place(START, found, "m", "n", "d")
        why = "measured is a share of draws"
        yield simulated("P(E_delta)", "Lemma B.5", text, 1.0 - delta, found, why, direction="at least")
    for found in each(table.drop_duplicates(["m", "n", "d"])):
        for kind, constants in KINDS.items():
            yield from _likely(table, found, kind, constants(splines_of(evidence, START)), delta)
        yield from _per_draw(table, found)


def _likely(table: pd.DataFrame, found: pd.Series, kind: str, known: Constants, delta: float) -> Iterator[Bound]:
    m, text = int(found["m"]), f"{place(START, found, 'm', 'n', 'd')}, {kind}"
    for series, name, location, value, likely in (
        ("largest |f_0|", "max |f_0(x_i)|", "(15)", known.initial_output_bound(int(found["n"]), delta), 0.5),
        ("largest gradient", "max |grad f_0(x_i)|", "(5)", known.gradient_bound(m, delta), 1.0),
        ("largest Hessian", "max |Hess f_0(x_i)|", "(4)", known.hessian_bound(m, delta), 1.0),
    ):
        measured = first(table, m=found["m"], n=found["n"], d=found["d"], series=series)
        if measured is None:
            continue
        certain = 1.0 - likely * delta
        why = f"{kind} constants; with probability {certain:g}; measured is the {QUANTILE:g} quantile of draws, at W_0"
        # One draw has no quantile, and a lower one may be higher.
        met = measured["trials"] > 1 and certain > QUANTILE
        yield exact(name, location, text, value, float(measured[COLUMN]), why, met=met)


def _per_draw(table: pd.DataFrame, found: pd.Series) -> Iterator[Bound]:
    """The row of G_sharp, which bounds the gradient in each draw, so that means may be compared."""
    where = {name: found[name] for name in ("m", "n", "d")}
    sharp, measured = (first(table, **where, series=name) for name in ("G_sharp", "largest gradient"))
    if sharp is not None and measured is not None:
        why = "given the second layer, in every draw, hence in the mean; measured is the mean at W_0"
        text = place(START, found, "m", "n", "d")
        yield exact("max |grad f_0(x_i)|, G_sharp", "(5), ours", text, sharp["mean"], measured["mean"], why)


def _margins(evidence: Evidence, artefact: str) -> Iterator[Bound]:
    """Rows of the margin of Assumption 3.3, at the means over seeds."""
    table = rows(evidence, artefact).dropna(subset=["gamma", "m", "n"])
    for found in each(table.drop_duplicates(["m", "n"])):
        text, gamma = place(artefact, found, "m", "n"), float(found["gamma"])
        why = "measured is the mean over seeds of the largest margin at W_0"
        yield exact("margin gamma, from above", "Ass. 3.3", text, 1.0, gamma, why)
        yield row(
            bound="margin gamma, from below", location="Ass. 3.3", setting=text, value=0.0, measured=gamma,
            direction="at least", note=f"{why}; a bound by assumption",
        )  # fmt: skip
        known = Constants.sharp(splines_of(evidence, artefact))
        value = known.gradient_bound(int(found["m"]), failure(evidence, artefact))
        yield exact("margin gamma, by G", "Ass. 3.3, (5)", text, value, gamma, f"sharp constants; {why}, at most G")


def _along_margin(evidence: Evidence, found: pd.Series) -> Bound:
    """The row of the comparator W_0 + tau u: what (14) gives for its risk."""
    settings = evidence.settings_of(NTK)
    n, delta, reach = int(found["n"]), float(settings["delta_conf"]), float(found["tau_gamma"])
    known, text = Constants.sharp(splines_of(evidence, NTK)), place(NTK, found, "m", "n", "T", "tau_gamma")
    # nu tau^2 is the table's, of the second layers that were drawn.
    left = reach - known.initial_output_bound(n, delta) - 0.5 * float(found["condition"])
    value = float(np.logaddexp(0.0, -left))
    why = f"y f >= {left:.4g}, sharp constants, means over seeds; with probability {1.0 - delta:g}"
    return simulated("L_S(W_0 + tau u)", "(14)", text, value, found, joined(why, vacuous(value)))
