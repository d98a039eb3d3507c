"""Next-token prediction from the last token alone, with users as records (after choquettechoo2023 Fig. 4b).

A user's update is one gradient step with learning rate 1 on the mean loss over all tokens of the user; its negative is
clipped and summed, so that the server descends. The parameters are a table of scores, one row per token, so that a
user's update depends only on counts of tokens and of pairs.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpdescent.models.classifiers import softmax
from dpdescent.privacy.clipping import clip_factors

Array = NDArray[np.float64]
Tokens = NDArray[np.intp]


@dataclass(frozen=True)
class Bigram:
    """Scores of the next token given the last one; a `dpdescent.models.classifiers.Classifier` whose records are users.

    Inputs and labels are tokens and their successors, both of shape (users, positions): all tokens of a user's text
    except the last one, and all except the first one.

    Attributes:
        vocabulary: number of ids, 0..vocabulary-1.
        unknown: the id of all words outside the vocabulary; it is never predicted, and as a target counts as a miss.

    Raises:
        ValueError: if there are fewer than two ids, or `unknown` is not one of them.
    """

    vocabulary: int
    unknown: int = 0

    def __post_init__(self) -> None:
        if not (self.vocabulary >= 2 and 0 <= self.unknown < self.vocabulary):
            raise ValueError(f"vocabulary={self.vocabulary} must be at least 2 and hold the id unknown={self.unknown}")

    @property
    def parameters(self) -> int:
        return self.vocabulary**2

    def initial(self, rng: np.random.Generator) -> Array:
        """Returns initial scores of zero, shape (parameters,), without a draw from `rng`."""
        return np.zeros(self.parameters)

    def clipped_gradient_sum(self, parameters: Array, inputs: Tokens, labels: Tokens, clip_norm: float) -> Array:
        """Sums clipped gradients over users, shape (arms, parameters), as `Classifier` demands.

        A record's loss is the mean cross-entropy over the user's positions. With n_u(a) tokens a and N_u(a, b) pairs ab
        of user u at m positions, its gradient at (a, b) is `(n_u(a) p(b | a) - N_u(a, b)) / m`.
        """
        p = softmax(parameters.reshape(-1, self.vocabulary, self.vocabulary))
        users, m = inputs.shape
        places = inputs + self.vocabulary * np.arange(users)[:, None]
        counts = np.bincount(places.ravel(), minlength=users * self.vocabulary).reshape(users, self.vocabulary)
        pairs = inputs * self.vocabulary + labels
        norms = np.sqrt(self._squared_norms(p, counts, np.take_along_axis(counts, inputs, 1), pairs)) / m
        weights = clip_factors(norms, clip_norm) / m
        total = np.matmul(weights[:, None, :], counts.astype(np.float64)).swapaxes(1, 2) * p
        for gradient, weight in zip(total, weights, strict=True):
            seen = np.bincount(pairs.ravel(), np.repeat(weight, m), self.parameters)
            gradient -= seen.reshape(gradient.shape)
        gradients: Array = total.reshape(parameters.shape)
        return gradients

    def _squared_norms(self, p: Array, counts: Tokens, repeated: Tokens, pairs: Tokens) -> Array:
        """Squared gradient norms of all users, shape (arms, users), before division by positions.

        They are `sum_a n_u(a)^2 |p(. | a)|^2 - 2 sum_ab n_u(a) N_u(a, b) p(b | a) + sum_ab N_u(a, b)^2`.

        Args:
            p: p(b | a), shape (arms, vocabulary, vocabulary).
            counts: n_u(a), shape (users, vocabulary).
            repeated: n_u(a) of the token a at every position, shape (users, positions).
            pairs: a vocabulary + b of the pair ab at every position, shape (users, positions).
        """
        own = np.matmul((counts * counts).astype(np.float64), np.vecdot(p, p)[:, :, None])[:, :, 0]
        at_pairs = np.take(p.reshape(len(p), -1), pairs, axis=1)
        squares: Array = own - 2.0 * np.vecdot(at_pairs, repeated.astype(np.float64)) + _sum_of_squared_counts(pairs)
        # Raised to zero, because rounding may make them slightly negative.
        return np.maximum(squares, 0.0)

    def accuracy(self, parameters: Array, inputs: Tokens, labels: Tokens) -> Array:
        """Share of correctly predicted positions, shape (arms,); the prediction is the known token of highest score."""
        scores = parameters.reshape(-1, self.vocabulary, self.vocabulary).copy()
        scores[:, :, self.unknown] = -np.inf
        share: Array = (scores.argmax(-1)[:, inputs] == labels).mean((1, 2))
        return share


def _sum_of_squared_counts(pairs: Tokens) -> Array:
    """Sum of squared counts of the distinct values in each row, shape (rows,)."""
    rows, length = pairs.shape
    ordered = np.sort(pairs, axis=1)
    first = np.ones((rows, length), dtype=bool)
    first[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    starts = np.flatnonzero(first)
    runs = np.diff(starts, append=rows * length)
    return np.bincount(starts // length, runs.astype(np.float64) ** 2, rows).astype(np.float64)
