"""Private intervals and Anderson-Rubin sets on tables with instruments, in public units: resampled, and as they are.

A unit is a centre and a scale: 0.5 for columns of zeros and ones, the middle of a range for weeks and numbers. Those
of `card` are what is known of such columns and close to the rows' own moments, so that no guarantee is claimed there.
What such units leave is told by two releases with which every private run begins: the mean of all columns, because an
instrument's mean times that of the residual would be taken for an effect, and the second moment of the instruments,
which are then whitened.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from dpdescent.algorithms import dp_iv_gd, preconditioning, reduced_form
from dpdescent.anderson_rubin import anderson_rubin
from dpdescent.baselines.least_squares import first_stage_F
from dpdescent.data import tabular
from dpdescent.data.iv import IVSample
from dpdescent.papers.ours import iv_intervals, iv_sets, real_tables
from dpdescent.papers.ours.criteria import MENDED, claim_on_all_cells, coverage, rows
from dpdescent.papers.ours.iv_sets import STRONG
from dpdescent.papers.ours.real_tables import BINARY, Unit
from dpdescent.papers.ours.setting import Array, Release, Row, Spec, cells, name_of, proved, trial_stream
from dpdescent.privacy.events import GaussianReleases
from dpdescent.replication.judging import algebra, records
from dpdescent.replication.judging.criteria import at_least, between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import median_of
from dpdescent.sums import added

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
    file = tabular.bundled(table.source)
    read = tabular.read_sample(file, list(table.instruments), [regressor], outcome, table.count)
    units = np.array(list(table.instruments.values()))
    Z = (read.Z - units[:, 0]) / units[:, 1]
    return IVSample(Z, (read.X - x_unit[0]) / x_unit[1], (read.y - y_unit[0]) / y_unit[1], read.count)


def resampled(sample: IVSample, rng: np.random.Generator) -> IVSample:
    """Draws as many records as there are, with replacement; rows are counted."""
    share = sample.weights / sample.n
    return IVSample(sample.Z, sample.X, sample.y, rng.multinomial(sample.n, share).astype(np.float64))


def classical(sample: IVSample) -> tuple[float, float]:
    """The estimate of 2SLS of centred records, and the half width of its 95 % interval."""
    fit, halves = iv_sets.two_stage(tabular.centre(sample))
    return float(fit.beta[0]), float(halves[0])


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


INTERVAL, SET = iv_intervals.OURS, iv_sets.PRIVATE
CLASSICAL, CLASSICAL_SET = iv_intervals.CLASSICAL, iv_sets.CLASSICAL
SETS, EMPTY = (SET, CLASSICAL_SET), "empty"
RATIO, ESTIMATE, TELLS = iv_sets.RATIO, "estimate", "excludes 0"
REFUSED = iv_intervals.REFUSED
RESAMPLED = "resampled"

PREPARED = (
    "before it the mean of clipped records (2 B / n) and the second moment of clipped instruments (sqrt(2) B^2 / n, "
    "B^2 / n with one) are released, and units, bounds and n are public"
)
DRAWN = "; a record is one of those drawn with replacement: a person who is drawn k times pays k^2 times the zCDP cost"

# Intervals of effects; None where a method refuses one.
Pieces = list[tuple[float, float]] | None


def run_iv_real(spec: Spec) -> Iterator[Row]:
    """Yields whether intervals and sets cover the table's own 2SLS estimate, how long they are, and what they tell."""
    for cell in cells(spec):
        name, rho = cell["cell"]["table"], cell["cell"]["rho"]
        table = whole(name)
        truth = float(classical(table)[0])
        shared = {"panel": cell["panel"], "table": name, "n": table.n, "q": table.q, "rho": rho,
                  "F": first_stage_F(table)}  # fmt: skip
        for trial in range(*cell["trials"]):
            sample = table
            if cell["panel"] == RESAMPLED:
                sample = resampled(table, trial_stream(cell, trial, "data", "instruments", name))
            beta, half = classical(sample)
            plain = anderson_rubin(iv_sets.classical(tabular.centre(sample)))
            for series, pieces, centre, clipped in (
                (CLASSICAL, [(beta - half, beta + half)], beta, 0.0),
                (CLASSICAL_SET, list(plain.intervals), math.nan, 0.0),
                _interval(cell, sample, trial), _set(cell, sample, trial),
            ):  # fmt: skip
                for row in _outcome(series, pieces, centre, truth, half, TABLES[name].effect):
                    yield {**shared, "trial": trial, "clip_fraction": clipped, **row}


