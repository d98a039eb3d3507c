"""tukey-em-code: what the outcome of a noisy check tells, by the scale of its Laplace noise."""

import numpy as np

eps, delta = np.log(3), 1e-5
share = eps / 2
threshold = np.log(1 / (2 * delta)) / share


def passes(distance, scale):
    gap = (threshold - distance) / scale
    return np.where(gap > 0, np.exp(-abs(gap)) / 2, 1 - np.exp(-abs(gap)) / 2)


for scale in (1 / share, share):
    p = passes(np.arange(-1, int(threshold) + 3), scale)
    both = np.r_[(p[1:] - delta) / p[:-1], (1 - p[:-1] - delta) / (1 - p[1:])]
    print(f"scale {scale:.3g}: epsilon {np.log(both.max()):.3g} at delta {delta:g}; the share is {share:.3g}")
