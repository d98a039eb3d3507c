"""Which files the report has: read by the pipeline, too, so that nothing here imports what is slow to import."""

from collections.abc import Iterable
from pathlib import Path

# Pages of all papers, in the order of the navigation: file, name.
PAGES = {
    "index": "Overview", "figures": "Figures", "claims": "Claims", "findings": "Findings", "privacy": "Privacy",
    "bounds": "Bounds",
}  # fmt: skip
STATIC = ("style.css", "report.js")
COMPUTE = "compute.js"
# Folders of what is no code but makes the pages, named one by one, because others may lie beside them (__pycache__).
ASSETS = ("static", "templates")


def site_files(papers: Iterable[str]) -> list[str]:
    """Names of all files of the site but `compute.js`, which differs between rebuilds and comes with `compute.csv`."""
    return [*(f"{page}.html" for page in (*PAGES, *papers)), *STATIC]


def assets() -> list[Path]:
    """Templates, styles and scripts of the pages: when one of them is edited, the report is written again."""
    here = Path(__file__).parent
    return sorted(file for folder in ASSETS for file in (here / folder).iterdir() if file.is_file())
