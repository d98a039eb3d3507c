"""What appendices C to E say with probability 1 - exp(-tau), over tau: by exact laws of noise and by quantiles of moments.

Noise is normal, so that quantiles of its norm are those of chi-squared laws. Those of moments are columns of a table.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from scipy.special import chdtrc, chdtri

from dpdescent.papers.liang2025 import appendices, formulas, laws, moments, setting
from dpdescent.papers.liang2025.cases import problem_of
from dpdescent.papers.liang2025.criteria import (
    COMPARABLE,
    QUANTILES,
    by_tau,
    claim_on_all_cells,
    exponent_over,
    no_faster,
    panel_rows,
)
from dpdescent.randomness import stream
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import Place
from dpdescent.replication.judging.statistics import Z95, exactly
from dpdescent.sums import added

APPENDIX: Place = {"artefact": "bounds", "location": "App. C, App. E.1", "kind": "theorem", "source": "paper"}
ADDED = "The claim was added after a review: rows of the table of bounds have one tau, and those of orders cannot fail."
# Regressors and instruments, sizes and numbers of the data sets on which H_hat is looked at.
SHAPE, SIZES, DATA_SETS = (5, 10), (10**4, 10**5, 10**6), 1500
TAUS = (0.5, 1.0, 5.0, 20.0, 100.0)
# Spectra of the accumulated noise's covariance: of equal eigenvalues, by their number, and of pairs, by the pair's value.
EQUAL_SPECTRA = (1, 5, 50, 500)
PAIRED_SPECTRA = ((1.0, 0.5), (1.0, 0.3, 0.1), (1.0, 0.9, 0.8, 0.7, 0.6), (1.0, 0.1, 0.05, 0.02, 0.01))
# Digits after which a quotient is rounding, which depends on the processor.
DIGITS = 12


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the noise of the second stage and of the first, then those on moments and on H_hat."""
    yield _second_stage()
    yield _columns()
    yield _covariance()
    yield _moments(evidence)
    yield _curvature(evidence)


def _second_stage() -> Claim:
    """The quantile of the largest of T norms of normal vectors, over its order, from the exact law."""
    cells = {}
    for p, tau, T in product((1, 5, 50, 500), TAUS, (1, 10**3, 10**6)):
        # At a level whose T-th power is 1 - exp(-tau).
        beyond = -math.expm1(math.log1p(-math.exp(-tau)) / T)
        problem = formulas.IVProblem(n=1000, p=p, q=p, tau=tau, theta_min=1.0, theta_norm=1.0, sigma_1=1.0, sigma_2=1.0)
        largest = math.sqrt(float(chdtri(float(p), beyond)))
        cells[f"p = {p}, tau = {tau:g}, T = {T:g}"] = exactly(largest / laws.second_stage_noise(problem, 1.0, T))
    return claim_on_all_cells(
        id="app-C-nu", **APPENDIX,
        statement="||nu^(t)|| is at most of order lambda2 (sqrt p + sqrt tau) with probability 1 - exp(-tau), and of order lambda2 (sqrt p + sqrt(tau + log T)) for all t up to T",
        quantity="exact quantile 1 - exp(-tau) of the largest of T norms over that order, p = 1 to 500, tau = 0.5 to 100, T = 1 to 1e6",
        cells=cells, criterion=at_most(COMPARABLE, ": bounded"), changed=ADDED,
    )  # fmt: skip


def _beyond_equal(q: int, level: float) -> float:
    """The probability that the squared norm of q standard normals exceeds a level."""
    return float(chdtrc(float(q), level))


def _beyond_paired(values: tuple[float, ...], level: float) -> float:
    """The probability that a sum of exponential variables with distinct means, twice the values, exceeds a level."""
    weights = [math.prod(value / (value - other) for other in values if other != value) for value in values]
    return added(weight * math.exp(-0.5 * level / value) for weight, value in zip(weights, values, strict=True))


def _columns() -> Claim:
    """The tail of a column of N^(t) beyond the printed quantity, over what is printed for it."""
    spectra: dict[str, tuple[float, Callable[[float], float]]] = {
        f"{q} equal": (float(q), partial(_beyond_equal, q)) for q in EQUAL_SPECTRA
    }
    spectra |= {f"pairs {values}": (2.0 * added(values), partial(_beyond_paired, values)) for values in PAIRED_SPECTRA}
    cells = {}
    for (name, (trace, beyond)), p, tau in product(spectra.items(), (1, 10, 100), (0.1, 1.0, 5.0, 20.0)):
        level = (math.sqrt(trace) + math.sqrt(2.0 * (math.log(p) + tau))) ** 2
        cells[f"eigenvalues: {name}, p = {p}, tau = {tau:g}"] = exactly(beyond(level) * p * math.exp(tau))
    return claim_on_all_cells(
        id="lemma-D.4-columns", **APPENDIX | {"location": "App. E.4"},
        statement="a column of N^(t) exceeds sqrt(tr Sigma) + sqrt(2 ||Sigma|| (log p + tau)) with probability at most exp(-tau)/p",
        quantity="exact probability over that, for covariances Sigma of norm 1 with equal eigenvalues and with pairs of them: the largest",
        cells=cells, criterion=at_most(1.0), changed=ADDED,
    )  # fmt: skip


