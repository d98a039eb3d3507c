"""corollary-5.5-regime: delta under Theorem 5.4's noise at Corollary 5.5's B and T, gamma = 0.1 (wang2026).

All other clipped gradients are -C_clip v, that of one record is replaced by C_clip v: the sum of a step moves by 2
(in C_clip) where it takes part. kappa is that of Theorem D.9, which restates Theorem 5.4 with constants.
"""

import numpy as np

rng, gamma, eps = np.random.default_rng(1), 0.1, 1.0
for n, runs in ((10**3, 20_000), (10**4, 10_000), (10**6, 2_000)):
    B, T, target = round(gamma * n**0.5), round(n**0.5 / gamma), gamma / n
    r = B / n
    kappa = np.sqrt(16 * r**2 * T / eps + 32 * r**2 * T * np.log(1 / target) / eps**2)
    loss = np.zeros(runs)
    for _ in range(T):
        x = kappa * rng.standard_normal(runs) + 2 * (rng.random(runs) < r)
        loss += np.log1p(r * np.expm1((2 * x - 2) / kappa**2))
    attained = np.mean(np.maximum(0, 1 - np.exp(eps - loss)))
    print(f"n = {n}, B = {B}, T = {T}, kappa = {kappa:.2f}: attained {attained:.3g}, claimed {target:.3g}")
