"""The calculator: its formulas are those of the Python functions, and bad input is told in one line."""

import itertools
import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select
from site_under_test import ROOT

from dpdescent.algorithms.gaussian_law import IterateLaw, coverages
from dpdescent.noise import schedule
from dpdescent.papers.choquettechoo2023 import laws, setting
from dpdescent.papers.liang2025 import formulas
from dpdescent.privacy import accounting, sampling, shuffling, zcdp
from dpdescent.replication.build.files import read_rows
from dpdescent.replication.report import samplers

Opener = Callable[..., WebDriver]
PAGE = "calculator.html"
COMPUTE = "return JSON.stringify(arguments[0].map((given) => window.dpdescentCalculator.compute(given)))"
RELATIONS = ("replace-one", "zero-out")
OFFERED = "return [...document.querySelectorAll('[name=relation] option')].map((option) => option.value)"


def inputs(count: int) -> Iterator[dict[str, Any]]:
    """Random inputs from small to large, both kinds of budget and both relations in turn."""
    rng = np.random.default_rng(11)
    for k in range(count):
        yield {
            "budget": ("rho", "epsilon")[k % 2], "relation": RELATIONS[k // 2 % 2], "rho": 10 ** rng.uniform(-5, 1.5),
            "epsilon": 10 ** rng.uniform(-2, 1.5), "delta": 10 ** rng.uniform(-10, -1.5),
            "n": int(10 ** rng.uniform(1, 7)), "T": int(rng.integers(1, 200)), "gamma": 10 ** rng.uniform(-3, 3),
            "p": int(rng.integers(1, 60)), "eta": rng.uniform(0.01, 0.99), "kappa": 10 ** rng.uniform(0, 3),
            "target": 10 ** rng.uniform(-4, 1), "R": rng.uniform(0, 3), "sigma": rng.uniform(0, 2), "b": 1,
            **({"eigenvalues": rng.uniform(0.001, 1.0, rng.integers(1, 9)).tolist()} if k % 5 == 0 else {}),
        }  # fmt: skip


def expected(given: dict[str, Any]) -> dict[str, float]:
    """The same by the library."""
    delta, T = given["delta"], given["T"]
    by_rho = given["budget"] == "rho"
    rho = given["rho"] if by_rho else accounting.tight_rho(given["epsilon"], delta)
    epsilon = accounting.tight_epsilon(rho, delta) if by_rho else given["epsilon"]
    moved = (2.0 if given["relation"] == "replace-one" else 1.0) * given["gamma"] / given["n"]
    eigenvalues = np.geomspace(1.0, 1.0 / given["kappa"], given["p"]) if given["p"] > 1 else np.ones(1)
    eigenvalues = np.array(given.get("eigenvalues", eigenvalues))
    weights = schedule.weights_in_last(given["eta"], eigenvalues, T)
    errors = [
        math.sqrt(schedule.variance(weights, parts, moved, rho))
        for parts in (np.full(T, 1.0 / T), schedule.shares(weights, 0.1))
    ]
    sd = zcdp.gaussian_noise_sd(moved, rho, T)
    start = np.full(len(eigenvalues), given["R"] / math.sqrt(len(eigenvalues)))
    order = np.argsort(eigenvalues)
    law = IterateLaw(np.zeros_like(start), start, given["eta"], sd, eigenvalues[order], np.eye(len(order)))
    whole = law.expected_squared_error(T)
    found = {
        "sensitivity": moved, "noise_sd": sd, "rho": rho, "epsilon": epsilon,
        "noise_multiplier": math.sqrt(T / (2.0 * rho)), "mu": zcdp.gaussian_dp_mu(rho),
        "epsilon_by_formula": zcdp.epsilon(rho, delta), "error": errors[0], "error_scheduled": errors[1],
        "error_whole": math.sqrt(whole), "error_whole_scheduled": math.sqrt(errors[1] ** 2 + whole - errors[0] ** 2),
        "left": (1.0 - given["eta"] * eigenvalues.min()) ** T, **limits(given, eigenvalues, rho),
        "multiplier_disjoint": math.sqrt(0.5 / rho),
    }  # fmt: skip
    if given["relation"] == "replace-one":
        found["noise_by_proposition"] = formulas.noise_scale(given["gamma"], given["n"], T, rho)
    if T > 20 and T % 10 == 0:
        estimates = law.estimates("batched means", T, 10, 20)
        lengths, covered = estimates.expected_length(), coverages(estimates)
        found |= {"length_long": lengths[0], "length_short": lengths[-1]}
        found |= {"coverage_long": covered[0], "coverage_short": covered[-1]}
    if epsilon > 0.0:
        found["noise_by_formula"] = zcdp.gaussian_noise_sd(moved, zcdp.rho_of_epsilon(epsilon, delta), T)
    return found


def limits(given: dict[str, Any], eigenvalues: np.ndarray, rho: float) -> dict[str, float]:
    """F_inf of correlated and of independent noise; infinite where second moments do not converge."""
    norm = (2.0 if given["relation"] == "replace-one" else 1.0) * given["gamma"]
    problem = setting.RegressionProblem(eigenvalues, given["eta"], rho, norm, given["sigma"])
    if not problem.gain < 1.0:
        return {"limit_correlated": math.inf, "limit_independent": math.inf}
    nu = float(problem.rates.min())
    weights = laws.q_nu(problem, nu), laws.q_identity(problem)
    squares = laws.gamma_squared_nu(nu), 1.0
    names = ("limit_correlated", "limit_independent")
    return {
        name: laws.suboptimality(problem, q, squared) for name, q, squared in zip(names, weights, squares, strict=True)
    }


def test_formulas_are_those_of_the_library(opened: Opener) -> None:
    given, browser = list(inputs(600)), opened(PAGE)
    # In parts, because a script that takes long is ended.
    found = [one for k in range(0, 600, 60) for one in json.loads(browser.execute_script(COMPUTE, given[k : k + 60]))]
    for one, made in zip(given, found, strict=True):
        for name, value in expected(one).items():
            # JSON has no infinity.
            got = math.inf if made[name] is None else made[name]
            tolerance = {"abs": 1e-9} if name.startswith("coverage") else {"rel": 1e-9}
            assert got == pytest.approx(value, **tolerance), (name, one)
        # The error falls like 1/n, so that this many records reach the target, and a hundredth fewer do not.
        assert one["n"] * made["error"] / made["n_for_target"] <= one["target"] * (1.0 + 1e-9)
        if made["n_for_target"] > 100:
            assert one["n"] * made["error"] / (0.99 * made["n_for_target"]) > one["target"]


@pytest.mark.parametrize(
    ("eigenvalues", "steps", "length", "covered"), [("1, 0.3, 0.1, 0.02", 220, 0.318, 29.0), ("1, 0.9", 2020, 0.0, 0.0)]
)
def test_an_interval_that_covers_too_seldom_is_told(
    opened: Opener, eigenvalues: str, steps: int, length: float, covered: float
) -> None:
    """The length that is shown is that of runs of this many steps, and not of infinitely long ones."""
    browser = opened(PAGE)
    for name, text in (("T", str(steps)), ("eigenvalues", eigenvalues)):
        type_in(browser, name, text)
    said = browser.find_element(By.ID, "worth").text
    shown = {name: float(result(browser, name)) for name in ("length_long", "coverage_long", "coverage_short")}
    if not covered:
        assert said == ""
        assert min(shown["coverage_long"], shown["coverage_short"]) >= 0.93
        return
    assert shown["length_long"] == pytest.approx(length, abs=5e-4)
    assert shown["coverage_long"] == pytest.approx(covered / 100.0, abs=0.01)
    told = re.findall(r"([\d.]+) % in the direction of the (largest|smallest) eigenvalue", said)
    assert [float(share) for share, _ in told] == pytest.approx(
        [100.0 * shown["coverage_short"], 100.0 * shown["coverage_long"]], abs=0.11
    )
    assert all(float(share) < 93.0 for share, _ in told)


@pytest.mark.parametrize("text", ["10,000", "10 000", "10_000", "10'000", "10000"])
def test_thousands_may_be_apart_in_whole_numbers(opened: Opener, text: str) -> None:
    browser = opened(PAGE)
    before = result(browser, "noise_sd")
    for given in ("5000", text):
        type_in(browser, "n", given)
    assert browser.find_element(By.CSS_SELECTOR, "[role=alert]").text == ""
    assert result(browser, "noise_sd") == before


@pytest.mark.parametrize(
    ("name", "text"), [("n", "10,00"), ("n", "1,0000"), ("gamma", "1,500"), ("eta", "0,25"), ("eigenvalues", "1;0.5")]
)
def test_what_may_mean_another_number_is_refused(opened: Opener, name: str, text: str) -> None:
    browser = opened(PAGE)
    type_in(browser, name, text)
    assert browser.find_element(By.CSS_SELECTOR, "[role=alert]").text.startswith(f"{name} = {text}: give ")


def test_eigenvalues_stand_in_the_place_of_p_and_kappa(opened: Opener) -> None:
    browser = opened(PAGE)
    fields = [browser.find_element(By.NAME, name) for name in ("p", "kappa")]
    type_in(browser, "eigenvalues", "1, 0.5, 0.1")
    assert not any(field.is_enabled() for field in fields)
    type_in(browser, "eigenvalues", "")
    assert all(field.is_enabled() for field in fields)


def test_no_line_is_printed_that_the_library_refuses(opened: Opener) -> None:
    """A delta of a record in n lets a run publish one record, and `dpdescent.dp_gd` refuses it."""
    browser = opened(PAGE)
    assert browser.find_element(By.ID, "python").is_displayed()
    type_in(browser, "delta", "1e-4")
    assert not browser.find_element(By.ID, "python").is_displayed()


def neighbour(gradients: np.ndarray, place: int, relation: str) -> np.ndarray:
    """The gradients when the record at a place is replaced by one of the opposite gradient, zeroed out or removed."""
    if relation == "add-remove":
        return np.delete(gradients, place)
    changed = gradients.copy()
    changed[place] *= {"replace-one": -1.0, "zero-out": 0.0}[relation]
    return changed


@pytest.mark.parametrize("relation", [*RELATIONS, "add-remove"])
def test_sensitivity_is_how_far_the_mean_moves_at_worst(opened: Opener, relation: str) -> None:
    """Of n - 1 gradients -gamma and one +gamma, whose mean moves by 2 gamma / n even where that one is removed."""
    script, browser = "return window.dpdescentGaussian.sensitivity(...arguments)", opened(PAGE)
    for gamma, n in ((1.0, 2), (15.0, 10_000), (0.3, 7)):
        gradients = np.full(n, -gamma)
        gradients[0] = gamma
        moved = abs(gradients.mean() - neighbour(gradients, 0, relation).mean())
        assert browser.execute_script(script, gamma, n, relation) == pytest.approx(moved, rel=1e-9)


def test_under_an_offered_relation_one_batch_of_a_pass_changes(opened: Opener) -> None:
    """So that disjoint batches cost what one of them does; where a record is removed, all later ones change, too."""
    gradients, batch = np.random.default_rng(7).uniform(-1.0, 1.0, 60), 6
    offered = opened(PAGE).execute_script(OFFERED)
    assert offered == list(RELATIONS)
    changed = {}
    for relation in (*offered, "add-remove"):
        other = neighbour(gradients, 13, relation)
        means = [[each[k : k + batch].mean() for k in range(0, 60, batch)] for each in (gradients, other)]
        changed[relation] = np.count_nonzero(np.subtract(*means))
    assert changed == {"replace-one": 1, "zero-out": 1, "add-remove": 8}


def test_shuffled_noise_is_that_of_the_library(opened: Opener) -> None:
    rng = np.random.default_rng(12)
    given = [
        {"eps": 10 ** rng.uniform(-1.5, 1), "n": int(10 ** rng.uniform(2, 6)), "delta": 10 ** rng.uniform(-9, -3)}
        for _ in range(25)
    ]
    script = "return arguments[0].map((one) => window.dpdescentGaussian.shuffledMultiplier(one.eps, one.n, one.delta))"
    for one, found in zip(given, opened(PAGE).execute_script(script, given), strict=True):
        assert found == pytest.approx(shuffling.noise_multiplier(one["eps"], one["n"], one["delta"]), rel=1e-9), one


def test_poisson_noise_is_listed_and_on_the_safe_side(opened: Opener) -> None:
    """The listed noise keeps the budget at what was asked for, and the listed noise below it is not promised to."""
    browser = opened(PAGE)
    script = "return window.dpdescentCalculator.listed(arguments[0], ...arguments[1])"
    table = [[float(value) for value in row.values()] for row in read_rows(ROOT / "docs/samplers.csv")]
    for rate, T, eps, delta in ((0.008, 80, 1.0, 5e-6), (0.03, 1000, 3.0, 1e-5), (0.0011, 2999, 0.5, 1e-6)):
        noise = browser.execute_script(script, table, [rate, T, eps, delta])
        assert noise in samplers.MULTIPLIERS
        assert sampling.epsilon(noise, rate, T, delta) <= eps
    assert browser.execute_script(script, table, [0.5, 100, 1.0, 1e-6]) is None
    assert browser.execute_script(script, table, [0.01, 100, 1.0, 1e-9]) is None


def test_table_of_poisson_batches_is_what_the_accountant_says() -> None:
    rows = read_rows(ROOT / "docs/samplers.csv")
    points = itertools.product(samplers.RATES, samplers.STEPS, samplers.DELTAS, samplers.MULTIPLIERS)
    assert len(rows) == len(list(points))
    for row in np.random.default_rng(4).choice(rows, 6, replace=False):
        rate, steps, delta, multiplier = (float(row[name]) for name in samplers.COLUMNS[:4])
        assert row["epsilon"] == samplers.rounded_up(sampling.epsilon(multiplier, rate, int(steps), delta))


def result(browser: WebDriver, name: str) -> str:
    # Not the text that is displayed, because some tables are folded away.
    return str(browser.find_element(By.CSS_SELECTOR, f"[data-result={name}]").get_attribute("textContent"))


def type_in(browser: WebDriver, name: str, text: str) -> None:
    field = browser.find_element(By.NAME, name)
    field.clear()
    field.send_keys(text)


def test_noise_for_a_common_question(opened: Opener) -> None:
    """How much noise for (1, 1e-6) at n = 10,000 and T = 20?"""
    browser = opened(PAGE)
    for name, text in (("epsilon", "1"), ("delta", "1e-6"), ("n", "10000"), ("T", "20"), ("gamma", "15")):
        type_in(browser, name, text)
    sd = zcdp.gaussian_noise_sd(2.0 * 15 / 10_000, accounting.tight_rho(1.0, 1e-6), 20)
    assert float(result(browser, "noise_sd")) == pytest.approx(sd, rel=1e-4)
    code = browser.find_element(By.ID, "python").text
    assert not browser.find_element(By.ID, "command").is_displayed()
    type_in(browser, "T", "220")
    assert "--method dp-gd" in browser.find_element(By.ID, "command").text
    type_in(browser, "T", "20")
    assert "dpdescent.dp_gd(X, y, epsilon=1, delta=0.000001, steps=20, step_size=0.25, clip_norm=15" in code
    Select(browser.find_element(By.NAME, "budget")).select_by_value("rho")
    assert not browser.find_element(By.NAME, "epsilon").is_displayed()
    type_in(browser, "rho", "0.1")
    assert float(result(browser, "epsilon")) == pytest.approx(accounting.tight_epsilon(0.1, 1e-6), rel=1e-4)


@pytest.mark.parametrize("page", [PAGE, "choose.html"])
def test_delta_of_one_over_n_or_more_is_told(opened: Opener, page: str) -> None:
    """Because one record that is drawn at random and published keeps it."""
    browser = opened(page)
    type_in(browser, "n", "10000")
    for delta, told in (("0.4", True), ("1e-4", True), ("9.9e-5", False), ("1e-6", False)):
        type_in(browser, "delta", delta)
        loose = [each.text for each in browser.find_elements(By.CSS_SELECTOR, ".loose") if each.is_displayed()]
        assert ["drawn at random, is (0, δ)-DP" in text for text in loose] == [True] * told


@pytest.mark.parametrize(("name", "text"), [("n", "1.5"), ("delta", "0"), ("T", ""), ("gamma", "abc"), ("p", "5000")])
def test_bad_input_is_told_and_gives_no_number(opened: Opener, name: str, text: str) -> None:
    browser = opened(PAGE)
    type_in(browser, name, text)
    told = browser.find_element(By.CSS_SELECTOR, "[role=alert]").text
    assert told.startswith(f"{name} = {text or 'nothing'}: give a ")
    assert result(browser, "noise_sd") == "–"
