"""Hashes every table and figure of a build, and records with what it was made."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import json

from dpdescent.replication.build import provenance
from dpdescent.replication.build.files import atomic, checked


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", required=True, help="folder of the build's results")
    parser.add_argument("--spec", type=json.loads, required=True, help="JSON: scale, seed, papers, hash of the values")
    parser.add_argument("--manifest", required=True, help="list of hashes to write")
    parser.add_argument("--provenance", required=True, help="JSON to write")
    args = parser.parse_args()
    with atomic(args.provenance) as stream:
        json.dump({**args.spec, **provenance.environment()}, stream, indent=2, sort_keys=True)
        stream.write("\n")
    with atomic(args.manifest) as stream:
        hashes = provenance.hashes(args.results, checked)
        stream.writelines(f"{digest}  {name}\n" for name, digest in hashes.items())


if __name__ == "__main__":
    main()
