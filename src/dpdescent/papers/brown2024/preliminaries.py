"""The preliminaries of App. A: bounds on tails, norms, spectra and least squares errors, beside measured ones.

A constant that the paper only says exists is the argument `constant` with default 1, at which a value has the right
order and is no bound.
"""

import math
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from scipy.special import betaincc, gammaincc, ndtr

from dpdescent.baselines.ada_ssp import wishart_gram
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.checks import require_non_negative, require_positive, require_probability
from dpdescent.data.linear import LinearSample, haar_rotation, unit_sphere
from dpdescent.papers.brown2024 import formulas
from dpdescent.papers.brown2024.criteria import COMPARABLE, ENOUGH, NEW, TAILS, claim_on_all_cells
from dpdescent.papers.brown2024.setting import PAPER, Row, Spec, fixed_sample
from dpdescent.randomness import stream
from dpdescent.replication.judging import algebra, records, statistics
from dpdescent.replication.judging.bound_rows import CHANCE, bound_row, chance, equality_row
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly


def covariance_records(p: int, beta: float, constant: float = 1.0) -> float:
    """Returns the n from which I/2 <= X'X/n <= 2I with probability 1 - beta, `c (p + ln(1/beta))` (brown2024 Claim A.10)."""
    require_positive(p=p, constant=constant)
    require_probability(beta=beta)
    return constant * (p + math.log(1.0 / beta))


def sphere_tail(p: int, t: float) -> float:
    """Returns a bound on P(|<u, z>| >= t), u uniform on the unit sphere of R^p, z a unit vector (brown2024 Lemma A.11).

    `exp(-(sqrt(p) - 1) t / 4)`, which is far above the bound from the measure of a spherical cap.
    """
    require_positive(p=p)
    require_non_negative(t=t)
    return math.exp(-(math.sqrt(p) - 1.0) * t / 4.0)


def sphere_share(p: int, t: float) -> float:
    """Returns P(|<u, z>| >= t) exactly, u uniform on the unit sphere of R^p, z a unit vector; p is at least 2.

    The square of a coordinate of u has a beta distribution with parameters 1/2 and (p - 1)/2.
    """
    if p < 2:
        raise ValueError(f"p={p} must be at least 2: the sphere of one dimension has two points")
    require_non_negative(t=t)
    return float(betaincc(0.5, (p - 1) / 2.0, min(t, 1.0) ** 2))


def least_squares_bound(*, n: float, p: int, sigma: float, beta: float, constant: float = 1.0) -> float:
    """Returns a bound that ||theta_hat - theta*||^2 exceeds with probability at most beta (brown2024 Claim A.12).

    `c' sigma^2 (p + ln(1/beta)) / n`, for n of at least `covariance_records`.
    """
    require_positive(n=n)
    require_non_negative(sigma=sigma)
    return sigma**2 * covariance_records(p, beta, constant) / n


# Draws: whether an event occurred, or the size of a quantity, and its bound


def run_table_preliminaries(spec: Spec) -> Iterator[Row]:
    """Yields rows of one dimension: whether an event occurred in a trial, or the size of a quantity, and its bound."""
    p, beta = spec["cell"]["p"], spec["settings"]["beta"]
    quantities: dict[str, Callable[[np.random.Generator, int, float], tuple[float, float]]] = {
        "A.8: P(|N(0, 1)| above its bound)": _gaussian_tail,
        "A.9: P(|N(0, S)| above its bound)": _gaussian_norm,
        "A.10: P(spectrum of X'X/n outside [1/2, 2])": _spectrum,
        "A.11: P(|<u, z>| above t)": _sphere,
        "A.12: |theta_hat - theta*|^2": _least_squares,
    }
    for trial in range(*spec["trials"]):
        for name, measure in quantities.items():
            rng = stream(spec["seed"], PAPER, spec["artefact"], f"p={p}", name, "trial", trial)
            value, bound = measure(rng, p, beta)
            yield {"quantity": name, "p": p, "series": "measured", "trial": trial, "value": value, "bound": bound}


def _gaussian_tail(rng: np.random.Generator, p: int, beta: float) -> tuple[float, float]:
    return float(abs(rng.standard_normal()) >= formulas.gaussian_tail(1.0, beta)), beta


def _gaussian_norm(rng: np.random.Generator, p: int, beta: float) -> tuple[float, float]:
    variances = np.linspace(0.1, 1.0, p)
    norm = np.linalg.norm(haar_rotation(p, rng) @ (np.sqrt(variances) * rng.standard_normal(p)))
    return float(norm >= formulas.gaussian_norm(float(variances.sum()), 1.0, beta)), beta


def _spectrum(rng: np.random.Generator, p: int, beta: float) -> tuple[float, float]:
    """Whether the spectrum leaves [1/2, 2] at n = 100 (p + ln(1/beta)); Claim A.10 has no value for the 100."""
    n = round(covariance_records(p, beta, constant=100.0))
    eigenvalues = np.linalg.eigvalsh(wishart_gram(np.zeros(p), n, rng).xx / n)
    return float(eigenvalues[0] < 0.5 or eigenvalues[-1] > 2.0), beta


