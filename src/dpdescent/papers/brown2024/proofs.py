"""Sizes that Sec. 1.2 and the proofs of App. C bound or take for granted: gradients, residuals, noise, spectra.

They are measured on normal data sets, in runs without clipping (`table_proofs`). The rows of bounds are on printed
factors, a printed condition and sensitivity, which one exact example decides.
"""

import math
from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from dpdescent.algorithms import dp_gd
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.checks import require_non_negative
from dpdescent.data.linear import LinearSample
from dpdescent.papers.brown2024 import condition
from dpdescent.papers.brown2024.accuracy import theorem_records, theorem_steps
from dpdescent.papers.brown2024.criteria import CLOSE, COMPARABLE, GROWN, NEW, RATE, TAILS, claim, claim_on_all_cells
from dpdescent.papers.brown2024.formulas import CONTRACTION
from dpdescent.papers.brown2024.setting import (
    Array,
    Release,
    Row,
    Setting,
    Spec,
    law_of,
    panel_of,
    released,
    sample_of,
    trial_stream,
    unclipped,
)
from dpdescent.replication.judging import algebra, records, statistics
from dpdescent.replication.judging.bound_rows import bound_row
from dpdescent.replication.judging.criteria import ABOVE_0, at_most, between
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence, Source
from dpdescent.replication.judging.statistics import Estimate, exactly

# The quantities of the table, as its rows name them.
GRADIENT = "largest gradient of a run without clipping"
CAUCHY_SCHWARZ = "largest |x_i|^2 |theta_t - theta*| + |x_i| |xi_i| of that run"
RESIDUAL = "largest residual after one step from theta*"
STEP = "length of that step's noise"
NOISE = "largest |x_i| |x_i'(theta_t - E theta_t)| over eta lambda"
NOISE_OVER_C0 = "the same over c0^2, c0 = max |x_i| / sqrt(p)"
PROJECTION = "(33): largest |x_i' M^s z_t| over its bound"
NOISE_TERM = "(50): largest |x_i' eta z'_t| over its bound"
KERNEL = "(67): largest sum_j (x_i' A_t x_j)^2 over its bound"
ESTIMATE = "(80): |theta_hat - theta*| over 2 c0^2 sigma sqrt(p)"
DIRECTION = "C.6: p u_1^2 for the direction u of M^t x_i"
FOURTH = "C.6: p (p + 2) u_1^4 / 3"
CONDITION_NUMBER = "condition number of A"
RECORDS = "A.10: n from which I/2 <= X'X/n <= 2I"
# Power of M at which directions are taken.
POWER = 5

# Quantity, number of steps and value on one data set.
Measured = Iterator[tuple[str, int, float]]


# Runs


def run_table_proofs(spec: Spec) -> Iterator[Row]:
    """Yields rows of one size: every quantity on each data set."""
    cell, panel = spec["cell"], panel_of(spec)
    p, n = cell["p"], cell["p"] * cell["n_over_p"]
    for trial in range(*spec["trials"]):
        if spec["panel"] == "spectrum":
            measured: Iterable[tuple[str, int, float]] = [(RECORDS, 0, _records_needed(spec, p, n, trial))]
        else:
            measured = _quantities_of(spec, *sample_of(spec, p, n, trial), trial)
        for quantity, T, value in measured:
            yield {
                "panel": panel, "quantity": quantity, "n": n, "p": p, "T": T, "series": "measured", "trial": trial,
                "value": value,
            }  # fmt: skip


