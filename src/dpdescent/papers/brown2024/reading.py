"""How the paper's words are read as numbers, and the records that carry its key: shared by all of its judgements."""

from functools import partial

from dpdescent.replication.judging import records

PAPER = "brown2024"

claim = partial(records.claim, PAPER)
every = partial(records.every, PAPER)
judged = partial(records.judged, PAPER)
untestable = partial(records.untestable, PAPER)
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
# "low clipping": at most one gradient in a hundred; "significant clipping": at least one in twenty.
LOW, SIGNIFICANT = 0.01, 0.05
# "valid": at least the nominal 95 % less two points.
VALID = 0.93
# Number of gradients from which all three constructions exist.
SETTLED = 220
