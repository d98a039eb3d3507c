"""Private intervals and Anderson-Rubin sets on real tables: resampled from themselves, and as they are."""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent import interval_arithmetic as intervals
from dpdescent.algorithms import dp_iv_gd, reduced_form
from dpdescent.algorithms.reduced_form_evidence import evidence
from dpdescent.anderson_rubin import Evidence, anderson_rubin
from dpdescent.baselines.least_squares import first_stage_F
from dpdescent.data import tabular
from dpdescent.data.iv import IVSample
from dpdescent.papers.ours import iv_tables, real_tables
from dpdescent.papers.ours.design import PAPER, Row, Spec
from dpdescent.papers.ours.experiments import iv_coverage, iv_weak
from dpdescent.papers.ours.iv_design import cells
from dpdescent.papers.ours.iv_tables import Preparation
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import Mechanism
from dpdescent.randomness import stream
from dpdescent.sums import added

INTERVAL, SET = iv_coverage.OURS, iv_weak.PRIVATE
CLASSICAL, CLASSICAL_SET = iv_coverage.CLASSICAL, iv_weak.CLASSICAL
SETS, EMPTY = (SET, CLASSICAL_SET), "empty"
RATIO, ESTIMATE, TELLS = iv_weak.RATIO, "estimate", "excludes 0"
REFUSED = iv_coverage.REFUSED
RESAMPLED = "resampled"

PREPARED = (
    "before it the mean of clipped records (2 B / n) and the second moment of clipped instruments (sqrt(2) B^2 / n, "
    "B^2 / n with one) are released, and units, bounds and n are public"
)
DRAWN = "; a record is one of those drawn with replacement: a person who is drawn k times pays k^2 times the zCDP cost"


def run(spec: Spec) -> Iterator[Row]:
    """Yields whether intervals and sets cover the table's own 2SLS estimate, how long they are, and what they tell."""
    for cell in cells(spec):
        yield from _cell(cell)


def _cell(spec: Spec) -> Iterator[Row]:
    name, rho = spec["cell"]["table"], spec["cell"]["rho"]
    table = iv_tables.whole(name)
    truth = float(iv_tables.classical(table)[0].beta[0])
    shared = {"panel": spec["panel"], "table": name, "n": table.n, "q": table.q, "rho": rho,
              "F": first_stage_F(table)}  # fmt: skip
    for trial in range(*spec["trials"]):
        sample = table
        if spec["panel"] == RESAMPLED:
            sample = iv_tables.resampled(
                table, stream(spec["seed"], PAPER, "instruments", name, "trial", trial, "data")
            )
        fit, half = iv_tables.classical(sample)
        found = [
            (CLASSICAL, [(fit.beta[0] - half, fit.beta[0] + half)], float(fit.beta[0]), 0.0),
            (CLASSICAL_SET, _pieces(iv_weak.classical(tabular.centre(sample))), math.nan, 0.0),
            _interval(spec, sample, trial), _set(spec, sample, trial),
        ]  # fmt: skip
        for series, pieces, centre, clipped in found:
            for row in _rows(series, pieces, centre, truth, half, iv_tables.TABLES[name].effect):
                yield {**shared, "trial": trial, "clip_fraction": clipped, **row}


def _rows(
    series: str, pieces: list[tuple[float, float]] | None, centre: float, truth: float, half: float, unit: float
) -> Iterator[Row]:
    """What is told of a set of intervals, None where a method refuses one; estimates are in the table's own units."""
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


def _interval(spec: Spec, sample: IVSample, trial: int) -> tuple[str, list[tuple[float, float]] | None, float, float]:
    """DP-IV-GD's interval, None where it refuses one, with its centre and the share of clipped gradients."""
    rng, given = _noise(spec, trial, INTERVAL), interval_settings(spec, sample)
    ready = _preparation(spec, sample).of(sample, rng)
    out = dp_iv_gd.descend([ready], given, dp_iv_gd.Normals.draw(rng, given, 1, 1))
    found = intervals.sandwich_intervals(
        out.path, m=iv_coverage.BATCHES, burn_in=given.burn_in, alpha=given.alpha, precondition=out.precondition,
        moment=out.moment, moment_sd=given.moment_sd, n=sample.n,
    )  # fmt: skip
    centre, half = float(found.centre[0, 0]), float(found.half_width[0, 0])
    return INTERVAL, None if math.isnan(half) else [(centre - half, centre + half)], centre, float(out.clipped2[0])


