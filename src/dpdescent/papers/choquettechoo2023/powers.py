"""Claims about every parameter in the bounds of Sec. 2.3, D.14 and D.15, at horizons where their conditions hold.

Errors are closed forms (`laws.tuned_rate`), at the clip norm (9) with its constant and its logarithms at 1. Spectra
have two eigenvalues, 1 and 1/kappa, so that kappa, d_eff and d can be moved one at a time.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd

from dpdescent.papers.choquettechoo2023 import formulas, laws
from dpdescent.papers.choquettechoo2023.criteria import NEARLY, claim_on_all_cells, rows
from dpdescent.papers.choquettechoo2023.finite_time import ARTEFACT, MEASURED, MECHANISMS, unmet
from dpdescent.papers.choquettechoo2023.formulas import Run
from dpdescent.papers.choquettechoo2023.setting import DP_SGD, NU, Array, RegressionProblem
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import Criterion, at_most, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import Regime
from dpdescent.replication.judging.statistics import Estimate, less_number

PLACES = {DP_SGD: "D.14", NU: "D.15"}
# Powers of d, kappa and d_eff in the part due to privacy: through the start's distance, and through the labels' noise,
# of which one sets the clip norm.
POWERS = {
    (DP_SGD, "distance"): {"d": 1.0, "kappa": 1.0, "d_eff": 2.0},
    (DP_SGD, "labels"): {"d": 1.0, "kappa": 1.0, "d_eff": 1.0},
    (NU, "distance"): {"d": 0.0, "kappa": 2.0, "d_eff": 3.0},
    (NU, "labels"): {"d": 0.0, "kappa": 2.0, "d_eff": 2.0},
}  # fmt: skip
WITHOUT_PRIVACY = {"T": -1.0, "d": 0.0, "kappa": 1.0, "d_eff": 1.0}
ADMISSIBLE = {"mu": 1.0, "rho": 1.0, "R^2": -2.0, "d": -1.0}
# A budget at which privacy costs nothing beside the noise of the labels.
NO_PRIVACY = 1e30
OMITTED = "the logarithms are omitted"
FORM = "F_inf and what is left of the start, in closed form, at the best learning rate and the clip norm (9) with constant and logarithms at 1"
LARGE = "kappa = 1e4, d = 64, d_eff = 4, T = 1e30 where they are not moved; the conditions of the corollaries hold there at constant 1"
NEW = "The claim was added after a review: of the bounds' parameters only T was judged."
# The labels' noise with which they set the clip norm (9).
LOUD = 1e3


@dataclass(frozen=True)
class Setting:
    """A regression problem with two eigenvalues and a horizon, large enough for both corollaries.

    Attributes:
        d, large: dimension, and number of eigenvalues that are 1.
        kappa: reciprocal of the other eigenvalues.
        T, rho: steps and budget.
        distance: distance of the start from theta*, equal in all coordinates.
        sigma: sd of the labels' noise.
    """

    d: int = 64
    large: int = 4
    kappa: float = 1e4
    T: float = 1e30
    rho: float = 1.0
    distance: float = 1.0
    sigma: float = 0.0

    @property
    def lam(self) -> Array:
        """The eigenvalues, shape (d,)."""
        lam: Array = np.concatenate([np.ones(self.large), np.full(self.d - self.large, 1.0 / self.kappa)])
        return lam

    def problem(self, *, noisy: bool = True) -> RegressionProblem:
        """The problem at the clip norm (9); without `noisy` the labels set the clip norm and add no noise."""
        trace = float(self.lam.sum())
        clip_norm = max(trace * self.distance, self.sigma * math.sqrt(trace))
        return RegressionProblem(self.lam, 1e-3, self.rho, clip_norm, self.sigma if noisy else 0.0)

    def run(self, eta: float, failure: float) -> Run:
        """The run at a learning rate, as the theorems of App. D have it."""
        problem = replace(self.problem(), eta=eta)
        return Run(problem, self.distance, self.T, failure, formulas.fourth_moment(self.lam))


BASE = Setting()

# Settings over which each parameter is moved; d_eff by the number of large eigenvalues, which it nearly equals.
MOVED: dict[str, tuple[Setting, ...]] = {
    "d": tuple(replace(BASE, d=d) for d in (32, 64, 128)),
    "kappa": tuple(replace(BASE, kappa=kappa) for kappa in (1e3, 1e4, 1e5)),
    "d_eff": tuple(replace(BASE, large=large) for large in (4, 8, 16)),
    "T": tuple(replace(BASE, T=T) for T in (1e30, 1e31, 1e32)),
    "1/rho": tuple(replace(BASE, rho=rho) for rho in (1.0, 0.1, 0.01)),
    "distance": tuple(replace(BASE, distance=distance) for distance in (0.1, 1.0, 10.0)),
    "sigma_sgd": tuple(replace(BASE, sigma=sigma) for sigma in (0.1, 1.0, 10.0)),
}


# Steps from the first power of ten at which all conditions of a corollary are met.
FIRST = {DP_SGD: (1e23, 1e26, 1e29, 1e32), NU: (1e25, 1e27, 1e29, 1e32)}


def moved(name: str) -> dict[str, tuple[Setting, ...]]:
    """Settings over which each parameter is moved for the bound of a mechanism, T also from the least on."""
    return MOVED | {"T, from the least": tuple(replace(BASE, T=T) for T in FIRST[name])}


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges the powers of the parameters, the term without privacy, the bounds as a whole, and learning rates."""
    present = len(rows(evidence, ARTEFACT, panel="exact")) > 0
    failure = evidence.settings["failure"]
    for id, name in (("finite-powers-sgd", DP_SGD), ("finite-powers-ftrl", NU)):
        yield claim_on_all_cells(
            id=id, artefact=ARTEFACT, location=f"Sec. 2.3 (b), {PLACES[name]}", kind="theorem", source="paper",
            statement=f"omitting log factors, the part of {name}'s error that is due to privacy has the powers of d, kappa and d_eff of the bound: {_powers_text(name)}",
            quantity=f"log-log slope, less the printed power, of {FORM}, by parameter: the furthest off; {MEASURED}",
            cells=_powers(name) if present else {}, criterion=_zero_criterion(), regime=_regime(name, failure), changed=NEW, note=LARGE,
        )  # fmt: skip
    yield claim_on_all_cells(
        id="finite-non-private", artefact=ARTEFACT, location="Sec. 2.3 (b), D.14, D.15", kind="theorem", source="paper",
        statement="both bounds have the same term without privacy, kappa d_eff sigma_sgd^2 / T",
        quantity=f"log-log slope, less the printed power, of {FORM}, where privacy costs nothing, by parameter and mechanism: the furthest off; {MEASURED}",
        cells=_without_privacy() if present else {}, criterion=_zero_criterion(), changed=NEW, note=LARGE,
    )  # fmt: skip
    for id, name in (("finite-bound-sgd", DP_SGD), ("finite-bound-ftrl", NU)):
        yield claim_on_all_cells(
            id=id, artefact=ARTEFACT, location=f"Sec. 2.3 (b), {PLACES[name]}", kind="theorem", source="paper",
            statement=f"for T of at least the order of kappa^2 d_eff^2 d / rho the printed bound holds for {name}, omitting log factors",
            quantity=f"log-log slope of the error over the bound at constant 1, by parameter, T also from {FIRST[name][0]:g} on, below which at a tenth a condition is not met: the largest; the error is {FORM}",
            cells=_slopes_of_ratios(name) if present else {}, criterion=at_most(NEARLY, f": it outgrows the bound by no power, {OMITTED}"),
            regime=_regime(name, failure), changed=f"{NEW} Before a fourth review T was 1e30 and more.", note=f"{LARGE}; {_constant(name) if present else ''}",
        )  # fmt: skip
    yield claim_on_all_cells(
        id="finite-admissible-rate", artefact=ARTEFACT, location="D.15, proof", kind="theorem", source="paper",
        statement="the largest admissible learning rate of nu-DP-FTRL is mu rho / (R^4 d), up to logarithms",
        quantity="log-log slope, less the printed power, of the largest learning rate that Theorem D.13 allows at constant 1 (it is in its own condition), by parameter: the furthest off",
        cells=_admissible(failure) if present else {}, criterion=_zero_criterion(), changed=NEW,
    )  # fmt: skip


