"""Claims about finite T: the rates of Sec. 2.3, with and without clipping."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.choquettechoo2023.claims.quantities import claim_on_all, exponent, listed, ratios, within
from dpdescent.papers.choquettechoo2023.design import effective_dimension, power_law
from dpdescent.papers.choquettechoo2023.reading import NEARLY, claim, judged, rows
from dpdescent.replication.arguments import as_list
from dpdescent.replication.evidence import Claim, Evidence
from dpdescent.replication.statistics import verdict

ARTEFACT = "ext_finite_time"
# Mechanism, exponent of T, power of log(T/p) in the condition on T, corollary.
RATES = (("DP-SGD", -1.0, 5, "D.14"), ("nu-DP-FTRL", -2.0, 7, "D.15"))


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Rates, their difference, and the clipped algorithms."""
    exact = {name: _errors(evidence, "exact", name) for name, *_ in RATES}
    for name, power, logarithms, corollary in RATES:
        yield _rate(evidence, exact[name], name, power, logarithms, corollary)
    yield from _improvement(evidence, exact)


def _errors(evidence: Evidence, panel: str, mechanism: str) -> pd.DataFrame:
    series = "error at the best rate" if panel == "exact" else "error at the tuned rate"
    return rows(evidence, ARTEFACT, panel=panel, mechanism=mechanism, series=series).sort_values("T")


def _rate(evidence: Evidence, table: pd.DataFrame, name: str, power: float, logarithms: int, corollary: str) -> Claim:
    """A corollary is about large T: where its condition is not met, a miss refutes nothing."""
    slope = exponent(_last_decade(table), "T")
    wanted = within(NEARLY, power)
    result = verdict(slope, wanted["at_least"], wanted["at_most"])
    T = float(table["T"].max()) if len(table) else math.nan
    asked, had = _needed(evidence, corollary), T / math.log(T / evidence.settings["failure"]) ** logarithms
    if result == "not reproduced" and not had >= asked:
        result = "inconclusive"
    return judged(
        f"finite-rate-{'sgd' if name == 'DP-SGD' else 'ftrl'}", ARTEFACT, f"Sec. 2.3, {corollary}",
        f"omitting log factors, the error of {name} due to privacy falls with T^{power:g}",
        "log-log slope in T, over the last factor of ten, of the exact error at the best learning rate", slope,
        f"{wanted['criterion']}; a miss leaves it open where T does not meet the corollary's condition",
        result, f"the corollary asks, at constant 1, for T / log^{logarithms}(T/p) of {asked:.3g}; here it is {had:.3g} at most",
    )  # fmt: skip


def _last_decade(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["T"] * 10 >= table["T"].max()]


def _needed(evidence: Evidence, corollary: str) -> float:
    """kappa^2 d_eff^2 d / rho, for nu-DP-FTRL times its logarithm."""
    made = evidence.spec["artefacts"][ARTEFACT]
    cell = made["cells"]["exact"]
    lam = power_law(max(as_list(cell["d"])), max(as_list(cell["alpha"])))
    stiffness = effective_dimension(lam) * lam.max() / lam.min()
    size = float(stiffness**2 * len(lam) / made["settings"]["rho"])
    return size * math.log(size) if corollary == "D.15" else size


def _improvement(evidence: Evidence, exact: dict[str, pd.DataFrame]) -> Iterator[Claim]:
    sgd, ftrl = exact["DP-SGD"], exact["nu-DP-FTRL"]
    gain = sgd.merge(ftrl[["T", "mean"]], on="T", suffixes=("", "_ftrl"))
    gain = gain.assign(mean=gain["mean"] / gain["mean_ftrl"], se=math.nan)
    yield claim(
        "finite-gain", ARTEFACT, "Sec. 2.3", "the dimension d in DP-SGD's bound effectively becomes kappa d_eff / T for DP-FTRL",
        "log-log slope in T, over the last factor of ten, of the exact error of DP-SGD over that of nu-DP-FTRL", exponent(_last_decade(gain), "T"),
        f"at least {1 - NEARLY:g}: the gain grows like T, log factors omitted", at_least=1 - NEARLY,
        note="gain: " + listed((f"T = {T:g}", value) for T, value in zip(gain["T"], gain["mean"], strict=True)),
    )  # fmt: skip
    for name, panel, words in (
        ("finite-better", "exact", "for finite T the bounds demonstrate a similar improvement of nu-DP-FTRL over DP-SGD"),
        ("finite-better-clipped", "clipped", "the improvement carries over to DP-FTRL with clipping"),
    ):  # fmt: skip
        upper, lower = (_errors(evidence, panel, mechanism) for mechanism in ("DP-SGD", "nu-DP-FTRL"))
        clipped = lower["clip_fraction"].dropna()
        yield claim_on_all(
            name, ARTEFACT, "Sec. 1.3, Sec. 2.3", words,
            f"error of DP-SGD over that of nu-DP-FTRL at equal T, each at its best learning rate{' and clip norm' if panel == 'clipped' else ''}: the smallest",
            ratios(upper, lower, ["T"]), "above 1", at_least=1.0,
            note=f"at most {clipped.max():.2%} of nu-DP-FTRL's gradients are clipped" if len(clipped) else "",
        )  # fmt: skip
