"""Which audit an arm of brown2024 asks for, and that its pair attains what the ledger accounts."""

import math
import pkgutil
from pathlib import Path

import pytest

from dpdescent.baselines import ada_ssp as ada
from dpdescent.papers.brown2024 import audit
from dpdescent.papers.brown2024.setting import Setting
from dpdescent.privacy import zcdp
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.configuration import project
from dpdescent.replication.ledger.requests import NotAudited, Request

PAPER = project.load({"scale": "quick", "seed": 3, "papers": ["brown2024"]}, Path(__file__).parents[2])
ARTEFACTS = PAPER.papers["brown2024"].artefacts
BOUNDS = ada.Bounds(3.0, 2.0, "public")


def built(request):
    return audit.ATTACKS[request.attack](**request.parameters)


@pytest.mark.parametrize(("T", "runs", "steps"), [(20, 1, 20), (20, 3, 60), (50, 10, 100)])
def test_runs_on_one_budget_are_one_composition(T, runs, steps):
    event = Setting(n=1000, p=10, T=T, rho=0.015, eta=0.25, gamma=7.0, runs=runs).mechanism()
    request = audit.request({}, "", event)
    assert request == Request("gradient flips sign", {"T": steps, "mu": 0.173205081})
    assert built(request).mu == pytest.approx(zcdp.gaussian_dp_mu(event.rho), rel=1e-8)


def test_sample_size_and_threshold_do_not_matter():
    events = [Setting(n, p, 20, 0.05, 0.25, gamma).mechanism() for n, p, gamma in ((100, 2, 0.1), (9000, 7, 30.0))]
    first, second = (audit.request({}, "", event).json() for event in events)
    assert first == second


def test_public_bounds_give_the_noise_multipliers_of_their_relation():
    k = math.sqrt(math.log(6e6)) / (1.7 / 3)
    added = audit.request({}, "", ada.mechanism(ada.Calibration.standard(BOUNDS, 1.7, 1e-6)))
    replaced = audit.request({}, "", ada.mechanism(ada.Calibration.standard(BOUNDS, 1.7, 1e-6, "replace-one")))
    matched = audit.request({}, "", ada.mechanism(ada.Calibration.zcdp_matched(BOUNDS, 0.05, 1e-6)))
    for request, relation, ratios in (
        (added, "add-remove", (k, k, k)), (replaced, "replace-one", (k, k / math.sqrt(2), k / 2)),
        (matched, "replace-one", (math.sqrt(30),) * 3),
    ):  # fmt: skip
        assert request.attack == "record at the public bounds"
        assert request.parameters["relation"] == relation
        names = ("eigenvalue_multiplier", "moments_multiplier", "products_multiplier")
        assert [request.parameters[name] for name in names] == pytest.approx(ratios, rel=1e-8)
    calibration = ada.Calibration.standard(BOUNDS, 1.7, 1e-6)
    assert built(added).mu == pytest.approx(zcdp.gaussian_dp_mu(ada.mechanism(calibration).rho), rel=1e-8)
    assert 0.9 * math.sqrt(0.1) < built(matched).mu < math.sqrt(0.1)


def test_bounds_from_the_data_are_attacked_at_their_claim():
    calibration = ada.Calibration.standard(ada.Bounds(3.0, 2.0, "data maxima"), 1.7, 1e-6)
    request = audit.request({}, "", ada.mechanism(calibration))
    assert request == Request("record far beyond the others sets the noise", {"eps": 1.7, "delta": 1e-6})
    built(request)


def test_what_has_no_noise_or_is_unknown():
    found = audit.request({}, "", Mechanism.without_privacy("OLS", "non-private baseline: no noise"))
    assert isinstance(found, NotAudited)
    assert found.why.startswith("non-private baseline: no noise")
    event = Setting(n=10, p=1, T=2, rho=0.05, eta=0.25, gamma=1.0).mechanism()
    other = Mechanism("DP-SGD", event.releases, "replace-one", "full batch", 1.0, "proved", "")
    assert audit.request({}, "", other) == NotAudited("no attack is registered for DP-SGD")


def test_every_arm_is_audited_unless_it_is_not_private():
    requests = set()
    for name, artefact in ARTEFACTS.items():
        if name == "table_preliminaries":
            continue
        for part in artefact.parts:
            for arm, event, _ in pkgutil.resolve_name(artefact.releases)(part.spec | {"tables": {}}):
                found = audit.request(part.spec, arm, event)
                assert isinstance(found, Request) == bool(event.releases), arm
                if isinstance(found, Request):
                    assert found.attack in audit.ATTACKS
                    requests.add(found.json())
    assert 10 <= len(requests) <= 40
    assert list(audit.statements()) == []
