"""The account of a mechanism: releases in their ranges, and what no accountant fits."""

import math
import re
from dataclasses import replace

import dp_accounting
import mpmath
import pytest
from dp_accounting.pld import PLDAccountant

from dpdescent.privacy.account import account
from dpdescent.privacy.accounting import tight_epsilon, tight_rho
from dpdescent.privacy.events import (
    CorrelatedReleases,
    DisjointReleases,
    EpsilonDeltaRelease,
    GaussianReleases,
    Mechanism,
    Release,
    ShuffledGaussianReleases,
    SubsampledGaussianReleases,
)
from dpdescent.privacy.participation import gaussian

PLAIN = GaussianReleases("sums", 1.0, 2.0, 3)
SAMPLED = SubsampledGaussianReleases("sums", 1.0, 2.0, 0.1, 3)
SHUFFLED = ShuffledGaussianReleases("records", 2.0, 20.0, 100_000)
CORRELATED = CorrelatedReleases("sums", 1.0, 2.0, 0.5, 0.1, 20)
STATED = EpsilonDeltaRelease("a draw", 0.7, 1e-7)


def of(release: Release, relation: str = "replace-one", sampler: str = "full batch") -> Mechanism:
    return Mechanism("M", (release,), relation, sampler, math.inf, "proved", "because")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (of(replace(PLAIN, count=0.01)), "count=0.01 must be a whole number of releases"),
        (of(replace(PLAIN, count=math.inf)), "count=inf must be a whole number of releases"),
        (of(DisjointReleases(((PLAIN,), (replace(PLAIN, sensitivity=-1.0),)))), "sensitivity must not be negative"),
        (of(replace(SAMPLED, sensitivity=-1.0, noise_sd=-2.0), "add-remove", "Poisson"), "must not be negative"),
        (of(replace(SAMPLED, count=-10), "add-remove", "Poisson"), "count must not be negative, got -10"),
        (of(replace(SAMPLED, rate=1.5), "add-remove", "Poisson"), r"rate=1.5 must lie in \(0, 1\]"),
        (of(replace(SHUFFLED, noise_sd=math.nan), sampler="shuffled single pass"), "noise_sd must not be negative"),
        (of(replace(CORRELATED, rate=0.0), "zero-out", "balls in bins"), r"rate=0.0 must lie in \(0, 1\]"),
        (of(replace(CORRELATED, correlation=1.0), "zero-out", "Poisson"), r"correlation=1.0 must lie in \[0, 1\)"),
        (of(replace(STATED, epsilon=-1.0)), "epsilon must not be negative, got -1.0"),
        (of(replace(STATED, delta=-1e-9)), "delta must not be negative, got -1e-09"),
        (of(replace(STATED, delta=math.nan)), "delta must not be negative, got nan"),
        (of(CORRELATED, "add-remove", "fixed size"), "one record more changes which others are in a batch"),
    ],
)
def test_a_release_out_of_its_range_is_named(event, words):
    with pytest.raises(ValueError, match=words):
        account(event, 1e-6)


@pytest.mark.parametrize(
    ("release", "sampler"), [(PLAIN, "full batch"), (SHUFFLED, "shuffled single pass"), (CORRELATED, "fixed size")]
)
def test_without_noise_epsilon_is_infinite_and_without_sensitivity_zero(release, sampler):
    assert account(of(replace(release, noise_sd=0.0), sampler=sampler), 1e-6).epsilon == math.inf
    assert account(of(replace(release, sensitivity=0.0), sampler=sampler), 1e-6).epsilon == 0.0


@pytest.mark.parametrize(
    ("release", "relation", "sampler"),
    [
        (PLAIN, "replace-one", "full batch"),
        (SAMPLED, "add-remove", "Poisson"),
        (SHUFFLED, "replace-one", "shuffled single pass"),
        (CORRELATED, "replace-one", "fixed size"),
        (replace(CORRELATED, correlation=0.0), "replace-one", "fixed size"),
        (replace(CORRELATED, correlation=0.0), "zero-out", "Poisson"),
        (CORRELATED, "zero-out", "balls in bins"),
    ],
)
def test_infinite_noise_costs_nothing_and_next_to_none_everything(release, relation, sampler):
    assert account(of(replace(release, noise_sd=math.inf), relation, sampler), 1e-6).epsilon == 0.0
    for tiny in (1e-200, 5e-324):
        assert account(of(replace(release, noise_sd=tiny), relation, sampler), 1e-6).epsilon == math.inf
    assert account(of(replace(release, sensitivity=math.inf), relation, sampler), 1e-6).epsilon == math.inf
    with pytest.raises(ValueError, match="their ratio is unknown"):
        account(of(replace(release, sensitivity=math.inf, noise_sd=math.inf), relation, sampler), 1e-6)


