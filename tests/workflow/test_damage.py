"""Damage to what lies on the disk: it is told in one line or made good, and never gets into a verdict.

What happens to each kind of file is listed in docs/damage.csv, which is checked here against what does happen.
"""

import csv
import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import copies
import forked
import pytest
import sixth_paper
from copies import Build

from dpdescent.replication.build import compare, integrity, provenance, store
from dpdescent.replication.build.files import checked, write_rows

pytestmark = pytest.mark.workflow

PAPER = sixth_paper.KEY
ROOT = Path(__file__).resolve().parents[2]
FILES = {
    "part": f"build/paper/parts/{PAPER}/fig01/main_a_n=20_t0-1.csv",
    "list of parts": f"build/paper/packs/{PAPER}/fig01/1.csv",
    "table": f"results/paper/{PAPER}/fig01.csv",
    "bounds": f"results/paper/{PAPER}/bounds.csv",
    "claims of a paper": f"build/paper/claims/{PAPER}.csv",
    "claims": "results/paper/claims.csv",
}
REFUSED, MADE, NOT_NEEDED = "refused in one line; made again as it says", "made again", "made again when it is needed"
MISSED = "said to be missing in one line, when it is needed; made again as it says"


def number_in(content: bytes) -> int:
    """Place inside the last number with a fraction, or else the last word."""
    return [match.end() for match in re.finditer(rb"\d\.\d|\w\w", content)][-1]


def flipped(content: bytes) -> bytes:
    """The lowest bit of a digit or letter changed, which makes it another of them."""
    place = number_in(content) - 1
    return content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]


