"""Claims about finite T: the rates of Sec. 2.3, with and without clipping."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.checks import as_list
from dpdescent.papers.choquettechoo2023.claims import quantities
from dpdescent.papers.choquettechoo2023.design import effective_dimension, power_law
from dpdescent.papers.choquettechoo2023.reading import NEARLY, claim, every, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import about, at_least
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import Regime

ARTEFACT = "ext_finite_time"
# Id, mechanism, exponent of T, corollary.
RATES = (
    ("finite-rate-sgd", "DP-SGD", -1.0, "D.14"),
    ("finite-rate-ftrl", "nu-DP-FTRL", -2.0, "D.15"),
)
# Power of log(T/p) in the condition of each corollary on T.
LOGARITHMS = {"D.14": 5, "D.15": 7}
MEASURED = "the sentence is about bounds, errors are measured here"
LARGE_T = "open, hit or miss, where T does not meet the condition at constant 1"
CONDITION_ADDED = "Before a first look at output at quick scale a hit counted where the condition is not met."


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges rates, their difference, and the clipped algorithms."""
    exact = {name: _errors(evidence, "exact", name) for _, name, *_ in RATES}
    for id, name, power, corollary in RATES:
        yield _rate(evidence, exact[name], id, name, power, corollary)
    yield _gain(evidence, exact["DP-SGD"], exact["nu-DP-FTRL"])
    yield from _better(evidence)


def _errors(evidence: Evidence, panel: str, mechanism: str) -> pd.DataFrame:
    series = "error at the best rate" if panel == "exact" else "error at the tuned rate"
    return rows(evidence, ARTEFACT, panel=panel, mechanism=mechanism, series=series).sort_values("T")


def _rate(evidence: Evidence, table: pd.DataFrame, id: str, name: str, power: float, corollary: str) -> Claim:
    return claim(
        id=id, artefact=ARTEFACT, location=f"Sec. 2.3, {corollary}", kind="theorem", source="paper",
        statement=f"omitting log factors, the error of {name} due to privacy falls with T^{power:g}",
        quantity=f"log-log slope in T, over the last factor of ten, of the exact error at the best learning rate; {MEASURED}",
        measured=algebra.exponent(_last_decade(table), "T"), criterion=about(power, NEARLY, words=f"within {NEARLY:g} of {power:g}; {LARGE_T}"),
        regime=large_horizon(evidence, table, corollary), changed=CONDITION_ADDED,
    )  # fmt: skip


def large_horizon(evidence: Evidence, table: pd.DataFrame, *corollaries: str) -> Regime:
    """The regime of corollaries about large T: at constant 1, their conditions on T that no row of the table meets."""
    T, unmet = float(table["T"].max()) if len(table) else math.nan, []
    for corollary in corollaries:
        power, asked = LOGARITHMS[corollary], _needed(evidence, corollary)
        had = T / math.log(T / evidence.settings["failure"]) ** power
        if not had >= asked:
            asks = f"{corollary} asks, at constant 1, for T / log^{power}(T/p) of {asked:.3g}"
            unmet.append(f"{asks}; here it is {had:.3g} at most")
    return Regime(tuple(unmet))


def _last_decade(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["T"] * 10 >= table["T"].max()]


def _needed(evidence: Evidence, corollary: str) -> float:
    """What T over its logarithms must exceed: kappa^2 d_eff^2 d / rho, for nu-DP-FTRL times its logarithm."""
    made = evidence.spec["artefacts"][ARTEFACT]
    cell = made["cells"]["exact"]
    lam = power_law(max(as_list(cell["d"])), max(as_list(cell["alpha"])))
    stiffness = effective_dimension(lam) * lam.max() / lam.min()
    size = float(stiffness**2 * len(lam) / made["settings"]["rho"])
    return size * math.log(size) if corollary == "D.15" else size


def _gain(evidence: Evidence, sgd: pd.DataFrame, ftrl: pd.DataFrame) -> Claim:
    gain = sgd.merge(ftrl[["T", "mean"]], on="T", suffixes=("", "_ftrl"))
    gain = gain.assign(mean=gain["mean"] / gain["mean_ftrl"], se=math.nan)
    return claim(
        id="finite-gain", artefact=ARTEFACT, location="Sec. 2.3, D.14, D.15", kind="theorem", source="paper",
        statement="the dimension d in DP-SGD's bound effectively becomes kappa d_eff / T for DP-FTRL",
        quantity=f"log-log slope in T, over the last factor of ten, of the exact error of DP-SGD over that of nu-DP-FTRL; {MEASURED}",
        measured=algebra.exponent(_last_decade(gain), "T"), criterion=at_least(1 - NEARLY, f": the gain grows like T, log factors omitted; {LARGE_T}"),
        regime=large_horizon(evidence, gain, *LOGARITHMS), changed=CONDITION_ADDED, note=f"gain {quantities.first_and_last(gain, 'T')}",
    )  # fmt: skip


def _better(evidence: Evidence) -> Iterator[Claim]:
    for id, panel, words, best in (
        ("finite-better", "exact", "for finite T the bounds demonstrate a similar improvement of nu-DP-FTRL over DP-SGD", "learning rate"),
        ("finite-better-clipped", "clipped", "the improvement carries over to DP-FTRL with clipping", "learning rate and clip norm"),
    ):  # fmt: skip
        upper, lower = (_errors(evidence, panel, mechanism) for mechanism in ("DP-SGD", "nu-DP-FTRL"))
        clipped = panel == "clipped"
        yield every(
            id=id, artefact=ARTEFACT, location="Sec. 1.3, Sec. 2.3", kind="text", source="paper",
            statement=words,
            quantity=f"error of DP-SGD over that of nu-DP-FTRL at equal T, each at its best {best}: the smallest; {MEASURED}",
            cells=algebra.ratios(upper, lower, ["T"]), criterion=at_least(1.0, words="above 1"),
            changed="After a first look at output at quick scale smaller clip norms were added to the grid." if clipped else "",
            note=_clipped(upper, lower) if clipped else "",
        )  # fmt: skip


def _clipped(*tables: pd.DataFrame) -> str:
    """How much the best clip norms clip, for a note: the theorems' clip norm clips nothing."""
    shares = (
        f"{each['clip_fraction'].min():.1%} to {each['clip_fraction'].max():.1%} of {each['mechanism'].iloc[0]}'s"
        for each in tables
        if len(each) and each["clip_fraction"].notna().any()
    )
    return f"gradients clipped, by T: {', '.join(shares)}; the theorems' clip norm clips none"
