"""Writing results: whole files or none, and numbers that read back the same."""

import errno
import math
import os
from pathlib import Path

import numpy as np
import pytest

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
