"""Strict reading of YAML: text that a configuration cannot mean is refused with its file and line, never guessed.

YAML reads 010 as 8, 1:30 as 90, 1e999 as infinity and 2025-01-01 as a date, keeps the last of equal keys, and unfolds
aliases without a limit; a number of an experiment must not depend on that.
"""

import itertools
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

Node = dict[str, Any]

# Limits of a file, far above the size of any paper's file, because a wrong file must be refused within a second.
MOST_BYTES, MOST_VALUES, LONGEST_LINE, DEEPEST, MOST_DIGITS = 1_000_000, 100_000, 5_000, 40, 30

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|[-+]?\.(inf|Inf|INF)")
_WHOLE = re.compile(rf"[-+]?(0|[1-9]\d{{0,{MOST_DIGITS - 1}}})")
# Control characters: of no use in a name or a sentence, and harmful in a command line or a file; the end of a line may
# stand in a value.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]")
_TAG = "tag:yaml.org,2002:"
_KINDS = {f"{_TAG}{kind}" for kind in ("null", "bool", "int", "float", "str", "seq", "map")}


class ConfigError(ValueError):
    """Error for an invalid configuration; its message is one line with key, value, allowed values and remedy."""


class _StrictLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML loader that reads 1e-6 as a number and refuses what `_check` refuses, because PyYAML does neither.

    It rests on libyaml where PyYAML was built with it, because that reads five times as fast.
    """

    def get_single_node(self) -> yaml.Node | None:
        node: yaml.Node | None = super().get_single_node()
        # Checked here and not later, because equal keys are valid after merge keys (`<<`) are resolved.
        if node is not None:
            _check(node)
        return node


_StrictLoader.add_implicit_resolver(
    f"{_TAG}float",
    re.compile(
        r"^[-+]?(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][-+]?\d+)$|^[-+]?(\d[\d_]*\.[\d_]*|\.\d[\d_]*)$|^[-+]?\.(inf|Inf)$"
    ),
    list("-+0123456789."),
)


def read_yaml(path: Path) -> Node:
    """Reads one YAML file strictly.

    Raises:
        ConfigError: if the file cannot be read, is not YAML, is too large, does not hold a mapping, or has equal keys
            or values that no configuration needs.
    """
    try:
        if path.exists() and not path.is_file():
            raise ConfigError(f"{path} is no regular file; put the YAML file there")
        if path.stat().st_size > MOST_BYTES:
            raise ConfigError(f"{path} has {path.stat().st_size:,} bytes; at most {MOST_BYTES:,} are read")
        # Parsed from the open file and not from text, because YAML errors print the stream's name.
        with open(path, encoding="utf-8") as text:
            _check_shape(path, text.read())
            text.seek(0)
            content = yaml.load(text, Loader=_StrictLoader)
    except FileNotFoundError:
        raise ConfigError(f"{path} does not exist; create it, or name another one") from None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({error.strerror}); mend it, or name another one") from None
    except RecursionError:
        raise ConfigError(f"{path}: {_TOO_DEEP}") from None
    except ConfigError:
        raise
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{path}: not valid YAML: {' '.join(str(error).split())}") from None
    if not isinstance(content, dict):
        raise ConfigError(f"{path}: holds {type(content).__name__}, but a mapping of keys to values is needed")
    return content


_TOO_DEEP = f"nested more than {DEEPEST} levels deep; take levels out, or mend an alias that holds itself"


def _check_shape(path: Path, text: str) -> None:
    """Checks the length of lines and the number of brackets of a text before it is parsed.

    They bound the depth of the text, at which libyaml's recursion would end the process: each level of a block stands
    in a later column than the level above it, and each level of a flow needs a bracket.

    Raises:
        ConfigError: for a very long line, or very many open brackets.
    """
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > LONGEST_LINE:
            raise ConfigError(f"{path}: line {number} has {len(line):,} characters; break it after {LONGEST_LINE:,}")
    opened = itertools.accumulate(1 if bracket in "[{" else -1 for bracket in re.findall(r"[][{}]", text))
    if max(opened, default=0) > LONGEST_LINE:
        raise ConfigError(f"{path}: {_TOO_DEEP}")


def _check(root: yaml.Node) -> None:
    """Checks all values of a file, aliases as often as they are used.

    Raises:
        ConfigError: with the file and the line.
    """
    waiting, seen = [(root, 0)], 0
    while waiting:
        node, depth = waiting.pop()
        seen += 1
        if depth > DEEPEST:
            raise ConfigError(f"{_place(node)}: {_TOO_DEEP}")
        if seen > MOST_VALUES:
            raise ConfigError(f"{_place(node)}: more than {MOST_VALUES:,} values; take some out, or fewer aliases")
        if problem := _problem(node):
            raise ConfigError(f"{_place(node)}: {problem}")
        waiting.extend((child, depth + 1) for child in _children(node))


def _children(node: yaml.Node) -> Iterator[yaml.Node]:
    if isinstance(node, yaml.SequenceNode):
        yield from node.value
    if isinstance(node, yaml.MappingNode):
        _check_keys(node)
        yield from (value for _, value in node.value)


def _check_keys(node: yaml.MappingNode) -> None:
    seen: set[str] = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise ConfigError(f"{_place(key)}: a key must be a plain word")
        if key.tag not in (f"{_TAG}str", f"{_TAG}merge"):
            raise ConfigError(f"{_place(key)}: key {key.value!r} is no text for YAML; put it in quotes")
        if _CONTROL.search(key.value) or "\n" in key.value:
            raise ConfigError(f"{_place(key)}: key {key.value!r} has a control character; take it out")
        if key.value in seen:
            raise ConfigError(f"{_place(key)}: key {key.value!r} stands twice; keep one of them")
        seen.add(key.value)


def _problem(node: yaml.Node) -> str | None:
    """The fault of a value and its remedy in words; None for a value that is read as it is written."""
    if node.tag not in _KINDS:
        return f"a value of YAML's type {node.tag.removeprefix(_TAG)} is not allowed; put text in quotes"
    if not isinstance(node, yaml.ScalarNode):
        return None
    text = str(node.value)
    if node.tag == f"{_TAG}int" and not _WHOLE.fullmatch(text):
        return (
            f"{text[:40]} would not be read as it is written; give a whole number of at most {MOST_DIGITS} digits that"
            " does not begin with 0, or put text in quotes"
        )
    if node.tag == f"{_TAG}float" and not _is_as_written(text):
        return f"{text[:40]} would not be read as it is written; give a number such as 0.5, 1e-6 or .inf"
    if node.tag == f"{_TAG}str" and _CONTROL.search(text):
        return f"{text[:40]!r} has a control character; take it out"
    return None


def _is_as_written(text: str) -> bool:
    """Whether a text reads as the number that it shows: finite unless it says infinity, and no zero by underflow."""
    if not _NUMBER.fullmatch(text):
        return False
    value = float(text.replace(".inf", "inf").replace(".Inf", "inf").replace(".INF", "inf"))
    if math.isinf(value):
        return "inf" in text.lower()
    return value != 0.0 or not re.search("[1-9]", re.split("[eE]", text)[0])


def _place(node: yaml.Node) -> str:
    return f"{node.start_mark.name}: line {node.start_mark.line + 1}"
