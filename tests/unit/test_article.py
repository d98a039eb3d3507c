"""The account as a paper: its numbers are the tables' own, a missing one is told, equal tables give equal bytes."""

import csv
import functools
import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from dpdescent.replication.article import document, lookups, rows, typeset
from dpdescent.replication.commands import article
from dpdescent.replication.configuration import project, values
from dpdescent.replication.report import about, references

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results/paper"
TEMPLATE = (document.HERE / document.TEMPLATE).read_text(encoding="utf-8")
PAPERS = [
    values.read_yaml(file)["paper"] | {"key": file.stem} for file in sorted((ROOT / "config/papers").glob("*.yaml"))
]

Row = dict[str, str]


LOAD = project.load


@functools.cache
def configured() -> project.Project:
    return LOAD({"scale": "paper", "seed": 20250922, "papers": "all"}, ROOT)


@pytest.fixture(autouse=True)
def configured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Because reading it takes most of an article's time, and no test here changes it."""
    monkeypatch.setattr(document.project, "load", lambda config, root: configured())


@pytest.fixture(scope="module")
def text() -> str:
    return document.source(ROOT, RESULTS)


@pytest.fixture
def typst() -> ModuleType:
    return pytest.importorskip("typst", reason="typst is not installed; the group article of pyproject.toml has it")


def prose() -> list[str]:
    """Lines of the template that are sentences, without what is looked up, and without typst's own code."""
    lines = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", "", TEMPLATE, flags=re.DOTALL).splitlines()
    kept = [line for line in lines if not re.match(r"\s*[#$)]", line)]
    return [re.sub(r"\$[^$]*\$|`[^`]*`|\]\) <[\w-]+>$", "", line).strip() for line in kept]


# Numbers in names: of places, methods, works, and levels, which no table has.
NAMES = re.compile(
    r"(?:Figure|Theorem|Lemma|Corollary|Corollaries|Algorithm) (?:[A-Z]\.)?\d+(?:\.\d+)?(?: and \d+\.\d+)?"
    r"|2SLS|2S-GD|(?:95|99\.99) %|arXiv \d{4}\.\d{5}|@\w+|<\w+>"
)


def test_no_number_of_the_prose_is_typed_by_hand() -> None:
    typed = [line for line in prose() if re.search(r"\d", NAMES.sub("", line))]
    assert typed == []


def test_a_line_of_the_prose_is_a_sentence() -> None:
    """Because an error names the line."""
    assert [line for line in prose() if re.search(r"[a-z\d)][.?!] [A-Z“]", line)] == []


def edited(folder: Path, file: str, change: Callable[[list[Row]], list[Row]]) -> tuple[Path, Path]:
    """A checkout with one table of its results edited; all other files are links."""
    results = folder / "results/paper"
    results.mkdir(parents=True)
    for each in ROOT.iterdir():
        if each.name not in ("results", ".git", ".venv", "build"):
            (folder / each.name).symlink_to(each)
    for each in RESULTS.iterdir():
        if each.name != file:
            (results / each.name).symlink_to(each)
    with open(RESULTS / file, encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with open(results / file, "w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(change(rows))
    return folder, results


CLAIM = "schedule-saves-a-third"


def gone(rows: list[Row]) -> list[Row]:
    return [row for row in rows if row["claim"] != CLAIM]


def without_number(rows: list[Row]) -> list[Row]:
    return [row | ({"measured": ""} if row["claim"] == CLAIM else {}) for row in rows]


def failed(rows: list[Row]) -> list[Row]:
    return [row | ({"verdict": "not reproduced"} if row["claim"] == CLAIM else {}) for row in rows]


@pytest.mark.parametrize(
    ("change", "missing"),
    [
        (gone, f"claims.csv has 0 rows with paper 'ours', claim '{CLAIM}', and the sentence needs one"),
        (without_number, f"claims.csv has no 'measured' with paper 'ours', claim '{CLAIM}'"),
        (failed, f"claim {CLAIM} of ours is not reproduced, and the sentence takes it for reproduced"),
    ],
)
def test_a_sentence_without_its_number_is_told(
    change: Callable[[list[Row]], list[Row]], missing: str, tmp_path: Path
) -> None:
    with pytest.raises(document.Unfilled) as told:
        document.source(*edited(tmp_path, "claims.csv", change))
    sentence = next(line for line in TEMPLATE.splitlines() if CLAIM in line)
    assert f"`{sentence}`: {missing}" in str(told.value)


def test_an_unknown_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    known = document.facts(ROOT, RESULTS)
    del known["software"]
    monkeypatch.setattr(document, "facts", lambda root, results: known)
    with pytest.raises(document.Unfilled, match=r"line \d+, `.*`: 'software' is undefined"):
        document.source(ROOT, RESULTS)


TABLES = lookups.Tables(ROOT, RESULTS)


@pytest.mark.parametrize(
    ("ask", "missing"),
    [
        (lambda: TABLES.rows("nowhere.csv"), "there is no table nowhere.csv"),
        (lambda: TABLES.rows("claims.csv", paer="ours"), "claims.csv has no column 'paer'"),
        (lambda: TABLES.count("claims.csv", paper="our"), "claims.csv has no row with paper 'our'"),
        (lambda: TABLES.absent("claims.csv", paper="ours"), "and the sentence says none"),
        (lambda: TABLES.text("claims.csv", "claim", paper="ours"), "and the sentence needs one"),
        (lambda: TABLES.largest("claims.csv", "verdict", paper="ours"), "has no number in column 'verdict'"),
        (lambda: TABLES.largest("audit.csv", "mu"), "has no number in column 'mu': ''"),
        (lambda: TABLES.picture("ours/nothing"), "there is no figure ours/nothing.svg"),
    ],
)
def test_a_lookup_has_no_default(ask: Callable[[], object], missing: str) -> None:
    with pytest.raises(lookups.Missing, match=re.escape(missing)):
        ask()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (10872, "10,872"), (0.61337, "0.613"), (-0.002, "−0.002"), (62500.4, "$6.25 dot 10^(4)$"), (1e-5, "$10^(-5)$"),
        ("set_of #no. [0] <= 1e-3", "set\\_of \\#no. \\[0\\] ≤ 10#super[−3];"), ("T", "#emph[T];"),
        ("rho_2(0)", "ρ#sub[2];(0)"),
        ("Theta_hat", "$hat(Θ)$"), ("sqrt(T)", "$sqrt(#box[#emph[T];])$"),
    ],
)  # fmt: skip
def test_values_are_set_for_readers(value: str | float, shown: str) -> None:
    assert typeset.shown(value) == shown


