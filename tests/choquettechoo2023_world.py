"""choquettechoo2023's committed evidence, a world in which the paper is right, and edits that turn one thing round."""

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np

from dpdescent.papers.choquettechoo2023 import claims
from dpdescent.replication.configuration import project
from dpdescent.replication.judging import by_id
from dpdescent.replication.judging.evidence import Claim, Evidence
from edits import Edit, Tables, chosen

ROOT = Path(__file__).parents[1]
PAPER = "choquettechoo2023"
PROJECT = project.load({"scale": "paper", "seed": 20250922, "papers": [PAPER]}, ROOT)


SGD, FTRL = "Noisy-SGD", "nu-Noisy-FTRL"
EXACT, SIMULATED = {"kind": "exact"}, {"kind": "simulated"}
AHEAD_ROWS = {"series": "nu minus this"}


@functools.cache
def committed() -> Evidence:
    """The evidence of the paper scale; tests change copies of its tables only."""
    return Evidence.read(json.loads(project.judging_json(PROJECT, PAPER)), ROOT / "results/paper" / PAPER)


SPEC = json.loads(project.judging_json(PROJECT, PAPER))


def change(artefact: str, factor: float | None = None, column: str = "mean", value: Any = None, **where: Any) -> Edit:
    """Multiplies, or replaces, a column in some rows."""

    def edit(made: Tables) -> None:
        table = made[artefact]
        mask = chosen(table, where)
        table.loc[mask, column] = value if factor is None else factor * table.loc[mask, column]

    return edit


def tilt(artefact: str, axis: str, power: float, column: str = "mean", **where: Any) -> Edit:
    """Multiplies a column of some rows by a power of their place on an axis."""

    def edit(made: Tables) -> None:
        table = made[artefact]
        mask = chosen(table, where)
        table.loc[mask, column] *= table.loc[mask, axis].astype(float) ** power

    return edit


# By how many points nu-DP-FTRL is ahead, as multiples of a gain that falls with eps.
AHEAD = {"TreeAgg": 6.0, "Honaker": 4.0, "Honaker, restarts": 3.0, "Optimal CC": 1.5, "Optimal CC, restarts": 1.0}


def clear_differences(made: Tables) -> None:
    """Figure 4 as the paper has it: nu-DP-FTRL ahead of all but ME, and of amplified DP-SGD from eps = 4 on."""
    table = made["fig04a"]
    ahead, gain = table["series"] == "nu minus this", 0.03 * (2 / table["eps"]) ** 0.5
    amplified = 0.01 - 0.03 * (table["eps"] < 4)
    lead = (table["mechanism"].map(AHEAD) * gain).fillna(0.001)
    lead = lead.mask(table["mechanism"] == "ME", -0.01).mask(table["mechanism"] == "DP-SGD, amplified", amplified)
    lead += 0.02 * ((table["variant"] == "momentum exchanged") & ~ahead)
    table["mean"], table["se"] = lead.where(ahead, 0.9 - lead), 5e-4
    # Pairs that no lead decides: restarts and momentum gain a point, the lead is 2 points and grows by one.
    series = table["series"].astype(str)
    to_me = series == "ME minus this"
    # Accuracies rise by three points from one eps to its double.
    table.loc[series == "test accuracy", "mean"] += 0.03 * np.log2(table["eps"]) - 0.15
    table.loc[
        series.isin(["restarts minus this", "own momentum minus this"]) | series.str.startswith("momentum"), "mean"
    ] = 0.01
    table.loc[series.str.startswith("nu minus anytime"), "mean"] = 0.01
    table.loc[to_me, "mean"] = lead[to_me] + 0.01


def corrected(made: Tables) -> None:
    """Figure 1 at large rates, the misprint of Table 4 and the grid of Figure 3 as the paper has them."""
    ratio, table4, fig03 = made["fig01"], made["table4"], made["fig03"]
    large = (ratio["series"] == "exact ratio") & ratio["eta"].between(0.3, 1.0, inclusive="left")
    ratio.loc[large, "mean"] = 0.4 * ratio["eta"] * np.log(ratio["eta"]) ** 2
    square = table4[table4["row"] == "1/k^2"]
    order = square[square["algorithm"] == "ratio, corrected"].set_index("d")["order"]
    printed = (table4["row"] == "1/k^2") & (table4["algorithm"] == "ratio")
    table4.loc[printed, "order"] = table4.loc[printed, "d"].map(order)
    limit = fig03[(fig03["variant"] == "main") & (fig03["multiplier"] == "static")]
    uniform = fig03[fig03["variant"] == "uniform grid"]
    keys = ["eta", "kappa", "series"]
    fig03.loc[uniform.index, "mean"] = 1.01 * uniform[keys].merge(limit, on=keys, how="left")["mean"].to_numpy()


# Slopes as printed on every grid, and orders of the same slopes.
SLOPES = (
    tilt("fig02", "eta", 0.1, **EXACT, series=SGD, variant="learning rates 0.01 to 0.15"),
    tilt("fig02", "eta", 0.06, **EXACT, series=FTRL, variant="learning rates 0.01 to 0.15"),
    tilt("fig02", "eta", 0.2, kind="bound", panel="eta", series=f"{SGD} order"),
    tilt("fig02", "eta", 0.2, kind="bound", panel="eta", series=f"{FTRL} order with log"),
)  # fmt: skip


@functools.cache
def right() -> Tables:
    """The tables of a world in which the paper is right; of the bounds a few rows a place."""
    made = {name: table.copy() for name, table in committed().tables.items()}
    made["bounds"] = made["bounds"].groupby("location").head(3).reset_index(drop=True)
    for edit in (corrected, clear_differences, *SLOPES):
        edit(made)
    return made


def world() -> Tables:
    """A copy of it, to be changed."""
    return {name: table.copy() for name, table in right().items()}


def judged(made: Tables) -> dict[str, Claim]:
    """All claims by id."""
    return {claim.claim: claim for claim in claims.judge(Evidence(SPEC, made))}


def one(made: Tables, name: str, spec: dict[str, Any] = SPEC) -> Claim:
    """One claim by its id."""
    return by_id.judge_one(claims, Evidence(spec, made), name)
