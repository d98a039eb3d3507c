"""What DP-AMBSSGD is compared with: least squares, AdaSSP, and DP-GD with a fixed and with an adaptive threshold."""

import math
from dataclasses import replace

import numpy as np

from dpdescent.algorithms import dp_ambssgd, dp_gd
from dpdescent.baselines.ada_ssp import Bounds, BoundsSource, Calibration, ada_ssp, bounded_gram, mechanism
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.data.linear import Gram, LinearSample
from dpdescent.papers.varshney2022.arms import Choice, public_threshold
from dpdescent.papers.varshney2022.design import Array, Design, Row, Spec
from dpdescent.papers.varshney2022.theory import ambssgd, moments, privacy
from dpdescent.privacy.accounting import tight_rho
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism

OLS, ADA_SSP, ADA_SSP_TIGHT = "OLS", "AdaSSP", "AdaSSP (bound 1.2 sqrt d)"
DP_GD, DP_GD_ADAPTIVE = "DP-GD", "DP-GD (adaptive)"


def least_squares(X: Array, Y: Array) -> Array:
    """OLS for every column of labels, shape (labels, d)."""
    xx, xy = X.T @ X, Y.T @ X
    return np.stack([linear_least_squares(Gram(len(X), xx, each, math.nan)) for each in xy])


def calibration(
    spec: Spec, design: Design, N: int, sigma: float, eps: float, *, tight: bool = False,
    source: BoundsSource = "public",
) -> Calibration:  # fmt: skip
    """AdaSSP's noise for exactly (eps, delta) under replace-one, a third of the zCDP budget for each release.

    Args:
        spec: the part.
        design: the law of the records, from which public bounds |X| and |Y| are taken.
        N: number of records.
        sigma: label noise.
        eps: epsilon.
        tight: whether |X| is the setting's factor times sqrt(d), below which a good part of the records lies, and not a
            bound that holds for all N of them with high probability.
        source: whether records are clipped to the bounds.
    """
    settings, delta = spec["settings"], delta_of(spec)
    bound = settings["tight_factor"] * len(design.lam) ** 0.5 if tight else moments.norm_bound(design.lam, N)
    bounds = Bounds(bound, moments.label_bound(settings["w_norm"], sigma, N), source)
    return Calibration.zcdp_matched(bounds, tight_rho(eps, delta), delta)


def ada_ssp_clipped(X: Array, y: Array, noise: Calibration, failure: float, rng: np.random.Generator) -> Array:
    """AdaSSP on records clipped to the calibration's bounds, shape (d,)."""
    return ada_ssp(bounded_gram(LinearSample(X, y), noise.bounds), noise, rng, failure).theta


def ada_ssp_mechanism(noise: Calibration) -> Mechanism:
    """What AdaSSP releases; nobody claims an epsilon for it."""
    return replace(mechanism(noise), claimed_rho=math.inf)


def full_batch(
    spec: Spec, design: Design, X: Array, y: Array, sigma: float, eps: float, T: int, normals: Array
) -> dp_gd.Descent:  # fmt: skip
    """DP-GD with a fixed threshold on all records; normals (T, d)."""
    N = len(X)
    threshold = public_threshold(spec, design, N, sigma)
    noise_sd = mean_sensitivity(threshold, N) * privacy.gaussian_multiplier(eps, delta_of(spec)) * T**0.5
    arms = dp_gd.DPGDArms.alike(1, T, ambssgd.theorem_step(design.lam, N), threshold, noise_sd)
    return dp_gd.descend([LinearSample(X, y)], arms, normals[:, None, None, :], record=True)


def told(spec: Spec, design: Design, N: int, sigma: float, found: dp_gd.Descent) -> tuple[float, Row]:
    """Risk of the tail average of DP-GD's iterates, and the measures that go with it."""
    assert found.path is not None
    zeta, T = public_threshold(spec, design, N, sigma), len(found.path)
    risk = float(design.risk(tail_average(found.path[:, 0, 0], spec["settings"]["tail"])))
    return risk, {"T": T, "clip_fraction": float(found.clipped[0, 0]), "zeta_first": zeta, "zeta_last": zeta}


def dp_gd_mechanism(spec: Spec, design: Design, N: int, sigma: float, eps: float, T: int) -> Mechanism:
    """What DP-GD releases."""
    sensitivity = mean_sensitivity(public_threshold(spec, design, N, sigma), N)
    noise_sd = sensitivity * privacy.gaussian_multiplier(eps, delta_of(spec)) * T**0.5
    release = GaussianReleases("mean of clipped gradients", sensitivity, noise_sd, T)
    return Mechanism(
        DP_GD, (release,), "replace-one", "full batch", math.inf, "proved",
        "each step adds Gaussian noise to the mean of gradients clipped at a zeta that comes from N, H, |w*|_H and "
        "sigma, taken as known; adaptive composition over T",
    )  # fmt: skip


def adaptive_arm(spec: Spec, choice: Choice, label: int) -> dp_ambssgd.SGDArm:
    """DP-GD's arm whose threshold is DP-STAT's on all records, which every iteration meets."""
    share, alpha = spec["settings"]["stat_budget"], privacy.gaussian_multiplier(choice.eps, choice.delta)
    search = replace(choice.search, noise_multiplier=alpha * (choice.T / share) ** 0.5)
    clipping = dp_ambssgd.Adaptive(search, choice.N, choice.scale, shared=True)
    return dp_ambssgd.SGDArm(
        ambssgd.theorem_step(choice.design.lam, choice.N), alpha * (choice.T / (1.0 - share)) ** 0.5, clipping, label
    )


def adaptive_mechanism(spec: Spec, choice: Choice) -> Mechanism:
    """What DP-GD with adaptive clipping releases: counts and gradients of all records in every iteration."""
    return Mechanism(
        DP_GD_ADAPTIVE, adaptive_arm(spec, choice, 0).releases(choice.N, choice.T), "replace-one", "full batch",
        math.inf, "proved",
        "in each step L counts (sensitivity 1 each) give the threshold zeta_t, and Gaussian noise is added to the mean "
        "of gradients clipped at it; adaptive composition over T; B, L, R_x and step size come from N, H, |w*|_H and "
        "sigma, taken as known",
    )  # fmt: skip


def tail_average(path: Array, tail: float) -> Array:
    """Mean of the last part of iterates w_1, ..., w_T, shape (..., d), of a path of shape (T, ..., d)."""
    kept = tail_length(len(path), tail)
    average: Array = path[len(path) - kept :].mean(axis=0)
    return average


def tail_length(T: int, tail: float) -> int:
    """Number of iterates that are averaged, as the engine has it: one at least, and none lost to rounding."""
    return max(1, math.floor(tail * T + 1e-9))


def delta_of(spec: Spec) -> float:
    """The cell's delta, or that of the settings."""
    return float(spec["cell"].get("delta", spec["settings"]["delta"]))
