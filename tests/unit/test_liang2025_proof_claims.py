"""liang2025's claims on whole bounds, on conditions and on its proofs: each in a world in which it would be wrong."""

import dataclasses
import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpdescent.algorithms.two_stage_gd import Moments
from dpdescent.algorithms.two_stage_products import Products
from dpdescent.papers.liang2025 import (
    appendices,
    claims,
    conditions,
    formulas,
    friendly_core,
    friendly_moments,
    laws,
    moments,
    proofs,
    tails,
    transient,
    whole_bound,
)
from dpdescent.papers.liang2025.criteria import QUANTILES
from dpdescent.replication.judging import by_id
from dpdescent.replication.judging.evidence import Evidence
from liang2025_worlds import changed, committed, judged

TRUE, FALSE, OPEN = "reproduced", "not reproduced", "inconclusive"
MEDIANS = ("median", "median_low", "median_high")
ERROR = {"quantity": "error to beta_hat"}


def fatter(power: float, quantity: str) -> Evidence:
    """The committed rates with quantiles of a moment that are larger the farther out they are."""
    evidence = committed()
    for tau, column in QUANTILES.items():
        evidence = changed("table_rates", tau**power, (column,), evidence, panel="over n", quantity=quantity)
    return evidence


def from_n(least: int) -> Evidence:
    """The committed evidence with the points of Figure 3 from some n on."""
    evidence = committed()
    table = evidence.tables["fig03"].query("n >= @least")
    return Evidence(evidence.spec, {**evidence.tables, "fig03": table})


def along_n(power: float) -> Callable[[pd.DataFrame], "pd.Series[float]"]:
    return lambda rows: rows["n"].astype(float) ** power


# Claim, its verdict, a world, the verdict there.
TURNED: tuple[tuple[str, str, Callable[[], Evidence], str], ...] = (
    # A whole error that falls as n^-0.3, slower than the third term of (7).
    ("thm-3.1-hidden-constants", TRUE, lambda: changed("table_rates", along_n(0.7), panel="over n", **ERROR), FALSE),
    # Far beyond (5) an error of the size of (7), at one of the panels' sizes; and Algorithm 1 with one far above it.
    ("remark-3.6-beyond", OPEN, lambda: changed("table_rates", 1e-11, MEDIANS, panel="cut-off n", n=8000, T=2000,
        **ERROR), FALSE),
    ("remark-3.6-beyond", OPEN, lambda: changed("fig04", 20.0, MEDIANS, panel="a", rho1=0.1, T=1000,
        error_to="beta_hat"), TRUE),
    ("fig03b-violates", OPEN, lambda: from_n(2000), TRUE),
    ("lemmas-confidence", TRUE, lambda: fatter(0.5, "D.8 ||Z'r||/n"), FALSE),
    ("lemmas-confidence", TRUE, lambda: fatter(0.3, "D.2 ||Z'Z/n - I||"), FALSE),
    # Subsets whose estimates are a fifth as large.
    ("fig05-value-possible", TRUE, lambda: changed("ext_angrist_subsets", 0.2, ("mean",), series="2SLS"), FALSE),
    ("fig05-children", TRUE, lambda: changed("fig05", 1.2, MEDIANS, variant="number of children", parameter="beta"),
        FALSE),
    ("app-F.2-error", OPEN, lambda: changed("ext_friendlycore", along_n(0.5), series="FriendlyCore-2SLS"), FALSE),
    ("app-F.2-error", OPEN, lambda: changed("ext_friendlycore", 0.1, ("se",), series="FriendlyCore-2SLS"), TRUE),
)  # fmt: skip


@pytest.mark.parametrize(("name", "before", "make", "after"), TURNED, ids=[f"{row[0]}: {row[3]}" for row in TURNED])
def test_a_claim_follows_its_rows(name: str, before: str, make: Callable[[], Evidence], after: str) -> None:
    assert judged()[name].verdict == before
    assert by_id.judge_one(claims, make(), name).verdict == after


