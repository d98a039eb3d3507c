"""Runs of both algorithms beside their exact laws without clipping, and Lemmas 3.5 and 3.11."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from dpdescent.algorithms import dp_ambssgd
from dpdescent.algorithms.sgd_moments import tail_risk
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.arms import AMBSSGD, Choice, no_privacy
from dpdescent.papers.varshney2022.design import Design, Row, Spec, place_of, trial_stream
from dpdescent.papers.varshney2022.runs import baselines, single_pass
from dpdescent.papers.varshney2022.runs.choices import noise_variance
from dpdescent.papers.varshney2022.runs.risks import iterations
from dpdescent.papers.varshney2022.theory import ambssgd, ssgd
from dpdescent.privacy import shuffling
from dpdescent.privacy.events import Mechanism

AS_RUN, UNCLIPPED, UNCLIPPED_PLAIN = "as run", "no clipping", "no clipping, logs 1"


@dataclass(frozen=True)
class Case:
    """One regression of the artefact."""

    spec: Spec
    design: Design
    N: int
    sigma: float

    @property
    def base(self) -> Row:
        """Its keys."""
        return {
            "N": self.N, "d": len(self.design.lam), "sigma": self.sigma, "eps": self.spec["settings"]["eps"],
            "delta": self.spec["settings"]["delta"],
        }  # fmt: skip

    @property
    def choice(self) -> Choice:
        """DP-AMBSSGD's main setting."""
        return Choice.ours(
            self.spec, self.design, self.N, self.sigma, self.spec["settings"]["eps"], iterations(self.spec)
        )  # fmt: skip

    def setting(self, logs: bool, batch: int) -> ambssgd.Setting:
        """The main setting with b records for the gradient, as Lemma 3.11 sees it."""
        choice = self.choice
        return ambssgd.Setting(
            self.design.problem(self.N, self.sigma), steps=choice.T, batch=batch,
            eta=ambssgd.theorem_step(self.design.lam, batch),
            alpha=choice.multiplier, width=float(choice.search.thresholds[0]), logs=logs,
        )  # fmt: skip

    @property
    def ssgd(self) -> ssgd.Parameters:
        """DP-SSGD's practical parameters."""
        settings = self.spec["settings"]
        alpha = shuffling.noise_multiplier(settings["eps"], self.N, settings["delta"])
        return ssgd.practical_parameters(
            self.design.problem(self.N, self.sigma), alpha, self.spec["arms"]["zeta_factor"]
        )  # fmt: skip


def run(spec: Spec) -> Iterator[Row]:
    """Rows of one N: a risk for each dimension, label noise, algorithm, kind and trial."""
    for case in cases(spec):
        for trial in range(*spec["trials"]):
            for row in _mini_batches(case, trial):
                yield {**case.base, "algorithm": AMBSSGD, "series": "risk", "trial": trial, **row}
        yield from _single_records(case)


def cases(spec: Spec) -> Iterator[Case]:
    """All regressions of the part."""
    settings = spec["settings"]
    for N, d, sigma in product(*map(as_list, (spec["cell"]["N"], spec["cell"]["d"], spec["arms"]["sigma"]))):
        yield Case(spec, Design.of(d, settings["kappa"], settings["w_norm"]), N, sigma)


def _mini_batches(case: Case, trial: int) -> Iterator[Row]:
    """DP-AMBSSGD as it runs, and without clipping at the least fixed zeta that Lemma 3.11 covers."""
    design, choice, place = case.design, case.choice, place_of(case.design, case.N)
    X, Y = design.draw(case.N, np.array([case.sigma]), trial_stream(case.spec, place, trial, "data"))
    sizes = {AS_RUN: choice.b, UNCLIPPED: choice.batch, UNCLIPPED_PLAIN: choice.batch}
    arms = [choice.arm(0), _unclipped(case, logs=True), _unclipped(case, logs=False)]
    noise, order = (trial_stream(case.spec, place, trial, role) for role in ("noise", "permutation"))
    normals = dp_ambssgd.Normals.draw(noise, choice.T, len(design.lam), choice.levels)
    runs = dp_ambssgd.descend(
        dp_ambssgd.batches_of(X, Y, choice.T, order), arms, normals, case.spec["settings"]["tail"]
    )
    kept = baselines.tail_length(choice.T, case.spec["settings"]["tail"])
    for a, (kind, batch) in enumerate(sizes.items()):
        variance = noise_variance(choice, runs.thresholds[:, a]) * (choice.b / batch) ** 2
        expected = tail_risk(design.lam, -design.w_star, arms[a].eta, batch, case.sigma, variance, choice.T, kept)
        bound, without_logs = (ambssgd.lemma_3_11(case.setting(logs, batch)) for logs in (True, False))
        yield {
            "kind": kind, "T": choice.T, "value": float(design.risk(runs.average[a])), "expected": expected,
            "bound": math.nan if kind == UNCLIPPED_PLAIN else bound,
            "bound_without_logs": math.nan if kind == UNCLIPPED else without_logs,
            "clip_fraction": float(runs.clipped[:, a].mean()),
        }  # fmt: skip


def _unclipped(case: Case, *, logs: bool) -> dp_ambssgd.SGDArm:
    """All records of a batch make the step; the threshold, the least that Lemma 3.11 covers, only scales the noise.

    What the lemma asks of zeta_t grows with the distance, so that its value at w* will do everywhere.
    """
    setting = case.setting(logs, case.choice.batch)
    threshold = dp_ambssgd.Fixed(ambssgd.threshold_bound(setting, 0.0), clips=False)
    return dp_ambssgd.SGDArm(setting.eta, case.choice.multiplier, threshold)


def _single_records(case: Case) -> Iterator[Row]:
    """DP-SSGD without clipping."""
    parameters, problem, design = case.ssgd, case.design.problem(case.N, case.sigma), case.design
    risks, clipped = single_pass.run(case.spec, design, case.N, [case.sigma], [parameters], clips=False)
    expected = tail_risk(
        design.lam, -design.w_star, parameters.eta, 1, case.sigma, parameters.noise_variance, case.N, case.N // 2
    )  # fmt: skip
    for i, trial in enumerate(range(*case.spec["trials"])):
        yield {
            **case.base, "algorithm": single_pass.SSGD, "kind": UNCLIPPED, "T": case.N, "series": "risk",
            "trial": trial, "value": risks[0, i], "expected": expected, "bound": ssgd.lemma_3_5(problem, parameters),
            "bound_without_logs": math.nan, "clip_fraction": clipped[0, i],
        }  # fmt: skip


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Ledger entries of one N."""
    reason = "gradients are not clipped: no sensitivity is bounded"
    for case in cases(spec):
        where = f"N={case.N} d={len(case.design.lam)} sigma={case.sigma:g}"
        yield f"{spec['variant']}: {AMBSSGD} {where}", case.choice.mechanism(AMBSSGD), spec["settings"]["delta"]
        for name in (AMBSSGD, single_pass.SSGD):
            event = no_privacy(name, reason)
            yield f"{spec['variant']}: {name} without clipping {where}", event, spec["settings"]["delta"]
