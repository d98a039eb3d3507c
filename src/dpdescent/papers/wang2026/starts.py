"""The start: bounds at it, the margin and the comparator along it, and where the comparator inequality holds.

Lemmas B.5 to B.7, eq. (4), (5), (15), Assumptions 3.2 and 3.3, and Lemmas C.2 and C.12 of wang2026.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.interpolate import BSpline
from scipy.special import expit

from dpdescent.algorithms.lambda_cgd import State
from dpdescent.papers.wang2026 import criteria, explicit, network, training
from dpdescent.papers.wang2026.criteria import ALGEBRA, first, place_text, rows, setting, vacuous
from dpdescent.papers.wang2026.explicit_bounds import KINDS, failure, splines_of
from dpdescent.papers.wang2026.network import Constants
from dpdescent.papers.wang2026.setting import G_DELTA, G_SHARP, GRADIENT, HESSIAN, Analysed, Array, Row, Spec
from dpdescent.papers.wang2026.training import AT_START, NTK, TRAINED, Clipped, Seed, Target
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places, rows_of
from dpdescent.replication.judging.bound_rows import bound_row, exact_row, simulated_row
from dpdescent.replication.judging.criteria import ABOVE_0, at_least, at_most
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence, Source, joined
from dpdescent.replication.judging.statistics import exactly, quotient

START, PATH = "initialisation", "comparator"
EVENT = "E_delta holds"


@dataclass(frozen=True, kw_only=True)
class Starts(Analysed):
    """Random starts with n records."""

    n: int


def run_initialisation(spec: Spec) -> Iterator[Row]:
    """Yields rows of one width, one for each quantity and draw of start and records."""
    starts = Starts.of(spec)
    kan, paper, delta = starts.kan, Constants.paper(starts.kan.splines), starts.delta_conf
    for trial in starts.trials:
        problem = starts.problem([trial], starts.n)
        W, H, heads, c = problem.start, problem.features, problem.heads, starts.start(trial)[1]
        outputs, factors = kan.outputs_and_factors(W, H, heads)
        lengths_squared = np.vecdot(H, H)
        # The Hessian of f is block diagonal, a multiple of h h' in each unit.
        bends = np.abs(kan.curvature(W, H, heads)).max(axis=-1) * lengths_squared
        values = {
            EVENT: float(network.initial_event(c, delta)),
            "largest |f_0|": float(np.abs(outputs).max()),
            "bound Q8": paper.initial_output_bound(starts.n, delta),
            GRADIENT: float(np.sqrt((np.vecdot(factors, factors) * lengths_squared).max())),
            G_DELTA: paper.gradient_bound(kan.width, delta),
            G_SHARP: float(network.sharp_gradient_bound(kan, c)),
            HESSIAN: float(bends.max()) / (kan.inputs * kan.width**0.5),
            "nu": paper.hessian_bound(kan.width, delta),
        }
        for series, number in values.items():
            yield {"m": starts.m, "n": starts.n, "d": starts.d, "series": series, "trial": trial, "value": number}


VIOLATIONS, SLACK, ALONG = "violations", "smallest slack", "L_S(W_0 + tau u)"


class Check:
    """Observer of runs, by comparator: slacks of Lemma C.2, shape (checks, arms), and the largest |W - W*|, (arms,)."""

    def __init__(self, seed: Seed, targets: dict[str, Target], every: int) -> None:
        self.seed, self.targets, self.every = seed, targets, every
        self.slacks: dict[str, list[list[float]]] = {name: [] for name in targets}
        self.largest: dict[str, Array] = {name: np.zeros(()) for name in targets}

    def __call__(self, state: State) -> None:
        # Only some iterates are checked, because a check takes the gradient of all records.
        if state.t % self.every:
            return
        W = state.weights[0]
        losses, gradients = self.seed.loss_and_gradient(W)
        for name, target in self.targets.items():
            self.slacks[name].append(
                [
                    explicit.comparator_slack(float(loss), gradient, own, target.weights, target.loss)
                    for loss, gradient, own in zip(losses, gradients, W, strict=True)
                ]
            )
            moved = np.linalg.norm((W - target.weights).reshape(len(W), -1), axis=1)
            self.largest[name] = np.maximum(self.largest[name], moved)


@dataclass(frozen=True, kw_only=True)
class Compared(Clipped):
    """Runs along which Lemma C.2's inequality is checked."""

    check_every: int


