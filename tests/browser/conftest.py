"""A headless browser for the report's pages: Debian's Chromium, or whatever Chromium and its driver are on the path.

Where there is none, these tests are skipped and say so; with DPDESCENT_BROWSER=required they fail instead, so that a CI
cannot skip them unseen.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from site_under_test import SCREEN, prefer, resize, settle
from visits import Visit, visit

import report_made

# No sandbox, because CI runs as root; no calls home, because machines have no network.
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-dev-shm-usage",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip

Browser = webdriver.Chrome


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium with an empty profile, which keeps its console's messages."""
    chromium, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        why = "needs Chromium and its driver (Debian: apt-get install chromium chromium-driver)"
        if os.environ.get("DPDESCENT_BROWSER") == "required":
            pytest.fail(why)
        pytest.skip(why)
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    found = webdriver.Chrome(options=options, service=Service(driver))
    # Axe-core takes a second a page, and longer where other programs want the cores, too.
    found.set_script_timeout(300)
    yield found
    found.quit()


@pytest.fixture(scope="session")
def report(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report as the code makes it now, once for all tests; without a browser it is not made."""
    return report_made.write(tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="session")
def visited(browser: Browser, report: Path) -> Callable[[str], Visit]:
    """Visits a page at the first call, and remembers what was seen."""
    return cache(partial(visit, browser, report, set()))


@pytest.fixture
def opened(browser: Browser, report: Path) -> Iterator[Callable[..., Browser]]:
    """Opens a page of the report at a width, as on a screen or on a phone, and forgets its settings afterwards."""

    def open_page(name: str, width: int = SCREEN, scheme: str = "light") -> Browser:
        resize(browser, width)
        prefer(browser, scheme)
        # A page that is asked for at another of its parts would stay as the last test left it.
        browser.get("about:blank")
        browser.get(f"{report.as_uri()}/{name}")
        settle(browser)
        return browser

    yield open_page
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
