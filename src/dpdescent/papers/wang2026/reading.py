"""How the paper's words are read as numbers, and what all of its judgements share: its key, its rows.

The readings were fixed before any experiment of this package was run, and hold for all claims alike; the numbers of a
throw-away prototype were known by then. What was changed later stands in the column `changed` of its claims.
The paper is theory: its bounds hide constants and logarithms, and ask for widths and steps that no run here has. Its
one figure is another paper's, without settings: what is judged of it is an analogue.
"""

from functools import partial

from dpdescent.replication.judging import evidence, records

PAPER = "wang2026"

claim = partial(records.claim, PAPER)
every = partial(records.every, PAPER)
untestable = partial(records.untestable, PAPER)
finding = partial(records.finding, PAPER)

# "moderate noise correlation": a fifth to four fifths.
MODERATE = (0.2, 0.8)
# "<~", "of the order of", "not the scaling": over the grid, largest over smallest, or over the first, is four at most.
SAME_ORDER = 4.0
# "up to logarithmic factors", over one or two decades: an exponent within a quarter.
LOGARITHMS = 0.25
# A printed power, its logarithms divided out if it has any: the exponent within a tenth.
RATE = 0.1
# "offset", "matches", agreement of simulations with formulas: within a twentieth; "improves": by more than that.
AGREES = 0.05
# "breaks down": at least twice.
BREAKS_DOWN = 2.0
# "monotonically", of means over seeds: it does not get worse again by more than a tenth.
STAYS = 0.9
# What `changed` says of claims that cannot fail.
ALGEBRA = "Before a review it was counted among the claims, though it is algebra and cannot fail."
# Equalities of exact values, to rounding.
EQUAL = 1e-6

# Accountants by what they are to the paper.
PUBLISHED, PROOF, INDEPENDENT, RENYI, TAIL, PAIR = "F12x8", "F12x2", "D9", "RDP19", "tail", "F8"
# Twice the pair's multiplier is attained under replace-one; that of sampling without replacement is proved enough.
REPLACED = "WOR"
FLOOR = "eq. (19) without end of noise"
POPULATION, EMPIRICAL, GAIN = "population risk", "empirical risk", "gain over lam = 0"
# Paired on a seed: over the next smaller correlation; by noise or batches against the run without.
STEP, BY_NOISE, BY_BATCHES = "gain over the next smaller lam", "departure by noise", "departure by batches"
ADDED, SHIFTED = "added to the population risk", "added to the largest shift squared"

# All columns that judgements read: what a table lacks of them is NaN.
COLUMNS = (
    "variant", "series", "mean", "se", "q975", "trials", "panel", "design", "spline_cells", "n", "T", "B", "r", "m",
    "d", "lam", "eps", "delta", "accountant", "relation", "sampler", "precondition", "C_clip", "kappa", "eta",
    "clipped", "t", "noise", "delta_attained", "delta_se", "gamma", "norm_share",
    "clip_rule", "projected", "largest_move", "largest_shift",
    "comparator", "tau_gamma", "condition", "constants", "bound", "term", "logs", "jitter", "admitted", "unit", "p",
    "factor", "place", "checks", "growth", "distance",
)  # fmt: skip

rows = partial(evidence.rows, COLUMNS)
