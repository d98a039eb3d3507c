"""The privacy ledger: an epsilon of ours is printed only for a guarantee that we can defend."""

import math
from dataclasses import replace
from pathlib import Path

import pytest

from dpdescent.estimators.run import exactly
from dpdescent.privacy import sampling, shuffling, zcdp
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.privacy.events import (
    CorrelatedReleases,
    DisjointReleases,
    EpsilonDeltaRelease,
    GaussianReleases,
    Mechanism,
    ShuffledGaussianReleases,
    SubsampledGaussianReleases,
)
from dpdescent.privacy.participation import guarantees, tail
from dpdescent.replication.build.files import read_rows
from dpdescent.replication.ledger import entries

DELTA = 1e-5
RELEASES = (GaussianReleases("gradient of stage 1", 0.02, 0.1, 20), GaussianReleases("of stage 2", 0.04, 0.5, 10))
PROVED = Mechanism("DP-2S-GD", RELEASES, "replace-one", "full batch", 1.0, "proved", "the argument")


def row(event: Mechanism) -> dict[str, object]:
    (only,) = entries.rows("paper", "fig01", [("main: arm", event, DELTA)])
    return only


def test_proved_guarantee_is_accounted() -> None:
    rho = 20 * 0.02**2 / (2 * 0.1**2) + 10 * 0.04**2 / (2 * 0.5**2)
    entry = row(PROVED)
    assert entry["rho"] == pytest.approx(rho, rel=1e-14)
    assert entry["mu"] == pytest.approx(math.sqrt(2 * rho), rel=1e-14)
    assert entry["eps_tight"] == pytest.approx(tight_epsilon(rho, DELTA), rel=1e-12)
    assert entry["eps_paper"] == zcdp.epsilon(1.0, DELTA)


def test_discrete_noise_has_no_mu_and_the_epsilon_of_its_rho() -> None:
    entry, known = row(exactly(PROVED)), row(PROVED)
    assert (entry["arithmetic"], known["arithmetic"]) == ("exact", "floating point")
    assert entry["mu"] == ""
    assert entry["rho"] == known["rho"]
    assert entry["eps_tight"] == pytest.approx(zcdp.renyi_epsilon(float(str(entry["rho"])), DELTA), rel=1e-9)


@pytest.mark.parametrize("guarantee", ["none", "as published"])
def test_without_a_proof_no_epsilon_of_ours_is_printed(guarantee: str) -> None:
    entry = row(replace(PROVED, guarantee=guarantee))  # type: ignore[arg-type]
    assert [entry[column] for column in ("rho", "mu", "eps_tight")] == [""] * 3
    assert entry["guarantee"] == guarantee
    # What the paper claims is quoted as its own.
    assert entry["eps_paper"] == zcdp.epsilon(1.0, DELTA)


def test_no_epsilon_for_what_is_not_claimed_or_not_gaussian() -> None:
    nothing = row(replace(PROVED, releases=(), claimed_rho=math.inf, guarantee="none"))
    assert nothing["eps_paper"] == ""
    assert row(replace(PROVED, releases=()))["eps_tight"] == ""


def test_a_claimed_epsilon_is_printed_as_it_stands_and_only_at_its_delta() -> None:
    claim = replace(PROVED, claimed_rho=math.inf, claimed_eps_delta=(0.75, DELTA))
    entry = row(claim)
    assert entry["eps_paper"] == 0.75
    # What was released is accounted as ever.
    assert entry["eps_tight"] == row(PROVED)["eps_tight"]
    assert row(replace(claim, guarantee="none"))["eps_paper"] == 0.75
    with pytest.raises(
        ValueError, match=r"DP-2S-GD claims epsilon=0\.75 at delta=1e-06, but its row is at delta=1e-05"
    ):
        row(replace(claim, claimed_eps_delta=(0.75, 1e-6)))


def test_a_budget_is_turned_into_an_epsilon_as_the_paper_does() -> None:
    entry = row(replace(PROVED, conversion="Renyi"))
    assert entry["eps_paper"] == zcdp.renyi_epsilon(1.0, DELTA) < zcdp.epsilon(1.0, DELTA)
    assert {**entry, "eps_paper": ""} == {**row(PROVED), "eps_paper": ""}


def test_subsampled_releases_have_an_epsilon_and_no_rho() -> None:
    releases = (SubsampledGaussianReleases("sum of clipped gradients", 2.0, 3.0, 0.05, 40),)
    event = Mechanism("DP-SGD", releases, "zero-out", "Poisson", math.inf, "proved", "why", (2.0, DELTA))
    entry = row(event)
    assert (entry["rho"], entry["mu"], entry["eps_paper"]) == ("", "", 2.0)
    assert entry["eps_tight"] == sampling.epsilon(1.5, 0.05, 40, DELTA)
    assert (entry["sampler"], entry["sensitivity"], entry["noise_sd"]) == ("Poisson", "2.0", "3.0")
    assert entry["releases"] == "40 x sum of clipped gradients, sampled at rate 0.05"
    assert row(replace(event, guarantee="none"))["eps_tight"] == ""


