"""The lemmas of liang2025's appendices at constants that make them bounds, beside quantiles of what they bound."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dpdescent.papers.liang2025.bounds.cases import Case, Design, case
from dpdescent.papers.liang2025.theory import convergence, error_bounds, lemmas, prescriptions
from dpdescent.replication.judging.bound_rows import (
    ORDER,
    ROUNDING,
    STANDARD_ERRORS,
    VACUOUS,
    Direction,
    pick,
    row,
    stated,
)
from dpdescent.replication.judging.evidence import Bound, Evidence, joined


@dataclass(frozen=True)
class Cell:
    """A setting of `table_lemmas` and its rows of that table."""

    case: Case
    rows: pd.DataFrame

    @property
    def rates(self) -> prescriptions.Contraction:
        """kappa_Theta and kappa_beta at constants that make them bounds, and the experiments' step sizes."""
        return prescriptions.contraction(self.case.window, self.case.steps)

    @property
    def theta_hat_norm(self) -> float:
        """Bound on ||Theta_hat||, by Lemma D.5."""
        return self.case.problem.theta_norm + prescriptions.psi(self.case.problem, self.case.bound_constants)

    @property
    def T0(self) -> int:
        """T/2, where the experiment splits its paths (liang2025 App. C, below eq. 26)."""
        return self.case.T // 2

    def radius(self, burn_in: float) -> float:
        """eps of eq. (18) from `burn_in` on, and eq. (19) at 0."""
        case = self.case
        return convergence.first_stage_radius(
            case.problem, self.rates.theta, case.steps.eta, case.lambda_1, self.theta_hat_norm, burn_in
        )

    def quantile(self, quantity: str, column: str, series: str = "measured") -> float | None:
        """A column of the quantity's row, None where there is none."""
        return pick(self.rows, column, quantity=quantity, series=series)

    def upper(
        self, quantity: str, location: str, value: float, note: str = "", series: str = "measured", name: str = ""
    ) -> Bound:
        """An upper bound beside the 97.5 % quantile; it takes the quantity's name unless it has one of its own."""
        return self._beside(quantity, location, value, "q975", "at most", note, series, name)

    def lower(self, quantity: str, location: str, value: float, note: str = "", series: str = "measured") -> Bound:
        """A lower bound beside the 2.5 % quantile."""
        if value <= 0:
            note = joined(note, f"{VACUOUS}: not positive")
        return self._beside(quantity, location, value, "q025", "at least", note, series, "")

    def _beside(
        self,
        quantity: str,
        location: str,
        value: float,
        column: str,
        direction: Direction,
        note: str,
        series: str,
        name: str,
    ) -> Bound:
        measured = self.quantile(quantity, column, series)
        return row(
            bound=named(name or quantity, series), location=location, setting=self.case.text, value=value,
            measured=measured, direction=direction, note=note,
        )  # fmt: skip


def named(quantity: str, series: str) -> str:
    """The name of a bound, which tells the run without noise apart."""
    return quantity if series == "measured" else f"{quantity}, {series}"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates rows of every cell of `table_lemmas`; measured is the quantile on the bound's side."""
    groups = (
        _sample,
        _records,
        _estimators,
        _conditions,
        _noise,
        _first_stage,
        _curvature,
        _second_stage,
        _growth,
        _no_clipping,
    )
    for cell in cells(evidence):
        for group in groups:
            yield from group(cell)


def cells(evidence: Evidence) -> Iterator[Cell]:
    """The cells of `table_lemmas`."""
    for (p, q, n), rows in evidence.select("table_lemmas").groupby(["p", "q", "n"]):
        r, T, rho1, rho2 = (rows[column].iloc[0] for column in ("r", "T", "rho1", "rho2"))
        design = Design("lemmas", "table_lemmas", "", known=(("p", int(p)), ("q", int(q)), ("r", int(r))))
        yield Cell(case(evidence, design, n=int(n), T=int(T), rho1=float(rho1), rho2=float(rho2)), rows)


