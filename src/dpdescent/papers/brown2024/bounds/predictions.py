"""What the exact law of brown2024's Lemma 2.3 predicts, beside every plotted error of Figures 1, 2, 8 and 9.

Predictions bound nothing. Those at Sigma = I are closed forms that need no data; those of the exact law are computed on
each data set by the experiments. Neither knows of clipping.
"""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.brown2024.bounds import runs
from dpdescent.papers.brown2024.bounds.cases import SIGMA, Case, Experiment
from dpdescent.papers.brown2024.reading import GROWN
from dpdescent.papers.brown2024.theory import concentration, errors
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import CHANCE, chance, identity, stated
from dpdescent.replication.judging.evidence import Bound, Evidence

LAW = "Lemma 2.3"
AT_IDENTITY = "closed form at Sigma = I, a root mean square, above the mean of the norm; no clipping"
ON_DATA = "mean over the same data sets; no clipping"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates rows of every point, then the constant C and the crossings n*."""
    for artefact in runs.DIMENSION:
        yield from _dimension(runs.dimension(evidence, artefact))
    for experiment in runs.costs(evidence):
        yield from _cost(experiment)
    yield _constant_of_figure_1(runs.dimension(evidence, "fig01"))
    for experiment in runs.costs(evidence):
        yield from _constants(experiment)


def _dimension(experiment: Experiment) -> Iterator[Bound]:
    for target, form in (("theta_hat", to_theta_hat), ("theta_star", to_theta)):
        for found in each(experiment.rows(series="DP-GD", error_to=target)):
            case = experiment.case(n=found["n"], p=found["p"])
            yield from _beside(case, f"error to {target}", form(case), found, experiment.skew)
    for found in each(experiment.rows(series="OLS", error_to="theta_star")):
        yield from _least_squares(experiment.case(n=found["n"], p=found["p"]), found, experiment.skew)


def to_theta_hat(case: Case) -> float:
    """Predicted root mean square distance of the last iterate to least squares at Sigma = I."""
    at = case.setting
    return errors.error_to_theta_hat(
        n=at.n, p=at.p, rho=at.rho, T=at.T, eta=at.eta, k=case.k, start=case.estimate_norm
    )  # fmt: skip


def to_theta(case: Case) -> float:
    """Predicted root mean square distance of the last iterate to theta* at Sigma = I."""
    at = case.setting
    return errors.error_to_theta(
        n=at.n, p=at.p, rho=at.rho, T=at.T, eta=at.eta, k=case.k, sigma=SIGMA, start=case.estimate_norm
    )  # fmt: skip


def _beside(case: Case, name: str, value: float, found: pd.Series, skew: str) -> Iterator[Bound]:
    yield stated(
        bound=f"{name} at Sigma = I", location=LAW, setting=case.text, value=value, note=AT_IDENTITY + skew,
        measured=found["mean"],
    )  # fmt: skip
    yield stated(
        bound=f"{name} by the exact law", location=LAW, setting=case.text, value=found["predicted"], note=ON_DATA,
        measured=found["mean"],
    )  # fmt: skip


def _least_squares(case: Case, found: pd.Series, skew: str) -> Iterator[Bound]:
    at, name = case.setting, "error of least squares"
    value = math.sqrt(concentration.least_squares_mean_square(n=at.n, p=at.p, sigma=SIGMA))
    why = f"root of the exact mean square sigma^2 p / (n - p - 1) for isotropic covariates{skew}"
    yield stated(bound=name, location="Claim A.12", setting=case.size, value=value, note=why, measured=found["mean"])
    why = f"equality: given the same covariates; measured is the mean, {CHANCE} either way allowed"
    yield identity(
        bound=f"{name}, exact", location="Claim A.12", setting=case.size, value=found["predicted"],
        measured=found["mean"], allowed=chance(found), note=why,
    )  # fmt: skip


def _cost(experiment: Experiment) -> Iterator[Bound]:
    for case, found in runs.plotted(experiment):
        yield from _beside(case, "error to theta_hat", to_theta_hat(case), found, experiment.skew)
    rows = experiment.rows(panel=experiment.panel, series="sampling")
    for found in each(rows.drop_duplicates("n")):
        yield from _least_squares(experiment.case(n=found["n"], k=found["clip_factor"]), found, experiment.skew)


def _constant_of_figure_1(experiment: Experiment) -> Bound:
    rows = experiment.rows(series="DP-GD", error_to="theta_hat")
    cases = [(experiment.case(n=found["n"], p=found["p"]), found["mean"]) for found in each(rows[rows["p"] >= GROWN])]
    T, k = experiment.value("T"), experiment.value("clip_factor")
    text = f"Figure 1: T={T}, gamma={k:g} sqrt(p)"
    return _constant(text, errors.privacy_constant(k=k, T=T, eta=experiment.value("eta")), cases, f"p >= {GROWN}")


def _constants(experiment: Experiment) -> Iterator[Bound]:
    points = list(runs.plotted(experiment))
    T, eta, place = experiment.value("T"), experiment.value("eta"), experiment.place
    for k in sorted({float(found["clip_factor"]) for _, found in points}):
        text = f"{place}: T={T}, gamma={k:g} sqrt(p)"
        cases = [(case, found["mean"]) for case, found in points if found["clip_factor"] == k]
        yield _constant(text, errors.privacy_constant(k=k, T=T, eta=eta), cases, "n")
        yield _crossing(experiment, k)


def _constant(text: str, value: float, cases: list[tuple[Case, float]], axis: str) -> Bound:
    scaled = [mean * math.sqrt(case.setting.rho) * case.setting.n / case.setting.p for case, mean in cases]
    measured = math.exp(float(np.log(scaled).mean())) if scaled else None
    why = f"measured is the mean error times sqrt(rho) n / p, geometric mean over {axis}, what start-up leaves included"
    return stated(
        bound="C of the privacy error C p / (sqrt(rho) n)", location=LAW, setting=text, value=value, note=why,
        measured=measured,
    )  # fmt: skip


def _crossing(experiment: Experiment, k: float) -> Bound:
    p, rho, T, eta = (experiment.value(symbol) for symbol in ("p", "rho", "T", "eta"))
    value = errors.crossing(p=p, rho=rho, T=T, eta=eta, k=k, sigma=SIGMA)
    rows = experiment.rows(panel=experiment.panel, clip_factor=k)
    measured = crossing_of(rows)
    grid = f"n from {rows['n'].min():g} to {rows['n'].max():g}"
    why = "measured is where the curves cross, by log-log interpolation" if measured else f"they do not cross: {grid}"
    text = f"{experiment.place}: p={p}, T={T}, rho={rho:g}, gamma={k:g} sqrt(p)"
    return stated(
        bound=f"n* of {experiment.place}, gamma = {k:g} sqrt(p)", location="Sec. 4.1", setting=text, value=value,
        note=why, measured=measured,
    )  # fmt: skip


def crossing_of(rows: pd.DataFrame) -> float | None:
    """The n at which the privacy curve first falls to the sampling curve; None where it does not on the grid."""
    wide = rows.pivot_table(index="n", columns="series", values="mean").sort_index()
    n, height = np.log(wide.index.to_numpy(dtype=float)), np.log((wide["privacy"] / wide["sampling"]).to_numpy())
    down = np.flatnonzero((height[:-1] > 0) & (height[1:] <= 0))
    if not len(down):
        return None
    i = int(down[0])
    return math.exp(n[i] + (n[i + 1] - n[i]) * height[i] / (height[i] - height[i + 1]))
