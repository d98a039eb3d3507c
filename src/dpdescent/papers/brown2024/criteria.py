"""Readings of the paper's words as numbers, and the records with its key, which all of its judgements share."""

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
# "falls off with 1/n", "as the square root of p": the exponent within a tenth; for sampling error, which is pure, 0.07.
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
# "valid": at least the nominal 95 % less two points. This was fixed before any run of the paper's sizes and stays, though
# batched means at n = 1000 turned out to lie on it.
VALID = 0.93
# Number of gradients from which all three constructions exist.
SETTLED = 220
# "The error due to privacy noise": where the start-up error is at most a third of the noise, a ninth of its square.
START_UP = 1.0 / 3.0
# The largest number of readings that a note lists by name.
LISTED = 4
# The least number of trials for a 0.95 quantile, as many as the captions have; the largest sizes of Figure 8 have fewer.
ENOUGH = 20
# Quantile columns of tables by the failure probability that they leave.
TAILS = {"q75": 0.25, "q90": 0.1, "q95": 0.05, "q975": 0.025}
NEW = "Added after a review."


def over_readings(
    *, id: str, artefact: str, location: str, kind: ClaimKind, source: Source, statement: str, quantity: str,
    readings: Places, criterion: Criterion, unstated: str, verdicts: Mapping[str, Verdict] | None = None,
    shown: Estimate | None = None, changed: str = "", note: str = "", one_is_enough: bool = False,
) -> Claim:  # fmt: skip
    """A claim that the paper makes at values that it does not state; if readings of them disagree it is open.

    Args:
        readings: the estimate of each reading; readings without a value are left out, and without any the claim is not
            testable.
        unstated: words for the values that are not stated, for the criterion.
        verdicts: the verdict of every reading, if the criterion on its one estimate does not give it.
        shown: the estimate of the main reading, in place of the median and the range of all.
        one_is_enough: whether the paper says that it may be so, which one reading confirms and only all of them refute.
    """
    defined = {place: estimate for place, estimate in readings.items() if not math.isnan(estimate.value)}
    judged = {
        place: criterion.verdict(estimate) if verdicts is None else verdicts[place]
        for place, estimate in defined.items()
    }
    make = partial(
        judged_claim, id=id, artefact=artefact, location=location, kind=kind, source=source, statement=statement,
        changed=changed,
    )  # fmt: skip
    if not defined:
        return make(
            quantity=quantity, measured=NOTHING, criterion=criterion.words, verdict="not testable", note=note
        )  # fmt: skip
    confirmed = one_is_enough and "reproduced" in judged.values()
    shared = records.agreement(dict.fromkeys(judged, "reproduced") if confirmed else judged)
    values = [estimate.value for estimate in defined.values()]
    # Readings are listed by verdict with their values; of many only their number and the range.
    parts = []
    for verdict in dict.fromkeys(judged.values()):
        own = {place: estimate.value for place, estimate in defined.items() if judged[place] == verdict}
        if len(own) <= LISTED:
            words = ", ".join(f"{place} ({value:.3g})" for place, value in own.items())
        else:
            words = f"{len(own)} readings ({min(own.values()):.3g} to {max(own.values()):.3g})"
        parts.append(f"{verdict} at {words}")
    return make(
        quantity=quantity if shown else f"{quantity}; median, and the range over {unstated}",
        measured=shown or Estimate(float(np.median(values)), min(values), max(values)),
        criterion=f"{criterion.words}, at {'some' if one_is_enough else 'every'} reading of {unstated}, not stated",
        verdict=shared.verdict, why=shared.why, note="; ".join(filter(None, [", ".join(parts), note])),
        cells=[Cell(place, estimate.value, estimate.low, estimate.high, judged[place]) for place, estimate in defined.items()],
    )  # fmt: skip


def of_series(rows: pd.DataFrame, series: str) -> pd.DataFrame:
    """Rows of one series of a table."""
    return rows[rows["series"] == series]


def power(evidence: Evidence, published: str, within: float) -> Criterion:
    """The criterion that an exponent is within a given distance of the published one."""
    exponent = evidence.published[published]
    return between(exponent - within, exponent + within)
