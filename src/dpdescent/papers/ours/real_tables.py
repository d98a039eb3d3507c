"""Real tables of a contest: their columns, and the public units in which a codebook gives them.

A unit is a centre and a scale. Where units are documented they were written down from the table's documentation, before
its rows were read; of the other tables they are what is known of such columns, chosen with the table known and close to
the rows' own moments, so that no guarantee is claimed there. Columns of zeros and ones have centre and scale 0.5.
`tables/README.md` tells where each file comes from.
"""

import csv
import hashlib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from dpdescent.data.linear import LinearSample
from dpdescent.papers.ours.setting import Array
from dpdescent.privacy.events import Mechanism

KNOWN = (
    "columns' units were chosen with the table known, and are close to its own moments; the noise is that of a run for "
    "which they are public"
)

FOLDER = Path(__file__).parent / "tables"
Unit = tuple[float, float]
BINARY: Unit = (0.5, 0.5)


@dataclass(frozen=True)
class Table:
    """A table's columns in public units.

    Attributes:
        outcome: column of the outcome.
        unit: its centre and scale, of its logarithm where `logged`.
        columns: covariates with their units.
        sha256: of the committed file.
        logged: columns that are taken as logarithms.
        documented: whether units, rule, contenders and criteria were committed before the table was read.
    """

    outcome: str
    unit: Unit
    columns: dict[str, Unit]
    sha256: str
    logged: tuple[str, ...] = ()
    documented: bool = False


