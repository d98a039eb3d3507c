"""Writes anew what others read of the project: CITATION.cff, codemeta.json, .zenodo.json, the addresses in
pyproject.toml, and datapackage.json beside the committed tables; --check changes nothing and says what is not current.
"""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from dpdescent.replication.build.files import MANIFEST, atomic, listed
from dpdescent.replication.build.provenance import ON_REQUEST
from dpdescent.replication.commands import checkout
from dpdescent.replication.configuration import project
from dpdescent.replication.report import citation, datapackage

# The descriptor of the benchmark, which is no part of a scale.
BENCH = Path("results/bench.datapackage.json")


def main(arguments: Sequence[str], name: str) -> None:
    """Runs the command.

    Raises:
        SystemExit: with 1 and a line, if something is to be checked and differs or is not there.
    """
    parser = argparse.ArgumentParser(
        prog=name, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if a file is out of date")
    args = parser.parse_args(arguments)
    checkout.require()
    current = {Path(name): text for name, text in citation.written(Path()).items()} | described(Path("results/paper"))
    stale = [path for path, text in current.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if args.check and stale:
        sys.exit(f"{' and '.join(map(str, stale))}: not what configuration and tables say now: run {name}")
    for path in () if args.check else stale:
        with atomic(path) as stream:
            stream.write(current[path])


def described(results: Path) -> dict[Path, str]:
    """The descriptors of committed tables, and the manifests that list them, as they should be, by path."""
    whole = project.load({"scale": results.name, "seed": 0, "papers": "all"}, Path())
    bench = {"bench.csv": datapackage.table(datapackage.columns(whole, Path())["tables"]["bench.csv"])}
    texts = {BENCH: datapackage.text(datapackage.package(BENCH.parent, bench, "bench"))}
    for folder, name in ((results, whole.scale), (results / ON_REQUEST, f"{whole.scale}-{ON_REQUEST}")):
        if not (folder / MANIFEST).is_file():
            continue
        tables = datapackage.of_project(whole, Path(), on_request=folder != results)
        text = datapackage.text(datapackage.package(folder, tables, name))
        lines = listed(folder / MANIFEST) | {datapackage.FILE: hashlib.sha256(text.encode()).hexdigest()}
        texts[folder / datapackage.FILE] = text
        texts[folder / MANIFEST] = "".join(f"{lines[file]}  {file}\n" for file in sorted(lines))
    return texts
