"""Private regression on records of one's own: other units, intervals that cover, what is told where little is known."""

import itertools
import json
import math
import warnings
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

import dpdescent
from dpdescent.algorithms import dp_regression as engine
from dpdescent.privacy.account import account
from dpdescent.randomness import secure_generator

Array = np.ndarray
N, P, RHO = 3000, 3, 0.1
BETA = np.array([1.0, -0.5, 0.25])


def data(n: int = N, seed: int = 1, noise: float = 0.5) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, P)) @ np.array([[1.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 1.0]])
    return X, 2.0 + X @ BETA + noise * rng.standard_normal(n)


def fitted(X: Any, y: Any, **changes: Any) -> dpdescent.Run:
    return dpdescent.dp_regression(X, y, **{"rho": RHO, "rng": 3, **changes})


def public(p: int = P) -> dict[str, Any]:
    return {"scale": np.ones(p), "outcome_scale": 2.0}


def of_information(value: float) -> int:
    """Records that have this n sqrt(rho) / p, the constant counted."""
    return round(value * (P + 1) / math.sqrt(RHO))


def test_it_finds_the_coefficients_without_tuning() -> None:
    run = fitted(*data())
    errors = run.also["standard_errors"]
    assert (np.abs(run.estimate - [2.0, *BETA]) < 4.0 * errors).all()
    assert (errors < 0.05).all()
    assert run.path.shape == (engine.STEPS, P + 1)
    np.testing.assert_array_equal(run.path[-1], run.estimate)
    assert run.also["clip_norms"].shape == (engine.STEPS,)


# Equivariance


@pytest.mark.parametrize("errors", ["unequal", "equal", None])
@pytest.mark.parametrize("intercept", [True, False])
def test_other_units_give_the_same_run_in_them(intercept: bool, errors: Any) -> None:
    """Powers of 2 change no bit: released units go with the columns, public ones are given as such."""
    # Sizes of which most are in one bin, so that noise does not choose between two.
    rng = np.random.default_rng(6)
    X = np.where(rng.random((N, P)) < 0.5, 1.0, -1.0) * rng.uniform(0.55, 0.95, (N, P))
    y = 3.0 + X @ [0.5, -0.3, 0.2] + 0.1 * rng.standard_normal(N)
    columns, outcome = 2.0 ** np.array([-7, 3, 12]), 2.0**9
    back = outcome / (np.append(1.0, columns) if intercept else columns)
    for scale in ({}, public()):
        other = {"scale": scale["scale"] * columns, "outcome_scale": scale["outcome_scale"] * outcome} if scale else {}
        one = fitted(X, y, intercept=intercept, errors=errors, **scale)
        two = fitted(X * columns, y * outcome, intercept=intercept, errors=errors, **other)
        np.testing.assert_array_equal(two.path, one.path * back)
        np.testing.assert_array_equal(two.also["clip_norms"], one.also["clip_norms"])
        assert two.event == one.event
        if errors is not None:
            np.testing.assert_array_equal(two.also["standard_errors"], one.also["standard_errors"] * back)
            assert np.isfinite(one.also["standard_errors"]).all()


def test_centres_are_taken_off_and_the_constant_is_given_back() -> None:
    """Whole numbers, so that nothing is rounded: the same run, and coefficients for the columns as they came."""
    X, y = np.round(np.array(data()[0]) * 64) / 64, np.round(data()[1] * 64) / 64
    centre, outcome_centre = np.array([1024.0, -32.0, 0.0]), 4096.0
    one = fitted(X, y, **public())
    two = fitted(X + centre, y + outcome_centre, centre=centre, outcome_centre=outcome_centre, **public())
    np.testing.assert_array_equal(two.estimate[1:], one.estimate[1:])
    np.testing.assert_allclose(
        two.estimate[0], one.estimate[0] + outcome_centre - centre @ one.estimate[1:], rtol=1e-12
    )
    np.testing.assert_allclose(two.also["standard_errors"][1:], one.also["standard_errors"][1:], rtol=1e-12)
    # The constant at 0 is far from the records, and so has the error of the slopes times their distance.
    far = 1024.0 * one.also["standard_errors"][1]
    assert two.also["standard_errors"][0] == pytest.approx(far, rel=0.1)


