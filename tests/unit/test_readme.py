"""The README's Python: what a reader copies runs, and does what the text around it says."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)


# How many numbers each block prints.
PRINTED = (20, 2)


@pytest.mark.parametrize(("block", "printed"), list(zip(BLOCKS, PRINTED, strict=True)))
def test_block_runs_in_a_fresh_interpreter(block: str, printed: int, tmp_path: Path) -> None:
    """From another folder, with warnings as errors, and with BLAS pinned by its first import."""
    assert block.lstrip().startswith("import dpdescent")
    environment = {key: value for key, value in os.environ.items() if not key.endswith("_NUM_THREADS")}
    command = [sys.executable, "-W", "error", "-c", f"{block}\nimport os\nprint(os.environ['OPENBLAS_NUM_THREADS'])\n"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    *numbers, threads = done.stdout.split()
    assert threads == "1"
    assert len(re.findall(r"-?\d+\.\d+", " ".join(numbers))) == printed


def test_block_gives_private_intervals_of_the_empirical_minimiser() -> None:
    """As promised: rho-zCDP for all steps, and intervals about theta_hat, here ones."""
    values: dict[str, object] = {}
    exec(BLOCKS[0].replace("print(", "str.format('{} {}', "), values)
    sample, zcdp, path = values["sample"], values["zcdp"], values["path"]
    spent = zcdp.gaussian_rho(2 * values["gamma"] / sample.n, values["noise_sd"], len(path))  # type: ignore[attr-defined]
    assert spent == pytest.approx(0.015, rel=1e-12)
    target = np.linalg.lstsq(sample.X, sample.y, rcond=None)[0]  # type: ignore[attr-defined]
    intervals = values["intervals"]
    assert intervals.centre.shape == (sample.p,)  # type: ignore[attr-defined]
    assert (np.abs(intervals.centre - target) < 3 * intervals.half_width).all()  # type: ignore[attr-defined]
    assert intervals.covers(target).sum() >= 7  # type: ignore[attr-defined]
    assert intervals.half_width.max() < 0.1  # type: ignore[attr-defined]


def test_block_gives_noise_for_the_promised_guarantee() -> None:
    """As promised: (8, 1e-5)-DP for a record in 20 of 2000 steps, and as many rows as steps."""
    values: dict[str, object] = {}
    exec(
        BLOCKS[1].replace("noise_sd * block", "noise_sd * block; rows = globals().get('rows', 0) + len(block)"), values
    )
    encoder = values["strategy"].encoder(2000)  # type: ignore[attr-defined]
    moved = max(np.linalg.norm(encoder[:, offset::100].sum(axis=1)) for offset in range(100))
    rho = values["zcdp"].gaussian_rho(float(moved), values["noise_sd"])  # type: ignore[attr-defined]
    assert values["accounting"].tight_epsilon(rho, 1e-5) == pytest.approx(8.0, rel=1e-6)  # type: ignore[attr-defined]
    assert values["rows"] == 2000
