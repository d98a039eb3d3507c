"""Excess risk against the condition number and the number of iterations."""

from collections.abc import Iterable, Iterator

from dpdescent.algorithms.sgd_moments import tail_risk
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.arms import AMBSSGD, Choice, no_privacy
from dpdescent.papers.varshney2022.design import Row, Spec
from dpdescent.papers.varshney2022.runs import baselines
from dpdescent.papers.varshney2022.runs.choices import runs_of, trials_of
from dpdescent.papers.varshney2022.runs.risks import design_of, measures_of
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one condition number: a risk for each T and trial, and that of least squares."""
    design, sigma, N = design_of(spec), spec["arms"]["sigma"], spec["cell"]["N"]
    found = choices(spec)
    base = {
        "panel": spec["panel"], "N": N, "d": len(design.lam), "sigma": sigma, "eps": spec["settings"]["eps"],
        "delta": spec["settings"]["delta"], "kappa": spec["cell"]["kappa"],
    }  # fmt: skip
    yield from ({**base, **row} for row in _without_noise(spec, found))
    for trial, X, Y in trials_of(spec, design, N, sigma):
        for name, (runs, arm) in runs_of(spec, found, X, Y, trial).items():
            risk = float(design.risk(runs.average[arm]))
            yield {
                **base,
                "T": found[name].T,
                "series": AMBSSGD,
                "trial": trial,
                "value": risk,
                **measures_of(runs, arm),
            }
        yield {
            **base,
            "series": baselines.OLS,
            "trial": trial,
            "value": float(design.risk(baselines.least_squares(X, Y)[0])),
        }


def _without_noise(spec: Spec, found: dict[str, Choice]) -> Iterator[Row]:
    """The exact risk on the same batches without noise and clipping: the leading term by itself."""
    if spec["trials"][0] > 0:
        return
    for choice in found.values():
        kept = baselines.tail_length(choice.T, spec["settings"]["tail"])
        lam, start = choice.design.lam, -choice.design.w_star
        risk = tail_risk(lam, start, choice.eta, choice.b, choice.sigma, 0.0, choice.T, kept)
        yield {"T": choice.T, "series": "no noise", "trial": 0, "value": risk}


def choices(spec: Spec) -> dict[str, Choice]:
    """The main setting for every T."""
    design, sigma = design_of(spec), spec["arms"]["sigma"]
    return {
        f"T={T}": Choice.ours(spec, design, spec["cell"]["N"], sigma, spec["settings"]["eps"], T)
        for T in as_list(spec["arms"]["T"])
    }


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Ledger entries of one condition number."""
    delta = spec["settings"]["delta"]
    for name, choice in choices(spec).items():
        yield f"{spec['variant']}: {AMBSSGD} {name} kappa={spec['cell']['kappa']:g}", choice.mechanism(AMBSSGD), delta
    yield (
        f"{spec['variant']}: OLS kappa={spec['cell']['kappa']:g}",
        no_privacy(baselines.OLS, "non-private baseline: no noise"),
        delta,
    )
