"""Checks of a paper's values that its schema cannot express: names, columns, data sets, symbols, changes of a scale.

A build would meet these faults in a job, some only after all training. Nothing here imports numpy, because that would
slow Snakemake's start.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from dpdescent.data import headers
from dpdescent.data.roles import conflict
from dpdescent.replication.build.fingerprint import reachable
from dpdescent.replication.configuration import values as conf
from dpdescent.replication.configuration.values import ConfigError, Node

# Columns of every table beside its keys and measures.
TRIAL_COLUMNS = ("series", "variant", "trial", "value")
SUMMARIES = (
    "series", "variant", "mean", "se", "median", "median_low", "median_high", "trials",
    "q025", "q05", "q10", "q25", "q75", "q90", "q95", "q975",
)  # fmt: skip

# Files and rules of a paper that an artefact of the same name would replace.
TAKEN = ("bounds", "claims", "settings")

# Counts that are checked in every paper; as a symbol of type `number` they would become floats.
COUNTED = ("trials", "trials_per_part", "parts_per_job")

# Sections of a paper's file that a scale may change; the other sections say what the values mean.
SCALED = ("settings", "datasets", "published", "artefacts")


def check_annotated(annotated: Node, where: str) -> None:
    """Checks that nothing is called `value`, because a mapping with that key is read as one annotated value.

    Raises:
        ConfigError: with the place of the name.
    """
    for path, names in _free_names(annotated):
        if "value" in names:
            raise ConfigError(f"{where}: {path}: 'value' is the key of annotations; give it another name")


def _free_names(annotated: Node) -> Iterator[tuple[str, Node]]:
    """Yields mappings whose keys are names of the user's own, with their paths."""
    for section in ("symbols", "settings", "datasets", "published", "artefacts"):
        yield section, annotated.get(section, {})
    for name, node in annotated["artefacts"].items():
        if not isinstance(node, dict):
            continue
        for section in ("cells", "arms", "settings", "variants"):
            yield f"artefacts.{name}.{section}", node.get(section, {})
        for panel, cell in node.get("cells", {}).items():
            yield f"artefacts.{name}.cells.{panel}", cell


def check_scaled(changes: Node, key: str, where: str) -> None:
    """Checks that a scale leaves a paper's symbols and their rules as they are.

    Raises:
        ConfigError: for a section that no scale may change.
    """
    for section in changes:
        if section in ("paper", "symbols", "at_most"):
            raise ConfigError(
                f"{where}: papers.{key}.{section} is the same at every scale; change {', '.join(SCALED)} only"
            )


def check_plain(plain: Node, where: str, root: Path) -> None:
    """Checks symbols, names and data sets of a paper.

    Raises:
        ConfigError: with the place, the value and the remedy.
    """
    for symbol, rule in plain["symbols"].items():
        if symbol in COUNTED:
            raise ConfigError(f"{where}: symbols: {symbol!r} is a count with a rule of its own; give it another name")
        low, high = rule.get("minimum", rule.get("exclusive_minimum")), rule.get("maximum")
        if low is not None and high is not None and low > high:
            raise ConfigError(f"{where}: symbols.{symbol}: no number lies between {low} and {high}; mend one of them")
    for name in plain["artefacts"]:
        _check_identifier(name, f"{where}: artefacts")
        if name in TAKEN:
            raise ConfigError(f"{where}: artefacts: {name!r} is the name of another file; give the artefact another")
    for name, dataset in plain.get("datasets", {}).items():
        _check_identifier(name, f"{where}: datasets")
        _check_source(dataset["source"], f"{where}: datasets.{name}.source", root)
        _check_roles(dataset, f"{where}: datasets.{name}", root)


def _check_identifier(name: str, here: str) -> None:
    if not re.fullmatch(r"[A-Za-z]\w{0,79}", name, re.ASCII):
        raise ConfigError(
            f"{here}: {conf.short(name)} is to be a file's name; use letters, digits and _ after a letter, 80 at most"
        )


