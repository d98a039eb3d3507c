"""DP regression on a table of one's own: the table is the library's, and what is missing is asked for by name."""

import contextlib
import json
import math
import re
import runpy
import shlex
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_estimate import Run, calling

from dpdescent.commands import __main__ as command
from dpdescent.commands import own_data
from dpdescent.estimators.dp_regression import dp_regression
from dpdescent.exact_sums import LEFT_OUT
from dpdescent.privacy import zcdp
from dpdescent.randomness import stream
from dpdescent.replication.configuration import values as conf

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/regression.md"
N = 2000
GIVEN = "mine.csv --method dp-regression --regressors a,b --outcome y --rho 1 --seed 3"
SCALES = "--scale a=1,b=20,y=50"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command in a folder with `mine.csv`: exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    a, b = rng.standard_normal(N), 20.0 + 2.0 * rng.standard_normal(N)
    y = 4.0 + 3.0 * a - 2.0 * b + rng.standard_normal(N)
    table = np.column_stack([a, b, y, a, np.ones(N)])
    np.savetxt("mine.csv", table, delimiter=",", header='a,b,y,"a, again",const', comments="")

    return calling(capsys)


def written() -> Any:
    return json.loads(Path("estimate.json").read_text(encoding="utf-8"))


def by_library(**given: Any) -> Any:
    a, b, y = np.loadtxt("mine.csv", delimiter=",", skiprows=1)[:, :3].T
    return dp_regression(np.column_stack([a, b]), y, rho=1.0, rng=stream(3, "estimate", "noise"), **given)


@pytest.mark.parametrize(
    ("options", "given"),
    [
        ("", {}), ("--errors equal", {"errors": "equal"}), ("--no-intercept", {"intercept": False}),
        ("--centre b=20,y=-36", {"centre": [0.0, 20.0], "outcome_centre": -36.0}),
        ("--scale y=50 b=20 a=1", {"scale": [1.0, 20.0], "outcome_scale": 50.0}),
    ],
)  # fmt: skip
def test_the_table_is_that_of_the_library(run: Run, options: str, given: dict[str, Any]) -> None:
    code, out, err = run(f"{GIVEN} {options}")
    assert (code, err) == (0, "")
    found, content = by_library(**given), written()
    names = ["const", "a", "b"] if given.get("intercept", True) else ["a", "b"]
    assert content["coefficients"] == dict(zip(names, found.estimate.tolist(), strict=True))
    errors, ends = found.also["standard_errors"].tolist(), found.conf_int().tolist()
    assert content["standard_errors"] == dict(zip(names, errors, strict=True))
    assert [[*row.values()] for row in content["covariance"].values()] == found.also["covariance"].tolist()
    assert content["intervals"] == {name: pytest.approx(pair) for name, pair in zip(names, ends, strict=True)}
    # What the library prints for arrays, but for the columns' names.
    numbers = [line.split()[1:] for line in found.summary().split("\n\n")[1].splitlines()]
    printed = out.split("\n\n")[2].splitlines()
    assert [line.split()[1:] for line in printed] == numbers
    assert [line.split()[0] for line in printed[1:]] == names
    assert content["account"]["rho"] == pytest.approx(1.0, rel=1e-9)
    assert content["account"]["n"] == N
    assert content["warnings"] == []
    assert f"Intervals: for {found.inference.target[:40]}" in out


def test_ends_of_the_outcome_are_the_librarys(run: Run) -> None:
    run(f"{GIVEN} --outcome-range -50 -22")
    found, content = by_library(outcome_range=(-50.0, -22.0)), written()
    assert list(content["coefficients"].values()) == found.estimate.tolist()
    assert content["settings"]["outcome_range"] == [-50.0, -22.0]
    assert found.estimate.tolist() != by_library().estimate.tolist()
    assert "the outcome has the public ends -50 and -22, and outcomes beyond were taken for them" in content["assumed"]
    assert "neither 0/1" not in content["assumed"]


