"""Claims about Figure 4(a) on the paper's own images and network, which are made on request.

The table has a row a run, so that claims can be judged as runs end. A mechanism is taken at the best of the learning
rates that were run, by the mean test accuracy, as the paper selects "the best mechanism for each privacy level". Two
things are asked before an interval is told: two repeats, because one has no spread, and for either mechanism a best
rate that lies between others, because a better one may lie beyond. Else the interval is unbounded and the claim open.
The criteria are those of the digits (`learning`), or the paper's own words, and were written before any run.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from dpdescent.papers.choquettechoo2023.claims import learning
from dpdescent.papers.choquettechoo2023.claims.learning import AHEAD, AMPLIFIED, ME, NU, Analogue
from dpdescent.papers.choquettechoo2023.reading import every
from dpdescent.replication.judging import statistics
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import between
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import mean_of
from dpdescent.replication.real_images import best_of

ACCURACY = "test accuracy"
RUNS = (
    "rates are the best that were run, by test accuracy; where a best rate is at an end of them, or there is one repeat, "
    "the interval is unbounded; else it is Student's, over repeats on one set of images"
)
NETWORK = Analogue(
    {
        "anytime": "cifar-net-anytime", "average": "cifar-net-anytime-average", "me": "cifar-net-me",
        "dp-sgd": "cifar-net-dp-sgd", "damping": "cifar-net-damping", "grows": "cifar-net-gain-grows",
        "gap": "cifar-net-gap-closed",
    },
    "(CIFAR-10, the paper's network)", "main", "fig04a_cifar10_net", RUNS, added=True,
)  # fmt: skip
# Mechanisms by their short names in the published numbers.
PUBLISHED = {"nu": NU, "me": ME, "dp_sgd": AMPLIFIED}


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges the claims on the runs that are there; the paper's, because images, network, n, T and k are the paper's."""
    for claim in _judged(evidence, best_runs(evidence.tables[NETWORK.artefact])):
        yield replace(claim, source="paper")


def _judged(evidence: Evidence, runs: pd.DataFrame) -> Iterator[Claim]:
    ahead = lead(runs)
    yield _accuracies(evidence, runs)
    yield learning.anytime(NETWORK, ahead)
    yield learning.anytime_average(evidence, NETWORK, ahead)
    yield learning.nearly_matches(evidence, NETWORK, ahead)
    yield learning.dp_sgd(NETWORK, ahead)
    yield learning.damping(NETWORK, ahead)
    yield learning.grows(NETWORK, ahead)
    yield learning.gap_closed(evidence, NETWORK, ahead)


def best_runs(table: pd.DataFrame) -> pd.DataFrame:
    """Returns the runs at each mechanism's best rate, with a column `inside`: whether the rate lies between others."""
    rows = table[(table["variant"] == "main") & (table["series"] == ACCURACY)]
    kept = []
    for _, own in rows.groupby(["eps", "mechanism"], sort=True):
        means = {float(rate): float(group["mean"].mean()) for rate, group in own.groupby("learning_rate")}
        best = best_of(means)
        kept.append(own[own["learning_rate"] == best].assign(inside=min(means) < best < max(means)))
    return pd.concat(kept) if kept else rows.assign(inside=False)


def lead(runs: pd.DataFrame) -> pd.DataFrame:
    """Returns rows as tables of paired differences have them: nu-DP-FTRL less another mechanism, over repeats."""
    rows = []
    for (eps, name), other in runs[runs["mechanism"] != NU].groupby(["eps", "mechanism"], sort=True):
        own = runs[(runs["mechanism"] == NU) & (runs["eps"] == eps)]
        # Runs of one repeat share their seed; on another device they have other last digits.
        paired = own.merge(other, on=["repeat", "device"], suffixes=("", "_other"))
        gained = (paired["mean"] - paired["mean_other"]).to_numpy(dtype=float)
        if len(gained):
            inside = bool(paired["inside"].all() and paired["inside_other"].all())
            rows.append({"eps": eps, "mechanism": name, "series": AHEAD, **_mean(gained, inside)})
    return pd.DataFrame(rows, columns=["eps", "mechanism", "series", "mean", "se", "trials"])


def _mean(values: "np.ndarray[tuple[int], np.dtype[np.float64]]", inside: bool) -> dict[str, float]:
    spread = float(values.std(ddof=1)) / math.sqrt(len(values)) if inside and len(values) > 1 else math.inf
    return {"mean": float(values.mean()), "se": spread, "trials": len(values)}


def _accuracies(evidence: Evidence, runs: pd.DataFrame) -> Claim:
    published = evidence.published["cifar"]
    margin = published["me_at_10"] - published["nu_at_10"]
    told = {
        (PUBLISHED[found[1]], float(found[2])): value
        for key, value in published.items()
        if (found := re.fullmatch(r"(nu|me|dp_sgd)_at_(\d+)", key))
    }
    words = "; ".join(f"{name} at eps = {eps:g}: {value:.2%}" for (name, eps), value in told.items())
    return every(
        id="cifar-net-accuracies", artefact=NETWORK.artefact, location="Sec. 4", kind="text", source="paper",
        statement=f"{NETWORK.label} test accuracies are {words}",
        quantity="mean test accuracy less the published one: the furthest",
        cells=_off(runs, told),
        criterion=between(-margin, margin, words=f"at most {100 * margin:.2f} points off, which the paper calls a near match (nu-DP-FTRL and ME at eps = 10)"),
        note=NETWORK.note(),
    )  # fmt: skip


def _off(runs: pd.DataFrame, told: dict[tuple[str, float], float]) -> Places:
    cells = {}
    for (name, eps), value in told.items():
        own = runs[(runs["mechanism"] == name) & (runs["eps"] == eps)]
        if len(own):
            found = pd.Series(_mean(own["mean"].to_numpy(dtype=float), bool(own["inside"].all())))
            cells[f"{name}, eps = {eps:g}"] = statistics.less(mean_of(found), value)
    return cells
