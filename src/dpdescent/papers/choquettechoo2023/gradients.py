"""Gradients and iterates without clipping (Sec. 2.3 (a), Theorems D.4 and D.13): their largest norms; the clip norm."""

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
from scipy.stats import norm

from dpdescent.algorithms.dp_ftrl import FTRLArms
from dpdescent.checks import as_list
from dpdescent.noise.strategies import toeplitz
from dpdescent.papers.choquettechoo2023 import finite_time, formulas, laws, streams
from dpdescent.papers.choquettechoo2023.convergence import run_of
from dpdescent.papers.choquettechoo2023.criteria import NEARLY, RATE, claim, claim_on_all_cells, rows
from dpdescent.papers.choquettechoo2023.formulas import Run
from dpdescent.papers.choquettechoo2023.setting import DP_SGD, NU, Array, RegressionProblem, Row, Spec, names, power_law
from dpdescent.papers.choquettechoo2023.streams import StreamArm
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.judging import algebra, records
from dpdescent.replication.judging.algebra import rows_of
from dpdescent.replication.judging.bound_rows import bound_row
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence
from dpdescent.replication.judging.records import HIDDEN
from dpdescent.replication.judging.statistics import NOTHING, Estimate, exactly, less_number, proportion, with_value

# Rules for the learning rate, each of a theorem at its constants 1, and with it for the clip norm of the noise.
ITERATES, NO_CLIPPING = "rate of D.4", "rate of D.13"
GRID = ("d", "sigma_sgd", "start", "T")
ARTEFACT = "ext_gradients"
# The column that a panel moves; the labels' panel moves both factors of a product in (9).
AXES = {"dimension": "d", "labels": "labels", "start": "start", "steps": "T"}
# The printed power in (9) of the column that a panel moves, where it decides the maximum; T has logarithms only.
PRINTED = {"dimension": 1.0, "labels": 1.0, "start": 1.0, "steps": 0.0}
# Parameters of Theorem D.4's two noise terms where they are not moved; T, which is in the logarithm alone.
TERMS, TERMS_T = {"1/eta": 1e5, "d": 16.0, "kappa": 100.0, "eta mu/nu": 1.0}, 1e6
# Starts at which their term is the larger one, beside labels of sd 1.
FAR = 1.0
# Columns of quantiles by 1/p.
LEVELS = {10.0: "q90", 20.0: "q95", 40.0: "q975"}
WHOLE = "what a share 1 - p of runs does not exceed, p the failure probability"
ORDERS = "constants have no value: growth is judged, not the level"
NEW = "The claim was added after a review: constants and powers of the logarithm have no value, but growth does."
SECTION_2_3: records.Place = {
    "artefact": ARTEFACT,
    "location": "Sec. 2.3 (a), (9)",
    "kind": "theorem",
    "source": "paper",
}


@dataclass(frozen=True, eq=False)
class Case:
    """A run without clipping, as the theorems of App. D have it.

    Attributes:
        name: name of the mechanism.
        rule: rule for its learning rate.
        run: problem with that rate and clip norm, start and number of steps.
        arm: scaled noise.
    """

    name: str
    rule: str
    run: Run
    arm: StreamArm

    @property
    def beta_norm(self) -> float:
        """The norm |beta|_1 of the noise coefficients: exact for DP-SGD, else its upper bound 2."""
        return 1.0 if self.name == DP_SGD else 2.0

    @property
    def forms(self) -> dict[str, float]:
        """The bounds of Theorem D.4 on the iterate and on the gradient, and (9) with log^(5/2), constants 1."""
        nu, problem = self.run.problem.eta * self.run.problem.mu, self.run.problem
        arguments = {"sigma_squared": self.arm.noise_variance, "beta_norm": self.beta_norm, "nu": nu}
        summary = formulas.required_clip_norm_of_summary(self.run, self.run.log**2.5)
        return {
            "iterate_form": math.sqrt(formulas.iterate_bound(self.run, **arguments)),
            "gradient_form": math.sqrt(formulas.gradient_bound(self.run, **arguments)),
            "summary": summary, "eta": problem.eta, "clip_norm": problem.clip_norm,
        }  # fmt: skip


