"""Mathematics in plain letters, as tables and configuration have it, set with symbols, subscripts and superscripts.

`rho_2`, `lambda^2`, `theta*`, `sqrt(p)`, `||x|| <= 1e-6` and `nu-DP-FTRL` are read once, and written as HTML for the
report (`html`) or as matplotlib's mathtext for titles of figures (`mathtext`). Result files stay in plain letters.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from html import escape

NAMES = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eps": "ε", "zeta": "ζ", "eta": "η",
    "theta": "θ", "kappa": "κ", "lambda": "λ", "lam": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ",
    "sigma": "σ", "tau": "τ", "phi": "φ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ",
    "Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
LETTERS = frozenset(NAMES.values())
# Commands of mathtext; `eps` and `lam` are spellings of symbols that have one already.
COMMANDS = {symbol: f"\\{name}" for name, symbol in NAMES.items() if name not in ("eps", "lam")} | {"ε": r"\varepsilon"}
OTHERS = {"inf": "∞", "infinity": "∞", "sum": "∑", "grad": "∇"}
ACCENTS = {"hat": "\u0302", "bar": "\u0304", "tilde": "\u0303"}
# Words that are subscripts; other words after an underscore belong to names of columns, files and settings.
WORDS = frozenset(
    {"clip", "corr", "dp", "eff", "kurt", "max", "min", "non", "opt", "priv", "sgd", "stat", "start", "van"}
)
SIGNS = {"||": "‖", "<=": "≤", ">=": "≥", "!=": "≠", "->": "→", "+-": "±", "...": "…"}

# Words for places in a paper: a letter after one of them belongs to the place, and is no variable.
_PLACE = re.compile(
    r"(?:App(?:endix|s)?|[Aa]ppendices|Sec(?:tion)?s?|Theorems?|Thms?|Lemmas?|Cor(?:ollar(?:y|ies))?|Prop(?:osition)?s?"
    r"|Claims?|Alg(?:orithm)?s?|Fig(?:ure)?s?|Tables?|[Pp]arts?|Def(?:inition)?s?|Remarks?|Assumptions?|Conditions?"
    r"|[Pp]anels?|[Cc]olumns?)\.?\s+(?:[\w.()]{1,9}(?:,| to| and| or)\s+)*$"
)
_RADICAND = re.compile(r" ([A-Za-z]\w*|\d+)(?![\w^(]|\.\d)")
_TOKEN = re.compile(
    r"(?P<code>`[^`]+`)"
    r"|(?P<file>[\w./-]*\w\.(?:csv|py|ya?ml|md|html|js|json)\b)"
    r"|(?P<number>(?<![\w.])\d+(?:\.\d+)?e[+-]?\d+\b)"
    r"|(?P<size>\b\d+x\d+\b)"
    r"|(?P<multiple>(?<![\w.])\d+(?:\.\d+)?(?=[dkmnpqstNTDL]\b(?!\.\w)))"
    r"|(?P<times>(?<=\d )x(?= \w))"
    r"|(?P<word>[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)*)"
    r"|(?P<sign>\|\||<=|>=|!=|->|\+-|\.\.\.)"
    r"|(?P<script>[\^_](?=[\w({*+-]))"
    r"|(?P<minus>(?<=\s)-(?=\s)|(?<![\w)\]}'|*-])-(?=\d)|(?<=[\s(=])-(?=[A-Za-z(]))"
    r"|(?P<tilde>(?<=\w)~)"
    r"|(?P<star>\*)"
    r"|(?P<quote>')"
    r"|(?P<plain>.)",
    flags=re.DOTALL,
)


@dataclass(frozen=True)
class Piece:
    """A piece of a text: plain text, a symbol, or a sub-, superscript or root with pieces of its own.

    Attributes:
        kind: `text`, `code`, `letter` (a Latin variable), `symbol`, `sub`, `sup` or `root`.
        text: the text of a piece that has no pieces inside.
        inside: pieces of a script or root.
        accent: name of the accent of a symbol or letter.
    """

    kind: str
    text: str = ""
    inside: tuple["Piece", ...] = ()
    accent: str = ""


@dataclass
class _Reader:
    """Reads one text from left to right."""

    text: str
    script: bool = False
    place: int = 0
    quoted: bool = False
    pieces: list[Piece] = field(default_factory=list)

    def read(self) -> tuple[Piece, ...]:
        while self.place < len(self.text):
            match = _TOKEN.match(self.text, self.place)
            assert match is not None
            assert match.lastgroup is not None
            self.place = match.end()
            getattr(self, f"_{match.lastgroup}")(match.group(), match.start())
        return tuple(self.pieces)

    def _add(self, *pieces: Piece) -> None:
        self.pieces += pieces

    def _plain(self, token: str, start: int) -> None:
        if token == "-" and self.script:
            token = "−"
        self._add(Piece("symbol" if token in LETTERS else "text", token))

    _file = _plain

    def _code(self, token: str, start: int) -> None:
        self._add(Piece("code", token[1:-1]))

    def _multiple(self, token: str, start: int) -> None:
        """A number with a letter behind it, which is a factor unless the number belongs to a place: `Figure 8a`."""
        self._add(Piece("text", token))
        if not _PLACE.search(self.text[:start]):
            self._add(Piece("letter", self.text[self.place]))
            self.place += 1

    def _number(self, token: str, start: int) -> None:
        digits, power = token.split("e")
        self._add(Piece("text", "10" if digits == "1" else f"{digits} × 10"))
        self._add(Piece("sup", inside=(Piece("text", str(int(power)).replace("-", "−")),)))

    def _size(self, token: str, start: int) -> None:
        self._add(Piece("text", token.replace("x", "×")))

    def _times(self, token: str, start: int) -> None:
        self._add(Piece("text", "×"))

    def _sign(self, token: str, start: int) -> None:
        self._add(Piece("text", SIGNS[token]))

    def _minus(self, token: str, start: int) -> None:
        self._add(Piece("text", "−"))

    def _star(self, token: str, start: int) -> None:
        star = Piece("text", "∗")
        if self.script and not self.pieces:
            self._add(star)
        elif self._after_mathematics() and not self.text[self.place : self.place + 1].isalnum():
            self._add(Piece("sup", inside=(star,)))
        else:
            self._add(Piece("text", token))

    def _tilde(self, token: str, start: int) -> None:
        """A tilde, which is an accent on the symbol before it."""
        last = self.pieces[-1]
        if last.kind not in ("letter", "symbol") or last.text == "∞":
            self._add(Piece("text", token))
        else:
            self.pieces[-1] = Piece(last.kind, last.text, accent="tilde")

    def _script(self, token: str, start: int) -> None:
        if token == "_" and not (self._after_mathematics() or self.text[start - 1 : start] in ("|", ")", "]")):
            self._add(Piece("text", token))
            return
        self._add(Piece("sup" if token == "^" else "sub", inside=self._argument()))

    def _argument(self) -> tuple[Piece, ...]:
        """The pieces of a script: a group, or a sign with a number, a symbol or a letter."""
        opening = self.text[self.place : self.place + 1]
        if opening in ("(", "{"):
            inner = self._group()
            kept = opening == "(" and re.fullmatch(r"[A-Za-z]\w*(?: ?[+-] ?\w+)?|\d", inner)
            return _read(f"({inner})" if kept else inner, script=True)
        match = re.compile(r"\*|[+-]?(?:\d+(?:\.\d+)?|[A-Za-z]+(?![A-Za-z]))").match(self.text, self.place)
        if match is None:
            return ()
        self.place = match.end()
        return _read(match.group(), script=True)

    def _group(self) -> str:
        """Text inside the parentheses or braces that open here; all of the rest where they do not close."""
        depth, start, end = 0, self.place + 1, len(self.text)
        for place in range(self.place, end):
            depth += (self.text[place] in "({") - (self.text[place] in ")}")
            if not depth:
                end = place
                break
        self.place = end + 1
        return self.text[start:end]

    def _word(self, token: str, start: int) -> None:
        if token == "sqrt" and (inner := self._radicand()):
            self._add(Piece("root", inside=_read(inner, script=True)))
        elif token == "grad" and re.match(r" [A-Z]_?\w?\b", self.text[self.place :]):
            self._add(Piece("symbol", OTHERS[token]))
        elif len(token) == 1:
            self._letter(token, start)
        elif token == "inf" and self._is_infimum(start):
            self._add(Piece("text", token))
        else:
            self._add(*(_named(token) or (Piece("text", token),)))

    def _radicand(self) -> str:
        """Text under a root: a group in parentheses, or after a space a number, letter or symbol by itself."""
        if self.text[self.place : self.place + 1] == "(":
            return self._group()
        match = _RADICAND.match(self.text, self.place)
        if match is None or not (len(match[1]) == 1 or match[1].isdigit() or _named(match[1])):
            return ""
        self.place = match.end()
        return match[1]

    def _is_infimum(self, start: int) -> bool:
        """Whether `inf` is the operator, as in `inf over beta of F` and `inf F_inf`, and not infinity."""
        before, after = self.text[:start], self.text[self.place :]
        operand = re.match(r" ([A-Za-z]\w*)", after)
        is_value = re.search(r"[=<>^,(-]\s*$", before)
        return after.startswith(" over ") or bool(
            operand and not is_value and (len(operand[1]) == 1 or _named(operand[1]))
        )

    def _letter(self, token: str, start: int) -> None:
        self._add(Piece("letter" if self.script or self._is_variable(token, start) else "text", token))

    def _is_variable(self, token: str, start: int) -> bool:
        before, after = self.text[max(0, start - 60) : start], self.text[self.place :]
        if re.match(r"\.\w", after) or re.search(r"\w\.$|\w-$|\d$", before):
            return False
        if (token == "s" and before.endswith("'")) or (after[:1] == ")" and re.search(r"(?:^|\d|\s)\($", before)):
            return False
        if token in "aAIs" and not (re.match(r"\s*[=<>^_/*|]", after) or re.search(r"[=<>/^|]\s*$|\($", before)):
            return False
        return bool(re.match(r"\s*[=<>]", after)) or not _PLACE.search(before)

    def _quote(self, token: str, start: int) -> None:
        """A prime, an apostrophe, or a quotation mark."""
        before, after = self.text[start - 1 : start] if start else " ", self.text[self.place :]
        if before in " (“\n" and after[:1].strip():
            self.quoted = True
            self._add(Piece("text", "‘"))
            return
        closes = (
            self.quoted and re.match(r"[\s,;:.)]|$", after) and not re.match(r"[^']*[^\s(']'(?:[\s,;:.)]|$)", after)
        )
        formula = self._after_mathematics() or (before in ")|" and after[:1].isalpha())
        if formula and not closes and not re.match(r"s\b", after):
            self._add(Piece("text", "′"))
            return
        self.quoted = self.quoted and not closes
        self._add(Piece("text", "’"))

    def _after_mathematics(self) -> bool:
        if not self.pieces:
            return False
        last = self.pieces[-1]
        return last.kind not in ("text", "code") or last.text == "′"


def _named(token: str) -> tuple[Piece, ...] | None:
    """Pieces of a name such as `rho`, `rho1`, `c0`, `theta_hat` or `d_eff`; None for a word of the language."""
    if token in NAMES or token in ("inf", "infinity"):
        return (Piece("symbol", NAMES.get(token) or OTHERS[token]),)
    match = re.fullmatch(r"([A-Za-z]+?)(?:_([A-Za-z]+|\d{1,3})|(\d)|(bar))", token)
    if token in ("log2", "log10"):
        return (Piece("text", "log"), Piece("sub", inside=(Piece("text", token[3:]),)))
    if match is None:
        return None
    base, script, digit, bar = match.groups()
    if not (base in NAMES or base == "sum" or (len(base) == 1 and (script or bar or base.islower()))):
        return None
    symbol = Piece("symbol", NAMES.get(base) or OTHERS[base]) if len(base) > 1 else Piece("letter", base)
    return _scripted(symbol, "bar" if bar else script or digit)


def _scripted(symbol: Piece, script: str) -> tuple[Piece, ...] | None:
    if script in ACCENTS:
        return (Piece(symbol.kind, symbol.text, accent=script),)
    if script == "star":
        return (symbol, Piece("sup", inside=(Piece("text", "∗"),)))
    if script in WORDS:
        return (symbol, Piece("sub", inside=(Piece("text", script),)))
    if len(script) == 1 or script.isdigit() or script in NAMES or script == "inf":
        return (symbol, Piece("sub", inside=_read(script, script=True)))
    return None


def _read(text: str, script: bool = False) -> tuple[Piece, ...]:
    return _Reader(text, script).read()


@lru_cache(maxsize=50_000)
def read(text: str) -> tuple[Piece, ...]:
    """Pieces of a text in plain letters; inner products in angle brackets are distinguished from comparisons."""
    return _read(re.sub(r"<(?=\w)([^<>,=]{1,60}), ([^<>=]{1,60}?)(?<=[\w*)])>", r"⟨\1, \2⟩", text))


@lru_cache(maxsize=50_000)
def html(text: str) -> str:
    """HTML of a text in plain letters, escaped."""
    return "".join(_html(piece) for piece in read(text))


def _html(piece: Piece) -> str:
    inside = "".join(_html(inner) for inner in piece.inside)
    if piece.kind in ("sub", "sup"):
        return f"<{piece.kind}>{inside}</{piece.kind}>"
    if piece.kind == "root":
        return f'√<span class="root">{inside}</span>'
    text = escape(piece.text, quote=False) + ACCENTS.get(piece.accent, "")
    tag = {"letter": "i", "code": "code"}.get(piece.kind)
    return f"<{tag}>{text}</{tag}>" if tag else text


def mathtext(text: str) -> str:
    """The text for matplotlib, with symbols and scripts between dollar signs; a text that has these is unchanged."""
    if "$" in text:
        return text
    runs: list[str] = []
    for piece in read(text):
        if piece.kind in ("text", "code"):
            runs.append(piece.text.replace("’", "'").replace("‘", "'"))
        elif runs and runs[-1].endswith("$"):
            runs[-1] = f"{runs[-1][:-1]}{_mathtext(piece)}$"
        else:
            runs.append(f"${_mathtext(piece)}$")
    return "".join(runs)


def _mathtext(piece: Piece) -> str:
    inside = "".join(_mathtext(inner) for inner in piece.inside)
    if piece.kind in ("sub", "sup"):
        return f"{'_' if piece.kind == 'sub' else '^'}{{{inside}}}"
    if piece.kind == "root":
        return rf"\sqrt{{{inside}}}"
    if piece.kind == "text":
        return piece.text.replace("∗", "*") if len(piece.text) == 1 else rf"\mathrm{{{piece.text}}}"
    text = f"{COMMANDS[piece.text]} " if piece.text in COMMANDS else piece.text.replace("∞", r"\infty ")
    return rf"\{piece.accent}{{{text.strip()}}}" if piece.accent else text


_RAISED = dict(zip("0123456789-+−()nit∗", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺⁻⁽⁾ⁿⁱᵗ*", strict=True))
_LOWERED = dict(zip("0123456789-+−()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₋₊₋₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ", strict=True))


def plain(text: str) -> str:
    """The text with Unicode's symbols and scripts, for drawings; `^` and `_` stay where Unicode has none."""
    return "".join(_plain(piece) for piece in read(text))


def _plain(piece: Piece) -> str:
    inside = "".join(_plain(inner) for inner in piece.inside)
    if piece.kind == "root":
        return f"√({inside})" if len(inside) > 1 else f"√{inside}"
    if piece.kind not in ("sub", "sup"):
        return piece.text + ACCENTS.get(piece.accent, "")
    letters = _RAISED if piece.kind == "sup" else _LOWERED
    if all(sign in letters for sign in inside):
        return "".join(letters[sign] for sign in inside)
    mark = "^" if piece.kind == "sup" else "_"
    enclosed = inside.startswith("(") and inside.find(")") == len(inside) - 1
    return f"{mark}{inside}" if len(inside) == 1 or inside.isalpha() or enclosed else f"{mark}({inside})"
