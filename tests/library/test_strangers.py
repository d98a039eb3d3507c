"""What a stranger tried on the library: each call is right, or a ValueError that names the argument."""

import contextlib
import copy
import logging
import subprocess
import sys
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

import dpdescent
from dpdescent import intervals
from dpdescent.noise import schedule
from dpdescent.noise.strategies.toeplitz import DampedDifference
from dpdescent.privacy.events import SubsampledGaussianReleases

DRAWN = np.random.default_rng(11)
X = DRAWN.standard_normal((200, 3))
Y = X @ [1.0, -1.0, 0.5] + 0.5 * DRAWN.standard_normal(200)
PATH = DRAWN.standard_normal((1020, 3))
KAN = dpdescent.KAN(inputs=2, width=2, splines=dpdescent.CubicSplines(3))


def dp_gd(X: Any = X, y: Any = Y, **changes: Any) -> dpdescent.Run:
    return dpdescent.dp_gd(X, y, **{"rho": 2.0, "steps": 20, "step_size": 0.25, "clip_norm": 5.0, "rng": 1, **changes})


def dp_ftrl(strategy: Any, rng: Any = 1) -> dpdescent.Run:
    return dpdescent.dp_ftrl(X, Y, rho=1.0, strategy=strategy, step_size=0.02, clip_norm=2.0, rng=rng)


def preconditioned(**changes: Any) -> dpdescent.Run:
    return dpdescent.preconditioned_dp_gd(
        X, Y, **{"rho": 1.0, "covariate_bound": 3.0, "clip_norm": 6.0, "rng": 1, **changes}
    )


def dp_kan(X: Any = np.tanh(X[:, :2]), y: Any = np.sign(Y), **changes: Any) -> dpdescent.Run:  # noqa: B008
    settings = {"kan": KAN, "steps": 3, "batch_size": 20, "step_size": 1.0, "clip_norm": 1.0, "rho": 1.0, "rng": 1,
                "sampler": "fixed order"}  # fmt: skip
    return dpdescent.dp_kan(X, y, **{**settings, **changes})


def dp_iv_gd(moment: Any) -> dpdescent.Run:
    return dpdescent.dp_iv_gd(X, X[:, :1], Y, rho=1.0, clip_norm1=8.0, clip_norm2=20.0, rng=1, second_moment=moment)


def audit(simulate: Any) -> dpdescent.Scores:
    return dpdescent.audit(dpdescent.Attack("a pair", simulate), runs=50, rng=1)


