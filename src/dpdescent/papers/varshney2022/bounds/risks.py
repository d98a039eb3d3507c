"""Risk of least squares beside its exact law."""

from collections.abc import Iterator

from dpdescent.papers.varshney2022.arms import OLS
from dpdescent.papers.varshney2022.reading import rows
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import place, same
from dpdescent.replication.judging.evidence import Bound, Evidence

KEYS = ("panel", "N", "d", "sigma", "eps", "delta", "kappa", "T")


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the risk of least squares, whose mean on normal records is known."""
    for artefact in ("risk_vs_n", "risk_vs_eps"):
        for found in each(rows(evidence, artefact, series=OLS)):
            if found["N"] > found["d"] + 1 and found["sigma"] > 0.0:
                value = 0.5 * found["sigma"] ** 2 * found["d"] / (found["N"] - found["d"] - 1)
                text = place(f"{artefact}, {OLS}", found, *KEYS)
                why = "sigma^2 d / (2 (N - d - 1)), exact; measured is the mean risk"
                yield same("risk of least squares", "Sec. 1 (ours)", text, value, found, why)
