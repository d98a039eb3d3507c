"""Private runs whose size follows the number of records, as Corollary 5.3 has it: B = rho n, T of the order sqrt(n)."""

from collections.abc import Iterable, Iterator

from dpdescent.papers.wang2026.arms import Arm
from dpdescent.papers.wang2026.design import Row, Size, Spec, value
from dpdescent.papers.wang2026.runs import training
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one cell: averaged risks of every correlation with its accountant, and seed."""
    rows = training.risk_rows(spec, training.tuned(spec, arms(spec)))
    return (row for row in rows if row["series"] != training.GAIN)


def size_of(spec: Spec) -> Size:
    """Returns B = r n and T = steps sqrt(n), to whole numbers."""
    n = spec["cell"]["n"]
    return Size(n, max(1, round(value(spec, "r") * n)), max(1, round(value(spec, "steps") * n**0.5)))


def arms(spec: Spec) -> list[Arm]:
    """Returns a run of every pair of correlation and accountant, at delta = n^-power."""
    size, C_clip = size_of(spec), value(spec, "C_clip")
    delta = size.n ** -value(spec, "delta_power")
    return [
        Arm(training.calibrated_noise(spec, size, accountant, lam, spec["cell"]["eps"], delta), C_clip)
        for lam, accountant in value(spec, "arms")
    ]


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of one cell."""
    return training.entries(spec, arms(spec), f" d={value(spec, 'd')}")