def cases(spec: Spec, place: Row) -> Iterator[Case]:
    """Yields the runs of one point of the grid: both mechanisms, at both learning rates."""
    failure, rho, T = spec["settings"]["failure"], spec["settings"]["rho"], place["T"]
    lam = power_law(place["d"], spec["cell"]["alpha"])
    moment = formulas.fourth_moment(lam)
    for name, rule in itertools.product(names(spec), as_list(spec["arms"]["rule"])):
        problem = RegressionProblem(lam, 1.0 / (moment * math.log(T / failure)), rho, 1.0, place["sigma_sgd"])
        run = Run(problem, place["start"], T, failure, moment)
        if rule == NO_CLIPPING:
            sensitivity = (lambda nu: 1.0) if name == DP_SGD else laws.gamma_squared_nu
            rate = formulas.admissible_rate(run, sensitivity, 1.0 if name == DP_SGD else 2.0)
            run = replace(run, problem=replace(problem, eta=rate))
        norm = formulas.required_clip_norm(run) if rule == NO_CLIPPING else formulas.required_clip_norm_of_summary(run)
        problem = replace(run.problem, clip_norm=norm)
        strategy = toeplitz.identity() if name == DP_SGD else toeplitz.nu_family(problem.eta * problem.mu)
        arm = StreamArm(name, strategy, problem.eta, T, rho, norm, limiting=True, clipped=False)
        yield Case(name, rule, replace(run, problem=problem), arm)


def places(spec: Spec) -> Iterator[Row]:
    """Yields the points of a panel's grid."""
    cell = spec["cell"]
    for values in itertools.product(*(as_list(cell[axis]) for axis in GRID)):
        yield dict(zip(GRID, values, strict=True))


