"""A comparison of tables with the configuration, because tables for which it does not ask must not be judged."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from dpdescent.replication.build import tables
from dpdescent.replication.build.files import read_rows
from dpdescent.replication.build.provenance import RECORD
from dpdescent.replication.configuration.project import Artefact, Project, config_hash

MEND = "take the change of the configuration back, or train: make results"


def difference(whole: Project, results: Path, record: dict[str, Any]) -> str | None:
    """The error line for the first table that does not fit the configuration; None if all fit.

    The names of parts show the variants, panels, split axes and trials of an artefact. The hash of all values covers
    everything else, such as an axis that is not split.

    Args:
        whole: the configuration, of the results' scale, seed and papers.
        results: finished results.
        record: the record that lies beside them.
    """
    parts = _parts(results)
    for artefact in whole.artefacts():
        if (part_columns := parts.pop(artefact.item, None)) is None:
            return f"{artefact.item} is configured, and {results} has no table of it; {MEND}"
        if line := _difference_in_parts(artefact, part_columns) or _difference_in_table(artefact, results):
            return f"{results}/{artefact.item}.csv {line}; {MEND}"
    if parts:
        return f"{results}/{next(iter(parts))}.csv is the table of no artefact that is configured; {MEND}"
    for artefact in requested(whole, results):
        if line := _difference_in_table(artefact, results):
            return f"{results}/{artefact.item}.csv {line}; make it anew: snakemake {artefact.paper}_{artefact.id}"
    if (now := config_hash(whole)) != record["config"]:
        return (
            f"{results}/{RECORD}: config = {record['config']}, and the values of config/ give {now}, so that a setting"
            f" or an axis of some artefact is not what its table was made with; {MEND}"
        )
    return None


def requested(whole: Project, results: Path) -> list[Artefact]:
    """The artefacts on request whose tables are there."""
    return [artefact for artefact in whole.on_request() if (results / f"{artefact.item}.csv").is_file()]


def _parts(results: Path) -> dict[str, dict[str, list[str]]]:
    """The columns of which the build kept sums, by artefact and part."""
    columns: dict[str, dict[str, list[str]]] = {}
    for row in read_rows(results / "parts.csv"):
        columns.setdefault(f"{row['paper']}/{row['artefact']}", {}).setdefault(row["part"], []).append(row["column"])
    return columns


def _difference_in_parts(artefact: Artefact, part_columns: dict[str, list[str]]) -> str | None:
    configured = [part.name for part in artefact.parts]
    if missing := [name for name in configured if name not in part_columns]:
        return f"lacks what is asked for as {missing[0]}{_more(missing)}"
    if stray := sorted(part_columns.keys() - set(configured)):
        return f"holds {stray[0]}{_more(stray)}, for which nothing asks"
    columns = ["value", *artefact.measures]
    if differing := [name for name in configured if part_columns[name] != columns]:
        return f"was measured in {', '.join(part_columns[differing[0]])}; asked for are {', '.join(columns)}"
    return None


def _difference_in_table(artefact: Artefact, results: Path) -> str | None:
    table = tables.read(results / f"{artefact.item}.csv")
    columns, here = _columns(artefact), [name for name in table.columns if name != "diverged"]
    if here != columns:
        differing = [name for name in [*columns, *here] if (name in columns) is not (name in here)]
        return f"has other columns than are asked for: {', '.join(differing) or 'their order'}"
    configured = {part.spec["variant"] for part in artefact.parts}
    if differing := sorted(configured ^ set(table["variant"])):
        return f"has a variant that is not asked for, or lacks one that is: {', '.join(differing)}"
    return None


def _columns(artefact: Artefact) -> list[str]:
    """Columns of an artefact's table, found by summarising a single made-up trial."""
    words, numbers = [*artefact.keys, "series", "variant"], ["trial", "value", *artefact.measures]
    trial = pd.DataFrame([dict.fromkeys(words, "") | dict.fromkeys(numbers, 0.0)])
    return list(tables.summarise([trial], artefact.keys, artefact.measures).columns)


def _more(names: Sequence[str]) -> str:
    return f" and {len(names) - 1} more" if len(names) > 1 else ""
