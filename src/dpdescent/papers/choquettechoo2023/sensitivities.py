"""Table 2: sensitivity and error of noise coefficients of earlier work, and sensitivities by other means (App. C.1).

Where the error is infinite, its growth with the horizon is shown: the error of the noise at sensitivity 1 is finite,
and gamma_T^2 multiplies it.
"""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy.signal import lfilter

from dpdescent.checks import as_list
from dpdescent.noise.sensitivity import squared_of
from dpdescent.noise.strategies import toeplitz
from dpdescent.noise.strategies.base import Strategy
from dpdescent.noise.strategies.toeplitz import Toeplitz
from dpdescent.papers.choquettechoo2023 import elliptic, laws, orders
from dpdescent.papers.choquettechoo2023.criteria import (
    EQUAL,
    RATE,
    UNDIMINISHED,
    claim,
    claim_on_all_cells,
    ends,
    equal,
    rows,
)
from dpdescent.papers.choquettechoo2023.elliptic import Quadrature, distance_squared
from dpdescent.papers.choquettechoo2023.orders import ANTI_PGD, DAMPED_ANTI_PGD, FICHTENBERGER, NU_NOISY_FTRL
from dpdescent.papers.choquettechoo2023.prefix_sums import MECHANISMS
from dpdescent.papers.choquettechoo2023.setting import FTRL, Array, RegressionProblem, Row, Spec, power_law, problems
from dpdescent.papers.choquettechoo2023.spectra import (
    FAR_RATES,
    LOGARITHMS,
    each,
    logarithm_power,
    power_as_damping_vanishes,
    power_as_rate_vanishes,
)
from dpdescent.replication.judging import algebra, records
from dpdescent.replication.judging.algebra import rows_of
from dpdescent.replication.judging.bound_rows import bound_row
from dpdescent.replication.judging.criteria import at_least, at_most, within_of
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence
from dpdescent.replication.judging.statistics import NOTHING, Estimate, exactly, quotient

QUANTITIES = {orders.SENSITIVITY: "sensitivity squared", orders.SUBOPTIMALITY: "suboptimality"}
# Steps up to which an inverse is computed from the coefficients of B, and up to which encoders are dense matrices.
INVERTED, DENSE = 10_000, 400
# Coefficients of eq. (7) that are summed, as multiples of 1/nu.
SUMMED = 40.0
MEASURED = "measured is the table's"
# The dimension of Figure 2, with lambda_k = 1/k.
FIGURE_2_SIZE = 128
TABLE_2: records.Place = {"artefact": "table2", "location": "Table 2", "kind": "table", "source": "paper"}


def run_table2(spec: Spec) -> Iterator[Row]:
    """Yields rows of every algorithm and learning rate: sensitivities over horizons, and errors."""
    for cell, problem in problems(spec):
        for name, (nu, strategy, q) in _algorithms(problem).items():
            place = {
                "row": name, "d": cell["d"], "eta": cell["eta"], "nu": nu, "series": "exact over order", "trial": 0,
            }  # fmt: skip
            for entry in (entry for entry in orders.TABLE2 if entry.row == name):
                common = place | {"quantity": QUANTITIES[entry.quantity], "entry": entry.text}
                if entry.quantity == orders.SENSITIVITY:
                    horizons = _horizon_rows(spec, problem, entry, nu, strategy, q)
                    yield from ({**common, **values} for values in horizons)
                    continue
                exact = laws.suboptimality(problem, q, strategy.sensitivity_squared_limit())
                order = entry.order(_setting(problem, nu))
                agree = math.isinf(exact) and math.isinf(order)
                yield {**common, "value": 1.0 if agree else exact / order, "exact": exact, "order": order}


def _algorithms(problem: RegressionProblem) -> dict[str, tuple[float, Toeplitz, Array]]:
    """Returns damping, noise coefficients and weights of the error, by row of the table."""
    eta_mu, best = problem.eta * problem.mu, laws.best_damped_nu(problem)
    # Anti-PGD has the weights of damped anti-PGD at nu = 0, which are 2 eta lambda.
    return {
        orders.FICHTENBERGER: (0.0, toeplitz.optimal_cc(), laws.q_nu(problem, 0.0)),
        orders.NU_NOISY_FTRL: (eta_mu, toeplitz.nu_family(eta_mu), laws.q_nu(problem, eta_mu)),
        orders.ANTI_PGD: (0.0, toeplitz.anti_pgd(), 2.0 * problem.rates),
        orders.DAMPED_ANTI_PGD: (best, toeplitz.damped_anti_pgd(best), laws.q_damped(problem, best)),
    }


def _setting(problem: RegressionProblem, nu: float, T: float = math.inf) -> orders.Setting:
    return orders.Setting.of(problem.lam, eta=problem.eta, rho=problem.rho, nu=nu, T=T, clip_norm=problem.clip_norm)


