"""Builds that the workflow tests share: two of the whole pipeline at a tiny scale, one of a paper of two artefacts."""

import re
import shutil

import copies
import pytest
import sixth_paper
from copies import TINY, TRIALS, Build


@pytest.fixture(scope="session")
def builds(tmp_path_factory: pytest.TempPathFactory) -> tuple[Build, Build]:
    """Two builds, as different as they may be: cores, folder, hash seed, time zone, locale, size of parts."""
    scratch = tmp_path_factory.mktemp("builds")
    first, second = copies.tiny_copy(scratch / "first"), copies.tiny_copy(scratch / "at" / "another" / "place")
    for file in [*(second / "config/papers").glob("*.yaml"), *(second / "config/scales").glob("*.yaml")]:
        text = file.read_text(encoding="utf-8")
        file.write_text(re.sub(r"trials_per_part: \d+", f"trials_per_part: {TRIALS - 1}", text), encoding="utf-8")
    one = copies.start(first, "-c1", *TINY, PYTHONHASHSEED="0", TZ="UTC", LC_ALL="C.UTF-8")
    other = copies.start(second, "-c2", *TINY, PYTHONHASHSEED="77", TZ="Asia/Kathmandu", LC_ALL="C")
    return Build(first, copies.finish(one)), Build(second, copies.finish(other))


@pytest.fixture(scope="session")
def built(builds: tuple[Build, Build]) -> Build:
    return builds[0]


@pytest.fixture(scope="session")
def sixth(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """A finished build of a project whose only paper is the one that does not exist."""
    folder = copies.copy_project(tmp_path_factory.mktemp("sixth") / "first")
    shutil.rmtree(folder / "config/papers")
    sixth_paper.add(folder)
    return Build(folder, copies.snakemake(folder, "-c2"))
