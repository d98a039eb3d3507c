"""delta of Theorem F.8's pair, and delta that batches of fixed size attain: in one step, some, and many."""

from collections.abc import Iterator
from itertools import product

from dpdescent.checks import as_list
from dpdescent.papers.wang2026.design import Row, Spec, named
from dpdescent.privacy.participation import accountants, counterexample, pairs
from dpdescent.privacy.participation.divergence import Estimate

PAIR, ATTAINED = "F8 pair", "fixed size"
SAMPLERS = {PAIR: "Poisson", ATTAINED: "fixed size"}


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel, two a setting.

    Raises:
        ValueError: if there is no such panel.
    """
    if spec["trials"][0] > 0:
        return
    panels = {"quadrature": _one_step, "enumeration": _calibrated, "composed": _composed}
    if spec["panel"] not in panels:
        raise ValueError(f"panel={spec['panel']!r} is none of {list(panels)}")
    for row in panels[spec["panel"]](spec):
        yield {"panel": spec["panel"], **row}


def _one_step(spec: Spec) -> Iterator[Row]:
    """Yields exact deltas of one step, by quadrature."""
    cell = spec["cell"]
    moves = {PAIR: counterexample.SAMPLED, ATTAINED: counterexample.FIXED_SIZE}
    for r, kappa, eps in product(*(as_list(cell[name]) for name in ("r", "kappa", "eps"))):
        base = {"T": cell["T"], "r": r, "lam": 0, "eps": eps, "accountant": "fixed kappa", "kappa": kappa}
        for series, move in moves.items():
            yield _row(base, series, Estimate(counterexample.one_step_delta(kappa, eps, r, move), 0.0))


def _calibrated(spec: Spec) -> Iterator[Row]:
    """Yields deltas at the multiplier by which Theorem F.8's pair has the delta that is asked for."""
    cell = spec["cell"]
    T, r, eps, delta = cell["T"], cell["r"], cell["eps"], cell["delta"]
    for lam in as_list(cell["lam"]):
        rng = named(spec, 0, f"calibration, T={T:g}, r={r:g}")
        found = accountants.calibrate("F8", T=T, rate=r, lam=lam, eps=eps, delta=delta, draws=cell["draws"], rng=rng)
        kappa = found.multiplier
        base = {"T": T, "r": r, "lam": lam, "eps": eps, "delta": delta, "accountant": "F8", "kappa": kappa}
        yield from _both(spec, base)


def _composed(spec: Spec) -> Iterator[Row]:
    cell = spec["cell"]
    for T, r, kappa in cell["settings"]:
        base = {"T": T, "r": r, "lam": 0, "eps": cell["eps"], "accountant": "fixed kappa", "kappa": kappa}
        yield from _both(spec, base)


def _both(spec: Spec, base: Row) -> Iterator[Row]:
    """Yields both deltas, on the same fresh participations and noise; the pair's is exact without correlation."""
    kappa, eps, T, r, lam = (base[name] for name in ("kappa", "eps", "T", "r", "lam"))
    draws, role = spec["cell"]["draws"], f"outputs, T={T:g}, r={r:g}"
    if lam == 0:
        pair = Estimate(pairs.independent_delta(kappa, eps, T, r, "up"), 0.0)
    else:
        directions = (pairs.deltas(kappa, [eps], T, r, lam, draws, named(spec, 0, role), to) for to in ("P|Q", "Q|P"))
        pair = max((estimate for (estimate,) in directions), key=lambda each: each.value)
    (attained,) = counterexample.deltas(kappa, [eps], T, r, lam, draws, named(spec, 0, role))
    yield _row(base, PAIR, pair)
    yield _row(base, ATTAINED, attained)


def _row(base: Row, series: str, delta: Estimate) -> Row:
    return {
        **base, "trial": 0, "series": series, "value": delta.value, "delta_se": delta.standard_error,
        "relation": "zero-out", "sampler": SAMPLERS[series],
    }  # fmt: skip
