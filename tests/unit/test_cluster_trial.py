"""The trial on a Slurm of one node: when it does not begin, and what it would set up."""

import importlib
import os
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def trial(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tests/cluster"))
    return importlib.import_module("one_node")


def test_it_is_skipped_with_one_word(trial: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert trial.missing() == "root"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert trial.missing() == "munged"
    for name in (*trial.DAEMONS, "sbatch", "squeue", "scancel", "runuser"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert trial.missing() == "snakemake_executor_plugin_slurm"
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: name)
    assert trial.missing() is None


def test_a_machine_with_a_slurm_of_its_own_is_left_alone(
    trial: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    conf = tmp_path / "slurm.conf"
    monkeypatch.setattr(trial, "CONF", conf)
    monkeypatch.setattr(trial, "DAEMONS", ("no-such-daemon",))
    assert trial.in_use() is None
    conf.write_text("ClusterName=ours\n")
    monkeypatch.setattr(trial, "missing", lambda: None)
    monkeypatch.setattr("sys.argv", ["one_node.py"])
    with pytest.raises(SystemExit, match=r"Not started: .*slurm.conf exists, so this machine has a Slurm of its own"):
        trial.main()
    assert conf.read_text() == "ClusterName=ours\n"


def test_its_configuration_writes_into_its_own_folder(trial: ModuleType, tmp_path: Path) -> None:
    text = trial.configuration(tmp_path)
    settings = dict(line.split("=", 1) for line in text.splitlines() if " " not in line)
    files = {key: value for key, value in settings.items() if value.startswith("/")}
    assert set(files) >= {"StateSaveLocation", "SlurmdSpoolDir", "SlurmctldPidFile", "SlurmdPidFile"}
    assert all(Path(file).parent == tmp_path for file in files.values())
    assert settings["SelectTypeParameters"] == "CR_Core_Memory"
