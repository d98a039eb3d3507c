"""Moments of normal covariates and contraction coefficients of a step, exactly, against what is claimed for them."""

from collections.abc import Iterator

from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.design import Row, Spec, spectrum
from dpdescent.papers.varshney2022.theory import ambssgd, moments


def run(spec: Spec) -> Iterator[Row]:
    """Yields a row for each quantity and setting."""
    if spec["trials"][0] > 0:
        return
    for row in _quantities(spec):
        yield {"series": "exact", "trial": 0, **row}


def _quantities(spec: Spec) -> Iterator[Row]:
    arms = spec["arms"]
    for d in as_list(spec["cell"]["d"]):
        for beta in as_list(arms["beta"]):
            value = moments.tail_probability_ratio(d, beta)
            yield {"quantity": "P(|x|^2 > d log 1/beta) / beta", "d": d, "beta": beta, "value": value, "claimed": 1.0}
        for kappa in (kappa for kappa in as_list(arms["kappa"]) if d > 1 or kappa == 1.0):
            lam = spectrum(d, kappa)
            base = {"d": d, "kappa": kappa}
            # Corollaries 3.3 and 3.8 take R_x^2 = d.
            yield {**base, "quantity": "R_x^2", "value": moments.input_bound_squared(lam), "claimed": float(lam.sum())}
            for b in as_list(arms["b"]):
                found = moments.contraction(lam, ambssgd.theorem_step(lam, b), b)
                claims = {
                    "E[B'HB] against H": (found.in_h, found.claimed_in_h),
                    "E[B'B] against I - eta H": (found.excess, 0.0),
                }  # fmt: skip
                for quantity, (value, claimed) in claims.items():
                    yield {**base, "b": b, "quantity": quantity, "value": value, "claimed": claimed}
