"""The report as the code makes it now from the committed results, for tests of its text and tests in a browser."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from dpdescent.replication.configuration import choices, project
from dpdescent.replication.report import about, content, pages, site

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results/paper"
INVENTORIES = sorted((ROOT / "docs/statements").glob("*.csv"))
TRIALS = [ROOT / file for file in pages.trials(ROOT)]


@cache
def papers() -> list[dict[str, Any]]:
    """What the report knows of each paper beside its results."""
    made = project.load({"scale": "paper", "seed": 20250922, "papers": "all"}, ROOT)
    found = [json.loads(json.dumps(about.about(made, key, ROOT))) for key in made.papers]
    return [{**each, "settings": choices.with_meanings(each["settings"], each["symbols"])} for each in found]


@cache
def texts() -> dict[str, str]:
    """All pages and scripts by the name of their file, except what differs between rebuilds."""
    return site.pages(content.load(RESULTS, papers(), INVENTORIES, TRIALS), about.software(ROOT))


def write(folder: Path) -> Path:
    """Writes the site into a folder as a build would, beside links to the committed results, and returns where."""
    report = folder / "paper/report"
    report.mkdir(parents=True)
    for file in RESULTS.iterdir():
        if file.name != report.name:
            (report.parent / file.name).symlink_to(file)
    for file in RESULTS.parent.glob("bench.*"):
        (folder / file.name).symlink_to(file)
    (report / pages.COMPUTE).write_bytes((RESULTS / "report" / pages.COMPUTE).read_bytes())
    for name, text in texts().items():
        (report / name).write_text(text, encoding="utf-8")
    return report
