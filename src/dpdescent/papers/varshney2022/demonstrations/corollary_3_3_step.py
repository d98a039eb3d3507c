"""corollary-3.3-step: DP-SSGD with eta, zeta and alpha as Corollary 3.3 prints them (varshney2022)."""

import numpy as np

N, sigma, delta = 200_000, 0.1, 1e-6
eps = np.sqrt(np.log(1 / delta) / N)
alpha = np.log(N / delta) / (eps * np.sqrt(N))
rng = np.random.default_rng(1)
for d in (2, 5, 10):
    eta, zeta = 1 / (4 * d), np.sqrt(d) * np.sqrt(1 + sigma**2) * np.log(N)
    X, target = rng.standard_normal((N, d)), np.full(d, d**-0.5)
    y = X @ target + sigma * rng.standard_normal(N)
    noise = 2 * alpha * zeta * rng.standard_normal((N, d))
    w, total, clipped = np.zeros(d), np.zeros(d), 0
    for t in range(N):
        g = (X[t] @ w - y[t]) * X[t]
        length = np.sqrt(g @ g)
        clipped += length > zeta
        w = w - eta * (g * min(1.0, zeta / length) + noise[t])
        total += w * (t >= N // 2)
    risk = 0.5 * np.sum((total / (N - N // 2) - target) ** 2)
    # (6) with K_2^2 = 2, R_x^2 = d + 2, kappa = mu = 1, a = 1/2, and its first term at its largest.
    limit = d / 2 + 2 * sigma**2 * d / N
    limit += 256 * d * (d + 2) * (np.log(N) * np.log(N / delta) / (eps * N)) ** 2 * (1 + sigma**2)
    print(f"d = {d}: risk {risk:.3g}, limit {limit:.3g}, the estimate 0 has 0.5; {clipped / N:.1%} clipped")
