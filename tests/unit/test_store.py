"""Trained parts and their records: what counts as made, and what is made again."""

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
    with pytest.raises(SystemExit, match=rf"{part.name} is not what was trained: remove \S+1\.pack, then run the same"):
        store.parts_in([pack], part.parent)
