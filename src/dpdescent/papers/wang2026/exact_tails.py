"""Tail bounds of wang2026's lemmas held against exactly known laws over all of their parameters.

Chi-square laws are those of the noise and of the second layer, binomial ones those of participations. Martingales are
taken along one direction, on which all gradients are as large as they may be: their sums have the law of batches.
"""

import itertools
import math
from collections.abc import Iterator

import numpy as np
from scipy.stats import binom, chi2, hypergeom, norm

from dpdescent.papers.wang2026 import explicit, network
from dpdescent.papers.wang2026.criteria import claim, claim_on_all_cells
from dpdescent.papers.wang2026.setting import Array
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly

ADDED_LATER = "The claim was added after a review."
FREEDOM, DELTAS = (1, 2, 5, 30, 1000, 1_000_000), (0.4, 0.1, 1e-2, 1e-5, 1e-9)
BASIS, WIDTHS = (4, 8, 43), (1, 16, 4096, 1_000_000)
RECORDS_OF_OUTPUTS = (1, 10, 1000, 1_000_000)
# Records, half of which have the largest number, and half the smallest; batches, steps, and failure probabilities.
RECORDS, SIZES, STEPS, FAILURES = 64, (1, 8, 32), (1, 4, 32), (0.5, 0.05, 1e-3)
# Mean participations, and logarithms of 1/(c_1 delta), with which they miss the condition by far; so many steps that a
# binomial law is nearly Poisson's.
FEW, LOGARITHMS, MANY = (0.01, 0.1, 1.0), (5.0, 7.0, 12.0), 1_000_000


def judge(_: Evidence) -> Iterator[Claim]:
    """Yields the claims on chi-square tails, on extreme martingales, and on few participations; no table is read."""
    yield _chi_squared()
    yield _second_layer()
    yield _outputs()
    yield _martingales()
    yield _participations()


def _chi_squared() -> Claim:
    # Of two steps one has noise, and Lemma C.5's V_Z at 2 delta is Lemma C.4's number.
    shares = {
        f"d = {d}, delta = {delta:g}": exactly(explicit.noise_exceeds(2, d, 2.0 * delta)["sum"] / delta)
        for d, delta in itertools.product(FREEDOM, DELTAS)
    }
    return claim_on_all_cells(
        id="lemma-c.4", artefact="bound_vs_run", location="Lemma C.4", kind="theorem", source="paper",
        statement="a chi-square variable with d degrees of freedom exceeds d + 2 sqrt(d log(1/delta)) + 2 log(1/delta) with probability at most delta",
        quantity="exact probability over delta: the largest over d and delta", cells=shares, criterion=at_most(1.0),
        changed=f"{ADDED_LATER} Claims on noise look at many degrees of freedom only.",
    )  # fmt: skip


def _second_layer() -> Claim:
    shares: Places = {}
    for p, m, delta in itertools.product(BASIS, WIDTHS, DELTAS):
        layer = float(chi2.sf(network.layer_norm_bound(m, p, delta) ** 2, p * m))
        unit = float(chi2.sf(network.unit_norm_bound(m, p, delta) ** 2, p))
        # The event fails where either bound does.
        largest = -math.expm1(m * math.log1p(-unit))
        either = [max(layer, largest), layer + largest]
        shares[f"p = {p}, m = {m}, delta = {delta:g}"] = Estimate(
            either[1] / delta, either[0] / delta, either[1] / delta
        )
    return claim_on_all_cells(
        id="lemma-b.5-exact", artefact="initialisation", location="Lemma B.5", kind="theorem", source="paper",
        statement="|c| <= 4 sqrt(pm) + 2 sqrt(log(2/delta)) and max_j |c_j| <= 4 sqrt(p) + 2 sqrt(log(2m/delta)), together with probability 1 - delta at least",
        quantity="exact probability that either fails, at most that of both together, over delta: the largest over p, m and delta", cells=shares, criterion=at_most(1.0),
        changed=f"{ADDED_LATER} Draws cannot tell so small a probability from none.",
    )  # fmt: skip


def _outputs() -> Claim:
    shares: Places = {}
    for n, delta in itertools.product(RECORDS_OF_OUTPUTS, DELTAS):
        # Outputs over the largest sd that Assumption 3.2 allows them.
        limit = network.Constants(1, 1.0, 1.0, 1.0).initial_output_bound(n, delta)
        single = 2.0 * float(norm.sf(limit))
        # Of independent outputs; however they depend, none of n can exceed it more often than this.
        free, most = -math.expm1(n * math.log1p(-single)), n * single
        # eq. (15) has half of delta, Lemma C.17 all of it for the 2n records of both runs.
        shares[f"n = {n}, delta = {delta:g}"] = Estimate(2.0 * most / delta, 2.0 * free / delta, 2.0 * most / delta)
    return claim_on_all_cells(
        id="eq-15-exact", artefact="initialisation", location="eq. (15), Lemma C.17", kind="theorem", source="paper",
        statement="given the first layer, outputs at the start of n records exceed B_b sqrt(2p log(2n/delta)) with probability at most delta/2, and of 2n records B_b sqrt(2p log(4n/delta)) with at most delta",
        quantity="exact probability that an output of the largest variance allowed exceeds it, independent or all apart, over delta/2: the largest over n and delta", cells=shares, criterion=at_most(1.0),
        changed=f"{ADDED_LATER} n and delta were held at one value each.",
    )  # fmt: skip


