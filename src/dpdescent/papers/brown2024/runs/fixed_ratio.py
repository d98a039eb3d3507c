"""Figures 1 and 9: error against the dimension at fixed p/n, for DP-GD, least squares and AdaSSP."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from dpdescent.algorithms.gaussian_law import IterateLaw
from dpdescent.baselines.ada_ssp import Bounds, Calibration, ada_ssp, bounded_gram, mechanism
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.data.linear import LinearSample
from dpdescent.papers.brown2024.arms import Setting, side_by_side
from dpdescent.papers.brown2024.design import Array, Row, Spec, expected_sampling_error, sample_of, trial_stream
from dpdescent.papers.brown2024.runs.normality import LEVEL, levels
from dpdescent.privacy import zcdp
from dpdescent.privacy.events import Mechanism

# Size of the data set whose maxima the ledger shows.
SHOWN = 2000
OWN_MAXIMA = "every trial takes the maxima of its own records as bounds; the noise is the same multiple of them in all"

ADA_SSP = ("AdaSSP", "AdaSSP (public bounds)", "AdaSSP (zCDP-matched)")


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one dimension: distance of every estimate to theta* and to theta_hat, and DP-GD's level."""
    p, n = spec["cell"]["p"], spec["cell"]["p"] * spec["arms"]["n_over_p"]
    setting = setting_of(spec, n, p)
    for trial in range(*spec["trials"]):
        yield from _trial(spec, setting, trial)


def _trial(spec: Spec, setting: Setting, trial: int) -> Iterator[Row]:
    p, n = setting.p, setting.n
    sample, theta_star = sample_of(spec, p, n, trial)
    theta_hat = linear_least_squares(sample.gram)
    normals = trial_stream(spec, p, n, trial, "noise").standard_normal((setting.T, p))
    descent = side_by_side(sample, [setting], normals)
    law = IterateLaw.of(sample.gram, eta=setting.eta, noise_sd=setting.noise_sd)
    estimates = {"DP-GD": descent.theta[0, 0], **ada_ssp_estimates(spec, sample, trial)}
    for name, target in {"theta_star": theta_star, "theta_hat": theta_hat}.items():
        for series, estimate in estimates.items():
            measures = {"predicted": np.nan, "clip_fraction": np.nan}
            if series == "DP-GD":
                expected = law.expected_distance(setting.T, target)
                measures = {"predicted": expected, "clip_fraction": descent.clipped[0, 0]}
            yield {"p": p, "n": n, "error_to": name, "series": series, "trial": trial,
                   "value": _distance(estimate, target), **measures}  # fmt: skip
    yield {"p": p, "n": n, "error_to": "theta_star", "series": "OLS", "trial": trial,
           "value": _distance(theta_hat, theta_star), "clip_fraction": np.nan,
           "predicted": expected_sampling_error(law, sample, spec["settings"]["noise_mean"])}  # fmt: skip
    yield {"p": p, "n": n, "error_to": "theta_hat", "series": LEVEL, "trial": trial, "predicted": np.nan,
           "value": float(levels(law, setting.T, estimates["DP-GD"])),
           "clip_fraction": descent.clipped[0, 0]}  # fmt: skip


def setting_of(spec: Spec, n: int, p: int) -> Setting:
    """Returns the setting of DP-GD at one size."""
    return Setting.of(spec, n, p, spec["arms"]["T"], spec["settings"]["clip_factor"])


def ada_ssp_estimates(spec: Spec, sample: LinearSample, trial: int) -> dict[str, Array]:
    """Returns the AdaSSP estimates by series, shape (p,) each, all with the same normals."""
    public, estimates = bounded_gram(sample, public_bounds(spec, sample.p)), {}
    for name, calibration in calibrations(spec, sample.p, Bounds.data_maxima(sample)).items():
        gram = public if calibration.bounds.source == "public" else sample.gram
        rng = trial_stream(spec, sample.p, sample.n, trial, "AdaSSP")
        estimates[name] = ada_ssp(gram, calibration, rng).theta
    return estimates


def calibrations(spec: Spec, p: int, maxima: Bounds) -> dict[str, Calibration]:
    """Returns AdaSSP as commonly run (bounds are data maxima), with public bounds, and at DP-GD's rho and relation."""
    settings = spec["settings"]
    rho, delta = settings["rho"], settings["dp_delta"]
    eps, public = zcdp.epsilon(rho, delta), public_bounds(spec, p)
    made = (
        Calibration.standard(maxima, eps, delta), Calibration.standard(public, eps, delta),
        Calibration.zcdp_matched(public, rho, delta),
    )  # fmt: skip
    return dict(zip(ADA_SSP, made, strict=True))


def public_bounds(spec: Spec, p: int) -> Bounds:
    """Returns bounds that follow from the design alone.

    The bound on |x| is sqrt(p) + bound_margin, in units of the largest sd of a covariate.
    """
    settings = spec["settings"]
    largest = 2.0 if settings["design"] == "anisotropic" else 1.0
    return Bounds(np.sqrt(largest) * (np.sqrt(p) + settings["bound_margin"]), settings["bound_y"], "public")


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one dimension."""
    p, n, delta = spec["cell"]["p"], spec["cell"]["p"] * spec["arms"]["n_over_p"], spec["settings"]["dp_delta"]
    yield f"{spec['variant']}: DP-GD p={p} n={n}", setting_of(spec, n, p).mechanism(), delta
    maxima = Bounds.data_maxima(sample_of(spec, p, SHOWN, 0)[0])
    for name, calibration in calibrations(spec, p, maxima).items():
        event = mechanism(calibration)
        if calibration.bounds.source == "data maxima":
            reason = f"{event.reason}; bounds shown: maxima of a data set of {SHOWN} records"
            event = replace(event, reason=reason, stand_in=OWN_MAXIMA)
        if calibration.claimed_eps is not None:
            event = replace(event, reason=f"{event.reason}; the claimed epsilon is our conversion of DP-GD's rho")
        yield f"{spec['variant']}: {name} p={p} n={n}", event, delta
    # AdaSSP with public bounds once more, under the neighbouring relation of DP-GD, so that the two can be compared.
    eps = zcdp.epsilon(spec["settings"]["rho"], delta)
    replaced = Calibration.standard(public_bounds(spec, p), eps, delta, relation="replace-one")
    yield f"{spec['variant']}: AdaSSP (public bounds) p={p} n={n}, replace-one", mechanism(replaced), delta
    yield f"{spec['variant']}: OLS p={p} n={n}", Mechanism.without_privacy("OLS"), delta


def _distance(estimate: Array, target: Array) -> float:
    return float(np.linalg.norm(estimate - target))
