"""Settings of a user's own, in the environment and in files, which change nothing that is drawn and break nothing."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# As a script of the pipeline begins.
DRAWN = """
import dpdescent.replication.pins
import io, sys
from dpdescent.replication.drawing import figures
figures.use_style()
figure, axes = figures.panels(2)
for each in axes.flat:
    each.plot([1, 10, 100], [1, 2, 5], label="$x$")
    figures.log_scale(each)
    each.legend()
for format in ("svg", "png"):
    content = io.BytesIO()
    figure.savefig(content, format=format, metadata={"Date": None} if format == "svg" else None)
    sys.stdout.buffer.write(content.getvalue())
"""
DARK = (
    "backend: TkAgg\ntext.usetex: true\nfont.family: serif\naxes.facecolor: black\nsavefig.bbox: tight\n"
    "savefig.transparent: true\nsvg.fonttype: none\ninteractive: true\ntoolbar: toolmanager\n"
)
# No text of any encoding that matplotlib reads.
BROKEN = b"\xff\xfe\x00"


def written(file: Path, content: str | bytes) -> str:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(file)


def unwritable(here: Path) -> str:
    """A folder in which nothing can be made, because it is none."""
    return written(here / "file", "") + "/folder"


SETTINGS: dict[str, Callable[[Path], dict[str, str]]] = {
    "a notebook's": lambda here: {"MPLBACKEND": "module://matplotlib_inline.backend_inline"},
    "a window": lambda here: {"MPLBACKEND": "TkAgg"},
    "no backend at all": lambda here: {"MPLBACKEND": "none such"},
    "a file": lambda here: {"MATPLOTLIBRC": written(here / "user/matplotlibrc", DARK)},
    "a broken file": lambda here: {"MATPLOTLIBRC": written(here / "user/matplotlibrc", BROKEN)},
    "a folder": lambda here: {"MPLCONFIGDIR": str(Path(written(here / "user/matplotlibrc", DARK)).parent)},
    "an unwritable folder": lambda here: {"MPLCONFIGDIR": unwritable(here)},
    "a broken style": lambda here: {
        "MPLCONFIGDIR": str(Path(written(here / "user/stylelib/mine.mplstyle", BROKEN)).parents[1])
    },
    "the user's": lambda here: {"HOME": str(Path(written(here / ".config/matplotlib/matplotlibrc", DARK)).parents[2])},
    "the working directory's": lambda here: {"X": written(here / "matplotlibrc", DARK)},
    "a broken one there": lambda here: {"X": written(here / "matplotlibrc", BROKEN)},
    "the fonts'": lambda here: {"FREETYPE_PROPERTIES": "truetype:interpreter-version=35"},
    "all": lambda here: {
        "MPLBACKEND": "none such", "MATPLOTLIBRC": written(here / "matplotlibrc", DARK), "MPLCONFIGDIR": str(here)
    },
}  # fmt: skip


def drawn(here: Path, **variables: str) -> "subprocess.CompletedProcess[bytes]":
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), **variables}
    # This process has pinned its own.
    for name in {"MPLBACKEND", "MPLCONFIGDIR"} - variables.keys():
        environment.pop(name, None)
    command = [sys.executable, "-c", DRAWN]
    return subprocess.run(command, cwd=here, env=environment, capture_output=True, check=False)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    found = drawn(tmp_path_factory.mktemp("plain"))
    assert found.returncode == 0, found.stderr
    return found.stdout


@pytest.mark.parametrize("name", SETTINGS)
def test_settings_of_a_user_s_matplotlib_change_nothing(name: str, plain: bytes, tmp_path: Path) -> None:
    found = drawn(tmp_path, **SETTINGS[name](tmp_path))
    assert found.returncode == 0, found.stderr.decode()
    assert found.stdout == plain
    assert found.stderr == b""


@pytest.mark.parametrize("script", sorted((ROOT / "workflow/scripts").glob("*.py")), ids=lambda script: script.name)
def test_every_script_pins_its_surroundings_first(script: Path) -> None:
    """And every command of the pipeline."""
    imports = [line for line in script.read_text().splitlines() if line.startswith(("import ", "from "))]
    assert imports[0] == "import dpdescent.replication.pins  # noqa: F401"


COMMANDS = sorted((ROOT / "src/dpdescent/replication/commands").glob("[a-z]*.py"))


@pytest.mark.parametrize(
    "module", [each for each in COMMANDS if each.name != "checkout.py"], ids=lambda each: each.name
)
def test_every_command_pins_its_surroundings_first(module: Path) -> None:
    test_every_script_pins_its_surroundings_first(module)


def test_settings_of_this_process_are_the_pinned_ones() -> None:
    """Tests that draw begin with `conftest`, which imports the pins."""
    assert os.environ["MPLBACKEND"] == "agg"
    assert os.environ["MPLCONFIGDIR"].startswith(sys.prefix)
