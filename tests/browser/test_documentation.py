"""Pages of the documentation in a browser: wide tables say that they scroll, anchors open."""

from collections.abc import Callable

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from site_under_test import PHONE, SCREEN

from dpdescent.replication.report.pages import MENUS

Opener = Callable[..., WebDriver]
PAGES = [*MENUS["Documentation"], "docs-symbols", "docs-deviations"]
WIDE = """
const said = (frame) => getComputedStyle(frame, '::before').content.includes('scrolls sideways');
return [...document.querySelectorAll('.document .scroll')]
  .map((frame) => [frame.scrollWidth > frame.clientWidth + 1, said(frame)]);
"""


@pytest.mark.parametrize("width", [SCREEN, PHONE])
def test_tables_that_scroll_say_so_and_others_do_not(opened: Opener, width: int) -> None:
    seen = [each for page in PAGES for each in opened(f"{page}.html", width).execute_script(WIDE)]
    assert len(seen) > 30
    assert [wide for wide, _ in seen] == [said for _, said in seen]
    assert any(wide for wide, _ in seen) == (width == PHONE)


def test_contents_lead_to_headings_by_anchors_of_their_words(opened: Opener) -> None:
    browser = opened("docs-library.html#dp-regression-with-standard-errors-and-nothing-to-tune")
    top = "return document.querySelector(':target').getBoundingClientRect().top"
    assert 0 <= browser.execute_script(top) < 100
    links = browser.find_elements(By.CSS_SELECTOR, "nav.contents a")
    assert [link.text for link in links][:2] == ["Install", "Three lines"]


def test_a_name_of_the_library_is_found_from_the_list_of_all(opened: Opener) -> None:
    browser = opened("api.html")
    browser.find_element(By.CSS_SELECTOR, "a[href$='#tree_aggregation']").click()
    assert browser.current_url.endswith("/api-noise.html#tree_aggregation")
    assert browser.find_element(By.CSS_SELECTOR, ":target").text.startswith("tree_aggregation")
