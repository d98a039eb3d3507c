"""Least squares against linearmodels, against counts written out, and against the numbers that are known."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from linearmodels.datasets import card
from linearmodels.iv import IV2SLS

from dpdescent.baselines.least_squares import first_stage_F, two_stage_least_squares
from dpdescent.data.iv import IVSample
from dpdescent.data.tabular import bundled, centre, read_sample

CONTROLS = ["exper", "expersq", "black", "smsa", "south", "smsa66", *(f"reg66{i}" for i in range(2, 10))]
ANGRIST_EVANS = {
    "angrist_evans_married": ("morekids", "weeks", -6.314, 3, -5.387),
    "angrist_evans_labsup": ("kids", "weeks", -5.511, 3, -3.805),
    "angrist_evans_all_women": ("kids", "worked", -0.1029, 4, -0.0777),
}


@pytest.fixture(scope="module")
def men() -> pd.DataFrame:
    data: pd.DataFrame = card.load()
    return data


def counts_of(name: str) -> IVSample:
    x, y, *_ = ANGRIST_EVANS[name]
    return read_sample(bundled(name), ["samesex"], [x], y, "n")


def four_instruments() -> IVSample:
    return read_sample(bundled("card"), ["nearc2", "nearc4", "fatheduc", "motheduc"], ["educ"], "lwage")


def columns(data: pd.DataFrame, instruments: list[str], regressors: list[str], outcome: str) -> IVSample:
    return IVSample(data[instruments].to_numpy(float), data[regressors].to_numpy(float), data[outcome].to_numpy(float))


def expand(sample: IVSample) -> IVSample:
    k = sample.weights.astype(int)
    return IVSample(np.repeat(sample.Z, k, axis=0), np.repeat(sample.X, k, axis=0), np.repeat(sample.y, k))


def without_instruments(sample: IVSample) -> np.ndarray:
    """Ordinary least squares, which is that of instruments which are the regressors."""
    return two_stage_least_squares(replace(sample, Z=sample.X)).beta


def reference(sample: IVSample, weights: np.ndarray | None = None) -> float:
    """linearmodels' coefficient of the first regressor, with an intercept."""
    ones = np.ones((sample.y.shape[0], 1))
    fit = IV2SLS(sample.y[:, None], ones, sample.X, sample.Z, weights=weights).fit()
    return float(fit.params.iloc[1])


def test_card_with_one_instrument(men: pd.DataFrame) -> None:
    sample = columns(men, ["nearc4"], ["educ"], "lwage")
    beta = two_stage_least_squares(centre(sample)).beta
    assert sample.n == 3010
    assert beta[0] == pytest.approx(reference(sample), rel=1e-8)
    assert f"{beta[0]:.5f}" == "0.18806"


@pytest.mark.parametrize("intercept", ["centred", "column of ones"])
def test_card_with_controls_in_both_lists(men: pd.DataFrame, intercept: str) -> None:
    sample = columns(men, ["nearc4", *CONTROLS], ["educ", *CONTROLS], "lwage")
    ones = np.ones((sample.n, 1))
    if intercept == "centred":
        sample = centre(sample)
    else:
        sample = IVSample(np.hstack([sample.Z, ones]), np.hstack([sample.X, ones]), sample.y)
    exogenous = men[CONTROLS].assign(const=1.0)
    fit = IV2SLS(men["lwage"], exogenous, men["educ"], men["nearc4"]).fit()
    beta = two_stage_least_squares(sample).beta
    assert beta[0] == pytest.approx(fit.params["educ"], rel=1e-8)
    np.testing.assert_allclose(beta[1 : 1 + len(CONTROLS)], fit.params[CONTROLS], rtol=1e-8)
    assert f"{beta[0]:.4f}" == "0.1315"
    assert f"{without_instruments(sample)[0]:.5f}" == "0.07469"


def test_card_with_four_instruments() -> None:
    sample = four_instruments()
    fit = two_stage_least_squares(centre(sample))
    assert sample.n == 2191
    assert fit.beta[0] == pytest.approx(reference(sample), rel=1e-8)
    assert f"{fit.beta[0]:.4f}" == "0.0744"


@pytest.mark.parametrize("name", sorted(ANGRIST_EVANS))
def test_angrist_evans_from_counts_equals_every_record_written_out(name: str) -> None:
    counts = counts_of(name)
    _, _, target, digits, ols = ANGRIST_EVANS[name]
    long = expand(counts)
    beta = two_stage_least_squares(centre(counts)).beta[0]
    assert long.n == counts.n > counts.y.shape[0]
    assert beta == pytest.approx(reference(long), rel=1e-8)
    assert beta == pytest.approx(reference(counts, counts.weights), rel=1e-8)
    assert beta == pytest.approx(two_stage_least_squares(centre(long)).beta[0], rel=1e-10)
    assert f"{beta:.{digits}f}" == f"{target:.{digits}f}"
    assert f"{without_instruments(centre(counts))[0]:.{digits}f}" == f"{ols:.{digits}f}"


