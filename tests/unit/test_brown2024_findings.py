"""brown2024's findings about privacy and mathematics, each derived a second time: by loops, recursions, simulation."""

import math
import re
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from scipy import stats

import committed as of
from dpdescent.papers.brown2024 import findings
from later import Later

committed = partial(of.committed, "brown2024")

ETA = 0.25


FOUND = Later(lambda: {each.finding: each for each in findings.demonstrate(committed())})

# What formulas show, without any table.
FORMULAS = {
    "adassp-bounds", "condition-iv-start", "figure-1-target", "logarithms-of-2.7", "privacy-for-free",
    "sample-condition", "steps-small-rho", "theorem-3.1-steps",
}  # fmt: skip


def text(name: str) -> str:
    return FOUND[name].measured


def beta() -> float:
    return float(committed().settings["beta"])


def test_one_record_meets_the_condition_and_is_clipped() -> None:
    """Condition 2.4 part by part for x = y = theta = 1, sigma = 0.01, c0 = 1, and the first gradient of Lemma 2.5."""
    x = y = theta = c0 = 1.0
    sigma, T = 0.01, 50
    assert 0.5 <= x * x <= 2.0
    assert abs(1 - ETA * x * x) <= 7 / 8
    assert abs(x) <= c0
    assert abs(y - x * theta) <= c0 * sigma
    for t in range(1, T + 1):
        left = (1 - ETA * x * x) ** t
        assert abs(x * left * theta) <= c0
        assert abs((y - x * theta) * x * (1 - left) * x) <= c0 * sigma
    gamma = 4 * c0**2 * sigma
    assert abs(x * (x * 0.0 - y)) > gamma
    assert f"gamma = {gamma:g}, the first gradient 1" in text("small-sigma")


def test_small_sigma_by_how_far_steps_can_go() -> None:
    """Whatever the data, T steps move by at most eta T gamma and noise: the error stays near ||theta_hat|| = 1."""
    n, p, rho, sigma = 10_000, 10, 1.0, 1e-12
    T = math.ceil(math.log(n * rho / p))
    gamma = sigma * math.sqrt(p) * math.log(n * T / beta()) ** 3
    noise = gamma / n * math.sqrt(2 * T / rho)
    furthest = ETA * (T * gamma + 6 * noise * math.sqrt(T * p))
    bound = math.log(n * rho / (beta() * p)) ** 4 * sigma * p / (math.sqrt(rho) * n)
    assert furthest < 1e-6
    assert f"error {1 - furthest:.2g}, bound {bound:.2g} at sigma = 1e-12" in text("small-sigma-accuracy")


def test_start_up_bias_by_plain_descent() -> None:
    """Noise-free descent on orthonormal records, for as many steps as the theorem has at n rho / p = 2."""
    p, steps = 10, math.ceil(10 * math.log(2))
    X = np.repeat(np.eye(p), 2, axis=0) * math.sqrt(p)
    start, theta = np.full(p, p**-0.5), np.zeros(p)
    for _ in range(steps):
        theta = theta - ETA * X.T @ (X @ theta - X @ start) / len(X)
    bias = float(np.linalg.norm(theta - start))
    assert text("steps-small-rho").count(f"bias {bias:.3g}") == 3


def coverage(T: int, noise_sd: float, apart: bool) -> float:
    """Coverage of t intervals from ten estimates of 0, simulated by coordinates at Sigma = I."""
    m, runs, rng = 10, 40_000, np.random.default_rng(3)
    alpha = committed().settings["alpha"]
    estimates, e = [], np.full(runs, 10**-0.5)
    for _ in range(m):
        if apart:
            e = np.full(runs, 10**-0.5)
        for _ in range(T):
            e = (1 - ETA) * e + ETA * noise_sd * rng.standard_normal(runs)
        estimates.append(e)
    found = np.array(estimates)
    half = stats.t.ppf(1 - alpha / 2, m - 1) * found.std(axis=0, ddof=1) / math.sqrt(m)
    return float(np.mean(np.abs(found.mean(axis=0)) <= half))


@pytest.mark.parametrize(("words", "apart"), [("checkpoints", False), ("independent runs", True)])
def test_coverage_by_simulation(words: str, apart: bool) -> None:
    place = re.findall(
        rf"lambda = ([0-9.e+-]+) {words} cover ([0-9.]+) at T = (\d+), ([0-9.]+) at T = (\d+)",
        text("theorem-3.1-steps"),
    )
    ((noise_sd, *told),) = place
    for share, T in zip(told[::2], told[1::2], strict=True):
        assert coverage(int(T), float(noise_sd), apart) == pytest.approx(float(share), abs=0.012)


