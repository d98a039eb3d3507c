"""Claims about the widths that Theorem 4.1 admits, and about its localisation: projection, shifted iterate, radius."""

import dataclasses
import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.wang2026.claims import conditions
from dpdescent.papers.wang2026.claims.conditions import CONSTANT_1
from dpdescent.papers.wang2026.reading import AGREES, EMPIRICAL, every, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import agree
from dpdescent.replication.judging.statistics import NOTHING, Estimate, quotient

WIDTH, WIDTHS, PROJECTION = "width", "admissible_width", "projection"
PLACE = ("n", "gamma", "lam", "eps", "eta", "logs", "accountant")
# Id, what is asked, in words and as a series that lies in the range; the range itself where there is none.
WINDOWS = (
    ("width-window", "the range of admissible widths is nonempty in the representative regime", None),
    ("width-window-corollary-5.3", "m of order gamma^-6, up to logarithms, lies in the range of admissible widths", "gamma^-6"),
)  # fmt: skip
# The readings of what the text suppresses, by what the table calls them.
LOGS = {
    "dropped": "logarithms dropped, as in the proof", "kept": "logarithms kept in kappa",
    "kept in the limits too": "logarithms kept in kappa and in both limits",
}  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on widths of runs, on the admissible range, and on localisation."""
    yield from _width(evidence)
    yield from _window(evidence)
    yield from _projection(evidence)
    yield from _shift(evidence)


def _width(evidence: Evidence) -> Iterator[Claim]:
    noisy, plain = (rows(evidence, WIDTH, series=EMPIRICAL, panel=panel) for panel in ("noise", "no noise"))
    yield every(
        id="width-upper", artefact=WIDTH, location="Theorem 4.1", kind="theorem", source="paper",
        statement="m must not be so large that the accumulated private noise breaks localization",
        quantity="with noise, averaged empirical risk at the largest m over the smallest of smaller m: the smallest over lambda",
        cells=algebra.by(noisy, ["lam"], _last_over_least), criterion=at_least(1.0 + AGREES),
        regime=conditions.theorems(evidence, noisy), note="eta tuned at every m",
        changed="The largest m was among those that it is compared with at first.",
    )  # fmt: skip
    yield every(
        id="width-lower", artefact=WIDTH, location="Theorem 4.1", kind="theorem", source="ours",
        statement="m must be large enough for the local curvature argument: (ours) without noise width does not hurt",
        quantity="without noise, averaged empirical risk at the largest m over that at the smallest",
        cells=algebra.by(plain, ["lam"], lambda group: algebra.ends(group, "m")), criterion=at_most(1.0),
        regime=conditions.theorems(evidence, plain),
    )  # fmt: skip


def _last_over_least(group: pd.DataFrame) -> Estimate:
    """Mean at the largest width over the smallest of the others."""
    others = algebra.at_end(group[group["m"] < group["m"].max()], "mean", largest=False)
    return algebra.over(algebra.at_end(group, "m").iloc[0], others.iloc[0]) if len(others) else NOTHING


def _window(evidence: Evidence) -> Iterator[Claim]:
    for name, words, inner in WINDOWS:
        found = {told: _inside(evidence, logs, inner) for logs, told in LOGS.items()}
        known = {told: places for told, (places, _) in found.items() if places}
        what = inner or "the range"
        made = every(
            id=name, artefact=WIDTHS, location="Theorem 4.1, Corollary 5.3", kind="theorem", source="paper",
            statement=words,
            quantity=f"largest admissible width over the smallest{'; with ' + what + ', the smaller of the limits and it' if inner else ''}: the smallest over n, gamma, eta, accountants and readings of the logarithms",
            cells={f"{place}, {told}": each for told, places in known.items() for place, each in places.items()},
            criterion=at_least(1.0),
            changed="The largest n, one eta and the upper limit alone were judged at first. Before a review every reading of the logarithms was a claim of its own.",
        )  # fmt: skip
        if not known:
            yield made
            continue
        agreed = agree({told: at_least(1.0).verdict_on_all(places.values()) for told, places in known.items()})
        opens = "; ".join(f"{told}: {_opens(upper, places)}" for told, (places, upper) in found.items() if places)
        note = f"{agreed.told}. From which n on it is at least 1: {opens}"
        made = dataclasses.replace(made, verdict=agreed.verdict, why=agreed.why, note=note)
        # Where readings agree the constants, which are hidden, still decide.
        yield made if agreed.why == "unstated value decides" else conditions.hidden(CONSTANT_1).applied(made)


def _inside(evidence: Evidence, logs: str, inner: str | None) -> tuple[Places, pd.DataFrame]:
    """By place: upper over lower limit, or the smaller of upper over inner and inner over lower; and the upper limits."""
    lower, upper = (rows(evidence, WIDTHS, series=series, logs=logs) for series in ("lower limit", "upper limit"))
    if inner is None:
        return algebra.ratios(upper, lower, PLACE), upper
    middle = rows(evidence, WIDTHS, series=inner, logs=logs)
    above, below = algebra.ratios(upper, middle, PLACE), algebra.ratios(middle, lower, PLACE)
    both = {each: min(above[each], below[each], key=lambda found: found.value) for each in above if each in below}
    return both, upper


def _opens(table: pd.DataFrame, found: Places) -> str:
    """Says by step, margin and accountant: the smallest n from which on all ratios are at least 1."""
    said = []
    for _, group in table.groupby(["eta", "gamma", "lam", "eps", "accountant"], dropna=False):
        ordered = group.sort_values("n", ascending=False)
        first = None
        for row in algebra.each(ordered):
            if not (each := found.get(algebra.place_of(row, PLACE))) or each.value < 1.0:
                break
            first = row["n"]
        place = algebra.place_of(ordered.iloc[0], ("eta", "gamma", "accountant"))
        said.append(
            f"n = {first:g} at {place}" if first is not None else f"none up to {ordered['n'].iloc[0]:g} at {place}"
        )
    return "; ".join(said) or "no rows"


def _projection(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, PROJECTION, series=EMPIRICAL)
    widest = table[algebra.floats(table, "radius_factor") == 4.0]
    for name, chosen, words in (
        ("projection-inactive", widest[widest["kappa"] > 0], "with noise"),
        ("projection-inactive-without-noise", widest[widest["kappa"] == 0], "without noise"),
    ):
        yield every(
            id=name, artefact=PROJECTION, location="Sec. 4.3 (step 5)", kind="text", source="paper",
            statement="projection is inactive on the good event",
            quantity=f"({words}) share of steps that are projected at four times R_* = (log T + sqrt(log(n/delta)))/gamma: the largest over m and lambda",
            cells=algebra.means(chosen.assign(mean=chosen["projected"], se=math.nan), ("m", "lam")),
            criterion=at_most(0.0), regime=conditions.theorems(evidence, chosen, f"{CONSTANT_1} or 4"),
        )  # fmt: skip


def _shift(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, PROJECTION, series=EMPIRICAL)
    free = table[np.isinf(algebra.floats(table, "radius_factor"))]
    yield every(
        id="localisation-lambda", artefact=PROJECTION, location="Sec. 4.3 (step 2)", kind="text", source="paper",
        statement="in the shifted iterate the correlated perturbation is reduced to a residual term proportional to 1 - lambda",
        quantity="what noise adds in squares to the largest distance of the shifted iterate to the comparator, its root over that of lambda = 0, over 1 - lambda (fixed kappa, without projection): the largest over m and lambda",
        cells=_residuals(free), criterion=at_most(1.0 + AGREES, ": no more than in proportion to 1 - lambda"),
        changed="Before a review any fall with lambda counted.",
        note="squares, because noise is independent of what training without it moves; the identity itself is lemma-c.1",
    )  # fmt: skip
    yield every(
        id="localisation-radius", artefact=PROJECTION, location="Lemmas C.3, C.11, eq. (10)", kind="theorem", source="paper",
        statement="the shifted iterate stays within R of the comparator, R by (10)",
        quantity="largest distance of the shifted iterate to the comparator over that radius, without projection: the largest over m, lambda and kappa",
        cells={
            algebra.place_of(row, ("m", "lam", "kappa")): quotient(row["largest_shift"], row["Rbar"])
            for row in algebra.each(free)
        },
        criterion=at_most(1.0), regime=conditions.theorems(evidence, free),
    )  # fmt: skip


def _residuals(free: pd.DataFrame) -> Places:
    """By width and correlation: what noise adds to the largest shift, over its value at lambda = 0 and over 1 - lambda."""
    plain = {row["m"]: row["largest_shift"] for row in algebra.each(free[(free["kappa"] == 0) & (free["lam"] == 0)])}
    noisy = free[free["kappa"] > 0]
    added = {
        (row["m"], row["lam"]): math.sqrt(max(0.0, row["largest_shift"] ** 2 - plain[row["m"]] ** 2))
        for row in algebra.each(noisy)
        if row["m"] in plain and row["largest_shift"] >= 0 and plain[row["m"]] >= 0
    }
    return {
        f"m = {m:g}, lam = {lam:g}": quotient(value, added[m, 0.0] * (1.0 - lam))
        for (m, lam), value in added.items()
        if 0 < lam < 1 and added.get((m, 0.0), 0.0) > 0
    }
