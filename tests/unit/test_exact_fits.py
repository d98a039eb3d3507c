"""Exact fits of baselines: that they are the baselines' own, what is proved of them without rounding, and an audit."""

import itertools
import math
import random
import warnings
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from dpdescent import exact_grid, exact_sums
from dpdescent.baselines import ada_ssp, boosted_ada_ssp, output_perturbation, sufficient_statistics
from dpdescent.baselines.ada_ssp import Bounds
from dpdescent.data.linear import LinearSample
from dpdescent.estimators import exact_fits
from dpdescent.noise import discrete_gaussian
from dpdescent.privacy import zcdp
from dpdescent.privacy.account import account
from dpdescent.privacy.arithmetic import ExactMechanism
from dpdescent.privacy.audit.attack import SURE, Attack
from dpdescent.privacy.audit.attack import run as audit

Array = np.ndarray
N, DELTA, RHO = 400, 1e-6, 0.5
DATA = np.random.default_rng(6)
X = DATA.standard_normal((N, 3))
SAMPLE = LinearSample(X, X @ [0.5, -0.3, 0.2] + 0.5 * DATA.standard_normal(N))
# So that some records are beyond them.
BOUNDS = Bounds(2.0, 1.0, "public")
SUMS = sufficient_statistics.Calibration(BOUNDS, RHO)
ADA = ada_ssp.Calibration.zcdp_matched(BOUNDS, RHO, DELTA)
BOOSTED = boosted_ada_ssp.Settings(BOUNDS, RHO, rounds=9)
MINIMISER = output_perturbation.Calibration(N, 0.7, 0.1, RHO)

FITS: dict[str, Callable[[], tuple[Any, ExactMechanism]]] = {
    "sums": lambda: exact_fits.fit_sums(SAMPLE, SUMS),
    "AdaSSP": lambda: exact_fits.fit_ada_ssp(SAMPLE, ADA),
    "boosted": lambda: exact_fits.fit_boosted(SAMPLE, BOOSTED),
    "minimiser": lambda: exact_fits.fit_minimiser(SAMPLE, MINIMISER),
}
EVENTS = {
    "sums": SUMS.mechanism(),
    "AdaSSP": ada_ssp.mechanism(ADA),
    "boosted": BOOSTED.mechanism(),
    "minimiser": MINIMISER.mechanism(),
}


class Zeros:
    """A generator without noise."""

    def standard_normal(self, shape: Any = None) -> Any:
        return 0.0 if shape is None else np.zeros(shape)


ZEROS: Any = Zeros()


@pytest.fixture
def without_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discrete_gaussian, "draw", lambda sds: [0] * len(sds))


# What they cost


@pytest.mark.parametrize("name", FITS)
def test_events_are_exact_and_of_the_same_releases(name: str) -> None:
    _, event = FITS[name]()
    told = account(event, DELTA)
    assert event.releases == EVENTS[name].releases
    assert (told.arithmetic, told.guarantee, told.relation) == ("exact", "proved", "replace-one")
    assert told.epsilon == zcdp.renyi_epsilon(event.rho, DELTA) == pytest.approx(zcdp.renyi_epsilon(RHO, DELTA))
    assert EVENTS[name].reason in told.reason
    assert exact_sums.LEFT_OUT in told.reason
    assert ("exact test" in told.reason) is (name in ("AdaSSP", "boosted"))
    assert ("off the diagonal" in told.reason) is (name != "minimiser")


