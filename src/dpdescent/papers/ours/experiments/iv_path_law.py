"""The law of DP-2S-GD's path beside simulations: its autocorrelation, and how far the path's mean is drawn to zero."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms import dp_2s_gd
from dpdescent.algorithms.two_stage_law import path_law
from dpdescent.baselines.least_squares import two_stage_least_squares
from dpdescent.data.iv import IVSample
from dpdescent.papers.ours.design import PAPER, Array, Row, Spec
from dpdescent.papers.ours.experiments.iv_coverage import TWO_STAGES, thresholds
from dpdescent.papers.ours.iv_design import Design, cells, draw, value
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism
from dpdescent.randomness import stream

MEAN, NAIVE, CORRELATION = "relative move of the mean", "relative move, naive", "autocorrelation at lag {}"
# What stands beside a series by data set: measured less predicted.
GAP = "{}: less the law's"


def settings_of(spec: Spec, design: Design) -> dp_2s_gd.TwoStageArms:
    """Returns the settings of all runs on a data set: half of the budget a stage, the oracle's thresholds."""
    given, runs, strength = spec["settings"], spec["arms"]["runs"], design.strength
    gamma, steps = thresholds(spec, design, oracle=True), spec["arms"]["steps"]
    # The second stage is in the units of the fitted regressors, whose scale the oracle knows.
    gammas = gamma.gamma1, gamma.gamma2 * strength
    sds = [zcdp.gaussian_noise_sd(mean_sensitivity(each, design.n), 0.5 * design.rho, steps) for each in gammas]
    largest = float(np.linalg.eigvalsh(design.second_moment)[-1])
    values = given["eta1"] / largest, given["alpha2"] / strength**2, *gammas, *sds
    return dp_2s_gd.TwoStageArms(np.full(runs, steps), *(np.full(runs, each) for each in values))


def run(spec: Spec) -> Iterator[Row]:
    """Yields what runs on each data set show, and what the law predicts."""
    for cell in cells(spec):
        yield from _cell(cell)


def _cell(spec: Spec) -> Iterator[Row]:
    design = Design.of(spec)
    axes = {name: value(spec, name) for name in ("n", "q", "F", "rho", "instruments")}
    arms = settings_of(spec, design)
    for trial in range(*spec["trials"]):
        sample = draw(spec, design, trial)
        eta, alpha, lambda1, lambda2 = (
            float(getattr(arms, name)[0]) for name in ("eta", "alpha", "lambda1", "lambda2")
        )  # fmt: skip
        law = path_law(sample, eta=eta, alpha=alpha, lambda1=lambda1, lambda2=lambda2)
        paths, clipped = _paths(spec, design, sample, arms, trial)
        beta = float(two_stage_least_squares(sample).beta[0])
        told = {"panel": spec["panel"], **axes, "trial": trial, "clip_fraction": clipped,
                "tau_over_H": law.noise_over_signal}  # fmt: skip
        moved = float(paths.mean() / beta - 1.0)
        found = {MEAN: (moved, law.attenuation), NAIVE: (moved, -law.noise_over_signal)}
        centred = paths - paths.mean(0)
        for lag in spec["arms"]["lags"]:
            measured = float(np.mean(centred[lag:] * centred[:-lag]) / np.mean(centred**2))
            found[CORRELATION.format(lag)] = measured, law.autocorrelation(lag)
        for series, (measured, predicted) in found.items():
            yield {**told, "series": series, "value": measured, "predicted": predicted}
            yield {**told, "series": GAP.format(series), "value": measured - predicted, "predicted": predicted}


def _paths(
    spec: Spec, design: Design, sample: IVSample, arms: dp_2s_gd.TwoStageArms, trial: int
) -> tuple[Array, float]:  # fmt: skip
    """Paths of beta after the burn-in, shape (steps, runs), and the share of clipped second-stage gradients."""
    size = f"n={design.n}_p={design.p}_q={design.q}"
    rng = stream(spec["seed"], PAPER, "path law", size, "trial", trial, "noise")
    steps, runs = int(arms.steps[0]), len(arms.steps)
    shapes = (steps, runs, 1, design.q), (steps, runs, 1)
    out = dp_2s_gd.descend(sample, arms, dp_2s_gd.Normals(*map(rng.standard_normal, shapes)), record=True)
    assert out.beta_path is not None
    return out.beta_path[1 + spec["arms"]["burn_in"] :, :, 0], float(out.clipped2.mean())


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of a panel; runs of a cell are alike."""
    for cell in cells(spec):
        design = Design.of(cell)
        arm = settings_of(cell, design)
        stages = tuple(
            GaussianReleases(what, mean_sensitivity(float(gamma[0]), design.n), float(noise[0]), int(arm.steps[0]))
            for what, gamma, noise in (
                ("first-stage clipped mean gradient", arm.gamma1, arm.lambda1),
                ("second-stage clipped mean gradient", arm.gamma2, arm.lambda2),
            )
        )
        place = " ".join(f"{name}={each}" for name, each in cell["cell"].items())
        reason = f"{TWO_STAGES}; thresholds and step sizes know the design that the data are drawn from, and no data"
        event = Mechanism("DP-2S-GD", stages, "replace-one", "full batch", float("inf"), "proved", reason)
        yield f"{cell['variant']}: {cell['panel']}, {place}: DP-2S-GD", event, cell["settings"]["dp_delta"]