def _check_source(source: str, here: str, root: Path) -> None:
    """Checks that a data set's source is the path of an existing CSV file, or the name of a bundled table."""
    bundled = sorted(file.stem for file in _bundled(root).glob("*.csv"))
    # Braces are refused, because Snakemake would read them as a wildcard.
    if source.endswith(".csv") and (re.search(r"[{}\n]", source) or not (root / source).is_file()):
        names = ", ".join(bundled)
        raise ConfigError(f"{here}: there is no file {source!r}; give the path of a CSV, or one of {names}")
    if not source.endswith(".csv") and source not in bundled:
        raise ConfigError(f"{here}: {source!r} is not bundled{conf.did_you_mean(source, bundled)}")


def _check_roles(dataset: Node, here: str, root: Path) -> None:
    """Checks that the columns exist, and that none has two roles that exclude each other."""
    roles = dataset["instruments"], dataset["regressors"], dataset["outcome"], dataset.get("count")
    if problem := conflict(*roles):
        raise ConfigError(f"{here}: {problem}")
    source = dataset["source"]
    declared = [*dataset["instruments"], *dataset["regressors"], dataset["outcome"], dataset.get("count")]
    names = [name for name in declared if name is not None]
    text = _beginning(here, root / source if source.endswith(".csv") else _bundled(root) / f"{source}.csv")
    header = headers.first(text)
    for name in names:
        if name not in header:
            raise ConfigError(f"{here}: {source} has no column {name!r}{headers.hint(text, name, names)}")


def _bundled(root: Path) -> Path:
    return root / "src/dpdescent/data/files"


def _beginning(here: str, file: Path) -> str:
    """The beginning of a CSV, in which column names are looked up."""
    try:
        with open(file, encoding="utf-8-sig", newline="") as stream:
            return stream.read(headers.LETTERS)
    except UnicodeDecodeError:
        raise ConfigError(f"{here}: {file.name} is not UTF-8; save the table as UTF-8 text") from None
    except OSError as error:
        raise ConfigError(f"{here}: {file.name} cannot be read: {error.strerror}; name a file that can") from None


def check_columns(node: Node, module: Path, source: Path, here: str) -> None:
    """Checks the columns of an artefact's table: `keys`, `measures` and, for a written table, the shown columns.

    A column is an axis of its cells or arms, or a word of the code that makes it, because the columns that an
    experiment returns are known only after training.

    Raises:
        ConfigError: for a name that is neither, or has two meanings.
    """
    keys, measures = node["keys"], node.get("measures", [])
    for section, names, others in (("keys", keys, TRIAL_COLUMNS), ("measures", measures, (*TRIAL_COLUMNS, *keys))):
        for name in names:
            if name in others:
                raise ConfigError(f"{here}.{section}: {name!r} is another column of the table; take it out")
    axes = {axis for cell in node["cells"].values() for axis in cell} | set(node.get("arms", {})) | {"panel"}
    unknown = {name: section for section, names in (("keys", keys), ("measures", measures)) for name in names}
    for name in _not_written({name for name in unknown if name not in axes}, module, source):
        raise ConfigError(
            f"{here}.{unknown[name]}: {conf.short(name)} is no axis of its cells or arms, and no word of its experiment"
            f"{conf.did_you_mean(name, sorted(axes))}"
        )
    _check_shown(node.get("display", {}).get("columns", []), [*keys, *measures, *SUMMARIES], here)


def _not_written(names: set[str], module: Path, source: Path) -> list[str]:
    """Names that occur in no file of the code of an experiment."""
    left = {name for name in names if not _is_written(name, module)}
    files = sorted(reachable(source, [module])) if left else []
    return sorted(name for name in left if not any(_is_written(name, file) for file in files))


def _is_written(name: str, file: Path) -> bool:
    text = _text(file)
    # A plain search comes first, because the search of whole words is slow.
    return name.isidentifier() and name in text and re.search(rf"\b{re.escape(name)}\b", text) is not None


@cache
def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def _check_shown(columns: object, table_columns: Sequence[str], here: str) -> None:
    """Checks the columns of a table that is written ready to paste."""
    for name in columns if isinstance(columns, list) else [columns]:
        if name not in table_columns:
            hint = conf.did_you_mean(name, list(table_columns))
            raise ConfigError(f"{here}.display.columns: {conf.short(name)} is no column of its table{hint}")
