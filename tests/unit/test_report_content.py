"""What the report counts and orders: ranks of findings, arms that are alike, the fate of bounds."""

from typing import Any

import pytest

from dpdescent.replication.report import content


def finding(name: str, paper: str, severity: str = "medium", status: str = "confirmed", kind: str = "text") -> Any:
    return {"finding": name, "paper": paper, "severity": severity, "status": status, "kind": kind}


def test_findings_are_ranked_by_severity_then_status_then_kind() -> None:
    rows = [
        finding("d", "p", "low"), finding("c", "p", "medium", "question"), finding("b", "p", "medium"),
        finding("a", "p", "medium", kind="privacy"), finding("z", "p", "high", "question"),
    ]  # fmt: skip
    assert [row["finding"] for row in content.in_order(rows)] == ["z", "a", "b", "c", "d"]


def arm(name: str, **changes: str) -> Any:
    row = {
        "arm": name, "mechanism": "DP-GD", "relation": "replace-one", "sampler": "full batch",
        "releases": "10 x counts | 1 x mean", "guarantee": "proved", "note": "why", "sensitivity": "0.1",
        "noise_sd": "1", "rho": "0.5", "delta": "1e-06", "eps_paper": "", "eps_tight": "3", "eps_audit_low": "2.9",
    }  # fmt: skip
    return row | changes


def test_arms_that_differ_in_numbers_only_share_a_row() -> None:
    rows = [
        arm("a"), arm("b", releases="20 x counts | 2 x mean", rho="0.7", sensitivity="0.2; 0.4"),
        arm("c", guarantee="none", eps_tight="", rho=""),
    ]  # fmt: skip
    first, second = content.alike_arms(rows)
    assert (first["arms"], first["rho"], first["sensitivity"]) == (["a", "b"], (0.5, 0.7), (0.1, 0.4))
    assert (first["eps_paper"], first["eps_tight"]) == (None, (3.0, 3.0))
    assert (second["arms"], second["guarantee"], second["eps_tight"]) == (["c"], "none", None)


def bound(value: str, measured: str, holds: str, note: str = "") -> Any:
    return {
        "paper": "p", "bound": "b", "location": "Thm 1", "setting": f"at {value}", "value": value,
        "measured": measured, "holds": holds, "note": note,
    }  # fmt: skip


def test_bounds_are_counted_over_their_settings() -> None:
    rows = [
        bound("4", "1", "True"), bound("2", "1", "True", "vacuous: not below 1"), bound("1", "2", "False"),
        bound("9", "", ""), bound("nan", "3", ""), bound("5", "0", "True"),
    ]  # fmt: skip
    (group,) = content.bound_groups(rows)
    counts = [group[name] for name in ("settings", "holds", "fails", "vacuous", "open")]
    assert counts == [6, 3, 1, 1, 2]
    assert group["ratio"] == (0.5, 2.0, 4.0)
    assert (group["state"], group["example"]["setting"]) == ("fails somewhere", "at 1")


@pytest.mark.parametrize(
    ("rows", "state"),
    [
        ([bound("4", "1", "", "vacuous: above 1")] * 2, "vacuous"),
        ([bound("4", "1", "", "vacuous: above 1"), bound("4", "1", "True")], "vacuous in part"),
        ([bound("4", "1", "True"), bound("4", "", "")], "holds"),
        ([bound("4", "1", "", "an order, no bound")], "not judged"),
    ],
)
def test_state_of_a_bound_is_the_worst_of_it(rows: Any, state: str) -> None:
    assert content.bound_groups(rows)[0]["state"] == state
    assert state in content.STATES


def test_claims_on_request_are_those_that_the_reason_names() -> None:
    """Of the same paper, in the order in which the reason has them, and for no claim that has another reason."""
    requested = [{"paper": paper, "claim": name} for paper in "pq" for name in ("net-first", "net", "net-second")]
    claim = {"paper": "q", "why": "on request", "criterion": "none: judged there: net-second, net-first"}
    asked = content.judged_on_request(requested, claim)
    assert [(row["paper"], row["claim"]) for row in asked] == [("q", "net-second"), ("q", "net-first")]
    assert content.judged_on_request(requested, claim | {"why": "out of reach"}) == []
