"""Rates inside Theorem 4.1's window: Corollaries 5.3, 5.5 and 5.6, DP-GD and GD of wang2026, with their own B and T.

All are upper bounds: runs are consistent with a rate if their slope is no shallower, with the logarithms of the bound.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dpdescent.papers.wang2026 import criteria, training, window
from dpdescent.papers.wang2026.arms import Arm, Noise
from dpdescent.papers.wang2026.criteria import (
    AGREES,
    FAILURE,
    LOGARITHMS,
    PUBLISHED,
    RATE,
    REPLACED,
    SAME_ORDER,
    TAIL,
    claim,
    claim_on_all_cells,
    range_of,
    regime,
    rows,
    setting,
)
from dpdescent.papers.wang2026.localisation import gap
from dpdescent.papers.wang2026.setting import EMPIRICAL, POPULATION, Row, Size, Spec
from dpdescent.papers.wang2026.terms import FROM_OUTSIDE, WINDOW, room
from dpdescent.papers.wang2026.window import Projected
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.judging import algebra, statistics
from dpdescent.replication.judging.criteria import Criterion, at_least, at_most, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import HIDDEN, HIDDEN_ACCUSED
from dpdescent.replication.judging.statistics import Estimate, exactly


@dataclass(frozen=True, kw_only=True)
class Prescribed(Projected):
    """Runs whose batches and iterations follow a corollary.

    Orders are taken times a constant: B and T are the corollary's, and the theorem admits the step. The multipliers are
    proved for the batches of Algorithm 1 where a claim rests on them.

    Attributes:
        rule: the corollary.
        n, rho: records, and the share of them in a batch, where the corollary leaves that open.
        times: the constant of T.
        eta: the step, times B/n for Corollary 5.6.
        noise: correlations with their accountants.
        eps, delta_power: privacy levels, and a in delta = n^-a.
        C_clip: the threshold.
    """

    rule: str
    n: int
    times: float
    eta: float
    C_clip: float
    delta_power: float
    rho: float = 1.0
    noise: tuple[tuple[float, str], ...] = ()
    eps: tuple[float, ...] = ()

    @property
    def size(self) -> Size:
        """n, and B and T as the corollary prescribes them, in whole numbers.

        Raises:
            ValueError: if there is no such prescription.
        """
        n, gamma, root = self.n, self.gamma, self.n**0.5
        batch = gamma * root
        prescriptions = {
            "Corollary 5.3": (self.rho * n, root / gamma),
            "Corollary 5.5": (batch, root / gamma),
            "Corollary 5.6": (batch, n**2 / (gamma**2 * batch)),
            "DP-GD": (n, n),
            "GD": (n, n / gamma**2),
        }  # fmt: skip
        if self.rule not in prescriptions:
            raise ValueError(f"rule={self.rule!r} is none of {list(prescriptions)}")
        B, T = prescriptions[self.rule]
        return Size(n, max(1, round(B)), max(2, round(self.times * T)))

    def arms(self) -> list[Arm]:
        """Returns a run without noise, and one for every correlation, with its accountant, and epsilon."""
        size, delta = self.size, self.n**-self.delta_power
        eta = self.eta * (size.r if self.rule == "Corollary 5.6" else 1.0)
        noises = [
            training.calibrated_noise(self, size, accountant, lam, eps, delta)
            for lam, accountant in self.noise
            for eps in self.eps
        ]
        if size.n == size.B:
            noises = [replace(noise, sampler="full batch") for noise in noises]
        return [Arm(noise, self.C_clip, eta) for noise in (Noise.fixed(size, 0.0, 0.0, delta), *noises)]


def run_ext_window_rates(spec: Spec) -> Iterator[Row]:
    """Yields rows of one cell: averaged risks of every noise and seed, at every size and jitter."""
    for task in Prescribed.at_places(spec):
        yield from window.with_seeds(window.rows(task, task.arms(), [task.size.T]), task.by_seed)


def releases_ext_window_rates(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of one cell."""
    for task in Prescribed.at_places(spec):
        yield from training.entries(task, task.arms(), f" d={task.d} jitter={task.jitter:g}")


LOGS_LEFT_OUT = "Before a review the logarithms of the bound were left out, which asks for more than it says."


def rate(power: float) -> Criterion:
    """The criterion of a power as an upper bound, its logarithms divided out."""
    return at_most(power + RATE, f": consistent with an upper bound of power {power:g}")


