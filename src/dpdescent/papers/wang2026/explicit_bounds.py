"""The bounds that have all their constants, beside runs, and Lemma C.5 (wang2026 App. C.1, D.2)."""

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace

import pandas as pd
from scipy.stats import chi2

from dpdescent.models.spline import CubicSplines
from dpdescent.papers.wang2026 import explicit, rates, training
from dpdescent.papers.wang2026.arms import Arm
from dpdescent.papers.wang2026.criteria import EQUAL, claim_on_all_cells, place_text, rows, setting
from dpdescent.papers.wang2026.explicit import Setting, Terms
from dpdescent.papers.wang2026.network import Constants, largest_step, smoothness
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
    """Yields the claims on Lemma C.5, by exact tails at the sizes of runs, and on the constants of Lemmas C.3 and D.11."""
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
    yield _lemma_c_3()
    yield _lemma_d_11()


# Places at which constants are compared: sizes of batches, correlations, noise, shares of the largest step, sizes of the
# noise over that at which Young's inequality is an equality, and the failure probability.
OF_BATCHES, CORRELATIONS, NOISE_SIZES = (10, 100), (0.1, 0.5, 0.99), (0.0, 0.1, 10.0)
SHARES_OF_STEP, YOUNG, FAILS = (0.01, 0.5, 1.0), (0.0, 0.5, 1.0, 2.0), 0.01


def _lemma_c_3() -> Claim:
    off: dict[str, Estimate] = {}
    base = Setting(
        n=100, B=10, T=1000, parameters=500, eta=0.01, lam=0.5, c_priv=0.1, gradient_bound=2.0, hessian_bound=0.1, beta=1.1,
        delta_Z=0.01, delta_D=0.01, delta_pot=0.01,
    )  # fmt: skip
    target = explicit.Comparator(loss=0.05, distance=3.0)
    for batch, lam, noise in itertools.product(OF_BATCHES, CORRELATIONS, NOISE_SIZES):
        own = replace(base, B=batch, lam=lam, c_priv=noise)
        left = explicit.self_consistency(own, target, explicit.shifted_radius(own, target))
        ratio = explicit.correlated_bound(own, target).total * own.eta * own.T / 3.0 / left
        off[f"display, B = {batch}, lambda = {lam:g}, c_priv = {noise:g}"] = exactly(round(abs(ratio - 1.0), 9))
    for share, lam in itertools.product(SHARES_OF_STEP, CORRELATIONS):
        own = replace(base, lam=lam, eta=share * largest_step(base.beta), c_priv=1.0)
        off[f"step, eta = {share:g}/(12 beta), lambda = {lam:g}"] = exactly(
            round(max(_excess(own, size) for size in YOUNG), 9) + 0.0
        )
    # Any other constant in the display or in (10), a step of a tenth more, or 6 beta in place of 12 beta, is refused.
    return claim_on_all_cells(
        id="lemma-c.3-constants", artefact=RUNS, location="Lemma C.3, eq. (10), eq. (11)", kind="theorem", source="identity",
        statement="(algebra) the constants 8, 3, 3, 6 and 3 are those of (10) times 3/(eta T), and at steps up to 1/(12 beta) those of (10) bound a step whatever the gradient and the noise",
        quantity="bound over 3/(eta T) times the left side of (10), less 1, over batches, lambda and c_priv; and left less right side of a step over eta L at the least favourable gradient, |g|^2 = 4 beta L against the noise, over noise, eta and lambda: the largest",
        cells=off, criterion=at_most(EQUAL), changed="The claim was added after a review: the constants stood in code and were compared with runs of one record.",
    )  # fmt: skip


def _excess(own: Setting, size: float) -> float:
    """What a step's terms in L and Z are above -(eta/3) L and (10)'s noise term, over eta L, with L = 1.

    The gradient has the largest norm that the loss allows and points against the noise, which is so many times as large as
    it is where Young's inequality is an equality.
    """
    gradient = math.sqrt(4.0 * own.beta)
    weight = own.noise_weight - (1.0 - own.lam) ** 2
    noise = size * gradient / (12.0 * own.beta * own.lam * own.eta * own.c_priv)
    left = (
        -4.0 / 3.0 * own.eta
        + 2.0 * own.eta**2 * gradient**2
        + 2.0 * own.lam * own.eta**2 * own.c_priv * gradient * noise
    )
    return (left + own.eta / 3.0 - weight * (own.eta * own.c_priv * noise) ** 2) / own.eta


def _lemma_d_11() -> Claim:
    off: dict[str, Estimate] = {}
    for share, size in itertools.product(SHARES_OF_STEP, YOUNG):
        # With L = 1: batch and noise point along the gradient, which has the largest norm that the loss allows, either
        # as long as so many halves of it.
        eta, squared = share * largest_step(1.0), 4.0
        taken, spread = (1.0 + size) ** 2 * squared, 2.0 * (0.5 * size) ** 2 * squared
        place = f"step, eta = {share:g}/(12 beta), batch and noise {0.5 * size:g} times the gradient"
        off[place] = exactly(round(1.5 * eta * taken - 1.0 - 6.0 * eta * spread, 9) + 0.0)
    for p, m in itertools.product((4, 43), (1e4, 1e12)):
        # nu (2 R_*)^2 at the largest R_* that (21) allows, with C_{sigma,b} = 1.
        root = math.sqrt(math.log(m / FAILS)) + math.sqrt(p)
        squared = math.sqrt(m / (64.0 * p**3 * root**2))
        off[f"width, p = {p}, m = {m:g}"] = exactly(round(abs(4.0 * squared * p**1.5 * root / math.sqrt(m) - 0.5), 9))
    # A step of a tenth more, and a width with less than 64, are refused.
    return claim_on_all_cells(
        id="lemma-d.11-constants", artefact=RUNS, location="Lemma D.11, eq. (21), eq. (22)", kind="theorem", source="identity",
        statement="(algebra) at steps up to 1/(12 beta) and under (21), with its 64, the constants 4, 3/(2 eta), 6 eta and 3 bound a step whatever gradient, batch and noise",
        quantity="what eq. (22) with Lemma C.2 leaves of the loss and the squares above the displayed ones, over L, at the least favourable gradient, |g|^2 = 4 beta L along batch and noise; and nu (2 R_*)^2 off 1/2 at (21): the largest",
        cells=off, criterion=at_most(EQUAL), changed="The claim was added after a review: steps of runs are far below the largest.",
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
