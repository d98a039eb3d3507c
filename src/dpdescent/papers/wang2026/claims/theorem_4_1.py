"""Claims about Theorem 4.1: its bound beside runs, the directions of its terms, clipping, widths, localisation."""

import dataclasses
import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.wang2026.claims.quantities import (
    at_end,
    by,
    costs,
    ends,
    exponent,
    floats,
    left_open,
    outside,
    place_of,
    ratios,
    spread_of,
    told,
    unless,
)
from dpdescent.papers.wang2026.reading import (
    AGREES,
    CHANGED,
    EMPIRICAL,
    EQUAL,
    LOGARITHMS,
    POPULATION,
    every,
    rows,
)
from dpdescent.replication.judging.algebra import over
from dpdescent.replication.judging.criteria import at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import NOTHING, Estimate, exactly, known, quotient

BOUNDS, BATCH, CLIPPING, WIDTH, WIDTHS, PROJECTION, LONG = (
    "bound_vs_run", "batch", "clipping", "width", "admissible_width", "projection", "rate_T",
)  # fmt: skip
PLACE = ("n", "gamma", "lam", "eps", "eta", "logs", "accountant")
RUN = ("panel", "n", "T", "B", "m", "d", "lam", "eta", "kappa")
CONSTANT_1 = "the constants are hidden, here 1"


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Level, directions, conditions."""
    yield from _explicit(evidence)
    yield from _orders(evidence)
    yield from _batch(evidence)
    yield from _clipping(evidence)
    yield from _width(evidence)
    yield from _window(evidence)
    yield from _localisation(evidence)


def _against(evidence: Evidence, bound: str, panel: str | None = None) -> tuple[dict[str, Estimate], pd.DataFrame]:
    """Measured risk over a bound at the same run, and the bound's rows; constants are matched where runs have them."""
    table = rows(evidence, BOUNDS, bound=bound, series="bound", term="total")
    runs = rows(evidence, BOUNDS, series=EMPIRICAL)
    if panel is not None:
        table, runs = table[table["panel"] == panel], runs[runs["panel"] == panel]
    found: dict[str, Estimate] = {}
    for constants, group in table.groupby("constants", dropna=False):
        own = runs[(runs["constants"] == constants) | runs["constants"].isna()]
        matched = ratios(own, group, RUN, ("panel", "T", "lam", "kappa"))
        found |= {f"{place}, {constants} constants": each for place, each in matched.items()}
    return found, table


def _explicit(evidence: Evidence) -> Iterator[Claim]:
    for name, bound, place, panel, words in (
        ("lemma-c.11-admissible-step", "C.11", "Lemmas C.3, C.11", "admissible step", "of the order of the steps that it admits"),
        ("lemma-c.11-large-step", "C.11", "Lemmas C.3, C.11", "step of the experiments", "above those that it admits"),
        ("theorem-d.13", "D.13", "Theorem D.13", None, "with constants of ours where the theorem hides them"),
    ):  # fmt: skip
        found, table = _against(evidence, bound, panel)
        low, high = spread_of(exactly(value) for value in table["mean"])
        made = every(
            id=name, artefact=BOUNDS, location=place, kind="text", source="paper",
            statement="the averaged empirical risk is at most the explicit bound with high probability",
            quantity=f"({words}) averaged empirical risk of runs over the bound: the largest over lambda, kappa and constants",
            cells=found.values(), criterion=at_most(1.0),
            note=f"the bound is {low:.3g} to {high:.3g}. {told(found)}",
        )  # fmt: skip
        yield _unless_vacuous(unless(outside(evidence, table), made), table)


def _unless_vacuous(claim: Claim, table: pd.DataFrame) -> Claim:
    """A run below a bound that says nothing confirms nothing; one above it refutes it all the same."""
    above = int((floats(table, "mean") > math.log(2.0)).sum())
    if not above:
        return claim
    said = f"vacuous: above log 2, the loss of an output of 0, in {above} of {len(table)} places"
    if claim.verdict == "reproduced":
        return left_open(claim, f"{said}. {CHANGED}: a run below such a bound counted as reproduced")
    return dataclasses.replace(claim, note=f"{claim.note}; {said}")


