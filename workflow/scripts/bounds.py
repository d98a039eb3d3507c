"""Evaluates every computable bound of a paper at the experiments' settings, beside what was measured."""

import argparse
import importlib
import json

from dpdescent.replication import evidence


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spec", type=json.loads, required=True, help="JSON: settings, published values, names")
    parser.add_argument("--folder", required=True, help="the paper's folder of tables")
    parser.add_argument("--output", required=True, help="CSV to write")
    args = parser.parse_args()
    module = importlib.import_module(f"dpdescent.papers.{args.spec['paper']}.bounds")
    records = module.evaluate(evidence.Evidence.read(args.spec, args.folder))
    evidence.write(records, evidence.Bound, args.output)
    print(f"{len(records)} rows")


if __name__ == "__main__":
    main()
