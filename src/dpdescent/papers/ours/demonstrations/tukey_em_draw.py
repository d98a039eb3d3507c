"""tukey-em-draw: the law of a point whose depth is one more than the depth that was weighed, on two neighbours."""

import numpy as np

eps, delta, m = np.log(3), 1e-5, 1000
depths = np.arange(m // 4, m // 2 + 1)


def law(gaps, off):
    widths = gaps[depths - 1] + gaps[-depths]
    widths[-1] /= 2
    weights, found = np.exp(eps / 2 * (depths - m // 2)) * widths, np.zeros(m - 1)
    for here, there in ((depths - 1 + off, m - 1 - depths - off), (m - 1 - depths - off, depths - 1 + off)):
        np.add.at(found, here, weights * gaps[here] / (gaps[here] + gaps[there]))
    return found / found.sum()


for wide in (1, 100, 1e4):
    gaps = np.ones(m - 1)
    gaps[m // 2 - 4] = wide
    for off in (0, 1):
        first, second = law(gaps, off)[1:], law(np.append(gaps[1:], 1.0), off)[:-1]
        most = max(((p - delta)[p > delta] / q[p > delta]).max() for p, q in ((first, second), (second, first)))
        print(f"gap {wide:g}, point {off} deeper: epsilon {np.log(most):.3g} at delta {delta:g}, of {eps:.3g}")
