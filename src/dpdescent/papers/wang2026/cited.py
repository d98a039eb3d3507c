"""Lemmas that wang2026 cites or proves in passing, held against exact laws: tails, privacy, comparison, stability."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from scipy.special import logsumexp
from scipy.stats import binom, norm

from dpdescent.papers.wang2026.criteria import EQUAL, claim_on_all_cells
from dpdescent.papers.wang2026.identities import COUNTED
from dpdescent.papers.wang2026.setting import Array
from dpdescent.privacy.participation import gaussian
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_most, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import exactly
from dpdescent.sums import added

ORDERS, DEVIATIONS, DELTAS = (1.5, 2.0, 8.0, 32.0), (0.5, 1.0, 4.0), (1e-2, 1e-5, 1e-9)
STEPS, MEANS = (10, 100, 10_000), (0.01, 0.1, 0.5)
NARROWER = "Until a second list of objections its words were on"
ADDED_LATER = "Added after a review."
# A finite population, of which batches of every size are drawn with and without replacement, and scales of the exponent.
NUMBERS, SCALES = (-1.0, -0.3, 0.0, 0.1, 0.4, 0.8), (-4.0, -1.0, -0.1, 0.1, 1.0, 4.0)
# A fair coin, numbers of its flips whose mean is learned, and the order of Renyi divergence at which mechanisms are composed.
COIN, FLIPS, ORDER = (0.0, 1.0), range(1, 9), 4.0


def judge(_: Evidence) -> Iterator[Claim]:
    """Yields the claims on Renyi privacy, on tails of sums, on batches without replacement, and on stability."""
    yield from _privacy()
    yield _composition()
    yield from _tails()
    yield _comparison()
    yield _stability()


def _privacy() -> Iterator[Claim]:
    shares: Places = {}
    for sd, alpha, delta in itertools.product(DEVIATIONS, ORDERS, DELTAS):
        eps = alpha / (2.0 * sd**2) + math.log(1.0 / delta) / (alpha - 1.0)
        shares[f"sd = {sd:g}, alpha = {alpha:g}, delta = {delta:g}"] = exactly(
            float(gaussian.delta(1.0 / sd, eps)) / delta
        )
    yield claim_on_all_cells(
        id="lemma-d.2", artefact="closed_form_validity", location="Lemma D.2", kind="theorem", source="paper",
        statement="(alpha, rho)-RDP, of Gaussian mechanisms, implies (rho + log(1/delta)/(alpha - 1), delta)-DP",
        quantity="exact delta of a Gaussian mechanism at that epsilon over delta: the largest over noise, alpha and delta",
        cells=shares, criterion=at_most(1.0), changed=f"{NARROWER} all mechanisms, of which Gaussian ones are looked at.",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="lemma-d.4", artefact="closed_form_validity", location="Lemma D.4", kind="theorem", source="identity",
        statement="(algebra) a Gaussian mechanism of sensitivity Delta and deviation sigma is (alpha, alpha Delta^2/(2 sigma^2))-RDP",
        quantity="Renyi divergence of the two outputs by quadrature over that: the furthest off",
        cells={
            f"sensitivity {shift:g}, sd = {sd:g}, alpha = {alpha:g}": exactly(round(_renyi(shift, sd, alpha) / (alpha * shift**2 / (2.0 * sd**2)), 9))
            for shift, sd, alpha in itertools.product((1.0, 2.0), DEVIATIONS, ORDERS)
        },
        criterion=within_of(1.0, EQUAL), changed=f"{COUNTED} It named Lemma D.7's step too, whose sensitivity it does not look at.",
    )  # fmt: skip


def _composition() -> Claim:
    x = np.linspace(-14.0, 20.0, 1701)
    ways = {
        "independent": np.ones_like(x), "adaptive": np.where(x > 0.5, 1.0, -0.5),
        "larger when unlikely": 1.0 / (1.0 + np.exp(-x)),
    }  # fmt: skip
    # A sum of squares, or a root of it, is refused by the independent release, which attains the sum.
    return claim_on_all_cells(
        id="lemma-d.6", artefact="closed_form_validity", location="Lemma D.6", kind="theorem", source="identity",
        statement="(algebra) RDP parameters of one order add up under independent and under adaptive composition, of two Gaussian mechanisms",
        quantity=f"Renyi divergence of order {ORDER:g} of both releases by quadrature over the sum of their parameters, the second as large as the first one's output has it: the largest",
        cells={name: exactly(round(_of_both(x, shifts) / (ORDER / 2.0 + ORDER / 2.0), 6)) for name, shifts in ways.items()},
        criterion=at_most(1.0), changed=ADDED_LATER,
    )  # fmt: skip


def _of_both(x: Array, shifts: Array) -> float:
    """The Renyi divergence of two releases, of which the first is shifted by 1, the second as the first one has it."""
    logs = (ORDER * norm.logpdf(x, 1.0) + (1.0 - ORDER) * norm.logpdf(x))[:, None]
    logs = logs + ORDER * norm.logpdf(x - shifts[:, None]) + (1.0 - ORDER) * norm.logpdf(x)
    return float(logsumexp(logs) + 2.0 * math.log(x[1] - x[0])) / (ORDER - 1.0)


def _tails() -> Iterator[Claim]:
    freedman: Places = {}
    chernoff: Places = {}
    for steps, share, delta in itertools.product(STEPS, MEANS, DELTAS):
        name, log = f"T = {steps}, p = {share:g}, delta = {delta:g}", math.log(1.0 / delta)
        limit = math.sqrt(2.0 * steps * share * (1.0 - share) * log) + 2.0 / 3.0 * log
        freedman[name] = exactly(float(binom.sf(math.floor(steps * share + limit), steps, share)) / delta)
        # At the limit itself the event has happened.
        reached = float(binom.sf(math.ceil(2.0 * (steps * share + log)) - 1, steps, share))
        # In logarithms, because the bound is below the smallest number for many steps, and a ratio may be above the largest.
        exponent = (2.0 * math.log(2.0) - 1.0) * steps * share + 2.0 * math.log(2.0) * log
        chernoff[name] = exactly(math.exp(min(math.log(reached) + exponent, 700.0)) if reached > 0.0 else 0.0)
    yield claim_on_all_cells(
        id="lemma-c.18", artefact="ext_proof", location="Lemma C.18", kind="theorem", source="paper",
        statement="a sum of independent centred Bernoulli variables, a martingale with steps of at most L, exceeds sqrt(2 v log(1/delta)) + (2L/3) log(1/delta) with probability at most delta",
        quantity="exact probability that a centred sum of Bernoulli variables exceeds it over delta: the largest over T, their mean and delta",
        cells=freedman, criterion=at_most(1.0), changed=f"{NARROWER} any martingale, of which sums of Bernoulli variables are looked at.",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="lemma-c.6-chernoff", artefact="ext_proof", location="Lemma C.6 (proof)", kind="theorem", source="identity",
        statement="(algebra) a sum of variables in [0, L], here of independent Bernoulli ones, whose conditional means sum to at most V, reaches 2 V + 2 L u with probability at most exp(-(2 log 2 - 1) V/L - 2 u log 2), which is at most exp(-u)",
        quantity="exact probability that a sum of Bernoulli variables reaches it over that, u = log(1/delta): the largest over T, their mean and delta",
        cells=chernoff, criterion=at_most(1.0), changed=ADDED_LATER,
    )  # fmt: skip


def _comparison() -> Claim:
    functions: dict[str, Callable[[float], float]] = {
        f"exp({theta:g} x)": partial(_exponential, theta) for theta in SCALES
    }
    functions |= {"|x|": abs, "x^2": lambda x: x * x}
    ratios: Places = {}
    for size, (name, convex) in itertools.product(range(2, len(NUMBERS) + 1), functions.items()):
        apart = _mean([convex(added(batch)) for batch in _batches(size)])
        again = _mean([convex(added(batch)) for batch in itertools.product(NUMBERS, repeat=size)])
        ratios[f"B = {size}, {name}"] = exactly(round(apart / again, 9))
    return claim_on_all_cells(
        id="lemma-c.7-hoeffding", artefact="ext_proof", location="Lemmas C.7, C.9 (proofs)", kind="theorem", source="identity",
        statement="(algebra) a convex function of a batch's sum has no larger mean without replacement than with it, of a population of six numbers",
        quantity="mean over all batches without replacement over that with replacement, of exponentials, the size and the square of the sum: the largest over B",
        cells=ratios, criterion=at_most(1.0), changed=ADDED_LATER,
    )  # fmt: skip


def _exponential(theta: float, x: float) -> float:
    return math.exp(theta * x)


def _batches(size: int) -> list[tuple[float, ...]]:
    """All batches without replacement."""
    return list(itertools.combinations(NUMBERS, size))


def _mean(values: Sequence[float]) -> float:
    return float(added(values)) / len(values)


def _stability() -> Claim:
    """The claim on Lemma C.15 by a learner whose gap and stability are sums over all samples: the mean of coin flips."""
    ratios: Places = {}
    for n in FLIPS:
        samples = list(itertools.product(COIN, repeat=n))
        gaps, moves = [], []
        for sample in samples:
            learned = _mean(sample)
            gaps.append(_mean([_loss(learned, z) for z in COIN]) - _mean([_loss(learned, z) for z in sample]))
            moves.append(_mean([abs(record - fresh) / n for record in sample for fresh in COIN]))
        ratios[f"n = {n}"] = exactly(round(_mean(gaps) / (2.0 * _mean(moves)), 9))
    return claim_on_all_cells(
        id="lemma-c.15", artefact="stability", location="Lemma C.15", kind="theorem", source="identity",
        statement="(algebra) a learner that is on-average argument stable to eps under an L-Lipschitz loss, here the mean of coin flips, has an expected generalization gap of at most 2 L eps",
        quantity="exact gap of the mean of n fair coin flips under |w - z| over 2 L eps, eps its exact stability: the largest over n",
        cells=ratios, criterion=at_most(1.0), changed=ADDED_LATER,
    )  # fmt: skip


def _loss(learned: float, z: float) -> float:
    """The loss of the coin's learner, whose Lipschitz constant is 1."""
    return abs(learned - z)


def _renyi(shift: float, sd: float, alpha: float) -> float:
    """The Renyi divergence of N(shift, sd^2) from N(0, sd^2), by quadrature around the mean of its integrand."""
    x = alpha * shift + sd * np.linspace(-12.0, 12.0, 4001)
    logs = alpha * norm.logpdf(x, shift, sd) + (1.0 - alpha) * norm.logpdf(x, 0.0, sd)
    return float(logsumexp(logs) + math.log(x[1] - x[0])) / (alpha - 1.0)
