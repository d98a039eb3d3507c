"""The gate: a user's records, constants and generators are read as what they mean, or refused by name, everywhere."""

import datetime
import math
from collections import deque
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import dpdescent
from dpdescent.data.iv import IVSample
from dpdescent.data.linear import LinearSample
from dpdescent.estimators.run import Run
from dpdescent.gate import columns, generator, real, records

N = 240
KAN = dpdescent.KAN(inputs=2, width=2, splines=dpdescent.CubicSplines(3))
Estimate = Callable[..., Run]


def table() -> dict[str, Any]:
    """Records by the arguments' names, as arrays, all within [-1, 1]."""
    drawn = np.random.default_rng(5)
    X = np.clip(drawn.standard_normal((N, 2)) / 3.0, -1.0, 1.0)
    return {"Z": X + 0.1, "X": X, "y": np.where(X[:, 0] + 0.1 * drawn.standard_normal(N) > 0.0, 1.0, -1.0)}


def estimator(name: str, parts: str, **settings: Any) -> Estimate:
    """An estimator that takes records and settings in place of those that it has."""

    def run(**changes: Any) -> Run:
        given = {part: table()[part] for part in parts}
        found: Run = getattr(dpdescent, name)(**{**given, "rng": np.random.default_rng(3), **settings, **changes})
        return found

    run.__name__ = name
    run.parts, run.settings = parts, settings  # type: ignore[attr-defined]
    return run


ALL = [
    estimator("dp_gd", "Xy", rho=1.0, steps=5, step_size=0.2, clip_norm=1.0),
    estimator("preconditioned_dp_gd", "Xy", rho=1.0, steps=5, step_size=0.5, covariate_bound=2.0, clip_norm=1.0,
              moment_share=0.1, floor=0.1),
    estimator("dp_regression", "Xy", rho=9.0, intercept=False, scale=[0.4, 0.4], outcome_scale=1.0, outcome_centre=0.1),
    estimator("dp_2s_gd", "ZXy", rho=1.0, steps=5, step_size1=0.5, step_size2=0.4, clip_norm1=1.0, clip_norm2=1.0,
              first_share=0.5),
    estimator("dp_iv_gd", "ZXy", rho=1.0, steps1=6, tail1=4, steps2=44, burn_in=4, step_size1=0.5, step_size2=0.4,
              clip_norm1=1.0, clip_norm2=1.0, level=0.9),
    estimator("dp_ftrl", "Xy", rho=1.0, strategy=dpdescent.identity(), step_size=0.05, clip_norm=1.0, tail=0),
    estimator("dp_ambssgd", "Xy", rho=1.0, steps=6, step_size=0.2, largest=8.0, levels=5, stat_size=12, scale=1.5,
              margin=1.0, quantile=0.9, offset=0.0, tail_share=0.5),
    estimator("dp_kan", "Xy", epsilon=2.0, delta=1e-4, kan=KAN, steps=5, batch_size=20, step_size=0.5,
              clip_norm=1.0, correlation=0.3, radius=9.0),
]  # fmt: skip
EVERY = pytest.mark.parametrize("estimate", ALL, ids=lambda each: each.__name__)
PARTS = pytest.mark.parametrize(
    ("estimate", "part"),
    [pytest.param(each, part, id=f"{each.__name__}-{part}") for each in ALL for part in each.parts],  # type: ignore[attr-defined]
)


def test_all_public_estimators_are_tried() -> None:
    public = {name for name in dir(dpdescent) if name.startswith(("dp_", "preconditioned"))}
    assert {each.__name__ for each in ALL} == public  # type: ignore[attr-defined]


