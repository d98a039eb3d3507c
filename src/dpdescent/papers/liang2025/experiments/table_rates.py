"""How sizes in Theorem 3.1 and its lemmas depend on n, p, q, T, the budgets and tau: exact unclipped runs on moments.

The theorem describes the descent without clipping (Lemma D.1), so that noise is calibrated to threshold (4) and nothing
is clipped. Where the dimension varies, the design has fixed singular values (`scaled_parameters`), because hidden
constants may depend on them.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from dpdescent.algorithms import dp_2s_gd, two_stage_gd
from dpdescent.baselines.friendly_core import moment_points
from dpdescent.checks import as_list
from dpdescent.data.iv import IVParameters, draw_sample
from dpdescent.papers.liang2025.arms import Arm, columns
from dpdescent.papers.liang2025.design import scaled_parameters
from dpdescent.papers.liang2025.experiments import table_lemmas
from dpdescent.papers.liang2025.runs import moments, synthetic
from dpdescent.papers.liang2025.runs.moments import Array, norms, operator_norms
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.privacy.events import Mechanism

# Panels on the design of Sec. 4.1 as the figures draw it; all others are on the design of fixed singular values.
DRAWN = ("cut-off n", "best T", "path", "steps")
# Effect of every instrument on the outcome where exclusion fails.
FORBIDDEN = 1.0
# A fraction of a ceiling (3) at which a stage is slow, and the steps between which its speed is taken.
SLOW, BETWEEN = 0.02, (100, 200)
# Fractions of both ceilings at which the descent must converge, and an error that is as good as 0.
FRACTIONS, CONVERGED = (0.1, 0.5, 0.9, 0.99), 1e-10

Measured = Iterator[tuple[synthetic.Row, Array]]


@dataclass(frozen=True)
class Setting:
    """The data sets of one part, with what their runs need.

    Attributes:
        spec: the part's specification, its cell complete.
        parameters: of the design.
        problem: what the theory knows of it, at the shared tau.
        samples: moments of the trials' data sets.
    """

    spec: synthetic.Spec
    parameters: IVParameters
    problem: prescriptions.IVProblem
    samples: moments.Samples

    def axis(self, symbol: str) -> Sequence[float]:
        """The values of an inner axis of the panel, by the axis's symbol."""
        return list(as_list({**self.spec["arms"], **self.spec["cell"]}[symbol]))


@dataclass(frozen=True)
class Run:
    """One noisy run: T, budgets of both stages (infinite: no noise), and the tau of its threshold."""

    T: int
    rho1: float
    rho2: float
    tau: float

    @property
    def labels(self) -> synthetic.Row:
        """The grid columns of this run."""
        return {"T": self.T, "rho1": self.rho1, "rho2": self.rho2, "tau": self.tau}


def run(spec: synthetic.Spec) -> Iterator[synthetic.Row]:
    """Yields rows of one cell: every quantity of the panel on every trial's data set."""
    setting = _setting(spec)
    cell, trials = setting.spec["cell"], range(*spec["trials"])
    shape = {"panel": spec["panel"], **{symbol: cell[symbol] for symbol in ("p", "q", "n")}}
    for measure in MEASURES[spec["panel"]]:
        for labels, values in measure(setting):
            for trial, value in zip(trials, values.tolist(), strict=True):
                yield {**shape, **labels, "series": "unclipped", "trial": trial, "value": value}


def _setting(spec: synthetic.Spec) -> Setting:
    cell = {"q": spec["cell"]["p"], **spec["cell"]}
    cell.setdefault("n", _least_sample_size(cell["p"], cell["q"], spec["settings"]["tau"]))
    spec = {**spec, "cell": cell}
    drawn, tau = spec["panel"] in DRAWN, spec["settings"]["tau"]
    design = synthetic.parameters_of(spec, 0) if drawn else scaled_parameters(cell["p"], cell["q"])
    problem = prescriptions.IVProblem.of(design, cell["n"], tau)
    # Step sizes and noise stay those of the design where the instruments lose their effect.
    parameters = replace(design, Theta=0.0 * design.Theta) if spec["panel"] == "irrelevant" else design
    direct = np.full(cell["q"], FORBIDDEN if spec["panel"] == "forbidden" else 0.0)
    generators = [synthetic.trial_stream(spec, trial, "data") for trial in range(*spec["trials"])]
    samples = moments.draw(parameters, direct, cell["n"], generators)
    return Setting(spec, parameters, problem, samples)


def _least_sample_size(p: int, q: int, tau: float) -> int:
    """The n of condition (6) without privacy, at constant 1."""
    return math.ceil(p * q * (tau + math.log(p * q)) ** 2)


def _blank(setting: Setting, quantity: str) -> synthetic.Row:
    """Grid columns of a quantity of the data alone."""
    return {"quantity": quantity, "T": 0, "rho1": math.inf, "rho2": math.inf, "tau": setting.problem.tau}


