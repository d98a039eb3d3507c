"""Figure 9: 2S-GD against 2SLS over the sample size, at the paper's T and at many more."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms.two_stage_gd import final_betas
from dpdescent.baselines.least_squares import two_stage_least_squares
from dpdescent.data.iv import draw_sample
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.events import Mechanism


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Yields rows of one sample size: distance of each estimate to the truth, and of 2S-GD to 2SLS."""
    n, steps = spec["cell"]["n"], spec["arms"]["T"]
    for trial in range(*spec["trials"]):
        parameters = synthetic.parameters_of(spec, trial)
        problem = prescriptions.IVProblem.of(parameters, n, spec["settings"]["tau"])
        sample = draw_sample(parameters, n, synthetic.trial_stream(spec, trial, "data"))
        sizes, fit = synthetic.step_sizes(spec, problem), two_stage_least_squares(sample)
        spectrum = np.linalg.eigvalsh(fit.Theta.T @ (sample.Z.T @ sample.Z / n) @ fit.Theta)
        row = {"n": n, "trial": trial, "condition_number": spectrum[-1] / spectrum[0]}
        betas = dict(zip(steps, final_betas(sample, steps, sizes.eta, sizes.alpha), strict=True))
        for target, truth in {"beta": parameters.beta, "beta_hat": fit.beta}.items():
            for T, beta in betas.items():
                yield {**row, "series": "2S-GD", "T": T, "error_to": target, "value": np.linalg.norm(beta - truth)}
        error = np.linalg.norm(fit.beta - parameters.beta)
        # T is 0, because the closed form takes no iterations.
        yield {**row, "series": "2SLS", "T": 0, "error_to": "beta", "value": error}


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns one ledger entry without privacy, because neither estimator is private."""
    event = Mechanism.without_privacy("2S-GD")
    return [(f"{spec['variant']}: 2S-GD, 2SLS n={spec['cell']['n']}", event, spec["settings"]["dp_delta"])]
