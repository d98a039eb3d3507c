"""Risk against the batch size, at a fixed number of iterations and at a fixed number of gradients."""

from collections.abc import Iterable, Iterator

from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import Arm, Noise
from dpdescent.papers.wang2026.design import Row, Size, Spec, value
from dpdescent.papers.wang2026.runs import training
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one batch size: averaged risks of every step size, multiplier and seed."""
    return training.risk_rows(spec, arms(spec))


def size_of(spec: Spec) -> Size:
    """Returns the size of a cell's runs, with T = TB / B where their product is fixed."""
    cell = spec["cell"]
    return Size(cell["n"], cell["B"], cell["T"] if "T" in cell else max(1, round(cell["TB"] / cell["B"])))


def arms(spec: Spec) -> list[Arm]:
    """Returns a run of every multiplier with every step."""
    size = size_of(spec)
    return [
        Arm(Noise.fixed(size, kappa, 0.0, value(spec, "delta")), value(spec, "C_clip"), eta)
        for kappa in as_list(value(spec, "kappa"))
        for eta in as_list(value(spec, "eta"))
    ]


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of one batch size."""
    return training.entries(spec, arms(spec))
