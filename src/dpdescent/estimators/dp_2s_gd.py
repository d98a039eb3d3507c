"""DP-2S-GD for instrumental variables (liang2025 Algorithm 1), on a user's own records."""

import numpy as np
from numpy.typing import ArrayLike

from dpdescent.algorithms import dp_2s_gd as engine
from dpdescent.checks import require_probability
from dpdescent.data.iv import IVSample
from dpdescent.estimators import dp_2s_gd_release as release
from dpdescent.estimators.run import Array, Run, fitting, guarded, records, rho_of


def dp_2s_gd(
    Z: ArrayLike, X: ArrayLike, y: ArrayLike, *, steps: int, eta: float, alpha: float, gamma1: float, gamma2: float,
    rng: np.random.Generator, rho: float | None = None, epsilon: float | None = None, delta: float | None = None,
    first_share: float = 0.5, normals: Array | None = None,
) -> Run:  # fmt: skip
    """Estimates causal effects by two-stage gradient descent from zero, with clipping and noise in both stages.

    Args:
        Z: instruments, shape (n, q).
        X: regressors whose effects are estimated, shape (n, p) with p <= q.
        y: outcomes, shape (n,).
        steps: number of iterations T of both stages.
        eta, alpha: step sizes of the first and the second stage.
        gamma1, gamma2: clipping thresholds of the first and the second stage.
        rng: generator of the noise; `secure_generator()` for a guarantee.
        rho: zCDP budget of both stages together under replace-one.
        epsilon, delta: budget in place of rho.
        first_share: share of the budget that the first stage gets, in (0, 1).
        normals: standard normals to use in place of rng's, shape (T, p q + p): in every step those of the first stage,
            of shape (p, q), then those of the second.

    Returns:
        The run: `estimate`, the last beta, of shape (p,), `path` of shape (T, p), and `also["Theta_path"]`, the
        first stage's iterates 1 to T, shape (T, q, p).

    Raises:
        ValueError: if an argument is out of its range, or the iterates overflow.
    """
    require_probability(first_share=first_share)
    sample = IVSample(*records(Z=(Z, 2), X=(X, 2), y=(y, 1)))
    total = rho_of(sample.n, rho, epsilon, delta)
    rho1 = first_share * total
    settings = release.Settings(rho1, total - rho1, gamma1, gamma2, eta, alpha, steps)
    p, q = sample.p, sample.q
    drawn = None if normals is None else engine.Normals.split(fitting("normals", normals, (steps, p * q + p)), p, q)
    out = release.descend(sample, settings, engine.Normals.draw(rng, steps, p, q) if drawn is None else drawn)
    assert out.Theta_path is not None
    assert out.beta_path is not None
    event = guarded(release.mechanism(settings, sample.n), rng, handed=drawn is not None)
    clipped = float(out.clipped1[0] + out.clipped2[0]) / 2.0
    return Run(out.beta[0], out.beta_path[1:, 0], clipped, event, {"Theta_path": out.Theta_path[1:, 0]})
