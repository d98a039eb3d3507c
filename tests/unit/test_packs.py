"""Packs of parts: cut in order, told shortly, read back whole."""

import json
from pathlib import Path

import pytest

from dpdescent.replication.configuration import packs, project
from dpdescent.replication.configuration.parts import Part

ROOT = Path(__file__).resolve().parents[2]


def part(trial: int, dataset: str | None = None, **more: object) -> Part:
    spec = {"paper": "p", "artefact": "a", "cell": {"n": [1, 2]}, "trials": [trial, trial + 1], **more}
    return Part(f"main_t{trial}-{trial}", spec, dataset)


@pytest.mark.parametrize(("per_job", "sizes"), [(1, [1] * 5), (2, [2, 2, 1]), (5, [5]), (40, [5])])
def test_parts_are_cut_in_their_order(per_job: int, sizes: list[int]) -> None:
    parts = [part(trial) for trial in range(5)]
    found = packs.packs_of(parts, per_job)
    assert [len(pack.parts) for pack in found] == sizes
    assert [pack.name for pack in found] == [str(place) for place in range(1, len(sizes) + 1)]
    assert [each for pack in found for each in pack.parts] == parts


def test_parts_of_a_pack_read_one_data_set() -> None:
    found = packs.packs_of([part(0, "card"), part(1, "card"), part(2), part(3, "other")], 3)
    assert [(pack.dataset, len(pack.parts)) for pack in found] == [("card", 2), (None, 1), ("other", 1)]


@pytest.mark.parametrize("scale", ["paper", "quick"])
def test_every_part_is_told_as_it_is(scale: str) -> None:
    whole = project.load({"scale": scale, "seed": 1, "papers": "all"}, ROOT)
    for artefact in [*whole.artefacts(), *whole.on_request()]:
        for pack in artefact.packs:
            told = packs.specs_of(pack.json())
            assert told == {each.name: json.loads(each.json()) for each in pack.parts}
            # With quotes, folders and the rest of the line, far from what a command line may hold.
            assert len(pack.json()) < 60_000
        assert [each for pack in artefact.packs for each in pack.parts] == artefact.parts


def test_runs_are_shared_where_all_parts_of_a_pack_are_alike() -> None:
    def cut(artefact: str, trials: list[int], per_job: int, **more: object) -> list[packs.Pack]:
        return packs.packs_of([part(trial, artefact=artefact, **more) for trial in trials], per_job)

    (pack,) = cut("lengths", [1, 2], 2)
    first, second, third = cut("coverage", [0, 1, 2, 3, 4], 2)
    assert packs.same_runs(pack, [first, second, third]) == [first, second]
    # A part is missing, or has other values under the same name.
    assert packs.same_runs(pack, [first, third]) == []
    assert packs.same_runs(pack, cut("coverage", [1, 2], 2, cell={"n": [1, 3]})) == []


@pytest.mark.parametrize("scale", ["paper", "quick"])
def test_lengths_of_intervals_share_the_runs_of_their_coverage(scale: str) -> None:
    artefacts = project.load({"scale": scale, "seed": 1, "papers": ["brown2024"]}, ROOT).papers["brown2024"].artefacts
    for name in ("fig06", "fig11"):
        others = artefacts[str(artefacts[name].same_runs)].packs
        assert all(packs.same_runs(pack, others) for pack in artefacts[name].packs)


def test_what_one_part_changes_in_its_specification_another_does_not_see() -> None:
    first, second = packs.specs_of(packs.Pack("1", (part(0), part(1))).json()).values()
    first["cell"]["n"].append(3)
    assert second["cell"]["n"] == [1, 2]


def test_ledger_has_each_cell_once_and_without_trials() -> None:
    told = packs.ledger_json([part(0), part(1), part(0, "card"), part(0, cell={"n": 7})])
    assert packs.cells_of(told) == [
        {"paper": "p", "artefact": "a", "cell": {"n": [1, 2]}, "dataset": None},
        {"paper": "p", "artefact": "a", "cell": {"n": [1, 2]}, "dataset": "card"},
        {"paper": "p", "artefact": "a", "cell": {"n": 7}, "dataset": None},
    ]


def test_ledger_of_every_paper_fits_a_command_line() -> None:
    whole = project.load({"scale": "paper", "seed": 1, "papers": "all"}, ROOT)
    for key, paper in whole.papers.items():
        parts = [each for artefact in paper.artefacts.values() for each in artefact.parts]
        assert len(packs.ledger_json(parts)) < 60_000, key
