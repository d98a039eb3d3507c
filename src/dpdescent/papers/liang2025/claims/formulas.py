"""Claims that the paper's formulas decide by themselves: step sizes, regimes, burn-in, orders, composition, Lemma F.2."""

import math
from collections.abc import Iterator
from itertools import product

import numpy as np

from dpdescent.papers.liang2025.bounds import cases
from dpdescent.papers.liang2025.reading import COMPARABLE, RATE, every
from dpdescent.papers.liang2025.theory import convergence, error_bounds, friendly_core, prescriptions
from dpdescent.privacy import zcdp
from dpdescent.replication.judging.criteria import Criterion, about, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import exactly

# Fractions of the ceilings (3), and dimensions p = q with the n of (6) at constant 1.
FRACTIONS, DIMENSIONS = (0.01, 0.1, 0.5, 0.9, 0.99), (1, 2, 5, 10, 20)
NEAR, FAR = 1000, 10**12
BETWEEN_0_AND_1 = Criterion("above 0 and below 1", low=5e-324, high=1.0 - 1e-12)
# Relative steps about an optimum: no value there may be lower.
STEPS = (0.5, 0.9, 0.99, 1.01, 1.1, 1.5)
EQUAL = 1e-9
# Values of |zx| that count as well conditioned, of the largest moments, and the grid on either.
LEAST, MOST, GRID = 1.0, 3.0, 7


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims in the paper's order."""
    yield _composition(evidence)
    yield _factor(evidence)
    yield _limits(evidence)
    yield from _optimal_steps(evidence)
    yield _plateau(evidence)
    yield _burn_in(evidence)
    yield _noise_complexity(evidence)
    yield _improvement(evidence)
    yield _lipschitz()


def _composition(evidence: Evidence) -> Claim:
    delta = evidence.settings["dp_delta"]
    cells = {
        f"T = {T}, rho = {rho:g}": exactly(T * zcdp.epsilon(rho / T, delta / T) / zcdp.epsilon(rho, delta))
        for T in (2, 20, 200)
        for rho in (0.1, 1.0, 10.0)
    }
    return every(
        id="sec-2.1-composition", artefact="bounds", location="Sec. 2.1", kind="privacy", source="paper",
        statement="composition through zCDP is tighter than adding up the (epsilon, delta) of every release",
        quantity="sum of T epsilons at delta / T each over the epsilon of their total rho",
        cells=cells, criterion=at_least(1.0, words="above 1"),
    )  # fmt: skip


def _problem(p: int, tau: float, n: int = 0) -> prescriptions.IVProblem:
    least = math.ceil(p * p * (tau + math.log(p * p)) ** 2)
    return cases.problem_at(n or least, p, p, tau)


def _constants(evidence: Evidence) -> prescriptions.Constants:
    settings = evidence.settings
    return prescriptions.Constants(settings["concentration_constant"], settings["first_stage_constant"])


def _factor(evidence: Evidence) -> Claim:
    cells = {}
    for p, one, other in product(DIMENSIONS, FRACTIONS, FRACTIONS):
        window = prescriptions.spectrum(_problem(p, evidence.settings["tau"]), _constants(evidence))
        ceilings = prescriptions.step_size_ceilings(window)
        steps = prescriptions.StepSizes(one * ceilings.eta, other * ceilings.alpha)
        kappa = prescriptions.contraction(window, steps).overall
        cells[f"p = {p}, eta at {one:g}, alpha at {other:g} of the ceiling"] = exactly(kappa)
    return every(
        id="eq-10-factor", artefact="bounds", location="Theorem 3.1, eq. (10)", kind="theorem", source="paper",
        statement="the contraction factor lies between 0 and 1 for every pair of step sizes that (3) admits",
        quantity="kappa of (10) at the n of (6), p = q = 1 to 20, at our values of C0 and c0",
        cells=cells, criterion=BETWEEN_0_AND_1,
    )  # fmt: skip


def _limits(evidence: Evidence) -> Claim:
    at = cases.case(evidence, cases.FIGURE_3A, n=FAR).problem
    far = prescriptions.step_size_ceilings(prescriptions.spectrum(at, _constants(evidence)))
    printed = {"eta": 2.0, "alpha": 4.0 / (2.0 * at.theta_norm**2 + at.theta_min**2)}
    return every(
        id="remark-3.2-limits", artefact="bounds", location="Remark 3.2", kind="theorem", source="paper",
        statement="with infinitely many samples (3) becomes eta < 2 and alpha < 4 / (2 ||Theta||^2 + sigma_min(Theta)^2)",
        quantity="ceilings (3) at n = 1e12 over these limits, at the design of Figure 3(a)",
        cells={"eta": exactly(far.eta / printed["eta"]), "alpha": exactly(far.alpha / printed["alpha"])},
        criterion=about(1.0, 1e-3),
    )  # fmt: skip


