"""theorem-f.8-sampling: delta at eps = 1 of batches of fixed size against Theorem F.8's pair (wang2026, lambda = 0).

All other clipped gradients are -C_clip v, the record's is C_clip v, or 0 once zeroed out: where it takes part, one
other record does not, and the sum moves by 2, or by 1 once zeroed out. The pair has moves of 1 and 0.
"""

import numpy as np

rng = np.random.default_rng(1)


def delta(moves, T, r, kappa, runs, eps=1.0):
    """By simulation, with steps of the law (1 - r) N(0, kappa^2) + r N(move, kappa^2)."""
    loss = np.zeros(runs)
    for _ in range(T):
        x = kappa * rng.standard_normal(runs) + moves[0] * (rng.random(runs) < r)
        first, second = (np.log1p(r * np.expm1((m * x - m * m / 2) / kappa**2)) for m in moves)
        loss += first - second
    return np.mean(np.maximum(0, 1 - np.exp(eps - loss)))


for T, r, kappa, runs in ((1, 0.1, 1.0, 2_000_000), (12, 0.1, 1.33, 400_000), (1000, 0.01, 1.0, 20_000)):
    attained, pair = (delta(moves, T, r, kappa, runs) for moves in ((2, 1), (1, 0)))
    print(f"T = {T}, r = {r:g}, kappa = {kappa:g}: attained {attained:.3g}, the pair {pair:.2g}")
