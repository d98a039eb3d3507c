"""Claims about how sizes grow along one axis at a time: Theorem 3.1, its conditions, Theorem F.1 and the lemmas.

A theorem bounds from above: what its order says of a hidden constant is judged one-sidedly, by the exponent of the
measured size over the order. Where a remark says how the noise acts, the exponent itself is judged.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.liang2025.bounds import cases
from dpdescent.papers.liang2025.reading import RARELY, RATE, SIGNIFICANT, claim, every
from dpdescent.papers.liang2025.theory import error_bounds, prescriptions
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import about, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import NOTHING, Estimate, half_width, less

TABLE = "table_rates"
PRIVACY = "(7) privacy part"
AS_PRINTED = about(0.0, RATE, words=f"within {RATE:g} of the printed exponent")
NO_FASTER = at_most(RATE, ": no faster than the order, up to a tenth in the exponent")
# Panel, axis, printed exponent of the noise's part of the error: in Theorem 3.1, and in Theorem F.1.
EXPONENTS = (
    ("over n", "n", -1.0), ("over T", "T", 0.5), ("over rho1", "rho1", -0.5), ("over rho2", "rho2", -0.5),
    ("over both", "rho1", -0.5),
)  # fmt: skip
ALGORITHM_3 = (("Algorithm 3 n", "n", -1.0), ("Algorithm 3 T", "T", 0.5), ("Algorithm 3 rho2", "rho2", -0.5))
AXES = (("over n", "n"), ("over p", "p"), ("over q", "q"), ("over T", "T"), ("over both", "rho1"))
# Column of the table with the quantile 1 - exp(-tau), by tau.
QUANTILES = {0.6931: "median", 1.3863: "q75", 2.3026: "q90", 2.9957: "q95", 3.6889: "q975"}
# A quantile's standard error in those of the mean, for a normal law at most.
OF_QUANTILE = 3.0
# Points at the end of an axis from which an exponent over an order is told.
LAST = 3
# Below it a noise-free error is rounding.
ROUNDING = 1e-13


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the parts of the error, their orders, the steps, Theorem F.1 and long runs."""
    yield _optimisation(evidence)
    yield _printed(evidence, "thm-3.1-privacy-part", EXPONENTS, "Theorem 3.1, Remark 3.5")
    yield _hidden_constants(evidence)
    yield _confidence(evidence)
    yield from _steps(evidence)
    yield _printed(evidence, "theorem-F.1-privacy-part", ALGORITHM_3, "Theorem F.1")
    yield from _long_runs(evidence)
    yield _consistency(evidence)


def rows_of(evidence: Evidence, panel: str, quantity: str) -> pd.DataFrame:
    """The rows of one quantity along one axis."""
    return evidence.select(TABLE, panel=panel, quantity=quantity)


def exponent_over(rows: pd.DataFrame, axis: str, order: "Callable[[pd.Series[float]], float]") -> Estimate:
    """The exponent of the mean over an order, by a line through the last points of an axis: an order is about its end."""
    ends = rows[rows[axis].isin(sorted(set(rows[axis]))[-LAST:])].reset_index(drop=True)
    return algebra.line(algebra.scaled(ends, np.array([1.0 / order(row) for row in algebra.each(ends)])), axis)


def problem_of(row: "pd.Series[float]") -> prescriptions.IVProblem:
    """What the theory knows of the design of fixed singular values at a place of the table."""
    return cases.problem_at(int(row["n"]), int(row["p"]), int(row["q"]), float(row["tau"]))


def _optimisation(evidence: Evidence) -> Claim:
    rows = rows_of(evidence, "path", "(7) optimisation part").sort_values("T")
    kappa = cases.case(evidence, cases.FIGURE_3A, n=int(rows["n"].max()) if len(rows) else 10000).kappa
    return claim(
        id="thm-3.1-optimisation", artefact=TABLE, location="Theorem 3.1, eq. (7)", kind="theorem", source="paper",
        statement="the optimisation part of the error decays geometrically, at least as fast as kappa^(T/2)",
        quantity="decay of the log error a step without noise, over that of kappa^(T/2), at the design of Figure 3(a)",
        measured=_decay(rows[rows["mean"] > ROUNDING], 0.5 * math.log(1.0 / kappa)) if kappa < 1 else NOTHING,
        criterion=at_least(1.0, words="at least 1"), note=f"kappa is {kappa:.4f} at the constants of the step sizes",
    )  # fmt: skip


