"""brown2024's experiments: rows as the tables need them, parts that change nothing, shared draws, what is released."""

import json
import math
import pkgutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import twins
from dpdescent.algorithms import dp_gd
from dpdescent.algorithms.gaussian_law import IterateLaw, pinsker
from dpdescent.baselines.ada_ssp import ada_ssp, bounded_gram
from dpdescent.baselines.least_squares import huber_minimiser, linear_intervals, linear_least_squares
from dpdescent.data.linear import LinearSample, anisotropic_root
from dpdescent.papers.brown2024 import condition, dimension, intervals, proofs
from dpdescent.papers.brown2024 import law as laws
from dpdescent.papers.brown2024 import setting as design
from dpdescent.papers.brown2024.setting import Setting
from dpdescent.privacy import zcdp
from dpdescent.replication.build import files, tables
from dpdescent.replication.configuration import project

ROOT = Path(__file__).parents[2]
PROJECT = project.load({"scale": "quick", "seed": 3, "papers": ["brown2024"]}, ROOT)
ARTEFACTS = PROJECT.papers["brown2024"].artefacts
PRIVATE = [name for name in ARTEFACTS if name != "table_preliminaries"]
BUDGETS = {"fig01": 0.05, "fig09": 0.05, "ext_large_dimension": 0.05, "fig02": 0.1, "ext_small_noise": 1.0}

# Sizes at which an experiment takes a few milliseconds; they have no number of trials and no panel of their own.
SMALL = {
    "fig02": {"cell": {"n": 200}}, "fig08": {"cell": {"n": 200, "p": 5}},
    "ext_author_profile": {"cell": {"n": 200, "p": 5}},
    "fig03": {"cell": {"p": [3, 5]}, "arms": {"gamma": [2.0, 8.0]}}, "fig04": {"cell": {"n": 200}, "arms": {"runs": 4}},
    "fig07": {"cell": {"n": 200}, "arms": {"runs": 4, "T": [2, 5]}},
    "ext_outliers": {"cell": {"n": 200, "replications": 3}, "arms": {"clip_factor": [2, 5]}},
    "ext_large_dimension": {"cell": {"p": 5}},
    "ext_law": {"cell": {"n": 3000, "runs": 20, "replications": 3}, "arms": {"steps": [1, 3]}},
    "table_proofs": {"cell": {"p": 5, "n_over_p": 40}},
    "ext_no_clipping": {"cell": {"n": 200, "p": 5}}, "ext_small_noise": {"cell": {"n": 200}},
    **{f"fig{k}": {"cell": {"n": 200, "replications": 3, "steps": [120, 220]}} for k in ("05", "06", "10", "11")},
}  # fmt: skip


def run(name, spec):
    return pkgutil.resolve_name(ARTEFACTS[name].run)(spec)


def releases(name, spec):
    return pkgutil.resolve_name(ARTEFACTS[name].releases)(spec)


def spec_of(name, panel=None, variant="main", trials=(0, 1), **changes):
    """A part's specification with other values in its cell, arms or settings."""
    part = next(
        part
        for part in ARTEFACTS[name].parts
        if part.spec["variant"] == variant and panel in (None, part.spec["panel"])
    )
    spec = json.loads(part.json()) | {"trials": list(trials)}
    for section in ("cell", "arms", "settings"):
        spec[section] = spec[section] | changes.get(section, {})
    return spec


def small(name, panel=None, trials=(0, 1)):
    return spec_of(name, panel, trials=trials, **SMALL.get(name, {}))


def rows_of(name, spec):
    return pd.DataFrame(list(run(name, spec)))


def panels_of(name):
    return list(dict.fromkeys(part.spec["panel"] for part in ARTEFACTS[name].parts))


def all_cells(name):
    """Every distinct specification of an artefact, without trials."""
    return [json.loads(text) for text in {json.dumps({**part.spec, "trials": []}) for part in ARTEFACTS[name].parts}]


# What every experiment returns


@pytest.mark.parametrize(("name", "panel"), [(name, panel) for name in ARTEFACTS for panel in panels_of(name)])
def test_rows_hold_what_the_table_declares_and_nothing_else(name, panel):
    artefact, rows = ARTEFACTS[name], rows_of(name, small(name, panel, (0, 2)))
    # What another artefact reads of the same runs.
    beside = {"length", "predicted", "settled"} if any(each.same_runs == name for each in ARTEFACTS.values()) else set()
    assert set(rows) == {*artefact.keys, *artefact.measures, "series", "trial", "value", *beside}
    assert np.isfinite(rows["value"]).all()
    # Nothing is guaranteed where gradients are clipped.
    measured = [name for name in artefact.measures if (name, panel) != ("guaranteed", "clipped")]
    assert rows[measured].notna().any().all()
    table = tables.summarise([rows.assign(variant="main")], artefact.keys, artefact.measures)
    assert not table.duplicated([*artefact.keys, "series"]).any()
    # Few small data sets clip in some runs and not in others.
    assert table["trials"][~table["series"].str.startswith("level where nothing")].min() >= 2


@pytest.mark.parametrize(("of_length", "panel"), [("fig06", "clipped"), ("fig06", "exact"), ("fig11", "clipped")])
def test_lengths_are_read_from_the_runs_of_coverage_with_equal_bytes(of_length, panel, tmp_path):
    """As the two figures' parts are written, with batches of a fixed length among the rows that are not read."""

    def written(name, **more):
        file, spec = tmp_path / "part.csv", spec_of(of_length, panel, trials=(0, 2), **SMALL[of_length])
        rows = list(run(name, {**spec, "artefact": name, **more}))
        files.write_rows(file, list(dict.fromkeys(column for row in rows for column in row)), rows)
        return file

    coverage = written(ARTEFACTS[of_length].same_runs).rename(tmp_path / "coverage.csv")
    assert {"batched, short", "lag1"} <= {row["series"] for row in files.read_rows(coverage)}
    alone = written(of_length).read_bytes()
    assert written(of_length, runs=str(coverage)).read_bytes() == alone


@pytest.mark.parametrize("name", list(ARTEFACTS))
def test_the_cut_into_parts_changes_no_bit(name):
    def ordered(*ranges):
        rows = (row for ends in ranges for row in run(name, small(name, trials=ends)))
        return sorted(str(sorted(row.items(), key=lambda item: item[0])) for row in rows)

    assert ordered((0, 3)) == ordered((0, 1), (1, 3))


@pytest.mark.parametrize("name", PRIVATE)
def test_trials_differ_and_come_again(name):
    first, second, again = (rows_of(name, small(name, trials=ends)) for ends in ((0, 1), (1, 2), (0, 1)))
    pd.testing.assert_frame_equal(first, again)
    assert not np.allclose(first["value"], second["value"])


# Noise and the ledger


