"""Claims about what the lemmas bound: how moments, gradients and noise grow, and what instruments are for (Sec. 1)."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.liang2025.claims.rates import NO_FASTER, TABLE, exponent_over, problem_of, rows_of
from dpdescent.papers.liang2025.reading import COMPARABLE, RATE, every
from dpdescent.papers.liang2025.theory import error_bounds
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import about, at_least
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, less

# Quantities that fall like 1 / sqrt(n).
FALLING = (
    "D.2 ||Z'Z/n - I||", "D.3 ||Z'E2||/n", "D.5 ||Theta_hat - Theta||", "D.7 ||beta_hat - beta||", "D.8 ||Z'r||/n",
)  # fmt: skip
# Below it Z'r is rounding: it is 0 where p = q.
ROUNDING = 1e-12


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on instruments, on moments, on noise, on gradients, and on moment vectors."""
    yield from _instruments(evidence)
    yield from _moments(evidence)
    yield from _noise(evidence)
    yield _gradients(evidence)
    yield _distances(evidence)


def _instruments(evidence: Evidence) -> Iterator[Claim]:
    plain, staged = "least squares to beta", "D.7 ||beta_hat - beta||"
    yield every(
        id="sec-1-endogeneity", artefact=TABLE, location="Sec. 1, Assumption 1", kind="text", source="paper",
        statement="least squares under a confounder, and 2SLS without relevance or without exclusion, are not consistent",
        quantity="mean error to beta at the largest n over that at the smallest, a thousand times smaller",
        cells={
            "least squares, valid instruments": algebra.ends(rows_of(evidence, "valid", plain), "n"),
            "2SLS, irrelevant instruments": algebra.ends(rows_of(evidence, "irrelevant", staged), "n"),
            "2SLS, instruments with a direct effect": algebra.ends(rows_of(evidence, "forbidden", staged), "n"),
        },
        criterion=at_least(1.0 / COMPARABLE, ": a consistent estimator's goes to 0"),
    )  # fmt: skip
    yield every(
        id="sec-1-2sls-consistent", artefact=TABLE, location="Sec. 1, Lemma D.7", kind="text", source="paper",
        statement="with valid instruments 2SLS is consistent, at the rate 1/sqrt(n)",
        quantity="exponent in n of the mean error of 2SLS to beta, p = 5, q = 10, n = 1000 to 1,000,000",
        cells={"valid": algebra.exponent(rows_of(evidence, "valid", staged), "n")},
        criterion=about(-0.5, RATE),
    )  # fmt: skip


def _moments(evidence: Evidence) -> Iterator[Claim]:
    yield every(
        id="lemmas-rate-in-n", artefact=TABLE, location="Lemmas D.2, D.3, D.5, D.7, D.8", kind="theorem", source="paper",
        statement="deviations of sample moments and of both estimators fall as 1/sqrt(n)",
        quantity="exponent in n of the mean of each quantity, p = 5, q = 10",
        cells={name: algebra.exponent(rows_of(evidence, "over n", name), "n") for name in FALLING},
        criterion=about(-0.5, RATE),
    )  # fmt: skip
    yield every(
        id="lemmas-order-in-dimensions", artefact=TABLE, location="Lemmas D.2 to D.5, D.7, D.8", kind="theorem", source="paper",
        statement="the same quantities and the accumulated noise grow with p and q at most as the lemmas say",
        quantity="exponent of the mean of each quantity over its order, in p or q",
        cells=dict(_over_orders(evidence)), criterion=NO_FASTER,
        note="orders are upper bounds: norms of p by q matrices grow like sqrt(p) + sqrt(q), not sqrt(pq); Lemma D.7 is judged along p = q, where 2SLS grows with p",
    )  # fmt: skip
    least = evidence.select(TABLE, panel="least n")
    norms = [least[least["quantity"] == f"App. C ||{name}||"] for name in ("Theta_hat", "beta_hat")]
    yield every(
        id="app-C-norms", artefact=TABLE, location="App. C, above (16)", kind="theorem", source="paper",
        statement="for n of order pq (tau + log pq)^2 the norms of Theta_hat and beta_hat are bounded by constants",
        quantity="exponent in p of each mean norm at that n, p = q = 2 to 50, at a Theta of norm 5 and a beta of norm 1",
        cells={name: algebra.line(rows, "p") for name, rows in zip(("Theta_hat", "beta_hat"), norms, strict=True)},
        criterion=NO_FASTER,
    )  # fmt: skip


