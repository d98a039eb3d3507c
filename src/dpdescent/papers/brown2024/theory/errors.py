"""Predictions of brown2024 for DP-GD on isotropic data: its errors, the n at which they are equal, and its rates.

The predictions hold for `Sigma` near the identity, without clipping and from `theta_0 = 0`; they follow from the law of
the iterates (Lemma 2.3). Clipping thresholds are given by their scale, `k = gamma / sqrt(p)`.
"""

import math

from dpdescent.checks import require_non_negative, require_positive

# The step size of Lemma 2.6 and Theorem 2.7.
ETA = 0.25


def privacy_constant(*, k: float, T: int, eta: float) -> float:
    """Returns C of the privacy error `C p / (sqrt(rho) n)`: `k sqrt(2 T eta / (2 - eta))` (from brown2024 Lemma 2.3).

    The stationary variance of a coordinate is `eta lambda^2 / (2 - eta)` where Sigma is the identity.

    Raises:
        ValueError: if k, T or eta is not positive, or eta is 2 or more, where descent diverges.
    """
    require_positive(k=k, T=T, eta=eta)
    if not eta < 2.0:
        raise ValueError(f"eta={eta} must be below 2: descent on an isotropic sample does not settle")
    return k * math.sqrt(2.0 * T * eta / (2.0 - eta))


def privacy_error(*, n: float, p: int, rho: float, T: int, eta: float, k: float) -> float:
    """Returns the root mean square of the noise in the last iterate, `C p / (sqrt(rho) n)` (brown2024 Lemma 2.3)."""
    require_positive(n=n, p=p, rho=rho)
    return privacy_constant(k=k, T=T, eta=eta) * p / (math.sqrt(rho) * n)


def sampling_error(*, n: float, p: int, sigma: float) -> float:
    """Returns the root mean square distance of least squares to theta*, to first order: `sigma sqrt(p / n)`."""
    require_positive(n=n, p=p)
    require_non_negative(sigma=sigma)
    return sigma * math.sqrt(p / n)


def remaining_bias(*, T: int, eta: float, start: float = 1.0) -> float:
    """Returns the distance of the mean iterate to least squares after T steps: `|1 - eta|^T start`.

    Args:
        T: number of steps.
        eta: step size.
        start: distance at the start, which is ||theta_hat||: about 1 in the paper's designs.
    """
    require_non_negative(T=T, start=start)
    return abs(1.0 - eta) ** T * start


def crossing(*, p: int, rho: float, T: int, eta: float, k: float, sigma: float = 1.0) -> float:
    """Returns the n at which privacy error and sampling error are equal: `n* = p C^2 / (rho sigma^2)`.

    Above it sampling dominates, which brown2024 Sec. 4.1 calls privacy for free.

    Raises:
        ValueError: if an argument is not positive, or eta is 2 or more.
    """
    require_positive(p=p, rho=rho, sigma=sigma)
    return p * privacy_constant(k=k, T=T, eta=eta) ** 2 / (rho * sigma**2)


def start_up_over(*, p: int, rho: float, T: int, eta: float, k: float, share: float) -> float:
    """Returns the n up to which the start-up error is at most `share` of the noise in the last iterate.

    Beyond it the distance to least squares no longer falls with n, because `remaining_bias` does not depend on n.
    """
    require_positive(share=share)
    return share * privacy_error(n=1, p=p, rho=rho, T=T, eta=eta, k=k) / remaining_bias(T=T, eta=eta)


def adassp_exponent(*, p: float, margin: float) -> float:
    """Returns the local exponent of p in AdaSSP's noise on X'X at fixed p/n, with the public bound sqrt(p) + margin.

    `Bx^2 sqrt(p) / n` is the `p^1.5 / n` of brown2024 Sec. 4.1 where Bx^2 counts as p; its exponent at fixed p/n is
    `sqrt(p) / (sqrt(p) + margin) - 1/2`, which tends to 1/2.
    """
    require_positive(p=p)
    require_non_negative(margin=margin)
    return math.sqrt(p) / (math.sqrt(p) + margin) - 0.5


def adassp_grown(*, exponent: float, margin: float) -> float:
    """Returns the p from which `adassp_exponent` is at least the given one.

    Raises:
        ValueError: if the exponent is not between -1/2 and 1/2, which it only tends to.
    """
    if not -0.5 < exponent < 0.5:
        raise ValueError(f"exponent={exponent} must lie between -1/2 and 1/2: at 1/2 no p would do")
    return (margin * (exponent + 0.5) / (0.5 - exponent)) ** 2


def projected_grown(*, exponent: float, bound_factor: float, bound_y: float) -> float:
    """Returns the p from which projected descent's noise has at least the given exponent of p at fixed p/n.

    Its gradients are at most `Bx (Bx + By)` with `Bx = f sqrt(p)`, and its noise `Bx (Bx + By) sqrt(p) / n` has the
    local exponent `Bx / (2 (Bx + By))`, which tends to 1/2.

    Raises:
        ValueError: if the exponent is not between 0 and 1/2, which it only tends to.
    """
    require_positive(bound_factor=bound_factor, bound_y=bound_y)
    if not 0.0 < exponent < 0.5:
        raise ValueError(f"exponent={exponent} must lie between 0 and 1/2: at 1/2 no p would do")
    return (2.0 * exponent / (1.0 - 2.0 * exponent) * bound_y / bound_factor) ** 2
