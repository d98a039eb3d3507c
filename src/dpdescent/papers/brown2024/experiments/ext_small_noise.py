"""Theorem 2.7 as sigma -> 0, where gamma and lambda shrink with sigma and the number of steps does not."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms import dp_gd
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.papers.brown2024.arms import Setting
from dpdescent.papers.brown2024.design import Row, Spec, sample_of, trial_stream
from dpdescent.papers.brown2024.theory.accuracy import accuracy_bound, theorem_setting
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of every sigma and c: distance to theta_hat at the theorem's setting, and the bound with c' = 1."""
    n, p, settings = spec["cell"]["n"], spec["cell"]["p"], spec["settings"]
    for trial in range(*spec["trials"]):
        for sigma, c, setting in settings_of(spec):
            sample, _ = sample_of(spec, p, n, trial, sigma)
            target = linear_least_squares(sample.gram)
            normals = trial_stream(spec, p, n, trial, "noise").standard_normal((setting.T, 1, 1, p))
            descent = dp_gd.descend([sample], setting.arms(1), normals)
            # From theta = 0 the first step's residuals are the labels.
            first = float((np.abs(sample.y) > setting.gamma / sample.norms).mean())
            yield {
                "sigma": sigma, "c": c, "series": "DP-GD", "trial": trial,
                "value": float(np.linalg.norm(descent.theta[0, 0] - target)),
                "bound": accuracy_bound(n=n, p=p, rho=settings["rho"], sigma=sigma, beta=settings["beta"]),
                "T": setting.T, "clipped_at_start": first, "clip_fraction": descent.clipped[0, 0],
            }  # fmt: skip


def settings_of(spec: Spec) -> Iterator[tuple[float, float, Setting]]:
    """Yields the setting that Theorem 2.7 prescribes for every sigma and constant c."""
    n, p, settings = spec["cell"]["n"], spec["cell"]["p"], spec["settings"]
    for sigma in spec["arms"]["sigma"]:
        for c in spec["arms"]["c"]:
            yield (
                sigma,
                c,
                theorem_setting(n=n, p=p, rho=settings["rho"], sigma=sigma, beta=settings["beta"], constant=c),
            )


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of each sigma and c; sigma counts as known, as in the theorem."""
    for sigma, c, setting in settings_of(spec):
        yield f"{spec['variant']}: DP-GD sigma={sigma:g} c={c:g}", setting.mechanism(), spec["settings"]["dp_delta"]
