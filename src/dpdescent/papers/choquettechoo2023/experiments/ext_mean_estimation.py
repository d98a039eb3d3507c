"""Mean estimation by DP-FTRL: simulated errors beside the exact ones of Theorem 2.1."""

import math
from collections.abc import Iterable, Iterator

import numpy as np
from scipy.signal import lfilter

from dpdescent.algorithms import dp_ftrl
from dpdescent.checks import as_list
from dpdescent.noise.strategies import toeplitz
from dpdescent.papers.choquettechoo2023.arms import DP_SGD, StreamArm, names
from dpdescent.papers.choquettechoo2023.arms import noise as correlated
from dpdescent.papers.choquettechoo2023.design import Array, Row, Spec
from dpdescent.papers.choquettechoo2023.runs import streams
from dpdescent.papers.choquettechoo2023.theory import mean_estimation
from dpdescent.privacy.events import Mechanism

# Records are uniform on [-1, 1], so that no gradient is clipped at G = 1; those beyond it are counted.
VARIANCE, CLIP_NORM = 1.0 / 3.0, 1.0
UNDAMPED = "Optimal CC"
MULTIPLES = {"optimal noise": 1.0, "nu = 0.1 eta": 0.1, "nu = 10 eta": 10.0}


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one learning rate: the limit of every mechanism, and each trial's mean over the last steps."""
    for eta in as_list(spec["cell"]["eta"]):
        found = arms_of(spec, eta)
        exact = {name: _exact(spec, name, arm) for name, arm in found.items()}
        for name, value in exact.items():
            if spec["trials"][0] == 0:
                yield _row(eta, name, "exact", 0, value, value, math.nan)
        for trials in streams.groups(spec, (spec["cell"]["T"], len(found))):
            errors, clipped = _simulated(spec, eta, list(found.values()), trials)
            for name, values in zip(found, errors, strict=True):
                for trial, value, share in zip(trials, values, clipped, strict=True):
                    yield _row(eta, name, "simulated", trial, float(value), exact[name], float(share))


def _row(eta: float, name: str, kind: str, trial: int, value: float, exact: float, clipped: float) -> Row:
    return {
        "eta": eta, "mechanism": name, "kind": kind, "series": "suboptimality", "trial": trial, "value": value,
        "exact": exact, "clip_fraction": clipped,
    }  # fmt: skip


def arms_of(spec: Spec, eta: float) -> dict[str, StreamArm]:
    """Returns the mechanisms by name, noise scaled to the limit of the sensitivity where it has one.

    Mechanisms whose nu would exceed 1 are left out.

    Raises:
        ValueError: if there is no mechanism of a name.
    """
    found: dict[str, StreamArm] = {}
    for name in names(spec):
        if name not in (DP_SGD, UNDAMPED, *MULTIPLES):
            raise ValueError(f"mechanism={name!r} is none of {[DP_SGD, UNDAMPED, *MULTIPLES]}")
        nu = MULTIPLES.get(name, 0.0) * eta
        if nu <= 1.0:
            # At nu = 1 only beta_0 is left.
            strategy = toeplitz.identity() if name == DP_SGD or nu == 1.0 else toeplitz.nu_family(nu)
            limiting = strategy.sensitivity_squared_limit() < math.inf
            found[name] = StreamArm(
                DP_SGD if name == DP_SGD else "DP-FTRL", strategy, eta, spec["cell"]["T"], spec["cell"]["rho"],
                CLIP_NORM, limiting,
            )  # fmt: skip
    return found


def _exact(spec: Spec, name: str, arm: StreamArm) -> float:
    """Returns the limit; for nu = 0, which has none, the expectation over the last steps of a run of T."""
    given = {"eta": arm.eta, "rho": arm.rho, "clip_norm": arm.clip_norm, "sigma_sgd": VARIANCE**0.5}
    if name == DP_SGD:
        return mean_estimation.dp_sgd(**given)
    if name in MULTIPLES:
        return mean_estimation.nu_dp_ftrl(MULTIPLES[name] * arm.eta, **given)
    noise = _response(arm.eta, arm.strategy.coefficients(arm.T)) * arm.noise_variance
    return float((noise + VARIANCE * _response(arm.eta, np.eye(1, arm.T)[0]))[-spec["cell"]["tail"] :].mean())


def _response(eta: float, beta: Array) -> Array:
    """Returns the variance of delta_t, t = 1..T, under noise of variance 1 with these coefficients."""
    impulse = eta * lfilter([1.0], [1.0, eta - 1.0], beta)
    squares: Array = np.cumsum(impulse**2)
    return squares


def _simulated(spec: Spec, eta: float, found: list[StreamArm], trials: range) -> tuple[Array, Array]:
    """Returns mean squared deviations over the last steps, (mechanisms, trials), and shares beyond G, (trials,)."""
    T, tail, place = spec["cell"]["T"], spec["cell"]["tail"], f"eta={eta}"
    scales = np.array([arm.noise_sd for arm in found])
    noise = correlated(found, streams.common_noise(spec, place, trials, (T, 1)))[..., 0] * scales[:, None]
    values = np.stack([rng.uniform(-1.0, 1.0, T) for rng in streams.generators(spec, place, trials, "data")], axis=1)
    errors = dp_ftrl.mean_estimation(np.full(len(found), eta), values, noise)
    squares: Array = np.moveaxis(errors[-tail:] ** 2, 0, 2).mean(axis=2)
    # The gradient of f is -z; that of the regulariser is not clipped, because it depends on no record.
    return squares, np.asarray((np.abs(values) > CLIP_NORM).mean(axis=0))


def arms(spec: Spec) -> Iterator[tuple[str, StreamArm]]:
    """Yields the ledger's runs by name: every mechanism at every learning rate."""
    for eta in as_list(spec["cell"]["eta"]):
        for name, arm in arms_of(spec, eta).items():
            yield f"{spec['variant']}: {name}, eta={eta:g}", arm


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields ledger entries of every mechanism: the noise has the limiting sensitivity, of which T steps use a part."""
    return ((name, arm.mechanism(), spec["settings"]["dp_delta"]) for name, arm in arms(spec))
