"""Figure 1's left panel on Fashion-MNIST, averaged down to 14 x 14 pixels: a larger analogue, made on request."""

from collections.abc import Iterable, Iterator

from dpdescent.data.images import pooled, read_test, read_training
from dpdescent.papers.wang2026.design import Row, Spec, value
from dpdescent.papers.wang2026.runs import images
from dpdescent.papers.wang2026.runs.images import Task
from dpdescent.privacy.events import Mechanism

SIDE = 14


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one epsilon."""
    return images.run(spec, task)


def task(spec: Spec, trial: int) -> Task:
    """Returns the first images of the training file and half as many of the test file; for tuning, those that follow.

    So all seeds of the table have the same images, and no step size was tuned on any of them.

    Raises:
        ValueError: if there are not enough images to tune on others.
        dpdescent.data.images.MissingDataError: if Fashion-MNIST is not there.
    """
    training, test = read_training(), read_test()
    records = value(spec, "records")
    tested = records // 2
    if 2 * records > len(training) or 2 * tested > len(test):
        raise ValueError(f"records={records}: there are {len(training)} and {len(test)} images; it may be "
                         f"{min(len(training) // 2, len(test))} at most")  # fmt: skip
    at = int(trial < 0)
    trained = training[at * records : (at + 1) * records]
    rest = test[at * tested : (at + 1) * tested]
    return Task(SIDE, pooled(trained, SIDE), trained.labels, pooled(rest, SIDE), rest.labels)


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of one epsilon; step sizes were tuned on other people's data."""
    return images.releases(spec)
