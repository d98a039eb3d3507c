"""A page of the documentation as a page of the report: its Markdown as HTML, so that its words are written once.

Of Markdown it knows what such pages use: headings, paragraphs, lists with what is indented in them, tables,
quotations, blocks of code, and in a line code, bold and links. Lines that begin with another mark are refused, because
a reader would see it as it is.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from markupsafe import Markup, escape

from dpdescent.replication.report.content import View
from dpdescent.replication.report.pages import GUIDE

_FENCE, _HEADING, _ITEM = re.compile(r"```(\w*)$"), re.compile(r"(#{1,6}) (.+)$"), re.compile(r"- (?=\S)")
_UNKNOWN = re.compile(r"!\[|\d+\. |[*+] |<[a-z!/]|~~~|---|===|\[[^\]]+\]: ", re.IGNORECASE)
_INLINE = re.compile(r"`(?P<code>[^`]+)`|\*\*(?P<bold>[^*]+)\*\*|\[(?P<words>[^\]]+)\]\((?P<target>[^)\s]+)\)")


def view(files: Iterable[Path], code: str) -> View:
    """Data of the page: its text, and None in a checkout without it.

    Args:
        files: what the report shows beside results; the documentation's page is one of them by its name.
        code: address of the project's files, to which links lead; without one they are named.
    """
    found = [file for file in files if file.name == posixpath.basename(GUIDE)]
    return {"guide": html(found[0].read_text(encoding="utf-8"), posixpath.dirname(GUIDE), code) if found else None}


def html(text: str, folder: str = "", code: str = "") -> Markup:
    """Markdown as HTML.

    Args:
        text: the Markdown.
        folder: where its links begin, in the project.
        code: address of the project's files.

    Raises:
        ValueError: with the line, if it begins with a mark that is not known here.
    """
    return _Page(folder, code).blocks(text.splitlines())


class _Page:
    """What links of a page need to know, and a number for each table, because frames that scroll have names."""

    def __init__(self, folder: str, code: str) -> None:
        self.folder, self.code, self.heading, self.tables = folder, code, "", 0

    def blocks(self, lines: list[str]) -> Markup:
        """HTML of lines that stand at one indentation."""
        return Markup("").join(self._block(block) for block in _divided(lines))

    def _block(self, block: list[str]) -> Markup:
        first = block[0]
        if _FENCE.match(first):
            return Markup('<pre tabindex="0">{}</pre>\n').format("\n".join(block[1:-1]))
        if found := _HEADING.match(first):
            level, self.heading = len(found[1]), found[2]
            name = re.sub(r"[^\w -]", "", found[2].lower()).replace(" ", "-")
            return Markup('<h{0} id="{1}">{2}</h{0}>\n').format(level, name, self.inline(found[2]))
        if _ITEM.match(first):
            return Markup("<ul>\n{}</ul>\n").format(Markup("").join(map(self._item, _items(block))))
        if first.startswith(">"):
            return Markup("<blockquote>{}</blockquote>\n").format(self.blocks([line[1:].lstrip() for line in block]))
        if first.startswith("|"):
            return self._table([_cells(line) for line in block])
        if _UNKNOWN.match(first):
            raise ValueError(f"{first!r} begins with a mark that the report does not know: write it otherwise")
        return Markup("<p>{}</p>\n").format(self.inline("\n".join(block)))

    def _item(self, lines: list[str]) -> Markup:
        return Markup("<li>{}</li>\n").format(self.blocks(lines))

    def _table(self, rows: list[list[str]]) -> Markup:
        self.tables += 1
        head = Markup("").join(Markup('<th scope="col">{}</th>').format(self.inline(cell)) for cell in rows[0])
        body = Markup("").join(
            Markup('<tr><th scope="row">{}</th>{}</tr>\n').format(
                self.inline(name), Markup("").join(Markup("<td>{}</td>").format(self.inline(cell)) for cell in cells)
            )
            for name, *cells in rows[2:]
        )
        frame = '<div class="scroll" role="region" aria-label="Table {}: {}" tabindex="0">\n<table>\n<thead><tr>{}</tr>'
        end = "</thead>\n<tbody>\n{}</tbody>\n</table>\n</div>\n"
        return Markup(frame + end).format(self.tables, self.heading, head, body)

    def inline(self, text: str) -> Markup:
        """HTML of code, bold and links in a text."""
        pieces, last = list[Markup](), 0
        for found in _INLINE.finditer(text):
            pieces += [escape(text[last : found.start()]), self._marked(found)]
            last = found.end()
        return Markup("").join([*pieces, escape(text[last:])])

    def _marked(self, found: re.Match[str]) -> Markup:
        if found["code"]:
            return Markup("<code>{}</code>").format(found["code"])
        if found["bold"]:
            return Markup("<strong>{}</strong>").format(self.inline(found["bold"]))
        words, target = self.inline(found["words"]), found["target"]
        if target.startswith("#") or "://" in target:
            return Markup('<a href="{}">{}</a>').format(target, words)
        path, mark, anchor = target.partition("#")
        path = posixpath.normpath(posixpath.join(self.folder, path))
        if self.code:
            return Markup('<a href="{}/{}">{}</a>').format(self.code.rstrip("/"), path + mark + anchor, words)
        return Markup("{} (<code>{}</code>)").format(words, path)


def _divided(lines: list[str]) -> Iterator[list[str]]:
    """Blocks of a text: what stands between empty lines, a block of code or a list whole, a heading alone."""
    place = 0
    while place < len(lines):
        first, start = lines[place], place
        place += 1
        if not first.strip():
            continue
        if _FENCE.match(first):
            place = lines.index("```", place) + 1
        elif _ITEM.match(first):
            # A list goes on past an empty line where what follows is indented or an item.
            while place < len(lines) and (lines[place].strip() or _goes_on(lines[place:])):
                place += 1
        elif not _HEADING.match(first):
            kind = first[0] if first[0] in "|>" else ""
            while place < len(lines) and lines[place].strip() and not _ends(lines[place], kind):
                place += 1
        yield lines[start:place]


def _goes_on(rest: list[str]) -> bool:
    after = next((line for line in rest if line.strip()), "")
    return after.startswith("  ") or bool(_ITEM.match(after))


def _ends(line: str, kind: str) -> bool:
    """Whether a line begins another block than the one that it stands below."""
    return any(mark.match(line) for mark in (_FENCE, _HEADING, _ITEM)) or (line[0] if line[0] in "|>" else "") != kind


def _items(lines: list[str]) -> Iterator[list[str]]:
    starts = [place for place, line in enumerate(lines) if _ITEM.match(line)]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield [line[2:] for line in lines[start:end]]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