TABLES = {
    "cps1988": Table(
        "wage", (6.0, 0.7),
        {"education": (13, 3), "experience": (18, 13), "afam": BINARY, "smsa": BINARY, "parttime": BINARY},
        "d8e440bac3b64b3296e04448d5a7d1f1b39bd0e9dff563e45d431fe570e157ab", logged=("wage",),
    ),
    "cpssw8": Table(
        "earnings", (2.7, 0.5),
        {"age": (42, 11), "education": (13.5, 2.5), "female": BINARY, "south": BINARY, "west": BINARY,
         "northeast": BINARY},
        "9560736f103ec465c8867cf19ac7fb6a63f0fcfbc545df4e5bcd328dbf4ef22d", logged=("earnings",),
    ),
    "diamonds": Table(
        "price", (7.8, 1.0),
        {"carat": (0.8, 0.5), "depth": (62, 1.5), "table": (57, 2), "cut": (4, 1), "color": (4, 1.7),
         "clarity": (4, 1.7)},
        "156c52e794f182e6ff04bdd6f2fd69a7f6037ba8c4c250aa67f9add3b7ef27d4", logged=("price",),
    ),
    "randhie": Table(
        "mdvis", (3, 4.5),
        {"logc": (2.4, 2), "idp": BINARY, "lpi": (4.7, 2.7), "fmde": (4, 3.5), "physlm": BINARY, "disea": (11, 7),
         "hlthg": BINARY, "hlthf": BINARY, "linc": (8.7, 1.2), "xage": (26, 17), "female": BINARY},
        "73767e5f8bd48317d806ad9fc3c65a0fa3f151adc57fe6635f5207e88e01b344",
    ),
    "gss_wages": Table(
        "realrinc", (9.6, 1.1),
        {"age": (44, 14), "prestg10": (43, 13), "childs": (2, 1.7), "female": BINARY, "fulltime": BINARY,
         "degree": (2, 1.2), "married": BINARY, "year": (1996, 13)},
        "e67f0a4bef89ceaa4351fd0605b8ce404daa095c21b294fa0302944e3cd849eb", logged=("realrinc",),
    ),
    "ames": Table(
        "Sale_Price", (12, 0.4),
        {"Gr_Liv_Area": (1500, 500), "Year_Built": (1970, 30), "Lot_Area": (9.1, 0.5), "Total_Bsmt_SF": (1000, 450),
         "Full_Bath": (1.5, 0.5), "Bedroom_AbvGr": (3, 0.8), "Garage_Cars": (1.8, 0.8), "Fireplaces": (0.6, 0.6)},
        "7681fdb4bc629a5ef27e10107f1b2ddbff825823a4466aabbcf3682a6fdb80b4", logged=("Sale_Price", "Lot_Area"),
    ),
    "affairs": Table(
        "affairs", (1.5, 3.3),
        {"female": BINARY, "age": (32, 9), "yearsmarried": (8, 5.5), "children": BINARY, "religiousness": (3, 1.2),
         "education": (16, 2.4), "occupation": (4, 1.8), "rating": (4, 1.1)},
        "b7698a6a1dad976d2033949c6887d9ab5cb3b2353750e67cf0aee3f240b49987",
    ),
    "card": Table(
        "lwage", (6.2, 0.45),
        {"educ": (13, 2.7), "exper": (9, 4), "black": BINARY, "south": BINARY, "smsa": BINARY, "married": BINARY},
        "ec20c547ea914a6cf533c5683b47872b4470e97056a3de0eefe4df94527a098e",
    ),
    "caschools": Table(
        "math", (650, 20),
        {"lunch": (50, 25), "english": (20, 20), "calworks": (15, 12), "income": (15, 7), "expenditure": (5300, 600),
         "stratio": (20, 2)},
        "b6a8562ce22cb7d8d9fda0fff08b2e7babb1db5bb871e9b59d633acf8969e61e", documented=True,
    ),
    "mortgages": Table(
        "home_ownership", BINARY,
        {"nonwhite": BINARY, "vet_wwko": BINARY, "qob_minus_kw": (0, 20)},
        "e1acfd66646998b2a32bd1372b93aa9d4da2d3f6d83a2f90fd3df753a8364167", documented=True,
    ),
    "flights": Table(
        "arr_delay", (0, 40),
        {"dep_delay": (10, 40), "distance": (1000, 700), "air_time": (150, 90), "hour": (13, 5), "month": (6.5, 3.5)},
        "244a206129a6c1b25c919c74aab3f7592bd2f563aafa17fee0c3914b2157613e", documented=True,
    ),
    "weather": Table(
        "dewp", (40, 18),
        {"temp": (55, 18), "humid": (60, 20), "wind_speed": (10, 5.5), "pressure": (1016, 8), "visib": (9, 2),
         "hour": (12, 7)},
        "bfad0eeeff8c5f74d1bdc0e4416b9774206de7c575ca358b05b2786968b6f68b", documented=True,
    ),
    "movies": Table(
        "rating", (6, 1.5),
        {"year": (1975, 25), "length": (4.4, 0.6), "votes": (4, 2), "action": BINARY, "animation": BINARY,
         "comedy": BINARY, "drama": BINARY, "documentary": BINARY, "romance": BINARY, "short": BINARY},
        "ee783aef96c90f85c83fc77413a45393525ec26f50423f6a86112a6371cb5199", logged=("length", "votes"), documented=True,
    ),
    "star": Table(
        "tmathssk", (485, 50),
        {"treadssk": (435, 32), "small": BINARY, "aide": BINARY, "totexpk": (9, 6), "girl": BINARY, "lunch": BINARY,
         "black": BINARY},
        "0919f92d0cd6d86ab617834109dac3db9b40c6fcf0b3c1871ad4546efc955841", documented=True,
    ),
    "computers": Table(
        "price", (7.6, 0.35),
        {"speed": (50, 20), "hd": (6, 0.7), "ram": (2.1, 0.7), "screen": (14.5, 0.8), "cd": BINARY, "multi": BINARY,
         "premium": BINARY, "ads": (200, 80), "trend": (18, 9)},
        "c1a617e8b8157d9510fa675603ab1545560c1e75e128504899cd0c0f2cba9ca6", logged=("price", "hd", "ram"),
        documented=True,
    ),
    "vocab": Table(
        "vocabulary", (6, 2.1), {"year": (1995, 13), "education": (13, 3), "female": BINARY},
        "b4b8cc263975bd162c32be4792d2b34c4b177dfec8a8e9e802d6952d1ddcd822", documented=True,
    ),
}  # fmt: skip


def as_known(event: Mechanism, documented: bool) -> Mechanism:
    """Returns the event of a run on a table, which has no guarantee where units were chosen with the table known."""
    if documented or event.guarantee == "none":
        return event
    return replace(event, guarantee="none", reason=f"{KNOWN}; {event.reason}")


@cache
def sample(name: str) -> LinearSample:
    """Returns a table's records in public units, a column of ones first.

    Raises:
        ValueError: if there is no such table, or its file is not the one that was committed.
    """
    if name not in TABLES:
        raise ValueError(f"table={name!r} must be one of {', '.join(TABLES)}")
    table, path = TABLES[name], FOLDER / f"{name}.csv"
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != table.sha256:
        raise ValueError(f"{path}: not the file that was committed (another sha256); take it from git again")
    rows = list(csv.DictReader(content.decode("utf-8").splitlines()))
    y = _standard(rows, table.outcome, table.unit, table)
    X = [_standard(rows, column, unit, table) for column, unit in table.columns.items()]
    return LinearSample(np.column_stack([np.ones(len(y)), *X]), y)


def _standard(rows: list[dict[str, str]], column: str, unit: Unit, table: Table) -> Array:
    """A column in public units."""
    values = np.array([row[column] for row in rows], dtype=np.float64)
    centre, scale = unit
    return np.asarray(((np.log(values) if column in table.logged else values) - centre) / scale)
