"""What liang2025's definitions and algorithms say of any data, held against a small sample by the code of all runs.

Nothing here needs a table: closed forms, the two algorithms beside each other, what an iteration draws, how noise scales,
and the notions of privacy that the paper starts from.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import norm

from dpdescent.algorithms import dp_2s_gd
from dpdescent.algorithms.two_stage_gd import Moments, final_betas
from dpdescent.baselines.friendly_core import moment_points
from dpdescent.baselines.least_squares import two_stage_least_squares
from dpdescent.data.iv import IVParameters, IVSample, draw_parameters, draw_sample
from dpdescent.papers.liang2025 import cases, setting
from dpdescent.papers.liang2025.criteria import RATE, claim, claim_on_all_cells
from dpdescent.papers.liang2025.formulas import StepSizes
from dpdescent.papers.liang2025.setting import PAPER, Arm
from dpdescent.privacy.events import GaussianReleases
from dpdescent.randomness import stream
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_most, between, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import Place
from dpdescent.replication.judging.statistics import Estimate, exactly

# Sizes of the sample: records, regressors, instruments, confounders; and the run's iterations and step sizes.
RECORDS, REGRESSORS, INSTRUMENTS, CONFOUNDERS, STEPS, SIZES = 60, 2, 3, 2, 12, StepSizes(0.4, 0.02)
# Equalities up to rounding; differences below the latter are rounding, whose digits depend on the processor.
EQUAL, ROUNDING = 1e-9, 1e-12
# A run whose noise is scaled: its threshold, budgets and number of records.
GAMMA, RHO, N = 10.0, 5.0, 1000
# Two laws on three values; orders near 1 and far out.
FIRST, SECOND, NEAR, FAR = np.array([0.5, 0.3, 0.2]), np.array([0.25, 0.35, 0.4]), 1.0 + 1e-6, 2e3
COUNTED = (
    "Until a second list of objections it was counted as the paper's, though it is algebra, which no run can decide."
)
ADDED = "Added after a review."
# Records of a large sample of the figures' design; the c0 of App. E.3 that Gaussian data need.
MANY, C0 = 20_000, 3.0
ALGORITHMS: Place = {"artefact": "bounds", "location": "Algorithm 1", "kind": "text", "source": "identity"}
PRIVACY: Place = {"artefact": "bounds", "location": "Definition A.1", "kind": "privacy", "source": "identity"}


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on estimators and algorithms, on the scales of noise, and on notions of privacy."""
    sample, parameters = _sample()
    yield from _estimators(sample)
    yield from _appendix(sample, parameters)
    yield _confounded(evidence)
    yield from _algorithms(sample)
    yield _scales()
    yield from _privacy()


def _sample() -> tuple[IVSample, IVParameters]:
    rng = stream(0, PAPER, "definitions", "data")
    parameters = draw_parameters(REGRESSORS, INSTRUMENTS, CONFOUNDERS, rng)
    return draw_sample(parameters, RECORDS, rng), parameters


def _off(difference: float) -> Estimate:
    return exactly(difference if difference > ROUNDING else 0.0)


def _apart(first: ArrayLike, second: ArrayLike) -> Estimate:
    """The relative distance of two vectors."""
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    return _off(float(np.linalg.norm(first - second) / np.linalg.norm(second)))


def fitted(Z: algebra.Array, X: algebra.Array) -> algebra.Array:
    """The regressors of the second stage: what the first stage explains of X."""
    return Z @ np.linalg.lstsq(Z, X, rcond=None)[0]


def _free(sample: IVSample, q: int) -> Estimate:
    """Dimension of the second stage's solutions with the first q instruments."""
    regressors = fitted(sample.Z[:, :q], sample.X)
    # What is no rank but rounding lies far below.
    rank = np.linalg.matrix_rank(regressors, tol=EQUAL * float(np.linalg.norm(regressors)))
    return exactly(sample.p - int(rank))