def run_ext_gradients(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel: every trial's largest gradient and iterate, and whether the clip norm would clip.

    Raises:
        ValueError: if there is no mechanism of a name.
    """
    if unknown := set(names(spec)) - {DP_SGD, NU}:
        raise ValueError(f"mechanism={sorted(unknown)[0]!r} is none of {[DP_SGD, NU]}")
    for place in places(spec):
        runs = list(cases(spec, place))
        for trials in streams.groups(spec, (place["T"], place["d"] * len(runs))):
            yield from _rows(spec, place, runs, trials)


def _rows(spec: Spec, place: Row, runs: list[Case], trials: range) -> Iterator[Row]:
    T, d = place["T"], place["d"]
    name = "_".join(f"{axis}={value:g}" for axis, value in place.items())
    inputs, labels = _records(spec, name, trials, runs[0].run.problem, T)
    compared = [case.arm for case in runs]
    noise = streams.correlated(compared, streams.common_noise(spec, name, trials, (T, d)))
    start = np.full(d, place["start"] / math.sqrt(d))
    gradient, distance = unclipped(streams.columns(compared), inputs, labels, noise, start)
    for case, largest, farthest in zip(runs, gradient, distance, strict=True):
        fixed = {"panel": spec["panel"], **place, "mechanism": case.name, "rule": case.rule, **case.forms}
        for trial, g, theta in zip(trials, largest, farthest, strict=True):
            values = {"largest gradient": g, "largest distance": theta, "clipped": g > case.arm.clip_norm}
            yield from (
                {**fixed, "trial": trial, "series": series, "value": float(values[series])} for series in values
            )


def _records(spec: Spec, name: str, trials: range, problem: RegressionProblem, T: int) -> tuple[Array, Array]:
    """Returns the inputs, shape (T, trials, d), and the labels' noise, shape (T, trials)."""
    inputs, labels = np.empty((T, len(trials), problem.d)), np.empty((T, len(trials)))
    for i, rng in enumerate(streams.generators(spec, name, trials, "data")):
        inputs[:, i] = rng.standard_normal((T, problem.d)) * np.sqrt(problem.lam)
        labels[:, i] = problem.sigma_sgd * rng.standard_normal(T)
    return inputs, labels


def releases_ext_gradients(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields ledger entries: nothing is clipped, so that none is private."""
    for place in places(spec):
        point = " ".join(f"{axis}={value:g}" for axis, value in place.items())
        for case in cases(spec, place):
            name = f"{spec['variant']}: {spec['panel']}, {point}: {case.name}, {case.rule}"
            yield name, case.arm.mechanism(), spec["settings"]["dp_delta"]


def unclipped(arms: FTRLArms, inputs: Array, labels: Array, noise: Array, start: Array) -> tuple[Array, Array]:
    """Runs `theta <- theta - eta (g_t + noise_sd w~_t)`, `g_t = x_t (x_t'theta - xi_t)`; returns the largest norms.

    Args:
        arms: settings of the runs; their clip norms are not used.
        inputs: x_t, shape (T, seeds, d).
        labels: xi_t, shape (T, seeds).
        noise: correlated noise w~, shape (T, arms or 1, seeds, d).
        start: theta_0 - theta*, shape (d,).

    Returns:
        The largest norm of g_t over t < T and that of theta_t - theta* over t < T, each of shape (arms, seeds).
    """
    theta = np.broadcast_to(start, (len(arms), *inputs.shape[1:])).copy()
    gradients, distances = np.zeros(theta.shape[:2]), np.zeros(theta.shape[:2])
    lengths = np.sqrt(np.vecdot(inputs, inputs))
    scale, eta = (arms.eta * arms.noise_sd)[:, None, None], arms.eta[:, None]
    for x, length, xi, w in zip(inputs, lengths, labels, noise, strict=True):
        residual = np.vecdot(x, theta) - xi
        np.maximum(gradients, np.abs(residual) * length, out=gradients)
        np.maximum(distances, np.vecdot(theta, theta), out=distances)
        theta -= (eta * residual)[:, :, None] * x + scale * w
    return gradients, np.sqrt(distances)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges (9) by its parameters, the two bounds of Theorem D.4, and the clip norm of Theorem D.13."""
    gradient, distance = (_quantiles(evidence, series) for series in ("largest gradient", "largest distance"))
    large = gradient[gradient["rule"] == ITERATES]
    # The smallest false worlds: gradients of the power 1.3 of the distance, or 0.3 of T.
    yield claim_on_all_cells(
        id="gradient-powers", **SECTION_2_3,
        statement="for eta small enough no gradient exceeds c max(Tr H |theta_0 - theta*|, sigma_sgd sqrt(Tr H)) polylog(T/p) with probability 1 - p: linear in Tr H and the distance, in sigma_sgd sqrt(Tr H), polylogarithmic in T",
        quantity=f"log-log slope of the largest gradient ({WHOLE}) in Tr H, in sigma_sgd sqrt(Tr H), in the distance, in T and in 1/p, less the printed power, at the rates of D.4 and of D.13: the largest",
        cells={
            f"{place}, {rule}": slope
            for rule in (ITERATES, NO_CLIPPING)
            for place, slope in (_slopes(gradient[gradient["rule"] == rule]) | _by_failure(gradient[gradient["rule"] == rule], 0.0)).items()
        },
        criterion=at_most(NEARLY, ": no faster than the bound, logarithms omitted"),
        changed=f"{NEW} Before a second review it was judged at the rate of D.13 alone, at which iterates do not move; before a fourth p was held.",
        note=f"{ORDERS}; at the logarithm's power 5/2 of D.13, {_levels(gradient, 'summary')}",
    )  # fmt: skip
    for id, series, table, form, power in (
        ("iterate-bound", "squared distances from theta* are at most C (|theta_0'|^2 + eta R^2 sigma_sgd^2/mu + eta^2 sigma^2 d |beta|_1^2/nu) log^3(T/p)", distance[distance["rule"] == ITERATES], "iterate_form", 1.5),
        ("gradient-bound-d.4", "squared gradients are at most C R^4 times that, with sigma_sgd^2/R^2 added, times log^5(T/p) in the place of log^3", large, "gradient_form", 2.5),
    ):  # fmt: skip
        yield claim_on_all_cells(
            id=id, artefact=ARTEFACT, location="Thm D.4", kind="theorem", source="paper",
            statement=f"with probability 1 - p all {series}",
            quantity=f"log-log slope, in the parameter that grows, of the largest norm ({WHOLE}) over the root of the bound; p at the same runs: the largest",
            cells={**_growth(table, form), **_by_failure(table, power)}, criterion=at_most(NEARLY, ": no faster than the bound, logarithms omitted"),
            changed=f"{NEW} Before a second review the quotient was to grow by no more than a factor of four; before a fourth p was held.", note=f"{ORDERS}; {_levels(table, form)}",
        )  # fmt: skip
    yield claim_on_all_cells(
        id="iterate-bound-terms", artefact=ARTEFACT, location="Thm D.4, Prop. D.7, D.8", kind="theorem", source="paper",
        statement="squared, what labels and privacy noise add to the iterates is at most C eta R^2 sigma_sgd^2/mu and C eta^2 sigma^2 d |beta|_1^2/nu, nu of at most eta mu, times logarithms of T/p",
        quantity=f"log-log slope of the exact mean of each over its term, in the limit of many steps, in each parameter, with eta = {1.0 / TERMS['1/eta']:g}, d = {TERMS['d']:g}, kappa = {TERMS['kappa']:g}, nu = eta mu where they are not moved, half of the eigenvalues 1, half 1/kappa: the largest",
        cells=_terms(evidence.settings["failure"]) if len(distance) else {}, criterion=at_most(RATE, ": it outgrows its term by no power"),
        changed="The claim was added after a fourth review: kappa and nu were held, and the terms were judged together.",
        note="means are no quantiles, but no bound with probability 1 - p for every p holds that a mean outgrows by a power",
    )  # fmt: skip
    clipped = rows(evidence, ARTEFACT, series="clipped", rule=NO_CLIPPING)
    # Clopper-Pearson limits without a correction, because all shares must pass.
    shares = [proportion(row["mean"], row["trials"]) for row in algebra.rows_of(clipped) if row["trials"] > 0]
    failure = evidence.settings["failure"]
    yield claim(
        id="clip-norm", artefact=ARTEFACT, location="Thm D.13 (b)", kind="theorem", source="paper",
        statement="with the clip norm and the learning rate of Theorem D.13 no gradient is clipped with probability 1 - p",
        quantity="share of runs with a gradient beyond that clip norm, all constants at 1: the largest",
        measured=max(with_value(shares), key=lambda share: share.high, default=NOTHING), criterion=at_most(failure, ", p"), regime=HIDDEN,
        changed="Before a review the claim was not testable, because the constants have no value; it is judged at 1. Before a third review a larger share counted as not reproduced, which it is not at another constant.",
        note=_least_constants(gradient, distance),
    )  # fmt: skip


def _terms(failure: float) -> dict[str, Estimate]:
    """The slope of each component's exact mean over its term of Theorem D.4, by parameter, written so that it grows."""
    cells = {}
    for axis in TERMS:
        moved = [TERMS | {axis: TERMS[axis] * factor} for factor in (1.0, 10.0, 100.0)]
        ratios = pd.DataFrame([_over_terms(failure, *case.values()) for case in moved])
        for part in ratios:
            table = pd.DataFrame({"at": [case[axis] for case in moved], "mean": ratios[part], "se": math.nan})
            cells[f"{part}, {axis}"] = algebra.least_squares_slope(table, "at")
    return cells


def _over_terms(failure: float, steps: float, d: float, kappa: float, share: float) -> dict[str, float]:
    """The exact mean square of the labels' part and of the privacy noise's, over their terms at constant 1.

    Args:
        failure: p.
        steps: 1/eta.
        d, kappa: dimension and condition number.
        share: eta mu/nu, at least 1.
    """
    half = np.ones(int(d) // 2)
    quiet = RegressionProblem(np.concatenate([half, half / kappa]), 1.0 / steps, 1.0)
    loud, nu = replace(quiet, sigma_sgd=1.0), quiet.eta * quiet.mu / share
    unit, moment = quiet.noise_variance(1.0), formulas.fourth_moment(quiet.lam)
    arms = {
        "privacy, nu-DP-FTRL": (laws.q_nu(quiet, nu), 2.0 - math.sqrt(nu)),
        "privacy, DP-SGD": (laws.q_identity(quiet), 1.0),
    }
    labels = laws.variances(loud, np.zeros(quiet.d), 0.0).sum()
    at = {"T": TERMS_T, "failure": failure, "moment": moment, "distance": 0.0}
    ratios = {"labels": labels / formulas.iterate_bound(Run(loud, **at), sigma_squared=0.0, beta_norm=1.0, nu=nu)}
    for name, (q, beta_norm) in arms.items():
        bound = formulas.iterate_bound(Run(quiet, **at), sigma_squared=unit, beta_norm=beta_norm, nu=nu)
        ratios[name] = laws.variances(quiet, q, 1.0).sum() / bound
    return ratios


def _least_constants(gradient: pd.DataFrame, distance: pd.DataFrame) -> str:
    """A note on the least constants at which nothing is clipped, at either rate, and on how far iterates move."""
    if not len(gradient):
        return "no rows"
    moved = distance[(distance["rule"] == NO_CLIPPING) & (distance["start"] > 0)]
    farthest = (algebra.floats(moved, "mean") / algebra.floats(moved, "start")).max(initial=1.0)
    constants = {
        rule: (algebra.floats(rows_of_rule, "mean") / algebra.floats(rows_of_rule, "clip_norm")).max()
        for rule, rows_of_rule in gradient.groupby("rule")
    }
    least = "; ".join(f"{constant:.3g} at the {rule}" for rule, constant in constants.items())
    return (
        f"least constant at which nothing is clipped ({WHOLE}): {least}, where the clip norm is (9) without its logarithms; at the {NO_CLIPPING} "
        f"nothing moves, the distance is at most {farthest:.5g} times that of the start, and the gradient is the start's"
    )  # fmt: skip


def _quantiles(evidence: Evidence, series: str) -> pd.DataFrame:
    """Rows of a series, with the quantile of level 1 - p for a mean and `labels`, sigma_sgd sqrt(d)."""
    level = LEVELS.get(round(1.0 / evidence.settings["failure"]), "q95")
    table = rows(evidence, ARTEFACT, series=series)
    label_sizes = algebra.floats(table, "sigma_sgd") * algebra.floats(table, "d") ** 0.5
    return table.assign(mean=algebra.floats(table, level), se=math.nan, labels=label_sizes)


def _panels(table: pd.DataFrame) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Panel, mechanism and rows, in the order of the column that the panel moves."""
    for (panel, mechanism), group in table.groupby(["panel", "mechanism"]):
        if panel in AXES:
            yield str(panel), str(mechanism), group.sort_values(AXES[str(panel)])


def _growth(table: pd.DataFrame, form: str) -> algebra.Places:
    """The log-log slope of the largest norm divided by a form, by panel and mechanism."""
    slopes = {}
    for panel, mechanism, group in _panels(table):
        ratios = group.assign(mean=algebra.floats(group, "mean") / algebra.floats(group, form))
        slopes[f"{panel}, {mechanism}"] = algebra.least_squares_slope(ratios, AXES[panel])
    return {place: slope for place, slope in slopes.items() if not math.isnan(slope.value)}


def _by_failure(table: pd.DataFrame, power: float) -> algebra.Places:
    """The log-log slope in 1/p of what a share 1 - p of runs does not exceed, over `log^power(T/p)`.

    By panel and mechanism, on average over the panel, because a quantile of one place is uncertain.
    """
    slopes: dict[str, list[float]] = {}
    for panel, mechanism, group in _panels(table):
        for row in algebra.rows_of(group):
            values = [row[level] / math.log(row["T"] * at) ** power for at, level in LEVELS.items()]
            quantiles = pd.DataFrame({"at": list(LEVELS), "mean": values, "se": math.nan})
            slopes.setdefault(f"1/p, {panel}, {mechanism}", []).append(
                algebra.least_squares_slope(quantiles, "at").value
            )
    means = {place: float(np.mean(values)) for place, values in slopes.items()}
    return {place: exactly(mean) for place, mean in means.items() if not math.isnan(mean)}


def _slopes(table: pd.DataFrame) -> algebra.Places:
    slopes = {}
    for panel, mechanism, group in _panels(table):
        chosen = group[group["start"] >= FAR] if panel == "start" else group
        slopes[f"{panel}, {mechanism}"] = less_number(algebra.least_squares_slope(chosen, AXES[panel]), PRINTED[panel])
    return {place: slope for place, slope in slopes.items() if not math.isnan(slope.value)}


def _levels(table: pd.DataFrame, form: str) -> str:
    ratios = algebra.positive(algebra.floats(table, "mean") / algebra.floats(table, form))
    return f"at constant 1 it is {min(ratios):.3g} to {max(ratios):.3g} of the bound" if ratios else "no rows"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of event (72) at every T of the clipped runs, Gaussian residuals: each exceeds it with chance p/T."""
    for row in rows_of(rows(evidence, finite_time.ARTEFACT, panel="clipped").drop_duplicates("T")):
        run = run_of(evidence, row)
        T, failure, variance = run.T, run.failure, run.label_variance
        if variance > 0.0:
            yield bound_row(
                bound="largest xi_t^2", location="(72)", setting=f"finite T, clipped: T={T:g}, p={failure:g}",
                value=2.0 * variance * math.log(2.0 * T / failure),
                measured=variance * float(norm.isf(failure / (2.0 * T))) ** 2,
                note="2 sigma_sgd^2 log(2T/p); measured is the exact quantile of level 1 - p/T of xi^2",
            )  # fmt: skip
