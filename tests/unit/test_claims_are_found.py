"""Every claim and finding can be found: a search for its id leads to the call that makes it."""

import ast
from pathlib import Path
from typing import get_args

import pytest

from dpdescent.replication.build.files import read_rows
from dpdescent.replication.configuration.values import read_yaml
from dpdescent.replication.judging.evidence import Undecided, Unjudged

ROOT = Path(__file__).resolve().parents[2]
# There are findings about papers only: what is ours has no arXiv number.
MADE = [
    (file.stem, kind)
    for file in sorted((ROOT / "config/papers").glob("*.yaml"))
    for kind in ("claims", "findings")
    if kind == "claims" or "arxiv" in read_yaml(file)["paper"]
]
MAKES = {"claim", "claim_on_all_cells", "judged_claim", "untestable_claim", "finding"}


def sources(paper: str, kind: str) -> list[Path]:
    """Modules that judge a paper: of its subjects too, which hold claims."""
    folder = ROOT / "src/dpdescent/papers" / paper
    others = [file for file in folder.glob("*.py") if kind == "claims" and not file.name.startswith("findings")]
    return sorted({*folder.glob(f"{kind}/*.py"), *folder.glob(f"{kind}*.py"), *others})


def ids_given(file: Path) -> list[ast.expr]:
    """What calls that make a claim or a finding are given for an id."""
    calls = [node for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Call)]
    return [
        keyword.value
        for call in calls
        if (call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")) in MAKES
        for keyword in call.keywords
        if keyword.arg == "id"
    ]


@pytest.mark.parametrize(("paper", "kind"), MADE)
def test_ids_are_literals_or_come_from_rows_of_literals(paper: str, kind: str) -> None:
    """An id that is put together stands nowhere as it is printed."""
    given = [(file.name, value) for file in sources(paper, kind) for value in ids_given(file)]
    assert given or kind == "findings", f"{paper}: no call of {', '.join(sorted(MAKES))} gives an id by keyword"
    literal = (ast.Constant, ast.Name, ast.Subscript, ast.Attribute)
    assert not [f"{name}:{value.lineno}" for name, value in given if not isinstance(value, literal)]


@pytest.mark.parametrize(("paper", "kind"), MADE)
def test_every_committed_id_stands_in_the_code_as_a_quoted_literal(paper: str, kind: str) -> None:
    text = "".join(file.read_text(encoding="utf-8") for file in sources(paper, kind))
    rows = read_rows(ROOT / f"results/paper/{kind}.csv")
    column = kind.removesuffix("s")
    ids = [row[column] for row in rows if row["paper"] == paper]
    assert len(ids) == len(set(ids))
    assert ids or kind == "findings", f"{paper} is not in results/paper/{kind}.csv: build it, make results"
    assert [each for each in ids if f'"{each}"' not in text] == []


def test_every_open_verdict_says_why_in_a_fixed_word() -> None:
    """And no other verdict does; an opinion, or what cannot fail, is not testable rather than undecided."""
    allowed = {"inconclusive": set(get_args(Undecided)), "not testable": set(get_args(Unjudged))}
    for row in read_rows(ROOT / "results/paper/claims.csv"):
        assert row["why"] in allowed.get(row["verdict"], {""}), (row["paper"], row["claim"])
