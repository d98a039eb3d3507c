"""The lemmas of appendices C to E, measured on Gaussian data; here those about moments of the sample.

Those about the descent's path are in `paths`. A quantity's name begins with the place of its bound in the paper.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from dpdescent.algorithms import dp_2s_gd, two_stage_gd
from dpdescent.data.iv import IVParameters, IVSample
from dpdescent.papers.liang2025 import appendices, formulas, laws, setting
from dpdescent.papers.liang2025.cases import problem_of
from dpdescent.papers.liang2025.criteria import RATE, claim_on_all_cells, exponent_over, no_faster, panel_rows
from dpdescent.papers.liang2025.formulas import IVProblem
from dpdescent.papers.liang2025.paths import (
    NOISE_FREE,
    UNCLIPPED,
    Array,
    Cell,
    Path,
    Quantities,
    cells,
    clip_quantities,
    noise_quantities,
    norm,
    path_quantities,
    recorded,
)
from dpdescent.papers.liang2025.setting import Arm, Entry, Row, Spec, mechanism
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.bound_rows import ORDER
from dpdescent.replication.judging.criteria import within_of
from dpdescent.replication.judging.evidence import Bound, Claim, Evidence
from dpdescent.replication.judging.records import Place
from dpdescent.replication.judging.statistics import Estimate

LEMMAS: Place = {
    "artefact": "table_rates", "location": "Lemmas D.2, D.3, D.5, D.7, D.8", "kind": "theorem", "source": "paper",
}  # fmt: skip
# Quantities that fall like 1 / sqrt(n).
FALLING = (
    "D.2 ||Z'Z/n - I||", "D.3 ||Z'E2||/n", "D.5 ||Theta_hat - Theta||", "D.7 ||beta_hat - beta||", "D.8 ||Z'r||/n",
)  # fmt: skip
TWO_STAGE = "D.7 ||beta_hat - beta||"
# Below it Z'r is rounding: it is 0 where p = q.
ROUNDING = 1e-12


def run_table_lemmas(spec: Spec) -> Iterator[Row]:
    """Yields rows of one design and sample size: every quantity of a trial, `measured` with noise, or `noise-free`."""
    shape = {symbol: spec["cell"][symbol] for symbol in ("p", "q", "r", "n")} | spec["arms"]
    for trial in range(*spec["trials"]):
        parameters, problem, sample = setting.drawn(spec, trial)
        runs, moments = arms(spec, problem), two_stage_gd.Moments.of(sample)
        settings, normals = setting.columns(runs, problem.n), setting.normals(spec, trial, runs, sample)
        result = dp_2s_gd.descend(sample, settings, normals, record=True)
        steps, lambda1 = runs[0].steps, float(settings.lambda1[UNCLIPPED])
        noisy, free = (
            Path(
                moments, steps.eta, steps.alpha, *recorded(result, column),
                settings.lambda2[column] * normals.stage2[:, 0],
            )
            for column in (UNCLIPPED, NOISE_FREE)
        )  # fmt: skip
        window = formulas.spectrum(problem, setting.bound_constants(spec))
        quantities = {
            "measured": {
                **sample_quantities(sample, parameters, moments, problem.tau),
                **noise_quantities(noisy, free, lambda1 * normals.stage1[:, 0].swapaxes(1, 2), lambda1),
                **path_quantities(noisy, window), **clip_quantities(sample, noisy, result),
            },
            "noise-free": path_quantities(free, window),
        }  # fmt: skip
        for series, values in quantities.items():
            for name, value in values.items():
                yield {**shape, "quantity": name, "series": series, "trial": trial, "value": value}


def releases_table_lemmas(spec: Spec) -> Iterator[Entry]:
    """Yields the ledger entries of one cell: Algorithm 1, and both diagnostic runs, which guarantee nothing."""
    n, delta = spec["cell"]["n"], spec["settings"]["dp_delta"]
    shape = " ".join(f"{symbol}={spec['cell'][symbol]}" for symbol in ("p", "q"))
    for arm in arms(spec, setting.problem_of(spec)):
        yield f"{spec['variant']}: {arm.algorithm} {shape} n={n} T={arm.T}", mechanism(arm, n), delta


def arms(spec: Spec, problem: IVProblem) -> list[Arm]:
    """Algorithm 1 at the artefact's budgets, its noise without clipping, and Algorithm 2 at its step sizes."""
    private = setting.private(spec, problem, *(spec["arms"][name] for name in ("T", "rho1", "rho2")))
    free = replace(private, algorithm="2S-GD", rho1=math.inf, rho2=math.inf, gamma=math.inf)
    return [private, replace(private, algorithm="DP-2S-GD, unclipped"), free]


