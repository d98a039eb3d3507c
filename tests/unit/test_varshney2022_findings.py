"""varshney2022's findings: their numbers follow the tables, and those on mathematics are derived a second time."""

import math
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import committed as of
from dpdescent.algorithms.dp_stat import Search
from dpdescent.papers.varshney2022 import findings, probabilities, ssgd
from dpdescent.papers.varshney2022.ambssgd import Setting
from dpdescent.papers.varshney2022.setting import Design
from dpdescent.replication.judging.evidence import Finding
from later import Later

committed = partial(of.committed, "varshney2022")


def told(tables: Mapping[str, pd.DataFrame]) -> dict[str, Finding]:
    return {each.finding: each for each in findings.demonstrate(replace(committed(), tables=dict(tables)))}


FOUND = Later(lambda: told(committed().tables))
# What formulas show, without any table.
FORMULAS = {
    "lemma-a.1-range", "sample-size-reduction", "leading-term-cross", "equation-18", "clipping-max", "equation-7-half",
    "corollary-3.3-vacuous", "eps-min-increasing", "residual-power", "dp-stat-count", "domain-size",
    "lipschitz-constant",
}  # fmt: skip
VALUES = {"mean", "median", "bias", "clip_fraction", "eps_tight", "n_over_d", "T", "measured", "q90"}


def test_numbers_follow_the_tables() -> None:
    tables = committed().tables
    scaled = {
        name: table.assign(**{each: 1.37 * table[each].astype(float) for each in VALUES & {*table}})
        for name, table in tables.items()
    }
    same = {name for name, each in told(scaled).items() if each.measured == FOUND[name].measured}
    # Thresholds follow N, d and sigma, which are no outcome.
    assert same == FORMULAS | {"threshold-logarithm"}


def test_without_a_table_findings_say_so() -> None:
    tables = committed().tables
    for made in ({}, dict.fromkeys(tables, pd.DataFrame()), {name: table[:0] for name, table in tables.items()}):
        found = told(made)
        assert {name for name, each in found.items() if findings.NOT_RUN not in each.measured} == FORMULAS
        assert not any(each.headline for each in found.values())
        assert set(found) == set(FOUND)
    for name in tables:
        assert set(told({other: table for other, table in tables.items() if other != name})) == set(FOUND)


def test_equal_numbers_are_none_above_another_but_for_rounding() -> None:
    """In step (44) at kappa = 1 and d = 1."""
    table = committed().tables["moments"]
    moved = table.assign(mean=table["mean"] * (1 + 1e-15))
    assert told({"moments": moved})["step-44"].measured == told({"moments": table})["step-44"].measured


# Findings about mathematics, each derived a second time: by enumeration, laws, simulation.


def row(name: str, *place: str) -> list[float]:
    """The row of a finding's table that begins with these values, without them."""
    (found,) = [each for each in FOUND[name].shown[1:] if each[: len(place)] == place]
    return [float(each) for each in found[len(place) :]]


def test_printed_rule_by_enumeration_of_levels() -> None:
    """Each level stops with the chance that noise lifts its count to s; residuals by their expected counts.

    Thresholds from 4 on cover nearly all of 2000 normal residuals, and all of them from 8 on.
    """
    s, levels, sd = 2000, 20, 4.2 * math.sqrt(20)
    grid = [1024.0 * 2.0 ** (k - levels) for k in range(levels + 1)]
    all_covered = math.exp(-s * math.erfc(4 / math.sqrt(2)))
    share, square, left = 0.0, 0.0, 1.0
    for k, gamma in enumerate(grid):
        missing = s * math.erfc(gamma / math.sqrt(2))
        stops = 1.0 if k == levels else 0.5 * math.erfc(missing / sd / math.sqrt(2))
        chance, left = left * stops, left * (1.0 - stops)
        for covering, weight in ((4.0, all_covered), (8.0, 1.0 - all_covered)):
            square += weight * chance * (gamma / covering) ** 2
            share += weight * chance * (gamma >= 2 * covering)
    assert row("dp-stat-break-rule", "as published", "overshoot")[0] == pytest.approx(share, abs=0.03)
    # The mean of 4000 squares, of which the largest, 2^16, has a chance of 2^-9: to within four standard errors.
    assert row("dp-stat-break-rule", "as published", "mean square ratio")[0] == pytest.approx(square, abs=4 * 65)
    # The second half holds if gamma/2 leaves out more than Gamma residuals, which 2 does and 4 does not.
    slack = 4.2 * math.sqrt(2 * levels * math.log(levels / 0.01))
    assert s * math.erfc(2 / math.sqrt(2)) > slack > 5 * s * math.erfc(4 / math.sqrt(2))
    assert row("dp-stat-break-rule", "as published", "second half")[0] == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize("d", [2, 5, 10])
