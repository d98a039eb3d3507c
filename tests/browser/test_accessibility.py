"""Every page can be read by everyone: axe-core finds nothing serious or critical, by light and by dark, and would."""

from collections.abc import Callable

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from site_under_test import ALL, PHONE
from visits import BY_LOOK, Visit, judged

FAULTS = """
document.querySelector('main').insertAdjacentHTML('beforeend', '<img src="data:,"><p id="faint">faint</p>');
document.getElementById('faint').style.color = 'rgba(127, 127, 127, 0.5)';
document.querySelector('h1').innerHTML += ' <button></button>';
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ALL)
def test_nothing_grave_on_a_page(visited: Callable[[str], Visit], name: str, scheme: str) -> None:
    found = visited(name).grave[scheme]
    assert found["violations"] == []
    assert found["passes"] > 0


def test_planted_faults_are_found(opened: Callable[..., WebDriver]) -> None:
    """An image without words, a button without a name, and faint letters."""
    browser = opened("search.html", PHONE, "dark")
    browser.execute_script(FAULTS)
    assert {each.split(" ")[0] for each in judged(browser, "dark", BY_LOOK)["violations"]} == {"color-contrast"}
    found = {each.split(" ")[0] for each in judged(browser, "light")["violations"]}
    assert {"image-alt", "button-name", "color-contrast"} <= found
