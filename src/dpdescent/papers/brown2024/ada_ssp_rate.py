"""AdaSSP's error at a fixed dimension as records are added (brown2024 Sec. 4.1), on sums of ideal covariates.

Where X'X = n I and labels have no noise, the distance to least squares is that of the releases' noise alone. Figures and
tables have AdaSSP at fixed p/n, where its ridge is not nil, or where n and p grow together.
"""

from collections.abc import Iterator

import numpy as np

from dpdescent.baselines.ada_ssp import Bounds, Calibration, ada_ssp
from dpdescent.data.linear import Gram
from dpdescent.papers.brown2024.cases import Experiment
from dpdescent.papers.brown2024.criteria import RATE, claim_on_all_cells
from dpdescent.privacy import zcdp
from dpdescent.replication.judging import records
from dpdescent.replication.judging.criteria import within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import exactly

SECTION: records.Place = {"artefact": "bounds", "location": "Sec. 4.1", "kind": "text", "source": "paper"}
# Dimensions, and records for each dimension, from which on the ridge is nil at every bound below.
DIMENSIONS, PER_DIMENSION = (10, 100), (1e5, 1e6, 1e7, 1e8)


def distance(n: int, p: int, calibration: Calibration) -> tuple[float, float]:
    """Returns AdaSSP's distance to least squares, with the same normals at every n, and its ridge."""
    theta = np.full(p, p**-0.5)
    gram = Gram(n, n * np.eye(p), n * theta, float(n))
    fit = ada_ssp(gram, calibration, np.random.default_rng(1))
    return float(np.linalg.norm(fit.theta - theta)), fit.ridge


def judge(evidence: Evidence) -> Iterator[Claim]:
    """Yields the claim on the power of n in AdaSSP's error."""
    settings, rho = evidence.settings, Experiment(evidence, "fig01", "Figure 1").value("rho")
    delta, slopes, ridges = settings["dp_delta"], {}, []
    for p in DIMENSIONS:
        for name, Bx in (("sqrt(p)", p**0.5), ("sqrt(p) and a margin", p**0.5 + settings["bound_margin"])):
            bounds = Bounds(Bx, settings["bound_y"], "not enforced")
            ways = {
                "as published": Calibration.standard(bounds, zcdp.epsilon(rho, delta), delta),
                "zCDP-matched": Calibration.zcdp_matched(bounds, rho, delta),
            }
            for way, calibration in ways.items():
                found = [distance(round(each * p), p, calibration) for each in PER_DIMENSION]
                ridges += [ridge for _, ridge in found]
                slope = np.polyfit(np.log(PER_DIMENSION), np.log([away for away, _ in found]), 1)[0]
                slopes[f"p = {p}, |x| at most {name}, {way}"] = exactly(float(slope))
    # The smallest wrong world: a power 0.12 of n more or less.
    yield claim_on_all_cells(
        id="adassp-falls-in-n", **SECTION,
        statement="the error of AdaSSP depends on p^(3/2)/n: at a fixed p it falls as 1/n",
        quantity=f"log-log slope in n of AdaSSP's distance to least squares, from n = {PER_DIMENSION[0]:g} p to {PER_DIMENSION[-1]:g} p, on sums of ideal covariates and with the same normals: the farthest from -1",
        cells=slopes, criterion=within_of(-1.0, RATE), changed="Added after a later review; before it AdaSSP was looked at where n and p grow together.",
        note=f"the largest ridge is {max(ridges):.3g}; where it is not nil, as at n = 100p, the estimate is shrunk and its error nearly constant",
    )  # fmt: skip
