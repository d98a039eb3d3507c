"""The law of iterates where nothing, or little, is clipped: Lemma 2.3, on designs of any kind, and Lemma 2.2."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.linalg import matrix_power
from scipy.special import chdtr

from dpdescent.algorithms import dp_gd
from dpdescent.algorithms.gaussian_law import IterateLaw
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.data.linear import LinearSample, draw_linear
from dpdescent.papers.brown2024.criteria import (
    CLOSE,
    EXACTLY_LAWFUL,
    LAWFUL,
    NEW,
    RATE,
    claim,
    claim_on_all_cells,
    of_series,
)
from dpdescent.papers.brown2024.formulas import CONTRACTION
from dpdescent.papers.brown2024.intervals import CHECKPOINTS, constructed
from dpdescent.papers.brown2024.setting import (
    Array,
    Release,
    Row,
    Setting,
    Spec,
    by_threshold,
    fixed_sample,
    law_of,
    released,
    sample_of,
    trial_stream,
    true_theta,
    unclipped,
)
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.judging import algebra, records, statistics
from dpdescent.replication.judging.criteria import BELOW_0, at_least, at_most, between
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.statistics import NOTHING, Z95, Estimate, exactly

# Degrees of freedom of the heavy-tailed covariates: a finite fourth moment and no more.
FREEDOM = 5
# Series of the tables.
LEVEL, SHARE = "level under the law", "P(some gradient is clipped)"
SHIFT, EXCESS, CONDITIONED = (
    "shift by clipping",
    "shift less share that clips",
    "level where nothing is clipped less all",
)
MEAN_LEVEL = "level of the mean over runs"
WIDTH = "exponent of lengths in sds of the iterate"
# Variances of the covariates where lengths of intervals are compared with sds, the ends of the paper's other design.
VARIANCES = (1.0, 2.0)
DISTANCE, LAST, PRINTED = "distance over ||M||^t", "last contraction over ||M||", "distance over (7/8)^t"


def levels(law: IterateLaw, T: int, theta: Array) -> Array:
    """Returns the probability under the law of a smaller squared Mahalanobis distance, for iterates theta_T.

    The distance is that to the law's mean in units of its covariance. If theta_T is normal with this mean and
    covariance, its square is chi-square with p degrees of freedom, and its level uniform on [0, 1].

    Args:
        law: law of the iterates on their data set, with noise.
        T: number of steps, at least 1.
        theta: iterates after T steps, shape (..., p).

    Returns:
        Levels, shape (...).
    """
    offsets = (theta - law.mean(T)) @ law.eigenvectors
    squared = (offsets**2 / law.variances(T)).sum(axis=-1)
    level: Array = np.asarray(chdtr(theta.shape[-1], squared), dtype=np.float64)
    return level


# Runs


def run_ext_law(spec: Spec) -> Iterator[Row]:
    """Yields rows of one panel: levels of unclipped runs on a design, or of clipped ones by threshold, or lengths."""
    rows_of = {"clipped": _clipped, "widths": _widths}.get(spec["panel"], _unclipped)
    for trial in range(*spec["trials"]):
        for row in rows_of(spec, trial):
            yield {"panel": spec["panel"], "n": spec["cell"]["n"], "T": spec["arms"]["T"], "clip_factor": np.nan, **row}


def _unclipped(spec: Spec, trial: int) -> Iterator[Row]:
    """Yields the level of every run and of their mean at every number of steps, and distances of runs without noise.

    The noise has the size of DP-GD's at the paper's threshold and T steps.
    """
    cell, arms = spec["cell"], spec["arms"]
    sample, runs, eta = design_of(spec, trial), cell["runs"], cell["eta"]
    noise_sd = Setting.of(spec, cell["n"], cell["p"], arms["T"], spec["settings"]["clip_factor"]).noise_sd
    rng = trial_stream(spec, sample.p, sample.n, trial, f"law {spec['panel']}")
    normals = rng.standard_normal((max(arms["steps"]), 1, runs, sample.p))
    path = _path(sample, dp_gd.DPGDArms.alike(runs, max(arms["steps"]), eta, np.inf, noise_sd), normals)
    law = IterateLaw.of(sample.gram, eta=eta, noise_sd=noise_sd)
    averaged = IterateLaw.of(sample.gram, eta=eta, noise_sd=noise_sd / runs**0.5)
    for T in arms["steps"]:
        theta = path[T - 1]
        for k, level in enumerate(levels(law, T, theta)):
            yield {"T": T, "series": LEVEL, "trial": trial * runs + k, "value": float(level)}
        mean = float(levels(averaged, T, theta.mean(axis=0)))
        yield {"T": T, "series": MEAN_LEVEL, "trial": trial, "value": mean}
    yield from _without_noise(arms["steps"], sample, law, trial)


def _path(sample: LinearSample, arms: dp_gd.DPGDArms, normals: Array) -> Array:
    """The iterates of runs on one data set, shape (T, runs, p)."""
    path = dp_gd.descend([sample], arms, normals, record=True).path
    assert path is not None
    return path[:, 0]


def _without_noise(steps: list[int], sample: LinearSample, law: IterateLaw, trial: int) -> Iterator[Row]:
    """Yields distances to least squares divided by ||M||^t and (7/8)^t times the start's, and the last contraction."""
    arms = dp_gd.DPGDArms.alike(1, max(steps), law.eta, np.inf, 0.0)
    path = _path(sample, arms, np.zeros((max(steps), 1, 1, sample.p)))
    distances = np.linalg.norm(path[:, 0] - law.theta_hat, axis=1)
    norm, start = float(np.abs(law.contraction).max()), float(np.linalg.norm(law.theta_hat))
    if norm > CONTRACTION or norm < np.sqrt(np.finfo(float).eps):
        return
    for T in steps:
        yield {"T": T, "series": DISTANCE, "trial": trial, "value": distances[T - 1] / (start * norm**T)}
        yield {"T": T, "series": PRINTED, "trial": trial, "value": distances[T - 1] / (start * CONTRACTION**T)}
        if T > 1:
            yield {"T": T, "series": LAST, "trial": trial, "value": distances[T - 1] / distances[T - 2] / norm}