def objects(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Records as objects, one of them changed."""

    def changed(array: Any) -> Any:
        found = array.astype(object)
        found.flat[7] = change(found.flat[7])
        return found

    return changed


class Foreign:
    """An object of another library, which numpy asks for an array."""

    def __init__(self, made: Callable[[], Any]) -> None:
        self.made = made

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.made()


def masked(array: Any) -> Any:
    found = np.ma.array(array, mask=False)
    found.flat[7] = 1e6
    found.mask.flat[7] = True
    return found


STRANGE: dict[str, tuple[Callable[[Any], Any], str]] = {
    "masked": (masked, "has 1 masked values"),
    "masked in a list": (lambda array: list(masked(array)), "has 1 masked values"),
    "complex": (lambda array: array + 0j, "holds complex128"),
    "dates": (lambda array: np.zeros(array.shape, dtype="M8[s]"), r"holds datetime64\[s\]"),
    "durations": (lambda array: np.zeros(array.shape, dtype="m8[s]"), r"holds timedelta64\[s\]"),
    "strings": (lambda array: array.astype(str), "holds str"),
    "bytes": (lambda array: array.astype("S8"), "holds bytes"),
    "a structure": (lambda array: np.zeros(array.shape, dtype=[("a", float)]), "holds void64"),
    "None": (objects(lambda _: None), r"has 1 values that are no real numbers \(NoneType\)"),
    "NA": (objects(lambda _: pd.NA), r"\(NAType\)"),
    "NaT": (objects(lambda _: pd.NaT), r"\(NaTType\)"),
    "a string": (objects(str), r"\(str\)"),
    "a complex number": (objects(complex), r"\(complex\)"),
    "a date": (objects(lambda _: datetime.date(2020, 1, 1)), r"\(date\)"),
    "a numpy date": (objects(lambda _: np.datetime64("2020")), r"\(datetime64\)"),
    "a duration": (objects(lambda _: np.timedelta64(3, "s")), r"\(timedelta64\)"),
    "a list": (objects(lambda value: [value]), r"\(list\)"),
    "a large integer": (objects(lambda _: 10**400), "has numbers that are too large for a float"),
    "NaN": (objects(lambda _: math.nan), "has 1 values that are not finite"),
    "a large longdouble": (lambda array: np.where(np.arange(array.size).reshape(array.shape) == 7,
                                                  np.longdouble("1e400"), array), "has 1 values that are not finite"),
    "ragged lists": (lambda array: [*array.tolist()[:-1], [1.0, 2.0, 3.0]], "is no array of numbers"),
    "sparse": (lambda array: sparse.csr_matrix(np.atleast_2d(array)), r"is sparse \(csr_matrix\): give .\.toarray"),
    "sparse array": (lambda array: sparse.coo_array(array), r"is sparse \(coo_array\)"),
    "nothing": (lambda _: None, r"has 1 values that are no real numbers \(NoneType\)"),
    "a dict": (lambda array: {"a": array}, r"\(dict\)"),
    "a word": (lambda _: "records.csv", "holds str"),
    "a frame with a missing value": (
        lambda array: SAME["a frame of Float64"](objects(lambda _: pd.NA)(array)), "NAType|not finite"),
    "a frame of words": (lambda array: pd.DataFrame(array).astype(str), "no real numbers"),
    "masked in a deque": (lambda array: deque(masked(array)), "has 1 masked values"),
    "masked in an object of another library": (lambda array: Foreign(lambda: masked(array)), "has 1 masked values"),
    "an object that cannot": (lambda _: Foreign(lambda: {}["key"]), r"\(Foreign\) is no array of numbers"),
    "a masked structure": (lambda array: np.ma.zeros(array.shape, dtype=[("a", float)]), "holds void64"),
    "a bytearray": (lambda array: bytearray(array.size), "holds bytes"),
    "bytearrays": (lambda array: [bytearray(2)] * len(array), "holds bytes"),
    "a view of bytes": (lambda array: memoryview(bytes(array.size)), "holds bytes"),
    "rows with other indices": (
        lambda array: [pd.Series([1.0, 2.0], index=[k % 2, 1 - k % 2]) for k in range(len(array))],
        "different indices"),
}  # fmt: skip


@PARTS
@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_real_number_is_refused_by_name(estimate: Estimate, part: str, kind: str) -> None:
    change, words = STRANGE[kind]
    with pytest.raises(ValueError, match=rf"^{part}[ \[].*({words})") as raised:
        estimate(**{part: change(table()[part])})
    assert "\n" not in str(raised.value)
    assert "1000000" not in str(raised.value)


SAME: dict[str, Callable[[Any], Any]] = {
    "lists": lambda array: array.tolist(),
    "tuples": lambda array: tuple(array),
    "Fortran order": np.asfortranarray,
    "big-endian": lambda array: array.astype(">f8"),
    "longdouble": lambda array: array.astype(np.longdouble),
    "objects": lambda array: array.astype(object),
    "fractions": objects(Fraction),
    "decimals": objects(Decimal),
    "no value masked": lambda array: np.ma.array(array),
    "a frame": lambda array: pd.DataFrame(array) if array.ndim == 2 else pd.Series(array),
    "a frame of Float64": lambda array: (pd.DataFrame(array) if array.ndim == 2 else pd.Series(array)).astype(
        "Float64"
    ),
}


@EVERY
@pytest.mark.parametrize("kind", SAME)
def test_the_same_numbers_give_the_same_bytes(estimate: Estimate, kind: str) -> None:
    parts = estimate.parts  # type: ignore[attr-defined]
    found, expected = estimate(**{part: SAME[kind](table()[part]) for part in parts}), estimate()
    assert found.estimate.tobytes() == expected.estimate.tobytes()


@EVERY
def test_booleans_are_zero_and_one(estimate: Estimate) -> None:
    part = estimate.parts[-2]  # type: ignore[attr-defined]
    flags = table()[part] > 0.1
    mixed = pd.DataFrame({"flag": flags[:, 0], "number": flags[:, 1].astype(float)})
    for given in (flags, mixed, flags.tolist()):
        assert estimate(**{part: given}).estimate.tobytes() == estimate(**{part: flags * 1.0}).estimate.tobytes()


@EVERY
def test_records_are_not_paired_by_position_against_their_indices(estimate: Estimate) -> None:
    parts = estimate.parts  # type: ignore[attr-defined]
    frames = {part: SAME["a frame"](table()[part]) for part in parts}
    shuffled = frames["y"].sample(frac=1.0, random_state=1)
    words = rf"{parts[0]} and y have different indices.*y\.loc\[{parts[0]}\.index\].*y\.to_numpy\(\)"
    for other in (shuffled, frames["y"].set_axis(np.arange(1, N + 1)), frames["y"].set_axis(list(map(str, range(N))))):
        with pytest.raises(ValueError, match=words) as raised:
            estimate(**{**frames, "y": other})
        assert "\n" not in str(raised.value)
    expected = estimate().estimate.tobytes()
    assert estimate(**{**frames, "y": shuffled.loc[frames[parts[0]].index]}).estimate.tobytes() == expected
    # An array has no index, and is taken as it lies.
    assert estimate(**{**frames, "y": table()["y"]}).estimate.tobytes() == expected
    kept = {part: frame.set_axis(list(range(N, 0, -1))) for part, frame in frames.items()}
    assert estimate(**kept).estimate.tobytes() == expected


@EVERY
def test_names_of_columns_are_kept(estimate: Estimate) -> None:
    part = estimate.parts[-2]  # type: ignore[attr-defined]
    assert estimate().names == ()
    frame = pd.DataFrame(table()[part], columns=["größe", ("b", 2)])
    assert estimate(**{part: frame}).names == ("größe", "('b', 2)")


@EVERY
def test_a_seed_or_none_is_a_generator_without_secrets(estimate: Estimate) -> None:
    for seed in (7, np.int64(7), np.uint8(7)):
        assert estimate(rng=seed).estimate.tobytes() == estimate(rng=np.random.default_rng(7)).estimate.tobytes()
    one, two = estimate(rng=None), estimate(rng=None)
    assert (one.estimate != two.estimate).any()
    for run in (one, estimate(rng=7)):
        assert run.event.guarantee == "none"
        assert "makes the noise of PCG64 again" in run.event.reason
    assert estimate(rng=dpdescent.secure_generator()).event.guarantee == "proved"


NO_GENERATORS = [
    np.random.RandomState(3), np.random, np.random.PCG64(3), np.random.SeedSequence(3), -1, 1.5, True, "seed", [1, 2],
    np.timedelta64(3), np.random.default_rng,
]  # fmt: skip


@EVERY
@pytest.mark.parametrize("rng", NO_GENERATORS, ids=lambda rng: type(rng).__name__)
def test_other_generators_are_refused_at_once(estimate: Estimate, rng: Any) -> None:
    """Before the records are looked at."""
    with pytest.raises(ValueError, match=r"^rng must be dpdescent\.secure_generator\(\) for a release.*got") as raised:
        estimate(rng=rng, y=None)
    assert "\n" not in str(raised.value)


def test_other_public_functions_take_the_same_generators() -> None:
    attack = dpdescent.Attack("one", lambda runs, rng: (rng.standard_normal(runs), 1.0 + rng.standard_normal(runs)))
    found = [dpdescent.audit(attack, 100, rng).mu_low() for rng in (3, np.random.default_rng(3))]
    assert found[0] == found[1]
    blocks = [
        np.concatenate(list(dpdescent.NoiseStream(dpdescent.identity(), 9, 2, rng, block=4))).tobytes()
        for rng in (3, np.random.default_rng(3))
    ]
    assert blocks[0] == blocks[1]
    for rng in NO_GENERATORS:
        with pytest.raises(ValueError, match="rng must be"):
            dpdescent.audit(attack, 100, rng)
        with pytest.raises(ValueError, match="rng must be"):
            dpdescent.NoiseStream(dpdescent.identity(), 9, 2, rng)


# Every setting with a value that is of another type, but would pass for a number somewhere.
WHOLE = {"steps", "steps1", "tail1", "steps2", "burn_in", "levels", "stat_size", "batch_size", "tail"}


def settings() -> list[Any]:
    """Every estimator with every setting that is a number."""
    return [
        pytest.param(each, name, id=f"{each.__name__}-{name}")
        for each in ALL
        for name, value in each.settings.items()  # type: ignore[attr-defined]
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]


@pytest.mark.parametrize(("estimate", "name"), settings())
def test_settings_are_numbers(estimate: Estimate, name: str) -> None:
    value = estimate.settings[name]  # type: ignore[attr-defined]
    whole = isinstance(value, int)
    assert whole is (name in WHOLE)
    others = [str(value), [value], np.array([value]), True, 1j]
    for other in [*others, value + 0.5, float(value)] if whole else others:
        kind = "whole" if whole else "real"
        with pytest.raises(ValueError, match=rf"^{name} must be a {kind} number, got") as raised:
            estimate(**{name: other})
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize(("estimate", "name"), settings())
@pytest.mark.parametrize(
    "kind", [np.float16, np.float32, np.longdouble, np.int8, np.uint8, np.int64, np.uint64, Fraction]
)
def test_narrow_numbers_are_those_of_python(estimate: Estimate, name: str, kind: Any) -> None:
    """In their own types 100 squared is 16, and a sensitivity rounds to 11 bits: too little noise, and `proved`."""
    value = estimate.settings[name]  # type: ignore[attr-defined]
    if isinstance(value, int) != issubclass(kind, np.integer):
        # A threshold may be an integer.
        if not (issubclass(kind, np.integer) and name.startswith(("clip_norm", "covariate", "largest"))):
            pytest.skip("no value of this type")
        value = 100
    given = kind(value)
    same = estimate(**{name: int(given) if issubclass(kind, np.integer) else float(given)})
    found = estimate(**{name: given})
    assert found.event == same.event
    np.testing.assert_array_equal(found.path, same.path)


@pytest.mark.parametrize("name", ["clip_norm", "step_size"])
def test_integers_that_are_no_floats_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match=rf"^{name} must be a real number, and is too large for a float"):
        ALL[0](**{name: 10**400})


def test_whole_numbers_of_what_estimators_take() -> None:
    with pytest.raises(ValueError, match="width must be a whole number"):
        dpdescent.KAN(inputs=2, width=2.5, splines=dpdescent.CubicSplines(3))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="block must be a whole number"):
        dpdescent.NoiseStream(dpdescent.identity(), 9, 2, 3, block=2.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="T must be a whole number"):
        dpdescent.best_nu(6.5)  # type: ignore[arg-type]


PATH = np.random.default_rng(2).standard_normal((400, 2))
INTERVALS = dpdescent.intervals
# Other public functions, with arguments that are right: arrays as lists, numbers as Python's.
OTHERS: list[tuple[Callable[..., Any], dict[str, Any]]] = [
    (dpdescent.schedule.response, {"step_size": 0.5, "eigenvalues": [1.0, 0.5], "averaging": [0.0, 1.0]}),
    (dpdescent.schedule.weights_in_last, {"step_size": 0.5, "eigenvalues": [1.0, 0.5], "steps": 3}),
    (dpdescent.schedule.weights_in_average, {"step_size": 0.5, "eigenvalues": [1.0, 0.5], "steps": 3, "tail": 2}),
    (dpdescent.schedule.shares, {"weights": [1.0, 2.0], "floor": 0.5}),
    (dpdescent.schedule.variance, {"weights": [1.0, 2.0], "shares": [0.5, 0.5], "sensitivity": 1.0, "rho": 0.5}),
    (dpdescent.schedule.least_variance, {"weights": [1.0, 2.0], "sensitivity": 1.0, "rho": 0.5}),
    (dpdescent.nu_family, {"nu": 0.5}),
    (dpdescent.damped_anti_pgd, {"nu": 0.5}),
    (dpdescent.stamped, {"strategy": dpdescent.identity(), "copies": 2}),
    (dpdescent.best_nu, {"T": 6, "participations": 2}),
    (dpdescent.identity().sensitivity_squared, {"T": 6, "participations": 2}),
    (dpdescent.KAN, {"inputs": 2, "width": 2, "splines": dpdescent.CubicSplines(3)}),
    (dpdescent.CubicSplines, {"cells": 3}),
    (dpdescent.tight_epsilon, {"rho": 0.5, "delta": 0.01}),
    (dpdescent.tight_rho, {"eps": 0.5, "delta": 0.01}),
    (dpdescent.epsilon_low, {"false_positives": [3, 4], "false_negatives": [3, 4], "runs": 99, "confidence": 0.9,
                             "delta": 0.01}),
    (dpdescent.mu_low, {"false_positives": [3, 4], "false_negatives": [3, 4], "runs": 99, "confidence": 0.9}),
    (dpdescent.rho_low, {"false_positives": [3, 4], "false_negatives": [3, 4], "runs": 99, "confidence": 0.9}),
    (INTERVALS.t_factor, {"m": 4, "level": 0.9}),
    (INTERVALS.t_intervals, {"estimates": [1.0, 2.0], "level": 0.9}),
    (INTERVALS.batched_means, {"path": PATH.tolist(), "m": 4, "burn_in": 40}),
    (INTERVALS.checkpoints, {"path": PATH.tolist(), "m": 4, "burn_in": 40}),
    (INTERVALS.independent_runs, {"runs": PATH.reshape(100, 4, 2).tolist(), "burn_in": 4, "tail": 9}),
    (INTERVALS.autoregression, {"path": PATH.tolist(), "burn_in": 4}),
    (INTERVALS.sandwich_intervals, {
        "path": PATH.tolist(), "m": 4, "burn_in": 40, "step_size": 0.5, "precondition": np.eye(2).tolist(),
        "moment": np.eye(2).tolist(), "moment_sd": 0.01, "n": 99, "level": 0.9}),
    (LinearSample, {"X": PATH.tolist(), "y": PATH[:, 0].tolist()}),
    (IVSample, {"Z": PATH.tolist(), "X": PATH.tolist(), "y": PATH[:, 0].tolist(), "count": [2] * 400}),
]  # fmt: skip


def arguments(kind: type) -> list[Any]:
    return [
        pytest.param(function, given, name, id=f"{function.__name__}-{name}")
        for function, given in OTHERS
        for name, value in given.items()
        if type(value) is kind
    ]


@pytest.mark.parametrize(("function", "given", "name"), [*arguments(int), *arguments(float)])
def test_other_functions_refuse_what_is_no_number(function: Any, given: dict[str, Any], name: str) -> None:
    value = given[name]
    whole = isinstance(value, int)
    for other in [str(value), [value], np.array([value]), True, 1j, *([value + 0.5, math.inf] if whole else [])]:
        with pytest.raises(ValueError, match=rf"^{name} must be a {'whole' if whole else 'real'} number") as raised:
            function(**{**given, name: other})
        assert "\n" not in str(raised.value)
    for narrow in (np.int64, np.uint8) if whole else (np.float16, np.longdouble):
        other = narrow(value)
        found = function(**{**given, name: other})
        same = function(**{**given, name: value if whole else float(other)})
        if isinstance(same, INTERVALS.Intervals):
            found, same = found.half_width, same.half_width
        if isinstance(same, np.ndarray):
            np.testing.assert_array_equal(found, same)
        else:
            assert found == same


@pytest.mark.parametrize(("function", "given", "name"), arguments(list))
@pytest.mark.parametrize("kind", ["masked", "complex", "dates", "strings", "None", "NaN", "ragged", "sparse"])
def test_other_functions_refuse_what_is_no_array_of_numbers(
    function: Any, given: dict[str, Any], name: str, kind: str
) -> None:
    array = np.array(given[name], dtype=float)
    changes: dict[str, Callable[[Any], Any]] = {
        "masked": lambda a: np.ma.array(a, mask=True), "complex": lambda a: a + 0j,
        "dates": lambda a: a.astype("M8[s]"), "strings": lambda a: a.astype(str),
        "None": lambda a: np.where(a == a, None, a), "NaN": lambda a: a * math.nan,
        "ragged": lambda a: [*a.tolist(), [[1.0]]],
        "sparse": lambda a: sparse.coo_array(np.atleast_2d(a.reshape(len(a), -1))),
    }  # fmt: skip
    words = "an estimate is NaN|must be non-negative|" if kind == "NaN" else ""
    with pytest.raises(ValueError, match=rf"{words}^{name} ") as raised:
        function(**{**given, name: changes[kind](array)})
    assert "\n" not in str(raised.value)


def test_attacks_that_give_other_scores_than_asked_for_are_refused() -> None:
    for simulate, words in (
        (lambda runs, rng: (rng.random(runs), rng.random(runs - 1)), r"simulate\(100, rng\) gave"),
        (lambda runs, rng: (rng.random(runs),), "simulate must return a pair"),
        (lambda runs, rng: (np.ma.array(rng.random(runs), mask=True), rng.random(runs)), "simulate has 100 masked"),
    ):
        with pytest.raises(ValueError, match=words):
            dpdescent.audit(dpdescent.Attack("a pair", simulate), 100, 1)  # type: ignore[arg-type]


@EVERY
def test_what_else_is_an_array_comes_through_the_gate(estimate: Estimate) -> None:
    normals = np.ma.array(np.zeros((5, 2)), mask=True)
    if estimate.__name__ in ("dp_gd", "dp_kan", "dp_2s_gd", "dp_ftrl"):  # type: ignore[attr-defined]
        with pytest.raises(ValueError, match="normals has 10 masked values"):
            estimate(normals=normals)
    if estimate.__name__ == "dp_gd":  # type: ignore[attr-defined]
        with pytest.raises(ValueError, match="shares holds complex128"):
            estimate(shares=np.full(5, 0.2 + 0j))
        with pytest.raises(ValueError, match="normals has 10 values that are not finite"):
            estimate(normals=np.full((5, 2), np.inf))
    if estimate.__name__ == "dp_kan":  # type: ignore[attr-defined]
        with pytest.raises(ValueError, match=r"start\[1\] of shape \(1,\) must have shape \(2, 6\)"):
            estimate(start=(np.zeros((2, 12)), [1.0]))


@pytest.mark.parametrize("epsilon", [150.0, 1000.0, 1e5])
@pytest.mark.parametrize("correlation", [0.0, 0.3])
def test_large_epsilons_end(epsilon: float, correlation: float) -> None:
    run = ALL[-1](epsilon=epsilon, correlation=correlation)
    found = dpdescent.account(run.event, 1e-4).epsilon
    assert 0.999 * epsilon < found <= epsilon * (1.0 + 1e-9)


@EVERY
def test_epsilons_that_no_noise_is_told_from_are_refused(estimate: Estimate) -> None:
    with pytest.raises(ValueError, match=r"epsilon=1e\+300 must be at most 1e\+09"):
        estimate(rho=None, epsilon=1e300, delta=1e-4)


def test_tools_of_the_gate() -> None:
    assert columns(pd.DataFrame({"a": [1], 2: [3]})) == ("a", "2")
    assert columns(np.ones((2, 2))) == columns([[1]]) == ()
    assert real("a", np.float32([1.5])).dtype == np.float64
    assert np.isnan(real("a", [math.nan])).all()
    given = np.random.default_rng(1)
    assert generator(given) is given
    (clipped,) = records(a=([1e300, -1e300], 1))
    assert clipped.tolist() == [1e100, -1e100]
