"""A method of one's own: which attack it gets, and the page that says how to add one, followed step by step."""

import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dpdescent.papers.ours import audit, calibration, contest, methods
from dpdescent.replication.configuration import project
from dpdescent.replication.ledger import audits, entries
from dpdescent.replication.ledger.requests import NotAudited, Request
from dpdescent.replication.ledger.verdicts import UNAUDITED

ROOT = Path(__file__).resolve().parents[2]
WHOLE = project.load({"scale": "quick", "seed": 3, "papers": ["ours"]}, ROOT)
PART = next(iter(WHOLE.papers["ours"].artefacts["win_map"].parts)).spec
SPEC = {
    **PART, "cell": {"n": 200}, "trials": [0, 1],
    "arms": {**PART["arms"], "few_trials": 1, "grid": {"eta": [0.5], "k": [1.0], "steps": [5]}},
}  # fmt: skip
PAGE = (ROOT / "docs/contender.md").read_text(encoding="utf-8")

# Prints the series that were run, and of the arm that ends in a method's name the ledger's row and the audit's.
SHOW = """
import json, sys
from dpdescent.papers.ours import audit
from dpdescent.papers.ours import contest
from dpdescent.replication.ledger import audits, entries
spec, method = json.loads(sys.argv[1]), sys.argv[2]
arms = [each for each in contest.releases_win_map(spec) if each[0].endswith(f": {method}")]
asked = [audits.request_columns(audit.request(spec, name, event), event) for name, event, _ in arms]
rows = [{**row, **more} for row, more in zip(entries.rows("ours", "win_map", arms), asked, strict=True)]
rows = [{name: str(value) for name, value in row.items()} for row in rows]
found = audits.outcomes("ours", rows, audit.ATTACKS, 4000, 3)
table = audits.table(rows, found, audit.FINDINGS)
series = sorted({row["series"] for row in contest.run_win_map(spec)})
print(json.dumps([series, [row | audits.ledger_columns(row, found) for row in rows], table]))
"""


def test_every_method_that_releases_names_its_attack() -> None:
    assert set(audit.AUDITS) == set(methods.FIELD) - {methods.ZERO, methods.OLS}
    for name, event, _ in contest.releases_win_map(SPEC):
        asked = audit.request(SPEC, name, event)
        assert isinstance(asked, NotAudited) == (event.guarantee == "none")
        assert isinstance(asked, NotAudited) or asked.attack in audit.ATTACKS


@pytest.mark.parametrize("known", sorted(audit.AUDITS))
def test_unknown_contender_gets_nobodys_attack(monkeypatch: pytest.MonkeyPatch, known: str) -> None:
    """Not even one that releases what a known method does, under another name."""
    monkeypatch.setattr(methods, "FIELD", {**methods.FIELD, "mine": methods.FIELD[known]})
    ((name, event, delta),) = (each for each in contest.releases_win_map(SPEC) if each[0].endswith(": mine"))
    (row,) = entries.rows("ours", "win_map", [(name, event, delta)])
    row |= audits.request_columns(audit.request(SPEC, name, event), event)
    assert audits.ledger_columns(row, {}) == {"eps_audit_low": "", "audit_runs": "", "pair": ""}
    (told,) = audits.table([row], {}, audit.FINDINGS)
    assert (told["verdict"], told["description"]) == (UNAUDITED, "no attack is registered for mine")


def test_unknown_mechanism_elsewhere_is_not_audited() -> None:
    """Where arms are no methods of the contest, too."""
    spec = WHOLE.papers["ours"].artefacts["calibration"].parts[0].spec
    for name, event, _ in calibration.releases_calibration(spec):
        assert isinstance(audit.request(spec, name, event), Request)
        told = audit.request(spec, name, replace(event, name="another method"))
        assert told == NotAudited("no attack is registered for another method")


def steps() -> list[tuple[str, str, str]]:
    """What the page tells to write: file, the line below which (none for a new file), and the lines."""
    found = re.findall(r"`(src/\S+\.py)`(?:, below the line `([^`]+)`)?:\n\n```python\n(.*?)```", PAGE, flags=re.DOTALL)
    assert len(found) == PAGE.count("```python")
    return found


def write(folder: Path, file: str, below: str, lines: str) -> None:
    path = folder / file
    if not below:
        assert not path.exists()
        path.write_text(lines, encoding="utf-8")
        return
    text = path.read_text(encoding="utf-8")
    assert text.count(f"{below}\n") == 1, f"{file} has not one line {below!r}"
    path.write_text(text.replace(f"{below}\n", f"{below}\n{lines}"), encoding="utf-8")


def shown(folder: Path, method: str) -> Any:
    command = [sys.executable, "-c", SHOW, json.dumps(SPEC), method]
    done = subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": str(folder / "src")}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_page_is_right_step_by_step(tmp_path: Path) -> None:
    """The method runs and is not audited after its place in the field, and attains its account after its attack."""
    shutil.copytree(ROOT / "src/dpdescent", tmp_path / "src/dpdescent", ignore=shutil.ignore_patterns("__pycache__"))
    steps_of_field = [step for step in steps() if "audit.py" not in step[0]]
    for step in steps_of_field:
        write(tmp_path, *step)
    series, (row,), (told,) = shown(tmp_path, "one step")
    assert set(series) == {*methods.FIELD, methods.TUNED, "one step"}
    assert (told["verdict"], row["pair"], row["eps_audit_low"]) == (UNAUDITED, "", "")
    for step in steps()[len(steps_of_field) :]:
        write(tmp_path, *step)
    _, (row,), (told,) = shown(tmp_path, "one step")
    assert (told["verdict"], row["pair"]) == ("within the account", "one record flips")
    assert told["eps_attained"] == pytest.approx(float(row["eps_tight"]), rel=1e-6)
    assert 0.0 < row["eps_audit_low"] <= float(row["eps_tight"]) * 1.2
