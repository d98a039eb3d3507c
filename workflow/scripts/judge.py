"""What a paper's tables say: evaluates its bounds, judges its claims, or demonstrates its findings."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import importlib
import json

from dpdescent.replication.build.files import read_rows
from dpdescent.replication.judging import evidence, other_seed

# By kind: the function in the paper's module of that name, and the records that it returns.
KINDS = {
    "bounds": ("evaluate", evidence.Bound),
    "claims": ("judge", evidence.Claim),
    "findings": ("demonstrate", evidence.Finding),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS, help="what to make")
    parser.add_argument("--spec", type=json.loads, required=True, help="JSON: settings, published values, names")
    parser.add_argument("--folder", required=True, help="the paper's folder of tables")
    parser.add_argument("--output", required=True, help="CSV to write")
    parser.add_argument("--cells", help="CSV to write: what claims about many cells saw in each of them")
    parser.add_argument("--other_seed", help="CSV of verdicts at another seed, which leaves what does not last open")
    parser.add_argument("--shown", help="JSON to write: rows of tables that carry the numbers of findings")
    args = parser.parse_args()
    verb, record = KINDS[args.kind]
    module = importlib.import_module(f"dpdescent.papers.{args.spec['paper']}.{args.kind}")
    records = getattr(module, verb)(evidence.Evidence.read(args.spec, args.folder))
    if args.kind == "claims":
        records = evidence.at_their_values(records, args.spec)
    if args.kind == "findings":
        records = evidence.findings_at_their_values(records, args.spec)
    if args.other_seed:
        records = other_seed.lasting(records, read_rows(args.other_seed))
    evidence.write(records, record, args.output)
    if args.cells:
        evidence.write_cells(records, args.cells)
    if args.shown:
        evidence.write_shown(records, args.shown)
    print(f"{len(records)} rows")


if __name__ == "__main__":
    main()
