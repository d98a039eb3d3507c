"""Which method: the page's rule is Python's, its evidence is the tables', and the lines that it prints run."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from dpdescent.commands import __main__ as command
from dpdescent.papers.ours import choice, decision
from dpdescent.papers.ours.methods import REGRESSION, RULE, SCHEDULED, SUMS, ZERO
from report_made import RESULTS, papers

Opener = Callable[..., WebDriver]
DATA = "const data = JSON.parse(document.getElementById('contest-data').textContent);"
DECIDE = DATA + "return arguments[0].map((given) => window.dpdescentChoice.decide(given, data).method)"
LINES = DATA + "return window.dpdescentChoice.LINES[arguments[0]](arguments[1], data)"
PLAIN = {
    "delta": 1e-6, "noise": "ordinary", "law": "normal", "passes": "many", "intervals": "no",
    "instruments": "no",
}  # fmt: skip


def test_rule_is_that_of_the_library(opened: Opener) -> None:
    rng = np.random.default_rng(3)
    given: list[dict[str, Any]] = [
        {
            **PLAIN, "n": int(10 ** rng.uniform(1, 6)), "p": int(10 ** rng.uniform(0, 2)),
            "epsilon": 10 ** rng.uniform(-2, 1), "delta": 10 ** rng.uniform(-9, -3),
        }
        for _ in range(200)
    ]  # fmt: skip
    made = opened("choose.html").execute_script(DECIDE, given)
    for one, found in zip(given, made, strict=True):
        assert found == decision.advice(one["n"], one["p"], one["epsilon"], one["delta"]), one
    assert set(decision.conditions()) == set(made)


def test_answer_for_a_small_table_with_its_evidence(opened: Opener) -> None:
    """Which method for n = 1200, p = 20 and eps = 1?"""
    browser = opened("choose.html?n=1200&p=20&epsilon=1")
    answer = browser.find_element(By.ID, "answer")
    assert answer.find_element(By.TAG_NAME, "h2").text == f"Take {SCHEDULED}"
    ours = next(paper for paper in papers() if paper["key"] == "ours")
    view = choice.view(RESULTS / "ours", ours["settings"])
    regrets = next(each["regrets"] for each in view["classes"] if each["advised"] == SCHEDULED)
    median, worst = regrets[SCHEDULED]
    assert f"{median:.3g} times (median) and {worst:.3g} times (worst)" in answer.text
    assert len(answer.find_elements(By.CSS_SELECTOR, "tbody tr")) == 5
    first = answer.find_element(By.CSS_SELECTOR, "tbody tr").text
    assert any(f"{cell['regrets'][SCHEDULED]:.3g}" in first and f"n = {cell['n']}" in first for cell in view["cells"])
    Select(browser.find_element(By.NAME, "passes")).select_by_value("one")
    once = {method["name"] for method in view["methods"] if method["once"]}
    best = min(once & set(regrets), key=lambda name: regrets[name][0])
    assert answer.find_element(By.TAG_NAME, "h2").text == f"Take {best}"


def test_instruments_and_intervals_have_answers_of_their_own(opened: Opener) -> None:
    browser = opened("choose.html?instruments=yes&F=10")
    answer = browser.find_element(By.ID, "answer")
    assert "Take DP-IV-GD" in answer.text
    assert "--outcome-unit 1 --instrument-bound 2" in answer.find_element(By.TAG_NAME, "pre").text
    assert not browser.find_element(By.NAME, "intervals").is_displayed()
    Select(browser.find_element(By.NAME, "instruments")).select_by_value("no")
    Select(browser.find_element(By.NAME, "intervals")).select_by_value("yes")
    assert "estimate mine.csv --method dp-gd" in answer.find_element(By.TAG_NAME, "pre").text
    answer = opened("choose.html?intervals=yes&n=20000&p=5").find_element(By.ID, "answer")
    assert "estimate mine.csv --method dp-regression" in answer.find_element(By.TAG_NAME, "pre").text


@pytest.mark.parametrize("method", [ZERO, RULE, SCHEDULED, SUMS, "AdaSSP"])
def test_lines_that_are_printed_run(opened: Opener, method: str) -> None:
    given = {**PLAIN, "n": 3000, "p": 4, "epsilon": 2}
    code = opened("choose.html").execute_script(LINES, method, given)
    rng = np.random.default_rng(5)
    X = rng.standard_normal((3000, 4))
    names: dict[str, Any] = {"X": X, "y": X @ [0.5, -0.5, 0.3, 0.3] + 0.5 * rng.standard_normal(3000)}
    exec(code, names)
    estimate = names["run"].estimate if "run" in names else names["estimate"]
    assert estimate.shape == (4,)
    # Noise that nobody can repeat: the bound is far beyond what noise makes of it, and below the estimate 0's error.
    assert np.linalg.norm(estimate - [0.5, -0.5, 0.3, 0.3]) < (0.83 if method == ZERO else 0.5)


@pytest.mark.parametrize("weak", [False, True])
@pytest.mark.parametrize("method", ["DP-GD, fixed", "DP-IV-GD", REGRESSION])
def test_commands_that_are_printed_run(
    opened: Opener, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, weak: bool
) -> None:
    given = {**PLAIN, "n": 3000, "p": 2, "q": 1, "epsilon": 4, "F": 10.0 if weak else 1000.0}
    line = opened("choose.html").execute_script(LINES, method, given).replace("\\\n", " ")
    Z = np.random.default_rng(5).standard_normal((3000, 4))
    table = {"z1": Z[:, 0], "x": Z[:, 0] + 0.3 * Z[:, 1], "x1": Z[:, 2], "x2": Z[:, 3], "y": Z.sum(1) / 2.0}
    monkeypatch.chdir(tmp_path)
    np.savetxt("mine.csv", np.column_stack([*table.values()]), delimiter=",", header=",".join(table), comments="")
    path, *words = shlex.split(line)
    assert path == ".venv/bin/dpdescent"
    command.main(words)
    found = json.loads(Path("estimate.json").read_text(encoding="utf-8"))
    assert found["account"]["epsilon"] == pytest.approx(4.0, rel=1e-6)
    assert ("anderson_rubin" in found) is (weak and method == "DP-IV-GD")


def test_table_is_there_without_scripts(opened: Opener) -> None:
    browser = opened("index.html")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    opened("choose.html")
    assert not browser.find_element(By.ID, "choose").is_displayed()
    cells = json.loads(browser.find_element(By.ID, "contest-data").get_attribute("textContent") or "")["cells"]
    assert len(browser.find_elements(By.CSS_SELECTOR, "section ~ div table.compact tbody tr")) == len(cells)
