"""Judges claims from finished tables, without a build, and says what differs from the verdicts beside them.

It is the quick look after an edit of a criterion: nothing is trained and nothing written. `make results` then writes
the new verdicts, and after a build that takes seconds. Each line names a claim, its verdict and its estimate, as they
are in claims.csv and as they are judged now.
"""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import importlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from dpdescent.replication.build.files import read_rows
from dpdescent.replication.commands import checkout
from dpdescent.replication.configuration import project
from dpdescent.replication.judging import other_seed
from dpdescent.replication.judging.evidence import Claim, Evidence

COMPARED = ("verdict", "measured", "low", "high", "criterion")


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command.

    Raises:
        SystemExit: with a line, if there are no such results or no such paper; with 1, if asked to check and a claim
            differs.
    """
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("papers", nargs="*", help="keys such as brown2024; all of the results without any")
    parser.add_argument("--check", action="store_true", help="end with 1 if a claim differs")
    parser.add_argument("--results", type=Path, default=Path("results/paper"), help="finished results")
    args = parser.parse_args(arguments)
    checkout.require()
    try:
        provenance = json.loads((args.results / "provenance.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        parser.error(f"{args.results} holds no finished results (no provenance.json): build them first, make results")
    if unknown := sorted(set(args.papers) - set(provenance["papers"])):
        parser.error(f"{', '.join(unknown)}: {args.results} holds {', '.join(provenance['papers'])}")
    whole = project.load({"scale": provenance["scale"], "seed": provenance["seed"], "papers": "all"}, Path())
    checked = read_rows(Path(other_seed.FILE)) if provenance["scale"] == "paper" else []
    differing = 0
    before = {(row["paper"], row["claim"]): row for row in read_rows(args.results / "claims.csv")}
    for key in args.papers or provenance["papers"]:
        claims = other_seed.lasting(judged(whole, key, args.results), checked)
        old = {claim: row for (paper, claim), row in before.items() if paper == key}
        lines = list(_changes(claims, old))
        differing += len(lines)
        print("\n".join([*lines, f"{key}: {len(claims)} claims judged, {len(lines)} differ from {args.results}"]))
    if args.check and differing:
        raise SystemExit(1)


def judged(whole: project.Project, key: str, results: Path) -> list[Claim]:
    """Returns the claims of a paper by tables alone, whatever another seed says."""
    spec = json.loads(project.judging_json(whole, key))
    claims = importlib.import_module(f"dpdescent.papers.{key}.claims")
    found: list[Claim] = claims.judge(Evidence.read(spec, results / key))
    return found


def _changes(claims: Sequence[Claim], old: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Yields a line for every claim that is new, gone, or judged otherwise."""
    for claim in claims:
        row = old.get(claim.claim)
        if row is None:
            yield f"{claim.claim}: new, {_told(_fields(claim))}"
        elif not all(_alike(_fields(claim)[column], row[column]) for column in COMPARED):
            yield f"{claim.claim}: was {_told(row)}; is {_told(_fields(claim))}"
    for gone in sorted(old.keys() - {claim.claim for claim in claims}):
        yield f"{gone}: gone, was {old[gone]['verdict']}"


def _fields(claim: Claim) -> dict[str, str]:
    """The compared columns as they stand in a CSV."""
    found = ((column, getattr(claim, column)) for column in COMPARED)
    return {column: "" if value is None else str(value) for column, value in found}


def _alike(one: str, other: str) -> bool:
    """Whether two cells are equal, numbers but for rounding, which differs between processors."""
    try:
        return math.isclose(float(one), float(other), rel_tol=1e-9) or one == other
    except ValueError:
        return one == other


def _told(row: Mapping[str, str]) -> str:
    if not row["measured"]:
        return row["verdict"]
    value, low, high = (f"{float(row[column]):.4g}" for column in ("measured", "low", "high"))
    return f"{row['verdict']} ({value} in [{low}, {high}], {row['criterion']})"
