"""Writes the report as a static site: pages from result files by templates, equal for equal results.

Times and memory differ between rebuilds. They are in `compute.js`, made by `compute_script`; pages load it as a script,
because a page that is opened from disk may not fetch data.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from dpdescent.replication import notation
from dpdescent.replication.build.files import read_rows
from dpdescent.replication.build.provenance import ON_REQUEST
from dpdescent.replication.configuration.values import YOURS
from dpdescent.replication.report import (
    api,
    calculator,
    citation,
    content,
    curves,
    documents,
    finding_pages,
    front,
    glossary,
    guide,
    letters,
    numbers,
    paper_pages,
    plots,
    references,
    reliability,
    search,
    statements,
    summary,
    wording,
)
from dpdescent.replication.report.content import Content, Row, View, select
from dpdescent.replication.report.pages import CURVES, INDEX, MENUS, PAGES, STATIC

HERE = Path(__file__).parent
# Whose design a figure or table is.
DESIGNS = ("of the paper", "ours")
# The name of a page with its data.
Page = tuple[str, View]


def pages(results: Content, software: Mapping[str, Any], label: str = "") -> dict[str, str]:
    """Returns all pages as HTML text, by the name of their file.

    Args:
        results: a build's results.
        software: data on the software (see `replication.report.about`); `code`, if given, is the address of its files.
        label: label of a scale that is not the papers' own.
    """
    names = {paper["key"]: citation.called(paper) for paper in results.papers}
    environment = _environment(software.get("code", ""), names, results.on_request.get("claims", []))
    common = {
        "papers": results.papers, "label": label, "names": PAGES, "menus": MENUS, "has_audit": bool(results.audit),
        "yours": any(claim["source"] == YOURS for claim in results.claims),
    }  # fmt: skip
    views: dict[str, View] = {
        "index": _overview(results, software), "figures": _figures(results), "claims": _claims(results),
        "findings": _findings(results), "privacy": _privacy(results), "bounds": _bounds(results),
        "statements": _statements(results), "reliability": reliability.view(results.trials),
        "calculator": calculator.view(results.trials), "choose": _choose(results),
        "on-request": _on_request(results), "search": {"kinds": search.KINDS, "asked": search.ASKED},
        "glossary": {"chapters": glossary.CHAPTERS},
        "made": {
            "software": software, "entries": references.entries(software, results.papers), "overlay": wording.OVERLAY,
            "origins": search.origins(results.papers),
        },
    }  # fmt: skip
    texts = {
        f"{page}.html": environment.get_template(f"{page}.html.j2").render(**common, **view, page=page)
        for page, view in views.items()
    }
    for name, views_of in _documentation(results, software, label):
        template = environment.get_template(name)
        texts |= {f"{page}.html": template.render(**common, **view, page=page) for page, view in views_of}
    template, points = environment.get_template("paper.html.j2"), dict[str, str]()
    for paper in results.papers:
        view = paper_pages.view(results, paper)
        texts[f"{paper['key']}.html"] = template.render(**common, **view, page=paper["key"])
        points[CURVES.format(paper=paper["key"])] = curves.script(paper_pages.lines(view["sections"]))
    template = environment.get_template(finding_pages.TEMPLATE)
    for name, view in finding_pages.views(results).items():
        texts[name] = template.render(**common, **view, page="findings")
    texts = {name: text if name == glossary.PAGE else glossary.linked(text) for name, text in texts.items()}
    texts |= points | {INDEX: search.script(results, software)}
    return texts | {name: static(name) for name in STATIC}


def static(name: str) -> str:
    """Text of a style or script that is the same in every report."""
    return (HERE / "static" / name).read_text(encoding="utf-8")


def template(name: str) -> jinja2.Template:
    """A template by itself, without an address of the code."""
    return _environment("", {}).get_template(name)


def compute_script(rows: Sequence[Row]) -> str:
    """JavaScript with CPU seconds and peak memory by artefact, by paper and in total, from rows of `compute.csv`."""
    items: dict[str, dict[str, float]] = {}
    for row in rows:
        paper = row["item"].split("/")[0]
        for name in dict.fromkeys((row["item"], paper, "all stages")):
            entry = items.setdefault(name, {"cpu_s": 0.0, "peak_mb": 0.0})
            entry["cpu_s"] = round(entry["cpu_s"] + float(row["cpu_s"]), 2)
            entry["peak_mb"] = max(entry["peak_mb"], float(row["peak_mb"]))
    return f"window.dpdescentCompute = {json.dumps(items, indent=1, sort_keys=True)};\n"


def _environment(code: str, names: Mapping[str, str], requested: Sequence[Row] = ()) -> jinja2.Environment:
    """Templates with the functions that they call; `names` are the papers' by key, `requested` claims on request."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE / "templates"), autoescape=True, undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    for name in ("number", "extent", "estimate", "values", "sentence", "ended", "trials"):
        environment.filters[name] = getattr(wording, name)
    environment.filters["plain"] = notation.plain
    environment.filters["math"] = lambda text: Markup(notation.html(str(text)))
    for name in ("slug", "alternative", "counted", "symbol"):
        environment.globals[name] = getattr(wording, name)
    # A word that is no paper's key, such as another choice of a filter, is its own name.
    environment.globals["called"] = environment.filters["called"] = lambda key: names.get(key, key)
    environment.globals["asked"] = partial(content.judged_on_request, requested)
    environment.globals["graph"] = references.graph
    environment.globals["strip"] = plots.strip
    environment.globals["told"] = letters.due
    environment.globals["address"] = finding_pages.address
    environment.globals["code_file"] = partial(wording.code_file, code)
    environment.globals["file_at"] = wording.code_file
    environment.globals["highlighted"] = guide.highlighted
    return environment


