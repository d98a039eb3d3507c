"""The notebooks in `examples`: they run as they stand, and what they keep is what they print and draw."""

import base64
import copy
import io
import json
import re
import shutil
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pytest

import dpdescent
import notebooks
from dpdescent import public

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
# Small enough for a page of a code host, with its pictures.
LARGEST = 80_000


@pytest.fixture(params=NOTEBOOKS, ids=lambda file: file.stem)
def kept(request: pytest.FixtureRequest) -> tuple[Path, Any]:
    """A notebook's file, and what is in it."""
    return request.param, json.loads(request.param.read_text(encoding="utf-8"))


def printed(outputs: list[dict[str, Any]]) -> list[str]:
    return ["".join(each["text"]) for each in outputs if each["output_type"] == "stream"]


def pictures(outputs: list[dict[str, Any]]) -> list[np.ndarray]:
    found = [each["data"]["image/png"] for each in outputs if each["output_type"] == "display_data"]
    return [plt.imread(io.BytesIO(base64.b64decode(each))) for each in found]


def same(first: str, second: str) -> bool:
    """Whether texts are equal but for one unit in the last place of their numbers."""
    ones, others = NUMBER.findall(first), NUMBER.findall(second)
    units = [10.0 ** -len(one.partition(".")[2]) if "." in one else 0.0 for one in ones]
    # Spaces too, because a number that becomes longer moves its column.
    words = [NUMBER.sub("#", re.sub(r"\s+", " ", text)) for text in (first, second)]
    return words[0] == words[1] and all(
        abs(float(one) - float(other)) <= 1.01 * unit for one, other, unit in zip(ones, others, units, strict=True)
    )


def test_there_are_two() -> None:
    assert [file.stem for file in NOTEBOOKS] == ["instruments", "regression"]


def test_a_notebook_runs_and_shows_what_it_keeps(
    kept: tuple[Path, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, notebook = kept
    for table in file.parent.glob("*.csv"):
        shutil.copy(table, tmp_path)
    monkeypatch.chdir(tmp_path)
    again = copy.deepcopy(notebook)
    for cell in again["cells"]:
        cell.pop("outputs", None)
    notebooks.run(again, file.name)
    drawn = 0
    for old, new in zip(notebook["cells"], again["cells"], strict=True):
        if old["cell_type"] != "code":
            continue
        assert old["execution_count"] == new["execution_count"]
        assert [each["output_type"] for each in old["outputs"]] == [each["output_type"] for each in new["outputs"]]
        for before, after in zip(printed(old["outputs"]), printed(new["outputs"]), strict=True):
            assert same(before, after), after
        for before, after in zip(pictures(old["outputs"]), pictures(new["outputs"]), strict=True):
            assert before.shape == after.shape
            assert np.abs(before - after).mean() < 0.01
            # Something is drawn on it.
            assert before[..., :3].std() > 0.05
            drawn += 1
    assert drawn == 2


def test_a_figure_of_someone_else_is_not_shown() -> None:
    cell = {"cell_type": "code", "source": ["import matplotlib.pyplot as plt\n", "plt.figure()\n", "plt.show()\n"]}
    plt.figure()
    notebooks.run({"cells": [cell]}, "one")
    assert [each["output_type"] for each in cell["outputs"]] == ["display_data"]


def test_texts_are_equal_up_to_their_last_digit() -> None:
    assert same("a 1.20, n 5000", "a 1.21, n 5000")
    assert not same("a 1.20, n 5000", "a 1.22, n 5000")
    assert not same("a 1.20, n 5000", "a 1.20, n 5001")
    assert not same("a 1.20", "b 1.20")


def test_it_is_written_as_the_command_writes_it_and_is_small(kept: tuple[Path, Any]) -> None:
    file, notebook = kept
    text = file.read_text(encoding="utf-8")
    assert text == notebooks.written(notebook)
    assert len(text.encode()) < LARGEST
    assert f"python tests/notebooks.py examples/{file.name}" in "".join(notebook["cells"][0]["source"])
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    pytest.importorskip("nbformat").validate(copy.deepcopy(notebook))


def test_it_uses_public_names_and_what_users_have(kept: tuple[Path, Any]) -> None:
    _, notebook = kept
    code = "\n".join("".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code")
    assert set(re.findall(r"^(?:import|from) (\S+)", code, re.MULTILINE)) == {
        "matplotlib.pyplot", "numpy", "pandas", "dpdescent",
    }  # fmt: skip
    names = set(re.findall(r"\bdpdescent\.(\w+)", code))
    assert "account" in names
    assert names <= set(dir(dpdescent))
    assert names <= set(public.NAMES)
