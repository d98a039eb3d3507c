"""Divides an artefact's cells, variants and trials into parts, which are trained separately, and names them.

A part's name consists of values, never of an index, because a larger grid or more trials must not rename parts; so only
new parts are run. Only a last range that is shorter than `trials_per_part` is another part once it is longer.
"""

import itertools
import json
import math
import re
from collections.abc import Container, Iterator
from dataclasses import dataclass

from dpdescent.checks import as_list
from dpdescent.replication.configuration import values as conf
from dpdescent.replication.configuration.values import ConfigError, Node

# The most parts of an artefact, because planning takes memory and time for every part, and the most letters of a part's
# name, because file systems take names of at most 255 bytes.
MOST_PARTS, LONGEST_NAME = 20_000, 200


@dataclass(frozen=True)
class Part:
    """A share of an artefact: an outer cell of its grid and a range of trials.

    Attributes:
        name: the cell in words and the range of trials.
        spec: specification for the experiment, ready for JSON.
        dataset: name of the real data set that it reads, if any.
    """

    name: str
    spec: Node
    dataset: str | None

    def json(self) -> str:
        return json.dumps(self.spec, sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True)
class Outline:
    """Data from which an artefact's parts are made.

    Attributes:
        paper, artefact, seed: keys of the paper and the artefact, and the project's seed.
        node: the artefact's entry in the paper's file, provenance stripped.
        settings: the settings that the artefact uses.
        at_most: pairs of symbols of which the first must not exceed the second.
        datasets: names of the paper's data sets.
        where: the entry's place in the files, for messages.
    """

    paper: str
    artefact: str
    seed: int
    node: Node
    settings: Node
    at_most: list[list[str]]
    datasets: list[str]
    where: str


def parts_of(outline: Outline) -> list[Part]:
    """Parts of an artefact, first those of the headline, then those of each variant.

    Raises:
        ConfigError: if a variant changes a missing key, a cell cannot be run, or two parts have one name.
    """
    variants = {"main": {}, **outline.node.get("variants", {})}
    generated = (part for variant, changes in variants.items() for part in _variant_parts(outline, variant, changes))
    parts = list(itertools.islice(generated, MOST_PARTS + 1))
    if len(parts) > MOST_PARTS:
        raise ConfigError(
            f"{outline.where} has more than {MOST_PARTS:,} parts; give fewer trials, more `trials_per_part`, or a"
            " smaller grid"
        )
    _check_names(parts, outline.where)
    return parts


def _variant_parts(outline: Outline, variant: str, changes: Node) -> Iterator[Part]:
    node, where = outline.node, outline.where
    merged = conf.overlay(_body(outline), _changed(changes), where, f"variants.{variant}")
    _check_sections(merged, f"{where}.variants.{variant}")
    _check_dataset(merged["dataset"], outline)
    chosen: Container[str] = changes["panels"] if "panels" in changes else merged["cells"]
    for panel, cell in merged["cells"].items():
        if panel not in chosen:
            continue
        _check_cell(merged["arms"] | cell, outline.at_most, where, f"variants.{variant}.cells.{panel}")
        for values in _product(cell, node["split"], f"{where}.cells.{panel}"):
            # Popped from the values, because a panel may have its own number of trials.
            trials = values.pop("trials", merged["trials"])
            for start, stop in _ranges(trials, node["trials_per_part"]):
                spec = {
                    "paper": outline.paper, "artefact": outline.artefact, "variant": variant, "panel": panel,
                    "seed": outline.seed, "cell": values, "arms": merged["arms"], "settings": merged["settings"],
                    "trials": [start, stop],
                }  # fmt: skip
                axes = "".join(f"_{axis}={values[axis]}" for axis in node["split"] if axis in values)
                # Commas are replaced too, because executors take lists of files that are separated by commas.
                name = re.sub("[ ,]+", "-", f"{variant}_{panel}{axes}_t{start}-{stop - 1}")
                yield Part(name, spec, merged["dataset"])


def _body(outline: Outline) -> Node:
    """Entries of an artefact that a variant may change."""
    node = outline.node
    sections = {key: node.get(key, {}) for key in ("cells", "arms")}
    return sections | {"settings": outline.settings, "trials": node["trials"], "dataset": node.get("dataset")}


def _changed(changes: Node) -> Node:
    return {key: value for key, value in changes.items() if key not in ("why", "panels")}


def _check_sections(merged: Node, here: str) -> None:
    """Checks that sections and panels are still mappings, because a variant may replace them by anything."""
    sections = {key: merged[key] for key in ("cells", "arms", "settings")}
    panels = merged["cells"].items() if isinstance(merged["cells"], dict) else ()
    for path, values in [*sections.items(), *((f"cells.{panel}", cell) for panel, cell in panels)]:
        if not isinstance(values, dict):
            raise ConfigError(f"{here}.{path} = {conf.short(values)} is no mapping; give symbols and their values")


def _check_cell(values: Node, at_most: list[list[str]], here: str, path: str) -> None:
    """Checks merged values for empty grids and for the order of symbols, which single files cannot show."""
    for name, value in values.items():
        if value == []:
            raise ConfigError(f"{here}.{path}.{name} = [] is an empty grid; give at least one value")
    conf.check_order(values, at_most, here, path)


def _check_dataset(dataset: str | None, outline: Outline) -> None:
    if dataset is not None and dataset not in outline.datasets:
        hint = conf.did_you_mean(dataset, outline.datasets)
        raise ConfigError(f"{outline.where}.dataset: {dataset!r} is not declared{hint}")


def _product(cell: Node, split: list[str], here: str) -> Iterator[Node]:
    """Yields outer cells: every combination of the split axes' values; other lists are kept as inner axes."""
    axes = [axis for axis in split if axis in cell]
    lists = [as_list(cell[axis]) for axis in axes]
    for axis, values in zip(axes, lists, strict=True):
        if any(isinstance(value, list | dict) for value in values):
            raise ConfigError(f"{here}.{axis} = {conf.short(values)} is split; its values must be plain ones")
        if len(set(values)) < len(values):
            raise ConfigError(f"{here}.{axis} = {conf.short(values)} repeats a value; each cell is run once")
    return ({**cell, **dict(zip(axes, values, strict=True))} for values in itertools.product(*lists))


def _ranges(trials: int, per_part: int) -> Iterator[tuple[int, int]]:
    return ((start, min(start + per_part, trials)) for start in range(0, trials, per_part))


def _check_names(parts: list[Part], here: str) -> None:
    seen: set[str] = set()
    for name in (part.name for part in parts):
        if not re.fullmatch(r"[\w.=+-]+", name, re.ASCII):
            raise ConfigError(
                f"{here}: {name!r} is to be a file's name; use letters, digits and . = + - in the names of panels and"
                " variants and in the values of split axes (a space or comma becomes a -)"
            )
        if len(name) > LONGEST_NAME:
            raise ConfigError(f"{here}: {name[:60]}... is a file's name of {len(name)} letters; shorten its panels")
        if name in seen:
            raise ConfigError(
                f"{here}: two parts are called {name}; `split` must list every axis that tells them apart"
            )
        seen.add(name)


def relative_cost(part: Part) -> float:
    """Rough cost of a part relative to others of its artefact: trials times the size of the data and the steps."""
    cell, (start, stop) = part.spec["cell"], part.spec["trials"]
    # An axis that is not split is a list of values, all of which the part runs.
    sizes = (sum(as_list(cell.get(symbol, 1))) for symbol in ("n", "p", "q", "d", "T"))
    return float((stop - start) * math.prod(sizes))
