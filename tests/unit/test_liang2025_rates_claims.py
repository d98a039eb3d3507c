"""liang2025's claims on rates, orders and formulas: each in a world where it holds and in one where not."""

import dataclasses
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dpdescent.algorithms.dp_2s_gd import Normals
from dpdescent.algorithms.two_stage_gd import Moments, final_betas
from dpdescent.baselines.friendly_core import moment_points
from dpdescent.baselines.least_squares import TwoStageFit, two_stage_least_squares
from dpdescent.data.iv import IVSample, draw_sample
from dpdescent.papers.liang2025 import (
    cases,
    claims,
    conditioning,
    definitions,
    far,
    formulas,
    friendly_core,
    friendly_moments,
    in_range,
    iterations,
    laws,
    theorem,
)
from dpdescent.papers.liang2025.cases import problem_of
from dpdescent.papers.liang2025.criteria import QUANTILES, at_draws, by_tau
from dpdescent.papers.liang2025.setting import mechanism
from dpdescent.privacy import zcdp
from dpdescent.replication.judging import by_id
from dpdescent.replication.judging.evidence import Evidence
from liang2025_worlds import alone, changed, committed, judged

TRUE, FALSE, OPEN = "reproduced", "not reproduced", "inconclusive"
ALL = ("mean", "se", "median", "median_low", "median_high", "q75", "q90", "q95", "q975")
CLIPPED = ("clip_fraction_stage2",)
ONE = partial(alone, "fig04", "fig05", "fig10", "fig11")
HAT = {"error_to": "beta_hat"}
HAT_RELEASED: dict[str, object] = {"series": "DP-2S-GD", "T": 50, "rho": 2}
World = Callable[[], Evidence]


def along(axis: str, power: float) -> Callable[[pd.DataFrame], "pd.Series[float]"]:
    """Factors that are a power of an axis."""
    return lambda rows: rows[axis].astype(float) ** power


def tilted(axis: str, power: float, **where: object) -> World:
    """The committed rates with sizes that grow along an axis by a power more."""
    return lambda: changed("table_rates", along(axis, power), ALL, **where)


def lawful() -> Evidence:
    """Sizes along q that are those of the order, to the last digit: the noise's part and the moments."""
    orders = {"D.8 ||Z'r||/n": lambda q: math.sqrt(5 * q) * (5 + math.log(5 * q))}
    evidence = committed()
    table = evidence.tables["table_rates"].copy()
    for name, order in orders.items():
        mask = (table["panel"] == "over q") & (table["quantity"] == name) & (table["mean"] > 1e-12)
        table.loc[mask, "mean"] = [1e-4 * order(q) for q in table.loc[mask, "q"]]
        table.loc[mask, "se"] = 1e-3 * table.loc[mask, "mean"]
    return Evidence(evidence.spec, {**evidence.tables, "table_rates": table})


def level_long_runs() -> Evidence:
    """Long runs whose error is the square root of T."""
    evidence = committed()
    table = evidence.tables["ext_long_runs"].copy()
    table["mean"] = 0.05 * table["T"].astype(float) ** 0.5
    table["se"] = 0.01 * table["mean"]
    return Evidence(evidence.spec, {**evidence.tables, "ext_long_runs": table})


def optimum_like(power: float) -> Evidence:
    """Errors whose least value lies at a T that grows like a power of n, and which double at some 2.3 times that T."""
    evidence = committed()
    table = evidence.tables["table_rates"].copy()
    mask = (table["panel"] == "best T") & (table["quantity"] == "error to beta_hat")
    best = 20.0 * (table.loc[mask, "n"] / 1000.0) ** power
    places = zip(table.loc[mask, "T"], best, strict=True)
    table.loc[mask, "mean"] = [math.exp(math.log(T / least) ** 2) for T, least in places]
    table.loc[mask, "se"] = 1e-3 * table.loc[mask, "mean"]
    return Evidence(evidence.spec, {**evidence.tables, "table_rates": table})


