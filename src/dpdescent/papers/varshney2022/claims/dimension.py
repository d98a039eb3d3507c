"""Claims about the dimension: the sample size of DP-AMBSSGD and of sufficient statistics, risk at N proportional to d."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.varshney2022.claims.quantities import (
    MEDIAN,
    by,
    exponent,
    less,
    paired,
    quantile_asked,
    ratios,
    risks,
    told,
)
from dpdescent.papers.varshney2022.reading import CHANGED, LARGE_D, LOGARITHMS, RATE, SIGNIFICANT, every, rows
from dpdescent.replication.judging.algebra import listed
from dpdescent.replication.judging.criteria import about, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate

SIZES, RISKS = "sample_complexity", "risk_vs_d"
OURS, QUANTILE, FIXED = "DP-AMBSSGD", "DP-AMBSSGD (q = 0.9)", "fixed clip"
ADA, TIGHT = "AdaSSP", "AdaSSP (bound 1.2 sqrt d)"
GOAL = ["sigma", "target"]
REACHED = "smallest N at which the median risk reaches its goal"


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Sample sizes by their exponents, then risks at N proportional to d."""
    yield from _ours(evidence)
    yield from _statistics(evidence)
    yield from _gap(evidence)
    yield from _proportional(evidence)


def _sizes(evidence: Evidence, series: str, smallest_d: float = 0.0) -> pd.DataFrame:
    """Smallest N of one method; panels that continue a grid of d are taken together."""
    where = {"panel": "one pass"} if series == FIXED else {}
    table = rows(evidence, SIZES, series=series, **where)
    return table[table["d"].astype(float) >= smallest_d].sort_values("d")


def _excess(group: pd.DataFrame) -> Estimate:
    """Exponent of d, less that of d log d over the same d."""
    d = group["d"].astype(float)
    return less(exponent(group, "d"), exponent(group.assign(mean=d * np.log(d), se=math.nan), "d").value)


def _exponents(evidence: Evidence, series: str, smallest_d: float = 0.0) -> dict[str, Estimate]:
    return by(_sizes(evidence, series, smallest_d), GOAL, lambda group: exponent(group, "d"))


def _ours(evidence: Evidence) -> Iterator[Claim]:
    asked = [
        (f"d = {row['d']:g}, N = {row['mean']:.3g}", quantile_asked(evidence, SIZES, row["mean"], row["eps"]))
        for _, row in _sizes(evidence, OURS).iterrows()
    ]
    for name, series, location, words, extra in (
        ("sample-size", OURS, "Abstract, Thm 1.1, Thm 3.7", "N = Omega(d log d) records are enough",
         f"the text also has d log^2 d and d log^3 d; the shortest is judged. The rule C = 1 asks for a quantile that moves with N, and the exponent with it: {listed(asked)}"),
        ("sample-size-quantile", QUANTILE, "Abstract, Sec. 1.1", "(ours) N = Omega(d log d) records are enough (with a quantile of the residuals, as the prose describes DP-STAT)",
         "at 90 %; the prose says 99 %"),
        ("sample-size-fixed-clip", FIXED, "Sec. 3", "(ours) one pass over shuffled records avoids d sqrt(d), since x and w_t are independent: a fixed threshold needs d log d too",
         f"no claim about fixed thresholds is made in so many words. {CHANGED}: runs with clipping; it was an exact law without"),
    ):  # fmt: skip
        found = by(_sizes(evidence, series), GOAL, _excess)
        yield every(
            id=name, artefact=SIZES, location=location, kind="text", source="paper",
            statement=words,
            quantity=f"log-log slope in d of the {REACHED}, less that of d log d: the largest over goals",
            cells=found.values(), criterion=at_most(RATE),
            note=f"{extra}. Slopes: {told(_exponents(evidence, series))}",
        )  # fmt: skip


