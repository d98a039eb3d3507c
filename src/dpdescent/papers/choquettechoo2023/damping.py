"""The choice of damping: anti-PGD with damping (Table 2, App. C.5), and nu of nu-Noisy-FTRL (Theorem 2.2); exact."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.checks import as_list
from dpdescent.papers.choquettechoo2023 import criteria, elliptic, formulas, laws, spectra
from dpdescent.papers.choquettechoo2023.criteria import (
    asserted,
    claim,
    claim_on_all_cells,
    configured,
    ends,
    equal,
    mean_at,
    problem_with,
    rows,
)
from dpdescent.papers.choquettechoo2023.setting import FTRL, SGD, RegressionProblem, Row, Spec, power_law, problems
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import rows_of
from dpdescent.replication.judging.bound_rows import Direction, bound_row
from dpdescent.replication.judging.criteria import at_least, at_most, within_of
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly

DAMPED, BEST_DAMPED = "damped anti-PGD", "damped anti-PGD at the best nu"
ARTEFACT = "ext_anti_pgd"
MEASURED = "measured is the exact F_inf"


def run_ext_anti_pgd(spec: Spec) -> Iterator[Row]:
    """Rows of one panel: damped anti-PGD over its damping, or at its best damping beside two other algorithms."""
    for cell, problem in problems(spec):
        best = laws.best_damped_nu(problem)
        place = {"panel": spec["panel"], "d": cell["d"], "eta": cell["eta"], "trial": 0}
        if "nu" in spec["cell"]:
            for nu in as_list(spec["cell"]["nu"]):
                yield {
                    **place, "nu": nu, "series": DAMPED, "value": laws.damped_anti_pgd(problem, nu), "nu_best": best,
                    "leading_order": formulas.damped_leading_order(problem, nu),
                }  # fmt: skip
        else:
            errors = {
                BEST_DAMPED: laws.damped_anti_pgd(problem, best), SGD: laws.noisy_sgd(problem),
                FTRL: laws.nu_noisy_ftrl(problem, problem.eta * problem.mu),
            }  # fmt: skip
            leading = formulas.best_damped_order(problem)
            for series, value in errors.items():
                yield {**place, "series": series, "value": value, "nu_best": best, "leading_order": leading}


def run_ext_nu(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel: every spectrum and learning rate, every multiple of eta mu that stays below 1."""
    for cell, problem in problems(spec):
        least = laws.least_error(problem)
        at_best = laws.best_nu(problem)[1] / least
        for multiple in as_list(spec["arms"]["nu_over_eta_mu"]):
            nu = multiple * problem.eta * problem.mu
            if nu < 1.0:
                yield {
                    "panel": spec["panel"], **cell, "nu_over_eta_mu": multiple, "nu": nu, "trial": 0,
                    "series": "over the optimum", "value": laws.nu_noisy_ftrl(problem, nu) / least,
                    "value_at_best": at_best,
                }  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges anti-PGD with damping, then the choice of nu."""
    yield from _anti_pgd(evidence)
    yield _proposed_damping(evidence)
    yield _small_nu(evidence)


def _anti_pgd(evidence: Evidence) -> Iterator[Claim]:
    place = "Table 2, C.24"
    best = {panel: rows(evidence, "ext_anti_pgd", panel=panel, series=BEST_DAMPED) for panel in ("eta", "d")}
    yield claim(
        id="anti-pgd-eta", artefact="ext_anti_pgd", location=place, kind="table", source="paper",
        statement="with damping F_inf goes with eta^(3/2)",
        quantity="log-log slope in eta of the exact F_inf at the best nu",
        measured=algebra.exponent(best["eta"], "eta"), criterion=within_of(1.5, criteria.RATE),
    )  # fmt: skip
    yield claim(
        id="anti-pgd-d", artefact="ext_anti_pgd", location=place, kind="table", source="paper",
        statement="with damping F_inf goes with sqrt(d Tr H)",
        quantity="log-log slope of the exact F_inf at the best nu against eta^(3/2) sqrt(d Tr H), as d grows",
        measured=algebra.exponent(best["d"], "leading_order"), criterion=within_of(1.0, criteria.RATE),
    )  # fmt: skip
    over_nu = rows(evidence, "ext_anti_pgd", panel="nu", series=DAMPED)
    # The smallest wrong world: a power 0.15 of nu, eta, d or Tr H that is missing from a term.
    yield claim_on_all_cells(
        id="anti-pgd-nu", artefact="ext_anti_pgd", location="C.24", kind="theorem", source="paper",
        statement="F_inf = Theta(eta G^2 rho^-1 (nu d + eta Tr H / nu))",
        quantity="exponent of a symbol in the exact F_inf less the printed one, where either term is the larger one by far: the furthest from 0",
        cells=_exponents_of_terms() if len(over_nu) else {}, criterion=within_of(0.0, criteria.RATE),
        changed="Before a second review its quotient by the order was to vary by no more than a factor of four over nu.",
        note=f"over the nu of the table it varies by a factor of {algebra.largest_over_smallest(over_nu['mean'] / over_nu['leading_order']).value:.3g}",
    )  # fmt: skip
    both = pd.concat(best.values())
    table = rows(evidence, "ext_anti_pgd")
    sgd, ftrl = (table[table["series"] == series] for series in (SGD, FTRL))
    keys = ["panel", "eta", "d"]
    above, below = (
        algebra.ratios(upper, lower, keys, ["series", *keys]) for upper, lower in ((both, ftrl), (sgd, both))
    )
    yield claim_on_all_cells(
        id="anti-pgd-interpolates", artefact="ext_anti_pgd", location="Sec. 2.2", kind="text", source="paper",
        statement="a variant of anti-PGD interpolates between the rates of Noisy-SGD and nu-Noisy-FTRL",
        quantity="its exact F_inf over that of nu-Noisy-FTRL, and that of Noisy-SGD over its own: the smallest ratio",
        cells=above | below, criterion=at_least(1.0 + criteria.EQUAL, words="above 1"),
    )  # fmt: skip
    middle = ftrl.merge(sgd[[*keys, "mean"]], on=keys, suffixes=("", "_sgd"))
    middle = middle.assign(mean=(middle["mean"] * middle["mean_sgd"]) ** 0.5)
    shares = [ratio.value for ratio in algebra.ratios(both, middle, keys).values()]
    yield claim_on_all_cells(
        id="anti-pgd-geometric-mean", artefact="ext_anti_pgd", location="Sec. 2.2, Table 2", kind="text", source="paper",
        statement="its error is the geometric mean of those of Noisy-SGD and nu-Noisy-FTRL, ignoring log factors",
        quantity="log-log slope of exact F_inf over that mean, in eta and in d: the furthest off",
        cells={axis: algebra.least_squares_slope(_over_mean(both, middle, axis), axis) for axis in ("eta", "d") if len(_over_mean(both, middle, axis))},
        criterion=within_of(0.0, criteria.NEARLY, words=f"within {criteria.NEARLY:g} of 0: logarithms are ignored"),
        changed="Before a review the value over the mean was to vary by no more than a factor of four.",
        note=f"the ratio itself is {min(shares):.3g} to {max(shares):.3g}" if shares else "",
    )  # fmt: skip


def _proposed_damping(evidence: Evidence) -> Claim:
    """Judges Proposition C.24 at its own damping, over the table's learning rates and dimensions."""

    def slope(axis: str) -> Estimate:
        table = rows(evidence, ARTEFACT, panel=axis, series=BEST_DAMPED)
        quotients = [_over_proposed(_problem(evidence, row)) for row in rows_of(table)]
        return algebra.least_squares_slope(table.assign(mean=quotients, se=math.nan), axis)

    slopes = {axis: slope(axis) for axis in ("eta", "d")}
    return claim_on_all_cells(
        id="anti-pgd-proposed", artefact=ARTEFACT, location="Prop. C.24", kind="theorem", source="paper",
        statement="at eta = c / Tr H and nu = 1/sqrt(d) damped anti-PGD has F_inf = Theta((c^(1/2) + c^(-1/2)) eta^(3/2) sigma^2 sqrt(d Tr H))",
        quantity="log-log slope of the exact F_inf over that order in the learning rate and in the dimension: the furthest from 0",
        cells={axis: found for axis, found in slopes.items() if not math.isnan(found.value)},
        criterion=within_of(0.0, criteria.RATE),
        changed="The claim was added after a review: the statement was in no row. Before a second one the quotient was to vary by no more than a factor of four.",
        note="Theorem C.15 asks for eta < 1/R^2, hence for c < Tr H/R^2, below 1: there c^(1/2) moves the order by less than a factor of two, and Theta says nothing of it",
    )  # fmt: skip


