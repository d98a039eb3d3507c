"""liang2025's table of bounds: what table_lemmas measures, and that each row says what its numbers say."""

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import twins
from dpdescent.algorithms import dp_2s_gd, two_stage_gd
from dpdescent.data.iv import IVParameters, IVSample, draw_sample
from dpdescent.papers.liang2025 import (
    appendices,
    bounds,
    cases,
    choices,
    findings,
    formulas,
    iterations,
    laws,
    lemmas,
    paths,
    phases,
    setting,
)
from dpdescent.papers.liang2025.setting import Spec
from dpdescent.replication.build import tables
from dpdescent.replication.judging.evidence import Bound, Evidence
from liang2025_worlds import committed

BOUND_CONSTANTS = formulas.Constants(
    *(committed().settings[f"bound_{name}_constant"] for name in ("concentration", "first_stage"))
)
BUDGETS = {"T": 12, "rho1": 10.0, "rho2": 10.0}
SHAPES = ({"p": 2, "q": 2, "r": 2, "n": 800}, {"p": 2, "q": 4, "r": 2, "n": 2500})


def spec_of(cell: dict[str, int], trials: int = 5, **settings: float) -> Spec:
    return {
        "paper": "liang2025", "artefact": "table_lemmas", "variant": "main", "panel": "main design",
        "seed": committed().spec["seed"], "cell": cell, "arms": BUDGETS, "trials": [0, trials],
        "settings": committed().settings | {"parameters": "fixed"} | settings,
    }  # fmt: skip


def trials_of(spec: Spec) -> pd.DataFrame:
    return pd.DataFrame([{"variant": "main", **row} for row in lemmas.run_table_lemmas(spec)])


def lemma_table(frames: list[pd.DataFrame]) -> pd.DataFrame:
    return tables.summarise(frames, ["p", "q", "n", "quantity"], ["r", "T", "rho1", "rho2"])


def evidence_of(**changed: pd.DataFrame) -> Evidence:
    return Evidence(committed().spec, committed().tables | changed)


@pytest.fixture(scope="module")
def trials() -> list[pd.DataFrame]:
    return [trials_of(spec_of(cell)) for cell in SHAPES]


@pytest.fixture(scope="module")
def evidence(trials: list[pd.DataFrame]) -> Evidence:
    return evidence_of(table_lemmas=lemma_table(trials))


@pytest.fixture(scope="module")
def rows(evidence: Evidence) -> list[Bound]:
    return bounds.evaluate(evidence)


def only(rows: list[Bound], name: str, setting: str = "") -> Bound:
    found = [row for row in rows if row.bound == name and row.setting.startswith(setting)]
    assert len(found) == 1, [(row.bound, row.setting) for row in found]
    return found[0]


# --- The table -------------------------------------------------------------------------------------------------------


def test_a_bound_stands_once_at_a_setting(rows: list[Bound]) -> None:
    names = [(row.bound, row.setting, row.measured) for row in rows]
    assert len(set(names)) == len(names) > 300


def test_measured_is_the_quantile_on_the_side_of_the_bound(rows: list[Bound], trials: list[pd.DataFrame]) -> None:
    for name, level in (("D.2 sigma_min(Z)/sqrt(n)", 0.025), ("D.2 sigma_max(Z)/sqrt(n)", 0.975), ("D.4 ||N||", 0.975)):
        values = trials[0][(trials[0]["quantity"] == name) & (trials[0]["series"] == "measured")]["value"]
        found = only(rows, name, "lemmas: p=2, q=2").measured
        assert found == pytest.approx(float(np.quantile(values, level)), rel=1e-12)
        assert values.min() < values.max()


def test_an_error_above_the_bound_is_seen(evidence: Evidence) -> None:
    table = evidence.tables["fig04"]
    # The constant of the bound is hidden, so that an error above it leaves the row open and says by how much.
    for error, expected in ((1e6, None), (0.0, True)):
        changed = table.assign(q975=table["q975"].where(table["T"] != 20, error))
        rows = [row for row in iterations.evaluate(evidence_of(fig04=changed)) if "n=1000, T=20, " in row.setting]
        own = [row for row in rows if row.setting.startswith("Figure 4")]
        assert {row.holds for row in own} == {expected}
        assert all(("times it" in row.note) is (expected is None) for row in own)