def _sample(cell: Cell) -> Iterator[Bound]:
    problem, constants, n = cell.case.problem, cell.case.bound_constants, cell.case.problem.n
    instruments = lemmas.instrument_singular_values(problem, constants)
    often = "probability 1 - 2 exp(-tau)"
    yield cell.lower("D.2 sigma_min(Z)/sqrt(n)", "Lemma D.2", instruments.lower / np.sqrt(n), often)
    yield cell.upper("D.2 sigma_max(Z)/sqrt(n)", "Lemma D.2", instruments.upper / np.sqrt(n), often)
    often = "probability 1 - exp(-tau)"
    yield cell.upper("D.3 ||Z'E2||/n", "Lemma D.3", lemmas.instrument_regressor_error(problem, constants) / n, often)
    outcome = lemmas.instrument_outcome_error(problem, constants) / n
    needed = constants.first_stage * (cell.quantile("(47) ||Z'E1||/n", "q975") or 0.0) / outcome
    yield cell.upper(
        "(47) ||Z'E1||/n", "App. E.7", outcome, f"{often}; c0, the same as in D.3, would have to be {needed:.2g}"
    )
    product = lemmas.regressor_instrument_product(problem, constants) / n
    yield cell.upper("(48) ||X'Z||/n", "App. E.7", product, "probability 1 - 3 exp(-tau)")


def _records(cell: Cell) -> Iterator[Bound]:
    """Yields the shares of records beyond the norms of App. E.1, beside the probability that it allows."""
    for quantity in ("E.1 share of ||z_i|| beyond", "E.1 share of ||eps2_i|| beyond"):
        yield row(
            bound=quantity, location="App. E.1", setting=cell.case.text, value=math.exp(-cell.case.problem.tau),
            measured=cell.quantile(quantity, "mean"), note="exp(-tau), at the constant sqrt(2) of Gaussian vectors",
        )  # fmt: skip


def _estimators(cell: Cell) -> Iterator[Bound]:
    problem, constants, window = cell.case.problem, cell.case.bound_constants, cell.case.window
    often = "probability 1 - 3 exp(-tau)"
    yield cell.upper("D.5 ||Theta_hat - Theta||", "Lemma D.5", prescriptions.psi(problem, constants), often)
    yield cell.lower("D.6 lambda_min(H_hat)", "Lemma D.6", window.lower, often)
    yield cell.upper("D.6 lambda_max(H_hat)", "Lemma D.6", window.upper, often)
    explicit = lemmas.two_stage_least_squares_bound(problem, constants)
    yield cell.upper(
        "D.7 ||beta_hat - beta||",
        "(45) to (48)",
        explicit,
        f"probability 1 - 4 exp(-tau){cell.case.beside_start(explicit)}",
    )
    rate, order = lemmas.two_stage_least_squares_rate(problem), "D.7 order of ||beta_hat - beta||"
    yield cell.upper("D.7 ||beta_hat - beta||", "Lemma D.7", rate, ORDER, name=order)
    explicit = lemmas.residual_bound(problem, constants, cell.case.beta_norm) / problem.n
    yield cell.upper("D.8 ||Z'r||/n", "last display of App. E.8", explicit, "zero where p = q")
    rate, order = lemmas.residual_rate(problem) / problem.n, "D.8 order of ||Z'r||/n"
    yield cell.upper("D.8 ||Z'r||/n", "Lemma D.8", rate, ORDER, name=order)
    projected = cell.theta_hat_norm * explicit
    why = "||Theta_hat|| times the bound on ||Z'r||/n, as in (16); zero by the normal equations"
    yield cell.upper("(12) ||Theta_hat'Z'r||/n", "(16)", projected, why)


