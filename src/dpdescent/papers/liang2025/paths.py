"""The lemmas about the descent's path, measured and beside their bounds: noise, both stages, curvature, no clipping.

Most quantities come from a run with the noise of eq. (4) on unclipped gradients, because the lemmas describe the
descent without clipping. A run without noise on the same data shows what noise adds, and Algorithm 1 how much it clips.
A quantity's name begins with the place of its bound in the paper. The runs are those of `lemmas`.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpdescent.algorithms import dp_2s_gd, two_stage_gd
from dpdescent.data.iv import IVSample
from dpdescent.papers.liang2025 import appendices, cases, formulas, laws
from dpdescent.papers.liang2025.cases import Case
from dpdescent.papers.liang2025.criteria import RATE, claim_on_all_cells, exponent_over, no_faster, panel_rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.bound_rows import (
    ORDER,
    ROUNDING,
    STANDARD_ERRORS,
    VACUOUS,
    Direction,
    bound_row,
    unjudged_row,
    value_at,
)
from dpdescent.replication.judging.criteria import within_of
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence, joined
from dpdescent.replication.judging.records import Regime

Array = NDArray[np.float64]
Quantities = dict[str, float]

# Columns of the descent: Algorithm 1, its noise without clipping, neither noise nor clipping.
CLIPPED, UNCLIPPED, NOISE_FREE = range(3)
# A distance of Theta to its limit that is rounding.
CONVERGED = 1e-10
# Runs with the noise of (4) and without any, by their series.
RUNS = ("measured", "noise-free")


@dataclass(frozen=True)
class Path:
    """An unclipped run of T steps with the moments, step sizes and noise that its bounds need.

    Attributes:
        moments: moments of the sample.
        eta, alpha: step sizes.
        Theta: Theta^(0), ..., Theta^(T), shape (T + 1, q, p).
        beta: beta^(0), ..., beta^(T), shape (T + 1, p).
        nu: noise of the second stage on the mean gradient, shape (T, p).
    """

    moments: two_stage_gd.Moments
    eta: float
    alpha: float
    Theta: Array
    beta: Array
    nu: Array

    @property
    def settled(self) -> int:
        """T0 = T/2, from which step on the second stage contracts in the proof (liang2025 App. C, below eq. 26)."""
        return len(self.nu) // 2

    @property
    def first_stage_error(self) -> Array:
        """||Theta^(t) - Theta_hat|| for t = 0, ..., T, shape (T + 1,)."""
        norms: Array = np.linalg.norm(self.Theta - self.moments.theta_hat, 2, axis=(1, 2))
        return norms

    @property
    def curvature(self) -> Array:
        """Eigenvalues of H^(t) = Theta^(t)' Z'Z Theta^(t) / n in rising order for t < T, shape (T, p)."""
        return np.array([np.linalg.eigvalsh(Theta.T @ self.moments.zz @ Theta) for Theta in self.Theta[:-1]])


def recorded(result: dp_2s_gd.Descent, column: int) -> tuple[Array, Array]:
    """Returns the paths of Theta and beta of one column of a descent that has recorded them."""
    if result.Theta_path is None or result.beta_path is None:
        raise ValueError("the descent kept no paths: record=True is needed")
    return result.Theta_path[:, column], result.beta_path[:, column]


def noise_quantities(noisy: Path, free: Path, Xi: Array, lambda_1: float) -> Quantities:
    """Returns norms of single noises and of the accumulated noise N^(T-1) (liang2025 Lemma D.4, App. E.1).

    N is the difference of the runs with and without noise, because the first stage is linear.
    """
    N, last = noisy.Theta[-1] - free.Theta[-1], len(Xi) - 1
    covariance = appendices.accumulated_noise_covariance(noisy.moments.zz, noisy.eta, lambda_1, last)
    sizes = np.linalg.norm(noisy.nu, axis=1)
    return {
        "E.1 ||Xi||": norm(Xi[-1]),
        "App. C ||nu||": float(sizes[-1]),
        "E.1 max ||nu||": float(sizes.max()),
        "D.4 ||N||": norm(N),
        "E.4 ||N||_F^2 over its mean given Z": float(np.sum(N**2) / (N.shape[1] * np.trace(covariance))),
        "E.1 closed forms against the runs": closed_form_gap(noisy, Xi),
    }


def closed_form_gap(path: Path, Xi: Array) -> float:
    """Returns the largest distance of a run to its closed forms, divided by its largest iterate (App. E.1)."""
    Theta = appendices.first_stage_path(path.moments, path.eta, Xi)
    beta = appendices.second_stage_path(path.moments, path.Theta, path.alpha, path.nu)
    gaps = [np.abs(closed - run).max() / np.abs(run).max() for closed, run in ((Theta, path.Theta), (beta, path.beta))]
    return float(max(gaps))


def path_quantities(path: Path, window: formulas.Spectrum) -> Quantities:
    """Returns the quantities that depend on the path, split at T0 (liang2025 eq. 14, 16, 18, 19 and Lemma D.9)."""
    T0, errors, curvature = path.settled, path.first_stage_error, path.curvature
    growth = np.abs(1 - path.alpha * curvature).max(axis=1)
    return {
        "(19) max ||e_Theta|| before T0": float(errors[:T0].max()),
        "(18) max ||e_Theta|| from T0": float(errors[T0:-1].max()),
        "(14) lambda_min(H) from T0": float(curvature[T0:].min()),
        "(14) lambda_max(H) from T0": float(curvature[T0:].max()),
        "D.9 product of ||I - alpha H|| before T0": float(np.prod(growth[:T0])),
        "(16) ||e_beta||": norm(path.beta[-1] - path.moments.beta_hat),
        "(26) ||e_beta|| at T/2": norm(path.beta[T0] - path.moments.beta_hat),
        "(13) ||H - H_hat|| over its bound from T0": curvature_error(path, window),
        **second_stage_bound(path, window),
    }


def curvature_error(path: Path, window: formulas.Spectrum) -> float:
    """Returns the largest ratio from T0 on of ||H^(t) - H_hat|| to the bound above eq. (13), at the step's distance."""
    zz, target, largest = path.moments.zz, path.moments.theta_hat, 0.0
    H_hat = target.T @ zz @ target
    for Theta, radius in zip(path.Theta[path.settled : -1], path.first_stage_error[path.settled : -1], strict=True):
        bound = (2 * norm(target) + radius) * (1 + window.delta) ** 2 * radius
        # Both sides are rounding once the first stage has converged.
        largest = max(largest, norm(Theta.T @ zz @ Theta - H_hat) / bound if radius > CONVERGED else 0.0)
    return largest