def test_a_broken_identity_and_a_broken_trial_are_seen(evidence: Evidence) -> None:
    table = evidence.tables["table_lemmas"].copy()
    off = table["quantity"].str.startswith("E.4")
    table.loc[off, "mean"] = 1 + 5 * table.loc[off, "se"]
    table.loc[table["quantity"] == "(16) error over bound", "q975"] = 1.01
    changed = list(paths.evaluate(evidence_of(table_lemmas=table)))
    assert not any(row.holds for row in changed if row.bound.startswith("E.4"))
    assert not only(changed, "(16) ||e_beta||, noise-free", "lemmas: p=2, q=2").holds


# --- Values by other means -------------------------------------------------------------------------------------------


def design(p: int) -> IVParameters:
    spec = {"seed": committed().spec["seed"], "cell": {"p": p, "q": p, "r": p}, "settings": {"parameters": "fixed"}}
    return setting.parameters_of(spec, trial=0)


def test_condition_6_and_the_sample_size_of_lemma_D_1(rows: list[Bound], evidence: Evidence) -> None:
    found = next(
        row
        for row in rows
        if row.bound == "n of condition (6)" and "Figure 6" in row.setting and "rho2=1" in row.setting
    )
    assert found.value == pytest.approx(25 * (5 + math.log(25)) ** 2, rel=1e-12)
    assert (found.measured, found.holds) == (1000.0, None)
    root = 2 * math.sqrt(5)
    smallest = next(T for T in range(1, 10**4) if root**3 * math.sqrt(T) > 1000 * (1 + 1e-12))
    (shown,) = [found for found in findings.demonstrate(evidence) if found.finding == "theorem-F.1-range"]
    assert f"T of at most {smallest - 1} at n = 1000" in shown.why


def test_condition_21_is_its_right_hand_side_where_no_step_is_admitted(rows: list[Bound]) -> None:
    problem = formulas.IVProblem.of(design(5), 1000, 5.0)
    window = formulas.spectrum(problem, formulas.Constants(0.1, 0.01))
    steps = formulas.recommended_step_sizes(window)
    kappa = formulas.contraction(window, steps).theta
    radius = math.sqrt(problem.theta_norm**2 + window.lower / (2 * (1 + window.delta) ** 2)) - problem.theta_norm
    gamma = 3 * (math.sqrt(5) + math.sqrt(5 + math.log(1000))) ** 2
    spread = 5 + math.sqrt(2 * 5 * (math.log(5) + 5))
    expected = 10 * (1000 * radius * math.sqrt(1 - kappa**2) / (4 * steps.eta * gamma * spread)) ** 2
    curve = committed().select("fig04", panel="a", error_to="beta_hat", rho1=10.0).set_index("T")["mean"]
    place = f"Figure 4: p=5, q=5, n=1000, T={curve.idxmin()}, rho1=10, rho2=10"
    found = only(rows, "T of condition (21)", place)
    assert found.value == pytest.approx(expected, rel=1e-9)
    assert expected < 1
    assert (found.measured, found.holds) == (curve.idxmin(), False)
    assert "no T >= 1" in found.note


def test_growth_of_the_optimal_number_of_steps(evidence: Evidence) -> None:
    def by_search(n: float) -> float:
        problem = formulas.IVProblem.of(design(5), int(n), 5.0)
        window = formulas.spectrum(problem, formulas.Constants(0.1, 0.01))
        kappa = formulas.contraction(window, formulas.recommended_step_sizes(window)).overall
        grid = np.linspace(1, 5000, 500_000)
        height = kappa ** (grid / 2) + math.sqrt(5) * (2 * math.sqrt(5)) ** 3 / n * np.sqrt(grid)
        return float(grid[height.argmin()]) / math.log(n)

    expected = by_search(1e10) / by_search(1e5)
    assert phases.growth_of_optimal_T(evidence, 1e5, 1e10) == pytest.approx(expected, rel=1e-3)
    assert phases.exponent_of_plateau_end(evidence) == pytest.approx(1.0, abs=1e-9)
    # At n = 1000 and a tenth of the budget the privacy term is the larger one from the start.
    starved = cases.case(evidence, cases.FIGURE_4, rho1=0.1, rho2=10.0)
    assert phases.optimal_T(starved) == pytest.approx(1.0, abs=1e-6)