def _estimators(sample: IVSample) -> Iterator[Claim]:
    yield claim_on_all_cells(
        id="assumption-1-unique", **ALGORITHMS | {"location": "Assumption 1"},
        statement="(algebra) with drawn data, which have full rank, the 2SLS solution exists and is unique if q >= p, and is not unique if q < p",
        quantity="dimension of the second stage's solutions, less max(p - q, 0), p = 2, q = 1, 2, 3",
        cells={f"q = {q}": exactly(_free(sample, q).value - max(sample.p - q, 0)) for q in (1, 2, 3)},
        criterion=within_of(0.0, EQUAL), changed=ADDED, note="full rank of Z and X by themselves is not enough (finding assumption-1-rank)",
    )  # fmt: skip
    staged = np.linalg.lstsq(fitted(sample.Z, sample.X), sample.y, rcond=None)[0]
    cross = sample.X.T @ sample.Z @ np.linalg.inv(sample.Z.T @ sample.Z)
    printed = np.linalg.solve(cross @ sample.Z.T @ sample.X, cross @ sample.Z.T @ sample.y)
    fit = two_stage_least_squares(sample)
    yield claim_on_all_cells(
        id="eq-2-closed-form", **ALGORITHMS | {"location": "Sec. 2.2, eq. (2), Definition 2.3"},
        statement="(algebra) the bi-level least squares problem has the closed form 2SLS solution",
        quantity="relative difference from the printed formula of two least squares fits one after the other, of the estimator that all runs are compared with, and of the one from moments",
        cells={"two fits": _apart(staged, printed), "estimator": _apart(fit.beta, printed), "from moments": _apart(Moments.of(sample).beta_hat, printed)},
        criterion=at_most(EQUAL), changed=COUNTED,
    )  # fmt: skip


def _appendix(sample: IVSample, parameters: IVParameters) -> Iterator[Claim]:
    own, Theta, beta = Moments.of(sample), parameters.Theta, parameters.beta
    E2, E1 = sample.X - sample.Z @ Theta, sample.y - sample.X @ beta
    first = own.zz @ (own.theta_hat - Theta) @ own.beta_hat + own.zz @ Theta @ (own.beta_hat - beta)
    yield claim(
        id="eq-50", **ALGORITHMS | {"location": "App. E.8, eq. (50)"},
        statement="(algebra) Z'r = Z'Z (Theta_hat - Theta) beta_hat + Z'Z Theta (beta_hat - beta) - Z'(E2 beta + E1)",
        quantity="relative difference of both sides", measured=_apart(first - sample.Z.T @ (E2 @ beta + E1) / sample.n, own.residual),
        criterion=at_most(EQUAL), changed=ADDED,
    )  # fmt: skip
    zz, H_hat = np.linalg.eigvalsh(own.zz), np.linalg.eigvalsh(own.theta_hat.T @ own.zz @ own.theta_hat)
    fitted, true = (np.linalg.svd(values, compute_uv=False) for values in (own.theta_hat, Theta))
    error = float(np.linalg.norm(own.theta_hat - Theta, 2))
    yield claim_on_all_cells(
        id="app-E.6-inequalities", **ALGORITHMS | {"location": "App. E.6, eq. (39), (41), (44)"},
        statement="(algebra) eigenvalues of H_hat lie between those of Z'Z/n times squared singular values of Theta_hat, and these within ||Psi|| of those of Theta",
        quantity="smaller side over the larger one",
        cells={
            "(39)": exactly(zz[0] * fitted[-1] ** 2 / H_hat[0]),
            "(41)": exactly((true[-1] - error) / fitted[-1]),
            "(44)": exactly(H_hat[-1] / (zz[-1] * fitted[0] ** 2)),
            "(44), second line": exactly(fitted[0] / (true[0] + error)),
        },
        criterion=at_most(1.0), changed=ADDED,
    )  # fmt: skip
    # A sum of n products of standard normals has the transform (1 - u^2)^(-n/2), here at u = 1/(2 sqrt n).
    levels = np.linspace(0.0, 60.0, 601)
    tails = {
        f"n = {n:g}": np.minimum(1.0, 2.0 * np.exp(-levels / 2.0 - n / 2.0 * math.log1p(-1.0 / (4.0 * n))))
        for n in (1.0, 10.0, 1e3, 1e6)
    }
    yield claim_on_all_cells(
        id="app-E.3-tails", **ALGORITHMS | {"location": "App. E.3"},
        statement="(algebra) entries of Z'E2 exceed tau with probability at most 2 exp(-tau / (c0 sigma_z sigma_2 sqrt(n))), here for Gaussian data at c0 = 3",
        quantity="Chernoff's bound on that probability over it, the largest over tau up to 60 sqrt(n), n = 1 to 1e6",
        cells={name: exactly(float(np.max(tail / (2.0 * np.exp(-levels / C0))))) for name, tail in tails.items()},
        criterion=at_most(1.0), changed=ADDED,
    )  # fmt: skip