def second_stage_bound(path: Path, window: formulas.Spectrum) -> Quantities:
    """Returns the right-hand side of liang2025 eq. (16) at the trial's own norms, and whether (16) applies.

    It applies where ||e_Theta|| <= eps_bar from T0 on (eq. 13) and kappa_beta < 1; elsewhere there is no right-hand
    side.
    """
    moments, T0, T = path.moments, path.settled, len(path.nu)
    radius, theta_hat_norm = float(path.first_stage_error[T0:-1].max()), norm(moments.theta_hat)
    kappa = formulas.contraction(window, formulas.StepSizes(path.eta, path.alpha)).beta
    if kappa >= 1 or radius > laws.error_radius(window, theta_hat_norm):
        return {"(16) applies": 0.0}
    errors = np.linalg.norm(path.beta - moments.beta_hat, axis=1)
    bound = laws.second_stage_error(
        window=window, kappa_beta=kappa, alpha=path.alpha, radius=radius, theta_hat_norm=theta_hat_norm,
        beta_hat_norm=norm(moments.beta_hat), residual_norm=norm(moments.residual),
        noise_norm=float(np.linalg.norm(path.nu[T0:], axis=1).max()), start_error=float(errors[T0]), elapsed=T - T0,
    )  # fmt: skip
    return {"(16) applies": 1.0, "(16) right-hand side": bound, "(16) error over bound": float(errors[-1]) / bound}


def clip_quantities(sample: IVSample, path: Path, result: dp_2s_gd.Descent) -> Quantities:
    """Returns Algorithm 1's shares of clipped gradients, and the largest ones of the unclipped path (Lemma D.1).

    At thresholds of that size the unclipped path would not have been clipped.
    """
    first, second = largest_gradients(sample, path.Theta, path.beta)
    return {
        "D.1 largest gradient, stage 1": first,
        "D.1 largest gradient, stage 2": second,
        "D.1 clip fraction, stage 1": float(result.clipped1[CLIPPED]),
        "D.1 clip fraction, stage 2": float(result.clipped2[CLIPPED]),
    }


