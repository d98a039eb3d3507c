"""Generated users: frequencies, habits, how users differ, and that a next-token model has something to learn."""

import numpy as np
import pytest

from dpdescent.data.users import OUT_OF_VOCABULARY, draw_language, draw_users, speak
from dpdescent.models.bigram import Bigram


def rng(seed=0):
    return np.random.default_rng(seed)


def spoken(users=400, tokens=100, vocabulary=30, seed=0, **options):
    language = draw_language(vocabulary, rng(seed), **options)
    return language, speak(language, users, tokens, rng(seed + 1))


def total_variation(p, q):
    return 0.5 * np.abs(p - q).sum()


def test_shape_range_and_seed():
    texts = draw_users(50, 20, 16, rng())
    assert texts.shape == (50, 20)
    assert texts.dtype == np.intp
    assert (texts.min(), texts.max()) == (0, 15)
    np.testing.assert_array_equal(texts, draw_users(50, 20, 16, rng()))
    assert (texts != draw_users(50, 20, 16, rng(1))).any()
    np.testing.assert_array_equal(texts, speak(draw_language(16, one := rng()), 50, 20, one))


def test_frequencies_follow_zipf_where_nothing_else_acts():
    """Without habit and with one topic of no contrast, words are independent draws of Zipf's law."""
    language, texts = spoken(2000, 100, habit=0.0, topics=1, contrast=0.0, out_of_vocabulary=0.1, exponent=1.2)
    expected = np.arange(1, 30) ** -1.2
    expected *= 0.9 / expected.sum()
    np.testing.assert_allclose(language.topics, [[0.1, *expected]], rtol=1e-12)
    found = np.bincount(texts.ravel(), minlength=30) / texts.size
    assert total_variation(found, language.topics[0]) < 4 * np.sqrt(30 / texts.size)
    pairs = np.bincount((30 * texts[:, :-1] + texts[:, 1:]).ravel(), minlength=900) / (2000 * 99)
    assert total_variation(pairs, np.outer(found, found).ravel()) < 4 * np.sqrt(900 / texts.size)


def test_topics_are_laws_with_the_same_share_of_unknown_words():
    language, _ = spoken(topics=5, out_of_vocabulary=0.07)
    np.testing.assert_allclose(language.topics.sum(1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(language.topics[:, OUT_OF_VOCABULARY], 0.07, rtol=1e-12)
    assert total_variation(*language.topics[:2]) > 0.1


def test_rank_of_a_successor_does_not_hang_on_whether_habit_chose():
    """One of two hundred words is hardly met by chance."""
    language, texts = spoken(2000, 50, 200, habit=0.5, successors=3, exponent=0.0, contrast=0.0)
    matched = language.successors[texts[:, :-1]] == texts[:, 1:, None]
    shares = matched.sum((0, 1)) / matched.sum()
    np.testing.assert_allclose(shares, language.habits, atol=0.015)


def test_habit_chooses_known_successors_at_their_rates():
    language, texts = spoken(3000, 100, 12, habit=0.999999, successors=3)
    np.testing.assert_allclose(language.habits, np.array([4, 2, 1]) / 7)
    assert (language.successors != OUT_OF_VOCABULARY).all()
    assert all(len(set(row)) == 3 for row in language.successors.tolist())
    before, after = texts[:, :-1].ravel(), texts[:, 1:].ravel()
    places = (language.successors[before] == after[:, None]).argmax(1)
    np.testing.assert_allclose(np.bincount(places, minlength=3) / len(places), language.habits, atol=0.005)
    assert (language.successors[before] == after[:, None]).any(1).mean() > 0.999


def test_share_of_habit():
    """Words that are successors occur as often as habit and chance together say."""
    language, texts = spoken(2000, 50, 200, habit=0.4, successors=1, topics=1, contrast=0.0)
    before, after = texts[:, :-1], texts[:, 1:]
    chance = language.topics[0][language.successors[before, 0]].mean()
    rate = (language.successors[before, 0] == after).mean()
    assert rate == pytest.approx(0.4 + 0.6 * chance, abs=0.01)


def test_users_differ_the_more_the_less_their_topics_are_mixed():
    def spread(**options):
        _, texts = spoken(300, 200, habit=0.0, **options)
        counts = np.stack([np.bincount(text, minlength=30) for text in texts]) / 200
        return np.mean([total_variation(counts[2 * i], counts[2 * i + 1]) for i in range(150)])

    alike, mixed, apart = spread(contrast=0.0), spread(concentration=10.0), spread(concentration=0.1)
    assert alike < mixed < apart
    assert apart > 1.5 * alike


def test_there_is_much_to_learn_from_the_last_word():
    """Pairs counted on some users predict others' words far better than the most frequent word does."""
    texts = draw_users(3000, 60, 64, rng())
    train, test = texts[:2500], texts[2500:]
    words = np.bincount(train.ravel(), minlength=64)
    unigram = (test[:, 1:] == 1 + words[1:].argmax()).mean()
    pairs = np.bincount((64 * train[:, :-1] + train[:, 1:]).ravel(), minlength=64**2).astype(float)
    bigram = Bigram(64, OUT_OF_VOCABULARY).accuracy(pairs[None], test[:, :-1], test[:, 1:])[0]
    assert bigram > 0.3
    assert bigram > 3 * unigram


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"vocabulary": 4}, "successors=4 must be from 1 to the 3 known words"),
        ({"successors": 0}, "successors=0"),
        ({"habit": 1.0}, "habit=1.0"),
        ({"out_of_vocabulary": -0.1}, "out_of_vocabulary=-0.1"),
    ],
)
def test_bad_arguments_are_named(options, words):
    with pytest.raises(ValueError, match=words):
        draw_language(**{"vocabulary": 30, "rng": rng(), **options})
