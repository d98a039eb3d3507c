"""The settings at which the bounds of liang2025 are evaluated."""

import math
from dataclasses import dataclass

import numpy as np

from dpdescent.data.iv import IVParameters
from dpdescent.papers.liang2025.design import scaled_parameters
from dpdescent.papers.liang2025.runs import synthetic
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.replication.judging.bound_rows import VACUOUS
from dpdescent.replication.judging.evidence import Evidence


@dataclass(frozen=True)
class Design:
    """A panel of an experiment on the synthetic design; its values are those of the configuration.

    Attributes:
        place: of the figure in the paper, panel included.
        artefact: name of its table.
        panel: its cell in the configuration.
        public: whether it is evaluated without privacy, at infinite budgets.
        known: values that its table tells, by symbol; they come before those of the configuration.
    """

    place: str
    artefact: str
    panel: str
    public: bool = False
    known: tuple[tuple[str, int], ...] = ()

    def value(self, evidence: Evidence, symbol: str) -> float:
        """The configured value of a symbol; 0 where it is an axis of the table, or the artefact has none."""
        if self.public and symbol in ("rho1", "rho2"):
            return math.inf
        known = dict(self.known)
        if symbol in known:
            return known[symbol]
        configured = evidence.spec["artefacts"][self.artefact]
        found = (configured["cells"][self.panel] | configured["arms"]).get(symbol, 0)
        return 0 if isinstance(found, list) else found


FIGURE_3A = Design("Figure 3(a)", "fig03", "a")
FIGURE_3B = Design("Figure 3(b)", "fig03", "b")
FIGURE_4 = Design("Figure 4", "fig04", "a")
FIGURE_6 = Design("Figure 6", "fig06", "a")
FIGURE_7 = Design("Figure 7", "fig07", "a")
FIGURE_8 = Design("Figure 8", "fig08", "all")
FIGURE_9 = Design("Figure 9", "fig09", "all", public=True)
MORE_INSTRUMENTS = Design("more instruments", "ext_overidentified", "all", public=True)
FRIENDLY_CORE = Design("App. F.2", "ext_friendlycore", "all")


@dataclass(frozen=True)
class Case:
    """One setting, with what the theory makes of it; budgets may be infinite.

    Attributes:
        place: of the experiment.
        parameters: of the design.
        problem: what the bounds know of them, n and tau included.
        T, rho1, rho2: iterations and budgets.
        step_constants: C0 and c0 from which the experiments' step sizes come.
        bound_constants: C0 and c0 at which eq. (10) bounds what is measured.
        clip_constant: c0 of eq. (4).
    """

    place: str
    parameters: IVParameters
    problem: prescriptions.IVProblem
    T: int
    rho1: float
    rho2: float
    step_constants: prescriptions.Constants
    bound_constants: prescriptions.Constants
    clip_constant: float

    @property
    def text(self) -> str:
        """The setting in words."""
        return f"{self.shape}, T={self.T}, rho1={self.rho1:g}, rho2={self.rho2:g}"

    @property
    def shape(self) -> str:
        """The setting without what only a private run has."""
        return f"{self.place}: p={self.problem.p}, q={self.problem.q}, n={self.problem.n}"

    @property
    def beta_norm(self) -> float:
        """||beta||, the error of the start at zero."""
        return float(np.linalg.norm(self.parameters.beta))

    def beside_start(self, error: float) -> str:
        """What to add to the note of a bound on the error: something only where zero, the start, is as close."""
        if error < self.beta_norm:
            return ""
        return f"; {VACUOUS}: above ||beta|| = {self.beta_norm:.3g}, the error of zero"

    @property
    def nominal(self) -> prescriptions.Spectrum:
        """delta and the eigenvalue window at the constants of the step sizes."""
        return prescriptions.spectrum(self.problem, self.step_constants)

    @property
    def window(self) -> prescriptions.Spectrum:
        """delta and the eigenvalue window at constants that make them bounds."""
        return prescriptions.spectrum(self.problem, self.bound_constants)

    @property
    def steps(self) -> prescriptions.StepSizes:
        """The experiments' step sizes."""
        return prescriptions.recommended_step_sizes(self.nominal)

    @property
    def kappa(self) -> float:
        """Contraction rate (10) at the constants of the step sizes."""
        return prescriptions.contraction(self.nominal, self.steps).overall

    @property
    def gamma(self) -> float:
        """Clipping threshold of eq. (4)."""
        return prescriptions.clipping_threshold(
            self.clip_constant, self.problem.n, self.problem.q, self.T, self.problem.tau
        )

    @property
    def lambda_1(self) -> float:
        """Noise sd of the first stage, eq. (4)."""
        return prescriptions.noise_scale(self.gamma, self.problem.n, self.T, self.rho1)

    @property
    def lambda_2(self) -> float:
        """Noise sd of the second stage, eq. (4)."""
        return prescriptions.noise_scale(self.gamma, self.problem.n, self.T, self.rho2)


def case(
    evidence: Evidence, design: Design, *, n: int = 0, T: int = 0, rho1: float = 0.0, rho2: float = 0.0, place: str = ""
) -> Case:
    """The design at a table's grid values; those that are left out are the design's own."""
    settings = evidence.settings
    parameters = parameters_of(evidence, design)
    return Case(
        place=place or design.place,
        parameters=parameters,
        problem=prescriptions.IVProblem.of(parameters, int(n or design.value(evidence, "n")), settings["tau"]),
        T=int(T or design.value(evidence, "T") or 1),
        rho1=float(rho1 or design.value(evidence, "rho1")),
        rho2=float(rho2 or design.value(evidence, "rho2")),
        step_constants=prescriptions.Constants(settings["concentration_constant"], settings["first_stage_constant"]),
        bound_constants=prescriptions.Constants(
            settings["bound_concentration_constant"], settings["bound_first_stage_constant"]
        ),
        clip_constant=settings["clip_constant"],
    )


def parameters_of(evidence: Evidence, design: Design) -> IVParameters:
    """The draw of the parameters that the figures share."""
    cell = {symbol: design.value(evidence, symbol) for symbol in ("p", "q", "r")}
    spec = {"seed": evidence.spec["seed"], "cell": cell, "settings": {"parameters": "fixed"}}
    return synthetic.parameters_of(spec, trial=0)


def problem_at(n: int, p: int, q: int, tau: float) -> prescriptions.IVProblem:
    """What the theory knows of the design whose hidden constants are the same in every dimension."""
    return prescriptions.IVProblem.of(scaled_parameters(p, q), n, tau)