def sample_quantities(
    sample: IVSample, parameters: IVParameters, moments: two_stage_gd.Moments, tau: float
) -> Quantities:
    """Returns the quantities that depend on the data alone: Lemmas D.2, D.3, D.5 to D.8, eq. (47), (48), App. E.1.

    The norms of App. E.1, beyond which shares of records are counted, have the constant sqrt(2) of Gaussian vectors.
    """

    def beyond(rows: Array, sigma: float) -> float:
        reach = sigma * (math.sqrt(rows.shape[1]) + math.sqrt(2 * tau))
        return float((np.linalg.norm(rows, axis=1) > reach).mean())

    E2 = sample.X - sample.Z @ parameters.Theta
    E1 = sample.y - sample.X @ parameters.beta
    instruments = np.linalg.svd(sample.Z, compute_uv=False) / math.sqrt(sample.n)
    H_hat = np.linalg.eigvalsh(moments.theta_hat.T @ moments.zz @ moments.theta_hat)
    return {
        "D.2 sigma_min(Z)/sqrt(n)": float(instruments[-1]),
        "D.2 sigma_max(Z)/sqrt(n)": float(instruments[0]),
        "D.3 ||Z'E2||/n": norm(sample.Z.T @ E2 / sample.n),
        "(47) ||Z'E1||/n": norm(sample.Z.T @ E1 / sample.n),
        "(48) ||X'Z||/n": norm(moments.zx),
        "D.5 ||Theta_hat - Theta||": norm(moments.theta_hat - parameters.Theta),
        "D.6 lambda_min(H_hat)": float(H_hat[0]),
        "D.6 lambda_max(H_hat)": float(H_hat[-1]),
        "D.7 ||beta_hat - beta||": norm(moments.beta_hat - parameters.beta),
        "D.8 ||Z'r||/n": norm(moments.residual),
        "(12) ||Theta_hat'Z'r||/n": norm(moments.theta_hat.T @ moments.residual),
        "E.1 share of ||z_i|| beyond": beyond(sample.Z, 1.0),
        "E.1 share of ||eps2_i|| beyond": beyond(E2, parameters.sigma_2),
    }


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the fall of sample moments with n and their growth with dimensions."""
    yield claim_on_all_cells(
        id="lemmas-rate-in-n", **LEMMAS,
        statement="deviations of sample moments and of both estimators fall as 1/sqrt(n)",
        quantity="exponent in n of the mean of each quantity, p = 5, q = 10",
        cells={name: algebra.exponent(panel_rows(evidence, "over n", name), "n") for name in FALLING},
        criterion=within_of(-0.5, RATE),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="lemmas-order-in-dimensions", **LEMMAS | {"location": "Lemmas D.2 to D.5, D.7, D.8"},
        statement="the same quantities and the accumulated noise grow with p and q at most as the lemmas say",
        quantity="exponent of the mean of each quantity over its order, in p or q",
        cells=dict(_over_orders(evidence)), criterion=no_faster(),
        note="orders are upper bounds: norms of p by q matrices grow like sqrt(p) + sqrt(q), not sqrt(pq); Lemma D.7 is judged along p = q, its hardest case",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="lemmas-orders-attained", **LEMMAS | {"location": "Lemmas D.2 to D.5, D.7, D.8", "source": "ours"},
        statement="(ours, orders read as 'grows as'; upper bounds need not be attained) the same quantities grow with p and q as the lemmas' orders",
        quantity="exponent of the mean of each quantity over its order, in p or q",
        cells={**dict(_over_orders(evidence)), **_rate_of_2sls(evidence)}, criterion=within_of(0.0, RATE),
        note="2SLS grows with p, as sqrt(p), and not with q; the order of Lemma D.7 holds because p is at most q",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="app-C-norms", **LEMMAS | {"location": "App. C, above (16)"},
        statement="for n of order pq (tau + log pq)^2 the norms of Theta_hat and beta_hat are bounded by constants",
        quantity="exponent in p of each mean norm at that n, p = q = 2 to 50, at a Theta of norm 5 and a beta of norm 1",
        cells={
            name: algebra.least_squares_slope(panel_rows(evidence, "least n", f"App. C ||{name}||"), "p")
            for name in ("Theta_hat", "beta_hat")
        },
        criterion=no_faster(),
    )  # fmt: skip


def _over_orders(evidence: Evidence) -> Iterator[tuple[str, Estimate]]:
    def both(row: "pd.Series[float]") -> float:
        return laws.sampling_root(problem_of(row))

    orders: dict[str, Callable[[pd.Series[float]], float]] = {
        "D.2 ||Z'Z/n - I||": lambda row: math.sqrt(row["q"]),
        "D.3 ||Z'E2||/n": both, "D.5 ||Theta_hat - Theta||": both, "D.8 ||Z'r||/n": both,
        "D.4 ||N|| / lambda1": lambda row: math.sqrt(row["p"] * row["q"]),
    }  # fmt: skip
    for name, order in orders.items():
        for axis in ("p", "q"):
            rows = panel_rows(evidence, f"over {axis}", name)
            # Z'r has q - p dimensions, which are most of them where q is several times p.
            chosen = (
                rows[rows["mean"] > ROUNDING] if axis == "p" or "r||" not in name else rows[rows["q"] >= 4 * rows["p"]]
            )
            yield f"{name}, {axis}", exponent_over(chosen, axis, order)
    rows = panel_rows(evidence, "least n", TWO_STAGE)
    yield f"{TWO_STAGE}, p = q", exponent_over(rows, "q", _order_of_2sls)


def _order_of_2sls(row: "pd.Series[float]") -> float:
    """The order of Lemma D.7."""
    return appendices.two_stage_least_squares_rate(problem_of(row))


def _rate_of_2sls(evidence: Evidence) -> algebra.Places:
    """Exponents of the error of 2SLS over the order of Lemma D.7, along p at fixed q and along q at fixed p."""
    return {
        f"{TWO_STAGE}, {axis}": exponent_over(panel_rows(evidence, f"over {axis}", TWO_STAGE), axis, _order_of_2sls)
        for axis in ("p", "q")
    }


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the bounds on moments and the conditions in every cell of `table_lemmas`; measured is a quantile."""
    for cell in cells(evidence):
        for group in (_sample, _estimators, _conditions):
            yield from group(cell)