@pytest.mark.parametrize("ends", ["60 0", "0 inf", "nan 1", "0 1e308"])
def test_wrong_ends_of_the_outcome_are_refused(run: Run, ends: str) -> None:
    code, _, err = run(f"{GIVEN} --outcome-range {ends}")
    assert code == 2
    assert "two finite numbers, the smaller one first" in err


def test_the_settings_and_what_is_assumed_are_written(run: Run) -> None:
    _, out, _ = run(f"{GIVEN} {SCALES} --centre b=20")
    content = written()
    assert content["settings"] == {
        "method": "dp-regression", "regressors": ["a", "b"], "outcome": "y", "rho": 1.0,
        "scale": {"a": 1.0, "b": 20.0, "y": 50.0}, "outcome_range": None, "errors": "unequal",
        "intercept": True, "level": 0.95,
        "centre": {"b": 20.0}, "noise": "seeded generator", "seed": 3,
    }  # fmt: skip
    told = " ".join(out.split())
    assert content["assumed"] in told
    assert "the scales a=1, b=20, y=50 are public" in told
    assert "the centres b=20 are public" in told
    run(GIVEN)
    assert "sizes of columns are released with 4 % of the budget" in written()["assumed"]


def test_releases_of_one_kind_are_one_line(run: Run) -> None:
    _, out, _ = run(GIVEN)
    releases = written()["account"]["releases"]
    kinds = [each["what"] for each in releases]
    lines = [line for line in out.splitlines() if re.match(r"  \d+ releases? of the ", line)]
    assert len(lines) == len(set(kinds)) < len(kinds)
    for line in lines:
        count, what = re.match(r"  (\d+) releases? of the (.*?):", line).groups()  # type: ignore[union-attr]
        assert int(count) == kinds.count(what)
        rho = math.fsum(each["rho"] for each in releases if each["what"] == what)
        assert line.endswith(f"rho {rho:.6g}")
    sds = [each["noise_sd"] for each in releases if each["what"] == "mean of clipped gradients"]
    assert f"noise sd {min(sds):.6g} to {max(sds):.6g}" in out


def test_estimates_lie_by_those_of_least_squares(run: Run) -> None:
    run(GIVEN)
    table, content = np.loadtxt("mine.csv", delimiter=",", skiprows=1), written()
    design = np.column_stack([np.ones(N), table[:, :2]])
    exact = np.linalg.lstsq(design, table[:, 2], rcond=None)[0]
    for (name, each), by_ols in zip(content["coefficients"].items(), exact.tolist(), strict=True):
        assert abs(each - by_ols) < 4.0 * content["standard_errors"][name]
    classic = np.sqrt(np.diag(np.linalg.inv(design.T @ design)))
    assert (np.array([*content["standard_errors"].values()]) > 0.8 * classic).all()
    assert (np.array([*content["standard_errors"].values()]) < 3.0 * classic).all()


def test_what_is_not_determined_has_no_interval_and_stands_in_brackets(run: Run) -> None:
    code, out, err = run(f"{GIVEN} --regressors a '\"a, again\"' b --centre b=20 y=-36")
    assert (code, err) == (0, "")
    content = written()
    unknown = {name for name, each in content["intervals"].items() if each is None}
    assert unknown == {"a", "a, again"} == {name for name, each in content["standard_errors"].items() if each is None}
    assert all(re.search(rf"^{name} +\(\S+\) +- +not determined$", out, re.MULTILINE) for name in unknown)
    assert re.search(r"^b +-\d", out, re.MULTILINE)
    assert "Warning: no interval of a, a, again: the released second moment does not determine its direction" in out