def test_bound_7_at_a_plotted_point(rows: list[Bound]) -> None:
    problem = formulas.IVProblem.of(design(5), 500, 5.0)
    window = formulas.spectrum(problem, formulas.Constants(0.1, 0.01))
    kappa = formulas.contraction(window, formulas.recommended_step_sizes(window)).overall
    terms = [kappa**10, math.sqrt(5) * 20**1.5 / 500 * math.sqrt(20 / 1), 5 * (5 + math.log(25)) / math.sqrt(500)]
    setting = "Figure 3(a): p=5, q=5, n=500, T=20, rho1=9, rho2=1"
    reached = committed().select("fig03", panel="a", n=500, error_to="beta_hat").set_index("rho1")["q975"]
    total = only(rows, "bound (7)", setting)
    assert (total.value, total.measured) == (pytest.approx(sum(terms), rel=1e-12), reached[9.0])
    free = only(rows, "bound (9)", "Figure 3(a): p=5, q=5, n=500, T=20, rho1=inf, rho2=inf")
    assert (free.value, free.measured) == (pytest.approx(terms[0] + terms[2], rel=1e-12), reached[math.inf])


def test_lemmas_are_evaluated_at_the_constants_of_bounds(rows: list[Bound]) -> None:
    spec = {"seed": committed().spec["seed"], "cell": SHAPES[1], "settings": {"parameters": "fixed"}}
    problem, constants = (formulas.IVProblem.of(setting.parameters_of(spec, 0), 2500, 5.0), BOUND_CONSTANTS)
    window = formulas.spectrum(problem, constants)
    steps = formulas.recommended_step_sizes(formulas.spectrum(problem, formulas.Constants(0.1, 0.01)))
    kappa = formulas.contraction(window, steps).theta
    gamma = formulas.clipping_threshold(3.0, 2500, 4, 12, 5.0)
    lambda_1, reach = 2 * gamma / 2500 * math.sqrt(1.2), problem.theta_norm + formulas.psi(problem, constants)
    expected = {
        "D.2 sigma_max(Z)/sqrt(n)": 1 + window.delta,
        "(3) eta": 2 / (1 + window.delta) ** 2,
        "(18) max ||e_Theta|| from T0": laws.first_stage_radius(problem, kappa, steps.eta, lambda_1, reach, 6),
        "(19) max ||e_Theta|| before T0": laws.first_stage_radius(problem, kappa, steps.eta, lambda_1, reach, 0),
        "(20) eps_bar": laws.error_radius(window, reach),
        "(22) t0": laws.burn_in(window, kappa, reach),
        "(32) gamma1": appendices.no_clipping_first_stage(problem, 10.0, 12),
        "(35) gamma2": appendices.no_clipping_second_stage(problem, 10.0, 12),
        "D.1 n": (2 + math.sqrt(5)) ** 3 * math.sqrt(1.2),
    }
    for name, value in expected.items():
        assert only(rows, name, "lemmas: p=2, q=4").value == pytest.approx(value, rel=1e-12), name
    assert (only(rows, "(22) t0", "lemmas: p=2, q=4").measured, window.lower > 0) == (6, True)


def test_smallest_threshold_of_figure_8_that_hardly_clips(evidence: Evidence) -> None:
    table = evidence.tables["fig08"].copy()
    for stage, share in ((1, 0.01), (2, 0.1)):
        table[f"clip_fraction_stage{stage}"] = share * 10.0 / table["gamma"]
    rows = list(choices.evaluate(evidence_of(fig08=table)))
    for name, least in (("threshold (32), stage 1", 10.0), ("threshold (35), stage 2", 100.0)):
        assert only(rows, name, "Figure 8: ").measured == table["gamma"][table["gamma"] >= least].min()


def test_figure_7_varies_one_step_and_holds_the_other(rows: list[Bound]) -> None:
    problem = formulas.IVProblem.of(design(5), 2000, 5.0)
    window = formulas.spectrum(problem, formulas.Constants(0.1, 0.01))
    ceiling = formulas.step_size_ceilings(window)
    for panel, eta, alpha, fraction in (("a", 1.5, 1.0, 1.5), ("b", 0.9, 1.5, 1.5), ("b", 0.9, 0.5, 0.5)):
        steps = formulas.StepSizes(eta * ceiling.eta, alpha * ceiling.alpha)
        kappa = formulas.contraction(window, steps).overall
        found = only(rows, "bound (7)", f"Figure 7({panel}), step at {fraction} of its")
        others = math.sqrt(5) * 20**1.5 / 2000 * math.sqrt(20 / 5) + 5 * (5 + math.log(25)) / math.sqrt(2000)
        assert found.value == pytest.approx(kappa**10 + others, rel=1e-12)
        assert (kappa > 1) == (fraction > 1)


