"""DP-AMBSSGD at numbers of records that cannot be drawn: exponents in d, N and eps, and eigenvalues by perturbation.

Of normal records the counts of DP-STAT and the sums of a gradient are drawn from their laws: a multinomial one and
Wishart's. Nothing is clipped, so that nothing is private, while the noise is that of the thresholds that are found.
"""

import functools
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import erf

from dpdescent.algorithms.dp_ambssgd import tail_length
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022 import ambssgd, criteria, descents
from dpdescent.papers.varshney2022.arms import UNBOUNDED, Choice
from dpdescent.papers.varshney2022.criteria import (
    BOTH_QUANTILES,
    COST,
    MEDIAN,
    Quantile,
    claim_on_all_cells,
    cost_of_privacy,
    risks,
)
from dpdescent.papers.varshney2022.formulas import Array, published_multiplier
from dpdescent.papers.varshney2022.setting import (
    ANY_QUANTILE,
    LOG_POWER,
    PAPER,
    Design,
    Entry,
    Part,
    Row,
    Settings,
    Spec,
)
from dpdescent.privacy.events import Mechanism
from dpdescent.randomness import stream
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_most, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import Place

EIGENVALUES, DIMENSION, RECORDS, EPSILONS = "eigenvalues", "dimension", "records", "epsilon"
KNOWN, PERTURBED = "known eigenvalues", "eigenvalues by output perturbation"

# Runs ------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Pass:
    """A pass of DP-AMBSSGD on sums: the excess risk of its average, and the thresholds of its first and last step."""

    risk: float
    zeta_first: float
    zeta_last: float


def one_pass(choice: Choice, tail: float, rng: np.random.Generator) -> Pass:
    """Runs Algorithm 2 without clipping on counts and sums of normal records that are drawn from their laws."""
    design, search, sigma = choice.design, choice.search, choice.sigma
    w, path, zetas = np.zeros(design.d), [], []
    for _ in range(choice.T):
        counts = _counts(choice, math.sqrt(2.0 * float(design.risk(w)) + sigma**2), rng)
        gamma = search.select(counts, rng.standard_normal(search.levels), choice.s)
        zetas.append(choice.scale * float(gamma))
        sums = descents.wishart_gram(design, choice.b, sigma, rng)
        noise = 2.0 * choice.multiplier * zetas[-1] / choice.b * rng.standard_normal(design.d)
        w = w - choice.eta * ((sums.xx @ w - sums.xy) / choice.b + noise)
        path.append(w)
    average = np.mean(path[-tail_length(tail, choice.T) :], axis=0)
    return Pass(float(design.risk(average)), zetas[0], zetas[-1])


def _counts(choice: Choice, spread: float, rng: np.random.Generator) -> Array:
    """Draws the counts of s normal residuals of a standard deviation up to each threshold, shape (L,)."""
    below = erf(choice.search.thresholds[:-1] / (spread * math.sqrt(2.0)))
    shares = np.diff(below, prepend=0.0, append=1.0)
    counts: Array = rng.multinomial(choice.s, shares / shares.sum())[:-1].cumsum().astype(np.float64)
    return counts


def run_ext_large(spec: Spec) -> Iterator[Row]:
    """Yields a risk for each dimension, N, budget, label noise, series and trial of a panel."""
    part, cell = Part.of(spec), spec["cell"]
    for d in as_list(cell["d"]):
        design = part.design(d)
        for trial in part.trials:
            for N in as_list(cell["N"]):
                offset = float(part.stream(design.place(N), trial, "offset").random())
                for (series, sigma, eps, delta), choice in _choices(spec, part, design, N, offset).items():
                    rng = part.stream(design.place(N), trial, f"sums of {series}, {sigma:g}, {eps:g}, {delta:g}")
                    if series == PERTURBED:
                        choice = with_perturbed_eigenvalues(choice, part.settings.steps_per_kappa, cell["share"], rng)
                    run = one_pass(choice, part.settings.tail, rng)
                    yield {
                        "panel": part.panel, "N": N, "d": d, "sigma": sigma, "eps": eps, "delta": delta,
                        "kappa": part.kappa, "T": part.T, "series": series, "trial": trial, "value": run.risk,
                        "zeta_first": run.zeta_first, "zeta_last": run.zeta_last,
                    }  # fmt: skip


