"""What somebody meets who has never seen the project: wrong names, a full disk, a lock that was left."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import copies
import pytest
import sixth_paper
from copies import Build

PAPER = sixth_paper.KEY
FIGURE = f"{PAPER}_fig01"


def told(output: str) -> list[str]:
    """What a call printed beside Snakemake's own notices."""
    notices = ("Using workflow specific profile", "Config file")
    return [line for line in output.splitlines() if line and not line.startswith(notices)]


@pytest.fixture
def clone(sixth: Build, tmp_path: Path) -> Path:
    """A copy of a finished build of one small paper."""
    return Path(shutil.copytree(sixth.folder, tmp_path / "copy"))


def with_odd_words(folder: Path) -> None:
    """A scale whose titles and label have a wildcard's braces, a formula that is none, and the look of an option."""
    (folder / "config/scales/odd.yaml").write_text(
        "label: --x {label} $\npapers:\n  sixth2026:\n    artefacts:\n"
        "      fig01: {title: 'Error of $hat{beta}$ and {key} $\\frac{$'}\n      table_one: {title: --x}\n",
        encoding="utf-8",
    )


@pytest.mark.workflow
def test_titles_and_labels_may_have_any_words(clone: Path) -> None:
    with_odd_words(clone)
    page = f"build/odd/pages/{PAPER}/fig01.html"
    output = copies.snakemake(clone, "-c2", FIGURE, "--config", "scale=odd")
    assert output.splitlines()[-1] == f"Open {page}", "a figure of a scale without a report has a page by itself"
    text = (clone / page).read_text(encoding="utf-8")
    assert re.search(r"<h2>Figure 1: Error of .* and \{key\} .*<code>fig01</code>", text)
    for link in re.findall(r'(?:href|src)="([^"#:]+)"', text):
        assert (clone / page).parent.joinpath(link).is_file(), link
    output = copies.snakemake(clone, "-c2", "--config", "scale=odd")
    assert output.splitlines()[-1] == f"Open results/odd/report/{PAPER}.html"
    results = clone / "results/odd"
    assert "Error of $hat{beta}$ and {key} $\\frac{$" in (results / "README.md").read_text(encoding="utf-8")
    assert (results / PAPER / "fig01.png").is_file()
    assert (results / PAPER / "table_one.md").read_text(encoding="utf-8").startswith("**--x**\n")


# --- Snakemake -------------------------------------------------------------------------------------------------------


@pytest.mark.workflow
@pytest.mark.parametrize(
    ("target", "mend"),
    [
        (f"{PAPER}/fig1", f"; did you mean '{FIGURE}'? {PAPER} has: claims, fig01, table_one"),
        (f"results/paper/{PAPER}/fig01.md", f"; did you mean 'results/paper/{PAPER}/fig01.svg'?"),
        (f"build/paper/packs/{PAPER}/table_one/7.csv", f"; did you mean 'build/paper/packs/{PAPER}/table_one/1.csv'?"),
    ],
)
def test_wrong_target_is_one_line(clone: Path, target: str, mend: str | None) -> None:
    lines = told(copies.snakemake(clone, "-c1", target, code=1))
    assert len(lines) == 1
    assert lines[0].startswith(f"No target {target!r};")
    assert mend is None or lines[0].endswith(mend)


@pytest.mark.workflow
def test_disk_without_room_ends_before_the_first_job(clone: Path, tmp_path: Path) -> None:
    (tmp_path / "patch").mkdir()
    (tmp_path / "patch/sitecustomize.py").write_text(
        "import shutil, types\nshutil.disk_usage = lambda place: types.SimpleNamespace(free=12_000_000)\n"
    )
    shutil.rmtree(clone / "results")
    path = os.pathsep.join(map(str, (tmp_path / "patch", clone / "src")))
    output = copies.snakemake(clone, "-c1", f"{PAPER}_table_one", code=1, PYTHONPATH=path)
    assert told(output)[-1].startswith("No room in results/paper: 12 MB are free, ")
    assert "Traceback" not in output
    assert not (clone / "results").exists()
    assert not list((clone / ".snakemake/locks").glob("*")), "the lock is left"


@pytest.mark.workflow
def test_lock_that_was_left_says_how_to_go_on(clone: Path) -> None:
    drawing = f"results/paper/{PAPER}/fig01.png"
    lock = clone / ".snakemake/locks/0.output.lock"
    lock.parent.mkdir(exist_ok=True)
    lock.write_text(f"{drawing}\n")
    (clone / drawing).unlink()
    output = copies.snakemake(clone, "-c1", drawing, code=1)
    assert told(output)[-1].startswith(
        "Locked: a build was killed here, and none is running on this machine; `make unlock`"
    )
    copies.snakemake(clone, "--unlock")
    assert not lock.exists()


