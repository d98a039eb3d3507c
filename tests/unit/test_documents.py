"""Pages of the documentation: every document and notebook has one, parts stand once, and numbers are the results'."""

import base64
import json
import re
from pathlib import Path

import pytest
from markupsafe import Markup

from dpdescent.papers.ours import pages as quoting
from dpdescent.replication.report import content, documents, pages, site
from dpdescent.replication.report.wording import MOST_LETTERS
from report_made import RESULTS, ROOT, TRIALS, papers, texts

SOFTWARE = {"readme": "## Two commands\n\n`make quick`\n", "checkout": "../../.."}
# The first lines of a section that say what came out of it; more would not be read.
SHORT = 10


def test_every_document_and_notebook_has_a_page_in_a_menu() -> None:
    written = [*(ROOT / "docs").glob("*.md"), *(ROOT / "examples").glob("*.ipynb"), ROOT / "config/README.md"]
    assert set(pages.DOCUMENTS.values()) == {file.relative_to(ROOT).as_posix() for file in written}
    listed = [page for menu in pages.MENUS.values() for page in menu]
    assert {*pages.DOCUMENTS, *documents.PARTS} < set(listed) < set(pages.PAGES)
    assert len(listed) == len(set(listed))


def test_links_to_a_document_lead_to_its_page_from_every_other() -> None:
    """No relative link of a document leads to a file that is a page, and none is left as it stands there."""
    for page in pages.DOCUMENTS:
        targets = re.findall(r'<a href="([^"#]+)', texts()[f"{page}.html"].partition("<main")[2])
        assert not [target for target in targets if target.endswith((".md", ".ipynb")) and "CHANGELOG" not in target]
        for target in (each for each in targets if each.startswith("../")):
            assert (RESULTS / "report" / target).exists(), (page, target)


@pytest.mark.parametrize(("page", "commands"), [
    ("install", ["make results", "pip install .", "podman build"]),
    ("regression", ["dpdescent example", "--method dp-iv-gd", "import dpdescent"]),
])  # fmt: skip
def test_pages_put_together_have_the_commands_of_their_documents(page: str, commands: list[str]) -> None:
    made = Markup(texts()[f"{page}.html"]).striptags()
    for command in commands:
        assert command in made


def test_a_checkout_without_a_document_says_so() -> None:
    without = [file for file in TRIALS if file.name not in ("beyond.md", "pipeline.md", "instruments.ipynb")]
    made = dict(documents.views(without, SOFTWARE, {"advice": "x"}))
    for page in ("docs-beyond", "docs-pipeline", "example-instruments"):
        common = {"names": pages.PAGES, "menus": {}, "papers": [], "label": ""}
        shown = site.template(documents.TEMPLATE).render(**common, **made[page], page=page)
        assert f"This checkout lacks what stands here: <code>{pages.DOCUMENTS[page]}</code>." in shown
    assert [each["file"] for each in made["install"]["texts"]] == ["README.md", "docs/library.md"]
    assert [each["file"] for each in dict(documents.views([], {}, {}))["install"]["texts"]] == []


def test_documents_are_found_by_whole_paths_too_and_by_no_other_folder(tmp_path: Path) -> None:
    for name in ("config/README.md", "other/docs/symbols.md", "symbols.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"# {name}\n", encoding="utf-8")
    files = [tmp_path / "symbols.md", tmp_path / "other/docs/symbols.md", tmp_path / "config/README.md"]
    made = dict(documents.views(files, {}, {}))
    assert "other/docs/symbols.md" in made["docs-symbols"]["title"]
    assert "config/README.md" in made["docs-configuration"]["title"]


def test_numbers_of_beyond_are_those_of_the_results() -> None:
    """As they are now, because the document itself is written after the report."""
    blocks = content.quotes(RESULTS, papers())
    assert set(blocks) == set(re.findall("^<!-- (?!end )(.*) -->$", text("docs/beyond.md"), re.MULTILINE))
    made = dict(documents.views(TRIALS, SOFTWARE, blocks | {"advice": "a table of today"}))["docs-beyond"]
    assert "a table of today" in made["texts"][0]["html"]


def test_nothing_is_quoted_where_a_table_is_missing(tmp_path: Path) -> None:
    assert content.quotes(tmp_path, papers()) == {}
    assert content.quotes(RESULTS, [each for each in papers() if each["key"] != "ours"]) == {}
    with pytest.raises(FileNotFoundError):
        quoting.beyond(tmp_path)


def text(file: str) -> str:
    return (ROOT / file).read_text(encoding="utf-8")


def test_every_section_of_beyond_begins_with_what_came_out() -> None:
    sections = re.split(r"^## ", text("docs/beyond.md"), flags=re.MULTILINE)[1:]
    assert len(sections) == 5
    found = 0
    for section in sections:
        lines = section.splitlines()
        abstract = [line for line in lines[2 : 3 + SHORT] if line.startswith("> ")]
        assert abstract[0].startswith("> **In short.**"), lines[0]
        assert lines[2 + len(abstract)] == "", lines[0]
        # Every number of it stands in the section too, with its digits.
        below = "\n".join(lines[2 + len(abstract) :])
        numbers = set(re.findall(r"(?<!Sec\. )\b\d+(?:[.,]\d+)*", " ".join(abstract)))
        found += len(numbers)
        assert {each for each in numbers if not re.search(rf"(?<![\d.]){re.escape(each)}(?!\d)", below)} == set(), (
            lines[0]
        )
    assert found > 50


@pytest.mark.parametrize("name", ["regression", "instruments"])
def test_a_notebook_shows_what_it_keeps(name: str) -> None:
    made, kept = texts()[f"example-{name}.html"], json.loads(text(f"examples/{name}.ipynb"))
    code = [cell for cell in kept["cells"] if cell["cell_type"] == "code"]
    outputs = [output for cell in code for output in cell["outputs"]]
    printed = ["".join(each["text"]).rstrip("\n") for each in outputs if each["output_type"] == "stream"]
    shown = [Markup(each).striptags() for each in re.findall('<pre class="output".*?>.*?</pre>', made, re.DOTALL)]
    assert [" ".join(each.split()) for each in shown] == [" ".join(each.split()) for each in printed]
    blocks = re.findall('<pre tabindex="0">(.*?)</pre>', made, re.DOTALL)
    assert [Markup(each).striptags() for each in blocks] == [" ".join("".join(each["source"]).split()) for each in code]
    pictures = [each["data"]["image/png"] for each in outputs if each["output_type"] == "display_data"]
    found = re.findall(r'<img src="data:image/png;base64,(.*?)" alt="(.*?)">', made)
    assert [base64.b64decode(data) for data, _ in found] == [base64.b64decode(each) for each in pictures]
    assert all(60 < len(words) <= MOST_LETTERS for _, words in found)
