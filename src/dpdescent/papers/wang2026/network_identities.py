"""What wang2026 writes down of the network and of its loss, at any weights, held against the network's own code.

Derivatives are compared with differences of the outputs as the paper defines them, and bounds on them, on outputs and on
the loss with what weights can reach.
"""

import itertools
import math
from collections.abc import Iterator

import numpy as np

from dpdescent.models import kan as models
from dpdescent.models.kan import KAN, Heads
from dpdescent.models.spline import CubicSplines
from dpdescent.papers.wang2026 import network
from dpdescent.papers.wang2026.criteria import EQUAL, RATE, claim_on_all_cells, range_of
from dpdescent.papers.wang2026.identities import COUNTED, DIFFERENCE, ROUNDING
from dpdescent.papers.wang2026.setting import Array
from dpdescent.randomness import stream
from dpdescent.replication.judging.algebra import Places
from dpdescent.replication.judging.criteria import at_most, within_of
from dpdescent.replication.judging.evidence import Claim, Evidence
from dpdescent.replication.judging.statistics import exactly

WIDTHS, LAYERS = (64, 256, 1024), 8
# Radii of the balls on which outputs are made large, the climb's steps, its width, starts, and the failure probability.
RADII, CLIMB, WIDE, STARTS, FAILS = (1.0, 4.0, 16.0), 200, 64, 8, 0.05
# Cells of the splines and inputs of the networks whose derivatives are compared, and their width.
CELLS, INPUTS, NARROW = (1, 4, 8), (1, 3), 3
# Widths so far apart that half a power of m shows through what the constants allow.
FAR_APART = (4, 256, 16384)
ADDED_LATER = "The claim was added after a review."


def judge(_: Evidence) -> Iterator[Claim]:
    """Yields the claims on derivatives, on the loss, and on how large outputs can be; no table is read."""
    yield _derivatives()
    yield _everywhere()
    yield _loss()
    yield _largest_eigenvalue()
    yield _largest_output()
    yield _on_the_ball()


def _norm(values: Array) -> float:
    return float(np.linalg.norm(values))


def _defined(of: KAN, W: Array, H: Array, c: Array) -> Array:
    """Outputs as Sec. 3.1 defines them, m^(-1/2) sum_j <c_j, h(tanh(w_j . h(x)/sqrt d))>, for weights (places, m, dp)."""
    u = np.tanh(W @ H / math.sqrt(of.inputs))
    return np.asarray(np.einsum("ajk,jk->a", of.splines.values(u), c) / math.sqrt(of.width))


def _around(at: Array) -> tuple[Array, Array]:
    """Weights a small step away from some, in every coordinate, there and back."""
    basis = DIFFERENCE * np.eye(at.size).reshape(at.size, *at.shape)
    return at + basis, at - basis


def _drawn(cells: int, inputs: int, width: int) -> tuple[KAN, Array, Array, Array]:
    """A network with weights, the features of a record, and a second layer, all drawn."""
    rng = stream(0, "wang2026", "identities", "network", cells, inputs, width)
    of = KAN(inputs=inputs, width=width, splines=CubicSplines(cells))
    W, c = of.initial(rng)
    return of, W, of.features(rng.uniform(-1.0, 1.0, (1, inputs)))[0], c


def _gradient(of: KAN, W: Array, H: Array, c: Array) -> Array:
    """Gradients of the output by the formula of Lemma B.6, for weights (places, m, dp), flattened."""
    heads = of.heads(np.broadcast_to(c, (len(W), *c.shape)))
    factors = of.outputs_and_factors(W, np.broadcast_to(H, (len(W), 1, len(H))), heads)[1]
    return np.asarray((factors[:, 0, :, None] * H).reshape(len(W), -1))


def _hessian(of: KAN, W: Array, H: Array, c: Array) -> Array:
    """The Hessian of the output by differences of gradients."""
    after, before = (_gradient(of, places, H, c) for places in _around(W))
    return (after - before) / (2.0 * DIFFERENCE)


