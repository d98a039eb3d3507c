"""Rates inside Theorem 4.1's window: Corollaries 5.3, 5.5 and 5.6, DP-GD and GD of wang2026, with their own B and T.

All are upper bounds: runs are consistent with a rate if their slope is no shallower, with the logarithms of the bound.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dpdescent.papers.wang2026 import by_seed, corollaries, training, window
from dpdescent.papers.wang2026.arms import Arm, Noise
from dpdescent.papers.wang2026.by_seed import Seeds
from dpdescent.papers.wang2026.criteria import (
    AGREES,
    ANY_EXPONENT,
    FAILURE,
    LOGARITHMS,
    PUBLISHED,
    REPLACED,
    TAIL,
    claim,
    claim_on_all_cells,
    follows,
    no_faster,
    one_of,
    range_of,
    regime,
    rows,
    scale,
    seeds,
)
from dpdescent.papers.wang2026.localisation import AT_CONSTANT_1, FOUR_ALLOWED, gaps
from dpdescent.papers.wang2026.setting import ADDED, EMPIRICAL, POPULATION, Array, Row, Size, Spec
from dpdescent.papers.wang2026.terms import ANY_FALL, FROM_OUTSIDE, TWICE, WINDOW
from dpdescent.papers.wang2026.window import Projected
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import HIDDEN, HIDDEN_ACCUSED, Regime
from dpdescent.replication.judging.statistics import Estimate, exactly
from dpdescent.sums import added


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


RATES = "ext_window_rates"
AT_THE_CEILING = "Before a review a slope within a tenth of the power was asked of runs that begin at the ceiling of the loss, with seeds taken for independent."
LOGARITHMS_ALLOWED = "Until a second list of objections log^2 T + log(n/delta), 37 to 98, was allowed, which the statement does not name."
HALF_WAS_ENOUGH = "Until a referee objected an exponent of a half was enough, which a risk as n^-0.3 meets where n^-0.5 is said; what is missed is open, as an order hides its constants and other terms."
# Id, panel, accountant, series, words of the rate.
RUNS = (
    ("corollary-5.3-population", "Corollary 5.3", PUBLISHED, POPULATION, "1/(gamma sqrt(n)) + sqrt(d)/(gamma^4 n eps)"),
    ("corollary-5.3-empirical", "Corollary 5.3", PUBLISHED, EMPIRICAL, "1/(gamma sqrt(n)) + sqrt(d)/(gamma^4 n eps)"),
    ("corollary-5.5-population", "Corollary 5.5", REPLACED, POPULATION, "1/(gamma sqrt(n)) + sqrt(d)/(gamma^3 n eps)"),
    ("corollary-5.5-empirical", "Corollary 5.5", REPLACED, EMPIRICAL, "1/(gamma sqrt(n)) + sqrt(d)/(gamma^3 n eps)"),
    ("corollary-5.6-population", "Corollary 5.6", "none", POPULATION, "1/(gamma^2 n)"),
    ("corollary-5.6-empirical", "Corollary 5.6", "none", EMPIRICAL, "1/n"),
    ("dp-gd-population", "DP-GD", REPLACED, POPULATION, "sqrt(d)/(gamma^3 n eps)"),
    ("dp-gd-empirical", "DP-GD", REPLACED, EMPIRICAL, "sqrt(d)/(gamma^3 n eps)"),
    ("gd-rate-n-population", "GD", "none", POPULATION, "1/(gamma^2 n)"),
    ("gd-rate-n-empirical", "GD", "none", EMPIRICAL, "1/n"),
)  # fmt: skip
# Place of a panel's rate in the paper, and its source in the table of rates.
PLACES = {
    "Corollary 5.3": "Corollary 5.3", "Corollary 5.5": "Corollary 5.5", "Corollary 5.6": "Corollary 5.6",
    "DP-GD": "Sec. 5.2, App. D.3", "GD": "App. E (full-batch GD)",
}  # fmt: skip
SOURCES = PLACES | {"GD": "App. E"}
# Id, corollary, accountant, axis, words. What noise adds is judged, as the paper's parts are judged by themselves.
PARTS = (
    ("corollary-5.3-eps", "Corollary 5.3", TAIL, "eps", "grows no faster than 1/eps"),
    ("corollary-5.5-eps", "Corollary 5.5", REPLACED, "eps", "grows no faster than 1/eps"),
    ("corollary-5.3-d", "Corollary 5.3", TAIL, "d", "grows no faster than sqrt(d)"),
    ("corollary-5.5-d", "Corollary 5.5", REPLACED, "d", "grows no faster than sqrt(d)"),
    ("corollary-5.3-margin", "Corollary 5.3", TAIL, "jitter", "grows no faster than 1/gamma^4, and the other part than 1/gamma"),
    ("corollary-5.5-margin", "Corollary 5.5", REPLACED, "jitter", "grows no faster than 1/gamma^3, and the other part than 1/gamma"),
)  # fmt: skip
PANELS = {"eps": "epsilon", "d": "dimension", "jitter": "margin"}


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on powers of n, on epsilon, the dimension and the margin, and on gaps and utility."""
    yield _in_iterations(evidence)
    yield from _in_records(evidence)
    yield _both_rates(evidence)
    yield from _private_parts(evidence)
    yield from _other_powers(evidence)
    yield from _gaps(evidence)
    yield _private_runs_learn(evidence)