def _of_data(setting: Setting) -> Measured:
    """Yields the matrices of Lemmas D.2 to D.8, and the errors of both least-squares estimators."""
    found, parameters = setting.samples, setting.parameters
    yield _blank(setting, "D.2 ||Z'Z/n - I||"), operator_norms(found.zz - np.eye(found.zz.shape[-1]))
    yield _blank(setting, "D.3 ||Z'E2||/n"), operator_norms(found.ze)
    yield _blank(setting, "D.5 ||Theta_hat - Theta||"), operator_norms(found.theta_hat - parameters.Theta)
    yield _blank(setting, "App. C ||Theta_hat||"), operator_norms(found.theta_hat)
    yield _blank(setting, "App. C ||beta_hat||"), norms(found.beta_hat)
    yield _blank(setting, "D.7 ||beta_hat - beta||"), norms(found.beta_hat - parameters.beta)
    yield _blank(setting, "D.8 ||Z'r||/n"), norms(found.residual)
    yield _blank(setting, "least squares to beta"), norms(found.least_squares - parameters.beta)


def _of_runs(setting: Setting) -> Measured:
    """Yields, for every run, the noise's part of the error, what is left without noise, and the whole."""
    axes = (setting.axis(symbol) for symbol in ("T", "rho1", "rho2", "tau"))
    runs = [Run(int(T), rho1, rho2, tau) for T, rho1, rho2, tau in product(*axes)]
    if "rho" in setting.spec["cell"]:
        runs = [replace(each, rho1=rho, rho2=rho) for each in runs for rho in setting.axis("rho")]
    yield from _errors(setting, sorted(runs, key=lambda each: each.T))


def _of_algorithm_3(setting: Setting) -> Measured:
    """Yields the same for runs without noise in the first stage."""
    runs = [Run(int(T), math.inf, rho2, tau) for T, rho2, tau in product(*map(setting.axis, ("T", "rho2", "tau")))]
    yield from _errors(setting, sorted(runs, key=lambda each: each.T))


def _errors(setting: Setting, runs: list[Run]) -> Measured:
    both = [each for one in runs for each in (one, replace(one, rho1=math.inf, rho2=math.inf))]
    made = _arms(setting, both)
    Theta, beta = moments.descend(setting.samples, made, _normals(setting, made))
    beta_hat = setting.samples.beta_hat
    for k, one in enumerate(runs):
        noisy, free = beta[:, 2 * k], beta[:, 2 * k + 1]
        yield {**one.labels, "quantity": "(7) privacy part"}, norms(noisy - free)
        yield {**one.labels, "quantity": "(7) optimisation part"}, norms(free - beta_hat)
        yield {**one.labels, "quantity": "error to beta_hat"}, norms(noisy - beta_hat)
        if made.lambda1[2 * k] > 0:
            N = operator_norms(Theta[:, 2 * k] - Theta[:, 2 * k + 1])
            yield {**one.labels, "quantity": "D.4 ||N|| / lambda1"}, N / made.lambda1[2 * k]


def _arms(setting: Setting, runs: list[Run]) -> moments.Arms:
    steps = synthetic.step_sizes(setting.spec, setting.problem)
    count = len(runs)
    return moments.Arms(
        np.array([each.T for each in runs]), np.full(count, steps.eta), np.full(count, steps.alpha),
        np.array([_noise(setting, each, each.rho1) for each in runs]),
        np.array([_noise(setting, each, each.rho2) for each in runs]),
    )  # fmt: skip


def _noise(setting: Setting, one: Run, rho: float) -> float:
    """lambda of eq. (4), with the threshold at the run's tau; 0 at an infinite budget."""
    problem, settings = setting.problem, setting.spec["settings"]
    gamma = prescriptions.clipping_threshold(settings["clip_constant"], problem.n, problem.q, one.T, one.tau)
    return prescriptions.noise_scale(gamma, problem.n, one.T, rho)


def _normals(setting: Setting, made: moments.Arms) -> list[dp_2s_gd.Normals]:
    longest, (p, q) = int(made.steps.max()), (setting.problem.p, setting.problem.q)
    streams = (synthetic.trial_stream(setting.spec, trial, "noise") for trial in range(*setting.spec["trials"]))
    return [dp_2s_gd.Normals.draw(each, longest, p, q) for each in streams]


def _speeds(setting: Setting) -> Measured:
    """Yields log factor of the error a step over that of the slower stage, which sets it if kappa is their maximum."""
    window = prescriptions.spectrum(setting.problem, synthetic.constants(setting.spec))
    ceilings = prescriptions.step_size_ceilings(window)
    slow = setting.spec["panel"] == "slow eta"
    eta, alpha = ceilings.eta * (SLOW if slow else 0.5), ceilings.alpha * (0.5 if slow else SLOW)
    none = np.zeros(len(BETWEEN))
    made = moments.Arms(np.array(BETWEEN), np.full(2, eta), np.full(2, alpha), none, none)
    _, beta = moments.descend(setting.samples, made, _normals(setting, made))
    errors = np.log(norms(beta - setting.samples.beta_hat[:, None]))
    theta, zz = setting.samples.theta_hat, setting.samples.zz
    slower = np.maximum(_factor(zz, eta), _factor(np.swapaxes(theta, -1, -2) @ zz @ theta, alpha))
    measured = (errors[:, 1] - errors[:, 0]) / (BETWEEN[1] - BETWEEN[0])
    yield _blank(setting, "(10) speed over the slower stage's"), measured / np.log(slower)


