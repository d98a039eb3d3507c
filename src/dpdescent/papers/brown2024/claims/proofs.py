"""Claims about sizes that Sec. 1.2 and the proofs bound: gradients, residuals, noise, spectra."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.brown2024.experiments.table_proofs import (
    CAUCHY_SCHWARZ,
    CONDITION_NUMBER,
    ESTIMATE,
    GRADIENT,
    KERNEL,
    NOISE,
    NOISE_OVER_C0,
    PROJECTION,
    RESIDUAL,
    STEP,
)
from dpdescent.papers.brown2024.reading import CLOSE, COMPARABLE, GROWN, RATE, claim, every
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.criteria import ABOVE_0, Criterion, at_most, between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly

NEW = "Added after a review."
# Quantile columns by the failure probability that they leave.
TAILS = {"q75": 0.25, "q90": 0.1, "q95": 0.05, "q975": 0.025}
# Id, place, quantity of the table, what it is called, the highest exponent of p, statement.
ORDERS = (
    ("gradients-root-p", "Sec. 1.2", GRADIENT, 0.5, "the gradients are bounded by roughly sqrt(p), ignoring logarithmic factors"),
    ("gradients-cauchy-schwarz", "Sec. 1.2", CAUCHY_SCHWARZ, 1.0, "by Cauchy-Schwarz gradients are likely bounded by order p"),
    ("residual-after-a-step", "(5)", RESIDUAL, 0.0, "after one noisy step from theta* residuals remain bounded"),
    ("noise-after-a-step", "(5)", STEP, 0.0, "the noise of one step has a norm of O(1)"),
    ("noise-ratio-linear", "Lemma 2.5", NOISE, 1.0,
     "gamma / (eta lambda) need grow no faster than p for noise to clip nothing"),
)  # fmt: skip
# Id, place, quantity: ratios to a bound that their 0.95 quantile must not exceed.
BOUNDED = (
    ("eq-33", "(33)", PROJECTION, "all |x_i'(I - eta Sigma)^s z_t| are at most 2 c0 lambda sqrt(p) (7/8)^s sqrt(ln(2nT/beta))"),
    ("eq-67", "(67)", KERNEL, "sum_j (x_i' A_t x_j)^2 is at most 8 c1^2 n p"),
    ("eq-80", "(80)", ESTIMATE, "||theta_hat - theta*|| is at most 2 c0^2 sigma sqrt(p), c0 of the data"),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on orders in p, on bounds of the proofs, on shapes, and on how many records spectra need."""
    rows = evidence.select("table_proofs", panel="dimension")
    for id, location, quantity, power, statement in ORDERS:
        yield _order(rows, id, location, quantity, power, statement)
    yield _gap(rows)
    table = evidence.select("table_proofs")
    for id, location, quantity, statement in BOUNDED:
        chosen = table[table["quantity"] == quantity]
        yield every(
            id=id, artefact="table_proofs", location=location, kind="theorem", source="paper", statement=statement,
            quantity="0.95 quantile over data sets of the size over its bound, largest over n and p",
            cells=algebra.means(chosen, ["p", "n"], _upper), criterion=at_most(1.0), changed=NEW,
            note="the quantile is taken as exact; the bounds are far from sharp",
        )  # fmt: skip
    yield from _shapes(table, rows)
    yield _noise_ratio(evidence)
    yield from _records(evidence)


def _order(rows: pd.DataFrame, id: str, location: str, quantity: str, power: float, statement: str) -> Claim:
    chosen = rows[(rows["quantity"] == quantity) & (rows["p"] >= GROWN) & rows["T"].isin([1, 20])]
    return claim(
        id=id, artefact="table_proofs", location=location, kind="text", source="paper", statement=statement,
        quantity=f"log-log slope in p at n = 100p of: {quantity}; p >= {GROWN}",
        measured=algebra.exponent(chosen, "p"), criterion=at_most(power + RATE), changed=NEW,
        note="logarithms of n, which the order leaves out, grow with p here",
    )  # fmt: skip


def _gap(rows: pd.DataFrame) -> Claim:
    large = rows[rows["p"] >= GROWN]
    gaps = algebra.pairs(large[large["quantity"] == CAUCHY_SCHWARZ], large[large["quantity"] == GRADIENT], ["p"])
    over = pd.DataFrame([_ratio_row(first, second) for first, second in gaps], columns=["p", "mean", "se", "trials"])
    return claim(
        id="cauchy-schwarz-is-loose", artefact="table_proofs", location="Sec. 1.2", kind="text", source="paper",
        statement="the gradients are bounded by roughly sqrt(p), where a standard application of Cauchy-Schwarz has order p",
        quantity=f"log-log slope in p at n = 100p of what Cauchy-Schwarz allows over the largest gradient, p >= {GROWN}",
        measured=algebra.exponent(over, "p"), criterion=ABOVE_0, changed=NEW,
    )  # fmt: skip


