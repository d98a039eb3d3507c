"""Claims about what the correlation does: Remark 4.2 at a fixed noise multiplier, Sec. 5.1 at calibrated ones."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.wang2026.claims.quantities import (
    at_end,
    best,
    by,
    floats,
    least,
    moderate,
    one_of,
    outside,
    place_of,
    ratios,
    single,
    told,
    unless,
)
from dpdescent.papers.wang2026.reading import (
    AGREES,
    BREAKS_DOWN,
    CHANGED,
    GAIN,
    MODERATE,
    PAIR,
    POPULATION,
    PUBLISHED,
    STAYS,
    TAIL,
    claim,
    every,
    rows,
)
from dpdescent.replication.judging.algebra import over
from dpdescent.replication.judging.criteria import ABOVE_0, BELOW_0, about, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import NOTHING, Estimate, exactly, known

TRADEOFF, FIXED, RUNS, BOUNDS, MULTIPLIERS = (
    "lambda_tradeoff", "fixed_kappa", "kan_lambda", "bound_vs_run", "kappa_tables",
)  # fmt: skip
THEOREM = "gradient bound"
PANELS = (
    ("", THEOREM, "nothing is clipped, as the theorem has it"),
    ("-small-step", "small threshold, eta = 2", "a small clipping threshold, which the theorem excludes"),
    ("-large-step", "small threshold, eta = 8", "a small clipping threshold and a large step, which the theorem excludes"),
)  # fmt: skip
SHARPER = (TAIL, PAIR, "bnb", "cyclic")
VARIANTS = (("", "main"), ("-d2", "design D2"), ("-g3", "G = 3"), ("-g8", "G = 8"))


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Fixed multiplier: runs, then bound; calibrated: bound, then runs."""
    for suffix, panel, words in PANELS:
        yield from _runs_at_fixed_kappa(evidence, suffix, panel, words)
    yield from _bound_at_small_step(evidence)
    yield from _offset(evidence)
    yield from _sharper(evidence)
    yield from _sharper_runs(evidence)


def _runs_at_fixed_kappa(evidence: Evidence, suffix: str, panel: str, words: str) -> Iterator[Claim]:
    gains = rows(evidence, FIXED, panel=panel, series=GAIN).sort_values("lam", ignore_index=True)
    found, ours = by(gains, ["lam"], single), "(ours) " if suffix else ""
    place, conditions = (
        f"eta = {one_of(gains['eta']):g}, kappa = {one_of(gains['kappa']):g}; {words}",
        outside(evidence, gains),
    )
    improves = every(
        id=f"remark-4.2-improves{suffix}", artefact=FIXED, location="Remark 4.2", kind="theorem", source="paper",
        statement=f"{ours}temporal correlation improves the bound for a fixed kappa: of runs, the averaged population risk",
        quantity="gain over lambda = 0: the smallest over lambda > 0",
        cells=found.values(), criterion=ABOVE_0,
        note=f"{place}. {told(found)}",
    )  # fmt: skip
    yield unless(conditions, improves)
    kept = _kept(gains)
    monotone = claim(
        id=f"remark-4.2-monotone{suffix}", artefact=FIXED, location="Remark 4.2", kind="theorem", source="paper",
        statement=f"{ours}the bound improves monotonically as lambda -> 1 for a fixed kappa with a small eta: of runs, the averaged population risk",
        quantity="gain over lambda = 0 at the largest lambda, over the largest gain",
        measured=kept, criterion=at_least(STAYS, ": it does not get worse again by more than a tenth (a plateau counts)"),
        note=f"{place}. {told(found)}. The interval takes the two gains for independent, though they share seeds, and is too wide. {CHANGED}: the criterion was worded \"monotonically\"",
    )  # fmt: skip
    yield unless(conditions, monotone)


def _kept(gains: pd.DataFrame) -> Estimate:
    """The gain at the largest correlation over the largest gain; 1 where it is that, nothing of a single gain."""
    last, top = at_end(gains, "lam"), at_end(gains, "mean")
    if len(gains) < 2 or len(last) != 1 or top.empty:
        return NOTHING
    best_at_end = top["lam"].iloc[0] == last["lam"].iloc[0] and top["mean"].iloc[0] > 0
    return exactly(1.0) if best_at_end else over(last.iloc[0], top.iloc[0])


def _tradeoff(evidence: Evidence, accountant: str, term: str) -> pd.DataFrame:
    return rows(evidence, TRADEOFF, series="A_corr", accountant=accountant, term=term)


def _over_independent(table: pd.DataFrame) -> dict[str, Estimate]:
    return ratios(table[table["lam"] > 0], table[table["lam"] == 0], ("eps",), ("eps", "lam"))


