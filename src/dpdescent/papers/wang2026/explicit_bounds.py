"""The bounds that have all their constants, beside runs, and Lemma C.5 (wang2026 App. C.1, D.2)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace

import pandas as pd
from scipy.stats import chi2

from dpdescent.models.spline import CubicSplines
from dpdescent.papers.wang2026 import explicit, rates, training
from dpdescent.papers.wang2026.arms import Arm
from dpdescent.papers.wang2026.criteria import claim_on_all_cells, place_text, rows, setting
from dpdescent.papers.wang2026.explicit import Setting, Terms
from dpdescent.papers.wang2026.network import Constants, smoothness
from dpdescent.papers.wang2026.setting import EMPIRICAL, Row, Size, Spec
from dpdescent.papers.wang2026.training import FixedNoise, Seed
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import rows_of
from dpdescent.replication.judging.bound_rows import exact_row
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly
from dpdescent.sums import added

RUNS = "bound_vs_run"
BOUND, MEASURED, TOTAL, ONES = "bound", "measured", "total", "constants 1"
# Names of the bound's terms in the table, in the order of Lemma C.11.
TERMS = {"comparator": "8L*", "start": "init", "potential": "M", "batches": "V_D", "noise": "V_Z"}


def _by_term(name: str, kind: str, terms: Terms) -> Iterator[Row]:
    own = {"constants": kind, "bound": name}
    for field in fields(terms):
        yield {**own, "term": TERMS[field.name], "value": getattr(terms, field.name)}
    yield {**own, "term": TOTAL, "value": terms.total}


@dataclass(frozen=True, kw_only=True)
class Bounded(FixedNoise):
    """Runs beside bounds, by kinds of constants, and at more numbers of iterations than the runs' own."""

    constants: tuple[str, ...]
    T_of_bound: tuple[int, ...]

    def projected(self, C_clip: float) -> list[Arm]:
        """Returns a run of every noise, projected to the theorem's radius, which uses no record."""
        return self.arms(C_clip, training.theorem_radius(self, self.size.n, self.size.T))


def run_bound_vs_run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one step size for every noise and seed; the threshold is the seed's own G_sharp."""
    runs = Bounded.of(spec)
    for trial in runs.trials:
        seed = Seed(runs, trial, runs.n)
        arms = runs.projected(seed.sharp.gradient)
        risks = seed.run(arms).empirical_average[0]
        for arm, risk in zip(arms, risks, strict=True):
            base = {"panel": runs.panel, "eta": arm.eta, "C_clip": arm.C_clip, "gamma": seed.margin.value}
            own = {**base, **training.columns(runs, arm.noise), "trial": trial}
            yield {**own, "term": MEASURED, "series": EMPIRICAL, "value": float(risk)}
            # The bound is computed at more numbers of iterations than are run, because it costs nothing.
            for T in sorted({runs.size.T, *runs.T_of_bound}):
                for row in _bounds(runs, seed, replace(runs.size, T=T), arm):
                    yield {**own, "T": T, "series": BOUND, **row}


def _bounds(runs: Bounded, seed: Seed, size: Size, arm: Arm) -> Iterator[Row]:
    """Yields the explicit bounds by their constants, and the theorem's rate with constants 1 and no logarithms."""
    noise = arm.noise
    for kind in runs.constants:
        of_kind = seed.setting(size, arm, seed.bounds(kind))
        yield from _by_term("C.11", kind, explicit.correlated_bound(of_kind, seed.trained.seen))
        if noise.lam == 0.0:
            radius = training.theorem_radius(runs, size.n, size.T)
            yield from _by_term("D.13", kind, explicit.independent_bound(of_kind, seed.trained.seen, radius))
    run = rates.Run(
        n=size.n, B=size.B, T=size.T, m=runs.m, d=runs.d, gamma=seed.margin.value, eta=arm.eta, lam=noise.lam,
        kappa=noise.kappa, delta=runs.delta_conf,
    )  # fmt: skip
    if noise.kappa == 0.0:
        name, rate = "A_non", rates.without_noise(run)
    else:
        name, rate = ("A_corr", rates.correlated(run)) if noise.lam > 0.0 else ("A_van", rates.independent(run))
    yield {"constants": ONES, "bound": name, "term": TOTAL, "value": rate.total}


