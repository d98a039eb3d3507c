"""Coverage of two targets where outliers are clipped: the Huber minimiser and least squares (Sec. 1.1, 2.5)."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.baselines.least_squares import huber_minimiser, linear_least_squares
from dpdescent.data.linear import LinearSample, plant_outliers
from dpdescent.papers.brown2024.design import Row, Spec, sample_of
from dpdescent.papers.brown2024.runs import constructions
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel: coverage of both minimisers by construction, clip factor and number of gradients."""
    cell, p = spec["cell"], spec["cell"]["p"]
    for trial in range(*spec["trials"]):
        sample = contaminated(spec, trial)
        for factor in spec["arms"]["clip_factor"]:
            targets = {
                "huber": huber_minimiser(sample, factor * np.sqrt(p)),
                "ols": linear_least_squares(sample.gram),
            }  # fmt: skip
            apart = float(np.linalg.norm(targets["huber"] - targets["ols"]))
            for steps in cell["steps"]:
                for found in constructions.constructed(spec, sample, trial, steps, factor):
                    for series, target in targets.items():
                        covered = found.intervals.covers(target).mean(axis=0)
                        for j, value in enumerate(covered):
                            yield {
                                "panel": spec["panel"], "clip_factor": factor, "steps": steps,
                                "construction": found.name, "series": series, "trial": trial * p + j, "value": value,
                                "clip_fraction": found.clip_fraction, "apart": apart,
                                "length": float(found.intervals.length.mean()),
                            }  # fmt: skip


def contaminated(spec: Spec, trial: int) -> LinearSample:
    """Returns a trial's data set with the panel's share of outliers."""
    cell = spec["cell"]
    sample, _ = sample_of(spec, cell["p"], cell["n"], trial)
    return plant_outliers(sample, cell["share"], cell["shift"])


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one panel."""
    cell, settings = spec["cell"], spec["settings"]
    for factor in spec["arms"]["clip_factor"]:
        for steps in cell["steps"]:
            for setting in constructions.settings_of(spec, steps, factor):
                name = f"{spec['variant']}: {spec['panel']}, {setting.runs} runs, N={steps} gamma={factor:g} sqrt(p)"
                yield name, setting.mechanism(), settings["dp_delta"]