def _ratio_row(first: "pd.Series[float]", second: "pd.Series[float]") -> dict[str, float]:
    mean = first["mean"] / second["mean"]
    relative = math.hypot(first["se"] / first["mean"], second["se"] / second["mean"])
    return {"p": first["p"], "mean": mean, "se": mean * relative, "trials": first["trials"]}


def _upper(row: "pd.Series[float]") -> Estimate:
    return exactly(row["q95"])


def _shapes(table: pd.DataFrame, rows: pd.DataFrame) -> Iterator[Claim]:
    round_ = table[table["quantity"].str.startswith("C.6")]
    cells = algebra.by(
        round_, ["quantity"], lambda own: statistics.pooled(list(algebra.means(own, ["p", "n"]).values()))
    )
    yield every(
        id="lemma-c.6", artefact="table_proofs", location="Lemma C.6", kind="theorem", source="paper",
        statement="the vectors (I - eta Sigma)^t x_i are spherically symmetric",
        quantity="second and fourth moment of a direction's first coordinate over those of the uniform distribution on the "
        "sphere, geometric mean over sizes, the farther one from 1",
        cells=cells, criterion=between(1 - CLOSE, 1 + CLOSE), changed=NEW,
    )  # fmt: skip
    shape = rows[rows["quantity"] == CONDITION_NUMBER]
    yield every(
        id="nearly-spherical", artefact="table_proofs", location="Sec. 1.1", kind="text", source="paper",
        statement="the stationary covariance c A is nearly spherical", quantity="condition number of A at n = 100p, largest over p",
        cells=algebra.means(shape, ["p"]), criterion=at_most(COMPARABLE), changed=NEW,
    )  # fmt: skip


def _noise_ratio(evidence: Evidence) -> Claim:
    """Judges the logarithm of Lemma 2.5 on what noise alone does, per c0^2, as in the lemma."""
    table = evidence.select("table_proofs", quantity=NOISE_OVER_C0, p=10)
    needed = [
        row[column] / math.sqrt(math.log(2.0 * row["n"] * row["T"] / beta))
        for row in algebra.each(table) for column, beta in TAILS.items()
    ]  # fmt: skip
    return claim(
        id="noise-ratio-logarithm", artefact="table_proofs", location="Lemma 2.5", kind="theorem", source="paper",
        statement="gamma / (eta lambda) depends on n, T and beta through sqrt(ln(2nT/beta)) only",
        quantity="ratio below which noise alone clips, per c0^2 sqrt(ln(2nT/beta)): largest over smallest over n, T and beta, p = 10",
        measured=algebra.spread(needed), criterion=at_most(COMPARABLE, ": one constant serves all"), changed=NEW,
        note=f"n, T and ln(1/beta) change by factors of {_range(table, 'n'):g}, {_range(table, 'T'):g} and "
        f"{math.log(min(TAILS.values())) / math.log(max(TAILS.values())):.2g}; quantiles are taken as exact",
    )  # fmt: skip


def _range(table: pd.DataFrame, column: str) -> float:
    return float(table[column].max() / table[column].min()) if len(table) else math.nan


def _records(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("table_proofs", panel="spectrum")
    upper = rows.assign(mean=rows["q95"], se=0.0)
    yield claim(
        id="records-linear", artefact="table_proofs", location="Lemma 2.6, Claim A.10", kind="theorem", source="paper",
        statement="part (i) of the No-Clipping Condition holds from an n of order p on",
        quantity="log-log slope in p of the n from which I/2 <= X'X/n <= 2I holds for 95 % of the data sets",
        measured=algebra.exponent(upper, "p"), criterion=at_most(1.0 + RATE), changed=NEW,
        note="of the five parts only this one asks for a least n",
    )  # fmt: skip
    yield every(
        id="records-logarithm", artefact="table_proofs", location="Lemma 2.6, Claim A.10", kind="theorem", source="paper",
        statement="that n grows with beta only as ln(1/beta)",
        quantity="the n needed with probability 1 - beta over p + ln(1/beta): largest over smallest over beta, by p",
        cells=algebra.by(rows, ["p"], _over_beta), criterion=_one_constant(), changed=NEW,
        note=f"beta from {max(TAILS.values()):g} to {min(TAILS.values()):g}; quantiles are taken as exact",
    )  # fmt: skip


def _over_beta(rows: pd.DataFrame) -> Estimate:
    row = rows.iloc[0]
    return algebra.spread(row[column] / (row["p"] + math.log(1.0 / beta)) for column, beta in TAILS.items())


def _one_constant() -> Criterion:
    return at_most(COMPARABLE, ": one constant serves all")
