"""theorem-d.9-renyi: what two replace-one neighbours attain under Theorem D.9's noise (wang2026).

All other clipped gradients are -C_clip v, that of one record is replaced by C_clip v: the sum of a step moves by 2
(in C_clip) where it takes part, in a share r = B/n of the steps.
"""

import numpy as np
from scipy.optimize import brentq


def delta_at(eps, loss):
    return np.mean(np.maximum(0, 1 - np.exp(eps - loss)))


rng, runs = np.random.default_rng(1), 400_000
for T, r, eps, delta in ((50, 0.02, 8.0, 1e-3), (1, 0.01, 1.0, 1e-3)):
    kappa = np.sqrt(16 * r**2 * T / eps + 32 * r**2 * T * np.log(1 / delta) / eps**2)
    loss = np.zeros(runs)
    for _ in range(T):
        x = kappa * rng.standard_normal(runs) + 2 * (rng.random(runs) < r)
        loss += np.logaddexp(np.log1p(-r), np.log(r) + (2 * x - 2) / kappa**2)
    least = brentq(lambda e, loss=loss, delta=delta: delta_at(e, loss) - delta, 0, loss.max())
    print(f"T = {T}, r = {r:g}, kappa = {kappa:.3f}, claimed eps = {eps:g}, delta = {delta:g}: attained ", end="")
    print(f"eps = {least:.3g} at that delta, delta = {delta_at(eps, loss):.3g} at that eps")
