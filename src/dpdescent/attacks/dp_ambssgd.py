"""Attacks on descent with fixed thresholds or DP-STAT's (varshney2022 Algorithm 2, and DP-GD with DP-STAT).

All other records lie at the origin, so that their residuals and gradients are 0. The differing record has one of two
forms: a residual below all thresholds of DP-STAT and a clipped gradient of +zeta, or a residual above all thresholds
and a clipped gradient of -zeta. R_x is so small that even the former gradient is clipped, and that the iterates never
move a residual across a threshold.

In a single pass a record is in one iteration, and all later releases depend only on the releases of that iteration and
on records that are the same. So one iteration is attacked. The attack knows which one it is, and the place of the
record in it. The permutation of the records is drawn independently of them, hence the same for neighbours, and the
guarantee, by parallel composition, holds given the permutation. So this knowledge can only help the attack.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpdescent.algorithms import dp_ambssgd
from dpdescent.attacks.dp_stat import FAR, LARGEST, Overheard
from dpdescent.checks import require_known
from dpdescent.privacy.audit.attack import Array, Attack
from dpdescent.privacy.audit.gaussian import mu_of_shifts
from dpdescent.privacy.clipping import mean_sensitivity

Place = Literal["gradient", "statistic", "both"]

# Numbers of records of the statistic and of the gradient; few suffice, because noise is in units of the sensitivity.
S, B = 2, 2

# Largest numbers of runs: with DP-STAT's threshold a run takes 30 microseconds per step, with a fixed one 6.
MOST_RUNS, MOST_FIXED_RUNS = 60_000, 200_000


@dataclass(frozen=True)
class _Releases:
    """Releases of a run's iterations that distinguish neighbouring data sets.

    Attributes:
        arm: settings of the run; an adaptive one has an `Overheard` as its search.
        steps: number of steps T, all on the same batch.
        size: number of records per batch.
        place: index of the differing record.
        counted, clipped: whether DP-STAT uses this record, and whether the gradient does.
    """

    arm: dp_ambssgd.SGDArm
    steps: int
    size: int
    place: int
    counted: bool
    clipped: bool

    def batch(self, label: float) -> dp_ambssgd.Batch:
        """A batch of records at the origin, except one with x = 1 and the given label."""
        X, Y = np.zeros((self.size, 1)), np.zeros((self.size, 1))
        X[self.place], Y[self.place] = 1.0, label
        return X, Y

    @property
    def search(self) -> Overheard | None:
        """The search of DP-STAT in an adaptive arm; None for a fixed threshold."""
        clipping = self.arm.clipping
        if not isinstance(clipping, dp_ambssgd.Adaptive):
            return None
        assert isinstance(clipping.search, Overheard)
        return clipping.search

    @property
    def gradient_shift(self) -> tuple[float, float]:
        """Shift of the mean clipped gradient between neighbours, and its noise sd, in units of the threshold."""
        b = self.arm.gradient_size(self.size)
        return mean_sensitivity(1.0, b), self.arm.noise_sd(1.0, b)

    def seen(self, label: float, runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Noisy mean gradients divided by zeta_t, shape (T, runs), and noisy counts, shape (T, runs, L)."""
        levels = self.search.levels if self.search else 0
        normals = dp_ambssgd.Normals(
            rng.standard_normal((self.steps, runs, 1)), rng.standard_normal((self.steps, runs, levels))
        )
        results = dp_ambssgd.descend([self.batch(label)] * self.steps, [self.arm] * runs, normals, 1.0)
        gradients = -np.diff(results.path[:, :, 0], axis=0) / (self.arm.eta * results.thresholds)
        counts = self.search.take() if self.search else normals.counts
        return gradients, counts.reshape(self.steps, runs, levels)

    def score(self, label: float, runs: int, rng: np.random.Generator) -> Array:
        """Log likelihood ratio, up to constants, shape (runs,); counts and gradients are lower if the record is far."""
        gradients, counts = self.seen(label, runs, rng)
        score = np.zeros(runs)
        if self.clipped:
            shift, noise_sd = self.gradient_shift
            score -= shift / noise_sd**2 * gradients.sum(axis=0)
        if self.counted and self.search:
            score -= counts.sum(axis=(0, 2)) / self.search.noise_sd**2
        return score

    @property
    def mu(self) -> float:
        """Gaussian-DP parameter of the pair."""
        shifts: list[tuple[float, float]] = []
        if self.clipped:
            shifts += [self.gradient_shift] * self.steps
        if self.counted and self.search:
            shifts += [(1.0, self.search.noise_sd)] * (self.search.levels * self.steps)
        sizes, noise_sds = np.array(shifts).T
        return mu_of_shifts(sizes, noise_sds)

    def attack(self, labels: Sequence[float], pair: str, most_runs: int) -> Attack:
        """The attack that distinguishes the two labels of the record."""

        def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
            first, second = (self.score(label, runs, rng) for label in labels)
            return first, second

        return Attack(f"{pair}; score: their likelihood ratio", simulate, mu=self.mu, most_runs=most_runs)