def test_step_of_corollary_3_3_by_the_balance_of_pull_and_noise(d: int) -> None:
    """Clipped gradients pull by zeta sqrt(2/(pi d)) on the mean, noise of sd 2 alpha zeta pushes: |w| is Gamma(d).

    The average over N/2 steps has a smaller risk than an iterate.
    """
    N, delta, sigma = 200_000, 1e-6, 0.1
    alpha = math.log(N / delta) / math.sqrt(math.log(1 / delta))
    eta, zeta = 1 / (4 * d), math.sqrt(d * (1 + sigma**2)) * math.log(N)
    scale = (2 * alpha * eta * zeta) ** 2 / (2 * eta * zeta * math.sqrt(2 / (math.pi * d)))
    iterate = 0.5 * d * (d + 1) * scale**2
    risk, limit, clipped = row("corollary-3.3-step", "2e+05", f"{d}")
    # The start, and the last term of (6) in (2 alpha zeta)^2 / N: kappa = 1, R_x^2 = d + 2, a = 1/2, K_2^2 = 2.
    assert limit == pytest.approx(64 * (d + 2) * (2 * alpha * zeta) ** 2 / N + d / 2, rel=0.01)
    assert 0.5 < limit < risk < iterate
    assert clipped > 0.9


def test_what_corollary_3_8_leaves_by_the_geometric_series() -> None:
    for d, T, rule, _, left in FOUND["corollary-3.8-step"].shown[1:]:
        if rule == "Corollary 3.8":
            q, half = 1 - 1 / (4 * int(d)), int(T) // 2
            series = q ** (half + 1) * (1 - q ** (int(T) - half)) / ((1 - q) * (int(T) - half))
            assert float(left) == pytest.approx(series**2, rel=0.01)


def test_what_corollary_3_8_is_held_to() -> None:
    found = FOUND["corollary-3.8-step"]
    assert "T = 150 = 11 log N (N^-2.7)" in found.measured
    assert math.log(1e6) * 11 == pytest.approx(150, rel=0.02)
    # Per step of Theorem 3.7's the second moment keeps about (d + 1)/b = 21/6061, half of the steps are averaged.
    per_step = -0.5 * math.log(21 / 6061)
    told = float(re.findall(r"Theorem 3.7's step (\d+) log N", found.headline)[0])
    assert told == pytest.approx(100 / per_step, rel=0.05)


def test_the_printed_rule_alone_costs_what_the_table_has() -> None:
    table = committed().tables["ablation"]
    table = table[(table["variant"] == "more trials") & (table["choice"] == "rule") & (table["series"] == "DP-AMBSSGD")]
    printed, corrected = (table[table["level"] == level].iloc[0] for level in ("as published", "corrected"))
    told = FOUND["dp-stat-break-rule"].measured
    for column in ("median", "mean"):
        assert f"{printed[column]:.3g} for {corrected[column]:.3g}" in told


def test_gradients_of_two_dependences_by_simulation() -> None:
    rng, d = np.random.default_rng(12), 100
    x = rng.standard_normal((20_000, d))
    norms = np.linalg.norm(x, axis=1)
    for residual, told in ((norms, "101 where"), (x[:, 0], "10.1 where")):
        size = math.sqrt(float(np.mean((norms * residual) ** 2)))
        assert size == pytest.approx(float(told.split()[0]), rel=0.02)
        assert told in FOUND["lipschitz-constant"].measured


def test_first_half_of_lemma_3_10_by_simulation() -> None:
    """Where the printed rule stops, no draw has fewer than s - Gamma residuals below the threshold."""
    rng, s, levels, alpha = np.random.default_rng(6), 2000, 20, 4.2
    slack = alpha * math.sqrt(2 * levels * math.log(levels / 0.01))
    grid = 1024.0 * 2.0 ** np.arange(-levels, 1.0)
    for _ in range(300):
        counts = np.searchsorted(np.sort(np.abs(rng.standard_normal(s))), grid)
        stops = counts + alpha * math.sqrt(levels) * rng.standard_normal(levels + 1) >= s
        assert counts[int(np.argmax(stops)) if stops.any() else levels] >= s - slack
    assert "Lemma 3.10's first half holds in a share 1 of draws" in FOUND["no-clipping-gap"].measured