def largest_gradients(sample: IVSample, Thetas: Array, betas: Array) -> tuple[float, float]:
    """Returns the largest norm of each stage's per-sample gradients over all records and steps (liang2025 App. E.1)."""
    z_norm, first, second = np.linalg.norm(sample.Z, axis=1), 0.0, 0.0
    for Theta, beta in zip(Thetas[:-1], betas[:-1], strict=True):
        V = sample.Z @ Theta
        first = max(first, float((z_norm * np.linalg.norm(V - sample.X, axis=1)).max()))
        second = max(second, float((np.linalg.norm(V, axis=1) * np.abs(V @ beta - sample.y)).max()))
    return first, second


def norm(value: Array) -> float:
    """Returns the operator norm of a matrix or the Euclidean norm of a vector."""
    return float(np.linalg.norm(value, 2))


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the growth of accumulated noise and of the largest gradients."""
    yield claim_on_all_cells(
        id="lemma-D.4-level", artefact="table_rates", location="Lemma D.4", kind="theorem", source="paper",
        statement="at a fixed noise scale the accumulated noise of the first stage does not grow with the iterations",
        quantity="exponent in T of the mean norm of the accumulated noise over lambda1, T = 20 to 2000",
        cells={"over T": algebra.least_squares_slope(panel_rows(evidence, "over T", "D.4 ||N|| / lambda1"), "T")}, criterion=no_faster(),
    )  # fmt: skip

    def threshold(row: "pd.Series[float]") -> float:
        return formulas.clipping_threshold(1.0, int(row["n"]), int(row["q"]), row["T"], row["tau"])

    cells = {}
    for axis in ("n", "q", "T"):
        for stage in (1, 2):
            rows = panel_rows(evidence, f"gradients {axis}", f"D.1 largest gradient, stage {stage}")
            cells[f"stage {stage}, {axis}"] = exponent_over(rows, axis, threshold)
    yield claim_on_all_cells(
        id="lemma-D.1-gradients", artefact="table_rates", location="Lemma D.1, App. E.1", kind="theorem", source="paper",
        statement="the largest per-record gradient grows with q and with log(nT) at most as (sqrt q + sqrt(tau + log nT))^2",
        quantity="exponent of the mean largest gradient of either stage over that order, in n, q and T",
        cells=cells, criterion=no_faster(),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="lemma-D.1-gradients-attained", artefact="table_rates", location="Lemma D.1, App. E.1", kind="theorem", source="ours",
        statement="(ours, the order read as 'grows as'; an upper bound need not be attained) the largest per-record gradient grows with q and with log(nT) as (sqrt q + sqrt(tau + log nT))^2",
        quantity="exponent of the mean largest gradient of either stage over that order, in n, q and T",
        cells=cells, criterion=within_of(0.0, RATE), changed="Added after a review that had seen the exponents.",
        regime=Regime(("q grows at p = 5, where the proof bounds sqrt(p) by sqrt(q)",), blocks=("not reproduced",)),
        note="in n and T the order is a logarithm, from which a tenth in the exponent is not far",
    )  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """A setting of `table_lemmas` and its rows of that table."""

    case: Case
    rows: pd.DataFrame

    @property
    def rates(self) -> formulas.Contraction:
        """kappa_Theta and kappa_beta at constants that make them bounds, and the experiments' step sizes."""
        return formulas.contraction(self.case.window, self.case.steps)

    @property
    def theta_hat_norm(self) -> float:
        """Bound on ||Theta_hat||, by Lemma D.5."""
        return self.case.problem.theta_norm + formulas.psi(self.case.problem, self.case.bound_constants)

    @property
    def T0(self) -> int:
        """T/2, where the experiment splits its paths (liang2025 App. C, below eq. 26)."""
        return self.case.T // 2

    def radius(self, burn_in: float) -> float:
        """eps of eq. (18) from `burn_in` on, and eq. (19) at 0."""
        case = self.case
        return laws.first_stage_radius(
            case.problem, self.rates.theta, case.steps.eta, case.lambda_1, self.theta_hat_norm, burn_in
        )

    def quantile(self, quantity: str, column: str, series: str = "measured") -> float | None:
        """A column of the quantity's row, None where there is none."""
        return value_at(self.rows, column, quantity=quantity, series=series)

    def upper(
        self, quantity: str, location: str, value: float, note: str = "", series: str = "measured", name: str = ""
    ) -> Bound:
        """An upper bound beside the 97.5 % quantile; it takes the quantity's name unless it has one of its own."""
        measured = self.quantile(quantity, "q975", series)
        return self.row(named(name or quantity, series), location, value, measured, note)

    def lower(self, quantity: str, location: str, value: float, note: str = "", series: str = "measured") -> Bound:
        """A lower bound beside the 2.5 % quantile."""
        note = joined(note, f"{VACUOUS}: not positive") if value <= 0 else note
        return self.row(
            named(quantity, series), location, value, self.quantile(quantity, "q025", series), note, "at least"
        )

    def row(
        self, bound: str, location: str, value: float, measured: float | None, note: str = "",
        direction: Direction = "at most",
    ) -> Bound:  # fmt: skip
        """A row of the bounds at this setting; open where a value lies beyond a bound whose constant is hidden."""
        row = bound_row(
            bound=bound, location=location, setting=self.case.text, value=value, measured=measured,
            direction=direction, note=note,
        )  # fmt: skip
        return cases.order_row(row) if ORDER in note else row


