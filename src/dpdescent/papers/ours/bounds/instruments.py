"""The largest privacy parameter of one pair over all releases for instrumental variables, beside the account."""

from collections.abc import Iterator

from dpdescent.attacks import dp_iv_gd, reduced_form
from dpdescent.papers.ours.reading import rows
from dpdescent.privacy import zcdp
from dpdescent.replication.judging.bound_rows import row
from dpdescent.replication.judging.evidence import Bound, Evidence


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the account's mu and what one pair can attain of it, for each mechanism and budget."""
    for artefact, mechanism, parts, largest in (
        ("iv_coverage", "DP-IV-GD", evidence.settings["parts"], dp_iv_gd.largest_mu),
        ("iv_weak", "an Anderson-Rubin set", evidence.settings["set_parts"], reduced_form.largest_mu),
    ):
        for rho in sorted(set(rows(evidence, artefact)["rho"])):
            yield row(
                bound=f"mu of all releases of {mechanism}", location="Sec. 1", setting=f"rho={rho:g}",
                value=zcdp.gaussian_dp_mu(rho), measured=largest(*(rho * part for part in parts)),
                note="measured is the most that one pair of data sets attains: no record moves all releases at once",
            )  # fmt: skip
