"""A KAN under Algorithm 1 against the correlation of its noise, calibrated by several accountants."""

from collections.abc import Iterable, Iterator

from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import INDEPENDENT, Arm, Noise
from dpdescent.papers.wang2026.design import Row, Size, Spec, value
from dpdescent.papers.wang2026.runs import training
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one epsilon: averaged risks of every accountant, correlation and seed."""
    design = "Fashion-MNIST" if "pair" in spec["cell"] else value(spec, "design")
    own = {"design": design, "spline_cells": value(spec, "spline_cells")}
    return training.risk_rows(spec, training.tuned(spec, arms(spec)), own)


def arms(spec: Spec) -> list[Arm]:
    """Returns a run with every accountant's noise at every correlation; without any, with the least that is proved."""
    size, C_clip, delta = Size.of(spec), value(spec, "C_clip"), value(spec, "delta")

    def noise(accountant: str, lam: float, eps: float) -> Noise:
        name = INDEPENDENT.get(accountant, accountant) if lam == 0.0 else accountant
        return training.calibrated_noise(spec, size, name, lam, eps, delta)

    return [
        Arm(noise(accountant, lam, eps), C_clip)
        for eps in as_list(spec["cell"]["eps"])
        for accountant in as_list(value(spec, "accountants"))
        for lam in as_list(value(spec, "lam"))
    ]


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of one epsilon, in which the step size has no part."""
    return training.entries(spec, arms(spec))