def rewritten(panels: dict[str, dict[str, Callable[[Any], float]]], power: float) -> Evidence:
    """The committed rates with means that are an order of their row, times a power of the panel's axis."""
    evidence = committed()
    table = evidence.tables["table_rates"].copy()
    for panel, orders in panels.items():
        axis = {"least n": "q"}.get(panel, panel.rsplit(" ", 1)[-1])
        for name, order in orders.items():
            mask = (table["panel"] == panel) & (table["quantity"] == name) & (table["mean"] > 1e-12)
            means = [1e-3 * order(row) * row[axis] ** power for _, row in table[mask].iterrows()]
            table.loc[mask, "mean"] = means
            table.loc[mask, "se"] = [1e-3 * mean for mean in means]
    return Evidence(evidence.spec, {**evidence.tables, "table_rates": table})


def attained(power: float = 0.0) -> Evidence:
    """Sizes along p and q that are their orders, to the last digit, times a power of the axis."""

    def both(row: Any) -> float:
        return math.sqrt(row["p"] * row["q"]) * (row["tau"] + math.log(row["p"] * row["q"]))

    orders: dict[str, Callable[[Any], float]] = {
        "(7) privacy part": lambda row: math.sqrt(row["p"]) * (math.sqrt(row["q"]) + math.sqrt(row["tau"])) ** 3,
        "D.2 ||Z'Z/n - I||": lambda row: math.sqrt(row["q"]), "D.3 ||Z'E2||/n": both,
        "D.5 ||Theta_hat - Theta||": both, "D.8 ||Z'r||/n": both,
        "D.4 ||N|| / lambda1": lambda row: math.sqrt(row["p"] * row["q"]),
        "D.7 ||beta_hat - beta||": lambda row: math.sqrt(row["q"] / row["n"]) * (row["tau"] + math.log(row["q"])),
    }  # fmt: skip
    return rewritten(dict.fromkeys(("over p", "over q", "least n"), orders), power)


def cut_off_as_allowed() -> Evidence:
    """Curves along p and q that are one curve of T over the T that condition (5) allows."""
    evidence = committed()
    table = evidence.tables["table_rates"].copy()
    for panel in ("cut-off p", "cut-off q"):
        for _, rows in table[(table["panel"] == panel) & (table["quantity"] == "error to beta_hat")].groupby(
            ["p", "q"]
        ):
            at = laws.iteration_limit(problem_of(rows.iloc[0]), 0.1)
            least = laws.iteration_limit(
                cases.problem_at(8000, *((10, 20) if panel == "cut-off p" else (5, 40)), 5.0), 0.1
            )
            relative = np.log(rows["T"] * least / at / 7.0)
            for column in ("median", "median_low", "median_high"):
                table.loc[rows.index, column] = np.where(rows["T"] == 1, 4.0, np.exp(np.minimum(relative, 1.4)))
    return Evidence(evidence.spec, {**evidence.tables, "table_rates": table})


def largest_gradients_of_order(power: float = 0.0) -> Evidence:
    """Largest gradients that are their order, to the last digit, times a power of the axis."""

    def order(row: Any) -> float:
        return (math.sqrt(row["q"]) + math.sqrt(row["tau"] + math.log(row["n"] * max(row["T"], 1)))) ** 2

    names = [f"D.1 largest gradient, stage {stage}" for stage in (1, 2)]
    return rewritten({f"gradients {axis}": dict.fromkeys(names, order) for axis in "nqT"}, power)


def drawn_anew(seed: int, n: int) -> Evidence:
    """Figure 2's bound for the parameters of another seed, at a number of records."""
    evidence = committed()
    about = evidence.spec["artefacts"]["fig02"]
    rows = iterations.run_fig02({
        "seed": seed, "cell": {**about["cells"]["all"], "n": n}, "arms": about["arms"],
        "settings": {**evidence.settings, "parameters": "fixed"},
    })  # fmt: skip
    table = pd.DataFrame(rows).rename(columns={"value": "mean"}).assign(variant="main")
    return Evidence(evidence.spec, {**evidence.tables, "fig02": table})


