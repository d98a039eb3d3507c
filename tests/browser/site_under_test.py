"""What the report under test should hold, read from the committed result files of which it is made."""

import csv
from pathlib import Path

from dpdescent.replication.report.pages import PAGES

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results/paper"
PAPERS = sorted(folder.name for folder in RESULTS.iterdir() if (folder / "bounds.csv").exists())
ALL = [f"{page}.html" for page in (*PAGES, *PAPERS)]


def rows(name: str) -> list[dict[str, str]]:
    """Rows of a result file."""
    with open(RESULTS / f"{name}.csv", encoding="utf-8", newline="") as text:
        return list(csv.DictReader(text))