def test_published_noise_costs_half_of_the_budget(rows: list[Bound]) -> None:
    costs = [row for row in rows if row.bound == "zCDP budget"]
    assert costs
    for row in costs:
        assert row.measured == pytest.approx(row.value / 2, rel=1e-12)


# --- The experiment --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=SHAPES, ids=("p = q", "p < q"))
def trial(request: pytest.FixtureRequest) -> "Trial":
    return Trial(spec_of(request.param))


class Trial:
    """One trial, computed by the textbook loop with every per-sample gradient formed."""

    def __init__(self, spec: Spec, number: int = 2) -> None:
        self.parameters = setting.parameters_of(spec, number)
        self.sample = draw_sample(self.parameters, spec["cell"]["n"], setting.trial_stream(spec, number, "data"))
        self.problem = formulas.IVProblem.of(self.parameters, self.sample.n, 5.0)
        arms = lemmas.arms(spec, self.problem)
        self.runs = setting.columns(arms, self.problem.n)
        self.normals = setting.normals(spec, number, arms, self.sample)
        self.noisy, self.free = (self._descent(column) for column in (1, 2))
        self.clipped = twins.two_stage(self.sample, self.runs, self.normals, 0)[2:]
        self.Theta_hat, self.beta_hat = closed_forms(self.sample)
        rows = [row for row in lemmas.run_table_lemmas(spec) if row["trial"] == number]
        self.rows = {(row["series"], row["quantity"]): row["value"] for row in rows}

    def _descent(self, column: int) -> tuple[np.ndarray, np.ndarray]:
        return twins.two_stage(self.sample, self.runs, self.normals, column)[:2]

    def __call__(self, quantity: str, series: str = "measured") -> float:
        return float(self.rows[series, quantity])


def closed_forms(sample: IVSample) -> tuple[np.ndarray, np.ndarray]:
    inverse = np.linalg.inv(sample.Z.T @ sample.Z)
    projected = sample.Z @ inverse @ sample.Z.T @ sample.X
    return inverse @ sample.Z.T @ sample.X, np.linalg.inv(projected.T @ sample.X) @ projected.T @ sample.y


def norm(matrix: np.ndarray) -> float:
    return float(np.linalg.norm(matrix, 2))


def test_quantities_of_the_sample(trial: Trial) -> None:
    Z, X, y, n = trial.sample.Z, trial.sample.X, trial.sample.y, trial.sample.n
    eigenvalues = np.linalg.eigvalsh(Z.T @ Z / n)
    H_hat = np.linalg.eigvalsh(trial.Theta_hat.T @ Z.T @ Z @ trial.Theta_hat / n)
    r = Z @ trial.Theta_hat @ trial.beta_hat - y
    expected = {
        "D.2 sigma_min(Z)/sqrt(n)": math.sqrt(eigenvalues[0]),
        "D.2 sigma_max(Z)/sqrt(n)": math.sqrt(eigenvalues[-1]),
        "D.3 ||Z'E2||/n": norm(Z.T @ (X - Z @ trial.parameters.Theta)) / n,
        "(47) ||Z'E1||/n": norm(Z.T @ (y - X @ trial.parameters.beta)) / n,
        "(48) ||X'Z||/n": norm(X.T @ Z) / n,
        "D.5 ||Theta_hat - Theta||": norm(trial.Theta_hat - trial.parameters.Theta),
        "D.6 lambda_min(H_hat)": H_hat[0],
        "D.6 lambda_max(H_hat)": H_hat[-1],
        "D.7 ||beta_hat - beta||": norm(trial.beta_hat - trial.parameters.beta),
        "D.8 ||Z'r||/n": norm(Z.T @ r) / n,
        "(12) ||Theta_hat'Z'r||/n": 0.0,
    }
    for name, value in expected.items():
        assert trial(name) == pytest.approx(value, rel=1e-9, abs=1e-12), name
    assert (trial("D.8 ||Z'r||/n") > 1e-3) == (trial.problem.q > trial.problem.p)


