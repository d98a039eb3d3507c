"""What the report under test should hold, and how its pages are opened: at a width, in light or dark, settled."""

import csv
from pathlib import Path

from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.support.ui import WebDriverWait

from dpdescent.replication.report.demonstrations import demonstrations
from dpdescent.replication.report.pages import PAGES, finding_page

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results/paper"
PAPERS = sorted(folder.name for folder in RESULTS.iterdir() if (folder / "bounds.csv").exists())
FINDINGS = [finding_page(finding) for finding in sorted(demonstrations(ROOT / "src", PAPERS))]
ALL = [*(f"{page}.html" for page in (*PAGES, *PAPERS)), *FINDINGS]
SCREEN, PHONE = 1280, 390


def rows(name: str) -> list[dict[str, str]]:
    """Rows of a result file."""
    with open(RESULTS / f"{name}.csv", encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))


def resize(browser: WebDriver, width: int) -> None:
    """Gives the open page the width of a screen or of a phone."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def prefer(browser: WebDriver, scheme: str) -> None:
    """Makes the reader one who prefers light or dark pages."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def settle(browser: WebDriver) -> None:
    """Waits until a page and its scripts are done: the driver may come back while the page is still being read."""
    WebDriverWait(browser, 60, poll_frequency=0.05).until(
        lambda page: page.execute_script("return document.readyState") == "complete"
    )


def errors(browser: WebDriver) -> list[str]:
    """What the console told since it was last asked."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
