"""Exact calibration: the table of all papers, a schedule of both stages, and tables with instruments."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

from dpdescent.papers.liang2025 import calibration, formulas
from dpdescent.papers.ours import iv_real, pages
from dpdescent.papers.ours.audit import FORM, STAGES, WITH_MEAN, request
from dpdescent.privacy import account, zcdp
from dpdescent.privacy.accounting import tight_epsilon
from dpdescent.replication.configuration import project
from dpdescent.replication.ledger.requests import NotAudited, Request

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results/paper"


def spec_of(paper: str, artefact: str) -> dict[str, object]:
    whole = project.load({"scale": "paper", "seed": 3, "papers": [paper]}, ROOT)
    found: dict[str, object] = json.loads(whole.papers[paper].artefacts[artefact].parts[0].json())
    return found


def test_the_table_has_a_line_of_every_paper_with_less_noise() -> None:
    lines = list(pages.calibrated_lines(RESULTS))
    assert {line.place.split("`")[1] for line in lines} == {
        "brown2024", "liang2025", "varshney2022", "choquettechoo2023", "wang2026",
    }  # fmt: skip
    for line in lines:
        assert line.noise > 1.0
        assert line.exact < 1.0
    assert pages.calibrated(RESULTS) in (ROOT / "docs/beyond.md").read_text(encoding="utf-8")


def test_less_noise_has_the_same_epsilon() -> None:
    """The printed noise costs half of rho = 10, and the exact account of the noise is the epsilon of all of it."""
    (first,) = {line.noise for line in pages.calibrated_lines(RESULTS) if "Figure 3(a), n = 500" in line.place}
    rho = 5.0 * first**2
    assert tight_epsilon(rho, 1e-5) == pytest.approx(zcdp.epsilon(10.0, 1e-5), rel=1e-9)


def test_a_schedule_of_both_stages_follows_from_impulses() -> None:
    """Weights by running the linear recursion with one unit of noise at one step."""
    T, problem = (
        6,
        formulas.IVProblem(n=500, p=1, q=1, tau=5.0, theta_min=0.8, theta_norm=0.8, sigma_1=1.0, sigma_2=1.0),
    )
    steps = formulas.StepSizes(eta=0.4, alpha=0.9)
    h = 0.64
    weights = np.empty((2, T))
    for stage in (0, 1):
        for t in range(T):
            N = d = 0.0
            for s in range(T):
                first, second = stage == 0 and s == t, stage == 1 and s == t
                d = (1.0 - steps.alpha * h) * d - steps.alpha * (math.sqrt(h) * N - second)
                N = (1.0 - steps.eta) * N + steps.eta * first
            weights[stage, t] = abs(d)
    for found, expected in zip(calibration.shares(problem, steps, T, 0.0), weights, strict=True):
        np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-10)


def test_a_scheduled_arm_costs_what_equal_parts_do() -> None:
    spec = spec_of("liang2025", "ext_calibration")
    events = {
        name.split(": ")[1].split(" n=")[0]: event for name, event, _ in calibration.releases_ext_calibration(spec)
    }
    one, other = (account.account(events[name], 1e-5) for name in (calibration.ACCOUNTANT, calibration.SCHEDULED))
    assert one.epsilon == pytest.approx(other.epsilon, rel=1e-9)
    assert one.epsilon == pytest.approx(zcdp.epsilon(10.0, 1e-5), rel=1e-6)


@pytest.mark.parametrize("table", iv_real.TABLES)
def test_runs_on_real_tables_cost_their_budget_and_are_audited_with_the_mean(table: str) -> None:
    spec = spec_of("ours", "iv_real")
    spec = {**spec, "cell": {**spec["cell"], "table": table}}
    for name, event, _ in iv_real.releases_iv_real(spec):
        rho = float(name.split("rho=")[1].split(":")[0].split(" ")[0])
        assert event.rho == pytest.approx(rho, rel=1e-9)
        asked = request(spec, name, event)
        if not iv_real.TABLES[table].from_ranges:
            assert isinstance(asked, NotAudited)
            assert "are close to its own moments" in asked.why
            continue
        assert isinstance(asked, Request)
        assert asked.attack in (STAGES + WITH_MEAN, FORM + WITH_MEAN)
        # All but the second moment of the instruments, which is alike in both data sets of the pair.
        assert sum(map(float, asked.parameters.values())) == pytest.approx(0.95 * rho, rel=1e-6)


def test_tables_with_instruments_are_what_the_papers_have() -> None:
    """2SLS in public units is that of the columns; a resampled table has as many records, and rows that are counted."""
    for name, expected in (("card", 0.0744), ("angrist_evans_married", -6.314), ("angrist_evans_labsup", -5.511)):
        table = iv_real.whole(name)
        effect = iv_real.classical(table)[0] * iv_real.TABLES[name].effect
        assert effect == pytest.approx(expected, rel=1e-3)
        again = iv_real.resampled(table, np.random.default_rng(1))
        assert again.n == table.n
        assert again.count is not None
    with pytest.raises(ValueError, match="table='none' must be one of card"):
        iv_real.whole("none")
