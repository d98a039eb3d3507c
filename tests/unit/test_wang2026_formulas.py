"""wang2026's claims on formulas, exact laws and prescriptions: each is false where its formula or law is another."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

import pytest
from scipy.stats import chi2

from dpdescent.models import kan
from dpdescent.papers.wang2026 import (
    corollaries,
    domination,
    exact_tails,
    explicit,
    explicit_bounds,
    lemma_widths,
    network,
    network_identities,
    prescriptions,
    rates,
)
from dpdescent.papers.wang2026.corollaries import Power
from wang2026_world import judged


def _off(power: Power | None, axis: str) -> Power | None:
    """A power that makes a rate smaller by a half of one parameter."""
    down = {"n": -0.5, "d": -0.5, "gamma": 0.5, "eps": 0.5}[axis]
    return power and dataclasses.replace(power, **{axis: getattr(power, axis) + down})


HALVES = [
    (source, part, axis)
    for source in corollaries.DERIVED
    for part, axes in (("rate", ("n", "gamma")), ("private", ("n", "gamma", "d", "eps")), ("empirical", ("n", "gamma")))
    for axis in axes
    if any(each.source == source and getattr(each, part) is not None for each in corollaries.ENTRIES)
]


@pytest.mark.parametrize(("source", "part", "axis"), HALVES)
def test_half_a_power_of_a_displayed_rate_is_seen(
    source: str, part: str, axis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    entries = [
        dataclasses.replace(each, **{part: _off(getattr(each, part), axis)}) if each.source == source else each
        for each in corollaries.ENTRIES
    ]
    monkeypatch.setattr(corollaries, "ENTRIES", tuple(entries))
    assert judged({}, prescriptions)["corollaries-every-power"].verdict == "not reproduced"


def _times(of: Callable[..., Any], key: str, factor: Callable[[Any], float]) -> Callable[..., Any]:
    """A prescription, or a bound, of which one part is larger by a factor of what it is given."""

    def changed(given: Any, **options: Any) -> Any:
        right = of(given, **options)
        return dataclasses.replace(right, **{key: getattr(right, key) * factor(given)})

    return changed


WITHOUT_NOISE = rates.without_noise
# Of a claim each: a power of gamma in the first term, of B, and of T beyond its least; a multiplier that grows next to
# lambda = 1; steps that are larger by a root of 1/gamma; widths that are smaller, or larger, by a root of gamma.
OTHER_PRESCRIPTIONS: list[tuple[str, Any, str, Any]] = [
    ("corollary-5.6-beyond", rates, "without_noise", _times(WITHOUT_NOISE, "start", lambda run: run.gamma**-0.5)),
    ("corollary-5.6-beyond", rates, "without_noise", _times(WITHOUT_NOISE, "batches", lambda run: run.B**0.5)),
    ("corollary-5.6-beyond", rates, "without_noise",
     _times(WITHOUT_NOISE, "batches", lambda run: (run.T * run.gamma**2 * run.B / run.n**2) ** run.n**0.01)),
    ("corollary-5.3-fixed-constants", corollaries, "theorem_5_1",
     lambda T, r, lam, eps: corollaries.theorem_5_4(T, 1.0, eps) * (T if lam > 0.95 else 1.0)),
    ("corollary-5.3-fixed-constants", corollaries, "theorem_5_1",
     lambda T, r, lam, eps: corollaries.theorem_5_4(T, 1.0, eps) * (T if r < 0.05 else 1.0)),
    ("prescriptions-meet-conditions", corollaries, "corollary_5_3",
     _times(corollaries.corollary_5_3, "m", lambda point: point.gamma**-0.5)),
    ("prescriptions-meet-conditions", corollaries, "corollary_5_3",
     _times(corollaries.corollary_5_3, "eta", lambda point: point.gamma**-1.5)),
    # Theorem 5.2's own width.
    ("corollary-5.3-narrower", prescriptions, "width_of_lemma_c_20", rates.population_width),
    ("corollary-5.3-narrower", prescriptions, "narrower", corollaries.corollary_5_3),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(OTHER_PRESCRIPTIONS)))
def test_other_prescriptions_are_refused(case: int, monkeypatch: pytest.MonkeyPatch) -> None:
    name, module, attribute, wrong = OTHER_PRESCRIPTIONS[case]
    monkeypatch.setattr(module, attribute, wrong)
    assert judged({}, prescriptions)[name].verdict == "not reproduced"


@pytest.mark.parametrize("source", corollaries.DERIVED)
def test_gaps_and_widths_of_every_prescription_count(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Widths that are smaller by a root of gamma, and bounds whose first term is larger by a root of 1/gamma."""
    prescribe, bound = corollaries.DERIVED[source]
    narrow = _times(prescribe, "m", lambda point: point.gamma**0.5)
    large = _times(bound, "start", lambda run: run.gamma**-0.5)
    for name, pair in (
        ("prescriptions-meet-conditions", (narrow, bound)),
        ("generalisation-gaps-follow", (prescribe, large)),
    ):
        # Of Corollary 5.3 no gap is stated.
        if (source, name) != ("Corollary 5.3", "generalisation-gaps-follow"):
            monkeypatch.setitem(corollaries.DERIVED, source, pair)
            assert judged({}, prescriptions)[name].verdict == "not reproduced", name


