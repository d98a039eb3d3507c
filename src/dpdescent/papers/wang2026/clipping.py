"""Clipping: risks at thresholds from the theorem's, which clips nothing, down to small ones (wang2026)."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from dpdescent.papers.wang2026 import training
from dpdescent.papers.wang2026.arms import Arm
from dpdescent.papers.wang2026.criteria import claim_on_all_cells, range_of, rows
from dpdescent.papers.wang2026.network import Constants
from dpdescent.papers.wang2026.setting import G_DELTA, G_SHARP, GAIN, POPULATION, Analysed, Row, Size, Spec
from dpdescent.papers.wang2026.training import FIRST_SEED
from dpdescent.privacy.events import Mechanism
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Claim, Evidence, Source


@dataclass(frozen=True, kw_only=True)
class Thresholds(Analysed):
    """Runs with thresholds by several rules, each with every correlation and step."""

    n: int
    B: int
    T: int
    clip_rule: tuple[Any, ...]
    accountant: str
    eps: float
    delta: float
    lam: tuple[float, ...]
    eta: tuple[float, ...]

    def by_rule(self, trial: int) -> dict[str, float]:
        """Returns thresholds by rule; G_delta and G_sharp depend on the frozen second layer at most, on no record."""
        thresholds = {}
        for rule in self.clip_rule:
            if rule == G_DELTA:
                thresholds[rule] = Constants.paper(self.kan.splines).gradient_bound(self.m, self.delta_conf)
            elif rule == G_SHARP:
                thresholds[rule] = training.sharp_threshold(self, trial)
            else:
                thresholds[f"{rule:g}"] = float(rule)
        return thresholds

    def arms(self, C_clip: float) -> list[Arm]:
        """Returns a run of every correlation with every step."""
        size = Size(self.n, self.B, self.T)
        noises = [training.calibrated_noise(self, size, self.accountant, lam, self.eps, self.delta) for lam in self.lam]
        return [Arm(noise, C_clip, eta) for noise in noises for eta in self.eta]


def run_clipping(spec: Spec) -> Iterator[Row]:
    """Yields averaged risks of every threshold, correlation, step and seed; G_sharp is each seed's own."""
    runs = Thresholds.of(spec)
    for trial in runs.trials:
        for rule, C_clip in runs.by_rule(trial).items():
            for row in training.risk_rows(runs.of_seed(trial), runs.arms(C_clip), {"clip_rule": rule}):
                if row["series"] != GAIN:
                    yield row


def releases_clipping(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries, with the first seed's G_sharp: guarantees do not depend on the threshold."""
    runs = Thresholds.of(spec)
    for rule, C_clip in runs.by_rule(0).items():
        yield from training.entries(runs, runs.arms(C_clip), f" {rule}", stand_in=FIRST_SEED if rule == G_SHARP else "")


CLIPPING = "clipping"
THRESHOLDS: tuple[tuple[str, str, Source, str], ...] = (
    ("clipping-inactive", G_DELTA, "paper", ""),
    ("clipping-inactive-sharp", G_SHARP, "ours", "(ours) with the sharp threshold that knows the frozen second layer: "),
)  # fmt: skip


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claims on the paper's threshold and on the sharp one."""
    for name, rule, source, words in THRESHOLDS:
        table = rows(evidence, CLIPPING, series=POPULATION, clip_rule=rule)
        shares = table.assign(mean=table["clipped"], se=math.nan)
        yield claim_on_all_cells(
            id=name, artefact=CLIPPING, location="Sec. 4.3 (step 1), eq. (5)", kind="theorem", source=source,
            statement=f"{words}under C_clip >= G_delta clipping is inactive",
            quantity="share of gradients clipped: the largest over lambda and eta",
            cells=algebra.means(shares, ("C_clip", "lam", "eta")), criterion=at_most(0.0),
            note=f"C_clip {range_of(table['C_clip'])}",
        )  # fmt: skip