def _over_proposed(problem: RegressionProblem) -> float:
    """The exact F_inf at nu = 1/sqrt(d) over the order of Proposition C.24, with sigma^2 = G^2/(2 rho)."""
    c = problem.eta * problem.trace
    form = problem.clip_norm**2 / (2.0 * problem.rho) * math.sqrt(problem.eta**3 * problem.d * problem.trace)
    return laws.damped_anti_pgd(problem, 1.0 / math.sqrt(problem.d)) / ((math.sqrt(c) + 1.0 / math.sqrt(c)) * form)


def _over_mean(damped: pd.DataFrame, middle: pd.DataFrame, panel: str) -> pd.DataFrame:
    """Rows of a panel whose mean is the error divided by the geometric mean of the other two."""
    both = damped[damped["panel"] == panel].merge(
        middle[["panel", "eta", "d", "mean"]], on=["panel", "eta", "d"], suffixes=("", "_middle")
    )
    return both.assign(mean=both["mean"] / both["mean_middle"], se=math.nan)


def damped(d: int, alpha: float, eta: float, nu: float) -> float:
    """The exact F_inf of damped anti-PGD for eigenvalues k^-alpha."""
    return laws.damped_anti_pgd(RegressionProblem(power_law(d, alpha), eta, 1.0), nu)