def _larger(of: Callable[..., Any], factor: float) -> Callable[..., Any]:
    return lambda *given: of(*given) * factor


# What the network, or the loss, would have to be for a claim on its formulas to be false.
OTHER_NETWORKS: list[tuple[str, Any, str, Any]] = [
    ("lemma-b.6-formulas", kan.KAN, "curvature", _larger(kan.KAN.curvature, 1.001)),
    ("lemma-b.6-formulas", kan.KAN, "outputs_and_factors",
     lambda *given, of=kan.KAN.outputs_and_factors: tuple(1.001 * each for each in of(*given))),
    # Bounds that fall faster than these by half a power of m.
    ("lemma-b.6-everywhere", network.Constants, "gradient_bound",
     lambda self, m, delta, of=network.Constants.gradient_bound: of(self, m, delta) / m**0.5),
    ("lemma-b.6-everywhere", network.Constants, "hessian_bound",
     lambda self, m, delta, of=network.Constants.hessian_bound: of(self, m, delta) / m**0.5),
    ("lemma-b.7-loss", kan, "logistic_slope", _larger(kan.logistic_slope, 1.1)),
    ("lemma-b.7-loss", kan, "logistic", _larger(kan.logistic, 0.9)),
    ("lemma-b.7-loss", network, "loss_ceiling", lambda output: output + 0.7),
    ("lemma-b.7-loss", network, "loss_ceiling", lambda output: output + 0.1),
    ("lemma-b.7-largest-eigenvalue", kan, "logistic_slope", _larger(kan.logistic_slope, 2.0)),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(OTHER_NETWORKS)))
def test_other_networks_and_losses_are_refused(case: int, monkeypatch: pytest.MonkeyPatch) -> None:
    name, of, attribute, wrong = OTHER_NETWORKS[case]
    monkeypatch.setattr(of, attribute, wrong)
    assert judged({}, network_identities)[name].verdict == "not reproduced"


def _without_last_term(T: int, parameters: int, delta: float) -> dict[str, float]:
    limit = parameters + 2 * math.sqrt(parameters * math.log(2 / delta))
    return {"sum": float(chi2.sf(limit, parameters))}


