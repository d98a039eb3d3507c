"""Index of the report's search: all that has a place of its own on a page or in the documentation, with its address.

The browser makes words of the texts (`static/search.js`), so that Greek letters and their names are equal there, and
ranks them by a library (`static/minisearch.js`).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from markdown_it import MarkdownIt

from dpdescent.replication.configuration import values as conf
from dpdescent.replication.notation import plain
from dpdescent.replication.report import api, documents, finding_pages, glossary, guide, paper_pages, wording
from dpdescent.replication.report.citation import called
from dpdescent.replication.report.content import Content, View, extent, select
from dpdescent.replication.report.pages import DOCUMENTS, PAGES, by_hand
from dpdescent.replication.report.wording import slug

# Kind, paper or page that it is of, title, further text, and address, which begins with # on the paper's page; then
# words that are looked for and not shown, if any.
Entry = tuple[str, ...]

KINDS = (
    "page", "documentation", "name", "paper", "term", "finding", "claim", "figure", "table", "budget", "setting",
    "symbol",
)  # fmt: skip

# Words for who chose a setting, and heads of the columns of settings.
CHOOSERS = {"stated": "stated", "chosen": "chosen by us", "code": "from an author's code"}
ORIGINS = {
    "stated": "stated by the paper", "code": "from an author's code", "chosen": "chosen by us",
    "variant": "varied, to see whether it matters",
}  # fmt: skip
# Words for values of an overlay, where a build has them: the reader's own, or those of a scale of this project.
OVERLAID = {conf.YOURS: "yours", **{scale: f"of the scale {scale}" for scale in conf.SHIPPED}}

# Words by which readers look for pages and their parts, beside their names.
QUERIES = {
    "index.html": "overview, what holds, scorecard, verdicts",
    "index.html#compute": "runtime, how long it takes, CPU time, hours, minutes, memory",
    "figures.html": "all figures, pictures, contact sheet",
    "claims.html": "all claims, verdicts, criteria, another seed",
    "findings.html": "errors, mistakes, what is wrong in the papers, letters to the authors",
    "privacy.html": "audit, epsilon claimed and attained, broken privacy claims, attacks, ledger",
    "bounds.html": "theorems, bounds against measurements, vacuous",
    "statements.html": "coverage, what is not judged",
    "reliability.html": "speed, benchmark beside jax-privacy, opacus and numba, damaged files, fuzzing",
    "calculator.html": "how much noise do I need, noise multiplier for epsilon and delta, sample size, sensitivity, "
    "sigma, convert rho to epsilon and delta, zCDP to differential privacy, power analysis, statistical power, how "
    "many observations",
    "choose.html": "which method should I use, recommendation, advice, comparison of methods, best method",
    "regression.html": "how do I run a regression on my own data, CSV, standard errors, confidence intervals, "
    "statsmodels, report a private estimate in a paper, paragraph for a paper, logistic regression, "
    "wages by schooling, 0/1 outcome, p-values, what a budget buys",
    "install.html": "installation, requirements, download, clone, environment",
    "api.html": "API reference, functions, classes, arguments",
    "example-regression.html": "Jupyter, example of a private regression in Python",
    "example-instruments.html": "Jupyter, example with instrumental variables in Python, weak instruments",
    "made.html": "how to cite, BibTeX, citation, licence, versions, rule graph, pipeline, provenance",
    "made.html#own": "how do I run it at my epsilon, my own budget, a grid of my own, other sizes, more trials",
    "made.html#values": "guessed values, guesses, assumed values, assumptions, unstated, not stated, left open, our "
    "choices, chosen by us, defaults, hyperparameters, deviations",
}  # fmt: skip
# Questions for those who found nothing.
ASKED = ("figure 5", "clipping threshold", "error in p", "privacy budget", "which method")
PARTS = {
    "index.html#compute": "What it costs", "made.html#own": "At a budget, size or grid of your own",
    "made.html#values": "Which values are not the papers'",
}  # fmt: skip
# Words by which readers look for parts of the documentation that say it otherwise.
ALSO = {
    ("README.md", "how-to"): "reproduce one figure",
    ("docs/library.md", "three-lines"): "composition of several runs, total budget",
    ("docs/pipeline.md", "the-environment"): "installation, set-up, conda, mamba, virtual environment, Windows, macOS",
}
# Marks of Markdown, each with what stands for it in plain text; rows of tables are lists, and programs are left out.
MARKS = tuple(
    (re.compile(mark, re.MULTILINE), words)
    for mark, words in (
        (r"^```(?:python|text|mermaid)$(?:.|\n)*?^```$", ""),
        (r"!?\[([^]]*)\]\([^)]*\)", r"\1"), (r"^```\w*$|^\|[-|:]+\|$|^\| *|^> ?|\*\*|`", ""), (r"[ |]*\|$", ";"),
        (r" *\| *", ", "),
    )
)  # fmt: skip


def origins(papers: Iterable[View]) -> dict[str, str]:
    """The possible sources of the values of these papers, with their names."""
    sources = {row["source"] for paper in papers for row in paper["settings"]}
    return ORIGINS | {source: words for source, words in OVERLAID.items() if source in sources}


def script(results: Content, software: Mapping[str, Any]) -> str:
    """JavaScript with the index: a list of entries, which a page that is opened from disk may load.

    Args:
        results: a build's results.
        software: data on the software, with the `front` page of the project.
    """
    found = entries(results, software)
    rows = ",\n".join(json.dumps(entry, ensure_ascii=False, separators=(",", ":")) for entry in found)
    return f"window.dpdescentIndex = [\n{rows}\n];\n"


def documented(file: str, anchor: str, files: str) -> str:
    """Address of a part of a document: on its page, or of README.md, which has none, among the project's files."""
    return f"{f'{guide.PAGE_OF[file]}.html' if file in DOCUMENTS.values() else f'{files}/{file}'}#{anchor}"


