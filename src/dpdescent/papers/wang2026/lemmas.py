"""The lemmas of wang2026's proofs one by one: ratios of quantities to their bounds, where the conditions hold."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from scipy.stats import binom

from dpdescent.checks import as_list
from dpdescent.models.kan import logistic_slope
from dpdescent.papers.wang2026 import lemma_runs, network, stability, training
from dpdescent.papers.wang2026.attained import COUNTEREXAMPLE, PAIR_DELTA
from dpdescent.papers.wang2026.criteria import (
    AGREES,
    ALGEBRA,
    EQUAL,
    FAILURE,
    INDEPENDENT,
    LOGARITHMS,
    PUBLISHED,
    RATE,
    best,
    claim,
    claim_on_all_cells,
    range_of,
    regime,
    rows,
    seeds,
    times,
)
from dpdescent.papers.wang2026.multipliers import TABLE, multipliers
from dpdescent.papers.wang2026.network import Constants
from dpdescent.papers.wang2026.rates import Run, least_width
from dpdescent.papers.wang2026.setting import BY_SEED, G_DELTA, GRADIENT, HESSIAN, Analysed, Array, Row, Spec
from dpdescent.papers.wang2026.starts import ALONG, START
from dpdescent.papers.wang2026.training import Clipped, Seed
from dpdescent.privacy.events import Mechanism
from dpdescent.privacy.participation import closed_forms, gaussian, pairs
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import ABOVE_0, BELOW_0, at_least, at_most, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.records import Regime
from dpdescent.replication.judging.statistics import Estimate, exactly, proportion, quotient

# Columns that not every panel has.
BLANK: Row = dict.fromkeys(
    (
        "T", "B", "r", "p", "lam", "accountant", "relation", "sampler", "precondition", "C_clip", "eta", "kappa",
        "constants", "place", "factor", "admitted", "clipped", "checks", "growth", "condition", "distance", "gamma",
        "seed",
    ),
    np.nan,
)  # fmt: skip
NEGATIVE, SELF_BOUND = "Lemma B.7, negative curvature over nu L", "Lemma B.7, |grad|^2 over 4 beta L"
GRAM, TWICE, SINGULAR = "margin over sqrt(lambda_min/n)", "margin, a record twice", "lambda_min, a record twice"


@dataclass(frozen=True, kw_only=True)
class Starts(Analysed):
    """Random starts with n records."""

    n: int


@dataclass(frozen=True, kw_only=True)
class Directed(Starts):
    """Steps along the margin's direction, in units of Lemma C.12's for T iterations."""

    T: int
    factor: tuple[float, ...]


def run_ext_proof(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel.

    Raises:
        ValueError: if there is no such panel.
    """
    panels = {
        "starts": _starts, "kernel": _kernel, "direction": _direction, "curvature": _curvature,
        "events": lemma_runs.rows_of_events, "steps": lemma_runs.rows_of_steps,
        "neighbours": stability.rows_of_neighbours, "explicit": lemma_runs.rows_of_explicit,
    }  # fmt: skip
    kind = spec["panel"].split(",")[0]
    if kind not in panels:
        raise ValueError(f"panel={spec['panel']!r} begins with none of {list(panels)}")
    for row in panels[kind](spec):
        yield {**BLANK, **row}


