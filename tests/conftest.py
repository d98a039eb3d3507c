"""Makes the twins importable from every test folder, and hypothesis repeatable."""

# First of all imports, because it pins BLAS to one thread before numpy starts it.
import dpdescent.replication.pins  # noqa: F401

# isort: split

import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("repeatable")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Says what was skipped and what to install for it, in one line below all others."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return
    reasons = Counter(str(report.longrepr[2]).removeprefix("Skipped: ") for report in reporter.stats.get("skipped", []))
    if reasons:
        told = "; ".join(f"{count} {reason}" for reason, count in sorted(reasons.items()))
        print(f"Skipped tests, and what to install for them: {told}.")
