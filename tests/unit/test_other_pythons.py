"""What code is hashed as on other interpreters: the same, or parts that one has trained would look stale to another."""

import ast
import itertools
import json
import subprocess
import sys
from pathlib import Path

import pytest

import interpreters
from dpdescent import syntax
from dpdescent.replication.build.fingerprint import code_fingerprint
from dpdescent.replication.configuration import project

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"

# An escape in a format.
ESCAPED = r"{x:\t>4}"
# Interpreters cut f-strings in their own ways, so that pieces stand in all combinations.
PIECES = (
    "", "text", "{{", "}}", "{x}", "{x!r}", "{x=}", "{ x = }", "{x=!s:>9}", "{x:}", "{x:>{w}}", "{x:{w}.{p}f}",
    "{x:%H:%M}", "{x!a:{'^'}{w}}", r"\n", r"\x41\u00e9", r"\N{DIGIT ONE}", ESCAPED, "{(y := 1)}", "{(lambda: 1)()}",
    "{x:=5}", "{ {1: 2}[1] }", "{f'{x!s:{w}}'}", "{x!r:{w}}{{{x}}}", "é", "{x, *z}",
)  # fmt: skip
PREFIXES = ('f"', 'rf"', 'f"""', 'F"', "f'''")

SNIPPETS = (
    'a = "one" f"{x}" "two" f"" "three"\n', 'a = f"" "x"\n', 'a = f""\n', 'a = "x" f""\n', 'a = f"{x}" f"{y}"\n',
    'a = (f"{x:>10}"\n     " and "\n     rf"\\d{y}")\n', 'a = f"""\n  {x\n    + 1}\n  {x = }\n  {\n x!r:>\n{w}}\n"""\n',
    'a = f"{x:{y}{z}}"\n', "a = b'\\x00\\xff' b'x'\n", "a = r'\\d' '\\\\d'\n", "a = u'x'\n",
    "a = 'é\\u1c89\\U0001fa00\\ud800'\n", "a = '''one\ntwo'''\n", "é = ﬁ = 1\n",
    "a = 0x10, 16, 0b1_0000, 1e3, 1000.0, 1_000.0, 1e400, .1, 1j, -0.0, 0.1 + 0.2, 5e-324, 10**3, 0xffff_ffff\n",
    "a = ..., None, True, False, not a, -1, ~2, 1 if a else 2\n",
    "match a:\n    case None | True: pass\n    case {'k': [1, *_], **rest} if rest: pass\n"
    "    case P(1, y=-2.5) as b: pass\n"
    "    case str(x) | 'é' as x: pass\n    case _: pass\n",
    "def f(a: int, /, b: 'str' = '', *c: int, d, e: list[int] = [1], **g) -> dict[str, int | None]: ...\n",
    "a: int\n(b): int = 1\nc.d: int = 2\n",
    "async def f():\n    async with a as b, c: await d\n    return [e async for e in f]\n",
    "def f():\n    while (n := next(i, None)) is not None: yield n\n    else: yield from i\n",
    "@a\n@b(1, *c, **d)\nclass C(B, metaclass=M):\n    x: int = 1\n    def f(self): 'doc'\n",
    "a = lambda *b, c=1, **d: (yield)\n",
    "a = [x[1:2, ...], x[:, None], x[*y], {**b, 'c': 1}, {*b}, {c: d for c in e if f}]\n",
    "try:\n    pass\nexcept* ValueError as e:\n    raise X from e\nelse: pass\nfinally: del a, b\n",
    "with (open(a) as b, c): pass\n", "from . import a as b\nfrom ..c import d\nimport e.f as g\nfrom h import *\n",
    "global x\nassert x, 'y'\nx @= y; x //= z\nfor a, *b in c: continue\n", '"""only a docstring"""\n',
    "def f():\n    'doc'\n    'no doc'\n", "class C:\n    f'no doc'\n",
)  # fmt: skip


def snippets() -> list[str]:
    closing = {prefix: prefix.lstrip("rfF") for prefix in PREFIXES}
    pairs = ["".join(pair) for pair in itertools.product(PIECES, PIECES)]
    strings = [f"a = {prefix}{pair}{closing[prefix]}\n" for prefix in PREFIXES for pair in pairs]
    # Some versions take an escape in the format of a raw string for no raw one: what runs is not the same there.
    strings = [each for each in strings if not (each.startswith('a = rf"') and ESCAPED in each)]
    return [*SNIPPETS, *filter(_parses, strings)]


def _parses(snippet: str) -> bool:
    """Whether 3.11 takes a string: no backslash or quote of its own in braces, no half of a nested pair."""
    try:
        ast.parse(snippet, feature_version=(3, 11))
    except SyntaxError:
        return False
    return True


