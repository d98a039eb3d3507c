"""The largest privacy parameter of one pair over all releases of DP-IV-GD, beside its account."""

from collections.abc import Iterator

from dpdescent.attacks.dp_iv_gd import largest_mu
from dpdescent.privacy import zcdp
from dpdescent.replication.judging.bound_rows import row
from dpdescent.replication.judging.evidence import Bound, Evidence


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Evaluates the account's mu and what one pair can attain of it, for each budget."""
    table = evidence.tables["iv_coverage"]
    parts = evidence.settings["parts"]
    for rho in sorted(set(table["rho"])):
        yield row(
            bound="mu of all releases of DP-IV-GD", location="Sec. 1", setting=f"rho={rho:g}",
            value=zcdp.gaussian_dp_mu(rho), measured=largest_mu(*(rho * part for part in parts)),
            note="measured is the most that one pair of data sets attains: no record moves all releases at once",
        )  # fmt: skip
