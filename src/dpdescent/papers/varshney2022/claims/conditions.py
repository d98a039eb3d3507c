"""Where Theorem 3.7 speaks: the conditions of the lemmas that its proof takes, at the choices of a table's rows.

N = Omega~(kappa^2 d (1 + sqrt(log(1/delta))/eps)) hides a constant and logarithms. What the proof uses of it is printed
in full: s >= 2 Gamma, below which Lemma 3.10 says nothing, and Lemma 3.11's condition on b.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from dpdescent.papers.varshney2022.arms import Choice
from dpdescent.papers.varshney2022.bounds.cases import setting_of
from dpdescent.papers.varshney2022.design import Design
from dpdescent.papers.varshney2022.theory.ambssgd import WIDTH_POWER, Setting, batch_condition, stat_slack
from dpdescent.replication.judging.algebra import Array, each, floats
from dpdescent.replication.judging.evidence import Evidence
from dpdescent.replication.judging.records import Regime

NEEDED = ["N", "d", "sigma", "eps", "delta", "T"]


def few_trials(event: str, table: pd.DataFrame) -> Regime:
    """The regime of a probability near one: trials may refute it, but so few of them cannot confirm it.

    Args:
        event: what has a probability near one, in words.
        table: rows with the number of trials.
    """
    trials = f"{table['trials'].max():g} trials" if len(table) else "the trials"
    return Regime(
        unmet=(f"{trials} see a probability of a few hundredths at best, not one of N^-100",),
        because=f"not refuted, nor confirmed, since {event} in what was run", why="interval", blocks=("reproduced",),
    )  # fmt: skip


def setting_at(evidence: Evidence, artefact: str, row: "pd.Series[float]", printed: bool = False) -> Setting:
    """What a row of DP-AMBSSGD ran with, in the form that Lemma 3.11 takes; `printed` is the arm as published."""
    return setting_of(choice_at(evidence, artefact, row, printed))


def enough_batch(evidence: Evidence, artefact: str, table: pd.DataFrame, printed: bool = False) -> pd.DataFrame:
    """Rows whose b meets Lemma 3.11's condition."""

    def met(choice: Choice) -> bool:
        setting = setting_of(choice)
        return setting.batch >= batch_condition(setting)

    return _where(evidence, artefact, table, printed, met)


def enough_for_statistic(evidence: Evidence, artefact: str, table: pd.DataFrame, printed: bool = False) -> pd.DataFrame:
    """Rows with s >= 2 Gamma at the runs' own doublings and the theorem's beta = N^-200, as Lemma 3.10 needs."""

    def met(choice: Choice) -> bool:
        return choice.s >= 2.0 * stat_slack(choice.multiplier, choice.levels, WIDTH_POWER * math.log(choice.N))

    return _where(evidence, artefact, table, printed, met)


def choice_at(evidence: Evidence, artefact: str, row: "pd.Series[float]", printed: bool = False) -> Choice:
    """All that a run of DP-AMBSSGD was given, in the arm as published or in ours."""
    settings = evidence.settings_of(artefact)
    kappa = float(settings["kappa"] if math.isnan(row["kappa"]) else row["kappa"])
    N, d, T = (int(row[name]) for name in ("N", "d", "T"))
    sigma, eps, delta = (float(row[name]) for name in ("sigma", "eps", "delta"))
    choice = _choice(tuple(sorted(settings.items())), N, d, sigma, eps, delta, kappa, T)
    return choice.published() if printed else choice


@functools.cache
def _choice(
    settings: tuple[tuple[str, Any], ...], N: int, d: int, sigma: float, eps: float, delta: float, kappa: float, T: int
) -> Choice:  # fmt: skip
    """The main arm's choices. Kept, because the exact noise multiplier takes tens of milliseconds."""
    given = dict(settings)
    spec = {"settings": given, "cell": {"delta": delta}}
    return Choice.ours(spec, Design.of(d, kappa, given["w_norm"]), N, sigma, eps, T)


def _where(
    evidence: Evidence, artefact: str, table: pd.DataFrame, printed: bool, met: Callable[[Choice], bool]
) -> pd.DataFrame:  # fmt: skip
    """Rows whose choices meet a condition; rows that lack what a choice needs are left out."""
    known = table.dropna(subset=NEEDED).reset_index(drop=True)
    kept = [met(choice_at(evidence, artefact, row, printed)) for row in each(known)]
    return known[np.array(kept, dtype=bool)].reset_index(drop=True)


def records_of_theorem_3_2(table: pd.DataFrame) -> Array:
    """The N that Theorem 3.2 asks for at kappa = 1 with constant 1, `d log^2 d log(1/delta) / eps`, shape (rows,)."""
    d = floats(table, "d")
    return np.asarray(d * np.log(d) ** 2 * np.log(1.0 / floats(table, "delta")) / floats(table, "eps"))
