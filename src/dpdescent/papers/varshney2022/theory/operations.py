"""Arithmetic operations of Algorithms 1 to 3 of varshney2022, counted line by line as they are printed.

A product, a sum, a comparison and a normal draw count one each. The paper says that both methods take time O(N d).
"""

from dpdescent.checks import require_positive
from dpdescent.papers.varshney2022.theory.ambssgd import STAT_SHARE


def single_pass(records: float, d: float) -> float:
    """Operations of DP-SSGD: per record a residual, a clipped gradient, d normals, a step and a sum for the mean."""
    require_positive(records=records, d=d)
    return records * (_gradient(d) + d + 4.0 * d)


def statistic(s: float, d: float, levels: float) -> float:
    """Operations of DP-STAT: s residuals, and for each of L + 1 thresholds s comparisons and sums and a normal."""
    require_positive(s=s, d=d, levels=levels)
    return s * 2.0 * d + (levels + 1.0) * (2.0 * s + 3.0)


def mini_batches(records: float, d: float, steps: float, levels: float) -> float:
    """Operations of DP-AMBSSGD with s = b/10: T times DP-STAT, b clipped gradients with their sum, and a step."""
    require_positive(records=records, d=d, steps=steps, levels=levels)
    batch = records / steps
    s, b = STAT_SHARE * batch, (1.0 - STAT_SHARE) * batch
    return steps * (statistic(s, d, levels) + b * (_gradient(d) + d) + 5.0 * d)


def _gradient(d: float) -> float:
    """Operations of one clipped gradient: a product of vectors, a norm, and a scaled vector."""
    return 2.0 * d + 2.0 * d + d + 3.0
