"""Claims about the widths that Theorem 4.1 admits, and about its localisation: projection, shifted iterate, radius."""

import math
from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.wang2026.claims import conditions
from dpdescent.papers.wang2026.claims.conditions import CONSTANT_1
from dpdescent.papers.wang2026.reading import AGREES, EMPIRICAL, EQUAL, every, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.statistics import NOTHING, Estimate, quotient

WIDTH, WIDTHS, PROJECTION = "width", "admissible_width", "projection"
PLACE = ("n", "gamma", "lam", "eps", "eta", "logs", "accountant")
# Id of the claim on the range, id of that on gamma^-6, logarithms in the table, whose reading it is, words.
WINDOWS: tuple[tuple[str, str, str, Source, str], ...] = (
    ("width-window-logs-dropped", "width-window-corollary-5.3-logs-dropped", "dropped", "paper",
     "logarithms dropped, as in the proof"),
    ("width-window-logs-in-kappa", "width-window-corollary-5.3-logs-in-kappa", "kept", "ours",
     "logarithms kept in kappa"),
    ("width-window-logs-everywhere", "width-window-corollary-5.3-logs-everywhere", "kept in the limits too", "ours",
     "logarithms kept in kappa and in both limits"),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on widths of runs, on the admissible range, and on localisation."""
    yield from _width(evidence)
    yield from _window(evidence)
    yield from _projection(evidence)
    yield from _shift(evidence)


def _width(evidence: Evidence) -> Iterator[Claim]:
    noisy, plain = (rows(evidence, WIDTH, series=EMPIRICAL, panel=panel) for panel in ("noise", "no noise"))
    yield every(
        id="width-upper", artefact=WIDTH, location="Theorem 4.1", kind="theorem", source="paper",
        statement="m must not be so large that the accumulated private noise breaks localization",
        quantity="with noise, averaged empirical risk at the largest m over the smallest of smaller m: the smallest over lambda",
        cells=algebra.by(noisy, ["lam"], _last_over_least), criterion=at_least(1.0 + AGREES),
        regime=conditions.theorems(evidence, noisy), note="eta tuned at every m",
        changed="The largest m was among those that it is compared with at first.",
    )  # fmt: skip
    yield every(
        id="width-lower", artefact=WIDTH, location="Theorem 4.1", kind="theorem", source="ours",
        statement="m must be large enough for the local curvature argument: (ours) without noise width does not hurt",
        quantity="without noise, averaged empirical risk at the largest m over that at the smallest",
        cells=algebra.by(plain, ["lam"], lambda group: algebra.ends(group, "m")), criterion=at_most(1.0),
        regime=conditions.theorems(evidence, plain),
    )  # fmt: skip


def _last_over_least(group: pd.DataFrame) -> Estimate:
    """Mean at the largest width over the smallest of the others."""
    others = algebra.at_end(group[group["m"] < group["m"].max()], "mean", largest=False)
    return algebra.over(algebra.at_end(group, "m").iloc[0], others.iloc[0]) if len(others) else NOTHING


def _window(evidence: Evidence) -> Iterator[Claim]:
    for window, sixth, logs, source, words in WINDOWS:
        lower, upper, power = (
            rows(evidence, WIDTHS, series=series, logs=logs) for series in ("lower limit", "upper limit", "gamma^-6")
        )
        above, below = algebra.ratios(upper, power, PLACE), algebra.ratios(power, lower, PLACE)
        inside = {each: min(above[each], below[each], key=lambda found: found.value) for each in above if each in below}
        for name, found, quantity in (
            (window, algebra.ratios(upper, lower, PLACE), "largest admissible width over the smallest"),
            (sixth, inside, "the smaller of: largest admissible width over Corollary 5.3's gamma^-6, gamma^-6 over the smallest admissible width"),
        ):  # fmt: skip
            yield every(
                id=name, artefact=WIDTHS, location="Theorem 4.1, Corollary 5.3", kind="theorem", source=source,
                statement="the range of admissible widths is nonempty in the representative regime, and gamma^-6 lies in it",
                quantity=f"({words}) {quantity}: the smallest over n, gamma, eta and accountants",
                cells=found, criterion=at_least(1.0), regime=conditions.hidden(CONSTANT_1),
                changed="The largest n, one eta and the upper limit alone were judged at first.",
                note=f"from which n on it is at least 1: {_opens(upper, found)}",
            )  # fmt: skip


def _opens(table: pd.DataFrame, found: Places) -> str:
    """Says by step, margin and accountant: the smallest n from which on all ratios are at least 1."""
    said = []
    for _, group in table.groupby(["eta", "gamma", "lam", "eps", "accountant"], dropna=False):
        ordered = group.sort_values("n", ascending=False)
        first = None
        for row in algebra.each(ordered):
            if not (each := found.get(algebra.place_of(row, PLACE))) or each.value < 1.0:
                break
            first = row["n"]
        place = algebra.place_of(ordered.iloc[0], ("eta", "gamma", "accountant"))
        said.append(
            f"n = {first:g} at {place}" if first is not None else f"none up to {ordered['n'].iloc[0]:g} at {place}"
        )
    return "; ".join(said) or "no rows"


def _projection(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, PROJECTION, series=EMPIRICAL)
    widest = table[algebra.floats(table, "radius_factor") == 4.0]
    for name, chosen, words in (
        ("projection-inactive", widest[widest["kappa"] > 0], "with noise"),
        ("projection-inactive-without-noise", widest[widest["kappa"] == 0], "without noise"),
    ):
        yield every(
            id=name, artefact=PROJECTION, location="Sec. 4.3 (step 5)", kind="text", source="paper",
            statement="projection is inactive on the good event",
            quantity=f"({words}) share of steps that are projected at four times R_* = (log T + sqrt(log(n/delta)))/gamma: the largest over m and lambda",
            cells=algebra.means(chosen.assign(mean=chosen["projected"], se=math.nan), ("m", "lam")),
            criterion=at_most(0.0), regime=conditions.theorems(evidence, chosen, f"{CONSTANT_1} or 4"),
        )  # fmt: skip


def _shift(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, PROJECTION, series=EMPIRICAL)
    free = table[np.isinf(algebra.floats(table, "radius_factor"))]
    noisy = free[free["kappa"] > 0]
    shifts = noisy.assign(mean=noisy["largest_shift"], se=math.nan)
    yield every(
        id="localisation-lambda", artefact=PROJECTION, location="Sec. 4.3 (step 2)", kind="text", source="paper",
        statement="in the shifted iterate the correlated perturbation is reduced to a residual term proportional to 1 - lambda",
        quantity="largest distance of the shifted iterate to the comparator at the largest lambda over that of lambda = 0, fixed kappa, without projection: the largest over m",
        cells=algebra.by(shifts, ["m"], lambda group: algebra.ends(group, "lam")), criterion=at_most(1.0 - EQUAL),
    )  # fmt: skip
    yield every(
        id="localisation-radius", artefact=PROJECTION, location="Lemmas C.3, C.11, eq. (10)", kind="theorem", source="paper",
        statement="the shifted iterate stays within R of the comparator, R by (10)",
        quantity="largest distance of the shifted iterate to the comparator over that radius, without projection: the largest over m, lambda and kappa",
        cells={
            algebra.place_of(row, ("m", "lam", "kappa")): quotient(row["largest_shift"], row["Rbar"])
            for row in algebra.each(free)
        },
        criterion=at_most(1.0), regime=conditions.theorems(evidence, free),
    )  # fmt: skip
