"""Figure 4(b), a small-scale analogue: user-level privacy in next-word prediction on generated text."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.data.users import OUT_OF_VOCABULARY, draw_users
from dpdescent.models.bigram import Bigram
from dpdescent.papers.choquettechoo2023.design import Row, Spec
from dpdescent.papers.choquettechoo2023.runs import learning
from dpdescent.papers.choquettechoo2023.runs.learning import Task
from dpdescent.privacy.events import Mechanism

TUNED_ON = "rates were tuned on users of other languages, drawn independently"


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one epsilon."""
    return learning.run(spec, task)


def task(spec: Spec, rng: np.random.Generator) -> Task:
    """Draws a language and its users, some to train on and all others to test on."""
    settings = spec["settings"]
    users, vocabulary = settings["users"], settings["vocabulary"]
    tokens = draw_users(users + settings["test_users"], settings["tokens"], vocabulary, rng)
    words, successors = tokens[:, :-1], tokens[:, 1:]
    model = Bigram(vocabulary, OUT_OF_VOCABULARY)
    return Task(model, words[:users], successors[:users], words[users:], successors[users:])


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of one epsilon."""
    return learning.releases(spec, "a user", TUNED_ON, defended=True)
