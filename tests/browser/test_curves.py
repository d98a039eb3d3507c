"""Curves that can be looked at: values are the table's, series hide, axes switch, variants are added, by keyboard."""

from collections.abc import Callable

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait
from site_under_test import RESULTS

from dpdescent.replication.build.files import read_rows

Opener = Callable[..., WebDriver]


def figure(browser: WebDriver) -> WebElement:
    """Figure 2 of brown2024 with its curves, opened by keyboard."""
    found = browser.find_element(By.CSS_SELECTOR, "figure[data-curves='brown2024/fig02']")
    found.find_element(By.CLASS_NAME, "curves-open").send_keys(Keys.ENTER)
    WebDriverWait(browser, 60, poll_frequency=0.05).until(
        lambda _: found.find_elements(By.CSS_SELECTOR, ".curves > svg g")
    )
    return found


def test_curves_tell_the_tables_values(opened: Opener) -> None:
    found = figure(opened("brown2024.html#fig02"))
    canvas, told = found.find_element(By.CSS_SELECTOR, ".curves > svg"), found.find_element(By.TAG_NAME, "output")
    canvas.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    name, _, values = told.text.partition(": ")
    series, _, factor = name.partition(", clip_factor = ")
    rows = [
        row for row in read_rows(RESULTS / "brown2024/fig02.csv")
        if row["series"] == series and row["variant"] == "main" and float(row["clip_factor"]) == float(factor)
    ]  # fmt: skip
    second = sorted(rows, key=lambda row: float(row["n"]))[1]
    mean, half = float(second["mean"]), 1.96 * float(second["se"])
    numbers = [
        float(part) for part in values.replace("[", "").replace("]", "").replace(",", "").split(" at ")[0].split()
    ]
    assert numbers == pytest.approx([mean, mean - half, mean + half], rel=2e-3)
    assert float(values.rsplit("= ", 1)[1]) == float(second["n"])
    canvas.send_keys(Keys.ARROW_DOWN)
    assert not told.text.startswith(f"{name}: ")


def test_series_hide_axes_switch_and_variants_are_added(opened: Opener) -> None:
    found = figure(opened("brown2024.html#fig02"))
    drawn = ".curves > svg g[data-name]"
    before = len(found.find_elements(By.CSS_SELECTOR, drawn))
    first = found.find_element(By.CSS_SELECTOR, ".curves-legend button")
    first.send_keys(Keys.SPACE)
    assert first.get_attribute("aria-pressed") == "false"
    assert len(found.find_elements(By.CSS_SELECTOR, drawn)) == before - 1
    ticks = [tick.text for tick in found.find_elements(By.CSS_SELECTOR, ".curves-axes text")]
    found.find_element(By.NAME, "log-x").send_keys(Keys.SPACE)
    assert [tick.text for tick in found.find_elements(By.CSS_SELECTOR, ".curves-axes text")] != ticks
    Select(found.find_element(By.NAME, "variant")).select_by_index(1)
    assert len(found.find_elements(By.CSS_SELECTOR, drawn)) == before
    assert found.find_element(By.CSS_SELECTOR, ".zoom img").is_displayed()


def test_picture_stays_without_scripts(opened: Opener) -> None:
    browser = opened("index.html")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    opened("brown2024.html")
    browser.find_element(By.CSS_SELECTOR, "#fig02 > summary").click()
    assert browser.find_elements(By.CLASS_NAME, "curves-open") == []
    assert browser.find_element(By.CSS_SELECTOR, "#fig02 .zoom img").is_displayed()