def _orders(evidence: Evidence) -> Iterator[Claim]:
    for name, bound, place in (
        ("theorem-4.1-order", "A_corr", "Theorem 4.1"), ("theorem-d.14-order", "A_van", "Theorem D.14"),
        ("theorem-e.1-order", "A_non", "Theorem E.1"),
    ):  # fmt: skip
        found, table = _against(evidence, bound)
        made = every(
            id=name, artefact=BOUNDS, location=place, kind="text", source="paper",
            statement=f"the averaged empirical risk is at most of the order of {bound}",
            quantity=f"averaged empirical risk over {bound}: the largest over steps, lambda and kappa",
            cells=found.values(), criterion=at_most(1.0, ": consistent with the order, hidden constants 1"),
            note=told(found),
        )  # fmt: skip
        yield _unless_vacuous(unless([CONSTANT_1, *outside(evidence, table)], made), table)


def _batch(evidence: Evidence) -> Iterator[Claim]:
    plain = rows(evidence, BATCH, series=EMPIRICAL, panel="T fixed", kappa=0)
    falls = by(plain, ["eta"], lambda group: ends(group, "B"))
    yield unless(
        outside(evidence, plain),
        every(
            id="batch-term", artefact=BATCH, location="Theorem 4.1", kind="theorem", source="paper",
            statement="without noise the bound falls with B: its terms are 1/(gamma sqrt(BT)) and eta/B",
            quantity="averaged empirical risk at the largest B over that at the smallest, T fixed, kappa = 0: the largest over eta",
            cells=falls.values(), criterion=at_most(1.0),
            note=told(falls),
        ),
    )  # fmt: skip
    for suffix, panel, words, power in (
        ("", "T fixed", "falls at least like kappa/B", -1.0),
        ("-fixed-gradients", "T B fixed", "falls at least like kappa/(B sqrt(T)), B^-1/2 at fixed TB", -0.5),
    ):
        table = rows(evidence, BATCH, series=EMPIRICAL, panel=panel)
        added = costs(table[table["kappa"] > 0], table[table["kappa"] == 0], ("n", "T", "B", "eta"))
        slopes = by(added, ["eta"], lambda group: exponent(group, "B"))
        made = every(
            id=f"noise-term-batch{suffix}", artefact=BATCH, location="Theorem 4.1", kind="theorem", source="paper",
            statement=f"what noise adds to the bound {words}",
            quantity=f"log-log slope in B, {panel}, of the averaged empirical risk less that without noise: the largest over eta",
            cells=slopes.values(), criterion=at_most(power + LOGARITHMS, ": consistent with an upper bound of that order, up to logarithms"),
            note=told(slopes),
        )  # fmt: skip
        yield unless(outside(evidence, added), made)
    longer = rows(evidence, LONG, series=EMPIRICAL)
    later = by(longer, ["panel", "eta"], lambda group: ends(group, "T"))
    yield unless(
        outside(evidence, longer),
        every(
            id="iterations-term", artefact=LONG, location="Theorem 4.1, Theorem E.1", kind="theorem", source="paper",
            statement="the bound falls with T: 1/(gamma^2 eta T) and 1/(gamma sqrt(BT))",
            quantity="averaged empirical risk without noise at the largest T over that at the smallest: the largest over batch sizes and eta",
            cells=later.values(), criterion=at_most(1.0),
            note=told(later),
        ),
    )  # fmt: skip


