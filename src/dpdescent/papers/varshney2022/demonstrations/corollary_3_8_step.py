"""corollary-3.8-step: what Corollary 3.8's step 1/(4d) leaves of the start, without any noise (varshney2022).

For x ~ N(0, I) a step multiplies the mean error by 1 - eta; the last T/2 iterates are averaged.
"""

import numpy as np

N = 1_000_000
for d in (5, 10, 20):
    eta = 1 / (4 * d)
    for T in (8, 50, 150):
        left = np.mean((1 - eta) ** np.arange(T // 2 + 1, T + 1)) ** 2
        by_47 = -T / np.log(N) / 4
        print(f"d = {d}, T = {T}: a share {left:.3g} of the start's risk is left")
        print(f"  with Theorem 3.7's step (47) has N^{by_47:.2g} of it")
    print(f"d = {d}: N^-100 takes about {-100 / np.log(1 - eta):.0f} log N steps, {400 * d} log N for large d")
