"""Pages of papers and findings in a browser: contents in view, drawings of a size, terms that lead to their meaning."""

from collections.abc import Callable

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from site_under_test import PAPERS

Opener = Callable[..., WebDriver]


def test_contents_stay_in_view_and_lead_to_a_figure(opened: Opener) -> None:
    browser = opened(f"{PAPERS[0]}.html")
    contents = browser.find_element(By.CSS_SELECTOR, "nav.contents")
    link = contents.find_elements(By.TAG_NAME, "a")[5]
    link.click()
    target = browser.find_element(By.ID, (link.get_attribute("href") or "").rsplit("#", 1)[1])
    top = "return arguments[0].getBoundingClientRect().top"
    assert abs(browser.execute_script(top, target)) < 100
    assert 0 <= browser.execute_script(top, contents) < 50


@pytest.mark.parametrize("width", [1280, 390])
def test_strips_and_drawings_are_seen(opened: Opener, width: int) -> None:
    browser = opened(f"{PAPERS[0]}.html", width)
    assert browser.find_element(By.CSS_SELECTOR, "svg.strip").size["width"] > 100
    browser = opened("finding-small-sigma.html", width)
    size = browser.find_element(By.CSS_SELECTOR, "svg.plot").size
    assert 300 < size["width"] <= width


def test_a_term_leads_to_its_definition(opened: Opener) -> None:
    browser = opened("privacy.html")
    browser.execute_script("document.querySelector('main a.term').click()")
    assert "/glossary.html#" in browser.current_url
    anchor = browser.current_url.rsplit("#", 1)[1]
    assert browser.find_element(By.ID, anchor).is_displayed()
