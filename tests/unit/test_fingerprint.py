"""Fingerprints of code: what a job may run counts, name by name; comments, docstrings, layout and places do not."""

import ast
import pkgutil
import random
import re
import shutil
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import FrameType

import pytest

from dpdescent import syntax
from dpdescent.replication.build import definitions
from dpdescent.replication.build import fingerprint as module
from dpdescent.replication.build.fingerprint import (
    STORAGE_MODULES,
    code_fingerprint,
    module_file,
    reachable,
    reached,
    versions,
)
from dpdescent.replication.configuration import project
from dpdescent.replication.configuration.parts import relative_cost

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
TRAIN = ROOT / "workflow/scripts/train.py"

PACKAGE = {
    "dpdescent/__init__.py": "import os\n",
    "dpdescent/ground.py": "STEP = 1\n\n\ndef one(step=STEP):\n    return step\n\n\ndef two():\n    return 2\n",
    "dpdescent/alone.py": "x = 1\n",
    "dpdescent/room/__init__.py": "",
    "dpdescent/room/wall.py": "from . import window\nfrom ..ground import one, two\n\n\n"
    "def run():\n    return one() + window.size\n\n\ndef label():\n    return two()\n",
    "dpdescent/room/window.py": "import math\n\nsize = 2\nother = math.pi\n",
    "dpdescent/room/door.py": "import numpy\n",
    "script.py": "import json\n\nfrom dpdescent.room import wall\n\n\n"
    "def main():\n    json.dumps(wall.run())\n\n\nmain()\n",
}


def tree(folder: Path, **changes: str) -> Path:
    """The little package in a folder of its own, some of its files changed (named without folder and suffix)."""
    for name, text in PACKAGE.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(changes.get(file.stem, text), encoding="utf-8")
    return folder


def fingerprint(folder: Path, *roots: str) -> str:
    return code_fingerprint(folder, folder / "script.py", roots)


def text_of(stem: str) -> str:
    return next(text for name, text in PACKAGE.items() if Path(name).stem == stem)


def edited(folder: Path, stem: str, old: str, new: str) -> Path:
    """The little package with an edit of one of its files."""
    assert old in text_of(stem)
    return tree(folder, **{stem: text_of(stem).replace(old, new)})


def data(kind: str, more: str = "pass", name: str = "NOBODY") -> str:
    """A class that is data, an object of it that is bound when the file is imported, and what `ground` begins with."""
    module = "dataclasses" if kind == "dataclass" else "typing"
    head = "@dataclasses.dataclass\nclass Two:" if kind == "dataclass" else "class Two(typing.NamedTuple):"
    return f"import {module}\n\n\n{head}\n    a: float = 1.0\n    {more}\n\n\n{name} = Two(2.0)\nSTEP = 1\n"


@pytest.fixture
def plain(tmp_path: Path) -> str:
    return fingerprint(tree(tmp_path / "plain"))


@pytest.mark.parametrize(
    ("stem", "old", "new"),
    [
        ("ground", "def one", "# a comment\ndef one"),
        ("ground", "    return step", '    """A docstring."""\n    return step  # another'),
        ("ground", "STEP = 1", '"""A docstring of the module."""\n\nSTEP = (\n  1\n)'),
        ("ground", "return 2", "return 3"),
        ("ground", "def two", "NEW = 5\n\n\ndef new():\n    pass\n\n\ndef two"),
        ("window", "math.pi", "math.e"),
        ("wall", "def label():\n    return two()", "def other_label():\n    return 'words'"),
        ("wall", "import one, two\n", "import two as two, one\n"),
        ("alone", "x = 1", "y = 5"),
        ("ground", "STEP = 1\n", data("dataclass")),
        ("ground", "STEP = 1\n", data("tuple", "def b(self):\n        return print(self.a)")),
        ("door", "import numpy", "import pandas\npandas.options = 1"),
    ],
)
def test_what_the_job_does_not_run_changes_nothing(tmp_path: Path, plain: str, stem: str, old: str, new: str) -> None:
    assert fingerprint(edited(tmp_path / "changed", stem, old, new)) == plain


