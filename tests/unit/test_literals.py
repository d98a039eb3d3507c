"""Words that an argument may be: every `Literal` of the library's public dataclasses and functions is checked."""

import dataclasses
import importlib
import inspect
import math
import pkgutil
import typing
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import dpdescent
from dpdescent import mixing
from dpdescent.algorithms import dp_regression, gaussian_law
from dpdescent.algorithms.dp_stat import Search
from dpdescent.attacks import ada_ssp as ada_ssp_attack
from dpdescent.attacks import dp_regression as dp_regression_attack
from dpdescent.attacks import dp_stat as dp_stat_attack
from dpdescent.baselines import ada_ssp, boosted_ada_ssp, friendly_core, iterative_hessian_mixing
from dpdescent.checks import require_known
from dpdescent.data.iv import IVSample
from dpdescent.data.linear import Gram
from dpdescent.estimators import run
from dpdescent.privacy import sampling, sketching
from dpdescent.privacy.account import Account, account, tightest_epsilon
from dpdescent.privacy.arithmetic import ExactMechanism
from dpdescent.privacy.events import (
    CorrelatedReleases,
    DisjointReleases,
    GaussianReleases,
    Mechanism,
    Relation,
    Sampler,
    SubsampledGaussianReleases,
)
from dpdescent.privacy.participation import bins, pairs, tail
from dpdescent.privacy.participation.calibration import Calibrated, Calibration

OUTSIDE = ("dpdescent.replication", "dpdescent.papers", "dpdescent.commands")
BOUNDS = ada_ssp.Bounds(1.0, 1.0, "public")
ONE = GaussianReleases("sum", 1.0, 1.0, 1)
X, Y = np.random.default_rng(1).standard_normal((40, 2)), np.random.default_rng(2).standard_normal(40)
GRAM = Gram(10, np.eye(1), np.ones(1), 10.0)
KAN = dpdescent.KAN(inputs=2, width=2, splines=dpdescent.CubicSplines(2))
INFO = {"rho": 1.0, "delta": 0.1, "noisy_n": 1.0, "vote_sd": 1.0, "vote_threshold": 1.0, "core_size": 1,
        "noisy_core_size": 1.0, "noise_sd": 1.0, "failed": False}  # fmt: skip


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def mechanism(**words: Any) -> Mechanism:
    given = {"relation": "replace-one", "sampler": "full batch", "guarantee": "proved", **words}
    return Mechanism("m", (ONE,), claimed_rho=math.inf, reason="r", **given)


def exact_mechanism(**words: Any) -> Mechanism:
    given = {"relation": "replace-one", "sampler": "full batch", "guarantee": "proved", **words}
    return ExactMechanism("m", (ONE,), claimed_rho=math.inf, reason="r", **given)


def a_account(**words: Any) -> Account:
    given = {"relation": "replace-one", "sampler": "full batch", "guarantee": "proved", **words}
    return Account(1.0, 1.0, 1.0, 1e-6, reason="r", **given)


def calibrated(**words: Any) -> Calibrated:
    return Calibrated(1.0, 0.1, 0.0, proved=True, precondition="none", **words)


def fitted_kan(**words: Any) -> Any:
    return dpdescent.dp_kan(
        np.clip(X, -1, 1), np.sign(Y), kan=KAN, steps=2, batch_size=4, step_size=1.0, clip_norm=1.0, epsilon=1.0,
        delta=1e-3, rng=3, **words,
    )  # fmt: skip


