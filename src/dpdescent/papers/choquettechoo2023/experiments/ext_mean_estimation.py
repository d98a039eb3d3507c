"""Mean estimation by DP-FTRL: simulated errors beside the exact ones of Theorem 2.1."""

import math
from collections.abc import Iterable, Iterator

import numpy as np
from scipy.signal import lfilter

from dpdescent.algorithms import dp_ftrl
from dpdescent.checks import as_list
from dpdescent.noise.strategies import toeplitz
from dpdescent.noise.strategies.toeplitz import Toeplitz
from dpdescent.papers.choquettechoo2023.design import Array, Row, Spec
from dpdescent.papers.choquettechoo2023.runs import streams
from dpdescent.papers.choquettechoo2023.theory import mean_estimation
from dpdescent.privacy.events import Mechanism

# Records are uniform on [-1, 1], so that gradients should never be clipped at G = 1; it is counted.
VARIANCE, CLIP_NORM = 1.0 / 3.0, 1.0
DP_SGD, UNDAMPED = "DP-SGD", "Optimal CC"
MULTIPLES = {"optimal noise": 1.0, "nu = 0.1 eta": 0.1, "nu = 10 eta": 10.0}


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one learning rate: the limit of every mechanism, and each trial's mean over the last steps."""
    for eta in as_list(spec["cell"]["eta"]):
        found = mechanisms(spec, eta)
        exact = {name: _exact(spec, eta, name, *each) for name, each in found.items()}
        for name, value in exact.items():
            if spec["trials"][0] == 0:
                yield _row(eta, name, "exact", 0, value, value, math.nan)
        for trials in streams.groups(spec, (spec["cell"]["T"], len(found))):
            errors, clipped = _simulated(spec, eta, found, trials)
            for name, values in zip(found, errors, strict=True):
                for trial, value, share in zip(trials, values, clipped, strict=True):
                    yield _row(eta, name, "simulated", trial, float(value), exact[name], float(share))


def _row(eta: float, name: str, kind: str, trial: int, value: float, exact: float, clipped: float) -> Row:
    return {
        "eta": eta, "mechanism": name, "kind": kind, "series": "suboptimality", "trial": trial, "value": value,
        "exact": exact, "clip_fraction": clipped,
    }  # fmt: skip


def mechanisms(spec: Spec, eta: float) -> dict[str, tuple[Toeplitz, float]]:
    """By name: noise coefficients, and the squared sensitivity that scales the noise; nu beyond 1 is left out.

    Raises:
        ValueError: if there is no mechanism of a name.
    """
    found: dict[str, tuple[Toeplitz, float]] = {}
    for name in streams.arms_of(spec):
        if name not in (DP_SGD, UNDAMPED, *MULTIPLES):
            raise ValueError(f"mechanism={name!r} is none of {[DP_SGD, UNDAMPED, *MULTIPLES]}")
        nu = MULTIPLES.get(name, 0.0) * eta
        if nu <= 1.0:
            # At nu = 1 only beta_0 is left.
            plain = name == DP_SGD or nu == 1.0
            strategy = toeplitz.identity() if plain else toeplitz.nu_family(nu)
            finite = nu > 0.0 or plain
            gamma_squared = (
                strategy.sensitivity_squared_limit() if finite else strategy.sensitivity_squared(spec["cell"]["T"])
            )
            found[name] = (strategy, gamma_squared)
    return found


def _exact(spec: Spec, eta: float, name: str, strategy: Toeplitz, gamma_squared: float) -> float:
    """The limit; for nu = 0, which has none, the expectation over the last steps of a run of T."""
    given = {"eta": eta, "rho": spec["cell"]["rho"], "clip_norm": CLIP_NORM, "sigma_sgd": VARIANCE**0.5}
    if name == DP_SGD:
        return mean_estimation.dp_sgd(**given)
    if name in MULTIPLES:
        return mean_estimation.nu_dp_ftrl(MULTIPLES[name] * eta, **given)
    T, tail = spec["cell"]["T"], spec["cell"]["tail"]
    noise = _response(eta, strategy.coefficients(T)) * noise_variance(spec, gamma_squared)
    return float((noise + VARIANCE * _response(eta, np.eye(1, T)[0]))[-tail:].mean())


def _response(eta: float, beta: Array) -> Array:
    """Variance of delta_t, t = 1..T, that noise of variance 1 makes through these coefficients."""
    impulse = eta * lfilter([1.0], [1.0, eta - 1.0], beta)
    squares: Array = np.cumsum(impulse**2)
    return squares


def noise_variance(spec: Spec, gamma_squared: float) -> float:
    """sigma_dp^2 G^2 (Theorem 1.1)."""
    return float(gamma_squared * CLIP_NORM**2 / (2.0 * spec["cell"]["rho"]))


def _simulated(spec: Spec, eta: float, found: dict[str, tuple[Toeplitz, float]], trials: range) -> tuple[Array, Array]:
    """Mean squared deviation over the last steps, (mechanisms, trials), and share of gradients beyond G, (trials,)."""
    T, tail, place = spec["cell"]["T"], spec["cell"]["tail"], f"eta={eta}"
    normals = streams.common_noise(spec, place, trials, (T, 1))
    scales = np.array([noise_variance(spec, gamma_squared) ** 0.5 for _, gamma_squared in found.values()])
    noise = streams.correlated([strategy for strategy, _ in found.values()], normals)[..., 0] * scales[:, None]
    values = np.stack([rng.uniform(-1.0, 1.0, T) for rng in streams.generators(spec, place, trials, "data")], axis=1)
    errors = dp_ftrl.mean_estimation(np.full(len(found), eta), values, noise)
    squares: Array = np.moveaxis(errors[-tail:] ** 2, 0, 2).mean(axis=2)
    # The gradient of f is -z; the regulariser's is never clipped.
    return squares, np.asarray((np.abs(values) > CLIP_NORM).mean(axis=0))


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Ledger entries of every mechanism: the noise has the limiting sensitivity, of which T steps use a part."""
    T, rho = spec["cell"]["T"], spec["cell"]["rho"]
    for eta in as_list(spec["cell"]["eta"]):
        for name, (strategy, gamma_squared) in mechanisms(spec, eta).items():
            event = streams.dp_ftrl(
                "DP-FTRL" if name != DP_SGD else name, gamma_squared=strategy.sensitivity_squared(T),
                noise_variance=noise_variance(spec, gamma_squared), clip_norm=CLIP_NORM, rho=rho, T=T,
            )  # fmt: skip
            yield f"{spec['variant']}: {name}, eta={eta:g}", event, spec["settings"]["dp_delta"]
