"""What travels to a machine with an accelerator and back: the working tree, the images, the runs."""

import bz2
import csv
import hashlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from dpdescent.data import cifar10, smaller
from dpdescent.data.images import MissingDataError
from dpdescent.replication.build import store
from dpdescent.replication.build.fingerprint import code_fingerprint, versions

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "workflow"))

import accelerator  # noqa: E402
import adopt  # noqa: E402


def pictures(number, seed=1):
    """Records of a binary file: one half smooth, one half noise, the extremes among them."""
    rng = np.random.default_rng(seed)
    smooth = np.cumsum(rng.integers(-3, 4, (number, 3, 32, 32)), axis=3) + 128
    pixels = np.where(np.arange(number)[:, None, None, None] % 2, smooth, rng.integers(0, 256, smooth.shape))
    pixels[:1] = 255 * rng.integers(0, 2, (1, 3, 32, 32))
    return cifar10.packed(pixels.astype(np.uint8), rng.integers(0, 10, number))


@pytest.mark.parametrize("number", [1, 2, 31])
def test_smaller_files_are_made_whole_to_the_last_bit(number):
    content = pictures(number)
    assert smaller.whole(smaller.smaller(content)) == content


def test_pictures_become_smaller_than_by_bzip2():
    """Smooth ones, whose colours are much alike, as those of things are."""
    rng = np.random.default_rng(2)
    grey = np.cumsum(np.cumsum(rng.normal(0, 2, (40, 1, 32, 32)), axis=2), axis=3) + 128
    pixels = np.clip(grey + rng.normal(0, 0.5, (40, 3, 32, 32)), 0, 255).astype(np.uint8)
    content = cifar10.packed(pixels, rng.integers(0, 10, 40))
    assert len(smaller.smaller(content)) < 0.8 * len(bz2.compress(content))


def test_pieces_hold_all_files_in_order_and_none_is_too_large():
    sizes = {"a": 5, "b": 4, "c": 1, "d": 9, "e": 3}
    assert smaller.in_pieces(sizes, 10) == [["a", "b", "c"], ["d"], ["e"]]
    assert smaller.in_pieces(sizes, 9) == [["a", "b"], ["c"], ["d"], ["e"]]
    with pytest.raises(ValueError, match="d has 9 bytes, and a piece at most 8"):
        smaller.in_pieces(sizes, 8)


@pytest.fixture
def official(monkeypatch, tmp_path):
    """Six small files that count as the official ones, in the folder of a checkout."""
    contents = {name: pictures(4, seed) for seed, name in enumerate(cifar10.MD5)}
    sums = {name: hashlib.md5(content, usedforsecurity=False).hexdigest() for name, content in contents.items()}
    monkeypatch.setattr(cifar10, "MD5", sums)
    monkeypatch.chdir(tmp_path)
    folder = Path("build/downloads/cifar10")
    folder.mkdir(parents=True)
    for name, content in contents.items():
        (folder / f"{name}.bin").write_bytes(content)
    return contents


def test_pieces_that_come_one_after_another_are_joined_and_verified(official, monkeypatch, capsys):
    class Empty:
        def save(self, folder):
            pass

    monkeypatch.setattr(accelerator, "plan", Empty)
    size = len(smaller.smaller(next(iter(official.values()))))
    monkeypatch.chdir(Path.cwd())
    monkeypatch.setattr(accelerator, "ROOT", Path.cwd())
    accelerator.main(["prepare", "--piece", str(int(2.5 * size))])
    pieces = sorted(accelerator.FOLDER.glob("piece*"))
    assert len(pieces) == 3
    target = Path("build/downloads/cifar10")
    for file in target.glob("*"):
        file.unlink()
    away = [piece.rename(f"away{number}") for number, piece in enumerate(pieces)]
    for piece, back in zip(away, pieces, strict=True):
        piece.rename(back)
        assert accelerator.join() is (back == pieces[-1])
    assert {file.stem: file.read_bytes() for file in target.glob("*.bin")} == official
    assert "missing: nothing" in capsys.readouterr().out


