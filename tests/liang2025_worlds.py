"""liang2025's committed evidence, and copies of it in which one thing is turned round."""

import functools
from collections.abc import Callable

import pandas as pd

from committed import committed as of_paper
from dpdescent.papers.liang2025 import claims
from dpdescent.replication.judging.evidence import Claim, Evidence

committed = functools.partial(of_paper, "liang2025")


@functools.cache
def judged() -> dict[str, Claim]:
    """All claims on the committed evidence, by id."""
    return {claim.claim: claim for claim in claims.judge(committed())}


def changed(
    artefact: str,
    factor: float | Callable[[pd.DataFrame], "pd.Series[float]"],
    columns: tuple[str, ...] = ("mean", "se"),
    base: Evidence | None = None,
    **where: object,
) -> Evidence:
    """The committed evidence, or another one, with some columns of some rows of a table multiplied."""
    evidence = base or committed()
    table = evidence.tables[artefact].copy()
    mask = pd.Series(True, index=table.index)
    for name, wanted in where.items():
        mask &= table[name].map(wanted) if callable(wanted) else table[name] == wanted
    assert mask.any(), (artefact, where)
    table[list(columns)] = table[list(columns)].astype(float)
    times = factor(table[mask]) if callable(factor) else factor
    table.loc[mask, list(columns)] = table.loc[mask, list(columns)].mul(times, axis=0)
    return Evidence(evidence.spec, {**evidence.tables, artefact: table})


def alone(*artefacts: str) -> Evidence:
    """The committed evidence without the variants of some tables: the paper's open values have one reading."""
    evidence = committed()
    main = {name: evidence.tables[name].query("variant == 'main'") for name in artefacts}
    return Evidence(evidence.spec, {**evidence.tables, **main})
