"""wang2026's arms and theorems and their audits: what is asked for, and that the broken theorems are refuted."""

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dpdescent.papers.wang2026 import arms, audit
from dpdescent.papers.wang2026.arms import Arm, Noise
from dpdescent.papers.wang2026.setting import Size
from dpdescent.privacy.audit import attack
from dpdescent.privacy.events import GaussianReleases, Mechanism
from dpdescent.privacy.participation import closed_forms, tail
from dpdescent.replication.ledger.requests import NotAudited, Request, Statement

CELL = {
    "seed": 7, "artefact": "fig01", "variant": "main", "panel": "accuracy", "cell": {"T": 200, "r": 0.1}, "arms": {},
    "settings": {},
}  # fmt: skip


def noise(**own: object) -> Noise:
    given = {
        "accountant": "tail", "kappa": 3.0, "lam": 0.4, "size": Size(1000, 100, 100), "eps": 1.0, "delta": 1e-3,
        "relation": "zero-out", "sampler": "fixed size",
    }  # fmt: skip
    return Noise(**(given | own))  # type: ignore[arg-type]


def asked(made: Noise, arm: str, C_clip: float = 0.25) -> Request | NotAudited:
    return audit.request(CELL, arm, Arm(made, C_clip).event())


def test_unknown_runs_are_not_audited() -> None:
    """Of another method, of releases that no attack is on, and of batches under a relation that none is on."""
    for made in (noise(), noise(sampler="fixed order", accountant="cyclic")):
        event = Arm(made, 0.25).event()
        assert isinstance(audit.request(CELL, "a", event), Request)
        assert audit.request(CELL, "a", replace(event, name="mine")) == NotAudited("no attack is registered for mine")
        other = replace(event, releases=(GaussianReleases("a sum", 1.0, 1.0, 1),), sampler="fixed order")
        assert isinstance(audit.request(CELL, "a", other), NotAudited)
    told = audit.request(CELL, "a", Arm(noise(relation="replace-one", sampler="balls in bins"), 0.25).event())
    assert isinstance(told, NotAudited)
    assert "balls in bins, replace-one" in told.why
    assert isinstance(audit.request(CELL, "a", Mechanism.without_privacy("mine", "of another kind")), NotAudited)


def test_batches_of_fixed_size_under_both_relations() -> None:
    request = asked(noise(), "main: T = 100, tail eps=1 lam=0.4 C_clip=0.25")
    parameters = {"T": 100, "rate": 0.1, "kappa": 3.0, "lam": 0.4}
    assert request == Request(audit.FIXED, parameters)
    replaced = asked(noise(accountant="D9", relation="replace-one", lam=0.0), "main: D9 eps=1 lam=0 C_clip=0.25")
    assert replaced == Request(audit.REPLACED, parameters | {"lam": 0.0})
    # Whatever the clipping threshold.
    assert asked(noise(), "main: T = 100, tail eps=1 lam=0.4 C_clip=7", 7.0) == request


def test_runs_of_any_noise_are_cut() -> None:
    uncalibrated = noise(accountant=arms.FIXED, size=Size(1000, 100, 2000), eps=math.nan)
    request = asked(uncalibrated, "main: n=1000 B=100 T=2000, fixed kappa kappa=3 lam=0.4 C_clip=1")
    assert isinstance(request, Request)
    assert request.parameters["T"] == audit.LONGEST
    calibrated = asked(noise(size=Size(1000, 100, 358)), "main: n=1 B=1 T=358, tail eps=1 lam=0.4 C_clip=1")
    assert isinstance(calibrated, Request)
    assert calibrated.parameters["T"] == 358


def test_balls_in_bins_and_known_batches() -> None:
    size = Size(1000, 100, 200)
    bins = asked(noise(accountant="bnb", sampler="balls in bins", size=size), "main: bnb, eps=1, lam=0.4")
    assert bins == Request(audit.BINS, {"T": 200, "rate": 0.1, "kappa": 3.0, "lam": 0.4})
    cyclic = noise(accountant="cyclic", sampler="fixed order", size=size)
    request = asked(cyclic, "main: cyclic, eps=1, lam=0.4")
    assert isinstance(request, Request)
    made = audit.ATTACKS[request.attack](**request.parameters)
    y = np.arange(200) % 10 == 0
    C = np.tril(0.4 ** np.maximum(np.subtract.outer(np.arange(200.0), np.arange(200.0)), 0.0))
    assert made.mu == pytest.approx(float(np.linalg.norm(C @ y)) / 3.0, rel=1e-6)


