"""What an edit runs again: the jobs that it concerns, and no other."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import copies
import pytest
from copies import TINY, Build

from dpdescent.replication.build import fingerprint
from dpdescent.replication.configuration import project

pytestmark = pytest.mark.workflow

PAPER = "liang2025"
FOLDER = f"src/dpdescent/papers/{PAPER}"
# An edit of code that changes no result.
CODE = ("\n\n\ndef ", "\n\nEXTRA = 1\n\n\ndef ")
COLLECTED = "collect claims, findings, privacy, audits and parts"
END = {"hash every table and figure", "sum up times and memory"}
# What words in the configuration are told in.
TOLD = {f"{PAPER}: list who chose what", "write the report"} | END
JUDGED = {
    f"{PAPER}: evaluate bounds", f"{PAPER}: judge claims", f"{PAPER}: demonstrate findings",
    COLLECTED, "write the page of verdicts", "draw the audit", "write the report",
    "write letters to the authors",
}  # fmt: skip


def artefacts(build: Build) -> dict[str, project.Artefact]:
    whole = project.load({"scale": "tiny", "seed": 20250922, "papers": "all"}, build.folder)
    return {artefact.item: artefact for artefact in whole.artefacts()}


def users(build: Build, module: str) -> set[str]:
    """The artefacts whose training imports a module."""
    source = (build.folder / "src").resolve()
    experiments = {
        item: source / f"dpdescent/papers/{item.replace('/', '/experiments/')}.py" for item in artefacts(build)
    }
    return {item for item, file in experiments.items() if source / module in fingerprint.reachable(source, [file])}


def test_second_call_has_nothing_to_do(built: Build) -> None:
    assert built.plan() == []


def test_touching_every_file_reruns_nothing(built: Build) -> None:
    for folder in ("src", "workflow", "config", "profiles"):
        for file in (built.folder / folder).rglob("*"):
            os.utime(file)
    os.utime(built.folder / "Snakefile")
    assert built.plan() == []


def test_comments_and_docstrings_rerun_nothing(built: Build) -> None:
    name = "src/dpdescent/algorithms/dp_2s_gd.py"
    docstring = re.search(r'^def \w+\(.*?:\n    """', (built.folder / name).read_text(), re.MULTILINE | re.DOTALL)
    assert docstring
    with (
        built.edited(name, '"""', '"""An edited docstring. '),
        built.edited(name, docstring[0], docstring[0] + "Another one. "),
        built.edited(name, "\n\nimport", "\n\n# a comment\n\nimport"),
    ):
        assert built.plan() == []


def file_of(build: Build, module: str) -> str:
    """Of one of the paper's verbs, which may be a module or a package."""
    return str(fingerprint.module_file(build.folder / FOLDER, module).relative_to(build.folder))


def drawn_of_paper(build: Build) -> set[str]:
    mine = (artefact for artefact in artefacts(build).values() if artefact.paper == PAPER)
    return {drawn(artefact.item) for artefact in mine if not artefact.is_table}


def drawn(item: str) -> str:
    """The job that makes a figure from trials."""
    return f"{item}: summarise trials and draw"


@pytest.mark.slow
def test_old_modification_times_hide_no_edit(built: Build) -> None:
    """A restored stash or an unpacked archive brings its own times."""
    name = file_of(built, "figures")
    with built.edited(name, *CODE):
        os.utime(built.folder / name, (0, 0))
        assert drawn(f"{PAPER}/fig01") in built.plan()


def test_drawing_code_only_redraws(built: Build) -> None:
    """The job that draws a table makes it anew too: it is judged again, from equal bytes, and nothing is trained."""
    with built.edited(file_of(built, "figures"), *CODE):
        jobs = built.plan()
    assert set(jobs) == drawn_of_paper(built) | JUDGED | END


def test_engine_retrains_its_users_only(built: Build) -> None:
    using = users(built, "dpdescent/algorithms/dp_2s_gd.py")
    assert using
    assert not using & {f"{PAPER}/fig01", f"{PAPER}/fig02"}
    with built.edited("src/dpdescent/algorithms/dp_2s_gd.py", *CODE):
        jobs = built.plan()
    every = {item: sorted(pack.name for pack in artefacts(built)[item].packs) for item in using}
    assert {item: sorted(names) for item, names in copies.trained(jobs).items()} == every
    assert {job.split(":")[0] for job in jobs if ": summarise trials" in job} == using
    assert f"{PAPER}/card: prepare data set" not in jobs


