"""Figures in the dark: a picture lets the page through, and its text and curves stand out from it."""

import io
from collections.abc import Callable

import numpy as np
import pytest
from matplotlib import image
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

Opener = Callable[..., WebDriver]


@pytest.mark.parametrize(("scheme", "ground"), [("light", 1.0), ("dark", 0.09)])
def test_picture_has_the_page_as_its_ground(opened: Opener, scheme: str, ground: float) -> None:
    browser = opened("brown2024.html#fig02", scheme=scheme)
    picture = browser.find_element(By.CSS_SELECTOR, "#fig02 .zoom img")
    browser.execute_script("arguments[0].scrollIntoView()", picture)
    WebDriverWait(browser, 60, poll_frequency=0.05).until(
        lambda page: page.execute_script("return arguments[0].complete && arguments[0].naturalWidth > 0", picture)
    )
    pixels = image.imread(io.BytesIO(picture.screenshot_as_png))[8:-8, 8:-8, :3]
    light = pixels.mean(axis=2)
    assert np.median(light) == pytest.approx(ground, abs=0.02)
    # Letters are among the darkest in the light, among the lightest in the dark.
    assert np.quantile(np.abs(light - ground), 0.999) > 0.7
    # Curves keep their hues: the most vivid pixels have several.
    vivid = pixels[pixels.max(axis=2) - pixels.min(axis=2) > 0.4]
    assert {int(color.argmax()) for color in vivid} == {0, 2}
