"""The explicit bounds term by term, and the rates with constants 1, beside the averaged empirical risk of runs."""

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace

from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import Arm
from dpdescent.papers.wang2026.design import Row, Size, Spec, value
from dpdescent.papers.wang2026.runs import diagnostics, training
from dpdescent.papers.wang2026.runs.diagnostics import Seed
from dpdescent.papers.wang2026.theory import explicit, rates
from dpdescent.papers.wang2026.theory.explicit import Terms
from dpdescent.privacy.events import Mechanism

BOUND, MEASURED, TOTAL, ONES = "bound", "measured", "total", "constants 1"
# Names of the bound's terms in the table, in the order of Lemma C.11.
TERMS = {"comparator": "8L*", "start": "init", "potential": "M", "batches": "V_D", "noise": "V_Z"}


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one step size: every noise and seed, whose threshold is its own G_sharp."""
    size = Size.of(spec)
    for trial in range(*spec["trials"]):
        seed = Seed(spec, trial, size.n)
        made = arms(spec, seed.sharp.gradient)
        risks = seed.run(made).empirical_average[0]
        for arm, risk in zip(made, risks, strict=True):
            base = {"panel": spec["panel"], "eta": arm.eta, "C_clip": arm.C_clip, "gamma": seed.margin.value}
            own = {**base, **training.columns(spec, arm.noise), "trial": trial}
            yield {**own, "term": MEASURED, "series": training.EMPIRICAL, "value": float(risk)}
            # The bound is computed at more numbers of iterations than are run, because it costs nothing.
            for T in sorted({size.T, *as_list(value(spec, "T_of_bound"))}):
                length = replace(size, T=T)
                for row in _bounds(spec, seed, length, arm):
                    yield {**own, "T": length.T, "series": BOUND, **row}


def _bounds(spec: Spec, seed: Seed, size: Size, arm: Arm) -> Iterator[Row]:
    for kind in as_list(value(spec, "constants")):
        setting = seed.setting(size, arm, seed.bounds(kind))
        yield from _by_term("C.11", kind, explicit.correlated_bound(setting, seed.trained.seen))
        if arm.noise.lam == 0.0:
            radius = diagnostics.theorem_radius(spec, size.n, size.T)
            yield from _by_term("D.13", kind, explicit.independent_bound(setting, seed.trained.seen, radius))
    name, rate = _rate(seed, size, arm)
    yield {"constants": ONES, "bound": name, "term": TOTAL, "value": rate.total}


def _by_term(name: str, kind: str, terms: Terms) -> Iterator[Row]:
    own = {"constants": kind, "bound": name}
    for field in fields(terms):
        yield {**own, "term": TERMS[field.name], "value": getattr(terms, field.name)}
    yield {**own, "term": TOTAL, "value": terms.total}


def _rate(seed: Seed, size: Size, arm: Arm) -> tuple[str, rates.Rate]:
    """Returns the name and rate of the theorem for this noise, with constants 1 and no logarithms."""
    kan = seed.problem.kan
    run = rates.Run(
        n=size.n, B=size.B, T=size.T, m=kan.width, d=kan.inputs, gamma=seed.margin.value, eta=arm.eta,
        lam=arm.noise.lam, kappa=arm.noise.kappa, delta=value(seed.spec, "delta_conf"),
    )  # fmt: skip
    if arm.noise.kappa == 0.0:
        return "A_non", rates.without_noise(run)
    return ("A_corr", rates.correlated(run)) if arm.noise.lam > 0.0 else ("A_van", rates.independent(run))


def arms(spec: Spec, C_clip: float) -> list[Arm]:
    """Returns a run of every noise, projected to the theorem's radius, which uses no record."""
    size = Size.of(spec)
    return diagnostics.arms(spec, C_clip, [diagnostics.theorem_radius(spec, size.n, size.T)])


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of one step size, with the first seed's threshold."""
    return diagnostics.releases(spec)
