"""liang2025's experiments: rows as the tables need them, parts that change nothing, arms and releases."""

import json
import math
import pkgutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpdescent.data import tabular
from dpdescent.papers.liang2025 import formulas, friendly_core, lemma_f1, moments
from dpdescent.papers.liang2025.least_squares import attenuation
from dpdescent.papers.liang2025.setting import Arm, columns, constants, mechanism, problem_of, scaled_parameters
from dpdescent.replication.build import tables
from dpdescent.replication.configuration import project

ROOT = Path(__file__).parents[2]
PROJECT = project.load({"scale": "quick", "seed": 3, "papers": ["liang2025"]}, ROOT)
ARTEFACTS = PROJECT.papers["liang2025"].artefacts
STEPS = formulas.StepSizes(0.5, 0.01)


def run(name, spec):
    return list(pkgutil.resolve_name(ARTEFACTS[name].run)(spec))


def releases(name, spec):
    return list(pkgutil.resolve_name(ARTEFACTS[name].releases)(spec))


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Prepared files of the small real data sets, by name."""
    folder = tmp_path_factory.mktemp("data")
    for name, about in PROJECT.papers["liang2025"].datasets.items():
        sample = tabular.read_sample(
            tabular.bundled(about["source"]),
            about["instruments"],
            about["regressors"],
            about["outcome"],
            about.get("count"),
        )
        if about.get("subset"):
            sample = tabular.draw_subset(sample, about["subset"], np.random.default_rng(0))
        sample = tabular.centre(sample)
        sample = tabular.standardise_instruments(sample) if about.get("standardise") else sample
        tabular.write_sample(sample, folder / f"{name}.csv")
    return folder


def with_trials(part, prepared, start, stop):
    spec = json.loads(part.json()) | {"trials": [start, stop]}
    return spec | ({"data": str(prepared / f"{part.dataset}.csv")} if part.dataset else {})


@pytest.mark.parametrize("name", list(ARTEFACTS))
def test_rows_hold_what_the_table_needs(name, prepared):
    artefact = ARTEFACTS[name]
    rows = [{"variant": "main", **row} for row in run(name, with_trials(artefact.parts[0], prepared, 0, 2))]
    table = tables.summarise([pd.DataFrame(rows)], artefact.keys, artefact.measures)
    assert len(table) > 0
    assert np.isfinite(table["mean"]).all()
    assert not table.duplicated([*artefact.keys, "series", "variant"]).any()


@pytest.mark.parametrize("name", ["fig03", "fig05", "fig13", "fig09", "ext_friendlycore", "ext_angrist_subsets"])
def test_the_cut_into_parts_changes_no_bit(name, prepared):
    part = ARTEFACTS[name].parts[0]
    whole = run(name, with_trials(part, prepared, 0, 7))
    cut = [row for ends in ((0, 1), (1, 4), (4, 7)) for row in run(name, with_trials(part, prepared, *ends))]

    def ordered(rows):
        return sorted(str(sorted(row.items(), key=lambda item: item[0])) for row in rows)

    assert ordered(whole) == ordered(cut)


@pytest.mark.parametrize("name", [name for name in ARTEFACTS if name not in ("fig01", "fig02")])
def test_every_experiment_says_what_it_releases(name, prepared):
    arms = releases(name, with_trials(ARTEFACTS[name].parts[0], prepared, 0, 1))
    assert arms
    for _, event, delta in arms:
        # Approximate zCDP fails with a probability of its own, on top of that of its conversion.
        assert delta == (2e-5 if event.name == "FriendlyCore-2SLS" else 1e-5)
        assert event.relation == "replace-one"
        if event.guarantee == "proved" and event.releases:
            assert event.rho <= event.claimed_rho * (1 + 1e-12)


def test_published_noise_spends_half_of_the_budget_and_exact_noise_all_of_it():
    for calibration, share in (("as published", 0.5), ("exact", 1.0)):
        arm = Arm("DP-2S-GD", 20, 3.0, 7.0, STEPS, 40.0, calibration)
        assert mechanism(arm, 1000).rho == pytest.approx(share * 10.0, rel=1e-12)


def test_algorithms_differ_in_noise_and_clipping_as_the_paper_says():
    arms = [
        Arm("DP-2S-GD", 5, 1.0, 2.0, STEPS, 40.0),
        Arm("2S-GD", 5, math.inf, math.inf, STEPS, math.inf),
        Arm("DP-2S-GD-beta", 5, math.inf, 2.0, STEPS, 40.0),
        Arm("DP-2S-GD, unclipped", 5, 1.0, 2.0, STEPS, 40.0),
    ]
    made = columns(arms, 1000)
    assert made.lambda1[0] == 2 * 40 / 1000 * math.sqrt(5 / 1.0)
    assert made.lambda1[1:].tolist() == [0.0, 0.0, made.lambda1[0]]
    assert made.lambda2[1] == 0.0
    assert made.lambda2[0] == made.lambda2[2] == made.lambda2[3] > 0
    assert made.gamma1.tolist() == [40.0, math.inf, math.inf, math.inf]
    assert made.gamma2.tolist() == [40.0, math.inf, 40.0, math.inf]


def test_algorithm_3_with_first_stage_noise_is_refused():
    with pytest.raises(ValueError, match=r"DP-2S-GD-beta has no noise in its first stage, but rho1=1\.0"):
        Arm("DP-2S-GD-beta", 5, 1.0, 2.0, STEPS, 40.0)


@pytest.mark.parametrize(
    ("arm", "guarantee", "releases"),
    [
        (Arm("DP-2S-GD", 5, 1.0, 2.0, STEPS, 40.0), "proved", 2),
        (Arm("DP-2S-GD, publish beta", 5, 1.0, 2.0, STEPS, 40.0), "proved", 2),
        (Arm("DP-2S-GD", 5, 1.0, 2.0, STEPS, 40.0, data_used="means"), "none", 2),
        (Arm("DP-2S-GD-beta", 5, math.inf, 2.0, STEPS, 40.0), "none", 1),
        (Arm("DP-2S-GD, unclipped", 5, 1.0, 2.0, STEPS, 40.0), "none", 0),
        (Arm("2S-GD", 5, math.inf, math.inf, STEPS, math.inf), "none", 0),
    ],
)
def test_guarantees(arm, guarantee, releases):
    event = mechanism(arm, 1000)
    assert (event.guarantee, len(event.releases)) == (guarantee, releases)


def test_the_one_dimensional_example_against_lemma_f1():
    """One step costs (x/4)^2 while the replaced record's gradient stays below the threshold; the claim is 1 in all."""
    part = next(part for part in ARTEFACTS["table_release_beta_only"].parts if "one-dimensional" in part.name)
    rows = run("table_release_beta_only", json.loads(part.json()) | {"trials": [0, 3]})
    costs = {(row["reading"], row["M"]): row["value"] for row in rows if row["trial"] == 0}
    assert costs["full record", 1.0] == pytest.approx(0.0625, rel=1e-2)
    assert costs["full record", 100.0] == pytest.approx(625.0, rel=1e-2)
    assert costs["y only", 100.0] == 0.0