def _conditions(cell: Cell) -> Iterator[Bound]:
    """Yields what the proofs ask of the setting itself, at the same constants."""
    at, steps, text = cell.case, cell.case.steps, cell.case.text
    ceilings = prescriptions.step_size_ceilings(at.window)
    yield row(
        bound="(3) eta", location="(3)", setting=text, value=ceilings.eta, measured=steps.eta,
        note="measured is the experiments' step size",
    )  # fmt: skip
    yield row(
        bound="(3) alpha", location="(3)", setting=text, value=ceilings.alpha, measured=steps.alpha,
        note="measured is the experiments' step size",
    )  # fmt: skip
    t0 = convergence.burn_in(at.window, cell.rates.theta, cell.theta_hat_norm)
    yield row(
        bound="(22) t0", location="(22)", setting=text, value=t0, measured=cell.T0, direction="at least",
        note="measured is T0 = T/2 of the experiment",
    )  # fmt: skip
    limit = error_bounds.explicit_iteration_limit(
        at.problem, at.window, cell.rates.theta, steps.eta, at.rho1, cell.theta_hat_norm, clip_constant=at.clip_constant
    )
    admitted = "" if limit >= 1 else "; no T >= 1 is admitted"
    yield row(
        bound="(21) T", location="(21)", setting=text, value=limit, measured=at.T, note=f"measured is T{admitted}",
    )  # fmt: skip


def _noise(cell: Cell) -> Iterator[Bound]:
    at = cell.case
    size = lemmas.noise_operator_norm(at.problem, at.lambda_1)
    yield cell.upper("E.1 ||Xi||", "App. E.1", size, "at one step; probability 1 - exp(-tau)")
    once = error_bounds.second_stage_noise(at.problem, at.lambda_2)
    yield cell.upper("App. C ||nu||", "above (16)", once, f"at one step; {ORDER}")
    always = error_bounds.second_stage_noise(at.problem, at.lambda_2, steps=at.T)
    yield cell.upper("E.1 max ||nu||", "App. E.1", always, f"at all steps; {ORDER}")
    beta, Phi, phi = at.parameters.beta, at.parameters.Phi, at.parameters.phi
    exact = float(np.sqrt(np.sum((Phi @ beta + phi) ** 2) + beta @ beta + 1))
    printed = lemmas.reduced_form_sigma(at.problem, at.beta_norm)
    why = "measured is the exact sd of beta'eps2 + eps1; the formula takes both errors as independent"
    yield row(
        bound="E.1 sigma of beta'eps2 + eps1", location="App. E.1", setting=at.text, value=printed, measured=exact,
        note=why,
    )  # fmt: skip


def _first_stage(cell: Cell) -> Iterator[Bound]:
    at, often = cell.case, "at one step; probability 1 - 3 exp(-tau)"
    accumulated = lemmas.accumulated_noise(at.problem, cell.rates.theta, at.steps.eta, at.lambda_1)
    yield cell.upper("D.4 ||N||", "Lemma D.4", accumulated, often)
    yield _exact_mean(cell, "E.4 ||N||_F^2 over its mean given Z", "App. E.4")
    why = "identity: distance relative to the largest iterate, up to rounding"
    yield cell.upper("E.1 closed forms against the runs", "App. E.1", ROUNDING, why)
    start = f"at all steps, although stated for one; ||Theta_hat|| at most {cell.theta_hat_norm:.3g} by Lemma D.5"
    yield cell.upper("(19) max ||e_Theta|| before T0", "(19)", cell.radius(0), start)
    yield cell.upper("(18) max ||e_Theta|| from T0", "(18)", cell.radius(cell.T0), start)
    radius = convergence.error_radius(at.window, cell.theta_hat_norm)
    needed = "condition for (14) and (16), where noise must not carry Theta further; measured is ||e_Theta|| from T0"
    measured = cell.quantile("(18) max ||e_Theta|| from T0", "q975")
    yield row(
        bound="(20) eps_bar", location="(13), (20)", setting=at.text, value=radius, measured=measured, note=needed,
    )  # fmt: skip


def _exact_mean(cell: Cell, quantity: str, location: str) -> Bound:
    mean, se = cell.quantile(quantity, "mean"), cell.quantile(quantity, "se")
    close = mean is not None and se is not None and abs(mean - 1) <= STANDARD_ERRORS * se
    note = f"identity: the mean over trials, within {STANDARD_ERRORS:g} standard errors"
    return Bound(quantity, location, cell.case.text, 1.0, mean, close, note)


