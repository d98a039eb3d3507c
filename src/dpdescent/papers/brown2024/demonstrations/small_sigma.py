"""small-sigma: DP-GD at Theorem 2.7's own setting with c = c' = 1, as sigma goes to zero (brown2024)."""

import numpy as np

n, p, rho, beta, eta = 10_000, 10, 1.0, 0.05, 0.25
T = int(np.ceil(np.log(n * rho / p)))
rng = np.random.default_rng(1)
X, z, theta = rng.standard_normal((n, p)), rng.standard_normal(n), np.full(p, p**-0.5)
lengths = np.linalg.norm(X, axis=1)
for sigma in (1.0, 1e-2, 1e-6, 1e-12):
    gamma = sigma * np.sqrt(p) * np.log(n * T / beta) ** 3
    noise_sd = gamma / n * np.sqrt(2 * T / rho)
    y, w = X @ theta + sigma * z, np.zeros(p)
    for _ in range(T):
        residuals = X @ w - y
        kept = np.minimum(1, gamma / (np.abs(residuals) * lengths))
        w = w - eta * (X.T @ (kept * residuals) / n + noise_sd * rng.standard_normal(p))
    error = np.linalg.norm(w - np.linalg.lstsq(X, y, rcond=None)[0])
    bound = np.log(n * rho / (beta * p)) ** 4 * sigma * p / (np.sqrt(rho) * n)
    print(f"sigma = {sigma:g}: error {error:.3g}, bound (11) {bound:.3g}, ratio {error / bound:.3g}")