def _confounded(evidence: Evidence) -> Claim:
    """The covariance of both errors in data as the experiments draw them, which is that of their confounder."""
    parameters = cases.case(evidence, cases.FIGURE_3A, n=MANY).parameters
    sample = draw_sample(parameters, MANY, stream(0, PAPER, "definitions", "confounded"))
    E2, E1 = sample.X - sample.Z @ parameters.Theta, sample.y - sample.X @ parameters.beta
    shared = parameters.Phi.T @ parameters.phi
    return claim(
        id="sec-4.1-correlated", **ALGORITHMS | {"location": "Sec. 4.1"},
        statement="(algebra) the errors of x and y are correlated through the confounder, with covariance Phi'phi",
        quantity=f"part of Phi'phi in the sample covariance of the errors of {MANY:g} records of Figure 3(a)'s design",
        measured=exactly(float(shared @ (E2.T @ E1) / MANY / (shared @ shared))), criterion=within_of(1.0, RATE), changed=ADDED,
        note=f"correlations of eps1 with the entries of eps2: {', '.join(f'{value:.2f}' for value in shared / np.sqrt((np.square(parameters.Phi).sum(axis=0) + 1.0) * (parameters.phi @ parameters.phi + 1.0)))}",
    )  # fmt: skip


def _algorithms(sample: IVSample) -> Iterator[Claim]:
    arm = Arm("DP-2S-GD", STEPS, math.inf, math.inf, SIZES, math.inf)
    normals = dp_2s_gd.Normals.draw(stream(0, PAPER, "definitions", "normals"), STEPS, sample.p, sample.q)
    (beta,) = dp_2s_gd.descend(sample, setting.columns([arm], sample.n), normals).beta
    (exact,) = final_betas(sample, [STEPS], SIZES.eta, SIZES.alpha)
    yield claim(
        id="algorithm-1-without-noise", **ALGORITHMS | {"location": "Algorithm 1, Corollary 3.1"},
        statement="(algebra) with no noise and no active clipping Algorithm 1 reduces to Algorithm 2",
        quantity=f"relative difference of beta^({STEPS}) of both algorithms on the same data, by the code of either",
        measured=_apart(beta, exact), criterion=at_most(EQUAL), changed=COUNTED,
    )  # fmt: skip
    drawn = normals.stage1.size + normals.stage2.size
    yield claim(
        id="algorithm-1-draws", **ALGORITHMS,
        statement="(algebra) one iteration uses all n gradients of both stages and draws pq + p Gaussian numbers",
        quantity="numbers drawn in a run over T (pq + p), by the code that draws them",
        measured=exactly(drawn / (STEPS * (sample.p * sample.q + sample.p))), criterion=within_of(1.0, EQUAL), changed=COUNTED,
        note="that all gradients are used is claim algorithm-1-without-noise, as Algorithm 2 uses all",
    )  # fmt: skip
    private = replace(arm, rho1=RHO, rho2=RHO, gamma=GAMMA)
    releases = [
        release.count
        for release in setting.mechanism(private, sample.n).releases
        if isinstance(release, GaussianReleases)
    ]
    yield claim(
        id="app-C-releases", **ALGORITHMS | {"location": "App. C", "kind": "privacy"},
        statement="(algebra) the accountant composes 2T Gaussian releases",
        quantity="releases in the ledger of a run over 2T", measured=exactly(int(np.sum(releases)) / (2 * STEPS)),
        criterion=within_of(1.0, EQUAL), changed=COUNTED,
    )  # fmt: skip
    p, q = sample.p, sample.q
    yield claim(
        id="app-F.2-dimension", **ALGORITHMS | {"location": "App. F.2"},
        statement="(algebra) the stacked moment vector has dimension d = q^2 + pq + q",
        quantity="numbers in a moment vector of the implementation over that", measured=exactly(moment_points(sample).shape[1] / (q * q + p * q + q)),
        criterion=within_of(1.0, EQUAL), changed=COUNTED,
    )  # fmt: skip


