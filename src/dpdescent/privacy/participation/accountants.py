"""Accountants of batches and correlated noise, by name: each finds a noise multiplier and the status of its guarantee.

| name | source | relation | sampler |
|---|---|---|---|
| F12x8, F12x2 | wang2026 Thm. F.12 as published, and with the factor that its proof gives | zero-out | fixed size |
| tail, mixture | proof of Thm. F.12 with exact terms, split at k or averaged over k | zero-out | fixed size |
| D9 | wang2026 Thm. D.9, lam = 0 | replace-one | fixed size |
| RDP19 | wang2026 eq. (19), lam = 0 | replace-one | fixed size |
| WOR | dominating pair of sampling without replacement, lam = 0 | replace-one | fixed size |
| F8 | wang2026 Thm. F.8 | zero-out | Poisson |
| bnb | balls in bins | zero-out | balls in bins |
| worst bin | balls in bins, without amplification | zero-out | balls in bins |
| cyclic | known batches in a fixed order | zero-out | fixed order |

F12, tail and mixture hold for any sampler with independent steps. F8 is an estimate for lam > 0, and bnb always is; at
lam = 0 F8 is the tight accountant of Poisson samples, rounded up.

`worst bin` is proved, and has the same multiplier as `cyclic`. A record of balls in bins stays in the bin that it
chose, so that it takes part in every b-th step, as in a fixed order. Bins are chosen without a look at the records and
have the same law for neighbours. Given all bins, the run is one Gaussian release, whose sensitivity is the norm of `C
y_j`, and delta is at most the mean over the bins (joint convexity; wang2026 Lemma F.9). That norm is largest for the
first bin, because C has no negative entry and the pattern of a later bin is the pattern of the first one, shifted and
cut off.
"""

import math
from collections.abc import Callable, Iterable
from functools import cache
from itertools import product

import numpy as np

from dpdescent.checks import require_positive
from dpdescent.privacy import zcdp
from dpdescent.privacy.events import Relation, Sampler
from dpdescent.privacy.participation import closed_forms, fixed_size, gaussian, pairs, renyi, tail
from dpdescent.privacy.participation.bins import BinnedPair
from dpdescent.privacy.participation.calibration import Calibrated, Calibration
from dpdescent.privacy.participation.encoder import cyclic_norm_squared, require_steps
from dpdescent.privacy.participation.pairs import SampledPair
from dpdescent.privacy.participation.search import first_below

Find = Callable[[float, float], Calibrated]

NAMES = ("F12x8", "F12x2", "D9", "RDP19", "WOR", "tail", "mixture", "F8", "bnb", "worst bin", "cyclic")
# Accountants that need random outputs, except at lam = 0.
ESTIMATED = ("F8", "bnb")


def calibrate(
    name: str, *, T: int, rate: float, lam: float, eps: float, delta: float, draws: int = 0,
    rng: np.random.Generator | None = None,
) -> Calibrated:  # fmt: skip
    """The noise multiplier of an accountant for one eps and one delta; arguments and errors as for `calibrate_many`."""
    calibrated = calibrate_many(name, T=T, rate=rate, lam=lam, eps=[eps], delta=[delta], draws=draws, rng=rng)
    return calibrated[eps, delta]


def calibrate_many(
    name: str, *, T: int, rate: float, lam: float, eps: Iterable[float], delta: Iterable[float], draws: int = 0,
    rng: np.random.Generator | None = None,
) -> dict[tuple[float, float], Calibrated]:  # fmt: skip
    """Noise multipliers of an accountant for every eps and delta, from the same random outputs.

    The result for one (eps, delta) does not depend on the others in the call.

    Args:
        name: one of `NAMES`.
        T: number of steps.
        rate: sampling rate r = B/n; the reciprocal of a whole number for `bnb`, `worst bin` and `cyclic`.
        lam: correlation, in [0, 1); 0 for `D9`, `RDP19` and `WOR`.
        eps: values of epsilon, positive.
        delta: values of delta, in (0, 1).
        draws: number of random outputs, for `ESTIMATED`.
        rng: generator of the random outputs, for `ESTIMATED`.

    Raises:
        ValueError: if an argument is out of its range, or a multiplier lies at the edge of the searched range.
    """
    require_steps(T, rate, lam)
    find = _finder(name, T, rate, lam, draws, rng)
    return {(e, d): find(e, d) for e, d in product(list(eps), list(delta))}


def period_of(rate: float) -> int:
    """Number b = 1/r of batches that are visited in turn.

    Raises:
        ValueError: if 1/r is not a whole number.
    """
    period = round(1.0 / rate)
    if not math.isclose(period * rate, 1.0, rel_tol=1e-9):
        raise ValueError(f"rate={rate} is no reciprocal of a whole number, which batches visited in turn need")
    return period


