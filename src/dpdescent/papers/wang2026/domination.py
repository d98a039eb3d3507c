"""Lemmas on hockey-stick and Renyi divergences on which wang2026's two multipliers rest, by quadrature and closed forms.

Densities are sums of normal ones with sd 1 on a grid of one or two outputs, so that their divergences are sums.
"""

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from dpdescent.papers.wang2026.criteria import EQUAL, RATE, claim_on_all_cells
from dpdescent.papers.wang2026.setting import Array
from dpdescent.privacy.participation import closed_forms, encoder, gaussian, renyi
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_most, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import exactly

ADDED_LATER = "The claim was added after a review."
# The grid of an output, in units of its noise: its ends and its spacing.
REACH, SPACING = 9.0, 0.05
AXIS = np.arange(-REACH, REACH + 4.0 + SPACING / 2.0, SPACING)
EPSILONS, KAPPAS, SHARES, LAMS = (0.1, 0.5, 1.0), (0.7, 2.0), (0.1, 0.5), (0.3, 0.9)
# Epsilons and deltas up to one, for the mechanism with one sensitivity, and its delta' = delta/2.
SMALL, DELTAS = (0.01, 0.1, 0.5, 1.0), (0.5, 0.4, 0.1, 1e-2, 1e-5, 1e-10)
# Directions in the plane, by their angles, of the parts of a mixture, and the norms of these.
ANGLES, NORMS, CHANCES = (
    ((0.0, 0.0, 0.0), (0.0, 2.0, 4.0), (0.0, math.pi, 1.0), (0.0, 0.5, -0.5)),
    (0.0, 1.0, 2.0),
    (0.2, 0.5, 0.3),
)
# Rates and noise so far in the regime of little sampling and much noise that the second term of eq. (19) leads.
RARE, LOUD, ORDERS = 1e-9, 100.0, (2, 8, 32)


def judge(_: Evidence) -> Iterator[Claim]:
    """Yields the claims on domination, on the Gaussian step, and on the constants 8 and 32; no table is read."""
    yield _swapped()
    yield _norms_dominate()
    yield _partition()
    yield _gaussian_step()
    yield _constants()


def _normal(mean: float) -> Array:
    """Masses of a normal output on the grid."""
    return np.asarray(np.exp(-0.5 * (AXIS - mean) ** 2) * SPACING / math.sqrt(2.0 * math.pi))


def _plane(parts: Sequence[tuple[float, tuple[float, float]]]) -> Array:
    """Masses of a mixture of normal outputs in the plane, by chance and mean of its parts."""
    masses: Array = np.sum([chance * np.outer(_normal(x), _normal(y)) for chance, (x, y) in parts], axis=0)
    return masses


def _hockey(P: Array, Q: Array, alpha: float) -> float:
    """H_alpha(P || Q), the sum of P - alpha Q where it is positive."""
    return float(np.maximum(P - alpha * Q, 0.0).sum())


def _swapped() -> Claim:
    off: Places = {}
    for kappa, share, eps in itertools.product(KAPPAS, SHARES, EPSILONS):
        P, Q = (1.0 - share) * _normal(0.0) + share * _normal(1.0 / kappa), _normal(0.0)
        for (name, (first, second)), alpha in itertools.product(
            {"P, Q": (P, Q), "Q, P": (Q, P)}.items(), (math.exp(eps), math.exp(-eps))
        ):
            there, back = _hockey(second, first, alpha), _hockey(first, second, 1.0 / alpha)
            off[f"{name}, kappa = {kappa:g}, r = {share:g}, alpha = {alpha:.3g}"] = exactly(
                round(abs(there - (1.0 - alpha + alpha * back)), 9)
            )
    # Outputs whose chances do not sum to one are refused.
    return claim_on_all_cells(
        id="lemma-f.6", artefact="sampling_counterexample", location="Lemma F.6", kind="privacy", source="identity",
        statement="(algebra) H_alpha(Q || P) = 1 - alpha + alpha H_(1/alpha)(P || Q), so that (P, Q) dominates for one neighbour exactly where (Q, P) does for the other",
        quantity="difference of both sides by quadrature, of sampled Gaussian outputs: the largest over kappa, r and alpha",
        cells=off, criterion=at_most(EQUAL), changed=ADDED_LATER,
    )  # fmt: skip