def _factor(hessians: Array, step: float) -> Array:
    """Largest contraction factor of gradient descent on each Hessian."""
    found: Array = np.abs(1.0 - step * np.linalg.eigvalsh(hessians)).max(axis=-1)
    return found


def _growths(setting: Setting) -> Measured:
    """Yields the error after twice as many steps over that before, at steps up to just below the ceilings (3).

    The ceilings have the constants at which (10) bounds what is measured, because at smaller ones they promise nothing.
    """
    window = prescriptions.spectrum(setting.problem, table_lemmas.bound_constants(setting.spec))
    ceilings = prescriptions.step_size_ceilings(window)
    for one, other in product(FRACTIONS, repeat=2):
        none, eta, alpha = np.zeros(2), np.full(2, one * ceilings.eta), np.full(2, other * ceilings.alpha)
        made = moments.Arms(np.array(BETWEEN), eta, alpha, none, none)
        _, beta = moments.descend(setting.samples, made, _normals(setting, made))
        errors = norms(beta - setting.samples.beta_hat[:, None])
        name = f"(3) growth of the error at {one:g} and {other:g} of the ceilings"
        yield _blank(setting, name), errors[:, 1] / np.maximum(errors[:, 0], CONVERGED)


def _gradients(setting: Setting) -> Measured:
    """Yields the largest per-record gradient of either stage over all records and steps (Lemma D.1), for every T."""
    steps, problem = synthetic.step_sizes(setting.spec, setting.problem), setting.problem
    for T in map(int, setting.axis("T")):
        (rho,), gamma = setting.axis("rho1"), synthetic.threshold(setting.spec, problem, T)
        arm = Arm("DP-2S-GD, unclipped", T, rho, rho, steps, gamma)
        found = np.array([_largest(setting, arm, trial) for trial in range(*setting.spec["trials"])])
        for stage in (1, 2):
            labels = {**_blank(setting, f"D.1 largest gradient, stage {stage}"), "T": T, "rho1": rho, "rho2": rho}
            yield labels, found[:, stage - 1]


def _largest(setting: Setting, arm: Arm, trial: int) -> tuple[float, float]:
    sample = draw_sample(setting.parameters, setting.problem.n, synthetic.trial_stream(setting.spec, trial, "records"))
    runs, normals = columns([arm], sample.n), synthetic.normals(setting.spec, trial, [arm], sample)
    result = dp_2s_gd.descend(sample, runs, normals, record=True)
    found, none = two_stage_gd.Moments.of(sample), np.zeros((0, 0))
    assert result.Theta_path is not None
    assert result.beta_path is not None
    path = table_lemmas.Path(
        found, arm.steps.eta, arm.steps.alpha, result.Theta_path[:, 0], result.beta_path[:, 0], none
    )
    return table_lemmas.largest_gradients(sample, path)


def _diameters(setting: Setting) -> Measured:
    """Yields distances of the moment vectors of two records, one pair for each trial."""
    generators = [synthetic.trial_stream(setting.spec, trial, "pair") for trial in range(*setting.spec["trials"])]
    points = [moment_points(draw_sample(setting.parameters, 2, each)) for each in generators]
    yield _blank(setting, "App. F.2 distance of moment vectors"), norms(np.array([one - two for one, two in points]))


MEASURES: dict[str, tuple[Callable[[Setting], Measured], ...]] = {
    **dict.fromkeys(("over n", "over p", "over q"), (_of_data, _of_runs)),
    **dict.fromkeys(("over T", "over tau", "over rho1", "over rho2", "over both"), (_of_runs,)),
    **dict.fromkeys(("cut-off n", "cut-off p", "cut-off q", "best T", "path"), (_of_runs,)),
    **dict.fromkeys(("Algorithm 3 n", "Algorithm 3 T", "Algorithm 3 rho2"), (_of_algorithm_3,)),
    **dict.fromkeys(("valid", "irrelevant", "forbidden", "least n"), (_of_data,)),
    **dict.fromkeys(("gradients n", "gradients q", "gradients T"), (_gradients,)), "steps": (_growths,),
    "slow eta": (_speeds,), "slow alpha": (_speeds,), "diameter": (_diameters,),
}  # fmt: skip


def releases(spec: synthetic.Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns one ledger entry: nothing here has a finite sensitivity."""
    event = Mechanism.without_privacy("DP-2S-GD, unclipped", "diagnostic run without clipping: no finite sensitivity")
    cell = " ".join(f"{symbol}={spec['cell'][symbol]}" for symbol in ("p", "q", "n") if symbol in spec["cell"])
    return [(f"{spec['variant']}: {spec['panel']}: unclipped {cell}", event, spec["settings"]["dp_delta"])]
