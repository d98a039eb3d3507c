"""Whose values are: what a scale changes is the user's, an epsilon is converted, a key in the wrong place is told."""

import csv
import json
import math
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.replication.build.files import read_rows
from dpdescent.replication.commands import judge, on_request
from dpdescent.replication.configuration import choices, overlays, project
from dpdescent.replication.configuration.values import ConfigError
from dpdescent.replication.judging import evidence
from dpdescent.replication.report import about, content, paper_pages, search, single, site, summary

ROOT = Path(__file__).resolve().parents[2]
SEED = 20250922
PLACES = ("settings", "cells", "arms")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what a configuration is read from, with a table of the user's own."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in ("config", "workflow"):
        shutil.copytree(ROOT / name, folder / name)
    (folder / "src").symlink_to(ROOT / "src")
    (folder / "config/mine.csv").write_text("samesex,morekids,weeks,n\n1,2,3,1\n", encoding="utf-8")
    return folder


def load(checkout: Path, papers: dict[str, Any], scale: str = "mine", **top: Any) -> project.Project:
    """The project at a scale that has these changes, and no other papers."""
    (checkout / f"config/scales/{scale}.yaml").write_text(yaml.safe_dump({**top, "papers": papers}), encoding="utf-8")
    return project.load({"scale": scale, "seed": SEED, "papers": list(papers)}, checkout)


def rows(whole: project.Project, paper: str) -> list[dict[str, str]]:
    """Rows of settings.csv of a paper."""
    told = about.about(whole, paper, ROOT)
    return choices.with_meanings(json.loads(json.dumps(told["settings"])), told["symbols"])


def found(whole: project.Project, paper: str, **where: str) -> list[tuple[str, str]]:
    """Values and sources of the rows that have the given columns."""
    return [
        (row["value"], row["source"])
        for row in rows(whole, paper)
        if all(row[name] == value for name, value in where.items())
    ]


# --- Whose values are ------------------------------------------------------------------------------------------------


def test_shared_setting_is_yours_wherever_it_is_used(checkout: Path) -> None:
    whole = load(checkout, {"brown2024": {"settings": {"rho": 0.1005}}})
    (row,) = (row for row in rows(whole, "brown2024") if (row["artefact"], row["symbol"]) == ("fig04", "rho"))
    assert (row["value"], row["source"]) == ("0.1005", "yours")
    assert row["reason"] == "config/scales/mine.yaml: in place of 0.015, stated in Sec. 4"
    assert found(whole, "brown2024", artefact="fig01", symbol="rho") == [("0.05", "stated")]
    assert found(whole, "brown2024", artefact="fig04", symbol="dp_delta") == [("1e-06", "stated")]


@pytest.mark.parametrize("paper", ["brown2024", "choquettechoo2023", "liang2025", "ours", "varshney2022", "wang2026"])
def test_every_value_that_differs_is_yours_and_no_other(checkout: Path, paper: str) -> None:
    """Every value of cells, arms, settings, variants and trials, changed one by one in one overlay."""
    original = project.load({"scale": "paper", "seed": SEED, "papers": [paper]}, checkout)
    file = yaml.safe_load((checkout / f"config/papers/{paper}.yaml").read_text(encoding="utf-8"))
    changes = {
        name: {
            place: other
            for place in PLACES
            if (other := {key: each for key, value in node.get(place, {}).items() if (each := changed(value))})
        }
        for name, node in file["artefacts"].items()
    }
    whole = load(checkout, {paper: {"artefacts": changes}})
    columns = ("artefact", "part", "symbol", "value", "source")
    before, after = (
        {tuple(row[name] for name in columns) for row in panels(rows(each, paper))} for each in (original, whole)
    )
    assert {(row[0], row[2]) for row in before} == {(row[0], row[2]) for row in after}
    # What has another source than the user's stands so in the paper's file, and what is the user's in the overlay.
    assert {row for row in after if row[-1] != "yours"} <= before
    asked = {(name, *leaf) for name, node in changes.items() for place in node.values() for leaf in leaves(place)}
    assert len(asked) > 5
    assert {(row[0], row[2], row[3]) for row in after if row[-1] == "yours"} == asked