@pytest.mark.parametrize(
    ("stem", "old", "new"),
    [
        ("ground", "return step", "return 2 * step"),
        ("ground", "step=STEP", "step=STEP + 1"),
        ("ground", "STEP = 1", "STEP = 2"),
        ("ground", "STEP = 1\n", "STEP = 1\nSTEP += 1\n"),
        ("ground", "    return step\n", '    "docstring"\n    "no docstring"\n    return step\n'),
        ("ground", "def two", "@one\ndef two"),
        ("ground", "return 2\n", "return 2\n\n\nprint(two())\n"),
        ("ground", "return 2\n", "return 2\n\n\ndef one():\n    return 3\n"),
        ("ground", "return 2\n", "return 2\n\n\nif STEP:\n    one = two\n"),
        ("ground", "return 2\n", "return 2\n\n\none.__defaults__ = (2,)\n"),
        ("ground", "return 2\n", "return 2\n\n\nclass Two(one()):\n    pass\n"),
        ("ground", "STEP = 1\n", "STEP = 1\nimport random\n"),
        ("ground", "STEP = 1\n", "from __future__ import annotations\nSTEP = 1\n"),
        ("ground", "STEP = 1\n", data("dataclass", "def __post_init__(self):\n        print(self.a)")),
        ("ground", "STEP = 1\n", data("dataclass", "b: list = dataclasses.field(default_factory=lambda: print())")),
        ("ground", "STEP = 1\n", data("tuple", "def __new__(cls, a):\n        return print(a)")),
        ("ground", "STEP = 1\n", data("dataclass", name="two.__doc__")),
        ("window", "size = 2", "size = 3"),
        ("window", "size = 2", "from dpdescent.alone import x as size"),
        ("window", "import math\n", "import math\n\nmath.inf = 1\n"),
        ("wall", "import one, two", "import two as one, one as two"),
        ("wall", "one() + window.size", "one() - window.size"),
        ("script", "json.dumps", "json.loads"),
        ("script", "import json", "import simplejson as json"),
    ],
)
def test_what_the_job_runs_changes_it(tmp_path: Path, plain: str, stem: str, old: str, new: str) -> None:
    assert fingerprint(edited(tmp_path / "changed", stem, old, new)) != plain


@pytest.mark.parametrize(
    "run",
    [
        "return getattr(ground, 'two')()", "found = ground\n    return found.two()", "return vars(ground)['two']()",
        "return globals()['ground'].two()", "return eval('ground.two()')", "return every()", "return star()",
        "return sys.modules['dpdescent.ground'].two()", "return importlib.import_module('dpdescent.ground').two()",
        "return __import__('dpdescent.ground').ground.two()", "from dpdescent import ground as g\n    return g.two()",
        "from dpdescent.ground import two as one\n    return one()", "return KNOWN['two']()", "return default()",
        "import dpdescent.ground\n    return dpdescent.ground.two()", "return Later().go()", "return match(3)",
        "from dpdescent.ground import *\n    return two()", "return [each() for each in (ground.two,)]",
        "return object.__subclasses__(object)", "return (lambda: ground.two())()", "return f'{ground.two()}'",
    ],
)  # fmt: skip
def test_code_that_is_found_in_a_roundabout_way_counts(tmp_path: Path, run: str) -> None:
    """`two` of `ground` runs in all of these, so that its edit counts."""
    head = (
        "import importlib, sys\nimport dpdescent.room.door\nfrom dpdescent import ground\n"
        "from dpdescent.alone import *\nfrom dpdescent.room import window as every_window\n\n\n"
        "def every():\n    return every_window.listed()\n\n\n"
        "KNOWN = {}\n\n\ndef known(function):\n    KNOWN[function.__name__] = function\n    return function\n\n\n"
        "@known\ndef two():\n    return ground.two()\n\n\n"
        "class Later:\n    def go(self):\n        return ground.two()\n\n\n"
        "def match(x):\n    match x:\n        case 3: return ground.two()\n\n\n"
        "def default(call=ground.two):\n    return call()\n\n\n"
    )
    changes = {
        "wall": f"{head}def run():\n    {run}\n", "alone": "from dpdescent.ground import two as star\n",
        "window": "def listed():\n    from ..ground import two\n    return two()\n",
    }  # fmt: skip
    before = fingerprint(tree(tmp_path / "before", **changes))
    ground = text_of("ground").replace("return 2", "return 3")
    assert fingerprint(tree(tmp_path / "after", **changes, ground=ground)) != before