def _risks(evidence: Evidence, panel: str, accountant: str, series: str) -> pd.DataFrame:
    return rows(evidence, RATES, panel=panel, accountant=accountant, series=series)


def _logs(row: "pd.Series[float]") -> float:
    """log^2 T + log(n/delta), by which the appendix multiplies the displayed rates (Theorem C.13); 0 without T or n."""
    return math.log(row["T"]) ** 2 + math.log(row["n"] / FAILURE) if row["T"] > 0 and row["n"] > 0 else 0.0


def printed(source: str, row: "pd.Series[float]", part: str = "") -> float:
    """A printed rate at a row, constants 1, without logarithms; 0 where something that it needs is missing.

    Args:
        source: the place of the rate in the paper.
        row: the run, at eps = 1 where it has no noise.
        part: one of the rate's parts, `rate` or `private`, or `empirical` for a rate of its own; empty for the whole.
    """
    (entry,) = (each for each in corollaries.ENTRIES if each.source == source)
    eps = 1.0 if np.isnan(row["eps"]) else float(row["eps"])
    numbers = (float(row["n"]), float(row["d"]), float(row["gamma"]), eps)
    powers = [getattr(entry, part)] if part else [entry.rate, entry.private]
    if not all(number > 0 for number in numbers):
        return 0.0
    return float(added(power.value(corollaries.Point(*numbers)) for power in powers if power is not None))


def _of_part(measured: Seeds, source: str, part: str) -> Array:
    """One part of a printed rate at every place."""
    return scale(measured, lambda row: printed(source, row, part))


def _in_iterations(evidence: Evidence) -> Claim:
    table = rows(evidence, WINDOW, panel="iterations", series=EMPIRICAL)
    largest = algebra.rows_at_end(table, "eta")
    risks = seeds(evidence, WINDOW, EMPIRICAL, "T", panel="iterations", eta=one_of(largest["eta"])).below_ceiling()
    return claim(
        id="gd-rate-t", artefact=WINDOW, location="App. E (full-batch GD)", kind="theorem", source="paper",
        statement="with B = n and eta of the order of one the averaged empirical risk is at most of the order of 1/(gamma^2 T)",
        quantity="exponent of the averaged risk in 1/(gamma^2 T) times log^2 T + log(n/delta), over T and the same seeds, at the largest step that the theorem admits, risks up to log(2)/2",
        measured=risks.exponent(scale(risks, lambda row: _logs(row) / (row["gamma"] ** 2 * row["T"]) if row["gamma"] > 0 and row["T"] > 0 else 0.0)),
        criterion=follows("the rate"), regime=regime(largest).otherwise(HIDDEN), changed=f"{AT_THE_CEILING} {FROM_OUTSIDE} {HALF_WAS_ENOUGH} {TWICE}",
        note=f"m = {range_of(table['m'])}; smaller steps than of the order of one are claim step-term; theorem-e.1-order judges these rows too. {ANY_EXPONENT}",
    )  # fmt: skip


def _exponent_in_records(evidence: Evidence, panel: str, accountant: str, series: str) -> tuple[Estimate, pd.DataFrame]:
    """The exponent of a risk in its printed rate with logarithms, over n, and the rows at which it was read off."""
    source, part = SOURCES[panel], ""
    if series == EMPIRICAL and any(each.source == source and each.empirical for each in corollaries.ENTRIES):
        part = "empirical"
    risks = seeds(evidence, RATES, series, "n", panel=panel, accountant=accountant).below_ceiling()
    table = _risks(evidence, panel, accountant, series)
    used = table[table["n"].isin(risks.places["n"])].reset_index(drop=True)
    return risks.exponent(scale(risks, lambda row: printed(source, row, part) * _logs(row))), used


