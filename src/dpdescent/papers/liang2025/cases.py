"""Settings at which bounds of liang2025 are evaluated: panels of its figures at the grid values of their tables."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from dpdescent.data.iv import IVParameters
from dpdescent.papers.liang2025 import formulas, laws, setting
from dpdescent.replication.judging.bound_rows import ORDER, VACUOUS, bound_row
from dpdescent.replication.judging.evidence import Bound, Evidence, joined

# A panel of an experiment on the synthetic design: its place in the paper, its table, its cell in the configuration.
Design = tuple[str, str, str]
FIGURE_3A: Design = ("Figure 3(a)", "fig03", "a")
FIGURE_3B: Design = ("Figure 3(b)", "fig03", "b")
FIGURE_4: Design = ("Figure 4", "fig04", "a")
FIGURE_6: Design = ("Figure 6", "fig06", "a")
FIGURE_7: Design = ("Figure 7", "fig07", "a")
FIGURE_8: Design = ("Figure 8", "fig08", "all")
FIGURE_9: Design = ("Figure 9", "fig09", "all")
MORE_INSTRUMENTS: Design = ("more instruments", "ext_overidentified", "all")
FRIENDLY_CORE: Design = ("App. F.2", "ext_friendlycore", "all")


@dataclass(frozen=True)
class Case:
    """A setting with the quantities that the bounds need; budgets may be infinite.

    Attributes:
        place: place of the experiment in the paper.
        parameters: parameters of the design.
        problem: quantities of these parameters that the bounds use, n and tau included.
        T, rho1, rho2: iterations and budgets.
        step_constants: C0 and c0 from which the experiments' step sizes come.
        bound_constants: C0 and c0 at which eq. (10) bounds the measured values.
        clip_constant: c0 of eq. (4).
    """

    place: str
    parameters: IVParameters
    problem: formulas.IVProblem
    T: int
    rho1: float
    rho2: float
    step_constants: formulas.Constants
    bound_constants: formulas.Constants
    clip_constant: float

    @property
    def text(self) -> str:
        """The setting in words."""
        return f"{self.shape}, T={self.T}, rho1={self.rho1:g}, rho2={self.rho2:g}"

    @property
    def shape(self) -> str:
        """The setting in words, without T and budgets, which only a private run has."""
        return f"{self.place}: p={self.problem.p}, q={self.problem.q}, n={self.problem.n}"

    @property
    def beta_norm(self) -> float:
        """||beta||, the error of the start at zero."""
        return float(np.linalg.norm(self.parameters.beta))

    def beside_start(self, error: float) -> str:
        """An addition to the note of a bound on the error, empty unless zero, the start, is as close."""
        if error < self.beta_norm:
            return ""
        return f"; {VACUOUS}: above ||beta|| = {self.beta_norm:.3g}, the error of zero"

    @property
    def nominal(self) -> formulas.Spectrum:
        """delta and the eigenvalue window at the constants of the step sizes."""
        return formulas.spectrum(self.problem, self.step_constants)

    @property
    def window(self) -> formulas.Spectrum:
        """delta and the eigenvalue window at constants that make them bounds."""
        return formulas.spectrum(self.problem, self.bound_constants)

    @property
    def steps(self) -> formulas.StepSizes:
        """The experiments' step sizes."""
        return formulas.recommended_step_sizes(self.nominal)

    @property
    def kappa(self) -> float:
        """Contraction rate (10) at the constants of the step sizes."""
        return formulas.contraction(self.nominal, self.steps).overall

    @property
    def gamma(self) -> float:
        """Clipping threshold of eq. (4)."""
        return formulas.clipping_threshold(self.clip_constant, self.problem.n, self.problem.q, self.T, self.problem.tau)

    @property
    def lambda_1(self) -> float:
        """Noise sd of the first stage, eq. (4)."""
        return formulas.noise_scale(self.gamma, self.problem.n, self.T, self.rho1)

    @property
    def lambda_2(self) -> float:
        """Noise sd of the second stage, eq. (4)."""
        return formulas.noise_scale(self.gamma, self.problem.n, self.T, self.rho2)


