"""Spectra and dimensions (Sec. 2.2): the gain of nu-Noisy-FTRL over Noisy-SGD, and its distance from the optimum.

Powers of logarithms come from closed forms at sizes that no table can hold, because over a few decades a logarithm is
nearly a constant: a spread within a factor tells one power from the next only where its argument moves over tens of
decades.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from scipy.fft import dct

from dpdescent.checks import as_list, require_positive
from dpdescent.papers.choquettechoo2023 import criteria, laws
from dpdescent.papers.choquettechoo2023.criteria import (
    between,
    claim,
    claim_on_all_cells,
    ends,
    equal,
    judged_claim,
    mean_at,
    rows,
)
from dpdescent.papers.choquettechoo2023.elliptic import Quadrature, diagonal, distance_squared, integrals
from dpdescent.papers.choquettechoo2023.setting import (
    FTRL,
    ONE_LARGE,
    OPTIMUM,
    SGD,
    Array,
    RegressionProblem,
    Row,
    Spec,
    effective_dimension,
    spectrum,
)  # fmt: skip
from dpdescent.replication.judging import algebra, records, statistics
from dpdescent.replication.judging.algebra import rows_of
from dpdescent.replication.judging.bound_rows import bound_row, ends_and_middle
from dpdescent.replication.judging.criteria import ABOVE_0, at_most, within_of
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence
from dpdescent.replication.judging.statistics import NOTHING, Estimate, exactly

GAIN = "Noisy-SGD over nu-Noisy-FTRL"
# Sizes from which the power of a logarithm is computed by closed forms: levels of the dyadic spectrum, dimensions.
LEVELS, DIMENSIONS = (58, 116), (1e35, 1e70)
# Learning rates, or dampings, between which the power of log(1/nu) is computed; exponents of two of d for Table 4.
FAR_RATES, FAR_DIMENSIONS = (1e-30, 1e-60), (2.0**30, 2.0**60)
# Decays k^-a at which nearness to the infimum is judged.
FAR_DECAYS = (0.0, 1.0, 2.0, 3.0)
# Eigenvalues that are kept one by one, and levels for each doubling of k beyond them.
SINGLE, PER_DOUBLING = 64, 16
ARTEFACT = "ext_spectra"
# The largest dimension whose covariance is made a matrix.
DENSE = 256
LOGARITHMS = (
    "Before a review the value over the order was to grow by no more than a factor of four over the table's few decades, "
    "which an order without its logarithms passes as well."
)
IDENTITY_2_2: records.Place = {"artefact": "ext_spectra", "location": "Sec. 2.2", "kind": "text", "source": "identity"}
SECTION_2_2: records.Place = {"artefact": "ext_spectra", "location": "Sec. 2.2", "kind": "text", "source": "paper"}


def run_ext_spectra(spec: Spec) -> Iterator[Row]:
    """Yields rows of every spectrum and dimension, eta a fixed share of 1 / Tr H and nu = eta mu."""
    cell, settings = spec["cell"], spec["settings"]
    for name in as_list(cell["spectrum"]):
        for d in as_list(cell["d"]):
            lam = spectrum(name, d)
            eta = cell["eta_times_trace"] / float(lam.sum())
            problem = RegressionProblem(lam, eta, settings["rho"], settings["clip_norm"])
            sgd, ftrl = laws.noisy_sgd(problem), laws.nu_noisy_ftrl(problem, problem.eta * problem.mu)
            errors = {SGD: sgd, FTRL: ftrl, OPTIMUM: laws.least_error(problem), GAIN: sgd / ftrl}
            for series, value in errors.items():
                yield {
                    "spectrum": name, "d": d, "series": series, "trial": 0, "value": value,
                    "eta": eta, "d_eff": effective_dimension(lam), "nu": eta * problem.mu,
                }  # fmt: skip


@dataclass(frozen=True, eq=False)
class Levels:
    """A spectrum of few distinct eigenvalues, however large its dimension.

    Attributes:
        lam: the distinct eigenvalues, shape (levels,).
        copies: multiplicities of the eigenvalues, shape (levels,).
    """

    lam: Array
    copies: Array

    @property
    def d(self) -> float:
        return float(self.copies.sum())

    @property
    def trace(self) -> float:
        return float(self.lam @ self.copies)


def one_large(d: float) -> Levels:
    """The spectrum (1, 1/d, ..., 1/d) of choquettechoo2023 Sec. 2.2."""
    require_positive(d=d)
    return Levels(np.array([1.0, 1.0 / d]), np.array([1.0, d - 1.0]))


def dyadic(levels: int) -> Levels:
    """A decay like k^-2 in few distinct values: 4^-j, 2^j times, for j below the number of levels; d_eff is below 2."""
    require_positive(levels=levels)
    j = np.arange(levels, dtype=np.float64)
    return Levels(4.0**-j, 2.0**j)


def decaying(d: float, alpha: float) -> Levels:
    """The spectrum k^-alpha, k up to d, in few levels: beyond the first 64 each stands for k within a factor 2^(1/16)."""
    require_positive(d=d)
    edges = SINGLE * 2.0 ** (np.arange(int(math.log2(d / SINGLE) * PER_DOUBLING) + 1) / PER_DOUBLING)
    k = np.append(np.arange(1.0, SINGLE + 1), np.sqrt((edges[:-1] + 0.5) * (edges[1:] + 0.5)))
    return Levels(k**-alpha, np.append(np.ones(SINGLE), np.diff(edges)))


def each(lam: Array) -> Levels:
    """The spectrum of given eigenvalues, once each."""
    return Levels(lam, np.ones(len(lam)))


def noise_of(spectrum: Levels, eta: float, nu: float) -> float:
    """F_inf of nu-Noisy-FTRL divided by eta, without label noise, up to the factor G^2 / (8 rho (1 - A)), exact."""
    rates = eta * spectrum.lam
    weights = rates * (2.0 - rates) * integrals(nu, rates) / (2.0 * math.pi)
    return float(diagonal(nu) / (2.0 * math.pi) * (spectrum.copies / (1.0 - rates) @ weights))


def over_infimum(spectrum: Levels, eta: float) -> float:
    """F_inf of nu-Noisy-FTRL, nu = eta mu, divided by the least of any coefficients (see `laws.least_error`), exact."""
    rates = eta * spectrum.lam
    grid = Quadrature.graded(float(rates.min()))
    weights = spectrum.copies * spectrum.lam * (2.0 - rates) / (1.0 - rates)
    h_x = np.zeros_like(grid.frequencies)
    for weight, rate in zip(weights, rates, strict=True):
        h_x += weight / distance_squared(rate, grid.frequencies)
    root = float(grid.integrate(np.sqrt(h_x)))
    return 4.0 * math.pi**2 * noise_of(spectrum, eta, float(rates.min())) / (eta * root**2)


def logarithm_power(values: Sequence[float], logarithms: Sequence[float]) -> float:
    """The power of a logarithm with which a value grows, from two of each."""
    return math.log(values[1] / values[0]) / math.log(logarithms[1] / logarithms[0])


def power_as_rate_vanishes(spectrum: Levels) -> float:
    """The power of log(1/nu), nu = eta mu, in F_inf of nu-Noisy-FTRL over eta^2 Tr H, as eta falls far out.

    A power of eta that the order lacks shows as a power of the logarithm of ten and more.
    """
    nus = [eta * float(spectrum.lam.min()) for eta in FAR_RATES]
    errors = [noise_of(spectrum, eta, nu) / (eta * spectrum.trace) for eta, nu in zip(FAR_RATES, nus, strict=True)]
    return logarithm_power(errors, [math.log(1.0 / nu) for nu in nus])


def power_as_damping_vanishes(spectrum: Levels, eta: float) -> float:
    """The power of log(1/nu) in F_inf of nu-Noisy-FTRL at one learning rate, as nu falls far below eta mu."""
    return logarithm_power([noise_of(spectrum, eta, nu) for nu in FAR_RATES], [math.log(1.0 / nu) for nu in FAR_RATES])


def gain(spectrum: Levels, eta_times_trace: float) -> float:
    """F_inf of Noisy-SGD divided by that of nu-Noisy-FTRL with nu = eta mu, without label noise, exact.

    The factor 1/(1 - A) by which the inputs' randomness feeds the error back is the same for both.
    """
    require_positive(eta_times_trace=eta_times_trace)
    eta = eta_times_trace / spectrum.trace
    independent = float((spectrum.copies / (1.0 - eta * spectrum.lam)).sum())
    return independent / noise_of(spectrum, eta, eta * float(spectrum.lam.min()))


def gain_exponent(small: Levels, large: Levels, eta_times_trace: float) -> float:
    """The power p of log d if the gain is of the order d / log^p d, between two sizes of a spectrum."""
    lost = [levels.d / gain(levels, eta_times_trace) for levels in (small, large)]
    return logarithm_power(lost, [math.log(small.d), math.log(large.d)])


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges the separation, then all spectra."""
    yield from _separation(evidence)
    yield from _any_spectrum(evidence)


