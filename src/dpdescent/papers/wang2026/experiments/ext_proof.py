"""Lemmas of wang2026's proofs one by one: each measured quantity over what bounds it, at the start and along runs."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.checks import as_list
from dpdescent.models.kan import logistic_slope
from dpdescent.papers.wang2026.design import Array, Row, Size, Spec, kan_of, value
from dpdescent.papers.wang2026.runs import coupled, diagnostics, explicit_run, lemma_events, lemma_steps, training
from dpdescent.papers.wang2026.runs.diagnostics import Seed
from dpdescent.papers.wang2026.theory import margin
from dpdescent.papers.wang2026.theory.constants import Constants
from dpdescent.privacy.events import Mechanism

# Columns that not every panel has.
BLANK: Row = dict.fromkeys(
    (
        "T", "B", "r", "p", "lam", "accountant", "relation", "sampler", "precondition", "C_clip", "eta", "kappa",
        "constants", "place", "factor", "admitted", "clipped", "checks", "growth", "condition", "distance", "gamma",
    ),
    np.nan,
)  # fmt: skip
GRADIENT, G_DELTA = "largest gradient", "G_delta"
NEGATIVE, SELF_BOUND = "Lemma B.7, negative curvature over nu L", "Lemma B.7, |grad|^2 over 4 beta L"
ALONG = "L_S(W_0 + tau u)"
GRAM, TWICE, SINGULAR = "margin over sqrt(lambda_min/n)", "margin, a record twice", "lambda_min, a record twice"


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel.

    Raises:
        ValueError: if there is no such panel.
    """
    panels = {
        "starts": _starts, "kernel": _kernel, "direction": _direction, "curvature": _curvature,
        "events": lemma_events.rows,
        "steps": lemma_steps.rows, "neighbours": coupled.rows, "explicit": explicit_run.rows,
    }  # fmt: skip
    kind = spec["panel"].split(",")[0]
    if kind not in panels:
        raise ValueError(f"panel={spec['panel']!r} begins with none of {list(panels)}")
    for row in panels[kind](spec):
        yield {**BLANK, **row}


def _starts(spec: Spec) -> Iterator[Row]:
    """Yields the largest gradient at random starts, and the bound on it, by dimension and number of basis functions."""
    for d in as_list(spec["cell"]["d"]):
        for cells in as_list(spec["cell"]["spline_cells"]):
            own = {**spec, "cell": spec["cell"] | {"d": d, "spline_cells": cells}}
            for trial in range(*spec["trials"]):
                yield from _start(own, Seed(own, trial, spec["cell"]["n"]))


def _start(spec: Spec, seed: Seed) -> Iterator[Row]:
    kan, H = kan_of(spec), seed.problem.features[0]
    largest = float(np.sqrt((np.vecdot(seed.factors, seed.factors) * np.vecdot(H, H)).max()))
    bound = Constants.paper(kan.splines).gradient_bound(kan.width, float(value(spec, "delta_conf")))
    base = {
        "panel": spec["panel"], "n": seed.n, "m": kan.width, "d": kan.inputs, "p": kan.splines.count,
        "trial": seed.trial,
    }  # fmt: skip
    yield {**base, "series": GRADIENT, "value": largest}
    yield {**base, "series": G_DELTA, "value": bound}


def _kernel(spec: Spec) -> Iterator[Row]:
    """Yields the margin beside the least eigenvalue of the tangent kernel, also with a record that is repeated."""
    for trial in range(*spec["trials"]):
        seed = Seed(spec, trial, spec["cell"]["n"])
        H, S, y = seed.problem.features[0], seed.factors, seed.problem.labels[0]
        least = _least(H, S)
        again = np.append(np.arange(seed.n), 0)
        base = {"panel": spec["panel"], "n": seed.n, "m": value(spec, "m"), "d": value(spec, "d"), "trial": trial}
        twice = margin.margin(H[again], S[again], y[again]).value
        values = {
            GRAM: seed.margin.value / (least / seed.n) ** 0.5, TWICE: twice,
            SINGULAR: _least(H[again], S[again]) / float(np.trace(margin.kernel(H, S))),
        }  # fmt: skip
        for series, number in values.items():
            yield {**base, "series": series, "value": number}


