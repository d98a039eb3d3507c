"""Letters to authors, the texts of findings, and the scripts that go with the letters: on the committed tables."""

import ast
import functools
import json
import re
import runpy
import sys
from pathlib import Path

import pytest

from dpdescent.papers import brown2024, choquettechoo2023, liang2025, varshney2022, wang2026  # noqa: F401
from dpdescent.replication.build.files import read_rows
from dpdescent.replication.configuration import project
from dpdescent.replication.judging.evidence import GRAVE, MOST_WORDS, REASONED_KINDS, Evidence, Finding
from dpdescent.replication.report import letters
from dpdescent.replication.report.demonstrations import demonstrations

ROOT = Path(__file__).resolve().parents[2]
PAPERS = sorted(file.stem for file in (ROOT / "config/papers").glob("*.yaml"))
SCRIPTS = demonstrations(ROOT / "src", PAPERS)

# A page: so many lines, of so many characters at most.
LINES, CHARACTERS = 72, 120
LONGEST_SCRIPT = 25


@functools.cache
def found(paper: str) -> dict[str, Finding]:
    module = __import__(f"dpdescent.papers.{paper}.findings", fromlist=["demonstrate"])
    whole = project.load({"scale": "paper", "seed": 20250922, "papers": [paper]}, ROOT)
    evidence = Evidence.read(json.loads(project.judging_json(whole, paper)), ROOT / "results/paper" / paper)
    return {each.finding: each for each in module.demonstrate(evidence)}


def everything() -> dict[str, Finding]:
    return {name: each for paper in PAPERS for name, each in found(paper).items()}


@pytest.mark.parametrize("paper", PAPERS)
def test_findings_are_short_and_have_all_of_their_parts(paper: str) -> None:
    for each in found(paper).values():
        assert each.words <= MOST_WORDS, (each.finding, each.words)
        assert all([each.statement, each.expected, each.measured, each.charitable_reading]), each.finding
        # Parts end without a stop, because pages set one.
        parts = (each.statement, each.measured, each.why, each.charitable_reading, each.repair)
        assert not [part for part in parts if part.endswith(".")], each.finding
        if each.kind in REASONED_KINDS or each.severity in GRAVE:
            assert each.why, each.finding
            assert each.repair, each.finding


@pytest.mark.parametrize("paper", PAPERS)
def test_high_is_a_privacy_guarantee_that_fails_and_what_is_unstated_is_low(paper: str) -> None:
    for each in found(paper).values():
        assert each.severity != "high" or (each.kind, each.status) == ("privacy", "confirmed")
        assert not each.finding.startswith("unstated-") or (each.kind, each.severity) == ("unstated", "low")


def test_a_lone_sign_is_no_word() -> None:
    text = {"statement": "n = 10 -> 0", "expected": "", "measured": "", "charitable_reading": "x'y >= 1"}
    made = Finding("f", "p", "Sec. 1", "text", severity="low", status="question", artefact="a", **text)
    assert made.words == 5


def test_every_grave_finding_has_its_script_and_a_name_of_its_own() -> None:
    names = [name for paper in PAPERS for name in found(paper)]
    grave = [name for name, each in everything().items() if each.severity in GRAVE]
    assert set(grave) == set(SCRIPTS)
    assert all(names.count(name) == 1 for name in grave)
    assert all(each.headline for name, each in everything().items() if name in grave)
    # Of a sentence that begins with a number nobody knows what it is about.
    assert [each.headline for each in everything().values() if re.match(r"[-\d]", each.headline)] == []


def letter(name: str, label: str = "") -> str:
    each, file = everything()[name], SCRIPTS[name]
    row = {column: str(getattr(each, column)) for column in read_rows(ROOT / "results/paper/findings.csv")[0]}
    row |= {"why": each.why, "repair": each.repair}
    about = project.load({"scale": "paper", "seed": 1, "papers": [each.paper]}, ROOT).papers[each.paper].about
    return letters.letter(row, each.shown, about, str(file.relative_to(ROOT)), file.read_text(), label)


@pytest.mark.parametrize("name", SCRIPTS)
def test_letter_is_one_courteous_page(name: str) -> None:
    text, each = letter(name), everything()[name]
    lines = text.splitlines()
    assert len(lines) <= LINES
    assert max(map(len, lines)) <= CHARACTERS
    told = " ".join(text.split())
    for part in (each.statement, each.expected, each.measured, each.why, each.charitable_reading, each.repair):
        assert " ".join(part.split()) in told
    assert SCRIPTS[name].read_text().strip() in text
    assert f"demonstrations/{SCRIPTS[name].name}`" in told
    assert "The maintainers of dpdescent" in lines
    assert "?" in text
    words = re.sub(r"```python\n.*?```", "", text, flags=re.DOTALL).lower()
    assert not [word for word in ("wrong", "mistake", "incorrect", "false", "careless") if word in words]
    assert not re.search(r"\bnan\b|not run", text)