def turned_bound() -> Evidence:
    """Figure 2 upside down: the bound rises first."""
    return changed("fig02", lambda rows: rows["mean"] ** -2.0, ("mean",), series="total")


# Claim, its committed verdict, a world, the verdict there.
TURNED: tuple[tuple[str, str, World, str], ...] = (
    ("thm-3.1-optimisation", TRUE, tilted("T", 8.0, panel="path", quantity="(7) optimisation part"), FALSE),
    ("thm-3.1-privacy-part", TRUE, tilted("n", 0.5, panel="over n", quantity="(7) privacy part"), FALSE),
    ("thm-3.1-privacy-part", TRUE, tilted("rho1", 0.5, panel="over rho1", quantity="(7) privacy part"), FALSE),
    ("thm-3.1-hidden-constants", TRUE, tilted("p", 1.0, panel="over p", quantity="(7) privacy part"), FALSE),
    ("thm-3.1-confidence", TRUE, tilted("tau", 3.0, panel="over tau"), FALSE),
    ("condition-3-suffices", TRUE, lambda: changed("table_rates", 1e6, panel="steps"), FALSE),
    ("eq-10-slower-stage", TRUE, lambda: changed("table_rates", 2.0, panel="slow eta"), FALSE),
    ("theorem-F.1-privacy-part", TRUE, tilted("T", 1.0, panel="Algorithm 3 T", quantity="(7) privacy part"), FALSE),
    ("theorem-F.1-any-T", FALSE, level_long_runs, TRUE),
    ("lemma-D.1-condition", TRUE, lambda: changed("ext_long_runs", 0.03, CLIPPED, T=lambda T: T > 100), FALSE),
    ("abstract-consistency", TRUE, lambda: changed("ext_consistency", along("n", 1.0), error_to="beta"), FALSE),
    ("condition-5-suffices", TRUE, lambda: changed("table_rates", along("n", -3.0), ("T",), panel="cut-off n"), FALSE),
    # A cut-off that grows as n, where (5) allows n^2; and one that moves with p and q as (5) says, to the last digit.
    ("condition-5-attained-in-n", TRUE, lambda: changed("table_rates", along("n", -1.0), ("T",), panel="cut-off n"),
        FALSE),
    ("condition-5-attained-in-dimensions", FALSE, lambda: cut_off_as_allowed(), TRUE),
    ("condition-5-suffices", TRUE, lambda: cut_off_as_allowed(), TRUE),
    ("thm-3.1-confidence-attained", OPEN, tilted("tau", 0.2, panel="over tau"), TRUE),
    ("lemma-D.1-gradients-attained", OPEN, lambda: largest_gradients_of_order(), TRUE),
    # A phase that ends at a T that hardly moves with n, at one that falls behind, and ten times as late at all n.
    ("remark-3.7-first-phase", TRUE, lambda: changed("table_rates", along("n", -0.18), ("T",), panel="best T"), FALSE),
    ("remark-3.7-first-phase", TRUE, lambda: changed("table_rates", along("n", -0.08), ("T",), panel="best T"), FALSE),
    ("remark-3.7-first-phase", TRUE, lambda: changed("table_rates", 10.0, ("T",), panel="best T"), TRUE),
    ("conclusion-best-T", OPEN, lambda: optimum_like(0.4), OPEN),
    ("conclusion-best-T", OPEN, lambda: optimum_like(0.2), OPEN),
    ("conclusion-best-T", OPEN, lambda: optimum_like(-0.02), FALSE),
    ("sec-1-endogeneity", TRUE, tilted("n", -0.5, panel="valid", quantity="least squares to beta"), FALSE),
    ("sec-1-2sls-consistent", TRUE, tilted("n", 0.5, panel="valid", quantity="D.7 ||beta_hat - beta||"), FALSE),
    ("lemmas-rate-in-n", TRUE, tilted("n", 0.5, panel="over n", quantity="D.3 ||Z'E2||/n"), FALSE),
    ("lemmas-order-in-dimensions", TRUE, tilted("q", 1.0, panel="over q", quantity="D.2 ||Z'Z/n - I||"), FALSE),
    ("app-C-norms", TRUE, tilted("p", 0.5, panel="least n", quantity="App. C ||beta_hat||"), FALSE),
    ("lemma-D.4-level", TRUE, tilted("T", 0.5, panel="over T", quantity="D.4 ||N|| / lambda1"), FALSE),
    ("lemma-D.1-gradients", TRUE, tilted("q", 2.0, panel="gradients q"), FALSE),
    ("app-F.2-diameter", FALSE, tilted("q", 1.0, panel="diameter"), FALSE),
    ("thm-3.1-order-attained", FALSE, lambda: attained(), TRUE),
    ("lemmas-orders-attained", FALSE, lambda: attained(), TRUE),
    # Half a power more or less is no order that is attained, though half a power less is an upper bound that holds.
    ("thm-3.1-hidden-constants", TRUE, lambda: attained(-0.5), TRUE),
    ("thm-3.1-order-attained", FALSE, lambda: attained(-0.5), FALSE),
    ("fig02-phases", TRUE, turned_bound, OPEN),
    ("fig04a-order", TRUE, lambda: changed("fig04", 9.0, base=ONE(), panel="a", rho1=10, T=1000, **HAT), FALSE),
    ("fig04b-order", TRUE, lambda: changed("fig04", 9.0, base=ONE(), panel="b", rho2=1, **HAT), FALSE),
    # A hundredth of the data-to-data error, which runs taken as independent could not see.
    ("fig04b-order", TRUE, lambda: changed("fig04", 0.93, base=ONE(), panel="b", rho2=1, T=20, **HAT), FALSE),
    ("fig04-asymmetry", TRUE, lambda: changed("fig04", 0.5, base=ONE(), panel="c", rho1=0.1, T=1000, **HAT), FALSE),
    ("fig08-falls", TRUE, lambda: changed("fig08", 2.0, base=alone("fig08"), gamma=4.2, **HAT), FALSE),
    ("fig08-fluctuation", TRUE, lambda: changed("fig08", 0.01, ("se",), alone("fig08"), gamma=1000, **HAT), FALSE),
    ("app-F.2-moments", TRUE, lambda: changed("ext_friendlycore", 9.0, ("moment_noise",), n=4000), FALSE),
    # Ten times the records; noise that falls as 1/sqrt(n); a distance that falls as fast as the noise.
    ("app-F.2-cores", TRUE, lambda: changed("table_rates", 10.0, quantity=friendly_moments.DIFFERENT), FALSE),
    ("app-F.2-moments-noise", TRUE, tilted("n", 0.5, quantity=friendly_moments.NOISE), OPEN),
    ("app-F.2-moments-error", OPEN, tilted("n", -1.2, quantity=friendly_moments.ERROR), TRUE),
    ("sec-1.1-gram-noise", TRUE, lambda: changed("table_rates", 0.4, ALL, quantity=f"{conditioning.NOISY}16"), FALSE),
    ("sec-1.1-condition-number", TRUE, lambda: changed("table_rates", 0.05, ALL,
        quantity=f"{conditioning.DESCENT}16"), FALSE),
    # Errors of noisy moments that grow with the squared condition number more; in low dimensions a refutation
    # stays open.
    ("sec-1.1-sufficient-statistics", OPEN, lambda: changed("table_rates", 256.0, ALL,
        quantity=f"{conditioning.NOISY}16"), TRUE),
    ("remark-F.1-cost", TRUE, lambda: changed("ext_friendlycore", 100.0, ("T",), series="DP-2S-GD"), FALSE),
    ("remark-F.1-orders", TRUE, lambda: changed("ext_friendlycore", 9.0, **HAT_RELEASED), FALSE),
    ("angrist-first-stage", TRUE, lambda: changed("fig05", -1.0, ("first_stage",)), FALSE),
    ("angrist-theta-path", OPEN, lambda: changed("fig05", 2.0, base=ONE(), parameter="Theta"), FALSE),
    ("angrist-theta-path", OPEN, lambda: ONE(), TRUE),
)  # fmt: skip