def test_package_files_on_the_way_matter(tmp_path: Path, plain: str) -> None:
    """Importing a module runs the `__init__.py` of every package above it."""
    for name in ("dpdescent/__init__.py", "dpdescent/room/__init__.py"):
        changed = tree(tmp_path / name.replace("/", "-"))
        (changed / name).write_text("import sys\nsys.setrecursionlimit(10)\n", encoding="utf-8")
        assert fingerprint(changed) != plain


def test_docstring_of_an_empty_file_or_function_changes_nothing(tmp_path: Path) -> None:
    first = edited(tmp_path / "first", "ground", "return step", "pass")
    second = edited(tmp_path / "second", "ground", "return step", '"""Nothing."""')
    (second / "dpdescent/room/__init__.py").write_text('"""The room."""\n', encoding="utf-8")
    assert fingerprint(first) == fingerprint(second)


def test_where_the_files_lie_does_not_matter(tmp_path: Path, plain: str) -> None:
    assert fingerprint(tree(tmp_path / "else" / "where")) == plain


def moved(folder: Path, old: str, new: str) -> Path:
    """The little package with a module under another name, told to all that import it."""
    base, _, name = old.rpartition(".")
    other, _, last = new.rpartition(".")
    (folder / f"{new.replace('.', '/')}.py").parent.mkdir(exist_ok=True)
    (folder / f"{old.replace('.', '/')}.py").rename(folder / f"{new.replace('.', '/')}.py")
    for file in folder.rglob("*.py"):
        text = file.read_text(encoding="utf-8").replace(f"from {base} import {name}", f"from {other} import {last}")
        text = text.replace(f"from . import {name}", f"from {other} import {last}").replace(f"..{name}", f"{new}")
        file.write_text(re.sub(rf"\b{name}\.", f"{last}.", text), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("dpdescent.ground", "dpdescent.base"), ("dpdescent.ground", "dpdescent.cellar.base"),
        ("dpdescent.room.window", "dpdescent.room.opening"), ("dpdescent.room.window", "dpdescent.a_window"),
        ("dpdescent.room.wall", "dpdescent.room.z_wall"),
    ],
)  # fmt: skip
def test_renamed_or_moved_module_of_equal_code_changes_nothing(tmp_path: Path, plain: str, old: str, new: str) -> None:
    folder = moved(tree(tmp_path / "moved"), old, new)
    assert (folder / f"{new.replace('.', '/')}.py").read_text(encoding="utf-8")
    assert not (folder / f"{old.replace('.', '/')}.py").exists()
    assert fingerprint(folder) == plain
    file = folder / f"{new.replace('.', '/')}.py"
    file.write_text(file.read_text(encoding="utf-8").replace("return", "yield").replace("= 2", "= 3"), encoding="utf-8")
    forget()
    assert fingerprint(folder) != plain


def test_code_that_asks_for_its_place_counts_with_it(tmp_path: Path) -> None:
    told = {"ground": text_of("ground").replace("return step", "return __file__")}
    assert fingerprint(moved(tree(tmp_path / "b", **told), "dpdescent.ground", "dpdescent.base")) != fingerprint(
        tree(tmp_path / "a", **told)
    )


