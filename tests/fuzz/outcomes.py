"""What may come of a call on mutated input, and how long it may take."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

# CPU-seconds of one call; a call that hangs would be ended by the run that holds the tests.
LONGEST = 2.0


@dataclass
class Outcomes:
    """Counts of calls by kind of mutation and outcome, and what was wrong with any of them."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def take(self, kind: str, what: str, call: Callable[[], str]) -> None:
        """Makes a call, which returns its outcome or raises; anything but an accepted or refused input is wrong."""
        start = time.process_time()
        try:
            outcome = call()
        except Exception as error:
            outcome = "traceback"
            self.wrong.append(f"{kind}: {what}: {type(error).__name__}: {error}")
        if outcome.startswith("many lines"):
            self.wrong.append(f"{kind}: {what}: {outcome}")
        if (spent := time.process_time() - start) > LONGEST:
            self.wrong.append(f"{kind}: {what}: took {spent:.1f} s")
        self.counts[kind, outcome] += 1

    def total(self) -> int:
        return sum(self.counts.values())


def is_one_line(text: str) -> bool:
    return len(text.splitlines()) == 1 and 0 < len(text) < 20_000 and "Traceback" not in text
