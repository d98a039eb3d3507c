"""Length of private intervals and sets over that of 2SLS's interval on the same records, beside what a law predicts."""

import math
from collections.abc import Iterable, Iterator

import numpy as np
from scipy.special import chdtri

from dpdescent import interval_arithmetic as intervals
from dpdescent.algorithms import dp_iv_gd, reduced_form
from dpdescent.algorithms.reduced_form_evidence import evidence, freedom
from dpdescent.anderson_rubin import Evidence, anderson_rubin, unclipped
from dpdescent.baselines.least_squares import two_stage_least_squares, two_stage_standard_errors
from dpdescent.data.iv import IVSample
from dpdescent.papers.ours.design import PAPER, Row, Spec
from dpdescent.papers.ours.experiments import iv_coverage, iv_weak
from dpdescent.papers.ours.experiments.iv_coverage import BATCHES, REFUSED, Z95
from dpdescent.papers.ours.iv_design import Design, cells, draw, value
from dpdescent.privacy.events import Mechanism
from dpdescent.randomness import stream

INTERVAL, SET = "DP-IV-GD", "Anderson-Rubin, private"


def interval_law(spec: Spec, design: Design) -> float:
    """Returns the median length of DP-IV-GD's interval over that of 2SLS, one regressor and A = I, nothing clipped.

    The preconditioned path is `b <- (1 - alpha) b + alpha noise` about the root, so that the mean of a batch has the
    noise's variance over the steps but for its ends. Both lengths have the same factor, the first stage's length.
    """
    given = iv_coverage.settings_of(spec, design, oracle=False)
    L, keep = (given.steps2 - given.burn_in) // BATCHES, 1.0 - given.alpha
    ends = 2.0 * keep * (1.0 - keep**L) / (L * given.alpha * (1.0 + keep))
    spread = given.lambda2**2 * (1.0 - ends) / L
    # Half of the variances of ten batches are below this part of their mean.
    typical = float(chdtri(BATCHES - 1, 0.5)) / (BATCHES - 1)
    factor = intervals.t_factor(BATCHES, 0.95) / Z95
    return math.sqrt(1.0 + factor**2 * typical * spread * design.n)


def set_law(spec: Spec, design: Design) -> float:
    """Returns the length of the Anderson-Rubin set of what the releases are without their errors, over that of 2SLS."""
    given, q = iv_weak.settings_of(spec, design), design.q
    shared = 1.0 + design.endogeneity
    residuals = np.array([[1.0, shared / given.unit], [shared / given.unit, 2.0 * shared / given.unit**2]])
    D = design.Theta @ np.array([[1.0, 1.0 / given.unit]])
    slope = unclipped(given.second_moment)
    told = Evidence(
        D, np.kron(residuals, np.eye(q)), given.moment_sd, given.variance(slope), slope, design.n, given.unit,
        freedom(given),
    )  # fmt: skip
    return 0.5 * anderson_rubin(told).length * design.strength * math.sqrt(design.n) / Z95


def run(spec: Spec) -> Iterator[Row]:
    """Yields half lengths over that of 2SLS's interval, and which intervals are refused."""
    for cell in cells(spec):
        yield from _cell(cell)


def _cell(spec: Spec) -> Iterator[Row]:
    design = Design.of(spec)
    shared = {"panel": spec["panel"], **{name: value(spec, name) for name in ("n", "F", "rho")}}
    laws = {INTERVAL: interval_law(spec, design), SET: set_law(spec, design)}
    for trial in range(*spec["trials"]):
        sample = draw(spec, design, trial)
        plain = Z95 * float(two_stage_standard_errors(sample, two_stage_least_squares(sample))[0])
        for series, half, clipped in (_interval(spec, design, sample, trial), _set(spec, design, sample, trial)):
            told = {**shared, "trial": trial, "predicted": laws[series], "clip_fraction": clipped}
            if series == INTERVAL:
                yield {**told, "series": f"{series}: {REFUSED}", "value": float(math.isnan(half))}
            if math.isfinite(half):
                yield {**told, "series": series, "value": half / plain}


def _interval(spec: Spec, design: Design, sample: IVSample, trial: int) -> tuple[str, float, float]:
    """DP-IV-GD's half width, NaN where it refuses an interval, and the share of clipped gradients."""
    given = iv_coverage.settings_of(spec, design, oracle=False)
    normals = dp_iv_gd.Normals.draw(_noise(spec, design, trial, INTERVAL), given, 1, 1)
    out = dp_iv_gd.descend([sample], given, normals)
    found = intervals.sandwich_intervals(
        out.path, m=BATCHES, burn_in=given.burn_in, alpha=given.alpha, precondition=out.precondition,
        moment=out.moment, moment_sd=given.moment_sd, n=design.n,
    )  # fmt: skip
    return INTERVAL, float(found.half_width[0, 0]), float(out.clipped2[0])


def _set(spec: Spec, design: Design, sample: IVSample, trial: int) -> tuple[str, float, float]:
    """Half the length of the private set, infinite where it has no end, and the share of clipped gradients."""
    given = iv_weak.settings_of(spec, design)
    normals = reduced_form.Normals.draw(_noise(spec, design, trial, SET), given, 1, 1)
    out = reduced_form.descend([sample], given, normals)
    return SET, 0.5 * anderson_rubin(evidence(out, 0, given, design.n)).length, float(out.clipped[0])


def _noise(spec: Spec, design: Design, trial: int, method: str) -> np.random.Generator:
    """A method's stream of noise in a trial, the same for all budgets and strengths."""
    return stream(spec["seed"], PAPER, "lengths", f"n={design.n}", "trial", trial, f"noise of {method}")


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of a panel."""
    for cell in cells(spec):
        design, delta = Design.of(cell), spec["settings"]["dp_delta"]
        place = f"{spec['variant']}: {spec['panel']}, " + " ".join(f"{name}={x}" for name, x in cell["cell"].items())
        for name, series, parts, reason in (
            ("DP-IV-GD", INTERVAL, iv_coverage.settings_of(cell, design, False).releases(design.n, 1),
             iv_coverage.PROVED),
            ("DP reduced form", SET, iv_weak.settings_of(cell, design).releases(design.n, 1), iv_weak.PROVED),
        ):  # fmt: skip
            event = Mechanism(name, parts, "replace-one", "full batch", math.inf, "proved", reason)
            yield f"{place}: {series}", event, delta
