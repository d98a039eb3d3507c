"""A KAN under Algorithm 1 against the correlation of its noise, calibrated by several accountants."""

from collections.abc import Iterable, Iterator

from dpdescent.papers.wang2026 import kan_runs
from dpdescent.papers.wang2026.design import Row, Spec, value
from dpdescent.papers.wang2026.kan_runs import Arm, Size
from dpdescent.papers.wang2026.mechanisms import Noise
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.arguments import as_list


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one epsilon: averaged risks of every accountant, correlation and seed."""
    size = Size.of(spec)
    arms = kan_runs.tuned(spec, size, noises(spec, size), value(spec, "C_clip"))
    design = "Fashion-MNIST" if "pair" in spec["cell"] else value(spec, "design")
    own = {"design": design, "spline_cells": value(spec, "spline_cells")}
    return kan_runs.risk_rows(spec, size, arms, own)


def noises(spec: Spec, size: Size) -> list[Noise]:
    """Every accountant's noise at every correlation."""
    return [
        kan_runs.calibrated_noise(spec, size, accountant, lam, eps, value(spec, "delta"))
        for eps in as_list(spec["cell"]["eps"])
        for accountant in as_list(value(spec, "accountants"))
        for lam in as_list(value(spec, "lam"))
    ]


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Ledger entries of one epsilon; the step size has no part in them."""
    size = Size.of(spec)
    C_clip = value(spec, "C_clip")
    return kan_runs.entries(spec, size, [Arm(noise, 1.0, C_clip) for noise in noises(spec, size)])
