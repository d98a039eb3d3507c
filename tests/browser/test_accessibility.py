"""Every page for everyone: axe-core finds nothing serious in light and dark, keys reach all, pages stay small.

axe-core comes in the package axe-core-python of the test group; without it its tests are skipped, and say so.
"""

import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.keys import Keys
from site_under_test import ALL

Opener = Callable[..., WebDriver]

HEAVIEST = 700_000
# Rows of a table, and cards of a list, are made by one template each: the first ones stand for the others.
ALIKE = 25
SHORTEN = """
for (const list of document.querySelectorAll('tbody, #findings, .sheet, #results'))
  [...list.children].slice(arguments[0]).forEach((each) => each.remove());
for (const section of [...document.querySelectorAll('section.artefact')].slice(4, -3)) section.remove();
"""
RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, arguments[0]).then((found) => done(found.violations.map(
  (each) => [each.id, each.impact, each.nodes.length, each.nodes[0].html.slice(0, 200)])),
(error) => done([[String(error)]]));
"""
# Whatever a pointer can reach: links, fields, buttons, and what scrolls.
CONTROLS = """
const names = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
return [...document.querySelectorAll(names)].filter((each) => each.checkVisibility() && !each.disabled).length
"""
LOADED = """
return [...document.querySelectorAll('script[src], link[rel=stylesheet]')].map((each) => each.src || each.href)
"""
SCROLLING = """
return [...document.querySelectorAll('*')].filter((each) => /auto|scroll/.test(getComputedStyle(each).overflowX)
  && each.scrollWidth > each.clientWidth + 1 && each.tabIndex < 0).map((each) => each.outerHTML.slice(0, 120))
"""


@pytest.fixture(scope="module")
def axe() -> str:
    found = importlib.util.find_spec("axe_core_python")
    if found is None or found.origin is None:
        pytest.skip("needs axe-core: the package axe-core-python of the test group")
    return (Path(found.origin).parent / "axe.min.js").read_text(encoding="utf-8")


def violations(browser: WebDriver, **options: Any) -> list[list[Any]]:
    """Serious and critical ones, each with its rule, its number of places and the first of them."""
    found: list[list[Any]] = browser.execute_async_script(RUN, options)
    return [each for each in found if len(each) == 1 or each[1] in ("serious", "critical")]


@pytest.mark.parametrize("name", ALL)
def test_axe_finds_nothing_serious(opened: Opener, axe: str, name: str) -> None:
    browser = opened(name)
    browser.set_script_timeout(300)
    browser.execute_script(SHORTEN, ALIKE)
    browser.execute_script(axe)
    assert violations(browser) == []
    # Only colours differ in the dark.
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    assert violations(browser, runOnly=["color-contrast"]) == []


@pytest.mark.parametrize("name", ["index.html", "calculator.html", "choose.html", "search.html?q=flat"])
def test_keys_reach_every_control(opened: Opener, name: str) -> None:
    browser = opened(name)
    count = browser.execute_script(CONTROLS)
    reached = "document.reached = (document.reached || new Set()).add(document.activeElement)"
    for _ in range(count + 2):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        browser.execute_script(reached)
    assert browser.execute_script("document.reached.delete(document.body); return document.reached.size") >= count


@pytest.mark.parametrize("name", ALL)
def test_page_is_light_and_what_scrolls_takes_keys(opened: Opener, report: Path, name: str) -> None:
    browser = opened(name)
    loaded = [each.split("/")[-1] for each in browser.execute_script(LOADED)]
    assert sum((report / file).stat().st_size for file in [name, *loaded]) < HEAVIEST
    assert browser.execute_script(SCROLLING) == []
