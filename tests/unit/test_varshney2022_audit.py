"""varshney2022's audits: every arm has its attack with its own parameters, or a reason; statements as printed."""

import importlib
import math
from pathlib import Path
from typing import Any

import pytest

from dpdescent.papers.varshney2022 import audit
from dpdescent.privacy import zcdp
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.privacy.audit.attack import SURE, run
from dpdescent.privacy.audit.bounds import epsilon_of_mu
from dpdescent.privacy.events import DisjointReleases, GaussianReleases, Mechanism, ShuffledGaussianReleases
from dpdescent.randomness import stream
from dpdescent.replication.configuration import project
from dpdescent.replication.ledger import entries
from dpdescent.replication.ledger.requests import NotAudited, Request

PAPER = "varshney2022"
PROJECT = project.load({"scale": "quick", "seed": 3, "papers": [PAPER]}, Path(__file__).parents[2])

# At epsilon = 1, delta = 1e-6: mu of one release with the exact, and with the published noise multiplier.
MU = 0.236704381
CELL: dict[str, Any] = {"settings": {"margin": 1.5}}

Arm = tuple[dict[str, Any], str, Mechanism, float]


@pytest.fixture(scope="module")
def arms() -> list[Arm]:
    """Every arm of the ledger at the scale `quick`."""
    found = []
    for artefact in PROJECT.papers[PAPER].artefacts.values():
        module, _, function = artefact.releases.partition(":")
        releases = getattr(importlib.import_module(module), function, lambda spec: ())
        found += [(part.spec, *arm) for part in artefact.parts for arm in releases(part.spec)]
    return found


def asked(arms: list[Arm], mechanism: str) -> list[tuple[Mechanism, Request]]:
    found = []
    for cell, name, event, _ in arms:
        request = audit.request(cell, name, event)
        if event.name == mechanism and isinstance(request, Request):
            found.append((event, request))
    assert found, mechanism
    return found


def test_every_arm_has_an_audit_or_a_reason(arms: list[Arm]) -> None:
    requests = [(event, audit.request(cell, name, event)) for cell, name, event, _ in arms]
    for event, request in requests:
        if isinstance(request, NotAudited):
            assert event.guarantee == "none"
            assert event.reason in request.why
        else:
            assert event.guarantee == "proved"
            assert request.attack in audit.ATTACKS
    # Arms that ask for the same share it.
    distinct = {request.json() for _, request in requests if isinstance(request, Request)}
    assert len(distinct) <= len(requests) / 10


def test_the_attack_attains_what_the_ledger_accounts_for(arms: list[Arm]) -> None:
    """All Gaussian arms but those whose pair is not the worst, or of which less is seen."""
    seen = set()
    for cell, name, event, delta in arms:
        request = audit.request(cell, name, event)
        (row,) = entries.rows(PAPER, "any", [(name, event, delta)])
        if isinstance(request, NotAudited) or row["mu"] == "" or request.attack in (audit.THRESHOLD, audit.BOUNDED):
            continue
        seen.add(request.attack)
        # Requests have nine digits.
        assert audit.ATTACKS[request.attack](**request.parameters).mu == pytest.approx(row["mu"], rel=1e-7), name
    assert seen == set(audit.ATTACKS) - {audit.THRESHOLD, audit.BOUNDED, audit.CANARY}


def test_the_record_is_in_both_where_index_ranges_overlap_and_else_by_the_arm(arms: list[Arm]) -> None:
    places = {
        name: {request.parameters["place"] for _, request in asked(arms, name)}
        for name in ("DP-AMBSSGD (as published)", "DP-AMBSSGD (q = 0.9)", "one iteration as published")
    }
    assert places == {
        "DP-AMBSSGD (as published)": {"both"}, "DP-AMBSSGD (q = 0.9)": {"statistic"},
        "one iteration as published": {"both"},
    }  # fmt: skip
    # The ablation has arms of this name with the printed ranges.
    for event, request in asked(arms, "DP-AMBSSGD"):
        overlap = "sees the first record of its gradient too" in event.reason
        assert request.parameters["place"] == ("both" if overlap else "gradient")


def test_dp_stat_is_asked_for_with_its_own_levels_and_multiplier(arms: list[Arm]) -> None:
    found = {
        (request.parameters["alpha"], request.parameters["levels"])
        for event, request in asked(arms, "DP-STAT")
        if request.attack == audit.CROSSING
    }
    config = PROJECT.papers[PAPER].artefacts["alg_stat"].parts[0].spec["arms"]
    assert found == {(alpha, levels) for alpha in config["alpha"] for levels in config["levels"]}


