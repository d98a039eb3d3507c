"""A check that a checkout runs its own code, before anything else does.

An environment holds the path of the checkout that it was made in. In one that was copied or moved with it, or with
another checkout's `src` on the search path, another one's code would run, under the fingerprints of this one's.
"""

import importlib.util
import os
import sys
from pathlib import Path


def require(checkout: Path) -> None:
    """Compares the package that is imported with the one of a checkout.

    Raises:
        SystemExit: with a line that says what is imported from where and how to mend it, if they differ.
    """
    own = (checkout / "src").resolve()
    found = importlib.util.find_spec("dpdescent")
    if found is None or found.origin is None:
        sys.exit(f"{_WRONG}: dpdescent is not installed in {sys.prefix}, where {own} is expected. {_ANEW}")
    imported = Path(found.origin).resolve().parents[1]
    if imported == own:
        return
    named = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    mend = (
        "Run: unset PYTHONPATH, then the same command"
        if imported in [Path(path).resolve() for path in named]
        else _ANEW
    )
    sys.exit(f"{_WRONG}: dpdescent is imported from {imported}, and not from {own}. {mend}")


def require_of_script() -> None:
    """The same for the script that was started, where it is one of a checkout, two folders deep in it.

    A command's own file in `.venv/bin` tells nothing: commands compare with the checkout that they work on.
    """
    file = Path(getattr(sys.modules["__main__"], "__file__", None) or "").resolve()
    if file.suffix == ".py" and len(file.parents) > 2 and (file.parents[2] / "Snakefile").is_file():
        require(file.parents[2])


_WRONG = "This checkout would run another one's code"
_ANEW = "Run: rm -rf .venv, then the same command (make sets it up anew)"