def _separation(evidence: Evidence) -> Iterator[Claim]:
    sgd, ftrl, gain = (
        rows(evidence, "ext_spectra", series=series, spectrum="one large").sort_values("d")
        for series in (SGD, FTRL, GAIN)
    )
    words = "eigenvalues (1, 1/d, ..., 1/d)"
    yield claim_on_all_cells(
        id="separation-d-eff", **IDENTITY_2_2, statement=f"{words}: d_eff <= 2",
        quantity="largest d_eff over d",
        cells=criteria.values(sgd, "d_eff", ["d"]), criterion=at_most(2.0, words="at most 2"),
    )  # fmt: skip
    yield claim(
        id="separation-sgd", **SECTION_2_2, statement=f"{words}: Noisy-SGD's error is Theta(eta d / rho)",
        quantity="log-log slope in d of the exact F_inf over eta",
        measured=algebra.exponent(sgd.assign(mean=sgd["mean"] / sgd["eta"]), "d"), criterion=within_of(1.0, criteria.RATE),
    )  # fmt: skip
    share = evidence.spec["artefacts"]["ext_spectra"]["cells"]["all"]["eta_times_trace"]
    yield claim(
        id="separation-ftrl", **SECTION_2_2,
        statement=f"{words}: Noisy-FTRL's error of O(eta^2 log^2(d/eta) / rho) is exponentially better",
        quantity=f"power of log(d/eta) in F_inf over eta^2, in closed form, from d = {DIMENSIONS[0]:g} to {DIMENSIONS[1]:g}",
        measured=exactly(_power_of_example(share)) if len(ftrl) else NOTHING, criterion=at_most(2.0 + criteria.RATE),
        changed=LOGARITHMS,
    )  # fmt: skip
    power = gain_exponent(dyadic(LEVELS[0]), dyadic(LEVELS[1]), share)
    smaller, larger = (one_large(d) for d in DIMENSIONS)
    example = gain_exponent(smaller, larger, share)
    yield claim(
        id="separation-gain", artefact="ext_spectra", location="Sec. 1.3 (b)", kind="text", source="paper",
        statement="nu-Noisy-FTRL is better by a factor that can be as large as d / log d (when d_eff is constant)",
        quantity=f"eigenvalues 4^-j, 2^j times (d_eff below 2): p of an exact gain of the order d / log^p d, in closed form, from d = 2^{LEVELS[0]} to 2^{LEVELS[1]}",
        measured=exactly(power) if len(gain) else NOTHING, criterion=within_of(1.0, criteria.RATE),
        changed="Before a review the gain of Sec. 2.2's example over d / log d was to vary by no more than a factor of four up to d = 4096, where d / log^2 d passes as well.",
        note=f"for {words} p is {example:.3g} from d = {DIMENSIONS[0]:g} to {DIMENSIONS[1]:g} and tends to 2, as Sec. 2.2 has it; finding separation-logarithms",
    )  # fmt: skip