def test_quantities_of_the_noise(trial: Trial) -> None:
    T, lambda_1, lambda_2 = BUDGETS["T"], trial.runs.lambda1[1], trial.runs.lambda2[1]
    assert lambda_1 == pytest.approx(2 * trial.runs.gamma1[0] / trial.sample.n * math.sqrt(T / 10), rel=1e-12)
    step = np.eye(trial.problem.q) - trial.runs.eta[1] * trial.sample.Z.T @ trial.sample.Z / trial.sample.n
    N = np.zeros((trial.problem.q, trial.problem.p))
    for t in range(T):
        N = step @ N + trial.runs.eta[1] * lambda_1 * trial.normals.stage1[t, 0].T
    nu = lambda_2 * trial.normals.stage2[:, 0]
    assert trial("E.1 ||Xi||") == pytest.approx(lambda_1 * norm(trial.normals.stage1[T - 1, 0]), rel=1e-12)
    assert trial("App. C ||nu||") == pytest.approx(norm(nu[-1]), rel=1e-12)
    assert trial("E.1 max ||nu||") == pytest.approx(max(norm(row) for row in nu), rel=1e-12)
    assert trial("D.4 ||N||") == pytest.approx(norm(N), rel=1e-9)
    assert trial("E.1 closed forms against the runs") < 1e-12
    variance = sum(np.linalg.norm(np.linalg.matrix_power(step, t)) ** 2 for t in range(T))
    mean = trial.problem.p * (trial.runs.eta[1] * lambda_1) ** 2 * variance
    assert trial("E.4 ||N||_F^2 over its mean given Z") == pytest.approx(np.sum(N**2) / mean, rel=1e-9)


@pytest.mark.parametrize("series", ["measured", "noise-free"])
def test_quantities_of_the_path(trial: Trial, series: str) -> None:
    Theta, beta = trial.noisy if series == "measured" else trial.free
    T, T0, gram = BUDGETS["T"], BUDGETS["T"] // 2, trial.sample.Z.T @ trial.sample.Z / trial.sample.n
    errors = [norm(each - trial.Theta_hat) for each in Theta]
    H = [each.T @ gram @ each for each in Theta]
    growth = math.prod(norm(np.eye(trial.problem.p) - trial.runs.alpha[1] * each) for each in H[:T0])
    assert trial("(19) max ||e_Theta|| before T0", series) == pytest.approx(max(errors[:T0]), rel=1e-9)
    assert trial("(18) max ||e_Theta|| from T0", series) == pytest.approx(max(errors[T0:T]), rel=1e-6, abs=1e-12)
    smallest, largest = ([np.linalg.eigvalsh(each)[end] for each in H[T0:T]] for end in (0, -1))
    assert trial("(14) lambda_min(H) from T0", series) == pytest.approx(min(smallest), rel=1e-9)
    assert trial("(14) lambda_max(H) from T0", series) == pytest.approx(max(largest), rel=1e-9)
    assert trial("D.9 product of ||I - alpha H|| before T0", series) == pytest.approx(growth, rel=1e-9)
    assert trial("(16) ||e_beta||", series) == pytest.approx(norm(beta[-1] - trial.beta_hat), rel=1e-7, abs=1e-12)


def test_clipping_quantities(trial: Trial) -> None:
    Z, X, y = trial.sample.Z, trial.sample.X, trial.sample.y
    first, second = [], []
    for Theta, beta in zip(trial.noisy[0][:-1], trial.noisy[1][:-1], strict=True):
        for z, x, outcome in zip(Z, X, y, strict=True):
            first.append(np.linalg.norm(np.outer(z, z @ Theta - x)))
            second.append(np.linalg.norm(Theta.T @ z * (z @ Theta @ beta - outcome)))
    assert trial("D.1 largest gradient, stage 1") == pytest.approx(max(first), rel=1e-9)
    assert trial("D.1 largest gradient, stage 2") == pytest.approx(max(second), rel=1e-9)
    assert (trial("D.1 clip fraction, stage 1"), trial("D.1 clip fraction, stage 2")) == pytest.approx(trial.clipped)
    assert trial.clipped[1] > 0