@pytest.mark.parametrize(("name", "numbers"), [("sums", 9), ("AdaSSP", 10), ("boosted", 7 + 27), ("minimiser", 3)])
def test_each_number_has_the_noise_of_the_event(name: str, numbers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """As its own part of the budget says, but off the diagonal of X'X, where it is less by sqrt(2)."""
    drawn: list[tuple[list[int], int]] = []
    told = exact_grid.with_noise

    def noted(totals: Any, sds: list[int], exponent: int) -> Array:
        drawn.append((sds, exponent))
        return told(totals, sds, exponent)

    monkeypatch.setattr(exact_grid, "with_noise", noted)
    FITS[name]()
    sds = [math.ldexp(sd, exponent) for given, exponent in drawn for sd in given]
    assert len(sds) == numbers
    expected: list[float] = []
    for release in EVENTS[name].releases:
        sd = release.noise_sd  # type: ignore[union-attr]
        less = sd / math.sqrt(2.0)
        what = release.what  # type: ignore[union-attr]
        if what.startswith("X'X"):
            expected += [sd, less, sd, less, less, sd]
        else:
            expected += [sd] * (1 if what.startswith("smallest") else 3 * release.count)  # type: ignore[union-attr]
    assert sds == pytest.approx(expected, rel=1e-5)
    assert all(made >= asked for made, asked in zip(sds, expected, strict=True))


@pytest.mark.parametrize("name", ["sums", "AdaSSP", "boosted"])
def test_vectors_are_bounded_as_the_sensitivities_say(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    moves: list[float] = []
    sensitivity = {
        "noisy_sum": lambda bound: 2.0 * bound,
        "noisy_moment": lambda bound: math.sqrt(2.0) * bound**2,
        "noisy_smallest_eigenvalue": lambda bound: bound**2,
    }

    def noted(of: str, rows: Array, bound: float, noise_sd: Fraction) -> Any:
        moves.append(sensitivity[of](bound))
        return originals[of](rows, bound, noise_sd)

    originals = {of: getattr(exact_fits, of) for of in sensitivity}
    for of in sensitivity:
        monkeypatch.setattr(exact_fits, of, partial(noted, of))
    FITS[name]()
    stated = [
        each.sensitivity  # type: ignore[union-attr]
        for each in EVENTS[name].releases
        for _ in range(each.count)  # type: ignore[union-attr]
    ]
    assert moves == pytest.approx(stated, rel=1e-14)


@pytest.mark.parametrize("source", ["not enforced", "data maxima"])
def test_bounds_that_are_not_enforced_are_refused(source: Any) -> None:
    bounds = replace(BOUNDS, source=source)
    for call in (
        lambda: exact_fits.fit_sums(SAMPLE, sufficient_statistics.Calibration(bounds, RHO)),
        lambda: exact_fits.fit_ada_ssp(SAMPLE, ada_ssp.Calibration.zcdp_matched(bounds, RHO, DELTA)),
    ):
        with pytest.raises(ValueError, match=f"bounds are '{source}': give 'public' ones"):
            call()


def test_neighbours_of_another_number_are_refused() -> None:
    """Because the grid is chosen by the number of records."""
    for call in (
        lambda: exact_fits.fit_ada_ssp(SAMPLE, ada_ssp.Calibration.standard(BOUNDS, 1.0, DELTA)),
        lambda: exact_fits.fit_boosted(SAMPLE, replace(BOOSTED, relation="add-remove")),
    ):
        with pytest.raises(ValueError, match=r"relation='add-remove' has no exact releases, .*: take 'replace-one'"):
            call()
    with pytest.raises(ValueError, match=r"failure_probability=1\.0 must be in \(0, 1\)"):
        exact_fits.fit_ada_ssp(SAMPLE, ADA, 1.0)
    with pytest.raises(ValueError, match="the sample has 400 records, and the noise is for n=401"):
        exact_fits.fit_minimiser(SAMPLE, replace(MINIMISER, n=N + 1))


# That they are the same fits


@pytest.mark.usefixtures("without_noise")
def test_fits_without_noise_are_those_of_the_baselines() -> None:
    """But for rounding, which moves sums by a hundredth of their noise at most, and in fact by far less."""
    np.testing.assert_allclose(FITS["sums"]()[0], sufficient_statistics.fit(SAMPLE, SUMS, ZEROS), rtol=1e-3)
    ours, theirs = FITS["AdaSSP"]()[0], ada_ssp.ada_ssp(ada_ssp.bounded_gram(SAMPLE, BOUNDS), ADA, ZEROS)
    np.testing.assert_allclose(ours.theta, theirs.theta, rtol=1e-3)
    assert ours.ridge == pytest.approx(theirs.ridge, rel=1e-3)
    assert ours.smallest_eigenvalue_private == pytest.approx(theirs.smallest_eigenvalue_private, rel=1e-3)
    assert ours.smallest_eigenvalue_private > 0.0
    rounds, twin = FITS["boosted"]()[0], boosted_ada_ssp.fit(SAMPLE, BOOSTED, ZEROS)
    for name in vars(twin):
        np.testing.assert_allclose(getattr(rounds, name), getattr(twin, name), rtol=1e-3, atol=1e-3, err_msg=name)
    np.testing.assert_allclose(FITS["minimiser"]()[0], output_perturbation.minimiser(SAMPLE, 0.7, 0.1), rtol=1e-7)


@pytest.mark.usefixtures("without_noise")
def test_ridges_of_little_data_are_those_of_the_baseline() -> None:
    """Of which the eigenvalue drowns, so that nothing of it is left."""
    few, how = LinearSample(X[:9], SAMPLE.y[:9]), replace(ADA, delta=1e-9)
    ours, theirs = exact_fits.fit_ada_ssp(few, how, 0.2)[0], ada_ssp.ada_ssp(few.gram, how, ZEROS, 0.2)
    assert ours.smallest_eigenvalue_private == theirs.smallest_eigenvalue_private == 0.0
    assert ours.ridge == theirs.ridge > 0.0


@pytest.mark.parametrize("name", FITS)
def test_noise_is_drawn_anew_each_time(name: str) -> None:
    one, two = (FITS[name]()[0] for _ in range(2))
    assert not np.array_equal(getattr(one, "theta", one), getattr(two, "theta", two))


def test_a_record_s_integers_depend_on_no_other_record(monkeypatch: pytest.MonkeyPatch) -> None:
    """A far record, which floats would let move all sums, is as long as others."""
    seen: list[Array] = []
    original = exact_grid.units_of

    def units(*given: Any) -> Array:
        seen.append(original(*given))
        return seen[-1]

    monkeypatch.setattr(exact_grid, "units_of", units)
    monkeypatch.setattr(exact_grid, "with_noise", lambda totals, *_: np.linspace(N, N / 2.0, len(totals)))
    # Products of records are by single numbers, which is not seen in the bits of three columns.
    products: list[Array] = []
    monkeypatch.setattr(exact_fits, "product", lambda *given: products.append(given[0]) or exact_sums.product(*given))
    far = LinearSample(X.copy(), SAMPLE.y.copy())
    far.X[7], far.y[7] = [1e100, -3.0, 2.0], -1e100
    for fit in (
        lambda given: exact_fits.fit_sums(given, SUMS),
        lambda given: exact_fits.fit_ada_ssp(given, ADA),
        lambda given: exact_fits.fit_boosted(given, BOOSTED),
    ):
        found = []
        for given in (SAMPLE, far):
            fit(given)
            found.append(np.concatenate(seen, axis=1))
            seen.clear()
        assert np.flatnonzero((found[0] != found[1]).any(axis=1)).tolist() == [7]
        assert found[0].shape[1] >= 6
    assert len(products) == 2 * BOOSTED.rounds


# The minimiser

HARD = [0.0, 1e-320, -1e-170, 3e-155, 0.1, -1.0, 7.3e5, 1e149, -1e200, 1.7e308]


def samples() -> list[LinearSample]:
    """Records of like and of very unlike sizes."""
    rng = np.random.default_rng(3)
    found = [LinearSample(rng.standard_normal((6, p)), rng.standard_normal(6)) for p in (1, 3)]
    rows = np.array(list(itertools.product(HARD, HARD)))
    return [*found, LinearSample(rows, np.resize(HARD[::-1], len(rows)))]


@pytest.mark.parametrize("gamma", [0.3, 1e-20, 1e40])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_slope_is_computed_without_rounding(place: int, gamma: float) -> None:
    """Against fractions, record by record."""
    sample, ridge = samples()[place], 0.37
    objective = exact_fits.ExactObjective(sample, gamma, ridge)
    units, exponent = [12345678901234567890123, -7, 5][: sample.p], -70
    theta = [Fraction(each) * Fraction(2) ** exponent for each in units]
    slope = [Fraction(ridge) * each for each in theta]
    for x, y, limit in zip(sample.X.tolist(), sample.y.tolist(), objective.limits.tolist(), strict=True):
        r = Fraction(y) - sum((Fraction(a) * b for a, b in zip(x, theta, strict=True)), Fraction(0))
        cut = max(-Fraction(limit), min(Fraction(limit), r))
        slope = [each - cut * Fraction(a) / sample.n for each, a in zip(slope, x, strict=True)]
    assert objective.slope(units, exponent) == slope


@pytest.mark.parametrize("gamma", [0.3, 1e-20, 1e40])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_no_gradient_is_longer_than_the_threshold(place: int, gamma: float) -> None:
    """And none that could be as long is shorter by more than its last bits."""
    sample = samples()[place]
    limits = exact_fits.ExactObjective(sample, gamma, 0.1).limits
    for x, limit in zip(sample.X.tolist(), limits.tolist(), strict=True):
        square = sum(Fraction(each) ** 2 for each in x) * Fraction(limit) ** 2
        assert square <= Fraction(gamma) ** 2
        if 1e-140 < max(map(abs, x)) < 1e140:
            assert square >= Fraction(gamma) ** 2 * Fraction(1.0 - 1e-11)


def test_a_threshold_that_is_found_too_large_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no room for rounding, some are too large by their last bits."""
    monkeypatch.setattr(exact_fits, "SPARE", 0.0)
    sample = LinearSample(np.linspace(0.1, 9.0, 400)[:, None], np.ones(400))
    limits = exact_fits.ExactObjective(sample, 0.7, 0.1).limits
    assert 0 < np.count_nonzero(limits == 0.0) < 400
    kept = limits > 0.0
    assert all(
        Fraction(x) * Fraction(limit) <= Fraction(0.7)
        for x, limit in zip(sample.X[kept, 0].tolist(), limits[kept].tolist(), strict=True)
    )


def released(sample: LinearSample, calibration: output_perturbation.Calibration) -> tuple[list[int], int]:
    """The integers that get noise, and the exponent of their unit."""
    found: list[tuple[list[int], int]] = []
    with pytest.MonkeyPatch.context() as context:
        context.setattr(exact_fits, "noisy_vector", lambda *given: found.append(given[:2]))
        exact_fits.fit_minimiser(sample, calibration)
    return found[0]


def test_no_record_moves_the_minimiser_further_than_its_sensitivity() -> None:
    rng, n, most = np.random.default_rng(3), 4, Fraction(0)
    calibration = output_perturbation.Calibration(n, 1.0, 0.3, 1.0)
    sensitivity = Fraction(calibration.release.sensitivity)
    for k in range(200):
        rows = rng.standard_normal((n, 1 + k % 2)) * 10.0 ** rng.uniform(-1, 1)
        y = rng.standard_normal(n) * 10.0 ** rng.uniform(-1, 3)
        found = []
        for side in (1.0, -1.0):
            y[0] = side * 1e6
            units, exponent = released(LinearSample(rows.copy(), y.copy()), calibration)
            found.append([each * Fraction(2) ** exponent for each in units])
        moved = sum((a - b) ** 2 for a, b in zip(*found, strict=True))
        most = max(most, moved)
        assert moved <= sensitivity**2
    assert most > (Fraction(9, 10) * sensitivity) ** 2


def flat(slope: float, monkeypatch: pytest.MonkeyPatch) -> tuple[list[int], int]:
    """A fit whose objective is half the square of theta, and which is proposed the point with this slope."""
    monkeypatch.setattr(output_perturbation, "minimiser", lambda *_: np.array([slope]))
    sample = LinearSample(np.zeros((2, 1)), np.zeros(2))
    return released(sample, output_perturbation.Calibration(2, 1.0, 1.0, 1e14))


def test_a_slope_just_above_the_tolerance_is_not_released(monkeypatch: pytest.MonkeyPatch) -> None:
    tolerance = output_perturbation.TOLERANCE
    monkeypatch.setattr(exact_fits, "TRIES", 1)
    units, exponent = flat(tolerance, monkeypatch)
    assert math.ldexp(units[0], exponent) == tolerance
    with pytest.raises(RuntimeError, match=r"stays too large, .*do not publish that it failed"):
        flat(math.nextafter(tolerance, 1.0), monkeypatch)
    # The exact slope mends what floats leave.
    monkeypatch.setattr(exact_fits, "TRIES", 2)
    assert abs(math.ldexp(flat(1.0, monkeypatch)[0][0], exponent)) < tolerance


@pytest.mark.parametrize("error", [np.linalg.LinAlgError("Singular matrix"), OverflowError("too large")])
def test_a_solver_that_fails_otherwise_says_the_same(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any) -> Array:
        raise error

    monkeypatch.setattr(output_perturbation, "minimiser", failing)
    with pytest.raises(RuntimeError, match="do not publish that it failed"):
        exact_fits.fit_minimiser(SAMPLE, MINIMISER)


def test_what_floats_cannot_resolve_is_not_to_be_told() -> None:
    data = LinearSample(np.array([[0.03, 0.0], [-4e3, -0.1], [0.01, 0.0]]), np.array([0.0, -1.0, 2e9]))
    with pytest.raises(RuntimeError, match="do not publish that it failed"):
        exact_fits.fit_minimiser(data, output_perturbation.Calibration(3, 1.0, 0.01, 1.0))


def test_the_audit_finds_what_the_account_says_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the minimiser, which a record moves by its whole sensitivity: a record at the origin beside one far out."""
    # Of a seed, because a test must end alike each time.
    monkeypatch.setattr(discrete_gaussian, "draw", partial(discrete_gaussian.draw, below=random.Random(7).randrange))
    mu, runs = 2.0, 2000
    calibration = output_perturbation.Calibration(2, 1.0, 0.5, 0.5 * mu**2)
    pair = [LinearSample(np.array([[1.0], [0.0]]), np.array([label, 0.0])) for label in (-1e9, 1e9)]

    def simulate(count: int, _: np.random.Generator) -> tuple[Array, Array]:
        first, second = (
            np.array([exact_fits.fit_minimiser(each, calibration)[0][0] for _ in range(count)]) for each in pair
        )
        return first, second

    scores = audit(Attack("", simulate, most_runs=runs), runs, np.random.default_rng(0))
    assert 0.85 * mu < scores.mu_low()
    assert scores.mu_low(SURE) <= mu


@pytest.mark.parametrize("narrow", [np.int32(70_000), np.int16(300), np.uint8(20)])
def test_bounds_by_narrow_integers_are_python_s(narrow: Any) -> None:
    """Their squares would wrap, and the noise be too small under a proof."""
    told = ada_ssp.Calibration.zcdp_matched(ada_ssp.Bounds(narrow, 1.0, "public"), RHO, 1e-6).releases
    plain = ada_ssp.Calibration.zcdp_matched(ada_ssp.Bounds(int(narrow), 1.0, "public"), RHO, 1e-6).releases
    assert told == plain


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.float32, np.float16])
def test_records_of_narrow_types_are_those_of_doubles(dtype: Any) -> None:
    """Norms of narrow integers wrap, and halves overflow; so samples hold doubles."""
    narrow = LinearSample(np.full((5, 2), 20, dtype=dtype), np.full(5, 3, dtype=dtype))
    assert narrow.X.dtype == narrow.y.dtype == np.float64
    np.testing.assert_array_equal(narrow.norms, LinearSample(np.full((5, 2), 20.0), np.full(5, 3.0)).norms)


def test_a_record_out_of_range_is_told_by_no_warning() -> None:
    far = LinearSample(X.copy(), SAMPLE.y.copy())
    far.X[7], far.y[7] = [1e200, 1e-320, 2.0], 1.7e308
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        exact_fits.fit_sums(far, SUMS)
        exact_fits.fit_ada_ssp(far, ADA)
        exact_fits.fit_boosted(far, BOOSTED)


def test_a_sensitivity_that_has_lost_digits_is_refused() -> None:
    with pytest.raises(ValueError, match="underflows"):
        sufficient_statistics.Calibration(ada_ssp.Bounds(2.6e-162, 1.0, "public"), 1e-34).mechanism()
