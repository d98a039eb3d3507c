"""Letters to the authors of a paper: a page of Markdown for each grave finding."""

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from dpdescent.replication.judging.evidence import GRAVE
from dpdescent.replication.report.summary import table

Row = dict[str, str]

WIDTH = 100

TEMPLATE = """\
{label}# {location}: did we misread it?

{salutation}

{opening}

{says}

{counterexample}

{rows}{why}

{charitable}

{repair}

{demonstration}

```python
{script}
```

{closing}

The maintainers of dpdescent
"""

SALUTATION = "To the authors of *{title}* (arXiv {arxiv}): {authors}"
OPENING = (
    "Dear authors, dpdescent is a program that regenerates what papers on differentially private gradient descent "
    "state, yours among them, and compares. At one place our computation and the text seem to disagree."
)
OPENING_ON_CODE = (
    "Dear authors, dpdescent is a program that regenerates what papers on differentially private gradient descent "
    "state, and compares methods, yours among them, which it makes from your paper. Your public code, which we read "
    "and did not start, seems to do something else at one place."
)
DEMONSTRATION = "To see it, run this script ({path} of our sources); it needs numpy and scipy and takes seconds:"
CLOSING = {
    "confirmed": "Have we misread a definition or overlooked an assumption? Then we shall correct the finding",
    "partly": "We are not certain of it. Have we misread a definition or overlooked an assumption? We shall correct it",
    "question": "To us this is a question, which the text does not decide. We shall record your answer",
}
RECORD = "; your answer will stand beside it. In our list it is `{finding}` ({kind}, severity {severity}, {status})."


def due(finding: Row) -> bool:
    """Whether authors get a letter about a finding: from severity medium on."""
    return finding["severity"] in GRAVE


def letter(
    finding: Row, shown: Sequence[Sequence[str]], paper: Mapping[str, Any], path: str, script: str, label: str = ""
) -> str:
    """Returns the letter on one finding.

    Args:
        finding: its row of `findings.csv`.
        shown: rows of its table that carry the numbers, the head first.
        paper: title, authors and arXiv number, and in `others` those of works whose public code a finding is about.
        path, script: path and text of its demonstration.
        label: label of a scale that is not the papers' own.
    """
    code = paper.get("others", {}).get(finding["finding"])
    source = f"From `{finding['paper']}/{finding['artefact']}.csv` of our results:"
    return TEMPLATE.format(
        label=f"**{label}: not to be sent**\n\n" if label else "",
        location=finding["location"],
        salutation=_wrapped(SALUTATION.format(**(code or paper))),
        opening=_wrapped(OPENING_ON_CODE if code else OPENING),
        says=_part("The code says" if code else "The paper says", finding["statement"]),
        counterexample=_wrapped(f"**One would expect:** {finding['expected']}. **We find:** {finding['measured']}."),
        rows=f"{source}\n\n{table(shown[0], shown[1:])}\n\n" if shown else "",
        why=_part("Why, as we understand it", finding["why"]),
        charitable=_part("How it may be meant", finding["charitable_reading"]),
        repair=_part("What would mend it", finding["repair"]),
        demonstration=_wrapped(DEMONSTRATION.format(path=f"`{path}`")),
        script=script.strip(),
        closing=_wrapped(CLOSING[finding["status"]] + RECORD.format(**finding)),
    )


def shown(text: str) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table in a letter, both empty where it has none."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    cells = [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]
    return (cells[0], cells[1:]) if cells else ([], [])


def script(text: str) -> tuple[str, str]:
    """Path and text of the demonstration in a letter.

    Raises:
        ValueError: if there is none.
    """
    path, code = re.search(r"\(`([^`]+\.py)`", text), re.search(r"```python\n(.*?)\n```", text, flags=re.DOTALL)
    if path is None or code is None:
        raise ValueError("a letter must name its script and hold it in a block of Python")
    return path.group(1), code.group(1)


def _part(name: str, text: str) -> str:
    return _wrapped(f"**{name}:** {text.removesuffix('.')}.")


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, break_long_words=False, break_on_hyphens=False)