@pytest.mark.parametrize(("name", "before", "make", "after"), TURNED, ids=[f"{row[0]}: {row[3]}" for row in TURNED])
def test_a_claim_follows_its_rows(name: str, before: str, make: World, after: str) -> None:
    assert judged()[name].verdict == before
    assert by_id.judge_one(claims, make(), name).verdict == after


def test_orders_that_are_met_to_the_last_digit_pass() -> None:
    cells = {cell.cell: cell for cell in by_id.judge_one(claims, lawful(), "lemmas-order-in-dimensions").cells}
    assert cells["D.8 ||Z'r||/n, q"].value == pytest.approx(0.0, abs=1e-9)
    assert cells["D.8 ||Z'r||/n, q"].verdict == TRUE


def test_the_bound_has_its_phases_for_every_draw_at_the_size_of_figure_2() -> None:
    """At 20,000 records the steepest slope of seed 7 is -0.45, which is no fall; at the figure's it is -1.6."""
    n = committed().spec["artefacts"]["fig02"]["cells"]["all"]["n"]
    for seed in (20250922, 7, 11):
        assert by_id.judge_one(claims, drawn_anew(seed, n), "fig02-phases").verdict == TRUE
    assert by_id.judge_one(claims, drawn_anew(7, 20_000), "fig02-phases").verdict == OPEN


