"""Choices of a user: step sizes (Figure 7) and clipping thresholds (Figure 8)."""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd

from dpdescent.data.iv import IVSample
from dpdescent.papers.liang2025 import appendices, cases, formulas
from dpdescent.papers.liang2025.cases import Case
from dpdescent.papers.liang2025.criteria import (
    COMPARABLE,
    RARELY,
    SIGNIFICANT,
    at_draws,
    at_readings,
    claim,
    claim_on_all_cells,
    paired_ratios,
)
from dpdescent.papers.liang2025.formulas import IVProblem, StepSizes
from dpdescent.papers.liang2025.setting import ANOTHER_RUN, Arm, Row, Spec, constants, private, releases, sweep
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.bound_rows import ORDER, bound_row
from dpdescent.replication.judging.criteria import at_least, at_most, between
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence, joined
from dpdescent.replication.judging.records import Place
from dpdescent.replication.judging.statistics import (
    NOTHING,
    Estimate,
    exactly,
    extreme_ratio,
    half_widths,
    mean_of,
    paired_ratio,
    ratio,
)

FIGURE_7: Place = {"artefact": "fig07", "location": "Remark 3.2, App. G.1", "kind": "theorem", "source": "paper"}
FIGURE_8: Place = {"artefact": "fig08", "location": "App. G.2, Figure 8", "kind": "figure", "source": "paper"}
# Panel, symbol, the ids of the claims inside of the region and near the optimum.
STEP_SIZES = (
    ("a", "eta", "fig07a-insensitive", "fig07a-optimum"),
    ("b", "alpha", "fig07b-insensitive", "fig07b-optimum"),
)
# Parts of the ceiling between which a step size may be anything; App. G.1 calls 0.9 of it "close to its upper bound".
INSIDE, NEARER = (0.2, 0.9), 0.95
# Parts of the ceiling at which errors are shown along the iterations: from far inside to the ceiling itself.
PATHS = (0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
# Rows that compare a run with another one of its trial.
INSIDE_LAST, BEFORE = "less that at the last step size below the ceiling", "less that at the threshold before"


def step_fractions(spec: Spec, problem: IVProblem) -> list[Arm]:
    """Figure 7: one arm for every fraction of the ceiling of the panel's step size; the other is fixed (App. G.1)."""
    ceiling, arms = formulas.step_size_ceilings(_window(spec, problem)), []
    T, rho1, rho2 = (spec["arms"][name] for name in ("T", "rho1", "rho2"))
    for fraction in spec["arms"]["step_fraction"]:
        eta, alpha = (fraction if spec["panel"] == panel else spec["cell"]["held_fraction"] for panel in "ab")
        steps = StepSizes(eta * ceiling.eta, alpha * ceiling.alpha)
        labels = {"step": _varied(spec, steps), "step_fraction": fraction, "t": T}
        arms.append(private(spec, problem, T, rho1, rho2, labels, steps=steps))
    return arms


def optimum(spec: Spec, sample: IVSample, problem: IVProblem, arms: list[Arm]) -> list[Row]:
    """The ceiling (3) and the approximate optimum (8) of the step size that varies."""
    window = _window(spec, problem)
    best, ceiling = formulas.approximately_optimal_step_sizes(window), formulas.step_size_ceilings(window)
    return [{"ceiling": _varied(spec, ceiling), "approximate_optimum": _varied(spec, best)} for _ in arms]


def _window(spec: Spec, problem: IVProblem) -> formulas.Spectrum:
    return formulas.spectrum(problem, constants(spec))


def _varied(spec: Spec, steps: StepSizes) -> float:
    return steps.eta if spec["panel"] == "a" else steps.alpha


def thresholds(spec: Spec, problem: IVProblem) -> list[Arm]:
    """Figure 8: one arm for every clipping threshold, which both stages share."""
    T, rho1, rho2 = (spec["arms"][name] for name in ("T", "rho1", "rho2"))
    return [private(spec, problem, T, rho1, rho2, {"gamma": gamma}, gamma=gamma) for gamma in spec["arms"]["gamma"]]


def beyond_the_ceiling(arms: list[Arm]) -> Iterator[tuple[int, int, str]]:
    """Pairs of runs in Figure 7: at each step size beyond its ceiling, and at the last one below."""
    fractions = [arm.labels["step_fraction"] for arm in arms]
    last = max((k for k, fraction in enumerate(fractions) if fraction < 1), key=fractions.__getitem__)
    yield from ((k, last, INSIDE_LAST) for k, fraction in enumerate(fractions) if fraction > 1)


def thresholds_before(arms: list[Arm]) -> Iterator[tuple[int, int, str]]:
    """Pairs of runs in Figure 8: at each threshold, and at the one before."""
    yield from ((k, k - 1, BEFORE) for k in range(1, len(arms)))


def has_path(arm: Arm) -> bool:
    """Whether Figure 7 shows the errors of a run along its iterations."""
    return arm.labels["step_fraction"] in PATHS


run_fig07 = partial(
    sweep, arms_of=step_fractions, axes=("panel",), measures_of=optimum, pairs_of=beyond_the_ceiling, along=has_path
)
releases_fig07 = partial(releases, arms_of=step_fractions)
run_fig08 = partial(sweep, arms_of=thresholds, pairs_of=thresholds_before)
releases_fig08 = partial(releases, arms_of=thresholds)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on step sizes, then those on thresholds."""
    yield from at_readings(evidence, ["fig07"], _step_sizes)
    yield from at_readings(evidence, ["fig08"], _threshold)


def _sensitivity(rows: pd.DataFrame, least: float, most: float) -> Estimate:
    """The ratio of the largest to the smallest mean error at step sizes between two fractions of their ceiling."""
    return extreme_ratio(rows[rows["step_fraction"].between(least, most)])


def _step_sizes(evidence: Evidence) -> Iterator[Claim]:
    for panel, symbol, insensitive, near_best in STEP_SIZES:
        rows, held = (_last(evidence, panel, variant) for variant in ("main", "recommended step held"))
        yield claim(
            id=insensitive, **FIGURE_7 | {"location": f"App. G.1, Figure 7({panel})", "kind": "figure"},
            statement="inside the theoretically justified region the convergence is fairly insensitive to the step size",
            quantity=f"largest over smallest mean error for {symbol} between {INSIDE[0]:g} and {INSIDE[1]:g} of its ceiling",
            measured=_sensitivity(rows, *INSIDE), criterion=at_most(COMPARABLE),
            changed=(
                "Before a review the variants stood in the note only. After a second reading the range ends at 0.9 of the ceiling, which "
                "App. G.1 itself calls close to the bound, not at 0.95: in Figure 7(a) that one step size decided the verdict at c0 = 1."
            ),
            # The caption holds the other step size elsewhere.
            note=joined(
                f"up to {NEARER:g} of the ceiling it is {_sensitivity(rows, INSIDE[0], NEARER).value:.2g}",
                f"with the other step at half its ceiling, which is not the figure's, {_sensitivity(held, *INSIDE).value:.2g}"
                if len(held) else "",
            ),
        )  # fmt: skip
        best = rows["approximate_optimum"].iloc[0] / rows["ceiling"].iloc[0]
        yield claim(
            id=near_best, **FIGURE_7 | {"location": f"Remark 3.3, Figure 7({panel})"},
            statement="the error is fairly insensitive in a neighbourhood of the approximately optimal step size",
            quantity=f"largest over smallest mean error within 20 % of {symbol}*",
            measured=_sensitivity(rows, 0.8 * best, 1.2 * best), criterion=at_most(COMPARABLE),
        )  # fmt: skip
    yield claim_on_all_cells(
        id="fig07-optimum-best", **FIGURE_7 | {"location": "Remark 3.3, Figure 7", "source": "ours"},
        statement="(ours, as 'approximately optimal' is read) the steps (8) are among the best: the error there is comparable to the least",
        quantity="mean error at the step of the grid that is nearest to the approximately optimal one over the least mean error of the panel",
        cells={
            f"panel {panel}": ratio(rows.loc[(rows["step"] / rows["approximate_optimum"] - 1).abs().idxmin()], rows.loc[rows["mean"].idxmin()])
            for panel, rows in ((panel, _last(evidence, panel)) for panel in "ab") if len(rows)
        },
        criterion=at_most(COMPARABLE), changed="Added after a review.",
    )  # fmt: skip
    rows = _last(evidence, "b").sort_values("step_fraction")
    above, below = rows[rows["step_fraction"] >= 1.1].iloc[0], rows[rows["step_fraction"] < 1.0].iloc[-1]
    pairs = evidence.select(
        "fig07", panel="b", error_to=ANOTHER_RUN, series=INSIDE_LAST, step_fraction=above["step_fraction"]
    )
    yield claim(
        id="fig07b-conservative", **FIGURE_7,
        statement="the upper bound for alpha is slightly conservative",
        quantity="mean error at 1.1 times the ceiling over that at 0.95 (or the next points of the grid), on the same data and normals",
        measured=paired_ratio(above, below, pairs.iloc[0]) if len(pairs) else NOTHING, criterion=at_most(1.25),
        changed="Before a review both runs were taken as independent, though they share data and normals.",
    )  # fmt: skip
    norm = cases.case(evidence, cases.FIGURE_7).problem.theta_norm
    yield claim(
        id="fig07b-slightly", **FIGURE_7, statement="the upper bound for alpha is slightly conservative: by no large factor",
        quantity="2/||Theta||^2, from which on the second stage diverges without noise, over the ceiling of alpha",
        measured=exactly(2.0 / (norm**2 * rows["ceiling"].iloc[0])), criterion=between(1.0, 1.25),
        changed="Added after a referee objected that a ceiling which is three times too small met fig07b-conservative; the referee had named the value, about 1.07, before.",
    )  # fmt: skip


def _last(evidence: Evidence, panel: str, variant: str = "main") -> pd.DataFrame:
    """The errors to 2SLS after all T iterations."""
    return evidence.select("fig07", variant, panel=panel, error_to="beta_hat", series="DP-2S-GD")


def _threshold(evidence: Evidence) -> Iterator[Claim]:
    rows = evidence.select("fig08", error_to="beta_hat").sort_values("gamma").reset_index(drop=True)
    best = int(rows["mean"].idxmin())
    ends = (rows.iloc[0], rows.iloc[-1])
    yield claim_on_all_cells(
        id="fig08-u-shape", **FIGURE_8,
        statement="too small a threshold distorts, too large a one adds noise",
        quantity="smaller of the two ratios of the mean error at gamma = 1 and 1000 to the smallest",
        cells={algebra.place_of(end, ["gamma"]): ratio(end, rows.iloc[best]) for end in ends},
        criterion=at_least(SIGNIFICANT),
    )  # fmt: skip
    before = rows.assign(gamma=rows["gamma"].shift(-1))
    yield claim_on_all_cells(
        id="fig08-falls", **FIGURE_8,
        statement="as gamma rises from 1, clipping becomes less frequent and the error decreases",
        quantity="mean error over that at the threshold before, on the same data and normals, up to the best threshold",
        cells=paired_ratios(
            rows[: best + 1], before, evidence.select("fig08", error_to=ANOTHER_RUN, series=BEFORE), ["gamma"]
        ),
        criterion=at_most(1.0, words="below 1"),
        changed="Before a review both runs were taken as independent, though they share data and normals.",
    )  # fmt: skip
    spread = rows.assign(mean=rows["se"] * np.sqrt(rows["trials"]))
    yield claim(
        id="fig08-fluctuation", **FIGURE_8,
        statement="beyond a certain gamma, larger noise leads to larger fluctuations of the estimates",
        quantity="standard deviation of the error over trials at gamma = 1000 over that at the best threshold",
        measured=_spreads(spread.iloc[-1], spread.iloc[best]), criterion=at_least(SIGNIFICANT),
    )  # fmt: skip
    yield _without_clipping(evidence, rows)


def _spreads(last: "pd.Series[float]", first: "pd.Series[float]") -> Estimate:
    """Ratio of two standard deviations; relative errors of 1 / sqrt(trials), which laws of light tails stay below."""
    value = last["mean"] / first["mean"]
    factor = math.exp(2.0 * math.hypot(last["trials"] ** -0.5, first["trials"] ** -0.5))
    return Estimate(value, value / factor, value * factor)


def _without_clipping(evidence: Evidence, rows: pd.DataFrame) -> Claim:
    """The claim at the figure's draw of the parameters and at others."""
    criterion = at_most(RARELY)
    main = claim(
        id="fig08-smallest-without-clipping", **FIGURE_8,
        statement="the most effective threshold is the smallest one without clipping with high probability",
        quantity="fraction of second-stage gradients clipped at the best threshold; the interval is over thresholds tied with it",
        measured=_clipped_at_best(rows), criterion=criterion,
        changed=(
            "After a second reading one gradient in ten might be clipped too, and other draws of the parameters had to agree; the former "
            "went in a third one, because clipping of every tenth gradient is no absence of clipping."
        ),
    )  # fmt: skip
    draws = evidence.select("ext_parameter_draws", panel="fig08", error_to="beta_hat").groupby("draw")
    return at_draws(main, [criterion.verdict(_clipped_at_best(group)) for _, group in draws])


def _clipped_at_best(rows: pd.DataFrame) -> Estimate:
    best = rows.loc[rows["mean"].idxmin()]
    tied = rows[rows["mean"] - half_widths(rows) <= mean_of(best).high]["clip_fraction_stage2"]
    return Estimate(best["clip_fraction_stage2"], float(tied.min()), float(tied.max()))


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the bound at every step size, and at (4) beside the closest threshold; thresholds without clipping."""
    for point in algebra.rows_of(pd.concat([_last(evidence, panel) for panel in "ab"])):
        fraction, panel = point["step_fraction"], point["panel"]
        case = cases.case(evidence, cases.FIGURE_7, place=f"Figure 7({panel}), step at {fraction:g} of its ceiling")
        ceiling = formulas.step_size_ceilings(case.nominal)
        # One step size varies, the other one is held at a fraction of its ceiling (App. G.1).
        eta, alpha = (fraction, 1.0) if panel == "a" else (0.9, fraction)
        steps = StepSizes(eta * ceiling.eta, alpha * ceiling.alpha)
        yield cases.error_bound(case, point, formulas.contraction(case.nominal, steps).overall)
    case, table = cases.case(evidence, cases.FIGURE_8), evidence.select("fig08", error_to="beta_hat")
    closest = table.loc[(table["gamma"] / case.gamma - 1).abs().idxmin()]
    place = f"Figure 8, measured at gamma={closest['gamma']:g}"
    yield cases.error_bound(cases.case(evidence, cases.FIGURE_8, place=place), closest)
    for stage, (name, threshold) in enumerate(no_clipping_thresholds(case).items(), start=1):
        spared = table[table[f"clip_fraction_stage{stage}"] <= RARELY]["gamma"]
        row = bound_row(
            bound=name, location="App. E.1", setting=case.text, value=threshold,
            measured=None if spared.empty else float(spared.min()),
            note=f"measured is the smallest threshold of the figure that clips at most {RARELY:.0%}; {ORDER}",
        )  # fmt: skip
        yield cases.order_row(row)


def no_clipping_thresholds(case: Case) -> dict[str, float]:
    """Thresholds from which nothing is clipped, (32) and (35), at hidden constants 1; infinity where there is none."""
    return {
        "threshold (32), stage 1": appendices.no_clipping_first_stage(case.problem, case.rho1, case.T),
        "threshold (35), stage 2": appendices.no_clipping_second_stage(case.problem, case.rho2, case.T),
    }
