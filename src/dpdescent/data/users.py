"""Generated text of many users: a shared language of frequent words and habitual pairs, with topics per user.

It replaces texts that are not available (choquettechoo2023 Fig. 4b uses StackOverflow). Word frequencies follow Zipf's
law, rare words share one id, most words are followed by the same few words (which a next-token model can learn), and
every user has its own mixture of topics, so that users differ.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Tokens = NDArray[np.intp]

# The id that all words outside the vocabulary share; it counts as a miss wherever it is predicted or is the true word.
OUT_OF_VOCABULARY = 0


@dataclass(frozen=True)
class Language:
    """A language that all users share.

    Attributes:
        topics: probabilities of words per topic, shape (topics, vocabulary).
        successors: words that may follow a word by habit, most usual first, shape (vocabulary, successors).
        habits: probabilities of the successors of a word, shape (successors,).
        habit: probability that the next word follows by habit and not by topic.
        concentration: concentration of the Dirichlet law of a user's topics; the smaller it is, the more users differ.
    """

    topics: Array
    successors: Tokens
    habits: Array
    habit: float
    concentration: float


def draw_users(users: int, tokens_per_user: int, vocabulary: int, rng: np.random.Generator) -> Tokens:
    """Draws texts of users of one language from `draw_language` at its defaults; shape (users, tokens_per_user).

    Users are independent given the language, so that any rows may be used for training and the others for testing.
    """
    return speak(draw_language(vocabulary, rng), users, tokens_per_user, rng)


def draw_language(
    vocabulary: int, rng: np.random.Generator, *, exponent: float = 1.0, out_of_vocabulary: float = 0.05,
    topics: int = 8, contrast: float = 1.0, successors: int = 4, habit: float = 0.6, concentration: float = 0.3,
) -> Language:  # fmt: skip
    """Draws a language (our design; no paper states one).

    Args:
        vocabulary: number of ids, including `OUT_OF_VOCABULARY`.
        exponent: exponent of Zipf's law: the k-th known word has a frequency of about k^-exponent.
        out_of_vocabulary: share of out-of-vocabulary words among words by topic; no word by habit is one.
        topics: number of topics, in each of which frequencies are multiplied by log-normal factors.
        contrast: sd of the logarithm of these factors; 0 makes users alike.
        successors: number of words that follow a word by habit, each half as frequent as the one before.
        habit: share of words that follow by habit.
        concentration: concentration of the Dirichlet law of a user's topics.

    Raises:
        ValueError: if the vocabulary has fewer known words than successors, or a share lies outside [0, 1).
    """
    if not 1 <= successors < vocabulary:
        raise ValueError(f"successors={successors} must be from 1 to the {vocabulary - 1} known words")
    for name, share in (("out_of_vocabulary", out_of_vocabulary), ("habit", habit)):
        if not 0.0 <= share < 1.0:
            raise ValueError(f"{name}={share} must lie in [0, 1)")
    known = np.arange(1, vocabulary) ** -exponent * np.exp(contrast * rng.standard_normal((topics, vocabulary - 1)))
    known *= (1.0 - out_of_vocabulary) / known.sum(1, keepdims=True)
    halves = 0.5 ** np.arange(successors)
    return Language(
        topics=np.insert(known, OUT_OF_VOCABULARY, out_of_vocabulary, axis=1),
        successors=1 + rng.random((vocabulary, vocabulary - 1)).argsort(1)[:, :successors],
        habits=halves / halves.sum(), habit=habit, concentration=concentration,
    )  # fmt: skip


def speak(language: Language, users: int, tokens_per_user: int, rng: np.random.Generator) -> Tokens:
    """Draws texts of users of a language, shape (users, tokens_per_user); the first word of each is by topic."""
    topics, vocabulary = language.topics.shape
    mixtures = rng.dirichlet(np.full(topics, language.concentration), users)
    words, habits = np.cumsum(mixtures @ language.topics, axis=1), np.cumsum(language.habits)
    texts = np.empty((users, tokens_per_user), dtype=np.intp)
    for position in range(tokens_per_user):
        which, place = rng.random((2, users))
        # Bounded, because the last cumulative sum may round to less than 1.
        texts[:, position] = np.minimum((words < place[:, None]).sum(1), vocabulary - 1)
        if position:
            usual = language.successors[texts[:, position - 1], np.searchsorted(habits[:-1], place, side="right")]
            texts[:, position] = np.where(which < language.habit, usual, texts[:, position])
    return texts