def _documentation(results: Content, software: Mapping[str, Any], label: str) -> Iterator[tuple[str, Iterable[Page]]]:
    """Yields the templates of the documentation, each with its pages."""
    # Documents speak of the papers' own scale, and quote no other.
    blocks = {} if label else content.quotes(results.folder, results.papers)
    yield documents.TEMPLATE, documents.views(results.trials, software, blocks)
    published = [paper["key"] for paper in results.papers if "arxiv" in paper]
    yield api.TEMPLATE, api.views(published, software.get("code") or software.get("checkout", ""))


def _overview(results: Content, software: Mapping[str, Any]) -> View:
    keys = [paper["key"] for paper in results.papers]
    counts = {key: summary.verdict_counts(results.claims, key) for key in keys}
    return {
        "software": software, "verdicts": wording.VERDICTS, "held": summary.held, "counts": counts,
        "total": sum((by_source["paper"] for by_source in counts.values()), Counter()),
        "reasons": {key: summary.reason_counts(results.claims, key) for key in keys},
        "other_sources": summary.other_sources(results.claims),
        "requested": {key: summary.on_request(results.on_request, key) for key in keys},
        "never_at_risk": len(summary.never_at_risk(results.claims)),
        "artefact_count": len(results.artefacts()), "arm_count": len(results.privacy),
        "worst": [finding for finding in results.findings if finding["headline"]],
        "finding_count": len(results.findings),
    }  # fmt: skip


def _figures(results: Content) -> View:
    """Figures and tables by paper, each with its claims by verdict: the papers' own, or ours where there are none."""
    cards = [(paper, [_card(results, paper, each) for each in paper["artefacts"]]) for paper in results.papers]
    return {"sheet": cards, "verdicts": wording.VERDICTS, "designs": DESIGNS}


def _card(results: Content, paper: View, artefact: View) -> View:
    source, claims = paper_pages.verdicts(select(results.claims, paper=paper["key"], artefact=artefact["id"]))
    theirs = "arxiv" in paper and front.OWN_PLACE.match(artefact["place"])
    return {"artefact": artefact, "source": source, "claims": claims, "design": DESIGNS[0 if theirs else 1]}


