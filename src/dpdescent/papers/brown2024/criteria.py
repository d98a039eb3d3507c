"""How the paper's words are read as numbers, and the records that carry its key: shared by all of its judgements."""

import math
from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd

from dpdescent.papers.brown2024.setting import PAPER
from dpdescent.replication.judging import records
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import Criterion, between
from dpdescent.replication.judging.evidence import Cell, Claim, ClaimKind, Evidence, Source, Verdict
from dpdescent.replication.judging.statistics import NOTHING, Estimate

claim = partial(records.claim, PAPER)
claim_on_all_cells = partial(records.claim_on_all_cells, PAPER)
judged_claim = partial(records.judged_claim, PAPER)
untestable_claim = partial(records.untestable_claim, PAPER)
finding = partial(records.finding, PAPER)

# "constant error": the exponent of p is nil to three hundredths; over two decades of p that is 15 %.
CONSTANT = 0.03
# The dimension from which "as p grows" is judged: below, the mean of a norm differs from the root of its mean square.
GROWN = 10
# "falls off with 1/n", "as the square root of p": the exponent within a tenth; sampling, which has no other part, 0.07.
RATE, SAMPLING_RATE = 0.1, 0.07
# "roughly comparable", "relatively low": within a factor of two.
COMPARABLE = 2.0
# Agreement of a simulation with the exact law at sizes where clipping is rare.
CLOSE = 0.05
# "The law of an iterate" where few gradients are clipped: its probabilities within a tenth.
LAWFUL = 0.1
# Where nothing is clipped, and the law is exact: within three hundredths, some four times what chance allows.
EXACTLY_LAWFUL = 0.03
# "low clipping": at most one gradient in a hundred; "significant clipping": at least one in twenty.
LOW, SIGNIFICANT = 0.01, 0.05
# "valid": at least the nominal 95 % less two points.
VALID = 0.93
# Number of gradients from which all three constructions exist.
SETTLED = 220
# "The error due to privacy noise": where the start-up error is at most a third of the noise, a ninth of its square.
START_UP = 1.0 / 3.0
# How many readings a note lists by name.
LISTED = 4
# Quantile columns of tables by the failure probability that they leave.
TAILS = {"q75": 0.25, "q90": 0.1, "q95": 0.05, "q975": 0.025}
NEW = "Added after a review."


def over_readings(
    *, id: str, artefact: str, location: str, kind: ClaimKind, source: Source, statement: str, quantity: str,
    readings: Places, criterion: Criterion, unstated: str, verdicts: Mapping[str, Verdict] | None = None,
    shown: Estimate | None = None, changed: str = "", note: str = "",
) -> Claim:  # fmt: skip
    """A claim that the paper makes at values that it does not state: where readings of them disagree it is open.

    Args:
        readings: what is measured at each reading; those without a value are left out, and of none nothing is testable.
        unstated: the values that are not stated, for the criterion.
        verdicts: the verdict of every reading, where it is not that of the criterion on its one estimate.
        shown: the estimate of the headline reading, in place of the median and the range of all.
    """
    known = {place: each for place, each in readings.items() if not math.isnan(each.value)}
    given = {place: criterion.verdict(each) if verdicts is None else verdicts[place] for place, each in known.items()}
    make = partial(
        judged_claim, id=id, artefact=artefact, location=location, kind=kind, source=source, statement=statement,
        changed=changed,
    )  # fmt: skip
    if not known:
        return make(
            quantity=quantity, measured=NOTHING, criterion=criterion.words, verdict="not testable", note=note
        )  # fmt: skip
    shared, values = records.agreement(given), [each.value for each in known.values()]
    # Readings of every verdict with their values; of many only how many, and from where to where.
    parts = []
    for verdict in dict.fromkeys(given.values()):
        own = {place: each.value for place, each in known.items() if given[place] == verdict}
        if len(own) <= LISTED:
            words = ", ".join(f"{place} ({value:.3g})" for place, value in own.items())
        else:
            words = f"{len(own)} readings ({min(own.values()):.3g} to {max(own.values()):.3g})"
        parts.append(f"{verdict} at {words}")
    return make(
        quantity=quantity if shown else f"{quantity}; median, and the range over {unstated}",
        measured=shown or Estimate(float(np.median(values)), min(values), max(values)),
        criterion=f"{criterion.words}, at every reading of {unstated}, not stated",
        verdict=shared.verdict, why=shared.why, note="; ".join(filter(None, [", ".join(parts), note])),
        cells=[Cell(place, each.value, each.low, each.high, given[place]) for place, each in known.items()],
    )  # fmt: skip


def of_series(rows: pd.DataFrame, series: str) -> pd.DataFrame:
    """Rows of one series of a table."""
    return rows[rows["series"] == series]


def power(evidence: Evidence, published: str, within: float) -> Criterion:
    """The criterion that an exponent is within so much of the published one."""
    exponent = evidence.published[published]
    return between(exponent - within, exponent + within)