def leaves(node: dict[str, Any]) -> list[tuple[str, str]]:
    """Names and texts of values of a section, or of panels of one."""
    return [
        leaf
        for key, value in node.items()
        for leaf in (leaves(value) if isinstance(value, dict) else [(key, choices.text_of(value))])
    ]


def panels(found: list[dict[str, str]]) -> list[dict[str, str]]:
    """Rows of cells as of one panel, because which panels have a row in common changes with their values."""
    return [{**row, "part": "" if row["part"].startswith(("panel", "all panels")) else row["part"]} for row in found]


def changed(value: Any) -> Any:
    """A shorter list in the place of an annotated list, at any depth; None where there is none."""
    if isinstance(value, dict) and "value" in value:
        listed = isinstance(value["value"], list) and len(value["value"]) > 1
        return value["value"][:-1] if listed else None
    if isinstance(value, dict):
        return {key: each for key, item in value.items() if (each := changed(item)) is not None} or None
    return None


def test_value_that_stays_keeps_its_source(checkout: Path) -> None:
    whole = load(checkout, {"brown2024": {"settings": {"rho": {"value": 0.015, "stated": "somewhere"}}}})
    (row,) = (row for row in rows(whole, "brown2024") if (row["artefact"], row["symbol"]) == ("fig04", "rho"))
    assert (row["source"], row["reason"]) == ("stated", "Sec. 4")
    assert not whole.papers["brown2024"].yours
    assert project.figure_label(whole, checkout) == "scale: mine"


def test_annotation_of_an_overlay_does_not_make_a_value_the_papers(checkout: Path) -> None:
    whole = load(checkout, {"brown2024": {"settings": {"rho": {"value": 0.1, "stated": "Sec. 99"}}}})
    assert found(whole, "brown2024", artefact="fig04", symbol="rho") == [("0.1", "yours")]
    reason = {row["reason"] for row in rows(whole, "brown2024") if row["value"] == "0.1" and row["source"] == "yours"}
    assert reason == {"config/scales/mine.yaml: Sec. 99; in place of 0.015, stated in Sec. 4"}


def test_cap_on_trials_is_whose_scale_it_is(checkout: Path) -> None:
    whole = load(checkout, {"brown2024": {}}, trials_at_most=7)
    numbers = found(whole, "brown2024", symbol="trials")
    assert ("7", "yours") in numbers
    assert all(int(value) <= 7 for value, _ in numbers)
    assert {source for value, source in numbers if value != "7"} == {"chosen", "variant"}
    parts = [part for artefact in whole.artefacts() for part in artefact.parts]
    assert max(part.spec["trials"][1] for part in parts) == 7


def test_variants_and_data_sets_are_yours_too(checkout: Path) -> None:
    whole = load(
        checkout,
        {
            "liang2025": {"datasets": {"angrist": {"source": "config/mine.csv"}}},
            "brown2024": {"artefacts": {"fig03": {"variants": {"rho 0.1448": {"settings": {"rho": 0.2}}}}}},
        },
    )  # fmt: skip
    assert found(whole, "brown2024", artefact="fig03", part="variant rho 0.1448", symbol="rho") == [("0.2", "yours")]
    users = {each.id for each in whole.papers["liang2025"].artefacts.values() if each.parts[0].dataset == "angrist"}
    assert users
    for name in users:
        assert found(whole, "liang2025", artefact=name, part="data set") == [("config/mine.csv", "yours")]


def test_the_scale_that_comes_along_is_its_own() -> None:
    whole = project.load({"scale": "quick", "seed": SEED, "papers": ["brown2024"]}, ROOT)
    sources = {source for _, source in found(whole, "brown2024")}
    assert sources == {"stated", "code", "chosen", "variant", "quick"}
    assert found(whole, "brown2024", artefact="fig04", symbol="runs") == [("40", "quick")]
    assert not whole.papers["brown2024"].yours
    assert "yours" not in project.figure_label(whole, ROOT)