def _claims(results: Content) -> View:
    sources = ["paper", *summary.other_sources(results.claims)]
    columns = {"kinds": content.CLAIM_KINDS, "sources": sources, "reasons": summary.REASONS}
    checked = {"checked": results.seed_check, "changed": [row for row in results.seed_check if row["changes"]]}
    return {"claims": results.claims, "verdicts": wording.VERDICTS, **columns, **checked}


def _findings(results: Content) -> View:
    return {
        "findings": [(finding, content.artefact_of(results, finding)) for finding in results.findings],
        "severities": content.SEVERITIES, "kinds": content.FINDING_KINDS, "statuses": content.STATUSES,
    }  # fmt: skip


def _privacy(results: Content) -> View:
    failed = [claim for claim in results.claims if claim["kind"] == "privacy" and claim["verdict"] == "not reproduced"]
    keys, refuted = [paper["key"] for paper in results.papers], _refuted(results)
    attacked = [finding for finding, _ in refuted]
    grave = [finding for finding in select(results.findings, kind="privacy", status="confirmed") if finding["headline"]]
    return {
        "audit": results.audit, "refuted": refuted,
        "computed": [finding for finding in grave if finding not in attacked],
        "failed": failed, "verdicts": summary.AUDITED,
        "cells": {key: summary.audit_cells(results.audit, key) for key in keys},
    }  # fmt: skip


def _refuted(results: Content) -> list[tuple[Row, list[tuple[Row, str]]]]:
    """Findings that audits demonstrate, by rank, each with its audits and their numbers in words."""
    audits = [(row, summary.violation(row)) for row in content.refuted(results.audit)]
    pairs = [
        (finding, [pair for pair in audits if (pair[0]["paper"], pair[0]["finding"]) == _name(finding)])
        for finding in results.findings
    ]
    return [(finding, of_finding) for finding, of_finding in pairs if of_finding]


def _name(finding: Row) -> tuple[str, str]:
    return finding["paper"], finding["finding"]


def _bounds(results: Content) -> View:
    groups = content.bound_groups(results.bounds)
    return {
        "groups": groups, "states": content.STATES,
        "counts": Counter((group["paper"], group["state"]) for group in groups),
    }  # fmt: skip


def _statements(results: Content) -> View:
    rows = {paper["key"]: select(results.statements, paper=paper["key"]) for paper in results.papers}
    return {
        "statements": results.statements, "states": statements.STATES, "kinds": statements.KINDS,
        "weights": statements.WEIGHTS, "coverage": {key: _coverage(mine) for key, mine in rows.items() if mine},
    }  # fmt: skip


def _choose(results: Content) -> View:
    named = results.choice["claims"] if results.choice else ()
    return {
        "choice": results.choice,
        "judged": [claim for name in named for claim in select(results.claims, claim=name)],
    }


def _on_request(results: Content) -> View:
    """Every artefact on request, with its claims, numbers and ledger where it was made."""
    sections = []
    for paper, artefact in [(owner, item) for owner in results.papers for item in owner["on_request"]]:
        file = results.folder / ON_REQUEST / paper["key"] / f"{artefact['id']}.csv"
        where = {"paper": paper["key"], "artefact": artefact["id"]}
        is_made = bool(results.on_request) and file.is_file()
        kinds = {kind: select(results.on_request[kind] if is_made else [], **where) for kind in ("claims", "privacy")}
        sections.append({
            "paper": paper, "artefact": artefact, "made": is_made, "claims": kinds["claims"],
            "result": paper_pages.result(kinds["claims"]), "arms": content.alike_arms(kinds["privacy"]),
            "numbers": numbers.behind(read_rows(file), artefact["keys"]) if is_made else [],
        })  # fmt: skip
    return {"sections": sections, "audit": results.on_request.get("audit", []), "requested": bool(results.on_request)}


def _coverage(rows: list[Row]) -> View:
    by_weight = {weight: statements.coverage(select(rows, weight=weight)) for weight in statements.WEIGHTS}
    return {"count": len(rows), "all": statements.coverage(rows), **by_weight}
