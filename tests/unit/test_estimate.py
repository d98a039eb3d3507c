"""One run on a table of one's own: the estimate, its account, its notices, its errors, and what it writes."""

import json
import math
import os
import re
import shlex
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from dpdescent import interval_arithmetic as intervals
from dpdescent.algorithms import dp_2s_gd, stability
from dpdescent.commands import __main__ as command
from dpdescent.commands import own_data, two_stage
from dpdescent.data.iv import IVSample
from dpdescent.data.tabular import read_sample
from dpdescent.estimators.dp_2s_gd import Settings
from dpdescent.estimators.dp_gd import dp_gd
from dpdescent.estimators.dp_iv_gd import dp_iv_gd
from dpdescent.privacy import zcdp
from dpdescent.randomness import stream

ROOT = Path(__file__).resolve().parents[2]
N = 400
GIVEN = (
    "mine.csv --instruments z1 z2 --regressors x --outcome y --rho1 0.5 --rho2 2 --clip-norm1 5 --clip-norm2 10 "
    "--step-size1 0.9 --step-size2 0.4 --steps 15"
)
SETTINGS = Settings(rho1=0.5, rho2=2.0, clip_norm1=5.0, clip_norm2=10.0, step_size1=0.9, step_size2=0.4, steps=15)

Run = Callable[[str], tuple[int, str, str]]


