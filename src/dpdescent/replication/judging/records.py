"""The records that judging makes in every paper: claims with their verdicts, and findings.

A claim is written down in one call, keywords only; its id is a literal there, or in the row of literals that the call
reads, so that a search for the id finds it. A paper's `reading` binds the paper's key once:
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
from dpdescent.replication.judging.statistics import NOTHING, Estimate, all_of, widened

Cells = Mapping[str, Estimate] | Iterable[Estimate]


@dataclass(frozen=True)
class Regime:
    """Where a theorem speaks: the conditions of it that the runs do not meet; none of them unmet means inside.

    A claim outside its regime is inconclusive both ways: a run that violates a condition neither confirms nor refutes.

    Attributes:
        unmet: each condition that does not hold, with its numbers, in words.
        because: what begins the note.
        why: what the verdict is put down to; `hidden constant` where the conditions cannot even be computed.
        blocks: the verdicts that it leaves open: one alone where runs can refute what they cannot confirm, or reverse.
        changed: why a claim that would be called reproduced is not, where that rule came after a look at results.
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
        """Returns this regime where a condition of it is not met, else the other regime."""
        return self if self.unmet else other

    def applied(self, claim: Claim) -> Claim:
        """The claim as its regime leaves it."""
        if not self.unmet or claim.verdict not in ("inconclusive", *self.blocks):
            return claim
        said = [f"{self.because}: {', '.join(self.unmet)}"]
        if claim.verdict != "inconclusive":
            told = "consistent" if claim.verdict == "reproduced" else "not consistent"
            said.append(f"{claim.measured:.3g} is {told} with the claim")
        changed = self.changed if claim.verdict == "reproduced" else ""
        return replace(
            claim, verdict="inconclusive", why=self.why, changed=" ".join(filter(None, [claim.changed, changed])),
            note=joined(claim.note, *said),
        )  # fmt: skip


class Place(TypedDict):
    """Where a claim stands and whose it is, said once for a figure or theorem: `claim(id="...", **FIGURE_4, ...)`.

    One claim of it that stands elsewhere has `**FIGURE_4 | {"location": "(82)"}`.
    """

    artefact: str
    location: str
    kind: ClaimKind
    source: Source