def entries(results: Content, software: Mapping[str, Any]) -> Iterator[Entry]:
    """Yields the entries of the index, in the order in which equally good matches are shown."""
    for address, words in QUERIES.items():
        yield "page", "", PARTS.get(address) or PAGES[address.removesuffix(".html")], words, address
    files = (software.get("code") or software.get("checkout", "")).rstrip("/")
    texts = {file: documents.text_of(results.trials, file) for file in DOCUMENTS.values() if file.endswith(".md")}
    for name, page in ({"README.md": software["front"]} | texts).items():
        for title, anchor, text in sections(page):
            also = [ALSO[name, anchor]] if (name, anchor) in ALSO else []
            yield "documentation", name, title, text, documented(name, anchor, files), *also
    for name, means in api.sentences().items():
        yield "name", "dpdescent", name, means, f"{api.page_of(name)}.html#{name}"
    for paper in results.papers:
        key = paper["key"]
        yield "paper", key, paper["title"], f"{paper['authors']}, {paper['year']}", f"{key}.html", called(paper)
        for symbol, means in paper["symbols"].items():
            yield "symbol", key, f"{symbol}: {means}", "", f"{key}.html"
        for artefact in paper["artefacts"]:
            yield from _artefact(results, paper, artefact)
        yield from _settings(paper)
    for term in glossary.TERMS:
        forms = ", ".join(dict.fromkeys(map(plain, term.forms)))
        yield "term", "", term.name, term.means, f"{glossary.PAGE}#{term.anchor}", forms
    for finding in results.findings:
        title = finding["headline"] or f"The paper: {finding['statement']}"
        text = ", ".join(finding[name] for name in ("finding", "location", "statement", "kind"))
        yield "finding", finding["paper"], title, text, finding_pages.address(finding)
    for claim in results.claims:
        where = f"#claim-{slug(claim['paper'], claim['claim'])}"
        text = ", ".join(claim[name] for name in ("verdict", "location", "quantity"))
        yield "claim", claim["paper"], claim["statement"], text, where


def sections(page: str) -> Iterator[tuple[str, str, str]]:
    """Title, anchor and text of each part of a page of Markdown.

    Tables that are made of the results are left out: what they say is found by itself, and they are written later.
    """
    lines = by_hand(page).splitlines()
    tokens = MarkdownIt("commonmark").parse("\n".join(lines))
    places = [k for k, token in enumerate(tokens) if token.type == "heading_open"]
    heads = [tokens[k + 1].content for k in places]
    spans = [tokens[k].map or [0, 0] for k in places]
    ends = [*(begin for begin, _ in spans[1:]), len(lines)]
    # Of a page without headings, as of one that a checkout lacks, the end alone is left over.
    for head, (_, begin), end in zip(heads, spans, ends, strict=False):
        text = "\n".join(lines[begin:end])
        for mark, words in MARKS:
            text = mark.sub(words, text)
        title = head if head == heads[0] else f"{heads[0]}: {head}"
        yield title.replace("`", ""), guide.anchor(head), " ".join(text.split())


def _artefact(results: Content, paper: View, artefact: View) -> Iterator[Entry]:
    """A figure or table with its verdicts, and the budgets of its runs."""
    key, where = paper["key"], f"#{artefact['id']}"
    kind = "table" if artefact["table"] else "figure"
    found = paper_pages.result(select(results.claims, paper=key, artefact=artefact["id"]))
    held = [f"{found['held']} of {wording.counted(found['judged'], 'measured claim')} reproduced"] if found else []
    others = [f"{count} {verdict}" for verdict, count in found["others"]] if found else []
    text = ", ".join([*held, *others, artefact["id"], artefact["caption"].split(". ")[0]])
    yield kind, key, f"{artefact['place']}: {artefact['title']}", text, where
    if arms := select(results.privacy, paper=key, artefact=artefact["id"]):
        columns = (("epsilon", "eps_tight"), ("claimed", "eps_paper"), ("delta", "delta"), ("rho", "rho"))
        extents = [(name, extent(row[column] for row in arms)) for name, column in columns]
        numbers = ", ".join(f"{name} {wording.extent(ends)}" for name, ends in extents if ends)
        yield "budget", key, f"Privacy budget of {_place(artefact)}: {numbers}", artefact["title"], where


def _settings(paper: View) -> Iterator[Entry]:
    """A paper's settings: each with its values, who chose them, and all figures and tables for which they are these."""
    mine, whose = dict[tuple[str, str], list[dict[str, str]]](), CHOOSERS | OVERLAID
    places, alike = {artefact["id"]: _place(artefact) for artefact in paper["artefacts"]}, dict[Entry, list[str]]()
    for row in paper["settings"]:
        if row["artefact"] in places:
            mine.setdefault((row["artefact"], row["symbol"]), []).append(row)
    for (artefact, symbol), rows in mine.items():
        values = wording.values("; ".join(dict.fromkeys(row["value"] for row in rows)))
        chosen_by = ", ".join(dict.fromkeys(whose[row["source"]] for row in rows if row["source"] in whose))
        text = ", ".join(filter(None, (rows[0].get("meaning"), chosen_by)))
        alike.setdefault((symbol, values, text), []).append(artefact)
    for (symbol, values, text), artefacts in alike.items():
        where = "; ".join(dict.fromkeys(places[artefact] for artefact in artefacts))
        yield "setting", paper["key"], f"{symbol} of {where}: {values}", text, f"#{artefacts[0]}"


def _place(artefact: View) -> str:
    """The place of a figure or table, without the remark of one that the paper does not have."""
    return re.sub(r" \(designed here\b[^)]*\)", "", artefact["place"])
