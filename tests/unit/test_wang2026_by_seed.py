"""wang2026's estimates over runs of the same seeds, and the reading of the window's logarithms."""

import math

import numpy as np
import pandas as pd
import pytest

from dpdescent.papers.wang2026 import by_seed, criteria
from dpdescent.papers.wang2026.by_seed import CEILING, Seeds
from dpdescent.papers.wang2026.setting import BY_SEED
from dpdescent.replication.judging.evidence import Evidence

N = np.array([100.0, 200.0, 400.0, 800.0])


def seeds(values: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> Seeds:
    return Seeds(values, pd.DataFrame({"n": N[: values.shape[1]]}))


def test_seeds_that_differ_in_height_alone_have_an_exact_exponent() -> None:
    """As if they were independent, heights that differ by a factor of four would leave the slope open."""
    heights = np.array([[0.05], [0.1], [0.2]])
    found = seeds(heights * (N / 100.0) ** -0.7).exponent(1.0 / N)
    assert (found.value, found.low, found.high) == pytest.approx((0.7, 0.7, 0.7))


def test_the_jackknife_of_a_mean_is_student_s_interval() -> None:
    values = np.array([[0.1], [0.3], [0.2], [0.4]])
    found = seeds(values).estimate(lambda means: float(means[0]))
    half = 3.182446 * values.std(ddof=1) / 2.0
    assert (found.value, found.low, found.high) == pytest.approx((0.25, 0.25 - half, 0.25 + half))


def test_values_of_any_sign_have_an_exponent_while_their_means_are_positive() -> None:
    added = np.array([[-1.0, -0.5], [3.0, 1.5], [4.0, 2.0]])
    assert seeds(added).exponent(N[:2]).value == pytest.approx(-1.0)
    # Without the third seed the mean is not positive any more.
    assert math.isnan(seeds(np.array([[-1.0, -0.5], [0.5, 0.25], [4.0, 2.0]])).exponent(N[:2]).value)


def test_risks_at_the_ceiling_are_left_out_by_their_means() -> None:
    risks = seeds(np.array([[0.5, 0.3, 0.1, 0.0], [0.2, 0.3, 0.1, 0.0]])).below_ceiling()
    assert list(risks.places["n"]) == [200.0, 400.0]
    assert 0.3 < CEILING < 0.35


@pytest.mark.parametrize("values", [np.empty((0, 2)), np.ones((1, 2)), np.ones((3, 0))])
def test_one_seed_or_no_place_is_no_estimate(values: "np.ndarray[tuple[int, int], np.dtype[np.float64]]") -> None:
    assert math.isnan(seeds(values).exponent(N[: values.shape[1]]).value)


def test_seeds_that_lack_a_place_are_left_out_and_rows_that_come_twice_refused() -> None:
    rows = [
        {
            "series": f"risk{BY_SEED}",
            "variant": "main",
            "seed": seed,
            "n": n,
            "mean": 0.1 * seed + n / 1e4,
            "gamma": 0.5 + 0.1 * seed,
        }
        for seed in range(3)
        for n in (100.0, 200.0)
    ]
    table = pd.DataFrame(rows[:-1])
    evidence = Evidence({"artefacts": {}}, {"made": table})
    found = by_seed.of(criteria.rows, evidence, "made", "risk", "n")
    np.testing.assert_allclose(found.values, [[0.01, 0.02], [0.11, 0.12]])
    # The margin of a place is the mean over its seeds.
    assert list(found.places["gamma"]) == pytest.approx([0.6, 0.55])
    twice = Evidence({"artefacts": {}}, {"made": pd.concat([table, table])})
    with pytest.raises(ValueError, match="duplicate"):
        by_seed.of(criteria.rows, twice, "made", "risk", "n")


RUN = {
    "n": 4000.0, "B": 120.0, "T": 1446.0, "d": 4.0, "gamma": 0.669, "eta": 0.018, "lam": 0.5, "kappa": 53.97,
    "admitted": 0.02, "clipped": 0.0, "precondition": "none",
}  # fmt: skip


@pytest.mark.parametrize(
    ("m", "kappa", "why"),
    [
        # Limits are 5 to 23 without logarithms, and 4250 to 1520 with them, which admits none.
        (16, 53.97, ""), (64, 53.97, "unstated value decides"), (4, 53.97, "outside the regime"),
        (5000, 53.97, "outside the regime"),
        # With less noise they are 5 to 6.7e4, and 4250 to 4.4e6.
        (64, 1.0, ""), (100_000, 1.0, ""), (6_000_000, 1.0, "outside the regime"),
    ],
)  # fmt: skip
def test_a_width_is_inside_by_one_reading_of_the_logarithms_on_both_sides(m: int, kappa: float, why: str) -> None:
    found = criteria.regime(pd.DataFrame([RUN | {"m": float(m), "kappa": kappa}]))
    assert (found.why if found.unmet else "") == why, found


@pytest.mark.parametrize(("series", "m", "why"), [
    # Population risks ask for 14.4 without logarithms, of correlated noise; gamma^-4 is 5.
    ("empirical risk", 14.0, ""), ("population risk", 14.0, "outside the regime"), ("population risk", 15.0, ""),
    ("added to the population risk", 14.0, "outside the regime"), ("gain over lam = 0", 14.0, "outside the regime"),
])  # fmt: skip
def test_population_risks_have_a_lower_limit_of_their_own(series: str, m: float, why: str) -> None:
    found = criteria.regime(pd.DataFrame([RUN | {"m": m, "kappa": 1.0, "series": series}]))
    assert (found.why if found.unmet else "") == why, found
    assert not why or found.unmet == ("width 14 below the limit of Theorem 5.2, 14.4",)


def test_a_width_inside_by_mixed_readings_is_outside_where_another_condition_is_missed_too() -> None:
    found = criteria.regime(pd.DataFrame([RUN | {"m": 64.0, "clipped": 0.1}]))
    assert (len(found.unmet), found.why) == (2, "outside the regime")