def _sample(cell: Cell) -> Iterator[Bound]:
    problem, constants, n = cell.case.problem, cell.case.bound_constants, cell.case.problem.n
    instruments = appendices.instrument_singular_values(problem, constants)
    probability = "probability 1 - 2 exp(-tau)"
    yield cell.lower("D.2 sigma_min(Z)/sqrt(n)", "Lemma D.2", instruments.lower / np.sqrt(n), probability)
    yield cell.upper("D.2 sigma_max(Z)/sqrt(n)", "Lemma D.2", instruments.upper / np.sqrt(n), probability)
    probability = "probability 1 - exp(-tau)"
    yield cell.upper(
        "D.3 ||Z'E2||/n", "Lemma D.3", appendices.instrument_regressor_error(problem, constants) / n, probability
    )
    outcome = appendices.instrument_outcome_error(problem, constants) / n
    needed = constants.first_stage * (cell.quantile("(47) ||Z'E1||/n", "q975") or 0.0) / outcome
    yield cell.upper(
        "(47) ||Z'E1||/n", "App. E.7", outcome, f"{probability}; c0, the same as in D.3, would have to be {needed:.2g}"
    )
    product = appendices.regressor_instrument_product(problem, constants) / n
    yield cell.upper("(48) ||X'Z||/n", "App. E.7", product, "probability 1 - 3 exp(-tau)")
    for quantity in ("E.1 share of ||z_i|| beyond", "E.1 share of ||eps2_i|| beyond"):
        share, note = cell.quantile(quantity, "mean"), "exp(-tau), at the constant sqrt(2) of Gaussian vectors"
        yield cell.row(quantity, "App. E.1", math.exp(-problem.tau), share, note)


