"""A cache of parsed code from one call of Snakemake to the next, because parsing every module takes seconds.

A file is known by the hash of its bytes, so that an edited one is parsed again. The cache is not read where it is
damaged, or where other code wrote it; another Python reads it, because it would parse the same.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

from dpdescent import syntax
from dpdescent.replication.build import definitions, fingerprint
from dpdescent.replication.build.files import atomic

# The most files in the cache: several times the modules of the project, because edited ones stay until others push
# them out.
MOST = 4000


def recall(file: Path) -> None:
    """Reads the cache of an earlier call, if there is one."""
    if not file.is_file():
        return
    head, _, body = file.read_text(encoding="utf-8", errors="replace").partition("\n")
    if head != _head(body):
        return
    for hashed, (imports, imported, statements) in json.loads(body).items():
        fingerprint.KNOWN[hashed] = definitions.Module(
            tuple((level, name) for level, name in imports),
            {name: tuple(targets) for name, targets in imported.items()},
            tuple(
                definitions.Statement(tuple(names), runs, code, tuple(uses)) for names, runs, code, uses in statements
            ),
        )


def keep(file: Path) -> None:
    """Writes the cache for later calls."""
    last = list(fingerprint.KNOWN.items())[-MOST:]
    body = json.dumps({hashed: _plain(module) for hashed, module in last}, separators=(",", ":"))
    with atomic(file) as stream:
        stream.write(f"{_head(body)}\n{body}")


def _plain(module: definitions.Module) -> list[Any]:
    """A module as lists, because `dataclasses.astuple` copies each string."""
    statements = [[statement.names, statement.runs, statement.code, statement.uses] for statement in module.statements]
    return [module.imports, module.imported, statements]


def _head(body: str) -> str:
    """The hash of the cached text and of the code that wrote it."""
    code = (Path(str(module.__file__)).read_bytes() for module in (syntax, definitions, fingerprint))
    return hashlib.sha256(b"\0".join([*code, body.encode()])).hexdigest()
