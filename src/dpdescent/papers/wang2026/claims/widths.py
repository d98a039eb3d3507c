"""Claims about the widths that Theorem 4.1 admits, and about its localisation: projection, shifted iterate, radius."""

import dataclasses
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.wang2026.claims import conditions
from dpdescent.papers.wang2026.claims.conditions import CONSTANT_1
from dpdescent.papers.wang2026.reading import every, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_least
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import agree

WIDTHS = "admissible_width"
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
    yield from _window(evidence)


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
    """Upper over lower limit by place, or the smaller of upper over inner and inner over lower, and the upper limits."""
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
