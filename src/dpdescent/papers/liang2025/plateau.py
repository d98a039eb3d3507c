"""The plateau of Figure 2 in Figure 3: whether the error at T = 20 is level in T, from runs of more and fewer iterations."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpdescent.papers.liang2025 import cases, laws
from dpdescent.papers.liang2025.criteria import LEVEL, at_draws, claim_on_all_cells, held_to, paired_ratios
from dpdescent.papers.liang2025.sample_size import FIGURE_3A, HALVED, LONGER, LONGEST, SHORTER
from dpdescent.papers.liang2025.setting import ANOTHER_RUN
from dpdescent.replication.judging import algebra
from dpdescent.replication.judging.criteria import Criterion, between
from dpdescent.replication.judging.evidence import Claim, Evidence, Verdict

# Values of c0 at which Figure 3 has runs of forty iterations too.
CLIP_CONSTANTS = ("clip constant 1", "clip constant 15")
# Numbers of iterations of Figure 4 whose errors a note compares.
SEEN = (20, 50)


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claim on the plateau, at three values of c0 and at other draws of the parameters."""
    main = _at(evidence, LONGER)
    others = {reading: _at(evidence, f"{LONGER} at {reading}") for reading in CLIP_CONSTANTS}
    yield at_draws(held_to(main, others), list(_level_draws(evidence)))


def _at(evidence: Evidence, variant: str) -> Claim:
    """The claim on the plateau, from a variant with runs of several T at one value of c0."""
    rows = evidence.tables["fig03"].query("variant == @variant and panel == 'a'")
    return claim_on_all_cells(
        id="fig03a-plateau", **FIGURE_3A,
        statement="all points of Figure 3(a) lie in the plateau region of Figure 2, where the error hardly changes with T",
        quantity="of the mean error at T = 40 over that at T = 20, and at T = 20 over that at T = 10, the one nearer to 1, where T2 of Remark 3.7 is at least 40",
        cells=_changes(evidence, rows), criterion=_level(),
        changed=(
            "Added after a review; after another one the point may lie at either end of the plateau, and other draws of the parameters must agree. "
            "Two more values of c0 must agree too. After a second reading a value of c0 at which it is open leaves it open. Runs of different T "
            "share data and normals, and were taken as independent until a third one."
        ),
        note=f"T1 and T2 of Remark 3.7 at hidden constants 1; {_first_regime(evidence)}; {_in_figure_4(evidence)}",
    )  # fmt: skip


def _level() -> Criterion:
    return between(1.0 / LEVEL, LEVEL)


def _changes(evidence: Evidence, rows: pd.DataFrame) -> algebra.Places:
    """The change of the error from T = 20 on the side on which it is smaller, by place, from runs of T = 10, 20, 40."""
    keys, inside = ["n", "rho1", "rho2"], []
    to_2sls, differences = (rows[rows["error_to"] == to] for to in ("beta_hat", ANOTHER_RUN))
    half, quarter = LONGEST // 2, LONGEST // 4
    longer, main, shorter = (
        to_2sls[to_2sls["series"] == series] for series in ("DP-2S-GD", SHORTER.format(half), SHORTER.format(quarter))
    )
    for row in algebra.rows_of(longer):
        case = cases.case(evidence, cases.FIGURE_3A, n=int(row["n"]), rho1=row["rho1"], rho2=row["rho2"])
        inside.append(laws.plateau_end(case.problem, case.rho1, case.rho2) >= LONGEST)
    after, before = (
        paired_ratios(upper, lower, differences[differences["series"] == HALVED.format(T)], keys)
        for upper, lower, T in ((longer[np.array(inside, dtype=bool)], main, LONGEST), (main, shorter, half))
    )
    return {
        place: max((change, before.get(place, change)), key=lambda estimate: _level().margin(estimate.value))
        for place, change in after.items()
    }


def _level_draws(evidence: Evidence) -> Iterator[Verdict]:
    """The verdict at every other draw, over all splits."""
    rows = evidence.select("ext_parameter_draws", LONGER, panel="fig03")
    for _, own in rows.groupby("draw"):
        yield _level().verdict_on_all(_changes(evidence, own).values())


def _first_regime(evidence: Evidence) -> str:
    """The number of iterations at which the plateau begins at the largest n, as text for a note."""
    n = int(evidence.tables["fig03"]["n"].max())
    case = cases.case(evidence, cases.FIGURE_3A, n=n, rho1=5.0, rho2=5.0)
    if not case.kappa < 1:
        return f"at n = {n} T1 has no value, because nothing contracts"
    begins = laws.regime_boundaries(case.problem, case.kappa, case.rho1, case.rho2).optimisation_ends
    return f"at n = {n} T1 is {begins:.0f}, beyond the figure's T = 20"


def _in_figure_4(evidence: Evidence) -> str:
    """A note on the ratio of errors at T = 50 and 20 in Figure 4, at c0 = 3 and 1, because its T are others."""
    ratios = []
    for c0, variant in ((3, "main"), (1, "clip constant 1")):
        curve = evidence.select("fig04", variant, panel="a", rho1=10.0, error_to="beta_hat").set_index("T")["mean"]
        if set(SEEN) <= set(curve.index):
            ratios.append(f"{curve[SEEN[1]] / curve[SEEN[0]]:.2f} at c0 = {c0}")
    return f"in Figure 4 (n = 1000, rho1 = rho2 = 10) the error at T = 50 over that at T = 20 is {', '.join(ratios) or 'not known'}"
