"""What the exact law of brown2024's iterates says of its intervals, beside simulated coverage (Figures 5, 10).

Theorem 3.1 hides constants, and so does Claim C.11. What stands for them is explicit: the divergence of the estimates'
joint law from m independent ones, and Pinsker's inequality (`algorithms.gaussian_law`).
"""

from collections.abc import Iterator

import pandas as pd

from dpdescent.algorithms.gaussian_law import Construction, EstimatesLaw, pinsker
from dpdescent.papers.brown2024.bounds import runs
from dpdescent.papers.brown2024.bounds.cases import SIGMA, Case, Experiment, ends
from dpdescent.papers.brown2024.runs.constructions import BATCHED
from dpdescent.papers.brown2024.theory import coverage
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import CHANCE, ORDER, VACUOUS, chance, is_met, pick, row, stated
from dpdescent.replication.judging.evidence import Bound, Evidence

LAG1 = "lag1"
THEOREM: tuple[Construction, ...] = ("independent runs", "checkpoints")
C10 = "Claim C.10, Thm 3.1"
BY_PINSKER = "by the exact law on each data set and Pinsker's inequality"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of simulated coverage, of the autocorrelation, then of the theorem's estimates T iterations apart."""
    for artefact, place in runs.COVERAGE.items():
        yield from _guaranteed(Experiment(evidence, artefact, place, "exact"))
        for process in ("clipped", "exact"):
            yield from _autocorrelation(Experiment(evidence, artefact, place, process))
    yield from _theorem(Experiment(evidence, "ext_no_clipping", "coverage", "coverage"))


def _guaranteed(experiment: Experiment) -> Iterator[Bound]:
    """Yields the guaranteed coverage of runs without clipping, as Theorem 3.1 supposes."""
    table = experiment.rows(process="exact")
    rows = table[table["series"].isin(runs.CONSTRUCTIONS)]
    for found in each(rows):
        case = runs.constructed(experiment, found)
        theorem = "; the paper has no theorem for them" if found["series"] == BATCHED else ""
        empty = f"; {VACUOUS}" if found["guaranteed"] <= 0 else ""
        why = f"1 - alpha - TV, mean over coordinates, {BY_PINSKER}; {CHANCE} below allowed{theorem}{empty}"
        yield row(
            bound="guaranteed coverage", location=C10, setting=case.text, value=found["guaranteed"],
            measured=found["mean"], direction="at least", note=why, allowed=chance(found),
        )  # fmt: skip
    for n in ends(rows, "n"):
        of_size = rows[rows["n"] == n]
        for found in each(of_size[of_size["steps"] == of_size["steps"].max()]):
            text = runs.constructed(experiment, found).text
            why = "of ideal estimates, exact; measured is that of the longest runs without clipping"
            yield stated(
                bound="coverage", location="Claim C.9", setting=text, value=experiment.level, note=why,
                measured=found["mean"],
            )  # fmt: skip


def _autocorrelation(experiment: Experiment) -> Iterator[Bound]:
    """Yields the lag-1 autocorrelation of the shortest and the longest run of every size, which clipping may raise."""
    table = experiment.rows(process=experiment.panel, series=LAG1)
    for _, rows in table.groupby("n"):
        for found in each(rows[rows["steps"].isin(ends(rows, "steps"))]):
            case = experiment.case(n=found["n"], T=found["steps"], place=f"{experiment.place}, {experiment.panel}")
            why = f"1 - eta s at s = 1, without clipping; {found['clip_fraction']:.2%} of the gradients are clipped"
            value = 1.0 - experiment.value("eta")
            yield stated(
                bound="lag-1 autocorrelation", location="(92) to (94)", setting=case.text, value=value, note=why,
                measured=found["mean"],
            )  # fmt: skip


def _theorem(experiment: Experiment) -> Iterator[Bound]:
    """Yields rows of Theorem 3.1's own estimates: last iterates of m runs of T steps, or every T-th of one run."""
    rows = experiment.rows(panel="coverage")
    for (p, n, T), group in rows.groupby(["p", "n", "T"]):
        for construction in THEOREM:
            case = experiment.case(
                n=n, p=p, T=T, k=experiment.evidence.settings["clip_factor"], runs=experiment.value("m"),
                place=f"Thm 3.1, {construction}",
            )  # fmt: skip
            yield from _loss(experiment, case, construction, group[group["series"] == f"TV bound, {construction}"])
            yield from _steps(experiment, case)


def _loss(experiment: Experiment, case: Case, construction: Construction, rows: pd.DataFrame) -> Iterator[Bound]:
    law, alpha = estimates(case, construction), experiment.evidence.settings["alpha"]
    tv, measured = float(pinsker(law.coordinate_divergences()).max()), pick(rows, "mean")
    why = "worst coordinate, Sigma = I with theta_hat along it; measured is the same by the law on data, their mean"
    yield stated(
        bound="loss of coverage by Pinsker's inequality", location="Claim C.10", setting=case.text, value=tv,
        note=why + _empty(tv), measured=measured,
    )  # fmt: skip
    worst = pick(rows, "q975")
    if worst is not None:
        kept = coverage.guaranteed_coverage(alpha, worst)
        why = f"1 - alpha - TV, worst coordinate, 2.5 % quantile over data sets, {BY_PINSKER}"
        yield stated(bound="guaranteed coverage", location=C10, setting=case.text, value=kept, note=why + _empty(worst))
    together = float(pinsker(law.divergence()))
    why = f"all coordinates together, Sigma = I{_empty(together)}"
    yield stated(
        bound="TV of all estimates by Pinsker's inequality", location="Thm 3.1", setting=case.text, value=together,
        note=why,
    )  # fmt: skip
    near = coverage.closeness(law)
    limit = "" if near.beta <= 0.5 else f"; {VACUOUS}: above 1/2, where the claim says nothing"
    why = f"Sigma = I; TV is at most K times it, K is not given; mean {near.mean:.3g}, covariance {near.covariance:.3g}"
    yield stated(
        bound="beta of Claim C.11", location="Claim C.11, (95), (96)", setting=case.text, value=near.beta,
        note=why + limit,
    )  # fmt: skip


def estimates(case: Case, construction: Construction) -> EstimatesLaw:
    """The joint law of the theorem's m estimates where Sigma is the identity."""
    at = case.setting
    tail = 1 if construction == "independent runs" else None
    return case.law.estimates(construction, at.releases, at.runs, burn_in=0, tail=tail)


def _steps(experiment: Experiment, case: Case) -> Iterator[Bound]:
    at = case.setting
    needed = coverage.required_steps(
        sigma=SIGMA, m=at.runs, p=at.p, eta=at.eta, noise_sd=at.noise_sd, beta=case.beta
    )  # fmt: skip
    why = f"ln(sigma m p / (eta lambda beta)) for a loss of beta; measured is T: {is_met(needed <= at.T)}; {ORDER}"
    yield stated(bound="T of Theorem 3.1", location="Thm 3.1", setting=case.text, value=needed, note=why, measured=at.T)


def _empty(tv: float) -> str:
    return f"; {VACUOUS}: 1 or more bounds nothing" if tv >= 1.0 else ""
