"""Tables with instruments, in public units, resampled from themselves or as they are.

A unit is a centre and a scale: 0.5 for columns of zeros and ones, the middle of a range for weeks and numbers. Those
of `card` are what is known of such columns and close to the rows' own moments, so that no guarantee is claimed there.
What such units leave is told by two releases with which every private run begins: the mean of all columns, because an
instrument's mean times that of the residual would be taken for an effect, and the second moment of the instruments,
which are then whitened.
"""

import math
from dataclasses import dataclass
from functools import cache

import numpy as np

from dpdescent.algorithms import preconditioning
from dpdescent.baselines.least_squares import TwoStageFit, two_stage_least_squares, two_stage_standard_errors
from dpdescent.data import tabular
from dpdescent.data.iv import IVSample
from dpdescent.papers.ours.design import Array
from dpdescent.privacy.events import GaussianReleases

Unit = tuple[float, float]
BINARY: Unit = (0.5, 0.5)

# Bounds over the root of the number of columns in public units: a column of zeros and ones is 1 there.
WITHIN = 1.5


@dataclass(frozen=True)
class Table:
    """A bundled table's columns in public units.

    Attributes:
        source: name of the bundled table.
        instruments: their units, by column.
        regressor, outcome: name and unit.
        count: column with the number of records of a row, if any.
        from_ranges: whether units follow from what values the columns can have, and not from the rows.
    """

    source: str
    instruments: dict[str, Unit]
    regressor: tuple[str, Unit]
    outcome: tuple[str, Unit]
    count: str | None = None
    from_ranges: bool = True

    @property
    def effect(self) -> float:
        """Effect of the regressor on the outcome, as the table has them, that is 1 in public units."""
        return self.outcome[1][1] / self.regressor[1][1]


TABLES = {
    "card": Table(
        "card", {"nearc2": BINARY, "nearc4": BINARY, "fatheduc": (10, 3.5), "motheduc": (10, 3)},
        ("educ", (13, 2.7)), ("lwage", (6.2, 0.45)), from_ranges=False,
    ),
    "angrist_evans_married": Table(
        "angrist_evans_married", {"samesex": BINARY}, ("morekids", BINARY), ("weeks", (26, 26)), "n",
    ),
    "angrist_evans_labsup": Table(
        "angrist_evans_labsup", {"samesex": BINARY}, ("kids", (3, 1)), ("weeks", (26, 26)), "n",
    ),
}  # fmt: skip


@cache
def whole(name: str) -> IVSample:
    """Returns a table's records in public units; equal records are counted where the table counts them.

    Raises:
        ValueError: if there is no such table.
    """
    if name not in TABLES:
        raise ValueError(f"table={name!r} must be one of {', '.join(TABLES)}")
    table = TABLES[name]
    (regressor, x_unit), (outcome, y_unit) = table.regressor, table.outcome
    names = list(table.instruments)
    read = tabular.read_sample(tabular.bundled(table.source), names, [regressor], outcome, table.count)
    units = np.array(list(table.instruments.values()))
    Z = (read.Z - units[:, 0]) / units[:, 1]
    return IVSample(Z, (read.X - x_unit[0]) / x_unit[1], (read.y - y_unit[0]) / y_unit[1], read.count)


def resampled(sample: IVSample, rng: np.random.Generator) -> IVSample:
    """Draws as many records as there are, with replacement; rows are counted."""
    share = sample.weights / sample.n
    return IVSample(sample.Z, sample.X, sample.y, rng.multinomial(sample.n, share).astype(np.float64))


def classical(sample: IVSample) -> tuple[TwoStageFit, float]:
    """Returns 2SLS of centred records, and the half width of its 95 % interval."""
    centred = tabular.centre(sample)
    fit = two_stage_least_squares(centred)
    return fit, 1.959963984540054 * float(two_stage_standard_errors(centred, fit)[0])


@dataclass(frozen=True)
class Preparation:
    """The two releases with which a private run begins.

    Attributes:
        n, q: number of records and of instruments.
        rho: zCDP budget of each of the two.
    """

    n: int
    q: int
    rho: float

    @property
    def bounds(self) -> tuple[float, float]:
        """Public bounds of the norm of a record, all columns, and of its instruments."""
        return WITHIN * math.sqrt(self.q + 2.0), WITHIN * math.sqrt(self.q)

    @property
    def releases(self) -> tuple[GaussianReleases, GaussianReleases]:
        """Returns the releases of the mean and of the second moment that the preparation makes."""
        record, instruments = self.bounds
        return (
            preconditioning.mean_release(self.n, record, self.rho),
            preconditioning.moment_release(self.n, self.q, instruments, self.rho),
        )

    def of(self, sample: IVSample, rng: np.random.Generator) -> IVSample:
        """Returns the records centred by their released mean, with instruments within the bound and whitened."""
        record, bound = self.bounds
        columns = np.column_stack([sample.Z, sample.X, sample.y])
        mean = preconditioning.centre(columns, record, self.rho, rng.standard_normal(self.q + 2), sample.count)
        centred = columns - mean
        Z: Array = preconditioning.bounded(centred[:, : self.q], bound)
        white = preconditioning.whiten(Z, bound, self.rho, rng.standard_normal((self.q, self.q)), sample.count)
        return IVSample(Z @ white.transform, centred[:, [self.q]], centred[:, -1], sample.count)
