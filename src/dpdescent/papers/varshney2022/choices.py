"""Choices of DP-AMBSSGD: steps, iterations, averages, one choice changed at a time, and laws of the records."""

import math
from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pandas as pd

from dpdescent.algorithms.dp_ambssgd import tail_length
from dpdescent.algorithms.sgd_moments import tail_risk
from dpdescent.checks import as_list, require_positive
from dpdescent.papers.varshney2022 import criteria
from dpdescent.papers.varshney2022.ambssgd import STAT_SHARE
from dpdescent.papers.varshney2022.arms import Arm, Choice, least_squares
from dpdescent.papers.varshney2022.criteria import (
    EQUAL,
    MEDIAN,
    SAME_ORDER,
    claim,
    claim_on_all_cells,
    exact_rows,
    risks,
    rows,
)
from dpdescent.papers.varshney2022.descents import NO_STEPS, compared, runs_of, tail_average, trials_of
from dpdescent.papers.varshney2022.descents import least_squares as fit
from dpdescent.papers.varshney2022.formulas import published_multiplier, theorem_step
from dpdescent.papers.varshney2022.setting import ADA_SSP, AMBSSGD, LOG_POWER, OLS, Design, Entry, Part, Row, Spec, over
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.algebra import Places, floats
from dpdescent.replication.judging.bound_rows import row_at
from dpdescent.replication.judging.criteria import at_least, at_most
from dpdescent.replication.judging.evidence import Claim, ClaimKind, Evidence
from dpdescent.replication.judging.records import Place
from dpdescent.replication.judging.statistics import exactly

# The step sizes of Theorem 3.7 and of Corollary 3.8, on the same records -----------------------------------------------

THEOREM, COROLLARY = "Theorem 3.7", "Corollary 3.8"


def corollary_step(d: int) -> float:
    """Step size eta = 1 / (4 d), which is not Theorem 3.7's (varshney2022 Cor. 3.8)."""
    require_positive(d=d)
    return 0.25 / d


def run_step_size(spec: Spec) -> Iterator[Row]:
    """Yields a risk for each N, T, step and trial of one dimension, beside the exact risk without clipping."""
    part, sigma = Part.of(spec), spec["arms"]["sigma"]
    for N in as_list(spec["cell"]["N"]):
        choices = steps_of(spec, part, N)
        design = next(iter(choices.values())).design
        for trial, X, Y in trials_of(part, design, N, [sigma]):
            for (T, step), outcome in runs_of(part, choices, X, Y, trial).items():
                choice, tail = choices[T, step], tail_length(part.settings.tail, T)
                law = (design.lam, -design.w_star, choice.eta, choice.b)
                variance = choice.noise_variance(outcome.thresholds)
                yield {
                    "N": N, "d": design.d, "sigma": sigma, "eps": choice.eps, "delta": choice.delta, "T": T,
                    "step": step, "series": AMBSSGD, "trial": trial, "value": float(design.risk(outcome.average)),
                    "clip_fraction": float(outcome.clipped.mean()),
                    "expected": tail_risk(*law, sigma, variance, T, tail),
                    "bias": tail_risk(*law, 0.0, 0.0, T, tail) / (0.5 * part.settings.w_norm**2),
                }  # fmt: skip


def steps_of(spec: Spec, part: Part, N: int) -> dict[tuple[int, str], Choice]:
    """Returns the main setting with every T and step."""
    design, sigma, steps = part.design(spec["cell"]["d"]), spec["arms"]["sigma"], as_list(spec["arms"]["steps"])
    printed = {THEOREM: None, COROLLARY: corollary_step(design.d)}
    for step in steps:
        if step not in printed:
            raise ValueError(f"steps has {step!r}: take some of {list(printed)}")
    return {
        (T, step): Choice.of(part, design, N, sigma, T=T, step=printed[step])
        for T, step in product(as_list(spec["arms"]["T"]), steps)
    }


