"""Settings of runs on shuffled records (varshney2022 Algorithms 1 and 2), and the releases of such runs."""

import math
from dataclasses import dataclass, replace

from dpdescent.algorithms.dp_stat import Search
from dpdescent.checks import require_non_negative, require_positive
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.privacy.events import DisjointReleases, GaussianReleases, Release, ShuffledGaussianReleases


@dataclass(frozen=True)
class Fixed:
    """A clipping threshold that is fixed beforehand.

    Attributes:
        threshold: zeta, bound on the norm of a record's gradient; inf only without noise.
        clips: whether gradients are clipped; if not, the threshold only scales the noise.
    """

    threshold: float
    clips: bool = True

    def __post_init__(self) -> None:
        require_positive(threshold=self.threshold)


@dataclass(frozen=True)
class Adaptive:
    """A clipping threshold zeta_t = scale gamma_t, with gamma_t from DP-STAT on the batch's first s records.

    Attributes:
        search: settings of DP-STAT.
        stat_size: s, number of DP-STAT's records.
        scale: factor that turns a residual into the norm of a gradient, R_x log^a N.
        overlap: whether DP-STAT also sees the first record of the gradient, as published (i = tau..tau+s); that record
            then takes part in both releases.
        shared: whether the gradient uses all records of the batch, including those of DP-STAT: DP-GD with adaptive
            clipping.
    """

    search: Search
    stat_size: int
    scale: float
    overlap: bool = False
    shared: bool = False

    def __post_init__(self) -> None:
        require_positive(stat_size=self.stat_size, scale=self.scale)
        if math.isinf(self.scale):
            raise ValueError(f"scale={self.scale} must be finite")
        if self.overlap and self.shared:
            raise ValueError("overlap=True and shared=True: slices overlap by one record or in all of DP-STAT's")

    @property
    def seen(self) -> int:
        """Number of records that DP-STAT sees."""
        return self.stat_size + self.overlap


@dataclass(frozen=True)
class SGDArm:
    """Settings of one run.

    Attributes:
        eta: step size.
        noise_multiplier: alpha, sd of the noise divided by the sensitivity 2 zeta / b of the mean clipped gradient; 0
            means no noise.
        clipping: source of the clipping threshold zeta.
        label: column of the labels.

    Raises:
        ValueError: if a value is out of its range, or there is noise for an infinite threshold.
    """

    eta: float
    noise_multiplier: float
    clipping: Fixed | Adaptive
    label: int = 0

    def __post_init__(self) -> None:
        require_positive(eta=self.eta)
        require_non_negative(noise_multiplier=self.noise_multiplier, label=self.label)
        if math.isinf(self.noise_multiplier) or math.isinf(self.eta):
            raise ValueError(f"eta={self.eta} and noise_multiplier={self.noise_multiplier} must be finite")
        if isinstance(self.clipping, Fixed) and math.isinf(self.clipping.threshold) and self.noise_multiplier > 0:
            raise ValueError(
                f"threshold=inf with noise_multiplier={self.noise_multiplier}: no noise fits an infinite threshold; "
                "take a finite one (clips=False for no clipping), or noise_multiplier=0"
            )

    @property
    def clips(self) -> bool:
        """Whether gradients are clipped."""
        return self.clipping.clips if isinstance(self.clipping, Fixed) else True

    @property
    def withheld(self) -> int:
        """Number of records at the start of a batch that the gradient does not use: s, unless they are shared."""
        return self.clipping.stat_size if isinstance(self.clipping, Adaptive) and not self.clipping.shared else 0

    def gradient_size(self, m: int) -> int:
        """Number b of records that the gradient uses in a batch of m.

        Raises:
            ValueError: if b would be zero, or DP-STAT would see more records than there are.
        """
        seen = self.clipping.seen if isinstance(self.clipping, Adaptive) else 0
        if max(self.withheld + 1, seen) > m:
            raise ValueError(
                f"stat_size={seen} leaves no record of a batch of {m} to the gradient, or exceeds it: take fewer, or "
                "larger batches"
            )
        return m - self.withheld

    def releases(self, batch_size: int, times: int = 1) -> tuple[Release, ...]:
        """Releases of varshney2022 Algorithm 2 in which one record takes part, under replace-one.

        Args:
            batch_size: m, the number of records per batch.
            times: number of batches with the same record: 1 in a single pass, T where every batch is the whole data
                set.

        Raises:
            ValueError: if nothing is clipped, so that no noise hides a record, or the batch is too small.
        """
        b = self.gradient_size(batch_size)
        if isinstance(self.clipping, Fixed):
            return (self._gradient_release(self._clipped_at(), b, times),)
        search = self.clipping.search.release()
        stat, gradient = replace(search, count=search.count * times), self._gradient_release(1.0, b, times)
        # Measured in units of the threshold, because that is public once DP-STAT has released it.
        gradient = replace(gradient, what="mean of clipped gradients, in units of the threshold")
        if self.clipping.shared:
            return stat, gradient
        return (DisjointReleases(((stat, gradient),) if self.clipping.overlap else ((stat,), (gradient,))),)

    def shuffled_releases(self, records: int) -> ShuffledGaussianReleases:
        """Releases of varshney2022 Algorithm 1 (`dp_ssgd`) on N records in a secret order, under replace-one.

        Raises:
            ValueError: if the threshold is adaptive or nothing is clipped.
        """
        sensitivity = mean_sensitivity(self._clipped_at(), 1)
        noise_sd = self.noise_sd(sensitivity / 2.0, 1)
        return ShuffledGaussianReleases("clipped gradient of one record", sensitivity, noise_sd, records)

    def fixed_threshold(self) -> float:
        """Clipping threshold zeta of an arm with a fixed threshold.

        Raises:
            ValueError: if the threshold is adaptive.
        """
        if isinstance(self.clipping, Adaptive):
            raise ValueError("Algorithm 1 takes one record a step and has no records for DP-STAT: use Fixed(threshold)")
        return self.clipping.threshold

    def _clipped_at(self) -> float:
        """The fixed threshold, after a check that it clips."""
        threshold = self.fixed_threshold()
        if not self.clips or math.isinf(threshold):
            raise ValueError("nothing is clipped: a release of unbounded sensitivity is not private")
        return threshold

    def noise_sd(self, threshold: float, b: int) -> float:
        """Noise sd of a coordinate of the mean of b gradients, 2 alpha zeta / b; 0 without noise."""
        return self.noise_multiplier * mean_sensitivity(threshold, b) if self.noise_multiplier else 0.0

    def _gradient_release(self, threshold: float, b: int, times: int) -> GaussianReleases:
        sensitivity, noise_sd = mean_sensitivity(threshold, b), self.noise_sd(threshold, b)
        return GaussianReleases("mean of clipped gradients", sensitivity, noise_sd, times)