def calling(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command, called with a line of options: exit code, standard output and standard error."""

    def call(line: str) -> tuple[int, str, str]:
        code = 0
        try:
            command.main(["estimate", *shlex.split(line)])
        except SystemExit as stop:
            code = int(stop.code or 0)
        return code, *capsys.readouterr()

    return call


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command in a folder with `mine.csv`: exit code, standard output and standard error."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    Z, u = rng.standard_normal((N, 2)), rng.standard_normal(N)
    shift = np.array([0.5, 0.0])
    x = Z @ [1.0, 0.5] + u + rng.standard_normal(N)
    table = np.column_stack([rng.standard_normal(N), Z + shift, x + 2.0, 2.0 * x + u])
    np.savetxt("mine.csv", table, delimiter=",", header="other,z1,z2,x,y", comments="")

    return calling(capsys)


def written(path: str = "estimate.json") -> Any:
    return json.loads(Path(path).read_text(encoding="utf-8"))


def by_hand(Z: Any, X: Any, y: Any, seed: int) -> dp_2s_gd.Descent:
    """Algorithm 1 with noise sd gamma / n sqrt(2 T / rho): 2 gamma / n over sqrt(2 rho / T)."""
    sds = [gamma / N * math.sqrt(2 * 15 / rho) for gamma, rho in ((5.0, 0.5), (10.0, 2.0))]
    columns = [np.array([value]) for value in (0.9, 0.4, 5.0, 10.0, *sds)]
    noise = dp_2s_gd.Normals.draw(stream(seed, "estimate", "noise"), 15, 1, 2)
    return dp_2s_gd.descend(IVSample(Z, X, y), dp_2s_gd.TwoStageArms(np.array([15]), *columns), noise, record=True)


def test_estimate_is_that_of_the_engine(run: Run) -> None:
    code, out, err = run(f"{GIVEN} --seed 11 --centre z1=0.5 x=2 y=4 --publish all")
    assert (code, err) == (0, "")
    table = np.loadtxt("mine.csv", delimiter=",", skiprows=1)
    expected = by_hand(table[:, 1:3] - [0.5, 0.0], table[:, 3:4] - 2.0, table[:, 4] - 4.0, seed=11)
    content = written()
    assert content["beta"] == {"x": pytest.approx(expected.beta[0, 0], rel=1e-12)}
    assert expected.Theta_path is not None
    assert expected.beta_path is not None
    np.testing.assert_allclose(content["Theta_path"], expected.Theta_path[:, 0], rtol=1e-12)
    np.testing.assert_allclose(content["beta_path"], expected.beta_path[:, 0], rtol=1e-12)
    assert f"beta[x] = {expected.beta[0, 0]:.6g}" in out
    assert content["settings"]["seed"] == 11


def test_publishing_beta_writes_nothing_else_and_costs_the_same(run: Run) -> None:
    run(f"{GIVEN} --seed 11 --publish all --output all.json")
    run(f"{GIVEN} --seed 11")
    everything, beta = written("all.json"), written()
    assert set(everything) - set(beta) == {"Theta_path", "beta_path"}
    assert beta["beta"] == everything["beta"]
    differs = {key for key, value in beta["account"].items() if value != everything["account"][key]}
    assert differs == {"release", "release_costs"}
    assert "Theta" not in json.dumps({key: beta[key] for key in ("beta", "settings")})


def epsilon_of(rho: float, delta: float) -> float:
    """Of one Gaussian release with mu = sqrt(2 rho), by Balle and Wang's formula."""
    mu = math.sqrt(2 * rho)

    def surplus(eps: float) -> float:
        return float(
            stats.norm.cdf(mu / 2 - eps / mu) - math.exp(eps) * stats.norm.cdf(-mu / 2 - eps / mu) - delta
        )  # fmt: skip

    return float(optimize.brentq(surplus, 0.0, 100.0, xtol=1e-12))


def test_account_is_that_of_the_noise(run: Run) -> None:
    code, out, _ = run(f"{GIVEN} --seed 1 --delta 1e-5")
    account = written()["account"]
    assert code == 0
    for each, gamma, rho in zip(account["releases"], (5.0, 10.0), (0.5, 2.0), strict=True):
        assert each["sensitivity"] == pytest.approx(2 * gamma / N, rel=1e-15)
        assert each["noise_sd"] == pytest.approx(2 * gamma / N * math.sqrt(15 / (2 * rho)), rel=1e-12)
        assert each["count"] == 15
        assert each["rho"] == pytest.approx(rho, rel=1e-12)
        assert f"noise sd {each['noise_sd']:.6g}" in out
    # Never below the budget, by rounding either.
    assert 2.5 <= account["rho"] <= 2.5 * (1 + 1e-12)
    assert (account["n"], account["relation"]) == (N, "replace-one")
    assert account["epsilon"] == pytest.approx(epsilon_of(2.5, 1e-5), rel=1e-6)
    assert account["holds"].startswith("in exact arithmetic")


def test_noise_in_the_first_step_has_the_sd_of_the_account() -> None:
    """With all gradients zero, the first iterates are step size times noise."""
    zeros = IVSample(np.zeros((N, 2)), np.zeros((N, 1)), np.zeros(N))
    one = Settings(0.5, 2.0, 5.0, 10.0, 0.9, 0.4, steps=1)
    rng = np.random.default_rng(3)
    paths = [two_stage.run(zeros, one, rng, "all").paths for _ in range(4000)]
    first = np.array([path["Theta_path"][1, :, 0] for path in paths]) / 0.9
    second = np.array([path["beta_path"][1, 0] for path in paths]) / 0.4
    for draws, gamma, rho in ((first, 5.0, 0.5), (second, 10.0, 2.0)):
        assert draws.std() == pytest.approx(2 * gamma / N / math.sqrt(2 * rho), rel=0.06)


@pytest.mark.parametrize("noise", ["--seed 3", "--secure-noise"])
@pytest.mark.parametrize("published", ["beta", "all"])
def test_notice_is_given_once_and_is_the_right_one(run: Run, noise: str, published: str) -> None:
    _, out, err = run(f"{GIVEN} {noise} --publish {published}")
    said = own_data.SEEDED if noise == "--seed 3" else own_data.SECURE
    other = own_data.SECURE if noise == "--seed 3" else own_data.SEEDED
    assert (out + err).count(said) == (out + err).lower().count("notice") == 1
    assert other not in out
    assert written()["notice"] == said


def test_same_seed_repeats_the_bytes_and_another_does_not(run: Run) -> None:
    for seed, name in ((7, "a"), (7, "b"), (8, "c")):
        run(f"{GIVEN} --seed {seed} --output {name}.json")
    assert Path("a.json").read_bytes() == Path("b.json").read_bytes()
    assert written("a.json")["beta"] != written("c.json")["beta"]


def test_secure_noise_is_fresh_and_nothing_repeats_it(run: Run) -> None:
    outputs = [run(f"{GIVEN} --secure-noise --output {name}.json") for name in "ab"]
    one, two = written("a.json"), written("b.json")
    assert one["beta"]["x"] != two["beta"]["x"]
    assert {**one, "beta": 0} == {**two, "beta": 0}
    assert "seed" not in one["settings"]
    assert all("seed" not in text.replace("no seed kept", "") for text in (outputs[0][1], json.dumps(one)))


def test_secure_noise_does_not_write_over_a_release(run: Run) -> None:
    run(f"{GIVEN} --secure-noise")
    before = Path("estimate.json").read_bytes()
    code, out, err = run(f"{GIVEN} --secure-noise")
    assert (code, out) == (2, "")
    assert "estimate.json exists" in err
    assert Path("estimate.json").read_bytes() == before


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--epsilon -1", "--epsilon -1 is no budget"), ("--epsilon nan", "--epsilon nan is no budget"),
        ("--epsilon 1 --delta 2", "--delta 2 must"), ("--rho 1 --clip-norm1 -8", "--clip-norm1 -8 fits no data"),
        ("--rho 1 --centre x=", "--centre x="),
    ],
)  # fmt: skip
def test_a_wrong_number_is_told_before_a_file_that_exists(run: Run, options: str, words: str) -> None:
    Path("estimate.json").write_text("a release")
    line = f"{WITH_INTERVALS['dp-iv-gd']} {options} --secure-noise"
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert words in err
    _, _, err = run(f"{WITH_INTERVALS['dp-iv-gd']} --rho 1 --secure-noise")
    assert "estimate.json exists" in err
    _, _, err = run(f"{GIVEN} --secure-noise --rho1 0")
    assert "--rho1 0 is no budget" in err