class Masked:
    """A table of another library, which turns itself into an array with a mask."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.ma.masked_array(X, mask=X > 1.0)


class Replaying(np.random.Generator):
    """A generator with secret bits whose noise is its own."""

    def standard_normal(self, size: Any = None, dtype: Any = float, out: Any = None) -> Any:
        return np.zeros(size)


class Boasting(DampedDifference):
    """A strategy that says of itself how little a record moves it."""

    def sensitivity_squared(self, T: int, participations: int = 1) -> float:
        return 1e-6


def boasting() -> Boasting:
    known = dpdescent.nu_family(0.1)
    return Boasting(**{each.name: getattr(known, each.name) for each in fields(known)})


REFUSED = [
    # Paths and estimates.
    (lambda: intervals.batched_means(np.where(PATH > 3.0, np.nan, PATH), m=10, burn_in=20), "path has"),
    (lambda: intervals.checkpoints(np.where(PATH > 3.0, np.inf, PATH), m=10, burn_in=20), "path has"),
    (lambda: intervals.independent_runs(np.full((40, 3, 2), np.nan), burn_in=20), "runs has"),
    (lambda: intervals.batched_means(np.ma.masked_array(PATH, mask=PATH > 1.0), m=10, burn_in=20), "path has"),
    (lambda: intervals.batched_means(PATH + 1j, m=10, burn_in=20), "path holds complex128"),
    (lambda: intervals.batched_means(dp_gd(), m=10, burn_in=0), "path has 1 values that are no real numbers"),
    (lambda: intervals.batched_means(PATH, m=10.0, burn_in=20), "m must be a whole number"),
    (lambda: intervals.checkpoints(PATH, m=10, burn_in=20.0), "burn_in must be a whole number"),
    (lambda: intervals.independent_runs(PATH[:, :, None], burn_in=20, tail=2.0), "tail must be a whole number"),
    (lambda: intervals.t_intervals(np.ma.masked_array(PATH, mask=PATH > 1.0)), "estimates has"),
    (lambda: intervals.t_intervals(np.full((10, 2), "1.0")), "estimates holds"),
    (lambda: intervals.t_intervals(3.0), "estimates is a single number"),
    (lambda: intervals.t_intervals(PATH, level="0.95"), "level must be a real number"),
    # Records and constants.
    (lambda: dp_gd(Masked()), "X has"),
    (lambda: dp_gd(X[:0], Y[:0]), r"X of shape \(0, 3\) is empty"),
    (lambda: dp_gd(X[:, :0]), r"X of shape \(200, 0\) is empty"),
    # The noise that was found had a delta 5e17 times too large.
    (lambda: dp_gd(rho=None, epsilon=1e-12, delta=1e-50), "epsilon=1e-12 must be at least 1e-07"),
    (lambda: preconditioned(covariate_bound=np.inf), "covariate_bound must be positive and finite"),
    (lambda: dp_iv_gd(-np.eye(3)), "second_moment of shape"),
    (lambda: dp_kan(X=X[:, :2] * 9.0), "X has"),
    (lambda: dp_kan(X=X), r"X of shape \(200, 3\) must have kan.inputs=2"),
    (lambda: dp_kan(y=(np.sign(Y) + 1.0) / 2.0), "y has"),
    (lambda: dp_kan(correlation=1.0), "correlation=1.0 must"),
    (lambda: dp_kan(kan="kan"), "kan must be a KAN"),
    (lambda: dp_ftrl("identity"), "strategy must be one"),
    (lambda: dp_ftrl(dpdescent.identity), "strategy must be one"),
    # Schedules.
    (lambda: schedule.variance([1, -2], [0.5, 0.5], 1.0, 1.0), "weights of shape"),
    (lambda: schedule.variance([1, 2], [0.5], 1.0, 1.0), "weights of shape"),
    (lambda: schedule.variance([1, 2], [0.5, 0.6], 1.0, 1.0), "shares have the sum 1.1 and not 1"),
    (lambda: schedule.variance(np.ma.masked_array([1.0, 2.0], mask=[1, 0]), [0.5, 0.5], 1.0, 1.0), "weights has"),
    (lambda: schedule.least_variance([1, -2], 1.0, 1.0), "weights of shape"),
    # Attacks.
    (lambda: audit(lambda n, rng: rng.standard_normal(n)), "simulate must return a pair"),
    (lambda: audit(lambda n, rng: None), "simulate must return a pair"),
    (lambda: audit(lambda n, rng: (rng.standard_normal(n), rng.standard_normal(n - 1))), r"simulate\(50, rng\) gave"),
    (lambda: audit(lambda n, rng: (rng.standard_normal(2 * n), rng.standard_normal(2 * n))), r"simulate\(50, rng\)"),
    (lambda: audit(lambda n, rng: [np.zeros((n, 2, 2))] * 2), r"simulate\(50, rng\) gave"),
    (lambda: audit(lambda n, rng: [np.ma.masked_array(np.arange(n), mask=np.arange(n) > 9)] * 2), "simulate has"),
    (lambda: audit(lambda n, rng: [np.arange(n) + 1j] * 2), "simulate holds"),
    (lambda: audit(lambda n, rng: [["a"] * n] * 2), "simulate holds"),
    (lambda: dpdescent.epsilon_low("5", 5, 100, 0.95, 1e-6), "false_positives holds"),
    (lambda: dpdescent.rho_low(5, 5, 100.5, 0.95), "runs must be a whole number"),
    (lambda: dpdescent.mu_low(5, 5, 100, "0.95"), "confidence must be a real number"),
    (lambda: dpdescent.mu_low([1, 2], [1, 2, 3], 100, 0.95), "must have one shape"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "words"), REFUSED)
def test_what_has_no_meaning_is_refused_by_name(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(ValueError, match=rf"^{words}|{words}$") as raised:
        call()
    assert "\n" not in str(raised.value)


def test_lists_are_paths_and_truth_values_are_scores() -> None:
    assert (intervals.batched_means(PATH.tolist(), 10, 20) == intervals.batched_means(PATH, 10, 20)).all()
    told = audit(lambda n, rng: (rng.random(n) < 0.3, rng.random(n) < 0.7))
    assert set(np.unique(told.tested)) == {0.0, 1.0}


def test_noise_of_a_generator_of_somebody_s_own_has_no_guarantee() -> None:
    bits = dpdescent.secure_generator().bit_generator
    assert dp_gd(rng=np.random.Generator(bits)).event.guarantee == "proved"
    assert dp_gd(rng=Replaying(bits)).event.guarantee == "none"


@pytest.mark.parametrize("wrapped", [lambda each: each, lambda each: dpdescent.stamped(each, 2)])
def test_a_strategy_of_somebody_s_own_has_no_guarantee(wrapped: Callable[[Any], Any]) -> None:
    rng = dpdescent.secure_generator()
    ours, theirs = (dp_ftrl(wrapped(each), rng).event for each in (dpdescent.nu_family(0.1), boasting()))
    assert (ours.guarantee, theirs.guarantee) == ("proved", "none")
    assert "by the word of Boasting" in theirs.reason


def test_no_result_changes_with_another() -> None:
    run = preconditioned()
    last = run.path[-1].copy()
    run.estimate[:] = 7.0
    assert (run.path[-1] == last).all()


@pytest.mark.parametrize("wanted", [copy.copy, copy.deepcopy])
def test_scores_have_no_equality_that_fails(wanted: Callable[[Any], Any]) -> None:
    told = audit(lambda n, rng: (rng.standard_normal(n), rng.standard_normal(n)))
    assert told == told
    assert told != wanted(told)


def test_an_account_leaves_the_root_logger_to_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    # Without pytest's handlers, because absl asks whether there is any.
    monkeypatch.setattr(logging.root, "handlers", [])
    monkeypatch.setattr(logging.root, "isEnabledFor", lambda level: True)
    release = SubsampledGaussianReleases("sums", 1.0, 1.0, 0.1, 10)
    event = dpdescent.Mechanism("own", (release,), "zero-out", "Poisson", np.inf, "proved", "by sampling")
    with contextlib.suppress(ValueError):
        dpdescent.account(event, delta=1e-12)
    assert logging.root.handlers == []


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("estimate", "--help")])
@pytest.mark.parametrize("target", ["/dev/full", None])
def test_help_ends_well_where_nobody_reads_it(arguments: tuple[str, ...], target: str | None) -> None:
    command = [sys.executable, "-m", "dpdescent", *arguments]
    if target:
        with open(target, "wb") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
        status, said = done.returncode, done.stderr
    else:
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            assert running.stdout
            assert running.stderr
            running.stdout.close()
            said, status = running.stderr.read(), running.wait()
    assert (status, said) == (0, b"")
