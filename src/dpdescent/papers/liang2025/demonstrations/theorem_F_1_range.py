"""theorem-F.1-range: Algorithm 3 with p = q = 1, z = 1 or -1, x = z and y = 0, so that beta_hat = 0 (liang2025).

With eta = alpha = 1, Theta is 1 after one step, and all gradients are equal: beta, clipped at gamma. The law of beta is
stationary long before T, so that 10,000 steps stand for more.
"""

import numpy as np

n, rho2, tau, runs = 200, 0.1, 5.0, 3000
rng = np.random.default_rng(1)
for T in (100, 10_000, 1_000_000):
    gamma = (1 + np.sqrt(tau + np.log(n * T))) ** 2  # eq. (4), c_0 = 1
    noise_sd = 2 * gamma / n * np.sqrt(T / rho2)
    beta, clipped, steps = np.zeros(runs), 0.0, min(T, 10_000)
    for _ in range(steps):
        clipped += np.mean(np.abs(beta) > gamma) / steps
        beta += noise_sd * rng.standard_normal(runs) - np.clip(beta, -gamma, gamma)
    error = np.abs(beta).mean()
    bound = (1 + np.sqrt(tau)) ** 3 * np.sqrt(T / rho2) / n
    print(f"T = {T}: error {error:.3g}, over lambda_2 {error / noise_sd:.2f}, over (52) {error / bound:.2f}, ", end="")
    print(f"clipped {clipped:.0%}")