def _clipped(spec: Spec, trial: int) -> Iterator[Row]:
    """Yields how far clipping moves the law on a data set, by threshold, beside the share of runs that clip.

    The same normals drive the run with clipping and that without, so that runs that clip nothing are equal. The shift is
    the largest difference that clipping makes to the probabilities of five events, that the level is below a quantile.
    Levels of the runs that clip nothing are compared with those of all runs, where the first step, which no noise has
    reached, clips nothing, and some runs clip later.
    """
    sample, runs = design_of(spec, trial), spec["cell"]["runs"]
    rng = trial_stream(spec, sample.p, sample.n, trial, f"law {spec['panel']}")
    normals = rng.standard_normal((spec["arms"]["T"], 1, runs, sample.p))
    first = float((np.linalg.norm(sample.X, axis=1) * np.abs(sample.y)).max())
    for factor, setting in by_threshold(spec).items():
        free = dp_gd.DPGDArms.alike(runs, setting.T, setting.eta, np.inf, setting.noise_sd)
        clipped, unclipped = (dp_gd.descend([sample], arms, normals) for arms in (setting.arms(runs), free))
        law, quiet = law_of(sample, setting), clipped.clipped[0] == 0
        with_clipping, without = (levels(law, setting.T, runs_of.theta[0]) for runs_of in (clipped, unclipped))
        share = 1.0 - float(quiet.mean())
        shift = max(abs(float((with_clipping <= q).mean() - (without <= q).mean())) for q in LEVELS.values())
        values = {SHARE: share, SHIFT: shift, EXCESS: shift - share}
        if first <= setting.gamma and 0.0 < share < 1.0:
            values[CONDITIONED] = float(without[quiet].mean() - without.mean())
        for series, value in values.items():
            yield {"clip_factor": factor, "trial": trial, "series": series, "value": value}


