"""Names of the report's files. It imports nothing slow, because the pipeline reads it at its start."""

import re
from collections.abc import Iterable
from pathlib import Path

# Pages about all papers, in the order of the navigation: file, name.
PAGES = {
    "index": "Overview", "figures": "Figures", "claims": "Claims", "findings": "Findings", "privacy": "Privacy",
    "bounds": "Bounds", "statements": "Statements", "reliability": "Reliability", "calculator": "Calculator",
    "choose": "Which method", "regression": "Private regression", "on-request": "On request",
    "search": "Search", "glossary": "Glossary", "made": "How it was made",
}  # fmt: skip
# Pages of the navigation that stand in a menu, by its name; papers have a menu of their own, all others stand alone.
MENUS = {
    "Results": ("figures", "claims", "findings", "privacy", "bounds", "statements", "on-request"),
    "About": ("glossary", "made", "reliability"),
}
STATIC = (
    "style.css", "report.js", "gaussian.js", "calculator.js", "choose.js", "search.js", "minisearch.js",
    "minisearch.txt", "curves.js",
)  # fmt: skip
# The index of the search, made of the results.
INDEX = "search-data.js"
# The points of a paper's curves.
CURVES = "curves-{paper}.js"
COMPUTE = "compute.js"
# Page of the documentation that is a page of the report too.
GUIDE = "docs/regression.md"
# Files on how the software was tried and for the calculator, which commands outside of a build write, and that page; a
# checkout may lack any of them.
TRIALS = (
    "docs/damage.csv",
    "docs/fuzz.csv",
    "docs/cluster.csv",
    "docs/scaling.csv",
    "docs/samplers.csv",
    "results/bench.csv",
    GUIDE,
)
# Folders of templates and static files, listed by name, because there may be other folders (__pycache__).
ASSETS = ("static", "templates")


def site_files(papers: Iterable[str], findings: Iterable[str]) -> list[str]:
    """Names of all files of the site except `compute.js`, which differs between rebuilds as `compute.csv` does.

    Args:
        papers: keys of the papers.
        findings: names of the findings that have a page of their own.
    """
    keys = list(papers)
    points = [CURVES.format(paper=key) for key in keys]
    return [*(f"{page}.html" for page in (*PAGES, *keys)), *map(finding_page, findings), *STATIC, INDEX, *points]


def finding_page(finding: str) -> str:
    """Name of the file of a finding's page."""
    return f"finding-{finding}.html"


def trials(root: Path) -> list[str]:
    """Names of the files of TRIALS that exist, relative to the project's directory."""
    return [file for file in TRIALS if (root / file).is_file()]


def documentation(root: Path) -> list[str]:
    """Names of the pages of the documentation, relative to the project's directory."""
    return [file.relative_to(root).as_posix() for file in sorted((root / "docs").glob("*.md"))]


def by_hand(page: str) -> str:
    """Text of a page of the documentation without what commands write into it from the results."""
    return re.sub(r"<!-- (\w+) -->.*?<!-- end \1 -->", "", page, flags=re.DOTALL)


def made_on_request(results: Path) -> list[Path]:
    """The list of hashes of artefacts on request, if any was made."""
    return [file for file in [results / "on_request" / "MANIFEST.sha256"] if file.is_file()]


def assets() -> list[Path]:
    """Paths of the pages' templates, styles and scripts; an edit of one of them makes the report again."""
    here = Path(__file__).parent
    return sorted(file for folder in ASSETS for file in (here / folder).iterdir() if file.is_file())
