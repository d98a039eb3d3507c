"""Ten questions of a reader, each answered within three clicks from the front page, with the answer itself.

Typing into the search or a form counts as no click, following what it found does.
"""

import re
import shutil
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest
import yaml
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from site_under_test import ROOT, rows, settle

from dpdescent.papers.ours import decision
from dpdescent.privacy import accounting, zcdp
from dpdescent.replication import notation
from dpdescent.replication.configuration import project
from dpdescent.replication.report import glossary, wording

MOST_CLICKS = 3


class Reader:
    """A reader who starts at the front page and clicks on what can be seen, three times at most."""

    def __init__(self, browser: WebDriver) -> None:
        self.browser = browser
        self.clicks = 0

    def click(self, selector: str) -> None:
        """Clicks on the first element of a selector that can be seen, and waits for the page."""
        self.clicks += 1
        assert self.clicks <= MOST_CLICKS
        element = WebDriverWait(self.browser, 60, poll_frequency=0.05).until(
            lambda page: next(
                filter(lambda one: one.is_displayed(), page.find_elements(By.CSS_SELECTOR, selector)), None
            )
        )
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()
        settle(self.browser)

    def follow(self, words: str) -> None:
        """Follows the question of the front page that begins with these words."""
        links = self.browser.find_elements(By.CSS_SELECTOR, ".asks a")
        (place,) = [k for k, link in enumerate(links, 1) if link.text.startswith(words)]
        self.click(f".asks li:nth-child({place}) a")

    def write(self, name: str, text: str) -> None:
        """Types into a field in place of what is there."""
        field = self.browser.find_element(By.NAME, name)
        field.clear()
        field.send_keys(text)
        settle(self.browser)

    def text(self, selector: str) -> str:
        """Text of an element as it stands on the page, closed details included, in single blanks."""
        return flat(self.browser.find_element(By.CSS_SELECTOR, selector).get_attribute("textContent") or "")


def flat(text: str) -> str:
    return " ".join(text.split())


def shown(text: str) -> str:
    """A text of a table as a page shows it."""
    return flat(unescape(re.sub(r"<[^>]*>", "", notation.html(text))))


@pytest.fixture
def reader(opened: Callable[..., WebDriver]) -> Reader:
    return Reader(opened("index.html"))


def test_does_the_error_stay_flat_in_p(reader: Reader) -> None:
    reader.write("q", "does error stay flat in p" + Keys.ENTER)
    reader.click("#results a[href$='claim-brown2024-fig01-dp-gd-constant']")
    claim = next(
        each for each in rows("claims") if (each["paper"], each["claim"]) == ("brown2024", "fig01-dp-gd-constant")
    )
    answer = reader.text("tr:target")
    assert claim["verdict"] in answer
    assert shown(wording.estimate(claim)) in answer


def test_how_much_noise(reader: Reader) -> None:
    """For (1, 1e-6) at n = 10,000 and T = 20."""
    reader.follow("How much noise")
    for name, text in (("epsilon", "1"), ("delta", "1e-6"), ("n", "10000"), ("T", "20"), ("gamma", "7")):
        reader.write(name, text)
    sd = zcdp.gaussian_noise_sd(2.0 * 7 / 10_000, accounting.tight_rho(1.0, 1e-6), 20)
    assert float(reader.text("[data-result=noise_sd]")) == pytest.approx(sd, rel=1e-4)


def test_which_privacy_claim_is_broken_and_why_as_a_paragraph_to_send(reader: Reader) -> None:
    reader.follow("Which privacy claims fail")
    reader.click(".refuted h3 a[href^='finding-']")
    paragraph = reader.text("#paragraph + blockquote")
    finding = next(each for each in rows("findings") if each["finding"] == reader.text("h1 + p code"))
    assert finding["kind"] == "privacy"
    for part in ("statement", "measured", "why", "charitable_reading", "repair"):
        assert flat(notation.plain(finding[part])).rstrip(".").lower() in paragraph.lower(), part
    assert "arXiv" in paragraph


def test_which_method(reader: Reader) -> None:
    """For n = 2000, p = 20 and an epsilon of 1."""
    reader.follow("Which method")
    for name, text in (("n", "2000"), ("p", "20"), ("epsilon", "1"), ("delta", "1e-6")):
        reader.write(name, text)
    assert reader.text("#answer h2") == f"Take {decision.advice(2000, 20, 1.0, 1e-6)}"
    assert reader.text("#answer pre")


def test_how_to_cite(reader: Reader) -> None:
    reader.follow("How do I cite")
    entries = " ".join(each.text for each in reader.browser.find_elements(By.CLASS_NAME, "bibtex"))
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) in entries
    for identifier in ("2402.13531", "2310.06771", "2509.22794", "2207.04686", "2605.12648"):
        assert identifier in entries


def test_which_file_computed_figure_5(reader: Reader) -> None:
    reader.click("#verdicts a[href='brown2024.html']")
    reader.click("nav.contents a[href='#fig05']")
    (file,) = re.findall(r"measured in (\S+\.py)", reader.text("#fig05 .again"))
    assert file == "src/dpdescent/papers/brown2024/intervals.py"
    assert (ROOT / file).is_file()


def test_which_values_are_not_the_papers(reader: Reader) -> None:
    reader.click("#verdicts a[href='brown2024.html']")
    reader.click("nav.contents a[href='#fig05']")
    ours = [row for row in rows("brown2024/settings") if row["artefact"] == "fig05" and row["source"] != "stated"]
    table = reader.browser.find_elements(By.CSS_SELECTOR, "#fig05 table.chosen tbody tr")
    assert len(table) == len(ours) > 0
    told = reader.text("#fig05 table.chosen")
    assert all(shown(row["reason"]) in told for row in ours)


def test_what_replace_one_means(reader: Reader) -> None:
    reader.follow("What do the words mean")
    (term,) = [term for term in glossary.TERMS if term.name == "replace-one"]
    assert shown(term.means).rstrip(".").lower() in reader.text("#replace-one + dd").lower()


def test_how_to_run_it_at_my_epsilon(reader: Reader, tmp_path: Path) -> None:
    """A scale whose text is a configuration that resolves to the budget, and lines of Python at an epsilon."""
    reader.follow("How do I run it at my")
    for name in ("config", "src", "workflow"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "config").unlink()
    shutil.copytree(ROOT / "config", tmp_path / "config")
    text = reader.browser.find_element(By.ID, "scale").get_attribute("textContent") or ""
    (tmp_path / "config/scales/mine.yaml").write_text(text, encoding="utf-8")
    made = project.load({"scale": "mine", "seed": 0, "papers": ["liang2025"]}, tmp_path)
    assert made.papers["liang2025"].artefacts["fig07"].arms["rho1"] == 1
    reader.click("#own + p a[href='calculator.html']")
    reader.write("epsilon", "0.5")
    assert "epsilon=0.5" in reader.text("#python")


def test_the_evidence_of_a_given_claim(reader: Reader) -> None:
    reader.click("#verdicts a[href*='paper=wang2026'][href*='verdict=reproduced']")
    reader.click("#claims tbody tr:not([data-filtered], [data-later]) a")
    anchor = reader.browser.current_url.rsplit("#", 1)[1]
    claim = next(
        each for each in rows("claims")
        if f"claim-{wording.slug(each['paper'], each['claim'])}" == anchor
    )  # fmt: skip
    assert (claim["paper"], claim["verdict"]) == ("wang2026", "reproduced")
    answer = reader.text("tr:target")
    assert all(shown(claim[part]) in answer for part in ("statement", "criterion", "quantity"))
    assert shown(wording.estimate(claim)) in answer
