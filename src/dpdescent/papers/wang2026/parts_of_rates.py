"""Powers of the parts of Corollaries 5.3 and 5.5 of wang2026 along records, epsilon, the dimension and the margin.

What noise adds to the risk on the same seed is judged by the private part of a rate, as the paper has parts by themselves.
"""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.wang2026.by_seed import Seeds
from dpdescent.papers.wang2026.criteria import (
    ANY_EXPONENT,
    LOGARITHMS,
    PUBLISHED,
    REPLACED,
    TAIL,
    claim,
    claim_on_all_cells,
    follows,
    no_faster,
    range_of,
    regime,
    scale,
    seeds,
)
from dpdescent.papers.wang2026.setting import ADDED, POPULATION, Array
from dpdescent.papers.wang2026.terms import ANY_FALL, FROM_OUTSIDE, NO_ROOM, TWICE, room_along_margin
from dpdescent.papers.wang2026.window_rates import (
    DELTA_WAS_LARGE,
    RATES,
    in_proportion,
    logarithms,
    prescribed,
    printed,
    risks_in,
)
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import HIDDEN, Regime

MORE_SEEDS = "With the smaller delta and wider networks six seeds left it open; of eighteen it was 0.81 in [0.59, 1.03]. They are six again, because by the regime no number of them decides it; the narrowest margin is left out since."
# Id, corollary, accountant, axis, words. What noise adds is judged, as the paper's parts are judged by themselves.
PARTS = (
    ("corollary-5.3-eps", "Corollary 5.3", TAIL, "eps", "grows no faster than 1/eps"),
    ("corollary-5.5-eps", "Corollary 5.5", REPLACED, "eps", "grows no faster than 1/eps"),
    ("corollary-5.3-d", "Corollary 5.3", TAIL, "d", "grows no faster than sqrt(d)"),
    ("corollary-5.5-d", "Corollary 5.5", REPLACED, "d", "grows no faster than sqrt(d)"),
    ("corollary-5.3-margin", "Corollary 5.3", TAIL, "jitter", "grows no faster than 1/gamma^4, and the other part than 1/gamma"),
    ("corollary-5.5-margin", "Corollary 5.5", REPLACED, "jitter", "grows no faster than 1/gamma^3, and the other part than 1/gamma"),
)  # fmt: skip
# Said of claims along axes, by a further reading.
ACCUSED = "Until a further reading a larger exponent counted as not reproduced, though the order hides terms of Theorem 4.1 that grow faster where batches are small, and T and B were not held to the margin."
PANELS = {"eps": "epsilon", "d": "dimension", "jitter": "margin"}


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on private parts along n, and on both parts along epsilon, the dimension and the margin."""
    yield from _in_records(evidence)
    yield from _other_powers(evidence)


def _of_part(measured: Seeds, source: str, part: str) -> Array:
    """One part of a printed rate at every place."""
    return scale(measured, lambda row: printed(source, row, part))


def _in_records(evidence: Evidence) -> Iterator[Claim]:
    """Claims on the part of the rates that privacy adds, along n, by what noise adds to the risk on the same seed."""
    for name, panel, accountants in (
        ("corollary-5.3-private-n", "Corollary 5.3", (PUBLISHED, TAIL)), ("corollary-5.5-private-n", "Corollary 5.5", (REPLACED,)),
    ):  # fmt: skip
        tables = pd.concat(
            [risks_in(evidence, panel, accountant, ADDED) for accountant in accountants], ignore_index=True
        )
        exponents: Places = {}
        for accountant in accountants:
            added = seeds(evidence, RATES, ADDED, "n", panel=panel, accountant=accountant)
            exponents[accountant] = added.exponent(_of_part(added, panel, "private") * scale(added, logarithms))
        yield claim_on_all_cells(
            id=name, artefact=RATES, location=panel, kind="theorem", source="paper",
            statement="the privacy part of the rate falls as 1/n",
            quantity="exponent of what noise adds to the averaged population risk in that part times log^2 T + log(n/delta), over n and the same seeds: the smallest over multipliers",
            cells=exponents, criterion=follows("that part"), regime=prescribed(tables, panel).otherwise(regime(tables).otherwise(HIDDEN)), changed=f"{f'{DELTA_WAS_LARGE} ' * (panel == 'Corollary 5.3')}{TWICE}",
            note=f"what noise adds is {range_of(tables['mean'])}. {ANY_EXPONENT}",
        )  # fmt: skip


def _other_powers(evidence: Evidence) -> Iterator[Claim]:
    for name, corollary, accountant, axis, words in PARTS:
        panel = f"{PANELS[axis]}, {corollary}"
        table = risks_in(evidence, panel, accountant, ADDED)
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
            statement=f"the risk is at most of the order of the rate, whose private part, here what noise adds, {words}",
            quantity=f"exponent of what noise adds to the averaged population risk in the private part{', and of the risk without noise in the other,' if axis == 'jitter' else ''} along {'the margin' if axis == 'jitter' else axis} over the same seeds: the largest",
            cells=parts, criterion=no_faster("its part", LOGARITHMS), regime=prescribed(table, corollary).otherwise(in_proportion(added.places, corollary).otherwise(regime(table).otherwise(lost.otherwise(HIDDEN)))),
            changed=f"{f'{DELTA_WAS_LARGE} ' * (corollary == 'Corollary 5.3')}{f'{MORE_SEEDS} ' * (name == 'corollary-5.3-margin')}{f'{FROM_OUTSIDE} ' * (name in ('corollary-5.3-eps', 'corollary-5.3-d'))}Before a review the whole risk was judged, which is mostly not private, with seeds taken for independent. {ACCUSED}",
            note=f"kappa {range_of(table['kappa'])}, margins {range_of(table['gamma'])}, what noise adds {range_of(table['mean'])}",
        )  # fmt: skip
    panel = "epsilon, Corollary 5.3"
    table = risks_in(evidence, panel, TAIL, POPULATION)
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
        id="corollary-5.6-margin", artefact=RATES, location="Theorem E.1", kind="theorem", source="paper",
        statement="without noise, at fixed n, B, T and eta, the population risk grows no faster than 1/gamma^2 in the margin",
        quantity="exponent of the averaged population risk in 1/gamma^2, along the margin over the same seeds",
        measured=plain.exponent(scale(plain, lambda row: float(row["gamma"]) ** -2.0 if row["gamma"] > 0 else 0.0)),
        criterion=no_faster("1/gamma^2"), regime=room_along_margin(plain).otherwise(regime(risks_in(evidence, panel, "none", POPULATION)).otherwise(HIDDEN)),
        changed=f"{ANY_FALL} {TWICE} {NO_ROOM}",
        note=f"margins {range_of(plain.places['gamma'])}",
    )  # fmt: skip
