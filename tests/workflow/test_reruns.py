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
from dpdescent.replication.configuration import project, values

pytestmark = pytest.mark.workflow

PAPER = "liang2025"
FOLDER = f"src/dpdescent/papers/{PAPER}"
# An edit of code that changes no result: its file does more when it is imported.
CODE = ("\n\n\ndef ", "\n\nassert True\n\n\ndef ")
# One that nothing uses.
UNUSED = ("\n\n\ndef ", "\n\nEXTRA = 1\n\n\ndef extra():\n    return EXTRA\n\n\ndef ")
COLLECTED = "collect claims, findings, privacy, audits and parts"
END = {"hash every table and figure", "sum up times and memory", "every result is there"}
# What words in the configuration are told in.
TOLD = {f"{PAPER}: list who chose what", "write the report"} | END
JUDGED = {
    f"{PAPER}: evaluate bounds", f"{PAPER}: judge claims", f"{PAPER}: demonstrate findings",
    COLLECTED, "write the page of verdicts", "draw the audit", "write the report",
    "write letters to the authors",
}  # fmt: skip


def artefacts(build: Build) -> dict[str, project.Artefact]:
    """Artefacts of the papers that the build chooses, by item."""
    chosen = values.read_yaml(build.folder / "config/config.yaml")
    return {artefact.item: artefact for artefact in project.load({**chosen, "scale": "tiny"}, build.folder).artefacts()}


def users(build: Build, module: str, name: str | None = None) -> set[str]:
    """The artefacts whose training uses a name of a module, or any of its names."""
    source, train = (build.folder / "src").resolve(), build.folder / "workflow/scripts/train.py"
    reached = {item: fingerprint.reached(source, train, [artefact.run]) for item, artefact in artefacts(build).items()}
    return {
        item
        for item, places in reached.items()
        if any(file == source / module and name in (None, used) for file, used in places)
    }


def test_second_call_has_nothing_to_do(built: Build) -> None:
    assert built.plan() == []


def test_touching_every_file_reruns_nothing(cut: Build) -> None:
    for folder in ("src", "workflow", "config", "profiles"):
        for file in (cut.folder / folder).rglob("*"):
            os.utime(file)
    os.utime(cut.folder / "Snakefile")
    assert cut.plan() == []


def test_comments_and_docstrings_rerun_nothing(cut: Build) -> None:
    name = "src/dpdescent/algorithms/dp_2s_gd.py"
    docstring = re.search(r'^def \w+\(.*?:\n    """', (cut.folder / name).read_text(), re.MULTILINE | re.DOTALL)
    assert docstring
    with (
        cut.edited(name, '"""', '"""An edited docstring. '),
        cut.edited(name, docstring[0], docstring[0] + "Another one. "),
        cut.edited(name, "\n\nimport", "\n\n# a comment\n\nimport"),
    ):
        assert cut.plan() == []


@pytest.mark.parametrize("name", ["algorithms/dp_2s_gd", f"papers/{PAPER}/drawing"])
def test_code_that_nothing_uses_trains_and_draws_nothing(cut: Build, name: str) -> None:
    """It may be judged again, where a name that is a module's and a local variable's counts as all of the module."""
    with cut.edited(f"src/dpdescent/{name}.py", *UNUSED):
        assert set(cut.plan()) <= JUDGED | END


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
def test_old_modification_times_hide_no_edit(cut: Build) -> None:
    """A restored stash or an unpacked archive brings its own times."""
    name = file_of(cut, "drawing")
    with cut.edited(name, *CODE):
        os.utime(cut.folder / name, (0, 0))
        assert drawn(f"{PAPER}/fig01") in cut.plan()


def test_drawing_code_only_redraws(cut: Build) -> None:
    """The job that draws a table makes it anew too: it is judged again, from equal bytes, and nothing is trained."""
    with cut.edited(file_of(cut, "drawing"), *CODE):
        jobs = cut.plan()
    redrawn = set(jobs) - JUDGED - END
    assert drawn(f"{PAPER}/fig03") in redrawn
    assert redrawn <= drawn_of_paper(cut)


def test_engine_retrains_its_users_only(cut: Build) -> None:
    using = users(cut, "dpdescent/algorithms/dp_2s_gd.py", "descend")
    assert using
    assert not using & {f"{PAPER}/fig01", f"{PAPER}/fig02"}
    # Within a function, because what runs when a file is imported counts wherever it is imported.
    order = ("sorted_serve and len(arms) == 1", "len(arms) == 1 and sorted_serve")
    with cut.edited("src/dpdescent/algorithms/dp_2s_gd.py", *order):
        jobs = cut.plan()
    chosen = artefacts(cut)
    every = {item: sorted(pack.name for pack in chosen[item].packs) for item in using}
    assert {item: sorted(names) for item, names in copies.trained(jobs).items()} == every
    assert {job.split(":")[0] for job in jobs if ": summarise trials" in job} == using
    assert f"{PAPER}/card: prepare data set" not in jobs


