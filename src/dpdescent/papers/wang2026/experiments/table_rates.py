"""Rates and widths that the paper compares, and its general bounds at its own prescriptions, all constants 1."""

import math
from collections.abc import Callable, Iterator

from dpdescent.papers.wang2026.design import Row, Spec
from dpdescent.papers.wang2026.theory import prescriptions, rates
from dpdescent.papers.wang2026.theory.prescriptions import ENTRIES, Entry, Point, Power
from dpdescent.papers.wang2026.theory.rates import Rate, Run

RATE, PRIVATE, EMPIRICAL, WIDTH = "rate", "rate, privacy", "rate, empirical risk", "width"
INSERTED = "general bound at the prescription"

# What the entry of each source prescribes, and the bound that is evaluated there.
DERIVED: dict[str, tuple[Callable[[Point], Run], Callable[[Run], Rate]]] = {
    "App. E": (prescriptions.full_batch, rates.without_noise),
    "Corollary 5.6": (prescriptions.corollary_5_6, rates.without_noise),
    "Sec. 5.2, App. D.3": (prescriptions.full_batch_private, rates.independent),
    "Corollary 5.5": (prescriptions.corollary_5_5, rates.independent),
    "Corollary 5.3": (prescriptions.corollary_5_3, rates.correlated),
}


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of every entry: its powers, and their value at the point; the last kind has no powers of its own."""
    cell = spec["cell"]
    point = Point(*(cell[name] for name in ("n", "d", "gamma", "eps")))
    for number, entry in enumerate(ENTRIES):
        own = {"row": number, "setting": entry.setting, "source": entry.source, "series": "order", "trial": 0}
        for quantity, power in _powers(entry).items():
            yield {
                **own, "quantity": quantity, "n_power": power.n, "gamma_power": power.gamma, "d_power": power.d,
                "eps_power": power.eps, "value": power.value(point),
            }  # fmt: skip
        if entry.source in DERIVED:
            blank = dict.fromkeys(("n_power", "gamma_power", "d_power", "eps_power"), math.nan)
            yield {**own, "quantity": INSERTED, **blank, "value": inserted(entry.source, point)}


def inserted(source: str, point: Point) -> float:
    """Returns the population bound at what the corollary prescribes."""
    prescribe, bound = DERIVED[source]
    made = prescribe(point)
    return rates.population(made, bound(made).total)


def _powers(entry: Entry) -> dict[str, Power]:
    width = None if entry.width is None else Power(0.0, entry.width)
    found = {RATE: entry.rate, PRIVATE: entry.private, EMPIRICAL: entry.empirical, WIDTH: width}
    return {quantity: power for quantity, power in found.items() if power is not None}