REST = GIVEN.removeprefix("mine.csv ")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("mine.csv", "--instruments is needed: .*also missing: --regressors, --outcome, --rho1, .*--step-size2"),
        (
            re.sub(r"--clip-norm1 \S+", "", GIVEN) + " --seed 1",
            "--clip-norm1 is needed: .*public guess .*without looking",
        ),
        (re.sub(r"--step-size. \S+", "", GIVEN) + " --seed 1", "--step-size1 is needed: .*also missing: --step-size2"),
        (GIVEN, "one of --seed, --secure-noise and --release"),
        (f"{GIVEN} --seed 1 --secure-noise", "one of --seed, --secure-noise and --release"),
        (f"{GIVEN} --seed -1", "seed=-1"),
        (f"{GIVEN} --seed x", "--seed: invalid int value: 'x'"),
        (f"{GIVEN} --seed 1 --rho1 0", "--rho1 0 is no budget"),
        (f"{GIVEN} --seed 1 --rho2 inf", "--rho2 inf is no budget"),
        (f"{GIVEN} --seed 1 --clip-norm1 nan", "clip_norm1=nan must be positive and finite"),
        (f"{GIVEN} --seed 1 --steps 0", "steps=0 must be positive"),
        (f"{GIVEN} --seed 1 --delta 0", "--delta 0 must lie strictly between 0 and 1"),
        (f"{GIVEN} --seed 1 --delta 0.0025", "below 1/n = 0.0025"),
        (f"{GIVEN} --seed 1 --centre w=1", "'w' is no column in use; there are z1, z2, x, y"),
        (f"{GIVEN} --seed 1 --centre x", "--centre x: give column=number"),
        (f"{GIVEN} --seed 1 --centre x=mean", "--centre x=mean: give column=number"),
        (f"{GIVEN} --seed 1 --centre x=1 x=2", "x has the constant 1.0 already"),
        (f"{GIVEN} --seed 1 --centre x=nan", "x=nan must be finite"),
        (f"{GIVEN} --seed 1 --step-size1 1e200 --step-size2 1e200", "iterates overflow"),
        (f"{GIVEN} --seed 1 --publish Theta", "choose from"),
        (f"{GIVEN} --seed 1 --secure", "unrecognized arguments: --secure"),
        (f"{GIVEN} --seed 1 --output mine.csv", "is the table itself"),
        (f"{GIVEN} --seed 1 --output ./", "is a folder"),
        (f"nine.csv {REST} --seed 1", "nine.csv: no such file; did you mean 'mine.csv'"),
        (f". {REST} --seed 1", "no regular file"),
        (f"{GIVEN} --seed 1 --outcome yy", "no column 'yy'.*did you mean 'y'"),
        (f"{GIVEN} --seed 1 --regressors x x", "regressors: column 'x' stands twice; name it once"),
        (f"{GIVEN} --seed 1 --instruments z1 z1", "instruments: column 'z1' stands twice"),
        (f"{GIVEN} --seed 1 --outcome x", "regressors: column 'x' is the outcome"),
        (f"{GIVEN} --seed 1 --clip-norm2 5e-324", "threshold=5e-324: the sensitivity underflows"),
        (
            f"{GIVEN} --seed 1 --clip-norm1 1e-303 --rho1 1e6",
            "it or the noise underflows; take a larger threshold",
        ),
        (f"{GIVEN} --seed 1 --step-size2 1e-307", "step_size2=1e-307 times noise of sd .* is beyond double precision"),
        (f"{GIVEN} --seed 1 --rho1 5e-324", "--rho1 4.94066e-324 is no budget: give 1e-12, all noise, to 1e\\+06"),
        (f"{GIVEN} --seed 1 --rho2 1e9", "--rho2 1e\\+09 is no budget"),
        (f"{GIVEN} --seed 1 --output mine.json/", "is a folder; name a file"),
        (f"{GIVEN} --seed 1 --output 'a\nb'", "has a character that no terminal shows"),
        (f"{GIVEN} --seed 1 --steps 1000000000", "--steps 1000000000 .* is too much; give at most 10000 steps"),
        (f"{GIVEN} --seed 1 --output /dev/null", "--output /dev/null is no regular file"),
        (f"{GIVEN} --seed 1 --output loop.json", "--output loop.json is no regular file"),
        (f"loop.json {REST} --seed 1", "loop.json: no such file"),
        (f"{GIVEN} --seed 1 --regressors x z1 z2", "2 instruments cannot identify 3 effects"),
    ],
)
def test_wrong_options_end_in_one_line(run: Run, line: str, words: str) -> None:
    os.symlink("loop.json", "loop.json")
    before = sorted(os.listdir())
    table = Path("mine.csv").read_bytes()
    code, out, err = run(line)
    assert (code, out) == (2, "")
    assert re.fullmatch(f"Error: .*{words}.*\n", err), err
    assert sorted(os.listdir()) == before
    assert Path("mine.csv").read_bytes() == table


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (b"", "no column 'z1'.*no header"),
        (b"z1,z2,x,y\n", "0 rows"),
        (b"z1,z2,x,y\n1,2,3,4\n1,,3,4\n", "line 3: column 'z2' is missing"),
        (b"z1,z2,x,y\n1,2,nan,4\n", "line 2: column 'x' is missing"),
        (b"z1,z2,x,y\n1,2,3,four\n", "line 2: column 'y' holds a text, which is not a number"),
        (b"z1,z2,x,y\n1,2,3,1e999\n", "a number that is not finite; only finite ones"),
        (b"1.5,2.5,3.5,4.5\n", "no column 'z1' in its first line .4 fields, not shown"),
        (b"z1,z2,x,y\n1,2,3\n", "3 fields"),
        (b"z1,z2,x,y\n1,2,3,\xff\n", "not UTF-8"),
        (b"z1,z2,x,y\n" + 2 * b"1,2,3,4\n", "2 records do not suffice for 2 instruments"),
        (b"z1,z2,x,y\n1,2,3," + 200_000 * b"1" + b"\n", "line 2: column .y. holds a number that is not finite"),
    ],
)
def test_wrong_tables_end_in_one_line(run: Run, table: bytes, words: str) -> None:
    Path("mine.csv").write_bytes(table)
    code, out, err = run(f"{GIVEN} --seed 1")
    assert (code, out) == (2, "")
    assert re.fullmatch(f"Error: .*{words}.*\n", err), err
    assert os.listdir() == ["mine.csv"]


