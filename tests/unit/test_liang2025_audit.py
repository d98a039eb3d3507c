"""Which audit an arm of liang2025 asks for, and what the readings of Lemma F.1 claim."""

import importlib
import math
from dataclasses import replace
from pathlib import Path

import pytest

from dpdescent.papers.liang2025 import audit, formulas
from dpdescent.papers.liang2025.setting import Arm, mechanism
from dpdescent.privacy import zcdp
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.replication.configuration import project
from dpdescent.replication.ledger.requests import NotAudited, Request

PAPER = project.load({"scale": "quick", "seed": 3, "papers": ["liang2025"]}, Path(__file__).parents[2])
ARTEFACTS = {name: each for name, each in PAPER.papers["liang2025"].artefacts.items() if not each.parts[0].dataset}
SIZES = formulas.StepSizes(0.5, 0.01)
CELL = {"settings": {"dp_delta": 1e-5}}


def arm(algorithm, T, rho1, rho2, calibration="as published"):
    gamma = math.inf if algorithm == "2S-GD" else 3.0
    return Arm(algorithm, T, rho1, rho2, SIZES, gamma, calibration)


def asked(*about, n=1000, data_used=""):
    return audit.request(CELL, "", mechanism(replace(arm(*about), data_used=data_used), n))


def built(request):
    return audit.ATTACKS[request.attack](**request.parameters)


@pytest.mark.parametrize(
    ("T", "steps", "rho2"), [(1, 1, 0.5), (2, 2, 4.5), (3, 2, 4.5), (19, 2, 4.5), (20, 20, 4.5), (2000, 20, 4.5)]
)
def test_paths_are_attacked_in_no_more_steps(T, steps, rho2):
    """The printed noise costs half of its budget; in one step, the second stage's does not matter."""
    request = asked("DP-2S-GD", T, 1.0, 9.0)
    assert request == Request("gradients of both stages flip sign", {"T": steps, "rho1": 0.5, "rho2": rho2})
    accounted = zcdp.gaussian_dp_mu(mechanism(arm("DP-2S-GD", T, 1.0, 9.0), 1000).rho)
    assert built(request).mu <= math.sqrt(2 * (0.5 + 4.5 * (T - 1) / T)) * (1 + 1e-9) <= accounted * (1 + 1e-9)


def test_exact_calibration_spends_the_whole_budget():
    request = asked("DP-2S-GD", 20, 1.0, 9.0, "exact")
    assert request.parameters == {"T": 20, "rho1": 1.0, "rho2": 9.0}


def test_sample_size_does_not_matter():
    assert asked("DP-2S-GD", 20, 1.0, 9.0, n=77) == asked("DP-2S-GD", 20, 1.0, 9.0)


def test_other_algorithms_have_pairs_of_their_own():
    beta = asked("DP-2S-GD, publish beta", 30, 0.5, 0.5)
    assert beta == Request(audit.BETA, {"T": 20, "rho1": 0.25, "rho2": 0.25})
    third = asked("DP-2S-GD-beta", 30, math.inf, 1.0)
    assert third == Request(audit.PLANTED, {"T": 2, "rho2": 0.5})
    assert built(third).rho > 1e4
    centred = asked("DP-2S-GD", 20, 0.1, 0.1, data_used="sample moments")
    assert centred == Request(audit.CENTRED, {"T": 15, "rho": 0.05})
    for request in (beta, third, centred):
        built(request)


def test_what_shows_nothing_or_everything_is_not_audited():
    for found, why in (
        (asked("2S-GD", 20, math.inf, math.inf), "no noise"),
        (asked("DP-2S-GD, publish beta", 1, 0.5, 0.5), "noise alone"),
        (asked("DP-2S-GD-beta", 1, math.inf, 0.5), "noise alone"),
    ):
        assert isinstance(found, NotAudited)
        assert why in found.why


def test_unknown_mechanisms_are_not_audited():
    event = replace(mechanism(arm("DP-2S-GD", 2, 1.0, 1.0), 9), name="DP-3S-GD")
    assert audit.request(CELL, "", event) == NotAudited("no attack is registered for DP-3S-GD")


def test_every_arm_of_synthetic_data_is_audited_or_says_why_not():
    requests, reasons = set(), set()
    for artefact in ARTEFACTS.values():
        module, _, listing = artefact.releases.partition(":")
        listed = getattr(importlib.import_module(module), listing, lambda spec: ())
        for part in artefact.parts:
            for label, event, _ in listed(part.spec | {"tables": {}}):
                found = audit.request(part.spec, label, event)
                if isinstance(found, NotAudited):
                    reasons.add(found.why)
                    continue
                requests.add(found.json())
                if event.name == "FriendlyCore-2SLS":
                    assert f"({found.parameters['rho']}, {found.parameters['delta']})-approximate" in event.reason
    assert {Request.parse(text).attack for text in requests} >= {audit.BOTH, audit.BETA, audit.PLANTED, audit.CORE}
    assert len(requests) <= 60
    assert len(reasons) == 4


def test_readings_of_lemma_f1():
    printed, only_y, finite = audit.statements()
    assert printed.eps == only_y.eps == zcdp.epsilon(1.0, 1e-5)
    assert finite.eps == zcdp.epsilon(0.01, 1e-5)
    assert (printed.relation, only_y.relation) == ("replace-one", "replace-one, y only")
    assert built(printed.request).rho > 1e4
    assert built(finite.request).rho == pytest.approx(8.5, abs=0.02)
    assert built(finite.request).epsilon(finite.delta) > 10 * finite.eps
    # Inside its claim: half of it, because the printed noise is larger than it needs to be, less the silent first step.
    assert built(only_y.request).rho == pytest.approx(0.25, rel=1e-9)
    assert only_y.mu == pytest.approx(math.sqrt(2.0))
    assert tight_epsilon(0.5 * built(only_y.request).mu ** 2, 1e-5) < only_y.eps