def _finder(name: str, T: int, rate: float, lam: float, draws: int, rng: np.random.Generator | None) -> Find:
    """The function of the named accountant that finds a multiplier."""
    if name in ("F12x8", "F12x2"):
        return _closed_form(T, rate, lam, 8.0 if name == "F12x8" else 2.0)
    if name in ("tail", "mixture"):
        return _conditional(T, rate, lam, "tail" if name == "tail" else "mixture")
    if name in ("D9", "RDP19", "WOR"):
        if lam != 0.0:
            raise ValueError(f"lam={lam} must be 0 for {name}, which is for independent noise")
        return _independent(name, T, rate)
    if name in ("cyclic", "worst bin"):
        return _cyclic(T, period_of(rate), lam, "fixed order" if name == "cyclic" else "balls in bins")
    if name == "F8" and lam == 0.0:
        return _tight(T, rate)
    if name in ESTIMATED:
        if rng is None or draws < 2:
            raise ValueError(f"draws={draws} and rng={rng}: {name} needs random outputs, give 2 draws at least and rng")
        return _sampled(T, rate, lam, draws, rng) if name == "F8" else _binned(T, period_of(rate), lam, draws, rng)
    raise ValueError(f"name={name!r} is none of {list(NAMES)}")


def _closed_form(T: int, rate: float, lam: float, factor: float) -> Find:
    """Finder by the formula of wang2026 Theorem F.12, with the given factor."""

    def find(eps: float, delta: float) -> Calibrated:
        kappa = closed_forms.correlated_multiplier(T, rate, lam, eps, delta, factor)
        met = closed_forms.correlated_precondition(T, rate, eps, delta)
        # delta from an accountant that also holds outside the range of the theorem.
        attained = tail.delta(kappa, eps, T, rate, lam)
        return _fixed_size(kappa, attained, "zero-out", met, "met" if met else "not met")

    return find


def _conditional(T: int, rate: float, lam: float, rule: tail.Rule) -> Find:
    """Finder by the proof of wang2026 Theorem F.12 with exact terms."""

    def find(eps: float, delta: float) -> Calibrated:
        kappa = tail.multiplier(eps, delta, T, rate, lam, rule=rule)
        return _fixed_size(kappa, tail.delta(kappa, eps, T, rate, lam, rule=rule), "zero-out", True)

    return find


def _independent(name: str, T: int, rate: float) -> Find:
    """Finder of an accountant for independent noise on batches of fixed size."""

    def find(eps: float, delta: float) -> Calibrated:
        if name == "WOR":
            kappa = fixed_size.multiplier(eps, T, rate, delta)
            return _fixed_size(kappa, fixed_size.delta(kappa, T, rate, eps), "replace-one", True)
        if name == "D9":
            # Counts as not proved, because its proof needs large noise, which the theorem does not state.
            kappa = closed_forms.independent_multiplier(T, rate, eps, delta)
        else:
            kappa = renyi.multiplier(eps, T, rate, delta)
        return _fixed_size(kappa, math.nan, "replace-one", name == "RDP19")

    return find


def _cyclic(T: int, period: int, lam: float, sampler: Sampler) -> Find:
    """Finder for batches that are visited in turn."""
    norm = math.sqrt(cyclic_norm_squared(T, period, lam))

    def find(eps: float, delta: float) -> Calibrated:
        kappa = tail.cyclic_multiplier(eps, delta, T, period, lam)
        return Calibrated(kappa, float(gaussian.delta(norm / kappa, eps)), 0.0, "zero-out", sampler, True, "none")

    return find


def _tight(T: int, rate: float) -> Find:
    """Finder by the tight accountant of Poisson samples, for independent noise."""

    def find(eps: float, delta: float) -> Calibrated:
        zcdp.require_delta(delta)
        require_positive(eps=eps)
        attained = cache(lambda kappa: pairs.independent_delta(kappa, eps, T, rate, "up"))
        # Not `sampling.noise_multiplier`, because its finer grid takes ten times as long and is no tighter.
        kappa = first_below(attained, delta, 1e-5)
        return Calibrated(kappa, attained(kappa), 0.0, "zero-out", "Poisson", True, "none")

    return find


def _sampled(T: int, rate: float, lam: float, draws: int, rng: np.random.Generator) -> Find:
    """Finder by Monte Carlo for Poisson samples."""
    calibration = Calibration(SampledPair.draw(T, rate, lam, draws, rng))

    def find(eps: float, delta: float) -> Calibrated:
        unamplified = tail.multiplier(eps, delta, T, rate, lam, rule="mixture")
        return _estimated(calibration, eps, delta, unamplified, "Poisson")

    return find


def _binned(T: int, period: int, lam: float, draws: int, rng: np.random.Generator) -> Find:
    """Finder by Monte Carlo for balls in bins."""
    calibration = Calibration(BinnedPair.draw(T, period, lam, draws, rng))

    def find(eps: float, delta: float) -> Calibrated:
        unamplified = tail.cyclic_multiplier(eps, delta, T, period, lam)
        return _estimated(calibration, eps, delta, unamplified, "balls in bins")

    return find


def _estimated(
    calibration: Calibration, eps: float, delta: float, unamplified: float, sampler: Sampler
) -> Calibrated:  # fmt: skip
    kappa, there = calibration.multiplier(eps, delta, unamplified)
    return Calibrated(kappa, there.value, there.standard_error, "zero-out", sampler, False, "none")


def _fixed_size(
    kappa: float, attained: float, relation: Relation, proved: bool, precondition: str = "none"
) -> Calibrated:  # fmt: skip
    return Calibrated(kappa, attained, 0.0, relation, "fixed size", proved, precondition)
