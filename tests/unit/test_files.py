"""Writing results: whole files or none, and numbers that read back the same."""

import errno
import math
import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from dpdescent.replication.build import files, tables
from dpdescent.replication.build.files import atomic, read_rows, write_rows


def test_file_appears_whole_with_its_folders(tmp_path: Path) -> None:
    target = tmp_path / "new" / "folder" / "table.csv"
    with atomic(target) as stream:
        stream.write("a\n")
        assert not target.exists()
    assert target.read_text() == "a\n"
    assert os.listdir(target.parent) == ["table.csv"]


def half_written(target: Path, error: BaseException) -> None:
    with atomic(target) as stream:
        stream.write("half")
        raise error


def test_exception_leaves_neither_half_a_file_nor_a_temporary(tmp_path: Path) -> None:
    target = tmp_path / "table.csv"
    with pytest.raises(ValueError, match="midway"):
        half_written(target, ValueError("midway"))
    assert os.listdir(tmp_path) == []


def test_exception_leaves_what_was_there_before(tmp_path: Path) -> None:
    target = tmp_path / "table.csv"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        half_written(target, KeyboardInterrupt())
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["table.csv"]


def test_full_disk_is_one_line_that_says_how_to_go_on(tmp_path: Path) -> None:
    target = tmp_path / "table.csv"
    target.write_text("old")
    with pytest.raises(SystemExit, match=r"table\.csv: the disk is full; free some space"):
        half_written(target, OSError(errno.ENOSPC, "No space left on device"))
    with pytest.raises(PermissionError):
        half_written(target, PermissionError(errno.EACCES, "denied"))
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["table.csv"]


def test_bytes_and_line_ends_are_written_as_they_are(tmp_path: Path) -> None:
    with atomic(tmp_path / "a.png", "wb") as stream:
        stream.write(b"\x89PNG\r\n")
    with atomic(tmp_path / "a.csv") as stream:
        stream.write("ρ\n")
    assert (tmp_path / "a.png").read_bytes() == b"\x89PNG\r\n"
    assert (tmp_path / "a.csv").read_bytes() == "ρ\n".encode()


def test_temporary_keeps_the_suffix_and_the_kinds_do_not_meet(tmp_path: Path) -> None:
    """One figure is written as PNG and SVG side by side, and matplotlib chooses by suffix."""
    with atomic(tmp_path / "fig.png", "wb") as png, atomic(tmp_path / "fig.svg", "wb") as svg:
        assert Path(png.name).suffix == ".png"
        assert png.name != svg.name


def test_unwritable_row_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="stray"):
        write_rows(tmp_path / "t.csv", ["a"], [{"a": 1}, {"a": 1, "stray": 2}])
    assert os.listdir(tmp_path) == []


def test_floats_are_the_shortest_that_read_back_the_same(tmp_path: Path) -> None:
    values = [0.1, 1 / 3, 1e-300, 2.0**-1074, math.pi * 1e17, -0.0, math.inf]
    write_rows(tmp_path / "t.csv", ["x"], [{"x": value} for value in values])
    texts = [row["x"] for row in read_rows(tmp_path / "t.csv")]
    assert [float(text) for text in texts] == values
    assert texts[:2] == ["0.1", "0.3333333333333333"]


def test_numpy_scalars_are_written_like_python_numbers(tmp_path: Path) -> None:
    rows = [{"x": np.float64(0.1), "n": np.int64(3), "flag": np.bool_(True)}, {"x": 0.1, "n": 3, "flag": True}]
    write_rows(tmp_path / "t.csv", ["x", "n", "flag"], rows)
    assert (tmp_path / "t.csv").read_bytes() == b"x,n,flag\n0.1,3,True\n0.1,3,True\n"


def test_text_with_commas_quotes_and_lines_reads_back(tmp_path: Path) -> None:
    row = {"a": 'says "no", then', "b": "two\nlines", "c": ""}
    write_rows(tmp_path / "t.csv", ["a", "b", "c"], [row, {"a": "only"}])
    assert read_rows(tmp_path / "t.csv") == [row, {"a": "only", "b": "", "c": ""}]


# --- what is kept of a file, and checked ------------------------------------------------------------------------------

