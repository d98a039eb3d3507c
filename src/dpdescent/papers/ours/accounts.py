"""The largest privacy parameter of one pair over all releases of a run, beside the account: no record moves all at once."""

from collections.abc import Callable, Iterator

from dpdescent.attacks import dp_gd, dp_iv_gd, one_release, preconditioned_dp_gd, reduced_form
from dpdescent.papers.ours.audit import DECAY, FLOOR, LONGEST
from dpdescent.papers.ours.calibration import SCHEDULED
from dpdescent.papers.ours.criteria import rows
from dpdescent.papers.ours.methods import WHITENED
from dpdescent.privacy import zcdp
from dpdescent.privacy.accounting import tight_rho
from dpdescent.replication.judging.bound_rows import bound_row
from dpdescent.replication.judging.evidence import Bound, Evidence

# How the budget of a run is divided, and what one pair attains of its parts.
RUNS: dict[str, tuple[str, Callable[..., float]]] = {
    "DP-IV-GD": ("parts", dp_iv_gd.largest_mu), "an Anderson-Rubin set": ("set_parts", reduced_form.largest_mu),
}  # fmt: skip


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the account's mu and what one pair can attain of it, of each mechanism at each budget."""
    for name, artefact in zip(RUNS, ("iv_coverage", "iv_weak"), strict=True):
        for rho in sorted(set(rows(evidence, artefact)["rho"])):
            yield _of("Sec. 1", name, f"rho={rho:g}", rho, _attained(evidence, name, rho))
    # Runs that begin with the mean of the records and the second moment of the instruments.
    table, part = rows(evidence, "iv_real"), evidence.settings["prepared"]
    for q, rho in sorted(set(zip(table["q"], table["rho"], strict=True))):
        for name in RUNS:
            after = _attained(evidence, name, rho * (1.0 - 2.0 * part))
            most = one_release.largest_mu_after(rho * part, int(q), after)
            yield _of("Sec. 1", f"{name} in private units", f"q={q:g} rho={rho:g}", rho, most)
    exact = rows(evidence, "calibration")
    exact = exact[exact["series"] == SCHEDULED]
    for rho in sorted(set(exact["rho"] * exact["noise_ratio"] ** 2)):
        mu = dp_gd.flipped_sign_scheduled(LONGEST, DECAY, FLOOR, zcdp.gaussian_dp_mu(rho)).mu
        yield _of("Sec. 2", "DP-GD with a schedule", f"rho={rho:.3g}", rho, mu)
    contest = rows(evidence, "win_map")
    for eps in sorted(set(contest.loc[contest["series"] == WHITENED, "eps"])):
        rho = tight_rho(eps, evidence.settings["dp_delta"])
        yield _of("Sec. 3", "preconditioned DP-GD", f"eps={eps:g}", rho, preconditioned_dp_gd.mu_of_pair(rho))


def _attained(evidence: Evidence, name: str, rho: float) -> float:
    parts, largest_mu = RUNS[name]
    return largest_mu(*(rho * part for part in evidence.settings[parts]))


def _of(location: str, name: str, setting: str, rho: float, most: float | None) -> Bound:
    return bound_row(
        bound=f"mu of all releases of {name}", location=location, setting=setting, value=zcdp.gaussian_dp_mu(rho),
        measured=most,
        note="measured is the most that one pair of data sets attains with gradients that stay as they are through the run",
    )  # fmt: skip
