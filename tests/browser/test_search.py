"""Search: what a question means is found first, in Greek or Latin letters and misspelt too, and nothing is told."""

from collections import Counter
from collections.abc import Callable
from urllib.parse import quote

import pytest
from selenium.webdriver.chrome.webdriver import WebDriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait
from site_under_test import rows

from dpdescent.replication.report import wording

Opener = Callable[..., WebDriver]


def found(browser: WebDriver) -> list[tuple[str, str, str]]:
    """Kind, address and text of the results, in their order."""
    items = browser.find_elements(By.CSS_SELECTOR, "#results > li")[:8]
    links = [item.find_element(By.TAG_NAME, "a") for item in items]
    return [
        (item.get_attribute("data-kind") or "", (link.get_attribute("href") or "").rsplit("/", 1)[1], item.text)
        for item, link in zip(items, links, strict=True)
    ]


def asked(opened: Opener, question: str) -> list[tuple[str, str, str]]:
    browser = opened("search.html")
    browser.find_element(By.NAME, "q").send_keys(question)
    return found(browser)


def test_error_flat_in_p_is_the_claim_of_figure_1(opened: Opener) -> None:
    results = asked(opened, "does error stay flat in p")
    claims = {claim["claim"]: claim for claim in rows("claims") if claim["paper"] == "brown2024"}
    first = [address.removeprefix("brown2024.html#claim-brown2024-") for _, address, _ in results]
    assert "fig01-dp-gd-constant" in first
    assert all("constant" in claims[name]["statement"] for name in first[:5])


@pytest.mark.parametrize(
    ("greek", "latin"), [("θ*", "theta*"), ("ν-DP-FTRL", "nu-DP-FTRL"), ("ε of Figure 5", "eps fig. 5")]
)
def test_greek_letters_and_their_names_are_equal(opened: Opener, greek: str, latin: str) -> None:
    results = asked(opened, greek)
    assert results == asked(opened, latin)
    assert results


def test_star_and_hyphens_mean_what_they_say(opened: Opener) -> None:
    assert all("θ*" in text or "theta*" in text for _, _, text in asked(opened, "θ*"))
    assert all("ν-DP-FTRL" in text for _, _, text in asked(opened, "ν-DP-FTRL")[:6])


def test_epsilon_of_a_figure_is_its_budget(opened: Opener) -> None:
    kind, address, text = asked(opened, "epsilon of figure 5")[0]
    assert (kind, address) == ("budget", "brown2024.html#fig05")
    arms = [row for row in rows("privacy") if (row["paper"], row["artefact"]) == ("brown2024", "fig05")]
    assert f"ε {float(arms[0]['eps_tight']):.3g}" in text


@pytest.mark.parametrize(
    ("question", "page"),
    [("how much noise", "calculator.html"), ("which method?", "choose.html"), ("run it at my ε", "made.html"),
     ("fig. 5 of Brown et al.", "brown2024.html#fig05"), ("evidence for Theorem 2.7 of brown2024", "brown2024.html")],
)  # fmt: skip
def test_a_question_in_a_page_s_own_words_or_with_an_author_s_name_is_answered_first(
    opened: Opener, question: str, page: str
) -> None:
    assert asked(opened, question)[0][1].startswith(page)


@pytest.mark.parametrize("question", ["guessed values", "which values are guessed", "values not stated by the paper"])
def test_values_that_are_not_the_papers_are_found_by_other_words(opened: Opener, question: str) -> None:
    assert asked(opened, question)[0][:2] == ("page", "made.html#values")


def test_wrong_letters_and_beginnings_of_words_are_found(opened: Opener) -> None:
    for mistaken, meant in (("cliping threshhold", "clipping threshold"), ("anisotr", "anisotropic")):
        assert asked(opened, meant)[0] in asked(opened, mistaken)[:3]


def test_words_in_quotes_stand_together(opened: Opener) -> None:
    results = asked(opened, '"privacy for free" high dimensions')
    assert results
    assert all("privacy for free" in text.lower().replace("'", "") for _, _, text in results)
    assert asked(opened, '"free for privacy"') == []


@pytest.mark.parametrize("question", ["why?", "\\", "xyzzy frobnik", "qjx" * 67, "qjxv " * 40, '""', "(" * 200])
def test_where_nothing_is_found_others_questions_are_told(opened: Opener, question: str) -> None:
    assert asked(opened, question) == []
    browser = opened(f"search.html?q={quote(question)}")
    assert browser.find_element(By.TAG_NAME, "output").text == "0 found"
    browser.find_element(By.CSS_SELECTOR, "#asked a").click()
    WebDriverWait(browser, 30, poll_frequency=0.05).until(lambda page: len(found(page)) == 8)


def test_without_a_question_there_is_no_answer(opened: Opener) -> None:
    assert asked(opened, "  ") == []
    browser = opened("search.html")
    assert not browser.find_element(By.ID, "nothing").is_displayed()
    assert browser.find_element(By.TAG_NAME, "output").text == ""


def test_a_figure_is_found_with_its_verdicts(opened: Opener) -> None:
    mine = [each for each in rows("claims") if (each["paper"], each["artefact"]) == ("brown2024", "fig05")]
    counts = Counter(each["verdict"] for each in mine if each["measured"])
    others = ", ".join(f"{counts[verdict]} {verdict}" for verdict in wording.VERDICTS[1:] if counts[verdict])
    assert others
    told = f"{counts['reproduced']} of {counts.total()} measured claims reproduced, {others}"
    assert told in asked(opened, "is Figure 5 of Brown reproduced?")[0][2]


def test_of_a_long_text_that_part_is_shown_that_fits(opened: Opener) -> None:
    kind, _, text = asked(opened, "podman")[0]
    assert kind == "documentation"
    assert "podman" in text
    assert len(text) < 450


def test_front_page_asks_and_kinds_narrow(opened: Opener) -> None:
    browser = opened("index.html")
    browser.find_element(By.ID, "q").send_keys("clipping", Keys.ENTER)
    WebDriverWait(browser, 60, poll_frequency=0.05).until(lambda page: len(found(page)) == 8)
    Select(browser.find_element(By.NAME, "kind")).select_by_visible_text("finding")
    assert {kind for kind, _, _ in found(browser)} == {"finding"}
    assert "kind=finding" in browser.current_url
