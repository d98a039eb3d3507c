"""Exact moments of one-pass SGD without clipping: against matrices that are drawn, dense covariances, and runs."""

import numpy as np
import pytest

from dpdescent.algorithms import sgd_moments
from dpdescent.algorithms.sgd_moments import last_risk, second_moments, tail_risk

LAM = np.array([1.7, 0.9, 0.4])
START = np.array([0.6, -1.1, 0.3])
CASES = {
    "DP-SSGD": {"eta": 0.12, "batch": 1, "sigma": 0.7, "noise_variance": 0.05, "steps": 30},
    "mini-batches": {"eta": 0.45, "batch": 6, "sigma": 0.3, "noise_variance": 0.02, "steps": 12},
    "noise by step": {
        "eta": 0.3,
        "batch": 4,
        "sigma": 0.0,
        "noise_variance": np.array([4.0, 1.0, 0.2, 0.0, 0.3]),
        "steps": 5,
    },
}


def dense_step(C: np.ndarray, eta: float, batch: int, sigma: float, variance: float) -> np.ndarray:
    """Cov of e_{t+1} from that of e_t, by Isserlis' theorem on full matrices."""
    H = np.diag(LAM)
    fourth = 2.0 * H @ C @ H + np.trace(H @ C) * H
    product = (fourth + (batch - 1) * H @ C @ H) / batch
    noise = sigma**2 * H / batch + variance * np.eye(len(LAM))
    return C - eta * (H @ C + C @ H) + eta**2 * (product + noise)


def dense_tail_risk(*, eta: float, batch: int, sigma: float, noise_variance, steps: int, tail: int) -> float:
    """Risk of the mean of the last iterates from all pairs E e_u e_t' = (I - eta H)^{u-t} E e_t e_t', one by one."""
    H, M = np.diag(LAM), np.eye(len(LAM)) - eta * np.diag(LAM)
    path = [np.outer(START, START)]
    for variance in np.broadcast_to(noise_variance, (steps,)):
        path.append(dense_step(path[-1], eta, batch, sigma, variance))
    total = 0.0
    for t in range(steps - tail + 1, steps + 1):
        for u in range(steps - tail + 1, steps + 1):
            pair = np.linalg.matrix_power(M, abs(u - t)) @ path[min(u, t)]
            total += float(np.trace(H @ pair))
    return total / (2.0 * tail**2)


def run(rng: np.random.Generator, runs: int, *, eta, batch, sigma, noise_variance, steps) -> np.ndarray:
    """Errors e_0..e_T of runs of the algorithm without clipping, shape (T + 1, runs, d)."""
    path = np.empty((steps + 1, runs, len(LAM)))
    path[0] = START
    for t, variance in enumerate(np.broadcast_to(noise_variance, (steps,))):
        x = rng.standard_normal((runs, batch, len(LAM))) * np.sqrt(LAM)
        residual = np.einsum("rbi,ri->rb", x, path[t]) - sigma * rng.standard_normal((runs, batch))
        gradient = np.einsum("rbi,rb->ri", x, residual) / batch
        path[t + 1] = path[t] - eta * (gradient + variance**0.5 * rng.standard_normal(gradient.shape))
    return path


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_moments_are_the_diagonal_of_the_dense_recursion(case):
    C = np.outer(START, START)
    found = second_moments(LAM, START, **case)
    assert found.shape == (case["steps"] + 1, 3)
    for t, variance in enumerate(np.broadcast_to(case["noise_variance"], (case["steps"],))):
        np.testing.assert_allclose(found[t], np.diag(C), rtol=1e-13)
        C = dense_step(C, case["eta"], case["batch"], case["sigma"], variance)
    np.testing.assert_allclose(found[-1], np.diag(C), rtol=1e-13)


