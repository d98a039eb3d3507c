"""The account as a paper: its numbers are the tables' own, a missing one is told, equal tables give equal bytes."""

import csv
import functools
import importlib.util
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from dpdescent.replication.article import document, lookups, rows, typeset
from dpdescent.replication.build import files
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
    r"(?:Figure|Theorem|Lemma|Corollary|Corollaries|Algorithms?) (?:[A-Z]\.)?\d+(?:\.\d+)?(?: and \d+(?:\.\d+)?)?"
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
        (
            lambda: TABLES.count("claims.csv", note=lookups.Holding("no such words")),
            "claims.csv has no row with note Holding(words='no such words')",
        ),
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


def tables(folder: Path, **contents: list[Row]) -> lookups.Tables:
    """Tables of a few rows."""
    for name, content in contents.items():
        files.write_rows(folder / f"{name}.csv", list(content[0]), content)
    return lookups.Tables(folder, folder)


def judged_twice(name: str, now: str, why: str = "", **elsewhere: str) -> tuple[Row, Row]:
    """A paper's claim as it is judged now, and its row of another seed."""
    claim = {"paper": "key", "claim": name, "source": "paper", "verdict": now, "measured": "2", "why": why}
    row = {"paper": "key", "claim": name, "verdict": now, "measured": "2", "other_verdict": now} | elsewhere
    return claim, row


def test_a_verdict_counts_as_repeated_while_its_claim_is_what_it_was(tmp_path: Path) -> None:
    """Because a seed that was looked at before a claim changed says nothing of the claim as it is now."""
    pairs = [
        judged_twice("twice", "reproduced"),
        judged_twice("of another value", "reproduced", measured="3"),
        judged_twice("of another verdict", "not reproduced", verdict="not testable", other_verdict="not testable"),
        judged_twice("open elsewhere once", "not reproduced", verdict="not reproduced", other_verdict="inconclusive"),
        judged_twice("taken back", "inconclusive", "another seed", verdict="reproduced", other_verdict="inconclusive"),
    ]
    new, _ = judged_twice("new", "reproduced")
    found = tables(tmp_path, claims=[*(claim for claim, _ in pairs), new], seed_check=[row for _, row in pairs])
    assert (found.repeated(), found.repeated("reproduced"), found.repeated("not reproduced")) == (3, 1, 0)
    assert [row["claim"] for row in found.alone("reproduced")] == ["of another value", "new"]
    assert [row["claim"] for row in found.alone("not reproduced")] == ["of another verdict", "open elsewhere once"]


def test_every_other_seed_must_have_repeated_a_verdict(tmp_path: Path) -> None:
    claim, seven = judged_twice("a", "reproduced")
    found = tables(tmp_path, claims=[claim], seed_check=[seven, seven | {"other_verdict": "inconclusive"}])
    assert (found.repeated(), found.repeated("reproduced"), len(found.alone("reproduced"))) == (1, 0, 1)


def test_verdicts_on_one_seed_are_told(text: str) -> None:
    """The article's counts add up: a verdict was reached twice or rests on one seed."""
    for verdict in ("reproduced", "not reproduced"):
        twice, once = TABLES.repeated(verdict), TABLES.alone(verdict)
        assert twice + len(once) == TABLES.count("claims.csv", source="paper", verdict=verdict)
        assert str(twice) in text


CELLS = [
    {"paper": "key", "claim": "a", "cell": f"n = {n}, p = 5: covered", "value": str(value), "verdict": verdict}
    for n, value, verdict in ((10, 0.5, "reproduced"), (20, 0.25, "not reproduced"), (30, 0.25, "not reproduced"))
]


def test_cells_are_read_by_the_symbols_of_their_names(tmp_path: Path) -> None:
    found = tables(tmp_path, claims_cells=CELLS)
    assert found.cells("key", "a") == [0.25, 0.5]
    assert found.cells("key", "a", "n", verdict="not reproduced") == [20.0, 30.0]
    assert found.cells("key", "a", n="10") == [0.5]
    with pytest.raises(lookups.Missing, match="has no cell of a with verdict that is not empty, n '40'"):
        found.cells("key", "a", n="40")
    with pytest.raises(lookups.Missing, match="has no number in column 'T': 'no such column'"):
        found.cells("key", "a", "T")


def test_what_all_have_is_one_number(tmp_path: Path) -> None:
    found = tables(tmp_path, claims_cells=CELLS)
    assert found.only(found.cells("key", "a", verdict="not reproduced")) == 0.25
    with pytest.raises(lookups.Missing, match=r"the numbers are 0\.25, 0\.5, and the sentence says one"):
        found.only(found.cells("key", "a"))


