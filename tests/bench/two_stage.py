"""DP-2S-GD against a textbook loop: one run at a time, every per-sample gradient formed. Same law first, then ratios.

Run it by `make bench`. Times are medians over interleaved repeats on this machine; the ratio is what carries over.
"""

# First of all imports, because it pins BLAS to one thread before numpy starts it.
import dpdescent.replication.pins  # noqa: F401

# isort: split
import argparse

import numpy as np
from timing import in_turn

import dpdescent.algorithms.dp_2s_gd as engine
from dpdescent.data.iv import IVSample, draw_parameters, draw_sample
from dpdescent.data.tabular import compress
from dpdescent.papers.liang2025.theory import prescriptions

Run = tuple[IVSample, engine.TwoStageArms, list[engine.Normals]]


def textbook(sample: IVSample, arms: engine.TwoStageArms, normals: engine.Normals, k: int) -> np.ndarray:
    """beta^(T) of arm k by liang2025 Algorithm 1 as it is written."""
    Z, X, y = sample.Z, sample.X, sample.y
    Theta, beta = np.zeros((sample.q, sample.p)), np.zeros(sample.p)
    for t in range(arms.steps[k]):
        first = Z[:, :, None] * (Z @ Theta - X)[:, None, :]
        second = (Z @ Theta) * (Z @ Theta @ beta - y)[:, None]
        first *= np.minimum(1.0, arms.gamma1[k] / np.maximum(np.sqrt((first**2).sum((1, 2))), 1e-300))[:, None, None]
        second *= np.minimum(1.0, arms.gamma2[k] / np.maximum(np.sqrt((second**2).sum(1)), 1e-300))[:, None]
        Xi, nu = normals.stage1[t, k % normals.stage1.shape[1]].T, normals.stage2[t, k % normals.stage2.shape[1]]
        Theta, beta = (
            Theta - arms.eta[k] * (first.mean(0) - arms.lambda1[k] * Xi),
            beta - arms.alpha[k] * (second.mean(0) - arms.lambda2[k] * nu),
        )
    return beta


def arms_of(
    count: int, problem: prescriptions.IVProblem, steps: prescriptions.StepSizes, clip: float, rho: float
) -> engine.TwoStageArms:
    """`count` equal arms at T = 20 with the paper's noise."""
    one, T = np.ones(count), 20
    gamma = prescriptions.clipping_threshold(clip, problem.n, problem.q, T, problem.tau)
    noise = prescriptions.noise_scale(gamma, problem.n, T, rho)
    return engine.TwoStageArms(
        np.full(count, T), steps.eta * one, steps.alpha * one, gamma * one, gamma * one, noise * one, noise * one
    )


def survey(runs: int = 1000, width: int = 200) -> tuple[IVSample, list[Run]]:
    """n = 8065, p = q = 1, one data set of binary z and x and few outcomes, 1000 runs in blocks."""
    rng = np.random.default_rng(0)
    n = 8065
    z, x = rng.integers(0, 2, n) - 0.5, (rng.random(n) < 0.38) - 0.38
    y = np.where(rng.random(n) < 0.45, 0, rng.integers(1, 53, n)) - 19.0
    plain = IVSample(z[:, None], x[:, None], y)
    problem = prescriptions.IVProblem(n=n, p=1, q=1, tau=5.0, theta_min=0.1, theta_norm=0.1, sigma_1=1.0, sigma_2=1.0)
    arms = arms_of(width, problem, prescriptions.StepSizes(0.98, 300.0), 0.1, 1.0)
    merged = compress(plain)
    shapes = (20, width, 1, 1), (20, width, 1)
    blocks = [engine.Normals(*(rng.standard_normal(shape) for shape in shapes)) for _ in range(runs // width)]
    return plain, [(merged, arms, [normals]) for normals in blocks]


def design(sets: int = 20) -> list[Run]:
    """n = 5000, p = q = 50, twenty data sets of the paper's design, one run each."""
    rng = np.random.default_rng(1)
    parameters = draw_parameters(50, 50, 50, rng)
    problem = prescriptions.IVProblem.of(parameters, 5000, 5.0)
    steps = prescriptions.recommended_step_sizes(prescriptions.spectrum(problem, prescriptions.Constants(0.1, 0.01)))
    arms = arms_of(1, problem, steps, 3.0, 5.0)
    return [(draw_sample(parameters, 5000, rng), arms, [engine.Normals.draw(rng, 20, 50, 50)]) for _ in range(sets)]


def fast(runs: list[Run]) -> list[np.ndarray]:
    return [engine.descend(sample, arms, normals[0]).beta for sample, arms, normals in runs]


def report(name: str, runs: list[Run], plain: list[IVSample], share: float, rounds: int) -> None:
    """Checks that both ways give the same numbers, then times them side by side; the loop on a share of the runs."""
    checked = [(sample, arms, normals[0]) for sample, (_, arms, normals) in zip(plain, runs, strict=True)]
    betas = fast(runs)
    for (sample, arms, normals), beta in list(zip(checked, betas, strict=True))[:2]:
        np.testing.assert_allclose(textbook(sample, arms, normals, 0), beta[0], rtol=1e-8, atol=1e-10)
    todo = [(sample, arms, normals, k) for sample, arms, normals in checked for k in range(len(arms))]
    some = todo[: max(1, round(share * len(todo)))]
    ours, loop = in_turn(rounds, (lambda: fast(runs), 3), (lambda: [textbook(*each) for each in some], 1))
    loop *= len(todo) / len(some)
    print(f"{name}: dpdescent {ours:.4f} s, textbook loop {loop:.2f} s, ratio {loop / ours:.0f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3, help="interleaved repeats")
    args = parser.parse_args()
    plain, runs = survey()
    report("n=8065, p=q=1, T=20, 1000 runs, one data set", runs, [plain] * len(runs), 0.1, args.repeats)
    runs = design()
    report("n=5000, p=q=50, T=20, 20 data sets", runs, [sample for sample, _, _ in runs], 0.2, args.repeats)


if __name__ == "__main__":
    main()
