"""Runs inside Theorem 4.1's window whose batches and iterations follow the corollaries' prescriptions.

Orders are taken times a constant that the configuration has: B and T are the corollary's, the step is one that the
theorem admits. The multipliers are proved for the batches of Algorithm 1 where a claim rests on them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import Arm, Noise
from dpdescent.papers.wang2026.design import Row, Size, Spec, value
from dpdescent.papers.wang2026.runs import training, window
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one cell: averaged risks of every noise and seed, at every size and jitter."""
    for place in window.at_places(spec):
        size = size_of(place)
        sized = {**place, "cell": place["cell"] | {"T": size.T}}
        yield from window.rows(sized, arms(sized))


def size_of(spec: Spec) -> Size:
    """Returns n, and B and T as the cell prescribes them, in whole numbers.

    Raises:
        ValueError: if there is no such prescription.
    """
    n, gamma, times = int(spec["cell"]["n"]), float(value(spec, "gamma")), float(spec["cell"]["times"])
    root, rule = n**0.5, spec["cell"]["rule"]
    batch = gamma * root
    made = {
        "Corollary 5.3": (float(spec["cell"].get("rho", 1.0)) * n, root / gamma),
        "Corollary 5.5": (batch, root / gamma),
        "Corollary 5.6": (batch, n**2 / (gamma**2 * batch)),
        "DP-GD": (n, n),
        "GD": (n, n / gamma**2),
    }  # fmt: skip
    if rule not in made:
        raise ValueError(f"rule={rule!r} is none of {list(made)}")
    B, T = made[rule]
    return Size(n, max(1, round(B)), max(2, round(times * T)))


def eta_of(spec: Spec, size: Size) -> float:
    """Returns the step: the cell's, times B/n for Corollary 5.6."""
    share = size.r if spec["cell"]["rule"] == "Corollary 5.6" else 1.0
    return float(spec["cell"]["eta"]) * share


def arms(spec: Spec) -> list[Arm]:
    """Returns a run without noise, and one for every correlation with its accountant and epsilon."""
    size, C_clip = size_of(spec), float(value(spec, "C_clip"))
    delta, eta = size.n ** -float(value(spec, "delta_power")), eta_of(spec, size)
    noises = [
        training.calibrated_noise(spec, size, accountant, lam, eps, delta)
        for lam, accountant in spec["cell"].get("noise", [])
        for eps in as_list(spec["cell"]["eps"])
    ]
    if size.n == size.B:
        noises = [replace(noise, sampler="full batch") for noise in noises]
    plain = Noise.fixed(size, 0.0, 0.0, delta)
    return [Arm(noise, C_clip, eta) for noise in (plain, *noises)]


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of one cell."""
    for place in window.at_places(spec):
        own = f" d={value(place, 'd')} jitter={value(place, 'jitter'):g}"
        yield from training.entries(place, arms(place), own)
