"""small-sigma: first gradients of DP-GD and the threshold of Lemma 2.5 as sigma goes to zero (brown2024)."""

import numpy as np

eta, T, sigma = 0.25, 20, 0.01
# One record, whose residual is 0: c0 is the largest of its length and its signal.
x = y = signal = 1.0
c0 = max(abs(x), *(abs(x * (1 - eta * x**2) ** t * signal) for t in range(1, T + 1)))
gamma, first = 4 * c0**2 * sigma, abs(x * y)
print(f"sigma = {sigma}, one record x = y = theta = 1, c0 = {c0:g}: threshold {gamma:g}, first gradient {first:g}")
n, p, rng = 2000, 10, np.random.default_rng(1)
X, z, theta = rng.standard_normal((n, p)), rng.standard_normal(n), np.full(p, p**-0.5)
M, powers = np.eye(p) - eta * X.T @ X / n, [np.eye(p)]
for _ in range(T):
    powers.append(M @ powers[-1])
# The data's own c0, by parts (ii) to (v) of Condition 2.4.
parts = [np.linalg.norm(X, axis=1).max() / p**0.5, np.abs(z).max()]
for t in range(1, T + 1):
    parts.append(np.abs(X @ powers[t] @ theta).max())
    parts.append(np.abs(X @ (eta * np.sum(powers[:t], axis=0)) @ X.T @ z).max() / (n * p) ** 0.5)
for sigma in (1.0, 0.3, 0.1, 0.03, 0.01, 0.001):
    gamma = 4 * max(parts) ** 2 * sigma * p**0.5
    norms = np.abs(X @ theta + sigma * z) * np.linalg.norm(X, axis=1)
    clipped = np.mean(norms > gamma)
    print(f"sigma = {sigma:g}: threshold {gamma:.3g}, first gradient up to {norms.max():.3g}, clipped {clipped:.3g}")
