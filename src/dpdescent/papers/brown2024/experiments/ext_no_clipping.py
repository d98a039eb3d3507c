"""Conditions of Lemmas 2.2, 2.5, 2.6 and Theorem 3.1 for no clipping, beside the settings that experiments use."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms import dp_gd
from dpdescent.algorithms.gaussian_law import Construction, IterateLaw, pinsker
from dpdescent.data.linear import LinearSample
from dpdescent.papers.brown2024.arms import Setting
from dpdescent.papers.brown2024.design import Array, Row, Spec, sample_of, trial_stream
from dpdescent.papers.brown2024.theory import gaussian_data, no_clipping
from dpdescent.privacy.events import Mechanism

CONSTRUCTIONS: tuple[Construction, ...] = ("independent runs", "checkpoints")


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel at one size: condition, required values, coupling, coverage or Lemma 2.5."""
    cell = spec["cell"]
    n, p = cell["n"], cell["p"]
    values = {
        "condition": _condition, "required": _required, "coupling": _coupling, "coverage": _coverage,
        "lemma 2.5": _lemma_2_5,
    }  # fmt: skip
    panel = str(spec["panel"]).split(",")[0]
    for trial in range(*spec["trials"]):
        sample, theta_star = sample_of(spec, p, n, trial)
        for row in values[panel](spec, sample, theta_star, trial):
            place = {"panel": panel, "n": n, "p": p, "T": spec["arms"]["T"], "clip_factor": np.nan, "sigma": 1.0}
            yield {**place, "trial": trial, **row}


def _condition(spec: Spec, sample: LinearSample, theta_star: Array, trial: int) -> Iterator[Row]:
    """Returns rows of the smallest c0 of each part of Condition 2.4 at theta*, and of the c0 of Lemma 2.6."""
    T = spec["arms"]["T"]
    found = no_clipping.condition(sample, theta_star, sigma=1.0, eta=spec["settings"]["eta"], T=T)
    parts = {
        "(i) holds": float(found.spectrum_holds), "(ii) covariates": found.covariates,
        "(iii) residuals": found.residuals, "(iv) signal": found.signal, "(v) cross terms": found.cross, "c0": found.c0,
        "c0 of Lemma 2.6": gaussian_data.constant(n=sample.n, T=T, beta=spec["settings"]["beta"]),
    }  # fmt: skip
    return ({"series": name, "value": value} for name, value in parts.items())


def _required(spec: Spec, sample: LinearSample, theta_star: Array, trial: int) -> Iterator[Row]:
    """Yields rows of the gamma and n that Lemma 2.5 requires, at the c0 of the data and at the c0 of Lemma 2.6."""
    settings, T, n, p = spec["settings"], spec["arms"]["T"], sample.n, sample.p
    found = no_clipping.condition(sample, theta_star, sigma=1.0, eta=settings["eta"], T=T)
    constants = {
        "the data's": found.c0,
        "the lemma's": gaussian_data.constant(n=n, T=T, beta=settings["beta"]),
    }  # fmt: skip
    for whose, c0 in constants.items():
        yield {
            "series": f"gamma required at {whose} c0",
            "value": no_clipping.required_threshold(c0=c0, sigma=1.0, p=p),
        }  # fmt: skip
        needed = no_clipping.required_records(
            c0=c0, n=n, p=p, rho=settings["rho"], T=T, eta=settings["eta"], beta=settings["beta"]
        )  # fmt: skip
        yield {"series": f"n required at {whose} c0", "value": needed}
    yield {"series": "gamma used", "value": settings["clip_factor"] * np.sqrt(p)}
    yield {"series": "n used", "value": float(n)}


