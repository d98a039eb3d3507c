"""How the paper's words are read as numbers, and what all of its judgements share: its key, its rows.

The readings were fixed before any experiment of this package was run, and hold for all claims alike; the numbers of a
throw-away prototype were known by then. Where the caption of a figure uses a word beside a number ("nearly constant
(slope 0.18)", "nearly matches"), the number is the reading: NEARLY and SLOPE come from the caption of Figure 2. Where a
criterion was changed after a first look at output at quick scale, the claim's column `changed` says so.
"""

from functools import partial

from dpdescent.replication.judging import evidence, records

PAPER = "choquettechoo2023"

claim = partial(records.claim, PAPER)
every = partial(records.every, PAPER)
judged = partial(records.judged, PAPER)
untestable = partial(records.untestable, PAPER)
finding = partial(records.finding, PAPER)

# Theta, "constants do not drift": over the grid, exact over order has largest over smallest of at most four, so that a
# logarithm that is missing over three decades shows. O and Omega: four times more, or less, than at the grid's first.
SAME_ORDER = 4.0
# "linear", "rate", a printed power: the exponent within a tenth.
RATE = 0.1
# "nearly", "near-linear", rates with their logarithms left out: within two tenths, because the caption of Figure 2
# calls a slope of 0.18 nearly constant; of a ratio near one likewise.
NEARLY = 0.2
# A printed slope: two decimals, read off a grid that is not stated. Simulated slopes are held to the same, because
# their own error is in their interval.
SLOPE = 0.05
# "orders of magnitude": two of them. Ends of the interval of learning rates: what is at most, or at least, this.
ORDERS_OF_MAGNITUDE = 100.0
SMALL_RATE, LARGE_RATE = 1e-3, 0.99
# "significantly", "a significant gap": at least twice. "near-optimal", at Figure 2's settings: within a factor of two
# of the best; over spectra and dimensions the paper has "up to log factors", and SAME_ORDER applies.
SIGNIFICANT = 2.0
NEAR_OPTIMAL = 2.0
# "converges quickly": ten rounds.
QUICKLY = 10
# Agreement of a simulation with the exact law, of a grid with its limit.
AGREES = 0.05
# Equalities of exact values, up to quadrature; bounds by a conic programme, up to the rule that stops it.
EQUAL = 1e-6
SOLVED = 1e-3
# "diverges": from one tenfold T to the next the value grows by no less than half of what it grew first.
UNDIMINISHED = 0.5

# All columns that judgements read: those of a table that is not there.
COLUMNS = (
    "variant", "series", "mean", "se", "panel", "kind", "d", "d_eff", "alpha", "eta", "t", "omega", "nu",
    "gamma_squared", "expected", "exact", "order", "kappa", "multiplier", "iterations", "eps", "mechanism", "rho",
    "row", "quantity", "algorithm", "T", "k", "copies", "clip_fraction", "nu_over_eta_mu", "value_at_best",
    "leading_order", "spectrum", "trials", "learning_rate", "rule", "start", "sigma_sgd", "clip_norm", "iterate_form",
    "gradient_form", "summary", "q90", "q95", "q975", "entry",
)  # fmt: skip

rows = partial(evidence.rows, COLUMNS)
