"""The law of iterates of Lemma 2.3 on designs of any kind, and how far clipping moves it (Lemma 2.2)."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms import dp_gd
from dpdescent.algorithms.gaussian_law import IterateLaw
from dpdescent.data.linear import LinearSample
from dpdescent.papers.brown2024.arms import Setting
from dpdescent.papers.brown2024.design import Array, Row, Spec, sample_of, trial_stream, true_theta
from dpdescent.papers.brown2024.runs.normality import LEVEL, levels
from dpdescent.papers.brown2024.theory.no_clipping import CONTRACTION
from dpdescent.privacy.events import Mechanism

# Degrees of freedom of the heavy-tailed covariates: a finite fourth moment and no more.
FREEDOM = 5
UNCLIPPED = "level, nothing clipped"
SHARE = "P(some gradient is clipped)"
MEAN_LEVEL = "level of the mean over runs"
DISTANCE, RATE, PRINTED = "distance over ||M||^t", "last contraction over ||M||", "distance over (7/8)^t"


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel: levels of unclipped runs on a design, or of clipped ones by threshold."""
    made = _clipped if spec["panel"] == "clipped" else _unclipped
    for trial in range(*spec["trials"]):
        for row in made(spec, trial):
            yield {"panel": spec["panel"], "n": spec["cell"]["n"], "T": spec["arms"]["T"], "clip_factor": np.nan, **row}


def _unclipped(spec: Spec, trial: int) -> Iterator[Row]:
    """Yields the level of every run and of their mean at every number of steps, and how fast runs without noise end."""
    sample, runs, eta = design_of(spec, trial), spec["cell"]["runs"], spec["cell"]["eta"]
    noise_sd, horizon = noise_of(spec), max(spec["arms"]["steps"])
    rng = trial_stream(spec, sample.p, sample.n, trial, f"law {spec['panel']}")
    normals = rng.standard_normal((horizon, 1, runs, sample.p))
    arms = dp_gd.DPGDArms.alike(runs, horizon, eta, np.inf, noise_sd)
    path = dp_gd.descend([sample], arms, normals, record=True).path
    assert path is not None
    law = IterateLaw.of(sample.gram, eta=eta, noise_sd=noise_sd)
    averaged = IterateLaw.of(sample.gram, eta=eta, noise_sd=noise_sd / runs**0.5)
    for T in spec["arms"]["steps"]:
        theta = path[T - 1, 0]
        for k, level in enumerate(levels(law, T, theta)):
            yield {"T": T, "series": LEVEL, "trial": trial * runs + k, "value": float(level)}
        mean = float(levels(averaged, T, theta.mean(axis=0)))
        yield {"T": T, "series": MEAN_LEVEL, "trial": trial, "value": mean}
    yield from _without_noise(spec, sample, law, trial)


def _without_noise(spec: Spec, sample: LinearSample, law: IterateLaw, trial: int) -> Iterator[Row]:
    """Yields the distance to least squares over what ||M|| and 7/8 leave of the start, and the last step's factor."""
    steps = spec["arms"]["steps"]
    arms = dp_gd.DPGDArms.alike(1, max(steps), law.eta, np.inf, 0.0)
    path = dp_gd.descend([sample], arms, np.zeros((max(steps), 1, 1, sample.p)), record=True).path
    assert path is not None
    distances = np.linalg.norm(path[:, 0, 0] - law.theta_hat, axis=1)
    norm, start = float(np.abs(law.contraction).max()), float(np.linalg.norm(law.theta_hat))
    if norm > CONTRACTION or norm < np.sqrt(np.finfo(float).eps):
        return
    for T in steps:
        yield {"T": T, "series": DISTANCE, "trial": trial, "value": distances[T - 1] / (start * norm**T)}
        yield {"T": T, "series": PRINTED, "trial": trial, "value": distances[T - 1] / (start * CONTRACTION**T)}
        if T > 1:
            yield {"T": T, "series": RATE, "trial": trial, "value": distances[T - 1] / distances[T - 2] / norm}


def _clipped(spec: Spec, trial: int) -> Iterator[Row]:
    """Yields the level of every run of DP-GD under the law without clipping, by threshold, and whether it clipped."""
    sample, runs = design_of(spec, trial), spec["cell"]["runs"]
    rng = trial_stream(spec, sample.p, sample.n, trial, f"law {spec['panel']}")
    normals = rng.standard_normal((spec["arms"]["T"], 1, runs, sample.p))
    for factor, setting in settings_of(spec).items():
        descent = dp_gd.descend([sample], setting.arms(runs), normals)
        law = IterateLaw.of(sample.gram, eta=setting.eta, noise_sd=setting.noise_sd)
        found = levels(law, setting.T, descent.theta[0])
        for k, (level, share) in enumerate(zip(found, descent.clipped[0], strict=True)):
            place = {"clip_factor": factor, "trial": trial * runs + k}
            yield {**place, "series": LEVEL, "value": float(level)}
            yield {**place, "series": SHARE, "value": float(share > 0)}
            if share == 0:
                yield {**place, "series": UNCLIPPED, "value": float(level)}


def design_of(spec: Spec, trial: int) -> LinearSample:
    """Returns a trial's data set: normal, heavy-tailed or orthogonal covariates, labels of the linear model."""
    n, p, panel = spec["cell"]["n"], spec["cell"]["p"], spec["panel"]
    if panel in ("normal", "clipped"):
        return sample_of(spec, p, n, trial)[0]
    rng = trial_stream(spec, p, n, trial, f"data {panel}")
    X = _heavy(n, p, rng) if panel == "heavy tails" else _orthogonal(n, p)
    return LinearSample(X, X @ true_theta(spec, p, n, trial) + rng.standard_normal(n))


def _heavy(n: int, p: int, rng: np.random.Generator) -> Array:
    X: Array = rng.standard_t(FREEDOM, (n, p)) * np.sqrt((FREEDOM - 2) / FREEDOM)
    return X


def _orthogonal(n: int, p: int) -> Array:
    """Returns cosines, whose sums X'X are n times the identity, shape (n, p): no draw at all."""
    X: Array = np.sqrt(2.0) * np.cos(np.pi / n * np.outer(np.arange(n) + 0.5, np.arange(1, p + 1)))
    return X


def noise_of(spec: Spec) -> float:
    """Returns the noise sd of runs without clipping: that of DP-GD at the paper's threshold and T steps."""
    cell = spec["cell"]
    return Setting.of(spec, cell["n"], cell["p"], spec["arms"]["T"], spec["settings"]["clip_factor"]).noise_sd


def settings_of(spec: Spec) -> dict[float, Setting]:
    """Returns the setting of DP-GD for every clip factor of the panel with clipping."""
    cell, given = spec["cell"], spec["arms"]
    return {factor: Setting.of(spec, cell["n"], cell["p"], given["T"], factor) for factor in given["clip_factor"]}


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one panel; without clipping the sensitivity has no bound."""
    delta = spec["settings"]["dp_delta"]
    if spec["panel"] != "clipped":
        event = Mechanism.without_privacy(
            "DP-GD without clipping", "gradients that are not clipped have no bound, hence no sensitivity"
        )
        yield f"{spec['variant']}: {event.name}, {spec['panel']}", event, delta
        return
    for factor, setting in settings_of(spec).items():
        name = f"{spec['variant']}: DP-GD n={setting.n} gamma={factor:g} sqrt(p), {spec['panel']}"
        yield name, setting.mechanism(), delta
