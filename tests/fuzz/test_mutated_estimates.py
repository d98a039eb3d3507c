"""Mutated tables and options of `dpdescent estimate`: a result that makes sense, or one line that quotes no record."""

import contextlib
import io
import json
import math
import os
import random
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from outcomes import Outcomes, is_one_line

from dpdescent.commands import __main__ as command

N = 60
# No message may hold this number, which stands in every record.
SECRET = "31415926.5358"

GIVEN: dict[str, list[str]] = {
    "--instruments": ["z1", "z2"], "--regressors": ["x"], "--outcome": ["y"], "--rho1": ["0.5"], "--rho2": ["2"],
    "--clip-norm1": ["5"], "--clip-norm2": ["10"], "--step-size1": ["0.9"], "--step-size2": ["0.4"], "--steps": ["6"],
    "--seed": ["7"], "--delta": ["1e-6"], "--centre": ["z1=0.5", "x=2"], "--publish": ["beta"],
    "--output": ["out.json"],
}  # fmt: skip

# How options begin that take a number.
NUMERIC = ("rho", "eps", "clip", "ste", "see", "del", "out", "ins", "sca")
# The other methods, with what they share.
SHARED = {name: GIVEN[name] for name in ("--regressors", "--outcome", "--seed", "--delta", "--output")}
BASES: list[dict[str, list[str]]] = [
    GIVEN,
    {**SHARED, "--method": ["dp-iv-gd"], "--instruments": ["z1", "z2"], "--clip-norm1": ["6"], "--clip-norm2": ["9"],
     "--rho": ["8"], "--centre": ["z1=0.5", "x=2"]},
    {**SHARED, "--method": ["dp-iv-gd"], "--instruments": ["z1"], "--clip-norm1": ["6"], "--clip-norm2": ["9"],
     "--epsilon": ["4"], "--outcome-unit": ["2"], "--instrument-bound": ["3"],
     "--centre": ["z1=0.5", "x=2"]},
    {**SHARED, "--method": ["dp-gd"], "--clip-norm": ["9"], "--step-size": ["0.2"], "--epsilon": ["4"],
     "--steps": ["40"], "--centre": ["x=2"]},
    {**SHARED, "--method": ["dp-regression"], "--rho": ["50"], "--scale": ["x=2", "y=5"], "--centre": ["x=2,y=4"],
     "--errors": ["equal"]},
    {**SHARED, "--method": ["dp-regression"], "--regressors": ["x,z1", "z2"], "--epsilon": ["400"]},
]  # fmt: skip

NUMBERS = (
    "0", "-1", "1", "2", "1e-5", "1e-300", "1e-308", "5e-324", "1e-400", "1e300", "1.7e308", "1e400", "inf", "-inf",
    "nan", "", " ", "x", "1_0", "0x10", "1,5", "1e5", "50", "1000", "100000", "10000000", "1000000000", "9" * 25,
    "9" * 5000, "--", "-", "7.0", "true", "\u0661", "\u221e", "{x}", "a=b", "\x00",
)  # fmt: skip
NAMES = (
    "x", "y", "z1", "z2", "secret", "w", "", " ", "X", "x ", "x,y", "z1=1", "=", "x=", "x=nan", "x=1e999", "x=1e308",
    "y=1", "--x", "..", "a\nb", "\ud800", "é", "x" * 300, "x" * 5000, "\x00", SECRET[:-1], "1", "{x}", "beta", "all",
    "Theta",
)  # fmt: skip
FILES = (
    "new.json", "mine.csv", "./mine.csv", "folder", "folder/", ".", "..", "/", "/dev/null", "/dev/zero", "/dev/full",
    "pipe", "loop", "dangling", "link", "kept.json", "absent/deep/new.json", "mine.csv/new.json", "loop/new.json",
    "", " ", "x" * 300, "x" * 5000, "a\nb.json", "\x00", "\ud800.json", "--x", "-", "kept.json/", "/proc/self/mem",
    "empty",
)  # fmt: skip
CELLS = (
    "", " ", "nan", "NA", "null", "inf", "-inf", "1e999", "1e308", "-1e308", "1e-320", "x", "Smith", "1_0", "1,5",
    "1;5", "0x10", "1e", "--", "\"", "'", "\x00", "\r", "\ufeff", "\u0661", "é", "1" * 400, "1" * 140_000, "=1+1",
    "true", "1 2",
)  # fmt: skip

