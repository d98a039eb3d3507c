"""The law of DP-2S-GD's path, against a long simulation, closed forms, and a plain recursion."""

import numpy as np
import pytest

from dpdescent.algorithms import dp_2s_gd
from dpdescent.algorithms.two_stage_law import path_law
from dpdescent.baselines.least_squares import two_stage_least_squares
from dpdescent.data.iv import IVSample

ETA, ALPHA, LAMBDA1, LAMBDA2 = 0.4, 0.8, 0.12, 0.02


def sample(n: int = 400, q: int = 2, p: int = 1, seed: int = 1) -> IVSample:
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, q)) @ np.array([[1.0, 0.4], [0.0, 0.8]])[:q, :q]
    v = rng.standard_normal((n, p))
    x = Z[:, :1] * 0.7 + Z[:, -1:] * 0.5 + v
    return IVSample(Z, x, 1.5 * x[:, 0] + 0.6 * v[:, 0] + rng.standard_normal(n))


def law(data: IVSample, **changes: float):
    given = {"eta": ETA, "alpha": ALPHA, "lambda1": LAMBDA1, "lambda2": LAMBDA2}
    return path_law(data, **(given | changes))


def test_a_long_path_has_the_law_s_variance_autocorrelation_and_mean() -> None:
    data, T, runs = sample(), 1500, 30
    arms = dp_2s_gd.TwoStageArms(
        np.full(runs, T), *(np.full(runs, each) for each in (ETA, ALPHA, np.inf, np.inf, LAMBDA1, LAMBDA2))
    )
    rng = np.random.default_rng(2)
    normals = dp_2s_gd.Normals(rng.standard_normal((T, runs, 1, 2)), rng.standard_normal((T, runs, 1)))
    out = dp_2s_gd.descend(data, arms, normals, record=True)
    assert out.beta_path is not None
    path, found = out.beta_path[200:, :, 0], law(data)
    beta = two_stage_least_squares(data).beta[0]
    assert path.var() == pytest.approx(found.covariance[-1, -1], rel=0.05)
    centred = path - path.mean()
    for lag in (1, 3, 8):
        measured = (centred[lag:] * centred[:-lag]).mean() / path.var()
        assert measured == pytest.approx(found.autocorrelation(lag), abs=0.01)
    error = path.mean(0).std() / np.sqrt(runs) / beta
    assert (path.mean() - beta) / beta == pytest.approx(
        found.attenuation, abs=3.0 * error + 0.1 * abs(found.attenuation)
    )
    assert abs(found.attenuation) > 5.0 * error


def test_with_uncorrelated_instruments_it_is_the_closed_form() -> None:
    """E beta - beta_hat = -(v beta_hat / H)(q - 2 omega), where A is the identity and nothing is left of m."""
    rng = np.random.default_rng(3)
    Z = np.linalg.qr(rng.standard_normal((300, 1)))[0] * np.sqrt(300)
    x = 0.8 * Z[:, 0] + rng.standard_normal(300)
    found = law(IVSample(Z, x[:, None], 2.0 * x + rng.standard_normal(300)))
    fit = two_stage_least_squares(IVSample(Z, x[:, None], 2.0 * x))
    H = float(fit.Theta[0, 0] ** 2)
    v = ETA * LAMBDA1**2 / (2.0 - ETA)
    omega = (1.0 - ETA) * ALPHA * H / (1.0 - (1.0 - ETA) * (1.0 - ALPHA * H))
    assert found.attenuation == pytest.approx(-v / H * (1.0 - 2.0 * omega), rel=1e-9)
    assert found.noise_over_signal == pytest.approx(v / H, rel=1e-9)


def test_the_covariance_is_that_of_the_recursion_after_many_steps() -> None:
    found = law(sample())
    q = len(found.transition) - 1
    added = np.diag([*[(ETA * LAMBDA1) ** 2] * q, (ALPHA * LAMBDA2) ** 2])
    P = np.zeros_like(added)
    for _ in range(3000):
        P = found.transition @ P @ found.transition.T + added
    np.testing.assert_allclose(found.covariance, P, rtol=1e-9)
    assert found.autocorrelation(0) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"eta": 5.0}, "does not contract"), ({"alpha": 50.0}, "does not contract"),
        ({"lambda1": 0.0}, "lambda1 must be positive"),
    ],
)  # fmt: skip
def test_bad_settings_are_named(changes: dict[str, float], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        law(sample(), **changes)


def test_several_regressors_are_refused() -> None:
    data = sample(p=1)
    with pytest.raises(ValueError, match="p=2 regressors"):
        law(IVSample(data.Z, np.hstack([data.X, data.X**2]), data.y))
