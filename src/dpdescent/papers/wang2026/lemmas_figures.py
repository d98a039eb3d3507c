"""The figure of wang2026 on the lemmas of its proofs."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dpdescent.papers.wang2026.lemma_runs import FAR
from dpdescent.papers.wang2026.setting import G_DELTA, GRADIENT
from dpdescent.papers.wang2026.stability import DISTANCE
from dpdescent.papers.wang2026.styles import MARKERS, N, by_values, curve, finish, guide, in_order, sizes, value_ticks
from dpdescent.replication.drawing.figures import (
    BLUE,
    GREY,
    ORANGE,
    VERMILION,
    log_scale,
    panels,
    positive,
    select,
    shades,
    values_of,
    where,
)
from dpdescent.replication.judging import algebra

SYMBOLS = {
    "|grad|^2": r"$|\nabla L_S|^2$", "4 beta L": r"$4\beta L_S$", "nu L": r"$\nu L_S$", "e sum R_t": r"$e\sum R_t$",
    "sum of M_t": r"$\sum M_t$",
}  # fmt: skip
OVER = ("over its bound", "over nu L", "over 4 beta L", "over e sum R_t")


def draw_ext_proof(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws the ratio of every lemma's quantity to its bound, and panels on gradients, far starts and neighbours."""
    main = select(table)
    figure, axes = panels(4, size=(5.6, 4.2), squeeze=False)
    ratios, gradients, far, neighbours = axes[0]
    _ratios(ratios, main)
    starts = main[main["panel"].isin(["starts, dimension", "starts, basis"])]
    for rank, (x, text) in enumerate((("d", "input dimension"), ("p", "number of basis functions"))):
        own, color = where(starts, panel=f"starts, {'dimension' if x == 'd' else 'basis'}"), (BLUE, ORANGE)[rank]
        measured, bound = (where(own, series=name) for name in (GRADIENT, G_DELTA))
        curve(gradients, measured, x, f"largest gradient by {text}", color=color, marker="os"[rank])
        curve(gradients, bound, x, f"bound on it by {text}", color=color, marker="^v"[rank], linestyle="--")
    log_scale(gradients)
    gradients.set(title=_largest_share(starts), xlabel="$d$, or $p$", ylabel="norm")
    slack = where(main, series=FAR)
    for (m,), own in by_values(slack, "m"):
        rank = values_of(slack, "m").index(m)
        color = shades(len(values_of(slack, "m")))[rank]
        curve(far, own, "factor", f"$m={m:g}$", color=color, marker=MARKERS[rank % len(MARKERS)])
    far.axhline(0.0, color="black", linewidth=0.8)
    log_scale(far, "x")
    value_ticks(far, values_of(slack, "factor"))
    far.set(title=_first_failure(slack), xlabel="multiple of the start", ylabel="slack of Lemma C.2's inequality")
    apart = where(main, panel="neighbours", series=DISTANCE)
    for rank, ((kappa, lam), own) in enumerate(by_values(apart, "kappa", "lam")):
        style = {"color": VERMILION if kappa else GREY, "marker": "s" if lam else "o"}
        # Points are moved aside, because noise in common leaves distances as they are.
        curve(neighbours, own.assign(n=own["n"] * 1.06**rank), "n", rf"$\kappa={kappa:g}$, $\lambda={lam:g}$", **style)
    guide(neighbours, apart.drop_duplicates("n"), "n", -1.0, r"claimed: slope $-1$")
    log_scale(neighbours)
    value_ticks(neighbours, values_of(apart, "n"))
    # Without the exponent, because another seed does not repeat the claim on it.
    falls = algebra.least_squares_slope(apart, "n").high < 0
    title = "one record moves a run less, the more there are" if falls else "runs that differ in one record"
    neighbours.set(title=title, xlabel=N, ylabel="mean distance")
    finish(figure, axes[0], 4, "bounds hold left of the vertical line, where a quantity is its bound", sizes(main, "d"))
    return figure


def _largest_share(starts: pd.DataFrame) -> str:
    """The title of the panel on gradients: the largest one in parts of its bound."""
    pairs = algebra.paired_rows(where(starts, series=GRADIENT), where(starts, series=G_DELTA), ["panel", "d", "p"])
    shares = [float(row["mean"] / bound["mean"]) for row, bound in pairs if bound["mean"] > 0]
    return f"gradients at the start: up to {max(shares):.2g} of the bound" if shares else "gradients at the start"


def _first_failure(slack: pd.DataFrame) -> str:
    """The title of the panel on far starts: the multiple from which on the inequality fails at every width."""
    largest = slack.groupby("factor")["mean"].max()
    factors = [float(factor) for factor in largest.index if (largest[largest.index >= factor] < 0).all()]
    return f"Lemma C.2 fails from {min(factors):g} times the start on" if factors else "Lemma C.2 far from the start"


def _ratios(axes: Axes, rows: pd.DataFrame) -> None:
    """Draws the range of ratios to the bound, by lemma; negative values have no place on the axis."""
    shown = rows[np.array([any(text in name for text in OVER) for name in rows["series"]], dtype=bool)]
    shown = positive(shown[~(shown["constants"] == "paper")])
    names = in_order(shown["series"], sorted(set(shown["series"]), key=_place))
    for place, name in enumerate(names):
        own = where(shown, series=name)["mean"]
        axes.plot([own.min(), own.max()], [place, place], color=BLUE, linewidth=4, solid_capstyle="round")
        axes.plot([own.max()], [place], "o", color=BLUE, markersize=5)
    axes.axvline(1.0, color=VERMILION, linestyle="-.")
    axes.set_yticks(range(len(names)), map(_with_symbols, names), fontsize=7.5)
    axes.set_ylim(max(len(names), 1) - 0.5, -0.5)
    log_scale(axes, "x")
    largest = f"at most {shown['mean'].max():.2g} of a bound is met" if len(shown) else "measured over its bound"
    axes.set(title=largest, xlabel="measured over its bound")


def _with_symbols(name: str) -> str:
    """The name of a ratio with its symbols set as mathematics."""
    for plain, symbol in SYMBOLS.items():
        name = name.replace(plain, symbol)
    return name


def _place(name: str) -> tuple[str, float, str]:
    """Returns the letter and number of a lemma, which put names in the paper's order, and then its words."""
    words = name.split(",")[0].split(" ")[-1]
    letter, _, number = words.partition(".")
    # Its words last, without bars, because a lemma has several quantities, and a set another order in each process.
    return letter, float(number) if number.isdigit() else np.inf, name.replace("|", "")
