"""choquettechoo2023's arms and their audits: what is asked for, by the experiments' own ledger entries."""

import json
import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.random import default_rng

from dpdescent.papers.choquettechoo2023 import audit, images, setting
from dpdescent.privacy import zcdp
from dpdescent.privacy.audit import attack
from dpdescent.privacy.events import Mechanism, SubsampledGaussianReleases
from dpdescent.replication.configuration import project
from dpdescent.replication.ledger.requests import NotAudited, Request

PAPER = "choquettechoo2023"
ARTEFACTS = (
    project.load({"scale": "quick", "seed": 3, "papers": [PAPER]}, Path(__file__).parents[2]).papers[PAPER].artefacts
)

Spec = dict[str, Any]


def specs_of(name: str) -> list[Spec]:
    specs: list[Spec] = [json.loads(part.json()) for part in ARTEFACTS[name].parts]
    return [each for each in specs if each["variant"] == "main"]


def small(name: str) -> Spec:
    """The first cell that releases anything; in epochs of four steps, so that strategies are optimised at once."""
    spec = next(each for each in specs_of(name) if each["panel"] != "exact")
    if name.startswith("fig04"):
        spec["settings"] |= {"T": 12, "k": 3, "copies": [1, 2, 3]}
        spec["cell"] |= {"eps": 2}
    return spec


def entries(name: str) -> Iterator[tuple[Spec, str, Mechanism, Request | NotAudited]]:
    spec = small(name)
    for arm, event, _ in pkgutil.resolve_name(ARTEFACTS[name].releases)(spec):
        yield spec, arm, event, audit.request(spec, arm, event)


def built(request: Request) -> attack.Attack:
    return audit.ATTACKS[request.attack](**Request.parse(request.json()).parameters)


def test_epochs_are_audited_at_the_mu_of_their_arms() -> None:
    seen = set()
    for _, arm, event, request in entries("fig04a"):
        if event.name == setting.NON_PRIVATE:
            assert isinstance(request, NotAudited)
            continue
        assert isinstance(request, Request), arm
        (release,) = event.releases
        made = built(request)
        if isinstance(release, SubsampledGaussianReleases):
            assert request.attack == audit.POISSON
            assert request.parameters["T"] == 12
            assert request.parameters["rate"] == pytest.approx(0.25)
            assert request.parameters["kappa"] == pytest.approx(release.noise_sd / release.sensitivity, rel=1e-8)
            continue
        seen.add(event.name)
        assert request.attack == audit.EPOCHS
        assert made.mu is not None
        mu = zcdp.gaussian_dp_mu(event.rho)
        if event.name in ("TreeAgg", "Honaker", "Honaker, restarts"):
            assert 0.3 * mu < made.mu <= mu * (1.0 + 1e-7)
        else:
            assert made.mu == pytest.approx(mu, rel=1e-7)
    assert {setting.ME, setting.NU, setting.DP_SGD} <= seen


@pytest.mark.parametrize("name", ["ext_mean_estimation", "ext_finite_time"])
def test_single_passes_are_audited_at_the_mu_of_their_arms(name: str) -> None:
    found = list(entries(name))
    assert found
    for _, arm, event, request in found:
        assert isinstance(request, Request), arm
        assert request.attack == audit.ONE_PASS
        assert built(request).mu == pytest.approx(zcdp.gaussian_dp_mu(event.rho), rel=1e-7)
        # At nu = 1 noise is independent, whatever the mechanism is called.
        independent = ("nu = 10 eta, eta=0.1", "optimal noise, eta=1")
        assert (request.parameters["power"] == 0.0) == ("DP-SGD" in arm or arm.endswith(independent))


def test_noise_on_a_stream_keeps_its_damping() -> None:
    dampings = {
        arm: request.parameters["nu"] for _, arm, _, request in entries("ext_mean_estimation")
        if isinstance(request, Request)
    }  # fmt: skip
    for arm, nu in dampings.items():
        eta = float(arm.split("eta=")[1])
        multiple = {"nu = 0.1 eta": 0.1, "optimal noise": 1.0, "nu = 10 eta": 10.0, "Optimal CC": 0.0}
        name = arm.split(": ")[1].split(", eta=")[0]
        if name in multiple and multiple[name] * eta < 1.0:
            assert nu == pytest.approx(multiple[name] * eta)


def test_nothing_is_audited_without_clipping() -> None:
    reasons = {request.why for *_, request in entries("fig02") if isinstance(request, NotAudited)}
    assert len(reasons) == 1
    assert "not clipped" in reasons.pop()


@pytest.mark.parametrize("name", ["fig04a", "ext_mean_estimation"])
def test_unknown_mechanisms_are_not_audited(name: str) -> None:
    """Neither another one that releases alike, nor one with other releases, nor one of another artefact."""
    seen = set()
    for spec, arm, event, request in entries(name):
        if not isinstance(request, Request) or event.name in seen:
            continue
        seen.add(event.name)
        told = NotAudited("no attack is registered for mine")
        assert audit.request(spec, arm, replace(event, name="mine")) == told
        if event.sampler != "Poisson":
            assert audit.request(spec, arm, replace(event, name="mine", releases=event.releases * 2)) == told
        if event.sampler == "single pass":
            asked = NotAudited(f"no attack is registered for {event.name}")
            assert audit.request(spec, "main: mine, eta=1", event) == asked
            assert audit.request(spec | {"artefact": "mine"}, arm, event) == asked
    assert len(seen) > 1
    event = Mechanism.without_privacy("mine", "of another kind", "zero-out", "single pass")
    assert audit.request(spec, arm, event) == NotAudited("no attack is registered for mine")


def test_equal_arms_share_an_audit() -> None:
    """Clipping thresholds of the same mechanism are one request."""
    found = [request.json() for *_, request in entries("ext_finite_time") if isinstance(request, Request)]
    assert len(set(found)) == 2 < len(found)


def test_the_long_strategy_of_me_is_computed_once_and_attacked_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = audit.epochs(setting.ME, 12, 3, "1", 2.0)
    calls, optimum = [], images.multi_epoch_optimum
    monkeypatch.setattr(audit, "KEPT", 12)
    monkeypatch.setattr(images, "CACHE", tmp_path)
    monkeypatch.setattr(images, "multi_epoch_optimum", lambda T, k: calls.append((T, k)) or optimum(T, k))
    images.multi_epoch_kept.cache_clear()
    made = [audit.epochs(setting.ME, 12, 3, "1", 2.0)]
    images.multi_epoch_kept.cache_clear()
    made.append(audit.epochs(setting.ME, 12, 3, "1", 2.0))
    images.multi_epoch_kept.cache_clear()
    assert calls == [(12, 3)], "the second one is read from disk"
    for each in made:
        assert each.mu == asked.mu
        for found, expected in zip(each.simulate(20, default_rng(1)), asked.simulate(20, default_rng(1)), strict=True):
            np.testing.assert_array_equal(found, expected)
