"""brown2024's table of bounds: values by other means, and what decides a bound on edits of the committed tables."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import chi2, norm

import committed as of
from dpdescent.papers.brown2024 import bounds, cases
from dpdescent.privacy import zcdp
from dpdescent.replication.judging import bound_rows
from dpdescent.replication.judging.evidence import Bound
from later import Later

committed = partial(of.committed, "brown2024")

ROWS = Later(lambda: {f"{row.bound} | {row.setting}": row for row in bounds.evaluate(committed())})
Change = Callable[[pd.DataFrame], pd.DataFrame]


def only(name: str, setting: str = "", rows: list[Bound] | None = None) -> Bound:
    """The one row of that name whose setting begins so, at the end of a word or number."""
    end = len(setting)
    found = [
        row for row in (ROWS.values() if rows is None else rows)
        if row.bound == name and row.setting.startswith(setting) and not (end and row.setting[end : end + 1].isalnum())
    ]  # fmt: skip
    assert len(found) == 1, [(row.bound, row.setting) for row in found]
    return found[0]


def changed(artefact: str, change: Change) -> list[Bound]:
    """Rows once a table is another one."""
    made = committed().tables | {artefact: change(committed().tables[artefact].copy())}
    return bounds.evaluate(replace(committed(), tables=made))


def put(**values: float) -> Callable[..., Change]:
    """Puts values into columns of the rows that have others."""

    def where(**given: object) -> Change:
        def change(table: pd.DataFrame) -> pd.DataFrame:
            chosen = (table[list(given)] == list(given.values())).all(axis=1)
            assert chosen.any(), given
            table[list(values)] = table[list(values)].astype(float)
            table.loc[chosen, list(values)] = list(values.values())
            return table

        return change

    return where


def test_a_bound_stands_once_at_a_setting_and_orders_are_open() -> None:
    assert len(ROWS) == len(bounds.evaluate(committed())) > 800
    for row in ROWS.values():
        assert math.isfinite(row.value), row
        assert row.measured is None or math.isfinite(row.measured), row
        assert row.holds is None or bound_rows.ORDER not in row.note, row
        assert bound_rows.ORDER in row.note or "c' = 1" not in row.note, row
        if row.bound.startswith(("bound (76)", "bound by")):
            assert ("vacuous" in row.note) == (row.value >= 1), row


# Values by other means


def test_cost_of_a_run() -> None:
    spent = only("zCDP cost", "Figure 2: p=10, n=1000, T=20, rho=0.1, gamma=5 sqrt(p)")
    noise_sd = math.sqrt(2 * 20 * 250 / (0.1 * 1000**2))
    assert (spent.value, spent.holds) == (0.1, True)
    assert spent.measured == pytest.approx(20 * (2 * math.sqrt(250) / 1000) ** 2 / (2 * noise_sd**2), rel=1e-12)
    together = only("zCDP cost", "Figure 5, clipped, independent runs: p=10, n=10000, T=202, 10 runs, rho=0.015")
    assert (together.measured, together.holds) == (pytest.approx(0.015, rel=1e-12), True)
    assert "2020 releases" in together.note
    for place, rho in (("Figure 1:", 0.05), ("Figure 2:", 0.1), ("Figure 3:", 0.015), ("Figure 9:", 0.05)):
        own = {row.value for row in ROWS.values() if row.bound == "zCDP cost" and row.setting.startswith(place)}
        assert own == {rho}


def test_a_run_that_costs_more_than_its_budget_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dpdescent.papers.brown2024.guarantees.mean_sensitivity", lambda gamma, n: 3 * gamma / n)
    costs = [row for row in bounds.evaluate(committed()) if row.bound == "zCDP cost"]
    assert {row.holds for row in costs} == {False}


def test_a_cost_that_is_too_small_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Gaussian release is said to cost a hundredth less than it does."""
    own = SimpleNamespace(gaussian_rho=lambda *given: 0.99 * zcdp.gaussian_rho(*given), epsilon=zcdp.epsilon)
    monkeypatch.setattr("dpdescent.papers.brown2024.gaussian_releases.zcdp", own)
    rows = [row for row in bounds.evaluate(committed()) if row.bound.startswith("Renyi divergence of ")]
    assert [row.holds for row in rows] == [row.bound.endswith("two releases") and "depends" in row.setting
                                           and "order 2," in row.setting for row in rows]  # fmt: skip


