"""The synthetic design of liang2025 Sec. 4.1: its parameters, and the constants of the step sizes."""

from typing import Any

import numpy as np

from dpdescent.data.iv import IVParameters, draw_parameters
from dpdescent.papers.liang2025.theory import prescriptions
from dpdescent.randomness import stream

Spec = dict[str, Any]
Row = dict[str, Any]

PAPER = "liang2025"


def parameters_of(spec: Spec, trial: int) -> IVParameters:
    """Returns the design's parameters: one draw for all trials, or a new one in each (setting `parameters`)."""
    cell, mode = spec["cell"], spec["settings"]["parameters"]
    draw = cell.get("draw", 0) if mode == "fixed" else f"trial {trial}"
    p, q, r = cell["p"], cell["q"], cell["r"]
    return draw_parameters(p, q, r, stream(spec["seed"], PAPER, "parameters", f"p={p}_q={q}_r={r}", "draw", draw))


def constants(spec: Spec) -> prescriptions.Constants:
    """Returns the constants of liang2025 eq. (10) that the step sizes use."""
    settings = spec["settings"]
    return prescriptions.Constants(settings["concentration_constant"], settings["first_stage_constant"])


def scaled_parameters(p: int, q: int) -> IVParameters:
    """Returns a design whose hidden constants are the same in every dimension.

    All singular values of Theta are 5, the mean size of those of Sec. 4.1; beta has norm 1, and one confounder moves x
    and y by a standard deviation of 1, so that sigma_1 and sigma_2 do not hang on p and q.
    """
    unit = np.full(p, p**-0.5)
    return IVParameters(beta=unit, Theta=5.0 * np.eye(q, p), Phi=unit[None, :], phi=np.ones(1))
