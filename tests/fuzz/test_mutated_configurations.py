"""Mutated configurations and overlays: each is a valid plan or one line, and no nonsense is a plan."""

import copy
import json
import math
import os
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from outcomes import Outcomes, is_one_line

from dpdescent.replication.configuration import packs, project
from dpdescent.replication.configuration.values import ConfigError
from workflow import sixth_paper

ROOT = Path(__file__).resolve().parents[2]
CONFIG: dict[str, Any] = {"scale": "paper", "seed": 7, "papers": "all"}
KEY = sixth_paper.KEY

# Values that a hand, a script or an editor leaves behind.
ODD: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 7.0, 0.5, -0.0, 1e300, 1e-320, 10**12, 10**29, math.inf, -math.inf, math.nan, "",
    " ", "x", "value", "..", "../x", ".", "--x", "{word}", "$hat{beta}$", "a\nb", "tab\there", "x" * 300, "nul\0", "é",
    "5", "1e-6", "yes", [], [[]], [1, 1], [1, 2, 3], ["x"], [None], [0.5, 7.0], {}, {"value": 5}, {"value": None},
    {"x": {}}, {"value": 5, "stated": "x"}, {"value": [1, 1], "chosen": "x"}, {"value": [], "code": "x"}, [*range(300)],
)  # fmt: skip

# Texts of whole files, or of one value in a file, that are no ordinary YAML.
LITERALS = (
    "2025-01-01", "!!set {a, b}", "!!binary aGk=", "!!omap [a: 1]", "!!python/object:os.system {}", "&a [*a]", "*gone",
    "1_000", "010", "0x1F", "1:30", "1e999", "1e-999", ".nan", "-.inf", "1" + "0" * 400, "=", "~", "<<", "'", "\"", "[",
    "{", "]", "}", "|", ">", "%", "@", "`", "!", "&", "? x", "- - - 1", "{a: 1, a: 2}", "{null: 1}", "{[1]: 2}",
    "{5: 1}", "\"\\0\"", "\"\\ud800\"", "[" * 900, "[" * 6000, "\t", "\x00", "---", "...", "#", "x" * 6000,
)  # fmt: skip


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with no paper but the sixth, where its overlay is `small`."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "workflow/schemas", folder / "workflow/schemas")
    shutil.copytree(ROOT / "src/dpdescent/data/files", folder / "src/dpdescent/data/files")
    (folder / "config/scales").mkdir(parents=True)
    sixth_paper.add(folder)
    return folder


PAPER: dict[str, Any] = yaml.safe_load(sixth_paper.CONFIG)
OVERLAY: dict[str, Any] = {
    "label": "small", "seed": 8, "trials_at_most": 3, "parts_per_job_at_least": 2, "audit_runs": 200,
    "papers": {KEY: {
        "settings": {"tau": 6}, "datasets": {"card": {"instruments": ["nearc2"]}},
        "artefacts": {"fig01": {"cells": {"a": {"n": [10]}}, "arms": {"rho": [1.0]}, "trials_per_part": 5}},
    }},
}  # fmt: skip