def _outcome(series: str, pieces: Pieces, centre: float, truth: float, half: float, unit: float) -> Iterator[Row]:
    """What is told of a set of intervals; estimates are in the table's own units."""
    if series == INTERVAL:
        refused = float(pieces is None)
        yield {"series": f"{series}: {REFUSED}", "value": refused, "half_width": np.nan, "unbounded": np.nan}
    if pieces is None:
        return
    length = added(high - low for low, high in pieces)
    endless = math.isinf(length)
    told = {"half_width": np.nan if endless else 0.5 * length * unit, "unbounded": float(endless)}
    yield {"series": series, "value": float(any(low <= truth <= high for low, high in pieces)), **told}
    # An empty set says that no effect explains all instruments, and nothing of a sign.
    tells = bool(pieces) and all(low > 0.0 or high < 0.0 for low, high in pieces)
    if series in SETS:
        yield {"series": f"{series}: {EMPTY}", "value": float(not pieces), **told}
    yield {"series": f"{series}: {TELLS}", "value": float(tells), **told}
    if pieces and not endless:
        yield {"series": f"{series}: {RATIO}", "value": 0.5 * length / half, **told}
    if not math.isnan(centre):
        yield {"series": f"{series}: {ESTIMATE}", "value": centre * unit, **told}


def _interval(spec: Spec, sample: IVSample, trial: int) -> tuple[str, Pieces, float, float]:
    """DP-IV-GD's interval with its centre and the share of clipped gradients."""
    rng = _noise(spec, trial, INTERVAL)
    ready = _preparation(spec, sample).of(sample, rng)
    centres, halves, clipped = iv_intervals.private_intervals([ready], interval_settings(spec, sample), [rng])
    centre, half = float(centres[0, 0]), float(halves[0, 0])
    return INTERVAL, None if math.isnan(half) else [(centre - half, centre + half)], centre, float(clipped[0])


def _set(spec: Spec, sample: IVSample, trial: int) -> tuple[str, Pieces, float, float]:
    """The private Anderson-Rubin set, which has no centre, and the share of clipped gradients."""
    rng = _noise(spec, trial, SET)
    ready = _preparation(spec, sample).of(sample, rng)
    region, clipped = iv_sets.private_set(ready, set_settings(spec, sample), rng)
    return SET, list(region.intervals), math.nan, clipped


def _noise(spec: Spec, trial: int, method: str) -> np.random.Generator:
    """A method's stream of noise in a trial, the same for all budgets."""
    return trial_stream(spec, trial, f"noise of {method}", "instruments", spec["cell"]["table"])


def _preparation(spec: Spec, sample: IVSample) -> Preparation:
    """What runs begin with, an equal part of the budget each."""
    return Preparation(sample.n, sample.q, spec["settings"]["prepared"] * spec["cell"]["rho"])


def _left(spec: Spec) -> float:
    """The zCDP budget that remains after the preparation of the table."""
    return float((1.0 - 2.0 * spec["settings"]["prepared"]) * spec["cell"]["rho"])


def interval_settings(spec: Spec, sample: IVSample) -> dp_iv_gd.Settings:
    """The public settings of DP-IV-GD on whitened instruments: k times a gradient's norm at public units."""
    k, q, eta = spec["settings"]["k"], sample.q, spec["settings"]["eta1"]
    return iv_intervals.settings_at(spec, _left(spec), (sample.n, 1), (k * math.sqrt(q), k), eta, np.eye(q))


