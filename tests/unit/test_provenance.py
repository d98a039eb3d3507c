"""With what a build was made: hashes of its outputs, versions, time and memory of its jobs."""

import hashlib
import json
import platform
from pathlib import Path

import numpy as np

from dpdescent.replication.build import provenance

HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


def test_hashes_of_all_that_is_committed_sorted_by_name(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    # A PNG beside an SVG is not committed.
    for name in ("b/fig02.csv", "b/fig01.svg", "b/fig01.png", "a.csv"):
        (tmp_path / name).write_bytes(name.encode())
    assert list(provenance.hashes(tmp_path).items()) == [
        (name, hashlib.sha256(name.encode()).hexdigest()) for name in ("a.csv", "b/fig01.svg", "b/fig02.csv")
    ]


def test_what_is_made_on_request_stays_outside(tmp_path: Path) -> None:
    (tmp_path / "on_request/p").mkdir(parents=True)
    for name in ("on_request/p/fig01.csv", "fig01.csv"):
        (tmp_path / name).write_text("")
    assert list(provenance.hashes(tmp_path)) == ["fig01.csv"]


def test_times_machine_and_left_overs_stay_outside(tmp_path: Path) -> None:
    for name in ("MANIFEST.sha256", "provenance.json", "compute.csv", ".fig01.123.csv", "fig01.csv"):
        (tmp_path / name).write_text("")
    assert list(provenance.hashes(tmp_path)) == ["fig01.csv"]


def test_environment_says_what_bytes_depend_on() -> None:
    environment = provenance.environment()
    assert environment["python"] == platform.python_version()
    assert environment["versions"]["numpy"] == np.__version__
    assert set(environment) == {"python", "versions", "machine", "processor", "blas_kernel", "simd"}
    assert environment["blas_kernel"] != "unknown"
    assert str(Path.home()) not in str(environment)
    assert platform.node() not in environment.values()


def benchmark(folder: Path, name: str, *rows: tuple[str, str, str]) -> None:
    file = folder / f"{name}.tsv"
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = [f"{wall}\t0:00:01\t{memory}\t0\t0\t0\t0\t0\t90\t{cpu}\n" for wall, memory, cpu in rows]
    file.write_text(HEADER + "".join(lines))


def record(build: Path, part: str, wall: float, cpu: float, peak: float) -> None:
    """What a trained part of paper `p` leaves beside it."""
    file = build / f"parts/p/{part}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"wall_s": wall, "cpu_s": cpu, "peak_mb": peak}))


def test_compute_budget_sums_by_stage_and_artefact(tmp_path: Path) -> None:
    """Records of parts that are no more (of another size, or of a removed value) do not count."""
    record(tmp_path, "fig01/main_rho=0.5_t0-9", 10.5, 9.25, 100.0)
    record(tmp_path, "fig01/main_rho=0.5_t10-19", 11.0, 10.0, 300.5)
    record(tmp_path, "fig02/main_t0-9", 1.0, 0.5, 50.0)
    record(tmp_path, "fig01/main_rho=0.5_t0-99", 99.0, 99.0, 999.0)
    benchmark(tmp_path / "benchmarks", "table/p/fig01", ("2.0", "80.0", "1.5"))
    benchmark(tmp_path / "benchmarks", "collect", ("3.0", "70.0", "2.5"))
    known = [("fig01", "main_rho=0.5_t0-9"), ("fig01", "main_rho=0.5_t10-19"), ("fig02", "main_t0-9")]
    parts = [("p", artefact, part) for artefact, part in known]
    budget = provenance.compute_budget(tmp_path, parts)
    rows = {(row["stage"], row["item"]): row for row in budget}
    assert list(rows) == [("collect", ""), ("table", "p/fig01"), ("train", "p/fig01"), ("train", "p/fig02")]
    both = rows["train", "p/fig01"]
    assert (both["jobs"], both["wall_s"], both["cpu_s"], both["peak_mb"]) == (2, 21.5, 19.25, 300.5)


def test_short_jobs_without_a_sample_count_by_their_wall_time(tmp_path: Path) -> None:
    benchmark(tmp_path / "benchmarks", "table/p/fig01", ("0.5", "NA", "NA"), ("0.25", "-", "0.00"))
    (row,) = provenance.compute_budget(tmp_path, [])
    assert (row["jobs"], row["wall_s"], row["cpu_s"], row["peak_mb"]) == (2, 0.75, 0.75, 0.0)
