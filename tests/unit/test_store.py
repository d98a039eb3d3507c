"""Trained parts and their records: what counts as made, and what is made again."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dpdescent.replication.build import store

SPEC = {"variant": "main", "trials": [0, 2]}
MADE = store.key("code", {"numpy": "2"}, SPEC, ["data"])


def run(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for trial in range(*spec["trials"]):
        yield {"trial": trial, "value": trial / 3, **({"data": spec["data"]} if "data" in spec else {})}


@pytest.fixture
def part(tmp_path: Path) -> Path:
    """A trained one."""
    file = tmp_path / "rho=0.1_t0-1.csv"
    assert store.train(file, MADE, run, SPEC, {}) == 2
    return file


def test_trained_part_has_its_rows_and_a_record(part: Path) -> None:
    assert part.read_text() == "variant,trial,value\nmain,0,0.0\nmain,1,0.3333333333333333\n"
    assert store.is_current(part, MADE)
    (cost,) = store.costs(part.parent, ["rho=0.1_t0-1", "another"])
    assert cost["cpu_s"] >= 0 < cost["peak_mb"]
    assert not list(part.parent.glob(".*"))


def test_parts_share_all_cpu_time_of_their_process(part: Path) -> None:
    """The first pays for the start, and no second is charged twice."""
    store.train(part.with_name("b.csv"), MADE, run, SPEC, {})
    (second,) = store.costs(part.parent, ["b"])
    assert second["cpu_s"] < 0.5


def test_files_reach_the_experiment(tmp_path: Path) -> None:
    store.train(tmp_path / "a.csv", MADE, run, SPEC, {"data": "card.csv"})
    assert "main,1,0.3333333333333333,card.csv" in (tmp_path / "a.csv").read_text()


@pytest.mark.parametrize(
    "made_from",
    [
        store.key("edited", {"numpy": "2"}, SPEC, ["data"]),
        store.key("code", {"numpy": "3"}, SPEC, ["data"]),
        store.key("code", {"numpy": "2"}, {**SPEC, "trials": [0, 3]}, ["data"]),
        store.key("code", {"numpy": "2"}, SPEC, ["other data"]),
        store.key("code", {"numpy": "2"}, SPEC, []),
    ],
    ids=["code", "versions", "values", "data", "no data"],
)
def test_what_is_made_from_something_else_is_not_current(part: Path, made_from: str) -> None:
    assert not store.is_current(part, made_from)


def test_changed_removed_and_forgotten_parts_are_not_current(part: Path) -> None:
    text = part.read_text()
    part.write_text(text + "main,2,1\n")
    assert not store.is_current(part, MADE)
    part.write_text(text)
    assert store.is_current(part, MADE)
    part.unlink()
    assert not store.is_current(part, MADE)
    part.write_text(text)
    store.forget(part.parent)
    assert not store.is_current(part, MADE)


def test_failed_part_is_not_current_although_an_older_one_is_there(part: Path) -> None:
    def fails(spec: dict[str, Any]) -> Iterator[dict[str, Any]]:
        yield {"trial": 0, "value": 1}
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.train(part, MADE, fails, SPEC, {})
    assert not store.is_current(part, MADE)


def test_packs_list_their_parts_in_order(part: Path) -> None:
    store.train(part.with_name("b.csv"), MADE, run, SPEC, {})
    packs = [part.parent / name for name in ("1.pack", "2.pack")]
    store.write_pack(packs[0], part.parent, ["b"])
    store.write_pack(packs[1], part.parent, ["rho=0.1_t0-1"])
    assert list(store.parts_in(packs, part.parent).items()) == [("b", part.with_name("b.csv")), ("rho=0.1_t0-1", part)]


@pytest.mark.parametrize("spoil", [lambda file: file.unlink(), lambda file: file.write_text("variant\n")])
def test_missing_and_changed_part_is_one_line_with_the_mend(part: Path, spoil: Any) -> None:
    pack = part.parent / "1.pack"
    store.write_pack(pack, part.parent, ["rho=0.1_t0-1"])
    spoil(part)
    line = rf"{part.name} is not what was written here: rm \S+1\.pack, then run the build again"
    with pytest.raises(SystemExit, match=line):
        store.parts_in([pack], part.parent)
    assert store.damaged(pack, part.parent) == ([part] if part.exists() else [])


def test_folder_in_place_of_a_part_is_removed_with_its_pack(part: Path) -> None:
    pack = part.parent / "1.pack"
    store.write_pack(pack, part.parent, ["rho=0.1_t0-1"])
    part.unlink()
    part.mkdir()
    assert store.mend(part, pack) == [pack, part]
    assert store.damaged(pack, part.parent) == [part]
    assert not store.is_current(part, MADE)


@pytest.mark.parametrize("changes", [{"trials": [0, 3]}, {"rows": 3}, {"rows": 1, "trials": [2, 4]}])
def test_part_with_other_trials_or_rows_than_it_should_have_is_refused(part: Path, changes: dict[str, Any]) -> None:
    """Its hash is right: it has taken the place of another, or was cut before it was recorded."""
    pack, record = part.parent / "1.pack", part.with_name("rho=0.1_t0-1.json")
    store.write_pack(pack, part.parent, ["rho=0.1_t0-1"])
    assert store.parts_in([pack], part.parent)
    record.write_text(json.dumps(json.loads(record.read_text()) | changes))
    with pytest.raises(SystemExit, match="is not what was written here"):
        store.parts_in([pack], part.parent)


def test_record_of_an_older_build_has_no_counts_and_is_taken(part: Path) -> None:
    pack, record = part.parent / "1.pack", part.with_name("rho=0.1_t0-1.json")
    store.write_pack(pack, part.parent, ["rho=0.1_t0-1"])
    known = json.loads(record.read_text())
    record.write_text(json.dumps({key: value for key, value in known.items() if key not in ("rows", "trials")}))
    assert store.is_current(part, MADE)
    assert store.parts_in([pack], part.parent)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"key": 1}', "\x00"])
def test_broken_record_makes_its_part_count_for_nothing(part: Path, text: str) -> None:
    part.with_name("rho=0.1_t0-1.json").write_text(text)
    assert not store.is_current(part, MADE)
    assert store.costs(part.parent, ["rho=0.1_t0-1"]) == []


def test_what_parts_are_made_from_is_hashed_as_it_was() -> None:
    """Because no fingerprint has the code of `store` (`fingerprint.STORAGE_MODULES`), what it hashes may not change."""
    assert MADE == "228bf8a5588a51cd25514577c6167772496cd160ffdf564272dd63fdd7227a8a"