def test_blanks_and_commas_separate_alike(run: Run) -> None:
    for given in ("a b", "a,b", "a, b"):
        run(f"{GIVEN} --regressors {given} {SCALES.replace(',', ' ') if given == 'a b' else SCALES}")
        content = written()
        assert content["settings"]["regressors"] == ["a", "b"]
        assert content["settings"]["scale"] == {"a": 1.0, "b": 20.0, "y": 50.0}
    assert own_data.names(["x, y"]) == ["x", "y"]
    assert own_data.names(['x,"a, again"', "z=1"]) == ["x", "a, again", "z=1"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--rho 0.001", r"too few for sizes to be released, \d+ would do: give .*--scale a=\.\.\.,b=\.\.\.,y=\.\.\."),
        ("--scale a=1 b=2", r"--scale lacks y: give public .*--scale a=\.\.\.,b=\.\.\.,y=\.\.\. .*such as educ=12"),
        ("--scale a=1,b=2,y=0", "--scale y=0 fits no data"),
        ("--scale a=1,b=2,y=-1", "--scale y=-1 fits no data"),
        ("--scale a=1,b=2,y=nan", "y=nan must be finite"),
        ("--scale a=1,b=2,y=x", "--scale y=x: give column=number"),
        ("--scale a=1,b=2,y=1,w=1", "scale: 'w' is no column in use; there are a, b, y"),
        ("--scale a=1,a=2,b=2,y=1", "a has the constant 1.0 already"),
        ("--centre w=1", "centre: 'w' is no column in use"),
        ("--centre y=1e30", r"--centre y=1e\+30 fits no data"),
        ("--errors robust", "invalid choice: 'robust'"),
        ("--regressors a const", "--regressors const: a constant is among the columns anyway; .*--no-intercept"),
        ("--clip-norm 3", "--clip-norm is no option of --method dp-regression"),
        ("--step-size 3", "--step-size is no option of --method dp-regression"),
        ("--steps 40", "--steps is no option of --method dp-regression"),
        ("--instruments a", "--instruments is no option of --method dp-regression"),
        ("--outcome-unit 1", "--outcome-unit is no option of --method dp-regression"),
        ("--publish beta", "--publish is no option of --method dp-regression"),
        ("--epsilon 1", "give one of --rho"),
        ("--secure-noise", "give one of --seed, --secure-noise and --release"),
        ("--method dp-gd --clip-norm 3 --step-size 1 --scale a=1", "--scale is no option of --method dp-gd"),
        ("--method dp-gd --clip-norm 3 --step-size 1 --no-intercept", "--no-intercept is no option of --method dp-gd"),
        ("--method dp-gd --clip-norm 3 --step-size 1 --errors equal", "--errors is no option of --method dp-gd"),
    ],
)
def test_what_is_missing_or_wrong_is_told_by_name(run: Run, options: str, words: str) -> None:
    code, out, err = run(f"{GIVEN} {options}")
    assert (code, out) == (2, "")
    assert re.fullmatch(f"Error: .*{words}.*\n", err), err
    assert not Path("estimate.json").exists()


EXACT = GIVEN.replace("--rho 1 --seed 3", "--epsilon 1")


def test_a_release_says_what_it_promises_in_three_lines(run: Run) -> None:
    code, out, err = run(f"{EXACT} --release")
    assert (code, err) == (0, "")
    content = written()
    promised, rests, left = content["promised"]
    assert out.splitlines()[-4:-1] == [f"{each}." for each in content["promised"]]
    assert promised.startswith("Promised: (1, 1e-06)-differential privacy where one row is replaced")
    assert "one person in one row" in rests
    assert LEFT_OUT in left
    account = content["account"]
    assert (account["arithmetic"], account["guarantee"]) == ("exact", "proved")
    assert account["rho"] == pytest.approx(zcdp.rho_of_renyi_epsilon(1.0, 1e-6), rel=1e-9)
    assert account["epsilon"] == pytest.approx(1.0, rel=1e-9)
    assert content["settings"]["noise"] == "operating system"
    assert "study" not in out
    # It would add its cost.
    assert "--output estimate.json exists" in run(f"{EXACT} --release")[2]
    run(f"{EXACT} --release --output again.json")
    assert json.loads(Path("again.json").read_text())["coefficients"] != content["coefficients"]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 1.0000001, 1.2345674, 0.99999949, 11.357940000001])
