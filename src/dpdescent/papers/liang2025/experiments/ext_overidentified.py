"""Descent with more instruments than regressors; every synthetic experiment of the paper has equally many."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms import dp_2s_gd
from dpdescent.algorithms.two_stage_gd import final_betas
from dpdescent.baselines.least_squares import two_stage_least_squares
from dpdescent.data.iv import IVSample, draw_sample
from dpdescent.papers.liang2025.arms import Arm, columns
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.events import Mechanism


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Yields rows of one sample size: private and noise-free descent and 2SLS, with both residual moments of App. C."""
    n = spec["cell"]["n"]
    for trial in range(*spec["trials"]):
        parameters = synthetic.parameters_of(spec, trial)
        problem = prescriptions.IVProblem.of(parameters, n, spec["settings"]["tau"])
        sample = draw_sample(parameters, n, synthetic.trial_stream(spec, trial, "data"))
        fit, runs = two_stage_least_squares(sample), arms(spec, problem)
        result = dp_2s_gd.descend(sample, columns(runs, n), synthetic.normals(spec, trial, runs, sample))
        sizes, steps = synthetic.step_sizes(spec, problem), spec["arms"]["noise_free_T"]
        estimates = [("DP-2S-GD", runs[0].T, result.beta[0]), ("2SLS", 0, fit.beta)]
        estimates += [
            ("2S-GD", T, b) for T, b in zip(steps, final_betas(sample, steps, sizes.eta, sizes.alpha), strict=True)
        ]
        row = {"n": n, "trial": trial, **residual_moments(sample)}
        for target, truth in {"beta": parameters.beta, "beta_hat": fit.beta}.items():
            for series, T, beta in estimates:
                yield {
                    **row,
                    "series": series,
                    "T": T,
                    "error_to": target,
                    "value": float(np.linalg.norm(beta - truth)),
                }


def residual_moments(sample: IVSample) -> synthetic.Row:
    """Returns ||Z'r||/n, to which Remark 3.8 attributes the error, and ||Theta_hat'Z'r||/n, which the descent sees."""
    fit = two_stage_least_squares(sample)
    moment = sample.Z.T @ (sample.Z @ (fit.Theta @ fit.beta) - sample.y) / sample.n
    return {"residual_moment": np.linalg.norm(moment), "projected_moment": np.linalg.norm(fit.Theta.T @ moment)}


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of one sample size."""
    return synthetic.releases(spec, arms)


def arms(spec: synthetic.Spec, problem: prescriptions.IVProblem) -> list[Arm]:
    """Returns the private run, the only arm."""
    given = spec["arms"]
    gamma = synthetic.threshold(spec, problem, given["T"])
    steps = synthetic.step_sizes(spec, problem)
    return [Arm("DP-2S-GD", given["T"], given["rho1"], given["rho2"], steps, gamma, spec["settings"]["calibration"])]
