"""How the paper's words are read as numbers, and the records that carry its key: shared by all of its judgements."""

from functools import partial

from dpdescent.replication.judging import records

PAPER = "liang2025"

claim = partial(records.claim, PAPER)
every = partial(records.every, PAPER)
judged = partial(records.judged, PAPER)
untestable = partial(records.untestable, PAPER)
finding = partial(records.finding, PAPER)

# "significantly larger", "grows significantly", "diverges": at least twice.
SIGNIFICANT = 2.0
# "comparable", "fairly insensitive", "stable": within a factor of two.
COMPARABLE = 2.0
# "consistent with", "converges": within a tenth of the 2SLS estimate.
CLOSE = 0.1
# "decreases at the rate": the exponent within a tenth.
RATE = 0.1
# "clipping does not occur with high probability": at most one gradient in a hundred.
RARELY = 0.01
