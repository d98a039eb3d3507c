"""Audits a paper's ledger: attacks each distinct mechanism once, fills the ledger, and gives every arm a verdict."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse
import importlib
from collections import Counter

from dpdescent.replication.build.files import read_rows, write_rows
from dpdescent.replication.ledger import audits, entries


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paper", required=True, help="the paper's key")
    parser.add_argument("--ledger", required=True, help="the paper's ledger, with requests")
    parser.add_argument("--runs", type=int, required=True, help="runs on each side of a pair")
    parser.add_argument("--seed", type=int, required=True, help="the project's seed")
    parser.add_argument("--privacy", required=True, help="CSV to write: the filled ledger")
    parser.add_argument("--audit", required=True, help="CSV to write: verdicts by mechanism")
    args = parser.parse_args()
    module = importlib.import_module(f"dpdescent.papers.{args.paper}.audit")
    arms = read_rows(args.ledger)
    rows = [*arms, *(audits.statement_row(args.paper, statement) for statement in module.statements())]
    outcomes = audits.outcomes(args.paper, rows, module.ATTACKS, args.runs, args.seed)
    filled = [{name: arm[name] for name in entries.ACCOUNTED} | audits.ledger_columns(arm, outcomes) for arm in arms]
    table = audits.table(rows, outcomes, module.FINDINGS)
    write_rows(args.privacy, entries.COLUMNS, filled)
    write_rows(args.audit, audits.COLUMNS, table)
    print(f"{len(filled)} arms, {len(outcomes)} audits:", dict(Counter(row["verdict"] for row in table)))


if __name__ == "__main__":
    main()
