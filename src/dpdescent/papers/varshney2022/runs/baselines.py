"""Runs of what DP-AMBSSGD is compared with on the same records: least squares, AdaSSP and DP-GD."""

import math

import numpy as np

from dpdescent.algorithms import dp_gd
from dpdescent.algorithms.dp_ambssgd import tail_length
from dpdescent.baselines import ada_ssp
from dpdescent.baselines.ada_ssp import Calibration
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.data.linear import Gram, LinearSample
from dpdescent.papers.varshney2022.arms import Arm
from dpdescent.papers.varshney2022.design import Array, Design, Row, Spec

# Measures of least squares and AdaSSP, which have no iterations and no clipping threshold.
NO_STEPS: Row = dict.fromkeys(("T", "clip_fraction", "zeta_first", "zeta_last"), math.nan)


def least_squares(X: Array, Y: Array) -> Array:
    """Returns the least-squares estimates for every column of labels, shape (labels, d)."""
    xx, xy = X.T @ X, Y.T @ X
    return np.stack([linear_least_squares(Gram(len(X), xx, each, math.nan)) for each in xy])


def wishart_gram(design: Design, N: int, sigma: float, rng: np.random.Generator) -> Gram:
    """Draws X'X and X'y of N normal records from their law, without records, so that none can be clipped."""
    return ada_ssp.wishart_gram(design.w_star, N, rng, root=np.diag(np.sqrt(design.lam)), sigma=sigma)


def ada_ssp_on_records(
    arm: Arm[Calibration], X: Array, y: Array, failure: float, rng: np.random.Generator
) -> Array:  # fmt: skip
    """Runs AdaSSP on records clipped to the arm's bounds; the estimate has shape (d,)."""
    return ada_ssp_on_sums(arm, ada_ssp.bounded_gram(LinearSample(X, y), arm.settings.bounds), failure, rng)


def ada_ssp_on_sums(arm: Arm[Calibration], gram: Gram, failure: float, rng: np.random.Generator) -> Array:
    """Runs AdaSSP on X'X and X'y as they are; the estimate has shape (d,)."""
    return ada_ssp.ada_ssp(gram, arm.settings, rng, failure).theta


def full_batch(
    spec: Spec, design: Design, arm: Arm[dp_gd.DPGDArms], X: Array, y: Array, normals: Array
) -> tuple[float, Row]:
    """Runs DP-GD with a fixed threshold and normals (T, d): risk of the tail average, and the measures of the run."""
    found = dp_gd.descend([LinearSample(X, y)], arm.settings, normals[:, None, None, :], record=True)
    assert found.path is not None
    average, zeta = tail_average(found.path[:, 0, 0], spec["settings"]["tail"]), float(arm.settings.gamma[0])
    measures = {"clip_fraction": float(found.clipped[0, 0]), "zeta_first": zeta, "zeta_last": zeta}
    return float(design.risk(average)), {"T": arm.settings.steps, **measures}


def tail_average(path: Array, tail: float) -> Array:
    """Returns the mean of the last share of iterates w_1, ..., w_T, shape (..., d), of a path of shape (T, ..., d)."""
    average: Array = path[len(path) - tail_length(tail, len(path)) :].mean(axis=0)
    return average
