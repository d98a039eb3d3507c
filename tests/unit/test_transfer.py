"""Trained parts carried to another checkout."""

from pathlib import Path

import pytest

from dpdescent.commands import __main__ as command
from dpdescent.replication.build import transfer


def parts_of(folder: Path, *names: str, content: str = "value\n1\n") -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.csv").write_text(content)
        (folder / f"{name}.json").write_text("{}")
    return folder


def names_in(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*.*")}


def test_parts_and_records_arrive_as_they_were(tmp_path: Path) -> None:
    here, there = parts_of(tmp_path / "here", "liang2025/fig04/a_t0-3", "brown2024/fig01/b_t0-3"), tmp_path / "there"
    archive = tmp_path / "parts.tar.gz"
    assert transfer.pack(here, archive, "tiny") == 2
    assert transfer.add(there / "parts", [archive], "tiny") == 2
    assert names_in(there / "parts") == names_in(here)
    assert [each.name for each in there.iterdir()] == ["parts"]
    assert (there / "parts/liang2025/fig04/a_t0-3.csv").read_text() == "value\n1\n"


def test_papers_may_be_chosen_and_what_has_no_record_is_left_out(tmp_path: Path) -> None:
    here = parts_of(tmp_path / "here", "liang2025/fig04/a_t0-3", "liang2025/fig04/c_t0-3", "brown2024/fig01/b_t0-3")
    (here / "liang2025/fig04/c_t0-3.json").unlink()
    assert transfer.pack(here, tmp_path / "one.tar.gz", "tiny", ["liang2025"]) == 1
    with pytest.raises(SystemExit, match="no trained parts of wang2026"):
        transfer.pack(here, tmp_path / "none.tar.gz", "tiny", ["wang2026"])


def test_parts_that_are_there_stay(tmp_path: Path) -> None:
    archive, name = tmp_path / "parts.tar.gz", "liang2025/fig04/a_t0-3"
    transfer.pack(parts_of(tmp_path / "here", name), archive, "tiny")
    there = parts_of(tmp_path / "there", name, content="value\n2\n")
    assert transfer.add(there, [archive], "tiny") == 0
    assert (there / f"{name}.csv").read_text() == "value\n2\n"


def test_equal_parts_give_equal_archives(tmp_path: Path) -> None:
    made = []
    for place in ("one", "other"):
        file = tmp_path / f"{place}.tar.gz"
        transfer.pack(parts_of(tmp_path / place, "liang2025/fig04/a_t0-3"), file, "tiny")
        made.append(file.read_bytes())
    assert made[0] == made[1]


def test_archives_of_another_scale_or_kind_are_refused_in_one_line(tmp_path: Path) -> None:
    archive, there = tmp_path / "parts.tar.gz", tmp_path / "there/parts"
    transfer.pack(parts_of(tmp_path / "here", "liang2025/fig04/a_t0-3"), archive, "tiny")
    with pytest.raises(SystemExit, match="has no parts of scale 'paper'"):
        transfer.add(there, [archive], "paper")
    archive.write_bytes(archive.read_bytes()[:-40])
    with pytest.raises(SystemExit, match="cannot be unpacked"):
        transfer.add(there, [archive], "tiny")
    assert not names_in(there)


def test_adding_before_a_build_has_begun_says_what_to_run_first(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        command.main(["parts", "--scale", "nowhere", "--add", "a.tar.gz"])
    assert "no build of scale 'nowhere' has begun here; first: .venv/bin/snakemake" in str(ended.value)
