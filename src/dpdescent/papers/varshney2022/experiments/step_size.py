"""The step sizes of Theorem 3.7 and of Corollary 3.8, on the same records."""

from collections.abc import Iterable, Iterator
from itertools import product

from dpdescent.algorithms.dp_ambssgd import tail_length
from dpdescent.algorithms.sgd_moments import tail_risk
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.arms import AMBSSGD, Choice
from dpdescent.papers.varshney2022.design import Row, Spec, design_of
from dpdescent.papers.varshney2022.runs.mini_batches import runs_of, trials_of
from dpdescent.papers.varshney2022.theory import ambssgd
from dpdescent.privacy.events import Mechanism

THEOREM, COROLLARY = "Theorem 3.7", "Corollary 3.8"


def run(spec: Spec) -> Iterator[Row]:
    """Yields a risk for each N, T, step and trial of one dimension, beside the law without clipping."""
    design, sigma = design_of(spec), spec["arms"]["sigma"]
    for N in as_list(spec["cell"]["N"]):
        found = choices(spec, N)
        for trial, X, Y in trials_of(spec, design, N, sigma):
            for (T, step), outcome in runs_of(spec, found, X, Y, trial).items():
                choice, kept = found[T, step], tail_length(spec["settings"]["tail"], T)
                common = (design.lam, -design.w_star, choice.eta, choice.b)
                variance = choice.noise_variance(outcome.thresholds)
                yield {
                    "N": N, "d": len(design.lam), "sigma": sigma, "eps": choice.eps, "delta": choice.delta, "T": T,
                    "step": step, "series": AMBSSGD, "trial": trial, "value": float(design.risk(outcome.average)),
                    "clip_fraction": float(outcome.clipped.mean()),
                    "expected": tail_risk(*common, sigma, variance, T, kept),
                    "bias": tail_risk(*common, 0.0, 0.0, T, kept) / (0.5 * spec["settings"]["w_norm"] ** 2),
                }  # fmt: skip


def choices(spec: Spec, N: int) -> dict[tuple[int, str], Choice]:
    """Returns the main setting by T and step."""
    design, sigma, eps = design_of(spec), spec["arms"]["sigma"], spec["settings"]["eps"]
    printed = {THEOREM: None, COROLLARY: ambssgd.corollary_step(len(design.lam))}
    for step in as_list(spec["arms"]["steps"]):
        if step not in printed:
            raise ValueError(f"steps has {step!r}: take some of {list(printed)}")
    return {
        (T, step): Choice.ours(spec, design, N, sigma, eps, T, step=printed[step])
        for T, step in product(as_list(spec["arms"]["T"]), as_list(spec["arms"]["steps"]))
    }


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one dimension."""
    for N in as_list(spec["cell"]["N"]):
        for (T, step), choice in choices(spec, N).items():
            name = f"{spec['variant']}: {AMBSSGD} N={N} d={spec['cell']['d']} T={T}, step of {step}"
            yield name, choice.arm().mechanism, choice.delta
