"""brown2024's claims and findings: on tables made by hand, where each claim is true, false or lost in its errors."""

import functools
import itertools
import json
import math
import pkgutil
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from dpdescent.papers.brown2024 import claims, clipping, findings, guarantees, separation
from dpdescent.papers.brown2024.criteria import SETTLED
from dpdescent.replication.build import tables
from dpdescent.replication.build.files import read_rows
from dpdescent.replication.configuration import project
from dpdescent.replication.judging import by_id
from dpdescent.replication.judging import evidence as records
from dpdescent.replication.judging.evidence import Claim, Evidence
from later import Later
from noted import tables_read

ROOT = Path(__file__).parents[2]
PROJECT = project.load({"scale": "quick", "seed": 3, "papers": ["brown2024"]}, ROOT)
ARTEFACTS = PROJECT.papers["brown2024"].artefacts
SPEC = json.loads(project.judging_json(PROJECT, "brown2024"))

Tables = dict[str, pd.DataFrame]
Edit = Callable[[Tables], object]

ANY = "P(some gradient is clipped)"
NOT_TESTABLE = {"theorem-2.7", "free-privacy-p-near-n", "no-cost-to-privacy"}
ADA_SSP = ("AdaSSP", "AdaSSP (zCDP-matched)", "AdaSSP (public bounds)")
# From p = 729 on the square of a bound sqrt(p) + 3 counts as p.
GROWN = (800, 1000, 1280, 1600)
LEVEL, RATED = "level under the law", "AdaSSP (bounds as sqrt(p))"
NOISE, RECORDS = "the same over c0^2, c0 = max |x_i| / sqrt(p)", "A.10: n from which I/2 <= X'X/n <= 2I"
RESIDUAL = "largest residual after one step from theta*"
# Quantiles of levels that are uniform, of so many runs that chance is small.
UNIFORM = {"mean": 0.5, "q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95, "trials": 4000}
TAILS = {"q75": 0.25, "q90": 0.1, "q95": 0.05, "q975": 0.025}


# A world in which the paper is right


def fixed_ratio() -> pd.DataFrame:
    rows = []
    for p in (2, 10, 20, 50, 100, 1000):
        to_star = {
            "DP-GD": 0.4,
            "OLS": 0.1,
            **dict.fromkeys(ADA_SSP, 0.5 * p**0.5),
        }
        rows += [{"p": p, "error_to": "theta_star", "series": name, "mean": mean} for name, mean in to_star.items()]
        rows.append({"p": p, "error_to": "theta_hat", "series": "DP-GD", "mean": 0.14})
        rows.append({"p": p, "error_to": "theta_hat", "series": LEVEL, **UNIFORM})
    rows += [
        {"p": p, "error_to": "theta_star", "series": name, "mean": mean, "variant": "n = 3000p"}
        for p in (5, 80) for name, mean in {**dict.fromkeys(ADA_SSP, 0.04), "DP-GD": 0.02, "OLS": 0.01}.items()
    ]  # fmt: skip
    made = pd.DataFrame(rows).assign(predicted=lambda table: table["mean"], clip_fraction=0.001)
    return made.assign(n=made["p"] * np.where(made["variant"].isna(), 100, 3000))


def cost_of_privacy(panel: str, grid: list[int], level: float, factors: tuple[float, ...] = (5.0, 3.0)) -> pd.DataFrame:
    rows = []
    for variant in ("main", "step size 0.2", "noise of mean 0"):
        for n in grid:
            for factor in factors:
                for series, mean in (("privacy", factor * level / n), ("sampling", 3 * (level / 20) ** 0.4 / n**0.5)):
                    larger = 1.4 if variant == "main" and series == "sampling" else 1.0
                    rows.append({"panel": panel, "n": n, "clip_factor": factor, "series": series, "mean": mean * larger,
                                 "variant": variant, "trials": 100})  # fmt: skip
                place = {"panel": panel, "n": n, "clip_factor": factor, "series": LEVEL, "variant": variant}
                rows.append({**place, **UNIFORM})
    return pd.DataFrame(rows).assign(predicted=lambda table: table["mean"], clip_fraction=0.001)


def clipped_fractions() -> pd.DataFrame:
    grid = [(p, gamma) for p in (5, 20, 80, 200) for gamma in np.geomspace(1.0, 80.0, 80)]
    return pd.DataFrame(
        {"p": p, "gamma": gamma, "series": "clip_fraction", "mean": math.exp(-gamma / p**0.5)} for p, gamma in grid
    )


def bias_and_variance() -> pd.DataFrame:
    curve = {
        0.1: (0.6, 0.002, 0.9), 0.5: (0.05, 0.02, 0.6), 1.0: (0.01, 0.04, 0.3), 3.0: (0.002, 0.3, 0.02),
        10.0: (5e-4, 3.0, 0.0),
    }  # fmt: skip
    rows = []
    for variant, n, target in itertools.product(("main", "ten iterations"), (1000, 5000), ("theta_hat", "theta_star")):
        for factor, (bias, variance, clipped) in curve.items():
            place = {"variant": variant, "n": n, "error_to": target, "clip_factor": factor, "clip_fraction": clipped}
            parts = {"bias2": bias, "variance": variance, "mse": bias + variance}
            rows += [{**place, "series": series, "mean": mean} for series, mean in parts.items()]
    return pd.DataFrame(rows)


def error_against_clipping() -> pd.DataFrame:
    points = {10: 0.001, 5: 0.01, 2: 0.1, 1: 0.3, 0.5: 0.6, 0.1: 0.9}
    curves = {
        5: (2.0, 1.5, 1.0, 1.1, 1.3, 2.5),
        20: (3.0, 2.0, 1.2, 1.0, 1.1, 2.5),
        50: (3.0 * 2.5**0.5, 2.0 * 2.5**0.5, 1.6, 1.2, 1.0, 2.3),
        100: (3.0 * 5**0.5, 2.0 * 5**0.5, 2.0, 1.4, 1.0, 2.0),
    }
    rows = [
        {"n": n, "T": T, "clip_factor": factor, "mean": mean, "clip_fraction": clipped}
        for n in (1000, 5000) for T, means in curves.items()
        for (factor, clipped), mean in zip(points.items(), means, strict=True)
    ]  # fmt: skip
    return pd.DataFrame(rows).assign(error_to="theta_hat", series="DP-GD")


SERIES = ("independent", "checkpoints", "batched")
SIZES = (("clipped", 1000), ("clipped", 10_000), ("exact", 10_000), ("exact", 40_000))
STEPS = (70, 120, 220, 520, 1020)


def coverage() -> pd.DataFrame:
    rows = []
    for process, n in SIZES:
        for steps in STEPS:
            values = {
                "checkpoints": 0.95,
                "batched": 0.975 - 3e-5 * steps if steps > 200 else 0.94,
                "lag1": 0.75 + 1e-4 * steps,
                "independent": 0.95,
                "batched, short": 0.95 - 1e-4 * steps,
            }
            rows += [
                {"n": n, "process": process, "steps": steps, "series": series, "mean": mean, "clip_fraction": 0.1,
                 "guaranteed": 0.9 if series in SERIES and process == "exact" else math.nan}
                for series, mean in values.items()
                if steps > 200 or series not in ("independent", "batched, short")
            ]  # fmt: skip
    return pd.DataFrame(rows)


def lengths() -> pd.DataFrame:
    rows = []
    for process, n in SIZES:
        for steps in STEPS:
            values = {"checkpoints": 0.06 * steps**0.5, "batched": 0.8, "OLS": 1.0, "independent": 1.2 + 88 / steps}
            rows += [
                {"n": n, "process": process, "steps": steps, "series": series, "mean": mean, "predicted": mean}
                for series, mean in values.items() if series != "independent" or steps > 200
            ]  # fmt: skip
    alone = [
        {**row, "mean": 1.3 * row["mean"], "variant": "last iterate only"} for row in rows
        if (row["process"], row["n"], row["series"]) == ("exact", 10_000, "independent")
    ]  # fmt: skip
    return pd.DataFrame(rows + alone)


def outliers() -> pd.DataFrame:
    rows = [
        {"panel": panel, "clip_factor": factor, "steps": steps, "construction": name, "series": series, "mean": mean}
        for panel in ("outliers", "clean") for factor in (1.0, 2.0, 5.0) for steps in (420, 1020)
        for name in ("independent", "checkpoints", "batched") for series, mean in (("huber", 0.95), ("ols", 0.5))
    ]  # fmt: skip
    return pd.DataFrame(rows)


def no_clipping() -> pd.DataFrame:
    rows = []
    for n in (1000, 10_000):
        common = {"n": n, "p": 10, "T": 20, "clip_factor": math.nan, "sigma": 1.0}
        rows.append({**common, "panel": "condition", "series": "c0", "mean": 4.0})
        rows.append({**common, "panel": "condition", "series": "c0 of Lemma 2.6", "mean": 700.0})
        rows += [
            {**common, "panel": "lemma 2.5", "n": 2000, "sigma": sigma, "series": ANY, "mean": 0.01}
            for sigma in (1.0, 0.01) if n == 1000
        ]  # fmt: skip
        rows += [
            {**common, "panel": "coupling", "clip_factor": factor, "series": series, "mean": 0.01}
            for factor in (5.0, 10.0) for series in (ANY, "fraction clipped")
        ]  # fmt: skip
        needed = {
            "gamma required at the data's c0": 10.0,
            "gamma used": 15.0,
            "n required at the data's c0": 1e6,
            "n used": n,
        }
        rows += [{**common, "panel": "required", "series": series, "mean": mean} for series, mean in needed.items()]
    for T in (5, 20, 50):
        for construction in ("independent runs", "checkpoints"):
            rows.append(
                {**common, "T": T, "panel": "coverage", "series": f"TV bound, {construction}", "mean": 0.1 / T**2}
            )
    return pd.DataFrame(rows)


def small_noise() -> pd.DataFrame:
    rows = [
        {"sigma": sigma, "c": c, "bound": 10 * sigma, "mean": c * sigma} for sigma in (1.0, 1e-6) for c in (1.0, 10.0)
    ]
    return pd.DataFrame(rows).assign(series="DP-GD", T=9, clipped_at_start=0.25)


def preliminaries() -> pd.DataFrame:
    rows = [
        {"quantity": f"{name}: P(event)", "p": p, "mean": 0.02, "bound": 0.05, "trials": 2000}
        for name in ("A.8", "A.11") for p in (2, 100)
    ]  # fmt: skip
    rows += [
        {"quantity": "A.12: squared error", "p": p, "mean": 0.01, "bound": p / (99 * p - 1), "trials": 2000,
         **{column: (p + math.log(1 / beta)) / (100 * p) for column, beta in TAILS.items()}}
        for p in (2, 100)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def large_dimension() -> pd.DataFrame:
    means = {
        "AdaSSP": 0.01,
        "AdaSSP (public bounds)": 0.01,
        RATED: 0.02,
        "projected descent": 0.03,
    }
    rows = [{"p": p, "series": name, "mean": mean * p**0.5} for p in GROWN for name, mean in means.items()]
    rows += [{"p": p, "series": name, "mean": mean} for p in GROWN for name, mean in (("DP-GD", 0.025), ("OLS", 0.02))]
    return pd.DataFrame(rows)


def law() -> pd.DataFrame:
    rows = []
    for panel in ("normal", "heavy tails", "orthogonal"):
        for T in (1, 20, 60):
            place = {"panel": panel, "n": 1000, "T": T, "clip_factor": math.nan}
            rows.append({**place, "series": LEVEL, **UNIFORM})
            rows.append({**place, "series": "level of the mean over runs", "mean": 0.5, "trials": 40})
            if panel != "orthogonal":
                rows.append({**place, "series": "distance over (7/8)^t", "mean": 0.5})
                rows.append({**place, "series": "last contraction over ||M||", "mean": 0.98})
    for factor, share in ((6.0, 0.8), (8.0, 0.3)):
        place = {"panel": "clipped", "n": 3000, "T": 20, "clip_factor": factor}
        rows.append({**place, "series": LEVEL, **UNIFORM})
        rows.append({**place, "series": ANY, "mean": share})
        rows.append({**place, "series": "level, nothing clipped", "mean": 0.47})
    return pd.DataFrame(rows)


def proofs() -> pd.DataFrame:
    rows = []
    for p in (5, 10, 50, 200):
        sizes = {
            ("largest gradient of a run without clipping", 20): 8 * p**0.5,
            ("largest |x_i|^2 |theta_t - theta*| + |x_i| |xi_i| of that run", 20): 3 * p,
            ("largest residual after one step from theta*", 1): 4, ("length of that step's noise", 1): 0.7,
            ("largest |x_i| |x_i'(theta_t - E theta_t)| over eta lambda", 20): 10 * p,
            ("(33): largest |x_i' M^s z_t| over its bound", 20): 0.4,
            ("(67): largest sum_j (x_i' A_t x_j)^2 over its bound", 20): 0.1,
            ("(80): |theta_hat - theta*| over 2 c0^2 sigma sqrt(p)", 20): 0.01,
            ("C.6: p u_1^2 for the direction u of M^t x_i", 5): 1, ("C.6: p (p + 2) u_1^4 / 3", 5): 1,
            ("condition number of A", 0): 1.4,
        }  # fmt: skip
        rows += [
            {"panel": "dimension", "quantity": name, "n": 100 * p, "p": p, "T": T, "mean": mean}
            for (name, T), mean in sizes.items()
        ]
    rows += [
        {"panel": "sample size", "quantity": NOISE, "n": n, "p": 10, "T": T, "mean": 5,
         **{column: math.log(2 * n * T / beta) ** 0.5 for column, beta in TAILS.items()}}
        for n in (300, 30_000) for T in (5, 80)
    ]  # fmt: skip
    rows += [
        {"panel": "spectrum", "quantity": RECORDS, "n": 100 * p, "p": p, "T": 0, "mean": 10 * p,
         **{column: 10 * (p + math.log(1 / beta)) for column, beta in TAILS.items()}}
        for p in (10, 20, 40, 80)
    ]  # fmt: skip
    return pd.DataFrame(rows).assign(series="measured")


def right() -> Tables:
    made = {
        "fig01": fixed_ratio(), "fig09": fixed_ratio(),
        "fig02": cost_of_privacy("a", [300, 1000, 3000, 5000, 10_000], 20.0),
        "fig03": clipped_fractions(), "fig04": bias_and_variance(), "fig05": coverage(), "fig06": lengths(),
        "fig07": error_against_clipping(), "fig10": coverage(), "fig11": lengths(),
        "fig08": pd.concat([
            cost_of_privacy("a", [10_000, 20_000, 35_000, 100_000], 50.0),
            cost_of_privacy("b", [100_000, 350_000, 1_000_000], 500.0),
        ]),
        "ext_author_profile": pd.concat([
            cost_of_privacy("fig02", [1000, 3000, 5000], 20.0, (3.0,)), cost_of_privacy("a", [10_000], 50.0, (3.0,)),
            cost_of_privacy("b", [350_000], 500.0, (3.0,)),
        ]),
        "ext_outliers": outliers(), "ext_no_clipping": no_clipping(), "ext_small_noise": small_noise(),
        "table_preliminaries": preliminaries(), "ext_large_dimension": large_dimension(), "ext_law": law(),
        "table_proofs": proofs(),
    }  # fmt: skip
    return {name: finished(table) for name, table in made.items()}


def finished(table: pd.DataFrame) -> pd.DataFrame:
    """With the columns that every table has, and errors of a thousandth; quantiles that are not given are means."""
    table = table.reset_index(drop=True)
    if "variant" not in table:
        table["variant"] = "main"
    table["variant"] = table["variant"].fillna("main")
    table["mean"] = table["mean"].astype(float)
    given = {name: table[name] if name in table else pd.Series(math.nan, index=table.index) for name in QUANTILES}
    trials = table["trials"].fillna(5) if "trials" in table else 5
    quantiles = {name: column.fillna(table["mean"]) for name, column in given.items()}
    return table.assign(trials=trials, se=1e-3 * table["mean"], **quantiles)


QUANTILES = ("q025", "q05", "q10", "q25", "median", "q75", "q90", "q95", "q975")
RIGHT = right()


def world() -> Tables:
    """A copy, to be changed."""
    return {name: table.copy() for name, table in RIGHT.items()}


def judged(made: Tables, *parts: ModuleType) -> dict[str, Claim]:
    """Claims by name, of all modules or of some."""
    return {claim.claim: claim for part in parts or (claims,) for claim in part.judge(Evidence(SPEC, made))}


def judged_one(made: Tables, name: str) -> Claim:
    """One claim, judged without the others."""
    return by_id.judge_one(claims, Evidence(SPEC, made), name)


WORLD = judged(RIGHT)
TESTABLE = [name for name in WORLD if name not in NOT_TESTABLE]


def test_in_a_world_in_which_the_paper_is_right_every_claim_is_reproduced() -> None:
    assert {
        name: claim.verdict for name, claim in WORLD.items() if name in TESTABLE and claim.verdict != "reproduced"
    } == {}
    assert {name for name, claim in WORLD.items() if claim.verdict == "not testable"} == NOT_TESTABLE


def test_names_of_claims_are_unique_and_their_artefacts_exist() -> None:
    made = claims.judge(Evidence(SPEC, world()))
    assert len({claim.claim for claim in made}) == len(made) == len(WORLD)
    assert {claim.artefact for claim in made} <= {*ARTEFACTS, "bounds"}
    assert {claim.paper for claim in made} == {"brown2024"}


def test_claims_on_coverage_say_at_which_numbers_of_gradients() -> None:
    told = [claim.statement for name, claim in WORLD.items() if re.fullmatch(r"fig(05|10)-valid-.*", name)]
    assert len(told) == 2 * len(set(told)) == 10
    assert all(words.endswith(("(read at every N)", f"(read from N = {SETTLED} on)")) for words in told)


def test_what_cannot_be_tested_says_why() -> None:
    for name in NOT_TESTABLE:
        assert WORLD[name].criterion.startswith("none: ")


def named_by(condition: Callable[[Claim], bool]) -> set[str]:
    return {name for name, claim in WORLD.items() if condition(claim)}


def test_claims_say_whose_they_are_and_what_about() -> None:
    assert named_by(lambda claim: claim.kind == "privacy") == {"lemma-2.1", "footnote-2-0.015", "no-cost-to-privacy"}
    assert named_by(lambda claim: claim.source == "identity") == {"lemma-2.1"}
    # What the paper does not say is ours: statements in brackets, a law of ours, and thresholds that are not 5 sqrt(p).
    ours = named_by(lambda claim: claim.statement.startswith("(") or "3 sqrt(p)" in claim.quantity + claim.location)
    assert named_by(lambda claim: claim.source == "ours") == ours


def test_cells_are_told_by_their_place() -> None:
    cells = {name: [cell.cell for cell in claim.cells] for name, claim in WORLD.items()}
    assert cells["fig01-order-ols"] == [f"p = {p}" for p in (2, 10, 20, 50, 100, 1000)]
    assert cells["fig07-two-sides-1000"][:2] == ["T = 5", "T = 20"]
    assert cells["fig07-tolerance-1000"] == ["T = 20 after T = 5", "T = 50 after T = 20", "T = 100 after T = 50"]
    assert cells["lemma-2.5-any-sigma"] == ["sigma = 1", "sigma = 0.01"]
    assert cells["fig05-autocorrelation"] == ["n = 1000", "n = 10000"]


def test_sizes_without_ids_are_said_not_to_be_judged() -> None:
    made = world()
    for artefact in ("fig04", "fig07"):
        change(artefact, value=7000, column="n", n=5000)(made)
    found = judged(made, clipping)
    assert {name for name, claim in found.items() if claim.verdict == "not testable"} == {
        name for name in found if name.endswith("-5000")
    }
    for name, claim in found.items():
        own = name[-5:] in ("-1000", "-5000")
        assert claim.note.endswith("no claim is declared at n = 7000, which is not judged") == own


# Worlds in which one claim is false


def change(
    artefact: str, factor: float | None = None, column: str = "mean", value: float | None = None, **where: object
) -> Edit:
    """Multiplies, or replaces, a column in rows that have the given values, or for which a function of them holds."""

    def edit(made: Tables) -> None:
        table = made[artefact]
        mask = pd.Series(True, index=table.index)
        for name, wanted in where.items():
            mask &= table[name].map(wanted) if callable(wanted) else table[name] == wanted
        assert mask.any(), (artefact, where)
        table.loc[mask, column] = value if factor is None else factor * table.loc[mask, column]

    return edit


def tilt(artefact: str, axis: str, power: float, column: str = "mean", **where: object) -> Edit:
    """Multiplies the means, or a column, of some rows by a power of their place on the axis."""

    def edit(made: Tables) -> None:
        table = made[artefact]
        mask = (table[list(where)] == pd.Series(where)).all(axis=1)
        assert mask.any()
        table.loc[mask, column] *= table.loc[mask, axis].astype(float) ** power

    return edit


def both(*edits: Edit) -> Edit:
    return lambda made: [edit(made) for edit in edits]


CLIPPED, EXACT = {"process": "clipped", "n": 10_000}, {"process": "exact", "n": 40_000}
OUTLIERS = {"panel": "outliers", "steps": 1020}
ENDS, REGULAR = (10_000, 100_000, 1_000_000), (35_000, 350_000)
COST = r"(fig0[28])([ab])-([53])-"


def cost(panel: str, factor: str, series: str) -> dict[str, object]:
    return {"panel": panel, "clip_factor": float(factor), "series": series, "variant": "main"}


CAUCHY_SCHWARZ = "largest |x_i|^2 |theta_t - theta*| + |x_i| |xi_i| of that run"
FALSE: dict[str, Callable[..., Edit]] = {
    r"theorem-3.1-simulated": lambda: change("fig05", value=0.85, **EXACT, series="checkpoints", steps=520),
    r"theorem-3.1-(independent|checkpoints)": lambda name: both(*(
        change("ext_no_clipping", value=0.02, column=column, T=50, series=lambda s: s.startswith(f"TV bound, {name}"))
        for column in ("mean", "q025", "q975")
    )),
    r"(fig0[19])-dp-gd-constant": lambda f: tilt(f, "p", 0.05, error_to="theta_star", series="DP-GD"),
    r"(fig0[19])-ols-constant": lambda f: tilt(f, "p", -0.05, error_to="theta_star", series="OLS"),
    r"(fig0[19])-dp-gd-constant-to-ols": lambda f: tilt(f, "p", 0.05, error_to="theta_hat", series="DP-GD"),
    r"(fig0[19])-adassp-grows": lambda f: both(*(tilt(f, "p", -0.6, variant="main", series=s) for s in ADA_SSP)),
    r"(fig0[19])-adassp-root": lambda f: both(*(tilt(f, "p", -0.2, variant="main", series=s) for s in ADA_SSP)),
    r"(fig0[19])-order-adassp": lambda f: change(f, value=0.3, p=1000, variant="main", series="AdaSSP"),
    r"(fig0[19])-order-matched": lambda f: change(f, value=0.3, p=50, series="AdaSSP (zCDP-matched)"),
    r"(fig0[19])-order-ols": lambda f: change(f, value=0.5, p=2, series="OLS"),
    r"(fig0[19])-law": lambda f: change(f, value=0.7, column="q95", series=LEVEL),
    r"fig01-order-large-n": lambda: change("fig01", value=0.01, variant="n = 3000p", series=ADA_SSP.__contains__),
    r"fig01-adassp-root-large-n": lambda: tilt("ext_large_dimension", "p", -0.2, series="AdaSSP (bounds as sqrt(p))"),
    r"adassp-(?:grows-large-n|root-commonly-run)": lambda: both(
        *(tilt("ext_large_dimension", "p", -0.6, column=column, series=series)
          for series in ADA_SSP[::2] for column in ("mean", "se"))
    ),
    r"projected-descent-root": lambda: tilt("ext_large_dimension", "p", 0.2, series="projected descent"),
    r"dp-gd-constant-large-p": lambda: tilt("ext_large_dimension", "p", 0.05, series="DP-GD"),
    r"privacy-rate-rho": lambda: change("fig08", 2.0, **cost("a", "5", "privacy"), n=10_000),
    r"theorem-1.2": lambda: tilt("fig02", "n", 0.5, **cost("a", "5", "privacy")),
    r"fig02a-crosses": lambda: change("fig02", 0.5, **cost("a", "5", "privacy"), n=300),
    r"privacy-error-quantiles": lambda: change("fig02", 1e4, column="q975", **cost("a", "5", "privacy")),
    COST + r"privacy-rate": lambda f, panel, k: tilt(f, "n", 0.15, **cost(panel, k, "privacy")),
    r"(fig0[28])([ab])-sampling-rate": lambda f, panel: tilt(f, "n", -0.1, **cost(panel, "5", "sampling")),
    COST + r"dominates": lambda f, panel, k: change(f, value=9.0, **cost(panel, k, "privacy"), n=ENDS.__contains__),
    COST + r"reasonable": lambda f, panel, k: change(
        f, value=9.0, **cost(panel, k, "privacy"), n=(REGULAR + ENDS).__contains__
    ),
    COST + r"law": lambda f, panel, k: change(f, value=0.7, **cost(panel, k, LEVEL), column="q95"),
    r"fig02-author-dominates": lambda: change("ext_author_profile", value=9.0, panel="fig02", n=5000, series="privacy"),
    r"fig08([ab])-author-reasonable": lambda panel: change(
        "ext_author_profile", value=9.0, panel=panel, series="privacy"
    ),
    r"fig03-scaling-.*": lambda: stretched,
    r"fig03-low": lambda: change("fig03", value=0.02, p=80, gamma=lambda gamma: 30 < gamma < 60),
    r"fig03-falls-in-gamma": lambda: change("fig03", 3.0, p=80, gamma=lambda gamma: gamma > 30),
    r"fig03-grows-in-p": lambda: change("fig03", value=0.9, p=5),
    r"fig04-clipped-falls": lambda: change("fig04", value=0.95, column="clip_fraction", clip_factor=3.0),
    r"noise-root-steps": lambda: tilt("fig07", "T", 0.3, clip_factor=10),
    r"fig04-low-threshold-(\d+)": lambda n: change("fig04", value=0.1, n=int(n), series="bias2", clip_factor=0.1),
    r"fig04-high-threshold-(\d+)": lambda n: change("fig04", value=1.0, n=int(n), series="variance", clip_factor=10.0),
    r"fig04-bias-falls-(\d+)": lambda n: change("fig04", value=0.5, n=int(n), series="bias2", clip_factor=10.0),
    r"fig04-variance-rises-(\d+)": lambda n: change("fig04", value=2.0, n=int(n), series="variance", clip_factor=0.1),
    r"fig04-optimum-(\d+)": lambda n: change("fig04", value=0.01, n=int(n), series="mse", clip_factor=3.0),
    r"fig07-two-sides-(\d+)": lambda n: change("fig07", value=0.9, n=int(n), clip_factor=10),
    r"fig07-half-clipped-(\d+)": lambda n: change("fig07", 9.0, n=int(n), clip_fraction=(0.3, 0.6).__contains__),
    r"fig07-half-or-none-(\d+)": lambda n: change("fig07", value=0.9, n=int(n), clip_factor=5),
    r"fig07-tolerance-(\d+)": lambda n: change("fig07", value=0.5, n=int(n), T=100, clip_factor=2),
    r"no-clipping-(\d+)": lambda k: change("ext_no_clipping", value=0.9, clip_factor=float(k), series=ANY),
    r"theorem-2.7-any-sigma": lambda: change("ext_small_noise", 101.0, sigma=1e-6),
    r"(fig\d+)-valid-(\w+?)": lambda f, series: change(f, value=0.9, series=series),
    r"(fig\d+)-valid-(\w+)-settled": lambda f, series: change(f, value=0.9, series=series),
    r"(fig\d+)-autocorrelation": lambda f: change(f, value=0.75, process="clipped", series="lag1"),
    r"(fig\d+)-larger-batches": lambda f: change(f, value=0.93, process="clipped", series="batched, short"),
    r"(fig\d+)-burn-in": lambda f: both(
        *(change(f, value=0.8, column=column, steps=220, series="independent", variant="main")
          for column in ("mean", "predicted"))
    ),
    r"(fig\d+)-averages": lambda f: change(f, 0.5, variant="last iterate only"),
    r"(fig\d+)-short-batches": lambda f: change(f, value=0.99, series="batched", steps=lambda steps: steps < 200),
    r"(fig\d+)-checkpoints": lambda f: tilt(f, "steps", -0.2, series="checkpoints"),
    r"(fig\d+)-better-use": lambda f: change(f, value=0.7, series="checkpoints"),
    r"(fig\d+)-law-(\w+)": lambda f, series: change(f, 1.1, **EXACT, steps=520, series=series),
    r"(fig\d+)-comparable-(\w+)": lambda f, series: change(f, 9.0, series=series),
    r"lemma-2.5": lambda: change("ext_no_clipping", value=0.2, panel="lemma 2.5", sigma=1.0),
    r"lemma-2.5-any-sigma": lambda: change("ext_no_clipping", value=0.2, panel="lemma 2.5", sigma=0.01),
    r"lemma-2.6": lambda: change("ext_no_clipping", value=900.0, panel="condition", series="c0", n=1000),
    r"outliers-huber": lambda: change("ext_outliers", value=0.9, **OUTLIERS, clip_factor=2.0, series="huber"),
    r"outliers-not-least-squares": lambda: both(*(
        change("ext_outliers", value=0.95, column=column, **OUTLIERS, clip_factor=5.0, series="ols")
        for column in ("q025", "q05", "q10")
    )),
    r"preliminaries-tails": lambda: change("table_preliminaries", value=0.09, quantity="A.8: P(event)", p=100),
    r"claim-a.12": lambda: change("table_preliminaries", 3.0, column="q95", p=100),
    r"law-without-clipping": lambda: change("ext_law", value=0.7, column="q95", panel="normal", T=20),
    r"law-heavy-tails": lambda: change("ext_law", value=0.7, column="q95", panel="heavy tails", T=1),
    r"law-singular": lambda: change("ext_law", value=0.7, column="q95", panel="orthogonal", T=60),
    r"law-mean": lambda: change("ext_law", value=0.99, series="level of the mean over runs", T=20),
    r"bias-decays": lambda: change("ext_law", value=1.1, series="last contraction over ||M||", T=60),
    r"bias-seven-eighths": lambda: change("ext_law", value=1.1, series="distance over (7/8)^t", T=1),
    r"lemma-2.2": lambda: change("ext_law", value=0.01, panel="clipped", column="q95", clip_factor=8.0, series=LEVEL),
    r"conditioning-moves-the-law": lambda: change("ext_law", value=0.6, series="level, nothing clipped"),
    r"gradients-root-p": lambda: tilt("table_proofs", "p", 0.3, quantity="largest gradient of a run without clipping"),
    r"gradients-cauchy-schwarz": lambda: tilt("table_proofs", "p", 0.3, quantity=CAUCHY_SCHWARZ),
    r"cauchy-schwarz-is-loose": lambda: tilt("table_proofs", "p", -0.7, quantity=CAUCHY_SCHWARZ),
    r"residual-after-a-step": lambda: tilt("table_proofs", "p", 0.3, quantity=RESIDUAL),
    r"noise-after-a-step": lambda: tilt("table_proofs", "p", 0.3, quantity="length of that step's noise"),
    r"noise-ratio-linear": lambda: tilt(
        "table_proofs", "p", 0.3, quantity="largest |x_i| |x_i'(theta_t - E theta_t)| over eta lambda"
    ),
    r"eq-(33|67|80)": lambda k: change(
        "table_proofs", value=1.2, column="q95", quantity=lambda name: name.startswith(f"({k})"), p=50
    ),
    r"lemma-c.6": lambda: change("table_proofs", 1.3, quantity="C.6: p (p + 2) u_1^4 / 3"),
    r"nearly-spherical": lambda: change("table_proofs", 2.0, quantity="condition number of A", p=200),
    r"noise-ratio-logarithm": lambda: change("table_proofs", 3.0, column="q95", panel="sample size", n=30_000),
    r"records-linear": lambda: tilt("table_proofs", "p", 0.5, column="q95", panel="spectrum"),
    r"records-logarithm": lambda: change("table_proofs", 3.0, column="q975", panel="spectrum", p=20),
}  # fmt: skip
# What no table can change: arithmetic of the paper's own formulas, and exact laws.
LAWS = {f"theorem-3.1-steps-{axis}" for axis in ("lambda", "m", "p", "beta")} | {
    "claim-c.9", "claim-c.11", "eq-97", "eq-100", "ten-batches", "population-not-covered",
}  # fmt: skip
FORMULAS = {"lemma-2.1", "footnote-2-0.015", *LAWS}


def stretched(made: Tables) -> None:
    """Thresholds for a given fraction grow like p in place of its root."""
    table = made["fig03"]
    table["mean"] = np.exp(-table["gamma"] / table["p"] * 20**0.5)


def small_dimensions(made: Tables) -> None:
    """Dimensions of a tenth."""
    table = made["ext_large_dimension"]
    made["ext_large_dimension"] = table.assign(p=table["p"] // 10)


def flattened(made: Tables) -> None:
    """The threshold for a given fraction is the same in every dimension."""
    table = made["fig03"]
    table["mean"] = np.exp(-table["gamma"] / 8)


def falsified(name: str) -> Tables:
    made = world()
    (edit,) = (make(*found.groups()) for pattern, make in FALSE.items() if (found := re.fullmatch(pattern, name)))
    edit(made)
    return made


# A constant of its own for each sigma, which the words allow, cannot be refuted at finitely many.
OPEN_AT_WORST = {"theorem-2.7-any-sigma"}


@pytest.mark.parametrize("name", [name for name in TESTABLE if name not in FORMULAS])
def test_every_claim_fails_where_it_is_false(name: str) -> None:
    worst = "inconclusive" if name in OPEN_AT_WORST else "not reproduced"
    assert judged_one(falsified(name), name).verdict == worst


# Other ways to be false, or to be true in spite of a number
OTHERWISE: dict[str, tuple[str, Edit, str]] = {
    "another end of a curve": (
        "fig07-two-sides-1000", change("fig07", value=1.0, n=1000, clip_factor=0.1), "not reproduced"
    ),
    "an end that does not rise at one T": (
        "fig07-two-sides-1000", change("fig07", value=1.0, n=1000, T=20, clip_factor=0.1), "inconclusive"
    ),
    "half of the gradients at one T": (
        "fig07-half-clipped-1000",
        change("fig07", 9.0, n=1000, T=20, clip_fraction=(0.3, 0.6).__contains__),
        "inconclusive",
    ),
    "a lower error beyond half of the gradients": (
        "fig07-half-clipped-1000", change("fig07", value=0.01, n=1000, clip_fraction=0.9), "reproduced"
    ),
    "intervals that fail in short runs": (
        "fig05-valid-checkpoints", change("fig05", value=0.8, steps=70, series="checkpoints"), "inconclusive"
    ),
    "intervals that fail at one size": (
        "fig10-valid-batched-settled", change("fig10", value=0.8, n=1000, series="batched"), "inconclusive"
    ),
    "one low value of several": (
        "fig05-valid-checkpoints-settled",
        change("fig05", value=0.92, **CLIPPED, steps=520, series="checkpoints"),
        "reproduced",
    ),
    "clipping where the lemma asks for a larger threshold": (
        "no-clipping-5",
        both(
            change("ext_no_clipping", value=0.9, clip_factor=5.0, series=ANY),
            change("ext_no_clipping", value=150.0, series="gamma required at the data's c0"),
        ),
        "inconclusive",
    ),
    "clipping at one size": (
        "no-clipping-10", change("ext_no_clipping", value=0.9, clip_factor=10.0, n=1000, series=ANY), "inconclusive"
    ),
    "a rate that has not set in": (
        "adassp-root-commonly-run",
        both(tilt("ext_large_dimension", "p", -0.2, series="AdaSSP"), small_dimensions),
        "inconclusive",
    ),
    "a bound on gradients that does not count as p yet": ("projected-descent-root", small_dimensions, "not testable"),
    "clipping at so large a threshold that it is low": (
        "fig03-falls-in-gamma", change("fig03", value=0.005, gamma=lambda gamma: gamma > 75), "reproduced"
    ),
    "a shift of the law below the share of runs that clip": (
        "lemma-2.2", change("ext_law", value=0.8, column="q95", clip_factor=6.0, series=LEVEL), "reproduced"
    ),
    "one way to run AdaSSP": (
        "fig09-adassp-root", tilt("fig09", "p", -0.2, variant="main", series="AdaSSP (public bounds)"), "inconclusive"
    ),
    "errors that the start-up bends at large n": (
        "fig08a-3-privacy-rate", change("fig08", 9.0, **cost("a", "3", "privacy"), n=100_000), "reproduced"
    ),
    "sampling that dominates beyond the script's grid": (
        "fig08a-5-reasonable", change("fig08", value=9.0, **cost("a", "5", "privacy"), n=35_000), "inconclusive"
    ),
    "thresholds that grow slower than the root": ("fig03-scaling-0.1", flattened, "reproduced"),
    "events that were never seen": (
        "preliminaries-tails", change("table_preliminaries", value=0.0, quantity="A.8: P(event)"), "reproduced"
    ),
    "coordinates that outliers spare": (
        "outliers-not-least-squares", change("ext_outliers", value=0.95, **OUTLIERS, series="ols"), "reproduced"
    ),
    "an optimum that goes up and down again": (
        "fig07-tolerance-1000",
        both(
            change("fig07", value=0.5, n=1000, T=20, clip_factor=0.5),
            change("fig07", value=0.5, n=1000, T=100, clip_factor=1),
        ),
        "not reproduced",
    ),
    "lengths below those of the law": (
        "fig06-law-batched", change("fig06", 0.9, **EXACT, steps=220, series="batched"), "not reproduced"
    ),
    "outliers in shorter runs": (
        "outliers-huber", change("ext_outliers", value=0.5, panel="outliers", steps=420, series="huber"), "reproduced"
    ),
    "data without outliers": (
        "outliers-not-least-squares", change("ext_outliers", value=0.95, panel="clean", series="ols"), "reproduced"
    ),
    "intervals in runs that are too short for some": (
        "fig05-valid-batched-settled", change("fig05", value=0.5, **CLIPPED, steps=120, series="batched"), "reproduced"
    ),
    "more correlation at one of the sizes only": (
        "fig05-autocorrelation", change("fig05", value=0.75, **CLIPPED, series="lag1"), "inconclusive"
    ),
    "short batches that suffice at one of the sizes": (
        "fig10-larger-batches", change("fig10", value=0.93, **CLIPPED, series="batched, short"), "inconclusive"
    ),
    "widths that are comparable at large sizes only": (
        "fig06-comparable-batched", change("fig06", 3.0, n=1000, series="batched"), "inconclusive"
    ),
    "batches that grow with the run": (
        "fig05-larger-batches", change("fig05", value=0.99, **CLIPPED, series="batched"), "reproduced"
    ),
    "small dimensions": ("fig01-dp-gd-constant", change("fig01", value=0.2, p=2, series="DP-GD"), "reproduced"),
    "a dimension in which nothing is clipped": ("fig03-scaling-0.1", change("fig03", value=0.0, p=200), "reproduced"),
}  # fmt: skip


@pytest.mark.parametrize("case", list(OTHERWISE))
def test_what_a_claim_looks_at(case: str) -> None:
    (name, edit, expected), made = OTHERWISE[case], world()
    edit(made)
    assert judged_one(made, name).verdict == expected


def test_contours_are_those_of_their_level() -> None:
    """Below a fraction of 0.2 the thresholds go with the root of p, above it they do not."""
    made = world()
    table = made["fig03"]
    place = table["gamma"] / table["p"] ** 0.5 / math.log(5)
    table["mean"] = np.where(place < 1, 0.2 + 0.8 * (1 - place).clip(0) ** (table["p"] / 20), table["mean"])
    found = judged(made, clipping)
    assert found["fig03-scaling-0.01"].measured == pytest.approx(0.5, abs=0.02)
    assert found["fig03-scaling-0.1"].measured == pytest.approx(0.5, abs=0.02)
    assert abs(found["fig03-scaling-0.5"].measured - 0.5) > 0.1


@pytest.mark.parametrize("kept", [lambda gamma: gamma > 75, lambda gamma: gamma < 11])
def test_a_clipped_fraction_is_not_read_beyond_the_grid_of_thresholds(kept: Callable[[float], bool]) -> None:
    """5 sqrt(p) is 11.2 at p = 5 and 70.7 at p = 200."""
    made = world()
    made["fig03"] = made["fig03"][made["fig03"]["gamma"].map(kept)]
    assert judged_one(made, "fig03-low").verdict == "not testable"


def test_a_curve_is_read_at_half_of_the_gradients_where_it_brackets_that() -> None:
    made = world()
    for n, last in ((1000, 0.55), (5000, 0.45)):
        change("fig07", value=last, column="clip_fraction", n=n, clip_fraction=lambda share: share > 0.45)(made)
    found = judged(made, clipping)
    assert not math.isnan(found["fig07-half-clipped-1000"].measured)
    assert math.isnan(found["fig07-half-clipped-5000"].measured)


@pytest.mark.parametrize("name", ["fig01-order-ols", "fig06-burn-in", "fig05-autocorrelation", "no-clipping-5"])
def test_other_claims_do_not_notice(name: str) -> None:
    found = judged(falsified(name))
    assert {other for other in TESTABLE if found[other].verdict != "reproduced"} == {name}


def test_privacy_of_the_noise_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a sensitivity of 3 gamma / n the printed noise would not do."""
    monkeypatch.setattr(guarantees, "mean_sensitivity", lambda gamma, n: 3 * gamma / n)
    found = judged_one(RIGHT, "lemma-2.1")
    assert (found.verdict, found.measured) == ("not reproduced", pytest.approx(2.25, rel=1e-12))


STEPS = separation.required_steps


@pytest.mark.parametrize(
    ("name", "other", "refuted"),
    [
        # Separations that grow as powers in place of logarithms.
        ("least_steps", lambda *_, m, **__: m**2, {"theorem-3.1-steps-m"}),
        ("least_steps", lambda *_, noise_sd, **__: 1 / noise_sd, {"theorem-3.1-steps-lambda"}),
        ("least_steps", lambda *_, beta, **__: 1 / beta, {"theorem-3.1-steps-beta"}),
        ("required_steps", lambda *, p, **given: STEPS(p=p, **given) / p, {"theorem-3.1-steps-p"}),
        ("t_interval_coverage", lambda *_, **__: 0.94, {"claim-c.9", "population-not-covered"}),
        ("scaled_variation", lambda p, distance: distance * p**0.5, {"claim-c.11"}),
        ("CONTRACTION", 0.5, {"eq-97", "eq-100"}),
        ("at_identity", lambda *_, m, **__: separation.AtIdentity(0.95, m), {
            "ten-batches", "population-not-covered",
        }),
    ],
)  # fmt: skip
def test_exact_laws_refute_where_they_say_otherwise(
    name: str, other: object, refuted: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(separation, name, other)
    found = judged(RIGHT, separation)
    assert {each for each, claim in found.items() if claim.verdict == "not reproduced"} == refuted


def test_epsilon_is_compared_with_the_printed_one() -> None:
    spec = {**SPEC, "published": {**SPEC["published"], "epsilon_at_rho": {"0.015": 0.926}}}
    found = by_id.judge_one(claims, Evidence(spec, RIGHT), "footnote-2-0.015")
    assert (found.verdict, found.measured) == (
        "not reproduced",
        pytest.approx(0.015 + 2 * math.sqrt(0.015 * math.log(1e6))),
    )


# Worlds with large errors


def blurred(relative: float) -> dict[str, Claim]:
    made = world()
    for table in made.values():
        table["se"] = relative * table["mean"]
        table["q025"], table["q975"] = 0.5 * table["mean"], 1000 * table["mean"]
        table["q10"] = table["q975"]
    # The contours of Figure 3 have no errors of their own, only scatter.
    waves = 1 + 0.4 * (made["fig03"]["p"] == 80) - 0.4 * (made["fig03"]["p"] == 20)
    made["fig03"]["mean"] = np.exp(-made["fig03"]["gamma"] / made["fig03"]["p"] ** 0.5 * waves)
    return judged(made)


BLURRED = Later(lambda: blurred(4.0))
# Quantiles and ratios without a standard error, levels, whose chance is that of their trials, and what is computed.
SURE = {
    "claim-a.12", "theorem-1.2", "privacy-error-quantiles", "fig03-falls-in-gamma", "fig04-clipped-falls", "eq-33",
    "eq-67", "eq-80", "noise-ratio-logarithm", "records-linear", "records-logarithm", "law-without-clipping",
    "law-heavy-tails", "law-singular", *FORMULAS,
    *(name for name in WORLD if name.startswith("fig") and name.endswith("-law")),
}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in TESTABLE if name not in SURE])
def test_large_errors_leave_every_claim_open(name: str) -> None:
    assert BLURRED[name].verdict == "inconclusive"


@pytest.mark.parametrize("name", [name for name in TESTABLE if name not in FORMULAS])
def test_intervals_hold_their_estimates(name: str) -> None:
    for claim in (WORLD[name], BLURRED[name]):
        assert claim.low <= claim.measured <= claim.high


# 97.5 % quantile of Student's t for the five data sets of each row.
STUDENT = 2.7764


@pytest.mark.parametrize("bias", [-1e-3, -1e-9, 0.0, 1e-9, 1e-3])
def test_a_share_of_squared_bias_may_be_nil_or_less(bias: float) -> None:
    """A grid of one's own may begin where nothing is clipped."""
    made = world()
    for column, value in (("mean", bias), ("se", 2e-3)):
        change("fig04", value=value, column=column, n=1000, series="bias2", clip_factor=0.1)(made)
    found = judged(made, clipping)
    share, fall = found["fig04-low-threshold-1000"], found["fig04-bias-falls-1000"]
    assert (share.verdict, share.measured) == ("not reproduced", pytest.approx(bias / 0.602))
    assert share.high - share.low == pytest.approx(2 * STUDENT * 2e-3 / 0.602, rel=1e-3)
    assert ("Ten steps" in share.note) == (bias > 0)
    # Over 5e-4 with an error of 5e-7.
    assert fall.measured == pytest.approx(bias / 5e-4)
    assert fall.low == pytest.approx((bias - STUDENT * 2e-3) / 5e-4, rel=0.01)
    assert fall.high == pytest.approx((bias + STUDENT * 2e-3) / 5e-4, rel=0.01)


def test_a_share_counts_the_error_of_the_whole() -> None:
    made = world()
    change("fig04", value=0.1, column="se", n=1000, series="mse", clip_factor=10.0)(made)
    share = judged_one(made, "fig04-high-threshold-1000")
    assert share.high - share.measured == pytest.approx(STUDENT * math.hypot(0.003, 0.1) / 3.0005, rel=1e-3)


def test_no_bias_at_either_end_says_nothing_on_its_fall() -> None:
    """Estimates of -1e-3 with an error of 1e-4 at the lowest threshold, and of nil with 1e-3 at the highest."""
    made = world()
    for factor, mean, se in ((0.1, -1e-3, 1e-4), (10.0, 0.0, 1e-3)):
        change("fig04", value=mean, n=1000, series="bias2", clip_factor=factor)(made)
        change("fig04", value=se, column="se", n=1000, series="bias2", clip_factor=factor)(made)
    fall = judged_one(made, "fig04-bias-falls-1000")
    assert fall.low <= fall.measured < 0 < fall.high == math.inf
    assert fall.verdict == "inconclusive"


def test_the_note_on_fewer_steps_compares_equal_thresholds() -> None:
    made = world()
    change("fig04", 1.5, variant="ten iterations", n=1000, error_to="theta_hat", series="bias2", clip_factor=0.1)(made)
    assert "squared bias by a factor 1.5:" in judged_one(made, "fig04-low-threshold-1000").note
    made["fig04"] = made["fig04"].query("clip_factor > 0.2 or variant != 'main'")
    assert "squared bias by a factor 1:" in judged_one(made, "fig04-low-threshold-1000").note


def test_a_squared_bias_within_its_error_of_zero_bounds_the_fall_from_below_only() -> None:
    """Estimates of a square may be negative: -1 with errors 1 and 0.1, both compatible with nil; the largest is 0.6."""
    for mean, se in ((-1e-4, 1e-3), (-1e-3, 1e-4), (1e-4, 1e-3), (0.0, 1e-3)):
        made = world()
        for column, value in (("mean", mean), ("se", se)):
            change("fig04", value=value, column=column, n=1000, series="bias2", clip_factor=10.0)(made)
        found = judged_one(made, "fig04-bias-falls-1000")
        ceiling = max(mean, 0.0) + STUDENT * se
        assert found.high == math.inf
        assert found.low == pytest.approx(0.6 * (1 - 1e-3 * STUDENT) / ceiling, rel=1e-3)
        assert found.low <= found.measured
        assert found.verdict == "reproduced"


# Grids of one's own

CONSTANT = {f"fig01-{name}" for name in ("dp-gd-constant", "ols-constant", "dp-gd-constant-to-ols")}
GROWTH = {"fig01-adassp-grows", "fig01-adassp-root", "fig01-order-large-n"}
LARGE = {"adassp-grows-large-n", "adassp-root-commonly-run", "projected-descent-root", "dp-gd-constant-large-p"}
SCALING = {f"fig03-scaling-{level}" for level in ("0.5", "0.1", "0.01")}


def named(pattern: str, *first: object, second: tuple[object, ...] = (1000, 5000)) -> set[str]:
    return {pattern.format(a, b) for a in first for b in second}


# The value that is left on an axis, and the claims that one value cannot answer.
SINGLE = {
    ("fig01", "p", 2): CONSTANT | GROWTH | {"fig01-law"},
    ("fig01", "p", 100): CONSTANT | GROWTH,
    ("fig02", "n", 10_000): named("fig02a-{}-{}", 5, 3, second=("privacy-rate",)) | {"fig02a-sampling-rate"},
    ("fig02", "clip_factor", 3.0): {name for name in WORLD if name.startswith("fig02a-5-")}
    | {"fig02a-sampling-rate", "fig02a-crosses", "privacy-rate-rho", "privacy-error-quantiles"},
    ("ext_author_profile", "n", 10_000): {"fig02-author-dominates", "fig08b-author-reasonable"},
    ("fig03", "p", 20): SCALING | {"fig03-grows-in-p"},
    ("fig03", "gamma", 1.0): SCALING | {"fig03-low", "fig03-falls-in-gamma"},
    ("fig04", "clip_factor", 3.0): named("fig04-{}-{}", "bias-falls", "variance-rises") | {"fig04-clipped-falls"},
    ("fig07", "T", 20): named("fig07-{}-{}", "tolerance") | {"noise-root-steps"},
    ("fig07", "clip_factor", 5): named("fig07-{}-{}", "two-sides", "half-clipped", "half-or-none", "tolerance"),
    ("fig05", "steps", 520): {"fig05-autocorrelation", "fig05-larger-batches", "fig05-short-batches"},
    ("fig05", "steps", 70): {f"fig05-valid-{series}-settled" for series in SERIES}
    | {"theorem-3.1-simulated", "fig05-autocorrelation", "fig05-larger-batches"},
    ("fig06", "steps", 120): {"fig06-burn-in", "fig06-checkpoints", "fig06-better-use", "fig06-comparable-independent"}
    | {"fig06-averages"}
    | {f"fig06-law-{series}" for series in SERIES},
    ("ext_large_dimension", "p", 800): LARGE | {"fig01-adassp-root-large-n"},
    ("ext_law", "panel", "clipped"): {"law-without-clipping", "law-heavy-tails", "law-singular", "law-mean"}
    | {"bias-decays", "bias-seven-eighths"},
    ("ext_law", "panel", "normal"): {"law-heavy-tails", "law-singular", "lemma-2.2", "conditioning-moves-the-law"},
    ("table_proofs", "panel", "spectrum"): {name for name in WORLD if WORLD[name].artefact == "table_proofs"}
    - {"records-linear", "records-logarithm"},
    ("table_proofs", "p", 50): {
        "gradients-root-p", "gradients-cauchy-schwarz", "cauchy-schwarz-is-loose", "residual-after-a-step",
        "noise-after-a-step", "noise-ratio-linear", "noise-ratio-logarithm", "records-linear", "records-logarithm",
    },
    ("ext_small_noise", "sigma", 1.0): {"theorem-2.7-any-sigma"},
    ("ext_small_noise", "sigma", 1e-6): {"theorem-2.7-any-sigma"},
    ("ext_no_clipping", "clip_factor", 5.0): {
        "no-clipping-10", "theorem-3.1-independent", "theorem-3.1-checkpoints", "lemma-2.5", "lemma-2.5-any-sigma",
        "lemma-2.6",
    },
}  # fmt: skip


def thinned(artefact: str, column: str, value: object) -> Tables:
    made = world()
    made[artefact] = made[artefact][made[artefact][column] == value].reset_index(drop=True)
    return made


@functools.cache
def read_by(part: ModuleType) -> set[str]:
    return tables_read(part.judge, Evidence(SPEC, world()))


@pytest.mark.parametrize(("artefact", "column", "value"), list(SINGLE))
def test_a_claim_whose_rows_are_not_there_is_not_testable(artefact: str, column: str, value: object) -> None:
    found = judged(thinned(artefact, column, value), *(part for part in claims.PARTS if artefact in read_by(part)))
    assert {name for name, claim in found.items() if claim.verdict == "not testable"} - NOT_TESTABLE == SINGLE[
        artefact, column, value
    ]
    assert all(math.isnan(found[name].measured) for name in SINGLE[artefact, column, value])
    others = {claim.verdict for name, claim in found.items() if claim.artefact != artefact and name not in NOT_TESTABLE}
    assert others <= {"reproduced", "not testable"}


PLACES = (0, 0.5, 1)
AXES = ("p", "n", "T", "clip_factor", "gamma", "steps", "sigma")


@pytest.mark.parametrize(
    ("axis", "place"),
    # Each axis once, at its ends in turn; the other places are repetitions.
    [
        pytest.param(axis, place, marks=[] if place == rank % 2 else pytest.mark.slow)
        for rank, axis in enumerate(AXES)
        for place in PLACES
    ],
)
def test_any_grids_of_one_value_can_be_judged(axis: str, place: float) -> None:
    """Every panel of every table with the first, the middle or the last of its values alone."""
    made = world()
    for name, table in made.items():
        if axis in table:
            panels = [column for column in ("panel", "process", "variant") if column in table]
            made[name] = pd.concat(
                [alone(group, axis, place) for _, group in table.groupby(panels, dropna=False)], ignore_index=True
            )
    found = judged(made)
    for claim in found.values():
        if claim.measured is not None and math.isnan(claim.measured):
            assert claim.verdict == "not testable"
    assert len(findings.demonstrate(Evidence(SPEC, made))) == 15
    assert sum(claim.verdict == "not testable" for claim in found.values()) > len(NOT_TESTABLE)


def alone(rows: pd.DataFrame, axis: str, place: float) -> pd.DataFrame:
    values = sorted(set(rows[axis].dropna()))
    return rows[rows[axis] == values[round(place * (len(values) - 1))]] if values else rows


def test_variants_that_were_switched_off_are_missed_by_their_own_claims_only() -> None:
    made = {name: table[table["variant"] == "main"] for name, table in world().items()}
    found = judged(made)
    missed = {"fig01-order-large-n", "fig06-averages", "fig11-averages"}
    assert {name for name in TESTABLE if found[name].verdict != "reproduced"} == missed
    assert "Ten steps" in WORLD["fig04-low-threshold-1000"].note
    assert "Ten steps" not in found["fig04-low-threshold-1000"].note


# Findings


def told(made: Tables) -> dict[str, str]:
    return {each.finding: each.measured for each in findings.demonstrate(Evidence(SPEC, made))}


def test_findings_quote_the_tables() -> None:
    made = world()
    change("ext_small_noise", value=0.99, sigma=1e-6, c=1.0)(made)
    change("fig02", value=0.123, variant="step size 0.2", n=10_000, series="privacy", clip_factor=5.0)(made)
    change("ext_no_clipping", value=3.25, panel="condition", n=1000)(made)
    change("fig01", value=0.777, p=1000, variant="main", series="AdaSSP")(made)
    change("fig06", value=6.5, process="clipped", n=1000, steps=1020, series="batched")(made)
    change("fig02", value=1.0, n=5000, clip_factor=3.0, series="sampling")(made)
    change("fig02", value=2.5, n=5000, clip_factor=3.0, series="privacy")(made)
    found = told(made)
    assert "c = 1: error 0.99, bound 1e-05 at sigma = 1e-06; error 1, bound 10 at sigma = 1." in found["small-sigma"]
    assert "n = 10000, T = 20: 0.01 at eta = 1/4, 0.123 at eta = 1/5" in found["unstated-step-size"]
    assert "3.2 to 4.0" in found["lemma-2.6-constant"]
    assert "0.71 at p = 2, 0.78 at p = 1000" in found["adassp-growth"]
    assert "6.5 at n = 1000, 0.8 at n = 10000" in found["unstated-sample-size"]
    assert "2.50 at 3 sqrt(p)" in found["figure-2-threshold"]
    assert "is 1.400 times" in found["label-noise-mean"]


def test_findings_on_formulas_are_those_formulas() -> None:
    found, beta = told(world()), SPEC["settings"]["beta"]
    # At n rho / p = 2 and c = 10 the theorem has seven steps, whatever rho is.
    bias, steps = 0.75**7, math.ceil(10 * math.log(2))
    assert steps == 7
    for rho in (1e-2, 1e-8, 1e-12):
        bound = math.log(2 / beta) ** 4 * 10 / (math.sqrt(rho) * (20 / rho))
        assert f"rho = {rho:g}: bias {bias:.3g}, bound {bound:.2g}" in found["steps-small-rho"]
    T = math.ceil(10 * math.log(1000))
    corrected = 1000 * math.sqrt(T) * math.log(1e6 * T / beta) ** 3.5
    printed = math.sqrt(1000) * math.log(1000 / beta) ** 4
    assert (
        f"{corrected:.2g} in place of {printed:.2g} at n = 1e6, p = 1000, rho = 1, T = {T}" in found["sample-condition"]
    )
    factors = ", ".join(f"{1 / (1 - p**-0.5):.2f} at p = {p}" for p in (2, 10, 100))
    assert factors in found["lemma-2.6-constant"]


def test_theorem_3_1_asks_for_no_steps_where_its_logarithm_is_not_positive() -> None:
    """Ten iterates in a row correlate by 3/4; their interval covers as often as simulated elsewhere."""
    found = told(world())["theorem-3.1-steps"]
    assert "lambda = 8000 checkpoints cover 0.55 at T = 1, 0.95 at T = 20" in found
    assert "lambda = 0.01 independent runs cover 0.00 at T = 1, 0.95 at T = 30" in found


def test_findings_without_their_rows_say_nan() -> None:
    made = world()
    for name, table in made.items():
        made[name] = table[table["variant"] == "main"]
    made["fig02"] = made["fig02"].query("n < 5000 and clip_factor == 3.0")
    found = told(made)
    assert "nan at eta = 1/4, nan at eta = 1/5" in found["unstated-step-size"]
    assert "nan at 5 sqrt(p), nan at 3 sqrt(p)" in found["figure-2-threshold"]
    assert "is nan times" in found["label-noise-mean"]


def test_findings_are_called_errors_only_with_a_charitable_reading() -> None:
    made = findings.demonstrate(Evidence(SPEC, world()))
    assert {each.artefact for each in made} <= {*ARTEFACTS, "bounds"}
    errors = {each.finding for each in made if each.kind == "mathematics" and each.status == "confirmed"}
    assert errors == {
        "small-sigma", "steps-small-rho", "theorem-3.1-steps", "sample-condition", "lemma-2.6-constant",
    }  # fmt: skip
    assert {each.finding for each in made if each.kind == "text" and each.status == "confirmed"} == set()
    headlines = {each.finding: each.headline for each in made if each.headline}
    assert list(headlines) == ["small-sigma"]
    assert headlines["small-sigma"].startswith("0.01 instead of at most 0.05: ")
    for each in made:
        assert each.paper == "brown2024"
        assert all([each.statement, each.expected, each.measured, each.charitable_reading])


# The experiments' own tables


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables of every artefact at the quick scale, with fewer trials and records, as the pipeline writes them."""
    folder = tmp_path_factory.mktemp("tables")
    for artefact in ARTEFACTS.values():
        run, parts = pkgutil.resolve_name(artefact.run), []
        for part in artefact.parts:
            spec = json.loads(part.json())
            if spec["trials"][0] == 0:
                spec["trials"] = [0, 2]
                shrink(spec)
                parts.append(pd.DataFrame([{"variant": spec["variant"], **row} for row in run(spec)]))
        tables.write(tables.summarise(parts, artefact.keys, artefact.measures), folder / f"{artefact.id}.csv")
    return folder


def shrink(spec: dict[str, dict[str, object]]) -> None:
    cell, arms = spec["cell"], spec["arms"]
    if spec["artefact"] in ("fig08", "ext_author_profile"):
        cell["n"] = cell["n"] // 20  # type: ignore[operator]
    cell.update({"replications": 4} if "replications" in cell else {})
    arms.update({"runs": 4} if "runs" in arms else {})


def test_tables_of_the_experiments_can_be_judged(folder: Path, tmp_path: Path) -> None:
    evidence = Evidence.read(SPEC, folder)
    made = claims.judge(evidence)
    assert len({claim.claim for claim in made}) == len(made) > 100
    missing = [claim.claim for claim in made if claim.verdict == "not testable" and claim.claim not in NOT_TESTABLE]
    assert missing == []
    records.write(made, Claim, tmp_path / "claims.csv")
    back = read_rows(tmp_path / "claims.csv")
    assert [row["verdict"] for row in back] == [claim.verdict for claim in made]
    by_name = {claim.claim: claim for claim in made}
    assert by_name["lemma-2.1"].verdict == "reproduced"
    # Of so few trials an interval may be too wide to decide.
    for name in ("fig01-order-matched", "fig04-low-threshold-1000", "fig06-burn-in"):
        assert by_name[name].verdict in ("reproduced", "inconclusive"), name
    assert by_name["theorem-2.7-any-sigma"].verdict == "inconclusive"


def test_tables_of_the_experiments_demonstrate_every_finding(folder: Path) -> None:
    made = findings.demonstrate(Evidence.read(SPEC, folder))
    assert len({each.finding for each in made}) == len(made) == 15
    assert not [each.finding for each in made if "nan" in each.measured]