def case(
    evidence: Evidence, design: Design, *, n: int = 0, T: int = 0, rho1: float = 0.0, rho2: float = 0.0,
    place: str = "", shape: dict[str, int] | None = None,
) -> Case:  # fmt: skip
    """The design at a table's grid values; those that are left out are the configuration's own, 0 where it has none.

    Args:
        place: text that replaces the design's own place.
        shape: p, q and r of a table that has them as axes.
    """
    default_place, artefact, panel = design
    configured, settings = evidence.spec["artefacts"][artefact], evidence.settings
    grid_values = {"n": n, "T": T, "rho1": rho1, "rho2": rho2, **(shape or {})}
    values = {
        **configured["cells"].get(panel, {}),
        **configured["arms"],
        **{name: x for name, x in grid_values.items() if x},
    }

    def value(symbol: str) -> float:
        known = values.get(symbol, 0)
        return 0 if isinstance(known, list) else known

    # The draw of the parameters that the figures share.
    cell = {symbol: value(symbol) for symbol in ("p", "q", "r")}
    spec = {"seed": evidence.spec["seed"], "cell": cell, "settings": {"parameters": "fixed"}}
    parameters = setting.parameters_of(spec, trial=0)
    return Case(
        place=place or default_place, parameters=parameters,
        problem=formulas.IVProblem.of(parameters, int(value("n")), settings["tau"]), T=int(value("T") or 1),
        rho1=float(value("rho1")), rho2=float(value("rho2")),
        step_constants=setting.constants(evidence.spec), bound_constants=setting.bound_constants(evidence.spec),
        clip_constant=settings["clip_constant"],
    )  # fmt: skip


def problem_at(n: int, p: int, q: int, tau: float) -> formulas.IVProblem:
    """The bounds' quantities of the design whose hidden constants are the same in every dimension."""
    return formulas.IVProblem.of(setting.scaled_parameters(p, q), n, tau)


def problem_of(row: "pd.Series[float]") -> formulas.IVProblem:
    """The bounds' quantities of the design of `problem_at` at a place of `table_rates`."""
    return problem_at(int(row["n"]), int(row["p"]), int(row["q"]), float(row["tau"]))


def order_row(row: Bound) -> Bound:
    """A row whose hidden constants are 1: a value beyond it refutes nothing, and leaves it open."""
    if row.holds or row.measured is None:
        return row
    sized = row.value > 0.0 and math.isfinite(row.value)
    needed = f"measured is {row.measured / row.value:.3g} times it" if sized else ""
    return replace(row, holds=None, note=joined(row.note, needed))


def error_bound(the_case: Case, measured: "pd.Series[float]", kappa: float | None = None) -> Bound:
    """The bound on the error beside a row of errors: (7), without privacy (9), without first-stage noise Theorem F.1's.

    Measured is the 97.5 % quantile, because the theorem is about a probability of 1 - c exp(-5), and because the
    distance to just-identified 2SLS need not have a mean. Hidden constants are 1, so that sizes alone are compared.
    """
    public = math.isinf(the_case.rho1)
    name, location = (
        ("bound (7)", "(7)") if not public else ("bound (9)", "(9)") if math.isinf(the_case.rho2) else
        ("bound of Theorem F.1", "Theorem F.1")
    )  # fmt: skip
    value = laws.bound_terms(
        the_case.problem, the_case.kappa if kappa is None else kappa, the_case.rho1, the_case.rho2, the_case.T
    ).total
    note = f"measured is the 97.5 % quantile; {ORDER}{the_case.beside_start(value)}"
    row = bound_row(
        bound=name, location=location, setting=the_case.text, value=value, measured=float(measured["q975"]), note=note
    )
    return order_row(row)
