"""high-probability: how often labels' noise alone lifts the risk above 8 sigma^2 d/N (varshney2022 Theorem 3.7).

DP-AMBSSGD without noise for privacy, clipping or DP-STAT's records, in d = 2 dimensions, from w_0 = w*.
"""

import numpy as np
from scipy.stats import chi2

d, sigma, T, draws = 2, 1.0, 8, 40_000
rng = np.random.default_rng(1)
for N in (800, 3200):
    b, above = N // T, 0
    eta = b / (d + 2 + (b - 1))
    for _ in range(draws // 1000):
        w, total = np.zeros((1000, d)), np.zeros((1000, d))
        for t in range(T):
            x, z = rng.standard_normal((1000, b, d)), sigma * rng.standard_normal((1000, b))
            residual = np.einsum("nbd,nd->nb", x, w) - z
            w = w - eta * np.einsum("nbd,nb->nd", x, residual) / b
            total += w * (t >= T // 2)
        risk = 0.5 * np.sum((total / (T - T // 2)) ** 2, axis=1)
        above += np.sum(risk > 8 * sigma**2 * d / N)
    print(f"N = {N}: a share {above / draws:.2g} of {draws} runs is above, claimed N^-100")
print(f"as N grows it tends to P(chi^2_d > 8 d) = {chi2.sf(8 * d, d):.2g}")