INSIDE = Regime()
# Of a bound up to a constant that the paper does not name: a value above constant 1 refutes nothing.
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
        straddles: why it is inconclusive if its interval straddles the criterion: another reason than the interval
            where this is a range over readings of an unstated value.
    """
    verdict = criterion.verdict(measured)
    made = judged(
        paper, id=id, artefact=artefact, location=location, kind=kind, source=source, statement=statement,
        quantity=quantity, measured=measured, criterion=criterion.words, verdict=verdict,
        why=straddles if verdict == "inconclusive" else "", changed=changed, note=note,
    )  # fmt: skip
    return regime.applied(made)


def every(
    paper: str, *, id: str, artefact: str, location: str, kind: ClaimKind, source: Source, statement: str,
    quantity: str, cells: Cells, criterion: Criterion, regime: Regime = INSIDE, changed: str = "", note: str = "",
) -> Claim:  # fmt: skip
    """A claim that every cell must meet; of the cells that decide it shows the one farthest out.

    "Reproduced" needs no correction for many cells, because all of them must pass. A refutation by one of many does: a
    cell refutes only by an interval that is widened for their number (Bonferroni), so that cells which all meet the
    criterion are called false in at most 5 % of draws, however their errors hang together.

    Args:
        cells: estimates by what their cell is; cells without a value are left out, and of none nothing is testable.
    """
    named = cells if isinstance(cells, Mapping) else {str(k): each for k, each in enumerate(cells, 1)}
    found = {name: each for name, each in named.items() if not math.isnan(each.value)}
    verdicts = {name: _of_one(each, criterion, len(found)) for name, each in found.items()}
    result: Verdict = all_of(list(verdicts.values())) if verdicts else "not testable"
    deciding = [each for name, each in found.items() if verdicts[name] == result]
    shown = min(deciding, key=lambda each: criterion.margin(each.value), default=NOTHING)
    made = judged(
        paper, id=id, artefact=artefact, location=location, kind=kind, source=source, statement=statement,
        quantity=quantity, measured=shown, criterion=criterion.words, verdict=result, changed=changed, note=note,
    )  # fmt: skip
    listed = [Cell(name, each.value, each.low, each.high, verdicts[name]) for name, each in found.items()]
    return replace(regime.applied(made), cells=tuple(listed))


def _of_one(estimate: Estimate, criterion: Criterion, cells: int) -> Verdict:
    """The verdict on one of several cells: a refutation must survive an interval widened for their number."""
    plain = criterion.verdict(estimate)
    if plain != "not reproduced" or cells < 2:
        return plain
    return plain if criterion.verdict(widened(estimate, cells)) == plain else "inconclusive"


class Agreed(NamedTuple):
    """The verdict that all readings of an unstated value share, else `inconclusive`.

    Attributes:
        verdict, why: the verdict, and why it is open if it is.
        told: the readings with their verdicts, for the note.
    """

    verdict: Verdict
    why: Why
    told: str


def agree(readings: Mapping[str, Verdict]) -> Agreed:
    """The verdict of a claim with an unstated value, from its verdict at every declared reading of that value.

    Raises:
        ValueError: if there is no reading.
    """
    if not readings:
        raise ValueError("readings is empty: declare one value at least at which the claim is judged")
    shared = set(readings.values())
    told = ", ".join(f"{verdict} at {reading}" for reading, verdict in readings.items())
    if len(shared) == 1:
        verdict = shared.pop()
        return Agreed(verdict, _reason(verdict), told)
    return Agreed("inconclusive", "unstated value decides", f"the unstated value decides: {told}")


def at_every_reading(readings: Mapping[str, Claim]) -> Claim:
    """The claim of the first reading of an unstated value, with the verdict on which all readings agree.

    Its note says what each reading decides. Readings at which nothing is testable are not heard.

    Raises:
        ValueError: if there is no reading.
    """
    heard = {reading: each.verdict for reading, each in readings.items() if each.verdict != "not testable"}
    agreed = agree(heard or {reading: each.verdict for reading, each in readings.items()})
    first = next((readings[reading] for reading in heard), next(iter(readings.values())))
    return replace(first, verdict=agreed.verdict, why=agreed.why, note=agreed.told)


def _reason(verdict: Verdict) -> Why:
    """Why a verdict from an interval is open: it straddles the criterion, or there are no rows to take it from."""
    reasons: dict[Verdict, Why] = {"inconclusive": "interval", "not testable": "no rows"}
    return reasons.get(verdict, "")


def judged(
    paper: str, *, id: str, artefact: str, location: str, kind: ClaimKind, source: Source, statement: str,
    quantity: str, measured: Estimate | None, criterion: str, verdict: Verdict, why: Why = "", changed: str = "",
    note: str = "", cells: Sequence[Cell] = (),
) -> Claim:  # fmt: skip
    """A claim whose verdict was reached in a way of its own: by several conditions together, or by a count.

    Args:
        why: why the verdict is open, if it is and neither an interval that straddles nor missing rows are the reason.
    """
    value, low, high = (None, None, None) if measured is None else (measured.value, measured.low, measured.high)
    return Claim(
        id, paper, artefact, location, kind, source, statement, quantity, value, low, high, criterion, verdict,
        why or _reason(verdict), changed, note, tuple(cells),
    )  # fmt: skip


def untestable(
    paper: str, *, id: str, artefact: str, location: str, kind: ClaimKind, source: Source, statement: str,
    why: Unjudged, because: str, changed: str = "", note: str = "",
) -> Claim:  # fmt: skip
    """A claim that no table can judge, why, and in words because of what."""
    return judged(
        paper, id=id, artefact=artefact, location=location, kind=kind, source=source, statement=statement,
        quantity="none", measured=None, criterion=f"none: {because}", verdict="not testable", why=why,
        changed=changed, note=note,
    )  # fmt: skip


def finding(
    paper: str, *, id: str, artefact: str, location: str, kind: FindingKind, severity: Severity, status: Status,
    statement: str, expected: str, measured: str, charitable: str, why: str = "", repair: str = "",
    headline: str = "", shown: Excerpt = (),
) -> Finding:  # fmt: skip
    """What is wrong or missing in the paper, demonstrated by a number of ours, with its charitable reading.

    Args:
        why, repair: why the counterexample works, and what mends the statement; findings about privacy or mathematics
            have both.
        shown: the rows that carry the numbers (see `excerpt`), where the finding is told to the authors.
    """
    return Finding(
        id, paper, location, kind, statement, expected, measured, severity, status, charitable, artefact, headline,
        why, repair, shown,
    )  # fmt: skip


def excerpt(table: pd.DataFrame, columns: Mapping[str, str]) -> Excerpt:
    """Rows of a table as text with three digits, under the given names; none of an empty table."""
    if not len(table):
        return ()
    rows = table[list(columns)].itertuples(index=False)
    return (tuple(columns.values()), *(tuple(_told(value) for value in row) for row in rows))


def _told(value: object) -> str:
    if isinstance(value, str):
        return value
    number = float(value)  # type: ignore[arg-type]
    return f"{number:.0f}" if number.is_integer() and abs(number) < 1e5 else f"{number:.3g}"
