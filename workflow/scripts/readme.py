"""Writes the numbers in README.md anew from the committed results; --check only says whether they are current."""

import argparse
import sys
from pathlib import Path

from dpdescent.replication import summary
from dpdescent.replication.files import atomic, read_rows

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", default="results/paper", help="results to quote")
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 if README.md is out of date")
    args = parser.parse_args()
    results = ROOT / args.results
    claims, findings, audit = (read_rows(results / f"{kind}.csv") for kind in ("claims", "findings", "audit"))
    papers = dict.fromkeys(claim["paper"] for claim in claims)
    confirmed = [row for row in findings if row["status"] == "confirmed" and row["severity"] != "cosmetic"]
    blocks = {
        "scorecard": summary.scorecard(claims, papers),
        "audit": summary.audit_counts(audit, papers),
        "findings": summary.findings_list(confirmed),
        "compute": summary.compute(results),
    }
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    current = summary.fill(text, blocks)
    if args.check:
        sys.exit(0 if current == text else "README.md does not quote the committed results: run make readme")
    with atomic(ROOT / "README.md") as stream:
        stream.write(current)


if __name__ == "__main__":
    main()
