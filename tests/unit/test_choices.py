"""Who chose what: every value of an artefact, once, with its source."""

from dpdescent.replication.configuration import choices

NODE = {
    "symbols": {"n": {"type": "integer", "means": "sample size"}},
    "settings": {"tau": {"value": 5, "stated": "Sec. 4"}, "other": {"value": 1, "chosen": "not used"}},
    "artefacts": {
        "fig01": {
            "uses": ["tau"],
            "settings": {"eta": {"value": True, "code": "their script"}},
            "cells": {
                "a": {"n": {"value": [10, 20], "stated": "Figure 1"}, "p": {"value": 5, "chosen": "small"}},
                "b": {"n": {"value": [10, 20], "stated": "Figure 1"}, "p": {"value": 50, "stated": "Figure 1"}},
            },
            "arms": {"rho": {"value": {"x": None, "y": 2}, "chosen": "two of them"}},
            "trials": {"value": 100, "stated": "caption"},
            "variants": {
                "step 0.2": {"why": "eta is not stated", "panels": ["a"], "settings": {"eta": 0.2}, "trials": 50}
            },
        }
    },
}


def rows() -> list[dict[str, str]]:
    meanings = {"n": "sample size"}
    return choices.with_meanings(choices.rows_of(NODE), meanings)


def test_each_value_has_its_source_and_reason() -> None:
    found = {(row["part"], row["symbol"]): (row["value"], row["source"], row["reason"]) for row in rows()}
    assert found == {
        ("all panels", "n"): ("10, 20", "stated", "Figure 1"),
        ("panel a", "p"): ("5", "chosen", "small"),
        ("panel b", "p"): ("50", "stated", "Figure 1"),
        ("arms", "rho"): ("x: none; y: 2", "chosen", "two of them"),
        ("settings", "tau"): ("5", "stated", "Sec. 4"),
        ("settings", "eta"): ("yes", "code", "their script"),
        ("", "trials"): ("100", "stated", "caption"),
        ("variant step 0.2", "eta"): ("0.2", "variant", "eta is not stated"),
        ("variant step 0.2", "trials"): ("50", "variant", "eta is not stated"),
    }


def test_meanings_are_those_of_declared_symbols() -> None:
    meanings = {row["symbol"]: row["meaning"] for row in rows()}
    assert (meanings["n"], meanings["p"]) == ("sample size", "")
    assert all(tuple(sorted(row)) == tuple(sorted(choices.COLUMNS)) for row in rows())


def test_one_and_true_are_told_apart() -> None:
    assert [choices.text_of(value) for value in (1, True, 0, False, 1.0, None)] == [
        "1",
        "yes",
        "0",
        "no",
        "1.0",
        "none",
    ]