def a_tenth_off(descend: Callable[..., Any]) -> Callable[..., Any]:
    """A descent whose limit is a tenth off 2SLS, at all n."""

    def wrong(*given: Any) -> Any:
        Theta, beta = descend(*given)
        return Theta, 1.1 * beta

    return wrong


class Wider(Products):
    """Gradients that are clipped a hundredth too late, and that are as much too long where nothing is clipped."""

    def __call__(self, Theta: Any, beta: Any, gamma1: Any, gamma2: Any, clipped: Any) -> Any:
        first, second = super().__call__(Theta, beta, gamma1, gamma2, clipped)
        return 1.02 * first, 1.02 * second


class Ridge(Moments):
    """Moments whose second stage is kept away from 0."""

    @property
    def beta_hat(self) -> Any:
        return super().beta_hat * self.zx[0] ** 2 / (self.zx[0] ** 2 + 1.0)


def slower(function: Callable[..., Any]) -> Callable[..., Any]:
    """A second stage that would forget its noise at once."""
    return lambda *given: dataclasses.replace(function(*given), beta=0.0)


def wider_sampling(function: Callable[..., Any]) -> Callable[..., Any]:
    """A third term with a root of p more."""

    def wrong(at: Any, *given: Any) -> Any:
        found = function(at, *given)
        return dataclasses.replace(found, sampling=math.sqrt(at.p) * found.sampling)

    return wrong


def without_root_of_p(function: Callable[..., Any]) -> Callable[..., Any]:
    """A privacy term that does not grow with p."""

    def wrong(at: Any, *given: Any) -> Any:
        found = function(at, *given)
        return dataclasses.replace(found, privacy=found.privacy / math.sqrt(at.p))

    return wrong