PAIR = bins.BinnedPair.draw(4, 2, 0.5, 10, rng())
# By module and name: a call that needs the words alone, and the words of other arguments that have no default.
CALLS: dict[str, tuple[Callable[..., Any], dict[str, str]]] = {
    "algorithms.dp_regression.Plan": (lambda **words: dp_regression.Plan(9, 2, 1.0, **words), {}),
    "algorithms.dp_stat.Search": (lambda **words: Search(8.0, 3, 1.0, **words), {}),
    "algorithms.gaussian_law.IterateLaw.estimates": (
        lambda construction: gaussian_law.IterateLaw.of(GRAM, eta=0.5, noise_sd=1.0).estimates(construction, 20, 2, 0),
        {}),
    "mixing.unmixed": (
        lambda construction: mixing.unmixed(np.random.default_rng(1).normal(size=(400, 2)), 10, 0, construction), {}),
    "attacks.ada_ssp.ada_ssp": (lambda **words: ada_ssp_attack.ada_ssp(words["relation"], 1.0, 1.0, 1.0), {}),
    "attacks.dp_regression.plan_of": (lambda **words: dp_regression_attack.plan_of(1.0, **words), {}),
    "attacks.dp_regression.reversing_record": (
        lambda **words: dp_regression_attack.reversing_record(1.0, **words), {}),
    "attacks.dp_stat.Overheard": (lambda **words: dp_stat_attack.Overheard(8.0, 3, 1.0, **words), {}),
    "baselines.ada_ssp.Bounds": (lambda **words: ada_ssp.Bounds(1.0, 1.0, **words), {}),
    "baselines.ada_ssp.sensitivities": (lambda **words: ada_ssp.sensitivities(BOUNDS, **words), {}),
    "baselines.ada_ssp.Calibration": (
        lambda **words: ada_ssp.Calibration(BOUNDS, releases=(ONE, ONE, ONE), delta=0.1, **words), {}),
    "baselines.ada_ssp.Calibration.standard": (
        lambda **words: ada_ssp.Calibration.standard(BOUNDS, 1.0, 0.1, **words), {}),
    "baselines.ada_ssp.Calibration.zcdp_matched": (
        lambda **words: ada_ssp.Calibration.zcdp_matched(BOUNDS, 1.0, 0.1, **words), {}),
    "baselines.boosted_ada_ssp.Settings": (lambda **words: boosted_ada_ssp.Settings(BOUNDS, 1.0, **words), {}),
    "baselines.iterative_hessian_mixing.Settings": (
        lambda **words: iterative_hessian_mixing.Settings(BOUNDS, 2, 1.0, 0.1, **words), {}),
    "baselines.friendly_core.FriendlyCoreInfo": (
        lambda **words: friendly_core.FriendlyCoreInfo(**INFO, **words), {}),  # type: ignore[arg-type]
    "baselines.friendly_core.friendly_core_average": (
        lambda **words: friendly_core.friendly_core_average(X, 1.0, 0.1, 9.0, rng(), **words), {}),
    "baselines.friendly_core.friendly_core_two_stage_least_squares": (
        lambda **words: friendly_core.friendly_core_two_stage_least_squares(
            IVSample(X, X[:, :1], Y), 1.0, 0.1, 9.0, rng(), **words), {}),
    "estimators.dp_2s_gd.dp_2s_gd": (
        lambda **words: dpdescent.dp_2s_gd(
            X, X[:, :1], Y, steps=4, step_size1=0.1, step_size2=0.1, clip_norm1=1.0, clip_norm2=1.0, rng=3, rho=1.0,
            **words), {}),
    "estimators.dp_ambssgd.dp_ambssgd": (
        lambda **words: dpdescent.dp_ambssgd(
            X, Y, steps=4, step_size=0.1, largest=8.0, levels=3, stat_size=4, scale=1.0, rng=3, rho=1.0, **words), {}),
    "estimators.dp_ftrl.dp_ftrl": (
        lambda **words: dpdescent.dp_ftrl(
            X, Y, strategy=dpdescent.identity(), step_size=0.1, clip_norm=1.0, rng=3, rho=1.0, **words), {}),
    "estimators.dp_gd.dp_gd": (
        lambda **words: dpdescent.dp_gd(X, Y, steps=4, step_size=0.1, clip_norm=1.0, rng=3, rho=1.0, **words), {}),
    "estimators.dp_iv_gd.dp_iv_gd": (
        lambda **words: dpdescent.dp_iv_gd(
            X, X[:, :1], Y, clip_norm1=1.0, clip_norm2=1.0, rng=3, rho=1.0, steps1=4, tail1=2, steps2=40, **words),
        {}),
    "estimators.dp_kan.dp_kan": (fitted_kan, {}),
    "estimators.dp_regression.dp_regression": (
        lambda **words: dpdescent.dp_regression(X, Y, scale=[1.0] * 2, outcome_scale=1.0, rng=3, rho=1.0, **words),
        {}),
    "estimators.preconditioned_dp_gd.preconditioned_dp_gd": (
        lambda **words: dpdescent.preconditioned_dp_gd(
            X, Y, covariate_bound=3.0, clip_norm=3.0, rng=3, rho=1.0, **words), {}),
    "estimators.run.require_own_noise": (lambda arithmetic: run.require_own_noise(None, arithmetic), {}),
    "estimators.run.rho_of": (lambda arithmetic: run.rho_of(9, 1.0, None, None, arithmetic), {}),
    "privacy.account.Account": (a_account, {}),
    "privacy.arithmetic.ExactMechanism": (exact_mechanism, {}),
    "privacy.events.Mechanism": (mechanism, {}),
    "privacy.events.Mechanism.without_privacy": (lambda **words: Mechanism.without_privacy("m", **words), {}),
    "privacy.participation.bins.BinnedPair.losses": (lambda **words: PAIR.losses(1.0, **words), {}),
    "privacy.participation.bins.deltas": (lambda **words: bins.deltas(1.0, [1.0], 4, 2, 0.5, 10, rng(), **words), {}),
    "privacy.participation.calibration.Calibrated": (
        calibrated, {"relation": "zero-out", "sampler": "Poisson"}),
    "privacy.participation.calibration.Calibration.estimate": (
        lambda directions: Calibration(PAIR).estimate(1.0, 1.0, (directions,)), {}),
    "privacy.participation.pairs.SampledPair.losses": (
        lambda **words: pairs.SampledPair.draw(4, 0.5, 0.5, 10, rng()).losses(1.0, **words), {}),
    "privacy.participation.pairs.deltas": (
        lambda **words: pairs.deltas(1.0, [1.0], 4, 0.5, 0.5, 10, rng(), **words), {}),
    "privacy.participation.pairs.independent_delta": (
        lambda **words: pairs.independent_delta(2.0, 1.0, 4, 0.5, **words), {}),
    "privacy.participation.tail.delta": (lambda **words: tail.delta(2.0, 1.0, 4, 0.5, 0.5, **words), {}),
    "privacy.participation.tail.epsilon": (lambda **words: tail.epsilon(2.0, 0.1, 4, 0.5, 0.5, **words), {}),
    "privacy.participation.tail.multiplier": (lambda **words: tail.multiplier(1.0, 0.1, 4, 0.5, 0.5, **words), {}),
    "privacy.sketching.row_divergence": (
        lambda **words: sketching.row_divergence(np.array([2.0]), 9.0, **words), {}),
    "privacy.sampling.composed_epsilon": (lambda **words: sampling.composed_epsilon([ONE], 1e-5, **words), {}),
    "privacy.sampling.epsilon": (lambda **words: sampling.epsilon(2.0, 0.5, 4, 1e-5, **words), {}),
    "privacy.sampling.noise_multiplier": (lambda **words: sampling.noise_multiplier(2.0, 1.0, 4, 1e-5, **words), {}),
}  # fmt: skip
# Asked for a whole grid of runs, and handed on at once to `Search`, which is above; and a protocol without a body.
HANDED_ON = {"attacks.dp_stat.released_threshold", "privacy.participation.divergence.Pair.losses"}