DAMAGES: dict[str, Callable[[bytes], bytes | None]] = {
    "truncated": lambda content: content[: 2 * len(content) // 3],
    "empty": lambda content: b"",
    "header only": lambda content: content.splitlines(keepends=True)[0],
    "cut inside a number": lambda content: content[: number_in(content) - 1],
    "one bit flipped": flipped,
    "stale copy": lambda content: b"".join(content.splitlines(keepends=True)[:-1]),
    "edited by hand": lambda content: content.replace(b"0", b"1", 1).replace(b"reproduced", b"not reproduced"),
    "deleted": lambda content: None,
    "a folder in its place": lambda content: None,
}
CASES = [(kind, damage) for kind in FILES for damage in DAMAGES]
SAMPLE = [
    ("part", "truncated"), ("table", "edited by hand"), ("bounds", "a folder in its place"), ("claims", "deleted"),
]  # fmt: skip


@pytest.fixture(scope="module")
def listed() -> dict[tuple[str, str], str]:
    """What the documentation says, by file and damage."""
    with open(ROOT / "docs/damage.csv", encoding="utf-8", newline="") as stream:
        return {(row["file"], row["damage"]): row["what happens"] for row in csv.DictReader(stream)}


def spoil(file: Path, damage: str) -> None:
    """Damages a file and gives it back its time, so that no time tells."""
    content, old = file.read_bytes(), file.stat()
    file.unlink()
    changed = DAMAGES[damage](content)
    assert changed != content
    if damage == "a folder in its place":
        file.mkdir()
    elif changed is not None:
        file.write_bytes(changed)
    if file.exists():
        os.utime(file, ns=(old.st_atime_ns, old.st_mtime_ns))


def mend_of(output: str, name: str) -> str | None:
    """The command in the only line that a refused call prints beside Snakemake's notices."""
    notices = ("Using workflow", "Config file", "Assuming unrestricted", "Building DAG")
    lines = [line for line in output.splitlines() if not line.startswith(notices)]
    if len(lines) != 1 or not lines[0].startswith(f"{name} is "):
        return None
    told = re.fullmatch(r".* is (?:not what was written here|a folder, where .*): (rm .*), then run .*", lines[0])
    return told[1] if told else None


def test_table_of_damage_is_complete(listed: dict[tuple[str, str], str]) -> None:
    assert list(listed) == CASES
    assert set(listed.values()) == {REFUSED, MADE, NOT_NEEDED, MISSED}


def test_every_damage_is_seen_before_the_first_job(
    sixth: Build, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, listed: dict[tuple[str, str], str]
) -> None:
    monkeypatch.chdir(shutil.copytree(sixth.folder, tmp_path / "copy"))
    results, build = Path("results/paper"), Path("build/paper")
    packs = {
        pack: build / "parts" / pack.relative_to(build / "packs").parent for pack in (build / "packs").rglob("*.csv")
    }
    for kind, damage in CASES:
        file = Path(FILES[kind])
        kept = Path(shutil.copy2(file, tmp_path / "kept"))
        assert integrity.altered(results, build, packs) == ({}, set())
        spoil(file, damage)
        found, restored = integrity.altered(results, build, packs)
        line = integrity.line(found, [str(file) for mend in found.values() for file in mend], results) or ""
        assert not restored
        assert (listed[kind, damage] == REFUSED) == (mend_of(line, str(file)) is not None), (kind, damage, line)
        assert (damage == "a folder in its place") == (integrity.folders(FILES.values()) is not None)
        if file.is_dir():
            file.rmdir()
        shutil.copy2(kept, file)


@pytest.mark.parametrize(
    ("kind", "damage"),
    [pytest.param(*case, marks=[] if case in SAMPLE else pytest.mark.slow, id=", ".join(case)) for case in CASES],
)
def test_build_after_damage_ends_as_if_there_had_been_none(
    sixth: Build, tmp_path: Path, listed: dict[tuple[str, str], str], kind: str, damage: str
) -> None:
    """Also what is refused, once the line's command has run, and what is not needed, when its readers run again."""
    folder = Path(shutil.copytree(sixth.folder, tmp_path / "copy"))
    file, happens = folder / FILES[kind], listed[kind, damage]
    good = file.read_bytes()
    spoil(file, damage)
    if happens == REFUSED:
        mend = mend_of(copies.snakemake(folder, "-c2", code=1), FILES[kind])
        assert mend is not None
        subprocess.run(mend, shell=True, cwd=folder, check=True)
    made = "Nothing to be done" not in copies.snakemake(folder, "-c2")
    assert made or happens != MADE
    again = ("-c2", "--forcerun", "figure", "collect")
    if happens == MISSED:
        line = next(
            line for line in copies.snakemake(folder, *again, code=1).splitlines() if line.startswith(FILES[kind])
        )
        subprocess.run(str(mend_of(line, FILES[kind])), shell=True, cwd=folder, check=True)
    if not made:
        copies.snakemake(folder, *again)
    assert file.read_bytes() == good
    assert compare.hashes(folder / "results/paper") == compare.hashes(sixth.folder / "results/paper")


def test_every_result_that_is_gone_is_made_again(sixth: Build, tmp_path: Path) -> None:
    """Also where no other file is made from it."""
    folder = Path(shutil.copytree(sixth.folder, tmp_path / "copy"))
    makers = {
        f"{PAPER}/fig01.svg": f"{PAPER}/fig01: summarise trials and draw",
        f"{PAPER}/table_one.tex": f"{PAPER}/table_one: summarise trials and write as Markdown and LaTeX",
        f"{PAPER}/settings.csv": f"{PAPER}: list who chose what", "audit.svg": "draw the audit",
        "report/style.css": "write the report", "README.md": "write the page of verdicts",
        "parts.csv": "collect claims, findings, privacy, audits and parts",
        "provenance.json": "hash every table and figure", "report/compute.js": "sum up times and memory",
    }  # fmt: skip
    for name in makers:
        (folder / "results/paper" / name).unlink()
    jobs = copies.plan(folder)
    assert set(makers.values()) <= set(jobs)
    assert not copies.trained(jobs)


def test_lost_intermediates_are_no_damage(sixth: Build, tmp_path: Path) -> None:
    """Who removes `build` keeps results that can be used, and gets the rest made again when it is needed."""
    folder = Path(shutil.copytree(sixth.folder, tmp_path / "copy"))
    shutil.rmtree(folder / "build")
    assert copies.plan(folder) == []
    (folder / FILES["table"]).unlink()
    copies.snakemake(folder, "-c2")
    assert compare.hashes(folder / "results/paper") == compare.hashes(sixth.folder / "results/paper")


def test_prepared_data_are_kept_with_their_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The library writes them, which knows of no build; training refuses them when they have changed."""
    monkeypatch.chdir(tmp_path)
    columns = {"instruments": ["nearc4"], "regressors": ["educ"], "outcome": "lwage"}
    spec = json.dumps({"source": "card", "paper": PAPER, "name": "card", "seed": 1, **columns})
    data = Path(f"build/paper/data/{PAPER}/card.csv")
    data.parent.mkdir(parents=True)
    command = [forked.python(), ROOT / "workflow/scripts/data.py", "--spec", spec, "--output", data]
    subprocess.run(command, env=compare.scratch_environment(ROOT), check=True, capture_output=True)
    assert len(store.digest(data)) == 64
    spoil(data, "one bit flipped")
    with pytest.raises(SystemExit, match=f"^{data} is not what was written here: rm {data}, then run"):
        store.digest(data)


def test_manifest_lists_no_damaged_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_rows("results/paper/claims.csv", ["claim"], [{"claim": "c1"}])
    listed = provenance.hashes("results/paper", checked)
    assert listed == provenance.hashes("results/paper")
    Path("results/paper/claims.csv").write_text("claim\nc2\n")
    with pytest.raises(SystemExit, match=r"^results/paper/claims\.csv is not what was written here"):
        provenance.hashes("results/paper", checked)
