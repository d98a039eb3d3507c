"""How long the intervals of brown2024 are by the exact law, beside the mean lengths of Figures 6 and 11."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.interval_arithmetic import t_factor
from dpdescent.papers.brown2024.bounds import runs
from dpdescent.papers.brown2024.bounds.cases import SIGMA, Case, Experiment
from dpdescent.papers.brown2024.runs.constructions import BATCHED, INDEPENDENT, NAMES
from dpdescent.papers.brown2024.theory import coverage
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import CHANCE, chance, identity, stated
from dpdescent.replication.judging.evidence import Bound, Evidence

OLS = "OLS"
LAW = "Lemma 2.3"


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates rows of every plotted length, then of the limit for batched means."""
    for artefact, place in runs.LENGTH.items():
        for process in ("clipped", "exact"):
            experiment = Experiment(evidence, artefact, place, process)
            rows = experiment.rows(process=process)
            for found in each(rows[rows["series"].isin(runs.CONSTRUCTIONS)]):
                yield from _by_the_law(experiment, found)
            for n, of_size in rows.groupby("n"):
                yield from _longest(experiment, int(n), of_size)
    yield from _looked_up(Experiment(evidence, "fig06", "Figure 6", "exact"))


def _by_the_law(experiment: Experiment, found: pd.Series) -> Iterator[Bound]:
    case, name = runs.constructed(experiment, found), "expected length by the exact law"
    if experiment.panel == "exact":
        why = f"equality: measured is the mean length, {CHANCE} either way allowed"
        yield identity(
            bound=name, location=LAW, setting=case.text, value=found["predicted"], measured=found["mean"],
            allowed=chance(found), note=why,
        )  # fmt: skip
    else:
        why = f"without clipping; {found['clip_fraction']:.2%} of the gradients are clipped"
        yield stated(
            bound=name, location=LAW, setting=case.text, value=found["predicted"], note=why, measured=found["mean"],
        )  # fmt: skip
    why = "the same for estimates without start-up and correlation: the limit of long runs"
    yield stated(
        bound="length of settled estimates", location=LAW, setting=case.text, value=found["settled"], note=why,
        measured=found["mean"],
    )  # fmt: skip
    why, value = f"the same where Sigma = I, in closed form{experiment.skew}", settled(experiment, case, found)
    yield stated(
        bound="length of settled estimates at Sigma = I", location=LAW, setting=case.text, value=value, note=why,
        measured=found["mean"],
    )  # fmt: skip


def settled(experiment: Experiment, case: Case, found: pd.Series) -> float:
    """Expected length of ideal estimates where Sigma is the identity: the same for every coordinate."""
    m, burn_in, tail = (experiment.value(symbol) for symbol in ("m", "burn_in", "tail"))
    law = case.law.estimates(
        NAMES[found["series"]], int(found["steps"]), m, burn_in, tail if found["series"] == INDEPENDENT else None
    )  # fmt: skip
    return float(law.settled_length(experiment.level)[0])


def _longest(experiment: Experiment, n: int, rows: pd.DataFrame) -> Iterator[Bound]:
    """Yields the length of batched means in the longest runs of a size beside their limit, and beside least squares."""
    last = _last(rows)
    text = f"{experiment.place}, {experiment.panel}: n={n}, N={last['steps'].iloc[0]}"
    yield stated(
        bound="length of least squares' intervals", location="Sec. 4.2", setting=text,
        value=least_squares(experiment, n),
        note=f"2 t sigma / sqrt(n), to first order where Sigma = I{experiment.skew}", measured=_mean(last, OLS),
    )  # fmt: skip
    why = f"4.40 sqrt(2/rho) gamma / n for ten batches, at every N and eta, Sigma = I{experiment.skew}; no clipping"
    yield stated(
        bound="limit of the length of batched means", location=LAW, setting=text, value=limit(experiment, n), note=why,
        measured=_mean(last, BATCHED),
    )  # fmt: skip
    ratio = limit(experiment, n) / least_squares(experiment, n)
    why = "1.123 sqrt(2/rho) gamma / (sigma sqrt(n)) for ten batches, where Sigma = I; no clipping"
    yield stated(
        bound="length of batched means over least squares", location="Sec. 4.2", setting=text, value=ratio, note=why,
        measured=_over(last),
    )  # fmt: skip


def limit(experiment: Experiment, n: float) -> float:
    """The length of batched means in the limit of long runs where Sigma is the identity."""
    gamma = experiment.value("clip_factor") * math.sqrt(experiment.value("p"))
    return coverage.batched_length_limit(
        gamma=gamma, n=n, rho=experiment.value("rho"), m=experiment.value("m"), level=experiment.level
    )  # fmt: skip


def least_squares(experiment: Experiment, n: int) -> float:
    """Length of the textbook interval, `2 t sigma / sqrt(n)`, to first order in p/n where Sigma is the identity."""
    return 2.0 * SIGMA * t_factor(n, experiment.level)


def _last(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the longest runs, by series."""
    return rows[rows["steps"] == rows["steps"].max()].set_index("series")


def _mean(rows: pd.DataFrame, series: str) -> float | None:
    return float(rows.loc[series, "mean"]) if series in rows.index else None


def _over(rows: pd.DataFrame) -> float | None:
    batched, textbook = _mean(rows, BATCHED), _mean(rows, OLS)
    return batched / textbook if batched and textbook else None


def _looked_up(experiment: Experiment) -> Iterator[Bound]:
    """Yields the ratio of lengths as a function of n, which the paper does not state: 205 / sqrt(n) at its settings."""
    rows = experiment.rows(process=experiment.panel)
    if rows.empty:
        return
    n = int(rows["n"].max())
    root = math.sqrt(n)
    constant = limit(experiment, n) / least_squares(experiment, n) * root
    measured = _over(_last(rows[rows["n"] == n]))
    text = f"Figure 6: gamma={experiment.value('clip_factor'):g} sqrt(p), rho={experiment.value('rho'):g}"
    why = f"of batched means; measured is that of the longest runs without clipping at n={n}"
    name = "ratio of lengths to least squares, times sqrt(n)"
    yield stated(
        bound=name, location="Sec. 4.2", setting=text, value=constant, note=why, measured=measured and measured * root,
    )  # fmt: skip
    name = "n at which batched means are as long as least squares"
    yield stated(bound=name, location="Sec. 4.2", setting=text, value=constant**2, note="where that ratio is 1")
