"""Privacy cost of releasing beta when the first stage has no noise and one record is replaced, a test of Lemma F.1.

Given the history of released beta, each step is a Gaussian release whose mean depends on the data. Its realised zCDP
cost is the squared shift of that mean over twice the noise variance, and the expected sum of the costs along the path
is the Kullback-Leibler divergence of the two outputs, which rho-zCDP bounds by rho.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from scipy.special import log_ndtr, ndtr

from dpdescent.algorithms.dp_2s_gd import TwoStageArms
from dpdescent.data.iv import Array, IVSample, draw_sample
from dpdescent.papers.liang2025.arms import Algorithm, Arm, columns, mechanism
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.clipping import clip_factors
from dpdescent.privacy.events import Mechanism

NOTHING_RUN = "nothing is run: the cost is an exact divergence of one bit of beta, at this threshold and this noise"


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Yields rows of one design: realised cost against the claim, by what is replaced and by how much."""
    design = {"one-dimensional": _one_dimensional, "synthetic": _synthetic, "finite rho1": _finite_budget}[
        spec["panel"]
    ]
    for row in design(spec):
        yield {"design": spec["panel"], "claimed_rho": spec["cell"]["rho2"], "series": "DP-2S-GD-beta", **row}


def realised_cost(sample: IVSample, neighbour: IVSample, arms: TwoStageArms, rng: np.random.Generator) -> float:
    """Returns the sum of the realised zCDP costs of one path of beta that Algorithm 3, the one arm, has on `sample`."""
    both, lambda2 = (sample, neighbour), float(arms.lambda2[0])
    eta, alpha, gamma = float(arms.eta[0]), float(arms.alpha[0]), float(arms.gamma2[0])
    Thetas, beta, cost = [np.zeros((sample.q, sample.p)) for _ in both], np.zeros(sample.p), 0.0
    for _ in range(arms.steps[0]):
        gradients = [_second_stage(data, Theta, beta, gamma) for data, Theta in zip(both, Thetas, strict=True)]
        cost += float(np.sum((gradients[0] - gradients[1]) ** 2)) / (2 * lambda2**2)
        Thetas = [
            Theta - eta * data.Z.T @ (data.Z @ Theta - data.X) / data.n
            for data, Theta in zip(both, Thetas, strict=True)
        ]
        beta = beta - alpha * (gradients[0] - lambda2 * rng.standard_normal(sample.p))
    return cost


def _second_stage(sample: IVSample, Theta: Array, beta: Array, gamma: float) -> Array:
    V = sample.Z @ Theta
    residual = V @ beta - sample.y
    norms = np.linalg.norm(V, axis=1) * np.abs(residual)
    factors = clip_factors(norms[None], np.array([[gamma]]))[0]
    gradient: Array = V.T @ (residual * factors) / sample.n
    return gradient