def test_packages_on_the_way_to_a_root_count_with_what_they_run(tmp_path: Path) -> None:
    """Also where a package only hands on what another file has, and where code names a module in a string."""
    made = []
    for number, more in enumerate(("", "assert True\n")):
        folder = tree(tmp_path / str(number), script="x = 1\n", alone="WHERE = 'dpdescent.room.window:size'\n")
        (folder / "dpdescent/room/__init__.py").write_text(f"from ..ground import one\n{more}", encoding="utf-8")
        roots = ("dpdescent.room:one", "dpdescent.room.window:size", "dpdescent.alone:WHERE", "dpdescent.ground:one")
        made.append([fingerprint(folder, root) for root in roots])
    assert [one == other for one, other in zip(*made, strict=True)] == [False, False, False, True]


def test_root_that_is_not_there_runs_nothing_but_its_file(tmp_path: Path) -> None:
    texts = ("a = 1\n", "a = 2\n", "print()\n", "def verb():\n    pass\n", "def __getattr__(name):\n    pass\n")
    folders = [tree(tmp_path / str(number), script="x = 1\n", alone=text) for number, text in enumerate(texts)]
    first, *others = (fingerprint(folder, "dpdescent.alone:verb") for folder in folders)
    assert [other == first for other in others] == [True, False, False, False]


def test_roots_are_functions_or_modules(tmp_path: Path) -> None:
    folder = tree(tmp_path, script="x = 1\n")
    one, two, every = (fingerprint(folder, f"dpdescent.room.wall{name}") for name in (":run", ":label", ""))
    other = edited(tmp_path / "other", "ground", "return 2", "return 3")
    (other / "script.py").write_text("x = 1\n", encoding="utf-8")
    assert fingerprint(other, "dpdescent.room.wall:run") == one
    assert fingerprint(other, "dpdescent.room.wall:label") != two
    assert fingerprint(other, "dpdescent.room.wall") != every


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("import dpdescent.room.window", {"dpdescent/__init__", "dpdescent/room/__init__", "dpdescent/room/window"}),
        ("import dpdescent.ground as g, json", {"dpdescent/__init__", "dpdescent/ground"}),
        ("from dpdescent import ground, alone", {"dpdescent/__init__", "dpdescent/ground", "dpdescent/alone"}),
        ("from dpdescent.ground import one", {"dpdescent/__init__", "dpdescent/ground"}),
        ("def later():\n    import dpdescent.alone", {"dpdescent/__init__", "dpdescent/alone"}),
        ("try:\n    import dpdescent.alone\nexcept ImportError:\n    pass", {"dpdescent/__init__", "dpdescent/alone"}),
        ("import numpy, dpdescentish", set()),
    ],
)
def test_every_form_of_import_is_followed(tmp_path: Path, line: str, names: set[str]) -> None:
    folder = tree(tmp_path, script=line + "\n").resolve()
    found = reachable(folder, [folder / "script.py"]) - {folder / "script.py"}
    assert {str(path.relative_to(folder).with_suffix("")) for path in found} == names


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("from . import window", {"room/window"}),
        ("from .window import size", {"room/window"}),
        ("from .. import ground", {"ground"}),
        ("from ..room.door import numpy", {"room/door"}),
    ],
)
def test_relative_imports_are_followed(tmp_path: Path, line: str, names: set[str]) -> None:
    folder = tree(tmp_path, wall=line + "\n").resolve()
    wall = folder / "dpdescent/room/wall.py"
    found = {str(path.relative_to(folder / "dpdescent").with_suffix("")) for path in reachable(folder, [wall])}
    assert found - {"__init__", "room/__init__", "room/wall"} == names


def test_circles_end(tmp_path: Path) -> None:
    folder = tree(tmp_path, ground="from dpdescent.room import wall\n").resolve()
    assert folder / "dpdescent/ground.py" in reachable(folder, [folder / "script.py"])