def test_papers_own_scale_has_nothing_of_a_user() -> None:
    """And its settings are those that are committed, byte for byte where they are written alike."""
    whole = project.load({"scale": "paper", "seed": SEED, "papers": "all"}, ROOT)
    assert whole.given == {}
    assert project.figure_label(whole, ROOT) == ""
    for key in whole.papers:
        with open(ROOT / f"results/paper/{key}/settings.csv", encoding="utf-8", newline="") as stream:
            assert list(csv.DictReader(stream)) == rows(whole, key)
        assert "yours" not in json.loads(project.judging_json(whole, key))


@pytest.mark.parametrize("name", ["seed", "audit_runs"])
def test_command_line_is_yours(name: str) -> None:
    whole = project.load({"scale": "paper", "seed": SEED, "papers": ["brown2024"], name: 777}, ROOT)
    told = {
        (row["value"], row["source"], row["reason"][:8]) for row in rows(whole, "brown2024") if row["symbol"] == name
    }
    assert told == {("777", "yours", "--config")}
    assert {row["artefact"] for row in rows(whole, "brown2024") if row["symbol"] == name} == {
        *whole.papers["brown2024"].artefacts, *whole.papers["brown2024"].on_request,
    }  # fmt: skip
    # Neither is a value of a paper, so that claims stay the papers'.
    assert not whole.papers["brown2024"].yours


def test_seed_of_a_scale_is_yours(checkout: Path) -> None:
    whole = load(checkout, {"brown2024": {}}, seed=5)
    assert set(found(whole, "brown2024", symbol="seed")) == {("5", "yours")}


# --- What an artefact uses -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("paper", ["brown2024", "liang2025", "ours"])
def test_all_that_an_artefact_uses_may_be_overlaid_there(checkout: Path, paper: str) -> None:
    original = project.load({"scale": "paper", "seed": SEED, "papers": [paper]}, checkout).papers[paper]
    file = yaml.safe_load((checkout / f"config/papers/{paper}.yaml").read_text(encoding="utf-8"))
    asked = {
        name: {key: value for key, value in artefact.settings.items() if key in file["artefacts"][name].get("uses", [])}
        for name, artefact in original.artefacts.items()
    }
    numbers = {
        name: {key: value * 0.9 for key, value in settings.items() if isinstance(value, float) and key != "alpha"}
        for name, settings in asked.items()
    }
    whole = load(checkout, {paper: {"artefacts": {name: {"settings": each} for name, each in numbers.items()}}})
    for name, settings in numbers.items():
        assert settings.items() <= whole.papers[paper].artefacts[name].settings.items()
        for symbol, value in settings.items():
            # Zero stays what it was.
            assert (
                found(whole, paper, artefact=name, part="settings", symbol=symbol)[0] == (str(value), "yours")
                or not value
            )


