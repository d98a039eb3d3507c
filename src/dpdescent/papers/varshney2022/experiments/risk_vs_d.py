"""Excess risk against the dimension at N proportional to d, in one pass over records and by sufficient statistics."""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.algorithms import dp_ambssgd
from dpdescent.baselines.ada_ssp import ada_ssp, wishart_gram
from dpdescent.baselines.least_squares import linear_least_squares
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.arms import AMBSSGD, FIXED, QUANTILE, Choice, no_privacy, public_threshold
from dpdescent.papers.varshney2022.design import Design, Row, Spec, place_of, trial_stream
from dpdescent.papers.varshney2022.runs import baselines
from dpdescent.papers.varshney2022.runs.risks import Outcome, design_of, iterations, measures_of
from dpdescent.privacy.events import Mechanism

ONE_PASS, WISHART, CLIPPED, AGAIN = "one pass", "Wishart draw", "records clipped", "records used again"


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one dimension: a risk for each ratio of N to d, method and trial."""
    design, sigma, eps = design_of(spec), spec["arms"]["sigma"], spec["settings"]["eps"]
    outcomes = {ONE_PASS: _one_pass, WISHART: _wishart, CLIPPED: _clipped, AGAIN: _again}[spec["panel"]]
    for ratio in as_list(spec["cell"]["n_over_d"]):
        N = ratio * len(design.lam)
        for trial in range(*spec["trials"]):
            for series, risk, measures in outcomes(spec, design, N, trial):
                yield {
                    "panel": spec["panel"], "n_over_d": ratio, "N": N, "d": len(design.lam), "sigma": sigma, "eps": eps,
                    "delta": spec["settings"]["delta"], "kappa": spec["settings"]["kappa"], "series": series,
                    "trial": trial, "value": risk, **measures,
                }  # fmt: skip


def choices(spec: Spec, design: Design, N: int, sigma: float, **changes: float) -> dict[str, Choice]:
    """DP-AMBSSGD with the corrected rule, and with a quantile."""
    main = {"eps": spec["settings"]["eps"], "T": iterations(spec), **changes}
    q = spec["settings"]["quantile"]
    return {
        AMBSSGD: Choice.ours(spec, design, N, sigma, **main),
        QUANTILE.format(q): Choice.ours(spec, design, N, sigma, rule=f"q = {q:g}", **main),
    }


def _one_pass(spec: Spec, design: Design, N: int, trial: int) -> Iterator[Outcome]:
    """Batches are drawn when they are met: records in a secret order are independent draws as well."""
    sigma, T, place = spec["arms"]["sigma"], iterations(spec), place_of(design, N)
    found = choices(spec, design, N, sigma)
    arms = {name: choice.arm(0) for name, choice in found.items()}
    arms[FIXED] = found[AMBSSGD].fixed(public_threshold(spec, design, N, sigma), 0)
    rng = trial_stream(spec, place, trial, "batches")
    batches = (design.draw(N // T, np.array([sigma]), rng) for _ in range(T))
    noise = trial_stream(spec, place, trial, "noise")
    normals = dp_ambssgd.Normals.draw(noise, T, len(design.lam), spec["settings"]["levels"])
    runs = dp_ambssgd.descend(batches, list(arms.values()), normals, spec["settings"]["tail"])
    for a, name in enumerate(arms):
        yield name, float(design.risk(runs.average[a])), {"T": T, **measures_of(runs, a)}


def _wishart(spec: Spec, design: Design, N: int, trial: int) -> Iterator[Outcome]:
    """Least squares and AdaSSP from X'X and X'y drawn directly; no record exists that could be clipped."""
    sigma, place = spec["arms"]["sigma"], place_of(design, N)
    rng = trial_stream(spec, place, trial, "Wishart")
    gram = wishart_gram(design.w_star, N, rng, root=np.diag(np.sqrt(design.lam)), sigma=sigma)
    yield baselines.OLS, float(design.risk(linear_least_squares(gram))), _none()
    for name, tight in ((baselines.ADA_SSP, False), (baselines.ADA_SSP_TIGHT, True)):
        noise = baselines.calibration(
            spec, design, N, sigma, spec["settings"]["eps"], tight=tight, source="not enforced"
        )  # fmt: skip
        rng = trial_stream(spec, place, trial, "AdaSSP")
        yield name, float(design.risk(ada_ssp(gram, noise, rng, spec["settings"]["failure"]).theta)), _none()


def _clipped(spec: Spec, design: Design, N: int, trial: int) -> Iterator[Outcome]:
    """AdaSSP with its guarantee, on records that are clipped to the bounds."""
    sigma, place = spec["arms"]["sigma"], place_of(design, N)
    X, Y = design.draw(N, np.array([sigma]), trial_stream(spec, place, trial, "data"))
    for name, tight in ((baselines.ADA_SSP, False), (baselines.ADA_SSP_TIGHT, True)):
        noise = baselines.calibration(spec, design, N, sigma, spec["settings"]["eps"], tight=tight)
        rng = trial_stream(spec, place, trial, "AdaSSP")
        w = baselines.ada_ssp_clipped(X, Y[:, 0], noise, spec["settings"]["failure"], rng)
        yield name, float(design.risk(w)), _none()


def _again(spec: Spec, design: Design, N: int, trial: int) -> Iterator[Outcome]:
    """DP-GD, every step of which meets every record, with a fixed and with an adaptive threshold."""
    sigma, T, place = spec["arms"]["sigma"], iterations(spec), place_of(design, N)
    X, Y = design.draw(N, np.array([sigma]), trial_stream(spec, place, trial, "data"))
    normals = trial_stream(spec, place, trial, "DP-GD").standard_normal((T, len(design.lam)))
    found = baselines.full_batch(spec, design, X, Y[:, 0], sigma, spec["settings"]["eps"], T, normals)
    yield baselines.DP_GD, *baselines.told(spec, design, N, sigma, found)
    arm = baselines.adaptive_arm(spec, choices(spec, design, N, sigma)[AMBSSGD], 0)
    noise = trial_stream(spec, place, trial, "DP-GD adaptive")
    drawn = dp_ambssgd.Normals.draw(noise, T, len(design.lam), spec["settings"]["levels"])
    runs = dp_ambssgd.descend(dp_ambssgd.every_record(X, Y, T), [arm], drawn, spec["settings"]["tail"])
    yield baselines.DP_GD_ADAPTIVE, float(design.risk(runs.average[0])), {"T": T, **measures_of(runs, 0)}


def _none() -> Row:
    return dict.fromkeys(("T", "clip_fraction", "zeta_first", "zeta_last"), math.nan)


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Ledger entries of one dimension."""
    design, sigma, eps = design_of(spec), spec["arms"]["sigma"], spec["settings"]["eps"]
    for ratio in as_list(spec["cell"]["n_over_d"]):
        N = ratio * len(design.lam)
        for name, event in _events(spec, design, N, sigma, eps):
            yield (
                f"{spec['variant']}: {spec['panel']}, {name} N={N} d={len(design.lam)}",
                event,
                spec["settings"]["delta"],
            )


def _events(spec: Spec, design: Design, N: int, sigma: float, eps: float) -> Iterator[tuple[str, Mechanism]]:
    if spec["panel"] == ONE_PASS:
        found = choices(spec, design, N, sigma)
        yield from ((name, choice.mechanism(name)) for name, choice in found.items())
        yield FIXED, found[AMBSSGD].fixed_mechanism(public_threshold(spec, design, N, sigma))
        return
    if spec["panel"] == AGAIN:
        yield baselines.DP_GD, baselines.dp_gd_mechanism(spec, design, N, sigma, eps, iterations(spec))
        yield baselines.DP_GD_ADAPTIVE, baselines.adaptive_mechanism(spec, choices(spec, design, N, sigma)[AMBSSGD])
        return
    if spec["panel"] == WISHART:
        yield baselines.OLS, no_privacy(baselines.OLS, "non-private baseline: no noise")
    source = "public" if spec["panel"] == CLIPPED else "not enforced"
    for name, tight in ((baselines.ADA_SSP, False), (baselines.ADA_SSP_TIGHT, True)):
        noise = baselines.calibration(spec, design, N, sigma, eps, tight=tight, source=source)  # type: ignore[arg-type]
        yield name, baselines.ada_ssp_mechanism(noise)
