"""Clipping threshold, share of gradients clipped and size of the residuals along runs of DP-AMBSSGD."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.arms import AMBSSGD, Choice
from dpdescent.papers.varshney2022.design import Row, Spec, design_of, iterations
from dpdescent.papers.varshney2022.runs.mini_batches import runs_of, trials_of
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields a row for each step, quantity and trial of one condition number."""
    design, N = design_of(spec), spec["cell"]["N"]
    for sigma, choice in choices(spec).items():
        base = {
            "N": N, "d": len(design.lam), "sigma": sigma, "eps": choice.eps, "delta": choice.delta,
            "kappa": spec["cell"]["kappa"], "T": choice.T,
        }  # fmt: skip
        for trial, X, Y in trials_of(spec, design, N, sigma):
            outcome = runs_of(spec, {AMBSSGD: choice}, X, Y, trial)[AMBSSGD]
            distance_squared = 2.0 * design.risk(outcome.path[:-1])
            paths = {
                "zeta": outcome.thresholds, "clip fraction": outcome.clipped,
                "residual rms": outcome.residual_rms,
                # Without constants and logarithms, because (2), (4) and eq. (48) fix what zeta follows up to these.
                "claimed scale": np.sqrt(choice.input_bound_squared * (distance_squared + sigma**2)),
            }  # fmt: skip
            for series, path in paths.items():
                for t, value in enumerate(path.tolist()):
                    yield {**base, "t": t, "series": series, "trial": trial, "value": value}


def choices(spec: Spec) -> dict[float, Choice]:
    """Returns the main setting for every label noise."""
    design, T, eps = design_of(spec), iterations(spec), spec["settings"]["eps"]
    return {
        sigma: Choice.ours(spec, design, spec["cell"]["N"], sigma, eps, T) for sigma in as_list(spec["arms"]["sigma"])
    }


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one condition number."""
    for sigma, choice in choices(spec).items():
        name = f"{spec['variant']}: {AMBSSGD} sigma={sigma:g} kappa={spec['cell']['kappa']:g}"
        yield name, choice.arm().mechanism, choice.delta