@pytest.mark.parametrize(("name", "printed"), [("married", "1237"), ("labsup", "40.9"), ("all_women", "855")])
def test_first_stage_F_of_counts(name: str, printed: str) -> None:
    counts = counts_of(f"angrist_evans_{name}")
    F = first_stage_F(counts)
    assert f"{F:.{printed.count('.')}f}" == printed
    assert pytest.approx(first_stage_F(expand(counts)), rel=1e-9) == F
    assert pytest.approx(first_stage_F(centre(counts)), rel=1e-9) == F


def test_first_stage_F_equals_the_test_of_all_slopes() -> None:
    sample = four_instruments()
    ones = np.ones((sample.n, 1))
    fit = IV2SLS(sample.X, np.hstack([ones, sample.Z]), None, None).fit(cov_type="unadjusted", debiased=True)
    assert first_stage_F(sample) == pytest.approx(fit.f_statistic.stat, rel=1e-9)


def test_the_residual_is_orthogonal_to_the_fitted_regressors() -> None:
    sample = centre(four_instruments())
    fit = two_stage_least_squares(sample)
    r = fit.residual(sample)
    scale = np.abs(sample.Z).T @ np.abs(r)
    assert (np.abs(fit.Theta.T @ sample.Z.T @ r) < 1e-12 * np.abs(fit.Theta.T) @ scale).all()
    assert (np.abs(sample.Z.T @ r) > 1e-6 * scale).all()
    np.testing.assert_allclose(r, sample.Z @ (fit.Theta @ fit.beta) - sample.y, rtol=1e-9, atol=1e-12)


def test_just_identified_is_the_ratio_of_covariances() -> None:
    rng = np.random.default_rng(4)
    Z, X, y = rng.normal(size=(50, 2)), rng.normal(size=(50, 2)), rng.normal(size=50)
    np.testing.assert_allclose(
        two_stage_least_squares(IVSample(Z, X, y)).beta, np.linalg.solve(Z.T @ X, Z.T @ y), rtol=1e-9
    )


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_units_do_not_decide_on_rank(unit: float) -> None:
    rng = np.random.default_rng(5)
    Z, y = rng.normal(size=(80, 2)), rng.normal(size=80)
    X = Z @ rng.normal(size=(2, 2)) + rng.normal(size=(80, 2))
    plain = two_stage_least_squares(IVSample(Z, X, y)).beta
    scaled = two_stage_least_squares(IVSample(Z * [1.0, unit], X * [unit, 1.0], y)).beta
    np.testing.assert_allclose(scaled * [unit, 1.0], plain, rtol=1e-9)


def test_what_is_not_identified_is_refused() -> None:
    rng = np.random.default_rng(6)
    Z, X, y = rng.normal(size=(40, 2)), rng.normal(size=(40, 2)), rng.normal(size=40)
    with pytest.raises(ValueError, match="q=1 instruments cannot identify p=2"):
        two_stage_least_squares(IVSample(Z[:, :1], X, y))
    with pytest.raises(ValueError, match=r"^Z has rank 1, but 2 columns"):
        two_stage_least_squares(IVSample(Z[:, [0, 0]] * [1.0, -3.0], X, y))
    with pytest.raises(ValueError, match=r"^X projected on Z has rank 1, but 2 columns"):
        two_stage_least_squares(IVSample(Z, X[:, [0, 0]], y))
    orthogonal = X[:, :1] - Z @ np.linalg.lstsq(Z, X[:, :1], rcond=None)[0]
    with pytest.raises(ValueError, match=r"^X projected on Z has rank 0"):
        two_stage_least_squares(IVSample(Z, orthogonal, y))


def test_first_stage_F_refuses_what_it_does_not_define() -> None:
    rng = np.random.default_rng(7)
    Z, X, y = rng.normal(size=(9, 2)), rng.normal(size=(9, 2)), rng.normal(size=9)
    with pytest.raises(ValueError, match="p=2"):
        first_stage_F(IVSample(Z, X, y))
    with pytest.raises(ValueError, match="n=3 records"):
        first_stage_F(IVSample(Z[:3], X[:3, :1], y[:3]))
    with pytest.raises(ValueError, match="centred Z has rank 1"):
        first_stage_F(IVSample(np.hstack([Z[:, :1], np.full((9, 1), 0.1)]), X[:, :1], y))
