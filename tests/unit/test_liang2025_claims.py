"""liang2025's claims and findings: on the committed tables, and on copies in which a claim is turned round."""

import functools
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from dpdescent.papers.liang2025 import claims, findings
from dpdescent.replication.configuration import project
from dpdescent.replication.judging import by_id
from dpdescent.replication.judging.evidence import Claim, Evidence, Finding

ROOT = Path(__file__).parents[2]


@functools.cache
def committed() -> Evidence:
    """The evidence of the paper scale; tests change copies of its tables only."""
    whole = project.load({"scale": "paper", "seed": 20250922, "papers": ["liang2025"]}, ROOT)
    return Evidence.read(json.loads(project.judging_json(whole, "liang2025")), ROOT / "results/paper/liang2025")


@functools.cache
def judged() -> dict[str, Claim]:
    return {claim.claim: claim for claim in claims.judge(committed())}


@functools.cache
def found() -> dict[str, Finding]:
    return {each.finding: each for each in findings.demonstrate(committed())}


def named(condition: Callable[[Claim], bool]) -> set[str]:
    return {name for name, claim in judged().items() if condition(claim)}


def test_claims_say_whose_they_are_what_about_and_why_changed() -> None:
    assert len(judged()) == 59
    assert named(lambda claim: claim.kind == "privacy") == {
        "footnote-3-0.1", "footnote-3-1", "footnote-3-10", "prop-3.1-private", "prop-3.1-identity", "lemma-F.1",
        "lemma-F.1-y-only",
    }  # fmt: skip
    assert named(lambda claim: claim.source == "ours") == {
        "fig04-within-theory", "fig06-within-theory", "lemma-F.1-y-only", "fig03a-rate-any-design", "fig09-slower",
        "fig04a-cutoff-minimum",
    }  # fmt: skip
    # The records of Angrist-Evans are not the paper's, those of Card are.
    assert named(lambda claim: claim.source == "analogue") == {
        "fig05-consistent", "fig05-iterations", "fig10-iterations", "fig11-iterations", "fig10-on-target",
        "fig11-on-target", "angrist-concentration",
    }  # fmt: skip
    assert not named(lambda claim: "review" in claim.note or "look" in claim.note)
    assert {"fig06-contrast", "fig03a-rate-5-5", "remark-3.7-optimal-T"} < named(lambda claim: claim.changed != "")


def test_cells_are_told_by_their_place() -> None:
    assert [cell.cell for cell in judged()["fig06-contrast"].cells] == ["rho2 = 0.1", "rho2 = 1", "rho2 = 10"]
    assert [cell.cell for cell in judged()["angrist-concentration"].cells] == ["rho = 0.1 over 1", "rho = 1 over 10"]
    assert {"reproduced", "not reproduced"} < {cell.verdict for cell in judged()["lemma-F.1"].cells}


def test_grave_findings_have_a_headline_that_begins_with_a_number() -> None:
    for each in found().values():
        grave = each.kind in ("privacy", "mathematics") and each.severity in ("medium", "high")
        assert bool(each.headline) == grave
        assert not grave or (each.headline[0].isdigit() and len(each.headline) <= 200)


def changed(artefact: str, factor: float, columns: tuple[str, ...] = ("mean", "se"), **where: object) -> Evidence:
    """The committed evidence with some columns of some rows of a table multiplied."""
    evidence = committed()
    table = evidence.tables[artefact].copy()
    mask = pd.Series(True, index=table.index)
    for name, wanted in where.items():
        mask &= table[name].map(wanted) if callable(wanted) else table[name] == wanted
    assert mask.any(), (artefact, where)
    table[list(columns)] = table[list(columns)].astype(float)
    table.loc[mask, list(columns)] *= factor
    return Evidence(evidence.spec, {**evidence.tables, artefact: table})


COSTS, MEDIANS = ("median", "q05", "q95"), ("median", "median_low", "median_high")
RANGE = ("q25", "q75")
TRUE, FALSE = "reproduced", "not reproduced"
DP, HAT = {"series": "DP-2S-GD"}, {"error_to": "beta_hat"}
# Claim, its committed verdict, what is done to which rows, the verdict that follows.
TURNED: tuple[tuple[str, str, Callable[[], Evidence], str], ...] = (
    ("lemma-F.1", FALSE, lambda: changed("table_release_beta_only", 1e-6, COSTS), TRUE),
    ("lemma-F.1-y-only", TRUE, lambda: changed("table_release_beta_only", 1e6, COSTS, reading="y only"), FALSE),
    ("prop-3.1-private", TRUE, lambda: changed("ext_calibration", 3.0, ("achieved_rho",)), FALSE),
    ("prop-3.1-identity", FALSE, lambda: changed("ext_calibration", 2.0, ("achieved_rho",)), TRUE),
    ("fig03b-larger", TRUE, lambda: changed("fig03", 1e-4, panel="b", **DP, **HAT), FALSE),
    ("fig04b-drop", TRUE, lambda: changed("fig04", 0.1, panel="b", T=1, **HAT), FALSE),
    ("fig06-comparable", FALSE, lambda: changed("fig06", 1e-3, panel="a", T=lambda T: T >= 5, **HAT), TRUE),
    ("fig06-contrast", TRUE, lambda: changed("fig06", 0.01, panel="a", rho2=10, T=2000, **HAT), FALSE),
    ("fig06-stable-1", FALSE, lambda: changed("fig06", 0.1, panel="b", T=2000, **HAT), TRUE),
    ("fig07b-insensitive", TRUE, lambda: changed("fig07", 9.0, panel="b", step_fraction=0.9, **HAT), FALSE),
    ("fig08-u-shape", TRUE, lambda: changed("fig08", 0.01, gamma=1000, **HAT), FALSE),
    ("fig09-slower", TRUE, lambda: changed("fig09", 0.01, MEDIANS, n=500, T=100, error_to="beta"), FALSE),
    ("fig09-sufficient", FALSE, lambda: changed("fig09", 1e-3, MEDIANS, T=100, **HAT), TRUE),
    ("remark-3.8-gap", FALSE, lambda: changed("fig09", 1e12, MEDIANS, T=10000, **HAT), TRUE),
    ("fig05-consistent", TRUE, lambda: changed("fig05", 2.0, MEDIANS, parameter="beta"), FALSE),
    ("fig10-on-target", TRUE, lambda: changed("fig10", 2.0, parameter="beta"), FALSE),
    ("fig11-iterations", TRUE, lambda: changed("fig11", 2.0, parameter="beta", t=17), FALSE),
    ("angrist-concentration", TRUE, lambda: changed("fig11", 100.0, RANGE, parameter="beta"), FALSE),
    ("fig13-concentration", TRUE, lambda: changed("fig13", 100.0, RANGE, parameter="beta", rho1=10), FALSE),
    ("fig13-records", TRUE, lambda: changed("fig13", 2.0, ("records",)), FALSE),
)  # fmt: skip


@pytest.mark.parametrize(("name", "before", "make", "after"), TURNED, ids=[row[0] for row in TURNED])
def test_a_claim_follows_its_rows(name: str, before: str, make: Callable[[], Evidence], after: str) -> None:
    assert judged()[name].verdict == before
    assert by_id.judge_one(claims, make(), name).verdict == after


def test_a_published_value_is_the_criterion() -> None:
    spec = {**committed().spec, "published": {**committed().spec["published"], "card_records": 2192}}
    assert by_id.judge_one(claims, Evidence(spec, committed().tables), "fig13-records").verdict == "not reproduced"
