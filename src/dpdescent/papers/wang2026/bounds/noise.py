"""The noise: Lemma C.5's bounds beside exact laws, and how cumulative noise grows (wang2026 eq. 24, Fig. 1)."""

from collections.abc import Iterator

import pandas as pd
from scipy.stats import chi2

from dpdescent.papers.wang2026.bounds.cases import KINDS, first, place, setting_at, splines_of, thinned
from dpdescent.papers.wang2026.experiments import fig01
from dpdescent.papers.wang2026.reading import rows
from dpdescent.papers.wang2026.theory import explicit
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import exact, same
from dpdescent.replication.judging.evidence import Bound, Evidence

RUNS, FIGURE = "bound_vs_run", "fig01"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of every size of run with an explicit bound, and of the figure's right half."""
    table = rows(evidence, RUNS).dropna(subset=["n", "T", "B", "m", "d", "lam", "kappa", "eta"])
    for found in each(table.drop_duplicates(["T", "m", "d"])):
        yield from _normals(evidence, found)
    yield from _growth(evidence)


def _normals(evidence: Evidence, found: pd.Series) -> Iterator[Bound]:
    setting = setting_at(evidence, RUNS, found, KINDS["sharp"](splines_of(evidence, RUNS)))
    D, T, text = float(setting.parameters), setting.T, place(RUNS, found, "T", "m", "d")
    why = f"D={D:g}; the lemma spends half of delta_Z on it; measured is the sum of exact chi-squared tails"
    measured = T * float(chi2.sf(explicit.largest_noise(setting) ** 2, D))
    yield exact("P(max |Z_t| > z)", "Lemma C.5", text, 0.5 * setting.delta_Z, measured, why)
    if T > 1:
        why = f"D={D:g}; the lemma spends half of delta_Z on it; measured is the exact chi-squared tail"
        measured = float(chi2.sf(explicit.noise_sum(setting), (T - 1) * D))
        yield exact("P(sum |Z_t|^2 > V_Z)", "Lemma C.5", text, 0.5 * setting.delta_Z, measured, why)


def _growth(evidence: Evidence) -> Iterator[Bound]:
    table = thinned(rows(evidence, FIGURE, panel=fig01.NOISE), "t")
    formulas = table[table["series"] == fig01.FORMULA]
    for found in each(table[table["series"] == fig01.SIMULATED]):
        known = first(formulas, lam=found["lam"], t=found["t"], noise=found["noise"])
        if known is not None:
            text = place(f"{FIGURE}, {found['noise']}", found, "lam", "t")
            why = "kappa sqrt(1 + (1 - lam)^2 (t - 1)); measured is |sum of noise| / sqrt(dimension)"
            yield same("cumulative noise", "(24), Fig. 1", text, float(known["mean"]), found, why)
