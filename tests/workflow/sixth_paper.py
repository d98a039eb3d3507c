"""A paper that does not exist: one folder and one YAML file, from which the pipeline must build everything."""

from pathlib import Path

KEY = "sixth2026"

CONFIG = """\
paper: {title: A sixth paper, authors: Nobody, arxiv: "2601.00001", year: 2026}
symbols:
  n: {type: integer, minimum: 1, means: sample size}
  p: {type: integer, minimum: 1, means: number of regressors}
  q: {type: integer, minimum: 1, means: number of instruments}
  T: {type: integer, minimum: 1, means: number of iterations}
  rho: {type: number, exclusive_minimum: 0, means: zCDP budget}
at_most: [[p, q]]
settings:
  tau: {value: 5, stated: Sec. 4}
  scale: {value: 2, chosen: any. Variant "other scale"}
datasets:
  card: {source: card, instruments: [nearc4], regressors: [educ], outcome: lwage}
artefacts:
  fig01:
    title: Means of normal values
    place: Figure 1
    code: means
    caption: Means of normal values over the sample size, one curve a budget
    keys: [panel, n, rho]
    measures: [size]
    split: [n]
    uses: [scale]
    cells:
      a:
        n: {value: [10, 20], stated: Sec. 4}
        p: {value: 2, stated: Sec. 4}
        q: {value: 3, stated: Sec. 4}
    arms:
      T: {value: 5, stated: Sec. 4}
      rho: {value: [0.5, 1], stated: Sec. 4}
    trials: {value: 4, chosen: few}
    trials_per_part: 2
    parts_per_job: 2
    variants:
      other scale:
        why: the scale is not stated
        settings: {scale: 3}
        trials: 2
  table_one:
    title: The same & more
    place: Table 1
    code: table
    caption: The same means, one row a sample size
    keys: [n]
    split: []
    cells:
      a:
        n: {value: 10, stated: Sec. 4}
        p: {value: 1, stated: Sec. 4}
    trials: {value: 3, chosen: few}
    trials_per_part: 3
"""

MODULES = {
    "__init__": "",
    "means": '''\
"""Means of normal values: Figure 1, its arms, and what is said of it."""

from functools import partial

import dpdescent
from dpdescent.papers.sixth2026.drawing import value
from dpdescent.privacy.events import GaussianReleases
from dpdescent.replication.judging import records
from dpdescent.replication.judging.criteria import at_most
from dpdescent.replication.judging.evidence import Bound
from dpdescent.replication.judging.statistics import exactly

SECTION_1: records.Place = {"artefact": "fig01", "location": "Sec. 1", "kind": "text", "source": "paper"}
claim = partial(records.claim, "sixth2026")


def run_fig01(spec):
    """One row a trial and budget."""
    n, scale = spec["cell"]["n"], spec["settings"]["scale"]
    for trial in range(*spec["trials"]):
        for rho in spec["arms"]["rho"]:
            axes = {"panel": spec["panel"], "n": n, "rho": rho, "series": "mean", "trial": trial}
            yield {**axes, "value": scale * value(spec, n, trial), "size": n}


def releases_fig01(spec):
    """One mechanism a budget."""
    for rho in spec["arms"]["rho"]:
        event = GaussianReleases("mean", 2 / spec["cell"]["n"], 1.0, 1)
        words = "replace-one", "full batch", rho, "as published", "not examined"
        yield f"{spec['variant']}: rho={rho}", dpdescent.Mechanism("mean", (event,), *words), 1e-5


def judge(evidence):
    """One claim."""
    mean = float(evidence.tables["fig01"]["mean"].mean())
    small, limit = exactly(mean), at_most(10.0)
    yield claim(id="means-small", **SECTION_1, statement="small", quantity="mean", measured=small, criterion=limit)


def evaluate(evidence):
    """One bound."""
    mean = float(evidence.tables["fig01"]["mean"].abs().max())
    yield Bound("largest mean", "Lemma 1", "all", 10.0, mean, mean <= 10.0)
''',
    "means_figures": '''\
"""Drawing of Figure 1."""

from dpdescent.replication.drawing import figures


def draw_fig01(table, display):
    """Means."""
    figure, axes = figures.panels()
    axes.plot(table["n"], table["mean"], "o")
    return figure
''',
    "table": '''\
"""Table 1."""

from dpdescent.papers.sixth2026.drawing import value


def run_table_one(spec):
    """One row a trial."""
    for trial in range(*spec["trials"]):
        yield {"n": spec["cell"]["n"], "series": "mean", "trial": trial, "value": value(spec, 1, trial)}
''',
    "drawing": '''\
"""Normal values by name."""

from dpdescent.randomness import stream


def value(spec, n, trial):
    """Mean of n normal values."""
    return float(stream(spec["seed"], "sixth2026", spec["artefact"], f"n={n}", trial).standard_normal(n).mean())
''',
    "audit": '''\
"""Audit: one attack, on a mean with noise of sd 1."""

import numpy as np

from dpdescent.privacy.audit.attack import Attack
from dpdescent.replication.ledger.requests import Request, rounded


def shifted(mu):
    """A record that moves the mean by its whole sensitivity."""
    return Attack("a shift by mu", lambda runs, rng: tuple(rng.normal([[0.0], [mu]], size=(2, runs))), mu=mu)


ATTACKS = {"shift": shifted}
FINDINGS = {}


def request(cell, arm, event):
    """The same attack for every arm."""
    return Request("shift", {"mu": rounded(np.sqrt(2 * event.rho))})


def statements():
    """None."""
    return ()
''',
    "bounds": '''\
"""Bounds, subject by subject."""

from dpdescent.papers.sixth2026 import means


def evaluate(evidence):
    """All bounds."""
    return list(means.evaluate(evidence))
''',
    "claims": '''\
"""Claims, subject by subject."""

from dpdescent.papers.sixth2026 import means


def judge(evidence):
    """All claims."""
    return list(means.judge(evidence))
''',
    "findings": '''\
"""Findings: none."""


def demonstrate(evidence):
    """Nothing is wrong in this paper."""
    return []
''',
}


def add(root: Path) -> Path:
    """Writes the paper into a copy of the project: its YAML and its folder, and no other edit."""
    config = root / f"config/papers/{KEY}.yaml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text(CONFIG, encoding="utf-8")
    for name, text in MODULES.items():
        module = root / f"src/dpdescent/papers/{KEY}/{name}.py"
        module.parent.mkdir(parents=True, exist_ok=True)
        module.write_text(text, encoding="utf-8")
    return config