def _optimal_steps(evidence: Evidence) -> Iterator[Claim]:
    near = prescriptions.spectrum(cases.case(evidence, cases.FIGURE_3A, n=5000).problem, _constants(evidence))
    best = prescriptions.approximately_optimal_step_sizes(near)
    least = prescriptions.contraction(near, best)
    beside = {}
    for factor in STEPS:
        moved = prescriptions.contraction(near, prescriptions.StepSizes(factor * best.eta, factor * best.alpha))
        beside[f"kappa_Theta at {factor:g} of eta*"] = exactly(moved.theta / least.theta)
        beside[f"kappa_beta at {factor:g} of alpha*"] = exactly(moved.beta / least.beta)
    yield every(
        id="remark-3.3-steps", artefact="bounds", location="Remark 3.3, eq. (8)", kind="theorem", source="paper",
        statement="the step sizes (8) minimise the contraction factors (10)",
        quantity="factor at other steps over that at (8), at the design of Figure 3(a), n = 5000",
        cells=beside, criterion=at_least(1.0 - EQUAL, words="at least 1"),
    )  # fmt: skip
    high, low = (1.0 + near.delta) ** 2, (1.0 - near.delta) ** 2
    far = prescriptions.spectrum(cases.case(evidence, cases.FIGURE_3A, n=FAR).problem, _constants(evidence))
    distant = prescriptions.contraction(far, prescriptions.approximately_optimal_step_sizes(far)).theta
    yield every(
        id="remark-3.3-factors", artefact="bounds", location="Remark 3.3", kind="theorem", source="paper",
        statement="at (8) the factors are gbar / (gbar + glow) and (high - low) / (high + low), and the latter tends to 0 as n grows",
        quantity="each factor less the printed one; the first stage's at n = 1e12",
        cells={
            "kappa_beta": exactly(least.beta - near.upper / (near.upper + near.lower)),
            "kappa_Theta": exactly(least.theta - (high - low) / (high + low)),
            "kappa_Theta, n = 1e12": exactly(distant),
        },
        criterion=about(0.0, 1e-5, words="within 1e-5 of 0"),
    )  # fmt: skip


def _plateau(evidence: Evidence) -> Claim:
    def ends(n: float, rho: float) -> float:
        at = cases.case(evidence, cases.FIGURE_3A, n=int(n), rho1=rho, rho2=rho)
        found = error_bounds.regime_boundaries(at.problem, 0.5, rho, rho)
        return found.sampling_ends - max(found.optimisation_ends, 0.0)

    def growth(last: float, first: float, factor: float) -> float:
        return math.log(last / first) / math.log(factor)

    return every(
        id="remark-3.7-plateau-length", artefact="bounds", location="Remark 3.7", kind="theorem", source="paper",
        statement="the plateau, from T1 to T2, grows linearly in n and in min(rho1, rho2)",
        quantity="exponent of T2 - T1 in n from 1e7 to 1e8, and in rho from 1 to 10 at n = 1e7, at hidden constants 1",
        cells={
            "n": exactly(growth(ends(1e8, 1.0), ends(1e7, 1.0), 10.0)),
            "rho": exactly(growth(ends(1e7, 10.0), ends(1e7, 1.0), 10.0)),
        },
        criterion=about(1.0, RATE),
    )  # fmt: skip


def _burn_in(evidence: Evidence) -> Claim:
    cells = {}
    at = cases.case(evidence, cases.FIGURE_3A, n=FAR).problem
    window = prescriptions.spectrum(at, _constants(evidence))
    for eta in (0.1, 0.3, 0.5, 0.9):
        kappa = prescriptions.contraction(window, prescriptions.StepSizes(eta, 1e-3)).theta
        t0 = convergence.burn_in(window, kappa, at.theta_norm)
        cells[f"eta = {eta:g}"] = exactly(t0 - convergence.burn_in_limit(eta, at.theta_min, at.theta_norm))
    return every(
        id="eq-22-limit", artefact="bounds", location="App. C, below eq. (25)", kind="theorem", source="paper",
        statement="the burn-in t0(n) of (22) tends to a constant that eta and the singular values of Theta set",
        quantity="t0 at n = 1e12, a whole number, less its limit before rounding, for eta below 1",
        cells=cells, criterion=Criterion("between 0 and 1: the limit rounded up", low=-1e-3, high=1.0 + 1e-3),
        note="for eta above 1, which (3) admits, the printed logarithm to the base 1 - eta has no value",
    )  # fmt: skip