def test_a_failed_write_keeps_what_was_there_and_says_nothing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run(f"{GIVEN} --seed 1")
    before = Path("estimate.json").read_bytes()

    def fail(*_: object) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "replace", fail)
    code, out, err = run(f"{GIVEN} --seed 2")
    assert (code, out, err) == (2, "", "Error: no space left\n")
    assert Path("estimate.json").read_bytes() == before
    assert sorted(os.listdir()) == ["estimate.json", "mine.csv"]


@pytest.mark.parametrize("size", [1e3, 1e120, 1.7e308])
def test_no_record_moves_a_step_by_more_than_the_sensitivity(run: Run, size: float) -> None:
    """Also one whose squares overflow: it is cut, not turned into NaN."""
    sample = read_sample("mine.csv", ["z1", "z2"], ["x"], "y")
    one = Settings(0.5, 2.0, 5.0, 10.0, 0.9, 0.4, steps=2)
    other = IVSample(sample.Z.copy(), sample.X.copy(), sample.y.copy())
    other.Z[0], other.X[0], other.y[0] = size, -size, size
    paths = [two_stage.run(each, one, np.random.default_rng(1), "all").paths for each in (sample, other)]
    moved = {name: np.linalg.norm(paths[0][name][1] - paths[1][name][1]) for name in paths[0]}
    assert 0 < moved["Theta_path"] <= 0.9 * 2 * 5.0 / N * (1 + 1e-9)
    assert moved["beta_path"] <= 0.4 * 2 * 10.0 / N * (1 + 1e-9)
    assert np.isfinite(paths[1]["beta_path"]).all()


def test_constants_are_taken_off_in_every_role() -> None:
    sample = IVSample(np.array([[1.0, 2.0]]), np.array([[2.0, 3.0]]), np.array([4.0]))
    made = own_data.centred(sample, {"c": 0.5, "y": 1.0}, ["z", "c"], ["c", "x"], "y")
    assert (made.Z.tolist(), made.X.tolist(), made.y.tolist()) == ([[1.0, 1.5]], [[1.5, 3.0]], [3.0])
    assert sample.Z.tolist() == [[1.0, 2.0]]


def test_columns_may_have_an_equals_sign() -> None:
    assert own_data.constants(["a=b=1", "c=-2e3"]) == {"a=b": 1.0, "c": -2000.0}