def test_what_is_promised_is_not_rounded_down(epsilon: float) -> None:
    told = own_data.promised({"epsilon": epsilon, "delta": 1.23456749e-6})[0]
    shown, delta = map(float, re.findall(r"\(([^,]+), ([^)]+)\)-differential", told)[0])
    assert epsilon <= shown <= epsilon * (1.0 + 1e-5)
    assert delta == 1.23456749e-6
    # The noise has more to spare than a conversion there and back may lose.
    assert "(1, " in own_data.promised({"epsilon": 1.0 + 1e-14, "delta": 1e-6})[0]


@pytest.mark.parametrize("noise", ["--seed 3", "--secure-noise"])
def test_without_release_it_is_a_study(run: Run, noise: str) -> None:
    _, out, _ = run(f"{EXACT} {noise}")
    assert out.startswith("Notice: a study, not a release: ")
    assert "romised" not in out
    assert "promised" not in written()
    assert written()["account"]["arithmetic"] == "floating point"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--release --seed 3", "give one of --seed, --secure-noise and --release"),
        ("--release all", "--release all: it takes no word; give --publish all"),
        ("--release a.csv", "--release a.csv: it takes no word; give a.csv before all options"),
        ("--release --epsilon 0.1", "is below 45, so that a release can have no standard errors: .* or --errors none"),
        ("--release --epsilon 0.1 --errors none", "too few for sizes to be released, .*: give public guesses of all "
         r"sizes by --scale a=...,b=...,y=... \(such as educ=12 for years of schooling\)"),
        ("--release --method dp-gd", "--clip-norm is needed: .*, such as 5 sqrt"),
        ("--release --method dp-2s-gd", "--instruments is needed|is no option of --method dp-2s-gd"),
    ],
)  # fmt: skip
def test_what_a_release_lacks_is_told_by_name(run: Run, options: str, words: str) -> None:
    code, out, err = run(f"{EXACT} {options}")
    assert (code, out) == (2, "")
    assert re.fullmatch(f"Error: .*({words}).*\n", err), err
    assert not Path("estimate.json").exists()


@pytest.mark.parametrize("option", ["--scale a=1", "--no-intercept", "--errors equal"])
def test_instruments_take_no_option_of_a_regression(run: Run, option: str) -> None:
    _, _, err = run(f"mine.csv --regressors a --outcome y {option} --seed 1")
    assert f"{option.split()[0]} is no option of --method dp-2s-gd: leave it out, or choose" in err


def test_without_a_constant_among_the_columns_const_is_a_name_as_any(run: Run) -> None:
    code, _, err = run(f"{GIVEN} --regressors const a b --no-intercept --centre b=20")
    assert (code, err) == (0, "")
    assert [*written()["coefficients"]] == ["const", "a", "b"]


@pytest.mark.parametrize(
    ("rho", "words"),
    [
        (1e-6, r"n sqrt\(rho\) / p = 0\.67 is below 3: the estimate is 0"),
        (1e-3, r"no standard errors: n sqrt\(rho\) / p = 21\.1 is below 45; more records"),
    ],
)
def test_where_there_are_no_standard_errors_it_is_said_why(run: Run, rho: float, words: str) -> None:
    code, out, err = run(f"{GIVEN} --rho {rho} {SCALES}")
    assert (code, err) == (0, "")
    content = written()
    assert content["intervals"] is None
    assert "standard_errors" not in content
    assert "Intervals:" not in out
    assert "std. error" not in out
    (warning,) = content["warnings"]
    assert re.match(words, warning)
    assert f"Warning: {warning}." in out
    # Of the estimate 0 nothing is released.
    assert (content["account"]["releases"] == []) is (rho == 1e-6)