def test_cross_term_by_the_printed_formula() -> None:
    d, N, kappa = 50, 1_000_000, 16.0
    told = re.findall(
        r"([0-9.]+) times 8 sigma.*\(([0-9.]+) for geometric ones; at c_1 = 400 ([0-9.]+) and ([0-9.]+)",
        FOUND["leading-term-cross"].measured,
    )[0]
    flat = np.append(np.ones(d - 1), 1 / kappa)
    made = []
    for c1 in (4.0, 400.0):
        for lam in (flat, kappa ** -(np.arange(d) / (d - 1))):
            T = c1 * kappa * math.log(N)
            b, mu = N / T * 10 / 11, float(lam.min())
            eta = b / (lam.sum() + 2 * lam.max() + (b - 1) * lam.max())
            made.append(
                4 / (eta * mu * T) ** 2 * math.exp(-eta * mu) * 2 * eta / (mu * b) * float(lam @ lam) * N / (8 * d)
            )
    assert made == [pytest.approx(float(each), rel=0.06) for each in told]


def test_step_44_by_simulation() -> None:
    """The worst coefficient of E[B'HB] against H at d = 10, kappa = 16, b = 10, from 40,000 batches."""
    rng, d, kappa, b = np.random.default_rng(7), 10, 16.0, 10
    lam = kappa ** -(np.arange(d) / (d - 1))
    eta = b / (lam.sum() + 2 * lam.max() + (b - 1) * lam.max())
    total = np.zeros((d, d))
    for _ in range(40):
        X = rng.standard_normal((1000, b, d)) * np.sqrt(lam)
        B = np.eye(d) - eta * np.swapaxes(X, 1, 2) @ X / b
        total += np.sum(np.swapaxes(B, 1, 2) @ (lam[:, None] * B), axis=0)
    worst = np.max(np.diag(total / 40_000) / lam)
    table = committed().tables["moments"]
    at = {"quantity": "E[B'HB] against H", "d": d, "kappa": kappa, "b": b}
    place = table[(table[list(at)] == list(at.values())).all(axis=1)]
    assert worst == pytest.approx(float(place["mean"].iloc[0]), rel=0.02)
    assert worst > 1.0 > float(place["claimed"].iloc[0])


def test_last_iterate_by_one_step_of_one_dimension() -> None:
    """x normal, d = 1, kappa = 1: after n steps (1 - 2 eta + 3 eta^2)^n of the start's risk is left, by simulation."""
    rng, eta = np.random.default_rng(8), 0.05
    for n in (0, 1, 4):
        left = float(np.mean(np.prod((1 - eta * rng.standard_normal((400_000, n)) ** 2) ** 2, axis=1)))
        assert left == pytest.approx((1 - 2 * eta + 3 * eta**2) ** n, rel=0.01)
        assert left > 0.5 * (1 - eta) ** n
    assert "it is 1/2 at n = 0 and kappa = 1" in FOUND["lemma-b.3-factor"].measured


def test_square_of_the_printed_rule_by_the_chances_of_each_level() -> None:
    """The test above derives it with expected counts; the law given residuals agrees, and 4000 draws scatter."""
    assert re.search(r"mean squared ratio 245 in draws, 3[45]\d by the law", FOUND["dp-stat-break-rule"].measured)


