"""Descent with a threshold of its own or DP-STAT's under attack (varshney2022 Algorithm 2, and DP-GD with DP-STAT).

All other records lie at the origin, so that their residuals and gradients are 0. The one that differs has a residual
below all thresholds of DP-STAT, and then a gradient +zeta after clipping, or one above all of them and -zeta. R_x is so
small that even the former is clipped, and that the iterates never move a residual across a threshold.

In a single pass a record is in one iteration, and all that is released later is computed from what was released there
and from records that are the same: one iteration is attacked. Which one it is, and where in it the record stands, is
known to the attack. The permutation of the records is drawn independently of them, hence the same for neighbours, and
the guarantee, by parallel composition, holds given the permutation: to know it can only help the attack.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from dpdescent.algorithms import dp_ambssgd
from dpdescent.attacks.dp_stat import FAR, LARGEST, Overheard
from dpdescent.privacy.audit.attack import Array, Attack
from dpdescent.privacy.audit.gaussian import mu_of_shifts
from dpdescent.privacy.clipping import mean_sensitivity

Place = Literal["gradient", "statistic", "both"]

# Records of the statistic and of the gradient: the noise is set in units of the sensitivity, so few stand for any.
S, B = 2, 2

# Runs with a threshold of DP-STAT's cost 30 microseconds a step, those with a fixed one 6.
MOST_RUNS, MOST_FIXED_RUNS = 60_000, 200_000


@dataclass(frozen=True)
class _Releases:
    """What of a run's iterations tells the neighbours apart.

    Attributes:
        arm: settings of the run; of an adaptive one the search is `Overheard`.
        steps: T, every one of them on the same batch.
        size: number of records of a batch.
        place: of the record that differs.
        counted, clipped: whether it is seen by DP-STAT, and whether by the gradient.
    """

    arm: dp_ambssgd.SGDArm
    steps: int
    size: int
    place: int
    counted: bool
    clipped: bool

    def batch(self, label: float) -> dp_ambssgd.Batch:
        """Records at the origin, but for one with x = 1 and the given label."""
        X, Y = np.zeros((self.size, 1)), np.zeros((self.size, 1))
        X[self.place], Y[self.place] = 1.0, label
        return X, Y

    @property
    def search(self) -> Overheard | None:
        """DP-STAT of an adaptive arm."""
        clipping = self.arm.clipping
        if not isinstance(clipping, dp_ambssgd.Adaptive):
            return None
        assert isinstance(clipping.search, Overheard)
        return clipping.search

    @property
    def gradient_shift(self) -> tuple[float, float]:
        """How far the mean clipped gradient moves, and the sd of its noise, both in units of the threshold."""
        b = self.arm.gradient_size(self.size)
        return mean_sensitivity(1.0, b), self.arm.noise_sd(1.0, b)

    def seen(self, label: float, runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Noisy mean gradients over zeta_t, shape (T, runs), and noisy counts, shape (T, runs, L)."""
        levels = self.search.levels if self.search else 0
        normals = dp_ambssgd.Normals(
            rng.standard_normal((self.steps, runs, 1)), rng.standard_normal((self.steps, runs, levels))
        )
        found = dp_ambssgd.descend([self.batch(label)] * self.steps, [self.arm] * runs, normals, 1.0)
        gradients = -np.diff(found.path[:, :, 0], axis=0) / (self.arm.eta * found.thresholds)
        counts = self.search.take() if self.search else normals.counts
        return gradients, counts.reshape(self.steps, runs, levels)

    def score(self, label: float, runs: int, rng: np.random.Generator) -> Array:
        """Logarithm of the likelihood ratio, up to constants, shape (runs,): counts and gradients fall if it is far."""
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
        moved, noise_sds = np.array(shifts).T
        return mu_of_shifts(moved, noise_sds)

    def attack(self, labels: Sequence[float], pair: str, most_runs: int) -> Attack:
        """The attack on the two labels of the record."""

        def simulate(runs: int, rng: np.random.Generator) -> tuple[Array, Array]:
            first, second = (self.score(label, runs, rng) for label in labels)
            return first, second

        return Attack(f"{pair}; score: their likelihood ratio", simulate, mu=self.mu, most_runs=most_runs)