def _in_records(evidence: Evidence) -> Iterator[Claim]:
    for name, panel, accountant, series, words in RUNS:
        # A risk as n^-0.3 beside a rate of n^-0.5 has the exponent 0.6, and one that does not fall 0.
        exponent, table = _exponent_in_records(evidence, panel, accountant, series)
        yield claim(
            id=name, artefact=RATES, location=PLACES[panel], kind="theorem", source="paper",
            statement=f"with the prescribed B and T the averaged {series} is at most of the order of {words}",
            quantity="exponent of the averaged risk in that rate times log^2 T + log(n/delta), constants 1, over n and the same seeds, risks up to log(2)/2",
            measured=exponent, criterion=follows("the rate"), regime=regime(table).otherwise(HIDDEN), changed=f"{FROM_OUTSIDE} {AT_THE_CEILING} {HALF_WAS_ENOUGH} {TWICE}",
            note=f"n {range_of(table['n'])}, B {range_of(table['B'])}, T {range_of(table['T'])}, kappa {range_of(table['kappa'])}, risks {range_of(table['mean'])}. {ANY_EXPONENT}",
        )  # fmt: skip


def _both_rates(evidence: Evidence) -> Claim:
    arms = {
        "independent, Corollary 5.5": ("Corollary 5.5", REPLACED), "correlated, Corollary 5.3": ("Corollary 5.3", TAIL),
        "correlated, Corollary 5.3, F.12": ("Corollary 5.3", PUBLISHED),
    }  # fmt: skip
    found = {name: _exponent_in_records(evidence, *arm, POPULATION) for name, arm in arms.items()}
    return claim_on_all_cells(
        id="both-attain-the-rate", artefact=RATES, location="Sec. 1, Sec. 5", kind="text", source="paper",
        statement="both independent-noise and correlated-noise DP-SGD attain the rate O(1/sqrt(n) + sqrt(d)/(n eps))",
        quantity="exponent of the averaged population risk in the corollary's rate times log^2 T + log(n/delta), with proved noise, over n and the same seeds, risks up to log(2)/2: the smallest over lambda = 0 and lambda = 0.5",
        cells={name: exponent for name, (exponent, _) in found.items()}, criterion=follows("the rate"),
        changed=f"{FROM_OUTSIDE} {AT_THE_CEILING} {HALF_WAS_ENOUGH} {TWICE}",
        regime=regime(pd.concat([used for _, used in found.values()], ignore_index=True)).otherwise(HIDDEN),
        note=f"{algebra.places_text({name: exponent for name, (exponent, _) in found.items()})}. {ANY_EXPONENT}",
    )  # fmt: skip


def _private_parts(evidence: Evidence) -> Iterator[Claim]:
    """Claims on the part of the rates that privacy adds, along n, by what noise adds to the risk on the same seed."""
    for name, panel, accountants in (
        ("corollary-5.3-private-n", "Corollary 5.3", (PUBLISHED, TAIL)), ("corollary-5.5-private-n", "Corollary 5.5", (REPLACED,)),
    ):  # fmt: skip
        tables = pd.concat(
            [_risks(evidence, panel, accountant, ADDED) for accountant in accountants], ignore_index=True
        )
        exponents: Places = {}
        for accountant in accountants:
            added = seeds(evidence, RATES, ADDED, "n", panel=panel, accountant=accountant)
            exponents[accountant] = added.exponent(_of_part(added, panel, "private") * scale(added, _logs))
        yield claim_on_all_cells(
            id=name, artefact=RATES, location=panel, kind="theorem", source="paper",
            statement="the privacy part of the rate falls as 1/n",
            quantity="exponent of what noise adds to the averaged population risk in that part times log^2 T + log(n/delta), over n and the same seeds: the smallest over multipliers",
            cells=exponents, criterion=follows("that part"), regime=regime(tables).otherwise(HIDDEN), changed=TWICE,
            note=f"what noise adds is {range_of(tables['mean'])}. {ANY_EXPONENT}",
        )  # fmt: skip


