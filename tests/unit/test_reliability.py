"""What the report tells of trials and of the benchmark, and the benchmark's workloads, whose ways must agree."""

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from dpdescent.replication import bench as words
from dpdescent.replication.drawing import bench_figure
from dpdescent.replication.report import reliability

ROOT = Path(__file__).resolve().parents[2]


def test_files_that_are_absent_are_left_out(tmp_path: Path) -> None:
    view = reliability.view([tmp_path / "damage.csv", tmp_path / "bench.csv"])
    assert (view["damage"], view["bench"]) == (None, None)
    assert not any(view["tables"].values())


def test_damage_is_a_table_by_file_and_damage(tmp_path: Path) -> None:
    file = tmp_path / "damage.csv"
    file.write_text("file,damage,what happens\npart,empty,refused\nclaims,empty,made again\npart,deleted,missed\n")
    damage = reliability.view([file])["damage"]
    assert damage["files"] == ["part", "claims"]
    assert damage["rows"] == {"empty": {"part": "refused", "claims": "made again"}, "deleted": {"part": "missed"}}


def test_benchmark_marks_the_first_way_of_each_workload() -> None:
    bench = reliability.view([ROOT / "results/bench.csv"])["bench"]
    names = [row["workload"] for row in bench["rows"]]
    assert sum(row["first"] for row in bench["rows"]) == len(set(names)) > 5
    assert all(row["way"] == words.OURS for row in bench["rows"] if row["first"])


def test_figure_has_every_tool_and_our_time_is_the_unit() -> None:
    table = pd.read_csv(ROOT / "results/bench.csv")
    axes = bench_figure.draw(table).axes[0]
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert set(lines) == {words.OURS, bench_figure.LIMIT, *bench_figure.LOOKS}
    numba = table[table["way"].str.startswith("numba")]
    np.testing.assert_allclose(np.sort(lines["numba"].get_xdata()), np.sort(numba["of_ours"]))
    assert len(axes.get_yticklabels()) == table["workload"].nunique()


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(ROOT / "tests/bench"))
    return ROOT / "tests/bench"


def module(name: str) -> ModuleType:
    return importlib.import_module(name)


@pytest.mark.parametrize(
    ("name", "make", "sizes"),
    [
        ("dp_gd", "workload", (400, 3, 4, False)),
        ("dp_gd", "workload", (400, 3, 4, True)),
        ("dp_2s_gd", "one_instrument", (100,)),
        ("dp_2s_gd", "design", (1,)),
        ("dp_2s_gd", "one_instrument", (100, False)),
        ("noise", "given", (200, 32, 0.5)),
        ("noise", "drawn", (200, 32)),
        ("dp_ambssgd", "workload", (4000, 3, 2)),
    ],
)
def test_ways_of_a_workload_give_the_same_numbers(bench: Path, name: str, make: str, sizes: tuple[object, ...]) -> None:
    """Renamed engines broke the benchmark once, and nothing told."""
    getattr(module(name), make)(*sizes).check()


@pytest.mark.parametrize("name", ["dp_ftrl", "dp_kan"])
def test_ways_of_the_workloads_of_one_size_give_the_same_numbers(bench: Path, name: str) -> None:
    for work in module(name).workloads():
        work.check()


def test_a_way_with_other_numbers_is_refused(bench: Path) -> None:
    workload = module("workload")
    ours, theirs = workload.Way(lambda: np.ones(2)), workload.Way(lambda: np.ones(1) + 1e-6)
    with pytest.raises(AssertionError, match="made up: loop"):
        workload.Workload("made up", {words.OURS: ours, "loop": theirs}, workload.Cost()).check()


def test_limits_are_numbers_then_products_or_reading(bench: Path) -> None:
    machine = module("machine").Machine(flops=10.0, bytes=4.0, normals=2.0)
    assert machine.limit(module("workload").Cost(flops=30.0, bytes=8.0, normals=1.0)) == 3.5
