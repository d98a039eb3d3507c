"""What the noise multiplier of Theorem 5.4 (D.9) guarantees: by eq. (19), and in the regime of Corollary 5.5."""

import math
from collections.abc import Iterator

from dpdescent.checks import as_list
from dpdescent.papers.wang2026.design import Row, Spec
from dpdescent.privacy.participation import fixed_size, renyi
from dpdescent.privacy.participation.closed_forms import independent_multiplier
from dpdescent.privacy.participation.pairs import independent_delta
from dpdescent.privacy.participation.search import smallest

RENYI = "eq. (19) at D.9's multiplier"
# Noise so large that eq. (19) falls no further, because its terms from the third on do not vanish with the noise.
FLOOR, ENDLESS = "eq. (19) without end of noise", 1e6
# The smallest epsilon that a proof gives, and one that a pair of data sets attains: between them lies the truth.
PROVED, LEAST = "dominating pair", "attained epsilon"
ATTAINED, TARGET, REPAIRED = "attained delta", "target delta", "repaired"


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel.

    Raises:
        ValueError: if there is no such panel.
    """
    if spec["trials"][0] > 0:
        return
    panels = {"renyi": _renyi, "regime": _regime, "share": _share}
    if spec["panel"] not in panels:
        raise ValueError(f"panel={spec['panel']!r} is none of {list(panels)}")
    for row in panels[spec["panel"]](spec):
        yield {
            "panel": spec["panel"],
            "trial": 0,
            "relation": "replace-one",
            "sampler": "fixed size",
            "precondition": "none",
            **row,
        }


def _renyi(spec: Spec) -> Iterator[Row]:
    eps = spec["cell"]["eps"]
    for n, B, T in spec["cell"]["settings"]:
        delta, r = n**-1.1, B / n
        kappa = independent_multiplier(T, r, eps, delta)
        base = {"n": n, "B": B, "T": T, "r": r, "eps": eps, "delta": delta}
        own = {**base, "accountant": "D9", "kappa": kappa}
        yield {**own, "series": RENYI, "value": renyi.epsilon(kappa, T, r, delta)}
        proved = fixed_size.epsilon(kappa, T, r, delta)
        yield {**own, "series": PROVED, "value": proved}
        yield {**own, "series": LEAST, "value": _attained(kappa, T, r, delta, proved)}
        yield {
            **base, "accountant": "RDP19", "kappa": ENDLESS, "series": FLOOR,
            "value": renyi.epsilon(ENDLESS, T, r, delta),
        }  # fmt: skip


def _attained(kappa: float, T: int, r: float, delta: float, proved: float) -> float:
    """Returns an epsilon, within a hundredth, below which two data sets are told apart better than delta allows.

    All gradients have the clipping threshold's norm; the record's points one way on one data set, and the other way, as
    all others do, on the other. That is the pair of Poisson samples with twice the sensitivity.

    Args:
        kappa, T, r, delta: noise multiplier, number of steps, sampling rate, and the delta at which epsilon is given.
        proved: an epsilon that suffices, from which the search starts.
    """
    share = smallest(lambda x: independent_delta(0.5 * kappa, x * proved, T, r, "down") <= delta, 1e-2)
    return share * proved / 1.01


def _regime(spec: Spec) -> Iterator[Row]:
    eps = spec["cell"]["eps"]
    for n in as_list(spec["cell"]["n"]):
        base, T, r, delta = _setting(spec, n)
        claimed = independent_multiplier(T, r, eps, delta)
        sound = max(claimed, renyi.multiplier(eps, T, r, delta))
        yield {**base, "series": TARGET, "value": delta, "accountant": "D9", "kappa": claimed}
        attained = independent_delta(claimed, eps, T, r, "down")
        yield {**base, "series": ATTAINED, "value": attained, "accountant": "D9", "kappa": claimed}
        repaired = independent_delta(sound, eps, T, r, "up")
        accountant = "RDP19" if sound > claimed else "D9"
        # These are upper bounds for Poisson samples only, because the pair is that of Poisson samples.
        pair = {"relation": "zero-out", "sampler": "Poisson"}
        yield {**base, **pair, "series": REPAIRED, "value": repaired, "accountant": accountant, "kappa": sound}


def _share(spec: Spec) -> Iterator[Row]:
    """Yields deltas for a record whose gradient is a share of the threshold, so that noise is larger in proportion."""
    eps = spec["cell"]["eps"]
    for n in as_list(spec["cell"]["n"]):
        base, T, r, delta = _setting(spec, n)
        kappa = independent_multiplier(T, r, eps, delta)
        for share in as_list(spec["cell"]["norm_share"]):
            attained = independent_delta(kappa / share, eps, T, r, "down")
            yield {
                **base, "series": ATTAINED, "value": attained, "accountant": "D9", "kappa": kappa, "norm_share": share
            }  # fmt: skip


def _setting(spec: Spec, n: int) -> tuple[Row, int, float, float]:
    """Returns columns, T, r and delta of Corollary 5.5: `B = gamma sqrt(n)`, `T = sqrt(n)/gamma`, `delta = gamma/n`."""
    gamma = spec["cell"]["gamma"]
    B, T, delta = max(1, round(gamma * math.sqrt(n))), round(math.sqrt(n) / gamma), gamma / n
    base = {"n": n, "B": B, "T": T, "r": B / n, "gamma": gamma, "eps": spec["cell"]["eps"], "delta": delta}
    return base, T, B / n, delta
