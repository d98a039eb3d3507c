"""The guarantee of Algorithm 3 (Lemma F.1): cost of releasing beta without first-stage noise when a record differs.

Given the history of released beta, each step is a Gaussian release whose mean depends on the data. Its realised zCDP
cost is the squared shift of that mean divided by twice the noise variance, and the expected sum of the costs along the
path is the Kullback-Leibler divergence of the two outputs, which rho-zCDP bounds by rho.
"""

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import log_ndtr, ndtr

from dpdescent.algorithms.dp_2s_gd import TwoStageArms
from dpdescent.data.iv import Array, IVSample, draw_sample
from dpdescent.papers.liang2025 import setting
from dpdescent.papers.liang2025.criteria import claim_on_all_cells
from dpdescent.papers.liang2025.formulas import IVProblem, StepSizes
from dpdescent.papers.liang2025.setting import Algorithm, Arm, Entry, Row, Spec
from dpdescent.privacy.clipping import clip_factors
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.statistics import Estimate, exactly

NOTHING_RUN = "nothing is run: the cost is an exact divergence of one bit of beta, at this threshold and this noise"
# Planted records, the claim's id, its source, its words, the designs that do not test it, a note.
BETA_ONLY: tuple[tuple[str, str, Source, str, tuple[str, ...], str], ...] = (
    ("full record", "lemma-F.1", "paper", "releasing beta alone is rho2-zCDP, whatever rho1 is", (), ""),
    (
        "y only", "lemma-F.1-y-only", "ours", "(charitable reading) the same, if neighbours differ only in y",
        ("finite rho1", "one-dimensional"),
        "the one-dimensional example is left out: all its x are 0, so that y enters no gradient and the cost is 0 of itself",
    ),
)  # fmt: skip


def run_table_release_beta_only(spec: Spec) -> Iterator[Row]:
    """Yields rows of one design: realised cost against the claim, by the replaced values and their size."""
    designs = {"one-dimensional": _one_dimensional, "synthetic": _synthetic, "finite rho1": _finite_budget}
    for row in designs[spec["panel"]](spec):
        yield {"design": spec["panel"], "claimed_rho": spec["cell"]["rho2"], "series": "DP-2S-GD-beta", **row}


def releases_table_release_beta_only(spec: Spec) -> Iterator[Entry]:
    """Yields the ledger entry of one design."""
    n, panel = spec["cell"]["n"], spec["panel"]
    arm = _synthetic_arm(spec, setting.problem_of(spec)) if panel == "synthetic" else _unit_arm(spec["cell"])
    event = setting.mechanism(arm, n)
    if panel == "finite rho1":
        event = replace(event, stand_in=NOTHING_RUN)
    yield f"{spec['variant']}: {arm.algorithm} {panel} n={n} T={arm.T}", event, spec["settings"]["dp_delta"]


def _unit_arm(cell: Row) -> Arm:
    """The arm with unit step sizes and threshold: Algorithm 3, or with a finite rho1 beta of Algorithm 1."""
    algorithm: Algorithm = "DP-2S-GD, publish beta" if "rho1" in cell else "DP-2S-GD-beta"
    return Arm(algorithm, cell["T"], cell.get("rho1", math.inf), cell["rho2"], StepSizes(1.0, 1.0), 1.0)


def _synthetic_arm(spec: Spec, problem: IVProblem) -> Arm:
    """Algorithm 3 at the threshold of eq. (4); the design's parameters enter its step sizes only."""
    T, rho2 = spec["cell"]["T"], spec["cell"]["rho2"]
    return Arm(
        "DP-2S-GD-beta", T, math.inf, rho2, setting.step_sizes(spec, problem), setting.threshold(spec, problem, T)
    )


def realised_cost(sample: IVSample, neighbour: IVSample, arms: TwoStageArms, rng: np.random.Generator) -> float:
    """Returns the sum of the realised zCDP costs of one path of beta that Algorithm 3, the one arm, has on `sample`."""
    both, lambda2 = (sample, neighbour), float(arms.lambda2[0])
    eta, alpha, gamma = float(arms.eta[0]), float(arms.alpha[0]), float(arms.gamma2[0])

    def second_stage(data: IVSample, Theta: Array) -> Array:
        V = data.Z @ Theta
        residual = V @ beta - data.y
        norms = np.linalg.norm(V, axis=1) * np.abs(residual)
        factors = clip_factors(norms[None], np.array([[gamma]]))[0]
        gradient: Array = V.T @ (residual * factors) / data.n
        return gradient

    Thetas, beta, cost = [np.zeros((sample.q, sample.p)) for _ in both], np.zeros(sample.p), 0.0
    for _ in range(arms.steps[0]):
        gradients = [second_stage(data, Theta) for data, Theta in zip(both, Thetas, strict=True)]
        cost += float(np.sum((gradients[0] - gradients[1]) ** 2)) / (2 * lambda2**2)
        Thetas = [
            Theta - eta * data.Z.T @ (data.Z @ Theta - data.X) / data.n
            for data, Theta in zip(both, Thetas, strict=True)
        ]
        beta = beta - alpha * (gradients[0] - lambda2 * rng.standard_normal(sample.p))
    return cost


def _one_dimensional(spec: Spec) -> Iterator[Row]:
    """Yields rows of the smallest example: all z = 1, all y = -1, and x = 0 but for the replaced record."""
    n = spec["cell"]["n"]
    sample, arms = (
        IVSample(np.ones((n, 1)), np.zeros((n, 1)), -np.ones(n)),
        setting.columns([_unit_arm(spec["cell"])], n),
    )
    for reading in ("full record", "y only"):
        for M in spec["arms"]["M"]:
            for trial in range(*spec["trials"]):
                cost = realised_cost(
                    sample, _replaced(sample, M, reading), arms, setting.trial_stream(spec, trial, "noise")
                )
                yield {"reading": reading, "M": M, "trial": trial, "value": cost}


