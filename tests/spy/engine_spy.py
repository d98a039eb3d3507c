"""Writes down what engines receive while an experiment runs, by artefact (the columns of `engine_columns`).

Modules of the project are changed when they are first imported, before anybody takes a name from them. Nothing of the
project is imported here, so that a process that needs little of it stays as fast as it is.
"""

import functools
import importlib.machinery
import inspect
import json
import os
import re
import sys
from pathlib import Path

from engine_columns import ENGINES, WHOLE, Batches, correlating

VARIABLE = "DPDESCENT_SPY"
PAPER = re.compile(r"dpdescent\.papers\.\w+\.[\w.]+")


class State:
    """Where columns go, the (paper, artefact) that is running, and whether an engine is."""

    folder, where, busy = Path(), None, False
    # Releases that the next engine's columns begin with.
    before = ()


WRITTEN: set[str] = set()


def install(folder):
    """Watches all modules that are imported from now on; columns go to a file a process in the folder."""
    State.folder = Path(folder)
    State.folder.mkdir(parents=True, exist_ok=True)
    sys.meta_path.insert(0, Finder())


class Finder:
    """Finds watched modules as usual, and has them changed once they are executed."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in ENGINES and not PAPER.fullmatch(name) and not name.startswith("dpdescent.noise.str"):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None:
            spec.loader.exec_module = followed(spec.loader.exec_module)
        return spec


def followed(execute):
    """The loader's function, after which the module is changed."""

    def executing(module):
        execute(module)
        change(module)

    return executing


def change(module):
    """Puts watched functions in place of engines, of what correlates noise, and of the experiment's `run`."""
    for path, columns in ENGINES.get(module.__name__, {}).items():
        *owners, name = path.split(".")
        owner = functools.reduce(getattr, owners, module)
        setattr(owner, name, watched(path, getattr(owner, name), columns))
    if module.__name__ == "dpdescent.noise.streams":
        module.correlate = correlating(module.correlate)
    for each in list(vars(module).values()):
        if isinstance(each, type) and each.__module__ == module.__name__ and "correlate" in vars(each):
            each.correlate = correlating(each.correlate)
    if PAPER.fullmatch(module.__name__):
        for name, value in list(vars(module).items()):
            if name == "run" or name.startswith("run_"):
                setattr(module, name, named(name, value))


def named(name, run):
    """The experiment, during whose steps columns are those of the artefact that its specification names."""

    def stepwise(spec):
        rows = iter(run(spec))
        while True:
            before, State.where = State.where, (spec["paper"], spec["artefact"])
            try:
                row = next(rows)
            except StopIteration:
                return
            finally:
                State.where = before
            yield row

    @functools.wraps(run)
    def naming(*given, **options):
        # Not every function of such a name is one that makes an artefact's rows.
        made = given[0].get("artefact") if len(given) == 1 and isinstance(given[0], dict) else None
        return stepwise(*given) if made and name in ("run", f"run_{made}") else run(*given, **options)

    return naming


def watched(name, engine, columns):
    """The engine, whose columns are written down unless another engine called it."""
    signature = inspect.signature(engine)

    @functools.wraps(engine)
    def listening(*args, **options):
        if State.where is None or State.busy:
            return engine(*args, **options)
        given = signature.bind(*args, **options)
        given.apply_defaults()
        if columns in WHOLE and given.arguments["batches"] is not None:
            given.arguments["batches"] = Batches(given.arguments["batches"])
        State.busy = True
        try:
            result = engine(*given.args, **given.kwargs)
        finally:
            State.busy = False
        found = list(columns(given.arguments))
        if first := [column["before"] for column in found if "before" in column]:
            State.before = (*State.before, *first)
            return result
        for column in found:
            write(name, begun(column))
        State.before = ()
        return result

    return listening


def begun(column):
    """The column, with the releases that were made for it before, all under replace-one."""
    if not State.before or "told" not in column:
        return column
    told = {relation: [[*State.before, *each] for each in ways] for relation, ways in column["told"].items()}
    return {**column, "told": told}


def write(name, column):
    """Appends a column that this process has not seen yet; a file a process, so that no two write into one."""
    paper, artefact = State.where
    line = json.dumps({"paper": paper, "artefact": artefact, "engine": name, **column}, sort_keys=True)
    if line not in WRITTEN:
        WRITTEN.add(line)
        with open(State.folder / f"{os.getpid()}.jsonl", "a", encoding="utf-8") as stream:
            stream.write(line + "\n")