def test_accountant_reruns_the_ledger_and_no_training_that_does_not_use_it(cut: Build) -> None:
    name = "privacy/accounting.py"
    with cut.edited(f"src/dpdescent/{name}", *CODE):
        jobs = cut.plan()
    assert set(copies.trained(jobs)) == users(cut, f"dpdescent/{name}")
    assert {job for job in jobs if job.endswith("account for privacy")} == {
        f"{artefact.paper}: account for privacy" for artefact in artefacts(cut).values()
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
def test_judgement_trains_and_draws_nothing(cut: Build, module: str, job: str) -> None:
    with cut.edited(file_of(cut, module), *CODE):
        jobs = cut.plan()
    assert f"{PAPER}: {job}" in jobs
    assert set(jobs) <= JUDGED | END


def test_new_value_on_a_split_axis_runs_packs_of_its_artefact_only(cut: Build) -> None:
    """Which parts of a pack are trained is tested in `test_packed_training`."""
    with cut.rescaled(lambda scale: scale["papers"][PAPER]["artefacts"]["fig03"]["cells"]["a"]["n"].insert(1, 1234)):
        jobs = cut.plan()
    assert set(copies.trained(jobs)) == {f"{PAPER}/fig03"}
    of_fig03 = {drawn(f"{PAPER}/fig03"), f"{PAPER}: account for privacy"}
    assert copies.without_training(jobs) == of_fig03 | {f"{PAPER}: audit the ledger"} | JUDGED | TOLD


@pytest.mark.slow
def test_title_redraws_one_figure(cut: Build) -> None:
    title = f"title: {artefacts(cut)[f'{PAPER}/fig04'].title}"
    with cut.edited(f"config/papers/{PAPER}.yaml", title, title + " (edited)"):
        assert set(cut.plan()) == {drawn(f"{PAPER}/fig04")} | JUDGED | TOLD


def test_provenance_texts_are_told_and_rerun_nothing_else(cut: Build) -> None:
    name = f"config/papers/{PAPER}.yaml"
    with (
        cut.edited(name, "stated: Sec. 4.1", "stated: somewhere else"),
        cut.edited(name, "chosen: the grid is not stated", "chosen: for another reason"),
        cut.edited(name, "why: c0 of eq. (4) is not stated", "why: in other words"),
        cut.edited(name, "means: sample size", "means: number of records"),
    ):
        assert set(cut.plan()) == TOLD


def test_seed_reruns_every_training(cut: Build) -> None:
    jobs = copies.trained(copies.plan(cut.folder, *TINY, "seed=7"))
    assert {item: len(names) for item, names in jobs.items()} == {
        item: len(artefact.packs) for item, artefact in artefacts(cut).items()
    }


def test_alias_of_a_paper_and_of_an_artefact(cut: Build) -> None:
    assert copies.plan(cut.folder, f"{PAPER}_fig04", *TINY) == []
    jobs = copies.plan(cut.folder, f"{PAPER}_fig04", *TINY, "seed=7")
    assert set(copies.trained(jobs)) == {f"{PAPER}/fig04"}
    assert copies.without_training(jobs) == {drawn(f"{PAPER}/fig04")}
    jobs = copies.plan(cut.folder, PAPER, *TINY, "seed=7")
    assert {job for job in jobs if job.endswith(" and draw")} == drawn_of_paper(cut)


def test_claims_of_a_paper_are_a_target(cut: Build) -> None:
    jobs = copies.plan(cut.folder, f"{PAPER}_claims", *TINY, "seed=7")
    assert f"{PAPER}: judge claims" in jobs
    assert {item.split("/")[0] for item in copies.trained(jobs)} == {PAPER}
    assert not {f"{PAPER}: demonstrate findings", f"{PAPER}: audit the ledger", COLLECTED} & set(jobs)


@pytest.mark.slow
def test_path_of_a_file_is_a_target(cut: Build) -> None:
    target = f"results/tiny/{PAPER}/fig05.png"
    jobs = copies.plan(cut.folder, target, *TINY, "seed=7")
    assert set(copies.trained(jobs)) == {f"{PAPER}/fig05"}
    assert not [job for job in jobs if job.endswith(" and draw") and "fig05" not in job]


def test_sources_are_not_the_installed_package(cut: Build) -> None:
    """A build in a copy computes with the copy's package: else no test of an edit would mean anything."""
    found = subprocess.run(
        [sys.executable, "-c", "import dpdescent; print(dpdescent.__file__)"],
        env=copies.scratch_environment(cut.folder), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert Path(found.stdout.strip()).is_relative_to(cut.folder)
    assert json.loads((cut.folder / "results/tiny/provenance.json").read_text())["scale"] == "tiny"