def _quantities_of(spec: Spec, sample: LinearSample, theta_star: Array, trial: int) -> Measured:
    """Yields every quantity on one data set; the longest run serves all numbers of steps."""
    setting, longest = setting_of(spec, sample.n, sample.p), max(spec["arms"]["steps"])
    T, c0 = setting.T, float(sample.norms.max()) / sample.p**0.5
    normals = trial_stream(spec, sample.p, sample.n, trial, "proofs").standard_normal((longest, 1, 1, sample.p))
    arms = dp_gd.DPGDArms.alike(1, longest, setting.eta, np.inf, setting.noise_sd)
    path = dp_gd.descend([sample], arms, normals, record=True).path
    assert path is not None
    theta, residuals, law = path[:, 0, 0], sample.y - sample.X @ theta_star, law_of(sample, setting)
    # The largest gradient of T steps from zero, and its bound by the Cauchy-Schwarz inequality alone.
    visited = np.vstack([np.zeros(sample.p), theta[: T - 1]])
    gradients = np.abs(sample.y[:, None] - sample.X @ visited.T).max(axis=1) * sample.norms
    away = float(np.linalg.norm(visited - theta_star, axis=1).max())
    yield GRADIENT, T, float(gradients.max())
    yield CAUCHY_SCHWARZ, T, float((sample.norms * (sample.norms * away + np.abs(residuals))).max())
    # For every number of steps the largest gradient that noise alone makes, in units of eta lambda.
    centred = theta - np.array([law.mean(t + 1) for t in range(len(theta))])
    sizes = np.abs(sample.X @ centred.T) * sample.norms[:, None]
    for steps in spec["arms"]["steps"]:
        largest = float(sizes[:, :steps].max()) / (law.eta * law.noise_sd)
        yield NOISE, steps, largest
        yield NOISE_OVER_C0, steps, largest / c0**2
    # The largest ratio of |x_i' M^s z_t| to its bound, at the c0 that the covariates alone need.
    worst, along = 0.0, setting.noise_sd * normals[:T, 0, 0] @ law.eigenvectors
    for s in range(T):
        bound = condition.noise_projection(
            c0=c0, noise_sd=setting.noise_sd, n=sample.n, p=sample.p, T=T, t=s, beta=spec["settings"]["beta"]
        )
        moved = (along * law.contraction**s) @ law.eigenvectors.T
        worst = max(worst, float(np.abs(sample.X @ moved.T).max()) / bound)
    yield PROJECTION, T, worst
    # Term (iii) of (43), at the same c0: eta times the sum of (33) at s = 0, 1, ..., which is eight times the first.
    first = condition.noise_projection(
        c0=c0, noise_sd=setting.noise_sd, n=sample.n, p=sample.p, T=T, t=0, beta=spec["settings"]["beta"]
    )
    yield NOISE_TERM, T, float(np.abs(sample.X @ centred[:T].T).max()) / (8.0 * law.eta * first)
    # The length of the noise of one step from theta*, and the largest residual after it (eq. 5).
    noise = setting.eta * setting.noise_sd * normals[0, 0, 0]
    stepped = theta_star + setting.eta * (residuals @ sample.X) / sample.n + noise
    yield STEP, 1, float(np.linalg.norm(noise))
    yield RESIDUAL, 1, float(np.abs(sample.y - sample.X @ stepped).max())
    yield from _quantities_of_data(spec, sample, theta_star, setting)


def _quantities_of_data(spec: Spec, sample: LinearSample, theta_star: Array, setting: Setting) -> Measured:
    """Yields the quantities of the data alone: the kernel, the estimate, directions, the covariance's shape."""
    T, beta, p, law = setting.T, spec["settings"]["beta"], sample.p, law_of(sample, setting)
    c1 = condition.covariate_constant(n=sample.n, p=p, beta=beta)
    ceiling = condition.kernel_bound(c1=c1, n=sample.n, p=p)
    along, summed = sample.X @ law.eigenvectors, np.zeros(p)
    worst = 0.0
    for t in range(T):
        summed = summed + law.eta * law.contraction**t
        worst = max(worst, float(((along * summed) ** 2 @ law.eigenvalues).max()) * sample.n)
    yield KERNEL, T, worst / ceiling
    c0 = condition.condition(sample, theta_star, sigma=1.0, eta=law.eta, T=T).c0
    away = float(np.linalg.norm(linear_least_squares(sample.gram) - theta_star))
    yield ESTIMATE, T, away / (2.0 * c0**2 * p**0.5)
    moved = contracted_covariates(sample, law.eta, POWER)
    first = (moved[:, 0] / np.linalg.norm(moved, axis=1)) ** 2
    yield DIRECTION, POWER, float(p * first.mean())
    yield FOURTH, POWER, float(p * (p + 2) / 3.0 * (first**2).mean())
    yield CONDITION_NUMBER, 0, float(law.stationary_variances.max() / law.stationary_variances.min())