def test_a_finite_first_budget_does_not_save_lemma_f1():
    part = next(part for part in ARTEFACTS["table_release_beta_only"].parts if "finite" in part.name)
    (row,) = run("table_release_beta_only", json.loads(part.json()))
    assert row["value"] == pytest.approx(8.5, abs=0.05)
    assert row["claimed_rho"] == 0.01


def test_the_ledger_of_lemma_f1_has_the_thresholds_and_the_noise_of_its_designs():
    """Unit thresholds in one dimension, that of eq. (4) in the paper's design; with a finite rho1 nothing is run."""
    made = {part.spec["panel"]: json.loads(part.json()) for part in ARTEFACTS["table_release_beta_only"].parts}
    found = {name: releases("table_release_beta_only", spec)[0][1] for name, spec in made.items()}
    assert {name: event.name for name, event in found.items()} == {
        "one-dimensional": "DP-2S-GD-beta", "synthetic": "DP-2S-GD-beta", "finite rho1": "DP-2S-GD, publish beta",
    }  # fmt: skip
    assert {name for name, event in found.items() if event.stand_in} == {"finite rho1"}
    gammas = {"one-dimensional": [1.0], "finite rho1": [1.0, 1.0]}
    gammas["synthetic"] = [formulas.clipping_threshold(1, 1000, 5, 20, made["synthetic"]["settings"]["tau"])]
    for name, event in found.items():
        cell = made[name]["cell"]
        budgets = [cell[rho] for rho in ("rho1", "rho2") if rho in cell]
        for release, gamma, rho in zip(event.releases, gammas[name], budgets, strict=True):
            noise_sd = formulas.noise_scale(gamma, cell["n"], cell["T"], rho)
            assert (release.sensitivity, release.noise_sd, release.count) == (
                2 * gamma / cell["n"],
                noise_sd,
                cell["T"],
            )


def test_the_realised_cost_is_the_claim_for_a_record_that_flips_every_gradient():
    """With y alone replaced and every gradient clipped, Algorithm 3 costs rho2 / 2: its noise is as published."""
    from dpdescent.data.iv import IVSample

    n, T, rho2 = 50, 8, 0.7
    sample = IVSample(np.ones((n, 1)), np.ones((n, 1)), np.full(n, -1e9))
    other = IVSample(sample.Z, sample.X, np.where(np.arange(n) == 0, 1e9, sample.y))
    arms = columns([Arm("DP-2S-GD-beta", T, math.inf, rho2, STEPS, 1.0)], n)
    cost = lemma_f1.realised_cost(sample, other, arms, np.random.default_rng(0))
    # The first step has Theta = 0 and no gradient at all.
    assert cost == pytest.approx(rho2 / 2 * (T - 1) / T, rel=1e-9)


def test_friendly_core_claims_what_its_approximate_zcdp_converts_to():
    spec = json.loads(ARTEFACTS["ext_friendlycore"].parts[0].json())
    events = {name: event for name, event, _ in friendly_core.releases_ext_friendlycore(spec)}
    (event,) = [
        event for name, event in events.items() if name.endswith(f"FriendlyCore-2SLS n={spec['cell']['n']} rho=0.2")
    ]
    assert event.claimed_eps_delta == (pytest.approx(3.235, abs=1e-3), 2e-5)


