"""A check that a checkout runs its own code, made before anything else runs.

An environment holds the path of the checkout in which it was made. Where it was copied or moved with its checkout, or
where the `src` of another checkout is on the search path, the code of that other checkout would run, under the
fingerprints of the code here.
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
    spec = importlib.util.find_spec("dpdescent")
    if spec is None or spec.origin is None:
        sys.exit(f"{_WRONG}: dpdescent is not installed in {sys.prefix}, where {own} is expected. {_ANEW}")
    imported = Path(spec.origin).resolve().parents[1]
    if imported == own:
        return
    on_path = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    mend = (
        "Run: unset PYTHONPATH, then the same command"
        if imported in [Path(path).resolve() for path in on_path]
        else _ANEW
    )
    sys.exit(f"{_WRONG}: dpdescent is imported from {imported}, and not from {own}. {mend}")


def require_of_script() -> None:
    """The same check for the script that was started, where this is a script of a checkout, two folders deep in it.

    The file of a command in `.venv/bin` says nothing of a checkout: commands check the checkout on which they work.
    """
    file = Path(getattr(sys.modules["__main__"], "__file__", None) or "").resolve()
    if file.suffix == ".py" and len(file.parents) > 2 and (file.parents[2] / "Snakefile").is_file():
        require(file.parents[2])


_WRONG = "This checkout would run another one's code"
_ANEW = "Run: rm -rf .venv, then the same command (make sets it up anew)"
