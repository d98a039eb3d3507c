"""DP-SSGD on streams of records: many arms and all trials of a part side by side."""

from collections.abc import Iterator, Sequence

import numpy as np

from dpdescent.algorithms import dp_ftrl
from dpdescent.papers.varshney2022.arms import Arm
from dpdescent.papers.varshney2022.design import Array, Design, Spec, place_of, trial_stream

# Steps whose noise is drawn at once.
STEPS = 4096


def run(
    spec: Spec, design: Design, N: int, sigmas: Sequence[float], arms: Sequence[Arm[dp_ftrl.FTRLArms]]
) -> tuple[Array, Array]:
    """Runs all the part's trials: risks and shares of clipped gradients, both of shape (arms, trials).

    Arms differ in their label noise sigma; otherwise they share records. Records are drawn as they are met, because
    independent draws have the same law in every order.
    """
    trials = range(*spec["trials"])
    place = place_of(design, N)
    eta, clip_norm, noise_sd = (
        np.concatenate([getattr(arm.settings, name) for arm in arms]) for name in ("eta", "clip_norm", "noise_sd")
    )
    settings = dp_ftrl.FTRLArms(eta, clip_norm, noise_sd)
    data = [trial_stream(spec, place, trial, "DP-SSGD data") for trial in trials]
    noise = _normals([trial_stream(spec, place, trial, "DP-SSGD noise") for trial in trials], N, len(design.lam))
    # Overflow is no error here, because steps that are far too large are shown on purpose.
    with np.errstate(all="ignore"):
        runs = dp_ftrl.regression(
            design.lam, settings, -design.w_star, N, data, noise, sigma_sgd=np.array(sigmas), tail=N // 2
        )
    # One product for each row, because in a product with all of them last bits depend on their number.
    return 0.5 * np.vecdot(runs.average**2, design.lam), runs.clipped


def _normals(rngs: Sequence[np.random.Generator], steps: int, d: int) -> Iterator[Array]:
    """Yields blocks of standard normals, shape (steps of a block, 1, trials, d)."""
    for start in range(0, steps, STEPS):
        size = min(STEPS, steps - start)
        yield np.stack([rng.standard_normal((size, d)) for rng in rngs], axis=1)[:, None]
