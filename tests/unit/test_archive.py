"""Archives of results: equal bytes from equal results, differences told, and nothing unpacked outside of its folder."""

import gzip
import io
import os
import re
import subprocess
import sys
import tarfile
import warnings
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml

from dpdescent.commands import __main__ as command
from dpdescent.replication.build import archive, provenance
from dpdescent.replication.build.files import MANIFEST, write_rows

ROOT = Path(__file__).resolve().parents[2]
CLAIM = {"paper": "liang2025", "claim": "fig04-order", "verdict": "reproduced"}


def results(folder: Path, verdict: str = "reproduced", mean: float = 0.5) -> Path:
    """A finished build of two artefacts of one paper and one of another, at the scale quick."""
    made = folder / "quick"
    for item in ("liang2025/fig04", "liang2025/fig05", "wang2026/fig01"):
        (made / item).parent.mkdir(parents=True, exist_ok=True)
        write_rows(made / f"{item}.csv", ["T", "mean"], [{"T": 1, "mean": mean}, {"T": 2, "mean": 1.0}])
        (made / f"{item}.svg").write_bytes(str(mean).encode())
        write_rows(made / item.split("/")[0] / "settings.csv", ["key"], [{"key": "n"}])
    write_rows(made / "claims.csv", list(CLAIM), [CLAIM | {"verdict": verdict}])
    (made / "provenance.json").write_text("{}")
    (made / "compute.csv").write_text(os.urandom(4).hex())
    seal(made)
    return made


def seal(made: Path) -> None:
    lines = (f"{digest}  {name}\n" for name, digest in provenance.hashes(made).items())
    (made / MANIFEST).write_text("".join(lines))


def names(file: Path) -> list[str]:
    with tarfile.open(file) as tar:
        return [member.name for member in tar]


def test_equal_results_make_equal_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "first.tar.gz", tmp_path / "other" / "second.tar.gz"
    archive.pack(results(tmp_path / "one"), first)
    archive.pack(results(tmp_path / "two"), second)
    assert first.read_bytes() == second.read_bytes()
    assert "dpdescent-quick/liang2025/fig04.csv" in names(first)
    assert not [name for name in names(first) if "compute" in name]


def test_what_is_unpacked_is_what_was_packed(tmp_path: Path) -> None:
    made = results(tmp_path)
    archive.pack(made, tmp_path / "a.tar.gz")
    found = archive.unpack(tmp_path / "a.tar.gz", tmp_path / "out")
    assert provenance.hashes(found) == provenance.hashes(made)
    assert (found / MANIFEST).read_bytes() == (made / MANIFEST).read_bytes()


@pytest.mark.parametrize(
    ("items", "held"),
    [
        (["liang2025"], {"fig04", "fig05", "settings"}),
        (["liang2025/fig04"], {"fig04"}),
        (["liang2025/fig05", "wang2026"], {"fig05", "fig01", "settings"}),
    ],
)
def test_some_papers_or_artefacts_alone(items: list[str], held: set[str], tmp_path: Path) -> None:
    archive.pack(results(tmp_path), tmp_path / "a.tar.gz", items)
    found = archive.unpack(tmp_path / "a.tar.gz", tmp_path / "out")
    assert {file.stem for file in found.glob("*/*")} == held
    assert (found / "claims.csv").is_file()
    assert set((found / MANIFEST).read_text().split()[1::2]) == provenance.hashes(found).keys()


