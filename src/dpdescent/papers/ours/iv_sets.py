"""Anderson-Rubin sets, private and not, beside the interval of 2SLS, by strength of the instruments."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.algorithms import reduced_form
from dpdescent.algorithms.reduced_form_evidence import evidence as told_by
from dpdescent.anderson_rubin import ConfidenceSet, anderson_rubin, unclipped
from dpdescent.anderson_rubin import Evidence as SetEvidence
from dpdescent.baselines.least_squares import TwoStageFit, two_stage_least_squares, two_stage_standard_errors
from dpdescent.data.iv import IVSample
from dpdescent.papers.ours.criteria import MENDED, claim_on_all_cells, coverage, rows
from dpdescent.papers.ours.setting import (
    Array,
    IVDesign,
    Release,
    Row,
    Spec,
    cells,
    name_of,
    proved,
    trial_stream,
    value,
)
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.judging import algebra, records
from dpdescent.replication.judging.criteria import at_least, between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import exactly, proportion

# Quantile of the normal law.
Z95 = 1.959963984540054

PRIVATE, CLASSICAL, INTERVAL = "Anderson-Rubin, private", "Anderson-Rubin", "2SLS"
# Of bounded sets: half the length over that of 2SLS on the same records, because means of lengths do not exist where
# instruments are weak.
RATIO = "half length over that of 2SLS"

PROVED = (
    "each step adds Gaussian noise to the mean of gradients clipped at gamma (sensitivity 2 gamma / n), and the second "
    "moment of clipped gradients moves by sqrt(2) gamma^2 / n; n, the threshold, the outcome's unit, steps and the "
    "instruments' second moment are public; adaptive composition"
)


def settings_of(spec: Spec, design: IVDesign) -> reduced_form.Settings:
    """The public settings of a run: the threshold is k times what a gradient's norm is at unit scales.

    Raises:
        ValueError: if there is more than one regressor.
    """
    if design.p != 1:
        raise ValueError(f"p={design.p}: Anderson-Rubin sets here are for one effect, give p = 1")
    gamma, unit = value(spec, "k") * math.sqrt(2.0 * design.q), math.sqrt(2.0 + 2.0 * design.endogeneity)
    eta = spec["settings"]["eta1"] / design.largest_eigenvalue
    return settings_at(spec, design.rho, design.n, gamma, eta, unit, design.second_moment)


def settings_at(
    spec: Spec, rho: float, n: int, gamma: float, eta: float, unit: float, A: Array
) -> reduced_form.Settings:  # fmt: skip
    """The settings at a budget, for n records with that threshold, step size, unit of the outcome and A = E[zz']."""
    given = spec["settings"]
    steps, (first, second) = given["steps1"], (rho * part for part in given["set_parts"])
    noise = zcdp.gaussian_noise_sd(mean_sensitivity(gamma, n), first, steps)
    moment = zcdp.gaussian_noise_sd(reduced_form.moment_sensitivity(gamma, n, 2 * len(A)), second)
    return reduced_form.Settings(steps, given["kept1"], eta, gamma, noise, moment, unit, A)


def private_set(
    sample: IVSample, settings: reduced_form.Settings, rng: np.random.Generator
) -> tuple[ConfidenceSet, float]:
    """The private Anderson-Rubin set of a sample, and the share of clipped gradients."""
    out = reduced_form.descend([sample], settings, reduced_form.Normals.draw(rng, settings, 1, 1))
    return anderson_rubin(told_by(out, 0, settings, sample.n)), float(out.clipped[0])


def two_stage(sample: IVSample) -> tuple[TwoStageFit, Array]:
    """2SLS, and the half widths of its 95 % intervals."""
    fit = two_stage_least_squares(sample)
    return fit, Z95 * two_stage_standard_errors(sample, fit)


def classical(sample: IVSample) -> SetEvidence:
    """The evidence of a sample without privacy: least squares, and second moments, counts honoured."""
    both, Z, count = np.column_stack([sample.X, sample.y]), sample.Z, sample.count
    root = np.ones((len(both), 1)) if count is None else np.sqrt(count)[:, None]
    D = np.asarray(np.linalg.lstsq(root * Z, root * both, rcond=None)[0], dtype=np.float64)
    V = both - Z @ D
    g = (V[:, :, None] * Z[:, None, :]).reshape(len(both), -1)
    moment, A = (
        each.T @ (each if count is None else each * count[:, None]) / sample.n for each in (g, Z)
    )  # fmt: skip
    slope = unclipped(A)
    return SetEvidence(D, moment, 0.0, np.zeros_like(slope), slope, sample.n)


def run_iv_weak(spec: Spec) -> Iterator[Row]:
    """Yields whether a set or an interval covers the effect of 1, how long it is, and what it tells of the strength."""
    for cell in cells(spec):
        design = IVDesign.of(cell)
        settings, size = settings_of(cell, design), f"n={design.n}_q={design.q}"
        axes = {name: value(cell, name) for name in (*IVDesign._fields, "k")}
        for trial in range(*cell["trials"]):
            shared, sample = {"panel": cell["panel"], **axes, "trial": trial}, design.draw(cell, trial)
            fit, halves = two_stage(sample)
            half = float(halves[0])
            yield {
                **shared, "series": INTERVAL, "value": float(abs(fit.beta[0] - 1.0) <= half), "half_width": half,
                "unbounded": 0.0, "F_told": np.nan, "clip_fraction": 0.0,
            }  # fmt: skip
            # Noise is shared by all budgets.
            rng = trial_stream(cell, trial, "noise", "reduced form", size)
            sets = {PRIVATE: private_set(sample, settings, rng)}
            if trial < cell["arms"]["classical_trials"]:
                sets[CLASSICAL] = anderson_rubin(classical(sample)), 0.0
            for series, (region, clipped) in sets.items():
                endless = math.isinf(region.length)
                length = np.nan if endless else 0.5 * region.length
                shown = {**shared, "half_width": length, "unbounded": float(endless), "F_told": region.F,
                         "clip_fraction": clipped}  # fmt: skip
                yield {**shown, "series": series, "value": float(region.covers(1.0))}
                if not endless:
                    yield {**shown, "series": f"{series}: {RATIO}", "value": length / half}


def releases_iv_weak(spec: Spec) -> Iterator[Release]:
    """Yields the ledger entries of a panel."""
    for cell in cells(spec):
        design = IVDesign.of(cell)
        yield f"{name_of(cell)}: {PRIVATE}", event_of(cell, design), spec["settings"]["dp_delta"]


def event_of(spec: Spec, design: IVDesign) -> Mechanism:
    """The privacy event of a private set."""
    return proved("DP reduced form", settings_of(spec, design).releases(design.n, design.p), PROVED)


WEAK_INSTRUMENTS: records.Place = {"artefact": "iv_weak", "location": "Sec. 1", "kind": "text", "source": "ours"}
PLACE = ["panel", "n", "p", "q", "F", "rho", "endogeneity", "instruments", "errors", "k"]
# "Weak instruments" of the conjecture, and those at which sets have a length that can be compared.
WEAK, STRONG = 2, 50


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges coverage, length and ends of private sets."""
    table = rows(evidence, "iv_weak")
    private, interval = (table[table["series"] == series] for series in (PRIVATE, INTERVAL))
    yield claim_on_all_cells(
        id="anderson-rubin-covers", **WEAK_INSTRUMENTS,
        statement="a private Anderson-Rubin set holds its level however weak the instruments are",
        quantity="coverage of 95 % sets for the true effect, by cell",
        cells=algebra.means(private, PLACE, coverage), criterion=at_least(0.92), changed=MENDED,
    )  # fmt: skip
    yield claim_on_all_cells(
        id="anderson-rubin-length", **WEAK_INSTRUMENTS,
        statement="where instruments are strong it is 1.2 to 2.4 times as long as the interval of 2SLS",
        quantity=f"half length over that of 2SLS, means, at F >= {STRONG}, by cell",
        cells=over_half_widths(private[private["F"] >= STRONG], interval), criterion=between(1.2, 2.4), changed=MENDED,
    )  # fmt: skip
    yield claim_on_all_cells(
        id="weak-sets-are-unbounded", **WEAK_INSTRUMENTS,
        statement="where instruments are weak most sets have no end, which says that the data decide nothing",
        quantity=f"share of private sets that are unbounded, at F <= {WEAK}, by cell",
        cells=algebra.means(
            private[private["F"] <= WEAK], PLACE, lambda row: proportion(row["unbounded"], row["trials"])
        ),
        criterion=at_least(0.5), changed=MENDED,
    )  # fmt: skip


def over_half_widths(private: pd.DataFrame, classical: pd.DataFrame) -> algebra.Places:
    """Half widths over those of 2SLS at the same cells; means over so many runs are taken as exact."""
    return {
        algebra.place_of(row, PLACE): exactly(row["half_width"] / other["half_width"])
        for row, other in algebra.paired_rows(private, classical, PLACE)
    }