def _derivatives() -> Claim:
    off: Places = {}
    for cells, inputs in itertools.product(CELLS, INPUTS):
        of, W, H, c = _drawn(cells, inputs, NARROW)
        place = f"p = {of.splines.count}, d = {inputs}"
        after, before = (_defined(of, places, H, c) for places in _around(W))
        by_differences, gradient = (after - before) / (2.0 * DIFFERENCE), _gradient(of, W[None], H, c)[0]
        hessian, size = _hessian(of, W, H, c), len(H)
        curvatures = of.curvature(W, H[None], of.heads(c))[0]
        stated = np.zeros_like(hessian)
        for j, v in enumerate(curvatures / (inputs * math.sqrt(of.width))):
            stated[j * size : (j + 1) * size, j * size : (j + 1) * size] = v * np.outer(H, H)
        blocks = [np.abs(v) * _norm(H) ** 2 / (inputs * math.sqrt(of.width)) for v in curvatures]
        whole = float(np.linalg.norm(hessian, 2))
        off[f"gradient, {place}"] = exactly(_rounded(_norm(by_differences - gradient) / _norm(gradient)))
        off[f"Hessian, {place}"] = exactly(_rounded(_norm(hessian - stated) / _norm(hessian)))
        off[f"norm of the Hessian, {place}"] = exactly(_rounded(abs(whole - max(blocks)) / whole))
    # A gradient without sigma', or blocks off the diagonal, are refused.
    return claim_on_all_cells(
        id="lemma-b.6-formulas", artefact="initialisation", location="Lemma B.6 (proof), Lemma B.1", kind="theorem", source="identity",
        statement="(algebra) the gradient of the output is (m d)^(-1/2) sigma'(a_j) <c_j, h'(u_j)> h(x) in w_j, its Hessian is block diagonal with the blocks <c_j, v_j> h(x) h(x)'/(d sqrt(m)), and of the norm of its largest block",
        quantity="relative difference of these from differences of the outputs as defined, and of gradients, at drawn weights: the largest over p and d",
        cells=off, criterion=at_most(EQUAL), changed=ADDED_LATER,
    )  # fmt: skip


def _rounded(difference: float) -> float:
    """A difference without what a step of differences leaves of it, whose digits depend on the processor."""
    return difference if difference > 0.1 * EQUAL else 0.0


def _everywhere() -> Claim:
    shares: Places = {}
    for cells, width in itertools.product(CELLS, FAR_APART):
        of = KAN(inputs=1, width=width, splines=CubicSplines(cells))
        stated = network.Constants.paper(of.splines)
        second = of.initial(stream(0, "wang2026", "identities", "layers", cells, width))[1]
        gradient, curvature = network.sharp_gradient_bound(of, second), network.sharp_hessian_bound(of, second)
        place = f"p = {of.splines.count}, m = {width}"
        shares[f"gradient, {place}"] = exactly(float(gradient) / stated.gradient_bound(width, FAILS))
        shares[f"Hessian, {place}"] = exactly(float(curvature) / stated.hessian_bound(width, FAILS))
    return claim_on_all_cells(
        id="lemma-b.6-everywhere", artefact="initialisation", location="Lemma B.6, eq. (3), eq. (4)", kind="theorem", source="paper",
        statement="the norms of gradient and Hessian of the output stay within (3) and (4), with their constants, at all weights and inputs",
        quantity=f"what is proved to bound each norm at all weights, given the second layer, over (3) or (4) at delta = {FAILS:g}: the largest over p and m",
        cells=shares, criterion=at_most(1.0), changed=f"{ADDED_LATER} Other claims look at starts.",
        note="widths of 16384 show half a power of m. d is in neither, because |h(x)|^2/d is at most that of one input",
    )  # fmt: skip


def _loss() -> Claim:
    z = np.linspace(-40.0, 40.0, 8001)
    slope = np.abs(models.logistic_slope(z))
    bend = np.abs(np.diff(models.logistic_slope(z)) / np.diff(z))
    largest = {
        "|l'|": float(slope.max()), "4 |l''|": float(4.0 * bend.max()),
        "|l'|/l": float((slope / models.logistic(z)).max()),
        "l over U": max(float(models.logistic(np.array(-F)) / network.loss_ceiling(F)) for F in np.abs(z)),
        "U over log 2 + F": max(network.loss_ceiling(F) / (math.log(2.0) + F) for F in np.abs(z)),
    }  # fmt: skip
    return claim_on_all_cells(
        id="lemma-b.7-loss", artefact="ext_proof", location="Lemma B.7 (proof), Lemma C.17", kind="theorem", source="identity",
        statement="(algebra) the logistic loss has |l'| <= 1, |l''| <= 1/4 and |l'| <= l, and at outputs within F it is at most U = log(1 + e^F) <= log 2 + F",
        quantity="|l'|, 4 |l''| by differences, |l'|/l, the loss over U and U over log 2 + F, over margins and F up to 40: the largest",
        cells={name: exactly(round(value, 9)) for name, value in largest.items()}, criterion=at_most(1.0), changed=ADDED_LATER,
    )  # fmt: skip


