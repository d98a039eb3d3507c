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
        ("    a < b\n", '<pre tabindex="0">a &lt; b</pre>\n'),
        ("> a\n> b\n\nc", "<blockquote>\n<p>a\nb</p>\n</blockquote>\n<p>c</p>\n"),
        ("- a\n\n  b\n\n- c", "<ul>\n<li>\n<p>a</p>\n<p>b</p>\n</li>\n<li>\n<p>c</p>\n</li>\n</ul>\n"),
        (
            "a:\n- b\n  c\n  1. d\n  2. `<e>`\n- f\n\ng",
            "<p>a:</p>\n<ul>\n<li>b\nc\n<ol>\n<li>d</li>\n<li><code>&lt;e&gt;</code></li>\n</ol>\n</li>\n<li>f</li>\n</ul>\n"
            "<p>g</p>\n",
        ),
        ("<b>a</b>", "<p>&lt;b&gt;a&lt;/b&gt;</p>\n"),
        ("<script>\na\n</script>", "<p>&lt;script&gt;\na\n&lt;/script&gt;</p>\n"),
        ("[a](#b) [c](https://d.e/f)", '<p><a href="#b">a</a> <a href="https://d.e/f">c</a></p>\n'),
        ("[a](javascript:b)", "<p>[a](javascript:b)</p>\n"),
        (
            "# T < `u`\n\n| a | `b` |\n|---|---|\n| `c \\| d` | -1 |\n| [e](#t) | **f** |\n\ng",
            '<h1 id="t--u">T &lt; <code>u</code></h1>\n'
            '<div class="scroll" role="region" aria-label="Table 1: T &lt; u" tabindex="0">\n<table>\n'
            '<thead>\n<tr>\n<th scope="col">a</th>\n<th scope="col"><code>b</code></th>\n</tr>\n</thead>\n<tbody>\n'
            '<tr>\n<th scope="row"><code>c | d</code></th>\n<td>-1</td>\n</tr>\n'
            '<tr>\n<th scope="row"><a href="#t">e</a></th>\n<td><strong>f</strong></td>\n</tr>\n'
            "</tbody>\n</table>\n</div>\n<p>g</p>\n",
        ),
    ],
)
def test_marks_become_what_they_mean(text: str, made: str) -> None:
    assert guide.html(text) == made


def test_links_lead_to_the_address_of_the_files_or_name_them() -> None:
    text = "[how](beyond.md#sec-1), [that](../examples/a&b.ipynb), [c](https://d.e/f)"
    at, elsewhere = "https://a.b/main/", '<a href="https://d.e/f">c</a>'
    assert guide.html(text, "docs", at) == (
        '<p><a href="https://a.b/main/docs/beyond.md#sec-1">how</a>, '
        f'<a href="https://a.b/main/examples/a&amp;b.ipynb">that</a>, {elsewhere}</p>\n'
    )
    assert guide.html(text, "docs") == (
        f"<p>how (<code>docs/beyond.md</code>), that (<code>examples/a&amp;b.ipynb</code>), {elsewhere}</p>\n"
    )


def test_tables_are_counted_under_their_headings() -> None:
    table = "\n\n| a |\n|---|\n| b |\n\n"
    made = guide.html(f"# One{table}## Two{table}")
    assert re.findall('aria-label="(.*?)"', made) == ["Table 1: One", "Table 2: Two"]


def test_a_picture_is_refused_with_its_address() -> None:
    with pytest.raises(ValueError, match=r"^picture 'b\.png': .* link to it$"):
        guide.html("one ![a](b.png)")


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
