"""Algebra of the proofs in appendices C to F that holds for any data: roots, splits and chains of norms, on a small sample.

Each inequality is evaluated at a data set's own norms, and each solution of a condition is put into that condition. The
sensitivity of Prop. 3.1 is that of the code that sums clipped gradients.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from dpdescent.algorithms.two_stage_gd import Moments
from dpdescent.algorithms.two_stage_products import Products
from dpdescent.data.iv import IVParameters, IVSample, draw_parameters, draw_sample
from dpdescent.papers.liang2025 import appendices, cases, formulas, laws
from dpdescent.papers.liang2025.criteria import claim_on_all_cells
from dpdescent.papers.liang2025.paths import norm
from dpdescent.papers.liang2025.setting import PAPER, Array
from dpdescent.randomness import stream
from dpdescent.replication.judging.criteria import at_most, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import Place
from dpdescent.replication.judging.statistics import Estimate, exactly
from dpdescent.sums import added

PROOFS: Place = {"artefact": "bounds", "location": "App. C to F", "kind": "theorem", "source": "identity"}
ADDED = "The claim was added after a review."
RECORDS, REGRESSORS, INSTRUMENTS, CONFOUNDERS = 60, 2, 3, 2
# Step sizes and the step at which gradients are split; perturbations of moments and of Theta that are drawn.
ETA, STEP, DRAWS = 0.4, 5, 200
EQUAL, ROUNDING = 1e-9, 1e-12
# Digits after which a quotient is rounding, which depends on the processor.
DIGITS = 11
# A threshold, and a record so far out that every threshold clips it.
GAMMA, FAR = 7.0, 1e3


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on sensitivity, on solutions of conditions, on identities, and on chains of norms."""
    rng = stream(0, PAPER, "proofs", "data")
    parameters = draw_parameters(REGRESSORS, INSTRUMENTS, CONFOUNDERS, rng)
    sample = draw_sample(parameters, RECORDS, rng)
    yield _sensitivity(sample, rng)
    yield _roots(evidence)
    yield from _splits(sample, parameters, rng)
    yield _chains(sample, parameters, rng)


def _near(value: float) -> Estimate:
    return exactly(round(value, DIGITS))


def _sums(sample: IVSample, Theta: Array, beta: Array, threshold: float = GAMMA) -> tuple[Array, Array]:
    """The sums of clipped gradients of both stages, by the code of all runs."""
    gamma = np.array([threshold])
    first, second = Products(sample, 1)(Theta.T[None].copy(), beta[None], gamma, gamma, np.zeros((2, 1)))
    return np.asarray(first[0]), np.asarray(second[0])


