"""A KAN under Algorithm 1 against the correlation of its noise, calibrated by several accountants."""

from collections.abc import Iterable, Iterator

from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import Noise
from dpdescent.papers.wang2026.design import Row, Spec, value
from dpdescent.papers.wang2026.runs import training
from dpdescent.papers.wang2026.runs.training import Arm, Size
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one epsilon: averaged risks of every accountant, correlation and seed."""
    size = Size.of(spec)
    arms = training.tuned(spec, size, noises(spec, size), value(spec, "C_clip"))
    design = "Fashion-MNIST" if "pair" in spec["cell"] else value(spec, "design")
    own = {"design": design, "spline_cells": value(spec, "spline_cells")}
    return training.risk_rows(spec, size, arms, own)


def noises(spec: Spec, size: Size) -> list[Noise]:
    """Every accountant's noise at every correlation."""
    return [
        training.calibrated_noise(spec, size, accountant, lam, eps, value(spec, "delta"))
        for eps in as_list(spec["cell"]["eps"])
        for accountant in as_list(value(spec, "accountants"))
        for lam in as_list(value(spec, "lam"))
    ]


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Ledger entries of one epsilon; the step size has no part in them."""
    size = Size.of(spec)
    C_clip = value(spec, "C_clip")
    return training.entries(spec, size, [Arm(noise, 1.0, C_clip) for noise in noises(spec, size)])
