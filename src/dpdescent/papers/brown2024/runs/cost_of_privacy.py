"""Figures 2 and 8: the error that privacy costs beside the sampling error, as the sample grows."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from dpdescent.algorithms.gaussian_law import IterateLaw
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.papers.brown2024.arms import Setting, side_by_side
from dpdescent.papers.brown2024.design import Row, Spec, expected_sampling_error, sample_of, trial_stream
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one sample size: ||theta_T - theta_hat|| for every threshold, and ||theta_hat - theta*||."""
    n, p = spec["cell"]["n"], spec["cell"]["p"]
    settings = settings_of(spec)
    for trial in range(*spec["trials"]):
        sample, theta_star = sample_of(spec, p, n, trial)
        theta_hat = linear_least_squares(sample.gram)
        normals = trial_stream(spec, p, n, trial, "noise").standard_normal((spec["arms"]["T"], p))
        descent = side_by_side(sample, list(settings.values()), normals)
        # What the exact law gives without clipping, from one eigendecomposition for all thresholds.
        law = IterateLaw.of(sample.gram, eta=spec["settings"]["eta"], noise_sd=0.0)
        sampling = float(np.linalg.norm(theta_hat - theta_star))
        expected = expected_sampling_error(law, sample, spec["settings"]["noise_mean"])
        for k, (factor, setting) in enumerate(settings.items()):
            distance = replace(law, noise_sd=setting.noise_sd).expected_distance(setting.T)
            shared = {"panel": panel(spec), "n": n, "clip_factor": factor, "trial": trial}
            yield {
                **shared, "series": "privacy", "value": float(np.linalg.norm(descent.theta[0, k] - theta_hat)),
                "predicted": distance, "clip_fraction": descent.clipped[0, k],
            }  # fmt: skip
            yield {**shared, "series": "sampling", "value": sampling, "predicted": expected,
                   "clip_fraction": np.nan}  # fmt: skip


def panel(spec: Spec) -> str:
    """The figure's panel: a cell may be named `b, large n`, and belongs to b."""
    return str(spec["panel"]).split(",")[0]


def settings_of(spec: Spec) -> dict[float, Setting]:
    """DP-GD's setting for every clip factor."""
    n, p, given = spec["cell"]["n"], spec["cell"]["p"], spec["arms"]
    return {factor: Setting.of(spec, n, p, given["T"], factor) for factor in given["clip_factor"]}


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Ledger entries of one sample size."""
    place = f"{spec['variant']}: panel {panel(spec)}, n={spec['cell']['n']}"
    for factor, setting in settings_of(spec).items():
        yield f"{place}: DP-GD gamma={factor:g} sqrt(p)", setting.mechanism(), spec["settings"]["dp_delta"]
    yield f"{place}: OLS", Mechanism.without_privacy("OLS"), spec["settings"]["dp_delta"]