def test_moments_of_many_records_are_those_of_the_design_and_descend_like_them():
    """Bartlett's draw has the moments of the records' law; its descent is that of the records without clipping."""
    from dpdescent.algorithms import dp_2s_gd, two_stage_gd
    from dpdescent.data.iv import draw_sample

    parameters, n = scaled_parameters(2, 3), 200_000
    drawn = moments.draw(parameters, np.zeros(3), n, [np.random.default_rng(seed) for seed in range(40)])
    records = two_stage_gd.Moments.of(draw_sample(parameters, n, np.random.default_rng(1)))
    for name in ("zz", "zx", "zy"):
        values = getattr(drawn, name)
        assert np.all(np.abs(values.mean(0) - getattr(records, name)) < 6 * values.std(0) * 1.2 + 1e-12)
    sample = draw_sample(parameters, 500, np.random.default_rng(2))
    found = two_stage_gd.Moments.of(sample)
    XX, XY = sample.X.T @ sample.X / 500, sample.X.T @ sample.y / 500
    one = moments.Samples(*(each[None] for each in (found.zz, found.zx, found.zy, XX, XY, found.zx)))
    T, noise = np.array([5, 30]), dp_2s_gd.Normals.draw(np.random.default_rng(3), 30, 2, 3)
    eta, alpha, lambda1, lambda2 = (np.full(2, each) for each in (0.4, 0.02, 0.1, 0.2))
    Theta, beta = moments.descend(one, moments.Arms(T, eta, alpha, lambda1, lambda2), [noise])
    infinite = np.full(2, math.inf)
    arms = dp_2s_gd.TwoStageArms(T, eta, alpha, infinite, infinite, lambda1, lambda2)
    expected = dp_2s_gd.descend(sample, arms, noise)
    np.testing.assert_allclose(Theta[0], expected.Theta, rtol=1e-9)
    np.testing.assert_allclose(beta[0], expected.beta, rtol=1e-9)
    np.testing.assert_allclose(one.beta_hat[0], found.beta_hat, rtol=1e-9)


def test_long_runs_do_not_hang_on_the_cut_into_parts():
    part = next(iter(ARTEFACTS["ext_long_runs"].parts))
    spec = json.loads(part.json())
    spec |= {"arms": {**spec["arms"], "T": [2, 5]}}
    whole = run("ext_long_runs", spec | {"trials": [0, 21]})
    cut = [row for ends in ([0, 7], [7, 21]) for row in run("ext_long_runs", spec | {"trials": ends})]

    def values(rows):
        return {(row["trial"], row["T"]): row["value"] for row in rows}

    assert values(whole) == values(cut)
    assert len(whole) == 42


@pytest.mark.parametrize("panel", ["a", "b"])
def test_figure_7_varies_the_first_step_size_in_panel_a_and_the_second_in_panel_b(panel):
    part = next(part for part in ARTEFACTS["fig07"].parts if part.spec["panel"] == panel)
    spec = json.loads(part.json()) | {"trials": [0, 1]}
    window = formulas.spectrum(problem_of(spec), constants(spec))
    ceiling, best = (
        sizes.eta if panel == "a" else sizes.alpha
        for sizes in (formulas.step_size_ceilings(window), formulas.approximately_optimal_step_sizes(window))
    )
    for row in run("fig07", spec):
        assert (row["step"], row["ceiling"]) == pytest.approx((row["step_fraction"] * ceiling, ceiling), rel=1e-12)
        assert row["approximate_optimum"] == pytest.approx(best, rel=1e-12)


def test_iterations_of_the_study_of_consistency_are_rounded_up():
    part = ARTEFACTS["ext_consistency"].parts[0]
    spec = json.loads(part.json()) | {"trials": [0, 1]}
    least = spec["arms"]["iterations_per_log_n"] * math.log(spec["cell"]["n"])
    assert {row["T"] for row in run("ext_consistency", spec)} == {math.ceil(least)} != {math.floor(least)}


def test_what_figure_6_publishes_of_beta_alone_is_claimed_at_the_budget_of_the_second_stage():
    for part in ARTEFACTS["fig06"].parts:
        if part.spec["panel"] in "bc":
            for name, event, _ in releases("fig06", json.loads(part.json())):
                assert event.claimed_rho == float(name.rsplit("rho2=", 1)[1])


def test_attenuation_has_the_stationary_variance_of_the_noisy_first_stage():
    """The variance of Theta^(t) about its limit, one step after another."""
    arm, second_moment, variance = Arm("DP-2S-GD", 50, 0.5, 1.0, STEPS, 3.0), 1.2, 0.0
    for _ in range(1000):
        variance = (1 - STEPS.eta * second_moment) ** 2 * variance + (STEPS.eta * arm.noise_sd(0.5, 100)) ** 2
    assert attenuation(0.7, second_moment, arm, 100) == pytest.approx(0.49 / (0.49 + variance), rel=1e-12)
