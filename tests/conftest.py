"""Makes helpers importable from every test folder and hypothesis repeatable, and orders the tests for two workers."""

# First of all imports, because it pins BLAS to one thread before numpy starts it.
import dpdescent.replication.pins  # noqa: F401

# isort: split

import gc
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from dpdescent.replication import own_code

# Else a copied checkout would test the code of the one that it was copied from.
own_code.require(Path(__file__).resolve().parents[1])
sys.path.insert(0, str(Path(__file__).parent))

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("repeatable")

# Where tests read the report that `report_made` makes.
OF_THE_REPORT = ("tests/browser/", "tests/unit/test_report_site.py")

# Figures that tests share live long; by default a fifth of the time of figure tests goes to looking through them.
gc.set_threshold(50_000, 20, 20)


@pytest.fixture
def single_precision() -> Iterator[None]:
    """JAX in single precision, because other packages of the group deep set double for a whole process."""
    jax = pytest.importorskip("jax", reason="the optional group deep is not installed (requirements-deep.lock)")
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", False)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.fixture(autouse=True)
def handlers_stay() -> Iterator[None]:
    """Fails a test that leaves another handler of a signal, because a later one may wait for a signal in vain."""
    numbers = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
    before = [signal.getsignal(number) for number in numbers]
    yield
    after = [signal.getsignal(number) for number in numbers]
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)
    assert after == before, "a handler of a signal was not put back"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Puts the builds first and the tests that read them last."""
    items.sort(key=_turn)
    first = [item for item in items if _turn(item) == 2][:1]
    items[:] = first + [item for item in items if item not in first]


def _turn(item: pytest.Item) -> int:
    """2 for tests that read the builds of all papers, 1 for others that build or plan, 0 for all others."""
    if "builds" in getattr(item, "fixturenames", ()):
        return 2
    return int(item.get_closest_marker("workflow") is not None)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keeps a file with one worker, which shares what it made, and so all that read the report and start a browser.

    Tests of the workflow are dealt out one by one.

    By hand, because xdist 3.8 reads its groups from an attribute that pytest 9.2 no longer has.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            if nodeid.startswith(OF_THE_REPORT):
                return "the report"
            return nodeid if nodeid.startswith("tests/workflow/") else nodeid.split("::")[0]

    return ByFile(config, log)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Says what was skipped and what to install for it, in one line below all others."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in reporter.stats.get("skipped", []))
    if reasons:
        told = "; ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
        print(f"Skipped tests, and what to install for them: {told}.")
