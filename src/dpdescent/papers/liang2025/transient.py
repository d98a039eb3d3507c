"""The steps before the second stage contracts: what they do to noise in (17), and their products in Lemma D.9.

As n grows, Z'Z/n tends to the identity and Theta^(t) to (1 - (1 - eta)^t) Theta, by which every factor of a product is a
number. There T0 is t0(n) of (22), or later, as the proof takes it.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from dpdescent.papers.liang2025 import formulas, laws
from dpdescent.papers.liang2025.criteria import claim_on_all_cells, no_faster
from dpdescent.papers.liang2025.moments import Array
from dpdescent.papers.liang2025.theorem import FRACTIONS
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import Place
from dpdescent.replication.judging.statistics import exactly

PROOF: Place = {"artefact": "bounds", "location": "App. C, eq. (17)", "kind": "theorem", "source": "paper"}
ADDED = "The claim was added after a review."
# Smallest singular values of Theta, whose largest is 1; T0 in units of t0; and the T to which products are followed.
SMALLEST, LATER, LONG = (1.0, 0.5, 0.1), (1, 2), 20_000
# Numbers of iterations between which noise might grow.
SHORTER, LONGEST = 500, 2000
# Digits after which a quotient is rounding, which depends on the processor.
DIGITS = 12


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on noise before T0, on the products of the steps, and on noise at all steps."""
    places = list(_places())
    tau = float(evidence.settings["tau"])
    by_norms = max(place.noise_by_norms(place.t0) for place in places)
    yield claim_on_all_cells(
        id="eq-17-noise", **PROOF,
        statement="noise of the second stage before T0 adds at most alpha / (1 - kappa_beta) ||nu|| to the error at T0, as the first line of (17) has it, which hides no constant",
        quantity="sd of that noise in the direction in which it is largest over that bound at ||nu|| = lambda2 (sqrt p + sqrt(tau + log T0)), p = q = 2, T0 = t0 and 2 t0 of (22), n to infinity: the largest over step sizes (3) and spectra of Theta",
        cells={
            f"{place.text}, T0 = {later * place.t0}": exactly(place.noise(later * place.t0, tau))
            for place, later in product(places, LATER)
        },
        criterion=at_most(1.0), changed=ADDED,
        note=f"the products of norms by which (17) is reached exceed the same bound by a factor of up to {by_norms:.2g}: for eta above 1 Theta^(1) = eta Theta, and the factor "
        "|1 - alpha eta^2 ||Theta||^2| of a step, which (3) lets exceed 1, need not be at most kappa_beta before T0. What is amplified first is damped later in the same direction, which norms do not see. "
        "The other terms of (17) take ||Theta^(k)|| <= ||Theta_hat|| + eps before T0 too, where Theta^(1) is eta Theta",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="lemma-D.9-bounded", **PROOF | {"location": "Lemma D.9"},
        statement="the product of the second stage's factors over the first T0 steps is bounded, whatever T0 <= T and T are",
        quantity=f"largest product over T0 up to {LONG:g} over that up to t0 of (22), with Theta^(t) as far from its path as (21) lets noise carry it, to the worse side at each step, n to infinity",
        cells={place.text: exactly(place.longest()) for place in places}, criterion=at_most(1.0),
        changed=ADDED, note=f"the bound is no small number: {_sizes(places)}",
    )  # fmt: skip

    yield claim_on_all_cells(
        id="app-E.1-uniform", **PROOF | {"location": "App. E.1, below (34)"},
        statement="noise of the second stage moves beta^(t) by at most the order gamma2 sqrt(T) / (n sqrt(rho2)) (sqrt p + sqrt(tau + log T)) at all t up to T, without the factor T0 of the line before",
        quantity=f"exponent in T of the largest sd of that noise over t up to T, at a fixed lambda2, from T = {SHORTER:g} to {LONGEST:g}, at steps from a tenth of both ceilings (3) on, n to infinity: the largest over step sizes and spectra of Theta",
        cells={
            place.text: exactly(place.growth(SHORTER, LONGEST))
            for place in places if min(place.parts) >= 0.1 and place.smallest >= 0.5
        },
        criterion=no_faster(), changed=ADDED,
        note="the factor T0, up to T / 2, is dropped between the two lines without a word (finding misprints); the second is true all the same, because the second stage forgets old noise",
    )  # fmt: skip