def _vectors(angles: Sequence[float]) -> list[tuple[float, float]]:
    """Vectors of the plane with the norms of the parts of a mixture."""
    return [(size * math.cos(angle), size * math.sin(angle)) for size, angle in zip(NORMS, angles, strict=True)]


def _norms_dominate() -> Claim:
    zero, along = _normal(0.0), np.array(CHANCES) @ [_normal(size) for size in NORMS]
    ratios: Places = {}
    mixtures = {
        f"angles {', '.join(f'{angle:.3g}' for angle in angles)}": _plane(
            list(zip(CHANCES, _vectors(angles), strict=True))
        )
        for angles in ANGLES
    }
    still = _plane([(1.0, (0.0, 0.0))])
    pairs = {name: (mixture, still, along, zero) for name, mixture in mixtures.items()}
    # Two rows of one number: the sign of the second follows the output of the first.
    sign = np.where(AXIS > 0.5, -1.0, 1.0)
    rows = list(zip(CHANCES, ((0.0, 0.0), (1.0, 1.5), (2.0, 0.5)), strict=True))
    turned = (sign > 0)[:, None]
    adaptive = np.sum(
        [
            chance * np.outer(_normal(first), np.ones(len(AXIS))) * np.where(turned, _normal(second), _normal(-second))
            for chance, (first, second) in rows
        ],
        axis=0,
    )
    pairs["adaptive rows"] = (adaptive, still, _plane(rows), still)
    for (name, (mixture, noise, bound, other)), eps in itertools.product(pairs.items(), EPSILONS):
        for alpha in (math.exp(eps), math.exp(-eps)):
            # From alpha below one on the divergence is at least 1 - alpha, which is left out.
            least = max(0.0, 1.0 - alpha)
            ratios[f"Q || P, {name}, alpha = {alpha:.3g}"] = exactly(
                round((_hockey(mixture, noise, alpha) - least) / (_hockey(bound, other, alpha) - least), 6)
            )
            ratios[f"P || Q, {name}, alpha = {alpha:.3g}"] = exactly(
                round((_hockey(noise, mixture, alpha) - least) / (_hockey(other, bound, alpha) - least), 6)
            )
    # Vectors that are longer than the norms are refused.
    return claim_on_all_cells(
        id="lemma-f.7", artefact="sampling_counterexample", location="Lemma F.7", kind="privacy", source="paper",
        statement="mixtures of Gaussians around vectors, rows of which may follow earlier outputs, are dominated by those around the norms of their rows",
        quantity="hockey-stick divergence of mixtures in the plane over that of the mixture of their norms, by quadrature, less what it is at least: the largest over vectors, alpha and both directions",
        cells=ratios, criterion=at_most(1.0 + EQUAL), changed=ADDED_LATER, note="the vectors along one line have the ratio 1",
    )  # fmt: skip


def _partition() -> Claim:
    ratios: Places = {}
    for lam, share, kappa, eps in itertools.product(LAMS, SHARES, KAPPAS, EPSILONS):
        patterns = list(itertools.product((0.0, 1.0), repeat=2))
        moved = {pattern: encoder.encode(np.array(pattern), lam) / kappa for pattern in patterns}
        chance = {
            pattern: share ** math.fsum(pattern) * (1.0 - share) ** (2.0 - math.fsum(pattern)) for pattern in patterns
        }
        P = _plane([(chance[pattern], (float(moved[pattern][0]), float(moved[pattern][1]))) for pattern in patterns])
        Q = _plane([(1.0, (0.0, 0.0))])
        alpha, right = math.exp(eps), []
        for most in range(3):
            inside = [pattern for pattern in patterns if math.fsum(pattern) <= most]
            total = math.fsum(chance[pattern] for pattern in inside)
            right.append(total * max(_shifted(moved[pattern], eps) for pattern in inside) + 1.0 - total)
        ratios[f"lambda = {lam:g}, r = {share:g}, kappa = {kappa:g}, eps = {eps:g}"] = exactly(
            round(max(_hockey(P, Q, alpha), _hockey(Q, P, alpha)) / min(right), 6)
        )
    # Sensitivities that are half as large are refused.
    return claim_on_all_cells(
        id="lemma-f.9-correlated", artefact="sampling_counterexample", location="Lemma F.9", kind="privacy", source="paper",
        statement="both hockey-stick divergences of the pair are at most S(E) times the worst one over E plus the probability of the complement of E, here with correlated noise",
        quantity="the larger divergence of two steps by quadrature over the least right side, E the patterns of at most 0, 1 or 2 participations: the largest over lambda, r, kappa and eps",
        cells=ratios, criterion=at_most(1.0 + EQUAL), changed=f"{ADDED_LATER} Claim lemma-f.9 is at lambda = 0.",
    )  # fmt: skip