def _widths(spec: Spec, trial: int) -> Iterator[Row]:
    """Yields the exponent with which lengths of intervals follow the sds of the last iterate, over coordinates.

    Both are of one data set: lengths of intervals from checkpoints of DP-GD, averaged over replications, and the exact
    sds of its iterates, which differ because covariates have unequal variances.
    """
    cell, factor = spec["cell"], spec["settings"]["clip_factor"]
    n, p, steps = cell["n"], cell["p"], cell["steps"]
    root = np.diag(np.sqrt(np.linspace(*VARIANCES, p)))
    rng = trial_stream(spec, p, n, trial, "data unequal variances")
    sample = draw_linear(true_theta(spec, p, n, trial), n, rng, root=root, noise_mean=spec["settings"]["noise_mean"])
    made = next(each for each in constructed(spec, sample, trial, steps, factor) if each.name == CHECKPOINTS)
    logs = np.log([made.intervals.length.mean(axis=0), np.sqrt(np.diag(made.law.covariance(steps)))])
    lengths, sds = logs - logs.mean(axis=1, keepdims=True)
    yield {
        "T": steps,
        "clip_factor": factor,
        "series": WIDTH,
        "trial": trial,
        "value": float(lengths @ sds / (sds @ sds)),
    }


def design_of(spec: Spec, trial: int) -> LinearSample:
    """Returns a trial's data set: normal, heavy-tailed or orthogonal covariates, labels of the linear model.

    Orthogonal covariates are cosines, whose sums X'X are n times the identity: they are not drawn.
    """
    n, p, panel = spec["cell"]["n"], spec["cell"]["p"], spec["panel"]
    if panel in ("normal", "clipped"):
        return sample_of(spec, p, n, trial)[0]
    rng = trial_stream(spec, p, n, trial, f"data {panel}")
    if panel == "heavy tails":
        X: Array = rng.standard_t(FREEDOM, (n, p)) * np.sqrt((FREEDOM - 2) / FREEDOM)
    else:
        X = np.sqrt(2.0) * np.cos(np.pi / n * np.outer(np.arange(n) + 0.5, np.arange(1, p + 1)))
    return LinearSample(X, X @ true_theta(spec, p, n, trial) + rng.standard_normal(n))


def releases_ext_law(spec: Spec) -> Iterator[Release]:
    """Yields the ledger entries of one panel; without clipping the sensitivity has no bound."""
    if spec["panel"] == "widths":
        cell, factor = spec["cell"], spec["settings"]["clip_factor"]
        setting = Setting.of(spec, cell["n"], cell["p"], cell["steps"], factor)
        return released(spec, [(f"DP-GD n={setting.n} N={setting.T}, {spec['panel']}", setting)])
    event = unclipped()
    arms: list[tuple[str, Setting | Mechanism]] = [(f"{event.name}, {spec['panel']}", event)]
    if spec["panel"] == "clipped":
        settings = by_threshold(spec).items()
        arms += [(f"DP-GD n={setting.n} gamma={k:g} sqrt(p), {spec['panel']}", setting) for k, setting in settings]
    return released(spec, arms)


# Claims

THEOREM: records.Place = {"artefact": "ext_law", "location": "Lemma 2.3", "kind": "theorem", "source": "paper"}
# The columns of a level's quantiles with their values where it is uniform.
LEVELS = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}
# "Differ greatly": an event of which the probability differs by a quarter.
GREATLY = 0.25
# Data sets from which the mean over them is judged.
DATA_SETS = 10
TESTED = (
    "chi-square level of theta_T, by its squared Mahalanobis distance to the law: quantile less that of uniform levels"
)


