"""By keyboard alone every control is reached and seen, and works."""

from collections.abc import Callable

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from site_under_test import ALL
from visits import Visit, walk

Opener = Callable[..., WebDriver]
FAULTS = """
document.querySelector('main').insertAdjacentHTML('beforeend',
  '<button tabindex="-1" id="missed">a</button><button style="outline: none" id="unseen">b</button>');
"""


@pytest.mark.parametrize("name", ALL)
def test_every_control_is_reached_and_seen(visited: Callable[[str], Visit], name: str) -> None:
    walked = visited(name).keyboard
    assert walked["missed"] == []
    assert walked["unseen"] == []
    assert walked["reached"] > 10


def test_planted_faults_are_found(opened: Opener) -> None:
    browser = opened("search.html")
    browser.execute_script(FAULTS)
    walked = walk(browser)
    assert ['id="missed"' in each for each in walked["missed"]] == [True]
    assert ['id="unseen"' in each for each in walked["unseen"]] == [True]


def test_details_open_by_enter_and_close_by_space(opened: Opener) -> None:
    details = opened("index.html").find_element(By.CSS_SELECTOR, "main details")
    summary = details.find_element(By.TAG_NAME, "summary")
    for key, expected in ((Keys.ENTER, "true"), (Keys.SPACE, None)):
        summary.send_keys(key)
        assert details.get_attribute("open") == expected


def test_calculator_and_filters_work_by_keyboard(opened: Opener) -> None:
    browser = opened("calculator.html")
    value = browser.find_element(By.CSS_SELECTOR, "[data-result=noise_sd]")
    before = float(value.text)
    browser.find_element(By.NAME, "n").send_keys(Keys.BACKSPACE)
    assert float(value.text) == pytest.approx(10.0 * before, rel=1e-3)
    browser.find_element(By.NAME, "relation").send_keys(Keys.ARROW_DOWN)
    assert float(value.text) == pytest.approx(5.0 * before, rel=1e-3)
