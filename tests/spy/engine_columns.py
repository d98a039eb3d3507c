"""What one run of an engine received, as the ledger tells it: sensitivity, noise sd and number of noisy releases.

A column has by neighbouring relation the alternatives in which its releases can be `told`: step by step, or as one
release of the encoded gradients of the whole run; every release is `[sensitivity, noise_sd, count, correlation, rate]`,
the rate being the share of the records in a batch, or None where there are no batches or their sizes vary. A column of
infinite sensitivity, or of no Gaussian composition, has `words` instead, with which the ledger must explain it. A
release that a descent begins with is told `before` it, and belongs to the next column.
Sensitivities are worked out from thresholds here, independently of the code that makes the ledger.
"""

import functools
import math

# How far neighbours move a sum of clipped contributions, in units of the clip norm.
REACH = {"replace-one": 2.0, "add-remove": 1.0, "zero-out": 1.0}
# Recent correlated noise: its first SHOWN numbers, with its correlation and the norm of the encoder's columns.
KEPT, SHOWN = 256, 4
NOISES: dict = {}


class Batches:
    """Batches that remember the first one, and whether all are that same one."""

    def __init__(self, batches):
        self.rest, self.first, self.count, self.alike = batches, None, 0, True

    def __iter__(self):
        for batch in self.rest:
            self.first = batch if self.first is None else self.first
            self.count += 1
            self.alike &= batch[0] is self.first[0]
            yield batch


def told(*releases):
    """A column with these releases under replace-one; those without noise are none."""
    noisy = [release for release in releases if release[1] > 0.0]
    if any(math.isinf(sensitivity) for sensitivity, *_ in noisy):
        return [{"words": "clip"}]
    return [{"told": {"replace-one": [noisy]}}] if noisy else []


def of_sums(clip_norm, noise_sd, steps, correlation=0.0, norm=None, rate=None):
    """A column whose steps release sums of contributions clipped at a norm; `norm` is that of the whole encoder."""
    if noise_sd == 0.0:
        return []
    if math.isinf(clip_norm):
        return [{"words": "clip"}]
    found = {}
    for relation, reach in REACH.items():
        found[relation] = [[[reach * clip_norm, noise_sd, steps, correlation, rate]]]
        if norm is not None:
            found[relation].append([[reach * clip_norm * norm, noise_sd, 1, 0.0, None]])
    return [{"told": found}]


def mean(gamma, n, noise_sd, count):
    """`count` releases of the mean of n gradients clipped at gamma."""
    return [2.0 * gamma / n, noise_sd, count, 0.0, None]


def dp_gd(given):
    arms = given["arms"]
    for n in {sample.n for sample in given["samples"]}:
        columns = zip(arms.gamma.tolist(), arms.noise_by_step.T.tolist(), encoders(given), strict=True)
        for gamma, noise, norm in {(gamma, tuple(noise), norm) for gamma, noise, norm in columns}:
            if norm is None:
                yield from told(*(mean(gamma, n, noise_sd, noise.count(noise_sd)) for noise_sd in dict.fromkeys(noise)))
            else:
                yield from told([2.0 * gamma / n * norm, noise[0], 1, 0.0, None])


def encoders(given):
    """By run: the sensitivity of the encoder to gradients of norm 1 in all steps, None where noise is independent."""
    steps, normals = given["arms"].steps, given["normals"][:, 0]
    if not NOISES:
        return [None] * len(given["arms"])
    # Independent noise has the norm of a record that takes part once, and none for one that is in all steps.
    norms = [correlation_of(normals, k)[2] for k in range(len(given["arms"]))]
    return [norm(steps, steps) for norm in norms]


def two_stage(given):
    arms, n = given["arms"], given["sample"].n
    for k in range(len(arms)):
        releases = []
        for gamma, noise in ((arms.gamma1[k], arms.lambda1), (arms.gamma2[k], arms.lambda2)):
            steps = int(arms.steps[k])
            by_step = noise[:steps, k].tolist() if noise.ndim > 1 else [float(noise[k])] * steps
            releases += [mean(float(gamma), n, sd, by_step.count(sd)) for sd in dict.fromkeys(by_step)]
        yield from told(*releases)


