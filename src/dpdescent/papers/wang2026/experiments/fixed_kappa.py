"""Risk against the correlation at a fixed noise multiplier, as Remark 4.2 has it."""

from collections.abc import Iterable, Iterator

from dpdescent.papers.wang2026 import kan_runs
from dpdescent.papers.wang2026.design import Row, Spec, value
from dpdescent.papers.wang2026.kan_runs import Arm, Size
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.arguments import as_list


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one threshold and step: averaged risks of every correlation and seed."""
    return kan_runs.risk_rows(spec, Size.of(spec), arms(spec))


def arms(spec: Spec) -> list[Arm]:
    """Every correlation at the cell's multiplier, threshold and step."""
    cell, size = spec["cell"], Size.of(spec)
    return [
        Arm(kan_runs.fixed_noise(size, cell["kappa"], lam, value(spec, "delta")), cell["eta"], cell["C_clip"])
        for lam in as_list(value(spec, "lam"))
    ]


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Ledger entries of one threshold and step."""
    return kan_runs.entries(spec, Size.of(spec), arms(spec))
