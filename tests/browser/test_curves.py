"""Curves that can be looked at: panels, words and colours of the figure, values of the table, all by keyboard."""

import re
from collections.abc import Callable

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select, WebDriverWait
from site_under_test import RESULTS

from dpdescent.replication.build.files import read_rows
from dpdescent.replication.drawing import figures

Opener = Callable[..., WebDriver]


def figure(browser: WebDriver, item: str = "brown2024/fig02") -> WebElement:
    """A figure with its curves, opened by keyboard, in its section, which is folded at first."""
    found = browser.find_element(By.CSS_SELECTOR, f"figure[data-curves='{item}']")
    browser.execute_script("arguments[0].closest('details').open = true", found)
    found.find_element(By.CLASS_NAME, "curves-open").send_keys(Keys.ENTER)
    WebDriverWait(browser, 60, poll_frequency=0.05).until(
        lambda _: found.find_elements(By.CSS_SELECTOR, ".curves > svg g")
    )
    return found


def test_curves_tell_the_tables_values(opened: Opener) -> None:
    found = figure(opened("brown2024.html"))
    canvas, told = found.find_element(By.CSS_SELECTOR, ".curves > svg"), found.find_element(By.TAG_NAME, "output")
    canvas.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    name, _, values = told.text.partition("√p: ")
    assert name == "privacy: ‖θ_T−θ̂‖, γ = 5"
    rows = [
        row for row in read_rows(RESULTS / "brown2024/fig02.csv")
        if (row["series"], row["variant"], float(row["clip_factor"])) == ("privacy", "main", 5)
    ]  # fmt: skip
    second = sorted(rows, key=lambda row: float(row["n"]))[1]
    mean, se = float(second["mean"]), float(second["se"])
    numbers = [float(part) for part in re.findall(r"\d[\d.]*", values)]
    assert numbers == pytest.approx([mean, mean - se, mean + se, float(second["n"])], rel=2e-3)
    assert values.endswith(f"] at sample size n = {second['n']}")
    canvas.send_keys(Keys.ARROW_DOWN)
    assert not told.text.startswith(f"{name}√p: {mean:.4g}, bar")


def test_series_hide_and_axes_switch(opened: Opener) -> None:
    found = figure(opened("brown2024.html"))
    drawn = ".curves > svg g[data-name]"
    before = len(found.find_elements(By.CSS_SELECTOR, drawn))
    first = found.find_element(By.CSS_SELECTOR, ".curves-legend button")
    first.send_keys(Keys.SPACE)
    assert first.get_attribute("aria-pressed") == "false"
    assert len(found.find_elements(By.CSS_SELECTOR, drawn)) == before - 1
    ticks = [tick.text for tick in found.find_elements(By.CSS_SELECTOR, ".curves-axes text")]
    found.find_element(By.NAME, "log-x").send_keys(Keys.SPACE)
    assert [tick.text for tick in found.find_elements(By.CSS_SELECTOR, ".curves-axes text")] != ticks
    first.send_keys(Keys.SPACE)
    assert len(found.find_elements(By.CSS_SELECTOR, drawn)) == before
    assert found.find_element(By.CSS_SELECTOR, ".zoom img").is_displayed()


def test_panels_axes_and_legend_have_the_figures_words_and_colours(opened: Opener) -> None:
    found = figure(opened("brown2024.html"), "brown2024/fig04")
    panels = Select(found.find_element(By.NAME, "panel"))
    assert [option.text.split(":")[0] for option in panels.options] == ["n = 1000", "n = 5000"] * 2
    legend = {
        button.text: button.find_element(By.CSS_SELECTOR, "svg path").get_attribute("stroke")
        for button in found.find_elements(By.CSS_SELECTOR, ".curves-legend button")
    }
    assert {name: legend[name] for name in ("variance", "squared bias")} == {
        "variance": figures.SKY, "squared bias": figures.PURPLE,
    }  # fmt: skip
    assert figures.VERMILION in legend.values()
    lines = found.find_elements(By.CSS_SELECTOR, ".curves > svg g[data-name]")
    assert {line.get_attribute("stroke") for line in lines} == set(legend.values())
    assert found.find_element(By.CLASS_NAME, "curves-along").text == "clipping threshold γ/√p"
    assert found.find_element(By.CLASS_NAME, "curves-up").text == "squared distance from θ̂"
    said = found.find_element(By.CSS_SELECTOR, ".curves > svg").get_attribute("aria-label")
    assert said is not None
    assert said.startswith("Figure 4, n = 1000")
    panels.select_by_index(3)
    assert found.find_elements(By.CSS_SELECTOR, "g[data-name='error, step size 0.2'] path[stroke-dasharray='7 4']")


def test_ticks_of_an_axis_are_of_one_kind(opened: Opener) -> None:
    """Plain, or powers of ten, of every panel of every figure of a page."""
    browser = opened("varshney2022.html")
    for key in ("risk_vs_n", "risk_vs_sigma", "clip_path"):
        found = figure(browser, f"varshney2022/{key}")
        for place in range(len(found.find_elements(By.CSS_SELECTOR, "[name=panel] option"))):
            Select(found.find_element(By.NAME, "panel")).select_by_index(place)
            for anchor in ("middle", "end"):
                ticks = [
                    tick.text for tick in found.find_elements(By.CSS_SELECTOR, f".curves-axes [text-anchor={anchor}]")
                ]
                powers = [
                    "10" in tick and bool(re.search(r"^(\d[\d.]*·)?10−?\d+$", tick)) for tick in ticks if tick != "0"
                ]
                plain = [re.fullmatch(r"−?\d+(\.\d+)?", tick) is not None for tick in ticks]
                assert ticks
                assert all(powers) or all(plain), ticks


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_curves_whole_and_in_letters_that_can_be_read(opened: Opener, scheme: str) -> None:
    browser = opened("wang2026.html", width=390, scheme=scheme)
    found = figure(browser, "wang2026/fig01")
    canvas = found.find_element(By.CSS_SELECTOR, ".curves > svg")
    box = browser.execute_script("return arguments[0].getBoundingClientRect().toJSON()", canvas)
    assert box["left"] >= 0
    assert box["right"] <= 390
    heights = [tick.size["height"] for tick in found.find_elements(By.CSS_SELECTOR, ".curves-axes text")]
    assert min(heights) > 11
    turned = "invert" in str(canvas.value_of_css_property("filter"))
    assert turned == (scheme == "dark")


def test_picture_stays_without_scripts(opened: Opener) -> None:
    browser = opened("index.html")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    opened("brown2024.html")
    browser.find_element(By.CSS_SELECTOR, "#fig02 > summary").click()
    assert browser.find_elements(By.CLASS_NAME, "curves-open") == []
    assert browser.find_element(By.CSS_SELECTOR, "#fig02 .zoom img").is_displayed()
