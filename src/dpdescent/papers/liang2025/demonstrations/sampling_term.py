"""sampling-term: 2S-GD without noise against 2SLS, q = 10, p = 5; a design of its own (liang2025)."""

import numpy as np

n, p, q = 10_000, 5, 10
rng = np.random.default_rng(1)
Theta_star, beta_star = np.r_[5 * np.eye(p), np.zeros((q - p, p))] + rng.standard_normal((q, p)), np.ones(p)
Z, u = rng.standard_normal((n, q)), rng.standard_normal((n, 1))
X = Z @ Theta_star + u + rng.standard_normal((n, p))
Y = X @ beta_star + u[:, 0] + rng.standard_normal(n)

Theta_hat = np.linalg.lstsq(Z, X, rcond=None)[0]
beta_hat = np.linalg.lstsq(Z @ Theta_hat, Y, rcond=None)[0]
moment = Z.T @ (Y - Z @ Theta_hat @ beta_hat) / n
print(f"||Z'r||/n = {np.linalg.norm(moment):.3g}, ||Theta'Z'r||/n = {np.linalg.norm(Theta_hat.T @ moment):.1g}")
eta = 1 / np.linalg.norm(Z.T @ Z / n, 2)
alpha = 1 / np.linalg.norm((Z @ Theta_hat).T @ (Z @ Theta_hat) / n, 2)
Theta, beta = np.zeros((q, p)), np.zeros(p)
for t in range(1, 1001):
    V = Z @ Theta
    Theta, beta = Theta - eta * Z.T @ (V - X) / n, beta - alpha * V.T @ (V @ beta - Y) / n
    if t in (20, 100, 1000):
        print(f"T = {t}: ||beta - beta_hat|| = {np.linalg.norm(beta - beta_hat):.1g}")
