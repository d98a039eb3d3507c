"""Which method to take: a rule with three questions, fixed before the contest at paper scale, and its regret."""

import math
from pathlib import Path

import pandas as pd

from dpdescent.papers.ours.contenders.field import PRIVATE, SCHEDULED, WHITENED, ZERO
from dpdescent.papers.ours.contest_design import information

# In units of p / sqrt(rho): with fewer records there is more noise than signal; with fewer than enough a second moment
# of the covariates is mostly noise.
HOPELESS, ENOUGH = 3.0, 50.0
# Up to this condition number covariates count as known to be alike; those of a real table are not.
ISOTROPIC, UNKNOWN = 1.0, math.inf

CELLS = {"win_map": ["panel", "n", "p", "eps", "sigma", "kappa", "law"], "real_tables": ["table", "n", "p", "eps"]}
WHERE = {
    ZERO: f"`n sqrt(rho) / p` below {HOPELESS:g}", SCHEDULED: f"below {ENOUGH:g}, or isotropic covariates",
    WHITENED: "else",
}  # fmt: skip


def advice(n: float, p: float, eps: float, delta: float, kappa: float) -> str:
    """Returns the advised method for the size of a problem and the condition number of its covariates."""
    found = information(n, p, eps, delta)
    if found < HOPELESS:
        return ZERO
    return SCHEDULED if found < ENOUGH or kappa <= ISOTROPIC else WHITENED


def regrets(tables: dict[str, pd.DataFrame], delta: float) -> pd.DataFrame:
    """Returns a row a cell: the advised method, the best private one, and the ratio of their medians, `regret`."""
    rows = []
    for name, keys in CELLS.items():
        for place, cell in tables[name].query("variant == 'main'").groupby(keys):
            at = dict(zip(keys, place, strict=True))
            medians = cell.set_index("series")["median"]
            advised = advice(at["n"], at["p"], at["eps"], delta, at.get("kappa", UNKNOWN))
            best = str(medians[[each for each in PRIVATE if each in medians]].idxmin())
            rows.append({**at, "advised": advised, "best": best, "regret": medians[advised] / medians[best]})
    return pd.DataFrame(rows)


def table(results: Path, delta: float) -> str:
    """Returns the advice with its regret as a table in Markdown, from the committed tables of a scale."""
    found = regrets({name: pd.read_csv(results / "ours" / f"{name}.csv") for name in CELLS}, delta)
    lines = ["| when | take | regret: median, worst |", "|---|---|---|"]
    for method, where in WHERE.items():
        rows = found.loc[found["advised"] == method, "regret"]
        lines.append(f"| {where} | {method} | {rows.median():.2g}, {rows.max():.2g} |")
    return "\n".join(lines)
