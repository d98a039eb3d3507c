"""Judges claims from finished tables, without a build, and says what differs from the verdicts beside them.

It is the quick look after an edit of a criterion: nothing is trained and nothing written. Each line names a claim, its
verdict and its estimate, as they are in claims.csv and as they are judged now. With --write all that follows from the
tables is written anew, in about a minute and in a fresh clone too: verdicts, bounds, findings, letters, report and the
numbers that pages quote. Tables, figures, ledger and audits stay as they are.
"""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import importlib
import json
import math
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from dpdescent.commands import printing
from dpdescent.replication.build import anew, asked, preflight, provenance, store
from dpdescent.replication.build.files import MANIFEST, atomic, read_rows
from dpdescent.replication.commands import checkout, on_request, readme
from dpdescent.replication.configuration import project
from dpdescent.replication.judging import other_seed
from dpdescent.replication.judging.evidence import Claim, Evidence, at_their_values
from dpdescent.replication.report import summary

COMPARED = ("verdict", "measured", "low", "high", "criterion")


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command.

    Raises:
        SystemExit: with a line, if there are no such results or no such paper; with 1, if asked to check and a claim
            differs.
    """
    parser = argparse.ArgumentParser(
        prog=name, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("papers", nargs="*", help="keys such as brown2024; all of the results without any")
    parser.add_argument("--check", action="store_true", help="end with 1 if a claim differs")
    parser.add_argument("--write", action="store_true", help="write anew what follows from the tables")
    parser.add_argument("--results", type=Path, default=Path("results/paper"), help="finished results")
    args = parser.parse_args(arguments)
    checkout.require()
    if args.write and (args.papers or args.check):
        parser.error("--write takes no papers and no --check, because report and lists of hashes hold all papers")
    try:
        record = json.loads((args.results / provenance.RECORD).read_text(encoding="utf-8"))
    except FileNotFoundError:
        parser.error(f"{args.results} holds no finished results (no provenance.json): build them first, make results")
    if unknown := sorted(set(args.papers) - set(record["papers"])):
        held = ", ".join(record["papers"])
        parser.error(f"{', '.join(unknown)}: {args.results} holds {held}; build others first, make results")
    whole = checkout.configured({"scale": record["scale"], "seed": record["seed"], "papers": "all"})
    if args.write:
        write(whole, args.results, record)
        return
    checked = read_rows(Path(other_seed.FILE)) if record["scale"] == "paper" else []
    differing = 0
    before = _by_claim(read_rows(args.results / "claims.csv"))
    for key in args.papers or record["papers"]:
        alone = judged(whole, key, args.results)
        claims = other_seed.lasting(alone, checked)
        lines = list(_changes({claim.claim: _fields(claim) for claim in claims}, _of(before, key)))
        differing += len(lines)
        print("\n".join([*lines, f"{key}: {len(claims)} claims judged, {len(lines)} differ from {args.results}"]))
        if stale := other_seed.stale(key, alone, checked):
            print(
                f"{key}: {len(stale)} rows of {other_seed.FILE} count for nothing, because their claims were other ones"
                f" then: {', '.join(stale)}. A build at that seed and seedcheck renew them"
            )
    if args.check and differing:
        raise SystemExit(1)


def judged(whole: project.Project, key: str, results: Path) -> list[Claim]:
    """The claims of a paper, judged from its tables alone, whatever the verdicts at another seed are."""
    spec = json.loads(project.judging_json(whole, key))
    claims = importlib.import_module(f"dpdescent.papers.{key}.claims")
    return at_their_values(claims.judge(Evidence.read(spec, results / key)), spec)


def write(every: project.Project, results: Path, record: dict[str, Any]) -> None:
    """Writes anew all that follows from tables, ledger and audits, or nothing, and says which claims differ.

    Args:
        every: all papers of the configuration.
        results: finished results.
        record: the record that lies beside them.

    Raises:
        SystemExit: with a line, if results or tables are not what they list or what is asked for, or a rule fails.
    """
    whole = checkout.configured({name: record[name] for name in ("scale", "seed", "papers")})
    if builds := preflight.builds_here():
        raise SystemExit(preflight.locked(builds))
    if line := anew.not_whole(results) or asked.difference(whole, results, record):
        raise SystemExit(f"Nothing is written: {line}")
    with tempfile.TemporaryDirectory(prefix="dpdescent-judge-", ignore_cleanup_errors=True) as place:
        print(f"What follows from the tables of {results} is written anew, in about a minute", flush=True)
        try:
            new, gone = _rebuilt(every, whole, results, record, Path(place))
        except KeyboardInterrupt:
            raise SystemExit("Interrupted: nothing is written") from None
        claims = results / "claims.csv"
        before, after = (_by_claim(read_rows(file)) for file in (claims, new.get(claims, claims)))
        anew.put(new, gone)
    lines = [line for key in record["papers"] for line in _changes(_of(after, key), _of(before, key))]
    lines.append(f"{len(lines)} claims differ; {len(new)} files are written and {len(gone)} removed")
    if others := [key for key in every.papers if key not in record["papers"]]:
        lines.append(
            f"{', '.join(others)}: not judged, because {results} does not hold it; build it first, make results"
        )
    printing.tell("\n".join(lines))


def _rebuilt(
    every: project.Project, whole: project.Project, results: Path, record: dict[str, Any], scratch: Path
) -> tuple[dict[Path, Path], list[Path]]:
    """Makes the new results in a scratch folder; returns new files by the name that they get, and files to remove."""
    new_results = anew.lay_out(whole, results, scratch)
    on_request.judge_again(every, new_results)
    anew.run(whole, scratch)
    manifests = [store.digest(folder / MANIFEST) for folder in (results, new_results)]
    own = json.loads((new_results / provenance.RECORD).read_bytes())
    provenance.write(provenance.judged_again(record, own, *manifests), new_results / provenance.RECORD)
    new, gone = anew.changes(new_results, results)
    # Pages are written only from the project's own results of all papers, because they quote these.
    if results.resolve() == Path("results/paper").resolve() and Path("README.md").is_file() and whole == every:
        for page, blocks in readme.quoting(new_results).items():
            with atomic(scratch / "quoting" / page) as stream:
                stream.write(summary.fill(Path(page).read_text(encoding="utf-8"), blocks))
        new |= anew.changes(scratch / "quoting", Path())[0]
    return new, gone


def _by_claim(rows: Sequence[dict[str, str]]) -> dict[tuple[str, str], dict[str, str]]:
    return {(row["paper"], row["claim"]): row for row in rows}


def _of(rows: Mapping[tuple[str, str], dict[str, str]], key: str) -> dict[str, dict[str, str]]:
    """Claims of a paper by id."""
    return {claim: row for (paper, claim), row in rows.items() if paper == key}


def _changes(claims: Mapping[str, Mapping[str, str]], old: Mapping[str, Mapping[str, str]]) -> Iterator[str]:
    """Yields a line for every claim that is new, gone, or judged otherwise."""
    for name, claim in claims.items():
        row = old.get(name)
        if row is None:
            yield f"{name}: new, {_described(claim)}"
        elif not all(_alike(claim[column], row[column]) for column in COMPARED):
            yield f"{name}: was {_described(row)}; is {_described(claim)}"
    for gone in sorted(old.keys() - claims.keys()):
        yield f"{gone}: gone, was {old[gone]['verdict']}"


def _fields(claim: Claim) -> dict[str, str]:
    """The compared columns as they stand in a CSV."""
    fields = ((column, getattr(claim, column)) for column in COMPARED)
    return {column: "" if value is None else str(value) for column, value in fields}


def _alike(text: str, other: str) -> bool:
    """Whether two cells are equal; numbers agree up to rounding, which differs between processors."""
    try:
        return math.isclose(float(text), float(other), rel_tol=1e-9) or text == other
    except ValueError:
        return text == other


def _described(row: Mapping[str, str]) -> str:
    if not row["measured"]:
        return row["verdict"]
    value, low, high = (f"{float(row[column]):.4g}" for column in ("measured", "low", "high"))
    return f"{row['verdict']} ({value} in [{low}, {high}], {row['criterion']})"
