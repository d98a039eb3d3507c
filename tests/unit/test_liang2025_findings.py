"""liang2025's findings about privacy and mathematics, each derived a second time: by quadrature, loops, exact laws."""

import functools
import itertools
import math
import re

import numpy as np
import pytest
from scipy import integrate, stats

from dpdescent.data import tabular
from dpdescent.papers.liang2025 import findings, in_range
from dpdescent.papers.liang2025.lemma_f1 import turned_sign
from dpdescent.replication.judging.evidence import Finding
from liang2025_worlds import committed


@functools.cache
def found() -> dict[str, Finding]:
    return {each.finding: each for each in findings.demonstrate(committed())}


def text(name: str) -> str:
    return found()[name].measured


def test_what_the_paper_is_said_to_say_is_no_remark_of_ours() -> None:
    """Without a headline a page has the statement as the paper's, and what was measured up to a stop or semicolon."""
    plain = [each for each in found().values() if not each.headline]
    assert [each.finding for each in plain if re.search(r"not (stated|discussed)", each.statement)] == []
    assert [each.finding for each in plain if len(re.split(r"; |\. ", each.measured)[0].split()) < 4] == []


def test_cost_of_a_planted_regressor_by_quadrature() -> None:
    """Two steps: the second's gradients are 0 on one side, clip(Theta (Theta beta + 1)) on the other, beta normal."""
    n, noise_sd = 1000, 2 / 1000 * math.sqrt(2)
    for row in found()["release-beta-only"].shown[1:]:
        Theta, cost = float(row[0]) / n, float(row[1])

        def squared(z: float, Theta: float = Theta) -> float:
            return float(np.clip(Theta * (Theta * noise_sd * z + 1), -1, 1) ** 2 * stats.norm.pdf(z))

        points = sorted(z for z in {-1 / (Theta * noise_sd), 0.0} if abs(z) < 9)
        expected = integrate.quad(squared, -9, 9, points=points, limit=400)[0] / (2 * noise_sd**2)
        assert cost == pytest.approx(expected, rel=0.01)


def test_cost_of_the_sign_bit_by_its_two_laws() -> None:
    """rho1 = 100 and T = 2 at the published noise: Theta^(1) is normal with mean +-1/n, beta shows its sign."""
    right = stats.norm.cdf(1 / 1000 / (2 / 1000 * math.sqrt(2 / 100)))
    divergence = sum(a * math.log(a / b) for a, b in ((right, 1 - right), (1 - right, right)))
    assert f"at rho_1 = 100 one bit of beta costs {divergence:.1f}" in text("release-beta-only")


def test_gap_of_two_stages_by_the_fixed_point() -> None:
    """What two-stage descent tends to solves the second-stage normal equations: 2SLS, with Z'r far from 0."""
    rng = np.random.default_rng(4)
    Z, u = rng.standard_normal((500, 10)), rng.standard_normal((500, 1))
    X = Z @ rng.standard_normal((10, 5)) + u + rng.standard_normal((500, 5))
    Y = X.sum(axis=1) + 2 * u[:, 0]
    projection = Z @ np.linalg.solve(Z.T @ Z, Z.T)
    two_stage = np.linalg.solve(X.T @ projection @ X, X.T @ projection @ Y)
    V = projection @ X
    matrix = np.eye(5) - V.T @ V / np.linalg.norm(V, 2) ** 2
    fixed = np.linalg.solve(np.eye(5) - matrix, V.T @ Y / np.linalg.norm(V, 2) ** 2)
    assert np.max(np.abs(np.linalg.eigvals(matrix))) < 1
    assert np.linalg.norm(fixed - two_stage) < 1e-10
    assert np.linalg.norm(Z.T @ (Y - V @ two_stage)) / 500 > 0.02
    assert float(text("sampling-term").split()[0]) < 1e-10


