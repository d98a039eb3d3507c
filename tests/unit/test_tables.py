"""From trials to tables: no digit depends on the cut into parts, and the interval of the median is the bootstrap's."""

import math
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dpdescent.replication.build import tables

KEYS, MEASURES = ["n", "rho"], ["clipped"]


def trials(count: int = 12) -> pd.DataFrame:
    """Tidy trials of a small grid, with values of many digits."""
    rng = np.random.default_rng(3)
    rows = [
        {
            "variant": variant, "n": n, "rho": rho, "series": series, "trial": trial,
            "value": rng.lognormal(sigma=3), "clipped": rng.random(),
        }
        for variant in ("main", "other")
        for n in (500, 1000)
        for rho in (0.1, math.inf)
        for series in ("DP", "free")
        for trial in range(count)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def through_files(parts: list[pd.DataFrame], folder: Path) -> list[pd.DataFrame]:
    """As the pipeline sees them: written, and each read for itself."""
    for number, part in enumerate(parts):
        tables.write(part, folder / f"{number}.csv")
    return [tables.read(folder / f"{number}.csv") for number in range(len(parts))]


def cut(whole: pd.DataFrame, *places: int) -> list[pd.DataFrame]:
    return [whole.iloc[start:stop] for start, stop in pairwise((0, *places, len(whole)))]


# --- Summaries -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("places", [(12,), (5, 60, 61), tuple(range(1, 192))], ids=["two", "odd places", "single rows"])
def test_cut_into_parts_changes_no_digit(tmp_path: Path, places: tuple[int, ...]) -> None:
    whole = tables.summarise([trials()], KEYS, MEASURES)
    parts = tables.summarise(through_files(cut(trials(), *places), tmp_path), KEYS, MEASURES)
    assert parts.to_csv() == whole.to_csv()


def test_order_of_rows_and_parts_changes_no_digit() -> None:
    whole = tables.summarise([trials()], KEYS, MEASURES).to_csv()
    shuffled = trials().sample(frac=1, random_state=5)
    assert tables.summarise(cut(shuffled, 50, 70)[::-1], KEYS, MEASURES).to_csv() == whole


def test_cut_does_not_matter_where_names_look_like_numbers(tmp_path: Path) -> None:
    """A part with the series `2` alone reads as numbers, one with `2` and `two` as text."""
    rows = [
        {"n": n, "series": series, "variant": "main", "trial": trial, "value": float(trial)}
        for n, series in ((1, "2"), (1, "10"), (1, "ten"), (2, "10"))
        for trial in range(3)
    ]
    frames = [
        tables.summarise(through_files(cut(pd.DataFrame(rows), *places), tmp_path), ["n"], []).to_csv()
        for places in ((), (3,), (6,), (4, 9), (9,))
    ]
    assert frames == [frames[0]] * len(frames)


def test_missing_values_of_keys_make_a_group_of_their_own(tmp_path: Path) -> None:
    usual = {"series": "s", "variant": "main", "value": 1.0}
    rows = [{"n": n, "trial": trial, **usual} for n in (1, None, 2) for trial in (0, 1)]
    frames = [
        tables.summarise(through_files(cut(pd.DataFrame(rows), *places), tmp_path), ["n"], []).to_csv()
        for places in ((), (2,), (2, 4), (3,))
    ]
    assert frames == [frames[0]] * len(frames)
    assert frames[0].count("\n") == 4


def test_part_without_rows_changes_nothing(tmp_path: Path) -> None:
    """An exact value stands in the part of the first trial; the other parts of its cell have no rows."""
    (tmp_path / "empty.csv").write_text("\n")
    empty = tables.read(tmp_path / "empty.csv")
    whole = tables.summarise([trials()], KEYS, MEASURES).to_csv()
    assert (
        tables.summarise([empty, *through_files(cut(trials(), 9), tmp_path), empty], KEYS, MEASURES).to_csv() == whole
    )
    assert tables.fingerprints("p/f", {"t1-1": empty}, MEASURES)["sum"].tolist() == [0.0, 0.0]


def test_columns_and_statistics() -> None:
    values = [4.0, 1.0, 2.0, 10.0, 3.0]
    rows = [
        {"n": 7, "series": "s", "variant": "main", "trial": k, "value": value, "extra": 2 * value, "ignored": 0}
        for k, value in enumerate(values)
    ]
    table = tables.summarise([pd.DataFrame(rows)], ["n"], ["extra"])
    row = table.iloc[0]
    assert list(table.columns) == [
        "n", "series", "variant", "mean", "se", "median", "median_low", "median_high",
        "q025", "q05", "q10", "q25", "q75", "q90", "q95", "q975", "trials", "extra",
    ]  # fmt: skip
    assert row["mean"] == 4.0
    assert row["extra"] == 8.0
    assert row["trials"] == 5
    assert row["se"] == pytest.approx(math.sqrt((0 + 9 + 4 + 36 + 1) / 4 / 5), rel=1e-15)
    assert [row[name] for name in ("q25", "median", "q75")] == [2.0, 3.0, 4.0]
    assert row["q90"] == pytest.approx(4 + 0.6 * 6, rel=1e-15)


def test_one_trial_has_no_standard_error() -> None:
    table = tables.summarise([trials(count=1)], KEYS, MEASURES)
    assert table["se"].isna().all()
    assert (table["median_low"] == table["mean"]).all()
    assert (table["trials"] == 1).all()


def test_rows_are_sorted_by_the_full_key() -> None:
    table = tables.summarise([trials()], KEYS, [])
    keys = list(table[[*KEYS, "series", "variant"]].itertuples(index=False, name=None))
    assert keys == sorted(keys)
    assert len(keys) == 16


def test_trial_that_occurs_twice_is_refused() -> None:
    with pytest.raises(ValueError, match=r"a trial occurs twice: .*'trial': 0"):
        tables.summarise([trials(), trials().iloc[:1]], KEYS, MEASURES)


@pytest.mark.parametrize("column", ["rho", "series", "variant", "trial", "value", "clipped"])
def test_missing_column_is_named(column: str) -> None:
    with pytest.raises(ValueError, match=f"no column '{column}'; it returned"):
        tables.summarise([trials().drop(columns=column)], KEYS, MEASURES)


# --- Interval of the median ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 11, 20, 21, 56])
def test_median_interval_is_that_of_resampling(count: int) -> None:
    """Resampled medians fall below and upon the ends as often as the definition of a percentile interval says."""
    rng = np.random.default_rng(count)
    values = rng.standard_exponential(count)
    low, high = tables.median_interval(values)
    medians = np.median(rng.choice(values, (100_000, count)), axis=1)
    slack = 4 * math.sqrt(0.025 * 0.975 / len(medians))
    for end, probability in ((low, 0.025), (high, 0.975)):
        assert (medians <= end * (1 + 1e-12)).mean() >= probability - slack
        assert (medians < end * (1 - 1e-12)).mean() <= probability + slack


def test_median_interval_by_hand() -> None:
    """Two values: the resample is (a, a), (a, b), (b, a) or (b, b); three: the median is the least with 7/27."""
    assert tables.median_interval(np.array([3.0, 1.0]), level=0.4) == (2.0, 2.0)
    assert tables.median_interval(np.array([3.0, 1.0]), level=0.6) == (1.0, 3.0)
    assert tables.median_interval(np.array([1.0, 2.0, 9.0]), level=1 - 2 * 7.01 / 27) == (2.0, 2.0)
    assert tables.median_interval(np.array([1.0, 2.0, 9.0]), level=1 - 2 * 6.99 / 27) == (1.0, 9.0)


@pytest.mark.parametrize("count", [1, 2, 7, 8, 200, 999, 1000, 3000])
def test_law_of_the_median_is_a_law(count: int) -> None:
    first, second, probability = tables._median_law(count)
    assert probability.sum() == pytest.approx(1, abs=1e-12)
    assert (probability >= 0).all()
    assert ((second == first) if count % 2 else (second >= first)).all()
    # Turned round, a sample has the same law.
    mirrored = {(count - 1 - j, count - 1 - i): p for i, j, p in zip(first, second, probability, strict=True)}
    for i, j, p in zip(first, second, probability, strict=True):
        assert mirrored.get((i, j), 0.0) == pytest.approx(p, abs=1e-11)


def test_median_interval_ignores_order_and_bears_ties() -> None:
    values = np.array([5.0, 1.0, 1.0, 1.0, 2.0, 2.0, 7.0, 3.0])
    assert tables.median_interval(values) == tables.median_interval(values[::-1])
    assert tables.median_interval(np.full(6, 4.0)) == (4.0, 4.0)
    assert tables.median_interval(np.array([2.5])) == (2.5, 2.5)


# --- Reading, writing, fingerprints ----------------------------------------------------------------------------------


def test_floats_survive_writing_and_reading(tmp_path: Path) -> None:
    values = np.frombuffer(np.random.default_rng(0).bytes(80_000), dtype=float)
    frame = pd.DataFrame({"x": values[np.isfinite(values)]})
    tables.write(frame, tmp_path / "t.csv")
    first = (tmp_path / "t.csv").read_bytes()
    assert (tables.read(tmp_path / "t.csv")["x"] == frame["x"]).all()
    tables.write(tables.read(tmp_path / "t.csv"), tmp_path / "t.csv")
    assert (tmp_path / "t.csv").read_bytes() == first


def test_fingerprints_of_parts() -> None:
    parts = dict(zip(("t0-9", "t10-11"), cut(trials(), 10), strict=True))
    table = tables.fingerprints("paper/fig01", parts, MEASURES)
    assert list(table.columns) == ["paper", "artefact", "part", "column", "rows", "sum"]
    assert table[["part", "column", "rows"]].to_numpy().tolist() == [
        ["t0-9", "value", 10], ["t0-9", "clipped", 10], ["t10-11", "value", 182], ["t10-11", "clipped", 182],
    ]  # fmt: skip
    assert table["sum"][3] == pytest.approx(parts["t10-11"]["clipped"].sum(), rel=1e-14)
    assert set(table["paper"] + "/" + table["artefact"]) == {"paper/fig01"}


# --- Ready to paste --------------------------------------------------------------------------------------------------

PASTED = pd.DataFrame({"a_b": [0.123456, math.nan], "name": ["x|y", "50 % & {1}^2"], "n": [1000, 2]})


def test_markdown() -> None:
    assert tables.as_markdown(PASTED, "A title") == (
        "**A title**\n\n| a_b | name | n |\n|---|---|---|\n| 0.1235 | x\\|y | 1000 |\n|  | 50 % & {1}^2 | 2 |\n"
    )


def test_latex_escapes_what_has_a_meaning() -> None:
    text = tables.as_latex(PASTED, r"Cost in $, with ~ and \ ")
    assert r"a\_b & name & n \\" in text
    assert r" & 50 \% \& \{1\}\textasciicircum{}2 & 2 \\" in text
    assert r"\caption{Cost in \$, with \textasciitilde{} and \textbackslash{} }" in text
    assert text.count(r"\begin") == text.count(r"\end") == 2


def test_trials_that_diverged_are_counted() -> None:
    """Only where there are some, because the column would say nothing elsewhere."""
    rows = [{"n": n, "series": "s", "variant": "main", "trial": t, "value": 1.0} for n in (1, 2) for t in range(4)]
    assert "diverged" not in tables.summarise([pd.DataFrame(rows)], ["n"], [])
    rows[5]["value"], rows[6]["value"] = math.inf, math.nan
    table = tables.summarise([pd.DataFrame(rows)], ["n"], [])
    assert table["diverged"].tolist() == [0, 2]
    assert table["mean"].tolist()[0] == 1.0
    assert not math.isfinite(table["mean"].tolist()[1])


def test_one_value_that_is_not_defined_is_no_divergence() -> None:
    row = {"n": 1, "series": "s", "variant": "main", "trial": 0, "value": math.nan}
    assert "diverged" not in tables.summarise([pd.DataFrame([row])], ["n"], [])