def test_logs_come_along_where_asked_for(tmp_path: Path) -> None:
    (tmp_path / "logs/train").mkdir(parents=True)
    (tmp_path / "logs/train/fig04.log").write_text("3 rows\n")
    archive.pack(results(tmp_path), tmp_path / "a.tar.gz", logs=tmp_path / "logs")
    assert "dpdescent-quick/logs/train/fig04.log" in names(tmp_path / "a.tar.gz")


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda made: (made / "liang2025/fig04.csv").write_text("T,mean\n1,9\n"), "fig04.csv is not what"),
        (lambda made: (made / "liang2025/fig04.svg").unlink(), "fig04.svg is not what"),
        (lambda made: (made / "liang2025/new.csv").write_text(""), "new.csv is not what"),
        (lambda made: (made / MANIFEST).unlink(), "no finished results"),
    ],
    ids=["edited", "lost", "added", "unfinished"],
)
def test_results_that_are_not_their_manifest_are_refused(damage, told: str, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    made = results(tmp_path)
    damage(made)
    with pytest.raises(SystemExit, match=told):
        archive.pack(made, tmp_path / "a.tar.gz")
    assert not (tmp_path / "a.tar.gz").exists()


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"nothing of liang2025/fig9; give papers \(liang2025, wang2026\)"):
        archive.pack(results(tmp_path), tmp_path / "a.tar.gz", ["liang2025/fig9"])


def hostile(file: Path, **changes: object) -> Path:
    """An archive with one member that is not a plain file inside of it."""
    member = tarfile.TarInfo("dpdescent-quick/a")
    for name, value in changes.items():
        setattr(member, name, value)
    with tarfile.open(file, "w:gz") as tar:
        tar.addfile(member, io.BytesIO(bytes(member.size)))
    return file


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "../outside"},
        {"name": "/tmp/outside"},
        {"name": "dpdescent-quick/../../outside"},
        {"type": tarfile.SYMTYPE, "linkname": "/etc/passwd"},
        {"type": tarfile.LNKTYPE, "linkname": "other"},
        {"type": tarfile.CHRTYPE},
        {"type": tarfile.FIFOTYPE},
        {"type": tarfile.BLKTYPE},
        {"type": tarfile.DIRTYPE},
        {"type": tarfile.GNUTYPE_SPARSE, "sparse": [(0, 1)]},
    ],
)
def test_hostile_archives_are_refused_in_one_line(changes: dict[str, object], tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"which is no file inside of it|cannot be unpacked") as stop:
        archive.unpack(hostile(tmp_path / "a.tar.gz", **changes), tmp_path / "out")
    assert "\n" not in str(stop.value)
    assert not list(tmp_path.rglob("outside"))


@pytest.mark.parametrize("mode", [0o4777, 0o2755, 0o1777, 0o000])
def test_what_is_unpacked_has_owner_mode_and_time_of_a_new_file(mode: int, tmp_path: Path) -> None:
    """Nothing that runs as somebody else, and nothing that cannot be read."""
    archive.extract(hostile(tmp_path / "a.tar.gz", mode=mode, uid=12345, gid=12345, mtime=1), tmp_path / "out")
    (tmp_path / "new").touch()
    made, new = (tmp_path / "out/dpdescent-quick/a").stat(), (tmp_path / "new").stat()
    assert (made.st_mode, made.st_uid, made.st_gid) == (new.st_mode, new.st_uid, new.st_gid)
    assert made.st_mtime > 1


