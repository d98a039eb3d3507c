"""Claims about other noise coefficients: Table 2, damped anti-PGD (App. C.5), and the choice of nu."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.choquettechoo2023.reading import EQUAL, RATE, SAME_ORDER, UNDIMINISHED, claim, every, rows
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import about, at_least, at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Source
from dpdescent.replication.judging.statistics import NOTHING, Estimate, exactly

UNDAMPED, NU, ANTI_PGD, DAMPED = "Fichtenberger et al. (nu = 0)", "nu-Noisy-FTRL", "Anti-PGD", "Anti-PGD + damping"
BEST_DAMPED = "damped anti-PGD at the best nu"
# "gamma(beta)^2 <= 5 log(1/(eta mu)) always" (App. D.4).
SENSITIVITY_CONSTANT = 5.0


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Judges Table 2 by columns, then anti-PGD with damping, then the choice of nu."""
    yield from _sensitivities(evidence)
    yield from _suboptimalities(evidence)
    yield _diverging(evidence)
    yield from _anti_pgd(evidence)
    yield _small_nu(evidence)


def _table2(evidence: Evidence, row: str, quantity: str) -> pd.DataFrame:
    return rows(evidence, "table2", row=row, quantity=quantity)


def _sensitivities(evidence: Evidence) -> Iterator[Claim]:
    found = {name: _table2(evidence, name, "sensitivity squared") for name in (UNDAMPED, NU, ANTI_PGD, DAMPED)}
    undamped, damped = found[UNDAMPED], found[DAMPED]
    statements: tuple[tuple[str, Source, str, str, pd.DataFrame, str, str], ...] = (
        ("table2-sensitivity-undamped", "paper", UNDAMPED, "log T", undamped, "T", "natural logarithm"),
        ("table2-sensitivity-damped-anti-pgd", "identity", DAMPED, "1/nu", algebra.at_end(damped, "T"), "nu, at the largest T", "a geometric sum, 1/(nu (2 - nu))"),
    )  # fmt: skip
    for id, source, row, entry, table, axis, note in statements:
        yield claim(
            id=id, artefact="table2", location="Table 2", kind="table", source=source,
            statement=f"{row}: gamma_T^2 is of the order {entry}",
            quantity=f"gamma_T^2 over {entry}: largest over smallest over {axis}",
            measured=algebra.spread(table["mean"]), criterion=at_most(SAME_ORDER),
            note=note,
        )  # fmt: skip
    yield every(
        id="table2-sensitivity-nu", artefact="table2", location="Table 2, App. D.4", kind="table", source="paper",
        statement="nu-Noisy-FTRL: gamma_T^2 is of the order log(1/nu), and at most 5 log(1/(eta mu)) always",
        quantity="gamma_T^2 over log(1/nu): the largest over T and eta",
        cells=algebra.means(found[NU], ["eta", "T"]), criterion=at_most(SENSITIVITY_CONSTANT),
    )  # fmt: skip
    yield every(
        id="table2-sensitivity-anti-pgd", artefact="table2", location="Table 2, App. C.5", kind="table", source="identity",
        statement="Anti-PGD: gamma_T^2 = T, the norm of a column of ones",
        quantity="gamma_T^2 over T: the one that is furthest from 1",
        cells=algebra.means(found[ANTI_PGD], ["eta", "T"]), criterion=about(1.0, EQUAL),
    )  # fmt: skip


def _suboptimalities(evidence: Evidence) -> Iterator[Claim]:
    """Judges the errors that Table 2 says are finite; rows differ in eta, and in nu with it."""
    found = _table2(evidence, NU, "suboptimality").sort_values("eta", ascending=False)
    yield claim(
        id="table2-suboptimality-nu", artefact="table2", location="Table 2", kind="table", source="paper",
        statement="nu-Noisy-FTRL with 0 < nu <= eta mu: F_inf is at most of the order eta^2 G^2 Tr H log^2(1/nu) / rho",
        quantity="exact F_inf over that order as eta falls: its largest value over its first",
        measured=algebra.growth(found["mean"]), criterion=at_most(SAME_ORDER),
    )  # fmt: skip
    damped = _table2(evidence, DAMPED, "suboptimality")
    yield claim(
        id="table2-suboptimality-damped-anti-pgd", artefact="table2", location="Table 2, C.24", kind="table", source="paper",
        statement="Anti-PGD with damping: F_inf is of the order eta^(3/2) G^2 sqrt(d Tr H) / rho",
        quantity="exact F_inf over that order: largest over smallest over eta",
        measured=algebra.spread(damped["mean"]), criterion=at_most(SAME_ORDER),
    )  # fmt: skip


def _diverging(evidence: Evidence) -> Claim:
    horizon = rows(evidence, "table2", quantity="suboptimality at horizon T").sort_values("T")
    horizon = horizon[horizon["row"].isin([UNDAMPED, ANTI_PGD])]
    return every(
        id="table2-diverges", artefact="table2", location="Table 2, caption", kind="table", source="paper",
        statement="Fichtenberger et al. and Anti-PGD have F_inf = inf, because the sensitivity diverges as T -> inf",
        quantity="what the error with gamma_T grows by from one T to the next, last over first: the smallest over both and eta",
        cells=algebra.by(horizon, ["row", "eta"], _last_step_over_first), criterion=at_least(UNDIMINISHED, ": it does not level off"),
    )  # fmt: skip


