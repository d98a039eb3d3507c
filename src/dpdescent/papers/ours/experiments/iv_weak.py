"""Coverage of Anderson-Rubin sets, private and not, beside the interval of 2SLS, by strength of the instruments."""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms import reduced_form
from dpdescent.algorithms.reduced_form_evidence import evidence
from dpdescent.anderson_rubin import ConfidenceSet, Evidence, anderson_rubin, unclipped
from dpdescent.baselines.least_squares import two_stage_least_squares, two_stage_standard_errors
from dpdescent.data.iv import IVSample
from dpdescent.papers.ours.design import PAPER, Row, Spec
from dpdescent.papers.ours.iv_design import Design, cells, draw, value
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import Mechanism
from dpdescent.randomness import stream

PRIVATE, CLASSICAL, INTERVAL = "Anderson-Rubin, private", "Anderson-Rubin", "2SLS"
# Of bounded sets: half the length over that of 2SLS on the same records, because means of lengths do not exist where
# instruments are weak.
RATIO = "half length over that of 2SLS"
Z95 = 1.959963984540054
NO_SET: Row = {"unbounded": 0.0, "F_told": np.nan, "clip_fraction": 0.0}

PROVED = (
    "each step adds Gaussian noise to the mean of gradients clipped at gamma (sensitivity 2 gamma / n), and the second "
    "moment of clipped gradients moves by sqrt(2) gamma^2 / n; n, the threshold, the outcome's unit, steps and the "
    "instruments' second moment are public; adaptive composition"
)


def settings_of(spec: Spec, design: Design) -> reduced_form.Settings:
    """Returns the public settings of a run: the threshold is k times what a gradient's norm is at unit scales.

    Raises:
        ValueError: if there is more than one regressor.
    """
    if design.p != 1:
        raise ValueError(f"p={design.p}: Anderson-Rubin sets here are for one effect, give p = 1")
    given, n = spec["settings"], design.n
    gamma, steps = value(spec, "k") * math.sqrt(2.0 * design.q), given["steps1"]
    first, second = (design.rho * part for part in given["set_parts"])
    noise = zcdp.gaussian_noise_sd(mean_sensitivity(gamma, n), first, steps)
    moment = zcdp.gaussian_noise_sd(reduced_form.moment_sensitivity(gamma, n, 2 * design.q), second)
    A = design.second_moment
    eta, unit = given["eta1"] / float(np.linalg.eigvalsh(A).max()), math.sqrt(2.0 + 2.0 * design.endogeneity)
    return reduced_form.Settings(steps, given["kept1"], eta, gamma, noise, moment, unit, A)


def run(spec: Spec) -> Iterator[Row]:
    """Yields whether a set or an interval covers the effect of 1, how long it is, and what it tells of the strength."""
    for cell in cells(spec):
        yield from _cell(cell)


def _cell(spec: Spec) -> Iterator[Row]:
    design = Design.of(spec)
    settings = settings_of(spec, design)
    axes = {name: value(spec, name) for name in (*Design._fields, "k")}
    for trial in range(*spec["trials"]):
        shared, sample = {"panel": spec["panel"], **axes, "trial": trial}, draw(spec, design, trial)
        fit = two_stage_least_squares(sample)
        half = Z95 * float(two_stage_standard_errors(sample, fit)[0])
        covered = float(abs(fit.beta[0] - 1.0) <= half)
        yield {**shared, "series": INTERVAL, "value": covered, "half_width": half, **NO_SET}
        out = reduced_form.descend(
            [sample], settings, reduced_form.Normals.draw(_noise(spec, design, trial), settings, 1, 1)
        )
        clipped = float(out.clipped[0])
        yield from (
            {**shared, **row}
            for row in _rows(PRIVATE, anderson_rubin(evidence(out, 0, settings, design.n)), half, clipped)
        )
        if trial < spec["arms"]["classical_trials"]:
            yield from ({**shared, **row} for row in _rows(CLASSICAL, anderson_rubin(classical(sample)), half, 0.0))


def classical(sample: IVSample) -> Evidence:
    """Returns the evidence on a sample without privacy: least squares, and second moments, counts honoured."""
    both, Z, count = np.column_stack([sample.X, sample.y]), sample.Z, sample.count
    root = np.ones((len(both), 1)) if count is None else np.sqrt(count)[:, None]
    D = np.asarray(np.linalg.lstsq(root * Z, root * both, rcond=None)[0], dtype=np.float64)
    V = both - Z @ D
    g = (V[:, :, None] * Z[:, None, :]).reshape(len(both), -1)
    moment, A = (
        each.T @ (each if count is None else each * count[:, None]) / sample.n for each in (g, Z)
    )  # fmt: skip
    slope = unclipped(A)
    return Evidence(D, moment, 0.0, np.zeros_like(slope), slope, sample.n)


def _rows(series: str, found: ConfidenceSet, interval: float, clipped: float) -> Iterator[Row]:
    """Whether a set covers the effect, and, if it has ends, half its length over that of 2SLS's interval."""
    endless = math.isinf(found.length)
    half = np.nan if endless else 0.5 * found.length
    told = {"unbounded": float(endless), "F_told": found.F, "clip_fraction": clipped}
    yield {"series": series, "value": float(found.covers(1.0)), "half_width": half, **told}
    if not endless:
        yield {"series": f"{series}: {RATIO}", "value": half / interval, "half_width": half, **told}


def _noise(spec: Spec, design: Design, trial: int) -> np.random.Generator:
    """A trial's stream of noise, shared by all budgets."""
    return stream(spec["seed"], PAPER, "reduced form", f"n={design.n}_q={design.q}", "trial", trial, "noise")


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of a panel."""
    for cell in cells(spec):
        design = Design.of(cell)
        place = f"{spec['variant']}: {spec['panel']}, " + " ".join(f"{name}={x}" for name, x in cell["cell"].items())
        parts = settings_of(cell, design).releases(design.n, design.p)
        event = Mechanism("DP reduced form", parts, "replace-one", "full batch", math.inf, "proved", PROVED)
        yield f"{place}: {PRIVATE}", event, spec["settings"]["dp_delta"]
