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


@pytest.mark.parametrize("paper", PAPERS)
def test_tables_of_claims_fit_their_column(opened: Opener, paper: str) -> None:
    browser = opened(f"{paper}.html")
    wider = (
        "return [...document.querySelectorAll('table.evidence')]"
        ".filter((table) => table.scrollWidth > table.parentElement.clientWidth + 1)"
        ".map((table) => table.caption.textContent)"
    )
    assert browser.execute_script(wider) == []


def test_a_term_leads_to_its_definition(opened: Opener) -> None:
    browser = opened("privacy.html")
    browser.execute_script("document.querySelector('main a.term').click()")
    assert "/glossary.html#" in browser.current_url
    anchor = browser.current_url.rsplit("#", 1)[1]
    assert browser.find_element(By.ID, anchor).is_displayed()


def test_worst_case_leads_to_a_paragraph_to_send(opened: Opener) -> None:
    browser = opened("index.html")
    browser.execute_script("document.querySelector('.worst a').click()")
    assert "/finding-" in browser.current_url
    paragraph = browser.find_element(By.CSS_SELECTOR, "#paragraph + blockquote").text
    assert all(word in paragraph for word in ("says:", "We find:", "Why:", "arXiv"))


def test_evidence_of_a_claim_is_two_clicks_from_the_front_page(opened: Opener) -> None:
    browser = opened("index.html")
    browser.execute_script("document.querySelector('td a[href*=\"verdict=reproduced\"]').click()")
    browser.execute_script("document.querySelector('#claims tbody tr:not([data-filtered]) a').click()")
    assert ".html#claim-" in browser.current_url
    row = browser.find_element(By.ID, browser.current_url.rsplit("#", 1)[1])
    assert "evidence" in row.text
