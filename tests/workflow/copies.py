"""Scratch copies of the project, and Snakemake in them: nothing here touches the checkout itself."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import forked
import yaml

from dpdescent.replication.build.compare import SOURCES, scratch_environment
from dpdescent.replication.configuration import project, values

ROOT = Path(__file__).resolve().parents[2]
# Few trials, and few runs of an audit, on the coarse grids of the quick scale, so that whatever judges that one can
# judge this one.
TRIALS, RUNS = 3, 100
# What takes longest of that: one value of an axis is enough here.
SMALLER: dict[str, dict[str, Any]] = {
    "brown2024": {"fig07": {"arms": {"T": [5, 20], "clip_factor": [0.5, 3]}}},
    "liang2025": {
        "fig03": {"cells": {"a": {"n": [500]}, "b": {"n": [1000]}}},
        "ext_long_runs": {"arms": {"T": [100, 300, 1000]}},
    },
    "varshney2022": {
        "audit": {"arms": {"steps": [1, 8], "run_draws": 400}},
        "ext_orders": {
            "cells": {
                "least N, Lemma 3.11": {"kappa": [1, 4], "eps": [0.1, 1], "delta": [1.0e-6], "d": [2, 10]},
                "least N, Theorem 3.2": {"kappa": [1, 4], "eps": [1.0e-7], "delta": [1.0e-20], "d": [2, 4]},
                "DP-SSGD": {"eps": [1.0e-12], "delta": [1.0e-26, 1.0e-40], "kappa": [1, 4], "d": [2, 4]},
            },
        },
        "multiplier": {"cells": {"all": {"eps": [0.1, 1], "delta": [1.0e-6]}}},
        "ssgd": {
            "cells": {
                "own regime": {"N": 2000},
                "Corollary 3.3": {"N": [1000, 2000]},
                "Theorem 3.2": {"N": 2000},
                "grid": {"N": 2000},
                "small thresholds": {"N": 2000, "zeta_factors": [0.1, 0.5], "steps": [1.0e-4, 1.0e-3]},
                "introduction": {"N": 2000, "steps": [1.0e-4, 1.0e-3]},
                "no privacy": {"N": 2000},
            },
        },
    },
    "choquettechoo2023": {
        "fig02": {"arms": {"T": 4000, "tail": 1000}},
        "fig04a": {"cells": {"all": {"eps": [2]}}, "arms": {"learning_rate": [0.5]}},
    },
    "wang2026": {
        "kappa_tables": {
            "cells": {
                "grid": {"T": [100, 200]},
                "scaling in T": {"T": [100]},
                "scaling in r": {"r": [0.3]},
                "scaling in eps": {"eps": [4]},
                "scaling in delta": {"delta": [0.001]},
            },
            "arms": {"lam": [0, 0.4, 0.8, 0.95]},
        },
        "sampling_counterexample": {"cells": {"quadrature": {"r": [0.1, 0.5], "kappa": [1], "eps": [0.5, 1]}}},
        "fig01": {"arms": {"lam": [0, 0.8], "eta": [2]}},
        "kan_lambda": {"cells": {"T = 100": {"eps": [1]}}, "arms": {"lam": [0, 0.8]}},
        "lambda_tradeoff": {"arms": {"lam": [0, 0.8]}},
        "closed_form_validity": {"cells": {"regime": {"n": [1000]}, "share": {"n": [1000]}}},
    },
}
TINY = ("--config", "scale=tiny")

# Papers of the build that is planned often.
TWO = ("brown2024", "liang2025")

# What the build of a shared copy printed.
OUTPUT = "output.txt"
# Folder in which a build says what its engines received, and the variable by which the spy is told it (tests/spy).
SPIED, VARIABLE = "spied", "DPDESCENT_SPY"


def copy_project(folder: Path) -> Path:
    """The sources in a folder of their own, with no results and no memory of earlier builds."""
    folder.mkdir(parents=True)
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
        else:
            shutil.copy2(ROOT / name, folder / name)
    return folder


@dataclass
class Call:
    """A running call of Snakemake; its output goes to a file, because a pipe that nobody reads would stop it."""

    process: "subprocess.Popen[str]"
    stream: IO[str]

    def finish(self, code: int = 0) -> str:
        """Its output, if it ends with the expected exit code."""
        self.process.wait()
        self.stream.seek(0)
        output = self.stream.read()
        assert self.process.returncode == code, output[-8000:]
        return output


def start(folder: Path, *arguments: str, python: str | None = None, **environment: str) -> Call:
    """Snakemake in a copy, with the copy's own package; without another interpreter it and its jobs are forked."""
    stream = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
    command = [python or forked.python(), "-m", "snakemake", *arguments]
    variables = {**scratch_environment(folder), **environment}
    # Hundreds of jobs run the modules of a copy; a machine's setting would have each compile them anew.
    variables.pop("PYTHONDONTWRITEBYTECODE", None)
    process = subprocess.Popen(command, cwd=folder, env=variables, stdout=stream, stderr=subprocess.STDOUT, text=True)
    return Call(process, stream)