def releases_step_size(spec: Spec) -> Iterable[Entry]:
    """Yields the ledger entries of one dimension."""
    part = Part.of(spec)
    for N in as_list(spec["cell"]["N"]):
        for (T, step), choice in steps_of(spec, part, N).items():
            name = f"{part.variant}: {AMBSSGD} N={N} d={choice.design.d} T={T}, step of {step}"
            yield name, choice.arm().mechanism, choice.delta


# One choice changed at a time, on the same records ---------------------------------------------------------------------

LAST, RANDOM = "last iterate", "random offset"
# Value of `only` with which all choices are tried.
EVERY = "every choice"


def run_ablation(spec: Spec) -> Iterator[Row]:
    """Yields a risk for each choice, level and trial."""
    part, N, sigma = Part.of(spec), spec["cell"]["N"], spec["arms"]["sigma"]
    design = part.design(spec["cell"]["d"])
    base = {"N": N, "d": design.d, "sigma": sigma, "eps": part.settings.eps, "delta": part.delta}
    for trial, X, Y in trials_of(part, design, N, [sigma]):
        choices = choices_of(spec, float(part.stream(design.place(N), trial, "offset").random()))
        outcomes = runs_of(part, choices, X, Y, trial)
        measured: dict[tuple[str, str], float] = {}
        for choice, level in choices:
            outcome = outcomes[choice, level]
            average, path = outcome.average, outcome.path[1:]
            if choice == "tail":
                average = np.asarray(path[-1]) if level == LAST else tail_average(path, float(level))
            measured[choice, level] = float(design.risk(average))
            yield {
                **base, "choice": choice, "level": level, "series": AMBSSGD, "trial": trial,
                "value": measured[choice, level], **outcome.measures,
            }  # fmt: skip
        # A level of each of these choices beside its others, because they are compared on the same records.
        for choice, level in measured:
            printed_level = spec["arms"]["compared"].get(choice)
            if (choice, printed_level) in measured and level != printed_level:
                value = math.log(measured[choice, printed_level] / measured[choice, level])
                row = {**base, "choice": choice, "level": level, "series": over(printed_level, "the level")}
                nothing = dict.fromkeys(outcome.measures, math.nan)
                yield {**row, **nothing, "trial": trial, "value": value}


def choices_of(spec: Spec, offset: float) -> dict[tuple[str, str], Choice]:
    """Returns the run of every level of every choice; the offset is of the trial's grid of thresholds."""
    part, N, choices = Part.of(spec), spec["cell"]["N"], {}
    design = part.design(spec["cell"]["d"])
    for choice, levels in spec["arms"]["choices"].items():
        if spec["arms"]["only"] not in (EVERY, choice):
            continue
        changes: dict[str, Any] = {}
        for level in levels:
            # Only printed choices add up, because the panel shows them one after another.
            changes = (changes if choice == "printed, one by one" else {}) | _change(part, N, choice, level, offset)
            choices[choice, level] = Choice.of(part, design, N, spec["arms"]["sigma"], **changes)
    return choices


def _change(part: Part, N: int, choice: str, level: str, offset: float) -> dict[str, Any]:
    """The fields of the main setting that a level of a choice replaces, with their values."""
    published = published_multiplier(part.settings.eps, part.delta)
    printed_levels = math.ceil(200 * math.log2(N))
    known: dict[str, dict[str, dict[str, Any]]] = {
        "printed, one by one": {
            "none": {}, "+ noise multiplier": {"multiplier": published}, "+ rule": {"rule": "as published"},
            "+ factor": {"factor": LOG_POWER}, "+ overlap": {"overlap": True, "guard": 0.0},
            "+ Delta": {"levels": printed_levels, "wide": True},
        },
        "noise multiplier": {"exact": {}, "as published": {"multiplier": published}},
        "grid": {"fixed": {}, RANDOM: {"offset": offset}},
    }  # fmt: skip
    if choice in known:
        if level not in known[choice]:
            raise ValueError(f"{choice!r} has {level!r}: take some of {list(known[choice])}")
        return known[choice][level]
    if choice == "doublings":
        return {"levels": printed_levels if level == "as published" else int(level)}
    if choice == "tail":
        return {}
    names = {"rule": "rule", "factor": "factor", "statistic": "stat_size", "iterations": "T"}
    if choice not in names:
        raise ValueError(f"choices has {choice!r}: take some of {[*names, 'doublings', 'tail', *known]}")
    return {names[choice]: level if choice in ("rule", "factor") else int(level)}


