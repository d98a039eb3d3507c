"""The bounds whose constants the paper hides, and the conditions on step and width (wang2026 Secs. 4.2 and 5).

Where the text has "<~", constants are 1, so that values are orders of magnitude, not bounds. Logarithms are dropped as
in the main text, or kept as in the appendix; the bound G on gradients counts as one of them.
"""

import math
from dataclasses import dataclass, fields

from dpdescent.checks import require_non_negative, require_positive, require_probability
from dpdescent.sums import added


@dataclass(frozen=True)
class Run:
    """A run, by the numbers that its rates depend on.

    Attributes:
        n, B, T, m, d: records, batch size, iterations, width, dimension of the inputs.
        gamma, eta, lam, kappa: NTK margin, step size, correlation, noise multiplier.
        delta: failure probability in the logarithms; in the paper also the privacy parameter.
    """

    n: float
    B: float
    T: float
    m: float
    d: float
    gamma: float
    eta: float
    lam: float
    kappa: float
    delta: float

    def __post_init__(self) -> None:
        require_positive(n=self.n, B=self.B, T=self.T, m=self.m, d=self.d, gamma=self.gamma, eta=self.eta)
        require_non_negative(lam=self.lam, kappa=self.kappa)
        require_probability(delta=self.delta)

    @property
    def batches_differ(self) -> float:
        """Returns 1, or 0 where B = n, because Delta and its terms then vanish (wang2026 end of D.3 and of App. E)."""
        return 1.0 if self.n > self.B else 0.0

    @property
    def quadratic_weight(self) -> float:
        """Returns `(1 - lam)^2 + lam^2 eta` (wang2026 Theorem 4.1)."""
        return quadratic_weight(self.lam, self.eta)


@dataclass(frozen=True)
class Rate:
    """Order of the averaged empirical risk, by its terms.

    They are the distance to the comparator, the linear and the quadratic term of the batches, and the two of the noise.
    """

    start: float
    potential: float
    batches: float
    linear: float
    quadratic: float

    @property
    def total(self) -> float:
        """Returns the sum of the terms."""
        return float(added(getattr(self, field.name) for field in fields(self)))


def correlated(run: Run, *, logs: bool = False) -> Rate:
    """Returns A_corr, for correlated noise (wang2026 Theorem 4.1).

    With logs it is the rate of the displays after eq. (16), in the proof of Theorem C.13.
    """
    r, log = run, math.log(run.n * run.T / run.delta) if logs else 1.0
    reach = math.sqrt(_reach_squared(run) if logs else 1.0) / r.gamma
    spread = r.kappa / r.B
    size = r.m * r.d + (log / r.T if logs else 0.0)
    linear = (1.0 - r.lam) * spread / math.sqrt(r.T)
    linear *= reach * math.sqrt(log) + r.batches_differ * r.eta * math.sqrt(r.m * r.d * log / r.B)
    return Rate(
        start=reach**2 / (r.eta * r.T),
        potential=r.batches_differ * reach * math.sqrt(log / (r.B * r.T)),
        batches=r.batches_differ * r.eta * (1.0 / r.B + log / r.T),
        linear=linear,
        quadratic=r.quadratic_weight * r.eta * spread**2 * size,
    )


def independent(run: Run, *, logs: bool = False) -> Rate:
    """Returns A_van, for independent noise (wang2026 Theorem D.14).

    Raises:
        ValueError: if the noise is correlated.
    """
    if run.lam != 0.0:
        raise ValueError(f"lam={run.lam} must be 0: the rate is for independent noise")
    r, log = run, math.log(1.0 / run.delta) if logs else 1.0
    reach = (math.log(r.T) + math.sqrt(math.log(r.n / r.delta)) if logs else 1.0) / r.gamma
    start = (_reach_squared(run) if logs else 1.0) / r.gamma**2
    return Rate(
        start=start / (r.eta * r.T),
        potential=r.batches_differ * log * reach / math.sqrt(r.B * r.T),
        batches=r.batches_differ * r.eta * log * (1.0 / r.B + log / r.T),
        linear=log * reach * r.kappa / (r.B * math.sqrt(r.T)),
        quadratic=r.eta * r.m * r.d * log**2 * (r.kappa / r.B) ** 2,
    )