def named(quantity: str, series: str) -> str:
    """The name of a bound, with an addition for the run without noise."""
    return quantity if series == "measured" else f"{quantity}, {series}"


def cells(evidence: Evidence) -> Iterator[Cell]:
    """The cells of `table_lemmas`."""
    for (p, q, n), rows in evidence.select("table_lemmas").groupby(["p", "q", "n"]):
        r, T, rho1, rho2 = (rows[column].iloc[0] for column in ("r", "T", "rho1", "rho2"))
        case = cases.case(
            evidence, ("lemmas", "table_lemmas", ""), n=int(n), T=int(T), rho1=float(rho1), rho2=float(rho2),
            shape={"p": int(p), "q": int(q), "r": int(r)},
        )  # fmt: skip
        yield Cell(case, rows)


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the bounds on a path in every cell of `table_lemmas`, at constants that make them bounds."""
    for cell in cells(evidence):
        for group in (_noise, _first_stage, radius_rows, curvature_rows, second_stage_rows, _no_clipping):
            yield from group(cell)


def _noise(cell: Cell) -> Iterator[Bound]:
    case = cell.case
    size = appendices.noise_operator_norm(case.problem, case.lambda_1)
    yield cell.upper("E.1 ||Xi||", "App. E.1", size, "at one step; probability 1 - exp(-tau)")
    once = laws.second_stage_noise(case.problem, case.lambda_2)
    yield cell.upper("App. C ||nu||", "above (16)", once, f"at one step; {ORDER}")
    always = laws.second_stage_noise(case.problem, case.lambda_2, steps=case.T)
    yield cell.upper("E.1 max ||nu||", "App. E.1", always, f"at all steps; {ORDER}")
    beta, Phi, phi = case.parameters.beta, case.parameters.Phi, case.parameters.phi
    exact = float(np.sqrt(np.sum((Phi @ beta + phi) ** 2) + beta @ beta + 1))
    printed = appendices.reduced_form_sigma(case.problem, case.beta_norm)
    why = "measured is the exact sd of beta'eps2 + eps1; the formula takes both errors as independent"
    yield cell.row("E.1 sigma of beta'eps2 + eps1", "App. E.1", printed, exact, why)


def _first_stage(cell: Cell) -> Iterator[Bound]:
    case, probability = cell.case, "at one step; probability 1 - 3 exp(-tau)"
    accumulated = appendices.accumulated_noise(case.problem, cell.rates.theta, case.steps.eta, case.lambda_1)
    yield cell.upper("D.4 ||N||", "Lemma D.4", accumulated, probability)
    name = "E.4 ||N||_F^2 over its mean given Z"
    mean, se = cell.quantile(name, "mean"), cell.quantile(name, "se")
    close = mean is not None and se is not None and abs(mean - 1) <= STANDARD_ERRORS * se
    why = f"identity: the mean over trials, within {STANDARD_ERRORS:g} standard errors"
    yield Bound(name, "App. E.4", case.text, 1.0, mean, close, why)
    why = "identity: distance relative to the largest iterate, up to rounding"
    yield cell.upper("E.1 closed forms against the runs", "App. E.1", ROUNDING, why)


def radius_rows(cell: Cell) -> Iterator[Bound]:
    """Yields the bounds on the distance of Theta to its limit, and the distance within which the second stage contracts."""
    case = cell.case
    start = f"at all steps, although stated for one; ||Theta_hat|| at most {cell.theta_hat_norm:.3g} by Lemma D.5"
    yield cell.upper("(19) max ||e_Theta|| before T0", "(19)", cell.radius(0), start)
    yield cell.upper("(18) max ||e_Theta|| from T0", "(18)", cell.radius(cell.T0), start)
    radius = laws.error_radius(case.window, cell.theta_hat_norm)
    needed = "condition for (14) and (16), where noise must not carry Theta further; measured is ||e_Theta|| from T0"
    measured = cell.quantile("(18) max ||e_Theta|| from T0", "q975")
    yield cell.row("(20) eps_bar", "(13), (20)", radius, measured, needed)


def curvature_rows(cell: Cell, runs: Sequence[str] = RUNS) -> Iterator[Bound]:
    """Yields the bounds on eigenvalues of H and on the transient growth, of runs with and without noise."""
    case, window = cell.case, laws.hessian_window(cell.case.window)
    t0 = laws.burn_in(case.window, cell.rates.theta, cell.theta_hat_norm)
    growth = appendices.transient_growth(case.window, case.steps.alpha, cell.theta_hat_norm, cell.radius(0), t0)
    why = "holds by the proof only while ||e_Theta|| is at most eps_bar"
    for series in runs:
        yield cell.lower("(14) lambda_min(H) from T0", "above (14)", window.lower, why, series)
        yield cell.upper("(14) lambda_max(H) from T0", "above (14)", window.upper, why, series)
        product = "D.9 product of ||I - alpha H|| before T0"
        yield cell.upper(product, "App. E.9", growth, f"c_L^t0 with t0 = {t0:g} of (22)", series)


def second_stage_rows(cell: Cell, runs: Sequence[str] = RUNS) -> Iterator[Bound]:
    """Yields the bounds on the second stage's error, of runs with and without noise."""
    half = 1.0 + laws.second_stage_noise(cell.case.problem, cell.case.lambda_2)
    for series in runs:
        yield cell.upper("(26) ||e_beta|| at T/2", "(26), (27)", half, ORDER, series)
        why = "ratio to (2 ||Theta_hat|| + eps) (1 + delta)^2 eps, eps the step's own distance"
        yield cell.upper("(13) ||H - H_hat|| over its bound from T0", "above (13)", 1.0, why, series)
        yield _second_stage_error(cell, series)


