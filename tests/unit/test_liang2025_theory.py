"""liang2025 eq. (3), (4), (8), (10): printed values, hand-worked numbers, identities and monotonicity."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpdescent.data.iv import draw_parameters
from dpdescent.papers.liang2025.formulas import (
    Constants,
    IVProblem,
    Spectrum,
    StepSizes,
    approximately_optimal_step_sizes,
    clipping_threshold,
    contraction,
    delta,
    noise_scale,
    psi,
    recommended_step_sizes,
    spectrum,
    step_size_ceilings,
)
from dpdescent.privacy.zcdp import gaussian_rho

# delta = .5 * (2 + 2) / 20 = .1 exactly, so that everything else can be worked out by hand.
HAND = IVProblem(n=400, p=1, q=4, tau=4.0, theta_min=3.0, theta_norm=5.0, sigma_1=1.0, sigma_2=2.0)
HAND_CONSTANTS = Constants(concentration=0.5, first_stage=0.1)

spectra = st.builds(
    lambda delta, lower, excess: Spectrum(delta=delta, lower=lower, upper=lower + excess),
    delta=st.floats(0.001, 0.9),
    lower=st.floats(0.01, 50),
    excess=st.floats(0.01, 100),
)
problems = st.builds(
    lambda n, p, extra, tau, smallest, excess, sigma_2: IVProblem(
        n=n, p=p, q=p + extra, tau=tau, theta_min=smallest, theta_norm=smallest + excess, sigma_1=1.0, sigma_2=sigma_2
    ),
    n=st.integers(2000, 10**6),
    p=st.integers(1, 10),
    extra=st.integers(0, 10),
    tau=st.floats(0.5, 10),
    smallest=st.floats(0.1, 5),
    excess=st.floats(0, 5),
    sigma_2=st.floats(0.1, 5),
)


@pytest.fixture(scope="module")
def drawn() -> IVProblem:
    return IVProblem.of(draw_parameters(5, 5, 5, np.random.default_rng(2024)), n=1000, tau=5.0)


@pytest.mark.parametrize(
    ("n", "steps", "q", "expected"),
    [
        (1000, 20, 5, 37.2),
        (2000, 20, 5, 38.3),
        (5000, 20, 5, 39.7),
        (2000, 20, 50, 121.4),
        (5000, 20, 20, 72.9),
        (8065, 20, 1, 26.2),
        (2191, 15, 4, 35.1),
    ],
)
def test_clipping_threshold_at_the_experiments(n: int, steps: int, q: int, expected: float) -> None:
    assert clipping_threshold(1.0, n, q, steps, tau=5.0) == pytest.approx(expected, abs=0.05)
    assert clipping_threshold(3.0, n, q, steps, tau=5.0) == pytest.approx(3 * expected, abs=0.15)


def test_clipping_threshold_where_every_root_is_whole() -> None:
    assert clipping_threshold(2.0, 1, 9, 1, tau=4.0) == pytest.approx(2 * (3 + 2) ** 2, rel=1e-15)


@given(n=st.integers(1, 10**6), q=st.integers(1, 100), steps=st.floats(1, 10**4), tau=st.floats(0.1, 20))
def test_clipping_threshold_rises_in_everything(n: int, q: int, steps: float, tau: float) -> None:
    base = clipping_threshold(1.0, n, q, steps, tau)
    assert clipping_threshold(1.0, 2 * n, q, steps, tau) > base
    assert clipping_threshold(1.0, n, q + 1, steps, tau) > base
    assert clipping_threshold(1.0, n, q, 2 * steps, tau) > base
    assert clipping_threshold(1.0, n, q, steps, 2 * tau) > base


def test_printed_noise_scale_costs_half_of_the_budget() -> None:
    gamma, n, steps, rho = 7.0, 1000, 20, 3.0
    noise = noise_scale(gamma, n, steps, rho)
    assert noise == pytest.approx(2 * 7 / 1000 * math.sqrt(20 / 3), rel=1e-15)
    assert gaussian_rho(2 * gamma / n, noise, releases=steps) == pytest.approx(rho / 2, rel=1e-14)
    assert noise_scale(gamma, n, steps, math.inf) == 0.0


def test_problem_reads_the_parameters() -> None:
    parameters = draw_parameters(3, 5, 2, np.random.default_rng(7))
    problem = IVProblem.of(parameters, n=50, tau=2.0)
    gram = np.sort(np.linalg.eigvalsh(parameters.Theta.T @ parameters.Theta))
    assert (problem.n, problem.p, problem.q, problem.tau, problem.sigma_z) == (50, 3, 5, 2.0, 1.0)
    assert problem.theta_min**2 == pytest.approx(gram[0], rel=1e-12)
    assert problem.theta_norm**2 == pytest.approx(gram[-1], rel=1e-12)
    assert (problem.sigma_1, problem.sigma_2) == (parameters.sigma_1, parameters.sigma_2)


def test_spectrum_by_hand() -> None:
    assert delta(HAND, HAND_CONSTANTS) == pytest.approx(0.1, rel=1e-15)
    error = 0.1 * 2 * 2 * (4 + math.log(8)) / (20 * 0.81)
    assert psi(HAND, HAND_CONSTANTS) == pytest.approx(error, rel=1e-14)
    window = spectrum(HAND, HAND_CONSTANTS)
    assert window.delta == delta(HAND, HAND_CONSTANTS)
    assert window.lower == pytest.approx(0.81 * (3 - error) ** 2, rel=1e-14)
    assert window.upper == pytest.approx(1.21 * (5 + error) ** 2, rel=1e-14)


def test_instrument_scale_enters_delta_squared_and_psi_once() -> None:
    wide = replace(HAND, sigma_z=1.5)
    assert delta(wide, HAND_CONSTANTS) == pytest.approx(0.1 * 1.5**2, rel=1e-14)
    ratio = 1.5 * (1 - 0.1) ** 2 / (1 - 0.225) ** 2
    assert psi(wide, HAND_CONSTANTS) == pytest.approx(ratio * psi(HAND, HAND_CONSTANTS), rel=1e-13)


def test_values_at_n_1000(drawn: IVProblem) -> None:
    # The printed constants at 1: the bound on ||Theta_hat - Theta|| then exceeds sigma_min(Theta).
    assert delta(drawn, Constants(1.0, 1.0)) == pytest.approx(0.141, abs=5e-4)
    window = spectrum(drawn, Constants(0.1, 0.01))
    rates = contraction(window, recommended_step_sizes(window))
    assert rates.theta == pytest.approx(0.055, abs=5e-4)
    assert rates.beta == pytest.approx(0.952, abs=5e-4)
    assert rates.overall == rates.beta


def test_lower_bound_is_zero_once_psi_exceeds_sigma_min(drawn: IVProblem) -> None:
    constants = Constants(1.0, 1.0)
    assert psi(drawn, constants) > drawn.theta_min
    assert spectrum(drawn, constants).lower == 0.0
    assert spectrum(replace(drawn, n=10**8), constants).lower > 0.0


def test_delta_of_one_is_refused(drawn: IVProblem) -> None:
    few = replace(drawn, n=20)  # delta = 2 sqrt 5 / sqrt 20 = 1
    for quantity in (psi, spectrum):
        with pytest.raises(ValueError, match=r"delta\(tau\)=1 must be below 1: n=20"):
            quantity(few, Constants(1.0, 0.1))


def test_infinite_sample_limits_of_remark_3_2(drawn: IVProblem) -> None:
    ceilings = step_size_ceilings(spectrum(replace(drawn, n=10**20), Constants(1.0, 1.0)))
    assert ceilings.eta == pytest.approx(2, rel=1e-8)
    limit = 4 / (2 * drawn.theta_norm**2 + drawn.theta_min**2)
    assert ceilings.alpha == pytest.approx(limit, rel=1e-6)
    assert ceilings.alpha < 2 / drawn.theta_norm**2


@given(window=spectra)
def test_experiments_use_half_of_each_ceiling(window: Spectrum) -> None:
    ceilings, used = step_size_ceilings(window), recommended_step_sizes(window)
    assert ceilings.eta == pytest.approx(2 / (1 + window.delta) ** 2, rel=1e-14)
    assert ceilings.alpha == pytest.approx(4 / (2 * window.upper + window.lower), rel=1e-14)
    assert used.eta == pytest.approx(ceilings.eta / 2, rel=1e-14)
    assert used.alpha == pytest.approx(ceilings.alpha / 2, rel=1e-14)


@given(window=spectra, share=st.floats(0.01, 0.99), above=st.floats(1.001, 3))
def test_stages_contract_exactly_below_the_ceilings(window: Spectrum, share: float, above: float) -> None:
    ceilings = step_size_ceilings(window)
    inside = contraction(window, StepSizes(share * ceilings.eta, share * ceilings.alpha))
    edge = contraction(window, ceilings)
    outside = contraction(window, StepSizes(above * ceilings.eta, above * ceilings.alpha))
    assert inside.overall < 1
    assert edge.theta == pytest.approx(1, rel=1e-12)
    assert edge.beta == pytest.approx(1, rel=1e-12)
    assert min(outside.theta, outside.beta) > 1


@given(window=spectra)
def test_rates_at_the_approximately_optimal_steps(window: Spectrum) -> None:
    rates = contraction(window, approximately_optimal_step_sizes(window))
    assert rates.beta == pytest.approx(window.upper / (window.upper + window.lower), rel=1e-12)
    assert rates.theta == pytest.approx(2 * window.delta / (1 + window.delta**2), rel=1e-9)


@given(window=spectra, factor=st.floats(0.2, 1.8).filter(lambda factor: abs(factor - 1) > 1e-6))
def test_no_other_steps_contract_faster(window: Spectrum, factor: float) -> None:
    best = approximately_optimal_step_sizes(window)
    other = contraction(window, StepSizes(factor * best.eta, factor * best.alpha))
    optimum = contraction(window, best)
    assert other.theta > optimum.theta
    assert other.beta > optimum.beta


@given(window=spectra)
def test_approximately_optimal_steps_are_admissible(window: Spectrum) -> None:
    best, ceilings = approximately_optimal_step_sizes(window), step_size_ceilings(window)
    assert best.eta < ceilings.eta
    assert best.alpha < ceilings.alpha


@given(problem=problems)
def test_more_records_narrow_the_spectrum(problem: IVProblem) -> None:
    constants = Constants(0.5, 0.05)
    window, narrower = spectrum(problem, constants), spectrum(replace(problem, n=4 * problem.n), constants)
    assert narrower.delta == pytest.approx(window.delta / 2, rel=1e-12)
    assert narrower.upper < window.upper
    assert narrower.lower > window.lower or narrower.lower == window.lower == 0.0
    assert psi(replace(problem, n=4 * problem.n), constants) < psi(problem, constants)


@given(problem=problems)
def test_more_confidence_widens_the_spectrum(problem: IVProblem) -> None:
    constants = Constants(0.5, 0.05)
    window, wider = spectrum(problem, constants), spectrum(replace(problem, tau=2 * problem.tau), constants)
    assert wider.delta > window.delta
    assert wider.upper > window.upper
    assert wider.lower < window.lower or wider.lower == window.lower == 0.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n": 0}, "n must be positive, got 0"),
        ({"p": 5}, "q=4 instruments cannot identify p=5"),
        ({"tau": -1.0}, "tau must be positive, got -1.0"),
        ({"sigma_2": 0.0}, "sigma_2 must be positive, got 0.0"),
        ({"theta_min": 6.0}, "theta_min=6.0 must lie between 0 and theta_norm=5.0"),
        ({"theta_min": -1.0}, "theta_min=-1.0"),
        ({"theta_norm": math.nan}, "theta_norm must be positive, got nan"),
    ],
)
def test_impossible_problems_are_refused(change: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replace(HAND, **change)  # type: ignore[arg-type]


def test_singular_first_stage_is_a_problem_with_no_lower_bound() -> None:
    assert spectrum(replace(HAND, theta_min=0.0), HAND_CONSTANTS).lower == 0.0


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match=r"first_stage must not be negative, got -0\.1"):
        Constants(1.0, -0.1)
    with pytest.raises(ValueError, match=r"alpha must be positive, got 0\.0"):
        contraction(Spectrum(0.1, 1.0, 2.0), StepSizes(1.0, 0.0))
    with pytest.raises(ValueError, match=r"steps must be at least 1, got 0\.5"):
        clipping_threshold(1.0, 100, 5, 0.5, 5.0)
    with pytest.raises(ValueError, match="constant must be positive, got 0"):
        clipping_threshold(0, 100, 5, 10, 5.0)
    with pytest.raises(ValueError, match="rho must be positive, got 0"):
        noise_scale(1.0, 100, 10, 0)
