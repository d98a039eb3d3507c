"""Names of the report's files. It imports nothing slow, because the pipeline reads it at its start."""

import re
from collections.abc import Iterable
from pathlib import Path

# Files of the project that are pages, by the page's name, and other files and folders for which a page stands.
DOCUMENTS = {
    **{
        f"docs-{name}": f"docs/{name}.md"
        for name in (
            "library", "regression", "beyond", "pipeline", "contender", "sixth-paper", "accelerator", "architecture",
            "deviations", "symbols",
        )
    },
    "docs-configuration": "config/README.md",
    **{f"example-{name}": f"examples/{name}.ipynb" for name in ("regression", "instruments")},
}  # fmt: skip
STAND_IN = {"docs/statements": "statements", "README.md": "install"}
# Pages about all papers and about the software, in the order of the navigation: file, name.
PAGES = {
    "index": "Overview", "figures": "Figures", "claims": "Claims", "findings": "Findings", "privacy": "Privacy",
    "bounds": "Bounds", "statements": "Statements", "reliability": "Reliability", "calculator": "Calculator",
    "choose": "Which method", "on-request": "On request",
    "install": "Install", "regression": "Use it on your data",
    "docs-library": "The library", "docs-regression": "A private regression",
    "example-regression": "Notebook: wages by schooling", "example-instruments": "Notebook: instruments",
    "api": "All public names", "api-algorithms": "API: algorithms", "api-models": "API: models and intervals",
    "api-privacy": "API: privacy", "api-noise": "API: noise", "api-audits": "API: audits",
    "docs-beyond": "Beyond the five papers",
    "docs-pipeline": "The pipeline", "docs-configuration": "Keys of the configuration",
    "docs-contender": "A method of your own", "docs-sixth-paper": "A sixth paper",
    "docs-accelerator": "On an accelerator", "docs-architecture": "Architecture",
    "docs-deviations": "Where we deviate", "docs-symbols": "Symbols",
    "search": "Search", "glossary": "Glossary", "made": "How it was made",
}  # fmt: skip
# Pages of the navigation that stand in a menu, by its name; papers have a menu of their own, all others stand alone.
MENUS = {
    "Results": ("figures", "claims", "findings", "privacy", "bounds", "statements", "on-request"),
    "Documentation": (
        "install", "regression", "docs-library", "docs-regression", "example-regression", "example-instruments",
        "api", "api-algorithms", "api-models", "api-privacy", "api-noise", "api-audits", "docs-beyond",
        "docs-pipeline", "docs-configuration", "docs-contender", "docs-sixth-paper", "docs-accelerator",
        "docs-architecture",
    ),
    "About": ("glossary", "docs-symbols", "docs-deviations", "made", "reliability"),
}  # fmt: skip
STATIC = (
    "style.css", "report.js", "gaussian.js", "calculator.js", "choose.js", "search.js", "minisearch.js",
    "minisearch.txt", "curves.js",
)  # fmt: skip
# The index of the search, made of the results.
INDEX = "search-data.js"
# The points of a paper's curves.
CURVES = "curves-{paper}.js"
COMPUTE = "compute.js"
# Files on how the software was tried and for the calculator, which commands outside of a build write, and documents; a
# checkout may lack any of them.
TRIALS = (
    "docs/damage.csv",
    "docs/fuzz.csv",
    "docs/cluster.csv",
    "docs/scaling.csv",
    "docs/samplers.csv",
    "docs/speed.csv",
    "docs/training.csv",
    "docs/cells.csv",
    "results/bench.csv",
    *DOCUMENTS.values(),
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
