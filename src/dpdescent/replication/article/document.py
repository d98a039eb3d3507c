"""The article: its text with the values of the committed tables, and the PDF that typst makes of it.

The text is `article.typ.j2`, one sentence a line, so that a value that no table gives is told with its sentence.
"""

import importlib
import json
import tomllib
from collections import Counter
from functools import partial
from pathlib import Path
from traceback import extract_tb
from typing import Any

import jinja2

from dpdescent.replication.article import lookups, rows, typeset
from dpdescent.replication.build.provenance import RECORD
from dpdescent.replication.configuration import project
from dpdescent.replication.report import about, content, references, summary, wording

HERE = Path(__file__).parent
# Imported by name, because nothing but the PDF needs it and most installations lack it.
TYPST = "typst"
TEMPLATE, STYLE = "article.typ.j2", "style.typ"
# Lookups by which the text gets its numbers.
LOOKUPS = (
    "rows", "count", "absent", "total", "largest", "text", "value", "claim", "judged", "repeated", "alone", "exact",
    "noted", "cells", "only", "picture",
)  # fmt: skip
# Entries of works that no paper of the configuration is, by hand; JOSS reads the same file.
WORKS = "paper.bib"


class Unfilled(Exception):
    """A sentence of the article with a value that no table gives; its text is one line."""


def source(root: Path, results: Path) -> str:
    """The article in typst's markup.

    Args:
        root: a checkout.
        results: its finished results, of all papers.

    Raises:
        Unfilled: with the sentence and the value, if a table does not give what a sentence asks for.
    """
    found = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE), undefined=jinja2.StrictUndefined, finalize=typeset.shown,
        keep_trailing_newline=True, trim_blocks=True, lstrip_blocks=True, autoescape=False,
    )  # fmt: skip
    found.filters |= {
        "digits": typeset.number, "percent": typeset.percent, "spelt": typeset.spelt, "capital": typeset.capital,
        "quoted": typeset.quoted, "markup": typeset.Markup,
    }  # fmt: skip
    style = (HERE / STYLE).read_text(encoding="utf-8")
    try:
        return style + found.get_template(TEMPLATE).render(facts(root, results))
    except (lookups.Missing, jinja2.UndefinedError, TypeError) as error:
        lines = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename.endswith(TEMPLATE)]
        if not lines and not isinstance(error, lookups.Missing):
            raise
        raise Unfilled(f"{_place(lines[-1] or 0)}: {error}" if lines else str(error)) from error


def _place(line: int) -> str:
    """A line of the template, in words: its number and its sentence."""
    text = (HERE / TEMPLATE).read_text(encoding="utf-8").splitlines()
    return f"{TEMPLATE}, line {line}, `{text[line - 1].strip()}`"


def facts(root: Path, results: Path) -> dict[str, Any]:
    """What the text may name: lookups in the tables, the papers, the verdicts' names, and tables of other pages."""
    tables = lookups.Tables(root, results)
    record = json.loads((results / RECORD).read_text(encoding="utf-8"))
    whole = project.load({"scale": record["scale"], "seed": record["seed"], "papers": "all"}, root)
    papers = [about.about(whole, key, root) for key in whole.papers]
    theirs = [paper for paper in papers if paper.get("arxiv")]
    software = about.software(root)
    keys = [paper["key"] for paper in papers]
    claims, audit = tables.rows("claims.csv"), tables.rows("audit.csv")
    findings = content.in_order(tables.rows("findings.csv"))
    reasons, of_reasons = rows.of_reasons(claims, [paper["key"] for paper in theirs])
    return {
        **{name: getattr(tables, name) for name in LOOKUPS},
        "some": lookups.SOME, "table": typeset.table, "code": rows.code, "record": record, "software": software,
        "name": tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["name"],
        "theirs": theirs, "origins": sum(map(rows.origins, theirs), Counter()),
        "with_figures": [rows.code(paper["key"]) for paper in theirs if rows.origins(paper)["own"]],
        "given": sum((rows.sources(tables, paper["key"]) for paper in theirs), Counter()),
        "verdicts": wording.VERDICTS, "reasons": reasons,
        "audited": summary.AUDITED, "findings": findings, "of_papers": rows.of_papers(tables, theirs),
        "of_verdicts": rows.of_verdicts(claims, keys), "of_reasons": of_reasons,
        "never_at_risk": len(summary.never_at_risk(claims)),
        "of_claims": rows.of_claims, "of_failed": partial(rows.of_failed, tables),
        "of_examples": partial(rows.of_examples, tables),
        "of_audits": rows.of_audits(audit, keys), "of_refuted": rows.of_refuted(tables, content.refuted(audit)),
        "refuted": rows.statements_refuted(content.refuted(audit)), "holding": lookups.Holding, "partial": partial,
        "of_findings": rows.of_findings, **_ours(results),
        "bibliography": bibliography(root, papers, software),
    }  # fmt: skip


def _ours(results: Path) -> dict[str, Any]:
    """Tables that the pages of the documentation quote too, by name, and numbers of them."""
    pages = importlib.import_module("dpdescent.papers.ours.pages")
    text = {name: str(getattr(pages, name)(results)) for name in ("advice", "calibrated", "regression")}
    noise = [line.noise for line in pages.calibrated_lines(results)]
    return {
        "of_page": lambda name: rows.of_markdown(text[name]),
        "of_laws": text["regression"].partition("\n")[0],
        "noise": (min(noise), max(noise)),
    }


def bibliography(root: Path, papers: list[dict[str, Any]], software: dict[str, Any]) -> str:
    """BibTeX of the software and the papers by code, and of other works as they stand in `paper.bib`."""
    mine = references.entries(software, papers)
    keys = {_key(entry) for entry in mine}
    others = (root / WORKS).read_text(encoding="utf-8").strip().split("\n\n")
    return "\n\n".join([*mine, *(entry for entry in others if _key(entry) not in keys)]) + "\n"


def _key(entry: str) -> str:
    """The key by which an entry is cited."""
    return entry.partition("{")[2].partition(",")[0]


def pdf(text: str, root: Path) -> bytes:
    """The PDF of an article; it has no date, and fonts of typst's own package only, so that equal text has equal bytes.

    Raises:
        ModuleNotFoundError: if typst is not installed.
        Unfilled: if typst cannot read the text.
    """
    typst = importlib.import_module(TYPST)
    try:
        made: bytes = typst.compile(text.encode(), root=root, ignore_system_fonts=True, format="pdf")
    except typst.TypstError as error:
        raise Unfilled(f"typst: {error.message}") from error
    return made


def pages(text: str, root: Path) -> int:
    """The number of pages of an article."""
    typst = importlib.import_module(TYPST)

    return int(
        json.loads(typst.query(text.encode(), "<pages>", field="value", one=True, root=root, ignore_system_fonts=True))
    )