def test_divergences_of_releases_by_scipy() -> None:
    found = only("Renyi divergence of a release", "order 8, Delta/lambda = 0.3")
    integral, _ = quad(lambda x: norm.pdf(x, 0.3) ** 8 * norm.pdf(x) ** -7, -10, 12)
    assert (found.value, found.measured) == (pytest.approx(0.36), pytest.approx(math.log(integral) / 7, rel=1e-9))
    together = only(
        "Renyi divergence of two releases", "order 2, Delta/lambda = 0.5 and 1, second depends on the first"
    )
    # The second release's moment of order 2 is e to the square of its distance.
    joint, _ = quad(lambda x: norm.pdf(x, 0.5) ** 2 / norm.pdf(x) * math.exp(math.tanh(x) ** 2), -12, 13)
    assert (together.value, together.measured) == (1.25, pytest.approx(math.log(joint), rel=1e-9))


@pytest.mark.parametrize(("factor", "held"), [(1.0, 16), (0.94, 15)])
def test_an_epsilon_that_is_too_small_is_seen(factor: float, held: int, monkeypatch: pytest.MonkeyPatch) -> None:
    own = SimpleNamespace(gaussian_rho=zcdp.gaussian_rho, epsilon=lambda *given: factor * zcdp.epsilon(*given))
    monkeypatch.setattr("dpdescent.papers.brown2024.gaussian_releases.zcdp", own)
    rows = [row for row in bounds.evaluate(committed()) if row.bound == "epsilon of any rho"]
    assert (len(rows), sum(row.holds is True for row in rows)) == (16, held)


@pytest.mark.parametrize("rho", [0.015, 0.05, 0.1, 1.0])
def test_epsilon_of_the_budgets(rho: float) -> None:
    found = only("epsilon of rho", f"rho={rho:g},")
    assert found.value == pytest.approx(rho + 2 * math.sqrt(rho * math.log(1e6)), rel=1e-12)
    assert found.holds
    # The exact delta of Gaussian noise at the least epsilon is the one asked for.
    mu, eps = math.sqrt(2 * rho), found.measured or 0.0
    delta = norm.cdf(mu / 2 - eps / mu) - math.exp(eps) * norm.cdf(-mu / 2 - eps / mu)
    assert delta == pytest.approx(1e-6, rel=1e-3)


@pytest.mark.parametrize(("printed", "holds"), [(0.9255, True), (0.927, False)])
def test_a_printed_epsilon_that_is_off_is_seen(printed: float, holds: bool) -> None:
    spec = committed().spec | {"published": committed().published | {"epsilon_at_rho": {"0.015": printed}}}
    rows = bounds.evaluate(replace(committed(), spec=spec))
    assert only("epsilon printed for rho", rows=rows).holds == holds


def test_parts_of_the_condition_by_tails() -> None:
    """Union bounds over records and steps, each part with a fifth of beta."""
    setting, n, T, beta = "no clipping: p=10, n=1000, T=20", 1000, 20, 0.05
    log = math.log(5 * n * T / beta)
    c1 = 1 + math.sqrt(2 * math.log(5 * n / beta) / 10)
    expected = {
        "(ii) max ||x_i|| / sqrt(p)": c1,
        "(iii) max |xi_i| / sigma": math.sqrt(2 * math.log(10 * n / beta)),
        "(iv) max |x_i' M^t theta*|, mended": 12 * log**1.5 / (1 - 10**-0.5),
        "(v) max |x_i' A_t X'xi| / (sigma sqrt(np))": 4 * c1 * math.sqrt(math.log(10 * n * T / beta)),
        "c0 of Condition 2.4": 12 * log**1.5,
    }
    for name, value in expected.items():
        assert only(name, setting).value == pytest.approx(value, rel=1e-12), name
    # They are bounds: a chi law and a normal law exceed them no more often than they may.
    assert n * chi2.sf(10 * c1**2, 10) <= beta / 5
    assert n * 2 * norm.sf(expected["(iii) max |xi_i| / sigma"]) <= beta / 5


@pytest.mark.parametrize(("sigma", "base", "induction"), [(1, True, True), ("0.333", True, False), (0.1, False, False)])
def test_proof_of_lemma_2_5_needs_sigma(sigma: float, base: bool, induction: bool) -> None:
    for name, holds, size, factor in (("base case", base, 1.0 + float(sigma), 4), ("term (ii)", induction, 1.0, 1)):
        found = only(f"{name} in the proof of Lemma 2.5", f"sigma={sigma}")
        assert found.holds == holds
        assert (found.measured, found.value) == pytest.approx((size, float(sigma) * factor), rel=2e-3)


