"""Index of the report's search: claims, findings, figures, budgets, settings and symbols, each with its address.

The browser makes words of the texts (`static/search.js`), so that Greek letters and their names are equal there.
"""

import json
from collections.abc import Iterable, Iterator

from dpdescent.replication.configuration import values as conf
from dpdescent.replication.notation import plain
from dpdescent.replication.report import finding_pages, glossary, wording
from dpdescent.replication.report.content import Content, View, extent, select
from dpdescent.replication.report.pages import PAGES
from dpdescent.replication.report.wording import slug

# Kind, paper, title, further text, address; an address that begins with # or is empty is on the paper's page.
Entry = tuple[str, str, str, str, str]

KINDS = ("page", "paper", "term", "finding", "claim", "figure", "table", "budget", "setting", "symbol")

# Words for who chose a setting, and heads of the columns of settings.
CHOOSERS = {"stated": "stated", "chosen": "not stated, chosen by us", "code": "from an author's code"}
ORIGINS = {
    "stated": "stated by the paper", "code": "from an author's code", "chosen": "chosen by us",
    "variant": "varied, to see whether it matters",
}  # fmt: skip
# Words for values of an overlay, where a build has them: the reader's own, or those of a scale of this project.
OVERLAID = {conf.YOURS: "yours", **{scale: f"of the scale {scale}" for scale in conf.SHIPPED}}

# Words by which readers look for pages, beside their names.
QUERIES = {
    "index": "overview, what holds, scorecard, verdicts, what it costs, time",
    "figures": "all figures, pictures, contact sheet", "claims": "all claims, verdicts, criteria, another seed",
    "findings": "errors, mistakes, what is wrong in the papers, letters to the authors",
    "privacy": "audit, epsilon claimed and attained, broken privacy claims, attacks, ledger",
    "bounds": "theorems, bounds against measurements, vacuous", "statements": "coverage, what is not judged",
    "reliability": "speed, benchmark, damaged files, fuzzing",
    "calculator": "how much noise do I need, noise for epsilon and delta, sample size, sensitivity, sigma",
    "made": "how to cite, how do I run it at my epsilon, my own budget, a grid of my own, BibTeX, citation, licence, "
    "versions, rule graph, pipeline, provenance",
    "choose": "which method should I use, recommendation, advice, comparison of methods, best method",
    "regression": "how do I run a regression on my own data, CSV, standard errors, confidence intervals, statsmodels, "
    "paragraph for a paper, wages by schooling, 0/1 outcome, what a budget buys",
}  # fmt: skip

# Parts of pages for which readers look by themselves: address, name, further words.
PARTS = (
    (
        "made.html#values", "Which values are not the papers'",
        "guessed values, guesses, assumed values, assumptions, unstated, not stated, left open, our choices, "
        "chosen by us, defaults, hyperparameters, deviations",
    ),
)  # fmt: skip


def origins(papers: Iterable[View]) -> dict[str, str]:
    """The possible sources of the values of these papers, with their names."""
    sources = {row["source"] for paper in papers for row in paper["settings"]}
    return ORIGINS | {source: words for source, words in OVERLAID.items() if source in sources}


def script(results: Content) -> str:
    """JavaScript with the index: a list of entries, which a page that is opened from disk may load."""
    rows = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in entries(results))
    return f"window.dpdescentIndex = [\n{rows}\n];\n"


def entries(results: Content) -> Iterator[Entry]:
    """Yields the entries of the index, in the order in which equally good matches are shown."""
    for page, words in QUERIES.items():
        yield "page", "", PAGES[page], words, f"{page}.html"
    for address, name, words in PARTS:
        yield "page", "", name, words, address
    for paper in results.papers:
        yield (
            "paper",
            paper["key"],
            paper["title"],
            f"{paper['key']}, {paper['authors']}, {paper['year']}",
            f"{paper['key']}.html",
        )
        for name, means in paper["symbols"].items():
            yield "symbol", paper["key"], f"{name}: {means}", "", f"{paper['key']}.html"
        for artefact in paper["artefacts"]:
            yield from _artefact(results, paper, artefact)
    for term in glossary.TERMS:
        forms = ", ".join(dict.fromkeys(map(plain, term.forms)))
        yield "term", "", f"{term.name}: {term.means}", forms, f"{glossary.PAGE}#{term.anchor}"
    for finding in results.findings:
        where = finding_pages.address(finding)
        title = finding["headline"] or f"The paper: {finding['statement']}"
        text = ", ".join(finding[name] for name in ("finding", "location", "statement", "kind"))
        yield "finding", finding["paper"], title, text, where
    for claim in results.claims:
        where = f"#claim-{slug(claim['paper'], claim['claim'])}"
        text = ", ".join(claim[name] for name in ("verdict", "location", "quantity"))
        yield "claim", claim["paper"], claim["statement"], text, where


def _artefact(results: Content, paper: View, artefact: View) -> Iterator[Entry]:
    """A figure or table, the budgets of its runs, and its settings."""
    key, where = paper["key"], f"#{artefact['id']}"
    kind = "table" if artefact["table"] else "figure"
    caption = artefact["caption"].split(". ")[0]
    yield kind, key, f"{artefact['place']}: {artefact['title']}", f"{artefact['id']}, {caption}", where
    if arms := select(results.privacy, paper=key, artefact=artefact["id"]):
        columns = (("epsilon", "eps_tight"), ("claimed", "eps_paper"), ("delta", "delta"), ("rho", "rho"))
        extents = [(name, extent(row[column] for row in arms)) for name, column in columns]
        numbers = ", ".join(f"{name} {wording.extent(ends)}" for name, ends in extents if ends)
        yield "budget", key, f"Privacy budget of {artefact['place']}: {numbers}", artefact["title"], where
    mine, whose = dict[str, list[dict[str, str]]](), CHOOSERS | OVERLAID
    for row in paper["settings"]:
        if row["artefact"] == artefact["id"]:
            mine.setdefault(row["symbol"], []).append(row)
    for symbol, rows in mine.items():
        values = wording.values("; ".join(dict.fromkeys(row["value"] for row in rows)))
        chosen_by = ", ".join(dict.fromkeys(whose[row["source"]] for row in rows if row["source"] in whose))
        text = ", ".join(filter(None, (rows[0].get("meaning"), chosen_by)))
        yield "setting", key, f"{symbol} of {artefact['place']}: {values}", text, where
