"""Sums up CPU time and peak memory of a build's jobs by stage and artefact, from the benchmark files."""

import argparse

from dpdescent.replication import provenance
from dpdescent.replication.files import write_rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--benchmarks", required=True, help="folder of the benchmark files")
    parser.add_argument("--output", required=True, help="CSV to write")
    args = parser.parse_args()
    rows = provenance.compute_budget(args.benchmarks)
    write_rows(args.output, ["stage", "item", "jobs", "wall_s", "cpu_s", "peak_mb"], rows)
    print(f"{sum(row['cpu_s'] for row in rows) / 60:.1f} CPU-minutes")


if __name__ == "__main__":
    main()