def test_sample_condition_by_inserting_the_noise() -> None:
    """The n at which both sides of (75) are equal grows like p and like rho^(-1/2), by bisection."""

    def needed(p: float, rho: float) -> float:
        T = 70
        low, high = 10.0, 1e20
        for _ in range(200):
            n = math.sqrt(low * high)
            noise_over_gamma = math.sqrt(2 * T / rho) / n
            log = math.log(n * T / beta())
            enough = 1 / (ETA * noise_over_gamma) >= log**3 * p * math.sqrt(log)
            low, high = (low, n) if enough else (n, high)
        return high

    def shape(p: float, rho: float) -> float:
        return needed(p, rho) / math.log(needed(p, rho) * 70 / beta()) ** 3.5

    assert shape(4000, 1.0) / shape(1000, 1.0) == pytest.approx(4.0, rel=1e-6)
    assert shape(1000, 0.25) / shape(1000, 1.0) == pytest.approx(2.0, rel=1e-6)
    corrected, printed = re.findall(r"([0-9.e+]+) in place of ([0-9.e+]+) at", text("sample-condition"))[0]
    log = math.log(1e6 * 70 / beta())
    assert float(corrected) == pytest.approx(1000 * math.sqrt(70) * log**3.5, rel=0.02)
    assert float(printed) == pytest.approx(math.sqrt(1000) * math.log(1000 / beta()) ** 4, rel=0.02)


def test_constant_of_the_printed_argument() -> None:
    """(58) with the ceiling of c1 for c0, over 12 ln^1.5, at any n and T."""
    for log in (5.0, 17.0):
        for p, factor in ((2, "3.41"), (10, "1.46"), (100, "1.11")):
            constant = 4 * (3 * math.sqrt(log)) * log * sum(p ** (-k / 2) for k in range(400))
            assert f"{constant / (12 * log**1.5):.2f} at p = {p}" == f"{factor} at p = {p}"
            assert f"{factor} at p = {p}" in text("lemma-2.6-constant")


def test_start_of_condition_iv_by_its_one_record() -> None:
    x, theta, eta, c0, sigma = 1.0, 1000.0, 1.0, 1.0, 1.0
    values = [abs(x * (1 - eta * x * x) ** t * theta) for t in range(4)]
    assert max(values[1:]) <= c0 < values[0]
    assert f"gamma = {4 * c0**2 * sigma:g}, and the first gradient is {values[0]:g}" in text("condition-iv-start")


def test_noise_over_the_bound_by_recursion() -> None:
    def over(n: float, p: int, rho: float, c: float, inside: float) -> str:
        T = math.ceil(c * math.log(n * rho / p))
        gamma, variance = c * math.sqrt(p) * math.log(n * T / beta()) ** 3, 0.0
        for _ in range(T):
            variance = (1 - ETA) ** 2 * variance + ETA**2 * 2 * T * gamma**2 / (rho * n**2)
        return f"{math.sqrt(p * variance) / (math.log(inside) ** 4 * p / (math.sqrt(rho) * n)):.2g}"

    for p in (10**2, 10**4, 10**8):
        assert f"{over(100.0 * p, p, 1.0, 1.0, 100 / beta())} at p = {p:.0e}" in text("logarithms-of-2.7")
    for rho in (1.0, 1e-12):
        assert f"{over(1000 / rho, 10, rho, 10.0, 1e4 / beta())} at rho = {rho:g}" in text("logarithms-of-2.7")


def test_size_of_adassp_s_noise_by_the_pair() -> None:
    few, more = np.array([1.0, 1.0]), np.array([1.0, 1.0, 1e6])
    ratio = np.max(more**2) / np.max(few**2)
    assert f"noise on X'X is {ratio:g} times as large" in text("adassp-bounds")


def test_numbers_follow_the_tables_and_without_rows_findings_stand() -> None:
    tables = {name: table for name, table in committed().tables.items() if name != "bounds"}
    rng = np.random.default_rng(1)
    moved = {name: table.assign(mean=table["mean"] * rng.uniform(0.5, 2, len(table))) for name, table in tables.items()}
    found = findings.demonstrate(replace(committed(), tables=moved))
    assert {each.finding for each in found if each.measured == text(each.finding)} == FORMULAS
    main = {name: table[table["variant"] == "main"] for name, table in tables.items()}
    assert {each.finding for each in findings.demonstrate(replace(committed(), tables=main))} == set(FOUND)