# Intervals


def _unit(j: int, k: int) -> Array:
    """The contrast of two coefficients."""
    contrast = np.zeros(P + 1)
    contrast[[j, k]] = 1.0, -1.0
    return contrast


def low(runs: int, p: float) -> int:
    """Fewest successes that chance leaves, once in ten thousand."""
    return int(binom.ppf(1e-4, runs, p))


@pytest.mark.parametrize("errors", ["unequal", "equal"])
def test_intervals_cover_and_are_not_too_long(errors: Any) -> None:
    runs, hits, errors_of, estimates, covariances = 150, np.zeros(P + 1), [], [], []
    for seed in range(runs):
        X, y = data(seed=1000 + seed)
        run = fitted(X, y, errors=errors, rng=2000 + seed, **public())
        ends = run.conf_int()
        hits += (ends[:, 0] < [2.0, *BETA]) & ([2.0, *BETA] < ends[:, 1])
        errors_of.append(run.also["standard_errors"])
        estimates.append(run.estimate)
        covariances.append(run.also["covariance"])
        np.testing.assert_allclose(np.sqrt(np.diag(covariances[-1])), errors_of[-1], rtol=1e-12)
        np.testing.assert_allclose(covariances[-1], covariances[-1].T, rtol=1e-9, atol=1e-15)
    assert not np.isnan(errors_of).any()
    # Of a true 95 %, not one coefficient in ten thousand has fewer, and all together are between 93 and 98 %.
    assert hits.min() >= low(runs, 0.95)
    assert 0.93 < hits.mean() / runs < 0.98
    np.testing.assert_allclose(np.mean(errors_of, axis=0), np.std(estimates, axis=0), rtol=0.2)
    # Of each difference of two coefficients too, which a wrong sign or place in the matrix would miss.
    for j, k in itertools.combinations(range(P + 1), 2):
        told = [each[j, j] + each[k, k] - 2.0 * each[j, k] for each in covariances]
        assert math.sqrt(np.mean(told)) == pytest.approx(np.std(np.array(estimates) @ _unit(j, k)), rel=0.25)
    # Between what sampling has alone and thrice that.
    X, _ = data()
    alone = 0.5 * np.sqrt(np.diag(np.linalg.inv(np.column_stack([np.ones(N), X]).T @ np.column_stack([np.ones(N), X]))))
    assert (np.mean(errors_of, axis=0) > alone).all()
    assert (np.mean(errors_of, axis=0) < 3.0 * alone).all()


def test_unequal_variances_are_allowed_for_where_they_are_asked_for() -> None:
    """With much budget sampling is all: errors that grow with a column make its coefficient's error larger.

    Errors taken to be equal divide the trace of the spread alike.
    """
    rng = np.random.default_rng(5)
    n, runs = 4000, 40
    found: dict[str, list[Array]] = {"unequal": [], "equal": []}
    estimates = []
    for seed in range(runs):
        X = np.sign(rng.standard_normal((n, 2))) * np.where(rng.random((n, 2)) < 0.5, 0.5, 1.2)
        y = X[:, 0] + 0.5 * X[:, 0] ** 2 * rng.uniform(-1.0, 1.0, n)
        for errors, kept in found.items():
            run = fitted(X, y, rho=1e4, errors=errors, rng=seed, intercept=False, scale=[1, 1], outcome_scale=1)
            kept.append(run.also["standard_errors"])
        estimates.append(run.estimate)
    unequal, equal = (np.mean(found[errors], axis=0) for errors in ("unequal", "equal"))
    np.testing.assert_allclose(unequal, np.std(estimates, axis=0), rtol=3.0 / math.sqrt(2 * runs))
    # Means of x1^2 u^2 and of x2^2 u^2 over that of both, by hand: 1.5 and .9 in units of 1 / 12.
    np.testing.assert_allclose(unequal / equal, np.sqrt([1.5 / 1.2, 0.9 / 1.2]), rtol=0.03)