def _zero_criterion() -> Criterion:
    return within_of(0.0, NEARLY, words=f"within {NEARLY:g} of 0: {OMITTED}")


def _powers_text(name: str) -> str:
    """The printed powers, for the statement."""
    return "; ".join(
        f"{', '.join(f'{power:g} of {parameter}' for parameter, power in POWERS[name, through].items())} through the {through}"
        for through in ("distance", "labels")
    )


@cache
def tuned(setting: Setting, name: str, noisy: bool) -> laws.Tuned:
    """The least error and its learning rate; without `noisy` that of privacy and the start alone."""
    start = np.full(setting.d, setting.distance / math.sqrt(setting.d))
    return laws.tuned_rate(setting.problem(noisy=noisy), start, setting.T, name == NU)


def _slope(axis: str, settings: tuple[Setting, ...], values: list[float]) -> Estimate:
    table = pd.DataFrame({axis: [_axis_value(axis, setting) for setting in settings], "mean": values, "se": math.nan})
    return algebra.least_squares_slope(table, axis)


def _axis_value(axis: str, setting: Setting) -> float:
    """The value of a parameter of `MOVED` in a setting."""
    if axis == "d_eff":
        return float(setting.lam.sum())
    if axis == "1/rho":
        return 1.0 / setting.rho
    if axis.startswith("T"):
        return setting.T
    return float(getattr(setting, "sigma" if axis == "sigma_sgd" else axis))


