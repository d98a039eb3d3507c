"""A page of the documentation as a page of the report: its Markdown as HTML, so that its words are written once.

It is CommonMark with tables. HTML in it is shown as text, and a picture is refused, because the report has its own.
"""

import posixpath
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from dpdescent.replication.report.content import View
from dpdescent.replication.report.pages import GUIDE


def view(files: Iterable[Path], code: str) -> View:
    """Data of the page: its text, and None in a checkout without it.

    Args:
        files: files that the report shows beside results; the page of the documentation has a fixed name among them.
        code: address of the project's files, to which links lead; without one the files are named.
    """
    pages = [file for file in files if file.name == posixpath.basename(GUIDE)]
    return {"guide": html(pages[0].read_text(encoding="utf-8"), posixpath.dirname(GUIDE), code) if pages else None}


def html(text: str, folder: str = "", code: str = "") -> Markup:
    """Markdown as HTML.

    Args:
        text: the Markdown.
        folder: the folder of the project from which its links lead.
        code: address of the project's files.

    Raises:
        ValueError: with the address of a picture, if there is one.
    """
    reader = MarkdownIt("commonmark", {"html": False}, renderer_cls=_Page).enable("table")
    return Markup(reader.render(text, {"folder": folder, "code": code, "heading": "", "tables": 0, "named": ""}))


def anchor(heading: str) -> str:
    """Anchor of a heading, as usual readers of Markdown make it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


class _Page(RendererHTML):
    """A renderer with the elements that the report writes otherwise than the library; methods are named after tokens.

    `env` has the folder and the address for links, the last heading, and the number of tables so far, because frames
    that scroll need names.
    """

    def heading_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        env["heading"] = self.renderInlineAsText(tokens[idx + 1].children, options, env)
        tokens[idx].attrSet("id", anchor(env["heading"]))
        return self.renderToken(tokens, idx, options, env)

    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        lines = escapeHtml(tokens[idx].content).removesuffix("\n")
        return f'<pre tabindex="0">{lines}</pre>\n'

    code_block = fence

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        env["tables"] += 1
        name = escapeHtml(f"Table {env['tables']}: {env['heading']}")
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
            path, mark, anchor = target.partition("#")
            path = posixpath.normpath(posixpath.join(env["folder"], path))
            if not env["code"]:
                env["named"] = path
                return ""
            tokens[idx].attrSet("href", f"{env['code'].rstrip('/')}/{path}{mark}{anchor}")
        return self.renderToken(tokens, idx, options, env)

    def link_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return f" (<code>{escapeHtml(env['named'])}</code>)" if env["named"] else "</a>"

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        raise ValueError(f"picture {tokens[idx].attrGet('src')!r}: the report takes over none, link to it")