def test_the_dense_step_is_the_mean_over_matrices():
    """What both rest on, E[B C B'] for B = I - eta/b sum x x', from a million draws."""
    rng = np.random.default_rng(3)
    eta, batch = 0.4, 2
    C = np.array([[1.0, 0.3, -0.2], [0.3, 0.5, 0.1], [-0.2, 0.1, 0.8]])
    x = rng.standard_normal((200_000, batch, 3)) * np.sqrt(LAM)
    B = np.eye(3) - eta / batch * np.einsum("rbi,rbj->rij", x, x)
    drawn = np.einsum("rij,jk,rlk->ril", B, C, B)
    spread = drawn.std(axis=0) / len(drawn) ** 0.5
    assert (np.abs(drawn.mean(axis=0) - dense_step(C, eta, batch, 0.0, 0.0)) < 4.5 * spread).all()


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_risks_agree_with_runs(case):
    path = run(np.random.default_rng(7), 20_000, **case)
    tail = case["steps"] // 2
    for found, w in (
        (tail_risk(LAM, START, **case, tail=tail), path[-tail:].mean(axis=0)),
        (last_risk(LAM, START, **case), path[-1]),
    ):
        risk = 0.5 * w**2 @ LAM
        assert abs(risk.mean() - found) < 4.5 * risk.std() / len(risk) ** 0.5


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.parametrize("tail", [1, 2, 5])
def test_tail_risk_is_the_sum_over_pairs(case, tail):
    assert tail_risk(LAM, START, **case, tail=tail) == pytest.approx(dense_tail_risk(**case, tail=tail), rel=1e-13)


@pytest.mark.parametrize(("steps", "tail"), [(400, 200), (400, 399), (400, 1), (400, 400), (7, 3)])
@pytest.mark.parametrize("eta", [1e-6, 0.02, 0.5])
def test_matrix_powers_are_the_loop(monkeypatch, steps, tail, eta):
    case = {"eta": eta, "batch": 5, "sigma": 0.4, "noise_variance": 0.3, "steps": steps, "tail": tail}
    loop = tail_risk(LAM, START, **case)
    monkeypatch.setattr(sgd_moments, "LOOP_STEPS", 0)
    monkeypatch.setattr(sgd_moments, "second_moments", None)
    assert tail_risk(LAM, START, **case) == pytest.approx(loop, rel=1e-12)


def test_a_million_steps():
    """At small steps the risk of the tail average is Tr(H^-1 M) / N with M = sigma^2 H + noise_variance I."""
    N, d = 10**6, 2
    noise, sigma = 0.8, 0.1
    risk = tail_risk(np.ones(d), np.full(d, 0.5**0.5), 2e-4, 1, sigma, noise, N, N // 2)
    # The average of N/2 iterates loses 2 / (eta N / 2) of the plain variance at the ends: 2 %.
    assert risk == pytest.approx((sigma**2 + noise) * d / N, rel=0.03)


def test_isotropic_recursion():
    """m' = (1 - 2 eta + eta^2 (1 + (d+1)/b)) m + eta^2 (sigma^2 + noise b) d / b: varshney2022 at H = I."""
    d, b, eta, sigma, noise, m = 10, 50, 0.7, 0.5, 0.02, 1.0
    found = second_moments(np.ones(d), np.full(d, d**-0.5), eta, b, sigma, noise, 6).sum(axis=1)
    for t in range(7):
        assert found[t] == pytest.approx(m, rel=1e-13)
        m = (1 - 2 * eta + eta**2 * (1 + (d + 1) / b)) * m + eta**2 * d * (sigma**2 / b + noise)


def test_an_infinite_batch_without_noise_is_gradient_descent():
    still = {"eta": 0.3, "batch": 10**13, "sigma": 0.0, "noise_variance": 0.0, "steps": 9}
    np.testing.assert_allclose(second_moments(LAM, START, **still)[-1], (START * (1 - 0.3 * LAM) ** 9) ** 2, rtol=1e-6)
    assert last_risk(LAM, 0 * START, **still) == 0.0


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"eta": 0.0}, "eta must be positive, got 0.0"),
        ({"batch": 0}, "batch=0 must be at least 1"),
        ({"sigma": -1.0}, "sigma must not be negative"),
        ({"noise_variance": -0.1}, "noise_variance must not be negative"),
        ({"noise_variance": np.ones(4)}, r"noise_variance of shape \(4,\)"),
        ({"steps": 0}, "steps must be positive"),
        ({"lam": np.array([1.0, 0.0, 1.0])}, "lam must be positive"),
        ({"start": np.ones(2)}, r"start of shape \(2,\)"),
        ({"tail": 0}, "tail=0 must lie between 1 and steps=5"),
        ({"tail": 6}, "tail=6"),
    ],
)
def test_bad_arguments_are_named(changed, words):
    given = {"lam": LAM, "start": START, "eta": 0.1, "batch": 2, "sigma": 0.1, "noise_variance": 0.1, "steps": 5}
    with pytest.raises(ValueError, match=words):
        tail_risk(**{**given, "tail": 2, **changed})