def _noise_complexity(evidence: Evidence) -> Claim:
    cells = {}
    for p, wider, tau in product((1, 10, 1000, 10**6), (1, 10), (0.1, 5.0, 50.0)):
        at = prescriptions.IVProblem(
            n=NEAR, p=p, q=p * wider, tau=tau, theta_min=1.0, theta_norm=1.0, sigma_1=1.0, sigma_2=1.0
        )
        order = math.sqrt(p) * (math.sqrt(at.q) + math.sqrt(tau)) ** 3
        cells[f"p = {p}, q = {at.q}, tau = {tau:g}"] = exactly(error_bounds.noise_complexity(at) / order)
    return every(
        id="eq-24-order", artefact="bounds", location="App. C, eq. (24)", kind="theorem", source="paper",
        statement="R(tau) is at most of order sqrt(p) (sqrt q + sqrt tau)^3",
        quantity="R over that order, p = 1 to 1e6, q = p and 10 p, tau = 0.1 to 50",
        cells=cells, criterion=at_most(COMPARABLE, ": bounded"),
    )  # fmt: skip


def _improvement(evidence: Evidence) -> Claim:
    def gain(n: int, rho2: float) -> float:
        at = cases.case(evidence, cases.FIGURE_6, n=n, T=n, rho1=1.0, rho2=rho2)
        rates = prescriptions.Contraction(0.5, 0.5)
        noisy, free = (error_bounds.proof_terms(at.problem, rates, rho1, rho2, n).total for rho1 in (1.0, math.inf))
        return noisy / free

    cells = {
        f"rho2 = {rho2:g}": exactly(math.log(gain(10**6, rho2) / gain(NEAR, rho2)) / math.log(1e3))
        for rho2 in (0.1, 1.0, 10.0)
    }
    return every(
        id="app-F.1-improvement", artefact="bounds", location="App. F.1", kind="theorem", source="paper",
        statement="for T = O(n) leaving out the first stage's noise improves the bound insignificantly: the rate is unchanged",
        quantity="exponent in n of bound (29) over bound (52) at T = n, n = 1e3 to 1e6, rho1 = 1, hidden constants 1",
        cells=cells, criterion=about(0.0, RATE),
    )  # fmt: skip


def _lipschitz() -> Claim:
    """Lemma F.2 for one instrument and one regressor, on a box of moments in which nothing is near 0."""
    zz, zx, zy = np.linspace(LEAST, MOST, GRID), np.linspace(LEAST, MOST, GRID), np.linspace(-MOST, MOST, GRID)
    points = np.array(list(product(zz, zx, zy)))
    gram, product_y = points[:, 1] ** 2 / points[:, 0], points[:, 1] * points[:, 2] / points[:, 0]
    beta = product_y / gram
    # Largest gradients of G = zx^2 / zz and of h = zx zy / zz on the box, and the largest |h|.
    C_G = math.hypot(MOST**2 / LEAST**2, 2.0 * MOST / LEAST)
    C_h = math.sqrt((MOST**2 / LEAST**2) ** 2 + 2.0 * (MOST / LEAST) ** 2)
    lipschitz = friendly_core.lipschitz(float(gram.min()), C_G, C_h, float(np.abs(product_y).max()))
    gaps = np.linalg.norm(points[:, None] - points[None], axis=-1)
    moved = np.abs(beta[:, None] - beta[None])
    largest = float(np.max(moved[gaps > 0] / gaps[gaps > 0]))
    return every(
        id="lemma-F.2-constant", artefact="bounds", location="Lemma F.2", kind="theorem", source="paper",
        statement="near well-conditioned moments 2SLS has the Lipschitz constant C_h / lambda0 + C_G C_h / lambda0^2",
        quantity="largest difference quotient of 2SLS over that constant, p = q = 1, moments between 1 and 3",
        cells={"box": exactly(largest / lipschitz)}, criterion=at_most(1.0, words="at most 1"),
        note="for any two sets of moments there is no constant: beta is zy / zx, and zx may be near 0; the proof assumes that it is not",
    )  # fmt: skip