def _choices(
    spec: Spec, part: Part, design: Design, N: int, offset: float = 0.0
) -> dict[tuple[str, float, float, float], Choice]:
    """The choices of one N by series, label noise and budget; all at the quantile of the settings."""
    settings, cell = part.settings, spec["cell"]
    shift = {"offset": offset} if settings.grid == "random" else {}
    series = (KNOWN, PERTURBED) if part.panel == EIGENVALUES else (ANY_QUANTILE.format(settings.quantile),)
    return {
        (name, sigma, eps, delta): Choice.ours(
            settings, design, N, sigma, eps, delta, part.T, rule=f"q = {settings.quantile:g}", **shift
        )
        for name in series
        for sigma in as_list(cell["sigmas"])
        for eps, delta in cell["budgets"]
    }


def with_perturbed_eigenvalues(choice: Choice, per_kappa: float, share: float, rng: np.random.Generator) -> Choice:
    """The choice with T and step from extreme eigenvalues of X'X / n on a share of the records, plus Gaussian noise.

    Replacing one of n records with |x| <= X moves an eigenvalue of X'X / n by X^2 / n at most (Weyl), so that noise of
    sd sqrt(2) alpha X^2 / n on both of them costs what a gradient costs; these records are in no batch.
    """
    design, n = choice.design, math.ceil(share * choice.N)
    eigenvalues = np.linalg.eigvalsh(descents.wishart_gram(design, n, choice.sigma, rng).xx) / n
    sd = math.sqrt(2.0) * choice.multiplier * choice.x_bound**2 / n
    smallest, largest = eigenvalues[[0, -1]] + sd * rng.standard_normal(2)
    # Floors keep T finite where noise rules: no condition number beyond the dimension's square is looked for.
    largest = max(largest, 1.0 / design.d)
    kappa = largest / min(max(smallest, largest / design.d**2), largest)
    rest = replace(choice, N=choice.N - n, T=max(2, math.ceil(per_kappa * kappa)))
    return replace(rest, step=rest.b / (rest.problem.bound_squared + (rest.b - 1) * largest))


def releases_ext_large(spec: Spec) -> Iterable[Entry]:
    """Yields the ledger entries of a panel: DP-STAT's counts, without a guarantee, because no gradient is clipped."""
    part = Part.of(spec)
    for d in as_list(spec["cell"]["d"]):
        for N in as_list(spec["cell"]["N"]):
            for (series, sigma, eps, delta), choice in _choices(spec, part, part.design(d), N).items():
                size = f"N={N} d={d} kappa={part.kappa:g} sigma={sigma:g} eps={eps:g} delta={delta:g}"
                counts = (choice.search.release(),)
                yield (
                    f"{part.variant}: {part.panel}, {series} {size}",
                    Mechanism(series, counts, "replace-one", "shuffled single pass", math.inf, "none", UNBOUNDED),
                    delta,
                )


# Claims ----------------------------------------------------------------------------------------------------------------

