"""Optimal strategy for records with k participations, T/k steps apart (multi-epoch, ME).

With X = C'C, `||A C^-1||_F^2 = tr(A'A X^-1)` is minimised under the condition that no record moves the release by more
than 1. A record has an offset p and k gradients of norm 1, so that its squared shift is `tr(R X_pp)`, where X_pp are
the entries of X between its steps and R is a correlation matrix. The dual problem is therefore to maximise

    `||A L||_*^2 / sum_p v_p` (nuclear norm)  over  V = L L' with blocks `V_pp = v_p R_p`, zero between offsets,

for any correlation matrices R_p and weights v_p >= 0; every such V bounds the error of all strategies from below.

The maximisation is over the factor L, whose rows have equal length within an offset, and needs no constraint. Every
maximum is interior, and there `X_pp` is diagonal: the columns of a record's steps are orthogonal. The returned strategy
therefore has a sensitivity of exactly 1 after a last scaling, and its error is compared with the bound.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import minimize

from dpdescent.noise import sensitivity
from dpdescent.noise.strategies.base import Strategy, separation

Array = NDArray[np.float64]

# Largest accepted relative excess of the error over its lower bound, and largest number of iterations.
GAP, ITERATIONS = 1e-6, 1000


@dataclass(frozen=True, eq=False)
class MultiEpoch(Strategy):
    """A strategy for one number of steps only; encoder and decoder are lower-triangular.

    Attributes:
        participations: number of participations k for which it is optimal.
        matrix: encoder C, shape (T, T).
        inverse: decoder B, shape (T, T).
        bound: lower bound on `prefix_error_squared` of all strategies with sensitivity 1.
        evaluations: number of evaluations of the dual and its gradient, at O(T^3) operations each, until the bound was
            within `GAP` of its maximum. The last digits take as many again; their number depends on rounding.
    """

    participations: int
    matrix: Array
    inverse: Array
    bound: float
    evaluations: int = 0
    name = "ME"
    anytime = False

    def noises(self, T: int) -> int:
        return T

    def encoder(self, T: int) -> Array:
        return self._for(T, self.matrix)

    def decoder(self, T: int) -> Array:
        return self._for(T, self.inverse)

    def participation_norms_squared(self, T: int, separation: int) -> Array:
        return sensitivity.norms_squared(self.encoder(T), separation)

    def _for(self, T: int, matrix: Array) -> Array:
        """A matrix, after a check that it is for T steps."""
        if len(matrix) != T:
            raise ValueError(f"T={T} must be {len(matrix)}: ME is optimised for one number of steps")
        return matrix


def multi_epoch_optimum(T: int, participations: int = 1) -> MultiEpoch:
    """Computes the optimal strategy for T steps with a record in every (T/k)-th; about 20 evaluations of O(T^3) time.

    Raises:
        ValueError: if k does not divide T.
        RuntimeError: if the error remains above the lower bound by more than `GAP`.
    """
    offsets = separation(T, participations)
    dual = _Dual(offsets, participations)
    start = np.zeros(offsets + offsets * len(dual.below[0]))
    options = {"maxiter": ITERATIONS, "maxcor": 30, "ftol": 1e-13, "gtol": 1e-8}
    result = minimize(dual.value, start, jac=True, method="L-BFGS-B", options=options)
    L, weights = dual.factor(result.x)
    root, nuclear = dual.root(L)
    C = _encoder(root, offsets, participations)
    B: Array = solve_triangular(C, np.eye(T), lower=True)
    evaluations = 1 + int(np.argmax(np.array(dual.values) <= result.fun + GAP))
    strategy = MultiEpoch(participations, C, B, nuclear**2 / weights.sum(), evaluations)
    error = strategy.prefix_error_squared(T) * strategy.sensitivity_squared(T, participations)
    if error > (1.0 + GAP) * strategy.bound:
        raise RuntimeError(f"ME for T={T}, participations={participations}: error {error:.8g} is above its lower bound "
                           f"{strategy.bound:.8g} after {result.nit} iterations ({result.message})")  # fmt: skip
    return strategy


class _Dual:
    """The dual problem, with steps in the order of offsets: position p k + i is step p + i b.

    The unknowns are log v_p and, per offset, the entries below the unit diagonal of a triangular matrix, whose rows are
    then scaled to length sqrt(v_p).

    Attributes:
        values: values that `value` has returned so far, the negative logs of the bound.
    """

    def __init__(self, offsets: int, participations: int) -> None:
        self.values: list[float] = []
        self.shape = (offsets, participations, participations)
        self.below = np.tril_indices(participations, -1)
        T = offsets * participations
        steps = np.arange(offsets)[:, None] + offsets * np.arange(participations)
        # A, with its columns grouped by offset, shape (offsets, T, k).
        self.sums = (np.arange(T)[:, None] >= steps[:, None, :]).astype(np.float64)

    def value(self, x: Array) -> tuple[float, Array]:
        """Negative log of the bound, and its gradient. The gradient of the nuclear norm in L_p is `X_pp L_p`."""
        rows, lengths = self._rows(x)
        L, weights = self.factor(x)
        root, nuclear = self.root(L)
        of_factor = 2.0 / nuclear * np.einsum("pij,pjk->pik", np.einsum("pit,pjt->pij", root, root, optimize=True), L)
        of_weights = 0.5 * np.einsum("pij,pij->p", of_factor, L) - weights / weights.sum()
        unit = rows / lengths
        along = np.einsum("pij,pij->pi", of_factor, unit)[:, :, None] * unit
        of_rows = (of_factor - along) * np.sqrt(weights)[:, None, None] / lengths
        gradient = np.concatenate([of_weights, of_rows[:, *self.below].ravel()])
        self.values.append(float(np.log(weights.sum()) - 2.0 * np.log(nuclear)))
        return self.values[-1], -gradient

    def factor(self, x: Array) -> tuple[Array, Array]:
        """Blocks of the factor L, shape (offsets, k, k), and weights v, shape (offsets,)."""
        rows, lengths = self._rows(x)
        weights = np.exp(x[: self.shape[0]])
        return rows / lengths * np.sqrt(weights)[:, None, None], weights

    def root(self, L: Array) -> tuple[Array, float]:
        """Root Y, in blocks of rows, of the best X for V = L L', `X = L^-T (L'A'A L)^(1/2) L^-1`; and ||A L||_*."""
        T = L.shape[0] * L.shape[1]
        product = (self.sums @ L).transpose(1, 0, 2).reshape(T, T)
        eigenvalues, Q = np.linalg.eigh(product.T @ product)
        singular = np.sqrt(np.maximum(eigenvalues, 0.0))
        scaled = (Q * np.sqrt(singular)).reshape(*L.shape[:2], T)
        return np.linalg.inv(L).transpose(0, 2, 1) @ scaled, float(singular.sum())

    def _rows(self, x: Array) -> tuple[Array, Array]:
        """Rows of the triangular matrices before scaling, and their lengths."""
        rows = np.broadcast_to(np.eye(self.shape[1]), self.shape).copy()
        rows[:, *self.below] = x[self.shape[0] :].reshape(self.shape[0], -1)
        return rows, np.sqrt(np.einsum("pij,pij->pi", rows, rows))[:, :, None]


def _encoder(root: Array, offsets: int, participations: int) -> Array:
    """Lower-triangular C with C'C = X, where entries of X between a record's steps are set to zero and X is scaled."""
    T = offsets * participations
    by_offset = root.reshape(T, T)
    X = (by_offset @ by_offset.T).reshape(offsets, participations, offsets, participations)
    for p in range(offsets):
        X[p, :, p, :] = np.diag(np.diag(X[p, :, p, :]))
    in_time = X.transpose(1, 0, 3, 2).reshape(T, T)
    of_offset = np.sqrt(in_time.diagonal().reshape(participations, offsets).sum(axis=0))
    scale = np.tile(of_offset, participations)
    upper: Array = cholesky((in_time / scale[:, None] / scale)[::-1, ::-1], lower=True)[::-1, ::-1]
    return upper.T
