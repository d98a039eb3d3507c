"""corollary-3.8-step: what Corollary 3.8's step 1/(4d) leaves of the start, without any noise (varshney2022).

For x ~ N(0, I) and large batches a step multiplies the error by 1 - eta; the last T/2 iterates are averaged.
"""

import numpy as np

N = 1_000_000
for d in (5, 10, 20):
    for T in (8, 50, 150):
        eta = 1 / (4 * d)
        left = np.mean((1 - eta) ** np.arange(T // 2 + 1, T + 1)) ** 2
        # Spread of a batch's Gram matrix, which adds (d + 1) / b to the mean square of a step.
        b = N / T * 10 / 11
        loose = (1 - eta) ** (2 * (T // 2 + 1)) * (1 + eta**2 * (d + 1) / b) ** T
        print(f"d = {d}, T = {T}: share left {left:.3g} (at most {loose:.3g}), claimed N^-100")
    print(f"d = {d}: N^-100 takes T = {100 * np.log(N) / (-2 * np.log(1 - eta)) * 2:.0f}")