def _curvature(cell: Cell) -> Iterator[Bound]:
    window = convergence.hessian_window(cell.case.window)
    why = "holds by the proof only while ||e_Theta|| is at most eps_bar"
    for series in ("measured", "noise-free"):
        yield cell.lower("(14) lambda_min(H) from T0", "above (14)", window.lower, why, series)
        yield cell.upper("(14) lambda_max(H) from T0", "above (14)", window.upper, why, series)


def _second_stage(cell: Cell) -> Iterator[Bound]:
    at = cell.case
    half = 1.0 + error_bounds.second_stage_noise(at.problem, at.lambda_2)
    for series in ("measured", "noise-free"):
        yield cell.upper("(26) ||e_beta|| at T/2", "(26), (27)", half, ORDER, series)
        why = "ratio to (2 ||Theta_hat|| + eps) (1 + delta)^2 eps, eps the step's own distance"
        yield cell.upper("(13) ||H - H_hat|| over its bound from T0", "above (13)", 1.0, why, series)
        yield _second_stage_error(cell, series)


def _second_stage_error(cell: Cell, series: str) -> Bound:
    """Yields the second-stage error beside each trial's own bound; value and measured are medians."""
    name, text = named("(16) ||e_beta||", series), cell.case.text
    error, bound = (cell.quantile(name, "median", series) for name in ("(16) ||e_beta||", "(16) right-hand side"))
    ratio, share = cell.quantile("(16) error over bound", "q975", series), cell.quantile("(16) applies", "mean", series)
    if bound is None or ratio is None or share is None:
        why = f"{VACUOUS}: no trial has ||e_Theta|| at most eps_bar and kappa_beta below 1"
        return stated(bound=name, location="(16)", setting=text, value=math.inf, note=why, measured=error)
    note = f"medians, each trial's own norms; applies in {share:.0%} of trials; error over bound at most {ratio:.3g}"
    return Bound(name, "(16)", text, bound, error, ratio <= 1, f"{note} in 97.5 % of them")


def _growth(cell: Cell) -> Iterator[Bound]:
    at = cell.case
    t0 = convergence.burn_in(at.window, cell.rates.theta, cell.theta_hat_norm)
    bound = lemmas.transient_growth(at.window, at.steps.alpha, cell.theta_hat_norm, cell.radius(0), t0)
    why = f"c_L^t0 with t0 = {t0:g} of (22)"
    for series in ("measured", "noise-free"):
        yield cell.upper("D.9 product of ||I - alpha H|| before T0", "App. E.9", bound, why, series)


def _no_clipping(cell: Cell) -> Iterator[Bound]:
    at, text = cell.case, cell.case.text
    thresholds = (
        ("(32) gamma1", lemmas.no_clipping_first_stage(at.problem, at.rho1, at.T)),
        ("(35) gamma2", lemmas.no_clipping_second_stage(at.problem, at.rho2, at.T)),
    )
    for stage, (name, threshold) in enumerate(thresholds, start=1):
        largest, share = f"D.1 largest gradient, stage {stage}", f"D.1 clip fraction, stage {stage}"
        yield cell.upper(largest, "App. E.1", threshold, f"measured is the {largest[4:]}; {ORDER}", name=name)
        why = f"measured is the {largest[4:]}; the experiments' threshold"
        yield cell.upper(largest, "(4)", at.gamma, why, name=f"(4) gamma, stage {stage}")
        why = "the lemma says none, at hidden constants; measured is the mean at the experiments' threshold"
        yield row(
            bound=share, location="Lemma D.1", setting=text, value=0.0, measured=cell.quantile(share, "mean"),
            note=why,
        )  # fmt: skip
    records = lemmas.no_clipping_sample_size(at.problem, at.rho1, at.rho2, at.T)
    yield row(
        bound="D.1 n", location="Lemma D.1", setting=text, value=records, measured=at.problem.n, direction="at least",
        note=ORDER,
    )  # fmt: skip