HASH = """
import json, pathlib, sys, warnings
source, root = map(pathlib.Path, sys.argv[1:3])
script = root / "workflow/scripts/train.py"
sys.path.insert(0, str(source))
warnings.simplefilter("ignore")
from dpdescent.replication.build.fingerprint import code_fingerprint
from dpdescent.syntax import code_hash
files = sorted([*source.rglob("*.py"), *root.glob("workflow/scripts/*.py")])
found = {str(file): code_hash(file.read_text(encoding="utf-8")) for file in files}
found |= {root: code_fingerprint(source, script, [root]) for root in json.loads(sys.argv[3])}
found |= {snippet: code_hash(snippet) for snippet in json.load(sys.stdin)}
assert not {"numpy", "pandas"} & set(sys.modules)
json.dump(found, sys.stdout)
"""


WHOLE = project.load({"scale": "paper", "seed": 0, "papers": "all"}, ROOT)
ROOTS = sorted(artefact.run for artefact in [*WHOLE.artefacts(), *WHOLE.on_request()])


def hashed(python: Path) -> dict[str, str]:
    """Hashes of all modules and snippets by an interpreter that has no packages."""
    command = [python, "-ISc", HASH, SOURCE, ROOT, json.dumps(ROOTS)]
    done = subprocess.run(command, input=json.dumps(snippets()), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def here() -> dict[str, str]:
    return hashed(Path(sys.executable))


def test_bare_interpreter_hashes_as_this_process_does(here: dict[str, str]) -> None:
    train = ROOT / "workflow/scripts/train.py"
    assert {root: here[root] for root in ROOTS} == {root: code_fingerprint(SOURCE, train, [root]) for root in ROOTS}
    assert len(here) > 3000


@pytest.mark.skipif(not interpreters.others(), reason=interpreters.NONE)
@pytest.mark.parametrize("version", interpreters.others())
def test_code_has_one_hash_on_all_interpreters(here: dict[str, str], version: str) -> None:
    there = hashed(interpreters.others()[version])
    assert there.keys() == here.keys()
    assert [name for name, value in here.items() if there[name] != value] == []


KEYS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from dpdescent.replication.build import store
keys = [store.key("code", {"numpy": "2"}, spec, []) for spec in json.load(sys.stdin)]
json.dump(keys, sys.stdout)
"""


@pytest.mark.skipif(not interpreters.others(), reason=interpreters.NONE)
def test_parts_have_one_key_on_all_interpreters() -> None:
    """A key is a hash of the numbers of a part's cell and settings, read from JSON and written as JSON."""
    whole = project.load({"scale": "quick", "seed": 7, "papers": "all"}, ROOT)
    specs = json.dumps([part.spec for artefact in whole.artefacts() for part in artefact.parts])
    found = [
        json.loads(subprocess.run([python, "-ISc", KEYS, SOURCE], input=specs, stdout=-1, check=True, text=True).stdout)
        for python in (sys.executable, *interpreters.others().values())
    ]
    assert all(each == found[0] for each in found)
    assert len(found[0]) == len(set(found[0])) == len(json.loads(specs))


def test_snippets_that_differ_have_texts_that_differ(here: dict[str, str]) -> None:
    """As far as this interpreter's own trees differ."""
    trees = {each: ast.dump(ast.parse(each)) for each in SNIPPETS}
    assert len({here[each] for each in SNIPPETS}) == len(set(trees.values()))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("f(*a)", "f(a)"), ("{**a}", "{None: a}"), ("lambda *, a: 1", "lambda *, a=None: 1"), ("x: int", "(x): int"),
        ("return_ = 1", "return_ = 1.0"), ("a = 1", "a = True"), ("a = 'b'", "a = b'b'"), ("a = 'b'", "a = b"),
        ("f'{a!r}'", "f'{a}'"), ("f'{a:1}'", "f'{a}1'"), ("f'{a}'", "a"), ("from . import a", "from .. import a"),
        ("from .b import a", "from b import a"), ("[a for b in c]", "(a for b in c)"), ("a[b:]", "a[:b]"),
        ("0.0", "0j"),
        ("def f(a, /): 1", "def f(a): 1"), ("def f(a=1, *, b): 1", "def f(a, *, b=1): 1"), ("return", "return None"),
        ("if a: 1\nelse: 2", "if a: 1\n2"), ("async def f(): 1", "def f(): 1"), ("import a as b", "import a"),
    ],
)  # fmt: skip
def test_what_runs_otherwise_has_another_text(one: str, other: str) -> None:
    assert syntax.text(ast.parse(one)) != syntax.text(ast.parse(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a = 0x10", "a = 1_6"), ("a = 'b' 'c'", 'a = "bc"'), ("a = f'b' 'c' f'{d}'", "a = f'bc{d}'"),
        ("a = f'{b:}'", "a = f'{b}'"), ("a = (1,)", "a = 1,"), ("a = u'b'", "a = 'b'"),
        ("def f(): 'doc'", "def f(): pass"), ("'doc'\na", "a  # comment"),
        ("class C:\n  'doc'\n  a = 1", "class C: a = 1"),
    ],
)  # fmt: skip
def test_what_runs_alike_has_one_text(one: str, other: str) -> None:
    assert syntax.text(ast.parse(one)) == syntax.text(ast.parse(other))