def test_every_required_setting_says_how_it_is_chosen() -> None:
    assert [*two_stage.CHOICE, "steps"] == list(Settings.__dataclass_fields__)
    assert set(two_stage.RELEASED) == {"beta", "all"}


def test_documented_command_runs(run: Run) -> None:
    text = (ROOT / "docs/pipeline.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^\.venv/bin/dpdescent estimate (mine(?:.*\\\n)*.*)$", text, re.MULTILINE)
    code, out, _ = run(command.replace("\\\n", " "))
    assert code == 0
    assert "together rho 1," in out


def test_pipeline_notice_names_the_tables() -> None:
    notice = own_data.pipeline_notice(["a.csv", "b.csv"])
    assert notice.startswith("Notice: a.csv, b.csv: ")
    assert notice.count(own_data.SEEDED) == 1


def test_pipeline_says_it_when_jobs_start() -> None:
    """There: a dry run and a build with nothing to do stay silent, and no job's own process says it again."""
    calls = [text for file in (ROOT / "Snakefile", *ROOT.glob("workflow/rules/*.smk")) for text in [file.read_text()]]
    assert sum(len(re.findall(r"^onstart:\n    CALL\.start\(\)$", text, re.MULTILINE)) for text in calls) == 1


def test_a_seed_leaves_no_guarantee_and_the_output_says_so(run: Run) -> None:
    """Who has the file can make the noise again; noise of the operating system keeps what is proved."""
    _, out, _ = run(f"{GIVEN} --seed 7 --output seeded.json")
    assert "there is no guarantee" in out
    assert f"guarantee {own_data.REPEATED}" in out
    assert written("seeded.json")["account"]["guarantee"] == own_data.REPEATED
    _, out, _ = run(f"{GIVEN} --secure-noise --output fresh.json")
    assert "no guarantee" not in out
    assert written("fresh.json")["account"]["guarantee"] == "proved"


def test_output_is_no_pipe(run: Run) -> None:
    os.mkfifo("pipe")
    assert "--output pipe is no regular file" in run(f"{GIVEN} --seed 1 --output pipe")[2]
    assert "pipe: no regular file" in run(f"pipe {REST} --seed 1")[2]
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


def test_noise_alone_is_told(run: Run) -> None:
    """The last step adds alpha times the second stage's noise."""
    code, out, _ = run(f"{GIVEN} --seed 1")
    error = 0.4 * 2 * 10.0 / N * math.sqrt(15 / (2 * 2.0))
    assert code == 0
    assert written()["noise_standard_error"] == pytest.approx([error, math.sqrt(15) * error], rel=1e-12)
    assert f"standard error of each by the noise alone: {error:.3g}, or up to {math.sqrt(15) * error:.3g} where" in out
    assert written()["warnings"] == []
    assert "Warning" not in out


def test_oversized_noise_is_told(run: Run) -> None:
    _, out, _ = run(f"{GIVEN} --seed 1 --rho2 1e-6 --step-size2 0.01")
    assert "Warning: no coefficient is above twice the 5.3 that the noise alone may make; take more records" in out
    assert len(written()["warnings"]) == 1


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("steps", [5, 15, 60])
@pytest.mark.parametrize(("eta", "alpha"), [(0.9, 0.4), (0.5, 0.7), (0.05, 0.05), (1.2, 0.4)])
def test_stable_iterates_are_not_warned_of(run: Run, eta: float, alpha: float, steps: int, seed: int) -> None:
    _, out, _ = run(f"{GIVEN} --step-size1 {eta} --step-size2 {alpha} --steps {steps} --seed {seed}")
    assert "stable" not in out


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("steps", [5, 15, 60])
@pytest.mark.parametrize(("name", "value"), [("step-size1", 50.0), ("step-size1", 6.0), ("step-size2", 50.0)])
def test_iterates_that_leave_the_stable_region_are_told(
    run: Run, name: str, value: float, steps: int, seed: int
) -> None:
    _, out, _ = run(f"{GIVEN} --{name} {value} --steps {steps} --seed {seed}")
    assert "Warning: the iterates have left the region where they are stable: steps turn back" in out
    assert f"smaller --{name} than {value:g}" in out


def test_few_steps_show_no_pattern() -> None:
    assert not stability.has_diverged(np.array([[0.0], [1.0], [-1.0], [1.0]]), 1e-3)
    assert stability.has_diverged(np.array([[0.0], [1.0], [-1.0], [1.0], [-1.0]]), 1e-3)


def test_steps_that_diverge_beyond_squares_are_told() -> None:
    assert stability.has_diverged(np.array([[(-1e30) ** t] for t in range(8)]), 1.0)


