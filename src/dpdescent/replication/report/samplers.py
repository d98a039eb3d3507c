"""Table for the calculator: epsilon of Gaussian noise on Poisson batches at listed points, which needs an accountant.

`make samplers` writes it anew into `docs/samplers.csv`. The calculator takes the next listed point on the safe side: a
larger rate, more steps, a smaller delta and more noise; it never interpolates.
"""

import csv
import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

from dpdescent.privacy import sampling

COLUMNS = ("rate", "steps", "delta", "multiplier", "epsilon")
RATES = (0.001, 0.003, 0.01, 0.03, 0.1)
STEPS = (10, 100, 1000, 3000, 10000)
DELTAS = (1e-5, 1e-6)
MULTIPLIERS = (0.6, 0.8, 1.0, 1.3, 1.7, 2.2, 3.0, 4.0, 6.0, 10.0, 20.0, 50.0)


def rows() -> Iterator[tuple[float, int, float, float, str]]:
    """Yields every listed point with its epsilon (adding or removing a record), rounded up in four digits."""
    for rate, steps, delta, multiplier in itertools.product(RATES, STEPS, DELTAS, MULTIPLIERS):
        yield rate, steps, delta, multiplier, rounded_up(sampling.epsilon(multiplier, rate, steps, delta))


def rounded_up(value: float) -> str:
    """The number in four digits, not below the value."""
    near = f"{value:.4g}"
    return near if float(near) >= value else f"{value * (1.0 + 5e-4):.4g}"


def write(file: Path) -> None:
    """Writes the table."""
    with open(file, "w", encoding="utf-8", newline="") as stream:
        out = csv.writer(stream, lineterminator="\n")
        out.writerow(COLUMNS)
        out.writerows(rows())


if __name__ == "__main__":
    write(Path(sys.argv[1]))
