"""wang2026's committed evidence, a world in which the paper is right, and edits that turn one thing round."""

import functools
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from dpdescent.papers.wang2026 import claims
from dpdescent.papers.wang2026.rates import quadratic_weight
from dpdescent.papers.wang2026.setting import BY_SEED
from dpdescent.replication.configuration import project
from dpdescent.replication.judging.by_id import judge_one
from dpdescent.replication.judging.evidence import Claim, Evidence
from edits import Edit, Tables, chosen

ROOT = Path(__file__).parents[1]
PAPER = "wang2026"
PROJECT = project.load({"scale": "paper", "seed": 20250922, "papers": [PAPER]}, ROOT)
SPEC: dict[str, Any] = json.loads(project.judging_json(PROJECT, PAPER))

VALUES = ["mean", "se", "q975"]


def and_by_seed(series: str) -> Callable[[str], bool]:
    """Tells the rows of a series, those of its seeds among them."""
    return lambda name: name in (series, series + BY_SEED)


@functools.cache
def committed() -> Evidence:
    """The evidence of the paper scale; tests change copies of its tables only."""
    return Evidence.read(SPEC, ROOT / "results/paper" / PAPER)


def change(artefact: str, by: float, column: str | None = None, /, **where: Any) -> Edit:
    """Multiplies a column, or all that say how large the value is, in rows that have the given values."""

    def edit(made: Tables) -> None:
        table = made[artefact]
        columns = [column] if column else [each for each in VALUES if each in table]
        table.loc[chosen(table, where), columns] *= by

    return edit


def put(artefact: str, value: float, column: str | None = None, /, **where: Any) -> Edit:
    """Replaces a column, or the value, which is exact to a thousandth then."""

    def edit(made: Tables) -> None:
        table = made[artefact]
        mask = chosen(table, where)
        table.loc[mask, [column] if column else [each for each in ("mean", "q975") if each in table]] = value
        if column is None:
            table.loc[mask & table["se"].notna(), "se"] = 1e-3 * abs(value)

    return edit


def tilt(artefact: str, axis: str, power: float, /, **where: Any) -> Edit:
    """Multiplies by a power of the place on an axis."""

    def edit(made: Tables) -> None:
        table = made[artefact]
        mask = chosen(table, where)
        factors = table.loc[mask, axis].astype(float) ** power
        for name in (each for each in VALUES if each in table):
            table.loc[mask, name] *= factors

    return edit


def power_law(artefact: str, axis: str, power: float, scale: float = 0.2, /, **where: Any) -> Edit:
    """Replaces values by a power of the place on an axis, the scale at its first."""

    def edit(made: Tables) -> None:
        table = made[artefact]
        mask = chosen(table, where)
        places = table.loc[mask, axis].astype(float)
        value = scale * (places / places.min()) ** power
        table.loc[mask, "mean"], table.loc[mask, "q975"], table.loc[mask, "se"] = value, value, 1e-3 * value

    return edit


def large_gains(made: Tables) -> None:
    """Figure 1 as the paper has it: gains that grow with epsilon, less beyond moderate correlations, a drop at last."""
    table = made["fig01"]
    gains = (table["panel"] == "accuracy") & (table["series"] == "gain over lam = 0")
    lam, grows = table["lam"], 0.01 + 0.004 * np.log2(table["eps"])
    value = grows.where(lam <= 0.8, 0.003).where(lam < lam.max(), -0.1)
    table.loc[gains, "mean"], table.loc[gains, "se"] = value[gains], 5e-4


def enough_noise(made: Tables) -> None:
    """The closed forms as they are stated: enough noise, also for batches of a fixed size."""
    validity, multipliers = made["closed_form_validity"], made["kappa_tables"]
    pair = made["sampling_counterexample"]
    multipliers.loc[multipliers["accountant"] == "D9", "mean"] *= 4
    validity.loc[validity["panel"] == "renyi", ["mean", "kappa"]] = [0.3, 10.0]
    validity.loc[validity["panel"] == "regime", ["mean", "kappa"]] = [1e-9, 10.0]
    pair["delta_se"] = 1e-3 * pair["delta_se"]
    keys = ["panel", "T", "r", "lam", "kappa", "eps"]
    proved = pair[pair["series"] == "F8 pair"].drop_duplicates(keys)
    fixed = pair[pair["series"] == "fixed size"]
    pair.loc[fixed.index, "mean"] = 0.9 * fixed[keys].merge(proved, on=keys, how="left")["mean"].to_numpy()


def as_bounds_have_it(made: Tables) -> None:
    """What noise adds at other correlations, and a window of widths, as the bounds have them with constants 1."""
    window, widths = made["ext_window"], made["admissible_width"]
    for series, value in (
        ("added to the population risk", 0.1 * quadratic_weight(window["lam"], window["eta"])),
        ("added to the largest shift squared", (10 * (1 - window["lam"])) ** 2),
    ):
        rows = (window["panel"] == "correlation") & window["series"].map(and_by_seed(series))
        window.loc[rows, "mean"], window.loc[rows, "se"] = value[rows], 1e-3 * value[rows]
    for series, power, factor in (("lower limit", -4, 1.0), ("upper limit", -6, 2.0)):
        rows = widths["series"] == series
        widths.loc[rows, "mean"] = factor * widths["gamma"] ** power