def _clipping(evidence: Evidence) -> Iterator[Claim]:
    for name, rule, words in (
        ("clipping-inactive", "G_delta", ""),
        ("clipping-inactive-sharp", "G_sharp", "(ours) with the sharp threshold that knows the frozen second layer: "),
    ):
        table = rows(evidence, CLIPPING, series=POPULATION, clip_rule=rule)
        found = {f"C_clip = {row['C_clip']:.3g}, lam = {row['lam']:g}, eta = {row['eta']:g}": exactly(row["clipped"])
                 for _, row in table.iterrows()}  # fmt: skip
        yield every(
            id=name, artefact=CLIPPING, location="Sec. 4.3 (step 1), eq. (5)", kind="theorem", source="paper",
            statement=f"{words}under C_clip >= G_delta clipping is inactive",
            quantity="share of gradients clipped: the largest over lambda and eta",
            cells=known(found.values()), criterion=at_most(0.0),
            note=f"C_clip {_range(floats(table, 'C_clip'))}",
        )  # fmt: skip
    table = rows(evidence, CLIPPING, series=POPULATION)
    best = {
        f"{rule}, lam = {lam:g}": float(group["mean"].min())
        for (rule, lam), group in table.groupby(["clip_rule", "lam"])
    }
    published = [exactly(value / math.log(2.0)) for place, value in best.items() if place.startswith("G_delta")]
    yield every(
        id="clipping-scale", artefact=CLIPPING, location="Sec. 4.2", kind="text", source="ours",
        statement="our analysis suggests the clipping scale C_clip of the order of G_delta: (ours) runs with noise learn at that threshold",
        quantity="averaged population risk at the best step over log 2, the loss of an output of 0, at G_delta: the largest over lambda",
        cells=known(published), criterion=at_most(1.0 - AGREES),
        note=f"with Theorem F.8's noise at eps = 1, the least of all; the paper says sufficient for its bounds, not best. Risks at the best steps: {_told(best)}",
    )  # fmt: skip


def _range(values: "np.ndarray[tuple[int, ...], np.dtype[np.float64]]") -> str:
    return f"{values.min():.3g} to {values.max():.3g}" if len(values) else "not run"


def _told(found: dict[str, float]) -> str:
    return told({place: exactly(value) for place, value in found.items()})


def _width(evidence: Evidence) -> Iterator[Claim]:
    noisy, plain = (rows(evidence, WIDTH, series=EMPIRICAL, panel=panel) for panel in ("noise", "no noise"))
    rise = by(noisy, ["lam"], _last_over_least)
    made = every(
        id="width-upper", artefact=WIDTH, location="Theorem 4.1", kind="theorem", source="paper",
        statement="m must not be so large that the accumulated private noise breaks localization",
        quantity="with noise, averaged empirical risk at the largest m over the smallest of smaller m: the smallest over lambda",
        cells=rise.values(), criterion=at_least(1.0 + AGREES),
        note=f"eta tuned at every m. {told(rise)}. {CHANGED}: the largest m was among those that it is compared with",
    )  # fmt: skip
    yield unless(outside(evidence, noisy), made)
    fell = by(plain, ["lam"], lambda group: ends(group, "m"))
    made = every(
        id="width-lower", artefact=WIDTH, location="Theorem 4.1", kind="theorem", source="ours",
        statement="m must be large enough for the local curvature argument: (ours) without noise width does not hurt",
        quantity="without noise, averaged empirical risk at the largest m over that at the smallest",
        cells=fell.values(), criterion=at_most(1.0),
        note=told(fell),
    )  # fmt: skip
    yield unless(outside(evidence, plain), made)


def _last_over_least(group: pd.DataFrame) -> Estimate:
    """Mean at the largest width over the smallest of the others."""
    others = at_end(group[group["m"] < group["m"].max()], "mean", largest=False)
    return over(at_end(group, "m").iloc[0], others.iloc[0]) if len(others) else NOTHING


def _window(evidence: Evidence) -> Iterator[Claim]:
    for suffix, logs, words in (
        ("dropped", "dropped", "logarithms dropped, as in the proof"), ("in-kappa", "kept", "logarithms kept in kappa"),
        ("everywhere", "kept in the limits too", "logarithms kept in kappa and in both limits"),
    ):  # fmt: skip
        lower, upper, power = (
            rows(evidence, WIDTHS, series=series, logs=logs) for series in ("lower limit", "upper limit", "gamma^-6")
        )
        range_of = ratios(upper, lower, PLACE)
        above, below = ratios(upper, power, PLACE), ratios(power, lower, PLACE)
        inside = {
            place: min(above[place], below[place], key=lambda each: each.value) for place in above if place in below
        }
        for name, found, quantity in (
            ("width-window", range_of, "largest admissible width over the smallest"),
            (
                "width-window-corollary-5.3",
                inside,
                "the smaller of: largest admissible width over Corollary 5.3's gamma^-6, gamma^-6 over the smallest admissible width",
            ),
        ):
            made = every(
                id=f"{name}-logs-{suffix}", artefact=WIDTHS, location="Theorem 4.1, Corollary 5.3", kind="theorem", source="paper",
                statement="the range of admissible widths is nonempty in the representative regime, and gamma^-6 lies in it",
                quantity=f"({words}) {quantity}: the smallest over n, gamma, eta and accountants",
                cells=found.values(), criterion=at_least(1.0),
                note=f"from which n on it is at least 1: {_opens(upper, found)}. {CHANGED}: the largest n, one eta and the upper limit alone were judged",
            )  # fmt: skip
            yield unless([CONSTANT_1], made)


