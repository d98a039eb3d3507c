"""What may come of a call on mutated input, and how long it may take."""

import csv
import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

# CPU-seconds of one call; a call that hangs would be ended by the run that holds the tests.
LONGEST = 2.0

# Names the CSV to which counts are added; `make fuzz` sets it.
VARIABLE = "DPDESCENT_FUZZ_COUNTS"
COLUMNS = ("what is mutated", "inputs", "accepted", "refused in one line", "anything else")


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

    def of(self, *outcomes: str) -> int:
        """How many calls had one of these outcomes."""
        return sum(count for (_, outcome), count in self.counts.items() if outcome in outcomes)

    def record(self, what: str) -> None:
        """Adds the counts to the CSV that the environment names, if any."""
        if VARIABLE not in os.environ:
            return
        file = Path(os.environ[VARIABLE])
        rows: dict[str, list[int]] = {}
        if file.exists():
            with open(file, encoding="utf-8", newline="") as stream:
                rows = {name: [int(number) for number in numbers] for name, *numbers in list(csv.reader(stream))[1:]}
        accepted, refused = self.of("plan", "result", "help"), self.of("one line")
        new = (self.total(), accepted, refused, self.total() - accepted - refused)
        rows[what] = [old + more for old, more in zip(rows.get(what, [0] * 4), new, strict=True)]
        with open(file, "w", encoding="utf-8", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows([COLUMNS, *([name, *row] for name, row in rows.items())])


def is_one_line(text: str) -> bool:
    return len(text.splitlines()) == 1 and 0 < len(text) < 20_000 and "Traceback" not in text
