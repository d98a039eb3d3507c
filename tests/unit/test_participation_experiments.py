"""The experiments of wang2026 on accountants alone: which rows they have, and what stands in them."""

import math

import pytest

from dpdescent.papers.wang2026 import attained
from dpdescent.papers.wang2026.attained import run_sampling_counterexample
from dpdescent.papers.wang2026.guarantees import run_closed_form_validity
from dpdescent.papers.wang2026.multipliers import run_kappa_tables
from dpdescent.privacy.participation import accountants, closed_forms, counterexample, pairs, renyi
from dpdescent.randomness import stream


def spec(artefact, panel, cell, arms=None, trials=(0, 1)):
    return {
        "paper": "wang2026", "artefact": artefact, "variant": "main", "panel": panel, "seed": 7, "trials": list(trials),
        "cell": cell, "arms": arms or {}, "settings": {}, "tables": {},
    }  # fmt: skip


def table(cell=None, **changes):
    arms = {
        "eps": [2], "lam": [0, 0.2, 0.5, 0.99], "accountants": list(accountants.NAMES), "draws": 400,
        "draws_bnb": 400, "full_bnb": 0.25, "full_f8": [4, 0.25, 0.05],
    }  # fmt: skip
    cell = {"T": 4, "r": 0.25, "delta": [0.05, 0.1]} | (cell or {})
    return list(run_kappa_tables(spec("kappa_tables", "grid", cell, arms | changes)))


@pytest.fixture(scope="module")
def whole():
    return table()


KEYS = ("accountant", "lam", "eps", "delta")


def test_multipliers_are_those_of_the_accountants(whole):
    found = {tuple(row[key] for key in KEYS): row for row in whole}
    assert len(found) == len(whole)
    assert {row["series"] for row in whole} == {"noise multiplier"}
    for name, lam in (("tail", 0.2), ("bnb", 0.5), ("F8", 0.5), ("F12x8", 0.99)):
        # The stream hangs on neither lambda nor the table's other numbers.
        rng = stream(7, "wang2026", "kappa_tables", "trial", 0, f"{name}, T=4, r=0.25")
        alone = accountants.calibrate(name, T=4, rate=0.25, lam=lam, eps=2, delta=0.1, draws=400, rng=rng)
        row = found[name, lam, 2, 0.1]
        assert row["value"] == alone.multiplier
        assert (row["delta_attained"], row["delta_se"]) == (alone.delta_attained, alone.standard_error)
        assert (row["relation"], row["sampler"], row["precondition"]) == (
            alone.relation, alone.sampler, alone.precondition,
        )  # fmt: skip
    assert "delta_attained" not in found["D9", 0, 2, 0.05]


def test_which_settings_have_a_multiplier(whole):
    places = {name: {row["lam"] for row in whole if row["accountant"] == name} for name in accountants.NAMES}
    assert places["D9"] == {0}
    assert places["tail"] == places["bnb"] == places["cyclic"] == {0, 0.2, 0.5, 0.99}
    of_pair = {(row["lam"], row["delta"]) for row in whole if row["accountant"] == "F8"}
    assert of_pair == {(0, 0.05), (0, 0.1), (0.2, 0.05), (0.5, 0.05), (0.5, 0.1)}
    # Eq. (19) reaches no epsilon of 1 at half of the records, whatever the noise.
    few = table({"T": 10, "r": 0.5, "delta": 0.05}, accountants=["RDP19"], eps=[1, 8])
    assert renyi.multiplier(1, 10, 0.5, 0.05) == math.inf
    assert [row["eps"] for row in few] == [8]


def test_cuts_of_the_table_change_no_digit(whole):
    found = {tuple(row[key] for key in KEYS): row for row in whole}
    for part in (table(eps=2, lam=0.5), table({"delta": 0.05}, accountants=["F8"], lam=[0.2, 0.5])):
        assert part
        assert all(found[tuple(row[key] for key in KEYS)] == row for row in part)


@pytest.mark.parametrize("run", [run_kappa_tables, run_closed_form_validity, run_sampling_counterexample])
def test_there_is_one_trial(run):
    assert list(run(spec("any", "any", {}, trials=(1, 2)))) == []


@pytest.mark.parametrize("run", [run_closed_form_validity, run_sampling_counterexample])
def test_other_panels_are_refused(run):
    with pytest.raises(ValueError, match="panel='other' is none of"):
        list(run(spec("any", "other", {})))