def test_an_artefacts_value_leaves_other_artefacts_and_follows_shared_ones(checkout: Path) -> None:
    changes = {"settings": {"eta": 0.2}, "artefacts": {"fig04": {"settings": {"rho": 0.1}}}}
    papers = load(checkout, {"brown2024": changes}).papers["brown2024"].artefacts
    assert (papers["fig04"].settings["rho"], papers["fig04"].settings["eta"]) == (0.1, 0.2)
    assert (papers["fig05"].settings["rho"], papers["fig05"].settings["eta"]) == (0.015, 0.2)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"artefacts": {"fig04": {"settings": {"roh": 1}}}}, r"settings\.roh overlays .*; did you mean 'rho'\?"),
        ({"artefacts": {"fig04": {"rho": 1}}}, r"it is papers\.brown2024\.artefacts\.fig04\.settings\.rho"),
        ({"artefacts": {"fig04": {"settings": {"T": 1}}}}, r"it is papers\.brown2024\.artefacts\.fig04\.arms\.T"),
        ({"artefacts": {"fig04": {"arms": {"n": 1}}}}, r"it is papers\.brown2024\.artefacts\.fig04\.cells\.all\.n"),
        ({"artefacts": {"fig04": {"settings": {"beta": 0.1}}}}, r"fig04 does not use it, only design, noise_mean, rho"),
        ({"rho": 1}, r"papers\.brown2024\.rho overlays nothing: no such key; it is papers\.brown2024\.settings\.rho"),
        ({"settings": {"rhoo": 1}}, r"settings\.rhoo overlays nothing: no such key; did you mean 'rho'\?"),
        ({"artefacts": {"fig4": {}}}, r"artefacts\.fig4 overlays nothing: no such key; did you mean 'fig04'\?"),
        ({"artefacts": {"a.b": {"arms": {}}}}, r"artefacts\.a\.b overlays nothing: no such key; there are: fig01"),
        ({"artefacts": {"fig04": {"settings": 5}}}, r"artefacts\.fig04\.settings = 5 is not allowed"),
        ({"artefacts": 5}, r"artefacts = 5 is not allowed"),
        ({"settings": [1]}, r"settings = \[1\] is not allowed"),
    ],
)  # fmt: skip
def test_wrong_keys_are_told_the_way_out(checkout: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        load(checkout, {"brown2024": changes})
    assert "\n" not in str(caught.value)
    assert "config/scales/mine.yaml: " in str(caught.value)


def test_table_of_ones_own_that_is_no_csv_is_told_before_a_build(checkout: Path) -> None:
    (checkout / "config/german.csv").write_text("samesex;morekids;weeks;n\n1;2;31415926;1\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"'samesex': its columns are separated by semicolons; save it") as caught:
        load(checkout, {"liang2025": {"datasets": {"angrist": {"source": "config/german.csv"}}}})
    assert "31415926" not in str(caught.value)
    (checkout / "config/german.csv").write_bytes("samesex,größe\n".encode("latin-1"))
    with pytest.raises(ConfigError, match=r"german\.csv is not UTF-8; save the table as UTF-8 text"):
        load(checkout, {"liang2025": {"datasets": {"angrist": {"source": "config/german.csv"}}}})


# --- Epsilon for rho -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "delta"), [(2, None), (0.1, 1e-9), (50.0, 1e-3)])
def test_epsilon_stands_for_rho_exactly(checkout: Path, epsilon: float, delta: float | None) -> None:
    given = {"epsilon": epsilon} | ({} if delta is None else {"delta": delta})
    at = 1e-6 if delta is None else delta
    for changes in ({"settings": given}, {"artefacts": {"fig04": {"settings": given}}}):
        whole = load(checkout, {"brown2024": changes})
        settings = whole.papers["brown2024"].artefacts["fig04"].settings
        assert epsilon * (1 - 1e-4) < tight_epsilon(settings["rho"], at) <= epsilon
        assert settings["dp_delta"] == at
        (row,) = (row for row in rows(whole, "brown2024") if (row["artefact"], row["symbol"]) == ("fig04", "rho"))
        assert row["source"] == "yours"
        assert f"epsilon {epsilon} at delta {at:g}, converted exactly" in row["reason"]
        assert "in place of 0.015, stated in Sec. 4" in row["reason"]


def test_epsilon_in_grids_and_variants(checkout: Path) -> None:
    changes = {
        "ours": {"artefacts": {"iv_coverage": {"cells": {"budget": {"epsilon": [1, 2]}}}}},
        "brown2024": {"artefacts": {"fig03": {"variants": {"rho 0.1448": {"settings": {"epsilon": 1}}}}}},
        "liang2025": {"artefacts": {"fig05": {"arms": {"epsilon": [1], "delta": 1e-5}}}},
    }
    whole = load(checkout, changes)
    budget = whole.papers["ours"].artefacts["iv_coverage"].cells["budget"]["rho"]
    assert [tight_epsilon(rho, 1e-6) for rho in budget] == pytest.approx([1, 2], rel=1e-5)
    ((rho, source),) = found(whole, "brown2024", artefact="fig03", part="variant rho 0.1448", symbol="rho")
    assert (tight_epsilon(float(rho), 1e-6), source) == (pytest.approx(1, rel=1e-5), "yours")
    # The rho of each of two stages; elsewhere in the paper it is that of both.
    assert tight_epsilon(2 * whole.papers["liang2025"].artefacts["fig05"].arms["rho"][0], 1e-5) == pytest.approx(
        1, rel=1e-5
    )
    ((_, source, reason),) = (
        (row["value"], row["source"], row["reason"])
        for row in rows(whole, "liang2025")
        if (row["artefact"], row["part"], row["symbol"]) == ("fig05", "arms", "rho")
    )
    assert source == "yours"
    assert "of the whole run, which spends this 2 times" in reason
    whole = load(checkout, {"liang2025": {"artefacts": {"ext_friendlycore": {"arms": {"epsilon": [1]}}}}})
    (budget,) = whole.papers["liang2025"].artefacts["ext_friendlycore"].arms["rho"]
    assert tight_epsilon(budget, 1e-5) == pytest.approx(1, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "place", "changes", "share"),
    [
        ("fig07", "arms", {"epsilon": 2}, 0.5),
        ("fig07", "arms", {"epsilon": 2, "delta": 1e-7}, 0.5),
        ("table_release_beta_only", "cells", {"finite rho1": {"epsilon": 2}}, 100 / 100.01),
    ],
)
def test_epsilon_is_the_whole_budget_of_two_stages(
    checkout: Path, name: str, place: str, changes: dict[str, Any], share: float
) -> None:
    whole = load(checkout, {"liang2025": {"artefacts": {name: {place: changes}}}})
    values = getattr(whole.papers["liang2025"].artefacts[name], place)
    values = values.get("finite rho1", values)
    both = values["rho1"] + values["rho2"]
    delta = changes.get("delta", 1e-5)
    assert 2 * (1 - 1e-4) < tight_epsilon(both, delta) <= 2
    assert values["rho1"] / both == pytest.approx(share, rel=1e-5)
    told = [row for row in rows(whole, "liang2025") if row["artefact"] == name and row["source"] == "yours"]
    budgets = [row for row in told if row["symbol"] in ("rho1", "rho2")]
    assert len(budgets) == 2
    for row in budgets:
        assert f"epsilon 2 at delta {delta:g}, converted exactly" in row["reason"]
        assert f"divided between both stages as {'5 to 5' if share == 0.5 else '100 to 0.01'}" in row["reason"]


@pytest.mark.parametrize(
    ("paper", "changes", "message"),
    [
        ("liang2025", {"fig07": {"arms": {"epsilon": 1, "rho2": 1}}}, r"arms has epsilon and rho2, which are one"),
        ("liang2025", {"fig07": {"arms": {"epsilon": [1, 2]}}}, r"epsilon = \[1, 2\] is not allowed; give one number"),
        ("liang2025", {"fig04": {"cells": {"a": {"epsilon": 1}}}}, r"one rho1 and one rho2 together, which are"),
        ("liang2025", {"fig06": {"arms": {"epsilon": 1}}}, r"arms\.epsilon stands for one rho1 and one rho2 together"),
        # Its rho is a share of the records.
        ("wang2026", None, r"epsilon stands for a zCDP budget, which the rho there is not; give rho"),
    ],
)  # fmt: skip
def test_epsilon_for_other_than_one_budget_is_refused(
    checkout: Path, paper: str, changes: dict[str, Any] | None, message: str
) -> None:
    if changes is None:
        file = yaml.safe_load((checkout / f"config/papers/{paper}.yaml").read_text(encoding="utf-8"))
        changes = {
            name: {place: {"epsilon": 1, "delta": 1e-6}}
            for name, node in file["artefacts"].items()
            for place in ("settings", "arms")
            if "rho" in node.get(place, {})
        }
        changes |= {
            name: {"cells": {panel: {"epsilon": 1, "delta": 1e-6}}}
            for name, node in file["artefacts"].items()
            for panel, cell in node["cells"].items()
            if "rho" in cell
        }
        assert changes
    with pytest.raises(ConfigError, match=message) as caught:
        load(checkout, {paper: {"artefacts": changes}})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"settings": {"epsilon": 1, "rho": 0.1}}, r"has epsilon and rho, which are one budget; give one of them"),
        ({"settings": {"epsilon": 0}}, r"settings\.epsilon = 0 is not allowed; give numbers from 1e-06 to 1e\+06"),
        ({"settings": {"epsilon": "two"}}, r"settings\.epsilon = 'two' is not allowed"),
        ({"settings": {"epsilon": True}}, r"settings\.epsilon = True is not allowed"),
        ({"settings": {"epsilon": [1, None]}}, r"settings\.epsilon = None is not allowed"),
        ({"settings": {"epsilon": {"x": 1}}}, r"settings\.epsilon = \{'x': 1\} is not allowed"),
        ({"settings": {"epsilon": 1, "delta": 0}}, r"settings\.delta = 0 is not allowed"),
        ({"settings": {"epsilon": 1, "delta": [1e-6]}}, r"settings\.delta = \[1e-06\] is not allowed"),
        ({"settings": {"epsilon": 1, "delta": 1e-5, "dp_delta": 1e-6}}, r"has delta and another dp_delta"),
        ({"artefacts": {"fig04": {"arms": {"epsilon": 1}}}}, r"arms\.epsilon stands for rho, which is no key there"),
        ({"artefacts": {"fig04": {"epsilon": 1}}}, r"fig04\.epsilon stands for rho, which is no key there"),
        ({"settings": {"delta": 1e-6}}, r"settings\.delta overlays nothing"),
    ],
)  # fmt: skip
def test_epsilon_that_stands_for_nothing_is_refused(checkout: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as caught:
        load(checkout, {"brown2024": changes})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("rho", [1e-12, 0.0999999999, 0.1, 123456.789, 5e5])
def test_budgets_are_rounded_down(rho: float) -> None:
    rounded = overlays._rounded_down(rho)
    assert rho * (1 - 1e-5) <= rounded <= rho
    assert math.isclose(float(f"{rounded:.6g}"), rounded, rel_tol=0)


# --- Pages, figures and claims ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def mine(checkout: Path) -> project.Project:
    return load(checkout, {"brown2024": {"artefacts": {"fig04": {"settings": {"epsilon": 2}}}}}, label="my own run")


def test_figures_say_that_values_are_yours(mine: project.Project, checkout: Path) -> None:
    label = project.figure_label(mine, checkout)
    assert label == "my own run; values of yours"
    assert about.captions(mine, checkout)["label"] == label
    spec = json.loads(project.figure_json(mine, mine.papers["brown2024"].artefacts["fig04"], label))
    assert spec["label"] == label


def test_claims_at_values_of_yours_are_not_the_papers(mine: project.Project) -> None:
    spec = json.loads(project.judging_json(mine, "brown2024"))
    mixed = [claim(source) for source in ("paper", "ours", "analogue", "identity")]
    assert [each.source for each in evidence.at_their_values(mixed, spec)] == ["yours", "yours", "yours", "identity"]
    assert evidence.at_their_values(mixed, spec | {"yours": False}) == mixed
    made = [{"paper": "brown2024", "source": "yours", "verdict": "reproduced", "why": ""}]
    assert summary.verdict_counts(made, "brown2024")["paper"].total() == 0
    *_, card = summary.scorecard(made, ["brown2024"]).splitlines()
    assert card == "| `brown2024` | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 1 of 1 |"


def test_every_way_to_judge_tells_the_source(checkout: Path, tmp_path: Path) -> None:
    """The pipeline's script, `dpdescent judge` and what is judged of figures on request."""
    changes = {"settings": {"dp_delta": 2e-5}}
    whole = load(
        checkout, {"liang2025": changes, "choquettechoo2023": changes, "wang2026": {"settings": {"per_step": 20}}}
    )
    results = ROOT / "results/paper"
    spec = project.judging_json(whole, "liang2025")
    command = [sys.executable, str(ROOT / "workflow/scripts/judge.py"), "claims", "--spec", spec]
    command += ["--folder", str(results / "liang2025"), "--output", str(tmp_path / "claims.csv")]
    subprocess.run(command, check=True, capture_output=True)
    made = {row["claim"]: row["source"] for row in read_rows(tmp_path / "claims.csv")}
    # What cannot fail stays an identity at any values.
    assert set(made.values()) == {"yours", "identity"}
    assert {each.claim: each.source for each in judge.judged(whole, "liang2025", results)} == made
    command[2:3], command[-1] = ["findings"], str(tmp_path / "findings.csv")
    subprocess.run([*command, "--shown", str(tmp_path / "shown.json")], check=True, capture_output=True)
    told = [row["measured"] for row in read_rows(tmp_path / "findings.csv")]
    assert told
    assert all(each.startswith("at your values: ") for each in told)
    others = [each for key in whole.papers for each in on_request.judged(whole, key, results)]
    assert {each.source for each in others} == {"yours"}


def claim(source: Any) -> evidence.Claim:
    return evidence.Claim(
        "id", "brown2024", "fig04", "Figure 4", "figure", source, "so", "it", 1, 1, 1, "at most 2", "reproduced"
    )


def papers_of(whole: project.Project) -> list[dict[str, Any]]:
    told = json.loads(json.dumps(about.about(whole, "brown2024", ROOT)))
    return [{**told, "settings": choices.with_meanings(told["settings"], told["symbols"])}]


def test_pages_tell_values_of_yours_from_the_papers(mine: project.Project, checkout: Path) -> None:
    """On the page of a paper, on that of a figure by itself, and where values are counted."""
    papers = papers_of(mine)
    section = paper_pages.section(
        content.Content(ROOT / "results/paper", papers, [], [], [], [], [], []), papers[0], artefact(papers[0], "fig04")
    )
    (row,) = section["overlaid"]
    assert row["symbol"] == "rho"
    assert "rho" not in {each["symbol"] for name in ("stated", "ours", "variants") for each in section[name]}
    label = project.figure_label(mine, checkout)
    alone = single.page(ROOT / "results/paper", papers[0], ["brown2024/fig04"], label, ROOT)
    assert "<td>yours</td>" in alone
    assert "in place of 0.015, stated in Sec. 4" in alone
    assert "converted exactly for Gaussian noise" in alone
    # Another test may have written the scale's file anew, with a label of its own or none.
    assert label.endswith("; values of yours")
    assert label in alone
    assert search.origins(papers)["yours"] == "yours"


def test_report_counts_no_claim_as_the_papers(mine: project.Project, checkout: Path) -> None:
    papers = papers_of(mine)
    claims = [
        {**row, "source": "yours"}
        for row in read_rows(ROOT / "results/paper/claims.csv")
        if row["paper"] == "brown2024"
    ]
    pages = site.pages(
        content.Content(ROOT / "results/paper", papers, claims, [], [], [], [], []), about.software(ROOT), "my run"
    )
    page = " ".join(pages["brown2024.html"].split())
    assert "claims at your values that can be tested" in page
    assert "claims of its own" not in page
    assert "Nothing on these pages is evidence" not in page
    assert "Values of yours stand in the place of the papers'" in page
    assert 'source=paper"' not in pages["index.html"]
    assert "at your values" in pages["index.html"]
    assert '<option value="yours">yours</option>' in pages["claims.html"]


def artefact(paper: dict[str, Any], name: str) -> dict[str, Any]:
    return next(each for each in paper["artefacts"] if each["id"] == name)
