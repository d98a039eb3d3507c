"""Claims about Theorem 4.1: its bound beside runs, the directions of its terms, clipping."""

import math
from collections.abc import Iterator

from dpdescent.papers.wang2026.claims import conditions
from dpdescent.papers.wang2026.claims.quantities import range_of
from dpdescent.papers.wang2026.reading import AGREES, EMPIRICAL, LOGARITHMS, POPULATION, every, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.statistics import exactly

BOUNDS, BATCH, CLIPPING, LONG = "bound_vs_run", "batch", "clipping", "rate_T"
RUN = ("panel", "n", "T", "B", "m", "d", "lam", "eta", "kappa")
# Id, bound, location, panel (all where None), whose statement it is, words for the steps.
EXPLICIT: tuple[tuple[str, str, str, str | None, Source, str], ...] = (
    ("lemma-c.11-admissible-step", "C.11", "Lemmas C.3, C.11", "admissible step", "paper", "of the order of the steps that it admits"),
    ("lemma-c.11-large-step", "C.11", "Lemmas C.3, C.11", "step of the experiments", "ours", "above those that it admits"),
    ("theorem-d.13", "D.13", "Theorem D.13", None, "paper", "with constants of ours where the theorem hides them"),
)  # fmt: skip
ORDERS = (
    ("theorem-4.1-order", "A_corr", "Theorem 4.1"),
    ("theorem-d.14-order", "A_van", "Theorem D.14"),
    ("theorem-e.1-order", "A_non", "Theorem E.1"),
)
NOISE_TERMS = (
    ("noise-term-batch", "T fixed", "falls at least like kappa/B", -1.0),
    ("noise-term-batch-fixed-gradients", "T B fixed", "falls at least like kappa/(B sqrt(T)), B^-1/2 at fixed TB", -0.5),
)  # fmt: skip
THRESHOLDS: tuple[tuple[str, str, Source, str], ...] = (
    ("clipping-inactive", "G_delta", "paper", ""),
    ("clipping-inactive-sharp", "G_sharp", "ours", "(ours) with the sharp threshold that knows the frozen second layer: "),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the level of the bound, on the directions of its terms, and on clipping."""
    yield from _explicit(evidence)
    yield from _orders(evidence)
    yield from _batch(evidence)
    yield from _clipping(evidence)


def _explicit(evidence: Evidence) -> Iterator[Claim]:
    for name, bound, place, panel, source, words in EXPLICIT:
        where = {} if panel is None else {"panel": panel}
        table = rows(evidence, BOUNDS, bound=bound, series="bound", term="total", **where)
        yield every(
            id=name, artefact=BOUNDS, location=place, kind="theorem", source=source,
            statement="the averaged empirical risk is at most the explicit bound with high probability",
            quantity=f"({words}) averaged empirical risk of runs over the bound: the largest over lambda, kappa and constants",
            cells=_over_bound(evidence, bound, **where), criterion=at_most(1.0),
            regime=conditions.of_bound(evidence, table), note=f"the bound is {range_of(table['mean'])}",
        )  # fmt: skip


def _over_bound(evidence: Evidence, bound: str, **where: str) -> Places:
    """Measured risk over a bound at the same run; constants are matched where runs have them."""
    table = rows(evidence, BOUNDS, bound=bound, series="bound", term="total", **where)
    runs = rows(evidence, BOUNDS, series=EMPIRICAL, **where)
    found: Places = {}
    for constants, group in table.groupby("constants", dropna=False):
        own = runs[(runs["constants"] == constants) | runs["constants"].isna()]
        matched = algebra.ratios(own, group, RUN, ("panel", "T", "lam", "kappa"))
        found |= {f"{place}, {constants} constants": each for place, each in matched.items()}
    return found


def _orders(evidence: Evidence) -> Iterator[Claim]:
    for name, bound, place in ORDERS:
        table = rows(evidence, BOUNDS, bound=bound, series="bound", term="total")
        yield every(
            id=name, artefact=BOUNDS, location=place, kind="theorem", source="paper",
            statement=f"the averaged empirical risk is at most of the order of {bound}",
            quantity=f"averaged empirical risk over {bound}: the largest over steps, lambda and kappa",
            cells=_over_bound(evidence, bound),
            criterion=at_most(1.0, ": consistent with the order, hidden constants 1"),
            regime=conditions.of_bound(evidence, table, conditions.CONSTANT_1),
        )  # fmt: skip


def _batch(evidence: Evidence) -> Iterator[Claim]:
    plain = rows(evidence, BATCH, series=EMPIRICAL, panel="T fixed", kappa=0)
    yield every(
        id="batch-term", artefact=BATCH, location="Theorem 4.1", kind="theorem", source="ours",
        statement="without noise the bound falls with B: its terms are 1/(gamma sqrt(BT)) and eta/B",
        quantity="averaged empirical risk at the largest B over that at the smallest, T fixed, kappa = 0: the largest over eta",
        cells=algebra.by(plain, ["eta"], lambda group: algebra.ends(group, "B")), criterion=at_most(1.0),
        regime=conditions.theorems(evidence, plain), note="the paper speaks of the bound, here runs are judged",
    )  # fmt: skip
    for name, panel, words, power in NOISE_TERMS:
        table = rows(evidence, BATCH, series=EMPIRICAL, panel=panel)
        noisy, plain = table[table["kappa"] > 0], table[table["kappa"] == 0]
        added = algebra.differences(noisy, plain, ("n", "T", "B", "eta"))
        yield every(
            id=name, artefact=BATCH, location="Theorem 4.1", kind="theorem", source="ours",
            statement=f"what noise adds to the bound {words}",
            quantity=f"log-log slope in B, {panel}, of the averaged empirical risk less that without noise: the largest over eta",
            cells=algebra.by(added, ["eta"], lambda group: algebra.exponent(group, "B")),
            criterion=at_most(power + LOGARITHMS, ": consistent with an upper bound of that order, up to logarithms"),
            regime=conditions.theorems(evidence, added), note="the paper speaks of the bound, here runs are judged",
        )  # fmt: skip
    longer = rows(evidence, LONG, series=EMPIRICAL)
    yield every(
        id="iterations-term", artefact=LONG, location="Theorem 4.1, Theorem E.1", kind="theorem", source="ours",
        statement="the bound falls with T: 1/(gamma^2 eta T) and 1/(gamma sqrt(BT))",
        quantity="averaged empirical risk without noise at the largest T over that at the smallest: the largest over batch sizes and eta",
        cells=algebra.by(longer, ["panel", "eta"], lambda group: algebra.ends(group, "T")), criterion=at_most(1.0),
        regime=conditions.theorems(evidence, longer), note="the paper speaks of the bound, here runs are judged",
    )  # fmt: skip


def _clipping(evidence: Evidence) -> Iterator[Claim]:
    for name, rule, source, words in THRESHOLDS:
        table = rows(evidence, CLIPPING, series=POPULATION, clip_rule=rule)
        shares = table.assign(mean=table["clipped"], se=math.nan)
        yield every(
            id=name, artefact=CLIPPING, location="Sec. 4.3 (step 1), eq. (5)", kind="theorem", source=source,
            statement=f"{words}under C_clip >= G_delta clipping is inactive",
            quantity="share of gradients clipped: the largest over lambda and eta",
            cells=algebra.means(shares, ("C_clip", "lam", "eta")), criterion=at_most(0.0),
            note=f"C_clip {range_of(table['C_clip'])}",
        )  # fmt: skip
    table = rows(evidence, CLIPPING, series=POPULATION)
    best = {
        f"{rule}, lam = {lam:g}": exactly(group["mean"].min())
        for (rule, lam), group in table.groupby(["clip_rule", "lam"])
    }
    yield every(
        id="clipping-scale", artefact=CLIPPING, location="Sec. 4.2", kind="text", source="ours",
        statement="our analysis suggests the clipping scale C_clip of the order of G_delta: (ours) runs with noise learn at that threshold",
        quantity="averaged population risk at the best step over log 2, the loss of an output of 0, at G_delta: the largest over lambda",
        cells={place: exactly(each.value / math.log(2.0)) for place, each in best.items() if place.startswith("G_delta")},
        criterion=at_most(1.0 - AGREES), regime=conditions.theorems(evidence, table[table["clip_rule"] == "G_delta"]),
        changed="Before a review it was judged outside of the conditions that its siblings are held to.",
        note=f"with Theorem F.8's noise at eps = 1, the least of all; the paper says sufficient for its bounds, not best. Risks at the best steps: {algebra.told(best)}",
    )  # fmt: skip