def _shifted(move: Array, eps: float) -> float:
    """The hockey-stick divergence of a moved normal output from one that is not."""
    length = float(np.linalg.norm(move))
    return float(gaussian.delta(length, eps)) if length > 0.0 else 0.0


def _classical(eps: float, delta: float) -> float:
    """The sensitivity over the noise's sd of the classical Gaussian mechanism, eps/sqrt(2 log(1.25/delta))."""
    return eps / math.sqrt(2.0 * math.log(1.25 / delta))


def _gaussian_step() -> Claim:
    return claim_on_all_cells(
        id="theorem-f.12-gaussian", artefact="kappa_tables", location="Theorem F.12 (proof)", kind="privacy", source="paper",
        statement="noise of variance 2 log(1.25/delta')/eps^2 times the squared sensitivity is enough for (eps, delta')-DP, eps up to 1 and delta' up to 1/2",
        quantity="exact delta of the Gaussian mechanism at that noise over delta': the largest over eps and delta'",
        cells={
            f"eps = {eps:g}, delta' = {delta:g}": exactly(float(gaussian.delta(_classical(eps, delta), eps)) / delta)
            for eps, delta in itertools.product(SMALL, DELTAS)
        },
        criterion=at_most(1.0), changed=f"{ADDED_LATER} Bounds look at one place.",
    )  # fmt: skip


def _constants() -> Claim:
    ratios: Places = {}
    for eps, delta in itertools.product(SMALL, DELTAS):
        # The order at which Theorem D.9's proof converts, its cost of T = 1 steps at r = 1, and eps.
        log = math.log(1.0 / delta)
        order, kappa = 1.0 + 2.0 * log / eps, closed_forms.independent_multiplier(1, 1.0, eps, delta)
        ratios[f"D.9's eps, eps = {eps:g}, delta = {delta:g}"] = exactly(
            round((8.0 * order / kappa**2 + log / (order - 1.0)) / eps, 9)
        )
    step = renyi.divergences(LOUD, RARE)
    ratios |= {
        f"eq. (19), alpha = {order}": exactly(round(float(step[order - 2]) / (8.0 * order * RARE**2 / LOUD**2), 9))
        for order in ORDERS
    }
    return claim_on_all_cells(
        id="theorem-d.9-constants", artefact="closed_form_validity", location="Lemma D.7, Remark D.8, Theorem D.9 (proof)", kind="theorem", source="identity",
        statement="(algebra) a step's cost by eq. (19) tends to 8 alpha B^2/(n^2 kappa^2) for little sampling and much noise, and with it the kappa of Theorem D.9, with its 16 and 32, has T steps cost eps at alpha = 1 + 2 log(1/delta)/eps",
        quantity=f"total cost with 8 over eps at D.9's kappa, and eq. (19) over 8 alpha r^2/kappa^2 at r = {RARE:g} and kappa = {LOUD:g}: the furthest off",
        cells=ratios, criterion=within_of(1.0, 0.01 * RATE), changed=ADDED_LATER,
        note="the regime is the lemma's 'standard low-sampling regime'; finding theorem-d.9-renyi is on what is outside of it",
    )  # fmt: skip