def as_predicted(rows: pd.DataFrame, id: str, place: records.Place) -> Claim:
    """The claim that DP-GD's last iterate has the normal law of Lemma 2.3 where few gradients are clipped.

    Rows are levels of one curve, a row for each point of the grid.
    """
    marked = of_series(rows, LEVEL)
    clipped = f"; {marked['clip_fraction'].max():.2%} of the gradients are clipped at most" if len(marked) else ""
    return claim_on_all_cells(
        id=id, **place | {"location": f"Lemma 2.3, {place['location']}", "kind": "theorem"},
        statement=f"{'(ours) ' if place['source'] == 'ours' else ''}where few gradients are clipped the iterate is as far from the lemma's mean, in units of its covariance, as a Gaussian vector",
        quantity=f"{TESTED}, averaged over the grid, farthest of five quantiles", cells=deviations(marked),
        criterion=between(-LAWFUL, LAWFUL),
        changed="Before a review a mean distance was compared with the law's; now it is the distribution of the Mahalanobis "
        "distance, which mean and covariance decide together; they are not looked at one by one. The words said until a fourth that they are.",
        note=f"without any clipping the lemma is exact; here few are clipped{clipped}; a covariance that is 12 % larger at p = 10, or 4 % "
        "at p = 100, moves a quantile by a tenth",
    )  # fmt: skip


def deviations(rows: pd.DataFrame) -> algebra.Places:
    """Distances of quantiles of levels from quantiles of uniform values, averaged over rows; exact for few trials too.

    A sample quantile of N uniform values, by linear interpolation, has mean `(q (N - 1) + 1) / (N + 1)`.
    """
    if not len(rows):
        return {}
    trials, places = algebra.floats(rows, "trials"), {}
    for column, level in LEVELS.items():
        expected = (level * (trials - 1) + 1) / (trials + 1)
        value = float((algebra.floats(rows, column) - expected).mean())
        half = Z95 * float(np.sqrt((expected * (1 - expected) / (trials + 2)).sum())) / len(rows)
        places[f"quantile {level:g}"] = Estimate(value, value - half, value + half)
    return places


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on runs without clipping, on designs of any kind, then on the effect of clipping."""
    rows = evidence.select("ext_law")
    yield from _recurrence()
    yield from _law(rows)
    yield from _decay(rows)
    yield from _effect_of_clipping(rows[rows["panel"] == "clipped"])
    widths = of_series(rows, WIDTH)
    yield claim(
        id="widths-follow-the-noise", artefact="ext_law", location="Abstract", kind="text", source="paper",
        statement="confidence intervals for the empirical optimizer adapt automatically to the variance of the algorithm on a particular data set",
        quantity="exponent with which mean lengths of intervals from checkpoints of DP-GD follow the exact sds of its iterate over the coordinates of a data set, mean over data sets",
        measured=statistics.mean_of(widths.iloc[0]) if len(widths) else NOTHING, criterion=between(1.0 - RATE, 1.0 + RATE),
        changed="Added after a fourth review.",
        note="normal covariates with variances from 1 to 2; lengths of one width for all have exponent 0. Coordinates of a data set stand for data sets; lengths are sds of draws of that law, so that only their dependence, or clipping, could make another exponent",
    )  # fmt: skip


def _recurrence() -> Iterator[Claim]:
    """Yields the claims on equation (2) and on its solution, by the engine's own steps on a fixed data set."""
    n, p, eta, noise_sd = 60, 5, 0.25, 0.3
    sample = fixed_sample(n, p)
    normals = np.sin(np.arange(1, 3 * p + 1) ** 2).reshape(3, 1, 1, p)
    arms = dp_gd.DPGDArms.alike(1, len(normals), eta, np.inf, noise_sd)
    moment, theta_hat, cells, solved = sample.gram.xx / n, linear_least_squares(sample.gram), {}, {}
    M = np.eye(p) - eta * moment
    for theta_0 in (np.zeros(p), np.arange(1.0, p + 1.0)):
        # A run from theta_0 is one from zero on labels y - X theta_0.
        path = theta_0 + _path(LinearSample(sample.X, sample.y - sample.X @ theta_0), arms, normals)[:, 0]
        before, place = theta_0, f"from theta_0 of length {np.linalg.norm(theta_0):.3g}"
        for t, (after, z) in enumerate(zip(path, normals[:, 0, 0], strict=True), 1):
            length, expected = (
                np.linalg.norm(after - before),
                before + eta * (moment @ (theta_hat - before) + noise_sd * z),
            )
            cells[f"step {t} {place}"] = exactly(float(np.linalg.norm(after - expected) / length))
            # Lemma C.4 in the order of its sum, from the start (18) and from an earlier iterate (92): the noise of k steps
            # before has been contracted k - 1 times.
            for earlier, theta in enumerate((theta_0, *path[: t - 1])):
                steps = (matrix_power(M, k - 1) @ (noise_sd * normals[t - k, 0, 0]) for k in range(1, t - earlier + 1))
                at_t = theta_hat + matrix_power(M, t - earlier) @ (theta - theta_hat) + eta * sum(steps, np.zeros(p))
                solved[f"step {t} by step {earlier} {place}"] = exactly(float(np.linalg.norm(after - at_t) / length))
            before = after
    # The smallest wrong world: noise outside of the step, which is not multiplied by eta, or a step on 2 Sigma.
    yield claim_on_all_cells(
        id="recurrence", artefact="bounds", location="(2)", kind="theorem", source="identity",
        statement="(algebra) a step of Algorithm 1 without clipping is theta_t = eta Sigma theta_hat + (I - eta Sigma) theta_(t-1) + eta z_t",
        quantity="distance of the engine's iterate to that of the recurrence over the length of the step, largest over three steps from two starts",
        cells=cells, criterion=at_most(1e-9), changed="Added after a third review. Until a later one the start was zero.",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="lemma-c.4", artefact="bounds", location="Lemma C.4, (18), (92)", kind="theorem", source="identity",
        statement="(algebra) without clipping theta_t = theta_hat + (I - eta Sigma)^t (theta_0 - theta_hat) + eta sum over i from 1 to t of (I - eta Sigma)^(i-1) z_(t-i)",
        quantity="distance of the engine's iterate to that of the solution, from the start or from an earlier iterate, over the length of the step, largest over three steps from two starts",
        cells=solved, criterion=at_most(1e-9), changed="Added after a fourth review. Until a later one there was one start, zero.",
    )  # fmt: skip


