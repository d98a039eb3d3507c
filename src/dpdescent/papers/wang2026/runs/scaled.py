"""Private runs whose size follows the number of records, as Corollary 5.3 has it: B = rho n, T of the order sqrt(n)."""

from collections.abc import Iterable, Iterator

from dpdescent.papers.wang2026.arms import Noise
from dpdescent.papers.wang2026.design import Row, Spec, value
from dpdescent.papers.wang2026.runs import training
from dpdescent.papers.wang2026.runs.training import Arm, Size
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one cell: averaged risks of every correlation with its accountant, and seed."""
    size = size_of(spec)
    arms = training.tuned(spec, size, noises(spec, size), value(spec, "C_clip"))
    return (row for row in training.risk_rows(spec, size, arms) if row["series"] != training.GAIN)


def size_of(spec: Spec) -> Size:
    """B = r n and T = steps sqrt(n), to whole numbers."""
    n = spec["cell"]["n"]
    return Size(n, max(1, round(value(spec, "r") * n)), max(1, round(value(spec, "steps") * n**0.5)))


def noises(spec: Spec, size: Size) -> list[Noise]:
    """Noise of every pair of correlation and accountant, at delta = n^-power."""
    delta = size.n ** -value(spec, "delta_power")
    return [
        training.calibrated_noise(spec, size, accountant, lam, spec["cell"]["eps"], delta)
        for lam, accountant in value(spec, "arms")
    ]


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Ledger entries of one cell."""
    size, C_clip = size_of(spec), value(spec, "C_clip")
    arms = [Arm(noise, 1.0, C_clip) for noise in noises(spec, size)]
    return training.entries(spec, size, arms, f" d={value(spec, 'd')}")