def _sensitivity(sample: IVSample, rng: np.random.Generator) -> Claim:
    """The largest change of either sum over records that are replaced, among them by opposite ones."""
    cells: dict[str, Estimate] = {}
    for number in range(DRAWS // 10):
        Theta, beta = rng.standard_normal((sample.q, sample.p)), rng.standard_normal(sample.p)
        z, x, y = rng.standard_normal(sample.q), FAR * rng.standard_normal(sample.p), FAR * FAR
        pairs = {"opposite": ((z, x, y), (z, -x, -y)), "drawn": ((z, x, y), (2.0 * z, 0.1 * x, 0.0))}
        for name, records in pairs.items():
            both = [_sums(_with_first(sample, *record), Theta, beta) for record in records]
            for stage, (one, other) in enumerate(zip(*both, strict=True), start=1):
                share = float(np.linalg.norm(one - other)) / (2.0 * GAMMA)
                cells[f"stage {stage}, {name} record {number}"] = _near(share)
    return claim_on_all_cells(
        id="prop-3.1-sensitivity", **PROOFS | {"location": "Prop. 3.1, App. B", "kind": "privacy"},
        statement="(algebra) a replaced record moves the mean of clipped gradients of either stage by at most 2 gamma / n",
        quantity="change of that mean, by the code of all runs, over 2 gamma / n, p = 2, q = 3: the largest over iterates and records, opposite ones among them",
        cells=cells, criterion=at_most(1.0), changed=ADDED,
    )  # fmt: skip


def _with_first(sample: IVSample, z: Array, x: Array, y: float) -> IVSample:
    Z, X, outcomes = sample.Z.copy(), sample.X.copy(), sample.y.copy()
    Z[0], X[0], outcomes[0] = z, x, y
    return replace(sample, Z=Z, X=X, y=outcomes)


def _roots(evidence: Evidence) -> Claim:
    """Printed solutions, each put into the condition that it solves, with the forms of (22) beside each other."""
    cells, tau = {}, float(evidence.settings["tau"])
    for delta, lower, norm_of_theta in product((0.0, 0.3, 0.8), (0.01, 1.0), (1.0, 7.0)):
        window = formulas.Spectrum(delta=delta, lower=lower, upper=norm_of_theta**2)
        eps, gain = laws.error_radius(window, norm_of_theta), (1.0 + delta) ** 2
        place = f"delta = {delta:g}, glow = {lower:g}, ||Theta_hat|| = {norm_of_theta:g}"
        cells[f"(13), {place}"] = _near(eps * 2.0 * (2.0 * norm_of_theta + eps) * gain / lower)
        second = 0.5 * (math.sqrt(1.0 + lower / (2.0 * gain * norm_of_theta**2)) - 1.0)
        cells[f"(22), {place}"] = _near(second * 2.0 * norm_of_theta / eps)
    for n, q, T, rho in product((10**4, 10**6), (5, 20), (1, 100), (1.0, 10.0)):
        problem, deviation = cases.problem_at(n, 5, q, tau), math.sqrt(tau + math.log(n * T))
        level, root = (math.sqrt(q) + deviation) ** 2, math.sqrt(T / rho) / n
        later = math.sqrt(5) + math.sqrt(tau + math.log(T))
        for name, gamma, size, noise in (
            ("(32)", appendices.no_clipping_first_stage(problem, rho, T), problem.sigma_2 * level, math.sqrt(5) + math.sqrt(q) + deviation),
            ("(35)", appendices.no_clipping_second_stage(problem, rho, T), level, later),
        ):  # fmt: skip
            # Where no threshold is large enough there is no solution.
            if math.isfinite(gamma):
                right = size * (1.0 + gamma * root * noise)
                cells[f"{name}, n = {n:g}, q = {q}, T = {T}, rho = {rho:g}"] = _near(right / gamma)
    return claim_on_all_cells(
        id="proofs-solutions", **PROOFS | {"location": "App. C, App. E.1, eq. (13), (22), (32), (35)"},
        statement="(algebra) the printed eps, gamma1 and gamma2 solve the conditions that they come from, and both forms of t0 agree",
        quantity="one side of each condition over the other at the printed solution",
        cells=cells, criterion=within_of(1.0, EQUAL), changed=ADDED,
    )  # fmt: skip


def _splits(sample: IVSample, parameters: IVParameters, rng: np.random.Generator) -> Iterator[Claim]:
    """Gradients of single records at a noisy step, by the code of all runs, beside their parts in App. E.1."""
    own, Theta, beta = Moments.of(sample), parameters.Theta, parameters.beta
    Xi = 0.1 * rng.standard_normal((STEP, sample.q, sample.p))
    at, moved = appendices.first_stage_path(own, ETA, Xi)[-1], beta + rng.standard_normal(sample.p)
    E2, E1 = sample.X - sample.Z @ Theta, sample.y - sample.X @ beta
    rows = [IVSample(sample.Z[k : k + 1], sample.X[k : k + 1], sample.y[k : k + 1]) for k in range(sample.n)]
    gradients = [_sums(row, at, moved, math.inf) for row in rows]
    scores, second = sample.Z @ at, np.array([each for _, each in gradients])
    parts = (
        scores * (scores @ (moved - beta))[:, None] + scores * (sample.Z @ (at - Theta) @ beta)[:, None]
        - scores * (E2 @ beta + E1)[:, None]
    )  # fmt: skip
    apart = float(np.linalg.norm(second - parts) / np.linalg.norm(second))
    yield claim_on_all_cells(
        id="eq-33", **PROOFS | {"location": "App. E.1, eq. (33)"},
        statement="(algebra) a second-stage gradient is the sum of its parts (i) to (iii)",
        quantity="relative difference of the gradients of all records and the sums of their parts",
        cells={"all records": exactly(apart if apart > ROUNDING else 0.0)}, criterion=at_most(EQUAL), changed=ADDED,
    )  # fmt: skip
    step = np.eye(sample.q) - ETA * own.zz
    powers: list[Array] = [np.linalg.matrix_power(step, k) for k in range(STEP + 1)]
    psi, sizes = own.theta_hat - Theta, np.linalg.norm(sample.Z, axis=1)
    noise = ETA * np.sum([powers[STEP - 1 - j] @ Xi[j] for j in range(STEP)], axis=0)
    whole = np.array([np.linalg.norm(each) for each, _ in gradients])
    terms = (psi - powers[STEP] @ psi, powers[STEP] @ Theta, noise)
    split = np.array([sizes * np.linalg.norm(sample.Z @ term, axis=1) for term in terms])
    last = sizes * np.linalg.norm(E2, axis=1)
    factor = norm(powers[STEP])
    bounds = sizes**2 * np.array([
        [(1.0 + factor) * norm(psi)], [factor * norm(Theta)],
        [ETA * added(norm(powers[STEP - 1 - j]) * norm(Xi[j]) for j in range(STEP))],
    ])  # fmt: skip
    yield claim_on_all_cells(
        id="app-E.1-split", **PROOFS | {"location": "App. E.1"},
        statement="(algebra) a first-stage gradient is at most the sum of (i) to (iv), and these at most the printed products of norms",
        quantity="smaller side over the larger one: the largest over records",
        cells={
            "gradient": exactly(float((whole / (split.sum(axis=0) + last)).max())),
            **{f"({name})": exactly(float((split[k] / bounds[k]).max())) for k, name in enumerate(("i", "ii", "iii"))},
        },
        criterion=at_most(1.0), changed=ADDED,
        note="(iv) is a product of norms by itself",
    )  # fmt: skip


def _chains(sample: IVSample, parameters: IVParameters, rng: np.random.Generator) -> Claim:
    """(14), (45) and (53), the first over Theta at most eps_bar away, the last over pairs of moments."""
    own = Moments.of(sample)
    E1 = sample.y - sample.X @ parameters.beta
    H_hat = own.theta_hat.T @ own.zz @ own.theta_hat
    inverses = _inverse_norm(H_hat) * _inverse_norm(own.zz)
    chain = inverses * norm(own.zx) * norm(sample.Z.T @ E1 / sample.n)
    cells = {"(45)": exactly(norm(own.beta_hat - parameters.beta) / chain)}
    contractions, differences = [], []
    for _ in range(DRAWS):
        contractions.append(_contraction(own, rng))
        first, second = _disturbed(own, rng), _disturbed(own, rng)
        (G1, h1), (G2, h2) = _normal_equations(first), _normal_equations(second)
        one, other = _inverse_norm(G1), _inverse_norm(G2)
        bound = one * norm(h1 - h2) + one * norm(G2 - G1) * other * norm(h2)
        differences.append(norm(np.linalg.solve(G1, h1) - np.linalg.solve(G2, h2)) / bound)
    cells |= {"(14)": exactly(max(contractions)), "(53)": exactly(max(differences))}
    return claim_on_all_cells(
        id="proofs-chains", **PROOFS | {"location": "eq. (14), (45), (53)"},
        statement="(algebra) ||I - alpha H|| is at most kappa_beta within eps_bar of Theta_hat, and the distances of 2SLS to beta and between two sets of moments are at most the products of norms of (45) and (53)",
        quantity="smaller side over the larger one at the data's own norms, p = 2, q = 3: the largest over 200 draws",
        cells=cells, criterion=at_most(1.0), changed=ADDED,
    )  # fmt: skip


def _contraction(own: Moments, rng: np.random.Generator) -> float:
    """||I - alpha H|| over kappa_beta for a Theta at the distance eps_bar, at a step size that (3) admits."""
    roots = np.sqrt(np.linalg.eigvalsh(own.zz))
    H_hat = np.linalg.eigvalsh(own.theta_hat.T @ own.zz @ own.theta_hat)
    window = formulas.Spectrum(delta=float(max(1.0 - roots[0], roots[-1] - 1.0)), lower=H_hat[0], upper=H_hat[-1])
    alpha = rng.uniform(0.01, 1.0) * formulas.step_size_ceilings(window).alpha
    shift = rng.standard_normal(own.zx.shape)
    shift *= laws.error_radius(window, norm(own.theta_hat)) / norm(shift)
    Theta = own.theta_hat + shift
    kappa = formulas.contraction(window, formulas.StepSizes(0.1, alpha)).beta
    return norm(np.eye(len(H_hat)) - alpha * Theta.T @ own.zz @ Theta) / kappa


def _inverse_norm(matrix: Array) -> float:
    return 1.0 / float(np.linalg.svd(matrix, compute_uv=False)[-1])


def _disturbed(own: Moments, rng: np.random.Generator) -> Moments:
    """Moments with errors in each, those of the instruments symmetric."""
    off = 0.1 * rng.standard_normal(own.zz.shape)
    zx, zy = (values + 0.3 * rng.standard_normal(values.shape) for values in (own.zx, own.zy))
    return Moments(own.zz + off @ off.T, zx, zy)


def _normal_equations(own: Moments) -> tuple[Array, Array]:
    """G and h of Lemma F.2."""
    return own.zx.T @ own.theta_hat, own.theta_hat.T @ own.zy