def mini_batch(place: str, mu: float, levels: int) -> Attack:
    """One iteration of DP-AMBSSGD, with noise for `mu` in all that the record meets.

    Args:
        place: of the record: the `gradient`, the `statistic`, or `both`, which there is with the printed, overlapping
            ranges of indices only.
        mu: 1/alpha, or sqrt(2)/alpha of `both`.
        levels: L.

    Raises:
        ValueError: if the place is none of the three.
    """
    releases = iteration(place, mu, levels)
    ranges = " (the printed ranges of indices overlap)" if place == "both" else ""
    where = {"both": f"in the statistic and in the gradient{ranges}"}.get(place, f"in the {place} alone")
    told = {
        "gradient": "its clipped gradient is +zeta or -zeta", "statistic": f"it moves each of the {levels} counts by 1",
        "both": f"it moves each of the {levels} counts by 1, and its clipped gradient is +zeta or -zeta",
    }[place]  # fmt: skip
    return releases.attack(
        _labels(levels),
        f"one iteration, {S} records of the statistic and {B} of the gradient, all at the origin but one {where}, x = "
        f"1, with a residual below all thresholds or above them: {told}; its place in the permutation is known; "
        "noisy counts and gradient are seen",
        MOST_RUNS,
    )


def iteration(place: str, mu: float, levels: int) -> _Releases:
    """What an iteration of DP-AMBSSGD releases of the record. Arguments as of `lambda_cgd`."""
    if place not in get_args(Place):
        raise ValueError(f"place={place!r} must be one of {get_args(Place)}")
    both = place == "both"
    alpha = (2.0**0.5 if both else 1.0) / mu
    search = Overheard(LARGEST, levels, alpha, rule="as published" if both else "corrected")
    arm = dp_ambssgd.SGDArm(1.0, alpha, dp_ambssgd.Adaptive(search, S, _scale(levels), overlap=both))
    # The first record of the gradient's slice is the one that an overlap would count.
    return _Releases(arm, 1, S + B, 0 if place == "statistic" else S, place != "gradient", place != "statistic")


def fixed_clip(mu: float) -> Attack:
    """One batch of a single pass with a fixed threshold: a record whose clipped gradient flips its sign."""
    releases = _Releases(dp_ambssgd.SGDArm(1.0, 1.0 / mu, dp_ambssgd.Fixed(LARGEST)), 1, B, 0, False, True)
    return releases.attack(
        (-FAR, FAR),
        f"one batch of {B} records, one at the origin, the other x = 1 with y = -{FAR:g} or {FAR:g}: its clipped "
        "gradient is +zeta or -zeta; its place in the permutation is known",
        MOST_FIXED_RUNS,
    )


def adaptive_descent(T: int, mu: float, share: float, levels: int) -> Attack:
    """DP-GD with DP-STAT's threshold: a record that moves all counts and flips its gradient in each of T steps.

    Args:
        T: number of iterations.
        mu: of the whole run.
        share: of the zCDP budget that goes to DP-STAT, in (0, 1).
        levels: L.
    """
    return full_batch(T, mu, share, levels).attack(
        _labels(levels),
        f"{B} records, one at the origin, the other x = 1 with a residual below all thresholds or above them: in each "
        f"of {T} steps, noise set for all of the run's mu in these, it moves all {levels} counts by 1, and its clipped "
        "gradient is +zeta or -zeta; noisy counts and gradients are seen",
        max(1, MOST_RUNS // T),
    )


def full_batch(T: int, mu: float, share: float, levels: int) -> _Releases:
    """What DP-GD with DP-STAT's threshold releases of the record. Arguments as of `adaptive_descent`."""
    if not 0.0 < share < 1.0:
        raise ValueError(f"share={share} of the budget must lie strictly between 0 and 1")
    search = Overheard(LARGEST, levels, (T / share) ** 0.5 / mu)
    clipping = dp_ambssgd.Adaptive(search, B, _scale(levels), shared=True)
    arm = dp_ambssgd.SGDArm(1.0, (T / (1.0 - share)) ** 0.5 / mu, clipping)
    return _Releases(arm, T, B, 0, True, True)


def _labels(levels: int) -> tuple[float, float]:
    """At w = 0: a residual of half the smallest threshold, whose gradient is positive, and one above the largest."""
    return -0.5 * LARGEST * 2.0**-levels, FAR


def _scale(levels: int) -> float:
    """R_x log^a N, so small that 2^40 of the largest clipped gradients make up the smallest threshold."""
    return float(2.0 ** -(levels + 40))