PROJECT = project.load({"scale": "paper", "seed": 0, "papers": "all"}, SOURCE.parent)
RUNS = {f"{made.paper}/{made.id}": made.run for made in [*PROJECT.artefacts(), *PROJECT.on_request()]}
ITEMS = sorted(RUNS)


def run_of(item: str) -> str:
    return RUNS[item]


def file_of(item: str, source: Path = SOURCE) -> Path:
    """The file of what makes an artefact."""
    return module_file(source, RUNS[item].partition(":")[0])


@pytest.mark.parametrize("item", ITEMS)
def test_training_knows_nothing_of_figures(item: str) -> None:
    """No job that trains waits for what draws, and what judges beside it in a subject's module is not of its code."""
    files, covered = reachable(SOURCE, [TRAIN, file_of(item)]), reached(SOURCE, TRAIN, [run_of(item)])
    assert {file for file, _ in covered} <= files
    # A local variable of a run that has the name of a judging function would tie the run to it.
    assert not {name for file, name in covered if name and file.parent == SOURCE / "dpdescent/replication/judging"}
    # `pins` imports matplotlib where a file of settings for it lies in the working directory, and nowhere else.
    others = files - {SOURCE / "dpdescent/replication/pins.py"}
    assert not {name.split(".")[0] for file in others for _, name in module._module(str(file)).imports} & LATE
    late = re.compile(r"/(\w*figures\b|drawing/|report/)")
    names = [str(file.relative_to(SOURCE)) for file in files if file.is_relative_to(SOURCE / "dpdescent/papers")]
    names += [str(file.relative_to(SOURCE)) for file in files if file.is_relative_to(SOURCE / "dpdescent/replication")]
    assert not [name for name in names if late.search(f"/{name}")]


LATE = {"matplotlib"}


@cache
def quick() -> project.Project:
    return project.load({"scale": "quick", "seed": 7, "papers": "all"}, ROOT)


@pytest.mark.parametrize("paper", sorted({item.split("/")[0] for item in ITEMS}))
def test_whatever_runs_in_a_part_is_covered(paper: str) -> None:
    """Seen by the interpreter itself: the functions that a part calls, in one artefact a paper that reads no other."""
    artefacts = [each for each in quick().papers[paper].artefacts.values() if is_alone(each)]
    artefact = min(artefacts, key=lambda each: min(relative_cost(part) for part in each.parts))
    called = functions_called(artefact)
    assert called
    assert called - reached(SOURCE, TRAIN, [run_of(artefact.item)]) == set()


def is_alone(artefact: project.Artefact) -> bool:
    return not artefact.reads and artefact.same_runs is None and not any(part.dataset for part in artefact.parts)


