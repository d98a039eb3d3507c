"""Writes the verdicts at another master seed beside the committed ones, from results that were built at that seed.

To build them: a clone elsewhere, and there `snakemake --cores 2 --config seed=7`; they are not committed. A build of
some papers (`papers='[liang2025]'`) renews their rows at its seed only; rows of other papers and other seeds stay. With
`--only`, rows of other claims and artefacts stay too, so that a build of what they read will do: a claim that reads
tables of several artefacts needs all of them at the other seed, and is named itself where its artefact has such ones.
"""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import difflib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dpdescent.commands import printing
from dpdescent.replication.build import tables
from dpdescent.replication.build.files import read_rows, write_rows
from dpdescent.replication.commands import checkout
from dpdescent.replication.commands.judge import judged
from dpdescent.replication.configuration.project import Project
from dpdescent.replication.judging import other_seed
from dpdescent.replication.judging.evidence import Claim


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command.

    Raises:
        SystemExit: with a line, if the other results are not there or have the same seed or another scale.
    """
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("--other", type=Path, required=True, help="results at another seed: .../results/paper")
    parser.add_argument("--results", type=Path, default=Path("results/paper"), help="committed results")
    parser.add_argument("--output", type=Path, default=Path(other_seed.FILE), help="CSV to write")
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="NAME",
        help="an artefact or a claim, such as liang2025/table_rates or liang2025/remark-3.8-gap: renew no other rows",
    )
    args = parser.parse_args(arguments)
    checkout.require()
    here, there = _provenance(args.results), _provenance(args.other)
    if here["scale"] != there["scale"] or here["seed"] == there["seed"]:
        parser.error(
            f"--other {args.other} has scale {there['scale']} and seed {there['seed']}; needed are scale"
            f" {here['scale']} and another seed than {here['seed']}: build them with --config seed=..."
        )
    # Claims that draw data sets of their own draw them at the seed of the results.
    whole, other_whole = (
        checkout.configured({"scale": here["scale"], "seed": one["seed"], "papers": "all"}) for one in (here, there)
    )
    rows = read_rows(args.results / "claims.csv") if args.only else []
    known = {f"{row['paper']}/{row[kind]}" for row in rows for kind in ("artefact", "claim")}
    if unknown := sorted(set(args.only or ()) - known):
        near = difflib.get_close_matches(unknown[0], sorted(known), 5, 0.0)
        parser.error(f"--only {unknown[0]} is neither an artefact nor a claim; nearest are {', '.join(near)}")
    made = list[dict[str, Any]]()
    for key in [key for key in whole.papers if key in there["papers"]]:
        here_judged, there_judged = (
            [claim for claim in judged(project, key, results) if not args.only or _is_named(claim, args.only)]
            for project, results in ((whole, args.results), (other_whole, args.other))
        )
        copied = set(_copied(whole, key, args.results, args.other))
        here_judged, there_judged = (
            [claim for claim in own if claim.artefact not in copied] for own in (here_judged, there_judged)
        )
        made += other_seed.compared(here_judged, there_judged, int(there["seed"]))
        for artefact in sorted(copied):
            printing.tell(
                f"{args.other / key / artefact}.csv is the committed table, byte for byte: claims on it are left out;"
                f" build {key}_{artefact} at seed {there['seed']}"
            )
        for line in _lacking(whole, key, args.results, args.other):
            printing.tell(line)
    # A renewed row takes the place of its earlier one.
    by_claim = {(row["paper"], row["claim"], str(row["other_seed"])): row for row in [*_kept(args, there), *made]}
    rows = list(by_claim.values())
    rows.sort(key=lambda row: (list(whole.papers).index(row["paper"]), int(row["other_seed"])))
    write_rows(args.output, list(other_seed.COLUMNS), rows)
    changed = [row for row in rows if row["changes"]]
    for row in changed:
        verdicts = f"{row['verdict']}, at seed {row['other_seed']} {row['other_verdict']}"
        printing.tell(f"{row['paper']} {row['claim']}: {verdicts}")
    printing.tell(f"{len(changed)} of {len(rows)} verdicts change; written to {args.output}")


def _is_named(claim: Claim, names: Sequence[str]) -> bool:
    return not {f"{claim.paper}/{claim.artefact}", f"{claim.paper}/{claim.claim}"}.isdisjoint(names)


def _kept(args: argparse.Namespace, there: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of earlier checks: of other seeds, and of papers or artefacts that are not renewed."""
    earlier = read_rows(args.output) if args.output.exists() else []
    renewed = [] if args.only else there["papers"]
    return [row for row in earlier if row["other_seed"] != str(there["seed"]) or row["paper"] not in renewed]


def _copied(whole: Project, key: str, here: Path, there: Path) -> Iterator[str]:
    """Artefacts whose drawn tables are equal in both folders, as after a build of others at the other seed."""
    for name, artefact in whole.papers[key].artefacts.items():
        files = [folder / f"{artefact.item}.csv" for folder in (here, there)]
        if all(file.is_file() for file in files) and files[0].read_bytes() == files[1].read_bytes():
            table = tables.read(files[0])
            if "se" in table and (table["se"] > 0).any():
                yield name


def _lacking(whole: Project, key: str, here: Path, there: Path) -> Iterator[str]:
    """Lines on the variants that only one build has, because claims with a reading that needs them go without it."""
    for artefact in whole.papers[key].artefacts.values():
        files = [folder / f"{artefact.item}.csv" for folder in (here, there)]
        if all(file.is_file() for file in files):
            ours, theirs = (set(tables.read(file).get("variant", ())) for file in files)
            if missing := sorted(ours - theirs):
                yield f"{files[1]} lacks {', '.join(missing)}: claims that read these are compared without that reading"


def _provenance(results: Path) -> dict[str, Any]:
    try:
        return dict(json.loads((results / "provenance.json").read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise SystemExit(f"Error: {results} holds no finished results (no provenance.json); build them first") from None