def _statistics(evidence: Evidence) -> Iterator[Claim]:
    for name, series, smallest_d, extra in (
        ("sample-size-statistics", TIGHT, float(LARGE_D), f"public bound |x| <= 1.2 sqrt(d), d >= {LARGE_D}: the order without the logarithms of such a bound"),
        ("sample-size-statistics-bound", ADA, 0.0, "all d; the bound of |x| that holds with high probability has logarithms of N, which hide the law at small d"),
    ):  # fmt: skip
        found = _exponents(evidence, series, smallest_d)
        yield every(
            id=name, artefact=SIZES, location="Abstract, Sec. 1.3", kind="text", source="paper",
            statement="perturbed sufficient statistics need N = Omega~(d^{3/2})",
            quantity=f"log-log slope in d of the {REACHED}, AdaSSP: the one that is furthest from 3/2 over goals",
            cells=found.values(), criterion=about(1.5, LOGARITHMS),
            note=f"{extra}. {told(found)}",
        )  # fmt: skip


def _gap(evidence: Evidence) -> Iterator[Claim]:
    table, other = _sizes(evidence, OURS), _sizes(evidence, ADA)
    on = ["d", *GOAL]
    found = {
        f"d = {row['d']:g}, sigma = {row['sigma']:g}, goal {row['target']:g}": each
        for row, each in paired(other, table, on)
    }
    yield every(
        id="fewer-records", artefact=SIZES, location="Abstract, Sec. 1", kind="text", source="paper",
        statement="existing techniques need more records: d sqrt(d) against d log d",
        quantity=f"{REACHED}, of AdaSSP over that of DP-AMBSSGD: the smallest over d and goals",
        cells=found.values(), criterion=at_least(1.0),
        note=told(found),
    )  # fmt: skip
    tight = _sizes(evidence, TIGHT, float(LARGE_D) / 4)
    places = [(row, each) for row, each in paired(tight, table, on)]
    gains = pd.DataFrame([{**row, "mean": each.value, "se": math.nan} for row, each in places], columns=table.columns)
    slopes = by(gains, GOAL, lambda group: exponent(group, "d"))
    yield every(
        id="gap-grows", artefact=SIZES, location="Abstract, Sec. 1.3", kind="text", source="paper",
        statement="the gap between them grows like sqrt(d), log factors hidden",
        quantity=f"log-log slope in d, d >= {LARGE_D // 4}, of the same ratio with the bound 1.2 sqrt(d): the one furthest from 1/2",
        cells=slopes.values(), criterion=about(0.5, LOGARITHMS),
        note=f"at d <= {gains['d'].max():g} the two differ by a constant before they differ by an exponent: {told(slopes)}",
    )  # fmt: skip