def test_a_batch_of_fixed_size_and_one_record_more():
    """A batch of one record, of one or two: N(1, 1) against the mean of N(1, 1) and N(-1, 1)."""
    eps = account(of(CorrelatedReleases("sum", 1.0, 1.0, 0.0, 0.5, 1), "zero-out", "fixed size"), 1e-6).epsilon
    assert 0.5 * gaussian.delta(2.0, math.log1p(2.0 * math.expm1(eps))) > 1e-3


class Ran:
    """What says what it released, as a run does."""

    def __init__(self, event):
        self.event = event


GAUSSIAN = of(PLAIN)
POISSON = of(SAMPLED, "zero-out", "Poisson")
IN_ORDER = of(SHUFFLED, sampler="shuffled single pass")
IN_BATCHES = of(CORRELATED, sampler="fixed size")


def test_several_runs_of_independent_noise_compose_exactly():
    one, two = account(GAUSSIAN, 1e-6), account([GAUSSIAN, Ran(of(replace(PLAIN, noise_sd=1.0)))], 1e-6)
    assert account(Ran(GAUSSIAN), 1e-6) == account([GAUSSIAN], 1e-6) == one
    # 3 releases of multiplier 2 and 3 of multiplier 1.
    assert two.rho == pytest.approx(3.0 / 8.0 + 3.0 / 2.0, rel=1e-12)
    assert two.epsilon == tight_epsilon(two.rho, 1e-6)
    assert (two.sampler, two.relation, two.guarantee) == ("full batch", "replace-one", "proved")
    parts = of(DisjointReleases(((PLAIN,), (replace(PLAIN, count=1),))), sampler="single pass")
    mixed = account((GAUSSIAN, parts), 1e-6)
    assert mixed.rho == pytest.approx(2.0 * one.rho, rel=1e-12)
    assert mixed.sampler == "several"
    # Three releases and three are six.
    six = account(of(replace(SAMPLED, count=6), "zero-out", "Poisson"), 1e-6).epsilon
    assert account([POISSON, POISSON], 1e-6).epsilon == pytest.approx(six, rel=1e-4)
    plain = of(PLAIN, "zero-out")
    both = account([plain, POISSON], 1e-6)
    assert both.rho is None
    assert max(account(each, 1e-6).epsilon for each in (plain, POISSON)) < both.epsilon
    assert both.epsilon <= account(plain, 5e-7).epsilon + account(POISSON, 5e-7).epsilon
    assert both.epsilon == pytest.approx(account([POISSON, plain], 1e-6).epsilon, rel=1e-6)


def test_what_no_accountant_has_together_shares_delta():
    found = account([GAUSSIAN, IN_ORDER, IN_BATCHES], 3e-6)
    assert found.epsilon == pytest.approx(
        sum(account(each, 1e-6).epsilon for each in (GAUSSIAN, IN_ORDER, IN_BATCHES)), rel=1e-12
    )
    assert (found.rho, found.mu, found.sampler) == (None, None, "several")
    assert account([GAUSSIAN, Mechanism.without_privacy("OLS")], 1e-6).epsilon == math.inf


def test_the_guarantee_of_several_runs_is_the_worst():
    published = replace(GAUSSIAN, guarantee="as published", reason="they say so")
    assert account([GAUSSIAN, published], 1e-6).guarantee == "as published"
    none = account([published, replace(GAUSSIAN, guarantee="none", reason="a seed"), GAUSSIAN], 1e-6)
    assert none.guarantee == "none"
    assert none.reason == "3 runs, M the weakest: a seed"


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        ([], "has no run"),
        ([GAUSSIAN, 3], "runs has a int"),
        ("DP-GD", "runs has a str"),
        ([GAUSSIAN, POISSON], "differ in relation, replace-one and zero-out"),
    ],
)
def test_what_cannot_be_composed_is_named(runs, words):
    with pytest.raises(ValueError, match=words):
        account(runs, 1e-6)