def spied(folder: Path) -> dict[str, str]:
    """The environment in which a spy writes down what engines receive (tests/spy), to a folder of the copy."""
    sources = scratch_environment(folder)["PYTHONPATH"]
    return {"PYTHONPATH": f"{ROOT / 'tests/spy'}{os.pathsep}{sources}", VARIABLE: str(folder / SPIED)}


def snakemake(folder: Path, *arguments: str, code: int = 0, **environment: str) -> str:
    return start(folder, *arguments, **environment).finish(code)


def plan(folder: Path, *arguments: str) -> list[str]:
    """The messages of the jobs that a call would run, such as `liang2025/fig01: draw`."""
    output = snakemake(folder, "-n", *arguments)
    jobs = re.findall(r"^Job \d+: (.+)$", output, re.MULTILINE)
    assert bool(jobs) is ("Nothing to be done" not in output), output[-5000:]
    return sorted(jobs)


def trained(jobs: Iterable[str]) -> dict[str, list[str]]:
    """By artefact, the packs that a plan trains."""
    found: dict[str, list[str]] = {}
    for job in jobs:
        if match := re.fullmatch(r"(\S+)/(\d+): train", job):
            found.setdefault(match[1], []).append(match[2])
    return found


def without_training(jobs: Iterable[str]) -> set[str]:
    return {job for job in jobs if not job.endswith(": train")}


def copy_without(source: Path, folder: Path, *left_out: str) -> Path:
    """A copy without some of what lies at the top of a project, and without bytecode."""

    def ignored(place: str, names: list[str]) -> set[str]:
        return {name for name in names if name == "__pycache__" or (Path(place) == source and name in left_out)}

    return Path(shutil.copytree(source, folder, ignore=ignored))


@dataclass
class Build:
    """A copy of the project in which a build has finished."""

    folder: Path

    @property
    def output(self) -> str:
        return (self.folder / OUTPUT).read_text(encoding="utf-8")

    def plan(self, *arguments: str) -> list[str]:
        return plan(self.folder, *arguments, *TINY)

    @contextmanager
    def edited(self, name: str, old: str, new: str) -> Iterator[None]:
        """One file of the copy changed for a while."""
        file = self.folder / name
        before = file.read_text(encoding="utf-8")
        assert old in before, f"{name} has no {old!r}"
        file.write_text(before.replace(old, new, 1), encoding="utf-8")
        try:
            yield
        finally:
            file.write_text(before, encoding="utf-8")

    @contextmanager
    def rescaled(self, change: Callable[[dict[str, Any]], object]) -> Iterator[None]:
        """The overlay changed for a while."""
        name = "config/scales/tiny.yaml"
        before = (self.folder / name).read_text(encoding="utf-8")
        content = yaml.safe_load(before)
        change(content)
        with self.edited(name, before, yaml.safe_dump(content)):
            yield


def some_of_each(folder: Path, papers: Iterable[str] | None = None) -> list[str]:
    """Files of the tiny scale: the tables of every tenth artefact of each paper, and the first figure of these."""
    files = []
    chosen = "all" if papers is None else list(papers)
    for paper in project.load({"scale": "tiny", "seed": 20250922, "papers": chosen}, folder).papers.values():
        made = list(paper.artefacts.values())[::10]
        files += [f"{artefact.item}.csv" for artefact in made]
        files.append(next(f"{artefact.item}.svg" for artefact in made if not artefact.is_table))
    return [f"results/tiny/{name}" for name in files]


def tiny_copy(folder: Path) -> Path:
    copy_project(folder)
    scale = values.read_yaml(folder / "config/scales/quick.yaml")
    scale |= {"label": "tiny scale", "trials_at_most": TRIALS, "audit_runs": RUNS}
    _overlay(scale["papers"], {paper: {"artefacts": artefacts} for paper, artefacts in SMALLER.items()})
    (folder / "config/scales/tiny.yaml").write_text(yaml.safe_dump(scale), encoding="utf-8")
    return folder


def _overlay(base: dict[str, Any], changes: dict[str, Any]) -> None:
    for key, value in changes.items():
        if isinstance(value, dict) and isinstance(base.get(key), dict):
            _overlay(base[key], value)
        else:
            base[key] = value
