"""How long a build will still take."""

import logging
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from dpdescent.replication.build import time_left
from dpdescent.replication.build.files import write_rows

COLUMNS = ["stage", "item", "jobs", "cpu_s"]
ROWS = [
    dict(zip(COLUMNS, row, strict=True))
    for row in (("train", "p/fig01", "4", "80"), ("train", "p/fig02", "1", "5"), ("audit", "p", "1", "30"),
                ("letters", "", "0", "0"))
]  # fmt: skip


def project() -> Any:
    """One figure, whose second pack has two parts, and one that no earlier build made."""
    packs = [SimpleNamespace(name="1", parts=[1]), SimpleNamespace(name="2", parts=[1, 2])]
    made = [SimpleNamespace(item="p/fig01", packs=packs), SimpleNamespace(item="p/fig09", packs=packs[:1])]
    return SimpleNamespace(artefacts=lambda: made, on_request=list)


@pytest.mark.parametrize(
    ("stage", "item", "seconds"),
    [
        ("train", "p/fig01/1", 20.0), ("train", "p/fig01/2", 40.0), ("train", "p/fig09/1", 17.0),
        ("audit", "p", 30.0), ("audit", "other", 30.0), ("letters", "", 0.0), ("never", "x", 0.0),
    ],
)  # fmt: skip
def test_job_costs_its_parts_and_a_new_one_its_stage_s_mean(stage: str, item: str, seconds: float) -> None:
    assert time_left.Costs(ROWS, project()).seconds_of(stage, item) == pytest.approx(seconds)


def test_record_of_this_scale_is_preferred(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert time_left.recorded("mine", ["results/mine"]) == ("", [], False)
    write_rows("results/paper/compute.csv", COLUMNS, ROWS)
    assert time_left.recorded("mine", ["results/mine"]) == ("results/paper/compute.csv", ROWS, False)
    assert time_left.recorded("paper", ["results/paper"]) == ("results/paper/compute.csv", ROWS, True)
    write_rows("results/mine/compute.csv", COLUMNS, ROWS[:1])
    assert time_left.recorded("mine", ["results/mine"]) == ("results/mine/compute.csv", ROWS[:1], True)


def test_time_left_follows_this_build_s_pace() -> None:
    assert time_left.left([60.0, 60.0], 0.0, 0.0, 2) == pytest.approx(60.0)
    # Half of the work took twice its time on two cores.
    assert time_left.left([50.0, 50.0], 100.0, 100.0, 2, trusted=0.0) == pytest.approx(100.0)
    assert time_left.left([90.0, 10.0], 100.0, 50.0, 2, trusted=0.0) == pytest.approx(90.0), "the longest job"
    assert time_left.left([], 100.0, 50.0, 2) == 0.0


@pytest.mark.parametrize(
    ("seconds", "words"), [(1, "1 min"), (200, "3 min"), (3599, "1 h 00 min"), (7500, "2 h 05 min")]
)
def test_minutes_in_words(seconds: float, words: str) -> None:
    assert time_left.minutes(seconds) == words


def test_lines_are_apart_in_time_and_in_work() -> None:
    undone, now, told = [10.0] * 100, [0.0], list[str]()
    teller = time_left.TimeLeftPrinter(lambda: undone, 1, False, clock=lambda: now[0], tell=told.append)

    def progress(seconds: float, jobs: int, event: str = "PROGRESS") -> None:
        now[0] += seconds
        del undone[:jobs]
        teller.emit(logging.makeLogRecord({"event": SimpleNamespace(name=event)}))

    progress(29, 10)
    progress(2, 0, "JOB_INFO")
    teller.emit(logging.makeLogRecord({}))
    assert told == []
    progress(0, 0)
    progress(29, 10)
    progress(300, 0)
    progress(0, 4)
    progress(40, 1)
    assert told == [
        "About 5 min left (90% of the work)", "About 24 min left (80% of the work)",
        "About 20 min left (75% of the work)",
    ]  # fmt: skip
    progress(1000, 75)
    assert len(told) == 3, "nothing is left"
