"""The documentation's page in the report: each mark of Markdown becomes what it means, and no word is lost."""

import re

import pytest
from markupsafe import Markup

from dpdescent.replication.report import guide
from dpdescent.replication.report.pages import GUIDE
from report_made import ROOT, TRIALS, texts

PAGE = (ROOT / GUIDE).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("# A `b`, c\n", '<h1 id="a-b-c">A <code>b</code>, c</h1>\n'),
        ("one\ntwo\n\nthree", "<p>one\ntwo</p>\n<p>three</p>\n"),
        ("a < b & **c\nd** `x < **y**`", "<p>a &lt; b &amp; <strong>c\nd</strong> <code>x &lt; **y**</code></p>\n"),
        ("```sh\n# a\n\n- b | <c>\n```\nd", '<pre tabindex="0"># a\n\n- b | &lt;c&gt;</pre>\n<p>d</p>\n'),
        ("> a\n> b\n\nc", "<blockquote><p>a\nb</p>\n</blockquote>\n<p>c</p>\n"),
        ("a:\n- b\n  c\n- d\n\ne", "<p>a:</p>\n<ul>\n<li><p>b\nc</p>\n</li>\n<li><p>d</p>\n</li>\n</ul>\n<p>e</p>\n"),
        ("- a\n\n  b\n\n- c", "<ul>\n<li><p>a</p>\n<p>b</p>\n</li>\n<li><p>c</p>\n</li>\n</ul>\n"),
        ("[a](#b) [c](https://d.e/f)", '<p><a href="#b">a</a> <a href="https://d.e/f">c</a></p>\n'),
        (
            "# T\n\n| a | b |\n|---|---|\n| `c` | -1 |\nd",
            '<h1 id="t">T</h1>\n<div class="scroll" role="region" aria-label="Table 1: T" tabindex="0">\n<table>\n'
            '<thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>\n<tbody>\n'
            '<tr><th scope="row"><code>c</code></th><td>-1</td></tr>\n</tbody>\n</table>\n</div>\n<p>d</p>\n',
        ),
    ],
)
def test_marks_become_what_they_mean(text: str, made: str) -> None:
    assert guide.html(text) == made


def test_links_lead_to_the_address_of_the_files_or_name_them() -> None:
    text = "[how](beyond.md#sec-1), [that](../examples/a.ipynb)"
    at = "https://a.b/main/"
    assert guide.html(text, "docs", at) == (
        '<p><a href="https://a.b/main/docs/beyond.md#sec-1">how</a>, '
        '<a href="https://a.b/main/examples/a.ipynb">that</a></p>\n'
    )
    assert guide.html(text, "docs") == (
        "<p>how (<code>docs/beyond.md</code>), that (<code>examples/a.ipynb</code>)</p>\n"
    )


@pytest.mark.parametrize("line", ["1. one", "![a](b.png)", "* one", "<b>one</b>", "---", "[a]: b.md", "~~~"])
def test_other_marks_are_refused_with_their_line(line: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(repr(line))} begins with a mark"):
        guide.html(f"one\n\n{line}\n")


def words(text: str) -> list[str]:
    return re.findall(r"[\w.,%-]*\w", text)


def test_no_word_of_the_page_is_lost_and_no_mark_is_left() -> None:
    """Outside of code, where marks mean nothing; a file that a link leads to is named beside it."""
    left = re.sub(r"^```\w*$|^[|-]+$", "", PAGE, flags=re.MULTILINE)
    left = re.sub(r"\]\((?:\.\./)?(\S+?)\)", r" \1", left)
    left = re.sub(r"^ *(> ?|- |#+ )", "", left, flags=re.MULTILINE)
    made = texts()["regression.html"].partition('<main id="content">')[2].partition("</main>")[0]
    named = re.sub(r"\(<code>(?:docs/)?(\S+?)</code>\)", r" \1", made)
    assert words(Markup(re.sub(r"<(?=/|t[hdr])", " <", named)).striptags()) == words(left)
    plain = re.sub(r"<(pre|code)\b.*?</\1>", "", made, flags=re.DOTALL)
    assert re.findall(r"\*\*|`|\]\(|^\||^&gt;|^- |^#", plain, re.MULTILINE) == []


def test_a_checkout_without_the_page_has_none() -> None:
    without = [file for file in TRIALS if file.name != "regression.md"]
    assert len(without) == len(TRIALS) - 1
    assert guide.view(without, "") == {"guide": None}