@dataclass(frozen=True)
class Transient:
    """The steps before contraction at step sizes and a spectrum of Theta with norm 1, as n grows.

    Attributes:
        eta, alpha: step sizes, which are `parts` of their ceilings (3).
        smallest: smallest singular value of Theta.
    """

    eta: float
    alpha: float
    smallest: float
    parts: tuple[float, float] = (1.0, 1.0)

    @property
    def text(self) -> str:
        """The place in words."""
        return f"eta = {self.eta:g}, alpha = {self.alpha:.3g}, sigma_min = {self.smallest:g}"

    @property
    def window(self) -> formulas.Spectrum:
        """The eigenvalue window in the limit."""
        return formulas.Spectrum(delta=0.0, lower=self.smallest**2, upper=1.0)

    @property
    def rates(self) -> formulas.Contraction:
        """kappa_Theta and kappa_beta of (10)."""
        return formulas.contraction(self.window, formulas.StepSizes(self.eta, self.alpha))

    @property
    def t0(self) -> int:
        """The burn-in (22)."""
        return int(laws.burn_in(self.window, self.rates.theta, 1.0))

    def factors(self, steps: int, singular_value: float, off: float = 0.0) -> Array:
        """Factors of the second stage's error in one direction at steps 0, 1, ...; with Theta^(t) off its path."""
        reached = np.abs(1.0 - (1.0 - self.eta) ** np.arange(steps)) * singular_value
        ends = (np.maximum(reached - off, 0.0), reached + off)
        return np.asarray(np.maximum(*(np.abs(1.0 - self.alpha * end**2) for end in ends)), dtype=np.float64)

    def noise(self, T0: int, tau: float) -> float:
        """The sd of accumulated noise at T0 over the bound of (17), for noise of sd 1."""
        bound = (math.sqrt(2.0) + math.sqrt(tau + math.log(T0))) / (1.0 - self.rates.beta)
        return self.spread(T0)[-1] / bound

    def spread(self, steps: int) -> list[float]:
        """The sd of accumulated noise at t = 1, 2, ..., in the direction in which it is larger, for noise of sd 1."""
        variances, path = [0.0, 0.0], []
        for factors in zip(*(self.factors(steps, value) ** 2 for value in (self.smallest, 1.0)), strict=True):
            variances = [factor * variance + 1.0 for factor, variance in zip(factors, variances, strict=True)]
            path.append(math.sqrt(max(variances)))
        return path

    def growth(self, first: int, last: int) -> float:
        """The exponent in T of the largest sd over t up to T."""
        path = self.spread(last)
        return math.log(max(path) / max(path[:first])) / math.log(last / first)

    def noise_by_norms(self, T0: int) -> float:
        """The sum over k < T0 of products of norms of later steps, in units of 1 / (1 - kappa_beta)."""
        total = 1.0
        for factor in np.maximum(*(self.factors(T0, value) for value in (self.smallest, 1.0)))[1:]:
            total = factor * total + 1.0
        return float(total) * (1.0 - self.rates.beta)

    def products(self, steps: int) -> Array:
        """Logarithms of the largest product up to each step, with Theta off by half of eps_bar to the worse side."""
        off = 0.5 * laws.error_radius(self.window, 1.0)
        factors = np.maximum(*(self.factors(steps, value, off) for value in (self.smallest, 1.0)))
        return np.asarray(np.cumsum(np.log(factors)), dtype=np.float64)

    def longest(self) -> float:
        """The largest product over all T0 over that over T0 up to t0."""
        logs = self.products(LONG)
        # A product without bound is any number above 1.
        return round(math.exp(min(float(logs.max() - logs[: self.t0].max()), 700.0)), DIGITS)


def _places() -> Iterator[Transient]:
    for smallest, one, other in product(SMALLEST, FRACTIONS, FRACTIONS):
        ceilings = formulas.step_size_ceilings(formulas.Spectrum(delta=0.0, lower=smallest**2, upper=1.0))
        yield Transient(one * ceilings.eta, other * ceilings.alpha, smallest, (one, other))


def _sizes(places: list[Transient]) -> str:
    """Largest products for small and for large eta, as text for a note."""
    largest = [(place.eta > 1.0, math.exp(float(place.products(place.t0).max()))) for place in places]
    sizes = {
        name: max(size for beyond, size in largest if beyond == above)
        for name, above in (("eta up to 1", False), ("eta above 1", True))
    }
    return algebra.values_text((name, value) for name, value in sizes.items())
