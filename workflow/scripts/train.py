"""Trains the parts of a pack that are not there yet: each a cell of a grid and a range of trials, to a CSV."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import pkgutil
from pathlib import Path

from dpdescent.replication.build import store
from dpdescent.replication.build.fingerprint import versions
from dpdescent.replication.configuration.packs import specs_of


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pack", type=specs_of, required=True, help="JSON: cell, arms, settings, trials, names")
    parser.add_argument("--code", required=True, help="fingerprint of the code that trains")
    parser.add_argument("--run", type=pkgutil.resolve_name, required=True, help="module:function that makes the rows")
    parser.add_argument("--data", help="prepared real data set, for experiments that read one")
    parser.add_argument("--tables", nargs="*", default=[], help="tables of other artefacts that it reads")
    parser.add_argument("--runs", type=Path, help="folder of another artefact's parts, which measure the same runs")
    parser.add_argument("--folder", type=Path, required=True, help="folder of the artefact's parts")
    parser.add_argument("--output", required=True, help="CSV to write: the pack's parts and their hashes")
    args = parser.parse_args()
    inputs = [store.digest(path) for path in [*([args.data] if args.data else []), *args.tables]]
    files = {"data": args.data} if args.data else {}
    files["tables"] = {Path(path).stem: path for path in args.tables}
    trained = 0
    for name, spec in args.pack.items():
        file = args.folder / f"{name}.csv"
        runs = {"runs": str(args.runs / f"{name}.csv")} if args.runs else {}
        read = [*inputs, *map(store.digest, runs.values())]
        made_from = store.key(args.code, versions("numpy", "scipy"), spec, read)
        if not store.is_current(file, made_from):
            rows = store.train(file, made_from, args.run, spec, files | runs)
            print(f"trained {name}: {rows} rows", flush=True)
            trained += 1
    store.write_pack(args.output, args.folder, args.pack)
    print(f"{trained} of {len(args.pack)} parts trained, the others are as they were")


if __name__ == "__main__":
    main()