def _power_of_example(eta_times_trace: float) -> float:
    """The power of log(d/eta) in F_inf over eta^2 for one large eigenvalue, far out."""
    spectra = [one_large(d) for d in DIMENSIONS]
    rates = [eta_times_trace / levels.trace for levels in spectra]
    errors = [noise_of(levels, eta, eta / levels.d) / eta for levels, eta in zip(spectra, rates, strict=True)]
    return logarithm_power(errors, [math.log(d / eta) for d, eta in zip(DIMENSIONS, rates, strict=True)])


def _any_spectrum(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, "ext_spectra")
    share = evidence.spec["artefacts"]["ext_spectra"]["cells"]["all"]["eta_times_trace"]
    gain = table[(table["series"] == GAIN) & (table["spectrum"] != "one large")]
    yield claim_on_all_cells(
        id="separation-other-spectra", **SECTION_2_2,
        statement="a similar advantage also holds when eigenvalues decay at various rates",
        quantity="log-log slope in d of the exact gain of nu-Noisy-FTRL over Noisy-SGD: the smallest over spectra",
        cells=algebra.measured_by(gain, ["spectrum"], lambda group: algebra.exponent(group, "d")), criterion=ABOVE_0,
        note="eta = 0.1 / Tr H",
    )  # fmt: skip
    yield _equality(table[table["series"] == SGD])
    ftrl, best = (table[table["series"] == series] for series in (FTRL, "optimum"))
    plain = algebra.ratios(ftrl, best, ["spectrum", "d"])
    yield claim_on_all_cells(
        id="near-optimal-any-spectrum", artefact="ext_spectra", location="Sec. 1.3 (a), Sec. 2.2", kind="text", source="paper",
        statement="nu-Noisy-FTRL matches (up to log factors) what any noise coefficients can reach",
        quantity=f"power of log(1/(eta mu)) in its F_inf over the infimum over all beta, in closed form, eta = {share:g} / Tr H, from d = {FAR_DIMENSIONS[0]:.2g} to {FAR_DIMENSIONS[1]:.2g}, by spectrum the largest",
        cells=_powers_over_infimum(share) if len(ftrl) else {}, criterion=at_most(2.0 + criteria.RATE, ", the theorem's two logarithms"),
        changed=f"Before a first look at output at quick scale a factor of two without logarithms, our reading at Figure 2's settings, was asked for. {LOGARITHMS}",
        note=f"the ratio is at most {max(ratio.value for ratio in plain.values()):.3g}" if plain else "",
    )  # fmt: skip