def contracted_covariates(sample: LinearSample, eta: float, t: int) -> Array:
    """Returns `(I - eta Sigma)^t x_i` of every record, shape (n, p) (brown2024 Lemma C.6).

    Their law is spherically symmetric, because a rotation of all covariates rotates them and leaves the law of
    Gaussian covariates as it is.
    """
    require_non_negative(t=t)
    M = np.eye(sample.p) - eta / sample.n * sample.gram.xx
    contracted: Array = sample.X @ np.linalg.matrix_power(M, t)
    return contracted


def _records_needed(spec: Spec, p: int, most: int, trial: int) -> float:
    """Returns the smallest n, in blocks of p/2 records, from which on part (i) holds up to the largest one."""
    rng = trial_stream(spec, p, 0, trial, "spectrum")
    block, total, last = max(p // 2, 1), np.zeros((p, p)), 0
    for n in range(block, most + 1, block):
        X = rng.standard_normal((block, p))
        total += X.T @ X
        s = np.linalg.eigvalsh(total / n)
        if s[0] < 0.5 or s[-1] > 2.0:
            last = n
    return float(last + block)


def setting_of(spec: Spec, n: int, p: int) -> Setting:
    """Returns the paper's setting, whose noise the runs have."""
    return Setting.of(spec, n, p, spec["arms"]["T"], spec["settings"]["clip_factor"])


def releases_table_proofs(spec: Spec) -> Iterator[Release]:
    """Yields the ledger entry of one panel: runs without clipping, whose sensitivity has no bound."""
    p, n = spec["cell"]["p"], spec["cell"]["p"] * spec["cell"]["n_over_p"]
    event = unclipped()
    arms = [(f"{event.name}, {spec['panel']}, p={p} n={n}", event)]
    return released(spec, arms if spec["panel"] != "spectrum" else [])


# Claims

TABLE: records.Place = {"artefact": "table_proofs", "location": "Sec. 1.2", "kind": "text", "source": "paper"}
A_10 = TABLE | {"location": "Lemma 2.6, Claim A.10", "kind": "theorem"}
# Id, place, quantity of the table, the highest exponent of p, statement.
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
    ("eq-50", "(43), (50)", NOISE_TERM,
     "term (iii), all |x_i' eta z'_t|, is at most 16 c0 eta lambda sqrt(p) sqrt(ln(2nT/beta))"),
    ("eq-67", "(67)", KERNEL, "sum_j (x_i' A_t x_j)^2 is at most 8 c1^2 n p"),
    ("eq-80", "(80)", ESTIMATE, "||theta_hat - theta*|| is at most 2 c0^2 sigma sqrt(p), c0 of the data"),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on orders in p, on bounds of the proofs, on shapes, and on how many records spectra need."""
    rows = evidence.select("table_proofs", panel="dimension")
    large = rows[rows["p"] >= GROWN]
    for id, location, quantity, exponent, statement in ORDERS:
        chosen = large[(large["quantity"] == quantity) & large["T"].isin([1, 20])]
        # The noise of one step is eta lambda sqrt(p), in which p cancels at n = 100p; lengths that are multiplied are
        # what Cauchy-Schwarz is, and the longest of n normal vectors is of order sqrt(p + ln n).
        source: Source = "identity" if quantity in (STEP, CAUCHY_SCHWARZ) else "paper"
        yield claim(
            id=id, **TABLE | {"location": location, "source": source}, statement=statement,
            quantity=f"log-log slope in p at n = 100p of: {quantity}; p >= {GROWN}",
            measured=algebra.exponent(chosen, "p"), criterion=at_most(exponent + RATE), changed=NEW,
            note="logarithms of n, which the order leaves out, grow with p here",
        )  # fmt: skip
    gaps = algebra.paired_rows(_of_quantity(large, CAUCHY_SCHWARZ), _of_quantity(large, GRADIENT), ["p"])
    ratios = pd.DataFrame([_ratio_row(first, second) for first, second in gaps], columns=["p", "mean", "se", "trials"])
    yield claim(
        id="cauchy-schwarz-is-loose", **TABLE,
        statement="the gradients are bounded by roughly sqrt(p), where a standard application of Cauchy-Schwarz has order p",
        quantity=f"log-log slope in p at n = 100p of what Cauchy-Schwarz allows over the largest gradient, p >= {GROWN}",
        measured=algebra.exponent(ratios, "p"), criterion=ABOVE_0, changed=NEW,
        note="the orders that are printed differ by p^0.5; logarithms of n, which both leave out, are larger in the shorter one",
    )  # fmt: skip
    table = evidence.select("table_proofs")
    for id, location, quantity, statement in BOUNDED:
        yield claim_on_all_cells(
            id=id, **TABLE | {"location": location, "kind": "theorem"}, statement=statement,
            quantity="0.95 quantile over data sets of the size over its bound, largest over n and p",
            cells=algebra.means(_of_quantity(table, quantity), ["p", "n"], lambda point: exactly(point["q95"])),
            criterion=at_most(1.0), changed="Added after a third review." if id == "eq-50" else NEW,
            note="the quantile is taken as exact; the bounds are far from sharp"
            + (", this one, which the paper calls rough, by a factor of hundreds" if id == "eq-80" else ""),
        )  # fmt: skip
    yield from _shapes(table, rows)
    yield _noise_ratio(_of_quantity(table, NOISE_OVER_C0))
    yield from _records(table[table["panel"] == "spectrum"])


def _of_quantity(table: pd.DataFrame, quantity: str) -> pd.DataFrame:
    return table[table["quantity"] == quantity]


def _ratio_row(first: "pd.Series[float]", second: "pd.Series[float]") -> dict[str, float]:
    mean = first["mean"] / second["mean"]
    relative = math.hypot(first["se"] / first["mean"], second["se"] / second["mean"])
    return {"p": first["p"], "mean": mean, "se": mean * relative, "trials": first["trials"]}


def _shapes(table: pd.DataFrame, rows: pd.DataFrame) -> Iterator[Claim]:
    cells = algebra.measured_by(
        table[table["quantity"].str.startswith("C.6")], ["quantity"],
        lambda own: statistics.pooled(list(algebra.means(own, ["p", "n"]).values())),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="lemma-c.6", **TABLE | {"location": "Lemma C.6", "kind": "theorem"},
        statement="the vectors (I - eta Sigma)^t x_i are spherically symmetric",
        quantity="second and fourth moment of a direction's first coordinate over those of the uniform distribution on the "
        "sphere, geometric mean over sizes, the farther one from 1",
        cells=cells, criterion=between(1 - CLOSE, 1 + CLOSE), changed=NEW,
    )  # fmt: skip
    yield claim_on_all_cells(
        id="nearly-spherical", **TABLE | {"location": "Sec. 1.1"},
        statement="the stationary covariance c A is nearly spherical", quantity="condition number of A at n = 100p, largest over p",
        cells=algebra.means(_of_quantity(rows, CONDITION_NUMBER), ["p"]), criterion=at_most(COMPARABLE), changed=NEW,
    )  # fmt: skip


def _noise_ratio(table: pd.DataFrame) -> Claim:
    """The claim on the logarithm of Lemma 2.5, by gradients that noise alone makes, per c0^2 as in the lemma."""
    table = table[table["p"] == 10]
    needed = [
        point[column] / math.sqrt(math.log(2.0 * point["n"] * point["T"] / beta))
        for point in algebra.rows_of(table) for column, beta in TAILS.items()
    ]  # fmt: skip
    n, T = (float(table[column].max() / table[column].min()) if len(table) else math.nan for column in ("n", "T"))
    return claim(
        id="noise-ratio-logarithm", **TABLE | {"location": "Lemma 2.5", "kind": "theorem"},
        statement="gamma / (eta lambda) depends on n, T and beta through sqrt(ln(2nT/beta)) only",
        quantity="ratio below which noise alone clips, per c0^2 sqrt(ln(2nT/beta)): largest over smallest over n, T and beta, p = 10",
        measured=algebra.largest_over_smallest(needed), criterion=at_most(COMPARABLE, ": one constant serves all"), changed=NEW,
        note=f"n, T and ln(1/beta) change by factors of {n:g}, {T:g} and "
        f"{math.log(min(TAILS.values())) / math.log(max(TAILS.values())):.2g}; quantiles are taken as exact",
    )  # fmt: skip


def _records(rows: pd.DataFrame) -> Iterator[Claim]:
    yield claim(
        id="records-linear", **A_10, statement="part (i) of the No-Clipping Condition holds from an n of order p on",
        quantity="log-log slope in p of the n from which I/2 <= X'X/n <= 2I holds for 95 % of the data sets",
        measured=algebra.exponent(rows.assign(mean=rows["q95"], se=0.0), "p"), criterion=at_most(1.0 + RATE), changed=NEW,
        note="of the five parts only this one asks for a least n",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="records-logarithm", **A_10, statement="that n grows with beta only as ln(1/beta)",
        quantity="the n needed with probability 1 - beta over p + ln(1/beta): largest over smallest over beta, by p",
        cells=algebra.measured_by(rows, ["p"], _range_over_beta), criterion=at_most(COMPARABLE, ": one constant serves all"), changed=NEW,
        note=f"beta from {max(TAILS.values()):g} to {min(TAILS.values()):g}; quantiles are taken as exact",
    )  # fmt: skip


def _range_over_beta(rows: pd.DataFrame) -> Estimate:
    point = rows.iloc[0]
    return algebra.largest_over_smallest(
        point[column] / (point["p"] + math.log(1.0 / beta)) for column, beta in TAILS.items()
    )


# Bounds

EXACT = "measured is computed, exactly"
# Dimensions for the printed Frobenius norm, budgets for the printed number of steps, lengths of a record.
DIMENSIONS, BUDGETS, LENGTHS = (10, 100), (1e-1, 1e-3, 1e-6), (1e-1, 1e-3, 1e-6)


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Yields the rows on App. C.2.2, on Theorem 2.7's logarithm, and on the sensitivity of least squares."""
    m, beta = int(evidence.settings["m"]), float(evidence.settings["beta"])
    # The norm of a p by p matrix that is printed with m in the place of p; no constant is hidden in it.
    for p in DIMENSIONS:
        yield bound_row(
            bound="||D^t||_F, as printed", location="App. C.2.2", setting=f"m={m}, p={p}, t=1, Sigma = I/2, eta = 1/4",
            value=math.sqrt(m) * CONTRACTION, measured=math.sqrt(p) * CONTRACTION**2,
            note=f"{EXACT}, sqrt(p) (7/8)^(2t) in place of sqrt(m) (7/8)^t: a p by p matrix has sqrt(p) times its norm",
        )  # fmt: skip
    # T of the theorem at the least n that it asks for, which it allows at every budget.
    for rho in BUDGETS:
        n = theorem_records(p=10, rho=rho, beta=beta)
        yield bound_row(
            bound="steps of Theorem 2.7 at its least n", location="Thm 2.7",
            setting=f"p=10, rho={rho:g}, beta={beta:g}, c = 1", value=0.0, measured=theorem_steps(n=n, p=10, rho=rho),
            direction="at least", note=f"{EXACT}: ln(n rho/p) at n = {n:.4g}, negative where n rho is below p",
        )  # fmt: skip
    # One replaced record of two moves least squares without bound as the other one gets short.
    for length in LENGTHS:
        pair = [LinearSample(np.full((2, 1), length), np.array([1.0, y])) for y in (1.0, -1.0)]
        first, second = (linear_least_squares(sample.gram) for sample in pair)
        yield bound_row(
            bound="least squares moved by one record of two", location="Sec. 1.3",
            setting=f"p = 1, |x| = {length:g}, |y| = 1", value=1.0 / length, measured=float(np.abs(first - second)[0]),
            direction="at least", allowed=1e-9 / length,
            note=f"{EXACT}; 1/|x| has no bound as |x| tends to 0; last digits allowed",
        )  # fmt: skip