VECTORS = domination._vectors
# Of a claim each: a threshold, a law or a multiplier that would refute its lemma.
OTHER_LAWS: list[tuple[str, Any, str, Any]] = [
    ("lemma-c.4", exact_tails.explicit, "noise_exceeds", _without_last_term),
    # A bound on units without the logarithm of their number, and one on the layer that is too small by a twentieth.
    ("lemma-b.5-exact", network, "unit_norm_bound", lambda m, p, delta: 4 * p**0.5),
    ("lemma-b.5-exact", network, "layer_norm_bound", lambda m, p, delta: 0.95 * (p * m) ** 0.5),
    # Outputs beyond a bound that does not grow with their number.
    ("eq-15-exact", network.Constants, "initial_output_bound",
     lambda self, n, delta: self.norm_h * math.sqrt(2 * math.log(2 / delta))),
    # The same batch at every step.
    ("martingales-along-a-direction", exact_tails, "_sum", lambda values, chances, steps: (steps * values, chances)),
    # A number of participations that holds for all means.
    ("lemma-f.10-condition", exact_tails, "_most", lambda mean, log: mean + (3 * mean * log) ** 0.5 + log),
    ("lemma-f.6", domination, "_normal", lambda mean, of=domination._normal: of(mean) * (0.99 if mean else 1.0)),
    # Vectors that are a tenth longer than the norms; sensitivities that are half as large.
    ("lemma-f.7", domination, "_vectors", lambda angles: [(1.1 * x, 1.1 * y) for x, y in VECTORS(angles)]),
    ("lemma-f.9-correlated", domination, "_shifted", lambda move, eps, of=domination._shifted: of(0.5 * move, eps)),
    ("theorem-f.12-gaussian", domination, "_classical",
     lambda eps, delta: 3 * eps / math.sqrt(2 * math.log(1.25 / delta))),
    ("theorem-d.9-constants", domination.closed_forms, "independent_multiplier",
     lambda T, r, eps, delta: r * math.sqrt(16 * T / eps + 16 * T * math.log(1 / delta) / eps**2)),
    ("theorem-d.9-constants", domination.renyi, "divergences",
     lambda kappa, rate, of=domination.renyi.divergences: 1.02 * of(kappa, rate)),
]  # fmt: skip


@pytest.mark.parametrize("case", range(len(OTHER_LAWS)))
def test_other_laws_and_thresholds_are_refused(case: int, monkeypatch: pytest.MonkeyPatch) -> None:
    name, module, attribute, wrong = OTHER_LAWS[case]
    monkeypatch.setattr(module, attribute, wrong)
    assert judged({}, exact_tails, domination)[name].verdict == "not reproduced"


@pytest.mark.parametrize("term", ["comparator", "start", "potential", "batches", "noise"])
def test_another_constant_of_lemma_c_3_is_refused(term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = explicit.correlated_bound

    def larger(run: explicit.Setting, target: explicit.Comparator) -> explicit.Terms:
        found = exact(run, target)
        return dataclasses.replace(found, **{term: 1.1 * getattr(found, term)})

    monkeypatch.setattr(explicit, "correlated_bound", larger)
    assert judged({}, explicit_bounds)["lemma-c.3-constants"].verdict == "not reproduced"


def test_a_larger_step_and_less_room_for_the_noise_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of a tenth more than 1/(12 beta), and 6 beta in place of 12 beta."""
    with monkeypatch.context() as patched:
        patched.setattr(explicit_bounds, "largest_step", lambda beta: 1.1 / (12 * beta))
        found = judged({}, explicit_bounds)
        assert {found[f"lemma-{name}-constants"].verdict for name in ("c.3", "d.11")} == {"not reproduced"}
    weight = property(lambda run: (1 - run.lam) ** 2 + 6 * run.beta * run.lam**2 * run.eta)
    monkeypatch.setattr(explicit.Setting, "noise_weight", weight)
    assert judged({}, explicit_bounds)["lemma-c.3-constants"].verdict == "not reproduced"


def _lacking(of: Callable[..., float], parameter: str) -> Callable[..., float]:
    """A width that lacks half a power of a parameter; of gamma half a power of its inverse."""
    sign = 0.5 if parameter == "gamma" else -0.5
    return lambda values, m: of(values, m) * values[parameter] ** sign


@pytest.mark.parametrize(
    ("width", "parameter"),
    [
        ("_curvature_width", "D"), ("_curvature_width", "p"), ("_comparator_width", "gamma"),
        ("_stability_width", "p"), ("_stability_width", "eta"), ("_stability_width", "T A"), ("_stability_width", "U"),
        ("_stability_width", "T/B"),
    ],
)  # fmt: skip
def test_widths_that_lack_half_a_power_are_refused(width: str, parameter: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lemma_widths, width, _lacking(getattr(lemma_widths, width), parameter))
    assert judged({}, lemma_widths)["widths-are-enough"].verdict == "not reproduced"