def _decay(rows: pd.DataFrame, printed: float) -> Estimate:
    if rows["T"].nunique() < 2:
        return NOTHING
    first, last = rows.iloc[0], rows.iloc[-1]
    steps = float(last["T"] - first["T"]) * printed
    half = math.hypot(*(half_width(row) / row["mean"] for row in (first, last)))
    value = math.log(first["mean"] / last["mean"])
    return Estimate(value / steps, (value - half) / steps, (value + half) / steps)


def _printed(evidence: Evidence, name: str, exponents: tuple[tuple[str, str, float], ...], where: str) -> Claim:
    cells = {
        f"{panel}: {printed:g}": less(algebra.exponent(rows_of(evidence, panel, PRIVACY), axis), printed)
        for panel, axis, printed in exponents
    }
    made = {
        "thm-3.1-privacy-part": "the privacy part of the error scales as sqrt(T) / (n sqrt(min(rho1, rho2)))",
        "theorem-F.1-privacy-part": "the privacy part of Algorithm 3's error scales as sqrt(T) / (n sqrt(rho2))",
    }  # fmt: skip
    return every(
        id=name, artefact=TABLE, location=where, kind="theorem", source="paper",
        statement=made[name],
        quantity="exponent of the distance between runs with and without noise, less the printed one, by axis",
        cells=cells, criterion=AS_PRINTED,
        note="without clipping, where it is proved; the threshold's logarithm of n T is in the measured exponent and not in the printed one",
    )  # fmt: skip


def _hidden_constants(evidence: Evidence) -> Claim:
    cells = {panel: exponent_over(rows_of(evidence, panel, PRIVACY), axis, _privacy) for panel, axis in AXES}
    return every(
        id="thm-3.1-hidden-constants", artefact=TABLE, location="after Theorem 3.1", kind="theorem", source="paper",
        statement="what the privacy term of (7) hides does not depend on n, p, q, T, rho1 and rho2",
        quantity="exponent of the privacy part over the privacy term of (7), by axis, at fixed singular values of Theta and norm of beta",
        cells=cells, criterion=NO_FASTER,
    )  # fmt: skip


def _privacy(row: "pd.Series[float]") -> float:
    return error_bounds.bound_terms(problem_of(row), 0.5, row["rho1"], row["rho2"], row["T"]).privacy


def _whole(row: "pd.Series[float]") -> float:
    problem = problem_of(row)
    window = prescriptions.Spectrum(0.0, problem.theta_min**2, problem.theta_norm**2)
    kappa = prescriptions.contraction(window, prescriptions.recommended_step_sizes(window)).overall
    return error_bounds.bound_terms(problem, kappa, row["rho1"], row["rho2"], row["T"]).total


def _confidence(evidence: Evidence) -> Claim:
    parts = (("privacy part", PRIVACY, _privacy), ("whole error", "error to beta_hat", _whole))
    return every(
        id="thm-3.1-confidence", artefact=TABLE, location="Theorem 3.1, eq. (7)", kind="theorem", source="paper",
        statement="with threshold (4) at tau, the bound fails with probability at most of order exp(-tau)",
        quantity="exponent in tau of the quantile 1 - exp(-tau) over the bound at tau, tau = 0.7 to 3.7",
        cells={name: exponent_over(_quantiles(rows_of(evidence, "over tau", what)), "tau", order) for name, what, order in parts},
        criterion=NO_FASTER,
    )  # fmt: skip