def _largest_eigenvalue() -> Claim:
    shares: Places = {}
    for cells, inputs in itertools.product(CELLS, INPUTS):
        of, W, H, c = _drawn(cells, inputs, 4 * NARROW)
        gradients = [
            models.logistic_slope(_defined(of, places, H, c))[:, None] * _gradient(of, places, H, c)
            for places in _around(W)
        ]
        hessian = (gradients[0] - gradients[1]) / (2.0 * DIFFERENCE)
        largest = float(np.linalg.eigvalsh(0.5 * (hessian + hessian.T))[-1])
        gradient = _gradient(of, W[None], H, c)
        stated = 0.25 * _norm(gradient) ** 2 + float(np.linalg.norm(_hessian(of, W, H, c), 2))
        shares[f"p = {of.splines.count}, d = {inputs}"] = exactly(round(largest / stated, 6))
    # A loss that is twice as steep is refused.
    return claim_on_all_cells(
        id="lemma-b.7-largest-eigenvalue", artefact="ext_proof", location="Lemma B.7 (proof)", kind="theorem", source="identity",
        statement="(algebra) the largest eigenvalue of the Hessian of a record's loss is at most |grad f|^2/4 + |Hess f|",
        quantity="that eigenvalue by differences over that, at drawn weights: the largest over p and d",
        cells=shares, criterion=at_most(1.0), changed=ADDED_LATER, note="C p^3 has a hidden constant",
    )  # fmt: skip


def _largest_output() -> Claim:
    u = np.linspace(-0.999, 0.999, 400)

    def largest(layer: int, width: int) -> float:
        kan = KAN(inputs=1, width=width, splines=CubicSplines(5))
        second = kan.initial(stream(0, "wang2026", "identities", "width", layer, width))[1]
        H = kan.features(np.zeros((1, 1)))
        # All units at their own best place: w_j is a multiple of h(x).
        best = u[np.argmax(kan.splines.values(u) @ second.T, axis=0)]
        W = np.arctanh(best)[:, None] * H / _norm(H) ** 2
        return float(kan.outputs(W, H, kan.heads(second))[0])

    slopes = {
        f"second layer {layer}": exactly(float(np.polyfit(np.log(WIDTHS), np.log([largest(layer, width) for width in WIDTHS]), 1)[0]))
        for layer in range(LAYERS)
    }  # fmt: skip
    # A network that is divided by m, or by nothing, has a largest output of the order of 1, or of m.
    return claim_on_all_cells(
        id="theorem-5.2-residual", artefact="initialisation", location="Theorem 5.2", kind="theorem", source="identity",
        statement="(algebra) where the good events fail, the loss is of the order of sqrt(m) at any weights",
        quantity=f"log-log slope in m of the largest output that any weights give at a record, m {WIDTHS[0]} to {WIDTHS[-1]}: the furthest off over {LAYERS} second layers",
        cells=slopes, criterion=within_of(0.5, RATE), changed=f"{COUNTED} It showed one second layer as if it had no spread.",
        note=f"slopes {range_of(each.value for each in slopes.values())}; the part of R_* and the sum of both are not looked at",
    )  # fmt: skip


def _on_the_ball() -> Claim:
    shares: Places = {}
    for start, radius in itertools.product(range(STARTS), RADII):
        rng = stream(0, "wang2026", "identities", "ball", start)
        kan = KAN(inputs=1, width=WIDE, splines=CubicSplines(5))
        first, second = kan.initial(rng)
        H, heads = kan.features(rng.uniform(-1.0, 1.0, (1, 1))), kan.heads(second)
        gradient_bound = float(network.sharp_gradient_bound(kan, second))
        ceiling = network.Constants.sharp(kan.splines).output_ceiling(1, gradient_bound, radius, FAILS)
        shares[f"start {start}, R_* = {radius:g}"] = exactly(
            round(max(abs(_climbed(kan, first, H, heads, sign * radius)) for sign in (1.0, -1.0)) / ceiling, 6)
        )
    # Outputs that are m^(1/4) times as large are refused.
    return claim_on_all_cells(
        id="lemma-c.17-ball", artefact="ext_proof", location="Lemma C.17", kind="theorem", source="ours",
        statement="(ours, with the sharp b) at any weights within R_* of the start outputs stay within B_b sqrt(2 p log(4 n/delta)) + b R_*",
        quantity=f"output at a record, climbed to its largest and smallest on the ball, over that with the sharp b: the largest over {STARTS} starts and R_*",
        cells=shares, criterion=at_most(1.0), changed="Added after a review.",
        note="climbs find a maximum nearby, which need not be the largest on the ball",
    )  # fmt: skip


def _climbed(kan: KAN, start: Array, H: Array, heads: Heads, reach: float) -> float:
    """The output at a record after normalised steps up, or down for a negative reach, within that of the start."""
    W, extreme = start, 0.0
    for _ in range(CLIMB):
        f, factors = kan.outputs_and_factors(W, H, heads)
        extreme = max(extreme, math.copysign(1.0, reach) * float(f[0]))
        slope = factors[0][:, None] * H[0]
        moved = W + 4.0 * reach / CLIMB * slope / max(_norm(slope), ROUNDING) - start
        W = start + min(1.0, abs(reach) / _norm(moved)) * moved
    return extreme