def test_a_piece_with_another_pixel_is_refused(official):
    content = bytearray(official["test_batch"])
    content[100] ^= 1
    Path("build/downloads/cifar10/test_batch.bin").unlink()
    accelerator.write(accelerator.FOLDER / "piece1" / "test_batch", smaller.smaller(bytes(content)))
    with pytest.raises(MissingDataError, match=r"test_batch: md5 .* is not the official"):
        accelerator.join()
    assert not Path("build/downloads/cifar10/test_batch.bin").exists()


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A small repository with results."""
    for name in ("results/paper/a.csv", "results/b.csv", "src/c.py", ".gitignore"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("build/\n" if name == ".gitignore" else name)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "large").write_bytes(bytes(9999))
    (tmp_path / "new.py").write_text("untracked")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(accelerator, "ROOT", tmp_path)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for call in (["init", "-q"], ["add", ".gitignore", "results", "src"], [*identity, "commit", "-qm", "a"]):
        subprocess.run(["git", *call], check=True)
    return tmp_path


def results():
    return sorted(str(file) for file in Path("results").rglob("*") if file.is_file())


WHOLE = ["results/b.csv", "results/paper/a.csv"]


def test_results_leave_the_working_tree_and_come_back(checkout, capsys):
    accelerator.main(["out"])
    assert results() == []
    assert Path("src/c.py").is_file()
    assert accelerator.travelling() == len("src/c.py" + "build/\n" + "untracked")
    accelerator.main(["out"])
    accelerator.main(["back"])
    assert results() == WHOLE
    assert subprocess.run(["git", "status", "--porcelain"], capture_output=True, text=True).stdout == "?? new.py\n"
    accelerator.main(["back"])
    assert results() == WHOLE


def test_results_that_came_back_do_not_count_as_made_here(checkout):
    """They are older than the file by whose age a build knows them, so that a figure with new runs is drawn."""
    begun = Path(".snakemake/dpdescent/paper.begun")
    begun.parent.mkdir(parents=True)
    begun.touch()
    os.utime(begun, (0, 0))
    accelerator.main(["out"])
    accelerator.main(["back"])
    assert all(Path(name).stat().st_mtime_ns <= begun.stat().st_mtime_ns for name in WHOLE)


@pytest.mark.parametrize(("status", "command"), [(0, "true"), (3, "exit 3")])
def test_results_are_back_when_a_command_ends(checkout, status, command):
    with pytest.raises(SystemExit) as ended:
        accelerator.main(["out", "sh", "-c", f"ls results > seen 2>&1; {command}"])
    assert ended.value.code == status
    assert "paper" not in Path("seen").read_text()
    assert results() == WHOLE


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_results_are_back_after_an_interrupt(checkout, number):
    script = f"""if True:
        import sys
        from pathlib import Path
        sys.path.insert(0, {str(ROOT / "workflow")!r})
        import accelerator
        accelerator.ROOT = Path.cwd()
        accelerator.main(["out", "sh", "-c", "touch begun; sleep 60"])
    """
    call = [sys.executable, "-c", script]
    running = subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not Path("begun").exists():
        assert running.poll() is None
        time.sleep(0.05)
    assert results() == []
    os.kill(running.pid, number)
    assert running.wait() != 0
    assert results() == WHOLE


@pytest.mark.parametrize("wrong", [KeyboardInterrupt, OSError])
def test_results_are_back_after_a_failure_on_the_way_out(checkout, monkeypatch, wrong):
    def failing():
        assert results() == []
        raise wrong

    monkeypatch.setattr(accelerator, "travelling", failing)
    with pytest.raises(wrong):
        accelerator.main(["out"])
    assert results() == WHOLE


def test_a_tree_that_is_too_large_does_not_travel(checkout):
    Path("large").write_bytes(bytes(accelerator.TRAVELS))
    with pytest.raises(SystemExit, match="more than 64 MiB"):
        accelerator.main(["out"])
    assert results() == WHOLE


def test_changes_in_results_are_not_lost(checkout):
    Path("results/b.csv").write_text("changed")
    with pytest.raises(SystemExit, match="not committed"):
        accelerator.main(["out"])
    assert Path("results/b.csv").read_text() == "changed"


# --- runs that came back ---------------------------------------------------------------------------------------------

RUNS = [
    (10.0, "nu-DP-FTRL", 0.1, 1), (10.0, "DP-SGD, amplified", 1.0, 1), (10.0, "ME", 0.1, 1),
    (4.0, "nu-DP-FTRL", 0.1, 1), (4.0, "ME", 0.1, 1), (10.0, "nu-DP-FTRL", 0.2, 1),
    (10.0, "nu-DP-FTRL", 0.1, 2), (10.0, "ME", 0.1, 2),
]  # fmt: skip


def test_cells_hold_just_the_runs_and_are_few():
    cells = adopt.cells_of(set(RUNS))
    held = [
        (eps, name, rate, repeat)
        for cell in cells for eps in cell["eps"] for name in cell["mechanism"]
        for rate in cell["learning_rate"] for repeat in cell["repeat"]
    ]  # fmt: skip
    assert sorted(held) == sorted(RUNS)
    assert len(cells) == 4


PROCESSORS = {RUNS[0]: 0.7048, RUNS[1]: 0.6642}


@pytest.fixture
def home(monkeypatch, tmp_path):
    """A checkout in which configuration, record and build are its own."""
    for name in ("config", "src", "workflow", "Snakefile"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "config").unlink()
    subprocess.run(["cp", "-r", str(ROOT / "config"), str(tmp_path / "config")], check=True)
    table = tmp_path / adopt.TABLE
    table.parent.mkdir(parents=True)
    # As if two runs had been made by a processor.
    with (ROOT / adopt.TABLE).open(newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if adopt.wanted(row) in PROCESSORS]
    written(table, [{**row, "device": "cpu", "mean": PROCESSORS[adopt.wanted(row)]} for row in rows])
    begun = tmp_path / ".snakemake/dpdescent/paper.begun"
    begun.parent.mkdir(parents=True)
    begun.write_text("")
    monkeypatch.chdir(tmp_path)
    for module in (accelerator, adopt):
        monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(accelerator, "code", lambda: "abc")
    return tmp_path


def written(file, rows):
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def brought(folder, runs=RUNS, difference=2e-6, code="abc", device="a GPU"):
    """A folder as `run` fills it."""
    for number, (eps, name, rate, repeat) in enumerate(runs):
        row = {
            "eps": eps, "mechanism": name, "learning_rate": rate, "repeat": repeat, "device": device,
            "noise_multiplier": 4.5, "copies": 1, "nu": "nan", "rho": 2.0, "series": "test accuracy", "trial": 0,
            "value": 0.5 + number / 100, "seconds": 20.5, "way": "patches", "jax": "0.11.2", "code": code,
        }  # fmt: skip
        written(folder / f"eps={number}.csv", [row])
    steps = [{"step": t, "difference": 1e-6, "device": device, "code": "abc"} for t in range(3)]
    steps[1]["difference"] = difference
    written(folder / "agreement.csv", steps)
    return folder


def parts():
    folder = Path("build/paper/parts/on_request") / accelerator.KEY / accelerator.ARTEFACT
    return {file.stem: next(csv.DictReader(file.open())) for file in sorted(folder.glob("*.csv"))}


def test_runs_that_came_back_are_listed_and_trained_parts(home, capsys):
    pack = Path("build/paper/packs/on_request") / accelerator.KEY / accelerator.ARTEFACT / "1.csv"
    written(pack, [{"part": "old"}])
    adopt.adopt([brought(home / "back")])
    artefact = accelerator.configured()
    listed = artefact.parts
    assert sorted(adopt.wanted(part.spec["cell"]) for part in listed) == sorted(RUNS)
    made = parts()
    assert {part.name for part in listed} == set(made)
    code = code_fingerprint(ROOT / "src", ROOT / "workflow/scripts/train.py", [artefact.run])
    for part in listed:
        row = made[part.name]
        assert row["device"] == "a GPU"
        assert float(row["value"]) == 0.5 + RUNS.index(adopt.wanted(row)) / 100
        key = store.key(code, versions("numpy", "scipy"), part.spec, [])
        file = Path("build/paper/parts/on_request") / accelerator.KEY / accelerator.ARTEFACT / f"{part.name}.csv"
        assert store.is_current(file, key)
    assert not pack.exists()
    out = capsys.readouterr().out
    assert "0.5 on a GPU; before, 0.7048 on cpu" in out
    assert "missing, and not trained here: eps=4 DP-SGD, amplified; eps=4 Honaker" in out
    kept = list(csv.DictReader(adopt.RECORD.open()))
    assert {row["agrees_within"] for row in kept} == {"2.0e-06"}
    # Again, with one more: the record grows, and the cells are written anew.
    adopt.adopt([brought(home / "more", [(4.0, "Honaker", 0.05, 1)])])
    assert len(list(csv.DictReader(adopt.RECORD.open()))) == len(RUNS) + 1 == len(accelerator.configured().parts)


def test_without_folders_the_committed_runs_are_taken(home):
    adopt.adopt([])
    values = {row["mechanism"]: (row["value"], row["device"]) for row in parts().values()}
    assert values == {"nu-DP-FTRL": ("0.7048", "cpu"), "DP-SGD, amplified": ("0.6642", "cpu")}
    assert not adopt.RECORD.exists()


@pytest.mark.parametrize(("wrong", "message"), [
    ({"difference": 1.1e-4}, "1.10e-04 apart, of 0.0001 at the most"),
    ({"difference": float("nan")}, "apart, of 0.0001 at the most"),
    ({"code": "other"}, "made by code other, and this is abc"),
])  # fmt: skip
def test_runs_that_cannot_be_trusted_are_refused(home, wrong, message):
    before = adopt.CONFIGURED.read_bytes()
    with pytest.raises(SystemExit, match=message):
        adopt.adopt([brought(home / "back", **wrong)])
    assert adopt.CONFIGURED.read_bytes() == before
    assert parts() == {}
    (home / "back/agreement.csv").unlink()
    with pytest.raises(SystemExit, match="whether device and processor agree is not known"):
        adopt.adopt([home / "back"])


def test_sums_that_are_further_apart_are_taken_if_that_is_asked_for_and_said(home):
    folder = brought(home / "back", difference=7e-4)
    with pytest.raises(SystemExit, match=r"7\.00e-04 apart, of 0\.0005 at the most"):
        adopt.adopt([folder], within=5e-4)
    adopt.adopt([folder], within=1e-3)
    assert {row["agrees_within"] for row in csv.DictReader(adopt.RECORD.open())} == {"7.0e-04"}


def test_runs_that_were_taken_count_as_done_on_the_next_machine(home):
    elsewhere = pytest.importorskip(f"dpdescent.papers.{accelerator.KEY}.network_elsewhere")
    assert accelerator.adopted(elsewhere) == {}
    adopt.adopt([brought(home / "back")])
    done = accelerator.adopted(elsewhere)
    assert sorted(done) == sorted(RUNS)
    assert done[RUNS[2]] == 0.52
