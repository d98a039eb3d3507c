"""Claims about other noise coefficients: Table 2, damped anti-PGD (App. C.5), and the choice of nu."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.choquettechoo2023.claims.quantities import by, exponent, ratios
from dpdescent.papers.choquettechoo2023.reading import EQUAL, RATE, SAME_ORDER, UNDIMINISHED, claim, claim_on_all, rows
from dpdescent.replication.judging.cells import NOTHING, exactly, growth, listed, positive, spread, within
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import Estimate

UNDAMPED, NU, ANTI_PGD, DAMPED = "Fichtenberger et al. (nu = 0)", "nu-Noisy-FTRL", "Anti-PGD", "Anti-PGD + damping"
BEST_DAMPED = "damped anti-PGD at the best nu"
# "gamma(beta)^2 <= 5 log(1/(eta mu)) always" (App. D.4).
SENSITIVITY_CONSTANT = 5.0


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Table 2 by columns, then anti-PGD with damping, then nu."""
    yield from _sensitivities(evidence)
    yield from _suboptimalities(evidence)
    yield _diverging(evidence)
    yield from _anti_pgd(evidence)
    yield _small_nu(evidence)


def _table2(evidence: Evidence, row: str, quantity: str) -> pd.DataFrame:
    return rows(evidence, "table2", row=row, quantity=quantity)


def _sensitivities(evidence: Evidence) -> Iterator[Claim]:
    found = {name: _table2(evidence, name, "sensitivity squared") for name in (UNDAMPED, NU, ANTI_PGD, DAMPED)}
    for name, row, entry in (("undamped", UNDAMPED, "log T"), ("damped-anti-pgd", DAMPED, "1/nu")):
        settled = found[row] if row == UNDAMPED else _longest(found[row])
        yield claim(
            f"table2-sensitivity-{name}", "table2", "Table 2", f"{row}: gamma_T^2 is of the order {entry}",
            f"gamma_T^2 over {entry}: largest over smallest over {'T' if row == UNDAMPED else 'nu, at the largest T'}", spread(settled["mean"]),
            f"at most {SAME_ORDER:g}", at_most=SAME_ORDER, note="natural logarithm" if row == UNDAMPED else "",
        )  # fmt: skip
    over_log = positive(found[NU]["mean"])
    yield claim_on_all(
        "table2-sensitivity-nu", "table2", "Table 2, App. D.4", "nu-Noisy-FTRL: gamma_T^2 is of the order log(1/nu), and at most 5 log(1/(eta mu)) always",
        "gamma_T^2 over log(1/nu): the largest over T and eta", [exactly(each) for each in over_log], f"at most {SENSITIVITY_CONSTANT:g}", at_most=SENSITIVITY_CONSTANT,
    )  # fmt: skip
    yield claim_on_all(
        "table2-sensitivity-anti-pgd", "table2", "Table 2, App. C.5", "Anti-PGD: gamma_T^2 = T, the norm of a column of ones",
        "gamma_T^2 over T: the one that is furthest from 1", [exactly(each) for each in positive(found[ANTI_PGD]["mean"])],
        **within(EQUAL),
    )  # fmt: skip


def _longest(table: pd.DataFrame) -> pd.DataFrame:
    return table[table["T"] == table["T"].max()]


def _suboptimalities(evidence: Evidence) -> Iterator[Claim]:
    """Rows differ in eta, and in nu with it."""
    found = _table2(evidence, NU, "suboptimality").sort_values("eta", ascending=False)
    yield claim(
        "table2-suboptimality-nu", "table2", "Table 2", "nu-Noisy-FTRL with 0 < nu <= eta mu: F_inf is at most of the order eta^2 G^2 Tr H log^2(1/nu) / rho",
        "exact F_inf over that order as eta falls: its largest value over its first", growth(found["mean"]), f"at most {SAME_ORDER:g}", at_most=SAME_ORDER,
    )  # fmt: skip
    damped = _table2(evidence, DAMPED, "suboptimality")
    yield claim(
        "table2-suboptimality-damped-anti-pgd", "table2", "Table 2, C.24", "Anti-PGD with damping: F_inf is of the order eta^(3/2) G^2 sqrt(d Tr H) / rho",
        "exact F_inf over that order: largest over smallest over eta", spread(damped["mean"]), f"at most {SAME_ORDER:g}", at_most=SAME_ORDER,
    )  # fmt: skip


def _diverging(evidence: Evidence) -> Claim:
    horizon = rows(evidence, "table2", quantity="suboptimality at horizon T").sort_values("T")
    horizon = horizon[horizon["row"].isin([UNDAMPED, ANTI_PGD])]
    return claim_on_all(
        "table2-diverges", "table2", "Table 2, caption", "Fichtenberger et al. and Anti-PGD have F_inf = inf, because the sensitivity diverges as T -> inf",
        "what the error with gamma_T grows by from one T to the next, last over first: the smallest over both and eta",
        by(horizon, ["row", "eta"], _last_step_over_first), f"at least {UNDIMINISHED:g}: it does not level off", at_least=UNDIMINISHED,
        note="; ".join(f"{row}, eta = {eta:g}: {listed((f'T = {T:g}', value) for T, value in zip(group['T'], group['exact'], strict=True))}" for (row, eta), group in horizon.groupby(["row", "eta"])),
    )  # fmt: skip