# Claim, its module, what of code or theory is turned; each claim is reproduced as it is.
LAWS: tuple[tuple[str, ModuleType, Any, str, Callable[[Any], Any]], ...] = (
    ("corollary-3.1-any-T", whole_bound, moments, "descend", a_tenth_off),
    # Noise that falls as 1 / rho, and noise that falls as 1 / sqrt(n).
    ("condition-6-suffices", whole_bound, formulas, "noise_scale", lambda f: lambda gamma, n, T, rho: f(
        gamma, n, T, rho) / math.sqrt(rho)),
    ("condition-6-suffices", whole_bound, formulas, "noise_scale", lambda f: lambda gamma, n, T, rho: math.sqrt(
        n) * f(gamma, n, T, rho)),
    # A condition (5) with (sqrt q + sqrt tau)^5 for its sixth power; a threshold that grows as n^0.2.
    ("condition-5-implies-21", conditions, laws, "iteration_limit", lambda f: lambda at, rho: f(at, rho) * (
        math.sqrt(at.q) + math.sqrt(at.tau))),
    # An n without the root of T, as (6) has it; a privacy term without sqrt(p).
    ("lemma-D.1-n", conditions, appendices, "no_clipping_sample_size", lambda f: lambda at, rho1, rho2, T: f(
        at, rho1, rho2, 1.0)),
    ("theorem-F.1-order", whole_bound, laws, "bound_terms", without_root_of_p),
    ("app-C-logarithm", conditions, formulas, "clipping_threshold", lambda f: lambda c, n, *given: f(
        c, n, *given) * float(n) ** 0.2),
    ("remark-3.7-switches", conditions, laws, "bound_terms", wider_sampling),
    ("app-C-nu", tails, laws, "second_stage_noise", lambda f: lambda at, scale, steps: scale * math.sqrt(at.p)),
    # Noise of a variance that is half as large again; noise that is not filtered.
    ("lemma-D.4-columns", tails, tails, "chdtrc", lambda f: lambda q, level: f(q, level / 1.5)),
    ("lemma-D.4-covariance", tails, appendices, "accumulated_noise_covariance",
        lambda f: lambda gram, eta, scale, t: eta**2 * (t + 1) * np.eye(len(gram))),
    # Data that tell as much as n^0.7 records.
    ("lemma-D.6-orders", tails, moments, "draw", lambda f: lambda parameters, direct, n, generators: f(
        parameters, direct, int(n**0.7), generators)),
    ("eq-17-noise", transient, formulas, "contraction", slower),
    # A second stage that forgets nothing.
    ("app-E.1-uniform", transient, transient.Transient, "factors",
        lambda f: lambda place, steps, *given: np.ones(steps)),
    ("lemma-D.9-bounded", transient, laws, "error_radius", lambda f: lambda *given: 2.0 * f(*given)),
    ("prop-3.1-sensitivity", proofs, proofs, "Products", lambda f: Wider),
    ("eq-33", proofs, proofs, "Products", lambda f: Wider),
    ("app-E.1-split", proofs, proofs, "Products", lambda f: Wider),
    ("proofs-solutions", proofs, laws, "error_radius", lambda f: lambda *given: 1.001 * f(*given)),
    # A threshold that forgets the noise which it lets in.
    ("proofs-solutions", proofs, appendices, "_solve_threshold", lambda f: lambda noiseless, *given: noiseless),
    ("proofs-chains", proofs, laws, "error_radius", lambda f: lambda *given: 2.0 * f(*given)),
    ("app-F.2-split", friendly_moments, friendly_moments, "friendly_core_average",
        lambda f: lambda *given: f(*given, filter_share=0.2)),
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "module", "owner", "function", "turn"), LAWS, ids=[f"{row[0]}: {row[3]}" for row in LAWS]
)
def test_other_laws_are_refused(
    name: str, module: Any, owner: Any, function: str, turn: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert judged()[name].verdict == TRUE
    monkeypatch.setattr(owner, function, turn(getattr(owner, function)))
    assert {claim.claim: claim.verdict for claim in module.judge(committed())}[name] == FALSE


def test_a_condition_without_dimensions_admits_figure_3b(monkeypatch: pytest.MonkeyPatch) -> None:
    assert (judged()["fig03b-violates"].verdict, judged()["fig03b-violates"].why) == (OPEN, "unstated value decides")
    monkeypatch.setattr(laws, "iteration_limit", lambda at, rho1: rho1 * at.n**2)
    assert {claim.claim: claim.verdict for claim in conditions.judge(committed())}["fig03b-violates"] == FALSE


def test_two_stage_least_squares_with_a_ridge_is_lipschitz(monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged()["lemma-F.2-any"].verdict == OPEN
    monkeypatch.setattr(friendly_core, "Moments", Ridge)
    assert by_id.judge_one(claims, committed(), "lemma-F.2-any").verdict == TRUE


def test_norms_see_what_directions_do_not() -> None:
    """The sum by which (17) is reached, term by term, and the noise of one direction, by a loop over its steps."""
    place = transient.Transient(1.98, 1.6, 0.5)
    loop, spread = 0.0, 0.0
    for t in range(place.t0):
        reached = 1.0 - (-0.98) ** t
        sizes = [abs(1.0 - 1.6 * (reached * value) ** 2) for value in (0.5, 1.0)]
        loop, spread = max(sizes) * loop + 1.0, sizes[1] ** 2 * spread + 1.0
    assert place.noise_by_norms(place.t0) == pytest.approx(loop * (1.0 - place.rates.beta), rel=1e-9)
    assert loop * (1.0 - place.rates.beta) > 90.0 > 1.0 > place.noise(place.t0, 5.0)
    bound = (math.sqrt(2.0) + math.sqrt(5.0 + math.log(place.t0))) / (1.0 - place.rates.beta)
    assert place.noise(place.t0, 5.0) >= math.sqrt(spread) / bound * (1.0 - 1e-9)


def test_tails_of_pairs_are_those_of_draws() -> None:
    values, rng = (1.0, 0.3, 0.1), np.random.default_rng(5)
    sums = rng.chisquare(2, (200_000, 3)) @ np.array(values)
    for level in (1.0, 4.0, 9.0):
        assert tails._beyond_paired(values, level) == pytest.approx(float((sums > level).mean()), abs=0.004)
