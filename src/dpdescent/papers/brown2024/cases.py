"""Settings at which claims and bounds of brown2024 are evaluated, from the experiments' configuration and tables."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dpdescent.algorithms.gaussian_law import IterateLaw
from dpdescent.checks import require_probability
from dpdescent.papers.brown2024.formulas import least_squares_mean_square
from dpdescent.papers.brown2024.setting import Setting
from dpdescent.replication.build.tables import QUANTILES
from dpdescent.replication.judging.algebra import rows_of
from dpdescent.replication.judging.evidence import Evidence

# The sd of the label noise, and ||theta*||, the error of the estimate zero, in every design of the paper (Sec. 4).
SIGMA, THETA_NORM = 1.0, 1.0
# Names in the paper of the figures at a fixed ratio, and of the panels on the cost of privacy.
DIMENSION = {"fig01": "Figure 1", "fig09": "Figure 9"}
COST = {("fig02", "a"): "Figure 2", ("fig08", "a"): "Figure 8a", ("fig08", "b"): "Figure 8b"}


@dataclass(frozen=True)
class Experiment:
    """A panel of an artefact, with the settings and rows of its runs.

    Attributes:
        evidence: the paper's tables and specification.
        artefact: name of its table.
        place: its figure in the paper.
        panel: name of its cell in the configuration, up to a comma.
    """

    evidence: Evidence
    artefact: str
    place: str
    panel: str = "all"

    def value(self, symbol: str) -> Any:
        """The configured value of a symbol, from the cell, or else from the arms, or else from the settings.

        Raises:
            ValueError: if the specification does not have it.
        """
        specification = self.evidence.spec["artefacts"][self.artefact]
        cells = [cell for name, cell in specification["cells"].items() if name.split(",")[0] == self.panel]
        for values in (*cells, specification["arms"], specification.get("settings", {})):
            if symbol in values:
                return values[symbol]
        raise ValueError(
            f"the specification of {self.artefact}, panel {self.panel!r}, has no {symbol!r}: hand on its cells, arms"
            " and settings; those of the paper as a whole may not be those of this artefact"
        )

    def case(
        self, *, n: int, p: int | None = None, T: int | None = None, k: float | None = None, runs: int = 1,
        place: str = "",
    ) -> "Case":  # fmt: skip
        """The case at a table's grid values; for values that are left out it has the configured ones."""
        p, T = int(p or self.value("p")), int(T or self.value("T"))
        gamma = (k or self.value("clip_factor")) * math.sqrt(p)
        setting = Setting(int(n), p, T, self.value("rho"), self.value("eta"), gamma, runs)
        return Case(place or self.place, setting, self.evidence.settings["beta"])

    def rows(self, **where: Any) -> pd.DataFrame:
        """Rows of the main variant with the given values."""
        return self.evidence.select(self.artefact, **where)


@dataclass(frozen=True)
class Case:
    """A setting of DP-GD in an experiment, with the norm of least squares and the law of iterates there.

    Attributes:
        place: the experiment's place in the paper.
        setting: setting of its runs.
        beta: failure probability at which bounds are evaluated.
    """

    place: str
    setting: Setting
    beta: float

    @property
    def k(self) -> float:
        """The threshold divided by sqrt(p)."""
        return self.setting.gamma / math.sqrt(self.setting.p)

    @property
    def text(self) -> str:
        """The setting in words."""
        setting = self.setting
        runs = "" if setting.runs == 1 else f", {setting.runs} runs"
        return f"{self.size}, T={setting.T}{runs}, rho={setting.rho:g}, gamma={self.k:.4g} sqrt(p)"

    @property
    def size(self) -> str:
        """The place, p and n in words, without what belongs to private runs alone."""
        return f"{self.place}: p={self.setting.p}, n={self.setting.n}"

    @property
    def estimate_norm(self) -> float:
        """||theta_hat|| for isotropic covariates, as the root of its mean square `1 + sigma^2 p / (n - p - 1)`."""
        setting = self.setting
        return math.sqrt(THETA_NORM**2 + least_squares_mean_square(n=setting.n, p=setting.p, sigma=SIGMA))

    @property
    def law(self) -> IterateLaw:
        """The law of the iterates where Sigma is the identity, with theta_hat along the first coordinate."""
        setting, theta_hat = self.setting, np.zeros(self.setting.p)
        theta_hat[0] = self.estimate_norm
        return IterateLaw(
            theta_hat, np.zeros(setting.p), setting.eta, setting.noise_sd, np.ones(setting.p), np.eye(setting.p)
        )


def costs(evidence: Evidence) -> Iterator[Experiment]:
    """Returns the private runs of Figures 2 and 8, panel by panel."""
    return (Experiment(evidence, artefact, place, panel) for (artefact, panel), place in COST.items())


def plotted(experiment: Experiment) -> Iterator[tuple[Case, pd.Series]]:
    """Every private point of a panel of Figure 2 or 8, with its row of the table."""
    for row in rows_of(experiment.rows(panel=experiment.panel, series="privacy")):
        yield experiment.case(n=row["n"], k=row["clip_factor"]), row


def at_ends(experiment: Experiment) -> Iterator[Case]:
    """The private points of a panel of Figure 2 or 8 at the ends of its grid in n."""
    sizes = ends(experiment.rows(panel=experiment.panel, series="privacy"), "n")
    return (case for case, _ in plotted(experiment) if case.setting.n in sizes)


def ends(table: pd.DataFrame, axis: str) -> list[Any]:
    """The smallest and the largest value on an axis of a table: one where they are equal, none where it is empty."""
    return sorted({table[axis].min(), table[axis].max()}) if len(table) else []


def quantile(beta: float, above: bool = True) -> str:
    """The column of the quantile that a bound with failure probability beta is to hold for: q95 or q05 at 0.05.

    Args:
        beta: failure probability.
        above: whether the bound is one from above, which the quantile of level 1 - beta must not exceed.

    Raises:
        ValueError: if the tables have no such quantile.
    """
    require_probability(beta=beta)
    safe = {name: level if above else 1.0 - level for name, level in QUANTILES.items()}
    reached = {name: level for name, level in safe.items() if level <= 1.0 - beta + 1e-12}
    if not reached:
        raise ValueError(
            f"beta={beta} must be at most {max(QUANTILES.values()):g}: no quantile of the tables is so low"
        )
    return max(reached, key=lambda name: reached[name])


def in_words(column: str) -> str:
    """The words of a note for a column of quantiles."""
    return f"the {QUANTILES[column]:g} quantile"
