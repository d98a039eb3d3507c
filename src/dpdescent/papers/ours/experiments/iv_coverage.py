"""Coverage and length of private intervals for an instrumental-variable estimate, by design, budget and threshold."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from dpdescent import interval_arithmetic as intervals
from dpdescent.algorithms import dp_2s_gd, dp_iv_gd
from dpdescent.baselines.least_squares import TwoStageFit, two_stage_least_squares, two_stage_standard_errors
from dpdescent.data.iv import IVSample
from dpdescent.papers.ours.design import PAPER, Array, Row, Spec
from dpdescent.papers.ours.iv_design import Design, cells, draw, value
from dpdescent.privacy import zcdp
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import GaussianReleases, Mechanism
from dpdescent.randomness import stream

OURS, ORACLE, PUBLISHED, CLASSICAL = "DP-IV-GD", "DP-IV-GD, oracle threshold", "DP-2S-GD, path as published", "2SLS"
REFUSED = "refused"
BATCHES, Z95 = 10, 1.959963984540054

PROVED = (
    "both stages add Gaussian noise to means of gradients clipped at gamma (sensitivity 2 gamma / n), and the second "
    "moment of clipped gradients moves by sqrt(2) gamma2^2 / n, or gamma2^2 / n with one regressor; n, thresholds, "
    "steps and the instruments' second moment are public; adaptive composition"
)
TWO_STAGES = "both stages add Gaussian noise to means of gradients clipped at gamma (sensitivity 2 gamma / n)"
CHOSEN_BY_ORACLE = "thresholds know the design that the data are drawn from, and no data"


@dataclass(frozen=True)
class Thresholds:
    """Clipping thresholds of the two stages."""

    gamma1: float
    gamma2: float


def thresholds(spec: Spec, design: Design, oracle: bool = False) -> Thresholds:
    """Returns k times what a gradient's norm is at unit scales; the oracle knows the scale of the errors.

    The public rule knows the scales of x, of the outcome and of the instruments as a codebook tells them, and takes the
    outcome's for that of the errors, which is too large.
    """
    k, p = value(spec, "k"), design.p
    residual = 1.0 if oracle else math.sqrt(p + 1.0 + 2.0 * design.endogeneity)
    return Thresholds(k * math.sqrt(design.q * p), k * math.sqrt(p) * residual)


def settings_of(spec: Spec, design: Design, oracle: bool) -> dp_iv_gd.Settings:
    """Returns the public settings of a run of DP-IV-GD."""
    given, gamma = spec["settings"], thresholds(spec, design, oracle)
    steps = given["steps1"], given["steps2"]
    parts = given["parts"]
    A = design.second_moment
    noise = dp_iv_gd.noise_sds(design.rho, parts, design.n, design.p, (gamma.gamma1, gamma.gamma2), steps)
    eta = given["eta1"] / float(np.linalg.eigvalsh(A).max())
    return dp_iv_gd.Settings(
        steps[0], given["kept1"], steps[1], given["burn_in1"], eta, given["alpha2"], gamma.gamma1, gamma.gamma2,
        *noise, A,
    )  # fmt: skip


def published(spec: Spec, design: Design) -> dp_2s_gd.TwoStageArms:
    """Returns the settings of DP-2S-GD at the same budget, half a stage, with the oracle's thresholds and step size."""
    gamma, steps = thresholds(spec, design, oracle=True), spec["settings"]["steps2"]
    # Its second stage is in the units of the fitted regressors, whose scale the oracle knows.
    gamma = Thresholds(gamma.gamma1, gamma.gamma2 * design.strength)
    A = float(np.linalg.eigvalsh(design.second_moment).max())
    values = (
        spec["settings"]["eta1"] / A, spec["settings"]["alpha2"] / design.strength**2, gamma.gamma1, gamma.gamma2,
        *(zcdp.gaussian_noise_sd(mean_sensitivity(each, design.n), 0.5 * design.rho, steps)
          for each in (gamma.gamma1, gamma.gamma2)),
    )  # fmt: skip
    return dp_2s_gd.TwoStageArms(np.array([steps]), *(np.array([each]) for each in values))


def tau_over_H(spec: Spec, design: Design) -> float:
    """Returns the variance of a first-stage iterate over what the instruments explain, of DP-2S-GD at its settings.

    It is `q v / H` with `v = eta lambda1^2 / (2 - eta)`, by which beta is attenuated.
    """
    arm = published(spec, design)
    eta, lambda1 = float(arm.eta[0]), float(arm.lambda1[0])
    return design.q * eta * lambda1**2 / (2.0 - eta) / design.strength**2


def run(spec: Spec) -> Iterator[Row]:
    """Yields whether an interval covers beta, the mean over its coordinates, and its half width, of every method."""
    for cell in cells(spec):
        yield from _cell(cell)


