"""The pages that a call of Snakemake names last."""

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dpdescent.replication.build import landing_page

REPORT = "results/mine/report"


def project(*keys: str) -> Any:
    """Papers, each with a figure and one on request."""

    def artefact(key: str, name: str, requested: bool) -> Any:
        item = f"on_request/{key}/{name}" if requested else f"{key}/{name}"
        return SimpleNamespace(paper=key, id=name, item=item, on_request=requested)

    papers = {
        key: SimpleNamespace(
            artefacts={"fig01": artefact(key, "fig01", False)}, on_request={"x": artefact(key, "x", True)}
        )
        for key in keys
    }
    return SimpleNamespace(scale="mine", papers=papers)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which everything was built: tables first, then pages."""
    monkeypatch.chdir(tmp_path)
    tables = [f"results/mine/{name}.csv" for name in ("p/fig01", "on_request/p/x")]
    pages = [*(f"{REPORT}/{name}.html" for name in ("index", "p", "on-request")), "build/mine/pages/p/fig01.html"]
    for time, file in enumerate([*tables, *pages], 1000):
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).touch()
        os.utime(file, (time, time))
    return tmp_path


@pytest.mark.parametrize(
    ("targets", "papers", "page"),
    [
        ([], "pq", f"{REPORT}/index.html"),
        ([], "p", f"{REPORT}/p.html"),
        (["all"], "pq", f"{REPORT}/index.html"),
        (["p"], "pq", f"{REPORT}/p.html"),
        (["p_fig01"], "pq", f"{REPORT}/p.html#fig01"),
        (["results/mine/p/fig01.svg"], "p", f"{REPORT}/p.html#fig01"),
        (["p_x"], "p", f"{REPORT}/on-request.html#p-x"),
    ],
)
def test_page_is_the_one_that_shows_what_was_asked_for(here: Path, targets: list[str], papers: str, page: str) -> None:
    assert landing_page.lines(project(*papers), targets) == [f"Open {page}"]


@pytest.mark.parametrize("target", ["p_claims", "build/mine/packs/p/fig01/1.csv", "q"])
def test_no_page_is_named_that_shows_nothing_or_is_not_there(here: Path, target: str) -> None:
    assert landing_page.lines(project("p", "q"), [target]) == []


def test_report_that_is_older_than_the_figure_says_so(here: Path) -> None:
    os.utime("results/mine/p/fig01.csv", (9000, 9000))
    (line,) = landing_page.lines(project("p"), ["p_fig01"])
    assert line == f"Open {REPORT}/p.html#fig01 (its numbers and claims are those of the last whole build)"


def test_page_by_itself_stands_in_for_a_report(here: Path) -> None:
    Path(f"{REPORT}/p.html").unlink()
    assert landing_page.lines(project("p"), ["p_fig01"]) == ["Open build/mine/pages/p/fig01.html"]
