"""Claims about the error as the sample size grows: Figure 3(a)."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import bdtr

from dpdescent.papers.liang2025.bounds import cases
from dpdescent.papers.liang2025.reading import COMPARABLE, LEVEL, RATE, at_draws, at_readings, every, held_to, judged
from dpdescent.papers.liang2025.theory import error_bounds
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import Criterion, at_most, between
from dpdescent.replication.judging.evidence import Cell, Claim, Evidence, Verdict
from dpdescent.replication.judging.statistics import NOTHING, Estimate, extreme_ratio, log_log_slope

SPLITS = (("fig03a-rate-1-9", 1.0, 9.0), ("fig03a-rate-5-5", 5.0, 5.0), ("fig03a-rate-9-1", 9.0, 1.0))
# Runs that Figure 3 has beside the paper's 20 iterations, to see whether the error is level in T.
SHORTER, LONGER, LAST = "ten iterations", "forty iterations", 40
# What "at the rate" may mean beside one slope in both halves of the grid.
MILD = "an error that stays within a factor of two of the rate"
# Values of c0 at which Figure 3 has such runs too.
CLIP_CONSTANTS = ("clip constant 1", "clip constant 15")
PLATEAU = between(1.0 / LEVEL, LEVEL)
# Numbers of iterations of Figure 4 at which its note tells the same.
SEEN = (20, 50)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the rate, on and on the plateau."""
    yield from at_readings(evidence, ["fig03"], _rates)
    yield _rate_over_draws(evidence)
    yield _plateau(evidence)


def _private(evidence: Evidence, panel: str, variant: str = "main") -> pd.DataFrame:
    return evidence.select("fig03", variant, panel=panel, error_to="beta_hat", series="DP-2S-GD")


def _window(evidence: Evidence) -> Criterion:
    low, high = (evidence.published["rate_in_n"] + end for end in (-RATE, RATE))
    return between(low, high, words=f"slope between {low:g} and {high:g}")


def _rates(evidence: Evidence) -> Iterator[Claim]:
    rows = _private(evidence, "a")
    for id, rho1, rho2 in SPLITS:
        curve = rows[(rows["rho1"] == rho1) & (rows["rho2"] == rho2)]
        main = every(
            id=id, artefact="fig03", location="Sec. 4.1, Figure 3(a)", kind="figure", source="paper",
            statement="all points lie in the plateau region, so the error decreases at the rate 1/sqrt(n)",
            quantity=f"log-log slope of the mean error in n, in either half of the grid, at rho1={rho1:g}, rho2={rho2:g}",
            cells=_halves(curve), criterion=_window(evidence),
            changed=(
                "Before a review one line was laid through all points, which a bent curve can meet; a rate is the same in both halves. "
                "Other draws of the parameters and more values of c0 must agree. After a second reading the words are also met by an "
                "error within a factor of two of the rate over the whole grid, because a bend within that is no other rate to a reader of the figure."
            ),
            note=f"one line through all points has slope {log_log_slope(curve, 'n').value:.2f}",
        )  # fmt: skip
        draws = _draws(evidence, rho1).groupby("draw")
        found = [_window(evidence).verdict_on_all(_halves(group).values()) for _, group in draws]
        yield at_draws(held_to(main, {MILD: _mildly(evidence, main, curve)}), found)


def _mildly(evidence: Evidence, main: Claim, curve: pd.DataFrame) -> Claim:
    """The claim on a rate by how far the error strays from it over the grid of n, which is not stated either."""
    rate = algebra.floats(curve, "n") ** float(evidence.published["rate_in_n"])
    strayed = extreme_ratio(algebra.scaled(curve, 1.0 / rate)) if len(curve) else NOTHING
    verdict = at_most(COMPARABLE).verdict(strayed)
    return replace(main, measured=strayed.value, low=strayed.low, high=strayed.high, verdict=verdict)


def _halves(curve: pd.DataFrame) -> algebra.Places:
    """Slopes below and above the middle of the grid, with standard errors alone, because halves show what is bent."""
    n = np.unique(algebra.floats(curve, "n"))
    middle = n[np.argmin(np.abs(np.log(n) - np.log(n).mean()))] if len(n) else math.nan
    parts = {f"n <= {middle:g}": curve["n"] <= middle, f"n >= {middle:g}": curve["n"] >= middle}
    return {name: algebra.line(curve[chosen], "n") for name, chosen in parts.items()}


def _draws(evidence: Evidence, rho1: float, variant: str = "main") -> pd.DataFrame:
    rows = evidence.select("ext_parameter_draws", variant, panel="fig03", error_to="beta_hat", series="DP-2S-GD")
    return rows[rows["rho1"] == rho1]


def _rate_over_draws(evidence: Evidence) -> Claim:
    slopes = algebra.by(_draws(evidence, 5.0), ["draw"], lambda group: log_log_slope(group, "n"))
    window, measured = _window(evidence), _median([slope.value for slope in slopes.values()])
    return judged(
        id="fig03a-rate-any-design", artefact="ext_parameter_draws", location="Sec. 4.1, Figure 3(a)", kind="figure", source="ours",
        statement="(as a statement about the design, not about one draw of its parameters) the error decreases at the rate 1/sqrt(n)",
        quantity=f"median slope over {len(slopes)} draws of the parameters; the interval is that of a median, from order statistics",
        measured=measured, criterion=window.words, verdict=window.verdict(measured),
        changed="Before a review every draw had to meet it, which slopes of four points are too wide for.",
        cells=[Cell(draw, each.value, each.low, each.high, window.verdict(each)) for draw, each in slopes.items()],
    )  # fmt: skip