def test_versions_of_the_accuracy_bound() -> None:
    setting, n, p, T, rho = "Figure 8a: p=10, n=10000, T=20, rho=0.015, gamma=5 sqrt(p)", 10_000, 10, 20, 0.015
    noise_sd = math.sqrt(2 * T * 250 / (rho * n**2))
    start = math.sqrt(1 + p / (n - p - 1))
    printed = 0.25 * noise_sd * math.sqrt(32 * p * math.log(80))
    each = noise_sd**2 / 16 * sum(0.75 ** (2 * i) for i in range(T))
    expected = {
        "bound (76)": 0.875**T * start + printed,
        "bound by the exact law": 0.75**T * start + math.sqrt(p * each) + math.sqrt(2 * each * math.log(20)),
    }
    for name, value in expected.items():
        found = only(name, setting)
        assert found.value == pytest.approx(value, rel=1e-12), name
        assert found.holds
    # The exact law's is a bound, and no wild one: the norm of ten normal coordinates exceeds it once in a thousand.
    beyond = (expected["bound by the exact law"] - 0.75**T * start) ** 2 / each
    assert 1e-4 < chi2.sf(beyond, p) < 0.05


def test_figure_4_has_mean_squares() -> None:
    where = "variant == 'main' and n == 1000 and clip_factor == 5 and series == 'mse' and error_to == 'theta_hat'"
    (squared,) = committed().tables["fig04"].query(where)["q95"]
    found = only("bound by the exact law", "Figure 4: p=10, n=1000, T=20, rho=0.015, gamma=5 sqrt(p)")
    assert found.measured == pytest.approx(math.sqrt(squared), rel=1e-12)


# What decides a bound

CONDITION = "no clipping: p=10, n=1000"
SPECTRUM = "(i) P(I/2 <= Sigma <= 2I and ||I - eta Sigma|| <= 7/8)"
PRIVATE = {"panel": "a", "n": 10000, "series": "privacy", "clip_factor": 5}
EIGHT = "Figure 8a: p=10, n=10000, T=20, rho=0.015, gamma=5 sqrt(p)"
CHECKPOINTS = {"process": "exact", "n": 10000, "series": "checkpoints", "variant": "main"}
COVERED = "Figure 5, exact, checkpoints: p=10, n=10000, T=520,"
RUNS = {"panel": "lemma 2.5", "series": "P(some gradient is clipped)", "sigma": 1.0}
NORMAL = {"quantity": "A.8: P(|N(0, 1)| above its bound)", "p": 10}
SQUARES = {"quantity": "A.12: |theta_hat - theta*|^2", "p": 10}
CASES: list[tuple[str, Change, str, str, bool | None]] = [
    ("ext_no_clipping", put(q975=9.0)(series="(iii) residuals", n=1000), "(iii) max |xi_i| / sigma", CONDITION, False),
    # The whole has failure probability beta, a part a fifth of it.
    ("ext_no_clipping", put(q975=1e9)(series="c0"), "c0 of Condition 2.4", CONDITION, True),
    ("ext_no_clipping", put(q95=1e9)(series="c0"), "c0 of Condition 2.4", CONDITION, False),
    *(
        ("ext_no_clipping", put(mean=mean, se=se)(series="(i) holds"), SPECTRUM, CONDITION, holds)
        for mean, se, holds in ((0.96, 0.0, True), (0.94, 0.0, False), (0.94, 0.01, True), (0.5, 0.01, False))
    ),
    *(
        ("ext_no_clipping", put(mean=mean, se=se)(**RUNS), "failure probability of Lemma 2.5",
         "no clipping: p=10, n=2000, T=20, sigma=1", holds)
        for mean, se, holds in ((0.0, 0.0, True), (0.06, 0.01, True), (0.06, 0.0001, False))
    ),
    *(("fig08", put(q95=9.0)(**PRIVATE), name, EIGHT, False) for name in ("bound (76)", "bound by the exact law")),
    ("fig08", put(q975=9.0, mean=9.0)(**PRIVATE), "bound (76)", EIGHT, True),
    ("fig08", put(trials=1, se=math.nan)(panel="a", n=10000, series="sampling"), "error of least squares, exact",
     "Figure 8a: p=10, n=10000", None),
    ("ext_small_noise", put(q05=0.9)(sigma=1e-12, c=1.0), "least error as sigma -> 0",
     "small sigma: p=10, n=10000, rho=1, sigma=1e-12, c=1", False),
    ("fig05", put(mean=0.87, se=0.01, guaranteed=0.9)(**CHECKPOINTS, steps=520), "guaranteed coverage", COVERED, True),
    ("fig05", put(mean=0.8, se=0.01, guaranteed=0.9)(**CHECKPOINTS, steps=520), "guaranteed coverage", COVERED, False),
    *(("fig06", put(mean=mean, se=1e-4)(**CHECKPOINTS, steps=520), "expected length by the exact law",
       COVERED.replace("5", "6", 1), False) for mean in (0.01, 9.0)),
    ("table_preliminaries", put(mean=0.06, se=0.005)(**NORMAL), NORMAL["quantity"], "p=10", True),
    ("table_preliminaries", put(mean=0.09, se=0.005)(**NORMAL), NORMAL["quantity"], "p=10", False),
    *(("table_preliminaries", put(mean=mean, se=1e-5)(**SQUARES), "mean |theta_hat - theta*|^2", "p=10", False)
      for mean in (0.003, 0.03)),
]  # fmt: skip


