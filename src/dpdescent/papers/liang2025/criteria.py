"""The paper's words as numbers, and the records that carry its key: shared by all of its judgements."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from dpdescent.replication.judging import algebra, records
from dpdescent.replication.judging.criteria import Criterion, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Verdict
from dpdescent.replication.judging.records import Place
from dpdescent.replication.judging.statistics import Z95, Estimate, median_of, paired_ratio, ratio_of_estimates

PAPER = "liang2025"

claim = partial(records.claim, PAPER)
claim_on_all_cells = partial(records.claim_on_all_cells, PAPER)
judged_claim = partial(records.judged_claim, PAPER)
untestable_claim = partial(records.untestable_claim, PAPER)
finding = partial(records.finding, PAPER)

# The place of claims on the theorem by runs without clipping.
THEOREM: Place = {"artefact": "table_rates", "location": "Theorem 3.1, eq. (7)", "kind": "theorem", "source": "paper"}

# "significantly larger", "grows significantly", "diverges": at least twice.
SIGNIFICANT = 2.0
# "comparable", "fairly insensitive", "stable": within a factor of two.
COMPARABLE = 2.0
# "consistent with", "converges": within a tenth of the 2SLS estimate.
CLOSE = 0.1
# "decreases at the rate": the exponent within a tenth.
RATE = 0.1
# "clipping does not occur": at most one gradient in a hundred; "with high probability": in nine runs of ten.
RARELY, LIKELY = 0.01, 0.9
# "plateau": the error changes by at most a quarter.
LEVEL = 1.25

# Variants that read a value which the paper leaves open; a variant that changes a stated value reads nothing.
READINGS = (
    "clip constant 1", "clip constant 2", "clip constant 15", "clip constant 100", "step constants",
    "parameters redrawn", "first-stage budget 1000", "population curvature", "clip constant 1 at rho = 0.1",
)  # fmt: skip
# Columns of tables with the quantile 1 - exp(-tau), by tau.
QUANTILES = {0.6931: "median", 1.3863: "q75", 2.3026: "q90", 2.9957: "q95", 3.6889: "q975"}
DECIDED = ("reproduced", "not reproduced")
# Points at the end of an axis from which an exponent over an order is computed.
LAST = 3


def at_readings(
    evidence: Evidence, artefacts: Sequence[str], judge: Callable[[Evidence], Iterable[Claim]], strict: bool = False
) -> Iterator[Claim]:
    """Yields claims on artefacts, each held to every reading of an unstated value that their tables have."""
    others = {
        variant: {reading.claim: reading for reading in judge(read_as(evidence, artefacts, variant))}
        for variant in READINGS
        if any((evidence.tables[name]["variant"] == variant).any() for name in artefacts)
    }
    for main in judge(evidence):
        readings = {name: claims[main.claim] for name, claims in others.items() if main.claim in claims}
        yield held_to(main, readings, strict)


def held_to(main: Claim, readings: Mapping[str, Claim], strict: bool = False) -> Claim:
    """A claim in view of the same one at other readings of an unstated value: open if one of them decides otherwise.

    A reading that measures the very same number is left out, because it has no rows of its own in these panels.

    Args:
        strict: whether a reading whose interval straddles the criterion contradicts "reproduced" too, because the value
            of the main reading was chosen after a look at the data; else it does not, because variants have fewer
            trials. "Not reproduced" it always contradicts, because a refutation must stand at every reading.
    """
    others = {name: other for name, other in readings.items() if _numbers(other) != _numbers(main) and _measures(other)}
    if not others or not _measures(main):
        return main
    measured = "; ".join(f"{other.measured:.3g} ({other.verdict}) at {name}" for name, other in others.items())
    note = "; ".join(filter(None, [main.note, f"other readings: {measured}"]))
    if main.verdict not in DECIDED:
        return replace(main, note=note)
    all_speak = strict or main.verdict == "not reproduced"
    verdicts = {name: other.verdict for name, other in others.items() if all_speak or other.verdict in DECIDED}
    shared = records.agreement({"the main reading": main.verdict, **verdicts})
    return replace(main, verdict=shared.verdict, why=shared.why, note=note)


def _numbers(claim: Claim) -> tuple[float | None, ...]:
    return claim.measured, claim.low, claim.high


def _measures(claim: Claim) -> bool:
    return claim.verdict != "not testable" and claim.measured is not None


def at_draws(main: Claim, verdicts: Sequence[Verdict]) -> Claim:
    """A claim in view of other draws of the parameters, which the paper leaves open: open if one decides otherwise.

    A draw that is open contradicts "not reproduced" too, as in `held_to`.
    """
    counts = ", ".join(f"{verdict} at {verdicts.count(verdict)}" for verdict in dict.fromkeys(verdicts))
    summary = f"of {len(verdicts)} other draws of the parameters: {counts or 'none'}"
    note = "; ".join(filter(None, [main.note, summary]))
    heard = (*DECIDED, "inconclusive") if main.verdict == "not reproduced" else DECIDED
    readings = {f"draw {k}": verdict for k, verdict in enumerate(verdicts) if verdict in heard}
    if main.verdict not in DECIDED or not readings:
        return replace(main, note=note)
    shared = records.agreement({"the main draw": main.verdict, **readings})
    return replace(main, verdict=shared.verdict, why=shared.why, note=note)


def read_as(evidence: Evidence, artefacts: Sequence[str], variant: str) -> Evidence:
    """The evidence with a variant's rows in place of the main ones, panel by panel where a table has panels."""

    def instead(table: pd.DataFrame) -> pd.DataFrame:
        chosen, replaced = table[table["variant"] == variant], table["variant"] == "main"
        if "panel" in table:
            replaced &= table["panel"].isin(chosen["panel"])
        return pd.concat([chosen.assign(variant="main"), table[~replaced]], ignore_index=True) if len(chosen) else table

    return Evidence(evidence.spec, {**evidence.tables, **{name: instead(evidence.tables[name]) for name in artefacts}})


