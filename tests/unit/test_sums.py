"""Sums of floats: the built-in `sum` rounds otherwise from Python 3.12 on, and results would hang on that."""

import ast
import math
import random
import sys
from pathlib import Path

import pytest

from dpdescent.sums import added

SRC = Path(__file__).resolve().parents[2] / "src"
# What is added is whole, or arrays, or told to people in rounded words.
OTHERS = {
    "dpdescent/commands",
    "dpdescent/replication/build",
    "dpdescent/replication/configuration",
    "dpdescent/replication/drawing",
    "dpdescent/replication/report",
    "dpdescent/models",
    "dpdescent/gate.py",
    "dpdescent/data",
    "dpdescent/noise/strategies/stamped.py",
    "dpdescent/privacy/sampling.py",
    "dpdescent/papers/choquettechoo2023/costs.py",
    "dpdescent/papers/choquettechoo2023/guarantees.py",
    "dpdescent/papers/choquettechoo2023/network_elsewhere.py",
    "dpdescent/papers/liang2025/audit.py",
}


def is_whole(node: ast.expr) -> bool:
    """Whether an expression is a number of things for certain."""
    if isinstance(node, ast.GeneratorExp | ast.ListComp):
        return is_whole(node.elt)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("len", "int", "bool", "isinstance", "any", "all")
    return isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not))


def test_the_built_in_sum_adds_no_floats() -> None:
    found = [
        f"{file.relative_to(SRC)}:{node.lineno}: {ast.unparse(node)}"
        for file in sorted(SRC.rglob("*.py"))
        if not any(str(file.relative_to(SRC)).startswith(other) for other in OTHERS)
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "sum"
        # With a start it adds arrays.
        if len(node.args) == 1 and not is_whole(node.args[0])
    ]
    assert not found, f"use dpdescent.sums.added: {found}"


def test_a_sum_is_that_of_python_3_11() -> None:
    assert added([0.1] * 10) == 0.9999999999999999
    assert added([1e16, 1.0, -1e16]) == 0.0
    assert added([1.0, math.inf]) == math.inf
    assert added([]) == 0


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="the built-in sum compensates from Python 3.12 on")
def test_it_is_the_built_in_sum_of_this_interpreter() -> None:
    values = random.Random(1)
    for _ in range(100):
        numbers = [values.uniform(-1, 1) * 10 ** values.uniform(-9, 9) for _ in range(30)]
        assert added(numbers) == sum(numbers)