WITH_INTERVALS = {
    "dp-iv-gd": "mine.csv --method dp-iv-gd --instruments z1 z2 --regressors x --outcome y --clip-norm1 6 "
    "--clip-norm2 9",
    "dp-gd": "mine.csv --method dp-gd --regressors x --outcome y --clip-norm 9 --step-size 0.2",
}


@pytest.mark.parametrize("given", [GIVEN, f"{WITH_INTERVALS['dp-gd']} --rho 1 --steps 40",
    f"{WITH_INTERVALS['dp-iv-gd']} --rho 1",
    f"{WITH_INTERVALS['dp-iv-gd']} --rho 1 --outcome-unit 2 --instrument-bound 3",
])  # fmt: skip
def test_a_release_has_exact_sums(run: Run, given: str) -> None:
    code, out, err = run(f"{given} --release")
    assert (code, err) == (0, "")
    content = written()
    assert content["account"]["arithmetic"] == "exact"
    rho = content["account"]["rho"]
    assert content["account"]["epsilon"] == pytest.approx(zcdp.renyi_epsilon(rho, content["account"]["delta"]))
    assert out.splitlines()[-4:-1] == [f"{each}." for each in content["promised"]]
    assert "a study" not in out


@pytest.mark.parametrize("method", WITH_INTERVALS)
def test_methods_with_intervals_are_those_of_the_library(run: Run, method: str) -> None:
    centre_z = "z1=0.5" if method == "dp-iv-gd" else ""
    code, out, err = run(f"{WITH_INTERVALS[method]} --rho 8 --seed 3 --centre {centre_z} x=2 y=4")
    assert (code, err) == (0, "")
    table = np.loadtxt("mine.csv", delimiter=",", skiprows=1)
    Z, x, y = table[:, 1:3] - [0.5, 0.0], table[:, 3:4] - 2.0, table[:, 4] - 4.0
    rng = stream(3, "estimate", "noise")
    if method == "dp-iv-gd":
        found = dp_iv_gd(Z, x, y, clip_norm1=6.0, clip_norm2=9.0, rho=8.0, rng=rng)
        centre, half = found.estimate, found.also["half_width"]
    else:
        path = dp_gd(x, y, steps=2020, step_size=0.2, clip_norm=9.0, rho=8.0, rng=rng).path
        both = intervals.t_intervals(intervals.batched_means(path, 10, 20))
        centre, half = both.centre, both.half_width
    content = written()
    assert content["beta"]["x"] == pytest.approx(centre[0], rel=1e-12)
    assert content["intervals"]["x"] == pytest.approx([centre[0] - half[0], centre[0] + half[0]], rel=1e-12)
    assert f"95 % interval {content['intervals']['x'][0]:.6g} to" in out
    assert content["account"]["rho"] == pytest.approx(8.0, rel=1e-9)
    assert content["account"]["guarantee"].startswith("none")


def written_records(correlation: float, scale: float = 1.0) -> None:
    """A table of 5000 records with two regressors, and an outcome along their slow direction."""
    rng = np.random.default_rng(7)
    one, other = rng.standard_normal((2, 5000))
    x = np.column_stack([one, scale * (correlation * one + math.sqrt(1.0 - correlation**2) * other)])
    y = x @ [1.0, -1.0 / scale] + rng.standard_normal(5000)
    np.savetxt("two.csv", np.column_stack([x, y]), delimiter=",", header="a,b,y", comments="")


@pytest.mark.parametrize(
    ("correlation", "scale", "options", "words"),
    [
        (0.0, 1.0, "--step-size 0.25", ""), (0.5, 1.0, "--step-size 0.17", ""),
        (0.9, 1.0, "--step-size 0.13", "correlation times"),
        (0.95, 1.0, "--step-size 0.13 --steps 220", "correlation times"),
        (0.0, 0.05, "--step-size 0.25", "correlation times"),
        (0.0, 1.0, "--step-size 0.0002", "still move"), (0.0, 1.0, "--step-size 6 --steps 220", "above 2"),
        (0.0, 1.0, "--step-size 0.25 --steps 60", "a batch of 4 iterates cannot have 6"),
        (0.9, 1.0, "--step-size 0.5 --steps 5020", ""),
    ],
)  # fmt: skip
def test_intervals_of_a_path_that_has_not_mixed_are_refused(
    run: Run, correlation: float, scale: float, options: str, words: str
) -> None:
    written_records(correlation, scale)
    code, out, err = run(
        f"two.csv --method dp-gd --regressors a b --outcome y --clip-norm 10 {options} --epsilon 1 --delta 1e-6 "
        "--seed 2"
    )
    assert (code, err) == (0, "")
    content = written()
    assert (content["intervals"] is None) is bool(words)
    assert ("95 % interval " in out.partition("Warning")[0]) is not bool(words)
    assert any(words in each for each in content["warnings"]) if words else content["warnings"] == []
    assert all(f"Warning: {each}." in out for each in content["warnings"])
    assert all(each.startswith("no interval: ") for each in content["warnings"])