def test_error_over_noise_is_the_law_of_a_clipped_walk() -> None:
    """Where noise is small no gradient is clipped, and one step forgets all: E|g|. Far out the law is Laplace's."""
    assert findings._error_over_noise(0.05) == pytest.approx(math.sqrt(2 / math.pi), rel=1e-3)
    for s in (30.0, 100.0):
        assert findings._error_over_noise(s) == pytest.approx(s / 2, rel=0.05)
    sizes = {
        float(T): float(error) for error, T in re.findall(r"([0-9.]+) at T = ([0-9e+]+)", text("theorem-F.1-range"))
    }
    # A walk with one threshold for all T: simulated, with its own numbers.
    rng, e, s = np.random.default_rng(5), np.zeros(20_000), 2 * math.sqrt(10_000 / 0.1) / 200
    for _ in range(400):
        e = e - np.clip(e, -1, 1) + s * rng.standard_normal(len(e))
    assert np.abs(e).mean() / s == pytest.approx(sizes[10_000.0], rel=0.04)
    assert sizes[1e6] == pytest.approx(math.sqrt(1e6 / 0.1) / 200, rel=0.05)


def test_conditions_of_theorem_3_1_by_counting() -> None:
    """The largest T that each condition allows, tried one by one, at n = 1000, p = q = 5, tau = 5, constants 1."""
    n, p, q, tau, rho1, rho2 = 1000, 5, 5, 5.0, 10.0, 0.1
    root = math.sqrt(q) + math.sqrt(tau)
    allowed = max(T for T in range(1, 1000) if rho1 * n**2 / (p * root**6) + 1e-9 >= T)
    covered = max(T for T in range(1, 1000) if n >= root**3 * math.sqrt(T / min(rho1, rho2)))
    limit, reach = re.findall(r"allows T <= (\d+), Lemma D.1 covers T <= ([0-9.]+)", text("theorem-3.1-conditions"))[0]
    assert allowed == int(limit)
    assert covered == math.floor(float(reach))


def test_cost_of_the_stated_noise_by_divergences() -> None:
    """Both stages' T Gaussian releases, each by quadrature of its divergence at its whole sensitivity."""
    n, T, gamma, total = 1000, 20, 3.0, 0.0
    for rho in (5.0, 5.0):
        noise_sd, shift = 2 * gamma / n * math.sqrt(T / rho), 2 * gamma / n
        law, moved = stats.norm(0, noise_sd), stats.norm(shift, noise_sd)
        total += (
            T
            * integrate.quad(
                lambda x, a=law, b=moved: a.pdf(x) * (a.logpdf(x) - b.logpdf(x)), -9 * noise_sd, 9 * noise_sd
            )[0]
        )
    assert f"the stated noise costs {total:.6g}" in text("prop-3.1-factor")


def test_centring_by_hand() -> None:
    """The mean gradient by cases: records with z = 1, those with z = 0, and the one that is far out."""
    n, T, rho, sd = 1000, 20, 1.0, math.sqrt(0.1 * 0.9)
    up, down = 0.9 / sd, -0.1 / sd

    def mean(side: float) -> float:
        clip = [max(-1.0, min(1.0, -z * x)) for z, x in ((up, -side * 1e6), (down, -side * 1e6), (down, side * 1e9))]
        return (100 * clip[0] + 899 * clip[1] + clip[2]) / n

    mu = abs(mean(1) - mean(-1)) * math.sqrt(T) / (2 / n * math.sqrt(T / rho))
    assert f"mu = {mu:.3g} where {math.sqrt(2 * 2 * rho):g} is allowed" in text("preprocessing")


def test_no_constant_bounds_the_slope_of_2sls() -> None:
    """2SLS itself on two data sets of two records, whose first stage is halved from one to the other."""
    z = np.array([1.0, -1.0])

    def beta(x: np.ndarray, y: np.ndarray) -> float:
        fitted = z * (z @ x) / (z @ z)
        return float(fitted @ y / (fitted @ fitted))

    slopes = [abs(beta(zx * z, z) - beta(zx / 2 * z, z)) / (zx / 2) for zx in (0.01, 1.0)]
    told = [float(number) for number in re.findall(r"by ([0-9.e+]+)", text("lemma-F.2-any-moments"))]
    assert told == pytest.approx(slopes, rel=5e-3)
    assert slopes[0] > 1000 * slopes[1]