def _coupling(spec: Spec, sample: LinearSample, theta_star: Array, trial: int) -> Iterator[Row]:
    """Yields rows of the share of runs that clip any gradient, which bounds the distance to the unclipped law.

    That distance is the total variation of Lemma 2.2.
    """
    count = spec["arms"]["runs"]
    for factor, setting in settings_of(spec).items():
        rng = trial_stream(spec, sample.p, sample.n, trial, "coupling")
        normals = rng.standard_normal((setting.T, 1, count, sample.p))
        clipped = dp_gd.descend([sample], setting.arms(count), normals).clipped[0]
        yield {"series": "P(some gradient is clipped)", "clip_factor": factor, "value": float((clipped > 0).mean())}
        yield {"series": "fraction clipped", "clip_factor": factor, "value": float(clipped.mean())}


def _lemma_2_5(spec: Spec, sample: LinearSample, theta_star: Array, trial: int) -> Iterator[Row]:
    """Yields rows of what is clipped at the gamma and lambda of Lemma 2.5, for every sigma.

    Both come from the c0 of the data; the lemma involves no budget.
    """
    count, T, eta, beta = spec["arms"]["runs"], spec["arms"]["T"], spec["settings"]["eta"], spec["settings"]["beta"]
    n, p = sample.n, sample.p
    normals = trial_stream(spec, p, n, trial, "lemma 2.5").standard_normal((T, 1, count, p))
    for sigma in spec["arms"]["sigma"]:
        scaled, theta = sample_of(spec, p, n, trial, sigma)
        c0 = no_clipping.condition(scaled, theta, sigma=sigma, eta=eta, T=T).c0
        gamma = no_clipping.required_threshold(c0=c0, sigma=sigma, p=p)
        noise_sd = gamma / (eta * no_clipping.required_ratio(c0=c0, p=p, n=n, T=T, beta=beta))
        clipped = dp_gd.descend([scaled], dp_gd.DPGDArms.alike(count, T, eta, gamma, noise_sd), normals).clipped[0]
        yield {"series": "P(some gradient is clipped)", "sigma": sigma, "value": float((clipped > 0).mean())}
        yield {"series": "fraction clipped", "sigma": sigma, "value": float(clipped.mean())}


def _coverage(spec: Spec, sample: LinearSample, theta_star: Array, trial: int) -> Iterator[Row]:
    """Yields rows of the largest loss of coverage over coordinates that the exact law allows for m estimates.

    The estimates are T steps apart, as in Theorem 3.1.
    """
    m = spec["settings"]["m"]
    for T in spec["arms"]["spacing"]:
        setting = Setting.of(spec, sample.n, sample.p, T, spec["settings"]["clip_factor"], runs=m)
        law = IterateLaw.of(sample.gram, eta=setting.eta, noise_sd=setting.noise_sd)
        for construction in CONSTRUCTIONS:
            tail = 1 if construction == "independent runs" else None
            estimates = law.estimates(construction, m * T, m, burn_in=0, tail=tail)
            worst = float(pinsker(estimates.coordinate_divergences()).max())
            yield {"series": f"TV bound, {construction}", "T": T, "value": worst}


def settings_of(spec: Spec) -> dict[float, Setting]:
    """Returns the setting of DP-GD for every clip factor of the coupling panel."""
    cell, given = spec["cell"], spec["arms"]
    return {factor: Setting.of(spec, cell["n"], cell["p"], given["T"], factor) for factor in given["clip_factor"]}


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of the panels that run DP-GD."""
    if spec["panel"] == "lemma 2.5":
        event = Mechanism.without_privacy(
            "DP-GD at the data's c0", "threshold and noise come from the data's own c0, and theta* is known",
            stand_in="every trial and sigma has a threshold and a noise of its own; none is listed, as none guarantees",
        )  # fmt: skip
        yield f"{spec['variant']}: DP-GD as in Lemma 2.5", event, spec["settings"]["dp_delta"]
    if spec["panel"].startswith("coupling"):
        for factor, setting in settings_of(spec).items():
            name = f"{spec['variant']}: DP-GD n={setting.n} gamma={factor:g} sqrt(p)"
            yield name, setting.mechanism(), spec["settings"]["dp_delta"]