def test_an_interval_is_the_normal_one_of_the_standard_errors() -> None:
    run = fitted(*data())
    for level, factor in ((0.95, 1.959964), (0.8, 1.281552), (0.99, 2.575829)):
        expected = np.column_stack([run.estimate + side * factor * run.also["standard_errors"] for side in (-1, 1)])
        np.testing.assert_allclose(run.conf_int(level), expected, rtol=1e-6)
    assert run.inference is not None
    np.testing.assert_array_equal(run.inference.standard_errors, run.also["standard_errors"])


@pytest.mark.parametrize("which", ["duplicate", "constant", "empty"])
def test_what_is_not_determined_has_no_interval_and_the_others_have_theirs(which: str) -> None:
    X, y = data()
    added, dark = {
        "duplicate": (X[:, 0], [1, 4]), "constant": (np.full(N, 5.0), [0, 4]), "empty": (np.zeros(N), [4]),
    }[which]  # fmt: skip
    beta = [2.0, *BETA]
    found = []
    for seed in range(20):
        run = fitted(np.column_stack([X, added]), y, rng=seed)
        errors = run.also["standard_errors"]
        found.append(np.isnan(errors))
        told = ~np.isnan(errors)
        assert (np.abs(run.estimate - [*beta, 0.0])[told] < 5.0 * errors[told]).all()
        np.testing.assert_array_equal(np.isnan(run.conf_int()).any(axis=1), found[-1])
        if told.any():
            text = run.summary()
            assert text.count("not determined") == found[-1].sum()
            assert "does not determine its direction" in " ".join(text.split())
        assert [each is None for each in run.to_dict()["also"]["standard_errors"]] == found[-1].tolist()
    missing = np.mean(found, axis=0)
    assert (missing[dark] == 1.0).all()
    # By noise some of the others lean on that direction too, seldom.
    assert np.delete(missing, dark).max() < 0.4


def test_a_centre_on_a_column_that_is_not_known_leaves_no_constant() -> None:
    X, y = np.round(data()[0] * 64) / 64, data()[1]
    twice, centre = np.column_stack([X, X[:, 0]]), np.array([0.0, 0.0, 0.0, 1.0])
    known = 0
    for seed in range(6):
        one = fitted(twice, y, rng=seed, **public(4)).also["standard_errors"]
        two = fitted(twice + centre, y, rng=seed, centre=centre, **public(4)).also["standard_errors"]
        known += int(np.isfinite(one[0]))
        assert np.isnan(two[0])
        np.testing.assert_array_equal(two[1:], one[1:])
    assert known > 3


def test_an_outcome_whose_sizes_noise_hides_has_no_intervals() -> None:
    """One in two hundred is 1 and the others 0: intervals about 0 of a width that chance chose were told."""
    X, _ = data()
    rare = (np.random.default_rng(4).random(N) < 0.005).astype(float)
    for seed in range(5):
        run = fitted(X, rare, rng=seed)
        assert (np.abs(run.estimate) < 1e-6).all()
        assert np.isnan(run.conf_int()).all()
        assert "No intervals: noise hides the sizes of the outcome" in run.summary()


@pytest.mark.parametrize(
    ("share", "given"), [(0.01, {"outcome_scale": 1.0}), (0.05, {"outcome_scale": 1.0}), (0.08, {})]
)
def test_an_outcome_that_is_mostly_one_value_has_no_intervals(share: float, given: dict[str, Any]) -> None:
    """Few are 1 and the others 0: thresholds fall after the residuals, and intervals about 0 were told."""
    X, _ = data()
    rare = (np.random.default_rng(4).random(N) < share).astype(float)
    for seed in range(5):
        run = fitted(X, rare, rng=seed, **({**public(), **given} if given else {}))
        assert np.isnan(run.conf_int()).all()
        assert "No intervals: thresholds and coefficients fell to 0" in run.summary()