@pytest.mark.workflow
@pytest.mark.parametrize("sent", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_interrupted_build_ends_with_how_to_resume(clone: Path, sent: signal.Signals) -> None:
    experiment = clone / f"src/dpdescent/papers/{PAPER}/table.py"
    text = experiment.read_text().replace('    """One row a trial."""', '    __import__("time").sleep(10)')
    experiment.write_text(text)
    log = clone / f"build/paper/logs/train/{PAPER}/table_one"
    shutil.rmtree(log)
    # A test run in the background may ignore the signal, and its children with it.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    call = copies.start(clone, "-c1", f"{PAPER}_table_one", python=sys.executable)
    signal.signal(signal.SIGINT, handler)
    while call.process.poll() is None and not list(log.glob("*.log")):
        time.sleep(0.05)
    call.process.send_signal(sent)
    assert told(call.finish(code=1))[-1] == (
        "Interrupted; logs are in build/paper/logs. What is made is kept: run the same command to resume."
    )


@pytest.mark.workflow
def test_report_of_snakemake_needs_no_network(clone: Path) -> None:
    """Figures with their captions, one file, from what is bundled with Snakemake."""
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    copies.start(clone, "--report", "report.html", **nowhere).finish()
    page = (clone / "report.html").read_text(encoding="utf-8")
    assert "Figure 1. Means of normal values. Means of normal values over the sample size, one curve a budget" in page
    assert re.search(r"data:image/svg\+xml;[^,\"]*base64,", page)
    assert '"place": "Table 1"' in page


# --- make ------------------------------------------------------------------------------------------------------------


def make(folder: Path, *arguments: str, code: int = 0, **environment: str) -> str:
    """Make in a folder with the Makefile alone."""
    shutil.copy(copies.ROOT / "Makefile", folder / "Makefile")
    variables = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    found = subprocess.run(
        ["make", *arguments], cwd=folder, env=variables | environment, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    assert found.returncode == code, found.stdout
    return found.stdout


def commands(folder: Path, *arguments: str) -> str:
    """What make would run once the environment is there."""
    return make(folder, "-n", "-o", ".venv", *arguments)


@pytest.mark.parametrize(
    ("arguments", "call"),
    [
        (("figure", "F=liang2025/fig04"), "liang2025_fig04 --config scale=paper"),
        (("figure", "F=liang2025/table_lemmas", "SCALE=quick"), "liang2025_table_lemmas --config scale=quick"),
        (("figure", "F=results/paper/audit.png"), "results/paper/audit.png --config scale=paper"),
        (("quick",), "--config scale=quick"),
        (("quick", "PAPERS=liang2025"), "--config scale=quick papers='[liang2025]'"),
        (("quick", "PAPERS=[liang2025, brown2024]"), "--config scale=quick papers='[liang2025,brown2024]'"),
        (("quick", "PAPERS=liang2025 brown2024"), "--config scale=quick papers='[liang2025,brown2024]'"),
        (("quick", "PAPERS=all"), "--config scale=quick papers='all'"),
        (("results", "SCALE=mine", "PAPERS=liang2025"), "--config scale=mine papers='[liang2025]'"),
        (("figure", "SCALE=mine", "F=liang2025/fig04"), "liang2025_fig04 --config scale=mine"),
        (("unlock",), "--unlock"),
    ],
)
def test_make_calls_snakemake(tmp_path: Path, arguments: tuple[str, ...], call: str) -> None:
    assert commands(tmp_path, *arguments).strip() == f".venv/bin/snakemake --cores 2 {call}"


def test_every_target_is_listed_with_a_call(tmp_path: Path) -> None:
    text = (copies.ROOT / "Makefile").read_text(encoding="utf-8")
    phony = next(line for line in text.splitlines() if line.startswith(".PHONY:")).split()[1:]
    listed = make(tmp_path).splitlines()
    assert [line.split()[:2] for line in listed] == [["make", name] for name in phony]
    assert listed == make(tmp_path, "help").splitlines()


def test_figure_without_a_name_says_how(tmp_path: Path) -> None:
    assert "make figure F=liang2025/fig04" in make(tmp_path, "figure", code=2)