def _least(features: Array, factors: Array) -> float:
    return float(np.linalg.eigvalsh(margin.kernel(features, factors))[0])


def _direction(spec: Spec) -> Iterator[Row]:
    """Yields the risk at steps along the margin's direction, in units of Lemma C.12's distance with constant 1."""
    T = int(spec["cell"]["T"])
    for trial in range(*spec["trials"]):
        seed = Seed(spec, trial, spec["cell"]["n"])
        unit = margin.radius(seed.margin.value, seed.n, T, float(value(spec, "delta_conf")))
        for factor in as_list(value(spec, "factor")):
            yield {
                "panel": spec["panel"], "n": seed.n, "T": T, "m": value(spec, "m"), "d": value(spec, "d"),
                "factor": factor, "distance": factor * unit, "gamma": seed.margin.value, "trial": trial,
                "series": ALONG, "value": seed.along_margin(factor * unit).loss,
            }  # fmt: skip


def _curvature(spec: Spec) -> Iterator[Row]:
    """Yields the least eigenvalue of the risk's Hessian, and its squared gradient, at the start and after training."""
    for trial in range(*spec["trials"]):
        seed = Seed(spec, trial, spec["cell"]["n"])
        start, end = seed.problem.start[0], seed.trained.weights
        for place, share in (("start", 0.0), ("half way", 0.5), ("end", 1.0)):
            W = start + share * (end - start)
            losses, gradients = seed.loss_and_gradient(W[None])
            loss, squared = float(losses[0]), float(np.sum(gradients[0] ** 2))
            least = least_eigenvalue(hessian(seed, W))
            for constants in (diagnostics.PAPER, diagnostics.SHARP):
                known = seed.bounds(constants)
                base = {
                    "panel": spec["panel"], "n": seed.n, "m": value(spec, "m"), "d": value(spec, "d"),
                    "constants": constants, "place": place, "trial": trial,
                }  # fmt: skip
                yield {**base, "series": NEGATIVE, "value": -least / (known.hessian * loss)}
                yield {**base, "series": SELF_BOUND, "value": squared / (4.0 * known.beta * loss)}


def least_eigenvalue(symmetric: Array) -> float:
    """Returns the least eigenvalue; 0 where it is within rounding of 0, because its digits depend on the processor."""
    found = np.linalg.eigvalsh(symmetric)
    rounding = len(found) * np.finfo(np.float64).eps * np.abs(found).max()
    return float(found[0]) if abs(found[0]) > rounding else 0.0


def hessian(seed: Seed, W: Array) -> Array:
    """Returns the Hessian of L_S at W of shape (m, d p), as one matrix of order m d p."""
    p = seed.problem
    H, y, width = p.features[0], p.labels[0], p.kan.width
    f, S = (each[0] for each in p.kan.outputs_and_factors(W[None], p.features, p.heads))
    bend = p.kan.curvature(W[None], p.features, p.heads)[0] / (p.kan.inputs * width**0.5)
    slope = logistic_slope(y * f)
    gradients = (S[:, :, None] * H[:, None, :]).reshape(len(y), -1)
    whole = (gradients * (-slope * (1.0 + slope) / len(y))[:, None]).T @ gradients
    size = H.shape[1]
    for unit in range(width):
        block = (H * (slope * y * bend[:, unit] / len(y))[:, None]).T @ H
        whole[unit * size : (unit + 1) * size, unit * size : (unit + 1) * size] += block
    return np.asarray(whole)


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of the runs with noise of a panel; diagnostics, whose noise has fixed multipliers."""
    kind = spec["panel"].split(",")[0]
    if kind == "explicit":
        return explicit_run.releases(spec)
    if kind not in ("events", "steps", "neighbours"):
        return ()
    size = Size.of(spec)
    made = diagnostics.arms(spec, float(value(spec, "C_clip")))
    return training.entries(spec, made, f" m={value(spec, 'm')} d={value(spec, 'd')} n={size.n}")