def _opens(table: pd.DataFrame, found: dict[str, Estimate]) -> str:
    """By step, margin and accountant: the smallest n from which on all ratios are at least 1."""
    said = []
    for _, group in table.groupby(["eta", "gamma", "lam", "eps", "accountant"], dropna=False):
        ordered = group.sort_values("n", ascending=False)
        first = None
        for _, row in ordered.iterrows():
            if not (each := found.get(place_of(row, PLACE))) or each.value < 1.0:
                break
            first = row["n"]
        place = place_of(ordered.iloc[0], ("eta", "gamma", "accountant"))
        said.append(
            f"n = {first:g} at {place}" if first is not None else f"none up to {ordered['n'].iloc[0]:g} at {place}"
        )
    return "; ".join(said) or "no rows"


def _localisation(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, PROJECTION, series=EMPIRICAL)
    factor = floats(table, "radius_factor")
    widest = table[factor == 4.0]
    for name, chosen, words in (
        ("projection-inactive", widest[widest["kappa"] > 0], "with noise"),
        ("projection-inactive-without-noise", widest[widest["kappa"] == 0], "without noise"),
    ):
        found = {f"m = {row['m']:g}, lam = {row['lam']:g}": exactly(row["projected"]) for _, row in chosen.iterrows()}
        made = every(
            id=name, artefact=PROJECTION, location="Sec. 4.3 (step 5)", kind="text", source="paper",
            statement="projection is inactive on the good event",
            quantity=f"({words}) share of steps that are projected at four times R_* = (log T + sqrt(log(n/delta)))/gamma: the largest over m and lambda",
            cells=known(found.values()), criterion=at_most(0.0),
            note=told(found),
        )  # fmt: skip
        yield unless([f"{CONSTANT_1} or 4", *outside(evidence, chosen)] if len(chosen) else [], made)
    free = table[np.isinf(factor)]
    noisy = free[free["kappa"] > 0]
    shifts = noisy.assign(mean=noisy["largest_shift"], se=math.nan)
    nearer = by(shifts, ["m"], lambda group: ends(group, "lam"))
    yield every(
        id="localisation-lambda", artefact=PROJECTION, location="Sec. 4.3 (step 2)", kind="text", source="paper",
        statement="in the shifted iterate the correlated perturbation is reduced to a residual term proportional to 1 - lambda",
        quantity="largest distance of the shifted iterate to the comparator at the largest lambda over that of lambda = 0, fixed kappa, without projection: the largest over m",
        cells=nearer.values(), criterion=at_most(1.0 - EQUAL),
        note=told(nearer),
    )  # fmt: skip
    radius = {f"m = {row['m']:g}, lam = {row['lam']:g}, kappa = {row['kappa']:g}": quotient(row["largest_shift"], row["Rbar"])
              for _, row in free.iterrows()}  # fmt: skip
    made = every(
        id="localisation-radius", artefact=PROJECTION, location="Lemmas C.3, C.11, eq. (10)", kind="theorem", source="paper",
        statement="the shifted iterate stays within R of the comparator, R by (10)",
        quantity="largest distance of the shifted iterate to the comparator over that radius, without projection: the largest over m, lambda and kappa",
        cells=known(radius.values()), criterion=at_most(1.0),
        note=told(radius),
    )  # fmt: skip
    yield unless(outside(evidence, free), made)