def _last_step_over_first(table: pd.DataFrame) -> Estimate:
    """Of values at horizons that grow by equal factors."""
    moves = table["exact"].diff().dropna().tolist()
    return exactly(moves[-1] / moves[0]) if len(moves) > 1 and moves[0] > 0 else NOTHING


def _anti_pgd(evidence: Evidence) -> Iterator[Claim]:
    place = "Table 2, C.24"
    best = {panel: rows(evidence, "ext_anti_pgd", panel=panel, series=BEST_DAMPED) for panel in ("eta", "d")}
    yield claim(
        "anti-pgd-eta", "ext_anti_pgd", place, "with damping F_inf goes with eta^(3/2)", "log-log slope in eta of the exact F_inf at the best nu",
        exponent(best["eta"], "eta"), **within(RATE, 1.5),
    )  # fmt: skip
    yield claim(
        "anti-pgd-d", "ext_anti_pgd", place, "with damping F_inf goes with sqrt(d Tr H)",
        "log-log slope of the exact F_inf at the best nu against eta^(3/2) sqrt(d Tr H), as d grows", exponent(best["d"], "leading_order"),
        **within(RATE),
    )  # fmt: skip
    over_nu = rows(evidence, "ext_anti_pgd", panel="nu", series="damped anti-PGD")
    yield claim(
        "anti-pgd-nu", "ext_anti_pgd", "C.24", "F_inf = Theta(eta G^2 rho^-1 (nu d + eta Tr H / nu))",
        "exact F_inf over that order: largest over smallest over nu", spread(over_nu["mean"] / over_nu["leading_order"]), f"at most {SAME_ORDER:g}", at_most=SAME_ORDER,
    )  # fmt: skip
    both = pd.concat(best.values())
    table = rows(evidence, "ext_anti_pgd")
    sgd, ftrl = (table[table["series"] == series] for series in ("Noisy-SGD", NU))
    where = ["panel", "eta", "d"]
    between = [*ratios(both, ftrl, where), *ratios(sgd, both, where)]
    yield claim_on_all(
        "anti-pgd-interpolates", "ext_anti_pgd", "Sec. 2.2", "a variant of anti-PGD interpolates between the rates of Noisy-SGD and nu-Noisy-FTRL",
        "its exact F_inf over that of nu-Noisy-FTRL, and that of Noisy-SGD over its own: the smallest ratio", between, "above 1", at_least=1.0 + EQUAL,
    )  # fmt: skip
    middle = ftrl.merge(sgd[[*where, "mean"]], on=where, suffixes=("", "_sgd"))
    middle = middle.assign(mean=(middle["mean"] * middle["mean_sgd"]) ** 0.5)
    shares = [each.value for each in ratios(both, middle, where)]
    yield claim(
        "anti-pgd-geometric-mean", "ext_anti_pgd", "Sec. 2.2, Table 2", "its error is the geometric mean of those of Noisy-SGD and nu-Noisy-FTRL, ignoring log factors",
        "exact F_inf over that mean: largest over smallest over eta and d", spread(shares), f"at most {SAME_ORDER:g}", at_most=SAME_ORDER,
        note=f"the ratio itself is {min(shares):.3g} to {max(shares):.3g}" if shares else "",
    )  # fmt: skip


def _small_nu(evidence: Evidence) -> Claim:
    """Theorem 2.2 allows every nu <= eta mu and charges log^2(1/nu) for it."""
    found = rows(evidence, "ext_nu", series="over the optimum")
    allowed = found[found["nu_over_eta_mu"] <= 1.0].sort_values("nu", ascending=False)
    best = found.drop_duplicates(["panel", "alpha", "eta"])
    return claim_on_all(
        "nu-below-eta-mu", "ext_nu", "Thm 2.2", "for every nu <= eta mu F_inf of nu-Noisy-FTRL is at most of the order eta^2 G^2 log^2(1/nu) Tr H / rho",
        "exact F_inf over log^2(1/nu) as nu falls from eta mu: its largest value over its first, by spectrum and eta the largest",
        by(allowed, ["panel", "alpha", "eta"], _over_log), f"at most {SAME_ORDER:g}", at_most=SAME_ORDER,
        note="best nu of all, F_inf over the infimum: " + listed((f"alpha = {row['alpha']:g}, eta = {row['eta']:g}", row["value_at_best"]) for _, row in best.iterrows()),
    )  # fmt: skip


def _over_log(table: pd.DataFrame) -> Estimate:
    return growth(row["mean"] / math.log(1.0 / row["nu"]) ** 2 for _, row in table.iterrows() if 0 < row["nu"] < 1)