def test_an_anderson_rubin_set_is_printed_where_a_unit_is_given(run: Run) -> None:
    options = "--outcome-unit 2 --instrument-bound 3 --rho 8 --seed 3 --centre z1=0.5 x=2 y=4"
    code, out, err = run(f"{WITH_INTERVALS['dp-iv-gd']} {options}")
    assert (code, err) == (0, "")
    content = written()
    table = np.loadtxt("mine.csv", delimiter=",", skiprows=1)
    Z, x, y = table[:, 1:3] - [0.5, 0.0], table[:, 3:4] - 2.0, table[:, 4] - 4.0
    rng = stream(3, "estimate", "noise")
    found = dp_iv_gd(Z, x, y, clip_norm1=6.0, clip_norm2=9.0, rho=8.0, rng=rng, outcome_unit=2.0, instrument_bound=3.0)
    ends = [[end if np.isfinite(end) else None for end in pair] for pair in found.also["anderson_rubin"].tolist()]
    assert content["anderson_rubin"] == ends
    assert content["first_stage_F"] == pytest.approx(float(found.also["F"]))
    assert "Anderson-Rubin set [" in out
    assert ("the interval is not promised to cover" in out) == (content["first_stage_F"] < 50.0)
    assert len(content["account"]["releases"]) == 5
    assert "1 release of the second moment of clipped instruments" in out
    assert content["account"]["releases"][0]["rho"] == pytest.approx(0.4, rel=1e-9)
    assert content["account"]["rho"] == pytest.approx(8.0, rel=1e-9)
    assert (content["settings"]["outcome_unit"], content["settings"]["instrument_bound"]) == (2.0, 3.0)


@pytest.mark.parametrize("options", ["", "--outcome-unit 2 --instrument-bound 3"])
def test_a_run_can_be_made_again_from_the_settings_that_are_written(run: Run, options: str) -> None:
    _, out, _ = run(f"{WITH_INTERVALS['dp-iv-gd']} --rho 8 --seed 3 {options}")
    content = written()
    settings = content["settings"]
    named = (
        "clip_norm1", "clip_norm2", "rho", "steps1", "tail1", "steps2", "burn_in", "step_size1", "step_size2", "level",
        "shares",
    )  # fmt: skip
    given = {name: settings[name] for name in named}
    also = {name: settings.get(name) for name in ("outcome_unit", "instrument_bound")}
    sample = read_sample("mine.csv", settings["instruments"], settings["regressors"], settings["outcome"])
    found = dp_iv_gd(sample.Z, sample.X, sample.y, **given, **also, rng=stream(settings["seed"], "estimate", "noise"))
    assert content["beta"]["x"] == pytest.approx(found.estimate[0], rel=1e-12)
    counts = [each["count"] for each in content["account"]["releases"] if each["count"] > 1]
    assert counts == [settings["steps1"], settings["steps2"]]
    assert f"{counts[0]} + {counts[1]} steps" in out
    parts = [each["rho"] / 8.0 for each in content["account"]["releases"]]
    assert settings["moment_share"] == pytest.approx(parts.pop(0) if options else 0.0, abs=1e-12)
    rest = [part * (1.0 - settings["moment_share"]) for part in settings["shares"]]
    assert sorted(parts) == pytest.approx(sorted(rest))


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ([], "is empty"), ([[None, None]], "[-inf, inf]"), ([[1.0, 2.5]], "[1, 2.5]"),
        ([[None, -1.0], [3.0, None]], "[-inf, -1] and [3, inf]"),
    ],
)  # fmt: skip
def test_sets_of_all_shapes_are_told(ends: list[list[float | None]], words: str) -> None:
    assert words in own_data._set(ends)


@pytest.mark.parametrize("method", WITH_INTERVALS)
def test_a_budget_may_be_asked_for_as_epsilon(run: Run, method: str) -> None:
    code, _, err = run(f"{WITH_INTERVALS[method]} --epsilon 3 --delta 1e-5 --secure-noise")
    assert (code, err) == (0, "")
    account = written()["account"]
    assert account["epsilon"] == pytest.approx(3.0, rel=1e-6)
    assert account["guarantee"] == "proved"