def test_noise_is_that_of_lemma_2_1_for_all_gradients_of_all_runs():
    one = Setting(n=1000, p=10, T=20, rho=0.015, eta=0.25, gamma=7.0)
    assert one.noise_sd**2 == pytest.approx(2 * 20 * 7.0**2 / (0.015 * 1000**2), rel=1e-14)
    many = Setting(n=1000, p=10, T=20, rho=0.015, eta=0.25, gamma=7.0, runs=10)
    assert many.noise_sd**2 == pytest.approx(2 * 200 * 7.0**2 / (0.015 * 1000**2), rel=1e-14)
    for setting, count in ((one, 20), (many, 200)):
        event = setting.mechanism()
        assert (event.releases[0].count, event.releases[0].sensitivity) == (count, 2 * 7.0 / 1000)
        assert event.rho == pytest.approx(0.015, rel=1e-12)
        assert (event.claimed_rho, event.guarantee, event.relation) == (0.015, "proved", "replace-one")
    assert many.arms(3).noise_sd.tolist() == [many.noise_sd] * 3
    assert many.arms(3).steps == 20


def test_a_cell_may_have_a_budget_of_its_own():
    spec = spec_of("ext_author_profile", "fig02")
    assert spec["settings"]["rho"] == 0.015
    assert Setting.of(spec, 1000, 10, 20, 3.0).rho == 0.1
    assert Setting.of(spec_of("ext_author_profile", "a"), 1000, 10, 20, 3.0).rho == 0.015
    assert Setting.of(spec, 1000, 10, 20, 3.0).gamma == pytest.approx(3 * math.sqrt(10), rel=1e-15)


def budget(name, spec):
    if spec["variant"] == "rho 0.1448":
        return 0.1448
    return 0.1 if spec["panel"] == "fig02" else BUDGETS.get(name, 0.015)


@pytest.mark.parametrize("name", PRIVATE)
def test_ledger_has_the_budget_and_the_guarantee_of_every_arm(name):
    arms, runs = [], 0
    for spec in all_cells(name):
        rho = budget(name, spec)
        for arm, event, delta in releases(name, spec):
            arms.append(arm)
            assert delta == 1e-6
            runs += event.name == "DP-GD"
            if event.name == "DP-GD" or "zCDP-matched" in arm:
                assert (event.guarantee, event.relation, event.claimed_rho) == ("proved", "replace-one", rho), arm
                assert event.rho == pytest.approx(rho, rel=1e-12), arm
            elif "public bounds" in arm and event.name == "AdaSSP":
                relation = "replace-one" if arm.endswith("replace-one") else "add-remove"
                assert (event.guarantee, event.relation) == ("proved", relation)
                assert event.rho == pytest.approx({"add-remove": 0.03128, "replace-one": 0.07300}[relation], rel=1e-3)
                assert event.claimed_eps_delta == (zcdp.epsilon(rho, 1e-6), 1e-6)
            else:
                assert event.guarantee == "none", arm
                assert (
                    event.name in ("OLS", "AdaSSP", "exact process", "DP-GD at the data's c0")
                    or " without " in event.name
                )
                assert bool(event.releases) == (event.name == "AdaSSP")
            # Each trial's own data decide what these are given.
            own = arm.startswith(f"{spec['variant']}: AdaSSP p=") or event.name == "DP-GD at the data's c0"
            own = own or event.name.endswith(" without records")
            assert bool(event.stand_in) == own, arm
    assert bool(runs) == (name not in ("ext_large_dimension", "table_proofs"))
    assert len(set(arms)) == len(arms)


# Runs at the data's own constant or without clipping have no guarantee, and no noise in the ledger.
FREE = {"lemma 2.5", "normal", "heavy tails", "orthogonal", *panels_of("table_proofs")}
RUNS = [(name, panel) for name in PRIVATE for panel in panels_of(name) if panel not in FREE]


