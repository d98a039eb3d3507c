"""Makes helpers importable from every test folder and hypothesis repeatable, and orders the tests for two workers."""

# First of all imports, because it pins BLAS to one thread before numpy starts it.
import dpdescent.replication.pins  # noqa: F401

# isort: split

import gc
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("repeatable")

# Figures that tests share live long; by default a fifth of the time of figure tests goes to looking through them.
gc.set_threshold(50_000, 20, 20)


# First of all plugins, because xdist reads the groups in the same hook.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keeps a file with one worker, which shares what it made, and puts the builds first and what reads them last.

    Tests that build or plan are dealt out one by one, so that both workers end together.
    """
    for item in items:
        if item.path.parent.name != "browser" and not item.get_closest_marker("workflow"):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
    items.sort(key=_turn)
    first = next((k for k, item in enumerate(items) if _turn(item) == 2), 0)
    items.insert(0, items.pop(first))


def _turn(item: pytest.Item) -> int:
    """2 for tests that read the builds of all papers, 1 for others that build or plan, 0 for all others."""
    if "builds" in getattr(item, "fixturenames", ()):
        return 2
    return int(item.get_closest_marker("workflow") is not None)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Says what was skipped and what to install for it, in one line below all others."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in reporter.stats.get("skipped", []))
    if reasons:
        told = "; ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
        print(f"Skipped tests, and what to install for them: {told}.")
