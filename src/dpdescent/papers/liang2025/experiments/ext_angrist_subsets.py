"""2SLS and DP-2S-GD over many random subsets of the Angrist-Evans data, of the size of the paper's subset.

The paper reports an estimate of -4.3 on its own subset; the distribution over subsets says how usual that is.
"""

from collections.abc import Iterable, Iterator

from dpdescent.algorithms import dp_2s_gd
from dpdescent.baselines.least_squares import two_stage_least_squares
from dpdescent.data.iv import IVSample
from dpdescent.data.tabular import centre, draw_subset, read_prepared
from dpdescent.papers.liang2025.arms import columns
from dpdescent.papers.liang2025.runs.real_data import arms, releases_on
from dpdescent.papers.liang2025.runs.synthetic import PAPER, Row, Spec
from dpdescent.privacy.events import Mechanism
from dpdescent.randomness import stream


def run(spec: Spec) -> Iterator[Row]:
    """Yields rows of one part: for each subset (a trial) the 2SLS estimate and one private run for each budget."""
    size = spec["cell"]["n"]
    for trial in range(*spec["trials"]):
        sample = _subset(spec, trial)
        fit = two_stage_least_squares(sample)
        axes = {"n": size, "subset": trial, "trial": 0}
        yield {**axes, "series": "2SLS", "rho1": float("inf"), "rho2": float("inf"), "value": fit.beta[0]}
        runs = arms(spec, sample, fit)
        noise = stream(spec["seed"], PAPER, spec["artefact"], "subset", trial, "noise")
        normals = dp_2s_gd.Normals.draw(noise, runs[0].T, sample.p, sample.q)
        result = dp_2s_gd.descend(sample, columns(runs, sample.n), normals)
        for arm, beta in zip(runs, result.beta[:, 0], strict=True):
            yield {**axes, "series": arm.algorithm, "rho1": arm.rho1, "rho2": arm.rho2, "value": beta}


def _subset(spec: Spec, trial: int) -> IVSample:
    rng = stream(spec["seed"], PAPER, spec["artefact"], "subset", trial, "data")
    return centre(draw_subset(read_prepared(spec["data"]), spec["cell"]["n"], rng))


def releases(spec: Spec) -> Iterable[tuple[str, Mechanism, float]]:
    """Returns the ledger entries of the first subset; all subsets have one size, hence one threshold and one noise."""
    return releases_on(spec, _subset(spec, 0))
