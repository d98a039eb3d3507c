"""Reading, drawing, preparing and writing of tables."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from dpdescent.data import tabular
from dpdescent.data.iv import IVSample
from dpdescent.data.tabular import (
    TableError,
    bundled,
    centre,
    compress,
    draw_subset,
    read_prepared,
    read_sample,
    standardise_instruments,
    write_sample,
)

FINITE = st.floats(allow_nan=False, allow_infinity=False)
GOOD = "z,x,y,n\n7,7,7,0\n1,2,3.5,2\n0,2,3.5,1\n1,2,3.5,4\n1,0,3.5,0\n"


def table(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    return path


def read(path: Path, count: str | None = None) -> IVSample:
    return read_sample(path, ["z"], ["x"], "y", count)


@st.composite
def counted_samples(draw: st.DrawFn) -> IVSample:
    counts = draw(st.lists(st.integers(0, 9), min_size=1, max_size=12).filter(any))
    rows = len(counts)
    labels = np.arange(rows, dtype=float)
    return IVSample(labels[:, None], -labels[:, None], 2 * labels, np.array(counts, dtype=float))


@st.composite
def any_samples(draw: st.DrawFn) -> IVSample:
    rows, q, p = draw(st.integers(1, 6)), draw(st.integers(1, 3)), draw(st.integers(1, 3))
    Z, X = (draw(hnp.arrays(float, (rows, k), elements=FINITE)) for k in (q, p))
    y = draw(hnp.arrays(float, rows, elements=FINITE))
    counts = draw(st.none() | hnp.arrays(float, rows, elements=st.integers(0, 10**6).map(float)).filter(np.any))
    return IVSample(Z, X, y, counts)


def test_columns_are_taken_by_name_and_rows_in_the_order_of_the_file(tmp_path: Path) -> None:
    sample = read_sample(table(tmp_path, "y, b,a,c\n1,2,3,x\n4,5e-1,6,y\n"), ["a", "b"], ["b"], "y")
    np.testing.assert_array_equal(sample.Z, [[3, 2], [6, 0.5]])
    np.testing.assert_array_equal(sample.X, [[2], [0.5]])
    np.testing.assert_array_equal(sample.y, [1, 4])
    assert sample.count is None


def test_counted_rows_are_merged_sorted_and_stripped_of_zero_counts(tmp_path: Path) -> None:
    sample = read(table(tmp_path, GOOD), "n")
    np.testing.assert_array_equal(np.column_stack([sample.Z, sample.X, sample.y]), [[0, 2, 3.5], [1, 2, 3.5]])
    np.testing.assert_array_equal(sample.count, [1, 6])
    assert sample.n == 7


@pytest.mark.parametrize("name", sorted(tabular.BUNDLED))
def test_every_bundled_table_passes_its_checksum_and_a_changed_one_does_not(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = {
        "card": ("nearc4", "educ", "lwage"),
        "angrist_evans_married": ("samesex", "morekids", "weeks"),
        "digits": ("p00", "p77", "digit"),
    }
    z, x, y = columns.get(name, ("samesex", "kids", "worked" if "women" in name else "weeks"))
    assert read_sample(bundled(name), [z], [x], y).n > 0
    monkeypatch.setitem(tabular.BUNDLED, name, "0" * 64)
    with pytest.raises(TableError, match=f"'{name}'.*sha256.*is not the recorded 0000"):
        read_sample(bundled(name), [z], [x], y)


def test_an_unknown_bundled_name_is_met_with_the_nearest() -> None:
    with pytest.raises(TableError, match="'crad'; did you mean 'card'"):
        bundled("crad")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("z,x,yy\n1,2,3\n", "no column 'y'; did you mean 'yy'"),
        ("z,x,y,z\n1,2,3,4\n", "column 'z' occurs 2 times"),
        ("z,x,y\n1,2,3\n1,2,three\n", "line 3: column 'y' holds a text, which is not a number"),
        ("z,x,y\n1,2,1_0\n", "line 2: column 'y' holds a text, which is not a number"),
        ("z,x,y\n1,2,inf\n", "line 2: column 'y' holds a number that is not finite"),
        ("z,x,Y Y\n1,2,3\n", "no column 'y' among the 3 of its header"),
        ("z,x,y\n1,,3\n", "line 2: column 'x' is missing"),
        ("z,x,y\n1,NA,3\n", "line 2: column 'x' is missing .'NA'"),
        ("z,x,y\n\n1,nan,3\n", "line 3: column 'x' is missing .'nan'"),
        ("z,x,y\n1,2,3\n1,2\n", "line 3: 2 fields, but the header names 3"),
        ("z,x,y\n", "0 rows below the header"),
        ("", "no column 'z'.*no header"),
        ("z,x,y\n1,2," + 200_000 * "1", "line 2: column 'y' holds a number that is not finite"),
    ],
)
def test_a_bad_table_is_named_with_file_place_and_value(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TableError, match=rf"table\.csv: .*{message}"):
        read(table(tmp_path, text))


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ("-1", "line 2: column 'n' has a count that is no whole number"),
        ("1.5", "line 2: column 'n' has a count that is no whole number"),
        ("0", "hold no record"),
    ],
)
def test_bad_counts_are_refused(tmp_path: Path, counts: str, message: str) -> None:
    with pytest.raises(TableError, match=message):
        read(table(tmp_path, f"z,x,y,n\n1,2,3,{counts}\n"), "n")


def test_a_missing_file_is_met_with_what_lies_beside_it(tmp_path: Path) -> None:
    table(tmp_path, GOOD)
    with pytest.raises(TableError, match=r"tabel\.csv: no such file; did you mean 'table\.csv'"):
        read(tmp_path / "tabel.csv")
    with pytest.raises(TableError, match=r"say bundled\('card'\)"):
        read(tmp_path / "card")


def test_a_file_in_another_encoding_and_an_empty_choice_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes("z,x,y,ö\n1,2,3,4\n".encode("latin-1"))
    with pytest.raises(TableError, match="byte 6 is not UTF-8"):
        read(path)
    with pytest.raises(TableError, match=r"instruments \[\]"):
        read_sample(table(tmp_path, GOOD), [], ["x"], "y")


def test_compress_keeps_every_record() -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2, (500, 4)).astype(float)
    merged = compress(IVSample(rows[:, :2], rows[:, 2:3], rows[:, 3]))
    assert merged.count is not None
    again = np.repeat(np.column_stack([merged.Z, merged.X, merged.y]), merged.count.astype(int), axis=0)
    np.testing.assert_array_equal(again, rows[np.lexsort(rows.T[::-1])])
    assert merged.y.shape == (16,)
    with pytest.raises(ValueError, match="all 1 rows have count 0"):
        compress(IVSample(rows[:1, :2], rows[:1, 2:3], rows[:1, 3], np.zeros(1)))


@given(counted_samples(), st.data(), st.integers(0, 2**32))
def test_a_subset_of_counts_never_exceeds_them_and_adds_up(sample: IVSample, data: st.DataObject, seed: int) -> None:
    size = data.draw(st.integers(1, sample.n))
    drawn = draw_subset(sample, size, np.random.default_rng(seed))
    assert drawn.count is not None
    assert drawn.n == size
    assert (drawn.count > 0).all()
    assert (drawn.count <= sample.weights[drawn.y.astype(int) // 2]).all()
    np.testing.assert_array_equal(drawn.X, -drawn.Z)
    np.testing.assert_array_equal(drawn.y, 2 * drawn.Z[:, 0])


@given(st.integers(1, 40), st.data(), st.integers(0, 2**32))
def test_a_subset_of_rows_is_drawn_without_replacement(rows: int, data: st.DataObject, seed: int) -> None:
    size = data.draw(st.integers(1, rows))
    labels = np.arange(rows, dtype=float)
    drawn = draw_subset(IVSample(labels[:, None], labels[:, None], labels), size, np.random.default_rng(seed))
    assert drawn.n == size
    assert (np.diff(drawn.y) > 0).all()
    np.testing.assert_array_equal(drawn.Z[:, 0], drawn.y)


@pytest.mark.parametrize("counted", [True, False])
def test_every_record_is_drawn_equally_often(counted: bool) -> None:
    rng, draws, size = np.random.default_rng(2), 4000, 5
    counts = np.array([1.0, 3.0, 8.0])
    labels = np.arange(3.0) if counted else np.repeat(np.arange(3.0), counts.astype(int))
    sample = IVSample(labels[:, None], labels[:, None], labels, counts if counted else None)
    totals = np.zeros(3)
    for _ in range(draws):
        drawn = draw_subset(sample, size, rng)
        totals += np.bincount(drawn.y.astype(int), drawn.weights, minlength=3)
    share = counts / 12
    se = np.sqrt(size * share * (1 - share) * (12 - size) / 11 / draws)
    assert (np.abs(totals / draws - size * share) < 4 * se).all()


def test_a_subset_cannot_be_empty_or_larger_than_the_sample() -> None:
    sample = IVSample(np.ones((2, 1)), np.ones((2, 1)), np.ones(2), np.array([2.0, 3.0]))
    rng = np.random.default_rng(0)
    assert draw_subset(sample, 5, rng).n == 5
    for size in (0, 6):
        with pytest.raises(ValueError, match=f"size={size} must be between 1 and the 5"):
            draw_subset(sample, size, rng)


def test_centring_and_scaling_agree_with_the_expanded_sample() -> None:
    rng = np.random.default_rng(3)
    Z, X, y = rng.normal(2, 3, (6, 2)), rng.normal(1, 1, (6, 2)), rng.normal(5, 1, 6)
    counts = np.array([1.0, 2.0, 0.0, 4.0, 1.0, 3.0])
    k = counts.astype(int)
    prepared = standardise_instruments(centre(IVSample(Z, X, y, counts)))
    long_Z, long_X, long_y = np.repeat(Z, k, axis=0), np.repeat(X, k, axis=0), np.repeat(y, k)
    np.testing.assert_allclose(np.repeat(prepared.Z, k, axis=0), (long_Z - long_Z.mean(0)) / long_Z.std(0), rtol=1e-12)
    np.testing.assert_allclose(np.repeat(prepared.X, k, axis=0), long_X - long_X.mean(0), rtol=1e-12, atol=1e-14)
    np.testing.assert_allclose(np.repeat(prepared.y, k), long_y - long_y.mean(), rtol=1e-12, atol=1e-14)
    assert prepared.count is counts


def test_a_constant_instrument_has_no_scale() -> None:
    Z = np.array([[0.0, 0.1], [1.0, 0.1], [5.0, 7.0]])
    sample = IVSample(Z, Z[:, :1], Z[:, 0], np.array([1.0, 2.0, 0.0]))
    with pytest.raises(ValueError, match="column 1 of Z is constant"):
        standardise_instruments(centre(sample))


@given(any_samples())
def test_what_is_written_is_read_back_bit_for_bit(tmp_path_factory: pytest.TempPathFactory, sample: IVSample) -> None:
    path = tmp_path_factory.mktemp("round") / "sample.csv"
    write_sample(sample, path)
    again = read_prepared(path)
    for name in ("Z", "X", "y"):
        old, new = getattr(sample, name), getattr(again, name)
        assert new.shape == old.shape
        assert new.tobytes() == np.ascontiguousarray(old).tobytes()
    assert (again.count is None) == (sample.count is None)
    np.testing.assert_array_equal(again.weights, sample.weights)
    assert [other.name for other in path.parent.iterdir()] == ["sample.csv"]


@pytest.mark.parametrize(
    ("y", "count", "message"),
    [
        (np.nan, 1.0, "y has 1 values that are not finite"),
        (1.0, 0.5, "count 0.5"),
        (1.0, -1.0, "count -1.0"),
        (1.0, 0.0, "0 records"),
    ],
)
def test_what_could_not_be_read_back_is_not_written(tmp_path: Path, y: float, count: float, message: str) -> None:
    path = table(tmp_path, GOOD)
    with pytest.raises(ValueError, match=message):
        write_sample(IVSample(np.ones((2, 1)), np.ones((2, 1)), np.array([1.0, y]), np.array([count, count])), path)
    assert path.read_text(encoding="utf-8") == GOOD


@pytest.mark.parametrize("header", ["z0,x0,w", "x0,z0,y", "z0,y", "z1,x0,y", "z0,x0,y,n", "z0,x0,z1,y"])
def test_only_a_prepared_table_is_read_as_one(tmp_path: Path, header: str) -> None:
    text = header + "\n" + ",".join("1" for _ in header.split(",")) + "\n"
    with pytest.raises(TableError, match="write the file with write_sample"):
        read_prepared(table(tmp_path, text))


@pytest.mark.parametrize(
    ("first", "asked"),
    [
        ("31337,Smith,y", ("z", "x", "y")),
        ("Miller,Smith,4.5", ("Smith", "x", "q")),
        ("Miller,Smith,Jones", ("z", "x", "y")),
        ("Miller,NA,y", ("z", "x", "y")),
    ],
)
def test_a_record_in_place_of_a_header_is_not_shown(tmp_path: Path, first: str, asked: tuple[str, str, str]) -> None:
    z, x, y = asked
    with pytest.raises(TableError, match=r"in its first line \(3 fields, not shown") as caught:
        read_sample(table(tmp_path, f"{first}\n1,2,3\n"), [z], [x], y)
    told = str(caught.value).removeprefix(str(tmp_path))
    assert not any(field in told for field in set(first.split(",")) - set(asked))


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ((["z", "z"], ["x"], "y", None), "instruments: column 'z' stands twice; name it once"),
        ((["z"], ["x", "x"], "y", None), "regressors: column 'x' stands twice"),
        ((["z"], ["x"], "x", None), "regressors: column 'x' is the outcome; take it out of one of them"),
        ((["z"], ["x"], "z", None), "instruments: column 'z' is the outcome"),
        ((["x"], ["x"], "x", None), "regressors: column 'x' is the outcome"),
        ((["z"], ["x"], "y", "z"), "instruments: column 'z' is the column of counts"),
        ((["z"], ["x"], "y", "y"), "outcome: column 'y' is the column of counts"),
    ],
)
def test_roles_that_exclude_each_other_are_refused(tmp_path: Path, roles: Any, message: str) -> None:
    with pytest.raises(TableError, match=message):
        read_sample(table(tmp_path, "z,x,y\n1,2,3\n"), *roles)


def test_a_control_is_instrument_and_regressor(tmp_path: Path) -> None:
    made = read_sample(table(tmp_path, "z,x,y\n1,2,3\n"), ["z", "x"], ["x"], "y")
    assert (made.Z.tolist(), made.X.tolist()) == ([[1.0, 2.0]], [[2.0]])