def test_letter_of_another_scale_says_so() -> None:
    assert letter("release-beta-only", "quick scale").startswith("**quick scale: not to be sent**\n")


def test_only_grave_findings_are_told() -> None:
    assert letters.due({"kind": "text", "severity": "medium"})
    assert not letters.due({"kind": "privacy", "severity": "low"})


def test_a_script_must_name_its_finding(tmp_path: Path) -> None:
    folder = tmp_path / "dpdescent/papers/p1/demonstrations"
    folder.mkdir(parents=True)
    (folder / "lemma_2_1.py").write_text('"""lemma-2.1: what it shows."""\n')
    (folder / "__init__.py").write_text("")
    assert demonstrations(tmp_path, ["p1", "p2"]) == {"lemma-2.1": folder / "lemma_2_1.py"}
    (folder / "lemma_2_1.py").write_text('"""Shows lemma 2.1."""\n')
    with pytest.raises(ValueError, match="must begin with the finding"):
        demonstrations(tmp_path, ["p1"])


# Scripts


@pytest.mark.parametrize("name", SCRIPTS)
def test_script_is_short_and_needs_numpy_and_scipy_alone(name: str) -> None:
    text = SCRIPTS[name].read_text()
    assert len(text.splitlines()) <= LONGEST_SCRIPT
    imports = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = [alias.name if isinstance(node, ast.Import) else node.module for node in imports for alias in node.names]
    assert {str(each).split(".")[0] for each in names} <= {"numpy", "scipy"}


def told(name: str, capsys: pytest.CaptureFixture[str]) -> dict[str, list[float]]:
    """Numbers behind each colon or comma of what a script prints, by the words in front of the first number."""
    before = set(sys.modules)
    runpy.run_path(str(SCRIPTS[name]))
    assert not [each for each in set(sys.modules) - before if each.startswith("dpdescent")]
    return {line: [float(each) for each in NUMBER.findall(line)] for line in capsys.readouterr().out.splitlines()}


NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def shown(name: str, *place: str) -> list[float]:
    """The row of the finding's table that begins with these values, without them."""
    (row,) = [row for row in everything()[name].shown[1:] if row[: len(place)] == place]
    return [float(each) for each in row[len(place) :]]


def line_of(lines: dict[str, list[float]], begins: str) -> list[float]:
    (numbers,) = [numbers for line, numbers in lines.items() if line.startswith(begins)]
    return numbers