def _horizon_rows(
    spec: Spec, problem: RegressionProblem, entry: orders.Rate, nu: float, strategy: Toeplitz, q: Array
) -> Iterator[Row]:
    """Yields gamma_T^2 over horizons T, and the error of noise that is scaled to it."""
    for T in as_list(spec["cell"]["T"]):
        exact, order = strategy.sensitivity_squared(T), entry.order(_setting(problem, nu, T))
        yield {"T": T, "value": exact / order, "exact": exact, "order": order}
        error = laws.suboptimality(problem, q, exact)
        yield {
            "T": T, "quantity": "suboptimality at horizon T", "entry": "", "value": 1.0, "exact": error, "order": error
        }  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges Table 2 by columns."""
    yield from _sensitivities(evidence)
    yield from _suboptimalities(evidence)
    yield _diverging(evidence)


def _table2(evidence: Evidence, row: str, quantity: str) -> pd.DataFrame:
    return rows(evidence, "table2", row=row, quantity=quantity)


def _sensitivities(evidence: Evidence) -> Iterator[Claim]:
    by_row = {
        name: _table2(evidence, name, "sensitivity squared")
        for name in (FICHTENBERGER, NU_NOISY_FTRL, ANTI_PGD, DAMPED_ANTI_PGD)
    }
    # Equal steps at equal factors of T are a logarithm: of no dependence on T they are zero, of log^2 T they grow.
    yield claim_on_all_cells(
        id="table2-sensitivity-undamped", **TABLE_2,
        statement=f"{FICHTENBERGER}: gamma_T^2 is of the order log T",
        quantity="what gamma_T^2 grows by over log T from one T to the next, last over first",
        cells=algebra.measured_by(by_row[FICHTENBERGER], ["eta"], _last_slope_over_first), criterion=within_of(1.0, RATE),
        changed=LOGARITHMS,
    )  # fmt: skip
    yield claim(
        id="table2-sensitivity-damped-anti-pgd", **TABLE_2 | {"source": "identity"},
        statement=f"{DAMPED_ANTI_PGD}: gamma_T^2 is of the order 1/nu",
        quantity="log-log slope in nu of gamma_T^2 over 1/nu, at the largest T",
        measured=algebra.least_squares_slope(algebra.rows_at_end(by_row[DAMPED_ANTI_PGD], "T"), "nu"), criterion=within_of(0.0, RATE),
        changed="Before a third review it was to vary by no more than a factor of four, over a range of nu of three.",
        note="a geometric sum, 1/(nu (2 - nu))",
    )  # fmt: skip
    yield claim(
        id="table2-sensitivity-nu", **TABLE_2,
        statement="nu-Noisy-FTRL: gamma_T^2 is of the order log(1/nu)",
        quantity=f"power of log(1/nu) in the limit of gamma_T^2, in closed form, from nu = {FAR_RATES[0]:g} to {FAR_RATES[1]:g}",
        measured=exactly(_power_of_sensitivity()) if len(by_row[NU_NOISY_FTRL]) else NOTHING, criterion=within_of(1.0, RATE),
        changed="Before a review gamma_T^2 was to be at most 5 log(1/nu), ten times what it is: that bound of D.15's proof is in bounds.csv.",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="table2-sensitivity-anti-pgd", artefact="table2", location="Table 2, App. C.5", kind="table", source="identity",
        statement="Anti-PGD: gamma_T^2 = T, the norm of a column of ones",
        quantity="gamma_T^2 over T: the one that is furthest from 1",
        cells=algebra.means(by_row[ANTI_PGD], ["eta", "T"]), criterion=within_of(1.0, EQUAL),
    )  # fmt: skip


def _power_of_sensitivity() -> float:
    return logarithm_power([laws.gamma_squared_nu(nu) for nu in FAR_RATES], [math.log(1.0 / nu) for nu in FAR_RATES])


def _last_slope_over_first(table: pd.DataFrame) -> Estimate:
    """The last growth of gamma_T^2 over log T divided by the first."""
    table = table.sort_values("T")
    slopes = (table["exact"].diff() / np.log(table["T"].astype(float)).diff()).dropna().tolist()
    return quotient(slopes[-1], slopes[0]) if len(slopes) > 1 else NOTHING


def _suboptimalities(evidence: Evidence) -> Iterator[Claim]:
    """Judges the errors that are finite in Table 2; rows differ in eta, and in nu with it."""
    errors = _table2(evidence, NU_NOISY_FTRL, "suboptimality").sort_values("eta", ascending=False)
    yield claim_on_all_cells(
        id="table2-suboptimality-nu", **TABLE_2,
        statement="nu-Noisy-FTRL with 0 < nu <= eta mu: F_inf is at most of the order eta^2 G^2 Tr H log^2(1/nu) / rho",
        quantity=f"power of log(1/nu) in F_inf over eta^2 Tr H, in closed form, Figure 2's spectrum: nu = eta mu, from eta = {FAR_RATES[0]:g} to {FAR_RATES[1]:g}, and nu alone between these, by eta",
        cells=_powers_of_errors(errors), criterion=at_most(2.0 + RATE), changed=LOGARITHMS,
    )  # fmt: skip
    damped = _table2(evidence, DAMPED_ANTI_PGD, "suboptimality")
    yield claim(
        id="table2-suboptimality-damped-anti-pgd", artefact="table2", location="Table 2, C.24", kind="table", source="paper",
        statement="Anti-PGD with damping: F_inf is of the order eta^(3/2) G^2 sqrt(d Tr H) / rho",
        quantity="log-log slope in eta of exact F_inf over that order",
        measured=algebra.least_squares_slope(damped, "eta"), criterion=within_of(0.0, RATE),
        changed="Before a review the value over the order was to vary by no more than a factor of four over a decade of eta.",
    )  # fmt: skip


def _powers_of_errors(errors: pd.DataFrame) -> algebra.Places:
    cells = {}
    for row in algebra.rows_of(errors):
        lam = each(power_law(FIGURE_2_SIZE, 1.0))
        cells["nu = eta mu"] = exactly(power_as_rate_vanishes(lam))
        cells[f"eta = {row['eta']:g}"] = exactly(power_as_damping_vanishes(lam, row["eta"]))
    return cells


def _diverging(evidence: Evidence) -> Claim:
    horizon = rows(evidence, "table2", quantity="suboptimality at horizon T").sort_values("T")
    horizon = horizon[horizon["row"].isin([FICHTENBERGER, ANTI_PGD])]
    return claim_on_all_cells(
        id="table2-diverges", artefact="table2", location="Table 2, caption", kind="table", source="paper",
        statement="Fichtenberger et al. and Anti-PGD have F_inf = inf, because the sensitivity diverges as T -> inf",
        quantity="what the error with gamma_T grows by from one T to the next, last over first: the smallest over both and eta",
        cells=algebra.measured_by(horizon, ["row", "eta"], _last_step_over_first), criterion=at_least(UNDIMINISHED, ": it does not level off"),
    )  # fmt: skip


def _last_step_over_first(table: pd.DataFrame) -> Estimate:
    """The error's growth to the last horizon divided by that from the first; horizons grow by equal factors."""
    moves = table["exact"].diff().dropna().tolist()
    return exactly(moves[-1] / moves[0]) if len(moves) > 1 and moves[0] > 0 else NOTHING


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of the limit for every nu of Figure 2, of horizons, of norms of beta, of several participations."""
    yield from _limits(evidence)
    horizons, keys = rows(evidence, "table2", quantity="sensitivity squared"), ["row", "nu", "T"]
    for row in rows_of(horizons.drop_duplicates(keys).sort_values(keys)):
        yield from _horizon(row)
    yield from _norms(evidence)
    for row in rows_of(rows(evidence, "ext_prefix_sums", copies=1)):
        yield from _participations(row)


def _limits(evidence: Evidence) -> Iterator[Bound]:
    table = damped(evidence)
    for row in rows_of(table):
        nu, measured = row["nu"], row["gamma_squared"]
        grid = Quadrature.graded(nu)
        value = float(grid.integrate(distance_squared(nu, grid.frequencies) ** -0.5)) / (2.0 * math.pi)
        closed = laws.gamma_squared_nu(nu)
        why = f"(1/2 pi) int |B|^-2 by quadrature; by Lemma F.15 it is {closed:.12g}; {MEASURED}"
        yield equal("gamma_inf^2 of eq. (7)", "(5), (28)", f"nu={nu:g}", value, measured, why)
        if nu in ends(table["nu"]):
            yield from _limit_bounds(nu, measured)


def damped(evidence: Evidence) -> pd.DataFrame:
    """Rows of Figure 2 for every distinct nu with its limiting sensitivity."""
    tables = [rows(evidence, "fig02", variant, kind="exact", series=FTRL) for variant in ("main", "fixed nu")]
    return pd.concat(tables).drop_duplicates("nu").sort_values("nu")


def _limit_bounds(nu: float, measured: float) -> Iterator[Bound]:
    setting = f"nu={nu:g}"
    yield bound_row(
        bound="gamma_inf^2 of eq. (7), from above", location="Lemma C.21(i), (50)", setting=setting,
        value=elliptic.diagonal_bound(nu) / (2.0 * math.pi), measured=measured,
        note=f"5 log(8/nu) / (2 pi); {MEASURED}",
    )  # fmt: skip
    value = 5.0 * math.log(1.0 / nu)
    why = f"5 log(1/nu), as the proof of D.15 has it: {value / measured:.3g} times it; {MEASURED}"
    yield bound_row(
        bound="gamma^2 of eq. (7), proof of D.15", location="Cor. D.15, proof", setting=setting, value=value,
        measured=measured, note=why,
    )  # fmt: skip


def _horizon(row: pd.Series) -> Iterator[Bound]:
    """Compares gamma_T^2 of a family of Table 2 with that of the inverse of B, and with its closed form."""
    family, nu, T, measured = row["row"], float(row["nu"]), int(row["T"]), row["exact"]
    setting = f"{family}: T={T}, nu={nu:g}"
    strategy = _strategy(family, nu)
    if T <= INVERTED:
        why = f"squares of the first column of B^-1, by solving B c = e_0; {MEASURED}"
        yield equal("gamma_T^2", "(24)", setting, _inverse_squared(strategy.coefficients(T)), measured, why)
    if family == orders.ANTI_PGD:
        yield equal("gamma_T^2, closed form", "App. C.5", setting, float(T), measured, f"T; {MEASURED}")
    elif family != orders.FICHTENBERGER:
        value = strategy.sensitivity_squared_limit()
        yield bound_row(
            bound="gamma_T^2, its limit", location="App. C.1.1", setting=setting, value=value, measured=measured,
            note=f"gamma_T increases to gamma_inf; {MEASURED}", allowed=1e-12 * value,
        )  # fmt: skip
    if family == orders.DAMPED_ANTI_PGD:
        value = (1.0 - (1.0 - nu) ** (2 * T)) / (nu * (2.0 - nu))
        why = f"(1 - (1-nu)^(2T)) / (nu (2-nu)); {MEASURED}"
        yield equal("gamma_T^2, closed form", "App. C.5", setting, value, measured, why)


def _strategy(family: str, nu: float) -> Toeplitz:
    undamped = {orders.FICHTENBERGER: toeplitz.optimal_cc(), orders.ANTI_PGD: toeplitz.anti_pgd()}
    damped_families = {orders.NU_NOISY_FTRL: toeplitz.nu_family, orders.DAMPED_ANTI_PGD: toeplitz.damped_anti_pgd}
    return undamped[family] if family in undamped else damped_families[family](nu)


def _inverse_squared(beta: Array) -> float:
    """Squared norm of the first column of the inverse of Toeplitz(beta), by forward substitution."""
    impulse = np.eye(1, len(beta))[0]
    column = lfilter([1.0], np.trim_zeros(beta, "b"), impulse)
    return float(column @ column)


def _norms(evidence: Evidence) -> Iterator[Bound]:
    for nu in ends(damped(evidence)["nu"]):
        measured = float(np.abs(toeplitz.nu_family(nu).coefficients(math.ceil(SUMMED / nu))).sum())
        why = f"2 - sqrt(nu); no measurement: measured is the sum of {SUMMED:g}/nu coefficients"
        yield equal("|beta|_1 of eq. (7)", "(7)", f"nu={nu:g}", 2.0 - math.sqrt(nu), measured, why)
        yield bound_row(
            bound="|beta|_1^2 of eq. (7)", location="Cor. D.15, proof", setting=f"nu={nu:g}", value=4.0,
            measured=measured**2, note="no measurement: measured is the square of that sum",
        )  # fmt: skip


def _participations(row: pd.Series) -> Iterator[Bound]:
    """Squared sensitivity to a record that takes part k times, T/k steps apart: closed forms, and dense encoders."""
    name, T, k = row["mechanism"], int(row["T"]), int(row["k"])
    setting, measured = f"prefix sums: {name}, T={T}, k={k}", row["sensitivity"] ** 2
    if name == "identity":
        why = f"k: orthogonal columns; {MEASURED}"
        yield equal("squared sensitivity, closed form", "Thm 1.1", setting, float(k), measured, why)
    if name in ("TreeAgg", "Honaker") and k == 1:
        levels = float(T.bit_length())
        why = f"1 + floor(log2 T), the finished nodes that a step lies in; {MEASURED}"
        yield equal("squared sensitivity, closed form", "Thm 1.1", setting, levels, measured, why)
    if name not in ("identity", "ME") and T <= DENSE:
        strategy: Strategy = toeplitz.nu_family(row["nu"]) if name == "nu" else MECHANISMS[name](T, k)
        why = f"largest sum over the columns of a record, dense C, C'C >= 0; {MEASURED}"
        value = squared_of(strategy.encoder(T), k)
        yield equal("squared sensitivity, dense", "Thm 1.1", setting, value, measured, why)
