"""Writes anew what README.md and the documentation quote; --check changes nothing and says what is not current."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import importlib
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from dpdescent.replication.build.files import atomic, read_rows
from dpdescent.replication.commands import checkout
from dpdescent.replication.configuration import values
from dpdescent.replication.report import front, reference, summary
from dpdescent.replication.report.content import in_order

SCHEMAS = ("config", "scale", "paper")


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command.

    Raises:
        SystemExit: with 1 and a line or a report, if something differs or is not there.
    """
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("--results", default="results/paper", help="results to quote")
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if a page is out of date")
    args = parser.parse_args(arguments)
    checkout.require()
    stale = []
    pages = {
        **quoting(Path(args.results)),
        "docs/architecture.md": {"rulegraph": rule_graph()},
        "config/README.md": documented(),
    }
    for name, blocks in pages.items():
        text = Path(name).read_text(encoding="utf-8")
        current = summary.fill(text, blocks)
        if current != text:
            stale.append(name)
        if not args.check:
            with atomic(name) as stream:
                stream.write(current)
    if args.check and stale:
        sys.exit(f"{' and '.join(stale)}: not what results and schemas say now: run make readme")


def quoting(results: Path) -> dict[str, dict[str, str]]:
    """The pages that quote results, with their blocks."""
    return {"README.md": quoted(results), "docs/beyond.md": beyond(results)}


def quoted(results: Path) -> dict[str, str]:
    """The blocks of README.md."""
    claims, findings, privacy, audit = (
        read_rows(results / f"{kind}.csv") for kind in ("claims", "findings", "privacy", "audit")
    )
    papers = checkout.configured({"scale": "paper", "seed": 0, "papers": "all"}).papers
    about = {key: paper.about for key, paper in papers.items()}
    places = {key: [artefact.place for artefact in paper.artefacts.values()] for key, paper in papers.items()}
    return {
        "answer": front.answer(claims, privacy, audit, findings, about),
        "caption": front.caption(claims, _quotes().SHOWN, _quotes().CAPTION),
        "papers": front.papers(claims, about, places),
        "gravest": front.gravest(in_order(findings), about),
        "advice": str(_quotes().advice(results)),
    }


def beyond(results: Path) -> dict[str, str]:
    """The blocks of docs/beyond.md."""
    blocks: dict[str, str] = _quotes().beyond(results)
    return blocks


def _quotes() -> ModuleType:
    """Our module that quotes tables."""
    return importlib.import_module("dpdescent.papers.ours.pages")


def documented() -> dict[str, str]:
    """The blocks of config/README.md."""
    schemas = {name: Path(f"workflow/schemas/{name}.schema.yaml") for name in SCHEMAS}
    return {name: reference.keys(values.read_yaml(path)) for name, path in schemas.items()}


def rule_graph() -> str:
    """The rules of a build as a mermaid picture; one paper has them all."""
    command = [sys.executable, "-m", "snakemake", "--rulegraph", "mermaid-js", "--cores", "1", "--forceall"]
    options = ["--config", "scale=quick", "papers=[liang2025]"]
    done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"the rule graph was not made: {done.stderr.strip()}")
    return f"```mermaid\n{reference.plain_graph(done.stdout)}\n```"