def test_renyi_panel():
    cell = {"settings": [[400, 40, 20], [10000, 100, 1000]], "eps": 1}
    found = list(run_closed_form_validity(spec("closed_form_validity", "renyi", cell)))
    rows = [row for row in found if row["series"] == "eq. (19) at D.9's multiplier"]
    assert [round(row["value"], 2) for row in rows] == [1.64, 1.18]
    # What (19) leaves however much noise there is.
    floor = [row["value"] for row in found if row["series"] == "eq. (19) without end of noise"]
    assert [round(value, 2) for value in floor] == [1.27, 0.62]
    # The guarantee holds at both places: the truth lies between what a pair attains and what is proved.
    least, proved = (
        [row["value"] for row in found if row["series"] == name] for name in ("attained epsilon", "dominating pair")
    )
    assert proved == [pytest.approx(0.305, abs=1e-3), pytest.approx(0.391, abs=1e-3)]
    assert least == [pytest.approx(0.286, rel=1e-2), pytest.approx(0.345, rel=1e-2)]
    assert rows[0] == {
        "panel": "renyi", "trial": 0, "series": "eq. (19) at D.9's multiplier", "value": rows[0]["value"], "n": 400,
        "B": 40, "T": 20,
        "r": 0.1, "eps": 1, "delta": 400**-1.1, "accountant": "D9", "relation": "replace-one", "sampler": "fixed size",
        "precondition": "none", "kappa": closed_forms.independent_multiplier(20, 0.1, 1, 400**-1.1),
    }  # fmt: skip


def test_regime_panel():
    cell = {"n": [400, 10000], "gamma": 0.1, "eps": 1}
    rows = list(run_closed_form_validity(spec("closed_form_validity", "regime", cell)))
    found = {(row["n"], row["series"]): row for row in rows}
    assert len(found) == len(rows) == 6
    attained, target, repaired = (found[10000, name] for name in ("attained delta", "target delta", "repaired"))
    assert (attained["T"], attained["r"], attained["B"]) == (1000, 0.001, 10.0)
    assert target["value"] == target["delta"] == 1e-5
    # The violation, and what mends it.
    assert attained["value"] > 1.9e-5
    assert repaired["value"] < 1e-5
    assert repaired["accountant"] == "RDP19"
    assert repaired["kappa"] == renyi.multiplier(1, 1000, 0.001, 1e-5) > attained["kappa"]
    # A reversed gradient refutes at few records too.
    assert found[400, "attained delta"]["value"] > found[400, "target delta"]["value"]


def test_share_panel():
    cell = {"n": [2500], "gamma": 0.1, "eps": 1, "norm_share": [1, 0.9]}
    rows = list(run_closed_form_validity(spec("closed_form_validity", "share", cell)))
    assert [row["norm_share"] for row in rows] == [1, 0.9]
    assert rows[0]["kappa"] == rows[1]["kappa"]
    kappa = rows[0]["kappa"]
    # A reversed gradient moves the sum by twice its length, and what the largest gradient alone attains is less.
    assert rows[1]["value"] == pairs.independent_delta(0.5 * kappa / 0.9, 1, 500, 0.002, "down")
    assert rows[1]["value"] > attained.delta_by_largest(kappa, 1, 500, 0.002, attained.REPLACED * 0.9) > 0.0
    assert 0.0 < rows[1]["value"] < rows[0]["value"]


def by_series(rows):
    return {row["series"]: row for row in rows}


def test_one_step():
    cell = {"T": 1, "r": [0.1], "kappa": [0.7, 1], "eps": [1, 2]}
    rows = list(run_sampling_counterexample(spec("sampling_counterexample", "quadrature", cell)))
    assert len(rows) == 8
    for row in rows:
        attained = row["series"] == "fixed size"
        moves = counterexample.FIXED_SIZE if attained else counterexample.SAMPLED
        assert row["value"] == counterexample.one_step_delta(row["kappa"], row["eps"], 0.1, moves)
        assert row["sampler"] == ("fixed size" if attained else "Poisson")
        assert (row["delta_se"], row["lam"], row["relation"]) == (0.0, 0, "zero-out")


def test_calibrated_steps():
    cell = {"T": 6, "r": 0.2, "lam": [0, 0.6], "eps": 1, "delta": 0.01, "draws": 20_000}
    rows = list(run_sampling_counterexample(spec("sampling_counterexample", "enumeration", cell)))
    for lam in (0, 0.6):
        found = by_series(row for row in rows if row["lam"] == lam)
        pair, attained = found["F8 pair"], found["fixed size"]
        assert pair["kappa"] == attained["kappa"]
        # Calibrated to delta, by other draws than those that are shown.
        assert pair["value"] == pytest.approx(0.01, abs=4.0 * pair["delta_se"] * 2**0.5 + 2e-5)
        assert pair["value"] != 0.01
        assert attained["value"] > 2.0 * pair["value"]
        assert (pair["accountant"], pair["delta"]) == ("F8", 0.01)


def test_many_steps():
    cell = {"settings": [[12, 0.1, 1.33], [60, 0.05, 1.5]], "eps": 1, "draws": 5000}
    rows = list(run_sampling_counterexample(spec("sampling_counterexample", "composed", cell)))
    assert [(row["T"], row["r"], row["kappa"]) for row in rows[::2]] == [(12, 0.1, 1.33), (60, 0.05, 1.5)]
    found = by_series(rows[:2])
    assert found["F8 pair"]["value"] == pairs.independent_delta(1.33, 1, 12, 0.1, "up") == pytest.approx(8e-4, rel=0.05)
    attained = found["fixed size"]
    assert abs(attained["value"] - 2.5e-2) < 4.0 * attained["delta_se"] + 5e-4
    assert "delta" not in attained
