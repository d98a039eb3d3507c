"""boosted-adassp-code: the budget of 102 releases whose noise has the sd mu times the sensitivity."""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

eps, delta, releases = 1.0, 1e-6, 102


def delta_of(mu, eps):
    return norm.cdf(mu / 2 - eps / mu) - np.exp(eps + norm.logcdf(-mu / 2 - eps / mu))


mu = brentq(lambda mu: delta_of(mu, eps) - delta, 1e-3, 10)


def epsilon_of(mu):
    return brentq(lambda eps: delta_of(mu, eps) - delta, 1e-6, 1e4)


for name, sd in (("mu", mu), ("sqrt(102)/mu", np.sqrt(releases) / mu)):
    spent = epsilon_of(np.sqrt(releases) / sd)
    print(f"sd {name} = {sd:.4g} sensitivities: all releases together have epsilon {spent:.4g} at delta {delta:g}")
