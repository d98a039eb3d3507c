"""Layout of a sample for full-batch descent: transposed, equal rows merged, cut into blocks that fit the cache."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.data.iv import IVSample
from dpdescent.privacy.clipping import rounding_is_negligible

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Rows:
    """Distinct rows of one stage or of both, transposed.

    Attributes:
        Zt: instruments, shape (q, rows).
        z_norm: norms of the instruments, shape (rows,).
        Xt: regressors, shape (p, rows); None where only the second stage reads these rows.
        y: outcomes, shape (rows,); None where only the first stage reads these rows.
        weight: number of records per row; None means one each.
    """

    Zt: Array
    z_norm: Array
    Xt: Array | None
    y: Array | None
    weight: Array | None

    def blocks(self, size: int) -> Iterator["Rows"]:
        """Yields blocks of at most `size` rows."""
        for start in range(0, self.Zt.shape[1], size):
            cut = slice(start, start + size)
            yield Rows(
                self.Zt[:, cut],
                self.z_norm[cut],
                None if self.Xt is None else self.Xt[:, cut],
                None if self.y is None else self.y[cut],
                None if self.weight is None else self.weight[cut],
            )

    def taken(self, rows: NDArray[np.intp], second: bool) -> "Rows":
        """Returns some of these rows, for the second stage alone or for the first alone."""
        return Rows(
            np.ascontiguousarray(self.Zt[:, rows]),
            self.z_norm[rows],
            None if second or self.Xt is None else self.Xt[:, rows],
            self.y[rows] if second and self.y is not None else None,
            None if self.weight is None else self.weight[rows],
        )


@dataclass(frozen=True)
class Layout:
    """Quantities of a sample that a descent reads.

    Attributes:
        parts: one set of rows for both stages, or, where records repeat, the distinct pairs (z, x) and the distinct
            pairs (z, y).
        ZZ: sum over records of z z', shape (q, q).
        XZ: sum over records of x z', shape (p, q).
        yZ: sum over records of y z', shape (q,).
        n: number of records.
        largest: largest z_i'z_i, largest |z_i| |x_i| of a row, and largest |z_i| |y_i|.
    """

    parts: list[Rows]
    ZZ: Array
    XZ: Array
    yZ: Array
    n: int
    largest: tuple[float, float, float]

    @classmethod
    def of(cls, sample: IVSample) -> "Layout":
        weighted = sample.Z if sample.count is None else sample.Z * sample.count[:, None]
        z_norm, x_norm = _norms(sample.Z), _norms(sample.X)
        sizes = z_norm**2, z_norm * x_norm, z_norm * np.abs(sample.y)
        zz, zx, zy = (float(size.max()) for size in sizes)
        ZZ, XZ, yZ = weighted.T @ sample.Z, sample.X.T @ weighted, sample.y @ weighted
        return cls(_parts(sample), ZZ, XZ, yZ, sample.n, (zz, zx, zy))

    def moments_suffice(self, Theta: Array, gamma1: Array) -> bool:
        """Whether the rounding error of the unclipped gradient is far below the smallest clipping threshold.

        Shapes: `Theta` (arms, p, q), `gamma1` (arms, 1).
        """
        zz, zx, _ = self.largest
        size = zx + zz * _longest(Theta.reshape(len(Theta), -1))
        return bool(rounding_is_negligible(self.n, np.asarray(size), float(gamma1.min())))

    def outcomes_suffice(self, Theta: Array, predictor: Array, gamma2: Array) -> bool:
        """The same test for the second stage's gradient, at predictors Theta beta, shape (arms, q)."""
        zz, _, zy = self.largest
        size = _longest(Theta.reshape(len(Theta), -1)) * (zy + zz * _longest(predictor))
        return bool(rounding_is_negligible(self.n, np.asarray(size), float(gamma2.min())))


def _parts(sample: IVSample) -> list[Rows]:
    """The rows of a sample, merged where they repeat."""
    if sample.count is None:
        return [_rows(sample.Z, sample.X, sample.y, None)]
    q = sample.q
    first, first_count = _merge(np.hstack([sample.Z, sample.X]), sample.count)
    second, second_count = _merge(np.column_stack([sample.Z, sample.y]), sample.count)
    return [
        _rows(first[:, :q], first[:, q:], None, first_count),
        _rows(second[:, :q], None, second[:, q].copy(), second_count),
    ]


def _rows(Z: Array, X: Array | None, y: Array | None, weight: Array | None) -> Rows:
    Xt = None if X is None else np.ascontiguousarray(X.T)
    # Only X is made contiguous, because it is subtracted row by row; Z enters matrix products only.
    return Rows(Z.T, _norms(Z), Xt, y, weight)


def _longest(vectors: Array) -> float:
    return float(np.sqrt(np.vecdot(vectors, vectors).max()))


def _norms(matrix: Array) -> Array:
    norms: Array = np.sqrt(np.einsum("nq,nq->n", matrix, matrix))
    return norms


def _merge(rows: Array, count: Array) -> tuple[Array, Array]:
    """The distinct rows, and the number of records of each."""
    distinct, which = np.unique(rows, axis=0, return_inverse=True)
    return distinct, np.bincount(which.ravel(), weights=count, minlength=len(distinct)).astype(float)