def functions_called(artefact: project.Artefact) -> set[tuple[Path, str]]:
    """The files and top-level names of all functions of ours that are called while the cheapest part is trained."""
    part = min(artefact.parts, key=relative_cost)
    run = pkgutil.resolve_name(artefact.run)
    called: set[tuple[str, str]] = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call":
            called.add((frame.f_code.co_filename, frame.f_code.co_qualname.split(".")[0]))

    sys.setprofile(note)
    try:
        list(run({**part.spec, "tables": {}}))
    finally:
        sys.setprofile(None)
    own = ((Path(file).resolve(), name) for file, name in called if file.startswith(str(SOURCE)))
    # A lambda of a file's top level has no name; a module is run by its import.
    return {(file, name) for file, name in own if not name.startswith("<")}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package in a folder of its own, to be edited."""
    folder = tmp_path_factory.mktemp("copy") / "src"
    return Path(shutil.copytree(SOURCE, folder, ignore=shutil.ignore_patterns("__pycache__")))


class Edits:
    """Edits of the copied package, and the fingerprints of training that follow from them."""

    def __init__(self, source: Path) -> None:
        self.source, self.before = source, dict[Path, str]()

    def write(self, file: Path, text: str) -> None:
        self.before.setdefault(file, file.read_text(encoding="utf-8"))
        file.write_text(text, encoding="utf-8")

    def undo(self) -> None:
        for file, text in self.before.items():
            file.write_text(text, encoding="utf-8")
        self.before.clear()

    def of(self, *items: str) -> dict[str, str]:
        forget()
        return {item: code_fingerprint(self.source, TRAIN, [run_of(item)]) for item in items or ITEMS}


@pytest.fixture
def edits(copy: Path) -> Iterator[Edits]:
    edits = Edits(copy)
    yield edits
    edits.undo()


def forget() -> None:
    """Lets every file be read anew; what is known by its bytes stays."""
    for each in vars(module).values():
        if hasattr(each, "cache_clear"):
            each.cache_clear()


JUDGING = ("claims", "bounds", "findings", "figures", "demonstrations")


def test_edits_of_labels_captions_and_claims_train_nothing(edits: Edits) -> None:
    """Every function of every module that draws, judges or tells returns something else."""
    before = edits.of()
    files = [file for folder in JUDGING for file in edits.source.glob(f"dpdescent/papers/*/{folder}*/**/*.py")]
    # Those of subjects' drawings, and tables of contents.
    files += [file for name in ("*_figures", *JUDGING) for file in edits.source.glob(f"dpdescent/papers/*/{name}.py")]
    files += [
        file
        for name in ("drawing", "judging", "report", "ledger")
        for file in edits.source.glob(f"dpdescent/replication/{name}/*.py")
    ]
    assert len(files) > 130
    for file in files:
        edits.write(file, re.sub(r"\n( +)return ", r"\n\1return 1 or ", file.read_text(encoding="utf-8")))
    assert edits.of() == before


def test_a_label_beside_the_code_that_trains_trains_nothing(edits: Edits) -> None:
    """A subject's module may hold all of it: another function, another constant, an import that only they use."""
    before = edits.of()
    for item in ITEMS:
        file = file_of(item, edits.source)
        text = file.read_text(encoding="utf-8")
        more = "\n\nTITLE = {'a': 'words'}\n\n\ndef draw_it(table: object) -> str:\n    return json.dumps(TITLE)\n"
        edits.write(file, f"{text}\n\nimport json as json\n{more}")
    assert edits.of() == before


RENAMED = {
    "dpdescent.randomness": "dpdescent.privacy.named_streams",
    "dpdescent.algorithms.dp_2s_gd": "dpdescent.algorithms.two_stage_descent",
    "dpdescent.models.spline": "dpdescent.data.piecewise",
}


@pytest.mark.parametrize("old", RENAMED)
def test_a_module_of_the_library_that_is_renamed_trains_nothing(copy: Path, tmp_path: Path, old: str) -> None:
    """What imports it is told its new name; of `randomness` these are the runs of all papers."""
    source = Path(shutil.copytree(copy, tmp_path / "src"))
    (was, name), (is_now, other) = old.rsplit(".", 1), RENAMED[old].rsplit(".", 1)
    place = {each: source / f"{each.replace('.', '/')}.py" for each in (old, RENAMED[old])}
    users = [
        item for item in ITEMS if place[old].resolve() in {file for file, _ in reached(source, TRAIN, [run_of(item)])}
    ]
    assert users
    before = Edits(source).of()
    place[old].rename(place[RENAMED[old]])
    for file in source.rglob("*.py"):
        text = file.read_text(encoding="utf-8").replace(f"from {old} import", f"from {RENAMED[old]} import")
        told = re.sub(
            rf"from {was} import {name}(, |$)",
            rf"from {is_now} import {other}\nfrom {was} import ",
            text,
            flags=re.MULTILINE,
        )
        told = re.sub(r"from \S+ import $", "", told, flags=re.MULTILINE)
        file.write_text(re.sub(rf"(?<![\w.\"]){name}\.", f"{other}.", told) if told != text else text, encoding="utf-8")
    after = Edits(source).of()
    assert [item for item in ITEMS if after[item] != before[item]] == []
    place[RENAMED[old]].write_text("raise SystemExit\n", encoding="utf-8")
    assert all(now != before[item] for item, now in Edits(source).of(*users).items())


