"""Resolves values from the YAML files: overlay, provenance, checks with one-line errors.

Only the Snakefile reads these files. Jobs get their values as arguments, because Snakemake then tracks all that they
use.
"""

import copy
import difflib
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from dpdescent.checks import as_list
from dpdescent.replication.configuration.strict_yaml import ConfigError as ConfigError
from dpdescent.replication.configuration.strict_yaml import Node as Node
from dpdescent.replication.configuration.strict_yaml import read_yaml as read_yaml

PROVENANCE = ("stated", "code", "chosen")

# Sources of a value in an overlay: the user (`yours`), or the scale of the same name that comes with the project. No
# file may state this source; the code finds it.
YOURS, SHIPPED = "yours", ("quick",)
OVERLAID = (YOURS, *SHIPPED)

# The most names that a message compares with a wrong one, and lists.
MOST_NAMES = 100


def source_of(scale: str) -> str:
    """The source of the values in a scale's overlay."""
    return scale if scale in SHIPPED else YOURS


def overlay(base: Node, changes: Mapping[str, Any], where: str, path: str = "") -> Node:
    """Returns a copy of `base` with the values of `changes`; every key of `changes` must exist in `base`.

    A plain value replaces only the `value` of an annotated one, so that an overlay need not repeat provenance; an
    annotated value replaces value and provenance.

    Raises:
        ConfigError: for a key that `base` does not have.
    """
    merged = dict(base)
    for key, value in changes.items():
        here = f"{path}.{key}" if path else str(key)
        if key not in base:
            raise ConfigError(f"{where}: {here} overlays nothing: no such key{did_you_mean(key, base)}")
        old = base[key]
        if isinstance(old, dict) and "value" in old:
            merged[key] = value if isinstance(value, dict) and "value" in value else {**old, "value": value}
        elif isinstance(old, dict) and isinstance(value, Mapping):
            merged[key] = overlay(old, value, where, here)
        else:
            merged[key] = value
    return merged


def strip_provenance(node: Any) -> Any:
    """Replaces annotated values (`{value: 5, stated: Sec. 4}`) by their values."""
    if isinstance(node, dict):
        if "value" in node:
            return copy.deepcopy(node["value"])
        return {key: strip_provenance(value) for key, value in node.items()}
    return copy.deepcopy(node)


def annotated_values(node: Any, path: str = "") -> Iterator[tuple[str, Node]]:
    """Yields all annotated values below `node`, as (dotted path, annotation)."""
    if isinstance(node, dict):
        if "value" in node:
            yield path, node
            return
        for key, value in node.items():
            yield from annotated_values(value, f"{path}.{key}" if path else str(key))


def did_you_mean(name: object, known: Mapping[str, Any] | list[str]) -> str:
    """Hint such as `; did you mean 'fig03'?`, or the list of known names, of which long ones are shortened."""
    # Names are cut, because the time of the comparison is the product of all lengths.
    names = [str(key)[:80] for key in itertools.islice(known, MOST_NAMES)]
    close = difflib.get_close_matches(str(name)[:80], names, n=1)
    return f"; did you mean {close[0]!r}?" if close else f"; there are: {', '.join(names) or 'none'}"


def check_symbols(node: Any, symbols: Node, at_most: list[list[str]], where: str, path: str = "") -> None:
    """Checks every value below `node` whose key is a declared symbol, and the order of pairs in `at_most`."""
    if isinstance(node, list):
        for index, item in enumerate(node):
            check_symbols(item, symbols, at_most, where, f"{path}[{index}]")
        return
    if not isinstance(node, dict):
        return
    for key, value in node.items():
        here = f"{path}.{key}" if path else str(key)
        # Keys of `cells` are skipped, because a panel may have a symbol's name; its values are checked.
        if key in symbols and not path.endswith("cells"):
            _check_value(value, symbols[key], where, here)
        else:
            check_symbols(value, symbols, at_most, where, here)
    check_order(node, at_most, where, path)


def check_order(node: Node, at_most: list[list[str]], where: str, path: str) -> None:
    """Checks that, in one mapping, the first value of each pair in `at_most` does not exceed the second."""
    for small, large in at_most:
        low, high = max(_numbers(node.get(small)), default=None), min(_numbers(node.get(large)), default=None)
        if low is not None and high is not None and low > high:
            raise ConfigError(
                f"{where}: {path}.{small} = {low} exceeds {path}.{large} = {high}; {small} <= {large} is needed"
            )


def _numbers(value: Any) -> list[float]:
    """Numbers of a value or list; other items are left out, because a panel may have the name of a symbol."""
    return [item for item in as_list(value) if isinstance(item, int | float) and not isinstance(item, bool)]


def _check_value(value: Any, rule: Node, where: str, here: str) -> None:
    if value == []:
        raise ConfigError(f"{where}: {here} = [] is an empty grid; give at least one value ({rule['means']})")
    if rule.get("single") and isinstance(value, list):
        raise ConfigError(f"{where}: {here} = {short(value)} is a list; give one {rule['means']}")
    for item in as_list(value):
        if not _is_allowed(item, rule):
            raise ConfigError(f"{where}: {here} = {short(item)} is not allowed; {rule['means']}: give {_allowed(rule)}")


def _is_allowed(item: Any, rule: Node) -> bool:
    if isinstance(item, bool) or not isinstance(item, int if rule["type"] == "integer" else (int, float)):
        return False
    if item != item or ("minimum" in rule and item < rule["minimum"]):
        return False
    if "exclusive_minimum" in rule and item <= rule["exclusive_minimum"]:
        return False
    return "maximum" not in rule or bool(item <= rule["maximum"])


def _allowed(rule: Node) -> str:
    article = "an integer" if rule["type"] == "integer" else "a number"
    limits = {"minimum": "at least", "exclusive_minimum": "above", "maximum": "at most"}
    return " ".join([article, *(f"{word} {rule[key]}" for key, word in limits.items() if key in rule)])


def as_floats(node: Any, symbols: Node, inside_number: bool = False) -> Any:
    """Converts symbols of type `number` to floats, because 1 and 1.0 must give one name and one random stream."""
    if isinstance(node, dict):
        return {
            key: as_floats(value, symbols, symbols.get(key, {}).get("type") == "number") for key, value in node.items()
        }
    if isinstance(node, list):
        return [as_floats(item, symbols, inside_number) for item in node]
    is_integer = isinstance(node, int) and not isinstance(node, bool)
    return float(node) if inside_number and is_integer else node


def short(value: Any) -> str:
    """Text of a value for a message, at most 60 characters long."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
