"""The command `dpdescent`: a private estimate from a CSV of your own, and checks of a checkout of the replication."""

import contextlib
import errno
import importlib
import importlib.metadata
import io
import json
import sys
from collections.abc import Sequence
from types import ModuleType

from dpdescent.commands import printing

# For each command: the module that runs it, imported only then, and what the command does.
COMMANDS = {
    "estimate": ("dpdescent.commands.estimate", "one private run on a CSV of your own: regression or instruments"),
    "example": ("dpdescent.commands.example", "write the small tables that the help of `estimate` uses"),
    "verify": ("dpdescent.replication.commands.verify", "rebuild a scale in a scratch directory, report differences"),
    "judge": ("dpdescent.replication.commands.judge", "judge claims from finished tables, say what differs"),
    "draw": ("dpdescent.replication.commands.draw", "draw figures from finished tables, as PNG or SVG"),
    "spotcheck": ("dpdescent.replication.commands.spotcheck", "recompute cheap parts of the committed results"),
    "compare": ("dpdescent.replication.commands.compare", "compare two folders of results"),
    "seedcheck": ("dpdescent.replication.commands.seedcheck", "compare verdicts with those at another master seed"),
    "artifacts": ("dpdescent.replication.commands.artifacts", "pack the results of a scale into one archive"),
    "artifacts-diff": ("dpdescent.replication.commands.artifacts_diff", "say what differs between two archives"),
    "parts": ("dpdescent.replication.commands.parts", "pack trained parts, or add those of another machine"),
    "fetch": ("dpdescent.replication.commands.fetch", "fetch the image data that artefacts on request need, verified"),
    "on-request": ("dpdescent.replication.commands.on_request", "judge and account for what was made on request"),
    "readme": ("dpdescent.replication.commands.readme", "write the numbers that the READMEs quote, or check them"),
    "article": ("dpdescent.replication.commands.article", "write the account of the replication as a paper, a PDF"),
    "metadata": ("dpdescent.replication.commands.metadata", "write what others read of the project, or check it"),
}
# The module that recognises a checkout, and the commands that need none.
CHECKOUT, ANYWHERE = "dpdescent.replication.commands.checkout", ("estimate", "example", "compare", "artifacts-diff")


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command that the first argument names.

    Raises:
        SystemExit: 2, with one line, if the command does not exist, if it needs something that is not installed, or if
            it would write where writing is impossible.
    """
    printing.take_any_character()
    name, *rest = [*(sys.argv[1:] if arguments is None else arguments)] or ["--help"]
    if name in ("-h", "--help"):
        printing.tell(usage())
        return
    if name == "--version":
        printing.tell(f"dpdescent {importlib.metadata.version('dpdescent')}")
        return
    if name not in COMMANDS:
        _end(f"Error: there is no command {name!r}; there are: {', '.join(COMMANDS)}")
    try:
        module = importlib.import_module(COMMANDS[name][0])
    except ModuleNotFoundError as error:
        if str(error.name).startswith("dpdescent"):
            raise
        # Checked first, because packages alone would not help.
        if name not in ANYWHERE:
            importlib.import_module(CHECKOUT).require()
        _end(f"Error: dpdescent {name} needs {error.name}, which is not installed: pip install '{_with_extra(name)}'")
    try:
        if {"-h", "--help"} & set(rest):
            printing.tell(_help(module, rest, f"dpdescent {name}"))
            raise SystemExit(0)
        module.main(rest, f"dpdescent {name}")
    except OSError as error:
        if error.errno not in (errno.EROFS, errno.EACCES):
            raise
        _end(f"Error: {error.filename}: {error.strerror}; give yourself access, or work in a copy of this folder")


def _help(module: ModuleType, rest: Sequence[str], name: str) -> str:
    """The help text of a command, printed by us, because argparse fails where the reader of a pipe has gone."""
    with contextlib.redirect_stdout(io.StringIO()) as printed, contextlib.suppress(SystemExit):
        module.main(rest, name)
    return printed.getvalue().rstrip("\n")


def _with_extra(name: str) -> str:
    """The argument with which pip installs the pipeline's packages: a checkout, or this installation's origin."""
    if name not in ANYWHERE:
        return ".[replication]"
    origin = json.loads(importlib.metadata.distribution("dpdescent").read_text("direct_url.json") or "{}")
    if not origin:
        return "dpdescent[replication]"
    scheme = f"{origin['vcs_info']['vcs']}+" if "vcs_info" in origin else ""
    return f"dpdescent[replication] @ {scheme}{origin['url']}"


def usage() -> str:
    """The list of commands, one line per command."""
    lines = [f"  {name:<14} {what}" for name, (_, what) in COMMANDS.items()]
    return "\n".join(
        [
            "usage: dpdescent COMMAND ...",
            "       dpdescent --version",
            "",
            *lines,
            "",
            "dpdescent COMMAND --help tells its options.",
        ]
    )


def _end(line: str) -> None:
    """Prints an error in one line and exits with status 2."""
    print(line, file=sys.stderr)
    raise SystemExit(2)


if __name__ == "__main__":
    main()