def _synthetic(spec: Spec) -> Iterator[Row]:
    """Yields rows of the paper's own design; every trial has its own parameters, data, replaced record and noise."""
    n = spec["cell"]["n"]
    for trial in range(*spec["trials"]):
        parameters, problem, sample = setting.drawn(spec, trial)
        arms = setting.columns([_synthetic_arm(spec, problem)], n)
        other = draw_sample(parameters, 1, setting.trial_stream(spec, trial, "replacement"))
        ordinary = IVSample(sample.Z.copy(), sample.X.copy(), sample.y.copy())
        ordinary.Z[0], ordinary.X[0], ordinary.y[0] = other.Z[0], other.X[0], other.y[0]
        planted = [
            (reading, M, _replaced(sample, M, reading))
            for M in spec["arms"]["M"]
            for reading in ("full record", "y only")
        ]
        for reading, M, neighbour in [("ordinary record", 0.0, ordinary), *planted]:
            cost = realised_cost(sample, neighbour, arms, setting.trial_stream(spec, trial, "noise"))
            yield {"reading": reading, "M": M, "trial": trial, "value": cost}


def _finite_budget(spec: Spec) -> Iterator[Row]:
    """Yields the exact cost at a finite rho1, two steps, one dimension, where beta^(2) shows the sign of Theta^(1).

    The replaced record has x = +gamma1 or -gamma1, all others have x = 0, and y is so negative that every second-stage
    gradient is clipped. Theta^(1) is normal with mean +-gamma1/n (eta = 1) and sd lambda1, so that the cost is the
    divergence of the two laws of its sign.
    """
    arm, n = _unit_arm(spec["cell"]), spec["cell"]["n"]
    shift = arm.gamma1 / (n * arm.noise_sd(arm.rho1, n))
    likely, log_odds = ndtr(shift), log_ndtr(shift) - log_ndtr(-shift)
    # An exact value is no trial. Only the part with trial 0 holds it, so that it appears once however trials are cut.
    if spec["trials"][0] == 0:
        cost = (2 * likely - 1) * log_odds
        yield {"reading": "full record, sign bit alone", "M": math.nan, "trial": 0, "value": cost}


def _replaced(sample: IVSample, M: float, reading: str) -> IVSample:
    """The neighbour whose first record has x = (M, ..., M), or, for `y only`, where Lemma F.1 is right, y = M."""
    X, y = sample.X.copy(), sample.y.copy()
    (y if reading == "y only" else X)[0] = M
    return IVSample(sample.Z, X, y)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the lemma as printed, and in the reading in which neighbours differ only in y."""
    table = evidence.select("table_release_beta_only")
    for reading, id, source, statement, left_out, note in BETA_ONLY:
        rows = table[(table["reading"] == reading) & ~table["design"].isin(left_out)]
        yield claim_on_all_cells(
            id=id, artefact="table_release_beta_only", location="Lemma F.1, Remark 3.9", kind="privacy", source=source,
            statement=statement,
            quantity="largest median realised zCDP cost over planted records, over the claim; the interval holds 90 % of the draws",
            cells={
                **algebra.means(
                    rows, ["design", "M"],
                    lambda row: Estimate(*(row[name] / row["claimed_rho"] for name in ("median", "q05", "q95"))),
                ),
                **(_of_algorithm_1(table) if source == "paper" else {}),
            },
            criterion=at_most(1.0, words="at most 1"), note=note or _whose_cost(table),
            changed="Until a referee objected Algorithm 1 itself, whose first stage clips, was in the note alone." if source == "paper" else "",
        )  # fmt: skip


def turned_sign(n: int, T: int) -> float:
    """Returns the cost of beta of Algorithm 1, over rho2, for two neighbours of n records and a first stage without noise.

    All z are 1, all y very negative, all x 0 but for one, which is the threshold or minus it. It moves Theta^(1) to one
    side of 0 or the other, and with it the second clipped gradient of every record to the threshold or minus it. So the
    mean of gradients differs by 2 gamma2, where `lambda2 = (2 gamma2 / n) sqrt(T / rho2)` hides `2 gamma2 / n`.
    """
    return n**2 / (2.0 * T)


def _of_algorithm_1(table: pd.DataFrame) -> algebra.Places:
    """Cost over the claim of one bit of beta of Algorithm 1 itself, with a finite budget in its first stage."""
    bits = table[table["design"] == "finite rho1"]
    if bits.empty:
        return {}
    bit = bits.iloc[0]
    return {"Algorithm 1, rho1 = 100, one bit of beta": exactly(bit["median"] / bit["claimed_rho"])}


def _whose_cost(table: pd.DataFrame) -> str:
    """A note on the costs that the planted records do not show: of Algorithm 1 itself, and of an ordinary record."""
    ordinary, finite = (
        table[table[column] == name] for column, name in (("reading", "ordinary record"), ("design", "finite rho1"))
    )
    if ordinary.empty or finite.empty:
        return ""
    bit = finite.iloc[0]
    return (
        "runs are of Algorithm 3, whose first stage clips nothing; of Algorithm 1, whose first stage clips, beta costs "
        f"{turned_sign(1000, 2):.3g} times rho_2 without noise in that stage, n = 1000, T = 2; at rho1 = 100 one bit of beta costs "
        f"{bit['median']:.2g} where {bit['claimed_rho']:g} is claimed; an ordinary replaced record costs "
        f"{(ordinary['median'] / ordinary['claimed_rho']).iloc[0]:.2g} of the claim (median)"
    )