def test_shuffled_releases_are_amplified_and_have_no_rho() -> None:
    release = ShuffledGaussianReleases("clipped gradients", 2.0, 5.0, 10_000)
    event = Mechanism("DP-SSGD", (release,), "replace-one", "shuffled single pass", math.inf, "proved", "why")
    entry = row(event)
    assert (entry["rho"], entry["mu"], entry["eps_paper"]) == ("", "", "")
    assert entry["eps_tight"] == shuffling.epsilon(2.5, 10_000, DELTA)
    # Less than one release without shuffling.
    assert entry["eps_tight"] < tight_epsilon(0.5 / 2.5**2, DELTA)
    assert (entry["sampler"], entry["sensitivity"], entry["noise_sd"]) == ("shuffled single pass", "2.0", "5.0")
    assert entry["releases"] == "10000 x clipped gradients, in a secret random order"
    assert row(replace(event, guarantee="as published"))["eps_tight"] == ""


def test_correlated_releases_are_accounted_by_how_often_a_record_takes_part() -> None:
    release = CorrelatedReleases("sums of clipped gradients", 0.25, 2.5, 0.5, 0.1, 100)
    event = Mechanism("DP-SGD", (release,), "zero-out", "fixed size", math.inf, "proved", "why", (3.0, DELTA))
    entry = row(event)
    assert (entry["rho"], entry["mu"], entry["eps_paper"]) == ("", "", 3.0)
    assert entry["eps_tight"] == guarantees.epsilon(event, DELTA)
    assert entry["eps_tight"] == pytest.approx(tail.epsilon(10.0, DELTA, 100, 0.1, 0.5, rule="mixture"), rel=1e-12)
    assert (entry["sampler"], entry["sensitivity"], entry["noise_sd"]) == ("fixed size", "0.25", "2.5")
    assert entry["releases"] == "100 x sums of clipped gradients, correlation 0.5, batches at rate 0.1"
    assert row(replace(event, guarantee="none"))["eps_tight"] == ""


def test_a_release_proved_by_epsilon_and_delta_has_no_noise_and_its_own_epsilon() -> None:
    release = EpsilonDeltaRelease("check and draw", 0.7, DELTA)
    entry = row(Mechanism("TukeyEM", (release,), "replace-one", "full batch", math.inf, "proved", "why"))
    assert [entry[name] for name in ("rho", "mu", "sensitivity", "noise_sd", "eps_paper")] == [""] * 5
    assert entry["eps_tight"] == 0.7
    assert entry["releases"] == f"check and draw, (0.7, {DELTA!r})"


def test_releases_from_disjoint_parts_cost_as_much_as_the_dearest() -> None:
    counts, mean = GaussianReleases("counts", 1.0, 4.0, 20), GaussianReleases("mean", 0.5, 0.4, 1)
    disjoint = DisjointReleases(((counts, counts), (mean,)))
    event = Mechanism("DP-AMBSSGD", (disjoint,), "replace-one", "single pass", math.inf, "proved", "why")
    entry = row(event)
    # 2 x 20/32 = 1.25 against 0.25/0.32 = 0.78; the sum would be 2.03.
    assert entry["rho"] == pytest.approx(1.25, rel=1e-14)
    assert entry["mu"] == pytest.approx(math.sqrt(2.5), rel=1e-14)
    assert entry["eps_tight"] == tight_epsilon(event.rho, DELTA)
    assert (entry["sensitivity"], entry["noise_sd"]) == ("1.0; 1.0; 0.5", "4.0; 4.0; 0.4")
    assert entry["releases"] == "20 x counts + 20 x counts | 1 x mean (disjoint records)"
    # Releases of everybody's records come on top.
    more = row(replace(event, releases=(mean, disjoint)))
    assert more["rho"] == pytest.approx(1.25 + 0.78125, rel=1e-14)
    assert more["releases"] == "1 x mean; 20 x counts + 20 x counts | 1 x mean (disjoint records)"
    assert more["sensitivity"] == "0.5; 1.0; 1.0; 0.5"
    assert row(replace(event, guarantee="none"))["rho"] == ""


def test_a_mechanism_has_one_claim() -> None:
    with pytest.raises(ValueError, match=r"DP-2S-GD claims rho=1\.0 and \(epsilon, delta\)=\(0\.75, 1e-05\)"):
        replace(PROVED, claimed_eps_delta=(0.75, DELTA))


def test_what_was_released_is_written_out() -> None:
    entry = row(PROVED)
    assert entry["sensitivity"] == "0.02; 0.04"
    assert entry["noise_sd"] == "0.1; 0.5"
    assert entry["releases"] == "20 x gradient of stage 1; 10 x of stage 2"
    assert (entry["relation"], entry["sampler"]) == ("replace-one", "full batch")
    assert (entry["mechanism"], entry["arm"], entry["note"]) == ("DP-2S-GD", "main: arm", "the argument")


def test_rows_have_the_columns_of_the_ledger(tmp_path: Path) -> None:
    arms = [("a", PROVED, DELTA), ("b", replace(PROVED, guarantee="none"), DELTA)]
    rows = entries.rows("paper", "fig01", arms)
    assert [list(entry) for entry in rows] == [entries.ACCOUNTED] * 2
    entries.write(tmp_path, rows)
    read = entries.read(tmp_path)
    assert [(entry["arm"], entry["note"]) for entry in read] == [("a", "the argument"), ("b", "the argument")]
    assert len(read_rows(tmp_path / entries.NOTES)) == 1
    assert read[1]["eps_tight"] == ""