def _other_powers(evidence: Evidence) -> Iterator[Claim]:
    for name, corollary, accountant, axis, words in PARTS:
        panel = f"{PANELS[axis]}, {corollary}"
        table = _risks(evidence, panel, accountant, ADDED)
        # A part that grows with the next whole power of its axis has an exponent of at least 1.25, and 3 for sqrt(d).
        added = seeds(evidence, RATES, ADDED, axis, panel=panel, accountant=accountant)
        parts = {"private": added.exponent(_of_part(added, corollary, "private"))}
        if axis == "jitter":
            plain = seeds(evidence, RATES, POPULATION, axis, panel=panel, accountant="none")
            parts["not private"] = plain.exponent(_of_part(plain, corollary, "rate"))
        # A part without an exponent, because what noise adds is negative somewhere, leaves the claim open.
        lost = Regime(
            tuple(f"no exponent of the part that is {part}" for part, found in parts.items() if math.isnan(found.value)),
            because="not decided", why="interval", blocks=("reproduced",),
        )  # fmt: skip
        yield claim_on_all_cells(
            id=name, artefact=RATES, location=corollary, kind="theorem", source="paper",
            statement=f"the risk is at most of the order of the rate, whose private part {words}",
            quantity=f"exponent of what noise adds to the averaged population risk in the private part{', and of the risk without noise in the other,' if axis == 'jitter' else ''} along {'the margin' if axis == 'jitter' else axis} over the same seeds: the largest",
            cells=parts, criterion=no_faster("its part", LOGARITHMS), regime=regime(table).otherwise(lost),
            changed=f"{FROM_OUTSIDE if name in ('corollary-5.3-eps', 'corollary-5.3-d') else ''} Before a review the whole risk was judged, which is mostly not private, with seeds taken for independent.".strip(),
            note=f"kappa {range_of(table['kappa'])}, margins {range_of(table['gamma'])}, what noise adds {range_of(table['mean'])}",
        )  # fmt: skip
    panel = "epsilon, Corollary 5.3"
    table = _risks(evidence, panel, TAIL, POPULATION)
    risks = seeds(evidence, RATES, POPULATION, "eps", panel=panel, accountant=TAIL)
    yield claim(
        id="risk-falls-with-eps", artefact=RATES, location="Corollary 5.3", kind="theorem", source="ours",
        statement="(ours) as the privacy-dependent part of the rate does, the risk of runs falls with eps", quantity="averaged population risk at the largest eps over that at the smallest, on the same seeds",
        measured=risks.estimate(lambda means: float(means[-1] / means[0]) if len(means) > 1 else math.nan), criterion=at_most(1.0), regime=regime(table), changed=FROM_OUTSIDE,
        note="the paper speaks of the bound, here runs are judged",
    )  # fmt: skip
    panel = "margin, Corollary 5.5"
    plain = seeds(evidence, RATES, POPULATION, "jitter", panel=panel, accountant="none")
    yield claim(
        id="corollary-5.6-margin", artefact=RATES, location="Corollary 5.6, Theorem E.1", kind="theorem", source="paper",
        statement="without noise the population risk grows no faster than 1/gamma^2 in the margin",
        quantity="exponent of the averaged population risk in 1/gamma^2, along the margin over the same seeds",
        measured=plain.exponent(scale(plain, lambda row: float(row["gamma"]) ** -2.0 if row["gamma"] > 0 else 0.0)),
        criterion=no_faster("1/gamma^2"), regime=regime(_risks(evidence, panel, "none", POPULATION)), changed=f"{ANY_FALL} {TWICE}",
        note=f"margins {range_of(plain.places['gamma'])}",
    )  # fmt: skip


def _gaps(evidence: Evidence) -> Iterator[Claim]:
    for name, panel, accountant, place in (
        ("gd-gap", "GD", "none", "App. E (full-batch GD)"), ("corollary-5.5-gap", "Corollary 5.5", REPLACED, "Corollary 5.5 (proof)"),
    ):  # fmt: skip
        where = {"panel": panel, "accountant": accountant}
        both = by_seed.together(*(seeds(evidence, RATES, series, "n", **where) for series in (POPULATION, EMPIRICAL)))
        yield claim_on_all_cells(
            id=name, artefact=RATES, location=place, kind="theorem", source="paper",
            statement="the generalization gap is of the order of 1/(gamma^2 n)",
            quantity="difference of averaged risks on the same seeds times gamma^2 n, constant 1, no logarithms: the largest over n",
            cells=gaps(both, ("n",), lambda row, _: 1.0 / (row["gamma"] ** 2 * row["n"]) if row["gamma"] > 0 and row["n"] > 0 else 0.0),
            criterion=at_most(1.0, AT_CONSTANT_1), regime=regime(_risks(evidence, panel, accountant, POPULATION)).otherwise(HIDDEN), changed=f"{HIDDEN_ACCUSED} {FOUR_ALLOWED} {LOGARITHMS_ALLOWED}",
        )  # fmt: skip


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
