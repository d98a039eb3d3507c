"""figure-9: 2S-GD without noise against 2SLS, p = q = 20, by number of iterations, on five designs (liang2025)."""

import numpy as np

n, p = 2500, 20
for seed in range(5):
    rng = np.random.default_rng(seed)
    Theta_star, beta_star = 5 * np.eye(p) + rng.standard_normal((p, p)), rng.standard_normal(p)
    Phi, phi = rng.standard_normal((p, p)), rng.standard_normal(p)
    Z, U = rng.standard_normal((n, p)), rng.standard_normal((n, p))
    X = Z @ Theta_star + U @ Phi + rng.standard_normal((n, p))
    Y = X @ beta_star + U @ phi + rng.standard_normal(n)
    zz, zx, zy = Z.T @ Z / n, Z.T @ X / n, Z.T @ Y / n
    Theta_hat = np.linalg.solve(zz, zx)
    beta_hat = np.linalg.solve(Theta_hat.T @ zz @ Theta_hat, Theta_hat.T @ zy)
    values = np.linalg.svd(Theta_star, compute_uv=False)
    alpha = 2 / (2 * values[0] ** 2 + values[-1] ** 2)  # Sec. 4 for n to infinity, where eta is 1
    Theta, beta = np.zeros((p, p)), np.zeros(p)
    for t in range(1, 10_001):
        Theta, beta = Theta - (zz @ Theta - zx), beta - alpha * Theta.T @ (zz @ Theta @ beta - zy)
        if t in (100, 10_000):
            print(f"seed {seed}, T = {t}: distance to 2SLS {np.linalg.norm(beta - beta_hat):.2g}, ", end="")
            print(f"error of 2SLS {np.linalg.norm(beta_hat - beta_star):.2g}")
