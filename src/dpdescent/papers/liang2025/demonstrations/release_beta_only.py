"""release-beta-only: zCDP cost of beta by Algorithm 3, p = q = 1, if one record's x is replaced (liang2025)."""

import numpy as np

n, T, rho2, gamma, eta, alpha = 1000, 2, 1.0, 1.0, 1.0, 1.0
noise_sd = 2 * gamma / n * np.sqrt(T / rho2)  # lambda_2 of eq. (4)
rng = np.random.default_rng(1)
z, y = np.ones(n), -np.ones(n)


def second_stage(Theta, beta):
    return np.clip(Theta * z * (z * Theta * beta - y), -gamma, gamma).mean()


for M in (1.0, 10.0, 100.0, 1e5):
    costs = np.zeros(50)
    for run in range(50):
        Theta, beta, xs = [0.0, 0.0], 0.0, (np.zeros(n), np.r_[M, np.zeros(n - 1)])
        for _ in range(T):  # releases are normal given the past: the cost adds up squared shifts of the mean
            g = [second_stage(each, beta) for each in Theta]
            costs[run] += (g[0] - g[1]) ** 2 / (2 * noise_sd**2)
            Theta = [a - eta * np.mean(z * (z * a - x)) for a, x in zip(Theta, xs, strict=True)]
            beta -= alpha * (g[0] - noise_sd * rng.standard_normal())
    print(f"x = {M:g} in place of 0: cost {costs.mean():.5g}, claimed {rho2:g}")