def words_of(hint: Any) -> tuple[str, ...]:
    """The words of a type, also within another one."""
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        return tuple(each for each in arguments if isinstance(each, str))
    return tuple(word for each in arguments if not isinstance(each, str) for word in words_of(each))


def found() -> Iterator[tuple[str, str, tuple[str, ...], bool]]:
    """Every argument with words, by module and name, the argument's name, its words, and whether None is one."""
    for each in pkgutil.walk_packages(dpdescent.__path__, "dpdescent.", onerror=lambda _: None):
        if each.name.startswith(OUTSIDE) or each.name.endswith("__main__"):
            continue
        try:
            module = importlib.import_module(each.name)
        except ModuleNotFoundError:
            continue
        for name, value in vars(module).items():
            if name.startswith("_") or getattr(value, "__module__", None) != each.name:
                continue
            inside = {f"{name}.{key}": method for key, method in vars(value).items()} if inspect.isclass(value) else {}
            taken = value.__init__ if dataclasses.is_dataclass(value) and inspect.isclass(value) else value
            for path, callee in {name: taken, **inside}.items():
                plain = getattr(callee, "__wrapped__", getattr(callee, "__func__", callee))
                if "._" in path or not inspect.isfunction(plain):
                    continue
                for argument, hint in typing.get_type_hints(plain).items():
                    if argument != "return" and words_of(hint):
                        none = type(None) in typing.get_args(hint)
                        yield f"{each.name.removeprefix('dpdescent.')}.{path}", argument, words_of(hint), none