def _proportional(evidence: Evidence) -> Iterator[Claim]:
    for name, series, ours in (("risk-flat", OURS, ""), ("risk-flat-quantile", QUANTILE, "(ours) ")):
        found = _slopes(evidence, "one pass", series)
        table = rows(evidence, RISKS, series=OURS, panel="one pass").drop_duplicates("N").sort_values("N")
        asked = [
            (f"N = {row['N']:g}", quantile_asked(evidence, RISKS, row["N"], row["eps"])) for _, row in table.iterrows()
        ]
        moving = f". The rule C = 1 asks for a quantile that moves with N, and the slope with it: {listed(asked)}"
        yield every(
            id=name, artefact=RISKS, location="Remark (iii) after Thm 3.7", kind="theorem", source="paper",
            statement=f"{ours}the risk at N proportional to d does not grow with d ({series})",
            quantity=f"log-log slope in d of the risk at a fixed N/d: the largest over N/d; {MEDIAN}",
            cells=found.values(), criterion=at_most(LOGARITHMS),
            note=told(found) + (moving if series == OURS else ""),
        )  # fmt: skip
    for name, panel, series, where in (
        ("risk-grows-statistics", "Wishart draw", TIGHT, f", d >= {LARGE_D}"), ("risk-grows-statistics-bound", "Wishart draw", ADA, ""),
    ):  # fmt: skip
        found = _slopes(evidence, panel, series, float(LARGE_D) if where else 0.0)
        yield every(
            id=name, artefact=RISKS, location="Abstract, Sec. 1.3", kind="text", source="paper",
            statement="at N proportional to d the term d^3 / (eps N)^2 of existing methods grows linearly in d",
            quantity=f"log-log slope in d of AdaSSP's risk at a fixed N/d{where}: the smallest over N/d; {MEDIAN}",
            cells=found.values(), criterion=at_least(1.0 - LOGARITHMS),
            note=f"{told(found)}. Where the ridge rules, the risk is near that of the estimate 0 and cannot grow",
        )  # fmt: skip
    drawn, enforced = (risks(evidence, RISKS, ADA, panel=panel) for panel in ("Wishart draw", "records clipped"))
    yield every(
        id="wishart-draw", artefact=RISKS, location="Sec. 1.3", kind="text", source="ours",
        statement="(ours) what is drawn for AdaSSP without records agrees with runs on clipped records",
        quantity=f"AdaSSP's risk on clipped records over that of the Wishart draw: the one furthest off; {MEDIAN}",
        cells=ratios(enforced, drawn, ["n_over_d", "d"]), criterion=about(1.0, 0.5),
        note=f"{_trials(drawn)} draws each; only runs on clipped records have the guarantee",
    )  # fmt: skip
    reused = risks(evidence, RISKS, "DP-GD (adaptive)", panel="records used again")
    found = by(reused, ["n_over_d"], lambda group: exponent(group, "d"))
    yield every(
        id="reuse-needs-more", artefact=RISKS, location="Sec. 3", kind="text", source="ours",
        statement="(ours) full-batch DP-GD with adaptive threshold, which meets records again, needs N >= d sqrt(d)",
        quantity=f"log-log slope in d of the risk of full-batch DP-GD with adaptive threshold at a fixed N/d: the smallest; {MEDIAN}",
        cells=found.values(), criterion=at_least(1.0 - LOGARITHMS),
        note=f"the sentence is about DP-SGD with records sampled with replacement: \"the issue is fundamental to the method and the excess risk bounds are unlikely to improve by better analysis\"; "
        f"full-batch DP-GD (panel \"records used again\") stands in for it. {told(found)}. {CHANGED}: it is called ours",
    )  # fmt: skip
    one = risks(evidence, "risk_vs_n", OURS, panel="epsilon = 1")
    full = risks(evidence, "risk_vs_n", "DP-GD (adaptive)", panel="epsilon = 1")
    pairs = {f"N = {row['N']:g}, sigma = {row['sigma']:g}": each for row, each in paired(full, one) if row["sigma"] > 0}
    yield every(
        id="one-pass-better", artefact="risk_vs_n", location="Sec. 3", kind="text", source="ours",
        statement="(ours) one pass over disjoint batches has a significantly smaller risk than full-batch DP-GD with adaptive threshold, which meets records again",
        quantity=f"risk of full-batch DP-GD with adaptive threshold over that of DP-AMBSSGD at d = 10 and eps = 1: the smallest; {MEDIAN}",
        cells=pairs.values(), criterion=at_least(SIGNIFICANT),
        note=f"the paper has it of a gradient, not of the risk: without replacement \"at each step w is independent of x_i, which implies significantly better bound on the per step gradient. "
        f"Naturally, the error bound can suffer if we take only one pass over the data\"; full-batch DP-GD stands in for sampling with replacement. {told(pairs)}. {CHANGED}: it is called ours",
    )  # fmt: skip


def _trials(table: pd.DataFrame) -> str:
    return f"{table['trials'].max():g}"


def _slopes(evidence: Evidence, panel: str, series: str, smallest_d: float = 0.0) -> dict[str, Estimate]:
    table = risks(evidence, RISKS, series, panel=panel)
    table = table[table["d"].astype(float) >= smallest_d]
    return by(table, ["n_over_d"], lambda group: exponent(group, "d"))
