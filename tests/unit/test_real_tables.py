"""Tables of the contest: the packages' own, in the units that were written down."""

import re
from pathlib import Path

import numpy as np
import pytest

import real_tables_source
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.papers.ours import contest, iv_real, real_tables
from dpdescent.replication.configuration import project

ROOT = Path(__file__).resolve().parents[2]
PAPER = project.load({"scale": "quick", "seed": 3, "papers": ["ours"]}, ROOT).papers["ours"]


@pytest.mark.parametrize("name", real_tables.TABLES)
def test_committed_tables_are_those_of_the_packages(name: str) -> None:
    assert (real_tables.FOLDER / f"{name}.csv").read_text(encoding="utf-8") == real_tables_source.text(name)


def test_every_table_is_told() -> None:
    told = (real_tables.FOLDER / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)\.csv` \| ([\d,]+) \|", told, re.MULTILINE)
    assert {name: int(count.replace(",", "")) for name, count in rows} == {
        name: real_tables.sample(name).n for name in real_tables.TABLES
    }


@pytest.mark.parametrize("name", real_tables.TABLES)
def test_units_are_ordinary_and_coefficients_identified(name: str) -> None:
    """Held-out tables may be off, because their units come from documentation."""
    sample = real_tables.sample(name)
    assert (sample.X[:, 0] == 1.0).all()
    assert 0.2 < np.std(sample.y) < 5.0
    assert np.isfinite(linear_least_squares(sample.gram)).all()


def test_another_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (real_tables.FOLDER / "affairs.csv").read_text(encoding="utf-8")
    (tmp_path / "affairs.csv").write_text(text.replace("37", "38", 1), encoding="utf-8")
    monkeypatch.setattr(real_tables, "FOLDER", tmp_path)
    real_tables.sample.cache_clear()
    with pytest.raises(ValueError, match="another sha256"):
        real_tables.sample("affairs")
    real_tables.sample.cache_clear()
    with pytest.raises(ValueError, match="table='titanic' must be one of cps1988"):
        real_tables.sample("titanic")


def test_least_squares_has_no_excess_and_zero_has_what_can_be_explained() -> None:
    (part,) = (part for part in PAPER.artefacts["real_tables"].parts if part.spec["cell"]["table"] == "card")
    rows = list(contest.run_real_tables({**part.spec, "trials": [0, 2]}))
    sample = real_tables.sample("card")
    explained = 1.0 - np.var(sample.y - sample.X @ linear_least_squares(sample.gram)) / np.var(sample.y)
    found = {row["series"]: row["value"] for row in rows}
    assert found["OLS"] == 0.0
    # The estimate 0 pays for the centre of the outcome, which is not the codebook's, too.
    assert found["estimate 0"] == pytest.approx(explained + sample.y.mean() ** 2 / np.var(sample.y), rel=1e-9)
    assert {(row["n"], row["p"]) for row in rows} == {(3010, 7)}


def test_only_tables_whose_units_were_written_down_beforehand_have_a_guarantee() -> None:
    """Units of the other tables were chosen with the table known, which no account covers."""
    part = next(iter(PAPER.artefacts["real_tables"].parts)).spec
    for name, table in real_tables.TABLES.items():
        spec = {**part, "cell": {**part["cell"], "table": name, "eps": 1.0}}
        found = [event.guarantee for _, event, _ in contest.releases_real_tables(spec)]
        assert ("proved" in found) is table.documented
    part = next(iter(PAPER.artefacts["iv_real"].parts)).spec
    for name, table in iv_real.TABLES.items():
        spec = {**part, "cell": {**part["cell"], "table": name}}
        assert {event.guarantee for _, event, _ in iv_real.releases_iv_real(spec)} == (
            {"proved"} if table.from_ranges else {"none"}
        )
