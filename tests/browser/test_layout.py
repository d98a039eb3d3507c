"""Layout on a screen and on a phone: menus, tables in their column with heads in view, cards, nothing over another."""

from collections.abc import Callable

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from site_under_test import ALL, PAPERS, PHONE, SCREEN
from visits import Visit, judged, layout

Opener = Callable[..., WebDriver]
TOP = "return arguments[0].getBoundingClientRect().top"
# In pixels on a screen, before anything is opened.
LONGEST = 15_000
FAULTS = """
document.querySelector('main').insertAdjacentHTML('beforeend', `
  <div><table style="width: 2000px"><caption>too wide</caption></table></div>
  <ul><li style="height: 1em">first</li><li style="margin-top: -1em">second</li></ul>`);
"""


@pytest.mark.parametrize("name", ALL)
def test_nothing_is_too_wide_or_over_another(visited: Callable[[str], Visit], name: str) -> None:
    seen = visited(name).layout
    assert seen[SCREEN]["tables"] == []
    assert [seen[width]["overlaps"] for width in (SCREEN, PHONE)] == [[], []]


@pytest.mark.parametrize("name", ALL)
def test_a_page_can_be_scrolled_through(opened: Opener, name: str) -> None:
    browser = opened(name)
    # Pictures that are near the screen only are loaded, and take room.
    browser.execute_script("for (const image of document.images) image.loading = 'eager'")
    height = browser.execute_script("return document.documentElement.scrollHeight")
    assert 400 < height <= LONGEST


def test_planted_faults_are_found(opened: Opener) -> None:
    browser = opened("search.html")
    browser.execute_script(FAULTS)
    seen = layout(browser)
    assert seen["page"] > 0
    assert [each.split(" ", 1)[1] for each in (*seen["tables"], *seen["overlaps"])] == ["too wide", "second"]


@pytest.mark.parametrize(("width", "most"), [(SCREEN, 60), (PHONE, 150)])
def test_navigation_is_short_and_its_menus_open_by_keyboard(opened: Opener, width: int, most: int) -> None:
    browser = opened("search.html", width)
    assert browser.find_element(By.CSS_SELECTOR, "header.top").size["height"] <= most
    menus = browser.find_elements(By.CSS_SELECTOR, ".menus details")
    reached = browser.find_elements(By.CSS_SELECTOR, ".menus > li > a")
    for menu in menus:
        menu.find_element(By.TAG_NAME, "summary").send_keys(Keys.ENTER)
        assert [each.get_attribute("open") for each in menus].count("true") == 1
        links = menu.find_elements(By.TAG_NAME, "a")
        assert all(link.is_displayed() for link in links)
        browser.switch_to.active_element.send_keys(Keys.TAB)
        assert browser.switch_to.active_element == links[0]
        assert judged(browser, "dark" if width == PHONE else "light")["violations"] == []
        reached += links
    names = {(link.get_attribute("href") or "").rsplit("/", 1)[1] for link in reached}
    assert names == {name for name in ALL if not name.startswith("finding-")}


def test_menus_open_without_scripts(opened: Opener) -> None:
    browser = opened("search.html")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    opened("search.html")
    menu = browser.find_element(By.CSS_SELECTOR, ".menus details")
    menu.find_element(By.TAG_NAME, "summary").click()
    assert menu.find_element(By.TAG_NAME, "a").is_displayed()


@pytest.mark.parametrize("name", ["claims.html", "bounds.html"])
def test_heads_of_long_tables_stay_in_view(opened: Opener, name: str) -> None:
    browser = opened(name)
    row = browser.find_element(By.CSS_SELECTOR, "table.cards tbody tr:nth-child(40)")
    browser.execute_script("arguments[0].scrollIntoView()", row)
    head = browser.find_element(By.CSS_SELECTOR, "table.cards thead th")
    assert browser.execute_script(TOP, head) == pytest.approx(0, abs=1)
    assert browser.execute_script(TOP, row) >= head.size["height"]


def test_claims_and_scorecard_are_cards_on_a_phone(opened: Opener) -> None:
    for name, table in (("index.html", "#verdicts"), ("claims.html", "#claims")):
        browser = opened(name, PHONE)
        card = browser.find_element(By.CSS_SELECTOR, f"{table} tbody tr")
        assert 300 < card.size["width"] <= PHONE
        label = "return getComputedStyle(arguments[0].cells[2], '::before').content"
        heads = browser.find_elements(By.CSS_SELECTOR, f"{table} thead th")
        head = (heads[2].get_attribute("textContent") or "").strip()
        assert browser.execute_script(label, card) == f'"{head}: "'


def test_cards_out_of_sight_cost_nothing_and_can_be_gone_to(opened: Opener) -> None:
    browser = opened("claims.html", PHONE)
    visible = "return arguments[0].checkVisibility({contentVisibilityAuto: true})"
    last = browser.find_elements(By.CSS_SELECTOR, "#claims tbody tr")[-1]
    cell = last.find_element(By.TAG_NAME, "td")
    assert not browser.execute_script(visible, cell)
    browser.execute_script("location.hash = arguments[0].id", last)
    browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))")
    assert browser.execute_script(visible, cell)
    assert 0 <= browser.execute_script(TOP, last) < 900


def test_contents_can_be_read_on_a_phone(opened: Opener) -> None:
    contents = opened(f"{PAPERS[0]}.html", PHONE).find_element(By.CSS_SELECTOR, "nav.contents")
    assert contents.size["height"] > 200
    assert float(contents.value_of_css_property("font-size").removesuffix("px")) >= 16


def test_letters_of_figures_keep_their_size_on_a_phone(opened: Opener) -> None:
    heights = {}
    for width in (SCREEN, PHONE):
        browser = opened("brown2024.html", width)
        picture = browser.find_element(By.CSS_SELECTOR, "#fig05 .zoom img")
        browser.execute_script("arguments[0].loading = 'eager'; return arguments[0].decode()", picture)
        heights[width] = picture.size["height"]
        frame = browser.find_element(By.CSS_SELECTOR, "#fig05 .zoom")
        assert frame.size["width"] <= width
    assert heights[PHONE] >= 0.95 * heights[SCREEN]
    assert browser.execute_script("return arguments[0].scrollWidth > arguments[0].clientWidth", frame)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= PHONE