def _sum(values: Array, chances: Array, steps: int) -> tuple[Array, Array]:
    """The law of a sum of independent variables with evenly spaced values, its values and their chances."""
    law = np.ones(1)
    for _ in range(steps):
        law = np.convolve(law, chances)
    spacing = (values[-1] - values[0]) / max(len(values) - 1, 1)
    return steps * values[0] + spacing * np.arange(len(law)), law


def _deviations(size: int) -> tuple[Array, Array]:
    """The deviations of a batch's mean from that of records half of which are 1 and half -1, with their chances."""
    drawn = np.arange(size + 1)
    return 2.0 * drawn / size - 1.0, np.asarray(hypergeom.pmf(drawn, RECORDS, RECORDS // 2, size))


def _noise_sum(steps: int, delta: float) -> float:
    """Lemma C.5's V_Z of one normal a step."""
    setting = explicit.Setting(
        n=1, B=1, T=steps + 1, parameters=1, eta=1.0, lam=0.0, c_priv=1.0, gradient_bound=1.0, hessian_bound=0.0, beta=1.0,
        delta_Z=delta, delta_D=delta, delta_pot=delta,
    )  # fmt: skip
    return explicit.noise_sum(setting)


def _squares(size: int) -> tuple[Array, Array]:
    """The squares of these deviations on an even grid, with their chances."""
    values, chances = _deviations(size)
    chance = np.zeros(size**2 + 1)
    np.add.at(chance, np.rint((values * size) ** 2).astype(int), chances)
    return np.arange(size**2 + 1) / size**2, chance


def _martingales() -> Claim:
    shares: Places = {}
    for steps, size, delta in itertools.product(STEPS, SIZES, FAILURES):
        place = f"T = {steps}, B = {size}, delta = {delta:g}"
        sums, chances = _sum(*_deviations(size), steps)
        limit = 2.0 * math.sqrt(2.0) * math.sqrt(steps * math.log(2.0 / delta) / size)
        last = float(chances[np.abs(sums) > limit].sum()) / delta
        # By Levy's inequality the largest of the partial sums exceeds it at most twice as often as the last one.
        shares[f"Lemma C.7, {place}"] = Estimate(last, last, 2.0 * last)
        # Of one normal a step, given the batches, by their summed squares, with Lemma C.5's V_Z; the event on it is left out.
        squares, sizes = _sum(*_squares(size), steps)
        limit = 2.0 * math.sqrt(_noise_sum(steps, delta) * math.log(2.0 / delta) / size)
        spread = np.sqrt(np.maximum(squares, 1e-300))
        last = float(sizes @ (2.0 * norm.sf(limit / spread))) / delta
        shares[f"Lemma C.9, {place}"] = Estimate(last, last, 2.0 * last)
        # Losses are 0 and U, half as far apart.
        limit = math.sqrt(2.0 * steps * math.log(1.0 / delta) / size) + 2.0 / 3.0 * math.log(1.0 / delta)
        shares[f"Lemma C.19, {place}"] = exactly(float(chances[0.5 * sums > limit].sum()) / delta)
    for delta in FAILURES:
        last = 2.0 * float(norm.sf(2.0 * math.sqrt(math.log(2.0 / delta)))) / delta
        shares[f"Lemma C.8, delta = {delta:g}"] = Estimate(last, last, 2.0 * last)
    # The same batch at every step is refused.
    return claim_on_all_cells(
        id="martingales-along-a-direction", artefact="ext_proof", location="Lemmas C.7, C.8, C.9, C.19", kind="theorem", source="paper",
        statement="the martingales of batches, noise, both, and losses stay within the lemmas' bounds with probability 1 - delta, here along one direction with the largest gradients, or losses, that are allowed",
        quantity=f"exact probability that the bound is exceeded over delta, {RECORDS} records: the largest over lemmas, T, B and delta", cells=shares, criterion=at_most(1.0),
        changed=f"{ADDED_LATER} Runs use a small part of these bounds.", note="C.19 with the constants of its proof",
    )  # fmt: skip


def _most(mean: float, log: float) -> float:
    """tau, the number of participations of Lemma F.10, by their mean and log(1/(c_1 delta))."""
    return mean + math.sqrt(3.0 * mean * log)


def _participations() -> Claim:
    largest = max(
        float(binom.sf(math.floor(_most(mean, log)), MANY, mean / MANY)) * math.exp(log)
        for mean, log in itertools.product(FEW, LOGARITHMS)
    )
    # A threshold with another log(1/(c_1 delta)) holds for all means, and is refused.
    return claim(
        id="lemma-f.10-condition", artefact="kappa_tables", location="Lemma F.10", kind="privacy", source="ours",
        statement="(ours) the condition rT > 3 log(1/(c_1 delta)) is needed: without it more than tau participations can have a probability above c_1 delta",
        quantity=f"exact binomial tail over c_1 delta at T = {MANY:g}, where rT is at most a fifteenth of what the condition asks for: the largest",
        measured=exactly(largest), criterion=at_least(1.0), changed=ADDED_LATER,
    )  # fmt: skip