def places(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yields the paths of all values."""
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield (*path, key)
        yield from places(value, (*path, key))


def mutated(base: dict[str, Any], kind: str, rng: random.Random) -> dict[str, Any]:
    """A copy of a content with one mutation."""
    content = copy.deepcopy(base)
    *way, last = rng.choice(list(places(content)))
    parent = content
    for step in way:
        parent = parent[step]
    if kind == "value":
        parent[last] = copy.deepcopy(rng.choice(ODD))
    elif kind == "deleted":
        del parent[last]
    elif kind == "moved":
        source = content
        for step in rng.choice(list(places(content))):
            source = source[step]
        parent[last] = copy.deepcopy(source)
    elif isinstance(parent, dict):
        name = rng.choice(
            [item for item in ODD if isinstance(item, str)] if kind == "renamed" else ["main", "trials", *ODD[:8]]
        )
        parent[name] = parent.pop(last) if kind == "renamed" else copy.deepcopy(parent[last])
    else:
        parent.append(copy.deepcopy(parent[last]))
    return content


def dumped(content: dict[str, Any]) -> str:
    """The text of a content; in C, which takes a tenth of the time, as far as that has the characters."""
    try:
        return str(yaml.dump(content, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True))
    except UnicodeEncodeError:
        return yaml.safe_dump(content, sort_keys=False, allow_unicode=True)


def in_text(text: str, kind: str, rng: random.Random) -> str:
    """A text with one mutation that has no content of its own."""
    at = rng.randrange(len(text))
    if kind == "literal":
        lines = text.splitlines()
        number = rng.choice([number for number, line in enumerate(lines) if ": " in line])
        lines[number] = lines[number].split(": ")[0] + ": " + rng.choice(LITERALS)
        return "\n".join(lines)
    if kind == "cut":
        return text[:at]
    return text[:at] + rng.choice([chr(rng.randrange(1, 128)), "\t", "\u2028", "é", "\x7f"]) + text[at + 1 :]


def plan(root: Path, config: dict[str, Any]) -> str:
    """Plans as Snakemake does before its first job; what is accepted must make sense."""
    try:
        whole = project.load(config, root)
    except ConfigError as error:
        return "one line" if is_one_line(str(error)) else f"many lines: {error}"
    for artefact in [*whole.artefacts(), *whole.on_request()]:
        require_sense(artefact, whole.papers[artefact.paper].symbols)
        for pack in artefact.packs:
            assert packs.specs_of(pack.json()).keys() == {part.name for part in pack.parts}
        packs.ledger_json(artefact.parts)
    assert type(whole.seed) is int
    assert type(whole.audit_runs) is int
    project.config_hash(whole)
    for key in whole.papers:
        json.loads(project.judging_json(whole, key))
    if config["scale"] != "paper":
        assert isinstance(project.scale_label(config["scale"], root), str)
    return "plan"


def require_sense(artefact: project.Artefact, symbols: dict[str, Any]) -> None:
    """Checks that every part is one that the sixth paper's experiments could run to the end."""
    assert 0 < len(artefact.parts) <= 20_000
    known = {"panel", "n", "p", "q", "T", "rho", "size"}
    assert {*artefact.keys, *artefact.measures} <= known | WORDS, (artefact.keys, artefact.measures)
    assert len({*artefact.keys, *artefact.measures}) == len(artefact.keys) + len(artefact.measures)
    for part in artefact.parts:
        assert os.path.basename(part.name) == part.name
        assert len(part.name) < 230
        start, stop = part.spec["trials"]
        assert type(start) is type(stop) is int
        assert 0 <= start < stop <= 10**8
        values = part.spec["cell"] | part.spec["arms"]
        # Only declared symbols have a rule, and a mutation may have taken one out or weakened it.
        for symbol, rule in symbols.items():
            for value in as_list(values.get(symbol, [])):
                assert type(value) is (int if rule["type"] == "integer" else float), (symbol, value)
                assert value >= rule.get("minimum", rule.get("exclusive_minimum", -math.inf))


# Words of the sixth paper's code, which may be columns as far as a plan can know.
WORDS = {
    word
    for text in sixth_paper.MODULES.values()
    for word in "".join(c if c.isalnum() or c == "_" else " " for c in text).split()
}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


A_PAPER, AN_OVERLAY = "a paper's configuration", "an overlay"

KINDS = {
    "value": 420,
    "deleted": 90,
    "moved": 170,
    "renamed": 120,
    "copied": 60,
    "literal": 130,
    "cut": 50,
    "letter": 160,
}


def test_what_is_mutated_is_a_plan(root: Path) -> None:
    assert plan(root, CONFIG) == "plan"
    (root / "config/scales/small.yaml").write_text(yaml.safe_dump(OVERLAY), encoding="utf-8")
    assert plan(root, {**CONFIG, "scale": "small"}) == "plan"
    (root / "config/scales/small.yaml").unlink()


def fuzz(root: Path, base: dict[str, Any], file: Path, config: dict[str, Any], share: float, seed: int) -> Outcomes:
    before, found, rng = file.read_bytes() if file.exists() else None, Outcomes(), random.Random(seed)
    whole = yaml.safe_dump(base, sort_keys=False)
    for kind, count in KINDS.items():
        for number in range(int(count * share)):
            text = (
                in_text(whole, kind, rng) if kind in ("literal", "cut", "letter") else dumped(mutated(base, kind, rng))
            )
            file.write_text(text, encoding="utf-8", errors="surrogatepass")
            found.take(f"{file.stem} {kind}", f"number {number}: {text[-300:]!r}", lambda: plan(root, config))
    if before is None:
        file.unlink()
    else:
        file.write_bytes(before)
    return found


def check(found: Outcomes, least: int, what: str) -> None:
    found.record(what)
    assert not found.wrong, "\n".join(found.wrong[:20])
    assert found.total() >= least
    # Neither all refused, nor all accepted.
    assert 0.05 < found.of("plan") / found.total() < 0.6


def test_mutated_papers_are_plans_or_one_line(root: Path) -> None:
    check(fuzz(root, PAPER, root / f"config/papers/{KEY}.yaml", CONFIG, 1.0, seed=1), 1_200, A_PAPER)


def test_mutated_overlays_are_plans_or_one_line(root: Path) -> None:
    check(
        fuzz(root, OVERLAY, root / "config/scales/small.yaml", {**CONFIG, "scale": "small"}, 0.7, seed=2),
        800,
        AN_OVERLAY,
    )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 8))
def test_many_more_mutations_are_plans_or_one_line(root: Path, seed: int) -> None:
    check(fuzz(root, PAPER, root / f"config/papers/{KEY}.yaml", CONFIG, 2.0, seed), 2_000, A_PAPER)
    check(
        fuzz(root, OVERLAY, root / "config/scales/small.yaml", {**CONFIG, "scale": "small"}, 2.0, seed),
        2_000,
        AN_OVERLAY,
    )


def test_odd_values_on_the_command_line_are_plans_or_one_line(root: Path) -> None:
    """Snakemake reads them as YAML and merges them into config.yaml."""
    found = Outcomes()
    for key in (*CONFIG, "audit_runs", "papres"):
        for value in ODD:
            config = {**CONFIG, key: value}
            found.take("command line", f"{key}={str(value)[:60]!r}", lambda config=config: plan(root, config))  # type: ignore[misc]
    assert not found.wrong, "\n".join(found.wrong)


def files(folder: Path) -> dict[str, Callable[[], object]]:
    """What may lie in place of a file."""
    file = folder / "small.yaml"
    return {
        "folder": file.mkdir,
        "pipe": lambda: os.mkfifo(file),
        "device": lambda: file.symlink_to("/dev/zero"),
        "loop": lambda: file.symlink_to(file),
        "dangling link": lambda: file.symlink_to("nowhere"),
        "empty": file.touch,
        "too large": lambda: file.write_bytes(b"a: 1\n" * 300_000),
        "other encoding": lambda: file.write_bytes("label: ü\n".encode("utf-16")),
    }


@pytest.mark.parametrize("kind", files(Path()))
def test_what_is_no_yaml_file_is_one_line(root: Path, kind: str) -> None:
    file = root / "config/scales/small.yaml"
    files(file.parent)[kind]()
    try:
        assert plan(root, {**CONFIG, "scale": "small"}) == "one line"
    finally:
        file.rmdir() if kind == "folder" else file.unlink()
