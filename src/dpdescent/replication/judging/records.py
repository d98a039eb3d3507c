"""The records that judging makes in every paper: claims with their verdicts, and findings.

A claim is written down in one call, keywords only; its id is a literal there, or in the row of literals that the call
reads, so that a search for the id finds it. A paper's `criteria` binds the paper's key once:
`claim = partial(records.claim, PAPER)`, and so on.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, TypedDict

import pandas as pd

from dpdescent.replication.judging.criteria import Criterion
from dpdescent.replication.judging.evidence import (
    Cell,
    Claim,
    ClaimKind,
    Excerpt,
    Finding,
    FindingKind,
    Severity,
    Source,
    Status,
    Undecided,
    Unjudged,
    Verdict,
    Why,
    joined,
)
from dpdescent.replication.judging.statistics import NOTHING, Estimate, verdict_on_all, widened

Cells = Mapping[str, Estimate] | Iterable[Estimate]
# What changed of a claim that was counted as a paper's.
NOW_ALGEBRA = "Until a further reading it counted as the paper's, though it is algebra and no run can decide it."
# The remark on a claim that is reproduced where a miss would have refuted nothing, by which reports count such claims.
NEVER_AT_RISK = "a value that misses would have left this open, not refuted it"


@dataclass(frozen=True)
class Regime:
    """The conditions of a theorem that the runs do not meet; where all are met, the runs lie inside its regime.

    A claim outside its regime is inconclusive both ways: a run that violates a condition neither confirms nor refutes.

    Attributes:
        unmet: each condition that does not hold, with its numbers, in words.
        because: the words with which the note begins.
        why: the reason that the verdict gets; `hidden constant` where the conditions cannot even be computed.
        blocks: the verdicts that become `inconclusive`; only one of both where the runs can refute the claim and not
            confirm it, or confirm it and not refute it.
        changed: the remark on a claim that would be called reproduced and is not, where this rule was added after a
            look at results.
    """

    unmet: tuple[str, ...] = ()
    because: str = "outside of what is proved"
    why: Undecided = "outside the regime"
    blocks: tuple[Verdict, ...] = ("reproduced", "not reproduced")
    changed: str = ""

    @classmethod
    def where(cls, **conditions: bool) -> "Regime":
        """A regime from named conditions: `Regime.where(enough_records=n >= d)`."""
        return cls(tuple(name.replace("_", " ") for name, met in conditions.items() if not met))

    def otherwise(self, other: "Regime") -> "Regime":
        """This regime where one of its conditions is not met, else the other regime."""
        return self if self.unmet else other

    def applied(self, claim: Claim) -> Claim:
        """The claim with the verdict that this regime allows, and with a note on the conditions that are not met."""
        opens = self.why in ("hidden constant", "unstated value decides")
        if self.unmet and opens and claim.verdict == "reproduced" and self.blocks == ("not reproduced",):
            return replace(claim, note=joined(claim.note, NEVER_AT_RISK))
        if not self.unmet or claim.verdict not in ("inconclusive", *self.blocks):
            return claim
        remarks = [f"{self.because}: {', '.join(self.unmet)}"]
        if claim.verdict != "inconclusive":
            agreement = "consistent" if claim.verdict == "reproduced" else "not consistent"
            remarks.append(f"{claim.measured:.3g} is {agreement} with the claim")
        changed = self.changed if claim.verdict == "reproduced" else ""
        # An interval that straddles stays the reason where one of both verdicts would have been let stand.
        straddles = claim.verdict == "inconclusive" and not {"reproduced", "not reproduced"} <= set(self.blocks)
        why = claim.why if straddles else self.why
        return replace(
            claim, verdict="inconclusive", why=why, changed=" ".join(filter(None, [claim.changed, changed])),
            note=joined(claim.note, *remarks),
        )  # fmt: skip


class Place(TypedDict):
    """The place and the source of claims, written once for a figure or theorem: `claim(id="...", **FIGURE_4, ...)`.

    A constant is a literal, `FIGURE_4: Place = {...}`, because a call at the top of a module counts for training. A
    claim of the same figure that stands elsewhere takes `**FIGURE_4 | {"location": "(82)"}`.
    """

    artefact: str
    location: str
    kind: ClaimKind
    source: Source


INSIDE = Regime()
# The regime of a bound up to a constant that the paper does not name: a value above the bound with constant 1 refutes
# nothing.
HIDDEN = Regime(
    ("the constant of the order",), because="without a value", why="hidden constant", blocks=("not reproduced",)
)
HIDDEN_ACCUSED = "At first a value above it counted as not reproduced, though the constant is hidden."


def claim(
    paper: str, *, id: str, artefact: str, location: str, kind: ClaimKind, source: Source, statement: str,
    quantity: str, measured: Estimate, criterion: Criterion, straddles: Undecided = "interval", regime: Regime = INSIDE,
    changed: str = "", note: str = "",
) -> Claim:  # fmt: skip
    """A claim whose verdict follows from one estimate and its criterion.

    Args:
        straddles: the reason for `inconclusive` where the interval straddles the criterion; another one than `interval`
            where the interval is a range over the readings of an unstated value.
    """
    verdict = criterion.verdict(measured)
    result = judged_claim(
        paper, id=id, artefact=artefact, location=location, kind=kind, source=source, statement=statement,
        quantity=quantity, measured=measured, criterion=criterion.words, verdict=verdict,
        why=straddles if verdict == "inconclusive" else "", changed=changed, note=note,
    )  # fmt: skip
    return regime.applied(result)


def claim_on_all_cells(
    paper: str, *, id: str, artefact: str, location: str, kind: ClaimKind, source: Source, statement: str,
    quantity: str, cells: Cells, criterion: Criterion, regime: Regime = INSIDE, changed: str = "", note: str = "",
) -> Claim:  # fmt: skip
    """A claim that every cell must meet; it shows, of the cells that decide its verdict, the one that is farthest out.

    "Reproduced" needs no correction for many cells, because all of them must pass. A refutation by one of many does: a
    cell refutes only by an interval that is widened for their number (Bonferroni), so that cells which all meet the
    criterion are called false in at most 5 % of draws, however their errors are correlated.

    Args:
        cells: estimates by the name of their cell; cells without a value are left out, and without any cell the claim
            is not testable.
    """
    named = cells if isinstance(cells, Mapping) else {str(k): estimate for k, estimate in enumerate(cells, 1)}
    estimates = {name: estimate for name, estimate in named.items() if not math.isnan(estimate.value)}
    verdicts = {name: _verdict_on_cell(estimate, criterion, len(estimates)) for name, estimate in estimates.items()}
    verdict: Verdict = verdict_on_all(list(verdicts.values())) if verdicts else "not testable"
    deciding = [estimate for name, estimate in estimates.items() if verdicts[name] == verdict]
    shown = min(deciding, key=lambda estimate: criterion.margin(estimate.value), default=NOTHING)
    result = judged_claim(
        paper, id=id, artefact=artefact, location=location, kind=kind, source=source, statement=statement,
        quantity=quantity, measured=shown, criterion=criterion.words, verdict=verdict, changed=changed, note=note,
    )  # fmt: skip
    listed = [
        Cell(name, estimate.value, estimate.low, estimate.high, verdicts[name]) for name, estimate in estimates.items()
    ]
    return replace(regime.applied(result), cells=tuple(listed))


def _verdict_on_cell(estimate: Estimate, criterion: Criterion, cells: int) -> Verdict:
    """The verdict on one of several cells: a refutation must survive an interval widened for their number."""
    unwidened = criterion.verdict(estimate)
    if unwidened != "not reproduced" or cells < 2:
        return unwidened
    return unwidened if criterion.verdict(widened(estimate, cells)) == unwidened else "inconclusive"


class Agreement(NamedTuple):
    """The verdict that all readings of an unstated value share, else `inconclusive`.

    Attributes:
        verdict, why: the verdict, and the reason why it is open, if it is.
        told: the readings with their verdicts, for the note.
    """

    verdict: Verdict
    why: Why
    told: str


def agreement(readings: Mapping[str, Verdict]) -> Agreement:
    """The verdict of a claim with an unstated value, from its verdict at every declared reading of that value.

    Raises:
        ValueError: if there is no reading.
    """
    if not readings:
        raise ValueError("readings is empty: declare one value at least at which the claim is judged")
    shared = set(readings.values())
    listed = ", ".join(f"{verdict} at {reading}" for reading, verdict in readings.items())
    if len(shared) == 1:
        verdict = shared.pop()
        return Agreement(verdict, _reason(verdict), listed)
    if {"reproduced", "not reproduced"} <= shared:
        return Agreement("inconclusive", "unstated value decides", f"the unstated value decides: {listed}")
    # No reading refutes, or none confirms: those that are open leave the claim open.
    return Agreement("inconclusive", "interval" if "inconclusive" in shared else "no rows", listed)


def at_every_reading(readings: Mapping[str, Claim]) -> Claim:
    """The claim of the first reading of an unstated value, with the verdict on which all readings agree.

    Its note says which verdict each reading gives. Readings at which nothing is testable are left out, unless all are
    such readings.

    Raises:
        ValueError: if there is no reading.
    """
    testable = {
        reading: judgement.verdict for reading, judgement in readings.items() if judgement.verdict != "not testable"
    }
    agreed = agreement(testable or {reading: judgement.verdict for reading, judgement in readings.items()})
    first = next((readings[reading] for reading in testable), next(iter(readings.values())))
    return replace(first, verdict=agreed.verdict, why=agreed.why, note=agreed.told)


def _reason(verdict: Verdict) -> Why:
    """The reason why a verdict from an interval is open: the interval straddles the criterion, or has no rows."""
    reasons: dict[Verdict, Why] = {"inconclusive": "interval", "not testable": "no rows"}
    return reasons.get(verdict, "")


def judged_claim(
    paper: str, *, id: str, artefact: str, location: str, kind: ClaimKind, source: Source, statement: str,
    quantity: str, measured: Estimate | None, criterion: str, verdict: Verdict, why: Why = "", changed: str = "",
    note: str = "", cells: Sequence[Cell] = (),
) -> Claim:  # fmt: skip
    """A claim whose verdict was reached in a way of its own: by several conditions together, or by a count.

    Args:
        why: the reason why the verdict is open, where that is neither a straddling interval nor missing rows.
    """
    value, low, high = (None, None, None) if measured is None else (measured.value, measured.low, measured.high)
    return Claim(
        id, paper, artefact, location, kind, source, statement, quantity, value, low, high, criterion, verdict,
        why or _reason(verdict), changed, note, tuple(cells),
    )  # fmt: skip


def untestable_claim(
    paper: str, *, id: str, artefact: str, location: str, kind: ClaimKind, source: Source, statement: str,
    why: Unjudged, because: str, changed: str = "", note: str = "",
) -> Claim:  # fmt: skip
    """A claim that no table can judge, with the reason as a term (`why`) and in a sentence (`because`)."""
    return judged_claim(
        paper, id=id, artefact=artefact, location=location, kind=kind, source=source, statement=statement,
        quantity="none", measured=None, criterion=f"none: {because}", verdict="not testable", why=why,
        changed=changed, note=note,
    )  # fmt: skip


def finding(
    paper: str, *, id: str, artefact: str, location: str, kind: FindingKind, severity: Severity, status: Status,
    statement: str, expected: str, measured: str, charitable: str, why: str = "", repair: str = "",
    headline: str = "", shown: Excerpt = (),
) -> Finding:  # fmt: skip
    """A finding: what is wrong or missing in the paper, shown by a number of ours, with the charitable reading.

    Args:
        why, repair: the reason why the counterexample works, and the change that mends the statement; findings about
            privacy or mathematics have both.
        shown: the rows that carry the numbers (see `excerpt`), where the authors get a letter about the finding.
    """
    return Finding(
        id, paper, location, kind, statement, expected, measured, severity, status, charitable, artefact, headline,
        why, repair, shown,
    )  # fmt: skip


def excerpt(table: pd.DataFrame, columns: Mapping[str, str]) -> Excerpt:
    """Rows of a table as text with three digits, under the given names; no rows where the table is empty."""
    if not len(table):
        return ()
    rows = table[list(columns)].itertuples(index=False)
    return (tuple(columns.values()), *(tuple(_formatted(value) for value in row) for row in rows))


def _formatted(value: object) -> str:
    if isinstance(value, str):
        return value
    number = float(value)  # type: ignore[arg-type]
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e5 else f"{number:.3g}"
