"""How the paper's words are read as numbers, and what all of its judgements share: its key, its rows.

The readings were fixed before any experiment of this package was run, but for `CHANCE`, and hold for all claims
alike; the numbers of a throw-away prototype were known by then. Which rows some claims read, and a few criteria, were
changed after a first look at the tables, or after a review: the column `changed` of those claims says so. The paper is
theory: its bounds hide constants and logarithms, hold with probability near one, and have no experiment beside them.
"""

from functools import partial

from dpdescent.replication.judging import evidence, records

PAPER = "varshney2022"

claim = partial(records.claim, PAPER)
every = partial(records.every, PAPER)
judged = partial(records.judged, PAPER)
untestable = partial(records.untestable, PAPER)
finding = partial(records.finding, PAPER)

# O(.), "up to constants", "same order": over the grid, largest over smallest, or over the first, is four at most.
SAME_ORDER = 4.0
# O~(.), "up to log factors": over one or two decades logarithms move an exponent by no more than a quarter.
LOGARITHMS = 0.25
# A power without logarithms: the exponent within a tenth.
RATE = 0.1
# "significantly sub-optimal", "significantly better", "substantial": at least twice.
SIGNIFICANT = 2.0
# "vanishes", "even for sigma = 0": a hundredth of what it was at the smallest noise, or not.
VANISHED = 0.01
# "small sigma": labels whose noise is a tenth of the signal at most.
SMALL_NOISE = 0.1
# "progressively reduces": from one iteration to the next never up by more than a fifth (chance, and a dyadic grid).
PROGRESSIVELY = 1.2
# Where a law in d without its logarithms is claimed for a method whose bound of |x| has them: d from here on.
LARGE_D = 80
# Agreement of simulations with exact laws, of an attack with its limit.
AGREES = 0.05
# A mean agrees with its exact value: within as many standard errors. Set after a first look, to check our runs.
CHANCE = 3.0
# Equalities of exact values, to rounding and quadrature.
EQUAL = 1e-6

# All columns that judgements read: what a table lacks of them is NaN.
COLUMNS = (
    "variant", "series", "mean", "se", "median", "median_low", "median_high", "q90", "q975", "trials", "panel", "N",
    "d", "n_over_d", "sigma", "eps", "delta", "kappa", "T", "t", "method", "over_ours", "s", "levels", "alpha", "rule",
    "octaves", "clip_fraction", "zeta_first", "zeta_last", "target", "zeta_factor", "step", "eta", "expected",
    "predictor", "algorithm", "kind", "bound", "bound_without_logs", "bias", "condition", "width", "c1", "law",
    "factor", "choice", "level", "eps_tight", "mechanism", "accounted", "quantity", "b", "beta", "claimed",
    "axis", "at", "reading",
)  # fmt: skip

rows = partial(evidence.rows, COLUMNS)