ARTEFACT = "ext_large"
THEOREM: Place = {"artefact": ARTEFACT, "location": "Thm 1.1, Thm 3.7", "kind": "theorem", "source": "paper"}
UNCLIPPED_SUMS = "sums and counts are drawn from their laws, so that nothing is clipped, which in runs on records is one gradient in a hundred"


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges the exponent of d, those of N and eps, then runs with eigenvalues that are not known."""
    yield criteria.at_both_quantiles(lambda quantile: claim_on_all_cells(
        id="theorem-1.1-rate-d", **THEOREM,
        statement=f"the term of privacy is of the order of d^2, log factors hidden {BOTH_QUANTILES}",
        quantity=f"log-log slope in d, at N = 4e6 and eps = 0.05, of {COST}: the one furthest from 2 over sigma; {MEDIAN}",
        cells=_slopes(evidence, quantile, DIMENSION, "d", quantile.runs), criterion=within_of(2.0, criteria.LOGARITHMS),
        changed="The claim was added after a review, which had measured 1.89 on draws of its own, d from 5 to 40. After a first look d went to 160, because four d left the slope open at 99 %, 1.84 in [1.61, 2.06].", note=UNCLIPPED_SUMS,
    ))  # fmt: skip
    at_90, at_99 = criteria.QUANTILES.values()
    yield criteria.at_quantiles({
        "the grid of Algorithm 3 and 90 %": _optimal(evidence, at_90, "main"),
        "a random offset of it and 90 %": _optimal(evidence, at_90, "random grid"),
        "the grid of Algorithm 3 and 99 %": _optimal(evidence, at_99, "q = 0.99"),
        "a random offset of it and 99 %": _optimal(evidence, at_99, "q = 0.99, random grid"),
    })  # fmt: skip
    table = {name: risks(evidence, ARTEFACT, name, panel=EIGENVALUES) for name in (KNOWN, PERTURBED)}
    yield claim_on_all_cells(
        id="perturbed-eigenvalues", **THEOREM | {"location": "Remark after Thm 3.1"},
        statement="the extreme eigenvalues of the Hessian can be estimated privately by output perturbation, and the rates remain the same up to constants (DP-STAT at 90 %)",
        quantity=f"risk with T and step from eigenvalues by output perturbation, on a tenth of the records, over that with known ones: the largest over N and kappa; {MEDIAN}",
        cells=algebra.ratios(table[PERTURBED], table[KNOWN], ["N", "kappa"]), criterion=at_most(criteria.SAME_ORDER),
        changed="The claim was added after a review, its criterion before any run.",
        note=f"noise for |x| below a bound that holds for all records with high probability; R_x and |w*|_H stay known, and the estimates are for DP-AMBSSGD, where the remark stands after DP-SSGD's theorem; {UNCLIPPED_SUMS}",
    )  # fmt: skip
    yield _as_printed(evidence)


# Sizes at which both conditions of the proof of Theorem 3.7 hold, budget, c_1 of T = c_1 log N, and simulated passes.
PRINTED_N, PRINTED_D, PRINTED_SIGMA, PRINTED_BUDGET, PRINTED_C_1, PASSES = 10**10, 10, 0.1, (1.0, 1e-6), 4.0, 40
# Order statistics, counted from 0, between which the median of forty values lies with a probability of 96.2 %.
LOWER, UPPER = 13, 26


def printed_choice(w_norm: float, margin: float) -> Choice:
    """The choice with everything that Theorem 3.7 and Algorithms 2 and 3 print, but for the record that slices share."""
    eps, delta = PRINTED_BUDGET
    T = 2 * math.ceil(ambssgd.steps_of_theorem(PRINTED_N, 1.0, PRINTED_C_1) / 2.0)
    doublings = math.ceil(ambssgd.WIDTH_POWER * math.log2(PRINTED_N))
    settings = Settings({"w_norm": w_norm, "margin": margin, "stat_share": ambssgd.STAT_SHARE, "tail": 0.5})
    return Choice(
        Design.of(PRINTED_D, 1.0, w_norm), PRINTED_N, PRINTED_SIGMA, eps, delta, T, settings, "as published", LOG_POWER,
        published_multiplier(eps, delta), doublings, 0.0, wide=True,
    )  # fmt: skip


# Cached, because whoever judges again draws the same passes; the run is an argument, so that another one is drawn anew.
@functools.cache
def _printed_risks(run: Callable[..., Pass], w_norm: float, margin: float) -> tuple[float, ...]:
    """Risks of simulated passes with printed parameters, in rising order."""
    choice = printed_choice(w_norm, margin)
    streams = (stream(1, PAPER, "as printed", trial) for trial in range(PASSES))
    return tuple(sorted(run(choice, choice.settings.tail, rng).risk for rng in streams))


def _as_printed(evidence: Evidence) -> Claim:
    """Judges Theorem 3.7 with all of its parameters at once, by passes that are simulated here."""
    w_norm, margin = (float(evidence.settings_of(ARTEFACT)[name]) for name in ("w_norm", "margin"))
    bound = ambssgd.two_terms(ambssgd.setting_of(printed_choice(w_norm, margin)))
    shares = np.array(_printed_risks(one_pass, w_norm, margin)) / bound
    return criteria.claim(
        id="theorem-3.7-as-printed", **THEOREM | {"location": "Thm 3.7, Algorithms 2 and 3"},
        statement="(the median run) with T = c_1 kappa log N, s = b/10, Delta = B/N^200, B, alpha, eta and log^a N as printed, all at once, excess risk is at most 8 sigma^2 d/N + O~(sigma^2 kappa^2 d^2 log(1/delta) / (eps N)^2)",
        quantity=f"median risk of {PASSES} passes over both terms with the constants and logarithms that Lemma 3.11 gives them, d = {PRINTED_D}, N = {PRINTED_N:g}, sigma = {PRINTED_SIGMA:g}, kappa = 1, eps = 1, c_1 = {PRINTED_C_1:g}; {criteria.PRINTED_MEDIAN}",
        measured=statistics.Estimate(*map(float, (np.median(shares), shares[LOWER], shares[UPPER]))), criterion=at_most(1.0),
        changed="The claim was added after a review, which had run twenty passes: a median of a quarter of the bound, a worst of five times the bound. After a first look passes were doubled and kappa = 4 was left out, where the second term is half of the bound, and the median near it, so that seconds of simulation do not decide.",
        note=f"passes are simulated when the claim is judged, from seeds of their own; s >= 2 Gamma and the lemma's condition on b hold; {(shares > 1.0).sum()} of {PASSES} passes are above both terms, the largest {shares[-1]:.3g} times, because DP-STAT's threshold overshoots (findings dp-stat-break-rule and high-probability); {UNCLIPPED_SUMS}",
    )  # fmt: skip


def _slopes(evidence: Evidence, quantile: Quantile, panel: str, axis: str, variant: str) -> Places:
    """Log-log slopes of the cost of privacy along an axis, by sigma."""
    cost = cost_of_privacy(risks(evidence, ARTEFACT, quantile.series, variant, panel=panel))
    return algebra.measured_by(cost, ["sigma"], lambda group: algebra.exponent(group, axis))


def _optimal(evidence: Evidence, quantile: Quantile, variant: str) -> Claim:
    """The claim on both exponents at one quantile, on the grid of a variant."""
    slopes = {
        f"in {axis}, {place}": slope
        for axis, panel in (("N", RECORDS), ("eps", EPSILONS))
        for place, slope in _slopes(evidence, quantile, panel, axis, variant).items()
    }
    return claim_on_all_cells(
        id="optimal-exponents-quantile", **THEOREM | {"location": "Sec. 1, Sec. 4", "kind": "text"},
        statement=f"the error related to privacy is (nearly) optimal in N and eps: both lower bounds' exponents are attained {BOTH_QUANTILES}",
        quantity=f"log-log slopes in N and in eps of {COST}, less -2: the one that is furthest off",
        cells={place: statistics.less_number(slope, -2.0) for place, slope in slopes.items()}, criterion=within_of(0.0, criteria.LOGARITHMS),
        changed=f"{criteria.NOT_OURS} Until a review N went from 100,000 to 800,000, where three octaves on a grid of factors of two left the claim open at every reading: -2.49 on the grid, -2.18 in [-2.31, -2.05] on a random one; the review had measured -2.0 at the N of today, on a random grid. After a first look N and eps were at seven places, because four and five left slopes open.",
        note=f"at 99 % and eps = 0.001 the noise of a count is about what the quantile leaves out, one residual in a hundred, so that thresholds are those of another quantile there; {UNCLIPPED_SUMS}",
    )  # fmt: skip