def dp_iv_gd(given):
    """Both stages, and the second moment: |g g' - h h'| is at most sqrt(2) gamma^2 for |g|, |h| <= gamma."""
    settings, n, p = given["settings"], given["samples"][0].n, given["samples"][0].p
    moved = min(p, 2) ** 0.5 * settings.gamma2**2 / n
    yield from told(
        mean(settings.gamma1, n, settings.lambda1, settings.steps1),
        mean(settings.gamma2, n, settings.lambda2, settings.steps2),
        [moved, settings.moment_sd, 1, 0.0, None],
    )


def reduced_form(given):
    """The descent, and the second moment of gradients z v', which are vectors."""
    settings, n = given["settings"], given["samples"][0].n
    moved = 2**0.5 * settings.gamma**2 / n
    yield from told(
        mean(settings.gamma, n, settings.noise_sd, settings.steps), [moved, settings.moment_sd, 1, 0.0, None]
    )


def stream(given):
    """Of `regression` and `single_pass`: every record takes part in one step."""
    arms, noise = given["arms"], given["noise"]
    steps = given["steps"] if "steps" in given else len(given["X"])
    for a, (clip_norm, noise_sd) in enumerate(zip(arms.clip_norm.tolist(), arms.noise_sd.tolist(), strict=True)):
        scale, correlation, norm = correlation_of(noise, a)
        yield from of_sums(clip_norm, noise_sd * scale, steps, correlation, norm(steps, 1))


def mean_estimation(given):
    """Gradients are within 1, at which they would be clipped."""
    for a in range(len(given["eta"])):
        scale, correlation, norm = correlation_of(given["noise"], a)
        yield from of_sums(1.0, scale, len(given["values"]), correlation, norm(len(given["values"]), 1))


def epochs(given):
    steps, batches, clip_norm = given["steps"], given["batches"], float(given["clip_norm"])
    times, rest = divmod(steps, len(batches))
    sizes = {len(batch) for batch in batches}
    rate = sizes.pop() / len(given["labels"]) if len(sizes) == 1 else None
    for a, multiplier in enumerate(given["arms"].noise_multiplier.tolist()):
        scale, correlation, norm = correlation_of(given["noise"], a)
        noise_sd = multiplier * clip_norm * scale if multiplier else 0.0
        yield from of_sums(clip_norm, noise_sd, steps, correlation, None if rest else norm(steps, times), rate)


def lambda_cgd(given):
    arms, steps, batches = given["arms"], given["steps"], given["batches"]
    n = given["problem"].labels.shape[1]
    size = n if batches is None else len(batches.first[0])
    for clip_norm, multiplier, correlation in zip(
        arms.clip_norm.tolist(), arms.noise_multiplier.tolist(), arms.correlation.tolist(), strict=True
    ):
        period, rest = divmod(n, size) if size else (0, 1)
        norm = None if rest else cyclic_norm(steps, period, correlation)
        noise_sd = multiplier * clip_norm if multiplier else 0.0
        yield from of_sums(clip_norm, noise_sd, steps, correlation, norm, size / n)


def ambssgd(given):
    batches = given["batches"]
    m, times = len(batches.first[0]), batches.count if batches.alike else 1
    for arm in given["arms"]:
        how, alpha = arm.clipping, arm.noise_multiplier
        if not hasattr(how, "search"):
            gamma = how.threshold if how.clips else math.inf
            yield from told(mean(gamma, m, alpha * 2.0 * how.threshold / m if alpha else 0.0, times))
            continue
        b = m if how.shared else m - how.stat_size
        yield from told(counts(how.search, times), mean(1.0, b, alpha * 2.0 / b, times))


def ssgd(given):
    for arm in given["arms"]:
        zeta = arm.clipping.threshold
        noise_sd = arm.noise_multiplier * 2.0 * zeta if arm.noise_multiplier else 0.0
        yield from of_sums(zeta if arm.clipping.clips else math.inf, noise_sd, len(given["X"]))


def stat(given):
    yield from told(counts(given["self"], 1))


def counts(search, times):
    """DP-STAT's counts, of which a record moves each by 1."""
    return [1.0, search.noise_multiplier * math.sqrt(search.levels), search.levels * times, 0.0, None]


def ada_ssp(given):
    bounds, noise = given["calibration"].bounds, [each.noise_sd for each in given["calibration"].releases]
    xx, xy = bounds.x**2, bounds.x * bounds.y
    moves = {"add-remove": (xx, xx, xy), "zero-out": (xx, xx, xy), "replace-one": (xx, math.sqrt(2) * xx, 2 * xy)}
    yield {
        "told": {
            relation: [[[move, sd, 1, 0.0, None] for move, sd in zip(moved, noise, strict=True)]]
            for relation, moved in moves.items()
        }
    }