def test_released_thresholds_are_asked_for_with_their_rule() -> None:
    counts = DisjointReleases(((GaussianReleases("counts", 1.0, 3.0 * 2.0, 4),),))
    for rule in ("corrected", "as published"):
        event = Mechanism(
            f"DP-STAT, released threshold ({rule})", (counts,), "replace-one", "full batch", math.inf, "proved", ""
        )
        request = audit.request(CELL, "any", event)
        assert request == Request(audit.THRESHOLD, {"alpha": 3.0, "levels": 4, "rule": rule, "margin": 1.5})


def test_descent_keeps_its_mu_where_steps_are_cut() -> None:
    def descent(T: int) -> Mechanism:
        noise_sd = math.sqrt(T) / 0.3
        return Mechanism(
            "DP-GD", (GaussianReleases("", 1.0, noise_sd, T),), "replace-one", "full batch", math.inf, "proved", ""
        )

    assert audit.request(CELL, "", descent(8)) == Request(audit.FLIPPED, {"T": 8, "mu": 0.3})
    assert audit.request(CELL, "", descent(1000)) == Request(audit.FLIPPED, {"T": 100, "mu": 0.3})


def test_adaptive_descent_has_its_share_of_the_budget(arms: list[Arm]) -> None:
    for event, request in asked(arms, "DP-GD (adaptive)"):
        stat, _ = event.releases
        assert isinstance(stat, GaussianReleases)
        assert request.parameters["share"] == pytest.approx(stat.rho / event.rho, rel=1e-8)
        assert request.parameters["mu"] == pytest.approx(zcdp.gaussian_dp_mu(event.rho), rel=1e-8)


def test_dp_ssgd_is_asked_for_with_all_of_its_records(arms: list[Arm]) -> None:
    for event, request in asked(arms, "DP-SSGD"):
        (release,) = event.releases
        assert request.parameters["records"] == release.count  # type: ignore[union-attr]
        assert request.parameters["alpha"] == pytest.approx(release.noise_sd / release.sensitivity)  # type: ignore[union-attr]


def test_ada_ssp_is_asked_for_with_each_of_its_multipliers() -> None:
    releases = tuple(GaussianReleases("", 2.0, 2.0 * each, 1) for each in (3.0, 4.0, 5.0))
    event = Mechanism("AdaSSP", releases, "replace-one", "full batch", math.inf, "proved", "")
    request = audit.request(CELL, "", event)
    assert isinstance(request, Request)
    assert request.parameters == {
        "relation": "replace-one", "eigenvalue_multiplier": 3.0, "moments_multiplier": 4.0, "products_multiplier": 5.0,
    }  # fmt: skip
    bound = audit.ATTACKS[request.attack](**request.parameters).mu
    assert bound is not None
    assert bound <= math.sqrt(1 / 9 + 1 / 16 + 1 / 25)


def test_an_unknown_mechanism_is_not_audited() -> None:
    """Nor is one whose records are shuffled, as those of DP-SSGD are."""
    gaussian, shuffled = GaussianReleases("", 1.0, 1.0, 1), ShuffledGaussianReleases("", 1.0, 1.0, 50)
    for event in (
        Mechanism("DP-Newton", (gaussian,), "replace-one", "full batch", math.inf, "proved", ""),
        Mechanism("DP-Newton", (shuffled,), "replace-one", "shuffled single pass", math.inf, "proved", ""),
    ):
        assert audit.request(CELL, "", event) == NotAudited("no attack is registered for DP-Newton")


# Statements


def test_theorem_3_6_is_audited_in_its_first_form() -> None:
    theorem, _ = audit.statements()
    alpha = 2.0 * math.sqrt(math.log(1e6) + 1.0)
    assert theorem.mu == pytest.approx(2.0**0.5 / alpha)
    attack = audit.ATTACKS[theorem.request.attack](**theorem.request.parameters)
    assert attack.mu == pytest.approx(theorem.mu)
    # The record of both releases costs 1/alpha^2, of which the claim is a conversion that is not tight.
    exact = attack.exact_epsilon(theorem.delta)
    assert exact is not None
    assert 0.5 < exact < theorem.eps == 1.0


def test_lemma_a_1_fails_at_a_large_epsilon() -> None:
    """The classical Gaussian mechanism above epsilon = 1: by the exact formula, and by the audit."""
    _, lemma = audit.statements()
    alpha = math.sqrt(2.0 * math.log(1.25 / lemma.delta)) / lemma.eps
    assert lemma.request.parameters["alpha"] == pytest.approx(alpha)
    assert tight_epsilon(0.5 / alpha**2, lemma.delta) > lemma.eps
    assert lemma.mu is not None
    assert epsilon_of_mu(lemma.mu, lemma.delta) == pytest.approx(lemma.eps)
    attack = audit.ATTACKS[lemma.request.attack](**lemma.request.parameters)
    found = run(attack, 400_000, stream(2022, "audit", "lemma A.1"))
    assert epsilon_of_mu(found.mu_low(SURE), lemma.delta) > lemma.eps