def slower(function: Callable[..., Any]) -> Callable[..., Any]:
    """A contraction that does not contract."""

    def wrong(*given: Any, **named: Any) -> Any:
        found = function(*given, **named)
        return dataclasses.replace(found, theta=found.theta + 1.0, beta=found.beta + 1.0)

    return wrong


def moved(function: Callable[..., Any]) -> Callable[..., Any]:
    """Step sizes that are not optimal, or not what they tend to."""
    return lambda *given, **named: dataclasses.replace(function(*given, **named), alpha=1.2 * function(*given).alpha)


def longer(function: Callable[..., Any]) -> Callable[..., Any]:
    """A plateau that ends at n squared."""

    def wrong(at: Any, *given: Any) -> Any:
        return dataclasses.replace(function(at, *given), sampling_ends=float(at.n) ** 2)

    return wrong


def noisier(function: Callable[..., Any]) -> Callable[..., Any]:
    """A first stage whose noise grows with the iterations."""

    def wrong(*given: Any) -> Any:
        found = function(*given)
        return dataclasses.replace(found, first_stage=given[-1] * found.first_stage)

    return wrong


# Claim, what of the theory is turned: each claim holds with the theory as it is.
FORMULAS: tuple[tuple[str, Any, str, Callable[[Callable[..., Any]], Callable[..., Any]]], ...] = (
    ("sec-2.1-composition", zcdp, "epsilon", lambda f: lambda rho, delta: f(rho, delta) ** 3),
    ("eq-10-factor", formulas, "contraction", slower),
    ("remark-3.2-limits", formulas, "step_size_ceilings", moved),
    ("remark-3.3-steps", formulas, "approximately_optimal_step_sizes", moved),
    ("remark-3.3-factors", formulas, "contraction", slower),
    ("remark-3.7-plateau-length", laws, "regime_boundaries", longer),
    ("eq-10-weak", formulas, "contraction", slower),
    ("eq-16-falls", laws, "second_stage_error", lambda f: lambda **given: (1.0 + given["elapsed"]) * f(**given)),
    ("app-G.5-columns", in_range, "standardise_instruments", lambda f: lambda sample: sample),
    ("eq-22-limit", laws, "burn_in_limit", lambda f: lambda *given: 9.0 * f(*given)),
    ("eq-24-order", laws, "noise_complexity", lambda f: lambda at: at.p * f(at)),
    ("app-F.1-improvement", laws, "proof_terms", noisier),
    ("lemma-F.2-constant", friendly_core, "lipschitz", lambda f: lambda *given: 1e-4 * f(*given)),
)  # fmt: skip


