"""The account of a mechanism: releases in their ranges, and what no accountant fits."""

import math
from dataclasses import replace

import pytest

from dpdescent.privacy.account import account
from dpdescent.privacy.events import (
    CorrelatedReleases,
    DisjointReleases,
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