def sums(given):
    bounds, noise = given["calibration"].bounds, [each.noise_sd for each in given["calibration"].releases]
    moves = math.sqrt(2) * bounds.x**2, 2 * bounds.x * bounds.y
    yield from told(*([move, sd, 1, 0.0, None] for move, sd in zip(moves, noise, strict=True)))


def boosted(given):
    """The smallest eigenvalue of X'X, X'X, and X'r in every round."""
    settings = given["settings"]
    xx, xy = settings.bounds.x**2, settings.bounds.x * settings.bounds.y
    moves = (xx, 1), (math.sqrt(2) * xx, 1), (2 * xy, settings.rounds)
    yield from by_rounds(moves, settings.releases)


def sketched(given):
    """The smallest eigenvalue of X'X, sketches whose rows have a record's norm, and X'r in every round."""
    settings, x = given["settings"], given["settings"].bounds.x
    moves = (x**2, 1), (x, settings.rounds), (2 * x * settings.bounds.y, settings.rounds)
    yield from by_rounds(moves, settings.releases)


def by_rounds(moves, releases):
    """A column of releases with their sensitivities and counts."""
    pairs = zip(moves, releases, strict=True)
    yield from told(*([move, each.noise_sd, count, 0.0, None] for (move, count), each in pairs))


def sampled(given):
    """Sums over Poisson batches, which a record that comes or goes moves by gamma: a replacement is two of these."""
    settings = given["settings"]
    yield from told([settings.gamma, settings.release.noise_sd, settings.steps, 0.0, settings.rate])


def minimiser(given):
    how = given["calibration"]
    # Of each neighbour the solver leaves a slope of 1e-9 gamma.
    moved = (2.0 * how.gamma / given["sample"].n + 2e-9 * how.gamma) / how.ridge
    yield from told([moved, how.release.noise_sd, 1, 0.0, None])


def second_moment(given):
    """A release before a descent, at a cost rho: the mean of xx', or its largest eigenvalue."""
    n, p = records(given), given["X"].shape[1]
    moved = given["bound"] ** 2 / n * (math.sqrt(2) if "normals" in given and p > 1 else 1.0)
    yield {"before": [moved, moved / math.sqrt(2.0 * given["rho"]), 1, 0.0, None]}


def mean_before(given):
    """A release before a descent, at a cost rho: the mean of records of norm B at most."""
    moved = 2.0 * given["bound"] / records(given)
    yield {"before": [moved, moved / math.sqrt(2.0 * given["rho"]), 1, 0.0, None]}


