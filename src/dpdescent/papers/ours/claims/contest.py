"""Conjectures on which method has the smallest excess risk.

Excess risks are medians over data sets, because those of a noisy inverse have no mean.
"""

import math
from collections.abc import Callable, Iterator, Sequence

import pandas as pd

from dpdescent.papers.ours import decision
from dpdescent.papers.ours.contenders.field import (
    ADAPTIVE,
    AMBSSGD,
    BOOSTED,
    BOOSTED_THEIRS,
    FIXED,
    FTRL,
    MIXING,
    MIXING_THEIRS,
    OLS,
    OUTPUT,
    PRIVATE,
    PUBLISHED,
    REGRESSION,
    RULE,
    SCHEDULED,
    SSGD,
    SUMS,
    TUKEY,
    TUNED,
    WHITENED,
    ZERO,
)  # fmt: skip
from dpdescent.papers.ours.contest_design import information
from dpdescent.papers.ours.reading import claim, claim_on_all_cells, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate, exactly

PLACE = ["panel", "n", "p", "eps", "sigma", "kappa", "law"]
PLAIN, SINGLE_PASSES = (FIXED, RULE, ADAPTIVE), (AMBSSGD, PUBLISHED, SSGD, FTRL)
# Methods of others that had not been in the field at first.
RIVALS = (TUKEY, BOOSTED, BOOSTED_THEIRS, MIXING, MIXING_THEIRS)
# In n sqrt(rho) / p: with fewer records a second moment of the covariates is mostly noise; from many on privacy is cheap.
ENOUGH, MANY = 50.0, 100.0
BEFORE = (
    "The criterion is as before DP regression, DP-SGD with Poisson batches, TukeyEM, BoostedAdaSSP and Hessian mixing "
    "were in the field, when the claim was about DP-GD with a schedule, preconditioned or plain, and was {}."
)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges who wins where, who loses, what preconditioning is worth, and the rule that follows."""
    delta = evidence.settings["dp_delta"]
    table = rows(evidence, "win_map")
    table = table.assign(information=[_information(row, delta) for row in algebra.rows_of(table)])
    yield from _winners(table)
    yield from _losers(table)
    yield from _preconditioning(table)
    yield from _advice(table, delta)


def _information(row: "pd.Series[float]", delta: float) -> float:
    return information(row["n"], row["p"], row["eps"], delta)


def over(first: "pd.Series[float]", second: "pd.Series[float]") -> Estimate:
    """The ratio of two medians, with the ends of independent logarithms."""
    return Estimate(*decision.ratio(first.to_dict(), second.to_dict()))


def against(
    table: pd.DataFrame, firsts: Sequence[str], seconds: Sequence[str], keys: Sequence[str] = PLACE
) -> Places:  # fmt: skip
    """The smallest excess risk of some methods over the smallest of others, by cell."""
    found: Places = {}
    for _, cell in table.groupby(list(keys), sort=True):
        best = [cell[cell["series"].isin(names)].sort_values("median") for names in (firsts, seconds)]
        if all(len(each) for each in best):
            found[algebra.place_of(cell.iloc[0], keys)] = over(best[0].iloc[0], best[1].iloc[0])
    return found


def others(*names: str) -> tuple[str, ...]:
    return tuple(name for name in PRIVATE if name not in names)


def _winners(table: pd.DataFrame) -> Iterator[Claim]:
    yield claim(
        id="regression-wins-most-cells", artefact="win_map", location="Sec. 3", kind="text",
        statement="DP regression has the smallest excess risk of all private methods in most cells",
        quantity="share of cells in which it is the best private method; the interval's ends are cells in which that is certain, and in which it is possible",
        measured=share_of_wins(against(table, (REGRESSION,), others(REGRESSION))), criterion=at_least(0.5), changed=BEFORE.format("reproduced"),
    )  # fmt: skip
    many = table[table["information"] >= MANY]
    yield claim_on_all_cells(
        id="regression-near-the-best-with-many-records", artefact="win_map", location="Sec. 3", kind="text",
        statement="where records are many nothing is much better than DP regression, whatever the noise, the correlation of the columns and the laws",
        quantity=f"excess risk of DP regression over the smallest of all other private methods, n sqrt(rho) / p from {MANY:g} on",
        cells=against(many, (REGRESSION,), others(REGRESSION)), criterion=at_most(1.25),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="regression-nearly-free", artefact="win_map", location="Sec. 3", kind="text",
        statement="privacy is nearly free there",
        quantity=f"excess risk of DP regression over that of OLS, which is not private, n sqrt(rho) / p from {10 * MANY:g} on",
        cells=against(table[table["information"] >= 10 * MANY], (REGRESSION,), (OLS,)), criterion=at_most(2.0),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="rivals-lose-to-regression", artefact="win_map", location="Sec. 3", kind="text",
        statement="TukeyEM, BoostedAdaSSP and Hessian mixing are beaten by it wherever anything can be known",
        quantity=f"smallest excess risk of the three, the last two also with their authors' numbers of rounds, over that of DP regression, n sqrt(rho) / p from {decision.RUNGS[-2][0]:g} on",
        cells=against(table[table["information"] >= decision.RUNGS[-2][0]], RIVALS, (REGRESSION,)), criterion=at_least(1.0),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="tukey-beats-descents-where-noise-is-tiny", artefact="win_map", location="Sec. 3", kind="text",
        statement="without DP regression the advice of before would be wrong where records are many and label noise is tiny: TukeyEM has far less excess risk than preconditioned DP-GD",
        quantity="excess risk of preconditioned DP-GD over TukeyEM's, n of 30,000 and more, sigma below 0.1",
        cells=against(table[(table["n"] >= 30_000) & (table["sigma"] < 0.1)], (WHITENED,), (TUKEY,)), criterion=at_least(10.0),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="zero-where-nothing-is-known", artefact="win_map", location="Sec. 3", kind="text",
        statement="with too few records nobody is better than the estimate 0",
        quantity=f"smallest excess risk of all others over that of the estimate 0, n sqrt(rho) / p below {decision.HOPELESS:g}",
        cells=against(table[table["information"] < decision.HOPELESS], others(ZERO), (ZERO,)), criterion=at_least(0.9),
    )  # fmt: skip
    some = table[(table["information"] >= decision.HOPELESS) & (table["information"] < ENOUGH)]
    yield claim_on_all_cells(
        id="plain-descents-with-few-records", artefact="win_map", location="Sec. 3", kind="text",
        statement="with few records plain DP-GD is better than the preconditioned one",
        quantity=f"smallest excess risk of plain DP-GD (fixed, by the rule, with DP-STAT) over the preconditioned one's, n sqrt(rho) / p from {decision.HOPELESS:g} to {ENOUGH:g}",
        cells=against(some, PLAIN, (WHITENED,)), criterion=at_most(1.0),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="stat-where-label-noise-is-tiny", artefact="win_map", location="Sec. 3", kind="text",
        statement="DP-STAT is the best where label noise is tiny, because thresholds can follow residuals down",
        quantity="excess risk of DP-GD with DP-STAT over the smallest of all other private methods, sigma below 0.1",
        cells=against(table[table["sigma"] < 0.1], (ADAPTIVE,), others(ADAPTIVE)), criterion=at_most(1.0),
    )  # fmt: skip


def share_of_wins(ratios: Places) -> Estimate:
    """The share of ratios below 1, with the shares that are certainly and possibly so."""
    if not ratios:
        return exactly(math.nan)
    counted: Sequence[Callable[[Estimate], float]] = (
        lambda each: each.value, lambda each: each.high, lambda each: each.low,
    )  # fmt: skip
    shares = [sum(end(each) <= 1.0 for each in ratios.values()) / len(ratios) for end in counted]
    return Estimate(*shares)


def _losers(table: pd.DataFrame) -> Iterator[Claim]:
    yield claim_on_all_cells(
        id="sums-lose", artefact="win_map", location="Sec. 3", kind="text",
        statement="noisy sums without a ridge are never near the best",
        quantity="excess risk of sufficient statistics over the smallest of all other private methods",
        cells=against(table, (SUMS,), others(SUMS)), criterion=at_least(1.25),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="single-passes-lose-at-small-n", artefact="win_map", location="Sec. 3", kind="text",
        statement="a single pass is far from the best up to ten thousand records",
        quantity="smallest excess risk of single passes (DP-AMBSSGD, DP-SSGD, nu-DP-FTRL) over that of all other private methods, n at most 10,000",
        cells=against(table[(table["n"] <= 10_000) & (table["information"] >= decision.HOPELESS)], SINGLE_PASSES,
                      others(*SINGLE_PASSES)),
        criterion=at_least(2.0),
        changed="The criterion is the first one. After its verdict nu-DP-FTRL was made to take records in a random order.",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="output-perturbation-loses", artefact="win_map", location="Sec. 3", kind="text",
        statement="a noisy minimiser is not near the best",
        quantity="excess risk of output perturbation over the smallest of all other private methods, n sqrt(rho) / p from 3 on",
        cells=against(table[table["information"] >= decision.HOPELESS], (OUTPUT,), others(OUTPUT)),
        criterion=at_least(1.25),
    )  # fmt: skip


def _preconditioning(table: pd.DataFrame) -> Iterator[Claim]:
    enough = table[table["information"] >= ENOUGH]
    yield claim_on_all_cells(
        id="preconditioning-pays", artefact="win_map", location="Sec. 3", kind="text",
        statement="a third of the budget on the covariates' second moment pays where they are far from isotropic",
        quantity=f"excess risk of scheduled DP-GD over that of the preconditioned one, kappa = 50, n sqrt(rho) / p from {ENOUGH:g} on",
        cells=against(enough[enough["kappa"] == 50], (SCHEDULED,), (WHITENED,)), criterion=at_least(1.5),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="preconditioning-costs-little", artefact="win_map", location="Sec. 3", kind="text",
        statement="and costs little where they are isotropic",
        quantity=f"excess risk of the preconditioned DP-GD over that of the scheduled one, kappa = 1, n sqrt(rho) / p from {ENOUGH:g} on",
        cells=against(enough[enough["kappa"] == 1], (WHITENED,), (SCHEDULED,)), criterion=at_most(2.0),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="preconditioned-near-the-oracle", artefact="win_map", location="Sec. 3", kind="text",
        statement="preconditioned DP-GD by its rule is about as good as published DP-GD with constants that an oracle chose",
        quantity=f"excess risk of preconditioned DP-GD over that of the oracle's DP-GD, n sqrt(rho) / p from {ENOUGH:g} on",
        cells=against(enough, (WHITENED,), (TUNED,)), criterion=at_most(2.0),
    )  # fmt: skip


def _advice(table: pd.DataFrame, delta: float) -> Iterator[Claim]:
    regrets = regret(table, delta)
    values = sorted(each.value for each in regrets.values() if not math.isnan(each.value))
    yield claim(
        id="advice-is-usually-best", artefact="win_map", location="Sec. 3", kind="text",
        statement="the rule names the best private method, or one next to it, in most cells",
        quantity="median over cells of the advised method's excess risk over the smallest of all private methods",
        measured=exactly(values[len(values) // 2]) if values else exactly(math.nan), criterion=at_most(1.1),
    )  # fmt: skip
    yield claim_on_all_cells(
        id="advice-is-never-bad", artefact="win_map", location="Sec. 3", kind="text",
        statement="where it does not, little is lost",
        quantity="excess risk of the advised method over the smallest of all private methods, by cell",
        cells=regrets, criterion=at_most(2.0),
    )  # fmt: skip


def regret(table: pd.DataFrame, delta: float) -> Places:
    """The excess risk of the advised method over the smallest of all private methods, by cell."""
    found: Places = {}
    for _, cell in table.groupby(PLACE, sort=True):
        first = cell.iloc[0]
        advised = decision.advice(first["n"], first["p"], first["eps"], delta)
        found |= against(cell, (advised,), PRIVATE)
    return found