def _law(table: pd.DataFrame) -> Iterator[Claim]:
    laws: tuple[tuple[str, str, Source, str, str], ...] = (
        ("law-without-clipping", "Sec. 2.2, Lemma 2.3", "paper", "normal", "without clipping every iterate has exactly this Gaussian law"),
        ("law-heavy-tails", "Lemma 2.3", "paper", "heavy tails", "the law is that of a fixed data set, of any distribution: heavy-tailed covariates"),
        ("law-singular", "Lemma 2.3", "ours", "orthogonal", "(ours) the law holds where D is singular as well, which the lemma excludes: a fixed design with D = 0"),
    )  # fmt: skip
    for id, location, source, panel, statement in laws:
        rows = table[(table["series"] == LEVEL) & (table["panel"] == panel)]
        cells = {
            f"T = {T:g}, {place}": estimate
            for T, group in rows.groupby("T")
            for place, estimate in deviations(group).items()
        }
        yield claim_on_all_cells(
            id=id, **THEOREM | {"location": location, "source": source}, statement=statement,
            quantity=f"{TESTED}, farthest over T and five quantiles", cells=cells, criterion=between(-EXACTLY_LAWFUL, EXACTLY_LAWFUL),
            changed="Added after a review; before a second one a tenth was allowed, which hides a covariance 12 % too large.",
        )  # fmt: skip
    means = algebra.means(of_series(table, MEAN_LEVEL), ["panel", "T"])
    yield claim_on_all_cells(
        id="law-mean", **THEOREM,
        statement="without clipping theta_t has mean theta_hat + (I - eta Sigma)^t (theta_0 - theta_hat)",
        quantity="level of the mean over runs in the chi-square distribution of its own law less one half, farthest over T and design",
        cells={place: statistics.less_number(estimate, 0.5) for place, estimate in means.items()},
        criterion=between(-2 * LAWFUL, 2 * LAWFUL), changed=NEW,
        note="each data set has one mean over its runs, a tenth of a run's sd; a wrong mean has levels near 1",
    )  # fmt: skip


