"""Covariances near to low rank (Table 1's caption, Sec. 2.2, App. C.6): the gain there, and errors where the rank drops."""

from collections.abc import Iterator

import numpy as np

from dpdescent.papers.choquettechoo2023 import criteria, laws, spectra
from dpdescent.papers.choquettechoo2023.criteria import claim, claim_on_all_cells, rows
from dpdescent.papers.choquettechoo2023.setting import RegressionProblem
from dpdescent.replication.judging.criteria import at_least, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import NOTHING, exactly

# Dimension, large eigenvalues and learning rate at which the others fall by these steps, and H comes near to low rank.
NEAR_LOW_RANK, SMALLEST = (128, 4, 1e-3), (0.1, 0.01, 1e-3, 1e-4)
# Sizes of small eigenvalues about a drop of the rank.
VANISHING = (1e-12, 1e-24)
NEW = "The claim was added after a fourth review: stable ranks were compared, and no errors."


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges the gain near low rank, then continuity at a drop of the rank."""
    known = len(rows(evidence, spectra.ARTEFACT, series=spectra.GAIN)) > 0
    yield _near_low_rank(known)
    yield from _continuous(known)


def _near_low_rank(known: bool) -> Claim:
    """Judges the gain as the small eigenvalues fall, over that of equal ones, so that d_eff alone makes it.

    Args:
        known: whether the artefact's table is there, without which none of its claims is judged.
    """
    d, rank, eta = NEAR_LOW_RANK
    levels_at = {
        delta: spectra.Levels(np.array([1.0, delta]), np.array([rank, d - rank], float)) for delta in (1.0, *SMALLEST)
    }
    gains = {delta: spectra.gain(levels, eta * levels.trace) for delta, levels in levels_at.items()}
    told = ", ".join(f"{gains[delta]:.3g} at d_eff = {levels.trace:.3g}" for delta, levels in levels_at.items())
    return claim_on_all_cells(
        id="near-low-rank", artefact=spectra.ARTEFACT, location="Table 1, caption, Sec. 2.2", kind="text", source="paper",
        statement="Noisy-FTRL is significantly better than Noisy-SGD when the effective dimension is small, e.g. when H is close to low rank",
        quantity=f"exact gain of nu-Noisy-FTRL over Noisy-SGD for {rank} eigenvalues 1 and {d - rank} of delta, eta = {eta:g}, over that at delta = 1: the smallest over delta",
        cells={f"delta = {delta:g}": exactly(gains[delta] / gains[1.0]) for delta in SMALLEST} if known else {},
        criterion=at_least(criteria.SIGNIFICANT, ": significantly more than for equal eigenvalues"),
        changed="The claim was added after a review, with the gains known.",
        note=f"gains {told}; below delta = 0.001 d_eff hardly falls and log^2(1/(eta mu)) grows, so that the gain falls again",
    )  # fmt: skip


def _continuous(known: bool) -> Iterator[Claim]:
    """Judges the errors where the rank drops: the small eigenvalues are next to zero, or are not there."""
    d, rank, eta = NEAR_LOW_RANK
    near, far = (spectra.Levels(np.array([1.0, delta]), np.array([rank, d - rank], float)) for delta in VANISHING)
    dropped = spectra.Levels(np.ones(1), np.array([float(rank)]))
    nu = eta * VANISHING[0]
    grown = spectra.noise_of(far, eta, eta * VANISHING[1]) / spectra.noise_of(near, eta, nu)
    words = f"{d - rank} of {d} eigenvalues at {VANISHING[0]:g}, over that without them, the others 1, eta = {eta:g}"
    yield claim(
        id="stable-rank-ftrl", artefact=spectra.ARTEFACT, location="Sec. 2.2, App. C.6", kind="text", source="paper",
        statement="the error of nu-Noisy-FTRL depends on the stable rank of the root of H, which is continuous, rather than on the rank, which is not",
        quantity=f"exact F_inf, {words}, at one nu, eta times the smallest", criterion=within_of(1.0, criteria.EQUAL),
        measured=exactly(spectra.noise_of(near, eta, nu) / spectra.noise_of(dropped, eta, nu)) if known else NOTHING, changed=NEW,
        note=f"continuous at a given nu; where nu = eta mu is moved too it grows by {grown:.3g} as the eigenvalues fall from {VANISHING[0]:g} to {VANISHING[1]:g}, like the logarithm of 1/nu, of which the theorem allows the square",
    )  # fmt: skip
    independent = laws.noisy_sgd(RegressionProblem(np.repeat(near.lam, near.copies.astype(int)), eta, 1.0))
    without = laws.noisy_sgd(RegressionProblem(np.ones(rank), eta, 1.0))
    yield claim(
        id="stable-rank-sgd", artefact=spectra.ARTEFACT, location="Sec. 2.2, App. C.6", kind="text", source="paper",
        statement="the error of Noisy-SGD does not have this property: it depends on the rank",
        quantity=f"exact F_inf, {words}", measured=exactly(independent / without) if known else NOTHING,
        criterion=at_least(criteria.SIGNIFICANT), changed=NEW, note=f"ranks {d} and {rank}",
    )  # fmt: skip
