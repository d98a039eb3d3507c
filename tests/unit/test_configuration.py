"""Strict YAML, overlays, provenance, checks of symbols: what a configuration may say, and what it is told otherwise."""

import math
import os
from pathlib import Path
from typing import Any

import pytest

from dpdescent.replication.configuration import values as conf
from dpdescent.replication.configuration.values import ConfigError

SYMBOLS: dict[str, Any] = {
    "n": {"type": "integer", "minimum": 1, "means": "sample size"},
    "p": {"type": "integer", "minimum": 1, "means": "regressors"},
    "q": {"type": "integer", "minimum": 1, "means": "instruments"},
    "rho": {"type": "number", "exclusive_minimum": 0, "maximum": 100, "means": "budget"},
    "gamma": {"type": "number", "means": "threshold"},
}


def yaml(tmp_path: Path, text: str) -> dict[str, Any]:
    file = tmp_path / "some.yaml"
    file.write_text(text, encoding="utf-8")
    return conf.read_yaml(file)


# --- Strict YAML -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-6", 1e-6), ("1E5", 1e5), ("+2e3", 2e3), ("-1.5e+3", -1500.0), (".5", 0.5), ("5.", 5.0), ("0.1", 0.1),
        ("1.0e-5", 1e-5), (".inf", math.inf), ("-.inf", -math.inf), ("7", 7), ("true", True), ("'1e-6'", "1e-6"),
        ("1e-6 seconds", "1e-6 seconds"), ("e5", "e5"), ("1.2.3", "1.2.3"), ("null", None),
    ],
)  # fmt: skip
def test_scalars(tmp_path: Path, text: str, value: Any) -> None:
    """Exponents without a point are numbers, as people write them."""
    read = yaml(tmp_path, f"key: {text}\n")["key"]
    assert read == value
    assert type(read) is type(value)


def test_equal_keys_are_refused_with_their_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"some\.yaml: line 4: key 'b' stands twice; keep one of them"):
        yaml(tmp_path, "a:\n  b: 1\n  c: 2\n  b: 3\n")


def test_merge_keys_work(tmp_path: Path) -> None:
    """Own values win over merged ones, which is no double key."""
    read = yaml(tmp_path, "base: &base {x: 1, y: 2}\nmore:\n  <<: *base\n  y: 3\n")
    assert read["more"] == {"x": 1, "y": 3}


def test_merged_mappings_may_merge_themselves(tmp_path: Path) -> None:
    """Also where the merged mapping lies deeper in the file than the one that merges it."""
    text = "top:\n  deep:\n    deeper: &a\n      <<: {x: 1, y: 2}\n      x: 3\nc:\n  <<: *a\n  y: 5\n"
    read = yaml(tmp_path, text)
    assert read["top"]["deep"]["deeper"] == {"x": 3, "y": 2}
    assert read["c"] == {"x": 3, "y": 5}