def _exponents_of_terms() -> algebra.Places:
    """Exponents less the printed ones: of eta nu d at nu far above sqrt(eta), of eta^2 Tr H / nu far below it."""
    d, alpha, eta, smaller = 64, 1.0, 1e-8, 10.0
    traces = [float(power_law(d, decay).sum()) for decay in (0.5, 1.0)]
    places = {}
    for term, nu, powers in (("nu d", 1e-2, (1, 1, 1, 0)), ("eta Tr H / nu", 1e-7, (2, -1, 0, 1))):
        value = damped(d, alpha, eta, nu)
        # Eigenvalues k^-2 have the same trace in every dimension, k^-0.5 and 1/k have others in one.
        found = (
            math.log(value / damped(d, alpha, eta / smaller, nu), smaller),
            math.log(value / damped(d, alpha, eta, nu / smaller), smaller),
            math.log(damped(4 * d, 2.0, eta, nu) / damped(d, 2.0, eta, nu), 4.0),
            math.log(damped(d, 0.5, eta, nu) / value) / math.log(traces[0] / traces[1]),
        )
        for symbol, power, printed in zip(("eta", "nu", "d", "Tr H"), found, powers, strict=True):
            places[f"term {term}, {symbol}"] = exactly(power - printed)
    return places


def _small_nu(evidence: Evidence) -> Claim:
    """Judges values of nu below eta mu, which Theorem 2.2 allows and charges log^2(1/nu) for."""
    table = rows(evidence, "ext_nu", series="over the optimum")
    return claim_on_all_cells(
        id="nu-below-eta-mu", artefact="ext_nu", location="Thm 2.2", kind="theorem", source="paper",
        statement="for every nu <= eta mu F_inf of nu-Noisy-FTRL is at most of the order eta^2 G^2 log^2(1/nu) Tr H / rho",
        quantity=f"power of log(1/nu) in F_inf, in closed form, from nu = {spectra.FAR_RATES[0]:g} to {spectra.FAR_RATES[1]:g}, by spectrum and eta the largest",
        cells=algebra.measured_by(table, ["d", "alpha", "eta"], _power_of_logarithm), criterion=at_most(2.0 + criteria.RATE),
        changed=spectra.LOGARITHMS,
        note=f"at the best nu of all F_inf is at most {table['value_at_best'].max():.3g} times the infimum" if len(table) else "",
    )  # fmt: skip


