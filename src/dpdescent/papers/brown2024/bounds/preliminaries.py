"""The preliminaries of brown2024 beside what was measured, and the rates that it states without constants."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.brown2024.bounds import runs
from dpdescent.papers.brown2024.bounds.cases import SIGMA, Experiment, compared, in_words, quantile
from dpdescent.papers.brown2024.reading import LOW
from dpdescent.papers.brown2024.theory import concentration, errors
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import CHANCE, ORDER, chance, identity, row, stated
from dpdescent.replication.judging.evidence import Bound, Evidence

SQUARE = "A.12"
# Dimensions for which the rates are looked up by name: the figures' and one beyond them.
DIMENSIONS = (10, 100, 1000)
RATES = f"logarithms too; {ORDER}"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates rows of the preliminaries, then of the rates: at Figure 1's points, and where they reach 1."""
    for found in each(evidence.select("table_preliminaries")):
        yield from _square(evidence, found) if found["quantity"].startswith(SQUARE) else [_probability(found)]
    yield from _at_figure_1(runs.dimension(evidence, "fig01"))
    yield from _gradients(Experiment(evidence, "fig03", "Figure 3"))
    yield from _sizes(evidence)


def _probability(found: pd.Series) -> Bound:
    claim = "Lemma" if found["quantity"].startswith("A.11") else "Claim"
    why = f"measured is a share of {found['trials']} draws, {CHANCE} above allowed"
    location = f"{claim} {found['quantity'].split(':')[0]}"
    return row(
        bound=found["quantity"], location=location, setting=f"p={found['p']}", value=found["bound"],
        measured=found["mean"], direction="at most", note=why, allowed=chance(found),
    )  # fmt: skip


def _square(evidence: Evidence, found: pd.Series) -> Iterator[Bound]:
    """Yields the exact mean, from which n follows, and the claim at constant 1."""
    p, beta = int(found["p"]), evidence.settings["beta"]
    n = round(SIGMA**2 * p / found["bound"]) + p + 1
    text, name = f"p={p}, n={n}", "|theta_hat - theta*|^2"
    why = f"equality: sigma^2 p / (n - p - 1); measured is the mean, {CHANCE} either way allowed"
    yield identity(
        bound=f"mean {name}", location="Claim A.12", setting=text, value=found["bound"], measured=found["mean"],
        allowed=chance(found), note=why,
    )  # fmt: skip
    value = concentration.least_squares_bound(n=n, p=p, sigma=SIGMA, beta=beta)
    measured = float(found[quantile(beta)])
    whose = f"measured is {in_words(quantile(beta))}; {compared(measured, value)}"
    why = f"sigma^2 (p + ln(1/beta)) / n; {whose}; c' = 1: {ORDER}"
    yield stated(bound=name, location="Claim A.12", setting=text, value=value, note=why, measured=measured)


def _at_figure_1(experiment: Experiment) -> Iterator[Bound]:
    series = (("AdaSSP", "theta_star", "rate p^1.5 / n of AdaSSP", "Sec. 4.1"),
              ("DP-GD", "theta_hat", "rate sigma p / (sqrt(rho) n) of DP-GD", "(1)"),
              ("OLS", "theta_star", "rate sigma sqrt(p/n) of least squares", "(1)"))  # fmt: skip
    for name, target, bound, location in series:
        for found in each(experiment.rows(series=name, error_to=target)):
            case = experiment.case(n=found["n"], p=found["p"])
            at = case.setting
            rate = errors.rates(n=at.n, p=at.p, rho=at.rho, sigma=SIGMA)
            value = {"AdaSSP": rate.adassp, "DP-GD": rate.privacy, "OLS": rate.sampling}[name]
            yield stated(
                bound=bound, location=location, setting=case.size, value=value,
                note=f"measured is the mean error; {RATES}", measured=found["mean"],
            )  # fmt: skip


def _gradients(experiment: Experiment) -> Iterator[Bound]:
    """Yields how large gradients are: the paper's order, and that of the Cauchy-Schwarz inequality."""
    for p, rows in experiment.rows().groupby("p"):
        rare = rows[rows["mean"] <= LOW]["gamma"]
        at = errors.rates(n=rows["n"].iloc[0], p=int(p), rho=experiment.value("rho"), sigma=SIGMA)
        why = f"measured is the smallest threshold of the figure that clips at most {LOW:.0%} of the gradients; {RATES}"
        measured = float(rare.min()) if len(rare) else None
        for name, value in (("sigma sqrt(p)", at.gradient), ("p, trivially", at.trivial_gradient)):
            yield stated(
                bound=f"size of a gradient, {name}", location="Sec. 1.2", setting=f"Figure 3: p={p}", value=value,
                note=why, measured=measured,
            )  # fmt: skip


def _sizes(evidence: Evidence) -> Iterator[Bound]:
    rho = evidence.settings["rho"]
    for p in DIMENSIONS:
        at = errors.rates(n=1, p=p, rho=rho, sigma=SIGMA)
        setting, growth = f"p={p}, rho={rho:g}", math.sqrt(p)
        sizes = {
            "p^1.5 / n of AdaSSP is 1": (at.adassp_records, "Sec. 1.2, 4.1"),
            "p / n of DP-GD is 1": (at.records, "Thm 1.2"),
            "sigma p / (sqrt(rho) n) is 1": (at.privacy, "(1)"),
            "sigma p / (sqrt(rho) n) is sigma sqrt(p/n)": (p / rho, "(1)"),
        }
        for name, (n, location) in sizes.items():
            yield stated(bound=f"n at which {name}, p = {p}", location=location, setting=setting, value=n, note=RATES)
        yield stated(
            bound=f"growth of AdaSSP's error at fixed p/n, from 1 to p = {p}", location="Sec. 4.1", setting=setting,
            value=growth, note=RATES,
        )  # fmt: skip
