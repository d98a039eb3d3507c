"""Words of the report: each defined once, and linked where it is first used."""

import re

import pytest

from dpdescent.replication.report import glossary


def links(body: str) -> list[tuple[str, str]]:
    page = glossary.linked(f"<head><title>arm</title></head><nav>arm</nav><main>{body}</main><footer>zCDP</footer>")
    return re.findall(r'href="glossary.html#([^"]*)">([^<]*)</a>', page)


def test_words_and_spellings_have_one_definition() -> None:
    spellings = [form.lower() for term in glossary.TERMS for form in (term.name, *term.forms)]
    assert len(spellings) == len(set(spellings))
    anchors = [term.anchor for term in glossary.TERMS]
    assert len(anchors) == len(set(anchors))


@pytest.mark.parametrize(
    "word",
    ["replace-one", "add-remove", "zero-out", "zCDP", "Gaussian-DP", "arm", "variant", "reading", "analogue",
     "clipping threshold", "participation"],
)  # fmt: skip
def test_words_of_the_reports_pages_are_defined(word: str) -> None:
    assert word in {term.name for term in glossary.TERMS}


def test_first_use_alone_is_linked() -> None:
    assert links("<p>An arm, two arms; Replace-one.</p><p>replace-one and zCDP</p>") == [
        ("arm", "arm"), ("replace-one", "Replace-one"), ("zcdp", "zCDP"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "body",
    ["<h2>arm</h2>", '<a href="x">an arm</a>', "<code>arm</code>", "<th>arm</th>", '<p title="arm">x</p>',
     "<p>harm, arm-wise</p>", "<script>arm</script>", "<h2>x <small>arm</small></h2>"],
)  # fmt: skip
def test_no_link_inside_headings_links_code_or_other_words(body: str) -> None:
    assert links(body) == []


def test_the_longest_spelling_is_taken_and_the_page_is_kept() -> None:
    assert links("<p>clipping threshold</p>") == [("clipping-threshold", "clipping threshold")]
    page = "<head></head><main id='c'><p>a < b</p><br>nothing</main>"
    assert glossary.linked(page) == page
