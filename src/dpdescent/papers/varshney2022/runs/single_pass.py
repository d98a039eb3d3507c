"""DP-SSGD on streams of records: many arms and all trials of a part side by side."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from dpdescent.algorithms import dp_ftrl
from dpdescent.papers.varshney2022.design import Array, Design, Spec, place_of, trial_stream
from dpdescent.papers.varshney2022.theory.ssgd import Parameters
from dpdescent.privacy.events import Mechanism, ShuffledGaussianReleases

SSGD = "DP-SSGD"

# Steps whose noise is drawn at once.
STEPS = 4096


def mechanism(parameters: Parameters, N: int, claimed: tuple[float, float] | None = None) -> Mechanism:
    """What a run releases; the paper claims an (eps, delta) for its own noise multiplier only."""
    sensitivity = 2.0 * parameters.zeta
    release = ShuffledGaussianReleases(
        "clipped gradient of one record", sensitivity, parameters.alpha * sensitivity, N
    )  # fmt: skip
    return Mechanism(
        SSGD, (release,), "replace-one", "shuffled single pass", math.inf, "proved",
        "every iterate adds Gaussian noise to one record's gradient clipped at zeta, which like the step comes from N, "
        "H, |w*|_H and sigma, taken as known; the records come in a secret random order: amplification by shuffling "
        "(Feldman, McMillan & Talwar 2021, Theorem 3.8), or parallel composition where that is better",
        claimed_eps_delta=claimed,
    )  # fmt: skip


def run(
    spec: Spec, design: Design, N: int, sigmas: Sequence[float], arms: Sequence[Parameters], *, clips: bool = True
) -> tuple[Array, Array]:
    """Risks and shares of clipped gradients of all the part's trials, both of shape (arms, trials).

    Every arm has its label noise sigma; their records are the same otherwise.

    Records are drawn as they are met: in a secret order independent draws are what they are in any other.
    """
    trials = range(*spec["trials"])
    place = place_of(design, N)
    settings = dp_ftrl.FTRLArms(
        np.array([each.eta for each in arms]),
        np.array([each.zeta if clips else math.inf for each in arms]),
        np.sqrt([each.noise_variance for each in arms]),
    )
    data = [trial_stream(spec, place, trial, "DP-SSGD data") for trial in trials]
    noise = _normals([trial_stream(spec, place, trial, "DP-SSGD noise") for trial in trials], N, len(design.lam))
    # Steps that are far too large are part of what is shown: without clipping their iterates leave the floats.
    with np.errstate(all="ignore"):
        runs = dp_ftrl.regression(
            design.lam, settings, -design.w_star, N, data, noise, sigma_sgd=np.array(sigmas), tail=N // 2
        )
    # A row at a time: a product with all rows would give last bits that hang on their number.
    return 0.5 * np.vecdot(runs.average**2, design.lam), runs.clipped


def _normals(rngs: Sequence[np.random.Generator], steps: int, d: int) -> Iterator[Array]:
    """Blocks of standard normals, shape (steps of a block, 1, trials, d)."""
    for start in range(0, steps, STEPS):
        size = min(STEPS, steps - start)
        yield np.stack([rng.standard_normal((size, d)) for rng in rngs], axis=1)[:, None]