def _power_of_logarithm(table: pd.DataFrame) -> Estimate:
    """The power of log(1/nu) in F_inf at a table's first place, far below eta mu."""
    first = table.iloc[0]
    spectrum = spectra.each(power_law(int(first["d"]), float(first["alpha"])))
    return exactly(spectra.power_as_damping_vanishes(spectrum, float(first["eta"])))


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows over the damping."""
    table = rows(evidence, ARTEFACT, panel="nu", series=DAMPED)
    for row in rows_of(table):
        yield from _bounds_at_damping(evidence, row)
    for row in rows_of(table[table["nu"].isin(ends(table["nu"]))]):
        yield from _proof_integrals(_problem(evidence, row), float(row["nu"]))


def _problem(evidence: Evidence, row: pd.Series) -> RegressionProblem:
    alpha = as_list(configured(evidence, ARTEFACT, "alpha", row["panel"]))[0]
    return problem_with(evidence, ARTEFACT, power_law(int(row["d"]), alpha), row["eta"])


def _bounds_at_damping(evidence: Evidence, row: pd.Series) -> Iterator[Bound]:
    problem, nu, measured = _problem(evidence, row), float(row["nu"]), row["mean"]
    q, gamma_squared = laws.q_damped(problem, nu), laws.gamma_squared_damped(nu)
    setting = _setting(problem, nu)
    value = formulas.upper_bound_by_frequency(problem, q, gamma_squared)
    if not math.isnan(value):
        yield bound_row(
            bound="upper bound, damped anti-PGD", location="Thm C.15", setting=setting, value=value, measured=measured,
            note=f"{value / measured:.3g} times the value; {MEASURED}; {criteria.HALF}",
        )  # fmt: skip
    value = formulas.lower_bound(problem, q, gamma_squared)
    why = f"{criteria.HALVED}; {value / measured:.3g} of the value; {MEASURED}"
    direction: Direction | None = "at least" if asserted(problem) else None
    yield bound_row(
        bound="lower bound, damped anti-PGD", location="Thm C.18", setting=setting, value=value, measured=measured,
        direction=direction, note=why,
    )  # fmt: skip


def _setting(problem: RegressionProblem, nu: float) -> str:
    return f"damped anti-PGD: d={problem.d}, eta={problem.eta:g}, nu={nu:g}"


def _proof_integrals(problem: RegressionProblem, nu: float) -> Iterator[Bound]:
    """Evaluates by quadrature the two integrals of the proof of Proposition C.24."""
    setting, gamma_squared, rate = (_setting(problem, nu), laws.gamma_squared_damped(nu), float(problem.rates.min()))
    grid = elliptic.Quadrature.graded(min(nu, rate))
    power = elliptic.distance_squared(nu, grid.frequencies)
    measured = float(grid.integrate(1.0 / power)) / (2.0 * math.pi)
    why = "1/(nu (2-nu)); no measurement: measured is the mean of 1/|B|^2 by quadrature"
    yield equal("gamma_inf^2 of damped anti-PGD", "App. C.5, F.12", setting, gamma_squared, measured, why)
    measured = float(grid.integrate(power / elliptic.distance_squared(rate, grid.frequencies))) / (2.0 * math.pi)
    value = (1.0 + (1.0 - nu) ** 2 - 2.0 * (1.0 - nu) * (1.0 - rate)) / (rate * (2.0 - rate))
    why = "(1 + (1-nu)^2 - 2 (1-nu)(1-x))/(x (2-x)), x = eta lambda_d; no measurement: measured by quadrature"
    yield equal("second integral of the proof", "Prop. C.24, F.12", setting, value, measured, why)


def evaluate_nu(evidence: Evidence) -> Iterator[Bound]:
    """Rows of the least error over nu beside the infimum over all coefficients, and of nu = eta mu beside both."""
    table = rows(evidence, "ext_nu", series="over the optimum")
    for (panel, d, alpha, eta), group in table.groupby(["panel", "d", "alpha", "eta"], sort=False):
        row = group.iloc[0]
        setting = f"choice of nu, {panel}: d={d:g}, alpha={alpha:g}, eta={eta:g}"
        why = "1, the infimum over all beta; measured is the least over nu of the exact F_inf over that infimum"
        yield bound_row(
            bound="least over nu", location="Thm 2.2", setting=setting, value=1.0, measured=row["value_at_best"],
            direction="at least", note=why, allowed=1e-9,
        )  # fmt: skip
        measured = mean_at(group[group["nu_over_eta_mu"] == 1.0])
        if measured is not None:
            value = row["value_at_best"]
            why = "the least over nu; measured is that of nu = eta mu, the largest of the theorem; over the infimum"
            yield bound_row(
                bound="nu = eta mu", location="Thm 2.2", setting=setting, value=value, measured=measured,
                direction="at least", note=why, allowed=1e-9,
            )  # fmt: skip
