"""The designs of choquettechoo2023 Sec. 2.2 and App. C: spectra of the input covariance H, by name."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpdescent.checks import as_list, require_non_negative, require_positive
from dpdescent.papers.choquettechoo2023.theory.regression import RegressionProblem

Array = NDArray[np.float64]
Spec = dict[str, Any]
Row = dict[str, Any]

PAPER = "choquettechoo2023"

# Exponents of the named power laws: those of choquettechoo2023 Table 4, and the cube, which decays faster.
EXPONENTS = {"flat": 0.0, "k^-0.5": 0.5, "k^-1": 1.0, "k^-2": 2.0, "k^-3": 3.0}
ONE_LARGE = "one large"


def power_law(d: int, alpha: float) -> Array:
    """Returns the eigenvalues `lambda_k = k^-alpha`, k = 1..d, shape (d,) (choquettechoo2023 Fig. 2, Table 4).

    Raises:
        ValueError: if d is not positive or alpha is negative.
    """
    require_positive(d=d)
    require_non_negative(alpha=alpha)
    return np.arange(1, d + 1, dtype=np.float64) ** -alpha


def spectrum(name: str, d: int) -> Array:
    """Returns the eigenvalues of a named spectrum, the largest of which is 1, shape (d,).

    Args:
        name: a power law of `EXPONENTS`, or "one large" for (1, 1/d, ..., 1/d) (choquettechoo2023 Sec. 2.2).
        d: dimension.

    Raises:
        ValueError: if there is no spectrum of that name, or d is not positive.
    """
    if name == ONE_LARGE:
        require_positive(d=d)
        return np.concatenate([[1.0], np.full(d - 1, 1.0 / d)])
    if name not in EXPONENTS:
        raise ValueError(f"name={name!r} is no spectrum: take one of {[*EXPONENTS, ONE_LARGE]}")
    return power_law(d, EXPONENTS[name])


def effective_dimension(lam: Array) -> float:
    """Returns d_eff = Tr H / ||H||_2, in [1, d]: the stable rank of H^{1/2} (choquettechoo2023 Sec. 2.2, App. C.6)."""
    return float(lam.sum() / lam.max())


def problems(spec: Spec) -> Iterator[tuple[Row, RegressionProblem]]:
    """Yields the regression problems of a part's cell, a power law each, with their d, alpha and eta."""
    cell, settings = spec["cell"], spec["settings"]
    for d, alpha, eta in itertools.product(*(as_list(cell[name]) for name in ("d", "alpha", "eta"))):
        problem = RegressionProblem(
            power_law(d, alpha), eta, settings["rho"], settings["clip_norm"], settings.get("sigma_sgd", 0.0)
        )  # fmt: skip
        yield {"d": d, "alpha": alpha, "eta": eta}, problem
