"""Pages of the documentation: its documents, notebooks with what they keep, and parts of documents put together.

Nothing is run. A checkout may lack a document, whose page then says so.
"""

import json
import posixpath
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from dpdescent.replication import notation
from dpdescent.replication.report import guide, summary, wording
from dpdescent.replication.report.content import View
from dpdescent.replication.report.guide import Heading
from dpdescent.replication.report.pages import DOCUMENTS

TEMPLATE = "document.html.j2"
# Pages that take over parts of documents, by file and heading.
PARTS = {
    "install": (
        ("README.md", "Two commands"), ("docs/library.md", "Install"), ("docs/pipeline.md", "The environment"),
    ),
    "regression": (
        ("docs/regression.md", "Wages by schooling"), ("docs/pipeline.md", "Your own data"),
        ("docs/library.md", "Three lines"),
    ),
}  # fmt: skip
# Sections of a page from which on it has a list of contents.
LONG = 3


def views(files: Iterable[Path], software: Mapping[str, Any], blocks: Mapping[str, str]) -> Iterator[tuple[str, View]]:
    """Yields the pages, each with its data.

    Args:
        files: files that the report shows beside results, among them the documents.
        software: data on the software: the address of its files, and the part of its README on how to install it.
        blocks: parts of `docs/beyond.md` that quote results, as they are now.
    """
    texts = {file: text_of(files, file) for file in DOCUMENTS.values()}
    if texts["docs/beyond.md"] and blocks:
        texts["docs/beyond.md"] = summary.fill(texts["docs/beyond.md"], dict(blocks))
    code = software.get("code") or software.get("checkout", "")
    for page, file in DOCUMENTS.items():
        read = _notebook if file.endswith(".ipynb") else guide.read
        text, headings = read(texts[file], posixpath.dirname(file), code)
        # Apart, because the list of contents stands below it.
        title, end, rest = text.partition("</h1>\n")
        yield page, _view([(file, rest)] if texts[file] else [], headings, [file]) | {"title": title + end}
    texts["README.md"] = software.get("readme", "")
    for page, parts in PARTS.items():
        there = [
            (file, *guide.read(texts[file], posixpath.dirname(file), code, heading))
            for file, heading in parts
            if texts[file]
        ]
        headings = [each for _, _, found in there for each in found]
        yield page, _view([(file, text) for file, text, _ in there], headings, [file for file, _ in parts])


def _view(texts: list[tuple[str, Markup]], headings: list[Heading], files: Iterable[str]) -> View:
    """Data of a page: its texts with their files, its contents where it is long, and the files that it would have."""
    contents = [each for each in headings if each.level in (2, 3)]
    return {
        "texts": [{"file": file, "page": guide.PAGE_OF[file], "html": text} for file, text in texts],
        "contents": contents if sum(each.level == 2 for each in contents) >= LONG else [],
        "files": list(dict.fromkeys(files)), "title": Markup(""),
    }  # fmt: skip


def text_of(files: Iterable[Path], document: str) -> str:
    """Text of a document among files, which may be named by their whole paths; empty without it."""
    found = (file for file in files if f"/{file.as_posix()}".endswith(f"/{document}"))
    return next((file.read_text(encoding="utf-8") for file in found), "")


def _notebook(text: str, folder: str, code: str) -> tuple[Markup, list[Heading]]:
    """A notebook as HTML, and its headings: text and code of its cells, and what is kept below each."""
    pieces, headings, said = list[Markup](), list[Heading](), ""
    for cell in json.loads(text)["cells"] if text else ():
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            made, found = guide.read(source, folder, code)
            pieces.append(made)
            headings += found
            said = source.strip().rpartition("\n\n")[2]
            continue
        pieces.append(Markup('<pre tabindex="0">{}</pre>').format(guide.highlighted(source, "python")))
        pieces += [_kept(output, said) for output in cell["outputs"]]
    return Markup("\n").join(pieces), headings


def _kept(output: Mapping[str, Any], said: str) -> Markup:
    """What a cell printed or drew; a picture's alternative text is the text before its cell."""
    if output["output_type"] == "stream":
        return Markup('<pre class="output" tabindex="0">{}</pre>').format("".join(output["text"]).rstrip("\n"))
    words = notation.plain(wording.shortened(" ".join(said.replace("`", "").split())))
    picture = "".join(output["data"]["image/png"].split())
    return Markup('<figure class="kept"><img src="data:image/png;base64,{}" alt="{}"></figure>').format(
        picture, escape(words)
    )