def releases_ablation(spec: Spec) -> Iterable[Entry]:
    """Yields the ledger entries; neither the public offset of the grid nor the average changes a release."""
    for (choice, level), run in choices_of(spec, 0.0).items():
        yield f"{spec['variant']}: {choice}, {level}", run.arm().mechanism, run.delta


# Heavier tails and dependent label noise -------------------------------------------------------------------------------


def run_tails(spec: Spec) -> Iterator[Row]:
    """Yields a risk for each factor and trial of one law, and those of other methods and least squares."""
    part, sigma, law = Part.of(spec), spec["arms"]["sigma"], spec["cell"]["law"]
    choices, others = _choices_by_factor(spec, part)
    design, N = next((choice.design, choice.N) for choice in choices.values())
    base = {"law": law, "N": N, "d": design.d, "sigma": sigma, "eps": part.settings.eps, "delta": part.delta}
    for trial, X, Y in trials_of(part, design, N, [sigma]):
        by_factor: dict[str, float] = {}
        for factor, outcome in runs_of(part, choices, X, Y, trial).items():
            risk = by_factor[factor] = float(design.risk(outcome.average))
            row = {**base, "factor": factor, "T": part.T, "series": AMBSSGD, "trial": trial, "value": risk}
            yield {**row, **outcome.measures}
        for series, risk, measures in compared(part, design, others, X, Y, trial):
            yield {**base, "factor": series, "T": part.T, "series": series, "trial": trial, "value": risk, **measures}
            for factor in by_factor if series == ADA_SSP else ():
                row = {**base, **NO_STEPS, "factor": factor, "series": over(series, AMBSSGD), "trial": trial}
                yield {**row, "value": math.log(risk / by_factor[factor])}
        yield {**base, "series": OLS, "trial": trial, "value": float(design.risk(fit(X, Y)[0]))}


def _choices_by_factor(spec: Spec, part: Part) -> tuple[dict[str, Choice], dict[str, Arm[Any]]]:
    """The main setting by the factor that stands for log^a N, and the arms of other methods at the first factor."""
    design, N, sigma = part.design(spec["cell"]["d"], spec["cell"]["law"]), spec["cell"]["N"], spec["arms"]["sigma"]
    choices = {factor: Choice.of(part, design, N, sigma, factor=factor) for factor in as_list(spec["arms"]["factor"])}
    return choices, next(iter(choices.values())).arms(as_list(spec["arms"]["others"]))


def releases_tails(spec: Spec) -> Iterable[Entry]:
    """Yields the ledger entries of one law, on which no guarantee depends."""
    part, law = Part.of(spec), spec["cell"]["law"]
    choices, others = _choices_by_factor(spec, part)
    for factor, choice in choices.items():
        yield f"{part.variant}: {AMBSSGD} {law}, factor {factor}", choice.arm().mechanism, part.delta
    for series, arm in others.items():
        yield f"{part.variant}: {series} {law}", arm.mechanism, part.delta
    yield f"{part.variant}: {OLS} {law}", least_squares().mechanism, part.delta


# Claims ----------------------------------------------------------------------------------------------------------------