def _last_step_over_first(table: pd.DataFrame) -> Estimate:
    """What the last horizon adds to the error over what the second adds to the first; horizons grow by equal factors."""
    moves = table["exact"].diff().dropna().tolist()
    return exactly(moves[-1] / moves[0]) if len(moves) > 1 and moves[0] > 0 else NOTHING


def _anti_pgd(evidence: Evidence) -> Iterator[Claim]:
    place = "Table 2, C.24"
    best = {panel: rows(evidence, "ext_anti_pgd", panel=panel, series=BEST_DAMPED) for panel in ("eta", "d")}
    yield claim(
        id="anti-pgd-eta", artefact="ext_anti_pgd", location=place, kind="table", source="paper",
        statement="with damping F_inf goes with eta^(3/2)",
        quantity="log-log slope in eta of the exact F_inf at the best nu",
        measured=algebra.exponent(best["eta"], "eta"), criterion=about(1.5, RATE),
    )  # fmt: skip
    yield claim(
        id="anti-pgd-d", artefact="ext_anti_pgd", location=place, kind="table", source="paper",
        statement="with damping F_inf goes with sqrt(d Tr H)",
        quantity="log-log slope of the exact F_inf at the best nu against eta^(3/2) sqrt(d Tr H), as d grows",
        measured=algebra.exponent(best["d"], "leading_order"), criterion=about(1.0, RATE),
    )  # fmt: skip
    over_nu = rows(evidence, "ext_anti_pgd", panel="nu", series="damped anti-PGD")
    yield claim(
        id="anti-pgd-nu", artefact="ext_anti_pgd", location="C.24", kind="theorem", source="paper",
        statement="F_inf = Theta(eta G^2 rho^-1 (nu d + eta Tr H / nu))",
        quantity="exact F_inf over that order: largest over smallest over nu",
        measured=algebra.spread(over_nu["mean"] / over_nu["leading_order"]), criterion=at_most(SAME_ORDER),
    )  # fmt: skip
    both = pd.concat(best.values())
    table = rows(evidence, "ext_anti_pgd")
    sgd, ftrl = (table[table["series"] == series] for series in ("Noisy-SGD", NU))
    where = ["panel", "eta", "d"]
    above, below = (
        algebra.ratios(upper, lower, where, ["series", *where]) for upper, lower in ((both, ftrl), (sgd, both))
    )
    yield every(
        id="anti-pgd-interpolates", artefact="ext_anti_pgd", location="Sec. 2.2", kind="text", source="paper",
        statement="a variant of anti-PGD interpolates between the rates of Noisy-SGD and nu-Noisy-FTRL",
        quantity="its exact F_inf over that of nu-Noisy-FTRL, and that of Noisy-SGD over its own: the smallest ratio",
        cells=above | below, criterion=at_least(1.0 + EQUAL, words="above 1"),
    )  # fmt: skip
    middle = ftrl.merge(sgd[[*where, "mean"]], on=where, suffixes=("", "_sgd"))
    middle = middle.assign(mean=(middle["mean"] * middle["mean_sgd"]) ** 0.5)
    shares = [each.value for each in algebra.ratios(both, middle, where).values()]
    yield claim(
        id="anti-pgd-geometric-mean", artefact="ext_anti_pgd", location="Sec. 2.2, Table 2", kind="text", source="paper",
        statement="its error is the geometric mean of those of Noisy-SGD and nu-Noisy-FTRL, ignoring log factors",
        quantity="exact F_inf over that mean: largest over smallest over eta and d",
        measured=algebra.spread(shares), criterion=at_most(SAME_ORDER),
        note=f"the ratio itself is {min(shares):.3g} to {max(shares):.3g}" if shares else "",
    )  # fmt: skip


def _small_nu(evidence: Evidence) -> Claim:
    """Judges values of nu below eta mu, which Theorem 2.2 allows and charges log^2(1/nu) for."""
    found = rows(evidence, "ext_nu", series="over the optimum")
    allowed = found[found["nu_over_eta_mu"] <= 1.0].sort_values("nu", ascending=False)
    return every(
        id="nu-below-eta-mu", artefact="ext_nu", location="Thm 2.2", kind="theorem", source="paper",
        statement="for every nu <= eta mu F_inf of nu-Noisy-FTRL is at most of the order eta^2 G^2 log^2(1/nu) Tr H / rho",
        quantity="exact F_inf over log^2(1/nu) as nu falls from eta mu: its largest value over its first, by spectrum and eta the largest",
        cells=algebra.by(allowed, ["panel", "alpha", "eta"], _over_log), criterion=at_most(SAME_ORDER),
        note=f"at the best nu of all F_inf is at most {found['value_at_best'].max():.3g} times the infimum" if len(found) else "",
    )  # fmt: skip


def _over_log(table: pd.DataFrame) -> Estimate:
    """The growth of F_inf over log^2(1/nu), from the first row on."""
    return algebra.growth(
        row["mean"] / math.log(1.0 / row["nu"]) ** 2 for row in algebra.each(table) if 0 < row["nu"] < 1
    )
