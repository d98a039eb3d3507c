"""The calculator: its formulas are those of the Python functions, and bad input is told in one line."""

import json
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from dpdescent.noise import schedule
from dpdescent.privacy import accounting, zcdp

Opener = Callable[..., WebDriver]
PAGE = "calculator.html"
COMPUTE = "return JSON.stringify(arguments[0].map((given) => window.dpdescentCalculator.compute(given)))"
RELATIONS = ("replace-one", "add-remove", "zero-out")


def inputs(count: int) -> Iterator[dict[str, Any]]:
    """Random inputs from small to large, both kinds of budget and all relations in turn."""
    rng = np.random.default_rng(11)
    for k in range(count):
        yield {
            "budget": ("rho", "epsilon")[k % 2], "relation": RELATIONS[k % 3], "rho": 10 ** rng.uniform(-5, 1.5),
            "epsilon": 10 ** rng.uniform(-2, 1.5), "delta": 10 ** rng.uniform(-10, -1.5),
            "n": int(10 ** rng.uniform(1, 7)), "T": int(rng.integers(1, 200)), "gamma": 10 ** rng.uniform(-3, 3),
            "p": int(rng.integers(1, 60)), "eta": rng.uniform(0.01, 0.99), "kappa": 10 ** rng.uniform(0, 3),
            "target": 10 ** rng.uniform(-4, 1),
        }  # fmt: skip


def expected(given: dict[str, Any]) -> dict[str, float]:
    """The same by the library."""
    delta, T = given["delta"], given["T"]
    by_rho = given["budget"] == "rho"
    rho = given["rho"] if by_rho else accounting.tight_rho(given["epsilon"], delta)
    epsilon = accounting.tight_epsilon(rho, delta) if by_rho else given["epsilon"]
    moved = (2.0 if given["relation"] == "replace-one" else 1.0) * given["gamma"] / given["n"]
    eigenvalues = np.geomspace(1.0, 1.0 / given["kappa"], given["p"]) if given["p"] > 1 else np.ones(1)
    weights = schedule.weights_in_last(given["eta"], eigenvalues, T)
    errors = [
        math.sqrt(schedule.variance(weights, parts, moved, rho))
        for parts in (np.full(T, 1.0 / T), schedule.shares(weights, 0.1))
    ]
    found = {
        "sensitivity": moved, "noise_sd": zcdp.gaussian_noise_sd(moved, rho, T), "rho": rho, "epsilon": epsilon,
        "noise_multiplier": math.sqrt(T / (2.0 * rho)), "mu": zcdp.gaussian_dp_mu(rho),
        "epsilon_by_formula": zcdp.epsilon(rho, delta), "error": errors[0], "error_scheduled": errors[1],
        "left": (1.0 - given["eta"] / given["kappa"]) ** T,
    }  # fmt: skip
    if epsilon > 0.0:
        found["noise_by_formula"] = zcdp.gaussian_noise_sd(moved, zcdp.rho_of_epsilon(epsilon, delta), T)
    return found


def test_formulas_are_those_of_the_library(opened: Opener) -> None:
    given = list(inputs(600))
    found = json.loads(opened(PAGE).execute_script(COMPUTE, given))
    for one, made in zip(given, found, strict=True):
        for name, value in expected(one).items():
            assert made[name] == pytest.approx(value, rel=1e-9), (name, one)
        # The error falls like 1/n, so that this many records reach the target, and a hundredth fewer do not.
        assert one["n"] * made["error"] / made["n_for_target"] <= one["target"] * (1.0 + 1e-9)
        if made["n_for_target"] > 100:
            assert one["n"] * made["error"] / (0.99 * made["n_for_target"]) > one["target"]


def result(browser: WebDriver, name: str) -> str:
    return browser.find_element(By.CSS_SELECTOR, f"[data-result={name}]").text


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
    assert "dpdescent.dp_gd(X, y, epsilon=1, delta=0.000001, steps=20, eta=0.25, gamma=15" in code
    Select(browser.find_element(By.NAME, "budget")).select_by_value("rho")
    assert not browser.find_element(By.NAME, "epsilon").is_displayed()
    type_in(browser, "rho", "0.1")
    assert float(result(browser, "epsilon")) == pytest.approx(accounting.tight_epsilon(0.1, 1e-6), rel=1e-4)


@pytest.mark.parametrize(("name", "text"), [("n", "1.5"), ("delta", "0"), ("T", ""), ("gamma", "abc"), ("p", "5000")])
def test_bad_input_is_told_and_gives_no_number(opened: Opener, name: str, text: str) -> None:
    browser = opened(PAGE)
    type_in(browser, name, text)
    told = browser.find_element(By.CSS_SELECTOR, "[role=alert]").text
    assert told.startswith(f"{name} = {text or 'nothing'}: give a ")
    assert result(browser, "noise_sd") == "–"
