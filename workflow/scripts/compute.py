"""Sums up CPU time and peak memory of a build's jobs by stage and artefact, from the benchmark files."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse

from dpdescent.replication.build import provenance
from dpdescent.replication.build.files import atomic, read_rows, write_rows
from dpdescent.replication.report import site


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="folder of the build: its benchmarks and its parts' records")
    parser.add_argument("--parts", required=True, help="CSV of the build's parts")
    parser.add_argument("--output", required=True, help="CSV to write")
    parser.add_argument("--script", required=True, help="the same as a script, for the report's pages")
    args = parser.parse_args()
    parts = [(row["paper"], row["artefact"], row["part"]) for row in read_rows(args.parts)]
    rows = provenance.compute_budget(args.build, dict.fromkeys(parts))
    write_rows(args.output, ["stage", "item", "jobs", "wall_s", "cpu_s", "peak_mb"], rows)
    with atomic(args.script) as stream:
        stream.write(site.compute_script(rows))
    print(f"{sum(row['cpu_s'] for row in rows) / 60:.1f} CPU-minutes")


if __name__ == "__main__":
    main()
