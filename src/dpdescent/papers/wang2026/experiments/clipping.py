"""Risk against the step size at clipping thresholds from the theorem's to small ones."""

from collections.abc import Iterable, Iterator, Mapping

from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import Arm
from dpdescent.papers.wang2026.design import Row, Size, Spec, kan_of, value
from dpdescent.papers.wang2026.runs import training
from dpdescent.papers.wang2026.runs.diagnostics import FIRST_SEED, sharp_threshold
from dpdescent.papers.wang2026.theory.constants import Constants
from dpdescent.privacy.events import Mechanism

G_DELTA, G_SHARP = "G_delta", "G_sharp"


def run(spec: Spec) -> Iterator[Row]:
    """Yields averaged risks of every threshold, correlation, step and seed; G_sharp is each seed's own."""
    for trial in range(*spec["trials"]):
        one = {**spec, "trials": [trial, trial + 1]}
        for rule, C_clip in thresholds(spec, trial).items():
            for row in training.risk_rows(one, arms(spec, C_clip), {"clip_rule": rule}):
                if row["series"] != training.GAIN:
                    yield row


def thresholds(spec: Spec, trial: int) -> Mapping[str, float]:
    """Returns thresholds by their rule; G_delta and G_sharp know the frozen second layer at most, and no record."""
    kan, known = kan_of(spec), {}
    for rule in as_list(value(spec, "clip_rule")):
        if rule == G_DELTA:
            known[rule] = Constants.paper(kan.splines).gradient_bound(kan.width, value(spec, "delta_conf"))
        elif rule == G_SHARP:
            known[rule] = sharp_threshold(spec, trial)
        else:
            known[f"{rule:g}"] = float(rule)
    return known


def arms(spec: Spec, C_clip: float) -> list[Arm]:
    """Returns a run of every correlation with every step."""
    cell, size, delta = spec["cell"], Size.of(spec), value(spec, "delta")
    return [
        Arm(training.calibrated_noise(spec, size, cell["accountant"], lam, cell["eps"], delta), C_clip, eta)
        for lam in as_list(cell["lam"])
        for eta in as_list(value(spec, "eta"))
    ]


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries, with the first seed's G_sharp: guarantees do not depend on the threshold."""
    for rule, C_clip in thresholds(spec, 0).items():
        stand_in = FIRST_SEED if rule == G_SHARP else ""
        yield from training.entries(spec, arms(spec, C_clip), f" {rule}", stand_in=stand_in)