Files = dict[str, list[str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a table, and with all that may lie in place of a file."""
    monkeypatch.chdir(tmp_path)
    os.mkdir("folder")
    os.mkfifo("pipe")
    os.symlink("loop", "loop")
    os.symlink("nowhere", "dangling")
    os.symlink("kept.json", "link")
    Path("kept.json").write_text("kept")
    Path("empty").touch()
    return tmp_path


def table() -> list[str]:
    rng = np.random.default_rng(5)
    Z, u = rng.standard_normal((N, 2)), rng.standard_normal(N)
    x = Z @ [1.0, 0.5] + u + rng.standard_normal(N)
    rows = np.column_stack([Z + np.array([0.5, 0.0]), x + 2.0, 2.0 * x + u]).tolist()
    return ["z1,z2,x,y,secret", *(",".join([*map(repr, row), SECRET]) for row in rows)]


def options(given: Files) -> list[str]:
    return ["estimate", "mine.csv", *(word for name, values in given.items() for word in (name, *values))]


def mutated_options(kind: str, rng: random.Random) -> list[str]:
    given = {name: [*values] for name, values in rng.choice(BASES).items()}
    name = rng.choice(list(given))
    if kind == "number":
        name = rng.choice([each for each in given if each[2:5] in NUMERIC])
        given[name] = [rng.choice(NUMBERS)]
    elif kind == "numbers":
        for name in (each for each in given if each[2:5] in NUMERIC and each not in ("--steps", "--seed", "--delta")):
            given[name] = [
                f"{10 ** rng.choice([rng.uniform(-9, 9), rng.uniform(-200, 200)]):.3g}"
                if rng.random() < 0.4
                else given[name][0]
            ]
    elif kind == "names":
        named = [
            each for each in ("--instruments", "--regressors", "--outcome", "--centre", "--scale") if each in given
        ]
        given[rng.choice(named)] = rng.choices(NAMES, k=rng.randint(1, 3))
    elif kind == "file":
        given["--output"] = [rng.choice(FILES)]
    elif kind == "source":
        return ["estimate", rng.choice(FILES), *options(given)[2:]]
    elif kind == "deleted":
        del given[name]
    elif kind == "secure":
        del given["--seed"]
        given[rng.choice(["--secure-noise", "--release"])], given["--output"] = [], [rng.choice(FILES)]
    else:
        words = options(given)
        words.insert(rng.randrange(1, len(words)), rng.choice([*GIVEN, *NAMES, *NUMBERS]))
        return words
    return options(given)


def mutated_table(kind: str, rng: random.Random) -> bytes:
    lines = table()
    at = rng.randrange(len(lines))
    fields = lines[at].split(",")
    if kind == "cell":
        fields[rng.randrange(len(fields))] = rng.choice(CELLS)
        lines[at] = ",".join(fields)
    elif kind == "header":
        fields = lines[0].split(",")
        fields[rng.randrange(len(fields))] = rng.choice([*CELLS, *NAMES])
        lines[0] = ",".join(fields)
    elif kind == "no header":
        lines = lines[rng.randrange(1, len(lines) - 5) :]
    elif kind == "rows":
        lines = lines[: rng.choice([0, 1, 2, 3, 4])]
    elif kind == "fields":
        lines[at] = rng.choice(
            [lines[at] + ",1", ",".join(fields[:-1]), "", ",", lines[at].replace(",", ";"), "a" + lines[at]]
        )
    elif kind == "column":
        # All values of a column alike, tiny, huge or equal to another column.
        place, factor = rng.randrange(4), rng.choice([0.0, 1e-300, 1e-160, 1e100, 1e160, 1e300])
        rows = [line.split(",") for line in lines[1:]]
        lines[1:] = [",".join([*row[:place], repr(float(row[place]) * factor), *row[place + 1 :]]) for row in rows]
    content = "\n".join(lines).encode("utf-8", "surrogatepass")
    if kind == "bytes":
        where = rng.randrange(len(content))
        content = content[:where] + bytes([rng.randrange(256)]) + content[where + rng.randrange(3) :]
    elif kind == "cut":
        content = content[: rng.randrange(len(content))]
    elif kind == "encoding":
        content = content.decode("utf-8").encode(rng.choice(["utf-16", "utf-32", "utf-8-sig", "utf-16-le"]))
    return content


def run(words: list[str], before: set[str]) -> str:
    """Runs the command; what is accepted must make sense, what is refused be told in a line without a record."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
        # A warning would be a second line, about our code and not about the input.
        warnings.simplefilter("error")
        try:
            command.main(words)
        except SystemExit as end:
            code = int(end.code or 0)
    # As a terminal in UTF-8 would print it.
    out.getvalue().encode()
    err.getvalue().encode(errors="backslashreplace")
    if code:
        assert code == 2
        assert out.getvalue() == ""
        assert is_one_line(err.getvalue()), err.getvalue()[:300]
        assert SECRET not in err.getvalue()
        assert "Smith" not in err.getvalue()
        assert set(os.listdir()) == before
        return "one line"
    if "--help" in words or "-h" in words:
        return "help"
    assert err.getvalue() == "", err.getvalue()
    (written,) = [
        line.removeprefix("written to ") for line in out.getvalue().splitlines() if line.startswith("written to")
    ]
    assert os.path.isfile(written)
    require_sense(json.loads(Path(written).read_text(encoding="utf-8")), words)
    assert "warnings" in Path(written).read_text(encoding="utf-8")
    return "result"


def require_sense(content: dict[str, object], words: list[str]) -> None:
    account, settings = content["account"], content["settings"]
    beta = content["coefficients"] if "coefficients" in content else content["beta"]
    assert isinstance(account, dict)
    assert isinstance(settings, dict)
    assert isinstance(beta, dict)
    assert all(math.isfinite(value) for value in beta.values())
    assert list(beta) == ["const"] * settings.get("intercept", False) + settings["regressors"]
    instruments = settings.get("instruments", [])
    assert settings["outcome"] not in [*settings["regressors"], *instruments]
    assert len(set(instruments)) == len(instruments)
    for low, high in filter(None, (content.get("intervals") or {}).values()):
        assert -math.inf < low <= high < math.inf
    assert all(1 <= settings[name] <= 10_000 for name in {"steps", "steps1", "steps2"} & {*settings})
    # 0 where delta alone covers what a tiny budget gives away.
    assert 0.0 <= account["epsilon"] < math.inf
    for each in account["releases"]:
        assert each["noise_sd"] >= sys.float_info.min
        assert each["sensitivity"] >= sys.float_info.min
        # The account is that of the noise, to rounding.
        assert math.isclose(
            each["rho"], each["count"] * (each["sensitivity"] / each["noise_sd"]) ** 2 / 2, rel_tol=1e-9
        )


OPTIONS = {
    "number": 220,
    "numbers": 150,
    "names": 160,
    "file": 60,
    "source": 60,
    "deleted": 15,
    "secure": 40,
    "words": 120,
}
TABLES = {
    "cell": 150, "header": 80, "no header": 20, "rows": 10, "fields": 50, "column": 40, "bytes": 120, "cut": 40,
    "encoding": 20,
}  # fmt: skip


def fuzz_options(folder: Path, share: float, seed: int) -> Outcomes:
    found, rng = Outcomes(), random.Random(seed)
    Path("mine.csv").write_text("\n".join(table()), encoding="utf-8")
    before = set(os.listdir())
    for kind, count in OPTIONS.items():
        for _ in range(int(count * share)):
            words = mutated_options(kind, rng)
            found.take(kind, " ".join(word[:60] for word in words).__repr__(), lambda words=words: run(words, before))  # type: ignore[misc]
            tidy(folder, before)
    return found


def fuzz_tables(folder: Path, share: float, seed: int) -> Outcomes:
    found, rng = Outcomes(), random.Random(seed)
    before = {*os.listdir(), "mine.csv"}
    for kind, count in TABLES.items():
        for number in range(int(count * share)):
            Path("mine.csv").write_bytes(mutated_table(kind, rng))
            found.take(kind, f"number {number}", lambda: run(options(GIVEN), before))
            tidy(folder, before)
    return found


def tidy(folder: Path, before: set[str]) -> None:
    """Takes away what a run wrote, and checks that it left alone what was there."""
    for name in set(os.listdir()) - before:
        path = folder / name
        if path.is_dir():
            for file in sorted(path.rglob("*"), reverse=True):
                file.rmdir() if file.is_dir() else file.unlink()
            path.rmdir()
        else:
            path.unlink()
    assert Path("mine.csv").stat().st_size >= 0
    assert os.readlink("loop") == "loop"
    assert os.readlink("dangling") == "nowhere"
    assert Path("pipe").is_fifo()
    Path("kept.json").write_text("kept")
    if not Path("link").is_symlink():
        Path("link").unlink()
        os.symlink("kept.json", "link")
    Path("empty").write_text("")


def check(found: Outcomes, least: int, what: str) -> None:
    found.record(what)
    assert not found.wrong, "\n".join(found.wrong[:20])
    assert found.total() >= least
    assert 0.1 < found.of("result") / found.total() < 0.8


Fuzz = Callable[[Path, float, int], Outcomes]
WHAT = {fuzz_options: "options of dpdescent estimate", fuzz_tables: "a table for dpdescent estimate"}


@pytest.mark.parametrize(("fuzz", "least"), [(fuzz_options, 800), (fuzz_tables, 500)], ids=["options", "tables"])
def test_mutations_are_results_or_one_line(folder: Path, fuzz: Fuzz, least: int) -> None:
    check(fuzz(folder, 1.0, 1), least, WHAT[fuzz])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 6))
@pytest.mark.parametrize("fuzz", [fuzz_options, fuzz_tables], ids=["options", "tables"])
def test_many_more_mutations_are_results_or_one_line(folder: Path, fuzz: Fuzz, seed: int) -> None:
    check(fuzz(folder, 3.0, seed), 1_500, WHAT[fuzz])
