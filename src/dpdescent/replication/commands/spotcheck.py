"""Recomputes a cheap part of as many artefacts as fit in a time budget and compares it with what was committed.

The order of the artefacts, and which of its cheap parts each contributes, follow from a given text: another commit,
another choice.
"""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from dpdescent.replication.build import compare
from dpdescent.replication.build.files import read_rows
from dpdescent.replication.commands import checkout
from dpdescent.replication.configuration import packs, parts, project


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command.

    Raises:
        SystemExit: with 1 and a line or a report, if something differs or is not there.
    """
    parser = argparse.ArgumentParser(prog=name, description=__doc__)
    parser.add_argument("--results", default="results/paper", help="committed results")
    parser.add_argument("--seconds", type=float, default=300.0, help="time to spend")
    parser.add_argument("--choice", default="0", help="any text, such as a commit's hash: decides what is checked")
    args = parser.parse_args(arguments)
    checkout.require()
    provenance = json.loads(Path(args.results, "provenance.json").read_text())
    whole = checkout.configured({"scale": provenance["scale"], "seed": provenance["seed"], "papers": "all"})
    committed = compare.part_sums(read_rows(Path(args.results, "parts.csv")))
    artefacts, choice = whole.artefacts(), random.Random(args.choice)
    choice.shuffle(artefacts)
    started, failures, checked = time.monotonic(), 0, 0
    with tempfile.TemporaryDirectory(prefix="dpdescent-spotcheck-") as scratch:
        for artefact in artefacts:
            if time.monotonic() - started > args.seconds:
                break
            part = choice.choice(_cheap(artefact.parts))
            difference = _recompute(whole, artefact, part, committed, args.results, Path(scratch))
            print(f"{artefact.item} {part.name}: {difference or 'agrees'}", flush=True)
            failures, checked = failures + bool(difference), checked + 1
    print(f"{checked} of {len(artefacts)} artefacts checked in {time.monotonic() - started:.0f} s, {failures} differ")
    sys.exit(1 if failures or not checked else 0)


def _cheap(candidates: list[parts.Part]) -> list[parts.Part]:
    """The parts that cost at most twice as much as the cheapest."""
    least = min(parts.relative_cost(part) for part in candidates)
    return [part for part in candidates if parts.relative_cost(part) <= 2 * least]


def _recompute(
    whole: project.Project,
    artefact: project.Artefact,
    part: parts.Part,
    committed: compare.PartSums,
    results: str,
    scratch: Path,
) -> str:
    """The difference between a recomputed part and the committed one, in words; empty if they agree."""
    folder = scratch / artefact.item
    pack = packs.Pack("1", (part,))
    command = ["train.py", "--pack", pack.json(), "--code", "as it is", "--run", artefact.run, "--folder", str(folder)]
    command += ["--output", str(folder / "pack.csv")]
    if part.dataset:
        data = scratch / f"{part.dataset}.csv"
        spec = json.dumps(project.data_spec(whole, artefact.paper, part.dataset))
        _run("data.py", "--spec", spec, "--output", str(data))
        command += ["--data", str(data)]
    if artefact.reads:
        tables = Path(results, artefact.paper)
        command += ["--tables", *(str(tables / f"{other}.csv") for other in artefact.reads)]
    _run(*command)
    return compare.part_difference(committed, artefact, part.name, folder / f"{part.name}.csv")


def _run(script: str, *arguments: str) -> None:
    command = [sys.executable, f"workflow/scripts/{script}", *arguments]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
