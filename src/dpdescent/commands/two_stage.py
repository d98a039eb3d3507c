"""DP-2S-GD (liang2025 Algorithm 1) on a table of your own: options, one run, and its publishable results."""

import argparse
import math
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from dpdescent.algorithms import stability
from dpdescent.algorithms.dp_2s_gd import Normals
from dpdescent.commands import own_data
from dpdescent.data.iv import Array, IVSample
from dpdescent.data.tabular import read_sample
from dpdescent.estimators import dp_2s_gd as estimator
from dpdescent.estimators.dp_2s_gd import Settings
from dpdescent.estimators.run import exactly
from dpdescent.privacy import accounting, zcdp
from dpdescent.privacy.arithmetic import arithmetic_of
from dpdescent.randomness import secure_generator, stream

Released = Literal["beta", "all"]

COLUMNS = {
    "instruments": "columns that move the regressors, and the outcome through them only; controls stand here too",
    "regressors": "columns whose effect is estimated; controls stand here too",
    "outcome": "column on which they act",
}

# Number of iterations of both stages where the user gives none.
STEPS = 20

# Limits on steps and on numbers in all iterates. The noise of a step grows with the square root of the number of steps,
# so that more steps only cost memory and time.
MOST_STEPS, MOST_NUMBERS = 10_000, 10_000_000

OTHERS = "--method dp-regression (without instruments) or dp-iv-gd (with them)"
WITHOUT = " Without instruments: --method dp-regression."

CHOICE = {
    "rho1": "the zCDP budget of the first stage, such as 1; a run costs rho1 + rho2, and every further one again",
    "rho2": "the zCDP budget of the second stage, such as 1; a run costs rho1 + rho2",
    "clip_norm1": "the first stage's clipping threshold, a public guess of |z| |x - Theta'z| for most records; noise "
    "grows with it, and what lies above it is clipped",
    "clip_norm2": "the second stage's clipping threshold, a public guess of |Theta'z| |y - beta'Theta'z| for most "
    "records; noise grows with it, and what lies above it is clipped",
    "step_size1": "the first stage's step size (eta in the paper), about 1 over a public guess of the largest "
    "eigenvalue of E[zz'] (1 where instruments are uncorrelated and of variance 1); beyond 2 over it the "
    "descent diverges",
    "step_size2": "the second stage's step size (alpha in the paper), about 1 over a public guess of the largest "
    "eigenvalue of E[Theta'zz'Theta], the part of x's second moment that instruments explain; beyond 2 over it the "
    "descent diverges",
}

# The cost of each choice of published iterates, and why both cost the same.
RELEASED = {
    "beta": "only the last beta is published; it rests on all noisy first-stage steps too, so that no cost below "
    "rho1 + rho2 is proved (Lemma F.1 of liang2025, which claims rho2, is refuted)",
    "all": "all iterates of both stages may be published: rho1 + rho2 is the cost of all of them together",
}


@dataclass(frozen=True)
class Outcome:
    """Publishable results of a run.

    Attributes:
        beta: last iterate of the second stage, shape (p,).
        paths: iterates 0 to T: `Theta_path`, shape (T + 1, q, p), and `beta_path`, shape (T + 1, p); empty where only
            beta is published.
        noise_error: standard error of each coefficient due to the noise alone, as `noise_error` computes it.
        warnings: faults of the run that its own noisy iterates show; the account covers all of these iterates.
    """

    beta: Array
    paths: dict[str, Array]
    noise_error: tuple[float, float]
    warnings: tuple[str, ...]


def estimate(args: argparse.Namespace) -> dict[str, Any]:
    """Runs DP-2S-GD and returns its publishable results; options are checked first, then files."""
    args.steps = STEPS if args.steps is None else args.steps
    args.publish = "beta" if args.publish is None else args.publish
    _check(args)
    settings = Settings(
        args.rho1, args.rho2, args.clip_norm1, args.clip_norm2, args.step_size1, args.step_size2, args.steps
    )  # fmt: skip
    constants = own_data.constants(args.centre)
    rng = None if args.release else secure_generator() if args.secure_noise else stream(args.seed, "estimate", "noise")
    own_data.require_free(args.output, args.source, keep=args.secure_noise)
    columns = {name: getattr(args, name) for name in COLUMNS}
    sample = own_data.centred(read_sample(args.source, **columns), constants, **columns)
    own_data.require_delta(args.delta, sample.n)
    account = account_of(settings, sample.n, args.delta, args.publish, exact=args.release)
    if not args.secure_noise:
        account["guarantee"] = own_data.REPEATED
    outcome = run(sample, settings, rng, args.publish)
    noise = {"noise": "operating system"} if args.secure_noise else {"noise": "seeded generator", "seed": args.seed}
    return {
        "notice": own_data.notice(args.secure_noise, args.release),
        "beta": dict(zip(args.regressors, outcome.beta.tolist(), strict=True)),
        "noise_standard_error": list(outcome.noise_error),
        "warnings": list(outcome.warnings),
        "account": account,
        "settings": {**asdict(settings), **columns, "centre": constants, **noise},
        **{name: path.tolist() for name, path in outcome.paths.items()},
        **({"promised": own_data.promised(account)} if args.release else {}),
    }


