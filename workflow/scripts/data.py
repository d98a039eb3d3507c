"""Prepares one real data set: reads and checks it, draws the subset, centres it, writes it as one small file."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import json
import sys
from typing import Any

from dpdescent.data import tabular
from dpdescent.randomness import stream
from dpdescent.replication.build.files import seal


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spec", type=json.loads, required=True, help="JSON: source, columns, subset, seed, names")
    parser.add_argument("--output", required=True, help="CSV to write")
    args = parser.parse_args()
    try:
        prepare(args.spec, args.output)
    except ValueError as error:
        sys.exit(f"Data error: {error}")


def prepare(spec: dict[str, Any], output: str) -> None:
    """Prepares one data set: reads, checks, draws, centres and writes it."""
    source = tabular.bundled(spec["source"]) if spec["source"] in tabular.BUNDLED else spec["source"]
    sample = tabular.read_sample(source, spec["instruments"], spec["regressors"], spec["outcome"], spec.get("count"))
    print(f"{spec['source']}: {sample.n} records in {len(sample.y)} rows")
    if spec.get("subset") is not None:
        rng = stream(spec["seed"], spec["paper"], "dataset", spec["name"], "subset")
        sample = tabular.draw_subset(sample, spec["subset"], rng)
    sample = tabular.centre(sample)
    if spec.get("standardise"):
        sample = tabular.standardise_instruments(sample)
    tabular.write_sample(sample, output)
    seal(output)
    print(f"wrote {sample.n} records in {len(sample.y)} rows to {output}")


if __name__ == "__main__":
    main()