def without_logs(evidence: Evidence, table: pd.DataFrame) -> pd.DataFrame:
    """Risks divided by log^2 T + log(n/delta), by which the appendix multiplies the displayed rates (Theorem C.13).

    delta is the failure probability of the theorems.
    """
    delta = setting(evidence, "delta_conf")
    T, n = algebra.floats(table, "T"), algebra.floats(table, "n")
    defined = (T > 0) & (n > 0) & (delta > 0)
    logs = np.log(np.where(defined, T, 1.0)) ** 2 + np.log(np.where(defined, n, 1.0) / (delta if delta > 0 else 1.0))
    return algebra.scaled_rows(table, np.where(defined & (logs > 0), 1.0 / np.where(logs > 0, logs, 1.0), math.nan))


RATES = "ext_window_rates"
# Id, panel, accountant, series, power of n, the paper's words.
RUNS = (
    ("corollary-5.3-population", "Corollary 5.3", PUBLISHED, POPULATION, -0.5, "1/(gamma sqrt(n)) + sqrt(d)/(gamma^4 n eps)"),
    ("corollary-5.3-empirical", "Corollary 5.3", PUBLISHED, EMPIRICAL, -0.5, "1/(gamma sqrt(n)) + sqrt(d)/(gamma^4 n eps)"),
    ("corollary-5.5-population", "Corollary 5.5", REPLACED, POPULATION, -0.5, "1/(gamma sqrt(n)) + sqrt(d)/(gamma^3 n eps)"),
    ("corollary-5.5-empirical", "Corollary 5.5", REPLACED, EMPIRICAL, -0.5, "1/(gamma sqrt(n)) + sqrt(d)/(gamma^3 n eps)"),
    ("corollary-5.6-population", "Corollary 5.6", "none", POPULATION, -1.0, "1/(gamma^2 n)"),
    ("corollary-5.6-empirical", "Corollary 5.6", "none", EMPIRICAL, -1.0, "1/n"),
    ("dp-gd-population", "DP-GD", REPLACED, POPULATION, -1.0, "sqrt(d)/(gamma^3 n eps)"),
    ("dp-gd-empirical", "DP-GD", REPLACED, EMPIRICAL, -1.0, "sqrt(d)/(gamma^3 n eps)"),
    ("gd-rate-n-population", "GD", "none", POPULATION, -1.0, "1/(gamma^2 n)"),
    ("gd-rate-n-empirical", "GD", "none", EMPIRICAL, -1.0, "1/n"),
)  # fmt: skip
PLACES = {
    "Corollary 5.3": "Corollary 5.3", "Corollary 5.5": "Corollary 5.5", "Corollary 5.6": "Corollary 5.6",
    "DP-GD": "Sec. 5.2, App. D.3", "GD": "App. E (full-batch GD)",
}  # fmt: skip
# Id, panel, accountant, axis, power of the rate in that axis, words.
CUTS = (
    ("corollary-5.3-eps", "epsilon, Corollary 5.3", TAIL, "eps", -1.0, "it falls no faster than 1/eps"),
    ("corollary-5.5-eps", "epsilon, Corollary 5.5", REPLACED, "eps", -1.0, "it falls no faster than 1/eps"),
    ("corollary-5.3-d", "dimension, Corollary 5.3", TAIL, "d", 0.5, "it grows no faster than sqrt(d)"),
    ("corollary-5.5-d", "dimension, Corollary 5.5", REPLACED, "d", 0.5, "it grows no faster than sqrt(d)"),
    ("corollary-5.3-margin", "margin, Corollary 5.3", TAIL, "gamma", -4.0, "it grows no faster than 1/gamma^4"),
    ("corollary-5.5-margin", "margin, Corollary 5.5", REPLACED, "gamma", -3.0, "it grows no faster than 1/gamma^3"),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on powers of n, on epsilon, the dimension and the margin, and on gaps and utility."""
    yield _in_iterations(evidence)
    yield from _in_records(evidence)
    yield from _both_rates(evidence)
    yield from _other_powers(evidence)
    yield from _gaps(evidence)
    yield _private_runs_learn(evidence)


def _risks(evidence: Evidence, panel: str, accountant: str, series: str) -> pd.DataFrame:
    return rows(evidence, RATES, panel=panel, accountant=accountant, series=series)


def _in_iterations(evidence: Evidence) -> Claim:
    table = rows(evidence, WINDOW, panel="iterations", series=EMPIRICAL)
    largest = algebra.rows_at_end(table, "eta")
    return claim_on_all_cells(
        id="gd-rate-t", artefact=WINDOW, location="App. E (full-batch GD)", kind="theorem", source="paper",
        statement="with B = n and eta of the order of one the averaged empirical risk is at most of the order of 1/(gamma^2 T)",
        quantity="log-log slope in T of the averaged risk over log^2 T + log(n/delta), at the largest step that the theorem admits",
        cells=algebra.measured_by(without_logs(evidence, largest), ["eta"], lambda group: algebra.exponent(group, "T")),
        criterion=rate(-1.0), regime=regime(largest), changed=f"{LOGS_LEFT_OUT} {FROM_OUTSIDE}",
        note=f"m = {range_of(table['m'])}; smaller steps than of the order of one are claim step-term",
    )  # fmt: skip


def _in_records(evidence: Evidence) -> Iterator[Claim]:
    for name, panel, accountant, series, power, words in RUNS:
        table = _risks(evidence, panel, accountant, series)
        # Risks are scaled to one margin, because the margin of few records is a little wider than the margin of many.
        at_margin = algebra.scaled_rows(table, algebra.floats(table, "gamma") ** (1.0 if power > -1.0 else 2.0))
        yield claim(
            id=name, artefact=RATES, location=PLACES[panel], kind="theorem", source="paper",
            statement=f"with the prescribed B and T the averaged {series} is at most of the order of {words}",
            quantity=f"log-log slope in n of the averaged risk times gamma^{'1' if power > -1.0 else '2'} over log^2 T + log(n/delta)",
            measured=algebra.exponent(without_logs(evidence, at_margin), "n"), criterion=rate(power),
            regime=regime(table), changed=FROM_OUTSIDE,
            note=f"n {range_of(table['n'])}, B {range_of(table['B'])}, T {range_of(table['T'])}, kappa {range_of(table['kappa'])}, risks {range_of(table['mean'])}",
        )  # fmt: skip


def _both_rates(evidence: Evidence) -> Iterator[Claim]:
    arms = {
        "independent, Corollary 5.5": ("Corollary 5.5", REPLACED), "correlated, Corollary 5.3": ("Corollary 5.3", TAIL),
        "correlated, Corollary 5.3, F.12": ("Corollary 5.3", PUBLISHED),
    }  # fmt: skip
    tables = {name: _risks(evidence, *arm, POPULATION) for name, arm in arms.items()}
    slopes = {name: algebra.exponent(without_logs(evidence, table), "n") for name, table in tables.items()}
    proved = pd.concat(
        [tables[name] for name in ("independent, Corollary 5.5", "correlated, Corollary 5.3")], ignore_index=True
    )
    yield claim_on_all_cells(
        id="both-attain-the-rate", artefact=RATES, location="Sec. 1, Sec. 5", kind="text", source="paper",
        statement="both independent-noise and correlated-noise DP-SGD attain the rate O(1/sqrt(n) + sqrt(d)/(n eps))",
        quantity="log-log slope in n of the averaged population risk over log^2 T + log(n/delta), with proved noise: the larger of lambda = 0 and lambda = 0.5",
        cells={name: slopes[name] for name in ("independent, Corollary 5.5", "correlated, Corollary 5.3")}, criterion=rate(-0.5),
        changed=FROM_OUTSIDE, regime=regime(proved), note=f"all arms: {algebra.places_text(slopes)}",
    )  # fmt: skip
    yield claim(
        id="rates-match", artefact=RATES, location="Sec. 5.1 (interpretation)", kind="text", source="ours",
        statement="the displayed rate matches the independent-noise rate asymptotically",
        quantity="log-log slope in n of the averaged population risk over its logarithms, with proved noise: lambda = 0.5 at Corollary 5.3's B and T less lambda = 0 at Corollary 5.5's",
        measured=statistics.minus(slopes["correlated, Corollary 5.3"], slopes["independent, Corollary 5.5"]),
        criterion=within_of(0.0, LOGARITHMS), regime=regime(proved), changed=FROM_OUTSIDE,
        note="the paper compares printed rates, here runs are compared",
    )  # fmt: skip


def _other_powers(evidence: Evidence) -> Iterator[Claim]:
    for name, panel, accountant, axis, power, words in CUTS:
        table = _risks(evidence, panel, accountant, POPULATION)
        falls = power < 0
        yield claim(
            id=name, artefact=RATES, location=panel.split(", ")[1], kind="theorem", source="paper",
            statement=f"the risk is at most of the order of the rate: in {axis} {words}",
            quantity=f"log-log slope in {axis} of the averaged population risk",
            measured=algebra.exponent(table, axis),
            criterion=at_least(power - LOGARITHMS) if falls else at_most(power + LOGARITHMS),
            regime=regime(table), changed=FROM_OUTSIDE if name in ("corollary-5.3-eps", "corollary-5.3-d") else "",
            note=f"kappa {range_of(table['kappa'])}, margins {range_of(table['gamma'])}, risks {range_of(table['mean'])}",
        )  # fmt: skip
    table = _risks(evidence, "epsilon, Corollary 5.3", TAIL, POPULATION)
    yield claim(
        id="risk-falls-with-eps", artefact=RATES, location="Corollary 5.3", kind="theorem", source="ours",
        statement="the privacy-dependent part of the rate falls with eps", quantity="averaged population risk at the largest eps over that at the smallest",
        measured=algebra.last_over_first(table, "eps"), criterion=at_most(1.0), regime=regime(table), changed=FROM_OUTSIDE,
        note="the paper speaks of the bound, here runs are judged",
    )  # fmt: skip
    margins = _risks(evidence, "margin, Corollary 5.5", "none", POPULATION)
    yield claim_on_all_cells(
        id="corollary-5.6-margin", artefact=RATES, location="Corollary 5.6, Theorem E.1", kind="theorem", source="paper",
        statement="without noise the population risk grows no faster than 1/gamma^2 in the margin",
        quantity="averaged population risk times gamma^2 over the same at the narrowest margin: the largest",
        cells=room(margins, lambda row: float(row["gamma"]) ** -2.0 if row["gamma"] > 0 else 0.0, ("jitter",)),
        criterion=at_most(SAME_ORDER), regime=regime(margins).otherwise(HIDDEN), changed=HIDDEN_ACCUSED, note=f"margins {range_of(margins['gamma'])}",
    )  # fmt: skip


def _gaps(evidence: Evidence) -> Iterator[Claim]:
    for name, panel, accountant, place in (
        ("gd-gap", "GD", "none", "App. E (full-batch GD)"), ("corollary-5.5-gap", "Corollary 5.5", REPLACED, "Corollary 5.5 (proof)"),
    ):  # fmt: skip
        population, empirical = (_risks(evidence, panel, accountant, series) for series in (POPULATION, EMPIRICAL))
        pairs = algebra.paired_rows(population, empirical, ("n", "T", "B"))
        yield claim_on_all_cells(
            id=name, artefact=RATES, location=place, kind="theorem", source="paper",
            statement="the generalization gap is of the order of 1/(gamma^2 n)",
            quantity="difference of averaged risks times gamma^2 n, over log^2 T + log(n/delta), constant 1: the largest over n",
            cells={algebra.place_of(row, ("n",)): _scaled_gap(row, other) for row, other in pairs},
            criterion=at_most(SAME_ORDER), regime=regime(population).otherwise(HIDDEN), changed=HIDDEN_ACCUSED,
        )  # fmt: skip


def _scaled_gap(row: "pd.Series[float]", other: "pd.Series[float]") -> Estimate:
    share = gap(row, other)
    logs = math.log(row["T"]) ** 2 + math.log(row["n"] / FAILURE)
    factor = row["eta"] * row["T"] * other["mean"] * row["gamma"] ** 2 / logs
    return criteria.times(share, factor)


def _private_runs_learn(evidence: Evidence) -> Claim:
    table = rows(evidence, RATES, series=POPULATION)
    noisy = table[(algebra.floats(table, "kappa") > 0) & table["accountant"].isin([REPLACED, TAIL])]
    last = pd.concat(
        [algebra.rows_at_end(group, "n") for _, group in noisy[noisy["panel"].isin(PLACES)].groupby("panel")]
        or [noisy[:0]]
    )
    shares = {
        algebra.place_of(row, ("panel", "n", "accountant")): exactly(row["mean"] / math.log(2.0))
        for row in algebra.rows_of(last)
    }
    return claim_on_all_cells(
        id="clipping-scale", artefact=RATES, location="Sec. 4.2", kind="text", source="ours",
        statement="the analysis suggests the clipping scale C_clip of the order of G_delta: (ours) private runs learn at a threshold that clips nothing",
        quantity="averaged population risk of private runs at eps = 1 over log 2, the loss of an output of 0, at the most records: the largest over corollaries",
        cells=shares, criterion=at_most(1.0 - AGREES), regime=regime(last.reset_index(drop=True)),
        changed=f"Before a review it was judged outside of the conditions that its siblings are held to. {FROM_OUTSIDE}",
        note=f"C_clip {range_of(np.asarray(last['C_clip'], dtype=float))}, the sharp gradient bound; the paper says sufficient for its bounds, not best",
    )  # fmt: skip