def _estimators(cell: Cell) -> Iterator[Bound]:
    problem, constants, window = cell.case.problem, cell.case.bound_constants, cell.case.window
    probability = "probability 1 - 3 exp(-tau)"
    yield cell.upper("D.5 ||Theta_hat - Theta||", "Lemma D.5", formulas.psi(problem, constants), probability)
    yield cell.lower("D.6 lambda_min(H_hat)", "Lemma D.6", window.lower, probability)
    yield cell.upper("D.6 lambda_max(H_hat)", "Lemma D.6", window.upper, probability)
    explicit = appendices.two_stage_least_squares_bound(problem, constants)
    yield cell.upper(
        "D.7 ||beta_hat - beta||",
        "(45) to (48)",
        explicit,
        f"probability 1 - 4 exp(-tau){cell.case.beside_start(explicit)}",
    )
    rate, order = appendices.two_stage_least_squares_rate(problem), "D.7 order of ||beta_hat - beta||"
    yield cell.upper("D.7 ||beta_hat - beta||", "Lemma D.7", rate, ORDER, name=order)
    explicit = appendices.residual_bound(problem, constants, cell.case.beta_norm) / problem.n
    yield cell.upper("D.8 ||Z'r||/n", "last display of App. E.8", explicit, "zero where p = q")
    rate, order = appendices.residual_rate(problem) / problem.n, "D.8 order of ||Z'r||/n"
    yield cell.upper("D.8 ||Z'r||/n", "Lemma D.8", rate, ORDER, name=order)
    projected = cell.theta_hat_norm * explicit
    why = "||Theta_hat|| times the bound on ||Z'r||/n, as in (16); zero by the normal equations"
    yield cell.upper("(12) ||Theta_hat'Z'r||/n", "(16)", projected, why)


def _conditions(cell: Cell) -> Iterator[Bound]:
    """Yields the conditions of the proofs on the setting itself, at the same constants."""
    case, steps = cell.case, cell.case.steps
    ceilings = formulas.step_size_ceilings(case.window)
    for name, ceiling, used in (("eta", ceilings.eta, steps.eta), ("alpha", ceilings.alpha, steps.alpha)):
        yield cell.row(f"(3) {name}", "(3)", ceiling, used, "measured is the experiments' step size")
    t0 = laws.burn_in(case.window, cell.rates.theta, cell.theta_hat_norm)
    yield cell.row("(22) t0", "(22)", t0, cell.T0, "measured is T0 = T/2 of the experiment", "at least")
    limit = laws.explicit_iteration_limit(
        case.problem, case.window, cell.rates.theta, steps.eta, case.rho1, cell.theta_hat_norm,
        clip_constant=case.clip_constant,
    )  # fmt: skip
    admitted = "" if limit >= 1 else "; no T >= 1 is admitted"
    yield cell.row("(21) T", "(21)", limit, case.T, f"measured is T{admitted}")