def _second_stage_error(cell: Cell, series: str) -> Bound:
    """The second-stage error beside each trial's own bound; value and measured are medians."""
    name, text = named("(16) ||e_beta||", series), cell.case.text
    error, bound = (cell.quantile(name, "median", series) for name in ("(16) ||e_beta||", "(16) right-hand side"))
    ratio, share = cell.quantile("(16) error over bound", "q975", series), cell.quantile("(16) applies", "mean", series)
    if bound is None or ratio is None or share is None:
        why = f"{VACUOUS}: no trial has ||e_Theta|| at most eps_bar and kappa_beta below 1"
        return unjudged_row(bound=name, location="(16)", setting=text, value=math.inf, note=why, measured=error)
    note = f"medians, each trial's own norms; applies in {share:.0%} of trials; error over bound at most {ratio:.3g}"
    return Bound(name, "(16)", text, bound, error, ratio <= 1, f"{note} in 97.5 % of them")


def _no_clipping(cell: Cell) -> Iterator[Bound]:
    case = cell.case
    thresholds = (
        ("(32) gamma1", appendices.no_clipping_first_stage(case.problem, case.rho1, case.T)),
        ("(35) gamma2", appendices.no_clipping_second_stage(case.problem, case.rho2, case.T)),
    )
    for stage, (name, threshold) in enumerate(thresholds, start=1):
        largest = f"D.1 largest gradient, stage {stage}"
        yield cell.upper(largest, "App. E.1", threshold, f"measured is the {largest[4:]}; {ORDER}", name=name)
    records = appendices.no_clipping_sample_size(case.problem, case.rho1, case.rho2, case.T)
    yield cell.row("D.1 n", "Lemma D.1", records, case.problem.n, ORDER, "at least")