def _sphere(rng: np.random.Generator, p: int, beta: float) -> tuple[float, float]:
    t = 2.0 / np.sqrt(p)
    return float(abs(unit_sphere(p, rng)[0]) >= t), sphere_tail(p, t)


def _least_squares(rng: np.random.Generator, p: int, beta: float) -> tuple[float, float]:
    """The squared error of least squares at n = 100p, and its exact mean, sigma^2 p / (n - p - 1)."""
    n, theta = 100 * p, unit_sphere(p, rng)
    error = linear_least_squares(wishart_gram(theta, n, rng)) - theta
    return float(error @ error), formulas.least_squares_mean_square(n=n, p=p, sigma=1.0)


# Claims

TABLE: records.Place = {
    "artefact": "table_preliminaries", "location": "Claim A.12", "kind": "theorem", "source": "paper",
}  # fmt: skip


# Where Claims A.8 and A.9 are judged: probabilities, sds, and spectra as one variance, the others, and the dimension.
RARITIES, SDS = (0.99, 0.5, 0.05, 1e-3, 1e-9, 1e-100), (0.1, 1.0, 10.0)
SPECTRA = (
    (1.0, 1.0, 2),
    (1.0, 1.0, 10),
    (1.0, 1.0, 1000),
    (1.0, 0.1, 10),
    (1.0, 1e-3, 1000),
    (0.1, 1.0, 10),
    (4.0, 1e-6, 2),
)
# Label noise at which the square of sigma in Claim A.12 is judged.
LABELS = (1e-3, 1.0, 1e3)
# Where Lemma A.11 is judged.
DIMENSIONS, DISTANCES = (2, 3, 5, 10, 30, 100, 1000), (0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on tails and on the error of least squares."""
    rows = evidence.select("table_preliminaries")
    tails = rows[rows["quantity"].str.contains(": P(", regex=False) & ~rows["quantity"].str.startswith("A.11")]
    yield claim_on_all_cells(
        id="preliminaries-tails", **TABLE | {"location": "Claims A.8 to A.10"},
        statement="what the preliminaries call improbable is no more frequent than they say",
        quantity="largest ratio, over quantities and p, of the frequency of the event to its bound",
        cells={algebra.place_of(point, ["quantity", "p"]): _share(point) for point in algebra.rows_of(tails)},
        criterion=at_most(1.0),
        changed=f"{NEW} Before a third one Lemma A.11 was among them, at one t for each p, where its bound is above one half.",
        note="Claim A.10 hides the constant of its n: it is 100 here. The bounds are far from sharp",
    )  # fmt: skip
    yield _exact_tails()
    # The smallest wrong world: 0.9 in the place of 1/4 in the exponent.
    yield claim_on_all_cells(
        id="lemma-a.11", **TABLE | {"artefact": "bounds", "location": "Lemma A.11"},
        statement="for X uniform on the unit sphere of R^p and a fixed unit vector z, Pr[|<X, z>| >= t] is at most exp(-(sqrt(p) - 1) t / 4)",
        quantity="exact probability, by the beta distribution of a squared coordinate, over the bound: largest over t and p",
        cells={
            f"p = {p}, t = {t:g}": exactly(sphere_share(p, t) / sphere_tail(p, t)) for p in DIMENSIONS for t in DISTANCES
        },
        criterion=at_most(1.0), changed="Added after a third review.",
        note=f"p from {DIMENSIONS[0]} to {DIMENSIONS[-1]}, t from {DISTANCES[0]:g} to {DISTANCES[-1]:g}; at t = 0 both are 1, and the nearer t is to 0 the nearer is the ratio to 1",
    )  # fmt: skip
    squares = list(algebra.rows_of(rows[rows["quantity"].str.startswith("A.12")]))
    cells = {"over p, beta = 0.05": algebra.largest_over_smallest(_needed_constant(point, "q95") for point in squares)}
    for point in squares:
        cells[f"over beta, p = {point['p']}"] = algebra.largest_over_smallest(
            _needed_constant(point, column) for column in TAILS
        )
    # The c' that the sampling errors of Figures 2 and 8 need at the 0.95 quantile, by figure and panel.
    for artefact, panel, p in (("fig02", "a", 10), ("fig08", "a", 10), ("fig08", "b", 100)):
        sampling = evidence.select(artefact, panel=panel, series="sampling", clip_factor=5.0)
        cells[f"over n, {artefact} {panel}"] = algebra.largest_over_smallest(
            point["q95"] ** 2 / least_squares_bound(n=point["n"], p=p, sigma=1.0, beta=TAILS["q95"])
            for point in algebra.rows_of(sampling[sampling["trials"] >= ENOUGH])
        )
    cells["over sigma, a fixed data set"] = algebra.largest_over_smallest(map(_fixed_constant, LABELS))
    yield claim_on_all_cells(
        id="claim-a.12", **TABLE, statement="the squared error of least squares is at most c' sigma^2 (p + ln(1/beta)) / n",
        quantity="c' that quantiles of the squared error need, largest over smallest: over p, over beta, over n, and over sigma",
        cells=cells, criterion=at_most(COMPARABLE, ": one c' serves all"),
        changed="Added after a review, and later widened from p to beta and n, and then to sigma.",
        note="c' has no value; quantiles of the draws are taken as exact; sigma is a factor of the error, on one data set",
    )  # fmt: skip


def _fixed_constant(sigma: float) -> float:
    """The c' of Claim A.12 on a data set that is not drawn, with label noise of a size."""
    fixed, theta = fixed_sample(60, 5), np.ones(5)
    own = LinearSample(fixed.X, fixed.X @ theta + sigma * fixed.y)
    away = linear_least_squares(own.gram) - theta
    return float(away @ away) / least_squares_bound(n=60, p=5, sigma=sigma, beta=TAILS["q95"])


def _exact_tails() -> Claim:
    """The claim on Claims A.8 and A.9 at every probability, by exact tails."""
    cells = {
        f"A.8, sigma = {sd:g}, beta = {rare:g}": exactly(2.0 * float(ndtr(-formulas.gaussian_tail(sd, rare) / sd)) / rare)
        for sd in SDS for rare in RARITIES
    }  # fmt: skip
    for one, others, p in SPECTRA:
        for rare in RARITIES:
            radius = formulas.gaussian_norm(one + (p - 1) * others, max(one, others), rare)
            tail = norm_tail(radius, one, others, p)
            cells[f"A.9, p = {p}, variances {one:g} and {others:g}, beta = {rare:g}"] = exactly(tail / rare)
    # The smallest wrong worlds: 1.9 in the place of 2 in the root of Claim A.8, and half of ||Sigma|| in Claim A.9.
    return claim_on_all_cells(
        id="preliminaries-exact", **TABLE | {"artefact": "bounds", "location": "Claims A.8, A.9"},
        statement="for any beta in (0, 1) and any PSD Sigma a normal variable, or the norm of a normal vector, exceeds its bound with probability at most beta",
        quantity="exact probability, of the norm by one integral over a gamma tail, over beta: largest over spectra and beta",
        cells=cells, criterion=at_most(1.0), changed="Added after a later review; draws have one beta and one spectrum.",
        note=f"beta from {RARITIES[0]:g} to {RARITIES[-1]:g}; spectra have two variances, from equal to one alone",
    )  # fmt: skip


def norm_tail(radius: float, one: float, others: float, p: int) -> float:
    """Returns P(|x| >= radius) for normal x of p coordinates, one of which has its own variance, and p at least 2."""
    end = radius / math.sqrt(one)
    nodes, weights = np.polynomial.legendre.leggauss(400)
    z = 0.5 * end * (nodes + 1.0)
    densities = np.exp(-0.5 * z**2) / math.sqrt(2.0 * math.pi)
    beyond = gammaincc((p - 1) / 2.0, np.maximum(radius**2 - one * z**2, 0.0) / (2.0 * others))
    return float(end * (weights @ (densities * beyond)) + 2.0 * ndtr(-end))


def _share(point: "pd.Series[float]") -> Estimate:
    """A frequency divided by its bound; the interval reaches to three events at least, as none seen allows as many."""
    mean = statistics.mean_of(point)
    high, low = max(mean.high, 3.0 / point["trials"]), max(mean.low, 0.0)
    return Estimate(*(value / point["bound"] for value in (point["mean"], low, high)))


def _records_of(point: "pd.Series[float]") -> int:
    """The n of a row of A.12, which follows from the exact mean `p / (n - p - 1)`."""
    return round(float(point["p"] / point["bound"])) + int(point["p"]) + 1


def _needed_constant(point: "pd.Series[float]", column: str) -> float:
    """The c' of Claim A.12 at a quantile of a row."""
    bound = least_squares_bound(n=_records_of(point), p=int(point["p"]), sigma=1.0, beta=TAILS[column])
    return float(point[column] / bound)


# Bounds


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Yields rows of the preliminaries: probabilities, and the exact mean of the error of least squares."""
    for point in algebra.rows_of(evidence.select("table_preliminaries")):
        if point["quantity"].startswith("A.12"):
            yield equality_row(
                bound="mean |theta_hat - theta*|^2", location="Claim A.12", setting=f"p={point['p']}, n={_records_of(point)}",
                value=point["bound"], measured=point["mean"], allowed=chance(point),
                note=f"equality: sigma^2 p / (n - p - 1); measured is the mean, {CHANCE} either way allowed",
            )  # fmt: skip
            continue
        of_what = "Lemma" if point["quantity"].startswith("A.11") else "Claim"
        yield bound_row(
            bound=point["quantity"], location=f"{of_what} {point['quantity'].split(':')[0]}", setting=f"p={point['p']}",
            value=point["bound"], measured=point["mean"], direction="at most", allowed=chance(point),
            note=f"measured is a share of {point['trials']} draws, {CHANCE} above allowed",
        )  # fmt: skip