@cache
def _powers_over_infimum(eta_times_trace: float) -> dict[str, Estimate]:
    """The power of log(1/(eta mu)) in F_inf of nu-Noisy-FTRL divided by the infimum, by decay; a power of d adds many."""
    powers = {}
    for alpha in FAR_DECAYS:
        spectra = [decaying(d, alpha) for d in FAR_DIMENSIONS]
        rates = [eta_times_trace / levels.trace for levels in spectra]
        ratios = [over_infimum(levels, eta) for levels, eta in zip(spectra, rates, strict=True)]
        nus = [eta * float(levels.lam.min()) for levels, eta in zip(spectra, rates, strict=True)]
        powers[f"k^-{alpha:g}"] = exactly(logarithm_power(ratios, [math.log(1.0 / nu) for nu in nus]))
    return powers


def _equality(table: pd.DataFrame) -> Claim:
    table = table[table["d"] > 1]
    flat = table["spectrum"] == "flat"
    equal, unequal = (
        [exactly(row["d_eff"] / row["d"]) for row in algebra.rows_of(table[chosen])] for chosen in (flat, ~flat)
    )
    result = statistics.verdict_on_all(
        [within_of(1, criteria.EQUAL).verdict_on_all(equal), at_most(1 - criteria.EQUAL).verdict_on_all(unequal)]
    )
    return judged_claim(
        id="d-eff-equality", **IDENTITY_2_2,
        statement="d_eff <= d with equality when all the eigenvalues of H are equal",
        quantity="d_eff over d: the largest of unequal eigenvalues",
        measured=statistics.worst(unequal) if result != "not testable" else NOTHING, criterion="below 1, and 1 for equal eigenvalues", verdict=result,
    )  # fmt: skip


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of every spectrum at its smallest and largest dimension, and of the example."""
    table = rows(evidence, ARTEFACT)
    for _, group in table.groupby("spectrum", sort=False):
        for row in rows_of(group[group["d"].isin(ends(group["d"]))].drop_duplicates("d")):
            d, why = float(int(row["d"])), "measured is d_eff = Tr H/||H||_2, between 1 and d"
            yield from between("d_eff", "Table 1, Sec. 2.2", _setting(row), 1.0, d, row["d_eff"], why, 1e-12)
            yield from _errors(group[group["d"] == row["d"]], row)
        small = group[group["d"] <= DENSE]
        yield from (_stable_rank(row) for row in rows_of(small[small["d"] == small["d"].max()].drop_duplicates("d")))
    example = table[table["spectrum"] == ONE_LARGE]
    for d in ends_and_middle(example["d"]):
        row = example[example["d"] == d].iloc[0]
        yield bound_row(
            bound="d_eff of the example", location="Sec. 2.2", setting=_setting(row), value=2.0,
            measured=row["d_eff"], note="measured is d_eff",
        )  # fmt: skip


def _setting(row: pd.Series) -> str:
    return f"spectrum {row['spectrum']}: d={row['d']:g}, eta={row['eta']:.4g}"


def _stable_rank(row: pd.Series) -> Bound:
    """Evaluates the stable rank of a dense H, rotated by a cosine transform so that its spectrum cannot be read off."""
    lam = spectrum(row["spectrum"], int(row["d"]))
    root = _root(lam)
    value = (np.linalg.norm(root) / np.linalg.norm(root, 2)) ** 2
    why = "||H^(1/2)||_F^2/sigma_max^2 of the root of a dense H; measured is d_eff in the table"
    return equal("stable rank", "App. C.6", _setting(row), float(value), row["d_eff"], why)


def _root(lam: Array) -> Array:
    """The root of a dense covariance with these eigenvalues, by its eigendecomposition."""
    rotation = dct(np.eye(len(lam)), norm="ortho")
    values, vectors = np.linalg.eigh(rotation @ np.diag(lam) @ rotation.T)
    root: Array = vectors * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
    return root


def _errors(group: pd.DataFrame, row: pd.Series) -> Iterator[Bound]:
    ftrl, least = (mean_at(group[group["series"] == name]) for name in (FTRL, OPTIMUM))
    if ftrl is not None and least is not None:
        why = (
            f"measured is the exact F_inf of nu-Noisy-FTRL, {ftrl / least:.4g} times the exact infimum; {criteria.HALF}"
        )
        yield bound_row(
            bound="infimum over all beta, by spectrum", location="Thm 2.2", setting=_setting(row), value=least,
            measured=ftrl, direction="at least", note=why, allowed=1e-12 * least,
        )  # fmt: skip