@pytest.mark.parametrize(
    ("event", "relation"),
    [
        (GAUSSIAN, "ADD_OR_REMOVE_ONE"),
        (of(replace(PLAIN, sensitivity=0.5, count=7)), "ADD_OR_REMOVE_ONE"),
        (POISSON, "ADD_OR_REMOVE_ONE"),
        (POISSON, "REPLACE_SPECIAL"),
        (of(DisjointReleases(((PLAIN,), (replace(PLAIN, count=9),), (PLAIN, PLAIN)))), "ADD_OR_REMOVE_ONE"),
        (replace(POISSON, releases=(SAMPLED, PLAIN, replace(PLAIN, count=0))), "ADD_OR_REMOVE_ONE"),
    ],
)
def test_dp_accountings_event_has_the_same_epsilon(event, relation):
    found = PLDAccountant(neighboring_relation=dp_accounting.NeighboringRelation[relation])
    found.compose(event.to_dp_event())
    assert found.get_epsilon(1e-6) == pytest.approx(account(event, 1e-6).epsilon, rel=1e-3)


def test_what_dp_accounting_has_no_event_for_is_refused():
    with pytest.raises(ValueError, match="a shuffled order, which dp-accounting has no event for"):
        IN_ORDER.to_dp_event()
    with pytest.raises(ValueError, match="correlated noise on random batches"):
        IN_BATCHES.to_dp_event()
    assert isinstance(Mechanism.without_privacy("OLS").to_dp_event(), dp_accounting.NonPrivateDpEvent)


@pytest.mark.parametrize("epsilon", [1e-7, 1e-5, 1.0])
@pytest.mark.parametrize("delta", [1e-100, 1e-50, 1e-12])
def test_noise_of_a_small_epsilon_has_the_delta_that_was_asked_for(epsilon, delta):
    """By sixty digits."""
    with mpmath.workdps(60):
        sigma = 1 / mpmath.sqrt(2 * mpmath.mpf(tight_rho(epsilon, delta)))
        a, b = 1 / (2 * sigma) - epsilon * sigma, -1 / (2 * sigma) - epsilon * sigma
        attained = mpmath.ncdf(a) - mpmath.exp(mpmath.mpf(epsilon)) * mpmath.ncdf(b)
        assert attained / delta == pytest.approx(1.0, rel=1e-3)


@pytest.mark.parametrize(
    ("event", "delta", "words"),
    [
        (of(replace(PLAIN, sensitivity="1")), 1e-6, "sensitivity must be a real number, got '1'"),
        (of(replace(PLAIN, noise_sd=None)), 1e-6, "noise_sd must be a real number, got None"),
        (of(replace(PLAIN, count=True)), 1e-6, "count must be a real number, got True"),
        (of(replace(SAMPLED, rate="0.1"), "add-remove", "Poisson"), 1e-6, "rate must be a real number"),
        (of(replace(CORRELATED, correlation=[0.5]), sampler="fixed size"), 1e-6, "correlation must be a real number"),
        (GAUSSIAN, "1e-6", "delta must be a real number, got '1e-6'"),
    ],
)
def test_what_is_no_number_is_named(event, delta, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        account(event, delta)


def test_releases_proved_by_epsilon_and_delta_add_up_and_keep_their_own_delta():
    one, two = of(STATED), Mechanism("M", (STATED, STATED), "replace-one", "full batch", math.inf, "proved", "because")
    assert account(one, 1e-7).epsilon == 0.7
    assert account(one, 0.9e-7).epsilon == math.inf
    assert account(two, 2e-7).epsilon == account([one, one], 2e-7).epsilon == 1.4
    assert account(two, 1.9e-7).epsilon == account([one, one], 1.9e-7).epsilon == math.inf
    found = account([one, of(PLAIN)], 1e-6)
    assert found.epsilon == 0.7 + tight_epsilon(PLAIN.rho, 1e-6 - 1e-7)
    assert (found.rho, found.mu) == (None, None)
    assert account([one, of(PLAIN)], 1e-7).epsilon == math.inf


def test_releases_proved_by_epsilon_and_delta_stand_apart_from_others():
    with pytest.raises(ValueError, match=r"releases proved by \(epsilon, delta\) beside others: make two mechanisms"):
        Mechanism("M", (STATED, PLAIN), "replace-one", "full batch", math.inf, "proved", "because")
    with pytest.raises(ValueError, match=r"'a draw' is proved by \(epsilon, delta\) and has no rho"):
        _ = of(STATED).rho
    with pytest.raises(
        ValueError, match=r"a release proved by \(epsilon, delta\), which dp-accounting has no event for"
    ):
        of(STATED).to_dp_event()
