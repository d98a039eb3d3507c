"""The project as a whole: parts and their names, overlays, a sixth paper, and what a bad configuration is told."""

import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from dpdescent.replication.configuration import parts as parts_module
from dpdescent.replication.configuration import project
from dpdescent.replication.configuration.values import ConfigError
from workflow import sixth_paper

ROOT = Path(__file__).resolve().parents[2]
CONFIG: dict[str, Any] = {"scale": "paper", "seed": 7, "papers": "all"}

Edit = Callable[[dict[str, Any]], object]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with no paper but the sixth."""
    shutil.copytree(ROOT / "workflow", tmp_path / "workflow")
    shutil.copytree(ROOT / "src/dpdescent/data", tmp_path / "src/dpdescent/data")
    (tmp_path / "config/scales").mkdir(parents=True)
    sixth_paper.add(tmp_path)
    return tmp_path


def edit(root: Path, change: Edit) -> None:
    file = root / f"config/papers/{sixth_paper.KEY}.yaml"
    content = yaml.safe_load(file.read_text())
    change(content)
    file.write_text(yaml.safe_dump(content, sort_keys=False))


def scale(root: Path, **changes: Any) -> dict[str, Any]:
    (root / "config/scales/small.yaml").write_text(yaml.safe_dump(changes))
    return {**CONFIG, "scale": "small"}


def names(root: Path, artefact: str = "fig01", config: dict[str, Any] = CONFIG) -> list[str]:
    return [part.name for part in project.load(config, root).papers[sixth_paper.KEY].artefacts[artefact].parts]


def specs(root: Path, config: dict[str, Any] = CONFIG) -> dict[str, str]:
    whole = project.load(config, root)
    return {f"{artefact.item}/{part.name}": part.json() for artefact in whole.artefacts() for part in artefact.parts}


# --- Parts -----------------------------------------------------------------------------------------------------------


def test_parts_are_cells_and_ranges_of_trials(root: Path) -> None:
    assert names(root) == [
        "main_a_n=10_t0-1", "main_a_n=10_t2-3", "main_a_n=20_t0-1", "main_a_n=20_t2-3",
        "other-scale_a_n=10_t0-1", "other-scale_a_n=20_t0-1",
    ]  # fmt: skip
    assert names(root, "table_one") == ["main_a_t0-2"]


def test_a_part_carries_its_cell_arms_and_used_settings_only(root: Path) -> None:
    (part, *_) = project.load(CONFIG, root).artefacts()[0].parts
    assert json.loads(part.json()) == {
        "paper": "sixth2026", "artefact": "fig01", "variant": "main", "panel": "a", "seed": 7, "trials": [0, 2],
        "cell": {"n": 10, "p": 2, "q": 3}, "arms": {"T": 5, "rho": [0.5, 1.0]}, "settings": {"scale": 2},
    }  # fmt: skip
    assert part.dataset is None


@pytest.mark.parametrize("grid", [[5, 10, 20], [10, 15, 20], [10, 20, 30]], ids=["before", "between", "after"])
def test_growing_a_grid_only_adds_parts(root: Path, grid: list[int]) -> None:
    before = specs(root)
    edit(root, lambda paper: paper["artefacts"]["fig01"]["cells"]["a"]["n"].update(value=grid))
    after = specs(root)
    assert before.items() <= after.items()
    new = set(grid) - {10, 20}
    assert {name.split("n=")[1].split("_")[0] for name in after.keys() - before.keys()} == {str(n) for n in new}


def test_more_trials_only_add_parts(root: Path) -> None:
    before = specs(root)
    edit(root, lambda paper: paper["artefacts"]["fig01"]["trials"].update(value=7))
    after = specs(root)
    assert before.items() <= after.items()
    added = sorted(name.rsplit("_", 1)[1] for name in after.keys() - before.keys())
    assert added == ["t4-5", "t4-5", "t6-6", "t6-6"]


def test_another_panel_or_variant_only_adds_parts(root: Path) -> None:
    before = specs(root)
    edit(root, lambda paper: paper["artefacts"]["fig01"]["cells"].update(b=paper["artefacts"]["fig01"]["cells"]["a"]))
    edit(root, lambda paper: paper["artefacts"]["fig01"]["variants"].update(third={"why": "so", "trials": 1}))
    assert before.items() <= specs(root).items()


def test_ranges_cover_every_trial_once(root: Path) -> None:
    for size in (1, 3, 4, 50):
        edit(root, lambda paper, size=size: paper["artefacts"]["fig01"].update(trials_per_part=size))  # type: ignore[misc]
        parts = project.load(CONFIG, root).artefacts()[0].parts
        ranges = [part.spec["trials"] for part in parts if part.name.startswith("main_a_n=10_")]
        assert [trial for start, stop in ranges for trial in range(start, stop)] == [0, 1, 2, 3]


def second_panel(paper: dict[str, Any], trials: int = 3) -> None:
    """A panel with a number of trials of its own."""
    cells = paper["artefacts"]["fig01"]["cells"]
    cells["b"] = {**cells["a"], "trials": {"value": trials, "stated": "caption"}}


def ranges(root: Path, start: str, config: dict[str, Any] = CONFIG) -> list[str]:
    return [name.rsplit("_", 1)[1] for name in names(root, config=config) if name.startswith(start)]


def test_a_panel_may_have_its_own_number_of_trials(root: Path) -> None:
    before = specs(root)
    edit(root, second_panel)
    assert ranges(root, "main_b_n=10_") == ["t0-1", "t2-2"]
    assert before.items() <= specs(root).items()
    edit(root, lambda paper: second_panel(paper, 1))
    assert ranges(root, "main_b_n=20_") == ["t0-0"]
    assert ranges(root, "main_a_n=20_") == ["t0-1", "t2-3"]


def test_a_panels_number_of_trials_is_no_axis_of_its_cell(root: Path) -> None:
    edit(root, second_panel)
    parts = project.load(CONFIG, root).papers[sixth_paper.KEY].artefacts["fig01"].parts
    assert {part.spec["panel"] for part in parts} == {"a", "b"}
    for part in parts:
        assert part.spec["cell"] == {"n": part.spec["cell"]["n"], "p": 2, "q": 3}
    edit(root, lambda paper: second_panel(paper, 0))
    with pytest.raises(ConfigError, match=r"cells\.b\.trials = 0 is not allowed; number of trials: give an integer at"):
        project.load(CONFIG, root)


def test_a_panels_number_of_trials_holds_against_a_variants(root: Path) -> None:
    """The variant asks for two trials of every panel that does not say otherwise."""
    edit(root, second_panel)
    assert ranges(root, "other-scale_a_n=10_") == ["t0-1"]
    assert ranges(root, "other-scale_b_n=10_") == ["t0-1", "t2-2"]
    edit(root, lambda paper: paper["artefacts"]["fig01"]["variants"]["other scale"].update(cells={"b": {"trials": 1}}))
    assert ranges(root, "other-scale_b_n=10_") == ["t0-0"]
    assert ranges(root, "main_b_n=10_") == ["t0-1", "t2-2"]


def test_a_scale_caps_and_changes_a_panels_number_of_trials(root: Path) -> None:
    edit(root, second_panel)
    assert ranges(root, "main_b_n=10_", scale(root, trials_at_most=1)) == ["t0-0"]
    assert ranges(root, "main_b_n=10_", scale(root, trials_at_most=9)) == ["t0-1", "t2-2"]

    def overlaid(**changes: Any) -> dict[str, Any]:
        return scale(root, papers={"sixth2026": {"artefacts": {"fig01": {"cells": {"b": {"trials": 5}}}}}}, **changes)

    assert ranges(root, "main_b_n=10_", overlaid()) == ["t0-1", "t2-3", "t4-4"]
    assert ranges(root, "main_a_n=10_", overlaid()) == ["t0-1", "t2-3"]
    assert ranges(root, "main_b_n=10_", overlaid(trials_at_most=4)) == ["t0-1", "t2-3"]


def test_whole_numbers_and_floats_are_one_name_and_one_spec(root: Path) -> None:
    def split_rho(value: list[float]) -> None:
        edit(root, lambda paper: paper["artefacts"]["fig01"].update(split=["n", "rho"]))
        edit(root, lambda paper: paper["artefacts"]["fig01"]["cells"]["a"].update(rho={"value": value, "stated": "x"}))

    split_rho([1, 2])
    integers = specs(root)
    split_rho([1.0, 2.0])
    assert specs(root) == integers
    assert "sixth2026/fig01/main_a_n=10_rho=1.0_t0-1" in integers


def test_provenance_and_captions_reach_no_part(root: Path) -> None:
    before, digest = specs(root), project.config_hash(project.load(CONFIG, root))

    def reword(paper: dict[str, Any]) -> None:
        paper["settings"]["tau"] = {"value": 5, "chosen": "another reason"}
        paper["artefacts"]["fig01"]["cells"]["a"]["n"]["stated"] = "App. Z"
        paper["artefacts"]["fig01"]["variants"]["other scale"]["why"] = "other words"
        paper["artefacts"]["fig01"]["title"] = "Another title"
        paper["datasets"]["card"]["about"] = "wages"

    edit(root, reword)
    assert specs(root) == before
    assert project.config_hash(project.load(CONFIG, root)) == digest


def test_unused_setting_reaches_no_part_and_a_used_one_does(root: Path) -> None:
    before = specs(root)
    edit(root, lambda paper: paper["settings"]["tau"].update(value=6))
    assert specs(root) == before
    edit(root, lambda paper: paper["settings"]["scale"].update(value=9))
    changed = {name for name, spec in specs(root).items() if before[name] != spec}
    assert changed == {name for name in before if "/fig01/main" in name}


def test_seed_reaches_every_part(root: Path) -> None:
    before, after = specs(root), specs(root, {**CONFIG, "seed": 8})
    assert before.keys() == after.keys()
    assert all(json.loads(after[name])["seed"] == 8 for name in after)


def test_config_hash_covers_values_data_and_seed(root: Path) -> None:
    digests = {project.config_hash(project.load(config, root)) for config in (CONFIG, {**CONFIG, "seed": 8})}
    edit(root, lambda paper: paper["datasets"]["card"].update(subset=100))
    digests.add(project.config_hash(project.load(CONFIG, root)))
    edit(root, lambda paper: paper["settings"]["scale"].update(value=9))
    digests.add(project.config_hash(project.load(CONFIG, root)))
    assert len(digests) == 4


def test_variants_overlay_cells_arms_settings_and_panels(root: Path) -> None:
    def more(paper: dict[str, Any]) -> None:
        artefact = paper["artefacts"]["fig01"]
        artefact["cells"]["b"] = dict(artefact["cells"]["a"])
        artefact["variants"]["third"] = {
            "why": "so", "panels": ["b"], "cells": {"b": {"n": [99]}}, "arms": {"rho": [4]}, "dataset": "card",
        }  # fmt: skip

    edit(root, more)
    parts = [p for p in project.load(CONFIG, root).artefacts()[0].parts if p.spec["variant"] == "third"]
    assert [part.name for part in parts] == ["third_b_n=99_t0-1", "third_b_n=99_t2-3"]
    assert parts[0].spec["arms"]["rho"] == [4.0]
    assert parts[0].dataset == "card"


# --- Scales ----------------------------------------------------------------------------------------------------------


def test_overlay_shrinks_grids_trials_and_names_the_figures(root: Path) -> None:
    config = scale(
        root, label="just a test", trials_at_most=3,
        papers={"sixth2026": {"artefacts": {"fig01": {"cells": {"a": {"n": [10]}}, "trials_per_part": 5}}}},
    )  # fmt: skip
    assert names(root, config=config) == ["main_a_n=10_t0-2", "other-scale_a_n=10_t0-1"]
    assert project.scale_label("small", root) == "just a test"


def test_cap_on_trials_holds_for_variants(root: Path) -> None:
    config = scale(root, trials_at_most=1)
    assert names(root, config=config)[-1] == "other-scale_a_n=20_t0-0"
    assert project.scale_label("small", root) == "scale: small"


@pytest.mark.parametrize("name", ["my scale", ".", ".."])
def test_name_of_a_scale_is_a_name_of_a_folder(root: Path, name: str) -> None:
    (root / f"config/scales/{name}.yaml").write_text("trials_at_most: 1\n")
    with pytest.raises(ConfigError, match=rf"scale: '{name}' is to be a folder's name; use letters"):
        project.load({**CONFIG, "scale": name}, root)


def test_scale_may_have_another_seed(root: Path) -> None:
    assert project.load(scale(root, seed=99), root).seed == 99


def test_one_paper_of_several(root: Path) -> None:
    other = root / "config/papers/other2026.yaml"
    other.write_text((root / "config/papers/sixth2026.yaml").read_text())
    shutil.copytree(root / "src/dpdescent/papers/sixth2026", root / "src/dpdescent/papers/other2026")
    assert list(project.load(CONFIG, root).papers) == ["other2026", "sixth2026"]
    assert list(project.load({**CONFIG, "papers": ["sixth2026"]}, root).papers) == ["sixth2026"]


# --- A sixth paper ---------------------------------------------------------------------------------------------------


def test_artefacts_on_request_stay_apart(root: Path) -> None:
    edit(root, lambda paper: paper["artefacts"]["fig01"].update(on_request="needs what is not here"))
    whole = project.load(CONFIG, root)
    assert [artefact.item for artefact in whole.artefacts()] == ["sixth2026/table_one"]
    assert [artefact.item for artefact in whole.on_request()] == ["on_request/sixth2026/fig01"]


def test_sixth_paper_is_one_folder_and_one_file(root: Path) -> None:
    paper = project.load(CONFIG, root).papers["sixth2026"]
    assert [artefact.item for artefact in paper.artefacts.values()] == ["sixth2026/fig01", "sixth2026/table_one"]
    assert [artefact.is_table for artefact in paper.artefacts.values()] == [False, True]
    assert paper.about["title"] == "A sixth paper"
    assert project.data_spec(project.load(CONFIG, root), "sixth2026", "card")["name"] == "card"


def test_sixth_paper_stands_beside_the_others() -> None:
    """The papers that there are do load, at every scale that there is."""
    scales = ["paper", *(file.stem for file in (ROOT / "config/scales").glob("*.yaml"))]
    keys = sorted(file.stem for file in (ROOT / "config/papers").glob("*.yaml"))
    for name in scales:
        assert list(project.load({**CONFIG, "scale": name}, ROOT).papers) == keys


def test_shell_lines_stay_below_the_limit_of_the_kernel() -> None:
    """A spec or the names of an artefact's parts travel as one argument: at most 131,071 bytes."""
    for artefact in project.load(CONFIG, ROOT).artefacts():
        cells = {json.dumps({**part.spec, "trials": []}): part for part in artefact.parts}
        assert sum(len(cell) for cell in cells) < 100_000, artefact.item
        assert sum(len(part.name) + 3 for part in artefact.parts) < 100_000, artefact.item
        assert len(artefact.parts) <= 400, artefact.item


