"""dp-stat-break-rule: DP-STAT as Algorithm 3 prints it, on 2000 standard normal residuals (varshney2022)."""

import numpy as np
from scipy.special import ndtr

s, levels, alpha, beta, B, draws = 2000, 20, 4.2, 0.01, 1024.0, 4000
grid = B * 2.0 ** np.arange(-levels, 1)  # Delta = B / 2^20, doubled 20 times
slack = alpha * np.sqrt(2 * levels * np.log(levels / beta))  # Gamma of Lemma 3.10
rng = np.random.default_rng(1)
second_half, squares, twice = [], [], []
for _ in range(draws):
    r = np.sort(np.abs(rng.standard_normal(s)))
    counts = np.searchsorted(r, grid, side="right")
    noisy = counts + alpha * np.sqrt(levels) * rng.standard_normal(levels + 1)
    gamma = next((g for g, c in zip(grid[:-1], noisy[:-1], strict=True) if c >= s), grid[-1])
    covering = grid[np.searchsorted(grid, r[-1])]
    second_half.append(np.searchsorted(r, max(gamma / 2, grid[0]), side="right") < s - slack)
    ends = np.append(ndtr((counts[:-1] - s) / (alpha * np.sqrt(levels))), 1.0)  # at each threshold, if not before
    squares.append(ends * np.cumprod(np.append(1.0, 1.0 - ends[:-1])) @ (grid / covering) ** 2)
    twice.append(gamma >= 2 * covering)
print(f"second half of Lemma 3.10 holds in {np.mean(second_half):.3f} of draws, claimed {1 - beta:g}")
print(f"gamma at least twice what covers all residuals in {np.mean(twice):.3f}; ", end="")
print(f"mean of the squared ratio, exact given the residuals, {np.mean(squares):.3g}")