@pytest.mark.parametrize("errors", ["unequal", "equal"])
def test_public_ends_make_intervals_of_two_values_hold(errors: engine.Errors) -> None:
    """One in five is 1, by 30 of 100 more or less an sd of a column: without ends hardly any interval holds it."""
    rng = np.random.default_rng(6)
    hits: dict[bool, list[Array]] = {True: [], False: []}
    for seed in range(40):
        X = rng.standard_normal((5000, 2))
        y = (rng.random(5000) < 0.2 * (1.0 + 0.3 * X[:, 0])).astype(float)
        for ends in hits:
            run = dpdescent.dp_regression(
                X, y, epsilon=1.0, delta=1e-6, rng=seed, errors=errors, outcome_range=(0.0, 1.0) if ends else None
            )
            truth, (low, high) = np.array([0.2, 0.06, 0.0]), run.conf_int().T
            hits[ends].append((low < truth) & (truth < high))
            assert run.clipped < 0.001 if ends else run.clipped > 0.05
    assert np.mean(hits[True], axis=0).min() >= 0.85
    assert np.mean(hits[False], axis=0).min() < 0.6


@pytest.mark.parametrize("ones", [0.3, 0.05])
def test_with_public_ends_a_rare_dummy_is_not_moved(ones: float) -> None:
    """Its records are long, so that their gradients would be clipped where the outcome is the rare value."""
    data = np.random.default_rng(11)
    X = np.column_stack([data.standard_normal(20_000), data.random(20_000) < 0.05])
    y = (data.random(20_000) < ones * (1.0 + X @ [0.25, 0.3])) * 1.0
    by_least_squares = np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), y, rcond=None)[0]
    found = dpdescent.dp_regression(X, y, epsilon=1000.0, delta=1e-6, rng=5, outcome_range=(0.0, 1.0))
    assert np.abs(found.estimate - by_least_squares).max() < 0.1 * ones * 0.3


def test_sizes_that_noise_hides_are_mended_by_public_scales_and_ends() -> None:
    rng = np.random.default_rng(8)
    X = rng.standard_normal((5000, 1))
    y = (rng.random(5000) < 0.02).astype(float)
    given: dict[str, Any] = {"epsilon": 1.0, "delta": 1e-6, "outcome_range": (0.0, 1.0)}
    hidden = dpdescent.dp_regression(X, y, rng=3, **given)
    assert np.isnan(hidden.conf_int()).all()
    assert "give scale and outcome_scale, and outcome_range where most is 0" in hidden.summary().replace("\n", " ")
    low, high = dpdescent.dp_regression(X, y, rng=3, scale=[1.0], outcome_scale=1.0, **given).conf_int().T
    assert (low < [0.02, 0.0]).all()
    assert (high > [0.02, 0.0]).all()


def test_public_ends_keep_thresholds_and_take_outcomes_beyond_them_for_the_ends() -> None:
    X, y = data()
    given = {**public(), "outcome_range": (-3.0, 1.0), "rng": 4}
    run = fitted(X, y, **given)
    assert run.also["clip_norms"].min() >= 4.0 / public()["outcome_scale"] * (1.5 * math.sqrt(P + 1) + 1.0)
    np.testing.assert_array_equal(fitted(X, np.clip(y, -3.0, 1.0), **given).estimate, run.estimate)
    far = np.where(y > 1.0, 1e300, y)
    np.testing.assert_array_equal(fitted(X, far, **given).estimate, run.estimate)
    # Noise grows with the thresholds, and the account does not.
    assert run.event.rho == pytest.approx(fitted(X, y, **public(), rng=4).event.rho, rel=1e-12)


