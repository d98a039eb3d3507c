"""Figures 2 and 8: privacy error beside sampling error, against the sample size."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from dpdescent.algorithms.gaussian_law import IterateLaw
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.papers.brown2024.arms import Setting, side_by_side
from dpdescent.papers.brown2024.design import Row, Spec, expected_sampling_error, sample_of, trial_stream
from dpdescent.papers.brown2024.runs.normality import LEVEL, levels
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one sample size: ||theta_T - theta_hat|| and level by threshold, and ||theta_hat - theta*||."""
    n, p = spec["cell"]["n"], spec["cell"]["p"]
    settings = settings_of(spec)
    for trial in range(*spec["trials"]):
        sample, theta_star = sample_of(spec, p, n, trial)
        theta_hat = linear_least_squares(sample.gram)
        normals = trial_stream(spec, p, n, trial, "noise").standard_normal((spec["arms"]["T"], p))
        descent = side_by_side(sample, list(settings.values()), normals)
        # Law of the iterates without clipping: one eigendecomposition serves all thresholds.
        law = IterateLaw.of(sample.gram, eta=spec["settings"]["eta"], noise_sd=0.0)
        sampling = float(np.linalg.norm(theta_hat - theta_star))
        expected = expected_sampling_error(law, sample, spec["settings"]["noise_mean"])
        for k, (factor, setting) in enumerate(settings.items()):
            noisy = replace(law, noise_sd=setting.noise_sd)
            shared = {"panel": panel(spec), "n": n, "clip_factor": factor, "trial": trial}
            yield {
                **shared, "series": "privacy", "value": float(np.linalg.norm(descent.theta[0, k] - theta_hat)),
                "predicted": noisy.expected_distance(setting.T), "clip_fraction": descent.clipped[0, k],
            }  # fmt: skip
            yield {
                **shared, "series": LEVEL, "value": float(levels(noisy, setting.T, descent.theta[0, k])),
                "predicted": np.nan, "clip_fraction": descent.clipped[0, k],
            }  # fmt: skip
            yield {**shared, "series": "sampling", "value": sampling, "predicted": expected,
                   "clip_fraction": np.nan}  # fmt: skip


def panel(spec: Spec) -> str:
    """Returns the panel of the figure that the cell belongs to; a cell named `b, large n` belongs to b."""
    return str(spec["panel"]).split(",")[0]


def settings_of(spec: Spec) -> dict[float, Setting]:
    """Returns the setting of DP-GD for every clip factor."""
    n, p, given = spec["cell"]["n"], spec["cell"]["p"], spec["arms"]
    return {factor: Setting.of(spec, n, p, given["T"], factor) for factor in given["clip_factor"]}


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one sample size."""
    place = f"{spec['variant']}: panel {panel(spec)}, n={spec['cell']['n']}"
    for factor, setting in settings_of(spec).items():
        yield f"{place}: DP-GD gamma={factor:g} sqrt(p)", setting.mechanism(), spec["settings"]["dp_delta"]
    yield f"{place}: OLS", Mechanism.without_privacy("OLS"), spec["settings"]["dp_delta"]
