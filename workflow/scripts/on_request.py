"""Judges, accounts for and attacks what was made on request, and hashes it; `dpdescent on-request` does the same."""

import dpdescent.replication.pins  # noqa: F401

# isort: split
import sys
from pathlib import Path

from dpdescent.replication.commands import on_request

if __name__ == "__main__":
    on_request.main(sys.argv[1:], "on_request.py", Path(__file__).resolve().parents[2])