def test_a_number_in_a_note_is_found_by_the_words_about_it(tmp_path: Path) -> None:
    note = {"paper": "key", "claim": "a", "note": "1 at tail, 0.997 at F8 (3 runs), -1.71 to 1e-06 along p"}
    found = tables(tmp_path, claims=[note])
    assert found.noted("claims.csv", "note", "# at F8 (", claim="a") == [0.997]
    assert found.noted("claims.csv", "note", "# to # along p", claim="a") == [-1.71, 1e-6]
    with pytest.raises(lookups.Missing, match="has '# at F9' 0 times in 'note' with claim 'a'"):
        found.noted("claims.csv", "note", "# at F9", claim="a")


def test_exact_values_have_a_point_for_an_interval(tmp_path: Path) -> None:
    ends = [("1", "1"), ("1", "2"), ("", "")]
    found = tables(tmp_path, claims=[{"claim": "a", "low": low, "high": high} for low, high in ends])
    assert found.exact("claims.csv", claim="a") == 1


def attack(finding: str, paper: str, **numbers: str) -> Row:
    return {
        "paper": paper, "finding": finding, "place": finding, "eps_paper": "1", "eps_audit_low": "10.2",
        "eps_any_law_low": "10.2", "eps_attained": "", "delta": "1e-06",
    } | numbers  # fmt: skip


ATTACKS = [
    attack("slight", "key", eps_any_law_low="5.35"), attack("grave", "key"), attack("grave", "key"),
    attack("program", "ours"),
]  # fmt: skip


def test_refuted_statements_stand_by_severity(tmp_path: Path) -> None:
    severities = {("key", "slight"): "cosmetic", ("key", "grave"): "high", ("ours", "program"): "medium"}
    named = [{"paper": paper, "finding": name, "severity": how} for (paper, name), how in severities.items()]
    shown = rows.of_refuted(tables(tmp_path, findings=named), ATTACKS)
    assert [row[1] for row in shown] == ["high", "high", "medium", "cosmetic"]
    assert [row[3] for row in shown] == ["10.2", "10.2", "10.2", "10.2 (5.35)"]
    assert [row[0] for row in shown] == ["grave (`key`)", "grave (`key`)", "program", "slight (`key`)"]
    with pytest.raises(lookups.Missing, match=r"findings\.csv has 0 rows with paper 'key', finding 'slight'"):
        rows.of_refuted(tables(tmp_path / "less", findings=named[1:]), ATTACKS)


def test_failed_claims_stand_by_severity_and_say_which_rest_on_one_seed(tmp_path: Path) -> None:
    """The gravest finding that the inventory names beside a claim, not beside another one."""
    claims = [
        judged_twice(name, "not reproduced")[0]
        | {"location": name, "statement": "", "quantity": "", "low": "2", "high": "2", "criterion": ""}
        for name in ("without", "slight", "grave")
    ]
    checks = [judged_twice(claim["claim"], "not reproduced")[1] for claim in claims[1:]]
    named = [{"paper": "key", "finding": how, "severity": how} for how in ("cosmetic", "low", "high")]
    (tmp_path / "docs/statements").mkdir(parents=True)
    covered = ("without", "slight; finding:low; finding:cosmetic", "grave; bound:grave", "grave; finding:high")
    inventory = [{"covered_by": judges} for judges in covered]
    files.write_rows(tmp_path / "docs/statements/key.csv", ["covered_by"], inventory)
    shown = rows.of_failed(tables(tmp_path, claims=claims, seed_check=checks, findings=named), claims)
    assert [where.split(" \\ ")[-2:] for where in (row[0] for row in shown)] == [
        ["grave", "_high_"], ["slight", "_low_"], ["without", "_no finding, one seed_"],
    ]  # fmt: skip


def test_several_attacks_may_refute_one_statement() -> None:
    assert rows.statements_refuted(ATTACKS) == {"papers": 2, "programs": 1}


def test_nothing_is_a_dash_in_a_table_of_counts() -> None:
    shown = rows.of_verdicts([{"paper": "key", "source": "paper", "verdict": "reproduced"}] * 1234, ["key"])
    assert shown == [["`key`", "1,234", "–", "–", "–", "1,234", "–", "–", "–"]]


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


def test_no_table_floats(text: str, typst: ModuleType) -> None:
    """Because a table that floats may stand in a sentence."""
    figures = json.loads(typst.query(text.encode(), "figure", root=ROOT, ignore_system_fonts=True))
    tables = [figure for figure in figures if figure["kind"] == "table"]
    assert len(tables) >= 12
    assert [table["placement"] for table in tables if table["placement"] is not None] == []


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