def _one_dimensional(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Yields rows of the smallest example: all z = 1, all y = -1, and x = 0 but for the replaced record."""
    cell = spec["cell"]
    n = cell["n"]
    one = np.ones((n, 1))
    sample, run_of = IVSample(one, np.zeros((n, 1)), -np.ones(n)), columns([unit_arm(cell)], n)
    for reading in ("full record", "y only"):
        for M in spec["arms"]["M"]:
            for trial in range(*spec["trials"]):
                neighbour = _replaced(sample, 0, M, reading)
                rng = synthetic.trial_stream(spec, trial, "noise")
                cost = realised_cost(sample, neighbour, run_of, rng)
                yield {"reading": reading, "M": M, "trial": trial, "value": cost}


def unit_arm(cell: synthetic.Row) -> Arm:
    """Returns the arm with unit step sizes and threshold: Algorithm 3, or with a finite rho1 Algorithm 1.

    Of Algorithm 1 only beta is published.
    """
    algorithm: Algorithm = "DP-2S-GD, publish beta" if "rho1" in cell else "DP-2S-GD-beta"
    return Arm(algorithm, cell["T"], cell.get("rho1", math.inf), cell["rho2"], prescriptions.StepSizes(1.0, 1.0), 1.0)


def _synthetic(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Yields rows of the paper's own design; every trial has its own parameters, data, replaced record and noise."""
    cell = spec["cell"]
    for trial in range(*spec["trials"]):
        parameters = synthetic.parameters_of(spec, trial)
        problem = prescriptions.IVProblem.of(parameters, cell["n"], spec["settings"]["tau"])
        sample = draw_sample(parameters, cell["n"], synthetic.trial_stream(spec, trial, "data"))
        run_of = columns([synthetic_arm(spec, problem)], cell["n"])
        other = draw_sample(parameters, 1, synthetic.trial_stream(spec, trial, "replacement"))
        for reading, M, neighbour in _neighbours(spec, sample, other):
            rng = synthetic.trial_stream(spec, trial, "noise")
            yield {"reading": reading, "M": M, "trial": trial, "value": realised_cost(sample, neighbour, run_of, rng)}


def synthetic_arm(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> Arm:
    """Returns Algorithm 3 at the clipping threshold of eq. (4).

    The parameters of the design enter its step sizes only, neither its threshold nor its noise.
    """
    cell, steps = spec["cell"], synthetic.step_sizes(spec, problem)
    return Arm("DP-2S-GD-beta", cell["T"], math.inf, cell["rho2"], steps, synthetic.threshold(spec, problem, cell["T"]))


def _neighbours(spec: synthetic.Spec, sample: IVSample, other: IVSample) -> Iterator[tuple[str, float, IVSample]]:
    ordinary = IVSample(*(_with_first(old, new[0]) for old, new in zip(_columns(sample), _columns(other), strict=True)))
    yield "ordinary record", 0.0, ordinary
    for M in spec["arms"]["M"]:
        for reading in ("full record", "y only"):
            yield reading, M, _replaced(sample, 0, M, reading)


def _finite_budget(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Yields the exact cost at a finite rho1, two steps, one dimension, where beta^(2) shows the sign of Theta^(1).

    The replaced record has x = +gamma1 or -gamma1, all others have x = 0, and y is so negative that every second-stage
    gradient is clipped. Theta^(1) is normal with mean +-gamma1/n (eta = 1) and sd lambda1, so that the cost is the
    divergence of the two laws of its sign.
    """
    arm, n = unit_arm(spec["cell"]), spec["cell"]["n"]
    shift = arm.gamma1 / (n * arm.noise_sd(arm.rho1, n))
    likely, log_odds = ndtr(shift), log_ndtr(shift) - log_ndtr(-shift)
    # An exact value is no trial. Only the part with trial 0 holds it, so that it appears once however trials are cut.
    if spec["trials"][0] == 0:
        cost = (2 * likely - 1) * log_odds
        yield {"reading": "full record, sign bit alone", "M": math.nan, "trial": 0, "value": cost}


def _replaced(sample: IVSample, record: int, M: float, reading: str) -> IVSample:
    """Returns the neighbour whose record has x = (M, ..., M), or, for `y only`, where Lemma F.1 is right, y = M."""
    X, y = sample.X.copy(), sample.y.copy()
    if reading == "y only":
        y[record] = M
    else:
        X[record] = M
    return IVSample(sample.Z, X, y)


def _columns(sample: IVSample) -> tuple[Array, Array, Array]:
    return sample.Z, sample.X, sample.y


def _with_first(values: Array, first: Array) -> Array:
    changed = values.copy()
    changed[0] = first
    return changed


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entry of one design."""
    n = spec["cell"]["n"]
    if spec["panel"] == "synthetic":
        problem = prescriptions.IVProblem.of(synthetic.parameters_of(spec, 0), n, spec["settings"]["tau"])
        arm = synthetic_arm(spec, problem)
    else:
        arm = unit_arm(spec["cell"])
    event = mechanism(arm, n)
    if spec["panel"] == "finite rho1":
        event = replace(event, stand_in=NOTHING_RUN)
    yield f"{spec['variant']}: {arm.algorithm} {spec['panel']} n={n} T={arm.T}", event, spec["settings"]["dp_delta"]