def _covariance() -> Claim:
    """The covariance of a column of N^(t) for Z'Z/n with eigenvalues at both ends and in the middle of Lemma D.2's range."""
    cells = {}
    for delta, part, t in product((0.05, 0.3, 0.8), (0.1, 0.5, 0.9, 0.99), (0, 10, 1000)):
        window = formulas.Spectrum(delta=delta, lower=1.0, upper=1.0)
        eta = part * formulas.step_size_ceilings(window).eta
        kappa = formulas.contraction(window, formulas.StepSizes(eta, 0.1)).theta
        gram = np.diag([(1.0 - delta) ** 2, 1.0, (1.0 + delta) ** 2])
        covariance = appendices.accumulated_noise_covariance(gram, eta, 1.0, t)
        bound = eta**2 / (1.0 - kappa**2)
        cells[f"delta = {delta:g}, eta at {part:g} of its ceiling, t = {t}"] = exactly(
            round(float(np.linalg.norm(covariance, 2)) / bound, DIGITS)
        )
    return claim_on_all_cells(
        id="lemma-D.4-covariance", **APPENDIX | {"location": "App. E.4", "source": "identity"},
        statement="(algebra) the covariance of a column of N^(t) has norm at most eta^2 lambda1^2 / (1 - kappa_Theta^2)",
        quantity="norm over that, for Z'Z/n with eigenvalues from (1 - delta)^2 to (1 + delta)^2: the largest over delta, eta and t",
        cells=cells, criterion=at_most(1.0), changed=ADDED,
    )  # fmt: skip


def _moments(evidence: Evidence) -> Claim:
    def both(row: "pd.Series[float]") -> float:
        return laws.sampling_root(problem_of(row))

    def doubled(row: "pd.Series[float]") -> float:
        return float(row["tau"] + math.log(2.0 * row["p"] * row["q"]))

    orders: dict[str, Callable[[pd.Series[float]], float]] = {
        "D.2 ||Z'Z/n - I||": lambda row: math.sqrt(row["q"]) + math.sqrt(row["tau"]),
        "D.3 ||Z'E2||/n": doubled, "D.5 ||Theta_hat - Theta||": doubled,
        "D.7 ||beta_hat - beta||": lambda row: appendices.two_stage_least_squares_rate(problem_of(row)),
        "D.8 ||Z'r||/n": both,
    }  # fmt: skip
    cells = {}
    for name, order in orders.items():
        for row in algebra.rows_of(panel_rows(evidence, "over n", name)):
            cells[f"{name}, n = {row['n']:g}"] = exponent_over(by_tau(row), "tau", order)
    return claim_on_all_cells(
        id="lemmas-confidence", **APPENDIX | {"artefact": "table_rates", "location": "Lemmas D.2, D.3, D.5, D.7, D.8"},
        statement="deviations of sample moments and of both estimators exceed their orders at tau with probability at most of order exp(-tau)",
        quantity="exponent in tau of the quantile 1 - exp(-tau) over the order at tau, from the last three tau, 2.3 to 3.7, p = 5, q = 10",
        cells=cells, criterion=no_faster(), changed=ADDED,
    )  # fmt: skip


def _curvature(evidence: Evidence) -> Claim:
    """How far both ends of the spectrum of H_hat lie beyond those of Theta'Theta, 25, over the order of Lemma D.6."""
    p, q, tau = *SHAPE, float(evidence.settings["tau"])
    order = math.sqrt(q) + math.sqrt(tau) + math.sqrt(p * q) * (tau + math.log(2.0 * p * q))
    parameters = setting.scaled_parameters(p, q)
    rows: dict[str, list[pd.Series[float]]] = {"smallest": [], "largest": []}
    for n in SIZES:
        generators = [stream(0, setting.PAPER, "tails", n, "data", number) for number in range(DATA_SETS)]
        samples = moments.draw(parameters, np.zeros(q), n, generators)
        theta = samples.theta_hat
        spectra: moments.Array = np.asarray(np.linalg.eigvalsh(np.swapaxes(theta, 1, 2) @ samples.zz @ theta) / 25.0)
        for name, beyond in (("smallest", 1.0 - spectra[:, 0]), ("largest", spectra[:, -1] - 1.0)):
            rows[name].append(_row(n, beyond * math.sqrt(n) / order))
    cells = {}
    for name, own in rows.items():
        cells[f"{name}, n"] = algebra.least_squares_slope(pd.DataFrame(own), "n")
        cells[f"{name}, tau"] = exponent_over(
            by_tau(own[-1]), "tau",
            lambda row: math.sqrt(q) + math.sqrt(row["tau"]) + math.sqrt(p * q) * (row["tau"] + math.log(2.0 * p * q)),
        )  # fmt: skip
    return claim_on_all_cells(
        id="lemma-D.6-orders", **APPENDIX | {"location": "Lemma D.6"},
        statement="eigenvalues of H_hat leave those of Theta'Theta by at most the order of delta(tau) + psi(tau) with probability 1 - 3 exp(-tau)",
        quantity="exponent of how far the smallest and the largest eigenvalue lie beyond, over that order: of the mean in n from 1e4 to 1e6, and of the quantile 1 - exp(-tau) in tau, from the last three tau, 2.3 to 3.7, p = 5, q = 10",
        cells=cells, criterion=no_faster(), changed=ADDED, note=f"{DATA_SETS} data sets of each size are drawn anew",
    )  # fmt: skip


def _row(n: int, values: moments.Array) -> "pd.Series[float]":
    """A row of a table, with the mean, the median and its interval by order statistics, and the other quantiles."""
    half = Z95 * 0.5 / math.sqrt(len(values))
    levels = {column: 1.0 - math.exp(-tau) for tau, column in QUANTILES.items()}
    quantiles = {column: float(np.quantile(values, level)) for column, level in levels.items()}
    return pd.Series({
        "n": n, "mean": values.mean(), "se": values.std(ddof=1) / math.sqrt(len(values)), "trials": len(values),
        "median_low": np.quantile(values, 0.5 - half), "median_high": np.quantile(values, 0.5 + half), **quantiles,
    })  # fmt: skip