@pytest.mark.parametrize(("name", "module", "function", "turn"), FORMULAS, ids=[row[0] for row in FORMULAS])
def test_a_formula_is_judged(
    name: str,
    module: Any,
    function: str,
    turn: Callable[[Callable[..., Any]], Callable[..., Any]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert judged()[name].verdict == TRUE
    monkeypatch.setattr(module, function, turn(getattr(module, function)))
    assert by_id.judge_one(claims, committed(), name).verdict == FALSE


def test_steps_beyond_the_range_of_the_population_descent_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged()["remark-3.2-population"].verdict == TRUE
    monkeypatch.setattr(theorem, "FRACTIONS", (0.5, 1.01))
    assert by_id.judge_one(claims, committed(), "remark-3.2-population").verdict == FALSE
    monkeypatch.setattr(theorem, "FRACTIONS", (0.5,))
    monkeypatch.setattr(theorem, "OUTSIDE", 0.95)
    assert by_id.judge_one(claims, committed(), "remark-3.2-population").verdict == FALSE


def test_an_improvement_of_little_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first stage's noise at a hundredth: (29) is near (52) at every T; as printed, a hidden constant decides."""
    printed = laws.proof_terms

    def quiet(problem: Any, rates: Any, rho1: float, rho2: float, T: float) -> Any:
        return printed(problem, rates, 1e4 * rho1, rho2, T)

    assert (judged()["app-F.1-insignificant"].verdict, judged()["app-F.1-insignificant"].why) == (
        OPEN,
        "hidden constant",
    )
    monkeypatch.setattr(laws, "proof_terms", quiet)
    assert by_id.judge_one(claims, committed(), "app-F.1-insignificant").verdict == TRUE


def _one_stage(sample: IVSample) -> TwoStageFit:
    """Least squares of y on X itself."""
    fit = two_stage_least_squares(sample)
    return dataclasses.replace(fit, beta=np.linalg.lstsq(sample.X, sample.y, rcond=None)[0])


class Turned(Moments):
    """Moments whose residual has the other sign."""

    @property
    def residual(self) -> Any:
        return -super().residual


def _without_confounder(parameters: Any, n: int, rng: Any) -> IVSample:
    return draw_sample(dataclasses.replace(parameters, phi=0.0 * parameters.phi), n, rng)


SVD = np.linalg.svd
WRONG: dict[str, tuple[Any, str, Any]] = {
    "eq-2-closed-form": (definitions, "two_stage_least_squares", _one_stage),
    "assumption-1-unique": (definitions, "fitted", lambda Z, X: X),
    "algorithm-1-without-noise": (definitions, "final_betas", lambda sample, steps, eta, alpha: final_betas(
        sample, [steps[0] + 1], eta, alpha)),
    "algorithm-1-draws": (definitions.dp_2s_gd.Normals, "draw", lambda rng, steps, p, q: Normals.split(
        rng.standard_normal((2 * steps, p * q + p)), p, q)),
    "app-C-releases": (definitions.setting, "mechanism", lambda arm, n: mechanism(dataclasses.replace(arm, T=2 * arm.T),
        n)),
    "app-F.2-dimension": (definitions, "moment_points", lambda sample: moment_points(sample)[:, 1:]),
    "eq-50": (definitions, "Moments", Turned),
    "app-E.6-inequalities": (np.linalg, "svd", lambda *given, **named: 1.3 * SVD(*given, **named)),
    "app-E.3-tails": (definitions, "C0", 1.5),
    "sec-4.1-correlated": (definitions, "draw_sample", _without_confounder),
    "remark-3.1-scales": (definitions.setting.formulas, "noise_scale", lambda gamma, n, steps, rho: gamma / n * (
        steps / rho)),
    "def-A.1-limits": (definitions, "renyi", lambda first, second, alpha: alpha),
    "sec-2.1-concentration": (definitions.norm, "sf", lambda k: np.exp(-k)),
    "footnote-1-advanced": (math, "expm1", lambda x: 30.0 * x),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_definitions_that_other_code_would_have_are_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another estimator, X itself in the second stage, a step too many, twice the draws, other noise or divergences."""
    module, attribute, wrong = WRONG[name]
    assert judged()[name].verdict == TRUE
    monkeypatch.setattr(module, attribute, wrong)
    found = {claim.claim: claim for claim in definitions.judge(committed())}
    assert found[name].verdict == FALSE


def test_bounds_of_equal_exponents_have_similar_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    assert judged()["remark-F.1-orders-in-dimensions"].verdict == FALSE
    monkeypatch.setattr(friendly_core, "error_terms", lambda at, rho, L: laws.bound_terms(at, 0.5, rho, rho, 1.0))
    assert by_id.judge_one(claims, committed(), "remark-F.1-orders-in-dimensions").verdict == TRUE


def test_the_proof_applies_far_out_and_its_bound_may_fail() -> None:
    """Where (21) holds (16) does; it fails if errors are ten times as large, because their ratio to it is 0.11.

    The largest error of the path is that of the start, which the bound of App. E.1 exceeds by 0.6 %.
    """
    rows = {row.bound: row for row in far.evaluate(committed())}
    assert all(
        rows[name].holds
        for name in ("(21) T", "(20) eps_bar", "(16) ||e_beta||", "(14) lambda_min(H) from T0", far.UNIFORM)
    )
    above = changed("table_rates", 1.01, ("q975",), panel="far", quantity=far.UNIFORM)
    assert {row.bound: row.holds for row in far.evaluate(above)}[far.UNIFORM] is None
    larger = changed("table_rates", 10.0, ("q975",), panel="far", quantity="(16) error over bound")
    assert {row.bound: row.holds for row in far.evaluate(larger)}["(16) ||e_beta||"] is False
    farther = changed("table_rates", 1000.0, ("q975",), panel="far", quantity="(18) max ||e_Theta|| from T0")
    assert {row.bound: row.holds for row in far.evaluate(farther)}["(20) eps_bar"] is False


def test_quantiles_have_the_error_of_their_order_statistics() -> None:
    """Of an exponential law the quantile 1 - exp(-tau) is tau, and its error sqrt((exp(tau) - 1)/trials)."""
    trials = 2000
    columns = {column: tau for tau, column in QUANTILES.items()}
    ends = {"median_low": columns["median"] - 0.04, "median_high": columns["median"] + 0.04}
    found = by_tau(pd.Series({"mean": 1.0, "se": 9.0, "trials": trials, **columns, **ends}))
    assert found["mean"].tolist() == found["tau"].tolist() == list(QUANTILES)
    assert found["se"].iloc[0] == pytest.approx(0.04 / 1.96, rel=1e-3)
    for tau, error in zip(found["tau"][1:], found["se"][1:], strict=True):
        assert error == pytest.approx(math.sqrt((math.exp(tau) - 1.0) / trials), rel=0.05), tau


def test_other_draws_leave_a_claim_open_only_where_one_decides_otherwise() -> None:
    main = dataclasses.replace(judged()["fig03a-rate-5-5"], verdict=FALSE)
    assert at_draws(main, [FALSE, FALSE]).verdict == FALSE
    # A refutation must stand at every draw, a reproduction at all that decide.
    assert at_draws(main, [FALSE, OPEN, FALSE]).verdict == OPEN
    assert at_draws(dataclasses.replace(main, verdict=TRUE), [OPEN, OPEN]).verdict == TRUE
    turned = at_draws(main, [FALSE, TRUE])
    assert (turned.verdict, turned.why) == (OPEN, "unstated value decides")
    assert "not reproduced at 1, reproduced at 1" in turned.note


def test_without_rows_nothing_is_judged() -> None:
    empty = {name: table[:0] for name, table in committed().tables.items() if name in ("table_rates", "ext_long_runs")}
    evidence = Evidence(committed().spec, {**committed().tables, **empty})
    for name in ("thm-3.1-privacy-part", "theorem-F.1-any-T", "lemma-D.1-condition", "conclusion-best-T"):
        assert by_id.judge_one(claims, evidence, name).verdict == "not testable"
