"""Labels of figures, which are matplotlib's mathtext, as lines of text in Unicode."""

import re
from collections import deque
from collections.abc import Iterator

from dpdescent.replication.notation import ACCENTS, NAMES

# Commands of mathtext in labels of figures, other than letters and accents, by what stands for them in a line of text.
_COMMANDS = {
    "|": "‖", ",": " ", "%": "%", "infty": "∞", "cdot": "·", "times": "×", "leq": "≤", "geq": "≥", "preceq": "≼",
    "langle": "⟨", "rangle": "⟩", "sum": "∑", "nabla": "∇", "ldots": "…", "top": "⊤", "pi": "π", "max": "max",
    "min": "min", "log": "log", "ln": "ln", "exp": "exp", "quad": " ", "sim": "∼", "approx": "≈", "to": "→",
}  # fmt: skip
_SPACED = frozenset("=≤≥≼∼≈<>")


def from_mathtext(text: str) -> str:
    """Text of a matplotlib label in Unicode; `_{...}` and `^{...}` of formulas stay, which a page sets low and high.

    Raises:
        ValueError: for a command that is not known.
    """
    parts = re.split(r"(?<!\\)\$", text)
    return "".join(_from_formula(part) if k % 2 else part.replace("\\$", "$") for k, part in enumerate(parts))


def _from_formula(formula: str) -> str:
    tokens = deque(re.findall(r"\\[A-Za-z]+|\\.|[^\s]", formula))
    return "".join(_lined(tokens))


def _lined(tokens: deque[str]) -> Iterator[str]:
    """The atoms of a formula up to the end of its group."""
    while tokens and tokens[0] != "}":
        yield _atom(tokens)
    if tokens:
        tokens.popleft()


def _atom(tokens: deque[str]) -> str:
    token = tokens.popleft()
    name = token.removeprefix("\\")
    if token == "{":
        return "".join(_lined(tokens))
    if token in ("_", "^"):
        # No script within a script, because pages set one level.
        return f"{token}{{{re.sub(r'[_^{}]', '', _atom(tokens))}}}"
    if name == token:
        return f" {token} " if token in _SPACED else {"-": "−", "*": "∗", ",": ", "}.get(token, token)
    if name in ("mathrm", "mathcal", "mathbb", "bf", "it"):
        return _atom(tokens)
    if name in ("hat", "bar", "tilde"):
        return _atom(tokens) + ACCENTS[name]
    if name == "sqrt":
        return f"√{_in_brackets(_atom(tokens))}"
    if name == "frac":
        return f"{_in_brackets(_atom(tokens))}/{_in_brackets(_atom(tokens))}"
    symbol = _COMMANDS.get(name) or NAMES.get(name.removeprefix("var"))
    if symbol is None:
        raise ValueError(f"{token}: no sign stands for this command of a label; give it one in drawing/labels.py")
    if symbol in _SPACED:
        return f" {symbol} "
    # A space parts a function's name from what stands about it, but for its own script.
    return f" {symbol}{'' if tokens and tokens[0] in '_^' else ' '}" if symbol in ("log", "ln", "exp") else symbol


def _in_brackets(text: str) -> str:
    return text if re.fullmatch(r"\w\W?|\d+", text) else f"({text.strip()})"
