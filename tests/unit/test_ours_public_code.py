"""What public codes do with their budgets: the law of TukeyEM's draw against a simulation, and what it attains."""

import math

import numpy as np
import pytest

from dpdescent.baselines import tukey_em
from dpdescent.papers.ours import findings


def drawn(models: np.ndarray, off: int, rng: np.random.Generator) -> float:
    """A point by the steps that the code has: a depth among models without t - 1, a side by widths, a place on it."""
    m, t = len(models), len(models) // 4
    depths = range(t, m // 2 + 1)
    inner = [models[m - i] - models[i - 1] - max(models[m - i - 1] - models[i], 0.0) for i in depths]
    weights = np.log(inner) + findings.TUKEY_EPS / 2.0 * np.array(depths)
    chosen = depths[int(np.argmax(weights + rng.gumbel(size=len(weights))))] + off
    sides = (models[chosen - 1], models[chosen]), (models[m - chosen - 1], models[m - chosen])
    widths = np.array([high - low for low, high in sides])
    low, high = sides[int(rng.random() > widths[0] / widths.sum())]
    return float(rng.uniform(low, high))


@pytest.mark.parametrize("off", [0, 1])
def test_the_law_of_the_draw_is_that_of_its_steps(off: int) -> None:
    rng, runs = np.random.default_rng(6), 20_000
    gaps = rng.exponential(size=15)
    models = np.cumsum(np.append(0.0, gaps))
    found = np.histogram([drawn(models, off, rng) for _ in range(runs)], models)[0] / runs
    law = findings.tukey_draw(gaps, off)
    assert np.all(np.abs(found - law) <= 5.0 * np.sqrt(law * (1.0 - law) / runs))
    assert np.abs(findings.tukey_draw(gaps, 1 - off) - law).max() > 0.05


def test_a_point_of_another_depth_costs_more_than_the_whole_run_may(monkeypatch) -> None:
    budget, attained = findings.TUKEY_EPS, []
    for wide in (10.0, 1e3, 1e5):
        monkeypatch.setattr(findings, "WIDE", wide)
        # At one depth a replaced model costs twice the coefficient, which is half of epsilon.
        assert findings.tukey_draw_epsilon(off=0) <= budget * (1.0 + 1e-9)
        attained.append(findings.tukey_draw_epsilon())
    assert budget < attained[0] < attained[1] - math.log(50.0) < attained[2] - 2.0 * math.log(50.0)


def test_the_check_passes_where_the_draw_attains_it() -> None:
    settings = tukey_em.Settings(findings.MODELS, findings.TUKEY_EPS, findings.TUKEY_DELTA)
    for gaps in findings.tukey_gaps():
        models = np.cumsum(np.append(0.0, gaps))[:, None]
        assert tukey_em.distance(tukey_em.log_volumes(models), settings) > 3.0 * settings.threshold