def test_accountant_reruns_the_ledger_and_no_training_that_does_not_use_it(built: Build) -> None:
    name = "privacy/accounting.py"
    with built.edited(f"src/dpdescent/{name}", *CODE):
        jobs = built.plan()
    assert set(copies.trained(jobs)) == users(built, f"dpdescent/{name}")
    assert {job for job in jobs if job.endswith("account for privacy")} == {
        f"{artefact.paper}: account for privacy" for artefact in artefacts(built).values()
    }
    assert {f"{PAPER}: audit the ledger", COLLECTED} <= set(jobs)


@pytest.mark.parametrize(
    ("module", "job"),
    [
        ("claims", "judge claims"),
        pytest.param("findings", "demonstrate findings", marks=pytest.mark.slow),
        pytest.param("bounds", "evaluate bounds", marks=pytest.mark.slow),
    ],
)
def test_judgement_trains_and_draws_nothing(built: Build, module: str, job: str) -> None:
    with built.edited(file_of(built, module), *CODE):
        jobs = built.plan()
    assert f"{PAPER}: {job}" in jobs
    assert set(jobs) <= JUDGED | END


def test_new_value_on_a_split_axis_runs_packs_of_its_artefact_only(built: Build) -> None:
    """Which parts of a pack are trained is tested in `test_packed_training`."""
    with built.rescaled(lambda scale: scale["papers"][PAPER]["artefacts"]["fig03"]["cells"]["a"]["n"].insert(1, 1234)):
        jobs = built.plan()
    assert set(copies.trained(jobs)) == {f"{PAPER}/fig03"}
    of_fig03 = {drawn(f"{PAPER}/fig03"), f"{PAPER}: account for privacy"}
    assert copies.without_training(jobs) == of_fig03 | {f"{PAPER}: audit the ledger"} | JUDGED | TOLD


@pytest.mark.slow
def test_title_redraws_one_figure(built: Build) -> None:
    title = f"title: {artefacts(built)[f'{PAPER}/fig04'].title}"
    with built.edited(f"config/papers/{PAPER}.yaml", title, title + " (edited)"):
        assert set(built.plan()) == {drawn(f"{PAPER}/fig04")} | JUDGED | TOLD


def test_provenance_texts_are_told_and_rerun_nothing_else(built: Build) -> None:
    name = f"config/papers/{PAPER}.yaml"
    with (
        built.edited(name, "stated: Sec. 4.1", "stated: somewhere else"),
        built.edited(name, "chosen: the grid is not stated", "chosen: for another reason"),
        built.edited(name, "why: c0 of eq. (4) is not stated", "why: in other words"),
        built.edited(name, "means: sample size", "means: number of records"),
    ):
        assert set(built.plan()) == TOLD


def test_seed_reruns_every_training(built: Build) -> None:
    jobs = copies.trained(copies.plan(built.folder, *TINY, "seed=7"))
    assert {item: len(names) for item, names in jobs.items()} == {
        item: len(artefact.packs) for item, artefact in artefacts(built).items()
    }


def test_alias_of_a_paper_and_of_an_artefact(built: Build) -> None:
    assert copies.plan(built.folder, f"{PAPER}_fig04", *TINY) == []
    jobs = copies.plan(built.folder, f"{PAPER}_fig04", *TINY, "seed=7")
    assert set(copies.trained(jobs)) == {f"{PAPER}/fig04"}
    assert copies.without_training(jobs) == {drawn(f"{PAPER}/fig04")}
    jobs = copies.plan(built.folder, PAPER, *TINY, "seed=7")
    assert {job for job in jobs if job.endswith(" and draw")} == drawn_of_paper(built)


def test_claims_of_a_paper_are_a_target(built: Build) -> None:
    jobs = copies.plan(built.folder, f"{PAPER}_claims", *TINY, "seed=7")
    assert f"{PAPER}: judge claims" in jobs
    assert {item.split("/")[0] for item in copies.trained(jobs)} == {PAPER}
    assert not {f"{PAPER}: demonstrate findings", f"{PAPER}: audit the ledger", COLLECTED} & set(jobs)


@pytest.mark.slow
def test_path_of_a_file_is_a_target(built: Build) -> None:
    target = f"results/tiny/{PAPER}/fig05.png"
    jobs = copies.plan(built.folder, target, *TINY, "seed=7")
    assert set(copies.trained(jobs)) == {f"{PAPER}/fig05"}
    assert not [job for job in jobs if job.endswith(" and draw") and "fig05" not in job]


def test_sources_are_not_the_installed_package(built: Build) -> None:
    """A build in a copy computes with the copy's package: else no test of an edit would mean anything."""
    found = subprocess.run(
        [sys.executable, "-c", "import dpdescent; print(dpdescent.__file__)"],
        env=copies.scratch_environment(built.folder), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert Path(found.stdout.strip()).is_relative_to(built.folder)
    assert json.loads((built.folder / "results/tiny/provenance.json").read_text())["scale"] == "tiny"