def _median(values: list[float]) -> Estimate:
    """The median with an interval of 95 % at least for any law; of fewer than six values it is their range."""
    if not values:
        return NOTHING
    found, last = sorted(values), len(values) - 1
    rank = max([k for k in range(1, last) if 2 * bdtr(k - 1, last + 1, 0.5) <= 0.05], default=1)
    return Estimate(float(np.median(found)), found[rank - 1], found[last + 1 - rank])


def _plateau(evidence: Evidence) -> Claim:
    main = _plateau_at(evidence, (SHORTER, "main", LONGER))
    others = {
        reading: _plateau_at(evidence, (f"{SHORTER} at {reading}", reading, f"{LONGER} at {reading}"))
        for reading in CLIP_CONSTANTS
    }
    return at_draws(held_to(main, others), list(_level_draws(evidence)))


def _plateau_at(evidence: Evidence, variants: Sequence[str]) -> Claim:
    """The claim on the plateau, from variants of rising T that have one value of c0."""
    tables = [_private(evidence, "a", variant) for variant in variants]
    return every(
        id="fig03a-plateau", artefact="fig03", location="Sec. 4.1, Figure 3(a)", kind="figure", source="paper",
        statement="all points of Figure 3(a) lie in the plateau region of Figure 2, where the error hardly changes with T",
        quantity="of the mean error at T = 40 over that at T = 20, and at T = 20 over that at T = 10, the one nearer to 1, where T2 of Remark 3.7 is at least 40",
        cells=_level(evidence, tables), criterion=PLATEAU,
        changed=(
            "Added after a review; after another one the point may lie at either end of the plateau, and other draws of the parameters must agree. "
            "Two more values of c0 must agree too. After a second reading a value of c0 at which it is open leaves it open."
        ),
        note=f"T1 and T2 of Remark 3.7 at hidden constants 1; {_first_regime(evidence)}; {_in_figure_4(evidence)}",
    )  # fmt: skip


def _level(evidence: Evidence, tables: Sequence[pd.DataFrame]) -> algebra.Places:
    """How far the error changes from T = 20 on the side on which it changes less, by place."""
    shorter, main, longer = tables
    keys = ["n", "rho1", "rho2"]
    inside = [_in_plateau(evidence, row) for row in algebra.each(longer)]
    after = algebra.ratios(longer[np.array(inside, dtype=bool)], main, keys)
    before = algebra.ratios(main, shorter, keys)
    return {
        place: max((found, before.get(place, found)), key=lambda each: PLATEAU.margin(each.value))
        for place, found in after.items()
    }


def _level_draws(evidence: Evidence) -> Iterator[Verdict]:
    """The verdict at every other draw, over all splits."""
    splits = [rho1 for _, rho1, _ in SPLITS]
    tables = [pd.concat([_draws(evidence, rho1, variant) for rho1 in splits]) for variant in (SHORTER, "main", LONGER)]
    for draw in sorted(set(tables[1]["draw"])):
        yield PLATEAU.verdict_on_all(_level(evidence, [each[each["draw"] == draw] for each in tables]).values())


def _in_plateau(evidence: Evidence, row: "pd.Series[float]") -> bool:
    at = cases.case(evidence, cases.FIGURE_3A, n=int(row["n"]), rho1=row["rho1"], rho2=row["rho2"])
    # T2 does not depend on kappa, so that any rate below 1 gives it where nothing contracts.
    return error_bounds.regime_boundaries(at.problem, min(at.kappa, 0.5), at.rho1, at.rho2).sampling_ends >= LAST


def _first_regime(evidence: Evidence) -> str:
    """The number of iterations at which the plateau begins at the largest n, as text for a note."""
    n = int(evidence.tables["fig03"]["n"].max())
    at = cases.case(evidence, cases.FIGURE_3A, n=n, rho1=5.0, rho2=5.0)
    if not at.kappa < 1:
        return f"at n = {n} T1 has no value, because nothing contracts"
    begins = error_bounds.regime_boundaries(at.problem, at.kappa, at.rho1, at.rho2).optimisation_ends
    return f"at n = {n} T1 is {begins:.0f}, beyond the figure's T = 20"


def _in_figure_4(evidence: Evidence) -> str:
    """The same ratio in Figure 4 at c0 = 3 and 1, for a note, because its T are others."""
    found = []
    for c0, variant in ((3, "main"), (1, "clip constant 1")):
        curve = evidence.select("fig04", variant, panel="a", rho1=10.0, error_to="beta_hat").set_index("T")["mean"]
        if set(SEEN) <= set(curve.index):
            found.append(f"{curve[SEEN[1]] / curve[SEEN[0]]:.2f} at c0 = {c0}")
    return f"in Figure 4 (n = 1000, rho1 = rho2 = 10) the error at T = 50 over that at T = 20 is {', '.join(found) or 'not known'}"
