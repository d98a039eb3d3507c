"""Packs: groups of parts of an artefact that one training process runs, because its start takes longer than a part.

A pack is a range of parts in their order. No result depends on the division into packs.
"""

import copy
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from dpdescent.replication.configuration.parts import Part
from dpdescent.replication.configuration.values import Node

# The most bytes of an argument in JSON. A whole command is one argument of the shell, of at most 131,071 bytes on
# Linux, and holds little beside this argument.
LONGEST_ARGUMENT = 110_000


@dataclass(frozen=True)
class Pack:
    """Parts that one process trains.

    Attributes:
        name: index of the pack among the artefact's packs, from 1.
        parts: the parts, at least one; all read the same real data set, if any.
    """

    name: str
    parts: tuple[Part, ...]

    @property
    def dataset(self) -> str | None:
        """Name of the real data set that its parts read, if any."""
        return self.parts[0].dataset

    def json(self) -> str:
        """Argument of the training script as JSON: each part's name and its differences from the part before.

        Differences are given, because many full parts would exceed the limit of a command line.
        """
        return _json({**part.spec, "name": part.name} for part in self.parts)


def packs_of(parts: Sequence[Part], per_job: int) -> list[Pack]:
    """Divides parts in their order into packs of at most `per_job` parts that read the same data set."""
    groups = [list(group) for _, group in groupby(parts, key=lambda part: part.dataset)]
    cuts = [group[start : start + per_job] for group in groups for start in range(0, len(group), per_job)]
    return [Pack(str(place), tuple(cut)) for place, cut in enumerate(cuts, start=1)]


def same_runs(pack: Pack, others: Iterable[Pack]) -> list[Pack]:
    """The packs of another artefact that hold every part of a pack, with equal names and values; else none.

    Parts are compared because two artefacts whose grids agree at the papers' scale may differ at a user's own.
    """
    wanted = {part.name: _without_artefact(part) for part in pack.parts}
    holding = [
        (other, {part.name for part in other.parts if wanted.get(part.name) == _without_artefact(part)})
        for other in others
    ]
    shared = set[str]().union(*(names for _, names in holding))
    return [other for other, names in holding if names] if shared == wanted.keys() else []


def _without_artefact(part: Part) -> Node:
    return {key: value for key, value in part.spec.items() if key != "artefact"} | {"dataset": part.dataset}


def specs_of(text: str) -> dict[str, Node]:
    """Reads the text of `Pack.json`; returns the parts' specifications by name."""
    return {spec["name"]: {key: value for key, value in spec.items() if key != "name"} for spec in _read(text)}


def ledger_json(parts: Iterable[Part]) -> str:
    """Argument of the ledger's script as JSON: each distinct cell once, because releases do not depend on trials."""
    cells = {}
    for part in parts:
        cell = {key: value for key, value in part.spec.items() if key != "trials"} | {"dataset": part.dataset}
        cells[json.dumps(cell, sort_keys=True)] = cell
    return _json(cells.values())


def cells_of(text: str) -> list[Node]:
    """Reads the text of `ledger_json`; returns cells with the name of their data set."""
    return list(_read(text))


def _json(specs: Iterable[Node]) -> str:
    return json.dumps(list(_differences(specs)), sort_keys=True, separators=(",", ":"))


def _read(text: str) -> Iterator[Node]:
    spec: Node = {}
    for changes in json.loads(text):
        spec = {**spec, **changes}
        # Copied, because an experiment may change its specification.
        yield copy.deepcopy(spec)


def _differences(specs: Iterable[Node]) -> Iterator[Node]:
    before: Node = {}
    for spec in specs:
        # Membership is tested first, because a value may be null.
        yield {key: value for key, value in spec.items() if key not in before or before[key] != value}
        before = spec
