"""What privacy costs beside sampling, at constants and logarithms 1 (varshney2022 Sec. 1)."""

from collections.abc import Iterator

from dpdescent.papers.varshney2022.arms import AMBSSGD
from dpdescent.papers.varshney2022.reading import rows
from dpdescent.papers.varshney2022.theory import comparison
from dpdescent.papers.varshney2022.theory.comparison import Point
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import equal, place
from dpdescent.replication.judging.evidence import Bound, Evidence

# c of eps = c sqrt(d / N).
FACTORS = (2.0, 10.0)


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates privacy's term over sampling's, where privacy is called free."""
    for found in each(rows(evidence, "risk_vs_eps", series=AMBSSGD).drop_duplicates(["N", "d", "sigma"])):
        d, N = int(found["d"]), float(found["N"])
        for c in FACTORS:
            point = Point(d, N, 1.0, c * comparison.free_epsilon(d, N))
            claimed, ratio = comparison.private_share(c), point.privacy / point.sampling
            setting = f"{place('eps = c sqrt(d/N)', found, 'N', 'd', 'sigma')}, c={c:g}"
            why = "measured is the one term over the other"
            yield equal("privacy's term over sampling's", "Sec. 1", setting, claimed, ratio, why)
