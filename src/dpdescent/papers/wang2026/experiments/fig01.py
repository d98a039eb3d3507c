"""Figure 1, an analogue on the 8x8 digits: accuracy against the correlation, and how cumulative noise grows."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from dpdescent.checks import as_list
from dpdescent.data.digits import SIDE, read_digits, split
from dpdescent.papers.wang2026.arms import FIXED, Noise
from dpdescent.papers.wang2026.design import Array, Row, Spec, named, value
from dpdescent.papers.wang2026.runs import images
from dpdescent.papers.wang2026.runs.images import Task, correlated, noise_of
from dpdescent.privacy.events import Mechanism

NOISE, ACCURACY = "noise", "accuracy"
SIMULATED, FORMULA = "simulated", "formula"
TUNED_ON = (
    "no guarantee as it stands, because step sizes were tuned on other splits of the same images, without account; at "
    "a step size given beforehand this argument would hold"
)


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of a part: accuracies, or sizes of noise in the panel of noise."""
    if spec["panel"] == NOISE:
        return cumulative_noise(spec)
    # Cells that differ in their number of seeds alone are one panel.
    return images.run({**spec, "panel": ACCURACY}, task)


def task(spec: Spec, trial: int) -> Task:
    """Returns a split of the digits into images to train on and all others to test on."""
    digits, records = read_digits(), value(spec, "records")
    trained, tested = split(digits, [records, len(digits) - records], named(spec, trial, "data"))
    return Task(SIDE, trained.inputs, trained.labels, tested.inputs, tested.labels)


def cumulative_noise(spec: Spec) -> Iterator[Row]:
    """Yields the size of a coordinate of the first t noises' sum, of each seed and by formula (Fig. 1, right)."""
    cell, (first, last) = spec["cell"], spec["trials"]
    t = np.array(as_list(cell["t"]))
    arms = [(kind, noise) for lam in as_list(cell["shown"]) for kind, noise in _noises(spec, lam, cell["eps"])]
    for trial in range(first, last):
        normals = named(spec, trial, "normals").standard_normal((value(spec, "T"), cell["dimension"]))
        for kind, noise in arms:
            # Nothing is trained, so there is no step size.
            row = {"panel": NOISE, **noise.columns, "noise": kind, "eta": np.nan, "trial": trial}
            series = {SIMULATED: sizes(normals, noise, t)} | ({FORMULA: growth(noise, t)} if trial == 0 else {})
            for name, values in series.items():
                for place, found in zip(t, values, strict=True):
                    yield {**row, "t": int(place), "series": name, "value": float(found)}


def sizes(normals: Array, noise: Noise, t: Array) -> Array:
    """Returns `|sum_(s <= t) xi_s| / sqrt(dimension)` with `xi_s = kappa (Z_s - lam Z_(s-1))`, in the shape of t."""
    sums = noise.kappa * np.cumsum(correlated(normals, noise.lam), axis=0)[t - 1]
    found: Array = np.sqrt(np.mean(sums**2, axis=1))
    return found


def growth(noise: Noise, t: Array) -> Array:
    """Returns `kappa sqrt(1 + (1 - lam)^2 (t - 1))`, the sd of a coordinate of the sum (from wang2026 eq. 24)."""
    sd: Array = noise.kappa * np.sqrt(1.0 + (1.0 - noise.lam) ** 2 * (t - 1.0))
    return sd


def _noises(spec: Spec, lam: float, eps: float) -> list[tuple[str, Noise]]:
    """Returns noise of one multiplier for every correlation, and that of the multiplier that epsilon asks for."""
    asked = noise_of(spec, lam, eps)
    same = replace(asked, accountant=FIXED, kappa=1.0, eps=float("nan"), precondition="none")
    return [("fixed", same), ("calibrated", asked)]


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of a part; the panel of noise has no records."""
    return () if spec["panel"] == NOISE else images.releases(spec, TUNED_ON)
