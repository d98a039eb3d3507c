"""The documentation's page in the report: each mark of Markdown becomes what it means, and no word is lost."""

import re

import pytest
from markupsafe import Markup

from dpdescent.replication.report import guide
from dpdescent.replication.report.guide import Heading
from dpdescent.replication.report.pages import DOCUMENTS
from report_made import ROOT, texts


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("# A `b`, c\n", '<h1 id="a-b-c">A <code>b</code>, c</h1>\n'),
        ("one\ntwo\n\nthree", "<p>one\ntwo</p>\n<p>three</p>\n"),
        ("a < b & **c\nd** `x < **y**`", "<p>a &lt; b &amp; <strong>c\nd</strong> <code>x &lt; **y**</code></p>\n"),
        (
            "```sh\n# a\n\n- b | <c>\n```\nd",
            '<pre tabindex="0"><span class="c"># a\n</span>\n- b | &lt;c&gt;</pre>\n<p>d</p>\n',
        ),
        (
            "```python\nif x: # <\n    f('a', 1)\n```\n",
            '<pre tabindex="0"><span class="k">if</span> x: <span class="c"># &lt;</span>\n'
            '    f(<span class="s">\'a\'</span>, <span class="n">1</span>)</pre>\n',
        ),
        ("```text\nif <a>\n```\n", '<pre class="output" tabindex="0">if &lt;a&gt;</pre>\n'),
        ("a\n\n<!-- b -->\nc\n<!-- end b -->\n", "<p>a</p>\n<p>c</p>\n"),
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


def test_links_lead_to_pages_to_results_and_to_the_address_of_all_other_files() -> None:
    text = (
        "[how](beyond.md#sec-1), [run](../examples/regression.ipynb), [rows](../results/paper/claims.csv), "
        "[names](../results/paper/report/api.html), "
        "[that](../src/a&b.py#L3), [c](https://d.e/f)"
    )
    pages = (
        '<a href="docs-beyond.html#sec-1">how</a>, <a href="example-regression.html">run</a>, '
        '<a href="../../paper/claims.csv">rows</a>, <a href="api.html">names</a>'
    )
    elsewhere = '<a href="https://d.e/f">c</a>'
    assert guide.html(text, "docs", "https://a.b/main/") == (
        f'<p>{pages}, <a href="https://a.b/main/src/a&amp;b.py#L3">that</a>, {elsewhere}</p>\n'
    )
    assert guide.html(text, "docs") == f"<p>{pages}, that (<code>src/a&amp;b.py</code>), {elsewhere}</p>\n"


def test_a_part_is_taken_alone_from_its_heading_to_the_next_of_its_level() -> None:
    text = "# A\n\na\n\n### B\n\nb\n\n#### C\n\n```sh\n# D\n```\n\n### D\n\nd\n"
    assert guide.read(text, under="B") == guide.read(text.replace("### D", "## D"), under="B")
    made, headings = guide.read(text, under="B")
    assert made == (
        '<h2 id="b">B</h2>\n<p>b</p>\n<h3 id="c">C</h3>\n<pre tabindex="0"><span class="c"># D</span></pre>\n'
    )
    assert headings == [Heading(2, "b", "B"), Heading(3, "c", "C")]
    with pytest.raises(ValueError, match=r"^heading 'E' stands 0 times in the text: "):
        guide.read(text, under="E")


def test_a_graph_is_drawn() -> None:
    made = guide.html("```mermaid\nflowchart LR\n    one --> two\n```\n")
    assert re.findall(r">(\w+)</text>", made) == ["one", "two"]


def test_tables_are_counted_under_their_headings() -> None:
    table = "\n\n| a |\n|---|\n| b |\n\n"
    made = guide.html(f"# One{table}## Two{table}")
    assert re.findall('aria-label="(.*?)"', made) == ["Table 1: One", "Table 2: Two"]


def test_a_picture_is_refused_with_its_address() -> None:
    with pytest.raises(ValueError, match=r"^picture 'b\.png': .* link to it$"):
        guide.html("one ![a](b.png)")


def words(text: str) -> list[str]:
    return re.findall(r"[\w.,%-]*\w", text)


@pytest.mark.parametrize("page", [page for page, file in DOCUMENTS.items() if file.endswith(".md")])
def test_no_word_of_a_document_is_lost_and_no_mark_is_left(page: str) -> None:
    """Outside of code, where marks mean nothing, and apart from the drawing of a graph."""
    text = (ROOT / DOCUMENTS[page]).read_text(encoding="utf-8")
    left = re.sub(r"^```mermaid.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    left = re.sub(r"^```\w*$|^[|-]+$|^<!--.*-->$", "", left, flags=re.MULTILINE)
    left = re.sub(r"\]\(\S+?\)", "]", left).replace("\\|", "|")
    left = re.sub(r"^ *(> ?|- |#+ |\d+\. )", "", left, flags=re.MULTILINE)
    made = texts()[f"{page}.html"].partition('<main id="content">')[2].partition("</main>")[0]
    made = re.sub(r'<nav class="contents".*?</nav>|<svg.*?</svg>', "", made, flags=re.DOTALL)
    assert words(Markup(re.sub(r"<(?=/?(?:t[hdr]|p|h\d|li|pre)\b)", " <", made)).striptags()) == words(left)
    plain = re.sub(r"<(pre|code)\b.*?</\1>", "", made, flags=re.DOTALL)
    assert re.findall(r"\*\*|`|\]\(|^\||^&gt;|^- |^#", plain, re.MULTILINE) == []