def regression(given):
    """All releases of a plan, gradients in units of the threshold, which follows the residuals."""
    plan, n = given["plan"], given["plan"].n
    if plan.information < 3.0:
        # The estimate is 0, and no record is looked at.
        return
    of_squares = math.sqrt(2.0) if plan.p > 1 else 1.0
    found = [[math.sqrt(2.0 * plan.p), plan.units().noise_sd]] if plan.finds_units else []
    bounds = [plan.moment_bound(k) for k in range(plan.rounds)]
    found += [[of_squares * bound**2 / n, plan.moment(k).noise_sd] for k, bound in enumerate(bounds)]
    found += [[2.0 / n, plan.gradient(step, 1.0).noise_sd] for step in range(len(plan.step_rhos))]
    found += [[math.sqrt(2.0), plan.histogram().noise_sd]] * (len(plan.step_rhos) // 2 if plan.follows else 0)
    if plan.infers:
        moved = of_squares if plan.errors == "unequal" else 1.0
        found += [[of_squares * plan.slope_bound**2 / n, plan.slope().noise_sd], [moved / n, plan.spread(1.0).noise_sd]]
    yield from told(*([*each, 1, 0.0, None] for each in found))


def records(given):
    return len(given["X"]) if given.get("count") is None else int(given["count"].sum())


def friendly_core(given):
    yield {"words": f"({given['rho']}, {given['delta']})-approximate zCDP"}


ENGINES = {
    "dpdescent.algorithms.dp_gd": {"descend": dp_gd},
    "dpdescent.algorithms.dp_regression": {"fit": regression},
    "dpdescent.algorithms.dp_2s_gd": {"descend": two_stage},
    "dpdescent.algorithms.dp_iv_gd": {"descend": dp_iv_gd},
    "dpdescent.algorithms.reduced_form": {"descend": reduced_form},
    "dpdescent.papers.liang2025.lemma_f1": {"realised_cost": two_stage},
    "dpdescent.algorithms.dp_ftrl": {
        "regression": stream, "single_pass": stream, "mean_estimation": mean_estimation,
    },
    "dpdescent.algorithms.dp_ftrl_epochs": {"train": epochs},
    "dpdescent.algorithms.lambda_cgd": {"run": lambda_cgd},
    "dpdescent.algorithms.dp_ambssgd": {"descend": ambssgd},
    "dpdescent.algorithms.dp_ssgd": {"descend": ssgd},
    "dpdescent.algorithms.dp_stat": {"Search.select": stat},
    "dpdescent.baselines.ada_ssp": {"noisy_sums": ada_ssp},
    "dpdescent.baselines.sufficient_statistics": {"fit": sums},
    "dpdescent.baselines.output_perturbation": {"fit": minimiser},
    "dpdescent.baselines.boosted_ada_ssp": {"fit": boosted},
    "dpdescent.baselines.iterative_hessian_mixing": {"fit": sketched},
    "dpdescent.baselines.poisson_dp_sgd": {"fit": sampled},
    "dpdescent.algorithms.preconditioning": {
        "centre": mean_before, "whiten": second_moment, "largest_eigenvalue": second_moment,
    },
    "dpdescent.baselines.friendly_core": {"friendly_core_average": friendly_core},
}  # fmt: skip
# Engines whose batches come one after another; the first one has to be remembered.
WHOLE = (ambssgd, lambda_cgd)


def correlating(function):
    """The method of a strategy, or the sum with given coefficients, which remembers the noise that it made.

    Noise comes to engines ready-made, so that they cannot tell which encoder it belongs to.
    """

    @functools.wraps(function)
    def remembering(given, normals, *more):
        noise = function(given, normals, *more)
        norm = strategy_norm(given) if hasattr(given, "sensitivity_squared") else toeplitz_norm(given)
        NOISES[tuple(start_of(noise))] = (correlation_in(given), norm)
        while len(NOISES) > KEPT:
            del NOISES[next(iter(NOISES))]
        return noise

    return remembering


def start_of(noise):
    return noise[(slice(SHOWN), *[0] * (noise.ndim - 1))].tolist()


def strategy_norm(strategy):
    """Largest norm of the encoder's columns, of a record that takes part k times, T/k steps apart."""

    def norm(steps, participations):
        try:
            return math.sqrt(strategy.sensitivity_squared(steps, participations))
        except ValueError:
            return None

    return norm


def toeplitz_norm(coefficients):
    """Norm of the first column of the inverse of the lower-triangular Toeplitz matrix of these coefficients."""
    import numpy as np
    from scipy.signal import lfilter

    def norm(steps, participations):
        impulse = np.zeros(steps)
        impulse[0] = 1.0
        return float(np.linalg.norm(lfilter([1.0], coefficients[:steps], impulse))) if participations == 1 else None

    return norm


def correlation_in(given):
    """lambda of noise `Z_t - lambda Z_(t-1)`; 0 where noise is of another kind."""
    coefficients = given.coefficients(3) if hasattr(given, "coefficients") else given
    first, second, *_ = [*coefficients[1:].tolist(), 0.0, 0.0] if hasattr(coefficients, "tolist") else (0.0, 0.0)
    return -first if second == 0.0 else 0.0


def correlation_of(noise, arm):
    """(sd of a step's normals, correlation, norm of the encoder) of an arm's noise; independent noise has norm 1."""
    if hasattr(noise, "ndim"):
        own = noise[(slice(SHOWN), arm if noise.shape[1] > 1 else 0, *[0] * (noise.ndim - 2))].tolist()
        for start, (correlation, norm) in NOISES.items():
            scale = own[0] / start[0]
            if all(math.isclose(scale * made, seen, rel_tol=1e-9) for made, seen in zip(start, own, strict=False)):
                return scale, correlation, norm
    return 1.0, 0.0, lambda steps, participations: 1.0 if participations == 1 else None


def cyclic_norm(steps, period, correlation):
    """Norm of the sum of every period-th column of C, `C_(t,u) = correlation^(t - u)`, from the first one on."""
    total, value = 0.0, 0.0
    for t in range(steps):
        value = correlation * value + (t % period == 0)
        total += value**2
    return math.sqrt(total)