@pytest.mark.parametrize("d", [2, 3])
def test_risks_above_the_bound_by_simulation(d: int) -> None:
    """The average over T/2 batches has a risk of sigma^2 chi^2_d / (T b), by runs without noise for privacy."""
    rng, N, T, draws = np.random.default_rng(9), 640, 4, 40_000
    b = N // T
    eta, above = b / (d + 2 + b - 1), 0
    for _ in range(draws // 1000):
        w, total = np.zeros((1000, d)), np.zeros((1000, d))
        for t in range(T):
            x, z = rng.standard_normal((1000, b, d)), rng.standard_normal((1000, b))
            w -= eta * np.einsum("nbd,nb->nd", x, np.einsum("nbd,nd->nb", x, w) - z) / b
            total += w * (t >= T // 2)
        above += int(np.sum(0.5 * np.sum((total / (T // 2)) ** 2, axis=1) > 3 * d / N))
    # At three times the mean, because there are enough draws above it.
    assert math.log10(above / draws) == pytest.approx(probabilities.log10_labels_above(3.0, d), abs=0.12)


def test_first_gradients_above_a_threshold_by_simulation() -> None:
    """The lower bound is below the share of first gradients above a threshold, and not by much for d = 1."""
    rng = np.random.default_rng(10)
    for d in (1, 4):
        x, z = rng.standard_normal((400_000, d)), 0.1 * rng.standard_normal(400_000)
        w = np.full(d, d**-0.5)
        share = float(np.mean(np.linalg.norm(x, axis=1) * np.abs(x @ w + z) > 4.0))
        problem = Design.of(d, 1.0, 1.0).problem(1000, 0.1)
        least = 10 ** probabilities.log10_first_clipped(problem, 4.0)
        assert 0.5 * norm.sf(2) < least < share
        if d == 1:
            assert share < 2.5 * least


def test_gradients_above_a_threshold_of_the_printed_search_by_simulation() -> None:
    """The lower bound is below the share of draws in which a gradient is above what DP-STAT's threshold allows.

    At d = 1 and with little noise it is not far below, because |x| is then all that makes a gradient large.
    """
    rng, draws, sigma, alpha = np.random.default_rng(11), 4000, 0.05, 0.05
    setting = Setting.of(Design.of(1, 1.0, 1.0).problem(3000, sigma), 4.0, alpha)
    log, s = math.log(3000.0), round(3000 / 44)
    levels = math.ceil(200 * math.log2(3000))
    largest = math.sqrt(2.0) * math.sqrt(3.0) * (1.0 + sigma) * log * 2.0 ** (levels - 200 * math.log2(3000))
    search = Search(largest, levels, alpha, rule="as published")
    residuals = math.sqrt(1.0 + sigma**2) * rng.standard_normal((draws, s))
    gamma = search.select(search.counts(residuals), rng.standard_normal((draws, levels)), s)
    x, z = rng.standard_normal((draws, 200)), sigma * rng.standard_normal((draws, 200))
    share = float(np.mean(np.abs(x * (x + z)) > (math.sqrt(3.0 * log) * gamma)[:, None]))
    assert 0.02 * share < 10 ** probabilities.log10_batch_clipped(setting) < share


def test_a_larger_k2_mends_the_threshold_of_dp_ssgd_alone() -> None:
    records, few = 1e9, probabilities.setting_of_3_7(committed(), 2, 1e9, 1.0)
    for factor in (5.0, 20.0, 100.0, 1000.0):
        problem = replace(few.problem, k2=factor * few.problem.k2)
        power = probabilities.log10_batch_clipped(replace(few, problem=problem)) / math.log10(records)
        assert -2.0 < power < -1.0
        zeta = ssgd.theorem_parameters(problem, 1.0).zeta
        # Theorem 3.2's threshold is proportional to K2^2, the least |u| to its root.
        assert (probabilities.log10_first_clipped(problem, zeta) / math.log10(records) < -100) == (factor >= 20.0)
    assert f"DP-AMBSSGD: N^{power:.3g} at 1000 K2" in FOUND["threshold-logarithm"].charitable_reading
    many = probabilities.setting_of_3_7(committed(), 100_000, 1e12, 1.0)
    power = probabilities.log10_batch_clipped(many) / 12
    assert power < -199
    assert f"N^{power:.3g} at d = 10^5" in FOUND["threshold-logarithm"].charitable_reading


def test_misprints_by_their_own_formulas() -> None:
    assert "1771 beta at beta = 1e-08" in FOUND["equation-18"].measured
    assert 2 * norm.sf(math.sqrt(math.log(1e8))) / 1e-8 == pytest.approx(1771, rel=1e-3)
    assert 2 * math.sinh(0.05) == pytest.approx(0.100042, abs=1e-6)
    assert "0.100042" in FOUND["equation-7-half"].measured
    assert math.log(math.sqrt(math.log(1e6) / 1e5) / math.log(1e6)) == pytest.approx(-7.07, abs=0.01)
    assert "-7.07" in FOUND["corollary-3.3-vacuous"].measured
    eps = [rho + 2 * math.sqrt(rho * math.log(1e6)) for rho in (1.0, 0.25)]
    assert all(f"{value:.3g}" in FOUND["eps-min-increasing"].measured for value in eps)
    assert 2 * norm.sf(math.log(1e5) ** 0.25) == pytest.approx(0.065, abs=1e-3)
    # One count more than s is above s but for noise; and 2^3.56 is R_x sqrt(log N) at d = 10.
    assert norm.cdf(1 / (4.2 * 20**0.5)) == pytest.approx(0.521, abs=1e-3)
    assert "0.521, in place of 0.5" in FOUND["dp-stat-count"].measured
    assert pytest.approx((12 * math.log(1e5)) ** 0.5, rel=0.01) == 2**3.56
    assert "adds 3.56 doublings at d = 10" in FOUND["domain-size"].measured
