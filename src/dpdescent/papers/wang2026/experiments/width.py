"""Risk, margin and size of the noise against the width."""

from collections.abc import Iterable, Iterator

import numpy as np

from dpdescent.checks import as_list
from dpdescent.papers.wang2026.arms import Arm, Noise
from dpdescent.papers.wang2026.design import Row, Size, Spec, kan_of, problem_of, value
from dpdescent.papers.wang2026.runs import training
from dpdescent.papers.wang2026.theory.margin import margin
from dpdescent.privacy.events import Mechanism


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one width: averaged risks of every seed, beside what its start looks like."""
    size = Size.of(spec)
    starts = {trial: _start(spec, trial, size.n) for trial in range(*spec["trials"])}
    for row in training.risk_rows(spec, training.tuned(spec, arms(spec))):
        if row["series"] != training.GAIN:
            c_priv = row["C_clip"] * row["kappa"] / size.B
            yield {
                **row, **starts[row["trial"]],
                "noise_norm": row["eta"] * c_priv * float(np.sqrt(kan_of(spec).parameters)),
            }  # fmt: skip


def arms(spec: Spec) -> list[Arm]:
    """Returns runs with independent and with correlated noise of the cell's multiplier; no noise has no correlation."""
    kappa, size, C_clip = spec["cell"]["kappa"], Size.of(spec), value(spec, "C_clip")
    lams = as_list(value(spec, "lam")) if kappa > 0.0 else [0.0]
    return [Arm(Noise.fixed(size, kappa, lam, value(spec, "delta")), C_clip) for lam in lams]


def _start(spec: Spec, trial: int, n: int) -> Row:
    """Returns NTK margin, largest output and largest curvature of a record at the start."""
    made = problem_of(spec, [trial], n)
    kan, W, H, heads = made.kan, made.start, made.features, made.heads
    outputs, factors = kan.outputs_and_factors(W, H, heads)
    # The Hessian of f is block diagonal, a multiple of h h' in each unit.
    curvature = np.abs(kan.curvature(W, H, heads)).max(axis=-1) * np.vecdot(H, H)
    return {
        "gamma": margin(H[0], factors[0], made.labels[0]).value,
        "initial_output": float(np.abs(outputs).max()),
        "hessian": float(curvature.max()) / (kan.inputs * kan.width**0.5),
    }


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns ledger entries of one width; privacy does not depend on it."""
    return training.entries(spec, arms(spec), f" m={value(spec, 'm')}")
