"""Claims about many regressors and instruments: Figure 3(b)."""

from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.liang2025.bounds import cases
from dpdescent.papers.liang2025.reading import SIGNIFICANT, at_readings, every, median_ratios
from dpdescent.papers.liang2025.theory import error_bounds
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_least
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, median_of

# A cause explains what it causes if most goes when it goes.
MOST = 0.5


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the size of the errors and on their cause, at every reading of the open values."""
    yield from at_readings(evidence, ["fig03"], _larger_dimension)


def _private(evidence: Evidence, panel: str) -> pd.DataFrame:
    return evidence.select("fig03", panel=panel, error_to="beta_hat", series="DP-2S-GD")


def _larger_dimension(evidence: Evidence) -> Iterator[Claim]:
    small, large = (_private(evidence, panel) for panel in "ab")
    yield every(
        id="fig03b-larger", artefact="fig03", location="Sec. 4.1, Figure 3(b)", kind="figure", source="paper",
        statement="at p = 50 the errors are significantly larger than at p = 5",
        quantity="smallest ratio of median errors, panel b over panel a, at equal n and budgets",
        cells=median_ratios(large, small, ["n", "rho1", "rho2"]), criterion=at_least(SIGNIFICANT),
        changed="Before a review it was a ratio of means, which the distance to just-identified 2SLS does not have.",
    )  # fmt: skip
    yield every(
        id="fig03b-cause", artefact="fig03", location="Sec. 4.1, Figure 3(b)", kind="figure", source="paper",
        statement="the errors at p = 50 are large because T = 20 violates condition (5), which limits the noise",
        quantity="share of what the median error exceeds that of the descent without noise and clipping by which goes when noise is taken away and clipping is kept",
        cells=_shares_of_noise(evidence), criterion=at_least(MOST, ": most of the excess goes with the noise"),
        changed=(
            "Before a review means were compared with those of runs that have neither noise nor clipping; then errors at the largest and smallest n; "
            "now runs that clip without noise, and values of c0 at which less is clipped."
        ),
        note=_condition_5(evidence),
    )  # fmt: skip


def _shares_of_noise(evidence: Evidence) -> algebra.Places:
    """The noise's share of the excess, by n and budgets; the ends combine the medians' intervals in the worst way."""
    rows = evidence.select("fig03", panel="b", error_to="beta_hat")
    free, clipped = (rows[rows["series"] == series].set_index("n") for series in ("2S-GD", "2S-GD, clipped"))
    found = {}
    for row in algebra.each(rows[rows["series"] == "DP-2S-GD"]):
        if row["n"] in clipped.index and row["n"] in free.index:
            place = algebra.place_of(row, ["n", "rho1", "rho2"])
            found[place] = _share(median_of(row), median_of(clipped.loc[row["n"]]), median_of(free.loc[row["n"]]))
    return found


def _share(private: Estimate, clipped: Estimate, free: Estimate) -> Estimate:
    def share(whole: float, without_noise: float, without_both: float) -> float:
        return (whole - without_noise) / (whole - without_both)

    # Both series share data and clipping, so that intervals taken as independent are too wide rather than too narrow.
    ends = (share(private.low, clipped.high, free.value), share(private.high, clipped.low, free.value))
    return Estimate(share(private.value, clipped.value, free.value), *ends)


def _condition_5(evidence: Evidence) -> str:
    """What condition (5) allows at the two ends, for a note."""
    n = evidence.tables["fig03"].query("panel == 'b'")["n"]
    if n.empty:
        return ""
    ends = ((int(n.min()), 1.0, 9.0), (int(n.max()), 9.0, 1.0))
    at = [cases.case(evidence, cases.FIGURE_3B, n=size, rho1=rho1, rho2=rho2) for size, rho1, rho2 in ends]
    least, most = (error_bounds.iteration_limit(each.problem, each.rho1) for each in at)
    free = evidence.select("fig03", panel="b", error_to="beta_hat", series="2S-GD")["median"]
    return (
        f"at constant 1 condition (5) allows T <= {least:.2g} at n = {ends[0][0]}, rho1 = 1, and T <= {most:.3g} at n = {ends[1][0]}, "
        f"rho1 = 9; without noise and clipping the median is {free.median():.2g}"
    )