# --- Errors ----------------------------------------------------------------------------------------------------------


def fig01(change: Edit) -> Edit:
    return lambda paper: change(paper["artefacts"]["fig01"])


def cell(**values: Any) -> Edit:
    return fig01(
        lambda node: [
            node["cells"]["a"].update({name: {"value": value, "stated": "x"}}) for name, value in values.items()
        ]
    )


ERRORS: dict[str, tuple[Edit, str]] = {
    "unknown key": (
        lambda paper: paper.update(artifacts={}),
        r"sixth2026\.yaml: the file: unknown key 'artifacts'; did you mean 'artefacts'\?",
    ),
    "unknown key of an artefact": (
        fig01(lambda node: node.update(trial=5)),
        r"artefacts\.fig01: unknown key 'trial'; did you mean 'trials'\?",
    ),
    "missing key": (fig01(lambda node: node.pop("split")), r"artefacts\.fig01: 'split' is a required property"),
    "wrong type": (
        fig01(lambda node: node.update(trials_per_part="two")),
        r"artefacts\.fig01\.trials_per_part = 'two' is not allowed; trials of one part",
    ),
    "wrong type of a list": (
        fig01(lambda node: node.update(keys="n")),
        r"artefacts\.fig01\.keys = 'n' is not allowed; the grid columns",
    ),
    "negative n": (
        cell(n=-1),
        r"artefacts\.fig01\.cells\.a\.n = -1 is not allowed; sample size: give an integer at least 1",
    ),
    "n in words": (cell(n="many"), r"cells\.a\.n = 'many' is not allowed; sample size"),
    "rho of 0": (
        fig01(lambda node: node["arms"]["rho"].update(value=[0, 1])),
        r"artefacts\.fig01\.arms\.rho = 0 is not allowed; zCDP budget: give a number above 0",
    ),
    "T of 0": (
        fig01(lambda node: node["arms"]["T"].update(value=0)),
        r"arms\.T = 0 is not allowed; number of iterations",
    ),
    "no trials": (
        fig01(lambda node: node["trials"].update(value=0)),
        r"fig01\.trials = 0 is not allowed; number of trials",
    ),
    "empty grid": (cell(n=[]), r"cells\.a\.n = \[\] is an empty grid; give at least one value"),
    "empty grid of another name": (cell(mode=[]), r"cells\.a\.mode = \[\] is an empty grid"),
    "no cells": (fig01(lambda node: node.update(cells={})), r"artefacts\.fig01\.cells = \{\} is not allowed; panels"),
    "p above q": (
        cell(p=4),
        r"artefacts\.fig01\.cells\.a\.p = 4 exceeds artefacts\.fig01\.cells\.a\.q = 3; p <= q is needed",
    ),
    "p above q in a variant": (
        fig01(lambda node: node["variants"]["other scale"].update(cells={"a": {"p": 4}})),
        r"fig01: variants\.other scale\.cells\.a\.p = 4 exceeds .*q = 3; p <= q is needed",
    ),
    "p above q that is an arm": (
        fig01(lambda node: node["cells"]["a"].pop("q") and node["arms"].update(q={"value": 1, "stated": "x"})),
        r"cells\.a\.p = 2 exceeds .*q = 1; p <= q is needed",
    ),
    "unknown symbol in at_most": (
        lambda paper: paper.update(at_most=[["p", "qq"]]),
        r"at_most: 'qq' is not a symbol; did you mean 'q'\?",
    ),
    "value without provenance": (
        fig01(lambda node: node["arms"].update(T={"value": 5})),
        r"artefacts\.fig01\.arms\.T must say where it comes from: one of stated, code, chosen",
    ),
    "value with two provenances": (
        fig01(lambda node: node["arms"].update(T={"value": 5, "stated": "x", "chosen": "y"})),
        r"artefacts\.fig01\.arms\.T must say where it comes from",
    ),
    "plain value": (
        fig01(lambda node: node["cells"]["a"].update(n=5)),
        r"artefacts\.fig01\.cells\.a\.n = 5 is not allowed; annotate it: \{value: \.\.\., stated\|code\|chosen",
    ),
    "plain trials": (fig01(lambda node: node.update(trials=5)), r"fig01\.trials = 5 is not allowed; annotate it"),
    "stray key of an annotation": (
        fig01(lambda node: node["trials"].update({"data and noise drawn anew": None})),
        r"artefacts\.fig01\.trials: unknown key 'data and noise drawn anew'; there are: value, stated",
    ),
    "unknown setting": (
        fig01(lambda node: node.update(uses=["tao"])),
        r"artefacts\.fig01\.uses: 'tao' is not a setting; did you mean 'tau'\?",
    ),
    "setting that it does not use": (
        fig01(lambda node: node.update(settings={"tau": {"value": 1, "stated": "x"}})),
        r"settings\.tau overlays nothing",
    ),
    "unknown data set": (
        fig01(lambda node: node.update(dataset="cart")),
        r"fig01\.dataset: 'cart' is not declared; did you mean 'card'\?",
    ),
    "no data sets at all": (
        lambda paper: paper.pop("datasets") and paper["artefacts"]["fig01"].update(dataset="card"),
        r"fig01\.dataset: 'card' is not declared",
    ),
    "unknown source of data": (
        lambda paper: paper["datasets"]["card"].update(source="cards"),
        r"datasets\.card\.source: 'cards' is not bundled; did you mean 'card'\?",
    ),
    "missing file of data": (
        lambda paper: paper["datasets"]["card"].update(source="my/own.csv"),
        r"datasets\.card\.source: there is no file 'my/own\.csv'; give the path of a CSV, or one of",
    ),
    "subset of 0": (
        lambda paper: paper["datasets"]["card"].update(subset=0),
        r"datasets\.card\.subset = 0 is not allowed",
    ),
    "unknown table to read": (
        fig01(lambda node: node.update(reads=["fig02"])),
        r"artefacts\.fig01\.reads: 'fig02' is not an artefact",
    ),
    "table that it makes itself": (
        fig01(lambda node: node.update(reads=["fig01"])),
        r"artefacts\.fig01\.reads: 'fig01' reads a table itself; name artefacts that read none",
    ),
    "unknown runs": (
        fig01(lambda node: node.update(same_runs="fig02")),
        r"artefacts\.fig01\.same_runs: 'fig02' is not an artefact",
    ),
    "runs of itself": (
        fig01(lambda node: node.update(same_runs="fig01")),
        r"artefacts\.fig01\.same_runs: 'fig01' has no runs of its own in every build; name one that has",
    ),
    "unknown split axis": (
        fig01(lambda node: node.update(split=["m"])),
        r"artefacts\.fig01\.split: 'm' is not an axis of its cells; there are: n, p, q",
    ),
    "repeated value": (cell(n=[10, 10]), r"cells\.a\.n = \[10, 10\] repeats a value; each cell is run once"),
    "two variants of one name": (
        fig01(lambda node: node["variants"].update({"other-scale": {"why": "so", "settings": {"scale": 4}}})),
        r"two parts are called other-scale_a_n=10_t0-1",
    ),
    "variant called main": (
        fig01(lambda node: node["variants"].update(main={"why": "so"})),
        r"variants: 'main' is the artefact itself",
    ),
    "variant without a reason": (
        fig01(lambda node: node["variants"].update(third={"trials": 1})),
        r"variants\.third: 'why' is a required property",
    ),
    "empty variant": (
        fig01(lambda node: node["variants"].update(third=None)),
        r"variants\.third = None is not allowed; a sensitivity variant",
    ),
    "variant of an unknown panel": (
        fig01(lambda node: node["variants"]["other scale"].update(panels=["b"])),
        r"variants\.other scale\.panels: 'b' is not a panel; there are: a",
    ),
    "variant of an unknown arm": (
        fig01(lambda node: node["variants"]["other scale"].update(arms={"rh": 1})),
        r"variants\.other scale\.arms\.rh overlays nothing: no such key; did you mean 'rho'\?",
    ),
    "name that is no name of a file": (
        fig01(lambda node: node["variants"].update({"a/b & $HOME": {"why": "so"}})),
        r"fig01: 'a/b-&-\$HOME_a_n=10_t0-1' is to be a file's name; use letters, digits",
    ),
    "artefact without an experiment": (
        lambda paper: paper["artefacts"].update(fig09=paper["artefacts"]["table_one"]),
        r"fig09 has no experiment: src/dpdescent/papers/sixth2026/table\.py has no run_fig09; write it there, or",
    ),
    "module whose name is no file's": (
        fig01(lambda node: node.update(code="x" * 300)),
        r"artefacts\.fig01\.code = 'x+\.*.* is not allowed; module of the paper's folder on its subject",
    ),
    "artefact of no subject": (
        fig01(lambda node: node.pop("code")),
        r"artefacts\.fig01: 'code' is a required property",
    ),
    "artefact of a subject without a module": (
        fig01(lambda node: node.update(code="shrinkage")),
        r"fig01 has no experiment: write src/dpdescent/papers/sixth2026/shrinkage\.py, or remove it",
    ),
    "float for an integer": (
        fig01(lambda node: node.update(trials_per_part=2.0)),
        r"fig01\.trials_per_part = 2\.0 is not allowed; trials of one part",
    ),
    "float for the size of a subset": (
        lambda paper: paper["datasets"]["card"].update(subset=100.0),
        r"datasets\.card\.subset = 100\.0 is not allowed",
    ),
    "list of trials": (
        fig01(lambda node: node["trials"].update(value=[2, 4])),
        r"artefacts\.fig01\.trials = \[2, 4\] is a list; give one number of trials",
    ),
    "list of trials in a variant": (
        fig01(lambda node: node["variants"]["other scale"].update(trials=[1])),
        r"variants\.other scale\.trials = \[1\] is a list; give one number of trials",
    ),
    "trials without end": (
        fig01(lambda node: node["trials"].update(value=10**12)),
        r"trials = 1000000000000 is not allowed; number of trials: give an integer at least 1 at most 100000000",
    ),
    "too many parts": (
        fig01(lambda node: node["trials"].update(value=10**8)),
        r"artefacts\.fig01 has more than 20,000 parts; give fewer trials, more `trials_per_part`",
    ),
    "grid without end": (
        fig01(
            lambda node: (
                cell(n=[*range(1, 2000)], p=[*range(1, 2000)])({"artefacts": {"fig01": node}}),
                node.update(split=["n", "p"]),
                node["cells"]["a"]["q"].update(value=2000),
            )
        ),
        r"artefacts\.fig01 has more than 20,000 parts",
    ),
    "key that no experiment returns": (
        fig01(lambda node: node.update(keys=["panel", "nope"])),
        r"fig01\.keys: 'nope' is no axis of its cells or arms, and no word of its experiment; there are: T, n, p",
    ),
    "measure that no experiment returns": (
        fig01(lambda node: node.update(measures=["sizes"])),
        r"fig01\.measures: 'sizes' is no axis of its cells or arms, and no word of its experiment",
    ),
    "key that every table has": (
        fig01(lambda node: node.update(keys=["n", "trial"])),
        r"fig01\.keys: 'trial' is another column of the table; take it out",
    ),
    "measure that is a key": (
        fig01(lambda node: node.update(measures=["n"])),
        r"fig01\.measures: 'n' is another column of the table",
    ),
    "key given twice": (
        fig01(lambda node: node.update(keys=["n", "n"])),
        r"fig01\.keys = \['n', 'n'\] names something twice; the grid",
    ),
    "unknown column to show": (
        lambda paper: paper["artefacts"]["table_one"].update(display={"columns": ["n", "maen"]}),
        r"table_one\.display\.columns: 'maen' is no column of its table; did you mean 'mean'\?",
    ),
    "name of an artefact that is a path": (
        lambda paper: paper["artefacts"].update({"../fig01": paper["artefacts"]["fig01"]}),
        r"artefacts: '\.\./fig01' is to be a file's name; use letters, digits and _ after a letter",
    ),
    "name of an artefact that is another file's": (
        lambda paper: paper["artefacts"].update(bounds=paper["artefacts"]["fig01"]),
        r"artefacts: 'bounds' is the name of another file; give the artefact another",
    ),
    "name of a data set that is a path": (
        lambda paper: paper["datasets"].update({"a/b": paper["datasets"]["card"]}),
        r"datasets: 'a/b' is to be a file's name",
    ),
    "panel called value": (
        fig01(lambda node: node["cells"].update(value={"n": {"value": 1, "stated": "x"}})),
        r"artefacts\.fig01\.cells.* must say where it comes from|'value' is the key of annotations",
    ),
    "instrument twice": (
        lambda paper: paper["datasets"]["card"].update(instruments=["nearc4", "nearc4"]),
        r"datasets\.card: instruments: column 'nearc4' stands twice; name it once",
    ),
    "outcome that is a regressor": (
        lambda paper: paper["datasets"]["card"].update(outcome="educ"),
        r"datasets\.card: regressors: column 'educ' is the outcome; take it out of one of them",
    ),
    "column that the table does not have": (
        lambda paper: paper["datasets"]["card"].update(outcome="wages"),
        r"datasets\.card: card has no column 'wages'; did you mean 'lwage'\?",
    ),
    "symbol that is a count": (
        lambda paper: paper["symbols"].update(trials={"type": "number", "means": "x"}),
        r"symbols: 'trials' is a count with a rule of its own; give it another name",
    ),
    "symbol without a value": (
        lambda paper: paper["symbols"]["n"].update(maximum=0),
        r"symbols\.n: no number lies between 1 and 0; mend one of them",
    ),
    "variant that replaces a panel": (
        fig01(lambda node: node["variants"]["other scale"].update(cells={"a": 5})),
        r"fig01\.variants\.other scale\.cells\.a = 5 is no mapping; give symbols and their values",
    ),
    "variant that replaces all arms": (
        fig01(lambda node: node["variants"]["other scale"].update(arms={"value": 5})),
        r"artefacts\.fig01\.variants\.other scale\.arms must say where it comes from",
    ),
    "long name": (
        fig01(lambda node: node["variants"].update({"x" * 300: {"why": "so"}})),
        r"fig01: x+\.\.\. is a file's name of 3\d\d letters; shorten its panels",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_bad_papers_are_refused_in_one_line(root: Path, name: str) -> None:
    """Every message names the file, the key, the value and what to do."""
    change, message = ERRORS[name]
    edit(root, change)
    with pytest.raises(ConfigError, match=message) as caught:
        project.load(CONFIG, root)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("config/papers/sixth2026.yaml: ")


def test_split_axis_must_have_plain_values(root: Path) -> None:
    edit(root, lambda paper: paper["artefacts"]["fig01"].update(split=["n", "mode"]))
    edit(root, cell(mode=[{"x": 1}, {"x": 2}]))
    with pytest.raises(ConfigError, match=r"cells\.a\.mode = .* is split; its values must be plain ones"):
        project.load(CONFIG, root)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seed": -1}, r"config/config\.yaml: seed = -1 is not allowed; the seed .* at least 0"),
        ({"seed": "x"}, r"seed = 'x' is not allowed"),
        ({"seed": 7.0}, r"seed = 7\.0 is not allowed"),
        ({"audit_runs": 10**12}, r"audit_runs = 1000000000000 is not allowed"),
        (
            {"papers": ["sixth2026", "sixth2026"]},
            r"papers = .* is not allowed; `all`|papers = .* names something twice",
        ),
        ({"scale": "qick"}, r"scale: 'qick' is not a scale; there are: paper, small|did you mean"),
        ({"scale": "papr"}, r"scale: 'papr' is not a scale; did you mean 'paper'\?"),
        ({"papers": ["sixth2025"]}, r"papers: 'sixth2025' is not a paper; did you mean 'sixth2026'\?"),
        ({"papers": "sixth2026"}, r"papers = 'sixth2026' is not allowed; `all`, or a list of the papers to build"),
        ({"papers": []}, r"papers = \[\] is not allowed; `all`, or a list"),
        ({"paper": "x"}, r"the file: unknown key 'paper'; did you mean 'papers'\?"),
    ],
)
def test_bad_top_level_values(root: Path, change: dict[str, Any], message: str) -> None:
    scale(root)
    with pytest.raises(ConfigError, match=message):
        project.load({**CONFIG, **change}, root)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"trials_atmost": 3}, r"the file: unknown key 'trials_atmost'; did you mean 'trials_at_most'"),
        ({"trials_at_most": 6.0}, r"trials_at_most = 6\.0 is not allowed; a cap on every number of trials"),
        ({"papers": {"sixth2026": {"symbols": {"n": {"minimum": -5}}}}}, r"sixth2026\.symbols is the same at every"),
        ({"papers": {"sixth2026": {"at_most": []}}}, r"sixth2026\.at_most is the same at every scale; change settings"),
        ({"trials_at_most": 0}, r"trials_at_most = 0 is not allowed; a cap on every number of trials"),
        ({"papers": {"sixth2025": {}}}, r"^papers: 'sixth2025' is not a paper"),
        ({"papers": {"sixth2026": {"settings": {"gamma": 1}}}}, r"papers\.sixth2026\.settings\.gamma overlays nothing"),
    ],
)
def test_bad_scales(root: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        project.load(scale(root, **changes), root)


@pytest.mark.parametrize(
    ("artefacts", "message"),
    [
        ({"fig1": {}}, r"artefacts\.fig1 overlays nothing: no such key; did you mean 'fig01'"),
        ({"fig01": {"arms": {"T": 0}}}, r"artefacts\.fig01\.arms\.T = 0 is not allowed"),
        ({"fig01": {"cells": {"a": 5}}}, r"fig01\.cells\.a = 5 is not allowed"),
        ({"fig01": None}, r"artefacts\.fig01 = None is not allowed"),
        ({"fig01": {"trials": {"value": 1}}}, r"fig01\.trials must say where"),
        ({"fig01": {"trials_per_part": 0}}, r"trials_per_part = 0 is not allowed"),
    ],
)
def test_bad_overlays(root: Path, artefacts: dict[str, Any], message: str) -> None:
    """What an overlay breaks is told with the overlay's name."""
    with pytest.raises(ConfigError, match=rf"^config/scales/small\.yaml: .*{message}"):
        project.load(scale(root, papers={"sixth2026": {"artefacts": artefacts}}), root)


def test_fault_of_the_paper_is_not_blamed_on_the_overlay(root: Path) -> None:
    edit(root, cell(n=-1))
    config = scale(root, papers={"sixth2026": {"artefacts": {"fig01": {"arms": {"T": 1}}}}})
    with pytest.raises(ConfigError, match=r"^config/papers/sixth2026\.yaml: .*n = -1"):
        project.load(config, root)


@pytest.mark.parametrize("module", ["bounds", "claims", "findings"])
def test_missing_module_of_a_paper(root: Path, module: str) -> None:
    (root / f"src/dpdescent/papers/sixth2026/{module}.py").unlink()
    with pytest.raises(ConfigError, match=rf"src/dpdescent/papers/sixth2026/{module}\.py does not exist; write it"):
        project.load(CONFIG, root)


@pytest.mark.parametrize("text", [None, "def draw_fig1(table, display): ..."])
def test_missing_drawing(root: Path, text: str | None) -> None:
    file = root / "src/dpdescent/papers/sixth2026/means_figures.py"
    file.unlink() if text is None else file.write_text(text)
    mend = (
        r"write \S+/means_figures\.py" if text is None else r"\S+/means_figures\.py has no draw_fig01; write it there"
    )
    with pytest.raises(ConfigError, match=rf"artefacts\.fig01 has no drawing: {mend}, or"):
        project.load(CONFIG, root)


@pytest.mark.parametrize("file", ["src/dpdescent/papers/sixth2026/drawing.py", "workflow/scripts/table.py"])
def test_code_that_does_not_parse(root: Path, file: str) -> None:
    with open(root / file, "a") as stream:
        stream.write("def (:\n")
    with pytest.raises(ConfigError, match=rf"code: {file} line \d+: .*; mend it"):
        project.load(CONFIG, root)


def test_relative_cost_orders_parts(root: Path) -> None:
    parts = project.load(CONFIG, root).artefacts()[0].parts
    costs = {part.name: parts_module.relative_cost(part) for part in parts}
    assert costs["main_a_n=10_t0-1"] * 2 == costs["main_a_n=20_t0-1"] == 2 * 20 * 2 * 3


def test_cost_of_a_part_counts_every_value_of_an_axis_that_is_not_split() -> None:
    spec = {"cell": {"n": 100, "p": [5, 10, 15]}, "trials": [2, 6]}
    assert parts_module.relative_cost(parts_module.Part("name", spec, None)) == 4 * 100 * 30
    assert parts_module.relative_cost(parts_module.Part("name", {"cell": {"q": 3}, "trials": [0, 2]}, None)) == 6
    steps = {"cell": {"d": 4, "T": 5}, "trials": [0, 1]}
    assert parts_module.relative_cost(parts_module.Part("name", steps, None)) == 20


def test_every_part_of_the_project_has_a_cost() -> None:
    whole = project.load({"scale": "paper", "seed": 7, "papers": "all"}, ROOT)
    assert all(parts_module.relative_cost(part) > 0 for artefact in whole.artefacts() for part in artefact.parts)


def test_panels_may_have_symbols_names(root: Path) -> None:
    """Also those of a pair whose order is checked."""
    edit(root, fig01(lambda node: node["cells"].update(p=node["cells"]["a"], q=node["cells"]["a"])))
    assert {name.split("_")[1] for name in names(root)} == {"a", "p", "q"}


def test_names_of_many_parts_are_checked_in_linear_time(root: Path) -> None:
    edit(root, fig01(lambda node: (node["trials"].update(value=5_000), node.update(trials_per_part=1))))
    start = time.process_time()
    assert len(names(root)) == 2 * 5_000 + 2 * 2
    assert time.process_time() - start < 2.0


# --- What a command line takes ---------------------------------------------------------------------------------------


def test_a_job_whose_parts_are_more_than_a_command_line_takes_is_refused(root: Path) -> None:
    """Snakemake hands a command to the shell as one argument; a longer one would fail after the planning."""

    def many(content: dict[str, Any]) -> None:
        fig01 = content["artefacts"]["fig01"]
        fig01["cells"]["a"]["n"]["value"], fig01["parts_per_job"] = [*range(10, 3000)], 20_000

    edit(root, many)
    with pytest.raises(ConfigError, match=r"parts_per_job = 20000: a job of \d+ parts is described by .* fewer parts"):
        project.load(CONFIG, root)


def test_cells_that_are_more_than_the_ledger_s_command_takes_are_refused(root: Path) -> None:
    edit(root, lambda content: content["artefacts"]["fig01"]["cells"]["a"]["n"].update(value=[*range(10, 5000)]))
    with pytest.raises(ConfigError, match=r"the cells of all artefacts are described by .* bytes, more than"):
        project.load(CONFIG, root)


def test_thousands_of_trials_are_planned(root: Path) -> None:
    """Jobs get the folder of their packs and a number, not thousands of names."""
    config = scale(root, papers={sixth_paper.KEY: {"artefacts": {"fig01": {"trials": 8000, "trials_per_part": 2}}}})
    assert len(names(root, config=config)) >= 8000