def test_too_few_records_for_standard_errors_are_told_by_summary_and_intervals() -> None:
    X, y = data()
    few = fitted(X[:500], y[:500], **public())
    assert "No intervals: n sqrt(rho) / p = 39.5 is below 45; more records" in few.summary()
    with pytest.raises(ValueError, match=r"no confidence intervals: n sqrt\(rho\) / p = 39\.5 is below 45"):
        few.conf_int()
    assert "No intervals: none were asked for." in fitted(X, y, errors=None).summary()


def test_thresholds_that_have_fallen_from_the_first_are_told_too() -> None:
    X = data(10_000)[0] + [8.0, 0.0, 0.0]
    rare = (np.random.default_rng(4).random(10_000) < 0.09).astype(float)
    firsts = []
    for seed in range(5):
        run = fitted(X, rare, rng=seed, rho=0.028)
        firsts.append(run.also["clip_norms"].min() / run.also["clip_norms"][0])
        assert np.isnan(run.conf_int()).all()
        assert "No intervals: thresholds and coefficients fell to 0" in run.summary()
    assert max(firsts) > 0.1


@pytest.mark.parametrize(("centre", "slope"), [(1000.0, 0.0), (0.0, 1000.0)])
def test_a_fit_that_is_nearly_exact_keeps_its_intervals(centre: float, slope: float) -> None:
    X, _ = data()
    noise = np.random.default_rng(5).standard_normal(N)
    run = fitted(X, centre + X[:, 0] * slope + noise, **{**public(), "outcome_scale": 1000.0})
    assert run.also["clip_norms"].min() < 0.1 * math.sqrt(P + 1)
    assert np.isfinite(run.conf_int()).all()


def test_the_table_has_names_errors_and_ends() -> None:
    pandas = pytest.importorskip("pandas")
    X, y = data()
    run = dpdescent.dp_regression(
        pandas.DataFrame(X, columns=["school", "age", "towns"]), y, epsilon=1.0, delta=1e-6, rng=secure_generator()
    )
    assert run.names == ("const", "school", "age", "towns")
    text = run.summary()
    for k, name in enumerate(run.names):
        (line,) = [each for each in text.splitlines() if each.startswith(f"{name} ")]
        numbers = [float(word) for word in line.split() if word not in (name, "to")]
        expected = [run.estimate[k], run.also["standard_errors"][k], *run.conf_int()[k]]
        np.testing.assert_allclose(numbers, expected, rtol=1e-3)
    assert "Privacy, proved" in text
    assert f"n = {N}" in text
    assert account(run.event, 1e-6).epsilon == pytest.approx(1.0, rel=1e-6)
    told = json.loads(json.dumps(run.to_dict()))
    assert told["also"]["standard_errors"] == run.also["standard_errors"].tolist()
    assert told["names"] == list(run.names)
    assert "clipped" not in json.dumps(told).replace("clipped gradients", "").replace("clipped covariates", "").replace(
        "clipped at", ""
    ).replace("clipped to", "")


def test_a_constant_has_a_name_and_so_have_those_beside_it() -> None:
    assert fitted(*data(), intercept=False).names == ()
    assert fitted(*data()).names == ("const", "x1", "x2", "x3")


# Little information


def test_below_the_least_information_the_estimate_is_zero_and_no_record_is_used() -> None:
    X, y = data(of_information(0.9 * engine.NOTHING))
    with pytest.warns(UserWarning, match="the estimate is 0, because nothing is better, and no record was used"):
        run = fitted(X, y, outcome_centre=7.0)
    assert run.estimate.tolist() == [7.0, 0.0, 0.0, 0.0]
    with warnings.catch_warnings(action="ignore"):
        other = fitted(X * 3.0, y[::-1], outcome_centre=7.0)
    np.testing.assert_array_equal(run.path, other.path)
    assert run.event.rho == other.event.rho == 0.0
    assert run.clipped == 0.0
    with pytest.raises(ValueError, match="no confidence intervals"):
        run.conf_int()


