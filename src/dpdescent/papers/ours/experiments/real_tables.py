"""The contest on real tables: the excess risk over least squares on the same records, by table and budget."""

from collections.abc import Iterable, Iterator
from functools import partial

import numpy as np

from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.papers.ours import real_tables
from dpdescent.papers.ours.contenders import running
from dpdescent.papers.ours.contest_design import Drawn, Public
from dpdescent.papers.ours.design import PAPER, Row, Spec
from dpdescent.papers.ours.iv_design import cells
from dpdescent.privacy.events import Mechanism
from dpdescent.randomness import stream


def run(spec: Spec) -> Iterator[Row]:
    """Yields the excess risk of every method in every trial, which is a draw of its noise."""
    for cell in cells(spec):
        table, public = cell["cell"]["table"], _public(cell)
        place = {"panel": cell["panel"], "table": table, "n": public.n, "p": public.p, "eps": public.eps}
        for series, trial, excess in running.compare(
            public, cell["arms"], range(*cell["trials"]), partial(_whole, table), partial(_noise, cell)
        ):
            yield {**place, "series": series, "trial": trial, "value": excess}


def _noise(spec: Spec, trial: int, method: str) -> np.random.Generator:
    """A method's stream of noise in a trial, the same for all budgets."""
    return stream(spec["seed"], PAPER, "contest", spec["cell"]["table"], "trial", trial, f"noise of {method}")


def _public(spec: Spec) -> Public:
    sample = real_tables.sample(spec["cell"]["table"])
    return Public(sample.n, sample.p, spec["cell"]["eps"], spec["settings"]["dp_delta"], spec["arms"]["rule"])


def _whole(table: str, trial: int) -> Drawn:
    """All records in every trial, their least-squares coefficients, and their second moment over var(y)."""
    sample = real_tables.sample(table)
    return Drawn(sample, linear_least_squares(sample.gram), sample.gram.xx / sample.n / float(np.var(sample.y)))


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of a panel."""
    for cell in cells(spec):
        public = _public(cell)
        table = cell["cell"]["table"]
        where = f"{cell['variant']}: {cell['panel']}, {table} eps={public.eps:g}"
        for name, event in running.mechanisms(public, cell["arms"]):
            yield f"{where}: {name}", real_tables.as_known(event, real_tables.TABLES[table].documented), public.delta
