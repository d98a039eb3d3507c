"""Error against the dimension at fixed n/p, where AdaSSP's ridge is nil: on sums drawn without records (Sec. 1.4, 4.1).

Sums of normal records are drawn from their own law, so that large dimensions are within reach. Without records nothing
can be clipped: DP-GD runs without clipping, and bounds of records are not enforced. No arm here has a guarantee.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from scipy.special import chdtri, ndtri_exp

from dpdescent.baselines.ada_ssp import Bounds, Calibration, ada_ssp, wishart_gram
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.data.linear import Gram
from dpdescent.papers.brown2024.arms import Setting
from dpdescent.papers.brown2024.design import Array, Row, Spec, trial_stream, true_theta
from dpdescent.privacy import zcdp
from dpdescent.privacy.events import Mechanism

# sd of a label: the signal has norm 1, and the label noise sd 1.
LABEL_SD = math.sqrt(2.0)
DP_GD, PROJECTED = "DP-GD", "projected descent"
ADA_SSP = ("AdaSSP", "AdaSSP (public bounds)", "AdaSSP (bounds as sqrt(p))")
STAND_IN = "no arm here has a guarantee: the sizes of their noise are not listed"
REASON = "sums without records: nothing can be clipped to bounds; its noise is that of private runs"


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one dimension: the distance of every estimate to theta*."""
    p = spec["cell"]["p"]
    n = p * spec["arms"]["n_over_p"]
    for trial in range(*spec["trials"]):
        theta_star = true_theta(spec, p, n, trial)
        gram = wishart_gram(theta_star, n, trial_stream(spec, p, n, trial, "Wishart"))
        for series, theta in estimates(spec, gram, trial).items():
            yield {
                "p": p, "n": n, "series": series, "trial": trial, "value": float(np.linalg.norm(theta - theta_star))
            }  # fmt: skip


def estimates(spec: Spec, gram: Gram, trial: int) -> dict[str, Array]:
    """Returns all estimates by series, shape (p,) each; DP-GD and projected descent share their normals."""
    n, p, T = gram.n, len(gram.xy), spec["arms"]["T"]
    made = {"OLS": linear_least_squares(gram)}
    for name, bounds in bounds_of(spec, n, p, trial_stream(spec, p, n, trial, "maxima")).items():
        eps, delta = zcdp.epsilon(spec["settings"]["rho"], spec["settings"]["dp_delta"]), spec["settings"]["dp_delta"]
        rng = trial_stream(spec, p, n, trial, "AdaSSP")
        made[name] = ada_ssp(gram, Calibration.standard(bounds, eps, delta), rng).theta
    normals = trial_stream(spec, p, n, trial, "noise").standard_normal((T, p))
    for name, (setting, radius) in descents(spec, n, p).items():
        made[name] = descend(gram, setting, normals, radius)
    return made


def bounds_of(spec: Spec, n: int, p: int, rng: np.random.Generator) -> dict[str, Bounds]:
    """Returns the bounds of records for each way to run AdaSSP.

    The largest norm and label of n records are drawn from their laws, as if the two were independent of the sums.
    """
    settings = spec["settings"]
    # ln U / n is the logarithm of the level of the largest of n values, whose upper tail is taken without cancellation.
    x, y = np.log(rng.uniform(size=2)) / n
    largest = math.sqrt(chdtri(p, -math.expm1(x)))
    label = -LABEL_SD * float(ndtri_exp(math.log(-math.expm1(y) / 2.0)))
    made = (
        Bounds(largest, label, "data maxima"),
        Bounds(math.sqrt(p) + settings["bound_margin"], settings["bound_y"], "not enforced"),
        Bounds(spec["arms"]["bound_factor"] * math.sqrt(p), settings["bound_y"], "not enforced"),
    )
    return dict(zip(ADA_SSP, made, strict=True))


def descents(spec: Spec, n: int, p: int) -> dict[str, tuple[Setting, float]]:
    """Returns the setting of DP-GD and that of projected descent, with the radius that iterates are projected to.

    Records within Bx and By and iterates within the unit ball have gradients of at most Bx (Bx + By).
    """
    T, settings = spec["arms"]["T"], spec["settings"]
    bound = spec["arms"]["bound_factor"] * math.sqrt(p)
    plain = Setting.of(spec, n, p, T, settings["clip_factor"])
    projected = Setting(n, p, T, settings["rho"], settings["eta"], bound * (bound + settings["bound_y"]))
    return {DP_GD: (plain, math.inf), PROJECTED: (projected, 1.0)}


def descend(gram: Gram, setting: Setting, normals: Array, radius: float) -> Array:
    """Returns the last iterate of noisy descent without clipping, each iterate projected to a ball about zero.

    Args:
        gram: sums of the records.
        setting: its steps, step size and noise.
        normals: of the noise, shape (T, p).
        radius: of the ball; infinite for no projection.
    """
    theta = np.zeros(len(gram.xy))
    for z in normals:
        theta = theta - setting.eta * ((gram.xx @ theta - gram.xy) / gram.n - setting.noise_sd * z)
        norm = float(np.linalg.norm(theta))
        if norm > radius:
            theta *= radius / norm
    return theta


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one dimension: no arm has a guarantee, because there are no records."""
    place, delta = f"p={spec['cell']['p']}", spec["settings"]["dp_delta"]
    for name in (DP_GD, *ADA_SSP, PROJECTED):
        # What AdaSSP receives differs by trial where bounds are the data's maxima.
        event = replace(Mechanism.without_privacy(f"{name} without records", REASON), stand_in=STAND_IN)
        yield f"{spec['variant']}: {event.name}, {place}", event, delta
    yield f"{spec['variant']}: OLS {place}", Mechanism.without_privacy("OLS"), delta