FOUND = [each for each in found() if each[0] not in HANDED_ON]


def test_every_argument_with_words_is_tried() -> None:
    assert {path for path, *_ in FOUND} == set(CALLS)


@pytest.mark.parametrize(("path", "argument", "words", "none"), FOUND)
def test_no_other_word_passes(path: str, argument: str, words: tuple[str, ...], none: bool) -> None:
    call, beside = CALLS[path]
    known = words[0]
    call(**beside, **{argument: known}) if argument not in beside else call(**beside)
    near = known.replace("-", "_").replace(" ", "_") if {"-", " "} & set(known) else f"{known}."
    if none:
        call(**{**beside, argument: None})
    for other in (near, known.upper() + "?", "", *([] if none else [None]), 3, (known,)):
        with pytest.raises(ValueError, match="must be one of") as raised:
            call(**{**beside, argument: other})
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("literal", "given", "meant"),
    [
        (Relation, "replace_one", "replace-one"),
        (Relation, "substitute", "replace-one"),
        (Relation, "ADD_OR_REMOVE_ONE", "add-remove"),
        (Relation, "zero out", "zero-out"),
        (Sampler, "poisson", "Poisson"),
        (Sampler, "fixed_size", "fixed size"),
    ],
)
def test_a_word_that_was_meant_is_named(literal: Any, given: str, meant: str) -> None:
    with pytest.raises(ValueError, match=f"relation='{given}' must be one of .*; did you mean '{meant}'?"):
        require_known(literal, relation=given)


def test_a_word_that_nothing_is_like_has_no_suggestion() -> None:
    with pytest.raises(ValueError, match=r"relation='xyz' must be one of replace-one, add-remove, zero-out$"):
        require_known(Relation, relation="xyz")


@pytest.mark.parametrize("word", ["relation", "sampler"])
@pytest.mark.parametrize(
    ("release", "relation", "sampler"),
    [
        (ONE, "replace-one", "full batch"),
        (SubsampledGaussianReleases("s", 1.0, 2.0, 0.1, 9), "zero-out", "Poisson"),
        (CorrelatedReleases("s", 1.0, 2.0, 0.0, 0.1, 9), "replace-one", "fixed size"),
    ],
)
def test_what_no_account_knows_has_none(release: Any, relation: Any, sampler: Any, word: str) -> None:
    """Also where it came in without the constructor, as an event that was stored by another version would."""
    event = Mechanism("m", (release,), relation, sampler, math.inf, "proved", "r")
    assert 0.0 < account(event, 1e-6).epsilon < math.inf
    object.__setattr__(event, word, "substitute")
    for accountant in (account, tightest_epsilon):
        with pytest.raises(ValueError, match=f"{word}='substitute' must be one of"):
            accountant(event, 1e-6)


@pytest.mark.parametrize("releases", [GaussianReleases("a sum", 1.0, 1.0, 1), ("a sum",), None, "a sum", (None,)])
def test_releases_are_releases(releases: Any) -> None:
    with pytest.raises(ValueError, match=r"releases of a method must be a tuple of releases") as raised:
        Mechanism("a method", releases, "replace-one", "full batch", math.inf, "proved", "so")
    assert "\n" not in str(raised.value)
    if releases:
        with pytest.raises(ValueError, match="parts must be tuples of GaussianReleases"):
            DisjointReleases((releases,))