@pytest.mark.parametrize(("name", "panel"), RUNS)
def test_what_runs_is_what_the_ledger_says(name, panel, monkeypatch):
    """Noise, sensitivity and number of noisy gradients of every run of DP-GD."""
    spec, ran, plain = small(name, panel), set(), dp_gd.descend

    def listening(samples, arms, normals, record=False):
        for gamma, noise_sd in zip(arms.gamma, arms.noise_sd, strict=True):
            ran.add((2 * gamma / samples[0].n, noise_sd, arms.steps))
        return plain(samples, arms, normals, record)

    monkeypatch.setattr(dp_gd, "descend", listening)
    list(run(name, spec))
    events = [event for _, event, _ in releases(name, spec) if event.name == "DP-GD"]
    told = {(event.releases[0].sensitivity, event.releases[0].noise_sd) for event in events}
    # A run without clipping, beside which clipped ones are put, is in the ledger without a guarantee.
    free = {each for each in ran if math.isinf(each[0])}
    assert bool(free) is any(event.name == design.unclipped().name for _, event, _ in releases(name, spec))
    ran -= free
    assert {each[:2] for each in ran} == told
    counts = {event.releases[0].count for event in events}
    assert {steps for *_, steps in ran} <= counts | {count // 10 for count in counts}


def test_independent_runs_are_in_the_ledger_only_where_there_are_any():
    for name, panel in (("fig05", "clipped"), ("ext_outliers", "outliers")):
        spec = spec_of(name, panel, cell={"steps": [120, 200, 220]})
        arms = [arm for arm, *_ in releases(name, spec) if "10 independent runs" in arm or ", 10 runs" in arm]
        assert arms
        assert all("N=220" in arm for arm in arms)


# Draws


def test_the_authors_profile_shares_the_draws_of_figures_2_and_8():
    for figure, panel, ours in (("fig02", "a", "fig02"), ("fig08", "a", "a"), ("fig08", "b", "b")):
        size = {"cell": {"n": 300, "p": 4}}
        theirs, theta = design.sample_of(spec_of(figure, panel, **size), 4, 300, 1)
        shifted, again = design.sample_of(spec_of("ext_author_profile", ours, **size), 4, 300, 1)
        np.testing.assert_array_equal(theta, again)
        np.testing.assert_array_equal(theirs.X, shifted.X)
        np.testing.assert_allclose(shifted.y - theirs.y, 1.0, rtol=0, atol=1e-13)
    spec = spec_of("ext_author_profile", "a", "noise of mean 0")
    np.testing.assert_array_equal(design.sample_of(spec, 4, 300, 1)[0].y, theirs.y)


def test_at_equal_settings_the_authors_profile_is_figure_8():
    """So DP-GD's noise is shared too."""
    size = {"cell": {"n": 400, "p": 4}, "arms": {"clip_factor": [3.0]}}
    same = {**size, "settings": {"eta": 0.25, "noise_mean": 0.0}}
    ours = rows_of("ext_author_profile", spec_of("ext_author_profile", "a", trials=(0, 2), **same))
    pd.testing.assert_frame_equal(ours, rows_of("fig08", spec_of("fig08", "a", trials=(0, 2), **size)))


@pytest.mark.parametrize("variant", ["step size 0.2", "ten iterations"])
def test_variants_share_their_data_sets(variant):
    """The sampling error is the same number; the privacy error is not."""
    main, other = (
        rows_of("fig02", spec_of("fig02", variant=name, cell={"n": 500})).set_index(["clip_factor", "series"])["value"]
        for name in ("main", variant)
    )
    for factor in (3.0, 5.0):
        assert main[factor, "sampling"] == other[factor, "sampling"]
        assert main[factor, "privacy"] != other[factor, "privacy"]


def test_draws_differ_between_trials_sizes_and_designs():
    spec, rotated = spec_of("fig01"), spec_of("fig09")
    first = {
        "trial 0": design.sample_of(spec, 3, 50, 0), "trial 1": design.sample_of(spec, 3, 50, 1),
        "n": design.sample_of(spec, 3, 51, 0), "anisotropic": design.sample_of(rotated, 3, 50, 0),
        "seed": design.sample_of(spec | {"seed": 4}, 3, 50, 0),
    }  # fmt: skip
    thetas = [theta for _, theta in first.values()]
    covariates = [sample.X[:50].ravel() for sample, _ in first.values()]
    for k in range(len(first)):
        for j in range(k):
            assert not np.allclose(thetas[k], thetas[j])
            assert abs(np.corrcoef(covariates[k], covariates[j])[0, 1]) < 0.4
    roles = [
        design.trial_stream(spec, 3, 50, 0, role).standard_normal() for role in ("theta", "data", "noise", "AdaSSP")
    ]
    assert len(set(roles)) == 4
    for sample, theta in first.values():
        assert abs(theta @ sample.X[0]) < 0.99 * np.linalg.norm(sample.X[0])


def test_every_data_set_of_the_anisotropic_design_has_its_own_covariance():
    spec = spec_of("fig09")
    for trial in (0, 1):
        root = anisotropic_root(3, design.trial_stream(spec, 3, 40, trial, "covariance"))
        normals = design.trial_stream(spec, 3, 40, trial, "data").standard_normal((40, 3))
        sample, theta = design.sample_of(spec, 3, 40, trial)
        np.testing.assert_allclose(sample.X, normals @ root.T, rtol=1e-13)
        assert np.linalg.norm(theta) == pytest.approx(1.0, rel=1e-14)


# Figures 1, 9, 2, 8: one run


@pytest.mark.parametrize("name", ["fig01", "fig09"])
def test_errors_at_fixed_ratio_are_those_of_the_algorithms_own_words(name):
    spec = spec_of(name, cell={"p": 3})
    rows = rows_of(name, spec).set_index(["error_to", "series"])
    sample, theta_star = design.sample_of(spec, 3, 300, 0)
    theta_hat = np.linalg.lstsq(sample.X, sample.y, rcond=None)[0]
    gamma = 5 * math.sqrt(3)
    noise_sd = math.sqrt(2 * 10 * gamma**2 / (0.05 * 300**2))
    normals = design.trial_stream(spec, 3, 300, 0, "noise").standard_normal((10, 3))
    arms = dp_gd.DPGDArms.alike(1, 10, 0.25, gamma, noise_sd)
    path, clipped = twins.dp_gd(sample, arms, normals, 0)
    for target, point in (("theta_star", theta_star), ("theta_hat", theta_hat)):
        private = rows.loc[target, "DP-GD"]
        assert private["value"] == pytest.approx(np.linalg.norm(path[-1] - point), rel=1e-9)
        assert private["clip_fraction"] == pytest.approx(clipped / 3000, abs=1e-15)
        assert private["predicted"] == pytest.approx(
            IterateLaw.of(sample.gram, eta=0.25, noise_sd=noise_sd).expected_distance(10, point), rel=1e-12
        )
    assert rows.loc[("theta_star", "OLS"), "value"] == pytest.approx(np.linalg.norm(theta_hat - theta_star), rel=1e-9)
    assert ("theta_hat", "OLS") not in rows.index


def test_ada_ssp_runs_on_bounded_records_where_bounds_are_public_and_with_one_set_of_normals():
    spec = spec_of("fig01", settings={"bound_y": 0.5})
    sample, theta_star = design.sample_of(spec, 3, 300, 0)
    found = dimension.ada_ssp_estimates(spec, sample, 0)
    maxima = dimension.Bounds.data_maxima(sample)
    for name, calibration in dimension.calibrations(spec, 3, maxima).items():
        gram = sample.gram if name == "AdaSSP" else bounded_gram(sample, calibration.bounds)
        rng = design.trial_stream(spec, 3, 300, 0, "AdaSSP")
        np.testing.assert_allclose(found[name], ada_ssp(gram, calibration, rng).theta, rtol=1e-12)
    rows = rows_of("fig01", spec | {"cell": {"p": 3}}).set_index(["error_to", "series"])["value"]
    for name in dimension.ADA_SSP:
        assert rows["theta_star", name] == pytest.approx(np.linalg.norm(found[name] - theta_star), rel=1e-12)
    assert len({round(float(each[0]), 12) for each in found.values()}) == 3


def test_public_bounds_know_the_design_and_not_the_data():
    bounds = dimension.public_bounds(spec_of("fig01"), 16)
    assert (bounds.x, bounds.y, bounds.source) == (4.0 + 3.0, 6.0, "public")
    assert dimension.public_bounds(spec_of("fig09"), 16).x == pytest.approx(math.sqrt(2) * 7.0)


@pytest.mark.parametrize(("name", "noise_mean"), [("fig01", 0.0), ("fig01", 1.0), ("fig09", 0.0)])
def test_expected_sampling_error_is_that_of_new_label_noise(name, noise_mean):
    spec = spec_of(name, settings={"noise_mean": noise_mean})
    sample, _ = design.sample_of(spec, 4, 60, 0)
    law = IterateLaw.of(sample.gram, eta=0.25, noise_sd=0.0)
    noise = noise_mean + np.random.default_rng(1).standard_normal((60, 20_000))
    errors = np.linalg.norm(np.linalg.pinv(sample.X) @ noise, axis=0)
    expected = design.expected_sampling_error(law, sample, noise_mean)
    assert abs(errors.mean() - expected) < 4 * errors.std() / math.sqrt(20_000)
    assert expected == pytest.approx(errors.mean(), rel=0.02)
    rows = rows_of(name, spec | {"cell": {"p": 4}, "arms": {**spec["arms"], "n_over_p": 15}})
    assert rows[rows["series"] == "OLS"]["predicted"].item() == pytest.approx(expected, rel=1e-12)


def test_cost_of_privacy_separates_what_noise_and_sampling_add():
    spec = spec_of("fig08", "b, large n", trials=(2, 3), cell={"n": 300, "p": 4}, settings={"noise_mean": 1.0})
    rows = rows_of("fig08", spec)
    assert set(rows["panel"]) == {"b"}
    rows = rows.set_index(["clip_factor", "series"])
    sample, theta_star = design.sample_of(spec, 4, 300, 2)
    theta_hat = np.linalg.lstsq(sample.X, sample.y, rcond=None)[0]
    normals = design.trial_stream(spec, 4, 300, 2, "noise").standard_normal((20, 4))
    for factor in (5.0, 3.0):
        setting = Setting(300, 4, 20, 0.015, 0.25, 2 * factor)
        path, clipped = twins.dp_gd(sample, setting.arms(1), normals, 0)
        privacy, sampling = rows.loc[factor, "privacy"], rows.loc[factor, "sampling"]
        assert privacy["value"] == pytest.approx(np.linalg.norm(path[-1] - theta_hat), rel=1e-9)
        assert privacy["clip_fraction"] == pytest.approx(clipped / 6000, abs=1e-15)
        law = IterateLaw.of(sample.gram, eta=0.25, noise_sd=setting.noise_sd)
        assert privacy["predicted"] == pytest.approx(law.expected_distance(20), rel=1e-12)
        assert sampling["value"] == pytest.approx(np.linalg.norm(theta_hat - theta_star), rel=1e-9)
        assert sampling["predicted"] == pytest.approx(design.expected_sampling_error(law, sample, 1.0), rel=1e-12)


# Figures 3, 4, 7: clipping


def test_clipped_fraction_counts_all_gradients_of_a_run():
    spec = spec_of("fig03", trials=(1, 2), cell={"p": [3, 5]}, arms={"gamma": [1.0, 4.0], "T": 6})
    rows = rows_of("fig03", spec).set_index(["p", "gamma"])
    for p in (3, 5):
        sample, _ = design.sample_of(spec, p, 100 * p, 1)
        normals = design.trial_stream(spec, p, 100 * p, 1, "noise").standard_normal((6, p))
        for gamma in (1.0, 4.0):
            _, clipped = twins.dp_gd(sample, Setting(100 * p, p, 6, 0.015, 0.25, gamma).arms(1), normals, 0)
            assert clipped
            assert rows.loc[(p, gamma), "value"] == pytest.approx(clipped / (6 * 100 * p), abs=1e-15)
            assert rows.loc[(p, gamma), "n"] == 100 * p


def repeated(spec, T, factor):
    """Last iterates of all runs on trial 0's data set, in the algorithm's own words."""
    sample, _ = design.sample_of(spec, 10, 200, 0)
    normals = design.trial_stream(spec, 10, 200, 0, f"noise T={T}").standard_normal((T, 1, spec["arms"]["runs"], 10))
    setting = Setting(200, 10, T, 0.015, 0.25, factor * math.sqrt(10))
    runs = [twins.dp_gd(sample, setting.arms(1), normals[:, 0, r], 0) for r in range(spec["arms"]["runs"])]
    return sample, np.array([path[-1] for path, _ in runs]), sum(count for _, count in runs) / (len(runs) * T * 200)


def test_moments_of_repeated_runs_are_those_of_the_algorithms_own_words():
    spec = small("fig04")
    rows = rows_of("fig04", spec).set_index(["clip_factor", "error_to", "series"])
    for factor in (0.1, 3.0):
        sample, last, clipped = repeated(spec, 20, factor)
        targets = {"theta_star": design.true_theta(spec, 10, 200, 0), "theta_hat": linear_least_squares(sample.gram)}
        for name, target in targets.items():
            found = rows.loc[factor, name]
            assert found.loc["mse", "value"] == pytest.approx(((last - target) ** 2).sum(1).mean(), rel=1e-9)
            variance = sum(np.var(last[:, j], ddof=1) for j in range(10))
            assert found.loc["variance", "value"] == pytest.approx(variance, rel=1e-9)
            assert found["clip_fraction"].tolist() == pytest.approx([clipped] * 3, abs=1e-15)


def test_squared_bias_is_unbiased_at_two_runs_a_data_set():
    """Without clipping it is ||M^T theta_hat||^2, which the square of the mean exceeds by half of the variance."""
    arms = {"runs": 2, "T": 3, "clip_factor": [30.0]}
    spec = spec_of("fig04", trials=(0, 400), cell={"n": 100, "p": 2}, arms=arms, settings={"rho": 0.5})
    rows = rows_of("fig04", spec)
    rows = rows[rows["error_to"] == "theta_hat"].pivot(index="trial", columns="series", values="value")
    expected = []
    for trial in range(400):
        sample, _ = design.sample_of(spec, 2, 100, trial)
        law = IterateLaw.of(sample.gram, eta=0.25, noise_sd=Setting.of(spec, 100, 2, 3, 30.0).noise_sd)
        expected.append((((law.mean(3) - law.theta_hat) ** 2).sum(), law.variances(3).sum()))
    bias, variance = np.array(expected).T
    for name, exact in (("bias2", bias), ("variance", variance)):
        error = rows[name] - exact
        assert abs(error.mean()) < 4 * error.std() / 20, name
        assert error.std() / 20 < 0.1 * variance.mean(), "the test must see half of the variance"


def test_error_against_clipping_is_the_mean_distance_at_noise_for_each_number_of_steps():
    spec = small("fig07")
    rows = rows_of("fig07", spec).set_index(["T", "clip_factor", "error_to"])
    for T in (2, 5):
        sample, last, clipped = repeated(spec, T, 1.0)
        distance = np.linalg.norm(last - linear_least_squares(sample.gram), axis=1).mean()
        assert rows.loc[(T, 1.0, "theta_hat"), "value"] == pytest.approx(distance, rel=1e-9)
        assert rows.loc[(T, 1.0, "theta_star"), "clip_fraction"] == pytest.approx(clipped, abs=1e-15)


# Figures 5, 6, 10, 11: intervals

M, BURN_IN, REPLICATIONS, RECORDS, P = 3, 6, 4, 80, 2


def intervals_spec(name, panel="clipped", steps=(36,), tail=None, **changes):
    cell = {"n": RECORDS, "p": P, "steps": list(steps), "replications": REPLICATIONS, **changes}
    return spec_of(name, panel, cell=cell, settings={"m": M, "burn_in": BURN_IN, "tail": tail, "clip_factor": 2.0})


def literal_paths(spec, sample, steps, runs):
    """Every run of every replication, shape (runs replications, N / runs, p), and the fraction clipped."""
    T, columns = steps // runs, runs * spec["cell"]["replications"]
    rng = design.trial_stream(spec, sample.p, sample.n, 0, f"noise {spec['panel']} N={steps} runs={runs}")
    normals = rng.standard_normal((T, columns, sample.p))
    setting = Setting(sample.n, sample.p, T, 0.015, 0.25, 2.0 * math.sqrt(sample.p), runs)
    if spec["panel"] == "exact":
        setting = Setting(sample.n, sample.p, T, 0.015, 0.25, 1e9, runs)
        noise_sd = math.sqrt(2 * T * runs * 4 * sample.p / (0.015 * sample.n**2))
        arms = dp_gd.DPGDArms.alike(1, T, 0.25, 1e9, noise_sd)
    else:
        arms = setting.arms(1)
    found = [twins.dp_gd(sample, arms, normals[:, k], 0) for k in range(columns)]
    return np.array([path for path, _ in found]), sum(count for _, count in found) / (columns * T * sample.n)


def literal_estimates(spec, sample, steps, name, tail):
    """The m estimates of every replication, shape (replications, m, p), and the fraction clipped."""
    if name == "independent":
        runs, clipped = literal_paths(spec, sample, steps, M)
        kept = runs[:, BURN_IN:] if tail is None else runs[:, -tail:]
        # Each run serves one replication only.
        return kept.mean(axis=1).reshape(M, REPLICATIONS, P).transpose(1, 0, 2), clipped
    runs, clipped = literal_paths(spec, sample, steps, 1)
    L = (steps - BURN_IN) // M
    if name == "checkpoints":
        return np.array([[run[BURN_IN + L * l - 1] for l in range(1, M + 1)] for run in runs]), clipped
    return np.array([[run[BURN_IN + L * l : BURN_IN + L * (l + 1)].mean(0) for l in range(M)] for run in runs]), clipped


@pytest.mark.parametrize("tail", [None, 1, 4])
@pytest.mark.parametrize("panel", ["clipped", "exact"])
def test_intervals_are_those_of_the_papers_words_on_the_same_paths(panel, tail):
    spec = intervals_spec("fig05", panel, tail=tail)
    sample, _ = design.sample_of(spec, P, RECORDS, 0)
    target = linear_least_squares(sample.gram)
    coverage, lengths = (
        rows_of(name, intervals_spec(name, panel, tail=tail)).set_index(["series", "trial"])
        for name in ("fig05", "fig06")
    )
    for name in ("independent", "checkpoints", "batched"):
        estimates, clipped = literal_estimates(spec, sample, 36, name, tail)
        half = stats.t.ppf(0.975, M - 1) * estimates.std(axis=1, ddof=1) / math.sqrt(M)
        covered = np.abs(estimates.mean(axis=1) - target) <= half
        for j in range(P):
            assert lengths.loc[(name, j), "value"] == pytest.approx(2 * half[:, j].mean(), rel=1e-8), name
            assert coverage.loc[(name, j), "value"] == covered[:, j].mean()
            assert lengths.loc[(name, j), "clip_fraction"] == pytest.approx(
                0.0 if panel == "exact" else clipped, abs=1e-15
            )
    assert 0.0 < coverage.loc["checkpoints"]["value"].mean() <= 1.0


def test_replications_of_independent_runs_are_disjoint():
    """Paths that carry their own number: an interval uses m of them, and none is used twice."""
    spec, seen = intervals_spec("fig05"), []
    sample, _ = design.sample_of(spec, P, RECORDS, 0)

    def numbered(spec, sample, trial, steps, clip_factor, runs):
        setting = Setting.of(spec, sample.n, sample.p, steps // runs, clip_factor, runs)
        columns = runs * REPLICATIONS
        return np.tile(2.0 ** np.arange(columns)[:, None], (steps // runs, 1, P)), setting, 0.0

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(intervals, "_paths", numbered)
        (found,) = (each for each in intervals.constructed(spec, sample, 0, 36, 2.0) if each.name == "independent")
    for replication in range(REPLICATIONS):
        # A sum of distinct powers of two says which.
        total = round(found.intervals.centre[replication, 0] * M)
        used = {k for k in range(M * REPLICATIONS) if total >> k & 1}
        assert len(used) == M
        seen += used
    assert sorted(seen) == list(range(M * REPLICATIONS))


@pytest.mark.parametrize(("steps", "there"), [(18, False), (36, True), (21, True)])
def test_independent_runs_are_left_out_where_they_end_within_the_burn_in(steps, there):
    rows = rows_of("fig05", intervals_spec("fig05", steps=(steps,)))
    assert ("independent" in set(rows["series"])) == there
    assert set(rows["series"]) - {"independent"} == {"checkpoints", "batched", "lag1"}


@pytest.mark.parametrize("name", ["fig06", "fig11"])
def test_textbook_lengths_stand_beside_every_number_of_gradients(name):
    spec = intervals_spec(name, steps=(18, 36))
    rows = rows_of(name, spec)
    textbook = linear_intervals(design.sample_of(spec, P, RECORDS, 0)[0].gram)
    for steps in (18, 36):
        found = rows[(rows["series"] == "OLS") & (rows["steps"] == steps)]
        np.testing.assert_allclose(found["value"], textbook, rtol=1e-12)


def test_what_the_exact_law_says_of_intervals_is_at_the_noise_of_all_gradients():
    spec = intervals_spec("fig06", "exact")
    sample, _ = design.sample_of(spec, P, RECORDS, 0)
    noise_sd = math.sqrt(2 * 36 * 4 * P / (0.015 * RECORDS**2))
    law = IterateLaw.of(sample.gram, eta=0.25, noise_sd=noise_sd)
    coverage, lengths = (
        rows_of(name, intervals_spec(name, "exact")).set_index("series") for name in ("fig05", "fig06")
    )
    for series, construction in intervals.NAMES.items():
        estimates = law.estimates(construction, 36, M, BURN_IN)
        np.testing.assert_allclose(lengths.loc[series, "predicted"], estimates.expected_length(0.95), rtol=1e-12)
        np.testing.assert_allclose(lengths.loc[series, "settled"], estimates.settled_length(0.95), rtol=1e-12)
        promised = np.maximum(0.95 - pinsker(estimates.coordinate_divergences()), 0.0)
        np.testing.assert_allclose(coverage.loc[series, "guaranteed"], promised, rtol=1e-10)


def test_exact_process_has_the_lengths_and_the_autocorrelation_of_its_law():
    cell = {"n": 2000, "steps": [220], "replications": 300}
    coverage, lengths = (
        rows_of(name, spec_of(name, "exact", cell=cell)).groupby("series")[["value", *more]].mean()
        for name, more in (("fig05", ["guaranteed"]), ("fig06", ["predicted"]))
    )
    for series in intervals.NAMES:
        assert lengths.loc[series, "value"] == pytest.approx(lengths.loc[series, "predicted"], rel=0.03)
        assert coverage.loc[series, "value"] > coverage.loc[series, "guaranteed"] - 0.02
    sample, _ = design.sample_of(spec_of("fig05", "exact"), 10, 2000, 0)
    s = np.linalg.eigvalsh(sample.gram.xx / 2000)
    # Of a coordinate it is a mean of 1 - eta s over the directions.
    assert 1 - 0.25 * s[-1] < coverage.loc["lag1", "value"] < 1 - 0.25 * s[0]
    assert coverage.loc["lag1", "value"] == pytest.approx(0.75, abs=0.015)


def test_guarantees_are_never_below_nothing():
    """Without a burn-in the known start is no draw about theta_hat at all."""
    spec = intervals_spec("fig05", "exact", steps=(3, 36))
    spec["settings"]["burn_in"] = 0
    guaranteed = rows_of("fig05", spec).groupby(["steps", "series"])["guaranteed"].max()
    assert guaranteed[3, "checkpoints"] == 0.0
    assert guaranteed[36, "checkpoints"] > 0.5


@pytest.mark.parametrize("panel", ["clipped", "exact"])
def test_autocorrelation_is_that_of_long_runs_after_the_burn_in(panel):
    spec = intervals_spec("fig05", panel)
    sample, _ = design.sample_of(spec, P, RECORDS, 0)
    runs = literal_paths(spec, sample, 36, 1)[0][:, BURN_IN:]
    centred = runs - runs.mean(axis=0)
    found = rows_of("fig05", spec).set_index(["series", "trial"])["value"]
    for j in range(P):
        pairs = [(run[t + 1, j], run[t, j]) for run in centred for t in range(36 - BURN_IN - 1)]
        slope = sum(after * before for after, before in pairs) / sum(before**2 for _, before in pairs)
        assert found["lag1", j] == pytest.approx(slope, rel=1e-8)


# What was added to the paper's experiments


def test_with_a_huge_threshold_both_minimisers_are_one():
    spec = spec_of("ext_outliers", "outliers", cell={"n": 300, "replications": 8}, arms={"clip_factor": [1.0, 1e5]})
    rows = rows_of("ext_outliers", spec).set_index(["clip_factor", "series"])
    np.testing.assert_array_equal(rows.loc[(1e5, "huber"), "value"], rows.loc[(1e5, "ols"), "value"])
    assert rows.loc[1e5]["apart"].max() < 1e-12
    sample = intervals.contaminated(spec, 0)
    apart = np.linalg.norm(huber_minimiser(sample, math.sqrt(10)) - linear_least_squares(sample.gram))
    assert rows.loc[1.0]["apart"].tolist() == pytest.approx([apart] * len(rows.loc[1.0]), rel=1e-9)
    assert apart > 0.1
    assert rows.loc[1.0]["clip_fraction"].min() > 0.02


def test_outliers_are_the_stated_share_of_the_data_set_of_figure_5():
    clean, dirty = (
        intervals.contaminated(spec_of("ext_outliers", panel, cell={"n": 500}), 2) for panel in ("clean", "outliers")
    )
    plain, _ = design.sample_of(spec_of("fig05"), 10, 500, 2)
    np.testing.assert_array_equal(clean.X, plain.X)
    np.testing.assert_array_equal(clean.y, plain.y)
    assert np.flatnonzero(dirty.y != clean.y).tolist() == list(range(10))
    np.testing.assert_allclose((dirty.y - clean.y)[:10], 30.0, rtol=1e-12)
    assert (dirty.X[:10, 0] > 0).all()


def test_condition_and_requirements_are_those_of_the_lemmas():
    spec = spec_of("ext_no_clipping", "condition, p = 100", cell={"n": 400, "p": 5}, arms={"T": 7})
    sample, theta_star = design.sample_of(spec, 5, 400, 0)
    found = condition.condition(sample, theta_star, sigma=1.0, eta=0.25, T=7)
    rows = rows_of("ext_no_clipping", spec)
    assert set(rows["panel"]) == {"condition"}
    values = rows.set_index("series")["value"]
    assert values["c0"] == found.c0 == max(values[[name for name in values.index if name[:2] in ("(i", "(v")]])
    assert values["c0 of Lemma 2.6"] == pytest.approx(12 * math.log(5 * 400 * 7 / 0.05) ** 1.5, rel=1e-12)
    required = rows_of("ext_no_clipping", spec | {"panel": "required"}).set_index("series")["value"]
    assert required["gamma required at the data's c0"] == pytest.approx(4 * found.c0**2 * math.sqrt(5), rel=1e-12)
    root = math.sqrt(2 * 7 / 0.015) * math.sqrt(math.log(2 * 400 * 7 / 0.05))
    for whose, c0 in (("the data's", found.c0), ("the lemma's", values["c0 of Lemma 2.6"])):
        expected = 64 * c0**2 * 5 * 0.25 * root
        assert required[f"n required at {whose} c0"] == pytest.approx(expected, rel=1e-12)
    assert (required["gamma used"], required["n used"]) == (pytest.approx(5 * math.sqrt(5)), 400.0)


def test_coupling_counts_runs_with_any_clipped_gradient():
    arms = {"clip_factor": [3.0, 6.0], "runs": 6, "T": 4}
    spec = spec_of("ext_no_clipping", "coupling", cell={"n": 150, "p": 3}, arms=arms)
    rows = rows_of("ext_no_clipping", spec).set_index(["series", "clip_factor"])["value"]
    sample, _ = design.sample_of(spec, 3, 150, 0)
    normals = design.trial_stream(spec, 3, 150, 0, "coupling").standard_normal((4, 1, 6, 3))
    for factor in (3.0, 6.0):
        setting = Setting(150, 3, 4, 0.015, 0.25, factor * math.sqrt(3))
        counts = [twins.dp_gd(sample, setting.arms(1), normals[:, 0, r], 0)[1] for r in range(6)]
        assert rows["P(some gradient is clipped)", factor] == np.mean([count > 0 for count in counts])
        assert rows["fraction clipped", factor] == pytest.approx(np.mean(counts) / 600, abs=1e-15)
    assert rows["P(some gradient is clipped)", 3.0] > 0
    # Nothing is clipped by a wide threshold with a budget that keeps the noise, which grows with it, small.
    arms["clip_factor"], settings = [1e6], {"rho": 1e12}
    quiet = spec_of("ext_no_clipping", "coupling", cell={"n": 150, "p": 3}, arms=arms, settings=settings)
    assert rows_of("ext_no_clipping", quiet)["value"].tolist() == [0.0, 0.0]


def test_loss_of_coverage_is_that_of_the_theorems_estimates():
    spec = spec_of("ext_no_clipping", "coverage", cell={"n": 500, "p": 3}, arms={"spacing": [5, 12]})
    rows = rows_of("ext_no_clipping", spec).set_index(["series", "T"])["value"]
    sample, _ = design.sample_of(spec, 3, 500, 0)
    for T in (5, 12):
        law = IterateLaw.of(sample.gram, eta=0.25, noise_sd=math.sqrt(2 * 10 * T * 75 / (0.015 * 500**2)))
        for construction, tail in (("independent runs", 1), ("checkpoints", None)):
            estimates = law.estimates(construction, 10 * T, 10, 0, tail)
            worst = max(math.sqrt(each / 2) for each in estimates.coordinate_divergences())
            assert rows[f"TV bound, {construction}", T] == pytest.approx(worst, rel=1e-10)


def test_small_noise_goes_from_no_clipping_to_all_and_leaves_the_iterate_at_zero():
    arms = {"sigma": [1.0, 1e-9], "c": [1.0, 10.0]}
    spec = spec_of("ext_small_noise", cell={"n": 1000, "p": 4}, arms=arms)
    rows = rows_of("ext_small_noise", spec).set_index(["sigma", "c"])
    for c in (1.0, 10.0):
        usual, tiny = rows.loc[(1.0, c)], rows.loc[(1e-9, c)]
        assert (usual["clipped_at_start"], usual["clip_fraction"]) == (0.0, 0.0)
        assert (tiny["clipped_at_start"], tiny["clip_fraction"]) == (1.0, pytest.approx(1.0, abs=1e-12))
        assert tiny["value"] == pytest.approx(1.0, abs=1e-3)
        assert tiny["bound"] == pytest.approx(1e-9 * usual["bound"], rel=1e-12)
        T = math.ceil(c * math.log(1000 / 4))
        assert usual["T"] == tiny["T"] == T
        events = {arm: event for arm, event, _ in releases("ext_small_noise", spec)}
        assert events[f"main: DP-GD sigma=1 c={c:g}"].releases[0].count == T
    sample, _ = design.sample_of(spec, 4, 1000, 0, sigma=1e-9)
    assert np.abs(sample.y - sample.X @ design.true_theta(spec, 4, 1000, 0)).max() < 1e-8


def test_preliminaries_happen_as_often_as_exact_laws_say():
    spec = spec_of("table_preliminaries", trials=(0, 1500), cell={"p": 10})
    rows = rows_of("table_preliminaries", spec)
    means = {name.split(":")[0]: group["value"].mean() for name, group in rows.groupby("quantity")}
    errors = {name.split(":")[0]: group["value"].std() / math.sqrt(1500) for name, group in rows.groupby("quantity")}
    bounds = {name.split(":")[0]: group["bound"].iloc[0] for name, group in rows.groupby("quantity")}
    # A squared coordinate of a uniform direction is Beta(1/2, (p - 1) / 2).
    exact = {
        "A.8": 2 * stats.norm.sf(math.sqrt(2 * math.log(40))), "A.11": stats.beta.sf(4 / 10, 0.5, 4.5),
        "A.12": 10 / (1000 - 10 - 1),
    }  # fmt: skip
    for name, value in exact.items():
        assert abs(means[name] - value) < 4 * max(errors[name], 1e-3 * value), name
        assert value <= bounds[name] * (1 + 1e-12)
    assert bounds["A.12"] == pytest.approx(exact["A.12"], rel=1e-12)
    assert means["A.9"] < bounds["A.9"] == 0.05
    assert means["A.10"] == 0.0


def test_short_batches_do_not_grow_with_the_run():
    spec = intervals_spec("fig05", steps=(36, 66))
    spec["settings"]["short_batch"] = 10
    sample, _ = design.sample_of(spec, P, RECORDS, 0)
    target = np.linalg.solve(sample.gram.xx, sample.gram.xy)
    found = rows_of("fig05", spec).set_index(["steps", "series", "trial"]).sort_index()
    assert found.loc[36, "batched, short"]["guaranteed"].isna().all()
    for steps, batches in ((36, 3), (66, 6)):
        runs = literal_paths(spec, sample, steps, 1)[0][:, BURN_IN:]
        estimates = runs.reshape(REPLICATIONS, batches, 10, P).mean(axis=2)
        half = stats.t.ppf(0.975, batches - 1) * estimates.std(axis=1, ddof=1) / math.sqrt(batches)
        covered = (np.abs(estimates.mean(axis=1) - target) <= half).mean(axis=0)
        assert found.loc[steps, "batched, short"]["value"].tolist() == covered.tolist()


@pytest.mark.parametrize("length", [15, 7])
def test_short_batches_are_left_out_where_m_of_them_do_not_fit(length):
    """After the burn-in 30 iterates are left: room for two of 15, and 7 leaves a rest."""
    spec = intervals_spec("fig05", steps=(36,))
    spec["settings"]["short_batch"] = length
    assert "batched, short" not in set(rows_of("fig05", spec)["series"])


def test_lemma_2_5_clips_nothing_at_its_own_setting_and_everything_in_the_limit():
    rows = rows_of("ext_no_clipping", small("ext_no_clipping", "lemma 2.5")).set_index(["series", "sigma"])["value"]
    assert (rows.loc["fraction clipped", 1.0] == 0.0).all()
    assert (rows.loc["fraction clipped", 0.001] > 0.5).all()
    assert (rows.loc["P(some gradient is clipped)", 0.001] == 1.0).all()


def test_levels_are_uniform_under_the_law_and_near_one_under_another():
    law = IterateLaw.of(sample_of_size(300, 4).gram, eta=0.25, noise_sd=0.3)
    theta = law.simulate(7, 4000, np.random.default_rng(1))[6]
    found = laws.levels(law, 7, theta)
    assert found.shape == (4000,)
    np.testing.assert_allclose(np.quantile(found, [0.05, 0.5, 0.95]), [0.05, 0.5, 0.95], atol=0.03)
    assert laws.levels(law, 7, theta + 2.0).min() > 0.99
    # One direction of the covariance alone.
    wide = law.theta_hat + (theta - law.theta_hat) @ np.diag([3.0, 1.0, 1.0, 1.0])
    assert np.median(laws.levels(law, 7, wide)) > 0.8


def sample_of_size(n, p):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, p))
    return LinearSample(X, X @ np.full(p, 0.5) + rng.standard_normal(n))


def test_orthogonal_covariates_have_sums_that_are_the_identity():
    sample = laws.design_of(spec_of("ext_law", "orthogonal"), 0)
    np.testing.assert_allclose(sample.gram.xx / sample.n, np.eye(10), atol=1e-12)


def test_without_noise_steps_contract_by_powers_of_one_matrix():
    spec = small("ext_law", "normal")
    rows = rows_of("ext_law", spec).set_index(["series", "T"])["value"]
    sample, eta = laws.design_of(spec, 0), spec["cell"]["eta"]
    M = np.eye(10) - eta * sample.gram.xx / sample.n
    norm, start = np.linalg.norm(M, 2), np.linalg.solve(sample.gram.xx, sample.gram.xy)
    left = [np.linalg.norm(np.linalg.matrix_power(M, t) @ start) for t in range(4)]
    assert rows[laws.LAST, 3] == pytest.approx(left[3] / left[2] / norm, rel=1e-9)
    assert rows[laws.DISTANCE, 3] == pytest.approx(left[3] / left[0] / norm**3, rel=1e-9)
    assert rows[laws.PRINTED, 3] == pytest.approx(left[3] / left[0] / (7 / 8) ** 3, rel=1e-9)


def test_heavy_tailed_covariates_have_unit_variance():
    sample = laws.design_of(spec_of("ext_law", "heavy tails", cell={"n": 20_000}), 0)
    np.testing.assert_allclose(sample.gram.xx / sample.n, np.eye(10), atol=0.12)
    # Student's t with five degrees of freedom has a fourth moment of 9 at unit variance; a normal one has 3.
    assert (sample.X**4).mean() > 5.0


def test_maxima_without_records_are_those_of_records():
    """Largest norms and labels of 500 records in 300 data sets beside those that are drawn from their laws."""
    spec, rng = spec_of("ext_large_dimension"), np.random.default_rng(2)
    drawn = [dimension.bounds_of(spec, 500, 3, rng)["AdaSSP"] for _ in range(300)]
    X, noise = rng.standard_normal((300, 500, 3)), rng.standard_normal((300, 500))
    norms, labels = np.linalg.norm(X, axis=2).max(axis=1), np.abs(X[:, :, 0] + noise).max(axis=1)
    assert np.mean([each.x for each in drawn]) == pytest.approx(norms.mean(), rel=0.02)
    assert np.mean([each.y for each in drawn]) == pytest.approx(labels.mean(), rel=0.03)


def test_projected_iterates_stay_in_their_ball_and_descent_without_one_is_dp_gd():
    sample, setting = sample_of_size(400, 3), Setting(n=400, p=3, T=5, rho=0.05, eta=0.25, gamma=1e9)
    normals = np.random.default_rng(3).standard_normal((5, 3))
    quiet = Setting(n=400, p=3, T=5, rho=1e18, eta=0.25, gamma=1e9)
    own = dimension.descend(sample.gram, quiet, normals, math.inf)
    arms = dp_gd.DPGDArms.alike(1, 5, 0.25, np.inf, quiet.noise_sd)
    np.testing.assert_allclose(own, dp_gd.descend([sample], arms, normals[:, None, None]).theta[0, 0], rtol=1e-9)
    assert np.linalg.norm(dimension.descend(sample.gram, setting, normals, 1.0)) <= 1.0 + 1e-12


def test_records_within_their_bounds_are_not_clipped_and_gradients_stay_within_their_threshold():
    spec = spec_of("ext_large_dimension", "records", cell={"p": 5, "n_over_p": 100})
    wide = spec | {"cell": spec["cell"] | {"bound_factor": 100.0, "bound_y": 100.0}}
    assert [row["value"] for row in run("ext_large_dimension", wide)] == [1.0]
    assert next(iter(run("ext_large_dimension", spec)))["value"] != 1.0
    setting, bounds = dimension.projected_setting(spec)
    # The longest gradient of a record within its bounds at a point of the unit ball.
    assert bounds.x * (bounds.x * 1.0 + bounds.y) == pytest.approx(setting.gamma, rel=1e-15)


def test_lengths_follow_the_noise_where_they_are_in_proportion_to_it(monkeypatch):
    spec = spec_of("ext_law", "widths", cell={"n": 300, "replications": 2})

    def proportional(spec, sample, trial, steps, factor):
        law = laws.law_of(sample, Setting.of(spec, sample.n, sample.p, steps, factor))
        half = np.tile(np.sqrt(np.diag(law.covariance(steps))), (2, 1)) ** power
        yield intervals.Constructed("checkpoints", steps, intervals.Intervals(0.0 * half, half), law, 0.0)

    monkeypatch.setattr(laws, "constructed", proportional)
    for power in (0.0, 1.0, 2.0):
        assert next(iter(run("ext_law", spec)))["value"] == pytest.approx(power, abs=1e-9)


def test_proofs_measure_what_they_name():
    """On one small data set, by loops over records and steps."""
    spec = small("table_proofs", "dimension")
    rows = rows_of("table_proofs", spec).set_index(["quantity", "T"])["value"]
    sample, _ = design.sample_of(spec, 5, 200, 0)
    setting = proofs.setting_of(spec, 200, 5)
    normals = design.trial_stream(spec, 5, 200, 0, "proofs").standard_normal((80, 1, 1, 5))[:, 0, 0]
    sigma, theta, largest = sample.gram.xx / 200, np.zeros(5), 0.0
    for z in normals[:20]:
        largest = max(largest, *(np.linalg.norm(x * (y - x @ theta)) for x, y in zip(sample.X, sample.y, strict=True)))
        theta = theta - 0.25 * (sigma @ theta - sample.gram.xy / 200 - setting.noise_sd * z)
    assert rows[proofs.GRADIENT, 20] == pytest.approx(largest)
    A = [sum(0.25 * np.linalg.matrix_power(np.eye(5) - 0.25 * sigma, j) for j in range(t)) for t in range(1, 21)]
    kernel = max(((sample.X @ A_t @ sample.X.T) ** 2).sum(axis=1).max() for A_t in A)
    c1 = condition.covariate_constant(n=200, p=5, beta=spec["settings"]["beta"])
    assert rows[proofs.KERNEL, 20] == pytest.approx(kernel / (8 * c1**2 * 200 * 5))
    M = np.eye(5) - 0.25 * sigma
    noises = [
        0.25 * sum(np.linalg.matrix_power(M, i - 1) @ (setting.noise_sd * normals[t - i]) for i in range(1, t + 1))
        for t in range(1, 21)
    ]
    ceiling = (
        16 * 0.25 * setting.noise_sd * sample.norms.max() * math.sqrt(math.log(2 * 200 * 20 / spec["settings"]["beta"]))
    )
    assert rows[proofs.NOISE_TERM, 20] == pytest.approx(np.abs(sample.X @ np.transpose(noises)).max() / ceiling)
    assert rows[proofs.CONDITION_NUMBER, 0] > 1
    moved = sample.X @ np.linalg.matrix_power(np.eye(5) - 0.25 * sigma, 5)
    assert rows[proofs.DIRECTION, 5] == pytest.approx(5 * np.mean([u[0] ** 2 / (u @ u) for u in moved]))