def _scales() -> Claim:
    arm = Arm("DP-2S-GD", STEPS, RHO, RHO, SIZES, GAMMA)

    def power(changed: Arm, rho: float, n: int, factor: float) -> float:
        return math.log(changed.noise_sd(rho, n) / arm.noise_sd(RHO, N)) / math.log(factor)

    # Noise that follows the root of n, or no T, is refused.
    return claim_on_all_cells(
        id="remark-3.1-scales", **ALGORITHMS | {"location": "Remark 3.1, Prop. 3.1"},
        statement="(algebra) noise scales grow in proportion to gamma and sqrt(T), and fall as 1/n and 1/sqrt(rho)",
        quantity="exponent of the noise sd that runs receive and the ledger lists, less the printed one, in gamma, T, n and rho",
        cells={
            name: exactly(round(found - printed, 12))
            for name, found, printed in (
                ("gamma", power(replace(arm, gamma=4.0 * GAMMA), RHO, N, 4.0), 1.0),
                ("T", power(replace(arm, T=4 * STEPS), RHO, N, 4.0), 0.5),
                ("n", power(arm, RHO, 4 * N, 4.0), -1.0),
                ("rho", power(arm, 4.0 * RHO, N, 4.0), -0.5),
            )
        },
        criterion=within_of(0.0, RATE), changed=COUNTED,
    )  # fmt: skip


def renyi(first: algebra.Array, second: algebra.Array, alpha: float) -> float:
    """The Renyi divergence of order alpha of a discrete law from another one."""
    logs = alpha * np.log(first) + (1.0 - alpha) * np.log(second)
    return float(np.logaddexp.reduce(logs) / (alpha - 1.0))


def _privacy() -> Iterator[Claim]:
    ratios = np.log(FIRST / SECOND)
    limits = {"alpha to 1": (NEAR, float(FIRST @ ratios)), "alpha to infinity": (FAR, float(ratios.max()))}
    yield claim_on_all_cells(
        id="def-A.1-limits", **PRIVACY,
        statement="(algebra) the Renyi divergence tends to that of Kullback and Leibler as alpha -> 1, and to the logarithm of the largest likelihood ratio as alpha -> infinity",
        quantity=f"Renyi divergence of two laws on three values at alpha = 1 + 1e-6 and {FAR:g}, over the limit",
        cells={name: exactly(renyi(FIRST, SECOND, alpha) / limit) for name, (alpha, limit) in limits.items()},
        criterion=within_of(1.0, 1e-3), changed=COUNTED,
    )  # fmt: skip
    # The privacy loss of Gaussian noise is normal with mean rho and variance 2 rho: k sd above it eps is rho + k sqrt(2 rho).
    tails = {f"{k:g} sd": exactly(float(norm.sf(k)) / math.exp(-(k**2) / 2.0)) for k in (0.0, 0.5, 1.0, 2.0, 4.0, 8.0)}
    yield claim_on_all_cells(
        id="sec-2.1-concentration", **PRIVACY | {"location": "Sec. 2.1"},
        statement="(algebra) the privacy loss of Gaussian noise, a zCDP mechanism, is concentrated like a sub-Gaussian variable",
        quantity="exact probability that the loss of Gaussian noise exceeds eps over exp(-(eps - rho)^2/(4 rho)), which is free of rho: the largest over eps",
        cells=tails, criterion=at_most(1.0), changed=COUNTED,
    )  # fmt: skip
    compositions = {
        **{f"total {total:g}, T = {T:g}": _advanced_over_concentrated(total / math.sqrt(T), T) for total in (0.1, 3.0, 10.0) for T in (1e6, 1e8)},
        **{f"eps = 0.1 a release, T = {T:g}": _advanced_over_concentrated(0.1, T) for T in (1e6, 1e8)},
    }  # fmt: skip
    # Composition that adds up epsilons has a ratio that grows as sqrt(T).
    yield claim_on_all_cells(
        id="footnote-1-advanced", **PRIVACY | {"location": "Sec. 2.1, footnote 1"},
        statement="(algebra) advanced composition of (eps, delta)-DP matches zCDP composition asymptotically, to within a factor that tends to 2 where the whole is large",
        quantity="epsilon of T releases by advanced composition over that by zCDP, at a fixed sqrt(T) eps of a release and at a fixed eps: the furthest off",
        cells=compositions, criterion=between(1.0, 2.1, words="between 1 and 2.1"),
        changed=f"{COUNTED} It was judged where the whole is small, at which both agree within a hundredth.", note=algebra.places_text(compositions),
    )  # fmt: skip


def _advanced_over_concentrated(eps: float, T: float, delta: float = 1e-5) -> Estimate:
    """The epsilon of T releases by advanced composition over the one by zCDP, at eps^2/2 for each release."""
    log = math.log(1.0 / delta)
    advanced = eps * math.sqrt(2.0 * T * log) + T * eps * math.expm1(eps)
    concentrated = 0.5 * T * eps**2 + 2.0 * math.sqrt(0.5 * T * eps**2 * log)
    return exactly(advanced / concentrated)