def _set(spec: Spec, sample: IVSample, trial: int) -> tuple[str, list[tuple[float, float]], float, float]:
    """The private Anderson-Rubin set, which has no centre, and the share of clipped gradients."""
    rng, given = _noise(spec, trial, SET), set_settings(spec, sample)
    ready = _preparation(spec, sample).of(sample, rng)
    out = reduced_form.descend([ready], given, reduced_form.Normals.draw(rng, given, 1, 1))
    return SET, _pieces(evidence(out, 0, given, sample.n)), math.nan, float(out.clipped[0])


def _pieces(told: Evidence) -> list[tuple[float, float]]:
    return list(anderson_rubin(told).intervals)


def _preparation(spec: Spec, sample: IVSample) -> Preparation:
    """What runs begin with, an equal part of the budget each."""
    return Preparation(sample.n, sample.q, spec["settings"]["prepared"] * spec["cell"]["rho"])


def _left(spec: Spec) -> float:
    """The zCDP budget that remains after the preparation of the table."""
    return float((1.0 - 2.0 * spec["settings"]["prepared"]) * spec["cell"]["rho"])


def interval_settings(spec: Spec, sample: IVSample) -> dp_iv_gd.Settings:
    """Returns the public settings of DP-IV-GD on whitened instruments: k times a gradient's norm at public units."""
    given, n, q = spec["settings"], sample.n, sample.q
    gammas, steps = (given["k"] * math.sqrt(q), given["k"]), (given["steps1"], given["steps2"])
    noise = dp_iv_gd.noise_sds(_left(spec), given["parts"], n, 1, gammas, steps)
    return dp_iv_gd.Settings(
        steps[0], given["kept1"], steps[1], given["burn_in1"], given["eta1"], given["alpha2"], *gammas, *noise,
        np.eye(q),
    )  # fmt: skip


def set_settings(spec: Spec, sample: IVSample) -> reduced_form.Settings:
    """Returns the public settings of the Anderson-Rubin set on whitened instruments."""
    given, n, q = spec["settings"], sample.n, sample.q
    gamma, steps = given["k"] * math.sqrt(2.0 * q), given["steps1"]
    first, second = (_left(spec) * part for part in given["set_parts"])
    noise = zcdp.gaussian_noise_sd(mean_sensitivity(gamma, n), first, steps)
    moment = zcdp.gaussian_noise_sd(reduced_form.moment_sensitivity(gamma, n, 2 * q), second)
    return reduced_form.Settings(steps, given["kept1"], given["eta1"], gamma, noise, moment, 1.0, np.eye(q))


def _noise(spec: Spec, trial: int, method: str) -> np.random.Generator:
    """A method's stream of noise in a trial, the same for all budgets."""
    name = spec["cell"]["table"]
    return stream(spec["seed"], PAPER, "instruments", name, "trial", trial, f"noise of {method}")


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of a panel."""
    for cell in cells(spec):
        table, delta = iv_tables.whole(cell["cell"]["table"]), spec["settings"]["dp_delta"]
        place = f"{spec['variant']}: {spec['panel']}, " + " ".join(f"{name}={x}" for name, x in cell["cell"].items())
        before = _preparation(cell, table).releases
        for name, series, parts, reason in (
            ("DP-IV-GD", INTERVAL, interval_settings(cell, table).releases(table.n, 1), iv_coverage.PROVED),
            ("DP reduced form", SET, set_settings(cell, table).releases(table.n, 1), iv_weak.PROVED),
        ):
            reason = f"{reason}; {PREPARED}{DRAWN if cell['panel'] == RESAMPLED else ''}"
            event = Mechanism(name, (*before, *parts), "replace-one", "full batch", math.inf, "proved", reason)
            known = iv_tables.TABLES[cell["cell"]["table"]].from_ranges
            yield f"{place}: {series}", real_tables.as_known(event, known), delta