ENGINES = {
    "dp_gd": "descend", "dp_2s_gd": "descend", "dp_ftrl": "regression", "dp_ambssgd": "descend", "lambda_cgd": "run",
}  # fmt: skip


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_trains_all_runs_that_use_it(edits: Edits, engine: str) -> None:
    file = edits.source / f"dpdescent/algorithms/{engine}.py"
    before, using = edits.of(), {item for item in ITEMS if covers(edits.source, file, ENGINES[engine], item)}
    assert using
    tree = ast.parse(file.read_text(encoding="utf-8"))
    run = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == ENGINES[engine])
    run.body.insert(1, ast.parse("assert True").body[0])
    edits.write(file, ast.unparse(tree))
    after = edits.of()
    assert {item for item in ITEMS if after[item] != before[item]} == using


def covers(source: Path, file: Path, name: str, item: str) -> bool:
    return (file.resolve(), name) in reached(source, TRAIN, [run_of(item)])


class Mutant(ast.NodeTransformer):
    """Changes one constant, operator or comparison, told by its number among those of a statement."""

    def __init__(self, number: int) -> None:
        self.number, self.seen = number, 0

    def turn(self) -> bool:
        self.seen += 1
        return self.seen == self.number + 1

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, int | float | str) and self.turn():
            return ast.Constant(node.value * 2 + 1 if not isinstance(node.value, str) else node.value + "x")
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        return ast.BinOp(node.right, node.op, ast.Constant(1)) if self.turn() else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return node.func if self.turn() else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node


@pytest.mark.parametrize("paper", sorted({item.split("/")[0] for item in ITEMS}))
def test_random_mutants_of_what_is_reached_are_seen(edits: Edits, paper: str) -> None:
    """A dozen for each paper: a constant, an operation or a call changed in a function, class or constant."""
    chosen, seen = random.Random(f"mutants of {paper}"), 0
    for item in chosen.sample([item for item in ITEMS if item.startswith(f"{paper}/")], 4):
        before = edits.of(item)
        places = sorted(place for place in reached(edits.source, TRAIN, [run_of(item)]) if counts(edits.source, *place))
        for file, name in chosen.sample(places, 8):
            text, number = file.read_text(encoding="utf-8"), chosen.randrange(8)
            tree = ast.parse(text)
            for node in tree.body:
                if name in definitions._bound(node):
                    Mutant(number).visit(node)
            edits.write(file, ast.unparse(tree))
            if syntax.code_hash(text) != syntax.code_hash(ast.unparse(tree)):
                seen += 1
                assert edits.of(item) != before, (item, file, name, number)
            edits.undo()
    assert seen >= 8


def counts(source: Path, file: Path, name: str) -> bool:
    top = source.resolve()
    return bool(name) and file.is_relative_to(top) and str(file.relative_to(top)) not in STORAGE_MODULES


def test_versions_are_those_that_are_installed() -> None:
    import numpy

    assert versions("numpy") == {"numpy": numpy.__version__}


def test_how_files_are_kept_is_no_reason_to_train_again(tmp_path: Path) -> None:
    """Only modules that write nothing of their own are left out, and what they import counts."""
    store = "dpdescent/replication/build/store.py"
    assert all((ROOT / "src" / name).is_file() for name in STORAGE_MODULES)
    found = []
    for number, text in enumerate(("def key(): 1\n", "def key(): 2\n", "from dpdescent import ground\n")):
        folder = tree(tmp_path / str(number))
        (folder / store).parent.mkdir(parents=True)
        (folder / store).write_text(text)
        (folder / "script.py").write_text("from dpdescent.replication.build import store\nstore.key()\n")
        found.append(fingerprint(folder))
    assert found[0] == found[1] != found[2]
