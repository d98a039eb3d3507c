"""Designs with instruments, the experiment on intervals, and the attack on DP-IV-GD."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dpdescent.attacks import dp_iv_gd as attack
from dpdescent.attacks import reduced_form as attack_on_form
from dpdescent.baselines.least_squares import first_stage_F, two_stage_least_squares, two_stage_standard_errors
from dpdescent.data.iv import IVSample
from dpdescent.papers.ours import iv_intervals, iv_sets
from dpdescent.papers.ours.setting import ERRORS, INSTRUMENTS, IVDesign
from dpdescent.privacy import zcdp
from dpdescent.replication.configuration import project

ARTEFACTS = (
    project.load({"scale": "quick", "seed": 3, "papers": ["ours"]}, Path(__file__).resolve().parents[2])
    .papers["ours"]
    .artefacts
)
SPECS, WEAK_SPECS = (
    {part.spec["panel"]: part.spec for part in ARTEFACTS[name].parts} for name in ("iv_coverage", "iv_weak")
)


def spec_of(panel: str = "strength", **cell: Any) -> dict[str, Any]:
    spec = SPECS[panel]
    return {**spec, "cell": {**spec["cell"], **cell}, "trials": [0, 2]}


@pytest.mark.parametrize("instruments", INSTRUMENTS)
@pytest.mark.parametrize("errors", ERRORS)
def test_samples_have_the_moments_of_their_design(instruments: str, errors: str) -> None:
    spec = spec_of(n=200_000, q=2, F=2000.0, instruments=instruments, errors=errors)
    design = IVDesign.of(spec)
    sample = design.draw(spec, 0)
    np.testing.assert_allclose(sample.Z.T @ sample.Z / sample.n, design.second_moment, atol=0.02)
    u = sample.y - sample.X[:, 0]
    assert u.std() == pytest.approx(1.0, abs=0.02)
    assert np.mean(u * (sample.X - sample.Z @ design.Theta)[:, 0]) == pytest.approx(0.5, abs=0.02)
    assert first_stage_F(sample) == pytest.approx(2000.0, rel=0.1)


def test_all_directions_of_several_regressors_are_equally_strong() -> None:
    design = IVDesign.of(spec_of(n=500, p=2, q=5, F=80.0))
    held = design.Theta.T @ design.second_moment @ design.Theta
    np.testing.assert_allclose(held, np.eye(2) * 80.0 * 5 / 500, atol=1e-12)


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ({"errors": "odd"}, "errors='odd' one of normal, heteroskedastic"),
        ({"p": 2, "q": 1}, "q=1 instruments cannot identify p=2 effects"),
    ],
)
def test_a_design_that_makes_no_sense_is_refused(cell: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        IVDesign.of(spec_of(**cell))


@pytest.mark.parametrize("panel", sorted(SPECS))
def test_a_run_has_an_interval_unless_it_is_refused(panel: str) -> None:
    rows = list(iv_intervals.run_iv_coverage(spec_of(panel)))
    assert {row["value"] for row in rows} <= {0.0, 0.5, 1.0}
    refused = [row for row in rows if row["series"].endswith(iv_intervals.REFUSED)]
    shown = [row for row in rows if row["series"] in (iv_intervals.OURS, iv_intervals.ORACLE)]
    assert len(shown) == sum(row["value"] == 0.0 for row in refused)


def test_every_arm_spends_the_budget() -> None:
    found = {
        name.split(": ")[-1]: event for name, event, _ in iv_intervals.releases_iv_coverage(spec_of(rho=0.3, F=100.0))
    }
    assert set(found) == {iv_intervals.OURS, iv_intervals.ORACLE, iv_intervals.PUBLISHED}
    assert all(event.rho == pytest.approx(0.3, rel=1e-12) for event in found.values())


def test_standard_errors_of_2sls_are_the_sandwich() -> None:
    """Against the spread of estimates over samples with errors that depend on the instrument."""
    spec = spec_of(n=1000, F=200.0, errors="heteroskedastic")
    design = IVDesign.of(spec)
    fits = [(two_stage_least_squares(each), each) for each in (design.draw(spec, t) for t in range(400))]
    spread = np.std([fit.beta[0] for fit, _ in fits])
    told = np.median([two_stage_standard_errors(sample, fit)[0] for fit, sample in fits])
    assert told == pytest.approx(spread, rel=0.12)


def test_standard_errors_honour_counts() -> None:
    rng = np.random.default_rng(4)
    Z, u = rng.standard_normal((30, 1)), rng.standard_normal(30)
    X = Z + u[:, None]
    twice = IVSample(*(np.concatenate([each, each]) for each in (Z, X, X[:, 0] + u)))
    counted = IVSample(Z, X, X[:, 0] + u, count=np.full(30, 2.0))
    expected, found = (two_stage_standard_errors(each, two_stage_least_squares(each)) for each in (twice, counted))
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_the_attack_attains_nine_tenths_of_what_a_pair_can() -> None:
    rho = (0.45, 0.45, 0.1)
    found, most = attack.both_stages_flip(*rho), attack.largest_mu(*rho)
    assert most == pytest.approx(math.sqrt(2 * 0.9), rel=1e-9)
    assert found.mu is not None
    assert 0.9 * most < found.mu < most < zcdp.gaussian_dp_mu(sum(rho))
    first, second = found.simulate(6000, np.random.default_rng(5))
    pooled = math.sqrt(0.5 * (first.var() + second.var()))
    assert (second.mean() - first.mean()) / pooled == pytest.approx(found.mu, abs=0.08)


def test_a_pair_attains_more_by_the_moment_where_that_has_most_of_the_budget() -> None:
    assert attack.largest_mu(0.0, 0.0, 1.0) == pytest.approx(math.sqrt(2.0), rel=1e-6)
    assert attack.largest_mu(0.1, 0.1, 0.8) > math.sqrt(2 * 0.2)


def weak_spec(panel: str = "strength", **cell: Any) -> dict[str, Any]:
    spec = WEAK_SPECS[panel]
    return {**spec, "cell": {**spec["cell"], **cell}, "trials": [0, 3]}


@pytest.mark.parametrize("panel", sorted(WEAK_SPECS))
def test_sets_without_an_end_have_no_length(panel: str) -> None:
    rows = list(iv_sets.run_iv_weak(weak_spec(panel)))
    found = [row for row in rows if not row["series"].endswith(iv_sets.RATIO)]
    assert {row["series"] for row in found} == {iv_sets.PRIVATE, iv_sets.CLASSICAL, iv_sets.INTERVAL}
    assert {row["value"] for row in found} <= {0.0, 1.0}
    assert all(math.isnan(row["half_width"]) == (row["unbounded"] == 1.0) for row in found)
    sets = [row for row in found if row["series"] != iv_sets.INTERVAL]
    assert len(rows) - len(found) == sum(row["unbounded"] == 0.0 for row in sets)


def test_sets_spend_the_budget_and_are_for_one_effect() -> None:
    ((_, event, _),) = iv_sets.releases_iv_weak(weak_spec(rho=0.3, F=100.0))
    assert event.rho == pytest.approx(0.3, rel=1e-12)
    with pytest.raises(ValueError, match="p=2: Anderson-Rubin sets here are for one effect"):
        list(iv_sets.releases_iv_weak(weak_spec(p=2, q=3)))


def test_the_set_without_privacy_is_that_of_the_textbook() -> None:
    """With equal errors and many records, by the quadratic form of homoskedastic residuals."""
    spec = spec_of(n=200_000, q=2, F=500.0)
    sample = IVDesign.of(spec).draw(spec, 1)
    told = iv_sets.classical(sample)
    for effect in (0.9, 1.0, 1.05):
        e = sample.y - effect * sample.X[:, 0]
        fitted = sample.Z @ np.linalg.lstsq(sample.Z, e, rcond=None)[0]
        textbook = sample.n * (fitted @ fitted) / ((e - fitted) @ (e - fitted))
        d = np.array([[-effect, 1.0]]) / math.hypot(effect, 1.0)
        assert told.statistic(d)[0] == pytest.approx(textbook, rel=0.03, abs=0.02)


def test_the_attack_on_the_reduced_form_attains_nine_tenths_of_what_a_pair_can() -> None:
    rho = (0.75, 0.25)
    found, most = attack_on_form.gradient_flips(*rho), attack_on_form.largest_mu(*rho)
    cosines = np.linspace(-1.0, 1.0, 20_001)
    by_grid = np.sqrt(2.0 * (rho[0] * (1.0 - cosines) / 2.0 + rho[1] * (1.0 - cosines**2))).max()
    assert most == pytest.approx(by_grid, rel=1e-7)
    assert found.mu == pytest.approx(math.sqrt(2.0 * rho[0]), rel=1e-9)
    assert 0.9 * most < math.sqrt(2.0 * rho[0]) <= most < zcdp.gaussian_dp_mu(sum(rho))
    first, second = found.simulate(6000, np.random.default_rng(5))
    pooled = math.sqrt(0.5 * (first.var() + second.var()))
    assert (second.mean() - first.mean()) / pooled == pytest.approx(found.mu, abs=0.08)


def test_gradients_of_unequal_length_cost_less_than_those_of_equal_length() -> None:
    """By a search over pairs of vectors: lengths s of the shorter one, and cosines c."""
    rho1, rho2 = 0.75, 0.25
    s, c = np.meshgrid(np.linspace(0.0, 1.0, 201), np.linspace(-1.0, 1.0, 401))
    cost = rho1 * (1.0 + s**2 - 2.0 * s * c) / 4.0 + rho2 * (1.0 + s**4 - 2.0 * s**2 * c**2) / 2.0
    assert math.sqrt(2.0 * cost.max()) == pytest.approx(attack_on_form.largest_mu(rho1, rho2), rel=1e-4)
