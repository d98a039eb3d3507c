"""Remark 4.2 of wang2026: the correlation of the least bound beside that of the least measured risk; all open."""

from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from dpdescent.papers.wang2026.bounds.cases import KINDS, place, setting_at, splines_of
from dpdescent.papers.wang2026.bounds.orders import run_of
from dpdescent.papers.wang2026.reading import POPULATION, rows
from dpdescent.papers.wang2026.theory import rates
from dpdescent.replication.judging.bound_rows import order
from dpdescent.replication.judging.evidence import Bound, Evidence, joined

FIXED, CALIBRATED, TRADEOFF = "fixed_kappa", "kan_lambda", "lambda_tradeoff"
MEASURED = "measured is the lambda of the least mean population risk on the grid"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of every panel with a fixed multiplier, and of every accountant and budget."""
    table = rows(evidence, FIXED, series=POPULATION)
    table = table.dropna(subset=["n", "T", "B", "m", "d", "lam", "eta", "kappa", "mean"])
    for _, panel in table.groupby("panel"):
        yield from _fixed(evidence, panel)
    yield from _calibrated(evidence)


def _fixed(evidence: Evidence, panel: pd.DataFrame) -> Iterator[Bound]:
    """Rows of the best correlation at a fixed multiplier."""
    best = panel.loc[panel["mean"].idxmin()]
    text, measured = place(FIXED, best, "panel", "eta", "kappa", "C_clip"), float(best["lam"])
    eta = float(best["eta"])
    yield order("lambda, quadratic term", "Remark 4.2", text, rates.best_correlation(eta), measured, MEASURED)
    run = replace(run_of(evidence, FIXED, best), lam=0.0)
    if run.kappa > 0.0:
        yield order("lambda, A_corr", "Remark 4.2, Thm 4.1", text, rates.best_correlation_of(run), measured, MEASURED)
    for kind, constants in KINDS.items():
        setting = setting_at(evidence, FIXED, best, constants(splines_of(evidence, FIXED)))
        why = joined(f"{kind} constants, beta={setting.beta:.4g}", MEASURED)
        value = rates.best_correlation(12.0 * setting.beta * eta)
        yield order(f"lambda, noise term of (C.11), {kind}", "Lemma C.3", text, value, measured, why)


def _calibrated(evidence: Evidence) -> Iterator[Bound]:
    """Rows of A_corr's best correlation by accountant, at its own step, beside that of tuned runs."""
    bounds = rows(evidence, TRADEOFF, term="total")
    runs = rows(evidence, CALIBRATED, panel="T = 100", series=POPULATION)
    for (accountant, eps), part in bounds.groupby(["accountant", "eps"]):
        tried = runs[(runs["accountant"] == accountant) & (runs["eps"] == eps)]
        best = part.loc[part["mean"].idxmin()]
        measured = None if tried.empty else float(tried.loc[tried["mean"].idxmin(), "lam"])
        why = MEASURED if measured is not None else ""
        text = place(TRADEOFF, best, "accountant", "eps")
        value = float(best["lam"])
        yield order("lambda, A_corr with calibrated noise", "Thm 4.1, Sec. 5.1", text, value, measured, why)