@dataclass(frozen=True, kw_only=True)
class AlongMargin(Analysed):
    """Steps along the margin's direction."""

    n: int
    T: int
    tau_gamma: tuple[float, ...]


def run_comparator(spec: Spec) -> Iterator[Row]:
    """Yields slacks along runs, or losses along the margin's direction, of one width."""
    part = AlongMargin.of(spec) if spec["panel"] == "ntk" else Compared.of(spec)
    for trial in part.trials:
        seed = Seed(part, trial, part.n)
        for values in _along_margin(part, seed) if isinstance(part, AlongMargin) else _along_runs(part, seed):
            yield {
                "panel": part.panel, "n": seed.n, "m": part.m, "d": part.d, "gamma": seed.margin.value, "trial": trial,
                **values,
            }  # fmt: skip


def _along_runs(runs: Compared, seed: Seed) -> Iterator[Row]:
    size, arms = runs.size, runs.arms(runs.C_clip)
    targets = {name: seed.comparator(name, size.T) for name in (AT_START, TRAINED, NTK)}
    check = Check(seed, targets, runs.check_every)
    seed.run(arms, check)
    for name in targets:
        slacks = np.array(check.slacks[name])
        for index, arm in enumerate(arms):
            own = {
                "T": size.T, "B": size.B, "eta": arm.eta, "kappa": arm.noise.kappa, "lam": arm.noise.lam,
                "comparator": name,
                "condition": seed.sharp.hessian * float(check.largest[name][index]) ** 2,
            }  # fmt: skip
            yield {**own, "series": VIOLATIONS, "value": float((slacks[:, index] < 0.0).mean())}
            yield {**own, "series": SLACK, "value": float(slacks[:, index].min())}


def _along_margin(part: AlongMargin, seed: Seed) -> Iterator[Row]:
    for tau_gamma in part.tau_gamma:
        target = seed.along_margin(tau_gamma / seed.margin.value)
        yield {
            "T": part.T, "comparator": NTK, "tau_gamma": tau_gamma,
            "condition": seed.sharp.hessian * target.distance**2, "series": ALONG, "value": target.loss,
        }  # fmt: skip


