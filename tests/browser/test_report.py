"""The committed report in a real browser: every page opens without an error, nothing is broken, filters filter."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait
from site_under_test import ALL, PAPERS, rows
from visits import Visit

from dpdescent.replication.report import wording

Opener = Callable[..., WebDriver]

ITEMS = "[...document.querySelectorAll('#%s > tbody > tr, div#%s > *')]"
SHOWN = f"return {ITEMS}.filter((row) => row.offsetParent || row.matches('[data-later]:not([data-filtered])')).length"
SEEN = f"return {ITEMS}.filter((row) => row.offsetParent).length"


def shown(browser: WebDriver, name: str) -> int:
    """Rows or cards of a filtered list that can be seen, or that a button shows."""
    return int(browser.execute_script(SHOWN % (name, name)))


def test_no_page_is_left_out(report: Path) -> None:
    assert sorted(ALL) == sorted(file.name for file in report.glob("*.html"))


@pytest.mark.parametrize("name", ALL)
def test_page_opens_whole_and_without_an_error(visited: Callable[[str], Visit], name: str) -> None:
    seen = visited(name)
    assert seen.broken == []
    assert seen.errors == []
    assert seen.title
    # Tables may scroll inside of their frames; the page itself must not.
    assert max(layout["page"] for layout in seen.layout.values()) <= 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_follow_the_readers_light_or_dark(opened: Opener, scheme: str) -> None:
    browser = opened("index.html", scheme=scheme)
    color = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    red, green, blue = (int(part) for part in color.removeprefix("rgb(").removesuffix(")").split(","))
    assert (red + green + blue > 3 * 128) == (scheme == "light")


def test_filters_show_what_was_asked_for(opened: Opener) -> None:
    claims = rows("claims")
    counts = Counter((claim["paper"], claim["verdict"]) for claim in claims)
    browser = opened("claims.html")
    assert shown(browser, "claims") == len(claims)
    for paper in PAPERS[:2]:
        Select(browser.find_element(By.NAME, "paper")).select_by_value(paper)
        Select(browser.find_element(By.NAME, "verdict")).select_by_visible_text("not reproduced")
        assert shown(browser, "claims") == counts[paper, "not reproduced"]
        assert browser.find_element(By.TAG_NAME, "output").text.startswith(f"{counts[paper, 'not reproduced']} of ")
    browser.find_element(By.CSS_SELECTOR, "button[type=reset]").click()
    WebDriverWait(browser, 5, poll_frequency=0.05).until(lambda page: shown(page, "claims") == len(claims))


def test_kinds_part_the_claims(opened: Opener) -> None:
    browser = opened("claims.html")
    choice = Select(browser.find_element(By.NAME, "kind"))
    kinds = [option.text for option in choice.options[1:]]
    found = []
    for kind in kinds:
        choice.select_by_visible_text(kind)
        found.append(shown(browser, "claims"))
    assert min(found) > 0
    assert sum(found) == len(rows("claims"))


def test_words_are_looked_for_in_all_of_a_claim(opened: Opener) -> None:
    browser = opened("claims.html")
    browser.find_element(By.NAME, "q").send_keys("Lemma FLAT nothing-says-this")
    assert shown(browser, "claims") == 0
    browser.find_element(By.NAME, "q").clear()
    browser.find_element(By.NAME, "q").send_keys("Lemma 2.1")
    expected = sum("Lemma 2.1" in claim["location"] for claim in rows("claims"))
    assert shown(browser, "claims") >= expected > 0


def test_long_lists_show_their_first_items_until_all_are_asked_for(opened: Opener) -> None:
    claims = rows("claims")
    browser = opened("claims.html")
    assert browser.execute_script(SEEN % ("claims", "claims")) == 60 < len(claims)
    button = browser.find_element(By.CSS_SELECTOR, ".scroll + .more")
    assert button.text == f"Show all {len(claims)}"
    Select(browser.find_element(By.NAME, "verdict")).select_by_value("not reproduced")
    failing = sum(claim["verdict"] == "not reproduced" for claim in claims)
    assert browser.execute_script(SEEN % ("claims", "claims")) == failing < 60
    assert not button.is_displayed()
    browser.find_element(By.CSS_SELECTOR, "button[type=reset]").click()
    WebDriverWait(browser, 5, poll_frequency=0.05).until(lambda page: button.is_displayed())
    browser.execute_script("arguments[0].click()", button)
    assert browser.execute_script(SEEN % ("claims", "claims")) == len(claims)


def test_a_link_to_a_later_row_or_into_a_fold_shows_it(opened: Opener) -> None:
    last = rows("claims")[-1]
    anchor = f"claim-{wording.slug(last['paper'], last['claim'])}"
    browser = opened(f"claims.html#{anchor}")
    assert browser.find_element(By.ID, anchor).is_displayed()
    browser = opened(f"{last['paper']}.html#{anchor}")
    assert browser.find_element(By.ID, anchor).is_displayed()


def test_scorecard_leads_to_the_claims_behind_each_number(opened: Opener) -> None:
    browser = opened("index.html")
    links = browser.find_elements(By.CSS_SELECTOR, "td a[href*='verdict=']")
    places = [(link.get_attribute("href"), int(link.text)) for link in links]
    assert len(places) >= 3 * len(PAPERS)
    for address, number in places[:6]:
        browser.get(address)
        WebDriverWait(browser, 60, poll_frequency=0.05).until(
            lambda page: page.find_element(By.TAG_NAME, "output").text
        )
        assert shown(browser, "claims") == number


def test_columns_sort_by_size_and_back(opened: Opener) -> None:
    browser = opened("privacy.html?verdict=within+the+account")
    head = "#audits thead th:nth-child(8) button"
    cell = "return [...document.querySelectorAll('#audits tbody tr td:nth-child(8)')].map((cell) => cell.textContent)"
    for direction in (1, -1):
        browser.find_element(By.CSS_SELECTOR, head).click()
        values = [float(text) for text in browser.execute_script(cell) if text]
        assert len(values) > 10
        assert values == sorted(values, reverse=direction < 0)
    assert shown(browser, "audits") == sum(row["verdict"] == "within the account" for row in rows("audit"))


def test_findings_and_bounds_are_filtered_too(opened: Opener) -> None:
    browser = opened("findings.html?severity=high")
    assert shown(browser, "findings") == sum(finding["severity"] == "high" for finding in rows("findings"))
    browser = opened("bounds.html?state=vacuous")
    states = browser.execute_script(
        "return [...document.querySelectorAll('#bounds tbody tr:not([data-filtered])')].map((row) => row.dataset.state)"
    )
    assert set(states) == {"vacuous"}


def test_figures_can_be_made_larger(opened: Opener) -> None:
    browser = opened(f"{PAPERS[0]}.html")
    browser.find_element(By.CSS_SELECTOR, ".artefact > summary").click()
    link = browser.find_element(By.CSS_SELECTOR, "a.zoom")
    browser.execute_script("arguments[0].scrollIntoView()", link)
    link.click()
    picture = browser.find_element(By.CSS_SELECTOR, "dialog[open] img")
    assert picture.get_attribute("src") == link.get_attribute("href")
    before = picture.size["width"]
    browser.find_element(By.NAME, "larger").click()
    assert picture.size["width"] > before
    browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert browser.find_elements(By.CSS_SELECTOR, "dialog[open]") == []


def test_costs_come_from_the_file_that_is_in_no_manifest(opened: Opener) -> None:
    browser = opened("index.html")
    total = browser.find_element(By.CSS_SELECTOR, "[data-minutes='all stages']").text
    assert float(total) == pytest.approx(sum(float(row["cpu_s"]) for row in rows("compute")) / 60, abs=0.06)


def test_without_scripts_everything_can_be_read(opened: Opener) -> None:
    browser = opened("index.html")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    opened("claims.html?paper=none")
    assert len(browser.find_elements(By.CSS_SELECTOR, "#claims tbody tr")) == len(rows("claims"))
    assert browser.find_element(By.CSS_SELECTOR, "#claims tbody tr:last-child").is_displayed()
    assert not browser.find_element(By.CSS_SELECTOR, "form.filters").is_displayed()