def test_cost_within_cards_ranges_by_hand() -> None:
    """One step, where Theta and beta are 0: the first stage's clipped mean moves with the means, the second's stays."""
    names = ("nearc2", "nearc4", "fatheduc", "motheduc", "educ", "lwage")
    raw = tabular.read_columns(tabular.bundled("card"), names)
    n, means = len(raw), []
    gamma = 0.3 * (2.0 + math.sqrt(5.0 + math.log(n))) ** 2
    for corner in itertools.product(*zip(raw.min(axis=0), raw.max(axis=0), strict=True)):
        table = raw.copy()
        table[0] = corner
        z, x = table[:, :4] - table[:, :4].mean(axis=0), table[:, 4] - table[:, 4].mean()
        products = z / np.sqrt((z**2).mean(axis=0)) * x[:, None]
        norms = np.linalg.norm(products, axis=1)
        means.append((products * np.minimum(1.0, gamma / norms)[:, None]).mean(axis=0))
    moved = max(float(np.sum((one - other) ** 2)) for one, other in itertools.combinations(means, 2))
    expected = moved / (2 * (2 * gamma / n) ** 2)
    found = in_range.largest_costs(in_range.card(), True, 0.3, 5.0, 1, 1.0)
    assert found == pytest.approx((expected, expected), rel=1e-9)


def test_rate_of_2sls_by_its_limiting_law() -> None:
    """n Cov(beta_hat) tends to var(eps_1) (Theta'Theta)^-1: singular values 5 and variance 2 at every p and q."""
    rows = committed().select("table_rates", quantity="D.7 ||beta_hat - beta||")
    for panel in ("over p", "over q"):
        for _, row in rows[rows["panel"] == panel].iterrows():
            normal = math.sqrt(2) * math.gamma((row["p"] + 1) / 2) / math.gamma(row["p"] / 2)
            assert row["mean"] == pytest.approx(math.sqrt(2 / row["n"]) / 5 * normal, rel=0.04)
    assert "0.01 in q (5 to 40, p = 5) and 0.54 in p" in text("lemma-D.7-rate")


def test_quantiles_of_a_moment_grow_like_tau() -> None:
    """z^2 of a normal z by its tail, in logarithms: about 2 tau, where the printed diameter has the root."""
    near, far = (stats.norm.isf(0.5 * math.exp(-tau)) ** 2 / (math.sqrt(3) + math.sqrt(tau)) for tau in (10.0, 100.0))
    assert f"is {near:.2g} times" in text("friendlycore-diameter")
    assert f"{far:.2g} times at tau = 100" in text("friendlycore-diameter")


def test_terms_of_the_bound_at_T_of_order_n_by_hand() -> None:
    n, p, q, tau = 1000, 5, 5, 5.0
    R = (math.sqrt(q) + math.sqrt(tau)) ** 2 * (math.sqrt(p * q) + math.sqrt(p * (math.log(p) + tau)))
    sampling = math.sqrt(p * q / n) * (tau + math.log(p * q))
    noise = [R / math.sqrt(n * rho2) for rho2 in (0.1, 1.0, 10.0)]
    told = text("app-F.1-dominated")
    assert ", ".join(f"{each / sampling:.2g}" for each in noise) in told
    gains = [(R / math.sqrt(n) + each + sampling) / (each + sampling) for each in noise]
    assert ", ".join(f"{gain:.2g}" for gain in gains) in told


def test_gap_of_figure_9_is_unfinished_optimisation() -> None:
    rows = committed().select("fig09", series="2S-GD", error_to="beta_hat")
    medians = rows.groupby("T")["median"].median()
    assert medians[100] > 100 * medians[1000] > 1e6 * medians[10000]
    assert f"{medians[100]:.2g} at T = 100" in text("figure-9")


def test_a_turned_sign_of_theta_turns_all_clipped_gradients() -> None:
    """Algorithm 1 by hand, two steps, one dimension, all thresholds, steps and rho2 equal to 1."""
    n, T, costs = 50, 2, 0.0
    lambda2 = 2.0 / n * math.sqrt(T)
    Theta, beta = np.zeros(2), 0.0
    X = np.zeros((2, n))
    X[:, 0] = 1.0, -1.0
    for _ in range(T):
        gradients = np.clip(Theta * (Theta * beta + 1e9), -1.0, 1.0)
        costs += (gradients[0] - gradients[1]) ** 2 / (2.0 * lambda2**2)
        Theta = Theta - np.clip(Theta[:, None] - X, -1.0, 1.0).mean(axis=1)
    assert costs == pytest.approx(turned_sign(n, T))