def _step(evidence: Evidence) -> float:
    """The step at which the trade-off is evaluated."""
    return float(evidence.spec["artefacts"][TRADEOFF]["cells"]["all"]["eta"])


def _bound_at_small_step(evidence: Evidence) -> Iterator[Claim]:
    for name, bound, words in (
        ("remark-4.2-bound", "A_corr", "A_corr, constants 1"),
        ("remark-4.2-explicit-bound", "C.11", "the bound of Lemma C.11 with its constants"),
    ):
        table = rows(evidence, BOUNDS, panel="admissible step", series="bound", bound=bound, term="total")
        table = table[table["kappa"] > 0]
        found = by(table, ["T", "constants"], _largest_rise)
        steps = ", ".join(f"{eta:g}" for eta in sorted(set(floats(table, "eta"))))
        yield every(
            id=name, artefact=BOUNDS, location="Remark 4.2", kind="theorem", source="paper",
            statement="the bound improves monotonically as lambda -> 1 for a fixed kappa with a small eta",
            quantity=f"{words}, of a lambda over that of the next smaller one, at the admissible step: the largest",
            cells=found.values(), criterion=at_most(1.0),
            note=f"eta = {steps}, kappa = {', '.join(f'{kappa:g}' for kappa in sorted(set(floats(table, 'kappa'))))}. {told(found)}",
        )  # fmt: skip


def _largest_rise(group: pd.DataFrame) -> Estimate:
    """Largest ratio of a bound to that at the next smaller correlation."""
    ordered = group.sort_values("lam", ignore_index=True)
    found = known(over(ordered.iloc[k], ordered.iloc[k - 1]) for k in range(1, len(ordered)))
    return max(found, key=lambda each: each.value, default=NOTHING)


def _offset(evidence: Evidence) -> Iterator[Claim]:
    linear, total = (_over_independent(_tradeoff(evidence, PUBLISHED, term)) for term in ("linear", "total"))
    beyond = _beyond_its_condition(_tradeoff(evidence, PUBLISHED, "total"))
    words = "the conservative closed-form calibration makes the lambda-dependence of kappa offset this effect"
    yield every(
        id="offset-linear", artefact=TRADEOFF, location="Sec. 5.1 (interpretation)", kind="text", source="paper",
        statement=words,
        quantity="linear noise term of A_corr with Theorem F.12's kappa, over that of lambda = 0: the one that is furthest off",
        cells=linear.values(), criterion=about(1.0, AGREES),
        note=f"(1 - lambda) kappa is proportional to 1 - lambda^T{beyond}. {told(linear)}",
    )  # fmt: skip
    yield every(
        id="offset-bound", artefact=TRADEOFF, location="Sec. 5.1 (interpretation)", kind="text", source="paper",
        statement=words,
        quantity="A_corr with Theorem F.12's kappa, over that of lambda = 0: the smallest over lambda > 0",
        cells=total.values(), criterion=at_least(1.0 - AGREES, ": no correlation improves it"),
        note=f"{told(total)}{beyond}",
    )  # fmt: skip
    last = _tradeoff(evidence, PUBLISHED, "total")
    broken = _over_independent(last[(last["lam"] == last["lam"].max()) | (last["lam"] == 0)])
    yield every(
        id="closed-form-breaks-down", artefact=TRADEOFF, location="Remark 4.2", kind="theorem", source="paper",
        statement="after substituting the privacy-calibrated kappa, the closed-form rate breaks down as lambda -> 1",
        quantity="A_corr with Theorem F.12's kappa at the largest lambda over that of lambda = 0: the smallest over eps",
        cells=broken.values(), criterion=at_least(BREAKS_DOWN, ": breaks down"),
        note=f"{told(broken)}{beyond}",
    )  # fmt: skip
    yield _offset_runs(evidence, words)


def _beyond_its_condition(table: pd.DataFrame) -> str:
    """What a note says of a closed form outside of Theorem F.12's condition."""
    missed = table[table["precondition"] == "not met"].drop_duplicates(["T", "eps"])
    places = "; ".join(place_of(row, ("T", "r", "eps")) for _, row in missed.iterrows())
    return f"; the closed form is evaluated outside of Theorem F.12's condition at {places}" if places else ""


def _offset_runs(evidence: Evidence, words: str) -> Claim:
    gains = moderate(rows(evidence, RUNS, panel="T = 250", series=GAIN, accountant=PUBLISHED), *MODERATE)
    plain = rows(evidence, RUNS, panel="T = 250", series=POPULATION, accountant=PUBLISHED, lam=0)
    found = {}
    for eps, group in gains.groupby("eps"):
        risk, gain = one_of(plain[plain["eps"] == eps]["mean"]), best(group)
        if risk > 0 and not math.isnan(gain.value):
            found[f"eps = {eps:g}"] = Estimate(gain.value / risk, gain.low / risk, gain.high / risk)
    return every(
        id="offset-runs", artefact=RUNS, location="Sec. 5.1 (interpretation)", kind="text", source="paper",
        statement=f"{words}: of runs",
        quantity="largest gain of a moderate lambda with Theorem F.12's kappa, as a share of the risk of lambda = 0: the largest over eps",
        cells=found.values(), criterion=at_most(AGREES),
        note=f"T = 250, where F.12's condition is met; steps tuned on other seeds. {told(found)}",
    )  # fmt: skip