def test_two_merge_keys_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="line 5: key '<<' stands twice"):
        yaml(tmp_path, "a: &a {x: 1}\nb: &b {y: 1}\nc:\n  <<: *a\n  <<: *b\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a: {b: 1\nc: 2\n", r"some\.yaml: not valid YAML: .* line 2, column 2"),
        (b"a: 1\n---\nb: 2\n", "not valid YAML: expected a single document"),
        (b"a: \xff\n", "not valid YAML: .*position 3"),
        (b"a: &x [*y]\n", "not valid YAML: found undefined alias"),
        (b"", "holds NoneType, but a mapping of keys to values is needed"),
        (b"- 1\n- 2\n", "holds list, but a mapping"),
        (b"a: {[1, 2]: 3}\n", "line 1: a key must be a plain word"),
        (b"a: {5: 3}\n", "line 1: key '5' is no text for YAML; put it in quotes"),
        (b"a:\n  null: 3\n", "line 2: key 'null' is no text for YAML; put it in quotes"),
        (b"a: 2025-01-01\n", "line 1: a value of YAML's type timestamp is not allowed; put text in quotes"),
        (b"a: !!set {b, c}\n", "line 1: a value of YAML's type set is not allowed"),
        (b"a: !!binary aGVsbG8=\n", "line 1: a value of YAML's type binary is not allowed"),
        (b"a: &a [*a]\n", "line 1: nested more than 40 levels deep; take levels out, or mend an alias"),
        (b"a: " + b"[" * 900 + b"]" * 900 + b"\n", "nested more than 40 levels deep"),
        (b"a: " + b"[" * 100_000 + b"\n", "line 1 has 100,003 characters; break it after 5,000"),
        (b"a:\n" + b" [\n" * 100_000 + b"\n", "nested more than 40 levels deep"),
        (b"a:\n" + b" - " * 1_600 + b"\n", "nested more than 40 levels deep"),
        (
            b"a: 1" + b"0" * 400 + b"\n",
            "line 1: 10+ would not be read as it is written; give a whole number of at most",
        ),
        (b"a: 1" + b"0" * 4500 + b"\n", "line 1: 10+ would not be read as it is written"),
        (b"a: 010\n", "line 1: 010 would not be read as it is written"),
        (b"a: 1:30\n", "line 1: 1:30 would not be read as it is written"),
        (b"a: 1_000\n", "line 1: 1_000 would not be read as it is written"),
        (b"a: 1e999\n", "line 1: 1e999 would not be read as it is written; give a number such as 0.5"),
        (b"a: 1e-999\n", "line 1: 1e-999 would not be read as it is written"),
        (b"a: .nan\n", "line 1: .nan would not be read as it is written"),
        (b'a: "b\\0c"\n', "line 1: .* has a control character; take it out"),
        (b'"a\\nb": 1\n', "line 1: key .* has a control character; take it out"),
        (b"a: " + b"x" * 1_000_001, "has 1,000,004 bytes; at most 1,000,000 are read"),
    ],
)
def test_what_is_no_configuration_is_one_line(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "some.yaml"
    file.write_bytes(content)
    with pytest.raises(ConfigError, match=message) as caught:
        conf.read_yaml(file)
    assert "\n" not in str(caught.value)


def test_aliases_do_not_unfold_without_end(tmp_path: Path) -> None:
    lines = ["a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 12)]
    with pytest.raises(ConfigError, match="more than 100,000 values; take some out, or fewer aliases"):
        yaml(tmp_path, "\n".join(lines))


def test_what_is_no_regular_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is no regular file; put the YAML file there"):
        conf.read_yaml(tmp_path)
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(ConfigError, match="is no regular file"):
        conf.read_yaml(tmp_path / "pipe.yaml")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    with pytest.raises(ConfigError, match=r"loop\.yaml cannot be read .*; mend it, or name another one"):
        conf.read_yaml(tmp_path / "loop.yaml")


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"absent\.yaml does not exist; create it"):
        conf.read_yaml(tmp_path / "absent.yaml")


# --- Overlay ---------------------------------------------------------------------------------------------------------


def test_plain_value_replaces_the_annotated_one_and_keeps_its_provenance() -> None:
    base = {"n": {"value": [1, 2], "stated": "Sec. 4"}, "other": 5}
    merged = conf.overlay(base, {"n": [3]}, "quick.yaml")
    assert merged == {"n": {"value": [3], "stated": "Sec. 4"}, "other": 5}
    assert base["n"] == {"value": [1, 2], "stated": "Sec. 4"}


def test_overlay_goes_down_and_leaves_the_rest() -> None:
    base = {"a": {"b": {"value": 1, "chosen": "x"}, "c": 2}, "d": 3}
    assert conf.overlay(base, {"a": {"b": 9}}, "q") == {"a": {"b": {"value": 9, "chosen": "x"}, "c": 2}, "d": 3}


def test_annotated_mapping_is_replaced_as_a_whole() -> None:
    base = {"table": {"value": {"x": 1, "y": 2}, "stated": "Sec. 1"}}
    assert conf.overlay(base, {"table": {"x": 5}}, "q")["table"]["value"] == {"x": 5}


def test_annotated_value_replaces_the_annotated_one() -> None:
    base = {"n": {"value": 1, "stated": "Sec. 4"}}
    changed = {"value": 2, "chosen": "smaller"}
    assert conf.overlay(base, {"n": changed}, "q") == {"n": changed}


def test_key_that_overlays_nothing_is_refused_with_a_hint() -> None:
    with pytest.raises(
        ConfigError, match=r"quick\.yaml: papers\.x\.fig4 overlays nothing: no such key; did you mean 'fig04'\?"
    ):
        conf.overlay({"x": {"fig04": {}}}, {"x": {"fig4": {}}}, "quick.yaml", "papers")


def test_hint_lists_what_there_is_if_nothing_is_close() -> None:
    assert conf.did_you_mean("zzz", ["fig03", "fig04"]) == "; there are: fig03, fig04"


# --- Provenance ------------------------------------------------------------------------------------------------------


def test_provenance_is_stripped_at_every_depth_and_copied() -> None:
    values = [1, 2]
    node = {"a": {"value": values, "stated": "x"}, "b": {"c": {"value": {"d": 1}, "chosen": "y"}}, "e": [3]}
    plain = conf.strip_provenance(node)
    assert plain == {"a": [1, 2], "b": {"c": {"d": 1}}, "e": [3]}
    plain["a"].append(3)
    assert values == [1, 2]


def test_annotated_values_are_found_by_path() -> None:
    node = {"a": {"b": {"value": 1, "stated": "x"}}, "c": {"value": 2}, "d": 3}
    assert dict(conf.annotated_values(node)) == {"a.b": {"value": 1, "stated": "x"}, "c": {"value": 2}}


# --- Symbols ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ({"n": -5}, r"f: cell\.n = -5 is not allowed; sample size: give an integer at least 1"),
        ({"n": [500, 0]}, r"cell\.n = 0 is not allowed"),
        ({"n": 1e3}, r"cell\.n = 1000\.0 is not allowed; .* an integer"),
        ({"n": True}, r"cell\.n = True is not allowed"),
        ({"n": "many"}, r"cell\.n = 'many' is not allowed"),
        ({"n": None}, r"cell\.n = None is not allowed"),
        ({"n": {"m": 1}}, r"cell\.n = \{'m': 1\} is not allowed"),
        ({"n": []}, r"cell\.n = \[\] is an empty grid; give at least one value \(sample size\)"),
        ({"rho": 0}, r"cell\.rho = 0 is not allowed; budget: give a number above 0 at most 100"),
        ({"rho": 101}, r"cell\.rho = 101 is not allowed"),
        ({"gamma": math.nan}, r"cell\.gamma = nan is not allowed; threshold: give a number"),
        ({"splits": [{"rho": 1}, {"rho": -1}]}, r"cell\.splits\[1\]\.rho = -1 is not allowed"),
        ({"deep": {"deeper": {"n": 0}}}, r"cell\.deep\.deeper\.n = 0 is not allowed"),
        ({"cells": {"n": {"n": 0}}}, r"cell\.cells\.n\.n = 0 is not allowed"),
        ({"p": 6, "q": 5}, r"f: cell\.p = 6 exceeds cell\.q = 5; p <= q is needed"),
        ({"p": [2, 4], "q": [3, 5]}, r"cell\.p = 4 exceeds cell\.q = 3"),
    ],
)
def test_bad_values_name_key_value_and_mend(node: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        conf.check_symbols(node, SYMBOLS, [["p", "q"]], "f", "cell")


@pytest.mark.parametrize(
    "node",
    [
        {"n": 1, "rho": 1e-9, "p": 5, "q": 5},
        {"rho": [1, 0.5, 100], "unknown": -1, "also": None},
        {"p": 6},
        {"a": {"p": 6}, "b": {"q": 5}},
        {"cells": {"n": {"n": 1, "rho": 1}}},
    ],
)
def test_good_values_pass(node: dict[str, Any]) -> None:
    conf.check_symbols(node, SYMBOLS, [["p", "q"]], "f")


def test_numbers_become_floats_and_integers_stay() -> None:
    node = {"rho": [1, 2.5], "n": 3, "splits": [{"rho": 1, "n": 2}], "x": 4, "flag": True}
    floats = conf.as_floats(node, SYMBOLS)
    assert floats == {"rho": [1.0, 2.5], "n": 3, "splits": [{"rho": 1.0, "n": 2}], "x": 4, "flag": True}
    assert [type(value) for value in floats["rho"]] == [float, float]
    assert type(floats["splits"][0]["rho"]) is float
    assert type(floats["n"]) is int
    assert type(floats["x"]) is int
    assert floats["flag"] is True
