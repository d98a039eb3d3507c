"""Where commands work: in a checkout of the project, which holds configuration, scripts and results."""

import sys
from pathlib import Path

from dpdescent.replication.configuration import project
from dpdescent.replication.configuration.values import ConfigError, Node


def require() -> None:
    """Ends the command with one line if the current directory is no checkout of the project."""
    if not Path("Snakefile").is_file() or not Path("config/papers").is_dir():
        sys.exit(f"{Path.cwd()} is no checkout of the project: change to the folder that holds its Snakefile")


def configured(config: Node) -> project.Project:
    """The configuration of this checkout, from its top-level values.

    Raises:
        SystemExit: in one line, if a value is wrong.
    """
    try:
        return project.load(config, Path())
    except ConfigError as error:
        raise SystemExit(f"Config error: {error}") from None