def _sharper(evidence: Evidence) -> Iterator[Claim]:
    found = {name: _over_independent(_tradeoff(evidence, name, "total")) for name in SHARPER}
    smallest = {
        name: min(each.values(), key=lambda ratio: ratio.value, default=NOTHING) for name, each in found.items()
    }
    words = "sharper privacy calibration may lead to improved lambda-dependent risk bounds"
    yield every(
        id="sharper-calibration-bound", artefact=TRADEOFF, location="Sec. 5.1 (interpretation), Sec. 6", kind="text", source="paper",
        statement=words,
        quantity=f"A_corr with a sharper accountant's kappa over that of lambda = 0: the smallest over lambda > 0, eps and {', '.join(SHARPER)}",
        cells=sorted(known(smallest.values()), key=lambda each: each.value)[:1], criterion=at_most(1.0 - AGREES),
        note=f"the paper leaves it open; one accountant is enough for \"may\". eta = {_step(evidence):g}. {told(smallest)}",
    )  # fmt: skip
    yield claim(
        id="sharper-calibration-bound-algorithm-1", artefact=TRADEOFF, location="Sec. 5.1 (interpretation), Sec. 6", kind="text", source="paper",
        statement=f"{words}: with noise that is proved for Algorithm 1's own batches",
        quantity="A_corr with the participation tail's kappa over that of lambda = 0: the smallest over lambda > 0 and eps",
        measured=smallest[TAIL], criterion=at_most(1.0 - AGREES),
        note=told(found[TAIL]),
    )  # fmt: skip


def _errors_of_kappa(evidence: Evidence, accountant: str, gains: pd.DataFrame) -> str:
    """What a note says of multipliers that are Monte Carlo with correlation, and exact without."""
    table = rows(evidence, MULTIPLIERS, series="noise multiplier", accountant=accountant)
    table = table[table["lam"].isin(gains["lam"]) & table["eps"].isin(gains["eps"]) & table["T"].isin(gains["T"])]
    errors = floats(table, "delta_se") / floats(table, "delta_attained")
    errors = errors[np.isfinite(errors) & (errors > 0)]
    if not len(errors):
        return ""
    return (
        f". kappa is exact at lambda = 0 and by Monte Carlo above, where delta_se / delta_attained is {errors.min():.3g} to {errors.max():.3g}: "
        "kappa's own relative error is that over the log-log slope of delta in kappa, and is not in the interval"
    )


def _sharper_runs(evidence: Evidence) -> Iterator[Claim]:
    for accountant, words in (
        (TAIL, "proved for Algorithm 1's batches"),
        (PAIR, "Theorem F.8's pair, no guarantee for batches of fixed size"),
    ):
        for suffix, variant in VARIANTS:
            gains = rows(evidence, RUNS, variant, panel="T = 100", series=GAIN, accountant=accountant)
            inner = moderate(gains, *MODERATE)
            errors = _errors_of_kappa(evidence, accountant, inner)
            yield claim(
                id=f"sharper-calibration-runs-{accountant.lower()}{suffix}", artefact=RUNS, location="Sec. 5.1 (interpretation), Sec. 6", kind="text", source="paper",
                statement="sharper privacy calibration may lead to improved lambda-dependent risk: of runs",
                quantity=f"({words}; {variant}) gain in averaged population risk over lambda = 0: the largest over moderate lambda and eps",
                measured=best(inner) if len(inner) else NOTHING, criterion=ABOVE_0,
                note=f"interval widened for all places looked at. Largest by eps: {told(by(inner, ['eps'], best))}{errors}",
            )  # fmt: skip
        last = at_end(rows(evidence, RUNS, panel="T = 100", series=GAIN, accountant=accountant), "lam")
        yield claim(
            id=f"kan-drop-{accountant.lower()}", artefact=RUNS, location="Remark 4.2", kind="theorem", source="paper",
            statement="the improvement should not be interpreted as favouring lambda -> 1: with calibrated kappa it is lost (runs of a KAN)",
            quantity=f"({words}) gain over lambda = 0 at the largest lambda: the smallest over eps",
            measured=least(last) if len(last) else NOTHING, criterion=BELOW_0,
            note=told(by(last, ["eps"], single)),
        )  # fmt: skip
