"""The records that judging makes in every paper: claims with their verdicts, and findings.

A claim is written down in one call, keywords only; its id is a literal there, or in the row of literals that the call
reads, so that a search for the id finds it. A paper's `reading` binds the paper's key once:
`claim = partial(records.claim, PAPER)`, and so on.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from dpdescent.replication.judging.criteria import Criterion
from dpdescent.replication.judging.evidence import (
    Cell,
    Claim,
    ClaimKind,
    Finding,
    FindingKind,
    Severity,
    Source,
    Status,
    Verdict,
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
        blocks: the verdicts that it leaves open: one alone where runs can refute what they cannot confirm, or reverse.
        changed: why a claim that would be called reproduced is not, where that rule came after a look at results.
    """

    unmet: tuple[str, ...] = ()
    because: str = "outside of what is proved"
    blocks: tuple[Verdict, ...] = ("reproduced", "not reproduced")
    changed: str = ""

    @classmethod
    def where(cls, **conditions: bool) -> "Regime":
        """A regime from named conditions: `Regime.where(enough_records=n >= d)`."""
        return cls(tuple(name.replace("_", " ") for name, met in conditions.items() if not met))

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
            claim, verdict="inconclusive", changed=" ".join(filter(None, [claim.changed, changed])),
            note="; ".join(filter(None, [claim.note, *said])),
        )  # fmt: skip


INSIDE = Regime()


def claim(
    paper: str, *, id: str, artefact: str, location: str, kind: ClaimKind, source: Source, statement: str,
    quantity: str, measured: Estimate, criterion: Criterion, regime: Regime = INSIDE, changed: str = "", note: str = "",
) -> Claim:  # fmt: skip
    """A claim whose verdict follows from one estimate and its criterion."""
    made = judged(
        paper, id=id, artefact=artefact, location=location, kind=kind, source=source, statement=statement,
        quantity=quantity, measured=measured, criterion=criterion.words, verdict=criterion.verdict(measured),
        changed=changed, note=note,
    )  # fmt: skip
    return regime.applied(made)


def every(
    paper: str, *, id: str, artefact: str, location: str, kind: ClaimKind, source: Source, statement: str,
    quantity: str, cells: Cells, criterion: Criterion, corrected: bool = False, regime: Regime = INSIDE,
    changed: str = "", note: str = "",
) -> Claim:  # fmt: skip
    """A claim that every cell must meet; of the cells that decide it shows the one farthest out.

    "Reproduced" needs no correction for many cells, because all of them must pass; a refutation by one of many does.

    Args:
        cells: estimates by what their cell is; cells without a value are left out, and of none nothing is testable.
        corrected: whether a cell refutes only by an interval that is widened for the number of cells (Bonferroni), so
            that cells which all meet the criterion are called false in at most 5 % of draws.
    """
    named = cells if isinstance(cells, Mapping) else {str(k): each for k, each in enumerate(cells, 1)}
    found = {name: each for name, each in named.items() if not math.isnan(each.value)}
    verdicts = {name: _of_one(each, criterion, len(found) if corrected else 1) for name, each in found.items()}
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


def agree(readings: Mapping[str, Verdict]) -> tuple[Verdict, str]:
    """The verdict of a claim with an unstated value, from its verdict at every declared reading of that value.

    Returns:
        The verdict that all readings share, else `inconclusive`; and the readings with their verdicts, for the note.

    Raises:
        ValueError: if there is no reading.
    """
    if not readings:
        raise ValueError("readings is empty: declare one value at least at which the claim is judged")
    shared = set(readings.values())
    told = ", ".join(f"{verdict} at {reading}" for reading, verdict in readings.items())
    return (shared.pop(), told) if len(shared) == 1 else ("inconclusive", f"the unstated value decides: {told}")


def judged(
    paper: str, *, id: str, artefact: str, location: str, kind: ClaimKind, source: Source, statement: str,
    quantity: str, measured: Estimate | None, criterion: str, verdict: Verdict, changed: str = "", note: str = "",
    cells: Sequence[Cell] = (),
) -> Claim:  # fmt: skip
    """A claim whose verdict was reached in a way of its own: by several conditions together, or by a count."""
    value, low, high = (None, None, None) if measured is None else (measured.value, measured.low, measured.high)
    return Claim(
        id, paper, artefact, location, kind, source, statement, quantity, value, low, high, criterion, verdict,
        changed, note, tuple(cells),
    )  # fmt: skip


def untestable(
    paper: str, *, id: str, artefact: str, location: str, kind: ClaimKind, source: Source, statement: str, why: str,
    changed: str = "", note: str = "",
) -> Claim:  # fmt: skip
    """A claim that no table can judge, and why."""
    return judged(
        paper, id=id, artefact=artefact, location=location, kind=kind, source=source, statement=statement,
        quantity="none", measured=None, criterion=f"none: {why}", verdict="not testable", changed=changed, note=note,
    )  # fmt: skip


def finding(
    paper: str, *, id: str, artefact: str, location: str, kind: FindingKind, severity: Severity, status: Status,
    statement: str, expected: str, measured: str, charitable: str, headline: str = "",
) -> Finding:  # fmt: skip
    """What is wrong or missing in the paper, demonstrated by a number of ours, with its charitable reading."""
    return Finding(
        id, paper, location, kind, statement, expected, measured, severity, status, charitable, artefact, headline
    )