def test_small_sigma(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told("small-sigma", capsys)
    assert line_of(lines, "sigma = 0.01, one record")[-2:] == [0.04, 1.0]
    for sigma in ("1", "0.3", "0.03", "0.01", "0.001"):
        runs, gradients = shown("small-sigma", sigma)
        _, threshold, largest, clipped = line_of(lines, f"sigma = {sigma}:")
        # A run clips where its first step does, before any noise; later steps clip more or fewer gradients.
        assert (runs == 1.0) is (largest > threshold) is (clipped > 0.0)
        assert (gradients > 0.0) is (clipped > 0.0)


def test_release_beta_only(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told("release-beta-only", capsys)
    for x in ("1", "10", "100", "1e+05"):
        cost, claimed = shown("release-beta-only", x)
        *_, made, printed = line_of(lines, f"x = {float(x):g} in place")
        assert made == pytest.approx(cost, rel=0.005)
        assert printed == claimed == 1.0


def test_sampling_term(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told("sampling-term", capsys)
    moment, projected = line_of(lines, "||Z'r||")
    assert 0.02 < moment < 1.0
    assert projected < 1e-11
    distances = [line_of(lines, f"T = {T}:")[-1] for T in (20, 100, 1000)]
    assert distances == sorted(distances, reverse=True)
    assert distances[-1] < 1e-12
    assert max(float(row[2]) for row in everything()["sampling-term"].shown[1:]) < 1e-12


def test_figure_9(capsys: pytest.CaptureFixture[str]) -> None:
    """Other designs than the figure's: after 100 steps most lie farther from 2SLS than 2SLS from the truth."""
    lines = told("figure-9", capsys)
    early, late = ([line_of(lines, f"seed {seed}, T = {T}:")[-3::2] for seed in range(5)] for T in (100, 10_000))
    assert sum(distance > 0.8 * error for distance, error in early) >= 4
    assert sorted(distance / error for distance, error in late)[3] < 1e-6


def test_angrist_sample(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told("angrist-sample", capsys)
    share, *_, expected, sd, kept = line_of(lines, "more than two")
    measured = everything()["angrist-sample"].measured
    assert f"one expects {expected:.0f} +- {sd:.0f}" in measured
    assert f"{share:.2f}%" in measured
    assert abs(kept - expected) < sd < abs(kept - line_of(lines, "at least two")[-3])


def test_theorem_f1_range(capsys: pytest.CaptureFixture[str]) -> None:
    """The error over the noise by simulation and by the stationary law on a grid."""
    lines = told("theorem-F.1-range", capsys)
    simulated = {T: line_of(lines, f"T = {T}:")[2] for T in (100, 10_000, 1_000_000)}
    law = sys.modules["dpdescent.papers.liang2025.findings"]._error_over_noise
    for T, ratio in simulated.items():
        assert ratio == pytest.approx(law(2.0 * (T / 0.1) ** 0.5 / 200), rel=0.06)
    # Far out it grows like sqrt(T): a hundredfold T, about tenfold.
    assert simulated[1_000_000] > 7.0 * simulated[10_000]
    assert law(100.0) == pytest.approx(50.0, rel=0.05)


def test_preprocessing(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told("preprocessing", capsys)
    _, moved, mu, allowed = line_of(lines, "x = 1e+09, centred")
    assert line_of(lines, "x = 1e+09, by constants")[2] == 0.0
    assert moved == pytest.approx(1.6, abs=0.01)
    assert f"mu = {mu:.3g} where {allowed:g} is allowed" in everything()["preprocessing"].measured


def test_dp_stat_break_rule(capsys: pytest.CaptureFixture[str]) -> None:
    """Shares to within four standard errors; squares have a law with a tail that 4000 draws hardly settle."""
    lines = told("dp-stat-break-rule", capsys)
    half, _ = line_of(lines, "second half")[-2:]
    twice, square = line_of(lines, "gamma at least")
    rule = "as published"
    assert half == pytest.approx(shown("dp-stat-break-rule", rule, "second half")[0], abs=0.045)
    assert twice == pytest.approx(shown("dp-stat-break-rule", rule, "overshoot")[0], abs=0.045)
    assert 0.3 < square / shown("dp-stat-break-rule", rule, "mean square ratio")[0] < 3.0


def test_corollary_3_3_step(capsys: pytest.CaptureFixture[str]) -> None:
    """Single draws against medians of forty: within a factor of five, far from the trivial risk."""
    lines = told("corollary-3.3-step", capsys)
    for d in ("2", "5", "10"):
        _, risk, bound, _, trivial, clipped = line_of(lines, f"d = {d}:")
        median, limit, share = shown("corollary-3.3-step", "2e+05", d)
        assert median / 5 < risk < 5 * median
        assert risk > 1000 * trivial
        assert risk > limit == pytest.approx(bound, rel=0.01)
        assert clipped / 100 == pytest.approx(share, abs=0.01)


def test_high_probability(capsys: pytest.CaptureFixture[str]) -> None:
    """Of 40,000 runs some 13 are above the bound by the law as N grows."""
    lines = told("high-probability", capsys)
    chance = shown("high-probability", "2")[0]
    assert line_of(lines, "as N grows")[-1] == pytest.approx(chance, rel=0.02)
    for N in ("800", "3200"):
        assert chance / 3 < line_of(lines, f"N = {N}:")[1] < 3 * chance


def test_corollary_3_8_step(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told("corollary-3.8-step", capsys)
    rows = [row for row in everything()["corollary-3.8-step"].shown[1:] if row[2] == "Corollary 3.8"]
    for d, T, _, risk, left in rows:
        share = line_of(lines, f"d = {d}, T = {T}:")[2]
        assert share == pytest.approx(float(left), rel=0.01)
        # Without noise the start's risk is 1/2, and what is left of it is what the runs have.
        assert float(risk) == pytest.approx(share / 2, rel=0.25)


def test_theorem_f8_sampling(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told("theorem-f.8-sampling", capsys)
    for place in (("1000", "0.01", "1"), ("1", "0.1", "1")):
        attained, pair = shown("theorem-f.8-sampling", *place)
        *_, made, printed = line_of(lines, f"T = {place[0]},")
        assert made == pytest.approx(attained, rel=0.05)
        assert printed == pytest.approx(pair, rel=0.3)


def test_theorem_d9_renyi(capsys: pytest.CaptureFixture[str]) -> None:
    lines = told("theorem-d.9-renyi", capsys)
    text = everything()["theorem-d.9-renyi"].measured
    attained = float(re.findall(r"eps = ([0-9.]+) in place", text)[0])
    delta = float(re.findall(r"delta = ([0-9.]+) in place", text)[0])
    assert line_of(lines, "T = 50,")[-2] == pytest.approx(attained, rel=0.01)
    assert line_of(lines, "T = 1,")[-1] == pytest.approx(delta, rel=0.05)
