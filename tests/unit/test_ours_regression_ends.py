"""Laws of records with public ends of the outcome and without, the experiment on them, and their audit."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpdescent.estimators.dp_regression import dp_regression
from dpdescent.papers.ours import audit, regression
from dpdescent.papers.ours import regression_ends as ends
from dpdescent.papers.ours.regression_design import Records
from dpdescent.papers.ours.regression_ends import Design
from dpdescent.papers.ours.setting import cells
from dpdescent.replication.configuration import project

ROOT = Path(__file__).resolve().parents[2]
PAPER, QUICK = (
    project.load({"scale": scale, "seed": 3, "papers": ["ours"]}, ROOT).papers["ours"].artefacts["regression_ends"]
    for scale in ("paper", "quick")
)
SPECS = {part.spec["panel"]: part.spec for part in QUICK.parts}
STUDY = [cell for part in PAPER.parts if part.spec["trials"][0] == 0 for cell in cells(part.spec)]
SHARED = {"eps": 1.0, "units": "released", "standard_errors": "unequal", "level": 0.95, "dp_delta": 1e-6}
EVEN = {"outcome": "binary", "nonzero": 0.5, "dummy": 0.5, "ends": "public", "n": 200_000}
WAGES = {**EVEN, "outcome": "wages", "nonzero": 1.0}


def spec_of(**cell: Any) -> dict[str, Any]:
    return {"variant": "main", "panel": "any", "seed": 3, "settings": SHARED, "cell": cell, "trials": [0, 2]}


def drawn(**cell: Any) -> tuple[Design, Records]:
    spec = spec_of(**{**EVEN, **cell})
    design = Design.of(spec)
    return design, design.draw(spec, 0)


def test_the_study_has_all_cells_once_each() -> None:
    found = [Design.of(cell) for cell in STUDY]
    assert len(found) == len(set(found)) == 39
    assert sum(each.outcome == "binary" and each.ends == "public" for each in found) == 23


@pytest.mark.parametrize("cell", STUDY, ids=lambda cell: " ".join(map(str, cell["cell"].values())))
def test_means_are_linear_because_none_is_beyond_its_ends(cell: dict[str, Any]) -> None:
    """A chance below 0 or above 1, or a wage that is cut, would bend the mean, and intervals would miss for that."""
    design = Design.of(cell)
    records = design.draw(cell, 0)
    low, high = ends.RANGES[design.outcome]
    corners = np.array([[1.0, x, d] for x in (-ends.KEPT, ends.KEPT) for d in (0.0, 1.0)]) @ records.theta
    if design.outcome == "binary":
        np.testing.assert_allclose(np.clip(corners, 0.0, 1.0), corners, atol=1e-12)
        assert set(np.unique(records.y)) == {0.0, 1.0}
    assert low <= records.y.min()
    assert records.y.max() <= high
    assert np.abs(records.X[:, 0]).max() <= ends.KEPT
    assert set(np.unique(records.X[:, 1])) == {0.0, 1.0}


@pytest.mark.parametrize("share", [0.5, 0.05])
def test_shares_are_what_a_cell_says_and_three_tenths_go_with_an_sd(share: float) -> None:
    _, records = drawn(nonzero=share, dummy=share)
    assert records.y.mean() == pytest.approx(share, abs=0.005)
    assert records.X[:, 1].mean() == pytest.approx(share, abs=0.005)
    assert records.X[:, 0].std() == pytest.approx(1.0, abs=0.01)
    assert records.theta[1] == pytest.approx(0.3 * share)
    far = np.abs(records.X[:, 0] - 1.0) < 0.1
    assert records.y[far].mean() == pytest.approx(1.3 * share, abs=0.02)


def test_errors_of_wages_have_skewness_one_and_mean_zero() -> None:
    _, records = drawn(outcome="wages", nonzero=1.0)
    errors = records.y - np.column_stack([np.ones(len(records.y)), records.X]) @ records.theta
    assert errors.mean() == pytest.approx(0.0, abs=0.03)
    assert errors.std() == pytest.approx(3.0, abs=0.03)
    assert np.mean((errors / errors.std()) ** 3) == pytest.approx(1.0, abs=0.05)


def test_ends_and_sizes_are_told_as_the_cell_says() -> None:
    assert drawn()[0].told() == {"outcome_range": (0.0, 1.0)}
    assert drawn(outcome="wages", nonzero=1.0)[0].told() == {"outcome_range": (0.0, 100.0)}
    assert drawn(ends="none")[0].told() == {}
    for cell in (EVEN, WAGES):
        design, records = drawn(**cell, units="right")
        sizes = np.sqrt(np.mean(np.square(np.column_stack([records.X, records.y])), axis=0))
        told = [*design.told()["scale"], design.told()["outcome_scale"]]
        assert np.abs(np.log2(sizes / told)).max() <= 0.51


def test_what_is_told_shares_records_and_laws_do_not() -> None:
    _, first = drawn()
    for same in ({"ends": "none"}, {"units": "right"}, {"eps": 3.0}):
        assert np.array_equal(drawn(**same)[1].y, first.y)
    for other in ({"nonzero": 0.4}, {"nonzero": 0.4, "dummy": 0.4}, {"outcome": "wages", "nonzero": 1.0}):
        assert not np.array_equal(drawn(**other)[1].X[:, 0], first.X[:, 0])


@pytest.mark.parametrize("name", ["outcome", "ends", "units", "standard_errors"])
def test_a_law_of_no_such_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}='odd' must be one of"):
        Design.of(spec_of(**{**EVEN, name: "odd"}))


def test_shares_that_a_law_cannot_have_are_refused() -> None:
    with pytest.raises(ValueError, match=r"nonzero=0\.5 must be 1 for wages"):
        Design.of(spec_of(**{**WAGES, "nonzero": 0.5}))
    for shares, chances in (({"nonzero": 0.6, "dummy": 0.2}, r"0\.036 to 1\.24"), ({"dummy": 0.8}, r"-0\.03 to 0\.97")):
        with pytest.raises(ValueError, match=f"make chances from {chances}: give smaller ones"):
            Design.of(spec_of(**{**EVEN, **shares}))


@pytest.mark.parametrize("panel", sorted(SPECS))
def test_a_panel_has_all_its_cells_and_trials(panel: str) -> None:
    rows = list(ends.run_regression_ends({**SPECS[panel], "trials": [0, 2]}))
    assert {row["ends"] for row in rows} == {SPECS[panel]["cell"]["ends"]}
    assert {row["trial"] for row in rows} == {0, 1}
    table = pd.DataFrame(rows)
    assert (table["series"] == regression.REFUSED).sum() == 2 * len(list(cells(SPECS[panel])))


def test_ends_are_told_to_the_run() -> None:
    """Without them many gradients are clipped, with them hardly any."""
    clipped = {
        told: next(ends.run_regression_ends(spec_of(**{**EVEN, "n": 5000, "nonzero": 0.2, "ends": told})))[
            "clip_fraction"
        ]
        for told in ("public", "none")
    }
    assert clipped["public"] < 0.001 < 0.05 < clipped["none"]


@pytest.mark.parametrize("cell", [{}, {"nonzero": 0.05}, {**WAGES, "dummy": 0.1}])
def test_least_squares_cover_what_is_to_be_covered(cell: dict[str, Any]) -> None:
    spec = spec_of(**{**EVEN, **cell, "n": 2000})
    design = Design.of(spec)
    hits = []
    for trial in range(400):
        records = design.draw(spec, trial)
        _, ols, errors = regression.least_squares(records)
        hits.append(np.abs(ols - records.theta) < 1.96 * errors)
    assert np.mean(hits, axis=0).min() > 0.9


@pytest.mark.parametrize("cell", [{}, {"units": "right"}, {**WAGES, "ends": "none"}])
def test_the_ledger_lists_what_a_run_released(cell: dict[str, Any]) -> None:
    """But for thresholds, of which noise over sensitivity is free."""
    spec = spec_of(**{**EVEN, **cell, "n": 3000})
    ((name, event, delta),) = ends.releases_regression_ends(spec)
    design = Design.of(spec)
    records = design.draw(spec, 0)
    run = dp_regression(records.X, records.y, epsilon=1.0, delta=delta, rng=1, **design.told())
    assert [each.what for each in event.releases] == [each.what for each in run.event.releases]
    for listed, told in zip(event.releases, run.event.releases, strict=True):
        assert math.isclose(listed.noise_sd / listed.sensitivity, told.noise_sd / told.sensitivity, rel_tol=1e-12)
    assert event.stand_in
    assert name.endswith(": DP regression")


def test_its_audits_are_those_of_the_table_without_ends() -> None:
    """One with sizes released and one with sizes told, at the same budgets."""
    named = {"artefact": "regression_ends"}
    requests = {
        audit.request({**cell, **named}, *arm[:2]).json()  # type: ignore[union-attr]
        for cell in STUDY
        for arm in ends.releases_regression_ends({**cell, "panel": "any"})
    }
    theirs = project.load({"scale": "paper", "seed": 3, "papers": ["ours"]}, ROOT).papers["ours"]
    others = {
        audit.request(part.spec, *arm[:2]).json()  # type: ignore[union-attr]
        for part in theirs.artefacts["regression"].parts
        for arm in regression.releases_regression(part.spec)
    }
    assert len(requests) == 2
    assert requests <= others


def test_the_guide_tells_the_criteria_of_the_claims() -> None:
    """Its numbers are none of a run, so that it need not be written anew when a table is."""
    page = " ".join((ROOT / "docs/regression.md").read_text(encoding="utf-8").split())
    assert f"at most {ends.LITTLE:g} times as long as least squares'" in page
    assert f"more than {ends.MUCH:g} times as long as least squares'" in page
    assert f"At {ends.MANY:,} people and 10 % of ones or more" in page
    assert f"at 2 % of {ends.FEW:,} people, there is no interval" in page
