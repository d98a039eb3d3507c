"""Runs of both algorithms beside their exact laws without clipping, and Lemmas 3.5 and 3.11."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from dpdescent.algorithms import dp_ambssgd
from dpdescent.algorithms.dp_ftrl import FTRLArms
from dpdescent.algorithms.sgd_moments import tail_risk
from dpdescent.checks import as_list
from dpdescent.papers.varshney2022.arms import AMBSSGD, SSGD, UNBOUNDED, Arm, Choice, dp_ssgd
from dpdescent.papers.varshney2022.design import Design, Row, Spec, iterations, place_of, trial_stream
from dpdescent.papers.varshney2022.runs import single_pass
from dpdescent.papers.varshney2022.runs.mini_batches import shuffled, trial_of
from dpdescent.papers.varshney2022.theory import ambssgd, ssgd
from dpdescent.privacy import shuffling
from dpdescent.privacy.events import Mechanism

AS_RUN, UNCLIPPED, UNCLIPPED_PLAIN = "as run", "no clipping", "no clipping, logs 1"

BOTH = "one entry for two runs, at the threshold of Lemma 3.11 with its logarithms and with these set to 1"


@dataclass(frozen=True)
class Case:
    """One regression of the artefact: design, number of records and label noise."""

    spec: Spec
    design: Design
    N: int
    sigma: float

    @property
    def base(self) -> Row:
        """The key columns of its rows."""
        return {
            "N": self.N, "d": len(self.design.lam), "sigma": self.sigma, "eps": self.spec["settings"]["eps"],
            "delta": self.spec["settings"]["delta"],
        }  # fmt: skip

    @property
    def choice(self) -> Choice:
        """The main setting of DP-AMBSSGD at this size."""
        return Choice.ours(
            self.spec, self.design, self.N, self.sigma, self.spec["settings"]["eps"], iterations(self.spec)
        )  # fmt: skip

    def setting(self, logs: bool, batch: int) -> ambssgd.Setting:
        """Returns the main setting with b records for the gradient, in the form that Lemma 3.11 takes."""
        choice = self.choice
        return ambssgd.Setting(
            self.design.problem(self.N, self.sigma), steps=choice.T, batch=batch,
            eta=ambssgd.theorem_step(self.design.lam, batch),
            alpha=choice.multiplier, width=float(choice.search.thresholds[0]), logs=logs,
        )  # fmt: skip

    @property
    def arms(self) -> dict[str, Arm[dp_ambssgd.SGDArm]]:
        """The arms of DP-AMBSSGD by kind: as run, and unclipped at the least fixed zeta that Lemma 3.11 covers."""
        return {AS_RUN: self.choice.arm(), UNCLIPPED: self._unclipped(True), UNCLIPPED_PLAIN: self._unclipped(False)}

    @property
    def ssgd(self) -> ssgd.Parameters:
        """The practical parameters of DP-SSGD at this size."""
        settings = self.spec["settings"]
        alpha = shuffling.noise_multiplier(settings["eps"], self.N, settings["delta"])
        return ssgd.practical_parameters(
            self.design.problem(self.N, self.sigma), alpha, self.spec["arms"]["zeta_factor"]
        )  # fmt: skip

    @property
    def stream(self) -> Arm[FTRLArms]:
        """The arm of DP-SSGD without clipping."""
        return dp_ssgd(self.ssgd, self.N, clips=False)

    def _unclipped(self, logs: bool) -> Arm[dp_ambssgd.SGDArm]:
        """Returns the arm whose threshold only scales the noise, and whose steps use all records of a batch.

        The threshold is the least that Lemma 3.11 covers at w*, because what it asks grows with the distance.
        """
        setting = self.setting(logs, self.choice.batch)
        threshold = dp_ambssgd.Fixed(ambssgd.threshold_bound(setting, 0.0), clips=False)
        settings = dp_ambssgd.SGDArm(setting.eta, self.choice.multiplier, threshold)
        return Arm(settings, Mechanism.without_privacy(AMBSSGD, UNBOUNDED, stand_in=BOTH))


def run(spec: Spec) -> Iterator[Row]:
    """Yields a risk for each dimension, label noise, algorithm, kind and trial of one N."""
    for case in cases(spec):
        for trial in range(*spec["trials"]):
            for row in _mini_batches(case, trial):
                yield {**case.base, "algorithm": AMBSSGD, "series": "risk", "trial": trial, **row}
        yield from _single_records(case)


def cases(spec: Spec) -> Iterator[Case]:
    """Yields all regressions of the part."""
    settings = spec["settings"]
    for N, d, sigma in product(*map(as_list, (spec["cell"]["N"], spec["cell"]["d"], spec["arms"]["sigma"]))):
        yield Case(spec, Design.of(d, settings["kappa"], settings["w_norm"]), N, sigma)


def _mini_batches(case: Case, trial: int) -> Iterator[Row]:
    """Runs every kind of DP-AMBSSGD on the same records."""
    design, choice, place = case.design, case.choice, place_of(case.design, case.N)
    X, Y = design.draw(case.N, np.array([case.sigma]), trial_stream(case.spec, place, trial, "data"))
    arms, batches = case.arms, shuffled(case.spec, design, X, Y, trial, choice.T)
    kept = dp_ambssgd.tail_length(case.spec["settings"]["tail"], choice.T)
    for kind, outcome in trial_of(case.spec, design, case.N, trial, choice.T, arms, batches).items():
        eta, batch = arms[kind].settings.eta, arms[kind].settings.gradient_size(choice.batch)
        variance = choice.noise_variance(outcome.thresholds) * (choice.b / batch) ** 2
        expected = tail_risk(design.lam, -design.w_star, eta, batch, case.sigma, variance, choice.T, kept)
        bound, without_logs = (ambssgd.lemma_3_11(case.setting(logs, batch)) for logs in (True, False))
        yield {
            "kind": kind, "T": choice.T, "value": float(design.risk(outcome.average)), "expected": expected,
            "bound": math.nan if kind == UNCLIPPED_PLAIN else bound,
            "bound_without_logs": math.nan if kind == UNCLIPPED else without_logs,
            "clip_fraction": float(outcome.clipped.mean()),
        }  # fmt: skip


def _single_records(case: Case) -> Iterator[Row]:
    """Runs DP-SSGD without clipping."""
    parameters, problem, design = case.ssgd, case.design.problem(case.N, case.sigma), case.design
    risks, clipped = single_pass.run(case.spec, design, case.N, [case.sigma], [case.stream])
    expected = tail_risk(
        design.lam, -design.w_star, parameters.eta, 1, case.sigma, parameters.noise_variance, case.N, case.N // 2
    )  # fmt: skip
    for i, trial in enumerate(range(*case.spec["trials"])):
        yield {
            **case.base, "algorithm": SSGD, "kind": UNCLIPPED, "T": case.N, "series": "risk",
            "trial": trial, "value": risks[0, i], "expected": expected, "bound": ssgd.lemma_3_5(problem, parameters),
            "bound_without_logs": math.nan, "clip_fraction": clipped[0, i],
        }  # fmt: skip


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Yields the ledger entries of one N."""
    for case in cases(spec):
        where = f"N={case.N} d={len(case.design.lam)} sigma={case.sigma:g}"
        yield f"{spec['variant']}: {AMBSSGD} {where}", case.arms[AS_RUN].mechanism, spec["settings"]["delta"]
        for name, arm in ((AMBSSGD, case.arms[UNCLIPPED]), (SSGD, case.stream)):
            yield f"{spec['variant']}: {name} without clipping {where}", arm.mechanism, spec["settings"]["delta"]
