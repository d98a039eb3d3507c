"""What the paper says of other methods, and of privacy for free, at constants and logarithms 1 (Secs. 1, 1.3, 3)."""

from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.varshney2022.arms import ADA_SSP, AMBSSGD, DP_GD, OLS, SSGD
from dpdescent.papers.varshney2022.reading import rows
from dpdescent.papers.varshney2022.theory import comparison
from dpdescent.papers.varshney2022.theory.comparison import ENTRIES, Entry, Point
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import ORDER, equal, order, place, stated
from dpdescent.replication.judging.evidence import Bound, Evidence, joined

TABLE, SIZES, EPSILONS = "table_bounds", "risk_vs_n", "risk_vs_eps"
WITHOUT_NOISE = "efficient methods at sigma = 0"
# What we run of what is quoted; Cai et al. stands for methods that use records again, and so does AdaSSP.
RUN = {
    "without privacy": OLS, "Cai et al. 2021": ADA_SSP, WITHOUT_NOISE: DP_GD,
    "lower bound (Cai et al. 2021)": AMBSSGD, "DP-SSGD": SSGD, "DP-AMBSSGD": AMBSSGD,
}  # fmt: skip
# c of eps = c sqrt(d / N).
FACTORS = (2.0, 10.0)


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the bounds of every method and setting of the comparison, then of privacy for free."""
    methods = {entry.method: entry for entry in ENTRIES}
    table = rows(evidence, TABLE)
    # The table has all of them; here is the epsilon at which we run.
    for found in each(table[table["eps"] == table["eps"].max()]):
        if found["method"] in methods:
            yield from _entry(evidence, methods[found["method"]], found)
    for found in each(rows(evidence, EPSILONS, series=AMBSSGD).drop_duplicates(["N", "d", "sigma"])):
        yield from _free(evidence, found)


def _point(evidence: Evidence, found: pd.Series) -> Point:
    norm = evidence.settings_of(TABLE)["w_norm"]
    return Point(int(found["d"]), float(found["N"]), float(found["sigma"]), float(found["eps"]), norm)


def _entry(evidence: Evidence, entry: Entry, found: pd.Series) -> Iterator[Bound]:
    point, text = _point(evidence, found), place(entry.method, found, "d", "N", "sigma", "eps")
    if not _quoted(entry.method, point):
        return
    value, ours = entry.value(point), comparison.dp_ambssgd(point)
    over = f"{value / ours:.3g} times DP-AMBSSGD's" if ours > 0.0 else "DP-AMBSSGD's is 0"
    series = RUN.get(entry.method)
    same = {key: found[key] for key in ("N", "d", "sigma", "eps")}
    # Runs without privacy have the epsilon of their panel, and DP-SSGD a panel of its own.
    run = rows(evidence, SIZES, series=series, **same) if series else pd.DataFrame()
    measured = float(run["mean"].iloc[0]) if len(run) else None
    whose = f"measured is the mean risk of our {series}" if measured is not None else ""
    why = joined(f"as quoted: {entry.bound}", over, whose)
    yield order("excess risk, as quoted", entry.place, text, value, measured, why)


def _quoted(method: str, point: Point) -> bool:
    """Whether a bound is quoted for a point: one is for sigma = 0 alone, and DP-SSGD's for eps <= 1/sqrt(N)."""
    if method == WITHOUT_NOISE:
        return point.sigma == 0.0
    return method != SSGD or point.eps <= point.records**-0.5


def _free(evidence: Evidence, found: pd.Series) -> Iterator[Bound]:
    """Evaluates from which epsilon on privacy costs no more than sampling."""
    d, N = int(found["d"]), float(found["N"])
    value = comparison.free_epsilon(d, N)
    text = place("risk_vs_eps", found, "N", "d", "sigma")
    run = rows(evidence, EPSILONS, series=AMBSSGD, N=found["N"], d=found["d"], sigma=found["sigma"])
    limit = run.loc[run["eps"].astype(float).idxmax(), "mean"]
    free = run[run["mean"] <= 2.0 * limit]["eps"].astype(float)
    why = "sqrt(d/N); measured is the least epsilon with a risk at most twice that at the largest epsilon"
    yield order("epsilon of privacy for free", "Sec. 1", text, value, float(free.min()), why)
    for c in FACTORS:
        point = Point(d, N, 1.0, c * value)
        ratio = point.privacy / point.sampling
        setting = f"{place('eps = c sqrt(d/N)', found, 'N', 'd', 'sigma')}, c={c:g}"
        why = "measured is the one term over the other"
        yield equal("privacy's term over sampling's", "Sec. 1", setting, comparison.private_share(c), ratio, why)
        why = f"as printed, 1/c, which is right for eps = sqrt(c d/N); {why}; {ORDER}"
        yield stated(
            bound="privacy's term over sampling's, as printed", location="Sec. 1", setting=setting, value=1.0 / c,
            note=why, measured=ratio,
        )  # fmt: skip