def _decay(rows: pd.DataFrame) -> Iterator[Claim]:
    last = algebra.rows_at_end(of_series(rows, LAST), "T")
    yield claim_on_all_cells(
        id="bias-decays", **THEOREM, statement="the bias decays geometrically, at the rate ||I - eta Sigma||",
        quantity=f"contraction of the distance to least squares in the last of {last['T'].max():g} steps without noise, over ||I - eta Sigma||",
        cells=algebra.means(last, ["panel"]), criterion=between(1 - CLOSE, 1 + 1e-9, words=f"between {1 - CLOSE:g} and 1"),
        changed=NEW, note="earlier steps contract faster; that no step exceeds the rate is algebra, so that only the lower end can fail",
    )  # fmt: skip
    yield claim_on_all_cells(
        id="bias-seven-eighths", **THEOREM | {"location": "(82), (76)", "source": "identity"},
        statement="the bias part of the error is at most (7/8)^T ||theta_hat||",
        quantity="distance to least squares of T steps without noise over (7/8)^T ||theta_hat||, largest over T and design",
        cells=algebra.means(of_series(rows, PRINTED), ["panel", "T"]), criterion=at_most(1.0),
        changed="Added after a review; before a second one it counted among the claims, though it cannot fail where ||M|| <= 7/8.",
    )  # fmt: skip


def _likely(rows: pd.DataFrame) -> list[float]:
    """The thresholds at which more than half of the runs clip."""
    shares = of_series(rows, SHARE)
    return [float(factor) for factor in shares[shares["mean"] > 0.5]["clip_factor"]]


def _effect_of_clipping(rows: pd.DataFrame) -> Iterator[Claim]:
    yield claim_on_all_cells(
        id="lemma-2.2", **THEOREM | {"location": "Lemma 2.2", "source": "identity"},
        statement="if nothing is clipped with probability 1 - beta, DP-GD is within total variation beta of its law without clipping",
        quantity="largest change by clipping of the probability of five events on the level, less the share of runs that clip, "
        "0.975 quantile over data sets, by threshold",
        cells=algebra.means(of_series(rows, EXCESS), ["clip_factor"], lambda row: exactly(row["q975"])), criterion=at_most(0.0),
        changed="Before a review the sampling error of quantiles counted as a shift; with the same normals for both runs, as the "
        "lemma's proof has it, it cannot fail.",
        note="one sided, as it looks at one function of the iterate",
    )  # fmt: skip
    shifts = of_series(rows, SHIFT)
    shifts = shifts[shifts["clip_factor"].isin(_likely(rows))]
    moved = algebra.means(shifts, ["clip_factor"])
    yield claim(
        id="clipping-likely-moves-the-law", **THEOREM | {"location": "Sec. 2.2", "kind": "text"},
        statement="if clipping occurs with high probability the output distributions with and without it may differ greatly",
        quantity="largest change by clipping of the probability of five events on the level, mean over data sets, largest over thresholds at which more than half of the runs clip",
        measured=max(moved.values(), key=lambda each: each.value, default=NOTHING), criterion=at_least(GREATLY, ", at some threshold"),
        changed="Added after a fourth review, which named the largest value.",
        note=f"mean over data sets by threshold: {algebra.places_text(moved)}",
    )  # fmt: skip
    quiet = of_series(rows, CONDITIONED)
    enough = quiet[quiet["trials"] >= DATA_SETS].sort_values("clip_factor")
    place = (
        f" ({algebra.place_of(enough.iloc[0], ['clip_factor'])}, {enough['trials'].iloc[0]:g} data sets)"
        if len(enough)
        else ""
    )
    yield claim(
        id="conditioning-moves-the-law", **THEOREM | {"location": "Sec. 2.2"},
        statement="conditioning on the event of no clipping changes the output distribution",
        quantity="mean level of the runs that clip nothing less that of all runs, on the same data set and without clipping, at "
        f"the smallest threshold with {DATA_SETS} data sets on which some runs clip, and none at the first step{place}",
        measured=statistics.mean_of(enough.iloc[0]) if len(enough) else NOTHING, criterion=BELOW_0,
        changed="Added after a review. Before a second one runs that clip nothing came from one of five data sets, and were "
        "compared with one half.",
        note="runs that clip nothing stay closer to the mean",
    )  # fmt: skip
