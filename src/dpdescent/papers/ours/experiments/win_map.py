"""Which method has the smallest excess risk: private linear regressions at one budget, by size, noise and shape."""

from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from dpdescent.papers.ours.contenders import running
from dpdescent.papers.ours.contest_design import Public, draw, noise_stream
from dpdescent.papers.ours.design import Row, Spec
from dpdescent.papers.ours.iv_design import cells, value
from dpdescent.privacy.events import Mechanism

AXES = ("n", "p", "eps", "sigma", "kappa", "law")


def run(spec: Spec) -> Iterator[Row]:
    """Yields the excess risk of every method on every trial's data set, in units of the outcome's variance."""
    for cell in cells(spec):
        shared = {"panel": cell["panel"], **place(cell)}
        for series, trial, excess in running.compare(
            Public.of(cell), cell["arms"], range(*cell["trials"]), partial(draw, cell), partial(noise_stream, cell)
        ):
            yield {**shared, "series": series, "trial": trial, "value": excess}


def place(spec: Spec) -> dict[str, Any]:
    """A cell's values of all axes."""
    return {name: value(spec, name) for name in AXES}


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of a panel: methods that look at records, and what the oracle tries."""
    for cell in cells(spec):
        public = Public.of(cell)
        where = f"{cell['variant']}: {cell['panel']}, " + " ".join(f"{k}={each}" for k, each in place(cell).items())
        for name, event in running.mechanisms(public, cell["arms"]):
            yield f"{where}: {name}", event, public.delta