def test_an_interval_that_would_be_noise_is_refused(run: Run) -> None:
    code, out, err = run(f"{WITH_INTERVALS['dp-iv-gd']} --rho 0.01 --seed 3")
    assert (code, err) == (0, "")
    assert "Warning: no interval: the noise in the released second moment" in out
    assert written()["intervals"] is None


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (f"{WITH_INTERVALS['dp-gd']} --rho 1 --instruments z1", "--instruments is no option of --method dp-gd"),
        (f"{WITH_INTERVALS['dp-gd']} --rho 1 --step-size2 1", "--step-size2 is no option of --method dp-gd"),
        (f"{WITH_INTERVALS['dp-gd']} --rho 1 --steps 33", "33 steps are too few for an interval"),
        (f"{WITH_INTERVALS['dp-gd']} --rho 1 --steps 100000", "--steps 100000 must lie between 1 and 10000"),
        (f"{WITH_INTERVALS['dp-iv-gd']} --rho 1 --steps 20", "--steps is no option of --method dp-iv-gd"),
        (f"{WITH_INTERVALS['dp-iv-gd']} --rho 1 --epsilon 1", "give one of --rho"),
        (WITH_INTERVALS["dp-iv-gd"], "give one of --rho"),
        (f"{WITH_INTERVALS['dp-iv-gd']} --rho 1e-20", "--rho 1e-20 is no budget"),
        (f"{WITH_INTERVALS['dp-iv-gd']} --epsilon 1 --delta 0.5", r"delta 0\.5 must be below 1/n"),
        (f"{WITH_INTERVALS['dp-gd']} --rho 0.1 --delta 0.9", r"delta 0\.9 must be below 1/n"),
        ("mine.csv --method dp-iv-gd --regressors x --outcome y --rho 1", "--instruments is needed"),
        ("mine.csv --method dp-gd --regressors x --outcome x --clip-norm 1 --step-size 1 --rho 1", "'x'"),
        (f"{WITH_INTERVALS['dp-gd']} --rho 1 --publish all", "--publish is no option of --method dp-gd: leave it out"),
        (f"{WITH_INTERVALS['dp-iv-gd']} --rho 1 --publish beta", "--publish is no option of --method dp-iv-gd"),
        (f"{GIVEN} --rho 1", "--rho is no option of --method dp-2s-gd"),
        (f"{GIVEN} --outcome-unit 1", "--outcome-unit is no option of --method dp-2s-gd"),
        (f"{WITH_INTERVALS['dp-gd']} --rho 1 --steps 20", "20 steps are too few for an interval"),
        (f"{WITH_INTERVALS['dp-gd']} --rho 1 --outcome-unit 1", "--outcome-unit is no option of --method dp-gd"),
        (f"{GIVEN} --instrument-bound 1", "--instrument-bound is no option of --method dp-2s-gd"),
        (
            f"{WITH_INTERVALS['dp-gd']} --rho 1 --instrument-bound 1",
            "--instrument-bound is no option of --method dp-gd",
        ),
        (
            f"{WITH_INTERVALS['dp-iv-gd']} --rho 1 --outcome-unit 1",
            "--outcome-unit needs --instrument-bound: .* 5 % of",
        ),
        (f"{WITH_INTERVALS['dp-iv-gd']} --rho 1 --instrument-bound 0", "--instrument-bound 0 fits no data"),
        (
            f"{WITH_INTERVALS['dp-iv-gd']} --rho 1 --outcome-unit 0 --instrument-bound 1",
            "--outcome-unit 0 fits no data",
        ),
        (
            f"{WITH_INTERVALS['dp-iv-gd']} --rho 1 --outcome-unit 1e30 --instrument-bound 1",
            "--outcome-unit 1e\\+30 fits no data",
        ),
        (
            "mine.csv --method dp-iv-gd --instruments z1 z2 --regressors x other --outcome y --clip-norm1 6 "
            "--clip-norm2 9 --rho 1 --outcome-unit 1 --instrument-bound 1",
            "but there are p=2 regressors",
        ),
    ],
)
def test_options_of_other_methods_and_wrong_ones_are_refused(run: Run, options: str, words: str) -> None:
    code, out, err = run(f"{options} --seed 1")
    assert (code, out) == (2, "")
    assert re.search(words, err)
    assert err.count("\n") == 1


def test_the_example_is_told_as_the_documentation_has_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "docs/pipeline.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\.venv/bin/dpdescent (estimate examples/(?:.*\\\n)*.*)$", text, re.MULTILINE)
    assert len(commands) == 2
    monkeypatch.chdir(ROOT)
    for line in commands:
        command.main([*shlex.split(line.replace("\\\n", " ")), "--output", str(tmp_path / "estimate.json")])
        low, high = written(str(tmp_path / "estimate.json"))["intervals"]["x"]
        assert low < high
    assert "95 % interval" in capsys.readouterr().out