def _check(args: argparse.Namespace) -> None:
    """Checks that argparse cannot do, or cannot report in one line."""
    others = (
        "clip_norm", "step_size", "rho", "epsilon", "outcome_unit", "instrument_bound", "scale", "outcome_range",
        "no_intercept",
        "errors",
    )  # fmt: skip
    if other := next((name for name in others if getattr(args, name) is not None), None):
        raise ValueError(
            f"{own_data.option(other)} is no option of --method dp-2s-gd: leave it out, or choose {OTHERS}"
        )
    if lacking := own_data.missing(vars(args), {**COLUMNS, **CHOICE}):
        raise ValueError(f"{lacking}. Choose without looking at the data.{WITHOUT if args.instruments is None else ''}")
    own_data.require_one_noise(args.seed, args.secure_noise)
    for name in ("rho1", "rho2"):
        own_data.require_budget(name, getattr(args, name))
    own_data.require_delta(args.delta)
    numbers = args.steps * len(args.regressors) * (len(args.instruments) + 1)
    if args.steps > MOST_STEPS or numbers > MOST_NUMBERS:
        raise ValueError(
            f"--steps {args.steps} with {len(args.instruments)} x {len(args.regressors)} coefficients is too much; "
            f"give at most {MOST_STEPS} steps, and {MOST_NUMBERS:,} numbers in all iterates: noise grows with each step"
        )


def account_of(
    settings: Settings, n: int, delta: float, released: Released, *, exact: bool = False
) -> dict[str, Any]:  # fmt: skip
    """The privacy account of a run as a mapping, for the output file."""
    mechanism = estimator.mechanism(settings, n)
    mechanism = exactly(mechanism) if exact else mechanism
    # The larger of the two costs, because rounding may put the cost of the noise slightly below the budget.
    rho = max(mechanism.rho, mechanism.claimed_rho)
    parts = [{**asdict(release), "rho": release.rho} for release in estimator.stages(settings, n)]
    return {
        "algorithm": mechanism.name, "relation": mechanism.relation, "n": n, "releases": parts, "rho": rho,
        "delta": delta, "epsilon": (zcdp.renyi_epsilon if exact else accounting.tight_epsilon)(rho, delta),
        "guarantee": mechanism.guarantee, "arithmetic": arithmetic_of(mechanism), "holds": mechanism.reason,
        "release": released, "release_costs": RELEASED[released],
    }  # fmt: skip


def run(sample: IVSample, settings: Settings, rng: np.random.Generator | None, released: Released = "beta") -> Outcome:
    """Runs DP-2S-GD once and returns its publishable results; raises the errors of `descend`.

    Without a generator, a machine computes the sums exactly, and the noise comes from the operating system.
    """
    if rng is None:
        Thetas, betas, _ = estimator.descend_exactly(sample, settings)
        beta, paths = betas[-1], {"Theta_path": Thetas, "beta_path": betas}
    else:
        path = estimator.descend(sample, settings, Normals.draw(rng, settings.steps, sample.p, sample.q))
        assert path.Theta_path is not None
        assert path.beta_path is not None
        beta, paths = path.beta[0], {"Theta_path": path.Theta_path[:, 0], "beta_path": path.beta_path[:, 0]}
    error = noise_error(settings, sample.n)
    return Outcome(beta, paths if released == "all" else {}, error, tuple(_warnings(settings, sample.n, paths)))


def noise_error(settings: Settings, n: int) -> tuple[float, float]:
    """Smallest and largest standard error of a coefficient due to the second stage's noise, from public settings.

    The last step adds its own noise, times the step size, undamped. Earlier steps add to that, in all by a factor of
    sqrt(T) where the descent hardly contracts. Only the data know how much it contracts, and what the noise of the
    first stage adds.
    """
    error = settings.step_size2 * estimator.stages(settings, n)[1].noise_sd
    return error, error * math.sqrt(settings.steps)


def _warnings(settings: Settings, n: int, paths: Mapping[str, Array]) -> Iterator[str]:
    first, second = estimator.stages(settings, n)
    for name, path, noise in (
        ("step_size1", paths["Theta_path"], settings.step_size1 * first.noise_sd),
        ("step_size2", paths["beta_path"], settings.step_size2 * second.noise_sd),
    ):
        if stability.has_diverged(path, noise):
            yield (
                f"the iterates have left the region where they are stable: steps turn back and do not shrink; take a "
                f"smaller {own_data.option(name)} than {getattr(settings, name):g}, or less noise"
            )
    error = noise_error(settings, n)[1]
    if float(np.abs(paths["beta_path"][-1]).max()) < 2.0 * error:
        yield (
            f"no coefficient is above twice the {error:.3g} that the noise alone may make; take more records, a larger "
            "--rho2, or a smaller --clip-norm2 or --step-size2"
        )