def test_secure_noise_is_proved_and_fresh(run: Run) -> None:
    given = GIVEN.replace("--seed 3", "--secure-noise")
    _, out, _ = run(f"{given} --epsilon 2 --delta 1e-5".replace("--rho 1", ""))
    content = written()
    assert content["account"]["guarantee"] == "proved"
    assert content["account"]["epsilon"] == pytest.approx(2.0, rel=1e-6)
    assert "noise of the operating system" in out
    assert run(given)[2].startswith("Error: --output estimate.json exists")


def test_help_names_it_first_and_its_command_is_that_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["estimate", "--help"])
    told = capsys.readouterr().out
    assert told.index("take --method dp-regression") < told.index("--method dp-2s-gd (liang2025)")
    (shown,) = re.findall(r"^  (dpdescent estimate wages\.csv .*)$", told, re.MULTILINE)
    assert f"\n{shown}\n" in PAGE.read_text(encoding="utf-8")


def test_the_paragraph_has_the_numbers_of_the_page_s_first_command_and_no_others(run: Run) -> None:
    text = PAGE.read_text(encoding="utf-8")
    shutil.copy(ROOT / "examples/wages.csv", ".")
    (line,) = re.findall(r"^dpdescent estimate (.*--seed \d+)$", text, re.MULTILINE)
    run(line)
    # All numbers are the study's but for rho, which is a release's: its noise is discrete.
    content, version = written(), conf.read_yaml(ROOT / "CITATION.cff")["version"]
    account, (low, high) = content["account"], content["intervals"]["educ"]
    rho = zcdp.rho_of_renyi_epsilon(account["epsilon"], account["delta"])
    expected = [
        f"(n = {account['n']:,})", f"({account['epsilon']:.3g}, {account['delta']:.0e})".replace("e-0", "e-"),
        f"rho = {rho:.3g})", f"dpdescent {version}:", f"{content['coefficients']['educ']:.3g} more",
        f"(standard error {content['standard_errors']['educ']:.2g}, 95 % interval {low:.3g} to {high:.3g})",
    ]  # fmt: skip
    told = " ".join(re.findall(r"^> (.*)$", text, re.MULTILINE))
    assert [each for each in expected if each not in told] == []
    numbers = r"\d[\d.,e-]*\d|\d"
    assert re.findall(numbers, told) == re.findall(numbers, " ".join(expected))
    assert account["relation"] == "replace-one"
    assert content["settings"]["errors"] == "unequal"


def test_commands_and_blocks_of_the_page_run_and_give_its_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8")
    shells = re.findall(r"^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```$)?", text, re.MULTILINE | re.DOTALL)
    assert len(shells) == 2
    for lines, shown in shells:
        for line in lines.replace("\\\n", " ").splitlines():
            assert line.startswith("dpdescent ")
            with contextlib.suppress(FileNotFoundError):
                Path("estimate.json").unlink()
            command.main(shlex.split(line)[1:])
        printed = capsys.readouterr().out
        if shown:
            assert all(each in printed for each in re.findall(r"^DP regression.*$", shown, re.MULTILINE))
            for name, *numbers in re.findall(r"^(\w+) +(\S+) +(\S+) +(\S+) to +(\S+)$", shown, re.MULTILINE):
                content = written()
                exact = content["coefficients"][name], content["standard_errors"][name], *content["intervals"][name]
                assert [float(each) for each in numbers] == pytest.approx(exact, rel=2e-3)
            assert len(re.findall(" to ", shown)) >= len(written()["coefficients"])
    shutil.copy(ROOT / "examples/wages.csv", tmp_path)
    blocks = runpy.run_path(str(ROOT / "tests/library/examples.py"))["run"](PAGE)
    assert blocks == text.count("```python") > 2