@pytest.mark.parametrize(("artefact", "change", "name", "setting", "holds"), CASES)
def test_what_decides_a_bound(artefact: str, change: Change, name: str, setting: str, holds: bool | None) -> None:
    assert only(name, setting, changed(artefact, change)).holds is holds


# Quantiles, grids of one's own, errors


@pytest.mark.parametrize(
    ("beta", "above", "below"),
    [(0.05, "q95", "q05"), (0.01, "q975", "q025"), (0.025, "q975", "q025"), (0.04, "q95", "q05"), (0.2, "q75", "q25")],
)
def test_quantile_of_a_failure_probability(beta: float, above: str, below: str) -> None:
    assert (cases.quantile(beta), cases.quantile(beta, above=False)) == (above, below)


@pytest.mark.parametrize("beta", [0.0, 1.0, -0.1, 0.99])
def test_failure_probability_without_a_quantile_is_refused(beta: float) -> None:
    with pytest.raises(ValueError, match=f"beta.*(between 0 and 1, got {beta}|{beta} must be at most 0.975)"):
        cases.quantile(beta)


def test_beta_of_the_settings_is_used_everywhere() -> None:
    spec = committed().spec | {"settings": committed().spec["settings"] | {"beta": 0.01}}
    rows = bounds.evaluate(replace(committed(), spec=spec))
    tight = only("bound by the exact law", EIGHT, rows)
    assert "the 0.975 quantile" in tight.note
    assert tight.value > only("bound by the exact law", EIGHT).value
    residuals = only("(iii) max |xi_i| / sigma", CONDITION, rows)
    assert residuals.value == pytest.approx(math.sqrt(2 * math.log(1e6)))


def test_a_grid_of_ones_own_may_lack_most_of_it() -> None:
    """One size and one threshold a figure, no exact process, no common size: fewer rows, and no error."""
    cut = {
        "fig02": "n == 2000 and clip_factor == 3", "fig04": "clip_factor == 1", "fig01": "p == 5",
        "fig03": "mean > 0.01",
        "fig05": "process == 'clipped' and steps == 70", "fig06": "process == 'clipped' and series != 'batched'",
        "ext_no_clipping": "panel == 'coverage'", "ext_small_noise": "sigma == 1",
    }  # fmt: skip
    tables = {name: table.query(cut[name]) if name in cut else table for name, table in committed().tables.items()}
    found = bounds.evaluate(replace(committed(), tables=tables))
    assert len({(row.bound, row.setting) for row in found}) == len(found)
    assert not [row for row in found if row.setting.startswith("Figure 4: ") and "bound" in row.bound]


def test_an_artefact_needs_its_own_budget() -> None:
    """The paper's settings have another one than Figure 1's: to fall back on them would be wrong."""
    artefacts = json.loads(json.dumps(committed().spec["artefacts"]))
    del artefacts["fig01"]["settings"]
    with pytest.raises(ValueError, match=r"specification of fig01, panel 'all', has no '.*': hand on its cells"):
        bounds.evaluate(replace(committed(), spec=committed().spec | {"artefacts": artefacts}))


def test_a_sample_without_a_finite_least_squares_error_is_refused() -> None:
    with pytest.raises(ValueError, match="n=11 must exceed p"):
        changed("fig08", lambda table: table.assign(n=table["n"].where(table["n"] != 10000, 11)))
