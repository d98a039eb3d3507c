"""What the report's page on the choice of a method shows, read from tables: cells, regrets, instruments."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from dpdescent.algorithms.dp_regression import INFERRED
from dpdescent.papers.ours import decision
from dpdescent.papers.ours.contest_design import information
from dpdescent.papers.ours.methods import ADA_SSP, AMBSSGD, FTRL, PRIVATE, PUBLISHED, SSGD, SUMS, TUKEY, ZERO
from dpdescent.replication.build.files import read_rows

View = dict[str, Any]

# Methods that read each record once, one after another or into sums.
ONCE = (AMBSSGD, PUBLISHED, SSGD, FTRL, ADA_SSP, SUMS, TUKEY, ZERO)
# Claims that judge the rule, on the page beside its regret.
CLAIMS = (
    "advice-is-usually-best", "advice-is-never-bad", "real-advice-is-usually-best", "real-advice-is-never-bad",
    "held-out-advice-is-usually-best", "held-out-advice-is-never-bad",
)  # fmt: skip

# Tables with instruments, the columns that tell a cell, and the panel in which coverage is of resampled tables.
INSTRUMENTS = {
    "iv_coverage": ["n", "p", "q", "F", "rho", "endogeneity", "instruments", "errors", "k"],
    "iv_weak": ["n", "p", "q", "F", "rho", "endogeneity", "instruments", "errors", "k"],
    "iv_real": ["table", "n", "q", "F", "rho"],
}
AS_IT_IS = "as it is"
# What is told of such a cell: series whose mean or median it is.
SHARES = {
    "plain": "2SLS", "path": "DP-2S-GD, path as published", "interval": "DP-IV-GD", "refused": "DP-IV-GD: refused",
    "set": "Anderson-Rubin, private",
}  # fmt: skip
RATIO = "DP-IV-GD: half length over that of 2SLS"


def view(folder: Path, settings: Sequence[dict[str, str]]) -> View:
    """Data of the page, ready for JSON.

    Args:
        folder: tables of `ours`.
        settings: rows of its settings, of which the contest's delta and the constants of the written rule are told.
    """
    given = {row["symbol"]: row["value"] for row in settings if row["artefact"] == "win_map"}
    delta = float(given["dp_delta"])
    cells = [cell for name in decision.CELLS for cell in contest(read_rows(folder / f"{name}.csv"), name, delta)]
    return {
        "delta": delta, "rule": _constants(given["rule"]), "rungs": _rungs(), "inferred": INFERRED,
        "methods": [{"name": name, "once": name in ONCE} for name in PRIVATE], "cells": cells,
        "classes": list(classes(cells)), "claims": CLAIMS,
        "instruments": [row for name in INSTRUMENTS for row in instruments(folder / f"{name}.csv")],
    }  # fmt: skip


def contest(rows: Sequence[dict[str, str]], table: str, delta: float) -> Iterator[View]:
    """Yields cells of a contest: where, what is advised there, who is best, and medians with their 95 % intervals."""
    for at, series in _cells(rows, decision.CELLS[table]):
        risks = {
            name: [_rounded(series[name][column]) for column in ("median", "median_low", "median_high")]
            for name in PRIVATE if name in series
        }  # fmt: skip
        # The first one in a tie.
        _, _, best = min((risk[0], k, name) for k, (name, risk) in enumerate(risks.items()))
        # The group of rows where the cell stands first; a real table's is among its keys.
        yield {
            "panel": next(iter(series.values()))["panel"], **at, "artefact": table,
            "information": _rounded(information(at["n"], at["p"], at["eps"], delta)),
            "advised": decision.advice(at["n"], at["p"], at["eps"], delta), "best": best, "risks": risks,
            "regrets": {name: _rounded(risk[0] / risks[best][0]) for name, risk in risks.items()},
        }  # fmt: skip


def _cells(rows: Sequence[dict[str, str]], keys: Sequence[str]) -> Iterator[tuple[View, dict[str, dict[str, str]]]]:
    """Yields the places of a table's cells, and the rows of each by series."""
    cells = dict[tuple[str, ...], dict[str, dict[str, str]]]()
    for row in rows:
        if row["variant"] == "main":
            cells.setdefault(tuple(row[key] for key in keys), {})[row["series"]] = row
    for place, series in cells.items():
        yield {key: _plain(text) for key, text in zip(keys, place, strict=True)}, series


def _rungs() -> list[View]:
    """The rule's answers, with the numbers below which they hold; the last one has none, because JSON knows no inf."""
    return [{"below": None if bound == math.inf else bound, "method": method} for bound, method in decision.RUNGS]


def classes(cells: Sequence[View]) -> Iterator[View]:
    """Yields, by what the rule advises, the regret of every method: median and worst over the cells."""
    for advised, where in decision.conditions().items():
        mine = [cell for cell in cells if cell["advised"] == advised]
        if mine:
            regrets = pd.DataFrame([cell["regrets"] for cell in mine])
            both = {name: [_rounded(regrets[name].median()), _rounded(regrets[name].max())] for name in regrets}
            yield {"when": where.replace("`", ""), "advised": advised, "cells": len(mine), "regrets": both}


def instruments(file: Path) -> Iterator[View]:
    """Yields cells with instruments: coverage of intervals and sets, how often one is refused, and their length."""
    rows = [row for row in read_rows(file) if row["panel"] != AS_IT_IS]
    for at, cell in _cells(rows, INSTRUMENTS[file.stem]):
        shares = {name: _rounded(cell[series]["mean"]) for name, series in SHARES.items() if series in cell}
        yield {**at, "artefact": file.stem, **shares, "longer": _longer(cell)}


def _longer(cell: dict[str, dict[str, str]]) -> float | None:
    """Length of DP-IV-GD's interval over that of 2SLS; None where one of them has none."""
    if RATIO in cell:
        return _rounded(cell[RATIO]["median"])
    lengths = [cell[name].get("half_width", "") for name in (SHARES["interval"], SHARES["plain"]) if name in cell]
    return _rounded(float(lengths[0]) / float(lengths[1])) if len(lengths) == 2 and all(lengths) else None


def _constants(text: str) -> dict[str, float]:
    """The constants of the written rule that are single numbers, from their text in the settings."""
    pairs = (part.split(": ") for part in text.split("; "))
    return {name: float(value) for name, value in pairs if "," not in value}


def _rounded(value: float | str) -> float:
    """The number in four digits, because more say nothing of a median."""
    return float(f"{float(value):.4g}")


def _plain(text: str) -> float | int | str:
    """A cell's value as a number where it is one; those of a first stage measured on a table in four digits."""
    try:
        value = float(f"{float(text):.6g}")
    except ValueError:
        return text
    return int(value) if value.is_integer() else value