def test_unpacking_needs_no_newer_tarfile_and_warns_of_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of Python 3.11.0 has no filters, and those of 3.12 and later warn where none is given."""

    def extract(self: object, member: object, path: str = "", set_attrs: bool = True) -> None:
        raise AssertionError("a member was extracted without a filter")

    for name in ("extract", "extractall"):
        monkeypatch.setattr(tarfile.TarFile, name, extract)
    archive.pack(results(tmp_path), tmp_path / "a.tar.gz")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        archive.unpack(tmp_path / "a.tar.gz", tmp_path / "out")


@pytest.mark.parametrize("names", [("a", "a/b"), ("a/b", "a"), ("a\0b",)])
def test_names_that_cannot_be_are_one_line(names: tuple[str, ...], tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as tar:
        for name in names:
            member = tarfile.TarInfo("x")
            member.pax_headers = {"path": name}
            tar.addfile(member)
    with pytest.raises(SystemExit, match="cannot be unpacked"):
        archive.extract(tmp_path / "a.tar.gz", tmp_path / "out")


def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "LARGEST", 1000)
    with pytest.raises(SystemExit, match="holds more than"):
        archive.unpack(hostile(tmp_path / "a.tar.gz", size=1001), tmp_path / "out")


@pytest.mark.parametrize("content", [b"", b"no archive", gzip.compress(b"no tar", mtime=0), None, "half"])
def test_what_is_no_archive_is_one_line(content: bytes | str | None, tmp_path: Path) -> None:
    file = tmp_path / "a.tar.gz"
    if content == "half":
        archive.pack(results(tmp_path), file)
        content = file.read_bytes()[: file.stat().st_size // 2]
    if isinstance(content, bytes):
        file.write_bytes(content)
    with pytest.raises(SystemExit, match=r"cannot be unpacked|is not there|no archive of results"):
        archive.unpack(file, tmp_path / "out")


def differing(tmp_path: Path, capsys: pytest.CaptureFixture[str], **changes: object) -> tuple[object, str]:
    archive.pack(results(tmp_path / "one"), tmp_path / "a.tar.gz")
    archive.pack(results(tmp_path / "two", **changes), tmp_path / "b.tar.gz")  # type: ignore[arg-type]
    with pytest.raises(SystemExit) as stop:
        command.main(["artifacts-diff", str(tmp_path / "a.tar.gz"), str(tmp_path / "b.tar.gz")])
    return stop.value.code, capsys.readouterr().out


def test_differences_are_told_in_a_few_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = differing(tmp_path, capsys, verdict="inconclusive", mean=0.25)
    assert code == 1
    assert "liang2025/fig04.csv" in said
    assert "VERDICT  liang2025 fig04-order: reproduced, now inconclusive" in said
    assert len(said.splitlines()) <= 14


def test_equal_archives_differ_in_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, said = differing(tmp_path, capsys)
    assert (code, len(said.splitlines())) == (0, 1)


def test_the_hosted_workflow_runs_what_is_run_here() -> None:
    """Each of its commands is one of `.ci/run`, but for the build at paper scale, which is this repository's own."""
    workflow = yaml.safe_load((ROOT / ".github/workflows/replication.yml").read_text())
    runs = [step["run"] for job in workflow["jobs"].values() for step in job["steps"] if "run" in step]
    ours = set(re.findall(r"plain make (\S+)", (ROOT / ".ci/run").read_text()))
    targets = {run.split()[1] for run in runs if run.startswith("make ")}
    assert targets == {"test", "quick", "artifacts", "parts", "results"}
    assert targets <= ours
    assert [run for run in runs if not run.startswith("make ")] == [
        ".venv/bin/dpdescent spotcheck --seconds 60",
        'cat results/quick/README.md >> "$GITHUB_STEP_SUMMARY"',
    ]
    assert all(job["timeout-minutes"] <= 360 for name, job in workflow["jobs"].items() if name != "pages")


def test_the_hosted_workflow_trains_every_paper_and_hands_its_parts_on() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/replication.yml").read_text())["jobs"]
    papers = {file.stem for file in (ROOT / "config/papers").glob("*.yaml")}
    assert set(jobs["train"]["strategy"]["matrix"]["paper"]) == papers
    (sent,) = (step["with"] for step in jobs["train"]["steps"] if "upload-artifact" in step.get("uses", ""))
    (fetched,) = (step["with"] for step in jobs["paper"]["steps"] if "download-artifact" in step.get("uses", ""))
    assert fnmatch(sent["name"], fetched["pattern"])
    assert any(f"{fetched['path']}/*.tar.gz" in step.get("run", "") for step in jobs["paper"]["steps"])


@pytest.mark.parametrize(
    ("schema", "file"),
    [("github-workflows", ".github/workflows/replication.yml"), ("citation-file-format", "CITATION.cff")],
)
def test_files_for_others_fit_their_public_schema(schema: str, file: str, tmp_path: Path) -> None:
    def checked(path: Path) -> int:
        command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", path]
        return subprocess.run(command, capture_output=True, check=False).returncode

    broken = tmp_path / "broken.yml"
    broken.write_text((ROOT / file).read_text(encoding="utf-8").replace("on:", "no:").replace("authors:", "author:"))
    assert (checked(ROOT / file), checked(broken)) == (0, 1)