TEXT = "n,mean\n10,0.125\n20,0.25\n"
DAMAGES = {
    "truncated": TEXT[:12], "empty": "", "header only": "n,mean\n", "cut inside a number": TEXT[:-3],
    "one bit flipped": TEXT.replace("25\n", "27\n", 1), "stale": "n,mean\n10,1.5\n",
    "edited": TEXT.replace("0.25", "0.2"),
}  # fmt: skip


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", ["results/paper/p/fig01.csv", "build/paper/claims/p.csv"])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_file_is_refused_by_one_line_that_mends_it(here: Path, name: str, damage: str) -> None:
    with atomic(name) as stream:
        stream.write(TEXT)
    assert len(read_rows(name)) == len(tables.read(name)) == 2
    assert files.checked(name).decode() == TEXT
    Path(name).write_text(DAMAGES[damage])
    assert files.is_damaged(name)
    for read in (read_rows, tables.read, files.checked):
        with pytest.raises(SystemExit) as stop:
            read(name)  # type: ignore[operator]
        assert stop.value.code == f"{name} is not what was written here: rm {name}, then run the build again"
    with atomic(name) as stream:
        stream.write(DAMAGES["stale"])
    assert read_rows(name) == [{"n": "10", "mean": "1.5"}]
    assert not files.is_damaged(name)


def test_folder_in_place_of_a_file_and_a_file_that_is_gone(here: Path) -> None:
    name = Path("results/paper/a b.csv")
    with atomic(name) as stream:
        stream.write(TEXT)
    name.unlink()
    assert not files.is_damaged(name)
    name.mkdir()
    assert files.is_damaged(name)
    with pytest.raises(
        SystemExit, match=r"^results/paper/a b\.csv is not what was written here: rm -r 'results/paper/a b"
    ):
        read_rows(name)


def test_hashes_lie_in_the_folder_of_intermediates_and_name_their_files(here: Path) -> None:
    for name in ("results/paper/p/a.csv", "build/paper/packs/p/1.csv", "build/paper/parts/p/t0-1.csv", "elsewhere.csv"):
        with atomic(name) as stream:
            stream.write(TEXT)
    assert sorted(map(str, files.written(Path("build/paper")))) == [
        "build/paper/packs/p/1.csv",
        "results/paper/p/a.csv",
    ]
    assert [file.name for file in Path("results").rglob("*") if file.is_file()] == ["a.csv"]
    assert files.recorded("build/paper/parts/p/t0-1.csv") is None
    assert files.recorded("elsewhere.csv") is None
    assert files.recorded(here / "results/paper/p/a.csv") == files.recorded("results/paper/p/a.csv")


def test_without_hashes_results_are_checked_against_the_manifest(here: Path) -> None:
    for name in ("results/paper/p/a.csv", "build/paper/claims/p.csv"):
        with atomic(name) as stream:
            stream.write(TEXT)
    hashed = files.recorded("results/paper/p/a.csv")
    shutil.rmtree("build/paper/hashes")
    Path("results/paper/p/a.csv").write_text(TEXT + "30,1\n")
    assert len(read_rows("results/paper/p/a.csv")) == 3
    Path("results/paper/MANIFEST.sha256").write_text(f"{hashed}  p/a.csv\n")
    with pytest.raises(SystemExit, match="not what was written"):
        read_rows("results/paper/p/a.csv")
    Path("build/paper/claims/p.csv").write_text(TEXT + "30,1\n")
    assert len(read_rows("build/paper/claims/p.csv")) == 3
    Path("build/paper/claims/p.csv").write_text("")
    with pytest.raises(SystemExit, match="not what was written"):
        read_rows("build/paper/claims/p.csv")


def test_file_that_others_wrote_is_sealed(here: Path) -> None:
    data = Path("build/paper/data/p/card.csv")
    data.parent.mkdir(parents=True)
    data.write_text(TEXT)
    files.seal(data)
    data.write_text(TEXT + "30,1\n")
    with pytest.raises(SystemExit, match="not what was written"):
        files.checked(data)


def test_writing_reaches_the_disk_before_the_name_changes(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for name in ("fsync", "replace"):
        real = getattr(os, name)
        monkeypatch.setattr(os, name, lambda *args, name=name, real=real: (done.append(name), real(*args)))
    with atomic("results/paper/a.csv") as stream:
        stream.write(TEXT)
    assert done == ["fsync", "replace"] * 2


def test_broken_off_between_a_file_and_its_hash_leaves_a_whole_file(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "results/paper/a.csv"
    with atomic(name) as stream:
        stream.write(TEXT)
    real = os.replace

    def dies(source: Path, target: Path) -> None:
        real(source, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", dies)
    with pytest.raises(KeyboardInterrupt), atomic(name) as stream:
        stream.write(DAMAGES["stale"])
    assert files.recorded(name) is None
    assert read_rows(name) == [{"n": "10", "mean": "1.5"}]
