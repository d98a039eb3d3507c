"""Where commands work: in a checkout of the project, which holds configuration, scripts and results."""

import sys
from pathlib import Path

from dpdescent.replication import own_code


def require() -> None:
    """Ends the command with one line if the current directory is no checkout of the project, or if another one's code
    runs here."""
    if not Path("Snakefile").is_file() or not Path("config/papers").is_dir():
        sys.exit(f"{Path.cwd()} is no checkout of the project: change to the folder that holds its Snakefile")
    own_code.require(Path())