def without_noise(run: Run) -> Rate:
    """Returns A_non: `1/(gamma^2 eta T) + 1/(gamma sqrt(BT)) + eta/B`, without logarithms (wang2026 Theorem E.1)."""
    r = run
    return Rate(
        start=1.0 / (r.gamma**2 * r.eta * r.T),
        potential=r.batches_differ / (r.gamma * math.sqrt(r.B * r.T)),
        batches=r.batches_differ * r.eta / r.B,
        linear=0.0,
        quadratic=0.0,
    )


def _reach_squared(run: Run) -> float:
    """Returns (gamma tau)^2 = `log^2 T + log(n/delta)` (wang2026 Theorem C.13)."""
    return math.log(run.T) ** 2 + math.log(run.n / run.delta)


def population(run: Run, empirical: float) -> float:
    """Returns the order of the population risk, `(1 + eta T / n) A`, without logarithms and the terms of delta.

    wang2026 Theorems 5.2, D.16 and E.1.
    """
    return (1.0 + run.eta * run.T / run.n) * empirical


def quadratic_weight(lam: float, eta: float) -> float:
    """Returns `(1 - lam)^2 + lam^2 eta` (wang2026 Theorem 4.1), with 12 beta eta for eta the weight of Lemma C.3."""
    return (1.0 - lam) ** 2 + lam**2 * eta


def step_condition(run: Run) -> float:
    """Returns the expression that Theorem 4.1 asks to be of order 1 at most (wang2026).

    `eta gamma sqrt(T) (1/sqrt(B) + kappa (1-lam)/B) + eta^2 gamma^2 (T/B + 1)`.
    """
    r = run
    linear = r.eta * r.gamma * math.sqrt(r.T) * (1.0 / math.sqrt(r.B) + r.kappa * (1.0 - r.lam) / r.B)
    return linear + r.eta**2 * r.gamma**2 * (r.T / r.B + 1.0)


def least_width(run: Run, *, logs: bool = False) -> float:
    """Returns the lower limit on m of wang2026 Theorem 4.1, `gamma^-4`.

    With logs it is the least m with `m >= log(m/delta) (log^2 T + log(n/delta)) / gamma^4` (Lemma C.12).
    """
    if not logs:
        return float(run.gamma**-4)
    factor = _reach_squared(run) / run.gamma**4
    width = factor
    for _ in range(100):
        # This converges, because it is a contraction of slope factor / m < 1.
        width = factor * math.log(max(width, 2.0) / run.delta)
    return width


def population_width(run: Run, *, logs: bool = False) -> float:
    """Returns what the theorems on population risk ask m to exceed, at the run's own m.

    With correlation it is `R_*^2 log(m/delta) eta^2 (T A_corr + (log(n/delta) + R_*) (sqrt(T log(1/delta)/B) +
    log(1/delta)))^2` (wang2026 Theorem 5.2), else `log(m/delta) eta^2 (T^2 A^2 + log(n/delta) log^2(1/delta) (T/B + 1))`
    (Theorems D.16 and E.1). Logarithms are 1 and `R_* = 1/gamma`, or with logs `(log T + sqrt(log(n/delta)))/gamma`.
    """
    r = run
    width, records, failure = (math.log(x / r.delta) if logs else 1.0 for x in (r.m, r.n, 1.0))
    if r.lam == 0.0:
        total = r.T**2 * independent(r, logs=logs).total ** 2
        return float(width * r.eta**2 * (total + records * failure**2 * (r.T / r.B + 1.0)))
    reach = (math.log(r.T) + math.sqrt(records) if logs else 1.0) / r.gamma
    drawn = (records + reach) * (math.sqrt(r.T * failure / r.B) + failure)
    return float(width * (reach * r.eta * (r.T * correlated(r, logs=logs).total + drawn)) ** 2)


def largest_width(run: Run, *, logs: bool = False) -> float:
    """Returns the upper limit on m of wang2026 Theorem 4.1.

    `B^2/(eta^2 kappa^2 gamma^2 d) min(1, 1/(T ((1-lam)^2 + lam^2 eta)))`, with logs times `log^2 T + log(n/delta)`,
    because the proof of Theorem C.13 compares with tau^2 (constants ours); infinite without noise.
    """
    r = run
    if r.kappa == 0.0:
        return math.inf
    factor = _reach_squared(run) if logs else 1.0
    room = factor * r.B**2 / (r.eta**2 * r.kappa**2 * r.gamma**2 * r.d)
    return room * min(1.0, 1.0 / (r.T * r.quadratic_weight))
