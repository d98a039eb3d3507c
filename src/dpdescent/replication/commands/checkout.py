"""The checkout of the project in which commands work: it holds configuration, scripts and results."""

import sys
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpdescent.replication import own_code

if TYPE_CHECKING:
    from dpdescent.replication.configuration.project import Project


def require() -> None:
    """Ends the command with one line unless it works in a checkout of the project and runs the code of that one."""
    if not Path("Snakefile").is_file() or not Path("config/papers").is_dir():
        advice = f"change to the folder that holds its Snakefile; {_how_to_get()}"
        sys.exit(f"{Path.cwd()} is no checkout of the project: {advice}")
    own_code.require(Path())


def _how_to_get() -> str:
    """Advice on how to get a checkout, with its address where the installed package knows one."""
    try:
        urls = metadata.metadata("dpdescent").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        urls = []
    address = next((url.split(", ", 1)[1] for url in urls if url.startswith("Source, ")), "")
    return f"to get one, clone the project or unpack its source archive{f', see {address}' if address else ''}"


def configured(config: dict[str, Any], root: Path = Path()) -> "Project":
    """The configuration of a checkout, from its top-level values.

    Raises:
        SystemExit: in one line, if a value is wrong.
    """
    # Imported here, because a command must ask for a checkout before it asks for the pipeline's packages.
    from dpdescent.replication.configuration import project
    from dpdescent.replication.configuration.values import ConfigError

    try:
        return project.load(config, root)
    except ConfigError as error:
        raise SystemExit(f"Config error: {error}") from None
