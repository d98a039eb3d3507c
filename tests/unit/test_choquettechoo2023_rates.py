"""The orders of choquettechoo2023 Tables 1, 2 and 4: against one another, and against the exact errors."""

import math

import numpy as np
import pytest

from dpdescent.papers.choquettechoo2023 import findings, laws, orders
from dpdescent.papers.choquettechoo2023.orders import ALPHAS, Rate, Setting
from dpdescent.papers.choquettechoo2023.setting import RegressionProblem, power_law, spectrum

ETA, RHO = 0.01, 0.5
SPECTRA = ["flat", "k^-0.5", "k^-1", "k^-2", "k^-3", "one large"]


def entry(table: tuple[Rate, ...], row: str, quantity: str) -> Rate:
    (found,) = [rate for rate in table if (rate.row, rate.quantity) == (row, quantity)]
    return found


def small_rate(lam: np.ndarray) -> RegressionProblem:
    return RegressionProblem(lam, eta=0.1 / lam.sum(), rho=RHO)


def test_setting_of_a_spectrum() -> None:
    setting = Setting.of(power_law(8, 1.0), eta=0.02, rho=0.4, clip_norm=3.0)
    assert (setting.d, setting.mu, setting.nu) == (8, 0.125, pytest.approx(0.0025))
    assert setting.unit == pytest.approx(22.5)
    assert setting.trace == pytest.approx(sum(1.0 / k for k in range(1, 9)))
    with pytest.raises(ValueError, match="lam has the largest value 2"):
        Setting.of(2.0 * power_law(8, 1.0), eta=0.02, rho=0.4)
    with pytest.raises(ValueError, match="rho must be positive"):
        Setting.of(power_law(8, 1.0), eta=0.02, rho=0.0)


# Table 1


def test_ratios_of_table_1_are_those_of_its_orders() -> None:
    setting = Setting.of(power_law(50, 1.0), eta=ETA, rho=RHO)
    lower = entry(orders.TABLE1, orders.LOWER_BOUND, orders.SUBOPTIMALITY).order(setting)
    for row in (orders.LOWER_BOUND, orders.NOISY_SGD, orders.NU_NOISY_FTRL):
        order = entry(orders.TABLE1, row, orders.SUBOPTIMALITY).order(setting)
        assert order / lower == pytest.approx(entry(orders.TABLE1, row, orders.RATIO).order(setting), rel=1e-12)


def test_the_finer_order_keeps_its_constant() -> None:
    """For eigenvalues k^-3 the order with log^2 is off by a factor that grows; the finer one by a constant."""
    loose, fine = [], []
    for d in (32, 512, 4096):
        problem = small_rate(spectrum("k^-3", d))
        nu = problem.eta * problem.mu
        error = laws.nu_noisy_ftrl(problem, nu)
        loose.append(error * RHO / (problem.eta**2 * problem.trace * math.log(1.0 / nu) ** 2))
        fine.append(error / findings._finer_order(problem.lam, eta=problem.eta, rho=RHO, nu=nu))
    assert loose[0] / loose[-1] > 2.0
    assert 0.9 < fine[0] / fine[-1] < 1.1
    # 0.01 * 9/2 * 2 * (log(80) + log(160) / 2)
    found = findings._finer_order(np.array([1.0, 0.5]), eta=0.1, rho=2.0, nu=8.0 * math.exp(-2.0), clip_norm=3.0)
    assert found == pytest.approx(0.09 * (math.log(80.0) + 0.5 * math.log(160.0)), rel=1e-13)


# Table 4


def rows_of(alpha: float) -> list[orders.SpectrumRow]:
    """The special row of a spectrum k^-alpha, if there is one, and the general one."""
    general = "k^-a, a > 1" if alpha > 1.0 else "k^-a, a < 1" if 0.0 < alpha < 1.0 else ""
    return [row for row in orders.TABLE4 if row.row == general or ALPHAS[row.row] == alpha]


@pytest.mark.parametrize("row", orders.TABLE4, ids=lambda row: row.row)
def test_ratio_of_table_4_is_that_of_its_columns(row: orders.SpectrumRow) -> None:
    alpha = ALPHAS[row.row]
    setting = Setting.of(power_law(40, alpha), eta=ETA, rho=RHO, alpha=alpha)
    values = {rate.quantity: rate.order(setting) for rate in row.rates}
    implied = values[orders.NOISY_FTRL] / values[orders.NOISY_SGD]
    # The last entry of a row is its correction, where there is one.
    assert row.rates[-1].order(setting) == pytest.approx(implied, rel=1e-12)
    corrected = [rate for rate in row.rates if rate.correction]
    assert len(corrected) == (row.row == "1/k^2")
    for rate in corrected:
        printed = row.rates[-2]
        assert printed.quantity == rate.quantity == orders.RATIO
        assert printed.order(setting) == pytest.approx(implied * math.log(40 / ETA), rel=1e-12)


def test_special_rows_of_table_4_agree_with_the_general_ones() -> None:
    for alpha, constant in [(0.5, 2.0), (2.0, 4.0)]:
        special, general = rows_of(alpha)
        setting = Setting.of(power_law(30, alpha), eta=ETA, rho=RHO, alpha=alpha)
        assert general.rates[2].order(setting) == pytest.approx(constant * special.rates[2].order(setting), rel=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.5, 1.0, 2.0, 3.0])
def test_effective_dimension_of_table_4(alpha: float) -> None:
    for d in (50, 5000):
        lam = power_law(d, alpha)
        setting = Setting.of(lam, eta=ETA, rho=RHO, alpha=alpha)
        for row in rows_of(alpha):
            assert 0.5 <= lam.sum() / row.rates[0].order(setting) <= 2.0


@pytest.mark.parametrize("alpha", [1.01, 1.05, 1.1, 1.5, 2.0, 3.0, 5.0])
def test_quotient_of_fast_decays_stays_bounded(alpha: float) -> None:
    """A power of 1/(a - 1) that shows at one d is no missing factor, because the quotient itself is bounded."""
    quotients = [orders.over_entry(orders.NOISY_FTRL, "k^-a, a > 1", 2.0**k, alpha, 0.1) for k in (4, 16, 64, 128, 200)]
    assert max(quotients) < 0.25