@pytest.mark.parametrize("level", [engine.NOTHING, engine.FEW, engine.INFERRED])
def test_little_information_has_an_estimate_and_errors_where_they_can_be_had(level: float) -> None:
    for factor in (0.98, 1.02):
        n = of_information(factor * level)
        with warnings.catch_warnings(action="ignore"):
            run = fitted(*data(n), **public())
        infers = (level, factor) == (engine.INFERRED, 1.02)
        assert (run.inference is not None) == infers == ("standard_errors" in run.also)
        assert (run.event.rho == 0.0) == ((level, factor) == (engine.NOTHING, 0.98))
        assert np.isfinite(run.estimate).all()


def test_sizes_are_not_released_where_noise_would_hide_them() -> None:
    """The refusal follows from n and the budget, whatever the records are."""
    n = of_information(1.2 * engine.NOTHING)
    for X, y in (data(n), (np.zeros((n, P)), np.zeros(n))):
        with pytest.raises(ValueError, match=f"n={n} records are too few for sizes to be released, .* give scale"):
            fitted(X, y)


# Strange records


def test_a_record_that_overflows_tells_nothing() -> None:
    """No warning, and the estimate of a record of zeros."""
    X, y = data()
    X[0, 0] = 1e100
    with warnings.catch_warnings(action="error"):
        run = fitted(X, y, scale=[1e-210, 1.0, 1.0], outcome_scale=1.0, errors=None)
    assert np.isfinite(run.estimate).all()


def test_few_records_that_are_far_out_move_little() -> None:
    X, y = data()
    run = fitted(X, y)
    X[:3], y[3:6] = 1e300, -1e300
    other = fitted(X, y)
    assert (np.abs(other.estimate - run.estimate) < 5.0 * run.also["standard_errors"]).all()


@pytest.mark.parametrize("scale", [1e-100, 1e-9, 1e9, 1e100])
def test_any_scale_of_columns_and_outcome_has_finite_numbers(scale: float) -> None:
    X, y = data()
    with warnings.catch_warnings(action="error"):
        for run in (fitted(X * scale, y), fitted(X, y * scale), fitted(X * scale, y * scale, **public())):
            assert np.isfinite(run.path).all()
            assert run.also["standard_errors"].shape == (P + 1,)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"scale": np.ones(P)}, "give scale and outcome_scale"),
        ({"outcome_scale": 1.0}, "give scale and outcome_scale"),
        ({"scale": np.ones(2), "outcome_scale": 1.0}, "scale of shape"),
        ({"scale": [1.0, 0.0, 1.0], "outcome_scale": 1.0}, r"scale\[1\]"),
        ({"scale": np.ones(P), "outcome_scale": -1.0}, "outcome_scale"), ({"centre": [0.0]}, "centre of shape"),
        ({"intercept": "no"}, "intercept='no' must be True or False"), ({"intercept": 1}, "intercept=1 must be True"),
        ({"outcome_range": (1.0, 0.0)}, r"outcome_range=\(1, 0\) must be two finite numbers"),
        ({"outcome_range": (0.0, math.inf)}, "outcome_range"), ({"outcome_range": (0.0, 1e200)}, "outcome_range"),
        ({"outcome_range": (-1e308, 1e308)}, r"outcome_range=\(-1e\+308, 1e\+308\) must be two finite"),
        ({"outcome_range": 1.0}, "outcome_range of shape"),
        ({"errors": "robust"}, "must be one of"), ({"rho": -1.0}, "rho"), ({"epsilon": 1.0}, "give rho alone"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named(given: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        fitted(*data(60), **given)


def test_what_is_changed_in_a_run_changes_nothing_else() -> None:
    run = fitted(*data())
    ends = run.conf_int()
    run.path[:] = 8.0
    assert (run.estimate != 8.0).all()
    run.estimate[:] = 7.0
    np.testing.assert_array_equal(run.conf_int(), ends)


def test_the_warning_of_few_records_is_at_the_callers_line() -> None:
    X, y = data(9)
    with pytest.warns(UserWarning, match="the estimate is 0") as told:
        dpdescent.dp_regression(X, y, rho=1e-3, rng=1)
    assert told[0].filename == __file__
