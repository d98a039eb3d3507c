"""The runs of brown2024's figures, and what they cost in privacy: noise scale, zCDP, epsilon (Lemma 2.1, Claim A.6).

Runs are every private point of Figures 2 and 8, and the ends of every other grid.
"""

from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.brown2024.bounds.cases import Case, Experiment, ends
from dpdescent.papers.brown2024.runs.constructions import BATCHED, CHECKPOINTS, INDEPENDENT, NAMES
from dpdescent.privacy import zcdp
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.privacy.clipping import mean_sensitivity
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import ROUNDING, identity, row
from dpdescent.replication.judging.evidence import Bound, Evidence

# Panels, by their place in the paper.
DIMENSION = {"fig01": "Figure 1", "fig09": "Figure 9"}
COST = {("fig02", "a"): "Figure 2", ("fig08", "a"): "Figure 8a", ("fig08", "b"): "Figure 8b"}
COVERAGE = {"fig05": "Figure 5", "fig10": "Figure 10"}
LENGTH = {"fig06": "Figure 6", "fig11": "Figure 11"}
# The paper's constructions of intervals; variants that the tables have besides get no rows.
CONSTRUCTIONS = (INDEPENDENT, CHECKPOINTS, BATCHED)
# Artefacts whose budgets are converted; Figures 6 and 11 share the runs of 5 and 10.
BUDGETED = ("fig01", "fig02", "fig03", "fig04", "fig05", "fig07", "fig08", "fig09", "fig10", "ext_small_noise")


def dimension(evidence: Evidence, artefact: str) -> Experiment:
    """Yields the private runs of Figure 1 or 9."""
    return Experiment(evidence, artefact, DIMENSION[artefact])


def costs(evidence: Evidence) -> Iterator[Experiment]:
    """Yields the private runs of Figures 2 and 8, panel by panel."""
    return (Experiment(evidence, artefact, place, panel) for (artefact, panel), place in COST.items())


def plotted(experiment: Experiment) -> Iterator[tuple[Case, pd.Series]]:
    """Every private point of a panel of Figure 2 or 8, with its row of the table."""
    for found in each(experiment.rows(panel=experiment.panel, series="privacy")):
        yield experiment.case(n=found["n"], k=found["clip_factor"]), found


def at_ends(experiment: Experiment) -> Iterator[tuple[Case, pd.Series]]:
    """Yields the private points of a panel of Figure 2 or 8 at the ends of its grid in n."""
    points = list(plotted(experiment))
    sizes = ends(pd.DataFrame([found for _, found in points]), "n") if points else []
    return ((case, found) for case, found in points if case.setting.n in sizes)


def single(evidence: Evidence) -> Iterator[Case]:
    """Single runs at the ends of the grids of Figures 1, 2, 3, 4, 7, 8 and 9."""
    for artefact in DIMENSION:
        yield from _dimension_ends(dimension(evidence, artefact), "theta_hat")
    for experiment in costs(evidence):
        yield from (case for case, _ in at_ends(experiment))
    yield from _thresholds(Experiment(evidence, "fig03", "Figure 3"))
    yield from _repeated(evidence)


def _dimension_ends(experiment: Experiment, target: str) -> Iterator[Case]:
    rows = experiment.rows(error_to=target, series="DP-GD")
    for p in ends(rows, "p"):
        yield experiment.case(n=rows[rows["p"] == p]["n"].iloc[0], p=p)


def _thresholds(experiment: Experiment) -> Iterator[Case]:
    rows = experiment.rows()
    for p in ends(rows, "p"):
        for gamma in ends(rows, "gamma"):
            yield experiment.case(n=rows[rows["p"] == p]["n"].iloc[0], p=p, k=gamma / p**0.5)


def _repeated(evidence: Evidence) -> Iterator[Case]:
    for artefact, place in (("fig04", "Figure 4"), ("fig07", "Figure 7")):
        experiment = Experiment(evidence, artefact, place)
        rows = experiment.rows()
        for n in ends(rows, "n"):
            for T in ends(rows, "T") if "T" in rows else [None]:
                yield from (experiment.case(n=n, T=T, k=k) for k in ends(rows, "clip_factor"))


def intervals(evidence: Evidence) -> Iterator[Case]:
    """The runs behind intervals, at the ends of the grids of Figures 5 and 10; 6 and 11 share their simulations."""
    for artefact, place in COVERAGE.items():
        experiment = Experiment(evidence, artefact, place, "clipped")
        rows = experiment.rows(process="clipped")
        for series in (CHECKPOINTS, INDEPENDENT):
            own = rows[(rows["series"] == series) & rows["n"].isin(ends(rows, "n"))]
            for found in each(own[own["steps"].isin(ends(own, "steps"))]):
                yield constructed(experiment, found)


def constructed(experiment: Experiment, found: pd.Series) -> Case:
    """The runs behind a row of a table of intervals, N gradients in all: one run, or m of N/m each."""
    runs = experiment.value("m") if found["series"] == INDEPENDENT else 1
    place = f"{experiment.place}, {experiment.panel}, {NAMES[found['series']]}"
    return experiment.case(n=found["n"], T=int(found["steps"]) // runs, runs=runs, place=place)


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates rows of every figure's runs at the ends of its grids, then of every budget."""
    for case in (*single(evidence), *intervals(evidence)):
        yield _cost(case)
    yield from _conversions(evidence)


def _cost(case: Case) -> Bound:
    at = case.setting
    spent = zcdp.gaussian_rho(mean_sensitivity(at.gamma, at.n), at.noise_sd, at.releases)
    shared = "" if at.runs == 1 else f", of all {at.runs} runs together"
    why = f"measured is what {at.releases} releases cost{shared} (replace-one), equal but for rounding: none is wasted"
    return row(
        bound="zCDP cost", location="Lemma 2.1, Claims A.4, A.5", setting=case.text, value=at.rho, measured=spent,
        note=why, allowed=ROUNDING * at.rho,
    )  # fmt: skip


def _conversions(evidence: Evidence) -> Iterator[Bound]:
    delta = evidence.settings["dp_delta"]
    budgets = {Experiment(evidence, artefact, "", panel).value("rho") for artefact, panel in _panels(evidence)}
    why = "measured is the least epsilon of Gaussian releases with this rho"
    for rho in sorted(budgets):
        setting = f"rho={rho:g}, delta={delta:g}"
        yield row(
            bound="epsilon of rho", location="Claim A.6", setting=setting, value=zcdp.epsilon(rho, delta),
            measured=tight_epsilon(rho, delta), note=why,
        )  # fmt: skip
    why = "measured is what the paper prints, with three decimals"
    for text, printed in evidence.published["epsilon_at_rho"].items():
        setting = f"rho={float(text):g}, delta={delta:g}"
        eps = zcdp.epsilon(float(text), delta)
        yield identity(
            bound="epsilon printed for rho", location="Sec. 4 footnote 2", setting=setting, value=eps,
            measured=printed, allowed=0.0005, note=why,
        )  # fmt: skip


def _panels(evidence: Evidence) -> Iterator[tuple[str, str]]:
    for artefact in BUDGETED:
        for name in evidence.spec["artefacts"][artefact]["cells"]:
            yield artefact, name.split(",")[0]