RATES = {
    "Corollary 5.3": -0.8, "Corollary 5.5": -0.8, "Corollary 5.5, wider networks": -0.8,
    "Corollary 5.5, few records": -0.8, "Corollary 5.6": -1.3, "Corollary 5.6, smaller batches": -1.3, "DP-GD": -1.3,
    "GD": -1.3,
}  # fmt: skip
BATCHES, ADDED = "departure by batches", "added to the population risk"


def following_margins(made: Tables) -> None:
    """T, and Corollary 5.5's B, along the margin as the corollaries have them; risks with room for a larger power."""
    table = made["ext_window_rates"]
    order = np.sqrt(table["n"].astype(float)) / table["gamma"]
    for panel, times in (("margin, Corollary 5.3", 15.0), ("margin, Corollary 5.5", 14.0)):
        table.loc[table["panel"] == panel, "T"] = (times * order).round()
    independent = table["panel"] == "margin, Corollary 5.5"
    table.loc[independent, "B"] = (table["gamma"] ** 2 * order)[independent].round()
    table.loc[independent, ["mean", "se"]] *= 0.1
    table.loc[independent, "kappa"] *= 0.5


# Conditions that the committed runs miss: widths, deltas of Corollary 5.3 and at small margins of 5.5, T and B along
# the margin, and room below log 2 for risks that would grow along the margin and the width.
MET = (
    following_margins,
    change("ext_window", 0.1, panel=lambda panel: panel in ("margin", "width")),
    put("ext_window", 24.0, "m", panel=lambda panel: panel in ("correlation", "multiplier")),
    put("ext_window", 80.0, "B", panel=lambda panel: panel in ("correlation", "multiplier")),
    put("ext_window_rates", 1e-6, "delta", panel=lambda panel: "Corollary 5.3" in panel or "margin" in panel),
    change("ext_window_rates", 0.8, "kappa", panel="Corollary 5.3"),
    change("ext_window_rates", 0.5, "kappa", panel="margin, Corollary 5.3"),
    put("ext_window_rates", 200.0, "m", panel="margin, Corollary 5.3"),
)  # fmt: skip
CORRECTIONS = (
    *MET, large_gains, enough_noise, as_bounds_have_it,
    *(power_law("ext_window_rates", "n", power, panel=panel) for panel, power in RATES.items()),
    *(
        power_law("ext_window_rates", axis, power, 0.1, panel=f"{name}, {rule}", series=and_by_seed(ADDED))
        for name, axis, power in (("dimension", "d", 0.2), ("epsilon", "eps", -0.8), ("margin", "gamma", -2.0))
        for rule in ("Corollary 5.3", "Corollary 5.5")
    ),
    power_law("ext_window_rates", "gamma", -0.9, panel="margin, Corollary 5.3", series=and_by_seed("population risk")),
    power_law("ext_window", "B", -1.0, 1e-3, panel="batches", series=BATCHES),
    power_law("ext_window", "kappa", 2.0, 1e-6, panel="multiplier", series=and_by_seed(ADDED)),
    power_law("ext_window", "T", -0.5, 1e-3, panel="steps", series="departure by noise"),
    power_law("ext_window", "T", -1.2, panel="long runs", series=and_by_seed("empirical risk")),
    power_law("ext_window", "T", -1.2, panel="long runs", series=and_by_seed("population risk")),
    power_law("ext_window", "T", -1.0, panel="iterations", series=and_by_seed("empirical risk")),
    # Its bound bends with 1 + eta T/n, so that no power of T follows it; it is at its ceiling here.
    put("ext_window", 0.69, panel="iterations", series="population risk"),
    power_law("ext_proof", "n", -1.3, series=and_by_seed("mean distance")),
    put("kan_lambda", 0.01, series="gain over lam = 0", accountant="tail", lam=lambda lam: lam < 0.9),
    put("kan_lambda", 0.01, series="gain over lam = 0", accountant="F8", lam=lambda lam: lam < 0.9),
    put("lambda_tradeoff", 0.5, term="total", accountant="tail", lam=lambda lam: lam > 0),
)  # fmt: skip


@functools.cache
def right() -> Tables:
    """The tables of a world in which the paper is right; of the grid of multipliers a few settings."""
    made = {name: table.copy() for name, table in committed().tables.items()}
    grid = made["kappa_tables"]
    kept = grid["lam"].isin([0.0, 0.4, 0.8]) & grid["eps"].isin([0.5, 1.0, 2.0]) & grid["T"].isin([100, 200])
    made["kappa_tables"] = grid[kept | (grid["panel"] != "grid")].reset_index(drop=True)
    for edit in CORRECTIONS:
        edit(made)
    return made


def world() -> Tables:
    """A copy of it, to be changed."""
    return {name: table.copy() for name, table in right().items()}


def judged(made: Tables, *parts: ModuleType) -> dict[str, Claim]:
    """Claims by id, of all modules or of some."""
    evidence = Evidence(SPEC, made)
    return {claim.claim: claim for part in parts or (claims,) for claim in part.judge(evidence)}


def one(made: Tables, name: str) -> Claim:
    """One claim by its id."""
    return judge_one(claims, Evidence(SPEC, made), name)
