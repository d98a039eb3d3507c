"""Markdown of the documentation as HTML, so that its words are written once.

It is CommonMark with tables. HTML in it is shown as text, comments are left out, and a picture is refused, because the
report has its own. Links lead to the page of a document where it has one.
"""

import posixpath
import re
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup
from pygments import lex, token
from pygments.lexers import get_lexer_by_name

from dpdescent.replication.report import references
from dpdescent.replication.report.pages import DOCUMENTS, STAND_IN

PAGE_OF = {file: page for page, file in DOCUMENTS.items()} | STAND_IN
# Pages of the committed report stand for those of this one.
REPORT = "results/paper/report/"
# Letters by which the style knows the kinds of words in code, from the first kind that a word is of.
KINDS = (
    (token.Comment, "c"), (token.Keyword, "k"), (token.Operator.Word, "k"), (token.Name.Tag, "k"),
    (token.String, "s"), (token.Number, "n"),
)  # fmt: skip


class Heading(NamedTuple):
    """A heading of a document: its level, the name of its anchor, and its words."""

    level: int
    anchor: str
    words: str


def html(text: str, folder: str = "", code: str = "") -> Markup:
    """Markdown as HTML; arguments as for `read`."""
    return read(text, folder, code)[0]


def read(text: str, folder: str = "", code: str = "", under: str = "") -> tuple[Markup, list[Heading]]:
    """Markdown as HTML, and its headings.

    Args:
        text: the Markdown.
        folder: the folder of the project from which its links lead.
        code: address of the project's files, for links to those that have no page here; without one they are named.
        under: words of the heading under which a part stands that is taken alone, as one of the second level.

    Raises:
        ValueError: with the address of a picture, if there is one, or if there is not one such heading.
    """
    reader = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Page).enable("table")
    env: EnvType = {"folder": folder, "code": code, "headings": [], "tables": 0, "named": ""}
    # Comments mark the parts that a command writes.
    tokens = reader.parse(re.sub(r"^<!--.*-->\n", "", text, flags=re.MULTILINE), env)
    if under:
        tokens = _part(tokens, under)
    return Markup(reader.renderer.render(tokens, reader.options, env)), env["headings"]


def anchor(words: str) -> str:
    """Name of a heading's anchor, as code hosts make it."""
    return re.sub(r"[^\w -]", "", words.lower()).replace(" ", "-")


def highlighted(lines: str, language: str) -> Markup:
    """Code with its words marked by kind; as it is where the language is none that has keywords."""
    if not language or language == "text":
        return Markup(escapeHtml(lines))
    # With an end of the last line, by which some languages know the end of a comment.
    found = lex(f"{lines}\n", get_lexer_by_name(language, stripnl=False, ensurenl=False))
    lettered = ((next((letter for whole, letter in KINDS if kind in whole), ""), words) for kind, words in found)
    pieces = []
    for letter, group in groupby(lettered, key=itemgetter(0)):
        words = escapeHtml("".join(words for _, words in group))
        pieces.append(f'<span class="{letter}">{words}</span>' if letter else words)
    return Markup(re.sub(r"\n(</span>)?$", r"\1", "".join(pieces)))


def _part(tokens: list[Token], under: str) -> list[Token]:
    """The tokens of the part under a heading, which becomes one of the second level."""
    heads = [place for place, each in enumerate(tokens) if each.type == "heading_open"]
    found = [place for place in heads if tokens[place + 1].content == under]
    if len(found) != 1:
        raise ValueError(f"heading {under!r} stands {len(found)} times in the text: a page takes over what is under it")
    level = int(tokens[found[0]].tag[1])
    end = next((place for place in heads if place > found[0] and int(tokens[place].tag[1]) <= level), len(tokens))
    part = tokens[found[0] : end]
    for each in part:
        if each.type in ("heading_open", "heading_close"):
            each.tag = f"h{int(each.tag[1]) - level + 2}"
    return part


class _Page(RendererHTML):
    """A renderer with the elements that the report writes otherwise than the library; methods are named after tokens.

    `env` has the folder and the address for links, the headings so far, and the number of tables so far, because frames
    that scroll need names.
    """

    def heading_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        words = self.renderInlineAsText(tokens[idx + 1].children, options, env)
        env["headings"].append(Heading(int(tokens[idx].tag[1]), anchor(words), words))
        tokens[idx].attrSet("id", anchor(words))
        return self.renderToken(tokens, idx, options, env)

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        lines, language = tokens[idx].content.removesuffix("\n"), tokens[idx].info.strip()
        if language == "mermaid":
            return str(references.graph(re.findall(r"(\w+) --> (\w+)", lines)))
        kind = ' class="output"' if language == "text" else ""
        return f'<pre{kind} tabindex="0">{highlighted(lines, language)}</pre>\n'

    code_block = fence

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        env["tables"] += 1
        last = env["headings"][-1].words if env["headings"] else ""
        name = escapeHtml(f"Table {env['tables']}: {last}")
        return f'<div class="scroll" role="region" aria-label="{name}" tabindex="0">\n<table>\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return "</table>\n</div>\n"

    def th_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        tokens[idx].attrSet("scope", "col")
        return self.renderToken(tokens, idx, options, env)

    def td_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        if tokens[idx - 1].type == "tr_open":
            # A row is named by its first cell, whose end stands behind its text.
            tokens[idx].tag = tokens[idx + 2].tag = "th"
            tokens[idx].attrSet("scope", "row")
        return self.renderToken(tokens, idx, options, env)

    def link_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        target, env["named"] = str(tokens[idx].attrGet("href")), ""
        if not target.startswith("#") and not urlsplit(target).scheme:
            path, mark, place = target.partition("#")
            path = posixpath.normpath(posixpath.join(env["folder"], path))
            if not (address := _address(path, env["code"])):
                env["named"] = path
                return ""
            tokens[idx].attrSet("href", f"{address}{mark}{place}")
        return self.renderToken(tokens, idx, options, env)

    def link_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f" (<code>{escapeHtml(env['named'])}</code>)" if env["named"] else "</a>"

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        raise ValueError(f"picture {tokens[idx].attrGet('src')!r}: the report takes over none, link to it")


def _address(path: str, code: str) -> str:
    """Address of a file of the project: its page, its place beside the report, or at the address of all files."""
    if path in PAGE_OF:
        return f"{PAGE_OF[path]}.html"
    if path.startswith(REPORT):
        return path.removeprefix(REPORT)
    if path.startswith("results/"):
        return f"../../{path.removeprefix('results/')}"
    return code and f"{code.rstrip('/')}/{path}"