STEPS, CHOICES, LAWS = "step_size", "ablation", "tails"
STEP: Place = {"artefact": STEPS, "location": "Thm 3.7", "kind": "theorem", "source": "paper"}
AT = ["N", "d"]
LEFT = "what is left of the start after T = O(log N) iterations is |w*|_H^2 / N^100"
OVER_FIRST_TERM = "exact risk without any noise over 8 sigma^2 d/N, at the largest T"
# Id, choice, its printed level, location, kind, statement.
PRINTED_CHOICES: tuple[tuple[str, str, str, str, ClaimKind, str], ...] = (
    ("statistic-share", "statistic", "1136", "Thm 3.7", "theorem", "s = b/10 records for DP-STAT"),
    ("printed-rule", "rule", "as published", "Algorithm 3, Lemma 3.10", "text", "(ours) the printed rule of DP-STAT costs no more risk than the square of the factor of 2 that Lemma 3.10 prints of thresholds"),
    ("printed-factor", "factor", "log^a N", "Algorithm 2, Sec. 4", "text", "(ours) zeta_t = R_x gamma_t log^a N costs no more than logarithms"),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges printed steps, then choices, then laws."""
    yield _bias(evidence)
    yield from _risk(evidence)
    yield from _choices(evidence)
    yield from _laws(evidence)


def _bias(evidence: Evidence) -> Claim:
    table = rows(evidence, STEPS, series=AMBSSGD, step=THEOREM)
    printed = algebra.rows_at_end(table, "T")
    power = printed.assign(mean=-np.log(floats(printed, "bias")) / floats(printed, "T"), se=np.nan)
    return claim_on_all_cells(
        id="step-bias-theorem", **STEP,
        statement=f"with the step size of {THEOREM} {LEFT}",
        quantity="power of 1/N that is left of the start per unit of c_1 = T / log N, exactly, at the largest T: the smallest over N and d",
        cells=algebra.means(power, AT),
        criterion=at_least(0.25, ": N^-100 at c_1 = 400, as by the exponent eta mu kappa c_1 / 4 of (47) at eta mu kappa = 1"),
        changed="After a second reading the power is judged; before, what is left at the largest T of ours over 8 sigma^2 d/N, though c_1 has no value.",
        note=f"the step is near 1/|H|, whence more is left out than (47) has. {OVER_FIRST_TERM}: {algebra.places_text(_start_by_first_term(evidence, printed))}",
    )  # fmt: skip


def _start_by_first_term(evidence: Evidence, table: pd.DataFrame) -> Places:
    """Remaining risk of the start, exactly, divided by the bound's first term, by place."""
    factor, start = float(evidence.published["variance_factor"]), float(evidence.settings["w_norm"]) ** 2 / 2
    return {
        algebra.place_of(row, AT): exactly(row["bias"] * start / (factor * row["sigma"] ** 2 * row["d"] / row["N"]))
        for row in algebra.rows_of(table)
    }


def _risk(evidence: Evidence) -> Iterator[Claim]:
    table = risks(evidence, STEPS, AMBSSGD).dropna(subset=["N", "d", "sigma"]).drop_duplicates(AT)
    factor = float(evidence.published["variance_factor"])

    def needed(step: Callable[[int], float | None]) -> Places:
        """Log-log slopes in d of the least c_1 = T / log N, by N."""
        least = [
            least_steps(criteria.design_at(evidence, STEPS, row), int(row["N"]), row["sigma"], step(int(row["d"])), factor)
            for row in algebra.rows_of(table)
        ]  # fmt: skip
        places = table.assign(mean=np.array(least, dtype=np.float64) / np.log(floats(table, "N")), se=math.nan)
        return algebra.measured_by(places, ["N"], lambda group: algebra.least_squares_slope(group, "d"))

    corollary, theorem = (_at_best_T(risks(evidence, STEPS, AMBSSGD, step=step)) for step in (COROLLARY, THEOREM))
    by_runs = algebra.ratios(corollary, theorem, AT)
    yield claim_on_all_cells(
        id="corollary-3.8-risk", **STEP | {"location": "Cor. 3.8"},
        statement="with eta = 1/(4d) and T = c_1 log N, c_1 a global constant, the risk obeys the bound of Theorem 3.7",
        quantity="log-log slope in d of the least c_1 at which the exact risk without noise for privacy and clipping is at most 8 sigma^2 d/N: the largest over N",
        cells=needed(corollary_step), criterion=at_most(criteria.LOGARITHMS, ": a global constant c_1 serves every d only if it does not grow with d"),
        changed="After a second reading it is judged by the exact law at every T; before, by runs whose best T was the largest that was tried.",
        note=f"with c_1 of the order of d the corollary holds. With Theorem 3.7's step: {algebra.places_text(needed(lambda _: None))}. Risks of runs over those with Theorem 3.7's step, each at its best T: {algebra.places_text(by_runs)}; finding corollary-3.8-step",
    )  # fmt: skip


def least_steps(design: Design, N: int, sigma: float, step: float | None, factor: float) -> int:
    """Least T at which the exact risk without noise for privacy and clipping is at most `factor sigma^2 d / N`.

    b is 10/11 of N/T, as s = b/10; the step None is Theorem 3.7's.
    """

    def reached(T: int) -> bool:
        b = int(N / T * (1.0 - STAT_SHARE))
        eta = theorem_step(design.lam, b) if step is None else step
        risk = tail_risk(design.lam, -design.w_star, eta, b, sigma, 0.0, T, max(1, T // 2))
        return risk <= factor * sigma**2 * design.d / N

    high = 2
    while not reached(high):
        high *= 2
        # Beyond, a batch has fewer records than dimensions.
        if high * design.d > N:
            return high
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return high


def _at_best_T(table: pd.DataFrame) -> pd.DataFrame:
    """The row of the smallest risk of every N and d."""
    risks_at = table.dropna(subset=["mean"])
    return risks_at.loc[risks_at.groupby(AT)["mean"].idxmin()].reset_index(drop=True)


def _choices(evidence: Evidence) -> Iterator[Claim]:
    table = risks(evidence, CHOICES, AMBSSGD)
    last, half = (row_at(table, choice="tail", level=level) for level in ("last iterate", "0.5"))
    average = criteria.in_units(pd.DataFrame([half]), criteria.first_term).iloc[0]
    yield claim(
        id="tail-average", artefact=CHOICES, location="Sec. 3", kind="text", source="paper",
        statement=f"with techniques like tail averaging one pass has nearly optimal risk {criteria.OUR_RULE}",
        quantity=f"risk of the average over the last half over sigma^2 d/N, at eps = 1; {MEDIAN}",
        measured=statistics.mean_of(average), criterion=at_most(SAME_ORDER),
        changed="Before a second reading it was enough that the last iterate is no better than the average.",
        note=f"least squares has a half; the last iterate has {algebra.ratio_of_rows(last, half).value:.3g} times the risk of the average. {_levels(table, 'tail')}",
    )  # fmt: skip
    for id, choice, level, location, kind, statement in PRINTED_CHOICES:
        # The rule has more trials, because the median with the printed one scatters.
        variant = "more trials" if choice == "rule" else "main"
        table = risks(evidence, CHOICES, AMBSSGD, variant)
        beside = criteria.paired(evidence, CHOICES, level, "the level", variant, choice=choice)
        N = float(beside["N"].iloc[0]) if len(beside) else math.nan
        # zeta_t enters squared: log^{2a} N = log N at a = 1/2.
        most = math.log(N) if choice == "factor" and N > 1 else SAME_ORDER
        yield claim_on_all_cells(
            id=id, artefact=CHOICES, location=location, kind=kind, source="paper" if choice == "statistic" else "ours",
            statement=f"{statement} {criteria.OUR_RULE}" if choice == "statistic" else statement,
            quantity=f"risk at {choice} = {level} over that at each other level: the largest; {criteria.PAIRED}",
            cells=criteria.paired_ratios(beside, ["level"]), criterion=at_most(most, {"factor": ": log^{2a} N", "rule": ": the factor of 2 that Lemma 3.10 prints, squared"}.get(choice, "")),
            changed="Before a review sixty trials decided. After a second reading the constant is not called hidden, because Lemma 3.10 prints it. " * (choice == "rule") + criteria.WERE_APART, note=_levels(table, choice),
        )  # fmt: skip


def _levels(table: pd.DataFrame, choice: str) -> str:
    """The risk at every level of a choice, for a note."""
    levels = table[table["choice"] == choice]
    return algebra.values_text(zip(levels["level"], levels["mean"], strict=True))


def _laws(evidence: Evidence) -> Iterator[Claim]:
    share = 1.0 - float(evidence.published["quantile"])
    normal = risks(evidence, LAWS, AMBSSGD, law="normal")

    def over_normal(law: str) -> Places:
        """Ratios of the risk under a law to that for normal records and independent noise, by factor."""
        table = risks(evidence, LAWS, AMBSSGD, law=law)
        return algebra.ratios(table, normal, ["factor", "N", "d", "sigma"], ["factor"])

    printed_factor = f"factor = {LOG_POWER}"
    dependent, heavier = (over_normal(law) for law in ("dependent noise", "Laplace"))
    yield claim_on_all_cells(
        id="dependent-noise", artefact=LAWS, location="Sec. 2", kind="text", source="paper",
        statement=f"the results hold when z depends on x {criteria.OUR_RULE}",
        quantity=f"risk at zeta_t = R_x gamma_t log^a N over that for normal covariates and independent noise; {MEDIAN}",
        cells={place: ratio for place, ratio in dependent.items() if place == printed_factor}, criterion=at_most(SAME_ORDER),
        note=f"by factor: {algebra.places_text(dependent)}",
    )  # fmt: skip
    log = math.log(float(normal["N"].iloc[0])) if len(normal) else math.nan
    at_factors = {place: ratio for place, ratio in heavier.items() if place != printed_factor}
    yield claim_on_all_cells(
        id="sub-exponential", artefact=LAWS, location="Def. 2.1", kind="text", source="paper",
        statement=f"the results hold for sub-exponential covariates, with a = 1 {criteria.OUR_RULE}",
        quantity=f"risk at zeta_t = R_x gamma_t log^a N for Laplace covariates, a = 1, over that for normal ones, a = 1/2, over log N; {MEDIAN}",
        cells={place: criteria.divided(ratio, log) for place, ratio in heavier.items() if place == printed_factor},
        criterion=at_most(log**criteria.LOGARITHMS, f": (log N)^{criteria.LOGARITHMS:g}; zeta^2 has log^{{2a}} N, a factor log N more at a = 1"),
        changed="After a third reading a quarter of a power of log N is allowed beside log N, where four times a whole log N was. One ratio at one N shows no power, whence it is no longer called one.",
        note=f"the printed log^a N is the whole of it: risks over each other are {algebra.places_text(at_factors)}, where the factor is the same for both laws",
    )  # fmt: skip
    printed = exact_rows(rows(evidence, LAWS, series=AMBSSGD, factor="log^a N"), "clip_fraction")
    outside = rows(evidence, LAWS, series=AMBSSGD, law="Student t5")
    yield claim_on_all_cells(
        id="tail-clipping", artefact=LAWS, location="Def. 2.1, Sec. 3.2", kind="text", source="paper",
        statement=f"with zeta_t = R_x gamma_t log^a N hardly any gradient is clipped, for all laws of Definition 2.1 {criteria.OUR_RULE}",
        quantity="share of gradients clipped over a run: the largest over normal, Laplace and dependent noise",
        cells=algebra.means(printed[printed["law"] != "Student t5"], ["law"]), criterion=at_most(share + EQUAL, ""),
        note=f"Student t5, outside of the definition: {algebra.values_text(zip(outside['factor'], outside['clip_fraction'], strict=True))}",
    )  # fmt: skip
