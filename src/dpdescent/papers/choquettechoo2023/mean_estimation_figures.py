"""The drawing of simulated mean estimation beside exact values."""

from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpdescent.papers.choquettechoo2023.styles import ETA, INTERVALS, in_order, label_of, line, look, points
from dpdescent.replication.drawing.figures import GREY, legend_below, log_scale, panels, select, where


def draw_ext_mean_estimation(table: pd.DataFrame, display: dict[str, Any]) -> Figure:
    """Draws suboptimality, its ratio to the optimal noise's, and the difference of simulations to exact values."""
    figure, axes = panels(3, size=(4.7, 4.1), squeeze=False)
    errors, ratios, excess = axes[0]
    main = select(table)
    least = where(main, kind="exact", mechanism="optimal noise").set_index("eta")["mean"]
    names = in_order(main["mechanism"])
    for rank, name in enumerate(names):
        exact, simulated = (where(main, mechanism=name, kind=kind) for kind in ("exact", "simulated"))
        shift, dots = 1.03 ** (rank - (len(names) - 1) / 2), look(name) | {"linestyle": "none", "elinewidth": 0.9}
        for panel, scale in ((errors, 1.0), (ratios, least)):
            plain = {"color": dots["color"], "linewidth": 1.1}
            line(panel, _divided(exact, scale), "eta", **plain)
            points(panel, _divided(simulated, scale), "eta", label_of(name), **dots)
        relative = _divided(simulated, simulated.set_index("eta")["exact"])
        percent = relative.assign(
            mean=100 * relative["mean"] - 100, se=100 * relative["se"], eta=relative["eta"] * shift
        )
        points(excess, percent, "eta", **(dots | {"capsize": 0, "markersize": 4}))
    excess.axhline(0.0, color=GREY, linewidth=0.9)
    for panel, which in ((errors, "xy"), (ratios, "x"), (excess, "x")):
        log_scale(panel, which)
        panel.set_xlabel(ETA)
    errors.set(title="error", ylabel=r"$\mathbb{E}(\theta_t-\theta^*)^2$, mean over the last steps")
    ratios.set(title="over the exact error of the optimal noise", ylabel="ratio of errors")
    excess.set(title="simulated over exact, side by side", ylabel="excess, %")
    legend_below(figure, axes[0], 5, f"{INTERVALS} over runs; lines: exact")
    return figure


def _divided(rows: pd.DataFrame, scale: "float | pd.Series[float]") -> pd.DataFrame:
    """Returns rows divided by a number, or by one for each learning rate; rows whose rate has none are left out."""
    unit = rows["eta"].map(scale) if isinstance(scale, pd.Series) else scale
    return rows.assign(mean=rows["mean"] / unit, se=rows["se"] / unit).dropna(subset=["mean"])