def releases_ext_proof(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of a panel's runs, which are diagnostics with fixed noise multipliers."""
    kind = spec["panel"].split(",")[0]
    if kind not in ("events", "steps", "neighbours", "explicit"):
        return ()
    runs = Clipped.of(spec)
    # All starts of the panel of explicit bounds have one entry.
    own = "" if kind == "explicit" else f" m={runs.m} d={runs.d} n={runs.n}"
    return training.entries(runs, runs.arms(runs.C_clip), own)


def _starts(spec: Spec) -> Iterator[Row]:
    """Yields the largest gradient at random starts and its bound, by dimension and number of basis functions."""
    for d in as_list(spec["cell"]["d"]):
        for cells in as_list(spec["cell"]["spline_cells"]):
            part = Starts.of({**spec, "cell": spec["cell"] | {"d": d, "spline_cells": cells}})
            for trial in part.trials:
                seed = Seed(part, trial, part.n)
                kan, H = part.kan, seed.problem.features[0]
                base = {
                    "panel": part.panel, "n": seed.n, "m": kan.width, "d": kan.inputs, "p": kan.splines.count,
                    "trial": trial,
                }  # fmt: skip
                largest = float(np.sqrt((np.vecdot(seed.factors, seed.factors) * np.vecdot(H, H)).max()))
                yield {**base, "series": GRADIENT, "value": largest}
                bound = Constants.paper(kan.splines).gradient_bound(kan.width, part.delta_conf)
                yield {**base, "series": G_DELTA, "value": bound}


def _kernel(spec: Spec) -> Iterator[Row]:
    """Yields the margin and the least eigenvalue of the tangent kernel, also with a record that comes twice."""
    part = Starts.of(spec)
    for trial in part.trials:
        seed = Seed(part, trial, part.n)
        H, S, y = seed.problem.features[0], seed.factors, seed.problem.labels[0]
        repeated = np.append(np.arange(seed.n), 0)
        values = {
            GRAM: seed.margin.value / (_least_of_kernel(H, S) / seed.n) ** 0.5,
            TWICE: network.margin(H[repeated], S[repeated], y[repeated]).value,
            SINGULAR: _least_of_kernel(H[repeated], S[repeated]) / float(np.trace(network.kernel(H, S))),
        }  # fmt: skip
        base = {"panel": part.panel, "n": seed.n, "m": part.m, "d": part.d, "trial": trial}
        for series, number in values.items():
            yield {**base, "series": series, "value": number}


def _direction(spec: Spec) -> Iterator[Row]:
    """Yields the risk at steps along the margin's direction, in units of Lemma C.12's distance with constant 1."""
    part = Directed.of(spec)
    for trial in part.trials:
        seed = Seed(part, trial, part.n)
        unit = network.radius(seed.margin.value, seed.n, part.T, part.delta_conf)
        for factor in part.factor:
            yield {
                "panel": part.panel, "n": seed.n, "T": part.T, "m": part.m, "d": part.d, "factor": factor,
                "distance": factor * unit, "gamma": seed.margin.value, "trial": trial, "series": ALONG,
                "value": seed.along_margin(factor * unit).loss,
            }  # fmt: skip


def _curvature(spec: Spec) -> Iterator[Row]:
    """Yields the least eigenvalue of the risk's Hessian, and its squared gradient, at the start and after training."""
    part = Starts.of(spec)
    for trial in part.trials:
        seed = Seed(part, trial, part.n)
        start, end = seed.problem.start[0], seed.trained.weights
        for place, share in (("start", 0.0), ("half way", 0.5), ("end", 1.0)):
            W = start + share * (end - start)
            losses, gradients = seed.loss_and_gradient(W[None])
            loss, squared = float(losses[0]), float(np.sum(gradients[0] ** 2))
            least = least_eigenvalue(hessian(seed, W))
            for constants in (training.OF_PAPER, training.SHARP):
                bounds = seed.bounds(constants)
                base = {
                    "panel": part.panel, "n": seed.n, "m": part.m, "d": part.d, "constants": constants,
                    "place": place, "trial": trial,
                }  # fmt: skip
                yield {**base, "series": NEGATIVE, "value": -least / (bounds.hessian * loss)}
                yield {**base, "series": SELF_BOUND, "value": squared / (4.0 * bounds.beta * loss)}


def _least_of_kernel(features: Array, factors: Array) -> float:
    return float(np.linalg.eigvalsh(network.kernel(features, factors))[0])


def least_eigenvalue(symmetric: Array) -> float:
    """Returns the least eigenvalue, 0 if within rounding of 0, because its digits then depend on the processor."""
    eigenvalues = np.linalg.eigvalsh(symmetric)
    rounding = len(eigenvalues) * np.finfo(np.float64).eps * np.abs(eigenvalues).max()
    return float(eigenvalues[0]) if abs(eigenvalues[0]) > rounding else 0.0


def hessian(seed: Seed, W: Array) -> Array:
    """Returns the Hessian of L_S at W of shape (m, d p), as one matrix of order m d p."""
    p = seed.problem
    H, y, width = p.features[0], p.labels[0], p.kan.width
    f, S = (values[0] for values in p.kan.outputs_and_factors(W[None], p.features, p.heads))
    bend = p.kan.curvature(W[None], p.features, p.heads)[0] / (p.kan.inputs * width**0.5)
    slope = logistic_slope(y * f)
    gradients = (S[:, :, None] * H[:, None, :]).reshape(len(y), -1)
    whole = (gradients * (-slope * (1.0 + slope) / len(y))[:, None]).T @ gradients
    size = H.shape[1]
    for unit in range(width):
        block = (H * (slope * y * bend[:, unit] / len(y))[:, None]).T @ H
        whole[unit * size : (unit + 1) * size, unit * size : (unit + 1) * size] += block
    return np.asarray(whole)


PROOF = "ext_proof"
# Failure probability of every event in the table.
EVENT = 0.05
EVENTS = (
    ("lemma-c.6", "Lemma C.6", "the summed squared fluctuations of batches stay within 2 T G^2/B + 8 G^2 log(1/delta)"),
    ("lemma-c.7", "Lemma C.7", "the linear martingale of the batches stays within 4 sqrt(2) eta G Rbar sqrt(T log(2/delta)/B)"),
    ("lemma-c.8", "Lemma C.8", "the linear martingale of the noise stays within 4 (1 - lambda) eta c_priv Rbar sqrt(T log(2/delta))"),
    ("lemma-c.9", "Lemma C.9", "the mixed martingale stays within 4 (1 - lambda) eta^2 c_priv G sqrt(V_Z log(2/delta)/B)"),
    ("lemma-c.10", "Lemma C.10", "the fluctuation of the potential stays within M_pot"),
    ("lemma-c.17", "Lemma C.17", "outputs along the runs stay within F"),
    ("lemma-c.19", "Lemma C.19", "the summed losses of the batches exceed the summed risks by at most U (sqrt(2 T log(1/delta)/B) + 2/3 log(1/delta))"),
)  # fmt: skip
# No width here meets Lemma C.16's condition on all of the ball, on which its successors rest.
SEGMENT = "(ours) with the condition on the width met on the segment between the runs, and not on the whole ball: "
# Id, series, location, source of the statement, words.
BOUNDED: tuple[tuple[str, str, str, Source, str], ...] = (
    ("lemma-b.7-curvature", NEGATIVE, "Lemma B.7", "paper", "the smallest eigenvalue of the loss's Hessian is at least -nu times the loss"),
    ("lemma-b.7-self-bound", SELF_BOUND, "Lemma B.7", "paper", "the empirical risk is self-bounding: |grad L_S|^2 <= 4 beta L_S"),
    ("lemma-c.16", stability.ONE_STEP, "Lemma C.16", "ours", SEGMENT + "the distance of two coupled runs grows in a step by the factor 1 + M_t and by R_t at most"),
    ("lemma-c.20", stability.ALLOWED, "Lemmas C.19, C.20", "ours", SEGMENT + "the summed M_t stay below what the risks of the runs and Lemma C.19 give"),
    ("lemma-c.21", stability.REPLACED, "Lemma C.21", "ours", SEGMENT + "the distance of two coupled runs is at most e times the summed R_t"),
    ("theorem-c.22", stability.AVERAGE, "Theorem C.22, Theorem D.15", "ours", SEGMENT + "runs that differ in a record stay within (2 e eta b/n) sum_t L_S(W_t) on average"),
)  # fmt: skip
EARLIER = "Before a review longer runs of narrower networks were looked at, outside of the lemmas' conditions."
LARGER_STEPS = "Before a review runs of larger steps counted, a quarter of which had sum M_t above 1, and it was not said on which segment curvature is bounded; then it counted as the paper's, whose condition is on the whole ball."
# Claims on coupled runs, and whether they rest on Lemma C.20's condition too.
COUPLED = {
    "lemma-c.16": False,
    "lemma-c.20": False,
    "lemma-c.21": True,
    "theorem-c.22": True,
    "theorem-c.22-records": True,
}


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on starts, curvature and neighbours, on steps and events along runs, and on explicit bounds."""
    yield from _gradients(evidence)
    yield from _margins(evidence)
    yield from _bounded(evidence)
    yield from _steps(evidence)
    yield from _events(evidence)
    yield from _explicit(evidence)
    yield _along_margin(evidence)
    yield from _closed_forms(evidence)


def _proof_rows(evidence: Evidence, series: str) -> pd.DataFrame:
    return rows(evidence, PROOF, series=series)


def _gradients(evidence: Evidence) -> Iterator[Claim]:
    table = rows(evidence, PROOF, panel="starts, dimension", series=GRADIENT)
    yield claim(
        id="lemma-b.6-dimension", artefact=PROOF, location="Lemma B.6", kind="theorem", source="paper",
        statement="the bound on the network's gradient does not grow with the input dimension",
        quantity="log-log slope in d of the largest gradient at random starts", measured=algebra.exponent(table, "d"),
        criterion=at_most(RATE, ": consistent with an upper bound of power 0"), note=f"largest gradients {range_of(table['mean'])}",
    )  # fmt: skip
    table, bound = (rows(evidence, PROOF, panel="starts, basis", series=series) for series in (GRADIENT, G_DELTA))
    shares = {
        row["p"]: (float(row["mean"]), float(other["mean"])) for row, other in algebra.paired_rows(table, bound, ["p"])
    }
    factors = np.array([1.0 / shares[p][1] if p in shares and shares[p][1] > 0 else math.nan for p in table["p"]])
    # A gradient that grows faster than the bound by a tenth of a power of p is refused.
    yield claim(
        id="lemma-b.6-basis", artefact=PROOF, location="Lemma B.6", kind="theorem", source="paper",
        statement="the bound on the network's gradient grows as p^(3/2) in the number of basis functions, times bounds on these and their slopes",
        quantity="log-log slope in p of the largest gradient at random starts over G_delta of the same basis", measured=algebra.exponent(algebra.scaled_rows(table, factors), "p"),
        criterion=at_most(RATE, ": no faster than the bound"),
        changed="Before a review a slope in p of at most 1.6 was asked of the gradient itself, though the slopes of cubic splines on more knots, which are in the constant, grow with p too.",
        note=f"largest gradients {range_of(table['mean'])}, G_delta {range_of(bound['mean'])}",
    )  # fmt: skip
    table = rows(evidence, START, series=HESSIAN)
    yield claim(
        id="lemma-b.6-hessian-width", artefact=START, location="Lemma B.6", kind="theorem", source="paper",
        statement="the spectral norm of the network's Hessian falls as 1/sqrt(m), up to logarithms",
        quantity="log-log slope in m of the largest Hessian at random starts", measured=algebra.exponent(table, "m"),
        criterion=at_most(-0.5 + LOGARITHMS, ": consistent with an upper bound of power -0.5, up to logarithms"),
    )  # fmt: skip


def _margins(evidence: Evidence) -> Iterator[Claim]:
    ratio = _proof_rows(evidence, GRAM)
    yield claim_on_all_cells(
        id="margin-from-kernel", artefact=PROOF, location="Sec. 3.3", kind="text", source="identity",
        statement="(algebra) a positive definite tangent kernel implies the margin condition",
        quantity="margin over the root of the kernel's least eigenvalue over n: the smallest over starts' means",
        cells=algebra.means(ratio, ("n", "m")), criterion=at_least(1.0), changed=ALGEBRA,
    )  # fmt: skip
    margin, least = (_proof_rows(evidence, name) for name in (TWICE, SINGULAR))
    singular = all(abs(row["mean"]) <= EQUAL for row in algebra.rows_of(least))
    yield claim_on_all_cells(
        id="margin-without-kernel", artefact=PROOF, location="Sec. 3.3", kind="text", source="paper",
        statement="the margin condition does not imply a positive definite tangent kernel",
        quantity="margin of records of which one comes twice, so that the kernel is singular: the smallest",
        cells=algebra.means(margin, ("n", "m")) if singular else {}, criterion=ABOVE_0,
        note=f"least eigenvalue over the trace {range_of(least['mean'])}",
    )  # fmt: skip


def _bounded(evidence: Evidence) -> Iterator[Claim]:
    for name, series, place, source, words in BOUNDED:
        table = _proof_rows(evidence, series)
        coupled, apart = _regime_of_coupled_runs(evidence, name)
        # Each seed has a bound of its own, so that means are taken of ratios.
        yield claim_on_all_cells(
            id=name, artefact=PROOF, location=place, kind="theorem", source=source, statement=words,
            quantity=f"{series}: the largest over sizes, noise and constants",
            cells=algebra.means(table, ("n", "T", "m", "d", "kappa", "lam", "constants", "place")), criterion=at_most(1.0),
            regime=coupled if name in COUPLED else regime(table, upper=False), changed=LARGER_STEPS if name in COUPLED else "",
            note=f"sharp constants of each seed's second layer. {apart}" if name in COUPLED else "the paper's constants and sharp ones",
        )  # fmt: skip
    curvature = _proof_rows(evidence, NEGATIVE).dropna(subset=["constants"])
    yield claim(
        id="loss-not-convex", artefact=PROOF, location="Sec. 4.1", kind="text", source="paper",
        statement="the empirical loss is non-convex in the first-layer coefficients",
        quantity="minus the least eigenvalue of the risk's Hessian over nu times the risk, at starts, ends and half way: the largest over places, which is enough",
        measured=best(curvature), criterion=ABOVE_0, note="its interval allows for the choice among places",
    )  # fmt: skip
    arms = _proof_rows(evidence, stability.DISTANCE).drop_duplicates(["kappa", "lam"])
    slopes: Places = {}
    for row in algebra.rows_of(arms.dropna(subset=["kappa", "lam"])):
        distance = seeds(evidence, PROOF, stability.DISTANCE, "n", kappa=row["kappa"], lam=row["lam"])
        slopes[algebra.place_of(row, ("kappa", "lam"))] = distance.exponent(algebra.floats(distance.places, "n"))
    coupled, apart = _regime_of_coupled_runs(evidence, "theorem-c.22-records")
    yield claim_on_all_cells(
        id="theorem-c.22-records", artefact=PROOF, location="Theorem C.22", kind="theorem", source="ours",
        statement=f"{SEGMENT}the distance of runs that differ in a record falls as the stability bound does, as 1/n",
        quantity="log-log slope in n of the mean distance of runs that differ in one record, over the same seeds: the largest over kappa and lambda",
        cells=slopes, criterion=at_most(-1.0 + RATE, ": consistent with an upper bound of power -1"), regime=coupled,
        changed=f"{LARGER_STEPS} Then seeds were taken for independent.", note=apart,
    )  # fmt: skip


def _regime_of_coupled_runs(evidence: Evidence, name: str) -> tuple[Regime, str]:
    """The conditions of the lemmas on coupled runs, run by run, and a text on the one on curvature.

    Lemma C.16 asks for nu (2 R_*)^2 <= 1/2, on all of the ball, and uses it on the segment between the two runs.
    """
    apart, growth = (_proof_rows(evidence, series + BY_SEED) for series in (stability.APART, stability.GROWTH))
    unmet = list(regime(apart, upper=False).unmet)
    if above := int((apart["mean"] > lemma_runs.CONDITION).sum()):
        unmet.append(f"nu D^2 above 1/2 in {above} of {len(apart)} runs")
    if COUPLED.get(name) and (above := int((growth["mean"] > 1.0).sum())):
        unmet.append(f"sum M_t above 1 in {above} of {len(growth)} runs")
    if not len(apart):
        unmet.append("distances and sums of M_t are not run")
    text = f"nu D^2 on the segment between two runs, where the proof uses it, is {range_of(apart['mean'])}; on the whole ball, of which the lemma speaks, no width here meets it. sum M_t is {range_of(growth['mean'])} in {len(growth)} runs"
    return Regime(tuple(unmet)), text


def _steps(evidence: Evidence) -> Iterator[Claim]:
    for name, series, place, words in (
        ("lemma-c.2", lemma_runs.VIOLATED_C2, "Lemma C.2 (with B.4)", "2/3 L_S(W) <= <grad L_S(W), W - W*> + 4/3 L_S(W*) in the localized region"),
        ("lemma-d.11", lemma_runs.VIOLATED_D11, "Lemma D.11", "at lambda = 0 the loss of a step is at most 4 L_S(W*) + (3/(2 eta)) times the fall of the squared distance and the displayed fluctuations"),
    ):  # fmt: skip
        table = _proof_rows(evidence, series)
        yield claim_on_all_cells(
            id=name, artefact=PROOF, location=place, kind="theorem", source="paper", statement=words,
            quantity="share of iterates with nu D^2 <= 1/2 at which it fails, for four comparators: the largest over m, lambda and kappa",
            cells=algebra.means(table, ("m", "lam", "kappa")), criterion=at_most(0.0), changed=EARLIER if name == "lemma-c.2" else "",
            regime=regime(table, upper=False),
            note=f"checks a run {range_of(table['checks'])}, with noise and m of at least 256 one, at W* itself; nu by the second layer that was drawn",
        )  # fmt: skip
    slack = _proof_rows(evidence, lemma_runs.FAR)
    last = algebra.rows_at_end(slack, "factor")
    yield claim_on_all_cells(
        id="comparator-inequality-is-local", artefact=PROOF, location="Sec. 4.1", kind="text", source="paper",
        statement="the comparator inequality between first-order term and loss holds only near the initialization",
        quantity="<grad L_S(W), W - W*> + 4/3 L_S(W*) - 2/3 L_S(W) at the largest multiple of the start, W* the end of gradient descent: the largest over m",
        cells=algebra.means(last, ("m", "factor")), criterion=BELOW_0,
        note=f"distances {range_of(last['distance'])}; at the start itself it is {range_of(algebra.rows_at_end(slack, 'factor', largest=False)['mean'])}",
    )  # fmt: skip
    drift = _proof_rows(evidence, lemma_runs.DRIFT)
    yield claim_on_all_cells(
        id="drift-remains", artefact=PROOF, location="Sec. 4.1", kind="text", source="paper",
        statement="the drift term does not average out, as W_(t-1) already depends on Z_(t-1)",
        quantity="mean over steps of <Z_t, W_t - W*> over -eta c_priv m d p, its expectation: the furthest off",
        cells=algebra.means(drift, ("T", "lam")), criterion=within_of(1.0, AGREES), note="it would be 0 if the drift averaged out",
    )  # fmt: skip


def _events(evidence: Evidence) -> Iterator[Claim]:
    for name, lemma, words in EVENTS:
        share, size = _proof_rows(evidence, f"{lemma}, exceeded"), _proof_rows(evidence, f"{lemma}, over its bound")
        yield claim_on_all_cells(
            id=name, artefact=PROOF, location=lemma, kind="theorem", source="paper",
            statement=f"{words}, with probability 1 - delta",
            quantity=f"share of runs in which the bound is exceeded, delta = {EVENT:g}: the largest",
            cells=algebra.means(share, ("T", "B", "m", "kappa", "lam"), lambda row: proportion(row["mean"], row["trials"])), criterion=at_most(EVENT),
            regime=regime(share), note=f"on average {range_of(size['mean'])} of the bound, {range_of(size['q975'])} at the 97.5 % quantile, in {range_of(share['trials'])} runs",
        )  # fmt: skip


def _explicit(evidence: Evidence) -> Iterator[Claim]:
    bound = _proof_rows(evidence, lemma_runs.BOUND)
    local = tuple(
        f"nu (Rbar + eta c z)^2 = {row['condition']:.3g} above 1/2"
        for row in algebra.rows_of(bound)
        if row["condition"] > lemma_runs.CONDITION
    )
    vacuous = tuple(
        f"the bound, {row['mean']:.3g}, says nothing" for row in algebra.rows_of(bound) if row["mean"] >= math.log(2.0)
    )
    regime = Regime(local + vacuous)
    note = f"'with high probability' is not tried by so few runs; one record, m = {range_of(bound['m'])}, so that all conditions hold with their constants: nu (Rbar + eta c z)^2 {range_of(bound['condition'])}; the bound is {range_of(bound['mean'])}, below log 2"
    for name, series, place, words, limit in (
        ("lemma-c.11", lemma_runs.RISK, "Lemmas C.3, C.11", "the averaged empirical risk is at most the explicit bound with high probability", 1.0),
        ("localisation-radius", lemma_runs.SHIFT, "Lemma C.3, eq. (10)", "the shifted iterate never leaves the ball of radius Rbar, by (10), about the comparator", 1.0),
        ("lemma-c.3-projection", lemma_runs.PROJECTED, "Lemma C.3", "with R_* >= Rbar + |W* - W_0| + eta c z the projection is inactive", 0.0),
    ):  # fmt: skip
        table = _proof_rows(evidence, series)
        yield claim_on_all_cells(
            id=name, artefact=PROOF, location=place, kind="theorem", source="paper", statement=words,
            quantity=f"{series}, in {range_of(bound['trials'])} runs a kappa that meet all conditions, of one record and so with no batches, without noise or with kappa = {range_of(bound['kappa'][bound['kappa'] > 0])}: the largest over kappa", cells=algebra.means(table, ("kappa", "lam")), criterion=at_most(limit),
            regime=regime, changed=EARLIER, note=note,
        )  # fmt: skip
    yield _independent_bound(evidence)


def _independent_bound(evidence: Evidence) -> Claim:
    """The claim on Theorem D.13, by the rows of Lemma C.11 without noise, at which its bound is half of that lemma's.

    Without noise and with one record only the comparator's terms are left, 4 L_S(W*) + (3/2) |W_0 - W*|^2/(eta T), where
    the lemma has 8 and 3.
    """
    risk, apart = (
        rows(evidence, PROOF, series=series, kappa=0.0, n=1) for series in (lemma_runs.RISK, lemma_runs.SHIFT)
    )
    curvature = [float(row["condition"]) * float(row["q975"]) ** 2 for row in algebra.rows_of(apart) if row["q975"] > 0]
    unmet = tuple(f"nu D^2 = {value:.3g} above 1/2" for value in curvature if not value <= lemma_runs.CONDITION)
    halves = risk.assign(mean=2.0 * algebra.floats(risk, "mean"), se=2.0 * algebra.floats(risk, "se"))
    return claim_on_all_cells(
        id="theorem-d.13", artefact=PROOF, location="Theorem D.13", kind="theorem", source="ours",
        statement="(ours) with the condition on the width met on the way from the iterates to the comparator, and not on the whole ball: at lambda = 0 the averaged empirical risk is at most the explicit bound, here its terms without noise and batches",
        quantity=f"averaged empirical risk over 4 L_S(W*) + 3/2 |W_0 - W*|^2/(eta T), in {range_of(risk['trials'])} runs of one record, T = {range_of(risk['T'])}, at kappa = 0",
        cells=algebra.means(halves, ("m", "kappa")), criterion=at_most(1.0), regime=Regime(unmet), changed="Until a second list of objections it did not say that kappa is 0.",
        note=f"nu D^2 along the runs is at most {range_of(curvature)}; the theorem's terms of noise are those of Lemmas D.11 and D.12",
    )  # fmt: skip


def _along_margin(evidence: Evidence) -> Claim:
    table = _proof_rows(evidence, ALONG)
    table = table[algebra.floats(table, "factor") <= 1.0].reset_index(drop=True)
    wide = [_is_wide(row) for row in algebra.rows_of(table)]
    table = table[np.array(wide, dtype=bool)].reset_index(drop=True)
    return claim_on_all_cells(
        id="lemma-c.12", artefact=PROOF, location="Lemma C.12, Sec. 4.3 (step 6)", kind="theorem", source="paper",
        statement="some W* = W_0 + tau u along the margin's direction, tau of the order of (log T + sqrt(log(n/delta)))/gamma, has L_S(W*) <= 1/T",
        quantity="smallest mean loss over steps of up to that length, constant 1, times T: the largest over m",
        cells=algebra.measured_by(table, ["m"], _least_loss), criterion=at_most(1.0), changed=EARLIER,
        note=f"widths that the lemma's own condition admits, with its logarithms: {range_of(table['m'])}",
    )  # fmt: skip


def _is_wide(row: "pd.Series[float]") -> bool:
    """Whether a row's width is at least Lemma C.12's, m >= log(m/delta) (log^2 T + log(n/delta)) / gamma^4."""
    if not all(row[name] > 0 for name in ("n", "T", "m", "d", "gamma")):
        return False
    run = Run(row["n"], row["n"], row["T"], row["m"], row["d"], row["gamma"], 1.0, 0.0, 0.0, FAILURE)
    return float(row["m"]) >= least_width(run, logs=True)


def _least_loss(group: pd.DataFrame) -> Estimate:
    """T times the smallest mean loss, without allowing for the choice."""
    lowest = algebra.rows_at_end(group, "mean", largest=False)
    T = float(lowest["T"].iloc[0]) if len(lowest) else math.nan
    return next((times(estimate, T) for estimate in algebra.means(lowest, ("m",)).values()), exactly(math.nan))


def _closed_forms(evidence: Evidence) -> Iterator[Claim]:
    yield claim_on_all_cells(
        id="lemma-f.9", artefact=COUNTEREXAMPLE, location="Lemma F.9", kind="privacy", source="paper",
        statement="both hockey-stick divergences of the pair are at most S(E) times the worst one over E plus the probability of the complement of E",
        quantity="the larger exact divergence at lambda = 0 over the right side, E the patterns of at most k participations, at the k at which that side is least: the largest over T, r, kappa and eps",
        cells=_lemma_f_9_ratios(evidence), criterion=at_most(1.0 + EQUAL), changed=IN_CODE, note="Poisson samples, as the lemma has them",
    )  # fmt: skip
    asked = multipliers(evidence, INDEPENDENT).drop_duplicates(["T", "eps", "delta"])
    yield claim_on_all_cells(
        id="theorem-d.9-full-batch", artefact=TABLE, location="Theorem D.9", kind="privacy", source="paper",
        statement="for B = n the guarantee follows from the Gaussian mechanism without amplification",
        quantity="exact delta of T Gaussian steps of sensitivity 2 C_clip at D.9's kappa with B = n, over delta: the largest over T, eps and delta",
        cells={
            algebra.place_of(row, ("T", "eps", "delta")): exactly(float(gaussian.delta(2.0 * math.sqrt(row["T"]) / closed_forms.independent_multiplier(int(row["T"]), 1.0, row["eps"], row["delta"]), row["eps"])) / row["delta"])
            for row in algebra.rows_of(asked) if row["eps"] > 0 and 0 < row["delta"] < 1 and row["T"] >= 1
        },
        criterion=at_most(1.0 + EQUAL), changed=IN_CODE,
    )  # fmt: skip
    places = pd.concat([multipliers(evidence, name) for name in (PUBLISHED, INDEPENDENT)], ignore_index=True)
    places = places[algebra.floats(places, "T") > 1].drop_duplicates(["T", "r", "lam", "accountant"])
    yield claim_on_all_cells(
        id="algorithm-1-updates", artefact=TABLE, location="Algorithm 1", kind="privacy", source="identity",
        statement="(algebra) (ours) the loop makes T - 1 noisy updates where the theorems count T steps: what is calibrated for T covers T - 1",
        quantity="kappa of Theorems 5.1 (F.12) and 5.4 (D.9) for T - 1 steps over that for T: the largest over T, B/n and lambda",
        cells={algebra.place_of(row, ("T", "r", "lam", "accountant")): exactly(_ratio_without_last_step(row)) for row in algebra.rows_of(places)},
        criterion=at_most(1.0 + EQUAL), changed=f"{IN_CODE} {ALGEBRA}",
    )  # fmt: skip


IN_CODE = "Before a review its places stood in code and not in the configuration."
# The most steps at which a divergence is computed here, which takes some hundredths of a second each.
FEW_STEPS = 20


def _lemma_f_9_ratios(evidence: Evidence) -> Places:
    table = rows(evidence, COUNTEREXAMPLE, series=PAIR_DELTA)
    table = table[
        (table["T"] > 1)
        & (table["T"] <= FEW_STEPS)
        & (table["kappa"] > 0)
        & (table["eps"] > 0)
        & (table["r"] > 0)
        & (table["r"] < 1)
    ]
    ratios = {}
    for row in algebra.rows_of(table.drop_duplicates(["T", "r", "kappa", "eps"])):
        T, r, kappa, eps = int(row["T"]), float(row["r"]), float(row["kappa"]), float(row["eps"])
        # The number of participations is taken at which the right side is least.
        most = np.arange(1, T + 1)
        inside = binom.cdf(most, T, r)
        right = inside * gaussian.delta(np.sqrt(most) / kappa, eps) + 1.0 - inside
        place = algebra.place_of(row, ("T", "r", "kappa", "eps"))
        ratios[place] = quotient(_divergence(kappa, eps, T, r), float(right.min()))
    return ratios


@cache
def _divergence(kappa: float, eps: float, T: int, r: float) -> float:
    return pairs.independent_delta(kappa, eps, T, r, "down")


def _ratio_without_last_step(row: "pd.Series[float]") -> float:
    """The closed form at one step less, over that at the steps of a row."""
    T, rate, eps, delta = int(row["T"]), float(row["r"]), float(row["eps"]), float(row["delta"])
    if row["accountant"] == INDEPENDENT:
        return closed_forms.independent_multiplier(T - 1, rate, eps, delta) / closed_forms.independent_multiplier(
            T, rate, eps, delta
        )
    before, all_steps = (
        closed_forms.correlated_multiplier(steps, rate, float(row["lam"]), eps, delta, 8.0) for steps in (T - 1, T)
    )
    return before / all_steps