def releases_bound_vs_run(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of one step size, with the first seed's threshold."""
    return training.entries_at_sharp_thresholds(Bounded.of(spec))


# The paper's constants, and sharp ones that use the local supports of splines.
KINDS = {"paper": Constants.paper, "sharp": Constants.sharp}


def splines_of(evidence: Evidence, artefact: str) -> CubicSplines:
    """The basis of an artefact."""
    return CubicSplines(int(evidence.settings_of(artefact)["spline_cells"]))


def failure(evidence: Evidence, artefact: str) -> float:
    """The failure probability of one of five events, a fifth of delta_conf (wang2026 Theorem C.13)."""
    return float(evidence.settings_of(artefact)["delta_conf"]) / 5.0


def setting_at(
    evidence: Evidence, artefact: str, row: pd.Series, constants: Constants, gradient_bound: float | None = None
) -> Setting:
    """The setting of a row's explicit bounds: its run, and bounds on the network's derivatives.

    Args:
        evidence: settings.
        artefact: the one that the row is from.
        row: has n, B, T, m, d, eta, lam, kappa; C_clip, where there is noise.
        constants: bounds G and nu, either of which fails with a fifth of delta_conf.
        gradient_bound: a smaller G, of the second layers that were drawn.
    """
    m, delta = float(row["m"]), failure(evidence, artefact)
    G = constants.gradient_bound(int(m), delta) if gradient_bound is None else gradient_bound
    nu = constants.hessian_bound(int(m), delta)
    noisy = row["kappa"] > 0.0
    return Setting(
        n=int(row["n"]), B=int(row["B"]), T=int(row["T"]), parameters=int(m * row["d"] * constants.p),
        eta=float(row["eta"]), lam=float(row["lam"]),
        c_priv=float(row["C_clip"] * row["kappa"] / row["B"]) if noisy else 0.0,
        gradient_bound=G, hessian_bound=nu, beta=smoothness(G, nu), delta_Z=delta, delta_D=delta, delta_pot=delta,
    )  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claim on Lemma C.5, by exact tails of chi and chi-square laws, at the sizes of runs."""
    delta = setting(evidence, "delta_conf") / 5.0
    table = rows(evidence, RUNS, series=BOUND, bound="C.11", term=TOTAL).drop_duplicates(["T", "m", "d"])
    sizes = table[["T", "m", "d"]].dropna()
    sizes = sizes[(sizes > 0).all(axis=1)]
    cells: dict[str, Estimate] = {}
    if delta > 0:
        p = CubicSplines(int(setting(evidence, "spline_cells"))).count
        for row in algebra.rows_of(sizes):
            T, count = int(row["T"]), int(row["m"] * row["d"] * p)
            chances = explicit.noise_exceeds(T, count, delta)
            cells[f"T = {T:g}, mdp = {count:g}"] = exactly(added(chances.values()) / delta)
    yield claim_on_all_cells(
        id="lemma-c.5", artefact=RUNS, location="Lemmas C.4, C.5", kind="theorem", source="paper",
        statement="the largest |Z_t| and the sum of |Z_t|^2 stay within their bounds with probability 1 - delta",
        quantity="sum of the exact probabilities that either exceeds its bound, over delta: the largest over T and sizes of the network",
        cells=cells, criterion=at_most(1.0),
    )  # fmt: skip


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of Lemma C.5 beside exact laws, for every size of run with an explicit bound."""
    table = rows(evidence, RUNS).dropna(subset=["n", "T", "B", "m", "d", "lam", "kappa", "eta"])
    for row in rows_of(table.drop_duplicates(["T", "m", "d"])):
        run = setting_at(evidence, RUNS, row, KINDS["sharp"](splines_of(evidence, RUNS)))
        D, T, text = float(run.parameters), run.T, place_text(RUNS, row, "T", "m", "d")
        why = f"D={D:g}; the lemma spends half of delta_Z on it; measured is the sum of exact chi-squared tails"
        measured = T * float(chi2.sf(explicit.largest_noise(run) ** 2, D))
        yield exact_row("P(max |Z_t| > z)", "Lemma C.5", text, 0.5 * run.delta_Z, measured, why)
        if T > 1:
            why = f"D={D:g}; the lemma spends half of delta_Z on it; measured is the exact chi-squared tail"
            measured = float(chi2.sf(explicit.noise_sum(run), (T - 1) * D))
            yield exact_row("P(sum |Z_t|^2 > V_Z)", "Lemma C.5", text, 0.5 * run.delta_Z, measured, why)