def test_right_hand_side_of_16_needs_the_condition_of_the_proof(trial: Trial) -> None:
    window = formulas.spectrum(trial.problem, BOUND_CONSTANTS)
    allowed = laws.error_radius(window, norm(trial.Theta_hat))
    for series in ("measured", "noise-free"):
        applies = trial("(18) max ||e_Theta|| from T0", series) <= allowed
        assert trial("(16) applies", series) == applies
        assert ((series, "(16) right-hand side") in trial.rows) == applies
    assert trial("(16) applies", "noise-free") == 1.0
    # With these few records noise carries Theta too far for the just-identified design only: both cases occur.
    assert trial("(16) applies") == float(trial.problem.q > trial.problem.p)


def test_right_hand_side_of_16_term_by_term(trial: Trial) -> None:
    """Without noise; the path is continued from a disturbed Theta^(T0), so that no term is lost in rounding."""
    window = formulas.spectrum(trial.problem, BOUND_CONSTANTS)
    moments, alpha, rng = two_stage_gd.Moments.of(trial.sample), float(trial.runs.alpha[1]), np.random.default_rng(4)
    shift = rng.standard_normal(trial.Theta_hat.shape)
    shift *= 0.5 * laws.error_radius(window, norm(trial.Theta_hat)) / norm(shift)
    Theta = np.repeat((trial.Theta_hat + shift)[None], 9, axis=0)
    nu = 0.01 * rng.standard_normal((8, trial.problem.p))
    beta = appendices.second_stage_path(moments, Theta, alpha, nu)
    # Neither stage uses Theta^(T) for beta^(T): wherever it lies, nothing changes.
    Theta[-1] += 1000 * shift
    path = paths.Path(moments, float(trial.runs.eta[1]), alpha, Theta, beta, nu)
    radius = paths.path_quantities(path, window)["(18) max ||e_Theta|| from T0"]
    assert radius == pytest.approx(norm(shift), rel=1e-9)
    made = paths.second_stage_bound(path, window)
    kappa = max(abs(1 - alpha * window.lower / 2), abs(1 - alpha * (window.upper + window.lower / 2)))
    reach = norm(trial.Theta_hat) + norm(shift)
    r = trial.sample.Z @ trial.Theta_hat @ trial.beta_hat - trial.sample.y
    drift = (1 + window.delta) ** 2 * norm(trial.beta_hat) * norm(shift) * reach
    drift += norm(trial.sample.Z.T @ r) / trial.sample.n * reach + max(norm(each) for each in nu[4:])
    expected = kappa**4 * norm(beta[4] - trial.beta_hat) + alpha * drift / (1 - kappa)
    assert made["(16) right-hand side"] == pytest.approx(expected, rel=1e-9)
    assert made["(16) error over bound"] == pytest.approx(norm(beta[-1] - trial.beta_hat) / expected, rel=1e-9)
    assert made["(16) error over bound"] <= 1
    far = replace(path, Theta=Theta + 2 * shift)
    assert paths.second_stage_bound(far, window) == {"(16) applies": 0.0}


def test_without_clipping_nothing_is_guaranteed() -> None:
    spec = {key: value for key, value in spec_of(SHAPES[0]).items() if key != "trials"}
    private, diagnostic, free = list(lemmas.releases_table_lemmas(spec))
    assert len({private[0], diagnostic[0], free[0]}) == 3
    assert (private[1].guarantee, len(private[1].releases)) == ("proved", 2)
    assert all(math.isfinite(release.sensitivity) for release in private[1].releases)
    assert (diagnostic[1].guarantee, diagnostic[1].releases, free[1].guarantee) == ("none", (), "none")
    assert "no finite sensitivity" in diagnostic[1].reason
    assert {entry[2] for entry in (private, diagnostic, free)} == {1e-5}


def test_a_descent_without_paths_is_refused(trial: Trial) -> None:
    result = dp_2s_gd.descend(trial.sample, trial.runs, trial.normals)
    with pytest.raises(ValueError, match="record=True"):
        paths.recorded(result, 1)


def test_the_cut_into_parts_changes_no_row() -> None:
    whole = trials_of(spec_of(SHAPES[0], trials=3))
    parts = [trials_of(spec_of(SHAPES[0]) | {"trials": cut}) for cut in ([0, 1], [1, 3])]
    pd.testing.assert_frame_equal(lemma_table([whole]), lemma_table(parts))
