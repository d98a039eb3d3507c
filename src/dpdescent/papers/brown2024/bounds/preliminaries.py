"""The preliminaries of brown2024 beside what was measured."""

from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.brown2024.bounds.cases import SIGMA
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import CHANCE, chance, identity, row
from dpdescent.replication.judging.evidence import Bound, Evidence

SQUARE = "A.12"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates rows of the preliminaries."""
    for found in each(evidence.select("table_preliminaries")):
        yield _square(found) if found["quantity"].startswith(SQUARE) else _probability(found)


def _probability(found: pd.Series) -> Bound:
    claim = "Lemma" if found["quantity"].startswith("A.11") else "Claim"
    why = f"measured is a share of {found['trials']} draws, {CHANCE} above allowed"
    location = f"{claim} {found['quantity'].split(':')[0]}"
    return row(
        bound=found["quantity"], location=location, setting=f"p={found['p']}", value=found["bound"],
        measured=found["mean"], direction="at most", note=why, allowed=chance(found),
    )  # fmt: skip


def _square(found: pd.Series) -> Bound:
    """The exact mean, from which n follows."""
    p = int(found["p"])
    n = round(SIGMA**2 * p / found["bound"]) + p + 1
    why = f"equality: sigma^2 p / (n - p - 1); measured is the mean, {CHANCE} either way allowed"
    return identity(
        bound="mean |theta_hat - theta*|^2", location="Claim A.12", setting=f"p={p}, n={n}",
        value=found["bound"], measured=found["mean"], allowed=chance(found), note=why,
    )  # fmt: skip
