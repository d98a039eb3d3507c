"""Laws of records for a private regression, the experiment on them, and their audit."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpdescent.algorithms import dp_regression as engine
from dpdescent.attacks import dp_regression as attack
from dpdescent.estimators.dp_regression import dp_regression
from dpdescent.papers.ours import audit, pages, regression
from dpdescent.papers.ours import regression_design as laws
from dpdescent.papers.ours.regression_design import Design
from dpdescent.papers.ours.setting import Array, cells
from dpdescent.privacy.accounting import tight_rho
from dpdescent.replication.configuration import project
from dpdescent.replication.ledger import entries
from dpdescent.replication.ledger.requests import Request
from dpdescent.replication.report import summary

ROOT = Path(__file__).resolve().parents[2]
PAPER, QUICK = (
    project.load({"scale": scale, "seed": 3, "papers": ["ours"]}, ROOT).papers["ours"].artefacts["regression"]
    for scale in ("paper", "quick")
)
SPECS = {part.spec["panel"]: part.spec for part in QUICK.parts}
DELTA = 1e-6


def spec_of(panel: str = "level", **cell: Any) -> dict[str, Any]:
    spec = SPECS[panel]
    return {**spec, "cell": {**spec["cell"], **cell}, "trials": [0, 2]}


def drawn(**cell: Any) -> tuple[Design, laws.Records]:
    spec = spec_of(n=200_000, p=3, level=0.95, **cell)
    design = Design.of(spec)
    return design, design.draw(spec, 0)


def residuals(design: Design, records: laws.Records) -> Array:
    return records.y - np.column_stack([np.ones(design.n), records.X]) @ records.theta


def of_units(design: Design, records: laws.Records) -> Array:
    """Covariates less their means, over their sds."""
    return np.asarray(records.X / design.sds - design.offset)


def test_the_study_has_all_cells_once_each_and_differs_from_the_middle_in_two_things_at_most() -> None:
    specs = [part.spec for part in PAPER.parts if part.spec["trials"][0] == 0]
    found = [Design.of(cell) for spec in specs for cell in cells(spec)]
    assert len(found) == len(set(found)) == 54
    middle = Design.of({"cell": {}, "settings": specs[0]["settings"]})
    assert middle in found
    told = [sum(a != b for a, b in zip(vars(each).values(), vars(middle).values(), strict=True)) for each in found]
    assert max(told) == 3
    assert sum(each > 1 for each in told) == 18


@pytest.mark.parametrize("correlation", [0.0, 0.9])
@pytest.mark.parametrize(("spread", "offset"), [(1.0, 0.0), (1000.0, 5.0)])
def test_normal_covariates_have_the_covariance_of_their_law(correlation: float, spread: float, offset: float) -> None:
    design, records = drawn(correlation=correlation, spread=spread, offset=offset)
    expected = np.full((3, 3), correlation) + (1.0 - correlation) * np.eye(3)
    np.testing.assert_allclose(np.cov(of_units(design, records).T), expected, atol=0.02)
    np.testing.assert_allclose(records.X.mean(axis=0), offset * design.sds, atol=0.02 * spread)
    np.testing.assert_allclose(design.sds[[0, -1]], [1.0, spread])


@pytest.mark.parametrize("covariates", ["heavy", "binary", "rare", "skewed"])
def test_other_covariates_have_mean_zero_and_variance_one(covariates: str) -> None:
    design, records = drawn(covariates=covariates)
    X = of_units(design, records)
    np.testing.assert_allclose(X.mean(axis=0), 0.0, atol=0.02)
    np.testing.assert_allclose(X.var(axis=0), 1.0, atol=0.15 if covariates == "heavy" else 0.06)
    values = np.unique(np.round(X[:, 0], 9))
    assert (len(values) == 2) == (covariates in ("binary", "rare"))
    assert np.mean(values.max() - 1e-6 < X[:, 0]) == pytest.approx(
        {"binary": laws.ONES, "rare": laws.FEW_ONES}.get(covariates, 0.0), abs=0.005
    )
    if covariates == "skewed":
        assert np.mean(X**3) > 2.0


@pytest.mark.parametrize("fit", [0.05, 0.9])
def test_covariates_explain_as_much_as_is_said(fit: float) -> None:
    design, records = drawn(fit=fit, spread=10.0, offset=2.0)
    assert records.y.var() == pytest.approx(1.0, abs=0.02)
    assert residuals(design, records).var() == pytest.approx(1.0 - fit, rel=0.02)


@pytest.mark.parametrize("errors", ["normal", "heavy", "skewed"])
def test_errors_have_mean_zero_and_the_variance_that_is_left(errors: str) -> None:
    design, records = drawn(errors=errors)
    u = residuals(design, records) / math.sqrt(0.5)
    assert u.mean() == pytest.approx(0.0, abs=0.02)
    assert u.var() == pytest.approx(1.0, abs=0.15 if errors == "heavy" else 0.03)
    assert (np.mean(u**3) > 1.5) == (errors == "skewed")
    assert (np.mean(np.abs(u) > 4.0) > 1e-3) == (errors != "normal")


def test_unequal_errors_grow_with_the_first_covariate_and_have_mean_zero_everywhere() -> None:
    design, records = drawn(errors="unequal")
    u, first = residuals(design, records) / math.sqrt(0.5), of_units(design, records)[:, 0]
    for low, high in ((0.0, 0.1), (1.0, 1.1), (2.0, 2.2)):
        near = (low < first) & (first < high)
        assert u[near].std() == pytest.approx(0.3 + 0.5 * (low + high), rel=0.05)
        assert abs(u[near].mean()) < 5.0 * u[near].std() / math.sqrt(near.sum())


def test_outliers_lie_above_and_are_few() -> None:
    design, records = drawn(errors="outliers")
    u = residuals(design, records)
    assert np.mean(u > 0.7 * laws.FAR) == pytest.approx(laws.OUTLIERS, rel=0.01)
    assert u[u < 0.5 * laws.FAR].mean() == pytest.approx(0.0, abs=0.01)


def test_units_are_told_as_the_cell_says() -> None:
    """Means are not told, so that a column is as large as its root mean square."""
    for units, factor in (("right", 1.0), ("3 times too large", 3.0), ("3 times too small", 1 / 3)):
        design, records = drawn(units=units, spread=10.0, offset=2.0)
        sizes = np.sqrt(np.mean(np.square(records.X), axis=0))
        np.testing.assert_allclose(design.told()["scale"], factor * sizes, rtol=0.02)
        assert design.told()["outcome_scale"] == factor
    assert drawn(units="released")[0].told() == {}


def test_budgets_levels_and_units_share_records_and_laws_do_not() -> None:
    _, first = drawn()
    for same in ({"eps": 3.0}, {"units": "released"}, {"standard_errors": "equal"}):
        assert np.array_equal(drawn(**same)[1].y, first.y)
    for other in ({"errors": "heavy"}, {"fit": 0.6}, {"offset": 1.0}):
        assert not np.array_equal(drawn(**other)[1].X[:, 0], first.X[:, 0])


@pytest.mark.parametrize("name", ["covariates", "errors", "units", "standard_errors"])
def test_a_law_of_no_such_name_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}='odd' must be one of"):
        Design.of(spec_of(**{name: "odd"}, level=0.95))


@pytest.mark.parametrize("panel", sorted(SPECS))
def test_series_of_a_run_follow_from_its_coefficients(panel: str) -> None:
    rows = list(regression.run_regression({**SPECS[panel], "trials": [0, 2]}))
    table = pd.DataFrame(rows)
    place = [*QUICK.keys, "trial"]
    for _, of in table.groupby(place, sort=False):
        values = dict(zip(of["series"], of["value"], strict=True))
        single = [value for name, value in values.items() if name.startswith(regression.COEFFICIENT.format(""))]
        assert set(single) <= {0.0, 1.0}
        assert values[regression.REFUSED] == pytest.approx(1.0 - len(single) / (of["p"].iloc[0] + 1))
        assert (regression.COVERED in values) == (regression.LENGTH in values) == bool(single)
        if single:
            assert values[regression.COVERED] == pytest.approx(np.mean(single))
        assert (of["information"].iloc[0] < engine.INFERRED) == (values[regression.REFUSED] == 1.0)


def test_least_squares_cover_what_is_to_be_covered_whatever_the_errors() -> None:
    """So that the coefficients of a law are those that are held against private intervals."""
    for cell in ({"errors": "skewed"}, {"covariates": "binary", "offset": 2.0}, {"errors": "unequal", "spread": 10.0}):
        spec = spec_of(n=500, p=2, level=0.95, **cell)
        design = Design.of(spec)
        hits = []
        for trial in range(400):
            records = design.draw(spec, trial)
            _, ols, errors = regression.least_squares(records)
            hits.append(np.abs(ols - records.theta) < 1.96 * errors)
        assert np.mean(hits, axis=0).min() > 0.9, cell


def test_standard_errors_of_least_squares_are_the_sandwich_without_a_correction() -> None:
    spec = spec_of(n=60, p=2, level=0.95, errors="unequal", offset=3.0)
    records = Design.of(spec).draw(spec, 0)
    design = np.column_stack([np.ones(60), records.X])
    weights = np.linalg.pinv(design)
    u = records.y - design @ (weights @ records.y)
    moment, ols, errors = regression.least_squares(records)
    np.testing.assert_allclose(ols, weights @ records.y, rtol=1e-9)
    np.testing.assert_allclose(errors, np.sqrt(np.square(weights * u).sum(axis=1)), rtol=1e-9)
    np.testing.assert_allclose(moment, np.mean([np.outer(row, row) for row in design], axis=0), rtol=1e-9)


@pytest.mark.parametrize("cell", [{}, {"units": "released"}, {"standard_errors": "equal", "p": 2}])
def test_the_ledger_lists_what_a_run_released(cell: dict[str, Any]) -> None:
    """But for thresholds, of which noise over sensitivity is free."""
    spec = spec_of(level=0.95, **cell)
    ((_, event, _),) = regression.releases_regression(spec)
    design = Design.of(spec)
    records = design.draw(spec, 0)
    run = dp_regression(
        records.X, records.y, epsilon=design.eps, delta=DELTA, rng=1, errors=design.standard_errors, **design.told()
    )
    assert [each.what for each in event.releases] == [each.what for each in run.event.releases]
    for listed, told in zip(event.releases, run.event.releases, strict=True):
        assert listed.noise_sd / listed.sensitivity == pytest.approx(told.noise_sd / told.sensitivity, rel=1e-12)
        if "moment" in listed.what:
            assert listed.sensitivity == pytest.approx(told.sensitivity, rel=1e-12)


def test_a_level_changes_the_intervals_and_nothing_else() -> None:
    narrow, wide = (
        pd.DataFrame(regression.run_regression(spec_of(level=level) | {"trials": [0, 20]})) for level in (0.5, 0.999)
    )  # fmt: skip
    for series in (regression.RISK, regression.LENGTH):
        assert (narrow["value"][narrow["series"] == series] == wide["value"][wide["series"] == series]).all()
    covered = [each["value"][each["series"] == regression.COVERED].mean() for each in (narrow, wide)]
    assert covered[0] < 0.75 < 0.95 < covered[1]


def asked(**cell: Any) -> Request:
    ((name, event, delta),) = regression.releases_regression(spec_of(level=0.95, **cell))
    assert delta == DELTA
    assert event.stand_in
    assert event.rho == pytest.approx(tight_rho(cell.get("eps", 8.0), DELTA), rel=1e-12)
    found = audit.request(spec_of(), name, event)
    assert isinstance(found, Request)
    return found


def test_cells_of_one_budget_share_an_audit_and_released_units_are_left_out_of_it() -> None:
    assert asked() == asked(n=5000) == asked(p=2, errors="heavy") == asked(units="3 times too large")
    assert len({each.json() for each in (asked(), asked(eps=3.0), asked(standard_errors="equal"))}) == 3
    released = asked(units="released").parameters["rho"]
    assert released == pytest.approx((1.0 - engine.UNITS) * tight_rho(8.0, DELTA), rel=1e-8)
    specs = [part.spec for part in PAPER.parts if part.spec["trials"][0] == 0]
    arms = [(spec, *each[:2]) for spec in specs for each in regression.releases_regression(spec)]
    requests = {getattr(audit.request(*arm), "attack", "none") for arm in arms}
    assert requests == {audit.REVERSES, audit.REVERSES_EQUAL}
    assert len({audit.request(*arm).json() for arm in arms}) == 7  # type: ignore[union-attr]


def test_the_attack_is_on_the_standard_errors_that_are_asked_for() -> None:
    for errors in ("unequal", "equal"):
        request = asked(standard_errors=errors)
        made = audit.ATTACKS[request.attack](**request.parameters)
        rho = float(request.parameters["rho"])
        assert made.pair == attack.reversing_record(rho, errors).pair  # type: ignore[arg-type]


def test_the_ledger_lists_every_release() -> None:
    ((name, event, delta),) = regression.releases_regression(spec_of(level=0.95, units="released"))
    (row,) = entries.rows("ours", "regression", [(name, event, delta)])
    assert row["eps_tight"] == pytest.approx(8.0, rel=1e-3)
    assert {each.what for each in event.releases} >= {audit.SIZES, "slope of the mean gradient"}


def test_the_page_quotes_the_table_that_is_there() -> None:
    page, results = (ROOT / "docs/beyond.md").read_text(encoding="utf-8"), ROOT / "results/paper"
    assert summary.fill(page, {"regression": pages.regression(results), "ends": pages.ends(results)}) == page
    laws_of_table = pd.read_csv(results / "ours/regression.csv").query("series == @regression.REFUSED")
    assert f"in\n{len(laws_of_table)} other laws" in (ROOT / "docs/regression.md").read_text(encoding="utf-8")