def _cell(spec: Spec) -> Iterator[Row]:
    design, trials = Design.of(spec), range(*spec["trials"])
    samples = [draw(spec, design, trial) for trial in trials]
    axes = {name: value(spec, name) for name in (*Design._fields, "k")}
    shared = {"panel": spec["panel"], **axes, "tau_over_H": tau_over_H(spec, design)}
    for series, oracle in _arms(spec):
        for trial, rows in zip(trials, _ours(spec, design, samples, trials, oracle, series), strict=True):
            yield from ({**shared, "trial": trial, **row} for row in rows)
    for trial, sample in zip(trials, samples, strict=True):
        fit = two_stage_least_squares(sample)
        sampling = Z95 * two_stage_standard_errors(sample, fit)
        yield {**shared, "trial": trial, "series": CLASSICAL, **_covering(fit.beta, sampling, 0.0)}
        if trial < spec["arms"]["published_trials"]:
            row = _published(spec, design, sample, fit, sampling, trial)
            yield {**shared, "trial": trial, "series": PUBLISHED, **row}


def _arms(spec: Spec) -> list[tuple[str, bool]]:
    """The arms of DP-IV-GD: by the public rule, and in some panels the oracle's beside."""
    return [(OURS, False), *([(ORACLE, True)] if spec["panel"] in spec["arms"]["with_oracle"] else [])]


def _covering(centre: Array, half: Array, clipped: float) -> Row:
    """The columns of an interval about beta, whose coordinates are all 1."""
    covered = float(np.mean(np.abs(centre - 1.0) <= half))
    return {"value": covered, "half_width": float(np.mean(half)), "clip_fraction": clipped}


def _ours(
    spec: Spec, design: Design, samples: list[IVSample], trials: range, oracle: bool, series: str
) -> Iterator[list[Row]]:
    """Yields by trial the row of DP-IV-GD, unless it refuses an interval, and whether it does."""
    settings = settings_of(spec, design, oracle)
    drawn = [dp_iv_gd.Normals.draw(_noise(spec, design, trial), settings, 1, design.p) for trial in trials]
    normals = dp_iv_gd.Normals(
        *(np.concatenate([getattr(one, name) for one in drawn]) for name in ("stage1", "stage2", "moment"))
    )
    out = dp_iv_gd.descend(samples, settings, normals)
    found = intervals.sandwich_intervals(
        out.path, m=BATCHES, burn_in=settings.burn_in, alpha=settings.alpha, precondition=out.precondition,
        moment=out.moment, moment_sd=settings.moment_sd, n=design.n,
    )  # fmt: skip
    for k, (centre, half) in enumerate(zip(found.centre, found.half_width, strict=True)):
        refused, clipped = bool(np.isnan(half).any()), float(out.clipped2[k])
        told = {"series": f"{series}: {REFUSED}", "value": float(refused), "half_width": np.nan,
                "clip_fraction": clipped}  # fmt: skip
        yield [told] if refused else [told, {"series": series, **_covering(centre, half, clipped)}]


def _published(spec: Spec, design: Design, sample: IVSample, fit: TwoStageFit, sampling: Array, trial: int) -> Row:
    """The interval of batched means of DP-2S-GD's path; the sampling error of 2SLS, not private, is added to it."""
    arms, burn_in = published(spec, design), spec["settings"]["burn_in1"]
    rng = _noise(spec, design, trial)
    normals = dp_2s_gd.Normals.draw(rng, int(arms.steps[0]), design.p, design.q)
    # A path that leaves the region where it is stable overflows, and covers nothing.
    with np.errstate(all="ignore"):
        out = dp_2s_gd.descend(sample, arms, normals, record=True)
        assert out.beta_path is not None
        path = out.beta_path[1:, 0]
        found = intervals.t_intervals(intervals.batched_means(path, BATCHES, burn_in))
    return _covering(found.centre, np.hypot(found.half_width, sampling), float(out.clipped2[0]))


def _noise(spec: Spec, design: Design, trial: int) -> np.random.Generator:
    """A trial's stream of noise, shared by all methods and budgets."""
    size = f"n={design.n}_p={design.p}_q={design.q}"
    return stream(spec["seed"], PAPER, "instruments", size, "trial", trial, "noise")


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of a panel."""
    for cell in cells(spec):
        yield from _listed(cell)


def _listed(spec: Spec) -> Iterator[tuple[str, Mechanism, float]]:
    design, delta = Design.of(spec), spec["settings"]["dp_delta"]
    place = f"{spec['variant']}: {spec['panel']}, " + " ".join(f"{name}={each}" for name, each in spec["cell"].items())
    for series, oracle in _arms(spec):
        parts = settings_of(spec, design, oracle).releases(design.n, design.p)
        reason = f"{PROVED}; {CHOSEN_BY_ORACLE}" if oracle else PROVED
        event = Mechanism("DP-IV-GD", parts, "replace-one", "full batch", math.inf, "proved", reason)
        yield f"{place}: {series}", event, delta
    arm = published(spec, design)
    steps = int(arm.steps[0])
    stages = tuple(
        GaussianReleases(what, mean_sensitivity(float(gamma[0]), design.n), float(noise[0]), steps)
        for what, gamma, noise in (
            ("first-stage clipped mean gradient", arm.gamma1, arm.lambda1),
            ("second-stage clipped mean gradient", arm.gamma2, arm.lambda2),
        )
    )
    reason = f"{TWO_STAGES}; {CHOSEN_BY_ORACLE}"
    event = Mechanism("DP-2S-GD", stages, "replace-one", "full batch", math.inf, "proved", reason)
    yield f"{place}: {PUBLISHED}", event, delta