def _over_orders(evidence: Evidence) -> Iterator[tuple[str, Estimate]]:
    def both(row: "pd.Series[float]") -> float:
        return error_bounds.sampling_root(problem_of(row))

    orders = {
        "D.2 ||Z'Z/n - I||": lambda row: math.sqrt(row["q"]),
        "D.3 ||Z'E2||/n": both, "D.5 ||Theta_hat - Theta||": both, "D.8 ||Z'r||/n": both,
        "D.4 ||N|| / lambda1": lambda row: math.sqrt(row["p"] * row["q"]),
    }  # fmt: skip
    for name, order in orders.items():
        for axis in ("p", "q"):
            rows = rows_of(evidence, f"over {axis}", name)
            # Z'r has q - p dimensions, which are most of them where q is several times p.
            chosen = (
                rows[rows["mean"] > ROUNDING] if axis == "p" or "r||" not in name else rows[rows["q"] >= 4 * rows["p"]]
            )
            yield f"{name}, {axis}", exponent_over(chosen, axis, order)
    rows = rows_of(evidence, "least n", "D.7 ||beta_hat - beta||")
    yield "D.7 ||beta_hat - beta||, p = q", exponent_over(rows, "q", _two_stage)


def _two_stage(row: "pd.Series[float]") -> float:
    return float(math.sqrt(row["q"] / row["n"]) * (row["tau"] + math.log(row["q"])))


def _noise(evidence: Evidence) -> Iterator[Claim]:
    rows = rows_of(evidence, "over T", "D.4 ||N|| / lambda1")
    yield every(
        id="lemma-D.4-level", artefact=TABLE, location="Lemma D.4", kind="theorem", source="paper",
        statement="at a fixed noise scale the accumulated noise of the first stage does not grow with the iterations",
        quantity="exponent in T of the mean norm of the accumulated noise over lambda1, T = 20 to 2000",
        cells={"over T": algebra.line(rows, "T")}, criterion=NO_FASTER,
    )  # fmt: skip


def _gradients(evidence: Evidence) -> Claim:
    cells = {}
    for axis in ("n", "q", "T"):
        for stage in (1, 2):
            rows = rows_of(evidence, f"gradients {axis}", f"D.1 largest gradient, stage {stage}")
            cells[f"stage {stage}, {axis}"] = exponent_over(rows, axis, _threshold)
    return every(
        id="lemma-D.1-gradients", artefact=TABLE, location="Lemma D.1, App. E.1", kind="theorem", source="paper",
        statement="the largest per-record gradient grows with q and with log(nT) at most as (sqrt q + sqrt(tau + log nT))^2",
        quantity="exponent of the mean largest gradient of either stage over that order, in n, q and T",
        cells=cells, criterion=NO_FASTER,
    )  # fmt: skip


def _threshold(row: "pd.Series[float]") -> float:
    return float((math.sqrt(row["q"]) + math.sqrt(row["tau"] + math.log(row["n"] * row["T"]))) ** 2)


def _distances(evidence: Evidence) -> Claim:
    rows = rows_of(evidence, "diameter", "App. F.2 distance of moment vectors")
    dimension = [q * q + p * q + q for p, q in zip(rows["p"], rows["q"], strict=True)]
    placed = rows.assign(root_d=[math.sqrt(d) + math.sqrt(tau) for d, tau in zip(dimension, rows["tau"], strict=True)])
    return every(
        id="app-F.2-diameter", artefact=TABLE, location="App. F.2", kind="text", source="paper",
        statement="a record's moment vector has an effective diameter of order sqrt(d) + sqrt(tau)",
        quantity="exponent of the mean distance of two records' moment vectors in sqrt(d) + sqrt(tau), q = 5 to 40, less 1",
        cells={"over q": less(algebra.line(placed, "root_d"), 1.0)}, criterion=NO_FASTER,
        note="x and y grow with Theta and beta, which are fixed",
    )  # fmt: skip
