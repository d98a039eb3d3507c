"""Ten questions of a reader, each answered within three clicks from the front page; typing is none."""

from collections.abc import Callable

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from site_under_test import rows

from dpdescent.papers.ours import decision
from dpdescent.privacy import accounting, zcdp

Opener = Callable[..., WebDriver]


class Reader:
    """Somebody with three clicks, who starts at the front page.

    Attributes:
        page: the browser.
        left: clicks that are left.
    """

    def __init__(self, page: WebDriver) -> None:
        self.page, self.left = page, 3

    def click(self, selector: str) -> None:
        """Clicks the first element of a CSS selector that can be seen."""
        self.left -= 1
        assert self.left >= 0, "more than three clicks"
        found = WebDriverWait(self.page, 60, poll_frequency=0.05).until(
            lambda page: [each for each in page.find_elements(By.CSS_SELECTOR, selector) if each.is_displayed()]
        )
        self.page.execute_script("arguments[0].click()", found[0])

    def ask(self, words: str) -> None:
        """Types words into the front page's search, and clicks its button."""
        self.page.find_element(By.ID, "q").send_keys(words)
        self.click("form.ask button")

    def type(self, **values: object) -> None:
        for name, value in values.items():
            WebDriverWait(self.page, 60, poll_frequency=0.05).until(
                lambda page, name=name: [x for x in page.find_elements(By.NAME, name) if x.is_displayed()]
            )
            field = self.page.find_element(By.NAME, name)
            field.clear()
            field.send_keys(str(value), Keys.TAB)

    def sees(self, *words: str) -> None:
        """Waits until all words can be read on the page."""
        body = "return document.body.innerText"
        WebDriverWait(self.page, 60, poll_frequency=0.1).until(
            lambda page: all(word in page.execute_script(body) for word in words), message=f"{words} are not there"
        )


@pytest.fixture
def reader(opened: Opener) -> Reader:
    return Reader(opened("index.html"))


def test_is_the_error_flat_in_p(reader: Reader) -> None:
    claim = next(each for each in rows("claims") if each["claim"] == "fig01-dp-gd-constant")
    reader.ask("does error stay flat in p")
    reader.click("#results a[href*='claim-brown2024-fig01-dp-gd-constant']")
    target = reader.page.find_element(By.CSS_SELECTOR, "tr:target").text
    assert claim["verdict"] in target


def test_how_much_noise(reader: Reader) -> None:
    reader.click("a[href='calculator.html']")
    reader.type(epsilon=1, delta="1e-6", n=10_000, T=20, gamma=15)
    sd = zcdp.gaussian_noise_sd(2 * 15 / 10_000, accounting.tight_rho(1.0, 1e-6), 20)
    reader.sees(f"{sd:.4g}")


def test_which_privacy_claim_is_broken_and_why_as_a_paragraph(reader: Reader) -> None:
    worst = next(row for row in rows("findings") if row["headline"] and row["kind"] == "privacy")
    reader.click(f"main a[href*='finding-{worst['finding']}']")
    reader.sees("In one paragraph, to send", worst["measured"].split(" ")[0])


def test_which_method(reader: Reader) -> None:
    reader.click("a[href='choose.html']")
    reader.type(n=2000, p=20, epsilon=1)
    reader.sees(f"Take {decision.advice(2000, 20, 1.0, 1e-6, decision.UNKNOWN)}", "times (worst)", "To run it")


def test_how_to_cite(reader: Reader) -> None:
    assert reader.page.find_element(By.ID, "cite").is_displayed()
    reader.sees("How to cite", "arXiv:2402.13531")


def test_which_file_computed_figure_5(reader: Reader) -> None:
    reader.ask("figure 5 brown2024")
    reader.click("#results a[href='brown2024.html#fig05']")
    reader.sees("src/dpdescent/papers/brown2024/experiments/fig05.py")


def test_which_values_are_not_the_papers(reader: Reader) -> None:
    reader.click("nav a[href='brown2024.html']")
    reader.sees("What the paper leaves open, and what we chose", "Values that the paper does not state for Figure 1")


def test_what_replace_one_means(reader: Reader) -> None:
    reader.click("a[href='glossary.html']")
    assert reader.page.find_element(By.ID, "replace-one").is_displayed()


def test_how_to_run_it_at_my_epsilon(reader: Reader) -> None:
    reader.click("a[href='calculator.html']")
    reader.type(epsilon=3, T=220)
    reader.sees("dpdescent estimate mine.csv --method dp-gd", "--epsilon 3")


def test_the_evidence_for_a_claim(reader: Reader) -> None:
    reader.ask("no clipping occurs when gamma is at least of order sqrt(p)")
    reader.click("#results li[data-kind=claim] a")
    target = reader.page.find_element(By.CSS_SELECTOR, "tr:target")
    WebDriverWait(reader.page, 60, poll_frequency=0.1).until(lambda _: target.text)
    assert "no clipping occurs" in target.text