def set_settings(spec: Spec, sample: IVSample) -> reduced_form.Settings:
    """The public settings of the Anderson-Rubin set on whitened instruments."""
    q, eta = sample.q, spec["settings"]["eta1"]
    gamma = spec["settings"]["k"] * math.sqrt(2.0 * q)
    return iv_sets.settings_at(spec, _left(spec), sample.n, gamma, eta, 1.0, np.eye(q))


def releases_iv_real(spec: Spec) -> Iterator[Release]:
    """Yields the ledger entries of a panel."""
    for cell in cells(spec):
        name, delta = cell["cell"]["table"], spec["settings"]["dp_delta"]
        table, known = whole(name), TABLES[name].from_ranges
        before = _preparation(cell, table).releases
        for method, series, settings, reason in (
            ("DP-IV-GD", INTERVAL, interval_settings(cell, table), iv_intervals.PROVED),
            ("DP reduced form", SET, set_settings(cell, table), iv_sets.PROVED),
        ):
            reason = f"{reason}; {PREPARED}{DRAWN if cell['panel'] == RESAMPLED else ''}"
            event = proved(method, (*before, *settings.releases(table.n, 1)), reason)
            yield f"{name_of(cell)}: {series}", real_tables.as_known(event, known), delta


ON_TABLES: records.Place = {"artefact": "iv_real", "location": "Sec. 1", "kind": "text", "source": "ours"}
PLACE = ["table", "rho"]
TARGET = "for the table's own 2SLS estimate, on records drawn from the table"
ONE = (
    "Before a first look Card's table with its four instruments counted too. They disagree on the table itself, where no "
    "effect explains all four, so that the set without privacy is empty: there is no true effect to cover."
)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges coverage and length of DP-IV-GD's interval and of the private Anderson-Rubin set."""
    table = rows(evidence, "iv_real")
    drawn = table[table["panel"] == RESAMPLED]
    intervals, lengths, sets, set_lengths = (
        drawn[drawn["series"] == series] for series in (INTERVAL, f"{INTERVAL}: {RATIO}", SET, f"{SET}: {RATIO}")
    )
    yield claim_on_all_cells(
        id="real-iv-coverage", **ON_TABLES,
        statement="on real tables intervals of DP-IV-GD hold their level where instruments are strong",
        quantity=f"coverage of 95 % intervals that were not refused {TARGET}, at F >= {STRONG}, by table and budget",
        cells=algebra.means(intervals[intervals["F"] >= STRONG], PLACE, coverage), criterion=between(0.92, 0.98),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="real-iv-length", **ON_TABLES,
        statement="on real tables their length is within 3 to 30 % of that of 2SLS",
        quantity=f"half length over that of 2SLS on the same records, medians, at F >= {STRONG}, by table and budget",
        cells=algebra.means(lengths[lengths["F"] >= STRONG], PLACE, median_of), criterion=between(1.0, 1.3),
    )  # fmt: skip
    # One instrument fits any table exactly, so that its 2SLS estimate is a true effect of what is drawn from it.
    yield claim_on_all_cells(
        id="real-sets-cover", **ON_TABLES,
        statement="on real tables private Anderson-Rubin sets hold their level however strong the instruments are",
        quantity=f"coverage of 95 % sets {TARGET}, with one instrument, by table and budget",
        cells=algebra.means(sets[sets["q"] == 1], PLACE, coverage), criterion=at_least(0.92),
        changed=f"{ONE} {MENDED}",
    )  # fmt: skip
    strong = set_lengths[(set_lengths["q"] == 1) & (set_lengths["F"] >= STRONG)]
    yield claim_on_all_cells(
        id="real-sets-length", **ON_TABLES,
        statement="where instruments are strong the set is 1.2 to 2.4 times as long as the interval of 2SLS",
        quantity=f"half length over that of 2SLS on the same records, medians of bounded sets, with one instrument, at F >= {STRONG}, by table and budget",
        cells=algebra.means(strong, PLACE, median_of), criterion=between(1.2, 2.4), changed=f"{ONE} {MENDED}",
    )  # fmt: skip