def median_ratios(first: pd.DataFrame, second: pd.DataFrame, keys: Sequence[str]) -> algebra.Places:
    """Ratios of medians at equal places; the ends combine the medians' bootstrap intervals in the worst way."""
    return {
        algebra.place_of(row, keys): ratio_of_estimates(median_of(row), median_of(other))
        for row, other in algebra.paired_rows(first, second, keys)
    }


def paired_ratios(
    first: pd.DataFrame, second: pd.DataFrame, differences: pd.DataFrame, on: Sequence[str], named_by: Sequence[str] = (),
) -> algebra.Places:  # fmt: skip
    """Ratios of mean errors at equal places by `paired_ratio`; places without a row of differences are left out."""
    known = {tuple(row[name] for name in on): row for row in algebra.rows_of(differences)}
    return {
        algebra.place_of(row, named_by or on): paired_ratio(row, other, known[place])
        for row, other in algebra.paired_rows(first, second, on)
        if (place := tuple(row[name] for name in on)) in known
    }


def no_faster() -> Criterion:
    """The criterion for an exponent over the order of an upper bound."""
    return at_most(RATE, ": no faster than the order, up to a tenth in the exponent")


def exponent_over(rows: pd.DataFrame, axis: str, order: "Callable[[pd.Series[float]], float]") -> Estimate:
    """The exponent of the mean divided by an order, from an axis's last points, because an order is about its end."""
    ends = rows[rows[axis].isin(sorted(set(rows[axis]))[-LAST:])].reset_index(drop=True)
    return algebra.least_squares_slope(
        algebra.scaled_rows(ends, np.array([1.0 / order(row) for row in algebra.rows_of(ends)])), axis
    )


def by_tau(row: "pd.Series[float]") -> pd.DataFrame:
    """The quantiles 1 - exp(-tau) of a row in place of its mean, one row for each tau that has a column.

    The median has its bootstrap interval. Another quantile's is by order statistics: the quantiles at levels that are
    two standard errors of a share away, between the columns, and beyond the last one with the slope in tau there.
    """
    taus, values = np.array(list(QUANTILES)), np.array([float(row[column]) for column in QUANTILES.values()])

    def at(tau: float) -> float:
        k = min(max(int(np.searchsorted(taus, tau)), 1), len(taus) - 1)
        return float(values[k - 1] + (values[k] - values[k - 1]) * (tau - taus[k - 1]) / (taus[k] - taus[k - 1]))

    errors = [(float(row["median_high"]) - float(row["median_low"])) / (2.0 * Z95)]
    for tau in taus[1:]:
        beyond = math.exp(-tau)
        reach = Z95 * math.sqrt(beyond * (1.0 - beyond) / float(row["trials"]))
        low, high = at(-math.log(beyond + reach)), at(-math.log(max(beyond - reach, 0.1 * beyond)))
        errors.append((high - low) / (2.0 * Z95))
    return pd.DataFrame([row] * len(values)).assign(tau=taus, mean=values, se=errors)


def panel_rows(evidence: Evidence, panel: str, quantity: str) -> pd.DataFrame:
    """The rows of one quantity of `table_rates` along one axis."""
    return evidence.select("table_rates", panel=panel, quantity=quantity)
