"""Lemmas of wang2026's proofs on starts, the kernel, curvature and neighbouring runs, where their conditions hold."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpdescent.checks import as_list
from dpdescent.models.kan import logistic_slope
from dpdescent.papers.wang2026 import independent_runs, lemma_runs, network, stability, training
from dpdescent.papers.wang2026.criteria import (
    ALGEBRA,
    EQUAL,
    FAILURE,
    LOGARITHMS,
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
from dpdescent.papers.wang2026.lemma_runs import EARLIER, PROOF, proof_rows
from dpdescent.papers.wang2026.network import Constants
from dpdescent.papers.wang2026.rates import Run, least_width
from dpdescent.papers.wang2026.setting import BY_SEED, G_DELTA, GRADIENT, HESSIAN, Analysed, Array, Row, Spec
from dpdescent.papers.wang2026.starts import ALONG, START
from dpdescent.papers.wang2026.training import Clipped, Seed
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import ABOVE_0, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.records import Regime
from dpdescent.replication.judging.statistics import Estimate, exactly

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
OF_RECORD = "Lemma B.7, a record's curvature over nu times its loss"
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
        "events": lemma_runs.rows_of_events, "independent sums": independent_runs.rows_of_sums, "steps": lemma_runs.rows_of_steps,
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
    if kind not in ("events", "independent sums", "steps", "neighbours", "explicit"):
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
            least, most = least_eigenvalue(hessian(seed, W)), negative_curvature(seed, W)
            for constants in (training.OF_PAPER, training.SHARP):
                bounds = seed.bounds(constants)
                base = {
                    "panel": part.panel, "n": seed.n, "m": part.m, "d": part.d, "constants": constants,
                    "place": place, "trial": trial,
                }  # fmt: skip
                yield {**base, "series": NEGATIVE, "value": -least / (bounds.hessian * loss)}
                yield {**base, "series": OF_RECORD, "value": most / bounds.hessian}
                yield {**base, "series": SELF_BOUND, "value": squared / (4.0 * bounds.beta * loss)}


def _least_of_kernel(features: Array, factors: Array) -> float:
    return float(np.linalg.eigvalsh(network.kernel(features, factors))[0])


def least_eigenvalue(symmetric: Array) -> float:
    """Returns the least eigenvalue, 0 if within rounding of 0, because its digits then depend on the processor."""
    eigenvalues = np.linalg.eigvalsh(symmetric)
    rounding = len(eigenvalues) * np.finfo(np.float64).eps * np.abs(eigenvalues).max()
    return float(eigenvalues[0]) if abs(eigenvalues[0]) > rounding else 0.0


def negative_curvature(seed: Seed, W: Array) -> float:
    """Returns the largest of minus the least eigenvalue of the Hessian of a record's loss, over that loss.

    A record's Hessian acts on products of a unit and the record's features h alone, so that it has the eigenvalues of
    a matrix of order m, and 0: `|h|^2 (l'' S S' + diag(l' y bend))`.
    """
    p = seed.problem
    H, y, kan = p.features[0], p.labels[0], p.kan
    f, S = (values[0] for values in kan.outputs_and_factors(W[None], p.features, p.heads))
    bend = kan.curvature(W[None], p.features, p.heads)[0] / (kan.inputs * kan.width**0.5)
    slope = logistic_slope(y * f)
    blocks = (-slope * (1.0 + slope))[:, None, None] * S[:, :, None] * S[:, None, :]
    blocks[:, *np.diag_indices(kan.width)] += (slope * y)[:, None] * bend
    least = np.linalg.eigvalsh(blocks)[:, 0] * np.vecdot(H, H)
    return float(np.max(-np.minimum(least, 0.0) / np.logaddexp(0.0, -y * f)))


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


# No width here meets Lemma C.16's condition on all of the ball, on which its successors rest.
SEGMENT = "(ours) with the condition on the width met on the segment between the runs, and not on the whole ball: "
# Id, series, location, source of the statement, words.
BOUNDED: tuple[tuple[str, str, str, Source, str], ...] = (
    ("lemma-b.7-curvature", OF_RECORD, "Lemma B.7", "paper", "the smallest eigenvalue of the Hessian of any record's loss is at least -nu times that loss"),
    ("lemma-b.7-self-bound", SELF_BOUND, "Lemma B.7", "paper", "the empirical risk is self-bounding: |grad L_S|^2 <= 4 beta L_S"),
    ("lemma-c.16", stability.ONE_STEP, "Lemma C.16", "ours", SEGMENT + "the distance of two coupled runs grows in a step by the factor 1 + M_t and by R_t at most"),
    ("lemma-c.20", stability.ALLOWED, "Lemmas C.19, C.20", "ours", SEGMENT + "the summed M_t stay below what the risks of the runs and Lemma C.19 give"),
    ("lemma-c.21", stability.REPLACED, "Lemma C.21", "ours", SEGMENT + "the distance of two coupled runs is at most e times the summed R_t"),
    ("theorem-c.22", stability.AVERAGE, "Theorem C.22, Theorem D.15", "ours", SEGMENT + "runs that differ in a record stay within (2 e eta b/n) sum_t L_S(W_t) on average"),
)  # fmt: skip
LARGER_STEPS = "Before a review runs of larger steps counted, a quarter of which had sum M_t above 1, and it was not said on which segment curvature is bounded; then it counted as the paper's, whose condition is on the whole ball."
CHANGED = {
    OF_RECORD: "Until a referee objected the average of the records' losses was looked at, whose curvatures cancel."
}
# Claims on coupled runs, and whether they rest on Lemma C.20's condition too.
COUPLED = {
    "lemma-c.16": False,
    "lemma-c.20": False,
    "lemma-c.21": True,
    "theorem-c.22": True,
    "theorem-c.22-records": True,
}


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on starts, the kernel and curvature, and on neighbours."""
    yield from _gradients(evidence)
    yield from _margins(evidence)
    yield from _bounded(evidence)
    yield _along_margin(evidence)


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
    ratio = proof_rows(evidence, GRAM)
    yield claim_on_all_cells(
        id="margin-from-kernel", artefact=PROOF, location="Sec. 3.3", kind="text", source="identity",
        statement="(algebra) a positive definite tangent kernel implies the margin condition",
        quantity="margin over the root of the kernel's least eigenvalue over n: the smallest over starts' means",
        cells=algebra.means(ratio, ("n", "m")), criterion=at_least(1.0), changed=ALGEBRA,
    )  # fmt: skip
    margin, least = (proof_rows(evidence, name) for name in (TWICE, SINGULAR))
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
        table = proof_rows(evidence, series)
        coupled, apart = _regime_of_coupled_runs(evidence, name)
        # Each seed has a bound of its own, so that means are taken of ratios.
        yield claim_on_all_cells(
            id=name, artefact=PROOF, location=place, kind="theorem", source=source, statement=words,
            quantity=f"{series}: the largest over sizes, noise and constants",
            cells=algebra.means(table, ("n", "T", "m", "d", "kappa", "lam", "constants", "place")), criterion=at_most(1.0),
            regime=coupled if name in COUPLED else regime(table, upper=False), changed=CHANGED.get(series, LARGER_STEPS if name in COUPLED else ""),
            note=f"sharp constants of each seed's second layer. {apart}" if name in COUPLED else "the paper's constants and sharp ones",
        )  # fmt: skip
    curvature = proof_rows(evidence, NEGATIVE).dropna(subset=["constants"])
    yield claim(
        id="loss-not-convex", artefact=PROOF, location="Sec. 4.1", kind="text", source="paper",
        statement="the empirical loss is non-convex in the first-layer coefficients",
        quantity="minus the least eigenvalue of the risk's Hessian over nu times the risk, at starts, ends and half way: the largest over places, which is enough",
        measured=best(curvature), criterion=ABOVE_0, note="its interval allows for the choice among places",
    )  # fmt: skip
    arms = proof_rows(evidence, stability.DISTANCE).drop_duplicates(["kappa", "lam"])
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
    apart, growth = (proof_rows(evidence, series + BY_SEED) for series in (stability.APART, stability.GROWTH))
    unmet = list(regime(apart, upper=False).unmet)
    if above := int((apart["mean"] > lemma_runs.CONDITION).sum()):
        unmet.append(f"nu D^2 above 1/2 in {above} of {len(apart)} runs")
    if COUPLED.get(name) and (above := int((growth["mean"] > 1.0).sum())):
        unmet.append(f"sum M_t above 1 in {above} of {len(growth)} runs")
    if not len(apart):
        unmet.append("distances and sums of M_t are not run")
    text = f"nu D^2 on the segment between two runs, where the proof uses it, is {range_of(apart['mean'])}; on the whole ball, of which the lemma speaks, no width here meets it. sum M_t is {range_of(growth['mean'])} in {len(growth)} runs"
    return Regime(tuple(unmet)), text


def _along_margin(evidence: Evidence) -> Claim:
    table = proof_rows(evidence, ALONG)
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