def mini_batch(place: str, mu: float, levels: int) -> Attack:
    """Attack on one iteration of DP-AMBSSGD, with noise for `mu` in all releases in which the record takes part.

    Args:
        place: use of the record: in the `gradient`, in the `statistic`, or in `both`, which occurs only with the
            published, overlapping ranges of indices.
        mu: 1/alpha, or sqrt(2)/alpha for `both`.
        levels: L, the number of DP-STAT's counts.

    Raises:
        ValueError: if the place is not one of the three.
    """
    releases = iteration(place, mu, levels)
    ranges = " (the printed ranges of indices overlap)" if place == "both" else ""
    where = {"both": f"in the statistic and in the gradient{ranges}"}.get(place, f"in the {place} alone")
    effect = {
        "gradient": "its clipped gradient is +zeta or -zeta", "statistic": f"it moves each of the {levels} counts by 1",
        "both": f"it moves each of the {levels} counts by 1, and its clipped gradient is +zeta or -zeta",
    }[place]  # fmt: skip
    return releases.attack(
        _labels(levels),
        f"one iteration, {S} records of the statistic and {B} of the gradient, all at the origin but one {where}, x = "
        f"1, with a residual below all thresholds or above them: {effect}; its place in the permutation is known; "
        "noisy counts and gradient are seen",
        MOST_RUNS,
    )


def iteration(place: str, mu: float, levels: int) -> _Releases:
    """Releases of one iteration of DP-AMBSSGD; arguments as for `mini_batch`."""
    require_known(Place, place=place)
    both = place == "both"
    alpha = (2.0**0.5 if both else 1.0) / mu
    search = Overheard(LARGEST, levels, alpha, rule="as published" if both else "corrected")
    arm = dp_ambssgd.SGDArm(1.0, alpha, dp_ambssgd.Adaptive(search, S, _scale(levels), overlap=both))
    # The record is the first of the gradient's slice, because an overlap would count that record.
    return _Releases(arm, 1, S + B, 0 if place == "statistic" else S, place != "gradient", place != "statistic")


def fixed_clip(mu: float) -> Attack:
    """Attack on one batch of a single pass with a fixed threshold: a record's clipped gradient flips its sign."""
    releases = _Releases(dp_ambssgd.SGDArm(1.0, 1.0 / mu, dp_ambssgd.Fixed(LARGEST)), 1, B, 0, False, True)
    return releases.attack(
        (-FAR, FAR),
        f"one batch of {B} records, one at the origin, the other x = 1 with y = -{FAR:g} or {FAR:g}: its clipped "
        "gradient is +zeta or -zeta; its place in the permutation is known",
        MOST_FIXED_RUNS,
    )


def adaptive_descent(T: int, mu: float, share: float, levels: int) -> Attack:
    """Attack on DP-GD with DP-STAT's threshold: a record moves all counts and flips its gradient in each of T steps.

    Args:
        T: number of iterations.
        mu: Gaussian-DP parameter of the whole run.
        share: share of the zCDP budget for DP-STAT, in (0, 1).
        levels: L, the number of DP-STAT's counts.
    """
    return full_batch(T, mu, share, levels).attack(
        _labels(levels),
        f"{B} records, one at the origin, the other x = 1 with a residual below all thresholds or above them: in each "
        f"of {T} steps, noise set for all of the run's mu in these, it moves all {levels} counts by 1, and its clipped "
        "gradient is +zeta or -zeta; noisy counts and gradients are seen",
        max(1, MOST_RUNS // T),
    )


def full_batch(T: int, mu: float, share: float, levels: int) -> _Releases:
    """Releases of DP-GD with DP-STAT's threshold; arguments as for `adaptive_descent`."""
    if not 0.0 < share < 1.0:
        raise ValueError(f"share={share} of the budget must lie strictly between 0 and 1")
    search = Overheard(LARGEST, levels, (T / share) ** 0.5 / mu)
    clipping = dp_ambssgd.Adaptive(search, B, _scale(levels), shared=True)
    arm = dp_ambssgd.SGDArm(1.0, (T / (1.0 - share)) ** 0.5 / mu, clipping)
    return _Releases(arm, T, B, 0, True, True)


def _labels(levels: int) -> tuple[float, float]:
    """Labels whose residuals at w = 0 are half the smallest threshold (positive gradient) and above the largest."""
    return -0.5 * LARGEST * 2.0**-levels, FAR


def _scale(levels: int) -> float:
    """Scale R_x log^a N, so small that 2^40 of the largest clipped gradients add up to the smallest threshold."""
    return float(2.0 ** -(levels + 40))
