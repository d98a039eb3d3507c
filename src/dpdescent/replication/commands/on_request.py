"""Judges, accounts for and attacks what was made on request, and hashes it, all in results/<scale>/on_request.

Every call of `snakemake <paper>_<figure>` that makes such a figure ends with this. A default build neither makes nor
judges any of it: claims, ledger, audit and manifest of these artefacts stand beside them, apart from the others.
"""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import importlib
import importlib.util
import json
import pkgutil
from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dpdescent.commands import printing
from dpdescent.replication.build import asked, provenance, store, tables
from dpdescent.replication.build.files import MANIFEST, atomic, write_rows
from dpdescent.replication.build.provenance import ON_REQUEST
from dpdescent.replication.commands import checkout
from dpdescent.replication.configuration import packs, project, values
from dpdescent.replication.configuration.project import Artefact, Project
from dpdescent.replication.judging import evidence
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.ledger import audits, entries
from dpdescent.replication.report import datapackage

Row = dict[str, Any]

# Packages that what is made on request may have used, where they are installed; tables name the devices of their runs.
OPTIONAL = ("jax", "jaxlib")


def main(arguments: Sequence[str], name: str, root: Path | None = None) -> None:
    """Runs the command.

    Args:
        arguments, name: its arguments and its name.
        root: the checkout; the working directory if it is not given.

    Raises:
        SystemExit: with a line, if nothing was made on request yet.
    """
    parser = argparse.ArgumentParser(
        prog=name, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--scale", default="paper", help="the scale whose results these are")
    parser.add_argument("--runs", type=int, help="runs of an attack on each side of its pair; 0 attacks nothing")
    parser.add_argument("--results", type=Path, help="folder of the scale's results (default: results/SCALE)")
    args = parser.parse_args(arguments)
    if root is None:
        checkout.require()
        root = Path()
    config = values.read_yaml(root / "config/config.yaml")
    whole = checkout.configured({**config, "scale": args.scale, "papers": "all"}, root)
    results = args.results or Path("results") / args.scale
    folder = results / ON_REQUEST
    made = asked.requested(whole, results)
    if not made:
        parser.error(f"{folder} holds no table: make one first, e.g. snakemake -c2 {_first(whole)}")
    keys = sorted({each.paper for each in made})
    claims = write_claims(whole, keys, results)
    ledger, attacked = [], []
    for key in keys:
        mine = [each for each in made if each.paper == key]
        arms, table = accounted(whole, key, mine, results, whole.audit_runs if args.runs is None else args.runs)
        ledger += arms
        attacked += table
    entries.write(folder, ledger)
    write_rows(folder / "audit.csv", audits.COLUMNS, attacked)
    _record(whole, made, folder, root)
    told = ", ".join(f"{count} {verdict}" for verdict, count in Counter(claim.verdict for claim in claims).items())
    printing.tell(f"{folder}: {len(made)} artefacts, {len(claims)} claims ({told}), {len(ledger)} arms")


def _first(whole: Project) -> str:
    artefact = whole.on_request()[0]
    return f"{artefact.paper}_{artefact.id}"


def judge_again(whole: Project, results: Path) -> None:
    """Writes verdicts on what was made on request anew, where there are any; ledger and audits stay as they are."""
    folder = results / ON_REQUEST
    if not (folder / MANIFEST).is_file():
        return
    before, manifest = json.loads((folder / provenance.RECORD).read_bytes()), store.digest(folder / MANIFEST)
    write_claims(whole, sorted({each.paper for each in asked.requested(whole, results)}), results)
    _list(whole, folder, Path())
    again = provenance.judged_again(before, {}, manifest, store.digest(folder / MANIFEST))
    provenance.write(again, folder / provenance.RECORD)


def write_claims(whole: Project, keys: Sequence[str], results: Path) -> list[Claim]:
    """Writes the claims of papers about their artefacts on request, and their cells, and returns the claims."""
    claims = [claim for key in keys for claim in judged(whole, key, results)]
    evidence.write(claims, Claim, results / ON_REQUEST / "claims.csv")
    evidence.write_cells(claims, results / ON_REQUEST / "claims_cells.csv")
    return claims


def judged(whole: Project, key: str, results: Path) -> list[Claim]:
    """Returns the claims of a paper about its artefacts on request; none where its package has none about them."""
    module = f"dpdescent.papers.{key}.on_request"
    if importlib.util.find_spec(module) is None:
        return []
    spec = json.loads(project.judging_json(whole, key))
    files = {name: results / f"{each.item}.csv" for name, each in whole.papers[key].on_request.items()}
    read = {name: tables.read(file) for name, file in files.items() if file.is_file()}
    return evidence.at_their_values(list(importlib.import_module(module).judge(Evidence(spec, read))), spec)


def accounted(
    whole: Project, key: str, made: Sequence[Artefact], results: Path, runs: int
) -> tuple[list[Row], list[Row]]:
    """Returns the ledger of a paper's artefacts on request, with its audits filled in, and the audits.

    Without runs nothing is attacked, and the ledger's columns on audits are blank.
    """
    audit = importlib.import_module(f"dpdescent.papers.{key}.audit")
    known = whole.papers[key].artefacts | whole.papers[key].on_request
    arms = []
    for artefact in made:
        releases = pkgutil.resolve_name(artefact.releases)
        read = {name: results / f"{known[name].item}.csv" for name in artefact.reads}
        for cell in packs.cells_of(packs.ledger_json(artefact.parts)):
            events = list(releases({**cell, "tables": read}))
            asked = (audits.asked(audit.request(cell, arm, event), event) for arm, event, _ in events)
            arms += [row | more for row, more in zip(entries.rows(key, artefact.id, events), asked, strict=True)]
    if not runs:
        return [{name: arm.get(name, "") for name in entries.COLUMNS} for arm in arms], []
    found = audits.outcomes(key, arms, audit.ATTACKS, runs, whole.seed)
    filled = [{name: arm[name] for name in entries.ACCOUNTED} | audits.ledger_columns(arm, found) for arm in arms]
    return filled, audits.table(arms, found, audit.FINDINGS)


def _record(whole: Project, made: Sequence[Artefact], folder: Path, root: Path) -> None:
    """Writes with what the newest of these was made, and what lies there."""
    about: Row = {"scale": whole.scale, "seed": whole.seed, "artefacts": [each.item for each in made]}
    about["optional"] = {name: version(name) for name in OPTIONAL if importlib.util.find_spec(name) is not None}
    provenance.write({**about, **provenance.environment()}, folder / provenance.RECORD)
    _list(whole, folder, root)


def _list(whole: Project, folder: Path, root: Path) -> None:
    """Writes what the columns of all tables mean, and the hashes of all files."""
    datapackage.write(folder, datapackage.of_project(whole, root, on_request=True), f"{whole.scale}-{ON_REQUEST}")
    hashes = provenance.hashes(folder)
    with atomic(folder / MANIFEST) as stream:
        stream.writelines(f"{digest}  {name}\n" for name, digest in hashes.items())
