"""Figure 4(a), a small-scale analogue: record-level privacy on the 8x8 digits."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from dpdescent.data.digits import CLASSES, SIDE, read_digits, split
from dpdescent.models.classifiers import Classifier, TanhNetwork, softmax_regression
from dpdescent.models.convolution import ConvolutionalNetwork
from dpdescent.papers.choquettechoo2023.design import Row, Spec
from dpdescent.papers.choquettechoo2023.runs import learning
from dpdescent.papers.choquettechoo2023.runs.learning import Task
from dpdescent.privacy.events import Mechanism

MODELS: dict[str, Callable[[dict[str, Any]], Classifier]] = {
    "softmax": lambda settings: softmax_regression(SIDE * SIDE, CLASSES),
    "mlp": lambda settings: TanhNetwork((SIDE * SIDE, settings["hidden"], CLASSES)),
    "cnn": lambda settings: ConvolutionalNetwork(SIDE, settings["filters"], CLASSES),
}
TUNED_ON = (
    "no guarantee as it stands, because rates were tuned on other splits of the same records, without account; at a "
    "rate given beforehand a run would be private by this argument"
)


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one epsilon."""
    return learning.run(spec, task)


def task(spec: Spec, rng: np.random.Generator) -> Task:
    """Returns a split of the digits into records to train on and all others to test on.

    Raises:
        ValueError: if there is no model of that name.
    """
    settings = spec["settings"]
    if settings["model"] not in MODELS:
        raise ValueError(f"settings.model={settings['model']!r} is none of {list(MODELS)}")
    digits = read_digits()
    training, test = split(digits, [settings["records"], len(digits) - settings["records"]], rng)
    model = MODELS[settings["model"]](settings)
    return Task(model, training.inputs, training.labels, test.inputs, test.labels)


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of one epsilon."""
    return learning.releases(spec, "an image", TUNED_ON, defended=False)
