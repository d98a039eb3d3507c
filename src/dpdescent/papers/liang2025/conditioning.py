"""The condition number of the first stage (Sec. 1.1): noisy moments beside DP-2S-GD at its best number of iterations.

Both claim one budget, of which the descent's noise (4) spends half, a factor of sqrt(2) that no exponent has, and are
compared with 2SLS of the same records, without clipping, so that they depend on the data through their moments alone.
Noisy moments are the plain mechanism: Gaussian noise for the distance of two records' moments, and 2SLS of what comes
out.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd

from dpdescent.papers.liang2025 import formulas, moments, setting
from dpdescent.papers.liang2025.criteria import RATE, SIGNIFICANT, claim_on_all_cells
from dpdescent.papers.liang2025.friendly_moments import radius_of
from dpdescent.papers.liang2025.moments import DataSets, Measured, Samples, norms
from dpdescent.replication.judging.criteria import at_least
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.records import Place, Regime
from dpdescent.replication.judging.statistics import Estimate, exactly, median_of, ratio_of_estimates

PANEL = "condition"
DESCENT, NOISY = "Sec. 1.1 descent, condition number ", "Sec. 1.1 noisy moments, condition number "
SEC_1_1: Place = {"artefact": "table_rates", "location": "Sec. 1.1", "kind": "text", "source": "analogue"}
# The numbers of iterations that are tried are at most so many times the squared condition number, and at least a hundred.
TRIED, FEWEST = 12, 100
ADDED = "Added after a review; put down to cited methods until then."


def errors(data: DataSets) -> Measured:
    """Yields the distance to 2SLS of both methods, by condition number of Theta and number of iterations."""
    spec, (p, q, n) = data.spec, (data.problem.p, data.problem.q, data.problem.n)
    rho1, rho2 = (data.axis(symbol)[0] for symbol in ("rho1", "rho2"))
    for condition in data.axis("condition"):
        Theta = np.eye(q, p) * np.geomspace(5.0, 5.0 / condition, p)
        parameters = replace(data.parameters, Theta=Theta)
        problem = formulas.IVProblem.of(parameters, n, data.problem.tau)
        trials = range(*spec["trials"])
        generators = [setting.trial_stream(spec, trial, f"condition {condition:g}") for trial in trials]
        samples = moments.draw(parameters, np.zeros(q), n, generators)
        T = np.array([int(T) for T in data.axis("T") if max(FEWEST, TRIED * condition**2) >= T])
        steps, gammas = setting.step_sizes(spec, problem), [setting.threshold(spec, problem, int(each)) for each in T]
        noise = (
            np.array([formulas.noise_scale(gamma, n, each, rho) for gamma, each in zip(gammas, T, strict=True)])
            for rho in (rho1, rho2)
        )
        arms = moments.Arms(T, np.full(len(T), steps.eta), np.full(len(T), steps.alpha), *noise)
        _, beta = moments.descend(samples, arms, moments.normals_of(data, arms))
        labels = {"rho1": rho1, "rho2": rho2, "tau": problem.tau}
        for k, each in enumerate(T.tolist()):
            distances = norms(beta[:, k] - samples.beta_hat)
            yield {**labels, "quantity": f"{DESCENT}{condition:g}", "T": each}, distances
        public = setting.trial_stream(spec, 0, f"public sample, condition {condition:g}")
        radius = radius_of(parameters, problem.tau, public)
        noisy = _noisy(samples, 2.0 * radius / n / math.sqrt(2.0 * (rho1 + rho2)), generators)
        yield {**labels, "quantity": f"{NOISY}{condition:g}", "T": 0}, norms(noisy.beta_hat - samples.beta_hat)


def _noisy(samples: Samples, sd: float, generators: list[np.random.Generator]) -> Samples:
    """The moments that 2SLS needs, with noise of one sd on each; Z'Z/n is made symmetric."""

    def plus(values: moments.Array) -> moments.Array:
        draws = [sd * rng.standard_normal(own.shape) for rng, own in zip(generators, values, strict=True)]
        return np.asarray(values + np.array(draws), dtype=np.float64)

    zz = plus(samples.zz)
    return replace(samples, zz=0.5 * (zz + zz.swapaxes(-1, -2)), zx=plus(samples.zx), zy=plus(samples.zy))


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the growth of both errors with the condition number."""
    descent, noisy = (_least_errors(evidence, kind) for kind in (DESCENT, NOISY))
    grows = at_least(SIGNIFICANT)
    yield claim_on_all_cells(
        id="sec-1.1-condition-number", **SEC_1_1,
        statement="convergence of private first-order methods depends heavily on the condition number (here of Algorithm 1 without clipping)",
        quantity="least median error over T, and the T at which it lies, at the largest condition number of Theta over that at 1, p = q = 5 and 20",
        cells={
            **{f"error, {p}": _growth(rows) for p, rows in descent.items()},
            **{f"T, {p}": exactly(rows["T"].iloc[-1] / rows["T"].iloc[0]) for p, rows in descent.items()},
        },
        criterion=grows, changed=ADDED,
        note="at condition number 1 the best T is " + ", ".join(f"{rows['T'].iloc[0]:g} at {p}" for p, rows in descent.items()) + f", of {_first_T(evidence):g} and more that were tried",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="sec-1.1-gram-noise", **SEC_1_1,
        statement="noise in second moments blows up with the spectrum (here of 2SLS from moments with Gaussian noise)",
        quantity="median error of 2SLS from noisy moments at the largest condition number of Theta over that at 1, p = q = 5 and 20",
        cells={p: _growth(rows) for p, rows in noisy.items()}, criterion=grows, changed=f"{ADDED} After a first look 40 data sets stood behind a median in place of 20, by which it was open.",
        note="the error of Algorithm 1 grows more in the same runs, so that the contrast of the sentence, which gradients are to avoid, does not show here",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="sec-1.1-sufficient-statistics", **SEC_1_1,
        statement=(
            "pipelines of sufficient statistics alone need larger samples, polynomial in the condition number, than gradient-based "
            "ones to be as accurate in high dimensions (here the plain pipeline, with Gaussian noise)"
        ),
        quantity="exponent in the condition number of the error of noisy moments over the least error of Algorithm 1; both fall as 1/n, so that it is that of the sample sizes at equal errors",
        cells={p: _power(rows, descent[p]) for p, rows in noisy.items() if p in descent}, criterion=at_least(RATE, ": larger by a power"),
        regime=Regime(("dimensions of 5 and 20 are not high",), because="outside of what is said", blocks=("not reproduced",)), changed="Added after a review, put down to literature until another, and to ten minutes of computing until a third.",
        note=f"errors of noisy moments over those of Algorithm 1 at condition number 1, and at the largest: {_ratios(descent, noisy)}",
    )  # fmt: skip


def _first_T(evidence: Evidence) -> float:
    """The smallest number of iterations that was tried: a best T that equals it may lie below."""
    rows = evidence.select("table_rates", panel=PANEL)
    return float(rows.loc[rows["quantity"].str.startswith(DESCENT), "T"].min())


def _least_errors(evidence: Evidence, kind: str) -> dict[str, pd.DataFrame]:
    """The rows of one method at the T of least median error, by rising condition number, for every dimension."""
    rows = evidence.select("table_rates", panel=PANEL)
    rows = rows[rows["quantity"].str.startswith(kind)]
    rows = rows.assign(condition=rows["quantity"].str.removeprefix(kind).astype(float))
    least = rows.loc[rows.groupby(["p", "condition"])["median"].idxmin()]
    return {f"p = q = {p}": own.sort_values("condition") for p, own in least.groupby("p") if len(own) > 1}


def _growth(rows: pd.DataFrame) -> Estimate:
    """The last median over the first; the ends combine both medians' intervals in the worst way."""
    return ratio_of_estimates(median_of(rows.iloc[-1]), median_of(rows.iloc[0]))


def _power(rows: pd.DataFrame, others: pd.DataFrame) -> Estimate:
    """The exponent in the condition number of one growth over another, from end to end."""
    one, other, span = _growth(rows), _growth(others), math.log(rows["condition"].iloc[-1] / rows["condition"].iloc[0])
    ends = ((one.value, other.value), (one.low, other.high), (one.high, other.low))
    return Estimate(*(math.log(above / below) / span for above, below in ends))


def _ratios(descent: dict[str, pd.DataFrame], noisy: dict[str, pd.DataFrame]) -> str:
    """Both errors beside each other at either end, for a note."""
    both = (
        (p, rows["median"].to_numpy(), descent[p]["median"].to_numpy()) for p, rows in noisy.items() if p in descent
    )
    return "; ".join(f"{one[0] / other[0]:.2g} and {one[-1] / other[-1]:.2g} at {p}" for p, one, other in both)
