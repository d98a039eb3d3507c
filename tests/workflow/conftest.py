"""Builds that the workflow tests share: two at a tiny scale, one of them cut to two papers, one of a small paper."""

import fcntl
import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import copies
import forked
import pytest
import sixth_paper
from copies import OUTPUT, TINY, TRIALS, Build

# Environment of the second build, and papers that it makes without a server of forked processes.
ELSEWHERE = {"PYTHONHASHSEED": "77", "TZ": "Asia/Kathmandu", "LC_ALL": "C"}
UNFORKED = ("brown2024", "varshney2022")


def shared(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder that is made once, also where several processes run the tests; each edits a copy of its own."""
    own = factory.getbasetemp()
    common = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    folder, failed = common / f"shared-{name}", common / f"failed-{name}"
    with open(common / f"lock-{name}", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if failed.exists():
            pytest.fail(failed.read_text(encoding="utf-8"))
        if not folder.exists():
            try:
                make(folder)
            except BaseException as error:
                failed.write_text(str(error), encoding="utf-8")
                raise
    shutil.copytree(folder, own / name)
    return own / name


def build_twice(folder: Path) -> None:
    """Two builds, as different as they may be: cores, folder, hash seed, time zone, locale, size of parts, processes.

    The second makes every tenth table and one figure a paper: all come about alike, and parts are cut elsewhere too.
    Those of two papers, a table in LaTeX among them, are made by processes that start as a user's do, and the others by
    a server that started with the second build's hash seed, time zone and locale. A spy listens to the first one's
    engines, so that it is also shown to change nothing.
    """
    first, second = copies.tiny_copy(folder / "first"), copies.tiny_copy(folder / "at" / "another" / "place")
    for file in [*(second / "config/papers").glob("*.yaml"), *(second / "config/scales").glob("*.yaml")]:
        text = file.read_text(encoding="utf-8")
        file.write_text(re.sub(r"trials_per_part: \d+", f"trials_per_part: {TRIALS - 1}", text), encoding="utf-8")
    one = copies.start(first, "-c2", *TINY, TZ="UTC", LC_ALL="C.UTF-8", **copies.spied(first))
    output = ""
    for python, papers in ((sys.executable, UNFORKED), (forked.python(**ELSEWHERE), None)):
        files = copies.some_of_each(second, papers)
        output += copies.start(second, "-c1", *files, *TINY, python=python, **ELSEWHERE).finish()
    for place, text in ((second, output), (first, one.finish())):
        (place / OUTPUT).write_text(text, encoding="utf-8")


def build_sixth(folder: Path) -> None:
    """A project whose only paper is the one that does not exist."""
    copies.copy_project(folder)
    shutil.rmtree(folder / "config/papers")
    (folder / "docs/other_seed.csv").unlink()  # because it judges the five papers, none of which is here
    sixth_paper.add(folder)
    (folder / OUTPUT).write_text(copies.snakemake(folder, "-c2"), encoding="utf-8")


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Build, Build]:
    folder = shared(tmp_path_factory, "builds", build_twice)
    return Build(folder / "first"), Build(folder / "at" / "another" / "place")


@pytest.fixture(scope="session")
def built(builds: tuple[Build, Build]) -> Build:
    return builds[0]


@pytest.fixture(scope="session")
def cut(built: Build, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """The first build with two of its papers chosen and up to date, because it is planned in half of the time."""

    def build_cut(folder: Path) -> None:
        copies.copy_without(built.folder, folder)
        config = folder / "config/config.yaml"
        text = config.read_text(encoding="utf-8")
        chosen = re.sub(r"^papers: all", f"papers: [{', '.join(copies.TWO)}]", text, flags=re.MULTILINE)
        config.write_text(chosen, encoding="utf-8")
        (folder / OUTPUT).write_text(copies.snakemake(folder, "-c2", *TINY), encoding="utf-8")

    return Build(shared(tmp_path_factory, "cut", build_cut))


@pytest.fixture(scope="session")
def sixth(tmp_path_factory: pytest.TempPathFactory) -> Build:
    return Build(shared(tmp_path_factory, "sixth", build_sixth))
