"""preprocessing: how far one record moves the first stage if variables are centred by their means (liang2025)."""

import numpy as np

n, T, rho, gamma = 1000, 20, 1.0, 1.0
noise_sd = 2 * gamma / n * np.sqrt(T / rho)  # Proposition 3.1


def mean_gradient(far, centre):
    z, x = (np.arange(n) < 100).astype(float), np.zeros(n)
    x[-1] = far
    if centre:
        z, x = (z - z.mean()) / z.std(), x - x.mean()
    return np.clip(-z * x, -gamma, gamma).mean()  # at Theta = 0


for far, centre in ((1e9, False), (1e9, True), (18.0, False), (18.0, True)):
    moved = abs(mean_gradient(far, centre) - mean_gradient(-far if far > 18.0 else 0.0, centre))
    mu = moved * np.sqrt(T) / noise_sd
    print(
        f"x = {far:g}, {'centred by means' if centre else 'by constants'}: moved by {moved:.3g} gamma, mu = {mu:.4g}; ",
        end="",
    )
    print(f"both stages may have {np.sqrt(4 * rho):g}")
