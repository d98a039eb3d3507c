"""Risk against the correlation at a fixed noise multiplier, as Remark 4.2 has it."""

from collections.abc import Iterable, Iterator

from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import Arm, Noise
from dpdescent.papers.wang2026.design import Row, Size, Spec, value
from dpdescent.papers.wang2026.runs import training
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one threshold and step: averaged risks of every correlation and seed."""
    return training.with_steps(training.risk_rows(spec, arms(spec)))


def arms(spec: Spec) -> list[Arm]:
    """Returns a run of every correlation at the cell's multiplier, threshold and step."""
    cell, size = spec["cell"], Size.of(spec)
    return [
        Arm(Noise.fixed(size, cell["kappa"], lam, value(spec, "delta")), cell["C_clip"], cell["eta"])
        for lam in as_list(value(spec, "lam"))
    ]


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of one threshold and step."""
    return training.entries(spec, arms(spec))
