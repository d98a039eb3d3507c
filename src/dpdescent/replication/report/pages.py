"""Which files the report has: read by the pipeline, too, so that nothing here imports what is slow to import."""

from collections.abc import Iterable

# Pages of all papers, in the order of the navigation: file, name.
PAGES = {
    "index": "Overview", "figures": "Figures", "claims": "Claims", "findings": "Findings", "privacy": "Privacy",
    "bounds": "Bounds",
}  # fmt: skip
STATIC = ("style.css", "report.js")
COMPUTE = "compute.js"


def site_files(papers: Iterable[str]) -> list[str]:
    """Names of all files of the site but `compute.js`, which differs between rebuilds and comes with `compute.csv`."""
    return [*(f"{page}.html" for page in (*PAGES, *papers)), *STATIC]