def test_nothing_but_text_and_numbers_is_shown() -> None:
    for value in (None, True, ["a"], {}):
        with pytest.raises(TypeError, match="is neither text nor a number"):
            typeset.shown(value)
    with pytest.raises(TypeError, match="nan is no number"):
        typeset.shown(float("nan"))
    with pytest.raises(TypeError, match="there are no rows under a, b"):
        typeset.table(["a", "b"], [])


def test_a_cell_without_a_number_is_told() -> None:
    assert rows.of_markdown("| `ours`, p | n |\n|---|---|\n| `the T` | 0.5 (1) |")[1] == [["the #emph[T];", "0.5 (1)"]]
    with pytest.raises(lookups.Missing, match="a cell of a table is 'nan'"):
        rows.of_markdown("| a | b |\n|---|---|\n| 1 | nan |")


def test_figures_are_files_of_the_results(text: str) -> None:
    shown = re.findall(r'#picture\([^"\n]*"/([^"]+)"', text)
    assert 5 <= len(shown) <= 8
    assert all((ROOT / name).is_file() and name.startswith("results/paper/") for name in shown)


def test_papers_are_cited_as_the_report_cites_them() -> None:
    """The file of works that JOSS reads has the same entries, and works of the configuration have its titles."""
    works = (ROOT / document.WORKS).read_text(encoding="utf-8")
    for entry in references.entries(about.software(ROOT), PAPERS):
        assert entry in works, f"{document.WORKS} has another entry than CITATION.cff gives: {entry}"
    others = [work for paper in PAPERS for work in paper.get("others", {}).values()]
    assert others
    assert all(work["title"] in works and work["arxiv"] in works for work in others)


def test_works_are_cited() -> None:
    """Each work once in the file, and each cited by the article or by the page for JOSS."""
    keys = re.findall(r"^@\w+\{(\w+),", (ROOT / document.WORKS).read_text(encoding="utf-8"), flags=re.MULTILINE)
    page = (ROOT / "paper.md").read_text(encoding="utf-8")
    assert len(keys) == len(set(keys))
    assert [key for key in keys if f"@{key}" not in TEMPLATE + page and f"<{key}>" not in TEMPLATE] == []
    assert set(re.findall(r"@(\w+)", page)) <= set(keys)


def test_page_for_joss_has_no_number() -> None:
    """Because nothing would keep it current."""
    _, _, body = (ROOT / "paper.md").read_text(encoding="utf-8").split("---\n", 2)
    assert re.findall(r"\d+", re.sub(r"@\w+", "", body)) == []


def test_pages_and_bytes(text: str, typst: ModuleType, tmp_path: Path) -> None:
    """The article has the length of one; another process makes the same bytes."""
    assert 12 <= document.pages(text, ROOT) <= 20
    made = document.pdf(text, ROOT)
    command = [sys.executable, "-m", "dpdescent", "article", "--output", str(tmp_path / "again.pdf")]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert made == (tmp_path / "again.pdf").read_bytes()


def test_absent_typst_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    found = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "typst" else found(name))
    with pytest.raises(SystemExit) as stop:
        article.main([], "dpdescent article")
    assert re.fullmatch(
        r"typst, which sets the article, is not installed: \.venv/bin/python -m pip install typst==[\d.]+",
        str(stop.value.code),
    )


def test_no_lock_has_typst() -> None:
    assert not any("typst" in file.read_text(encoding="utf-8") for file in ROOT.glob("requirements*.lock"))
