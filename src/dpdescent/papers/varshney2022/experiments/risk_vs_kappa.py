"""Excess risk against the condition number and the number of iterations."""

from collections.abc import Iterable, Iterator

from dpdescent.algorithms.dp_ambssgd import tail_length
from dpdescent.algorithms.sgd_moments import tail_risk
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.arms import AMBSSGD, OLS, Choice, least_squares
from dpdescent.papers.varshney2022.design import Row, Spec, design_of
from dpdescent.papers.varshney2022.runs import baselines
from dpdescent.papers.varshney2022.runs.mini_batches import runs_of, trials_of
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields a risk for each T and trial of one condition number, and that of least squares."""
    design, sigma, N = design_of(spec), spec["arms"]["sigma"], spec["cell"]["N"]
    found = choices(spec)
    base = {
        "panel": spec["panel"], "N": N, "d": len(design.lam), "sigma": sigma, "eps": spec["settings"]["eps"],
        "delta": spec["settings"]["delta"], "kappa": spec["cell"]["kappa"],
    }  # fmt: skip
    yield from ({**base, **row} for row in _without_noise(spec, found))
    for trial, X, Y in trials_of(spec, design, N, sigma):
        for T, outcome in runs_of(spec, found, X, Y, trial).items():
            risk = float(design.risk(outcome.average))
            yield {**base, "T": T, "series": AMBSSGD, "trial": trial, "value": risk, **outcome.measures}
        risk = float(design.risk(baselines.least_squares(X, Y)[0]))
        yield {**base, "series": OLS, "trial": trial, "value": risk}


def _without_noise(spec: Spec, found: dict[int, Choice]) -> Iterator[Row]:
    """Yields the exact risk on the same batches without noise and clipping, which is the leading term by itself."""
    if spec["trials"][0] > 0:
        return
    for choice in found.values():
        kept = tail_length(spec["settings"]["tail"], choice.T)
        lam, start = choice.design.lam, -choice.design.w_star
        risk = tail_risk(lam, start, choice.eta, choice.b, choice.sigma, 0.0, choice.T, kept)
        yield {"T": choice.T, "series": "no noise", "trial": 0, "value": risk}


def choices(spec: Spec) -> dict[int, Choice]:
    """Returns the main setting for every T."""
    design, sigma = design_of(spec), spec["arms"]["sigma"]
    return {
        T: Choice.ours(spec, design, spec["cell"]["N"], sigma, spec["settings"]["eps"], T)
        for T in as_list(spec["arms"]["T"])
    }


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one condition number."""
    delta = spec["settings"]["delta"]
    for T, choice in choices(spec).items():
        yield f"{spec['variant']}: {AMBSSGD} T={T} kappa={spec['cell']['kappa']:g}", choice.arm().mechanism, delta
    yield f"{spec['variant']}: {OLS} kappa={spec['cell']['kappa']:g}", least_squares().mechanism, delta