def test_the_full_batch_is_one_release() -> None:
    full = noise(accountant=arms.FIXED, sampler="full batch", size=Size(10, 10, 250), lam=0.0, eps=math.nan)
    request = asked(full, "main: n=10 B=10 T=250, fixed kappa kappa=3 lam=0 C_clip=1")
    assert isinstance(request, Request)
    made = audit.ATTACKS[request.attack](**request.parameters)
    assert made.mu == pytest.approx(math.sqrt(250) / 3.0, rel=1e-6)


def test_no_noise_is_not_audited() -> None:
    found = asked(noise(kappa=0.0), "main: none kappa=0 lam=0 C_clip=1")
    assert isinstance(found, NotAudited)
    assert "no noise" in found.why


@pytest.mark.parametrize(("sampler", "size"), [("fixed size", Size(100, 10, 20)), ("full batch", Size(10, 10, 20))])
def test_what_has_hardly_any_noise_is_not_attacked(sampler: str, size: Size) -> None:
    found = asked(noise(accountant=arms.FIXED, kappa=1e-3, sampler=sampler, size=size, eps=math.nan), "main: faint")
    assert isinstance(found, NotAudited)
    assert "hardly any noise" in found.why


@cache
def stated() -> dict[str, Statement]:
    return {each.place: each for each in audit.statements()}


def place(*words: str) -> Statement:
    (found,) = [each for name, each in stated().items() if all(word in name for word in words)]
    return found


def low(statement: Statement, runs: int) -> float:
    made = audit.ATTACKS[statement.request.attack](**(statement.request.parameters | {"most_runs": runs}))
    return attack.run(made, runs, np.random.default_rng(1)).epsilon_low(statement.delta, attack.SURE)


@pytest.mark.parametrize(
    ("words", "runs"),
    [(("F.8 as printed", "T = 12,", "lambda = 0,"), 60_000), (("F.8 as printed", "lambda = 0.5"), 150_000),
     (("Corollary 5.5", "n = 100000"), 600)],
)  # fmt: skip
def test_broken_statements_are_refuted(words: tuple[str, ...], runs: int) -> None:
    statement = place(*words)
    assert low(statement, runs) > statement.eps


@pytest.mark.parametrize("words", [("Poisson", "T = 12,", "lambda = 0,"), ("F.12", "lambda = 0.5")])
def test_sound_statements_are_not(words: tuple[str, ...]) -> None:
    statement = place(*words)
    assert low(statement, 20_000) <= statement.eps


def test_statements_have_the_noise_that_the_theorems_ask_for() -> None:
    regime = place("Corollary 5.5", "n = 1e+06")
    assert regime.delta == pytest.approx(1e-7)
    assert (regime.relation, regime.request.attack) == ("replace-one", audit.REPLACED)
    parameters = regime.request.parameters
    assert (parameters["T"], parameters["rate"]) == (10_000, 1e-4)
    assert parameters["kappa"] == pytest.approx(0.2306, abs=5e-5)
    closed = place("F.12", "lambda = 0.5").request.parameters
    assert closed["kappa"] == pytest.approx(closed_forms.correlated_multiplier(250, 0.1, 0.5, 1.0, 1e-3), rel=1e-8)
    assert tail.delta(float(closed["kappa"]), 1.0, 250, 0.1, 0.5) < 1e-3
    exact = place("D.9").request.parameters
    made = audit.ATTACKS[audit.REPLACED](**exact)
    attained = made.exact_epsilon(1e-3)
    assert attained is not None
    assert attained > 8.0


def test_theorem_f8_is_stated_with_one_multiplier_for_both_samplers() -> None:
    for words in (("T = 12,", "lambda = 0,"), ("lambda = 0.5", "F.8"), ("T = 100,", "F.8")):
        printed, poisson = place("as printed", *words), place("Poisson", *words)
        assert printed.request.parameters == poisson.request.parameters
        assert (printed.sampler, poisson.sampler) == ("fixed size", "Poisson")