def _quantiles(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with the quantile 1 - exp(-tau) for a mean; a tau without such a column is left out."""
    known = rows[rows["tau"].round(4).isin(QUANTILES)].reset_index(drop=True)
    values = [row[QUANTILES[round(float(row["tau"]), 4)]] for row in algebra.each(known)]
    return known.assign(mean=values, se=OF_QUANTILE * known["se"])


def _steps(evidence: Evidence) -> Iterator[Claim]:
    table = evidence.select(TABLE, panel="steps")
    yield every(
        id="condition-3-suffices", artefact=TABLE, location="Theorem 3.1, eq. (3)", kind="theorem", source="paper",
        statement="step sizes below the ceilings (3) suffice for both stages to converge",
        quantity="noise-free error at T = 200 over that at T = 100, over steps from 0.1 to 0.99 of both ceilings, p = q = 5 and 20",
        cells=algebra.means(table, ["quantity", "p"]), criterion=at_most(0.9999, words="below 1"),
    )  # fmt: skip
    slow = evidence.select(TABLE, quantity="(10) speed over the slower stage's")
    yield every(
        id="eq-10-slower-stage", artefact=TABLE, location="eq. (10)", kind="theorem", source="paper",
        statement="the contraction factor is the larger of both stages' factors: the slower one sets the speed",
        quantity="log factor of the noise-free error a step over that of the slower stage, with a small step in either stage",
        cells=algebra.means(slow, ["panel"]), criterion=about(1.0, RATE),
    )  # fmt: skip


def _long_runs(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("ext_long_runs").sort_values("T")
    yield claim(
        id="theorem-F.1-any-T", artefact="ext_long_runs", location="Theorem F.1, App. F.1", kind="theorem", source="paper",
        statement="the bound on Algorithm 3 holds for all T, without a restriction",
        quantity="exponent in T of the mean error over sqrt(T) times threshold (4), over the last three T, p = q = 1, n = 200, rho2 = 0.1",
        measured=exponent_over(rows, "T", lambda row: _unit(evidence, row)),
        criterion=NO_FASTER,
        note=_condition_6(evidence),
    )  # fmt: skip
    yield claim(
        id="lemma-D.1-condition", artefact="ext_long_runs", location="Lemma D.1", kind="theorem", source="paper",
        statement="that nothing is clipped needs n of order (sqrt q + sqrt tau)^3 sqrt(T / rho2)",
        quantity="share of second-stage gradients clipped at the largest T, where n is far below it, over that at the smallest",
        measured=_clipped(rows), criterion=at_least(SIGNIFICANT),
    )  # fmt: skip


def _unit(evidence: Evidence, row: "pd.Series[float]") -> float:
    c0, tau = evidence.settings["clip_constant"], evidence.settings["tau"]
    return math.sqrt(row["T"]) * prescriptions.clipping_threshold(c0, int(row["n"]), 1, row["T"], tau)


def _clipped(rows: pd.DataFrame) -> Estimate:
    """Ratio of clipped shares at both ends; shares that are rare at both say nothing of the condition."""
    if rows["T"].nunique() < 2 or rows["clip_fraction_stage2"].max() < RARELY:
        return NOTHING
    shares = rows["clip_fraction_stage2"].to_numpy()
    value = float(shares[-1] / max(shares[0], RARELY))
    return Estimate(value, value, value)


def _condition_6(evidence: Evidence) -> str:
    """How far the runs are inside of the theorem's condition on n, for a note."""
    tau = evidence.settings["tau"]
    needed = max(tau**2, (1.0 + math.sqrt(tau)) ** 3 / math.sqrt(0.1))
    return (
        f"its condition on n, n >= {needed:.0f} at constant 1, is met, and at a larger constant the same happens at a larger T: the noise of a step "
        "grows with sqrt(T) while the clipped gradient that answers it is at most gamma"
    )


def _consistency(evidence: Evidence) -> Claim:
    rows = evidence.select("ext_consistency", error_to="beta")
    middle = math.sqrt(rows["n"].min() * rows["n"].max()) if len(rows) else math.nan
    halves = {"n below the middle": rows[rows["n"] <= middle], "n above the middle": rows[rows["n"] >= middle]}
    return every(
        id="abstract-consistency", artefact="ext_consistency", location="abstract, Theorem 3.1", kind="theorem", source="paper",
        statement="the algorithm achieves consistency: at a fixed budget the error tends to 0 as n grows",
        quantity="log-log slope in n of the mean error to beta in either half of the grid, T of order log n, rho1 = rho2 = 5",
        cells={name: algebra.line(half, "n") for name, half in halves.items()},
        criterion=at_most(-RATE, ": an error that tends to a constant has slope 0"),
    )  # fmt: skip
