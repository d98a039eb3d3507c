"""Packs: the parts of an artefact that one training process runs, because its start costs more than a cheap part.

A pack is no more than a range of parts in their order. No result depends on where packs are cut.
"""

import copy
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from dpdescent.replication.configuration.parts import Part
from dpdescent.replication.configuration.values import Node


@dataclass(frozen=True)
class Pack:
    """Parts that one process trains.

    Attributes:
        name: its place among the artefact's packs, from 1.
        parts: at least one; all read the same real data set, if any.
    """

    name: str
    parts: tuple[Part, ...]

    @property
    def dataset(self) -> str | None:
        """The real data set that its parts read, if any."""
        return self.parts[0].dataset

    def json(self) -> str:
        """What the training script gets: of each part its name and what differs from the part before.

        In full, many parts would exceed what a command line may hold, 131,071 bytes.
        """
        return _json({**part.spec, "name": part.name} for part in self.parts)


def packs_of(parts: Sequence[Part], per_job: int) -> list[Pack]:
    """Cuts parts in their order into packs of at most `per_job` parts that read the same data set."""
    groups = [list(group) for _, group in groupby(parts, key=lambda part: part.dataset)]
    cuts = [group[start : start + per_job] for group in groups for start in range(0, len(group), per_job)]
    return [Pack(str(place), tuple(cut)) for place, cut in enumerate(cuts, start=1)]


def specs_of(text: str) -> dict[str, Node]:
    """Reads `Pack.json`: the parts' specifications by name."""
    return {spec["name"]: {key: value for key, value in spec.items() if key != "name"} for spec in _read(text)}


def ledger_json(parts: Iterable[Part]) -> str:
    """What the ledger's script gets: each distinct cell once, because what is released does not depend on trials."""
    cells = {}
    for part in parts:
        cell = {key: value for key, value in part.spec.items() if key != "trials"} | {"dataset": part.dataset}
        cells[json.dumps(cell, sort_keys=True)] = cell
    return _json(cells.values())


def cells_of(text: str) -> list[Node]:
    """Reads `ledger_json`: cells with the name of their data set."""
    return list(_read(text))


def _json(specs: Iterable[Node]) -> str:
    return json.dumps(list(_differences(specs)), sort_keys=True, separators=(",", ":"))


def _read(text: str) -> Iterator[Node]:
    spec: Node = {}
    for changes in json.loads(text):
        spec = {**spec, **changes}
        # A copy, because an experiment may change what it gets.
        yield copy.deepcopy(spec)


def _differences(specs: Iterable[Node]) -> Iterator[Node]:
    before: Node = {}
    for spec in specs:
        # Without a default for what is missing, because a value may be null.
        yield {key: value for key, value in spec.items() if key not in before or before[key] != value}
        before = spec