def releases_comparator(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of the runs of one width; along the margin's direction nothing is trained."""
    if spec["panel"] == "ntk":
        return ()
    runs = Compared.of(spec)
    return training.entries(runs, runs.arms(runs.C_clip), f" m={runs.m}")


MARGINS = (PATH, "bound_vs_run", "ext_window", "ext_window_rates")
QUANTILES = "a quantile over draws beside the mean of a bound that differs from draw to draw: no draw is held against its own bound"
# Id, measured series, series of the bound, location, source of the statement, statement, note.
SIZES: tuple[tuple[str, str, str, str, Source, str, str], ...] = (
    ("lemma-b.6-gradient", GRADIENT, G_DELTA, "Lemma B.6, eq. (5)", "paper", "gradients of f are at most G_delta", ""),
    ("lemma-b.6-hessian", HESSIAN, "nu", "Lemma B.6, eq. (4)", "paper", "Hessians of f are at most nu, the explicit form of (4)", ""),
    ("eq-15", "largest |f_0|", "bound Q8", "eq. (15)", "paper", "outputs at the start are at most B_b sqrt(2p log(2n/delta))", ""),
    ("gradient-sharp", GRADIENT, G_SHARP, "eq. (5)", "ours", "(ours) gradients of f are at most the sharp bound that knows the second layer", QUANTILES),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the basis and activation, on the margin and the start."""
    yield _smooth_families()
    yield _margin(evidence)
    yield from _sizes(evidence)
    yield _smoothness(evidence)


# Activations with their first two derivatives, and bounds on the three.
ACTIVATIONS: dict[str, tuple[Callable[[Array], tuple[Array, Array, Array]], tuple[float, float, float]]] = {
    "tanh": (lambda u: (np.tanh(u), 1.0 - np.tanh(u) ** 2, -2.0 * np.tanh(u) * (1.0 - np.tanh(u) ** 2)), (1.0, 1.0, 4.0 / 27.0**0.5)),
    "sigmoid": (lambda u: (expit(u), expit(u) * expit(-u), expit(u) * expit(-u) * (1.0 - 2.0 * expit(u))), (1.0, 0.25, 1.0 / 108.0**0.5)),
}  # fmt: skip
# Degrees of splines, and bounds on them and their first two derivatives.
DEGREES, BOUNDS = (3, 4, 5), (1.0, 1.0, 2.0)


def _smooth_families() -> Claim:
    """The claim on Assumption 3.2 for the basis functions and activations that the paper names.

    A B-spline on knots of distance 1 lies between 0 and 1, and its derivatives are first and second differences of such
    splines of lower degree, so that 1 and 2 bound them. In a world of linear splines the second derivative has no bound.
    """
    sizes: Places = {}
    for degree in DEGREES:
        spline = BSpline.basis_element(np.arange(degree + 2.0), extrapolate=False)
        x = np.linspace(0.0, degree + 1.0, POINTS)[1:-1]
        for order, bound in enumerate(BOUNDS):
            largest = float(np.abs(spline(x) if order == 0 else spline.derivative(order)(x)).max())
            sizes[f"degree {degree}, derivative {order}"] = quotient(largest, bound)
    u = np.linspace(-20.0, 20.0, POINTS)
    for name, (values, bounds) in ACTIVATIONS.items():
        for order, (value, bound) in enumerate(zip(values(u), bounds, strict=True)):
            sizes[f"{name}, derivative {order}"] = quotient(float(np.abs(value).max()), bound)
    return criteria.claim_on_all_cells(
        id="assumption-3.2", artefact=START, location="Assumption 3.2, Sec. 3.3", kind="text", source="identity",
        statement="(algebra) B-splines of a degree of at least three with sigmoid or tanh satisfy the bounds on basis, activation and their first two derivatives",
        quantity="largest value on a grid over its bound, of splines of degree 3 to 5 on knots of distance 1 and of both activations: the largest over derivatives",
        cells=sizes, criterion=at_most(1.0 + criteria.EQUAL), changed="Before a review it was by construction, without sigmoid and higher degrees.",
    )  # fmt: skip


def _margin(evidence: Evidence) -> Claim:
    margins = {}
    for artefact in MARGINS:
        gamma = algebra.floats(rows(evidence, artefact), "gamma")
        if np.isfinite(gamma).any():
            margins[artefact] = exactly(float(np.nanmin(gamma)))
    # The artefact of the smallest margin is named.
    narrowest = min(margins, key=lambda artefact: margins[artefact].value, default=PATH)
    return criteria.claim_on_all_cells(
        id="assumption-3.3", artefact=narrowest, location="Assumption 3.3", kind="text", source="ours",
        statement="there is a margin gamma > 0 with y_i <grad f(x_i), u> >= gamma at the start; verified for KANs",
        quantity="mean margin of the records at their starts: the smallest over artefacts, widths and n",
        cells=margins, criterion=ABOVE_0,
        note="designs of ours that are separable with a margin of their own; means over seeds",
    )  # fmt: skip


def _by_width(evidence: Evidence, series: str, column: str = "mean") -> pd.DataFrame:
    """Rows of a series by width, without errors; `column`, which may be a quantile, takes the place of the mean."""
    table = rows(evidence, START, series=series)
    return table.assign(mean=table[column], se=math.nan)


def _sizes(evidence: Evidence) -> Iterator[Claim]:
    yield criteria.claim_on_all_cells(
        id="lemma-b.5", artefact=START, location="Lemma B.5", kind="theorem", source="paper",
        statement="P(E_delta) >= 1 - delta",
        quantity="share of draws of the start in which it occurs: the smallest over m",
        cells=algebra.means(rows(evidence, START, series=EVENT), ["m"]),
        criterion=at_least(1.0 - setting(evidence, "delta_conf")),
    )  # fmt: skip
    for name, measured, bound, location, source, words, note in SIZES:
        yield criteria.claim_on_all_cells(
            id=name, artefact=START, location=location, kind="theorem", source=source,
            statement=words,
            quantity=f"97.5 % quantile over draws of the {measured}, over the bound (mean over draws): the largest over m",
            cells=algebra.ratios(_by_width(evidence, measured, "q975"), _by_width(evidence, bound), ("m", "n"), ("m",)),
            criterion=at_most(1.0), note=note,
        )  # fmt: skip


def _smoothness(evidence: Evidence) -> Claim:
    gradient, hessian, G, nu = (
        {row["m"]: row["mean"] for row in algebra.rows_of(_by_width(evidence, series, column))}
        for series, column in (
            (GRADIENT, "q975"), (HESSIAN, "q975"), (G_DELTA, "mean"), ("nu", "mean"),
        )
    )  # fmt: skip
    smooth = {
        f"m = {m:g}": quotient(0.25 * gradient[m] ** 2 + hessian[m], network.smoothness(G[m], nu[m]))
        for m in gradient
        if m in hessian and m in G and m in nu and G[m] >= 0 and nu[m] >= 0
    }
    return criteria.claim_on_all_cells(
        id="lemma-b.7", artefact=START, location="Lemma B.7", kind="theorem", source="identity",
        statement="the loss is beta-smooth, beta = C p^3, here G_delta^2/4 + nu as in its proof",
        quantity="a quarter of the squared gradient plus the Hessian (97.5 % quantiles over draws) over beta: the largest over m",
        cells=smooth, criterion=at_most(1.0), changed=ALGEBRA,
        note="the hidden C is replaced by what the proof has: it holds wherever Lemma B.6 does",
    )  # fmt: skip


# The number of points of the grid on which the basis is evaluated.
POINTS = 20_001
# The table's quantile over draws; the bounds at the start are for higher ones.
QUANTILE, COLUMN = 0.975, "q975"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of the basis, the start, the margin and its comparator."""
    yield from _basis(evidence)
    yield from _events(evidence)
    for artefact in (PATH, "bound_vs_run"):
        yield from _margins(evidence, artefact)
    table = rows(evidence, PATH, panel="ntk", series=ALONG)
    for row in rows_of(table.dropna(subset=["n", "T", "m", "d", "gamma", "tau_gamma", "condition"])):
        yield _along_the_margin(evidence, row)


def _basis(evidence: Evidence) -> Iterator[Bound]:
    """Rows of |h|, |h'| and |h''|, of all basis functions together."""
    splines = splines_of(evidence, START)
    u = np.linspace(-1.0, 1.0, POINTS)
    norms = {"|h|": splines.values(u), "|h'|": splines.first(u), "|h''|": splines.second(u)}
    for kind, constants in KINDS.items():
        bounds = constants(splines)
        for (name, values), value in zip(norms.items(), (bounds.norm_h, bounds.norm_h1, bounds.norm_h2), strict=True):
            measured = float(np.linalg.norm(values, axis=-1).max())
            why = f"{kind} constants, p={bounds.p}; measured is the largest on a grid of [-1, 1]"
            yield exact_row(name, "Ass. 3.2, Lemma B.6", f"cells={splines.cells}, {kind}", value, measured, why)


def _events(evidence: Evidence) -> Iterator[Bound]:
    """Rows of events and bounds at the start that hold with a probability."""
    table = rows(evidence, START).dropna(subset=["m", "n", "d"])
    delta = float(evidence.settings_of(START)["delta_conf"])
    for row in rows_of(table[table["series"] == EVENT]):
        text = place_text(START, row, "m", "n", "d")
        why = "measured is a share of draws"
        yield simulated_row("P(E_delta)", "Lemma B.5", text, 1.0 - delta, row, why, direction="at least")
    for row in rows_of(table.drop_duplicates(["m", "n", "d"])):
        for kind, constants in KINDS.items():
            yield from _quantile_rows(table, row, kind, constants(splines_of(evidence, START)), delta)
        yield from _sharp_row(table, row)


def _quantile_rows(
    table: pd.DataFrame, row: pd.Series, kind: str, constants: Constants, delta: float
) -> Iterator[Bound]:
    m, text = int(row["m"]), f"{place_text(START, row, 'm', 'n', 'd')}, {kind}"
    for series, name, location, value, likely in (
        ("largest |f_0|", "max |f_0(x_i)|", "(15)", constants.initial_output_bound(int(row["n"]), delta), 0.5),
        (GRADIENT, "max |grad f_0(x_i)|", "(5)", constants.gradient_bound(m, delta), 1.0),
        (HESSIAN, "max |Hess f_0(x_i)|", "(4)", constants.hessian_bound(m, delta), 1.0),
    ):
        measured = first(table, m=row["m"], n=row["n"], d=row["d"], series=series)
        if measured is None:
            continue
        certain = 1.0 - likely * delta
        why = f"{kind} constants; with probability {certain:g}; measured is the {QUANTILE:g} quantile of draws, at W_0"
        # A single draw has no quantile, and a bound that holds with a lower probability says nothing of the quantile.
        met = measured["trials"] > 1 and certain > QUANTILE
        yield exact_row(name, location, text, value, float(measured[COLUMN]), why, met=met)


def _sharp_row(table: pd.DataFrame, row: pd.Series) -> Iterator[Bound]:
    """The row of G_sharp, which bounds the gradient in every draw, so that means may be compared."""
    where = {name: row[name] for name in ("m", "n", "d")}
    sharp, measured = (first(table, **where, series=name) for name in (G_SHARP, GRADIENT))
    if sharp is not None and measured is not None:
        why = "given the second layer, in every draw, hence in the mean; measured is the mean at W_0"
        text = place_text(START, row, "m", "n", "d")
        yield exact_row("max |grad f_0(x_i)|, G_sharp", "(5), ours", text, sharp["mean"], measured["mean"], why)


def _margins(evidence: Evidence, artefact: str) -> Iterator[Bound]:
    """Rows of the margin of Assumption 3.3, at the means over seeds."""
    table = rows(evidence, artefact).dropna(subset=["gamma", "m", "n"])
    for row in rows_of(table.drop_duplicates(["m", "n"])):
        text, gamma = place_text(artefact, row, "m", "n"), float(row["gamma"])
        why = "measured is the mean over seeds of the largest margin at W_0"
        yield exact_row("margin gamma, from above", "Ass. 3.3", text, 1.0, gamma, why)
        yield bound_row(
            bound="margin gamma, from below", location="Ass. 3.3", setting=text, value=0.0, measured=gamma,
            direction="at least", note=f"{why}; a bound by assumption",
        )  # fmt: skip
        constants = Constants.sharp(splines_of(evidence, artefact))
        value = constants.gradient_bound(int(row["m"]), failure(evidence, artefact))
        yield exact_row("margin gamma, by G", "Ass. 3.3, (5)", text, value, gamma, f"sharp constants; {why}, at most G")


def _along_the_margin(evidence: Evidence, row: pd.Series) -> Bound:
    """The row of the comparator W_0 + tau u and the bound of (14) on its risk."""
    settings = evidence.settings_of(PATH)
    n, delta, reach = int(row["n"]), float(settings["delta_conf"]), float(row["tau_gamma"])
    constants, text = Constants.sharp(splines_of(evidence, PATH)), place_text(PATH, row, "m", "n", "T", "tau_gamma")
    # nu tau^2 is read from the table, because it belongs to the second layers that were drawn.
    least_output = reach - constants.initial_output_bound(n, delta) - 0.5 * float(row["condition"])
    value = float(np.logaddexp(0.0, -least_output))
    why = f"y f >= {least_output:.4g}, sharp constants, means over seeds; with probability {1.0 - delta:g}"
    return simulated_row("L_S(W_0 + tau u)", "(14)", text, value, row, joined(why, vacuous(value)))