def _powers(name: str) -> dict[str, Estimate]:
    cells = {}
    for through, sigma in (("distance", 0.0), ("labels", LOUD)):
        for axis, power in POWERS[name, through].items():
            settings = tuple(replace(setting, sigma=sigma) for setting in MOVED[axis])
            slope = _slope(axis, settings, [tuned(setting, name, noisy=False).error for setting in settings])
            cells[f"{axis}, {through}"] = less_number(slope, power)
    return cells


def _without_privacy() -> dict[str, Estimate]:
    cells = {}
    for name in MECHANISMS:
        for axis, power in WITHOUT_PRIVACY.items():
            settings = tuple(replace(setting, sigma=1.0, rho=NO_PRIVACY) for setting in MOVED[axis])
            slope = _slope(axis, settings, [tuned(setting, name, noisy=True).error for setting in settings])
            cells[f"{axis}, {name}"] = less_number(slope, power)
    return cells


def bound(setting: Setting, name: str) -> float:
    """The terms in 1/T and 1/T^2 of the printed bound, at constant 1 and without logarithms."""
    return (formulas.dp_sgd_utility if name == DP_SGD else formulas.nu_dp_ftrl_utility)(setting.run(1e-3, 0.5))


def _ratios(name: str) -> Mapping[tuple[str, float], list[float]]:
    """The ratios of the error to the bound, by parameter and label noise."""
    ratios = {}
    for axis, settings in moved(name).items():
        for sigma in (0.0, 1.0, LOUD) if axis != "sigma_sgd" else (1.0,):
            chosen = settings if axis == "sigma_sgd" else tuple(replace(setting, sigma=sigma) for setting in settings)
            ratios[axis, sigma] = [tuned(setting, name, noisy=True).error / bound(setting, name) for setting in chosen]
    return ratios


def _slopes_of_ratios(name: str) -> dict[str, Estimate]:
    cells = {}
    for (axis, sigma), values in _ratios(name).items():
        slope = _slope(axis, moved(name)[axis], values)
        cells[f"{axis}, sigma_sgd = {sigma:g}" if axis != "sigma_sgd" else axis] = slope
    return cells


def _constant(name: str) -> str:
    ratios = list(itertools.chain(*_ratios(name).values()))
    return f"the error is {min(ratios):.3g} to {max(ratios):.3g} times the bound at constant 1 without logarithms: up to log^{math.ceil(math.log(max(ratios)) / math.log(math.log(BASE.T)))}(T)"


def _regime(name: str, failure: float) -> Regime:
    """The conditions of the corollary at all settings, at the rates in use."""
    failures: dict[str, None] = {}
    for axis, settings in moved(name).items():
        for base in settings:
            for sigma in (0.0, LOUD):
                setting = base if axis == "sigma_sgd" else replace(base, sigma=sigma)
                run = setting.run(tuned(setting, name, noisy=sigma == 0.0).eta, failure)
                failures |= dict.fromkeys(unmet(run, name))
    return Regime(tuple(failures))


@cache
def _admissible(failure: float) -> dict[str, Estimate]:
    """Slopes of the largest rate in mu, rho, R^2 and d, each by itself: R^2 is given, not that of the spectrum."""
    base = {"mu": 1e-4, "rho": 1.0, "R^2": 4.0, "d": 64.0}
    cells = {}
    for axis, power in ADMISSIBLE.items():
        moved = [base | {axis: base[axis] * factor} for factor in (0.1, 1.0, 10.0)]
        rates = [_largest_rate(failure, *case.values()) for case in moved]
        table = pd.DataFrame({"at": [case[axis] for case in moved], "mean": rates, "se": math.nan})
        cells[axis] = less_number(algebra.least_squares_slope(table, "at"), power)
    return cells


def _largest_rate(failure: float, mu: float, rho: float, moment: float, d: float) -> float:
    problem = RegressionProblem(np.append(np.ones(int(d) - 1), mu), 1e-3, rho)
    run = Run(problem, BASE.distance, BASE.T, failure, moment)
    return formulas.admissible_rate(run, laws.gamma_squared_nu)
