"""brown2024's figures once more at the epsilon of their budget, with the noise that the exact accountant asks for.

A budget rho of zCDP is converted to (epsilon, delta) by a formula that holds for every mechanism. Gaussian noise has an
exact account, by which the same (epsilon, delta) admits a larger budget, hence less noise.
"""

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.noise import schedule
from dpdescent.papers.ours import noise_over_time as layout
from dpdescent.papers.ours.design import Row, Spec, linear_sample, spectrum, trial_stream, true_parameter
from dpdescent.papers.ours.experiments.schedule import threshold
from dpdescent.papers.ours.noise_over_time import Arm
from dpdescent.papers.ours.runs.descent import Law, side_by_side
from dpdescent.privacy import zcdp
from dpdescent.privacy.accounting import tight_rho
from dpdescent.privacy.events import Mechanism

PUBLISHED, EXACT, SCHEDULED = "as published", "exact accountant", "exact accountant and schedule"
HAT, TRUTH = "least squares", "truth"
# What stands beside a series by data set: the squared distance less what the published one and the law let expect.
GAP = "{}: less what the published run lets expect"


class Calibrated(NamedTuple):
    """An arm at its budget.

    Attributes:
        series: the name of its curve.
        arm: layout of its noise.
        rho: zCDP budget.
    """

    series: str
    arm: Arm
    rho: float


def arms(spec: Spec) -> list[Calibrated]:
    """Returns the run as published, at the exact account of its epsilon, and with a scheduled budget besides."""
    cell, given = spec["cell"], spec["settings"]
    rho, T = cell["rho"], cell["T"]
    exact = tight_rho(zcdp.epsilon(rho, given["dp_delta"]), given["dp_delta"])
    weights = schedule.weights_in_last(given["eta"], spectrum(cell["p"], cell["kappa"]), T)
    return [
        Calibrated(PUBLISHED, layout.uniform(T), rho), Calibrated(EXACT, layout.uniform(T), exact),
        Calibrated(SCHEDULED, layout.scheduled(layout.SCHEDULE, weights, given["floor"]), exact),
    ]  # fmt: skip


def run(spec: Spec) -> Iterator[Row]:
    """Yields squared distances of the last iterate to least squares and to the truth, and what the law predicts."""
    cell, eta, gamma = spec["cell"], spec["settings"]["eta"], threshold(spec)
    n, p, kappa, T = cell["n"], cell["p"], cell["kappa"], cell["T"]
    chosen = arms(spec)
    for trial in range(*spec["trials"]):
        sample, theta = linear_sample(spec, n, p, kappa, trial), true_parameter(spec, n, p, trial)
        theta_hat = linear_least_squares(sample.gram)
        normals = trial_stream(spec, p, n, trial, "noise").standard_normal((T, p))
        found = side_by_side(sample, [each.arm for each in chosen], [each.rho for each in chosen], eta, gamma, normals)
        law = Law.of(sample, theta_hat, eta, T)
        place = {"panel": spec["panel"], "n": n, "p": p, "T": T, "rho": cell["rho"], "trial": trial}
        for name, target in ((HAT, theta_hat), (TRUTH, theta)):
            start, published = float(np.sum((law.mean - target) ** 2)), float("nan")
            for k, each in enumerate(chosen):
                value = float(np.sum((found.theta[0, k] - target) ** 2))
                predicted = start + law.variance(each.arm, gamma, each.rho)
                told = {**place, "estimate": name, "noise_ratio": math.sqrt(each.rho / cell["rho"]),
                        "clip_fraction": found.clipped[0, k]}  # fmt: skip
                yield {**told, "series": each.series, "value": value, "predicted": predicted}
                if each.series == PUBLISHED:
                    published = value / predicted
                else:
                    share = published * predicted
                    yield {**told, "series": GAP.format(each.series), "value": value - share, "predicted": share}


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one cell."""
    cell = spec["cell"]
    for each in arms(spec):
        name = f"{spec['variant']}: {spec['panel']}, n={cell['n']} p={cell['p']} T={cell['T']}: {each.series}"
        yield name, each.arm.mechanism(threshold(spec), cell["n"], each.rho), spec["settings"]["dp_delta"]
