"""DP-2S-GD of liang2025: many runs on one data set with one instrument, and the paper's design with fifty."""

from functools import partial

import numpy as np
import peers
from workload import Cost, Way, Workload

import dpdescent.algorithms.dp_2s_gd as engine
from dpdescent.data.iv import IVSample, draw_parameters, draw_sample
from dpdescent.papers.liang2025 import formulas
from dpdescent.replication.bench import OURS, TEXTBOOK

T = 20


def textbook(
    sample: IVSample, arms: engine.TwoStageArms, stage1: np.ndarray, stage2: np.ndarray, runs: int
) -> np.ndarray:
    """beta^(T) of the first runs by liang2025 Algorithm 1 as it is written; noise in units of its sd."""
    Z, X, y = sample.Z, sample.X, sample.y
    betas = []
    for k in range(runs):
        Theta, beta = np.zeros((sample.q, sample.p)), np.zeros(sample.p)
        for t in range(T):
            first = Z[:, :, None] * (Z @ Theta - X)[:, None, :]
            second = (Z @ Theta) * (Z @ Theta @ beta - y)[:, None]
            size1, size2 = np.sqrt((first**2).sum((1, 2))), np.sqrt((second**2).sum(1))
            first *= np.minimum(1.0, arms.gamma1[k] / np.maximum(size1, 1e-300))[:, None, None]
            second *= np.minimum(1.0, arms.gamma2[k] / np.maximum(size2, 1e-300))[:, None]
            Theta, beta = (
                Theta - arms.eta[k] * (first.mean(0) - arms.lambda1[k] * stage1[t, k].T),
                beta - arms.alpha[k] * (second.mean(0) - arms.lambda2[k] * stage2[t, k]),
            )
        betas.append(beta)
    return np.array(betas)


def arms_of(
    clip: np.ndarray, problem: formulas.IVProblem, steps: formulas.StepSizes, rho: float
) -> engine.TwoStageArms:
    """Arms with the paper's noise, one for each clip constant."""
    one = np.ones(len(clip))
    gamma = np.array([formulas.clipping_threshold(each, problem.n, problem.q, T, problem.tau) for each in clip])
    noise = np.array([formulas.noise_scale(each, problem.n, T, rho) for each in gamma])
    return engine.TwoStageArms(np.full(len(clip), T), steps.eta * one, steps.alpha * one, gamma, gamma, noise, noise)


def one_instrument(runs: int = 1000, alike: bool = True) -> Workload:
    """n = 8065, p = q = 1, one data set of the paper's design, so that no two records are equal.

    Args:
        runs: number of runs.
        alike: whether the runs differ in their noise alone, or in their thresholds too.
    """
    rng = np.random.default_rng(0)
    parameters = draw_parameters(1, 1, 3, rng)
    sample, problem = draw_sample(parameters, 8065, rng), formulas.IVProblem.of(parameters, 8065, 5.0)
    steps = formulas.recommended_step_sizes(formulas.spectrum(problem, formulas.Constants(0.1, 0.01)))
    arms = arms_of(np.full(runs, 3.0) if alike else np.linspace(0.5, 5.5, runs), problem, steps, 1.0)
    stage1, stage2 = rng.standard_normal((T, runs, 1, 1)), rng.standard_normal((T, runs, 1))
    few = runs // 100
    ways = {
        OURS: Way(lambda: engine.descend(sample, arms, engine.Normals(stage1, stage2)).beta),
        TEXTBOOK: Way(lambda: textbook(sample, arms, stage1, stage2, few), few / runs),
        **{
            name: Way(partial(way, sample, arms, stage1, stage2, share := peers.some(runs, name)), share / runs)
            for name, way in peers.dp_2s_gd(one_instrument=True).items()
        },
    }
    differ = f"{runs} runs that differ in noise {'alone' if alike else 'and threshold'}"
    return Workload(f"DP-2S-GD, n=8065, p=q=1, T={T}, {differ}", ways, Cost(bytes=8.0 * 3 * 8065 * T))


def design(sets: int = 20) -> Workload:
    """n = 5000, p = q = 50, twenty data sets of the paper's design, one run each."""
    rng = np.random.default_rng(1)
    parameters = draw_parameters(50, 50, 50, rng)
    problem = formulas.IVProblem.of(parameters, 5000, 5.0)
    steps = formulas.recommended_step_sizes(formulas.spectrum(problem, formulas.Constants(0.1, 0.01)))
    arms, samples = (
        arms_of(np.full(1, 3.0), problem, steps, 5.0),
        [draw_sample(parameters, 5000, rng) for _ in range(sets)],
    )
    normals = [engine.Normals.draw(rng, T, 50, 50) for _ in range(sets)]

    def all_of(way: peers.TwoStage, count: int) -> np.ndarray:
        pairs = list(zip(samples, normals, strict=True))[:count]
        return np.concatenate([way(sample, arms, each.stage1, each.stage2, 1) for sample, each in pairs])

    ways = {
        OURS: Way(lambda: np.concatenate([engine.descend(*each).beta for each in zip(
            samples, [arms] * sets, normals, strict=True)])),
        TEXTBOOK: Way(partial(all_of, textbook, 1), 1 / sets),
        **{name: Way(partial(all_of, way, share := peers.some(sets, name)), share / sets)
           for name, way in peers.dp_2s_gd(one_instrument=False).items()},
    }  # fmt: skip
    # Predictions of all records, and the gradient from those that are clipped, of which there may be none.
    return Workload(
        f"DP-2S-GD, n=5000, p=q=50, T={T}, {sets} data sets", ways, Cost(flops=2.0 * 5000 * 2500 * T * sets)
    )


def workloads() -> list[Workload]:
    return [one_instrument(), one_instrument(alike=False), design()]
