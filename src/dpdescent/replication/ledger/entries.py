"""Privacy ledger: one row for every arm, computed from its releases."""

import hashlib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from dpdescent.privacy import zcdp
from dpdescent.privacy.account import tightest_epsilon
from dpdescent.privacy.arithmetic import ExactMechanism, arithmetic_of
from dpdescent.privacy.events import (
    CorrelatedReleases,
    DisjointReleases,
    EpsilonDeltaRelease,
    GaussianReleases,
    Mechanism,
    Release,
    ShuffledGaussianReleases,
    SketchReleases,
    SubsampledGaussianReleases,
)  # fmt: skip
from dpdescent.replication.build.files import read_rows, write_rows

# Columns that follow from the releases alone.
ACCOUNTED = [
    "paper", "artefact", "arm", "stand_in", "mechanism", "relation", "sampler", "sensitivity", "noise_sd", "releases",
    "rho", "mu", "delta", "eps_paper", "eps_tight", "guarantee", "arithmetic", "note",
]  # fmt: skip

# Columns of the ledger, with those that an audit adds.
COLUMNS = [*ACCOUNTED[:-1], "eps_audit_low", "audit_runs", "pair", "note"]

# The file of a ledger, and the file of the notes that its rows name by a key.
LEDGER, NOTES = "privacy.csv", "privacy_notes.csv"

_Single = GaussianReleases | SubsampledGaussianReleases | ShuffledGaussianReleases | CorrelatedReleases | SketchReleases

_CONVERSIONS = {"Bun-Steinke": zcdp.epsilon, "Renyi": zcdp.renyi_epsilon}


def rows(paper: str, artefact: str, arms: Sequence[tuple[str, Mechanism, float]]) -> list[dict[str, Any]]:
    """Ledger rows of one artefact, with the columns `ACCOUNTED`.

    Args:
        arms: (name of the arm, its mechanism, the delta at which epsilons are given).

    Raises:
        ValueError: if an arm claims an epsilon at another delta than the row's.
    """
    return [{"paper": paper, "artefact": artefact, "arm": arm, **_row(event, delta)} for arm, event, delta in arms]


def write(folder: Path, ledger: Sequence[Mapping[str, Any]]) -> None:
    """Writes rows with the columns `COLUMNS`; notes go to a table of their own, because thousands of rows share one."""
    keys = {row["note"]: hashlib.sha256(row["note"].encode()).hexdigest()[:8] for row in ledger}
    write_rows(folder / LEDGER, COLUMNS, [{**row, "note": keys[row["note"]]} for row in ledger])
    write_rows(folder / NOTES, ["note", "words"], [{"note": key, "words": words} for words, key in keys.items()])


def read(folder: Path) -> list[dict[str, str]]:
    """Rows of a ledger, with their notes in words."""
    words = {row["note"]: row["words"] for row in read_rows(folder / NOTES)}
    return [{**row, "note": words[row["note"]]} for row in read_rows(folder / LEDGER)]


def _row(event: Mechanism, delta: float) -> dict[str, Any]:
    """Columns of one mechanism. Without a guarantee our epsilon is blank; the paper's claim is in `eps_paper`."""
    defended = event.guarantee == "proved"
    return {
        "stand_in": event.stand_in,
        "mechanism": event.name,
        "relation": event.relation,
        "sampler": event.sampler,
        "sensitivity": _joined([release.sensitivity for release in _single(event)]),
        "noise_sd": _joined([release.noise_sd for release in _single(event)]),
        "releases": "; ".join(_described(release) for release in event.releases),
        "rho": event.rho if defended and _is_gaussian(event) else "",
        "mu": zcdp.gaussian_dp_mu(event.rho) if defended and _is_continuous(event) else "",
        "delta": delta,
        "eps_paper": _claimed_epsilon(event, delta),
        "eps_tight": tightest_epsilon(event, delta) if defended and event.releases else "",
        "guarantee": event.guarantee,
        "arithmetic": arithmetic_of(event),
        "note": event.reason,
    }


def _claimed_epsilon(event: Mechanism, delta: float) -> float | str:
    """Epsilon that the paper claims, or that its conversion gives from its zCDP budget; blank without a claim."""
    if event.claimed_eps_delta is None:
        return "" if math.isinf(event.claimed_rho) else _CONVERSIONS[event.conversion](event.claimed_rho, delta)
    eps, at = event.claimed_eps_delta
    if at != delta:
        raise ValueError(f"{event.name} claims epsilon={eps} at delta={at}, but its row is at delta={delta}: use {at}")
    return eps


def _single(event: Mechanism) -> list[_Single]:
    """All releases with noise on a known scale as a flat list, those of disjoint parts one after another."""
    flat: list[_Single] = []
    for release in event.releases:
        if isinstance(release, EpsilonDeltaRelease):
            continue
        flat += (
            [inner for part in release.parts for inner in part] if isinstance(release, DisjointReleases) else [release]
        )
    return flat


def _described(release: Release) -> str:
    if isinstance(release, DisjointReleases):
        return (
            " | ".join(" + ".join(_described(inner) for inner in part) for part in release.parts)
            + " (disjoint records)"
        )
    if isinstance(release, EpsilonDeltaRelease):
        return f"{release.what}, ({release.epsilon!r}, {release.delta!r})"
    counted = f"{release.count} x {release.what}"
    if isinstance(release, ShuffledGaussianReleases):
        return f"{counted}, in a secret random order"
    if isinstance(release, CorrelatedReleases):
        return f"{counted}, correlation {release.correlation!r}, batches at rate {release.rate!r}"
    if isinstance(release, SketchReleases):
        return f"{counted}, random sums of all, {release.rows} rows each"
    return (
        f"{counted}, sampled at rate {release.rate!r}" if isinstance(release, SubsampledGaussianReleases) else counted
    )


def _is_gaussian(event: Mechanism) -> bool:
    return bool(event.releases) and all(
        isinstance(release, GaussianReleases | DisjointReleases) for release in event.releases
    )


def _is_continuous(event: Mechanism) -> bool:
    """Whether the noise is Gaussian and continuous, so that `mu` is known; that of exact arithmetic is discrete."""
    return _is_gaussian(event) and not isinstance(event, ExactMechanism)


def _joined(values: Sequence[float]) -> str:
    return "; ".join(repr(float(value)) for value in values)
