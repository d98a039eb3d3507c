"""What wang2026 derives for its own prescriptions: Corollaries 5.3, 5.5, 5.6, DP-GD, GD, and the widths; all open."""

import math
from collections.abc import Iterator

import pandas as pd

from dpdescent.papers.wang2026.bounds.cases import first, place, vacuous
from dpdescent.papers.wang2026.experiments import admissible_width, table_rates
from dpdescent.papers.wang2026.reading import EMPIRICAL, POPULATION, rows
from dpdescent.papers.wang2026.theory.prescriptions import ENTRIES, Entry, Point
from dpdescent.replication.judging.algebra import each
from dpdescent.replication.judging.bound_rows import order
from dpdescent.replication.judging.evidence import Bound, Evidence, joined
from dpdescent.sums import added

TABLE, WIDTHS = "table_rates", "admissible_width"
RATES = (table_rates.RATE, table_rates.PRIVATE, table_rates.EMPIRICAL, table_rates.WIDTH, table_rates.INSERTED)
# Artefacts that follow a prescription in n: which one, by the correlation where there is noise.
FOLLOWED = {"rate_n": "App. E", "rate_minibatch": "Corollary 5.6"}
PRIVATE = ("private_rate_n", "eps_and_d")


def evaluate(evidence: Evidence) -> Iterator[Bound]:
    """Rows of the paper's comparison, of runs that follow a prescription, of the widths."""
    yield from _comparison(evidence)
    for artefact in (*FOLLOWED, *PRIVATE):
        for found in each(rows(evidence, artefact)):
            yield from _followed(evidence, artefact, found)
    for found in each(rows(evidence, "rate_T", series=EMPIRICAL)):
        yield from _descent(found)
    yield from _widths(evidence)


def _entry(source: str) -> Entry:
    return next(entry for entry in ENTRIES if entry.source == source)


def _comparison(evidence: Evidence) -> Iterator[Bound]:
    """Rows of every rate that the paper states, beside its own general bound at its own prescription."""
    table = rows(evidence, TABLE)
    if not {"setting", "quantity", "source"} <= set(table.columns):
        return
    for setting in table["setting"].unique():
        own = table[table["setting"] == setting]
        parts = {name: first(own, quantity=name) for name in RATES}
        inserted = parts[table_rates.INSERTED]
        known = [parts[name] for name in (table_rates.RATE, table_rates.PRIVATE)]
        values = [float(found["mean"]) for found in known if found is not None]
        if values:
            measured = None if inserted is None else float(inserted["mean"])
            why = "" if inserted is None else "measured is the paper's general bound at its prescription"
            value = added(values)
            yield order(
                "population risk, stated rate", str(own["source"].iloc[0]), f"{TABLE}: {setting}", value, measured,
                joined(why, vacuous(value)),
            )  # fmt: skip
        for name in (table_rates.EMPIRICAL, table_rates.WIDTH):
            found = parts[name]
            if found is not None:
                text = f"{TABLE}: {setting}"
                yield order(name, str(own["source"].iloc[0]), text, float(found["mean"]), None, "stated power")


def _followed(evidence: Evidence, artefact: str, found: pd.Series) -> Iterator[Bound]:
    """The row of a run beside the rate of the corollary whose B and T it follows, up to constants."""
    if found["series"] not in (POPULATION, EMPIRICAL):
        return
    source = FOLLOWED.get(artefact) or ("Corollary 5.3" if found["lam"] > 0.0 else "Corollary 5.5")
    entry = _entry(source)
    gamma = evidence.settings_of(artefact)["gamma"] if math.isnan(found["gamma"]) else found["gamma"]
    if not gamma > 0.0 or any(math.isnan(found[name]) for name in ("n", "d", "mean")):
        return
    eps = 1.0 if math.isnan(found["eps"]) else float(found["eps"])
    point = Point(float(found["n"]), float(found["d"]), float(gamma), eps)
    rate = entry.empirical if found["series"] == EMPIRICAL and entry.empirical is not None else entry.rate
    value = added(power.value(point) for power in (rate, entry.private) if power is not None)
    capped = "T is smaller than prescribed" if found["precondition"] == "T capped" else ""
    if source == "Corollary 5.5":
        capped = "B and T follow Corollary 5.3's"
    text = place(artefact, found, "panel", "n", "d", "lam", "eps", "accountant")
    note = joined(f"gamma={gamma:.4g}", capped, vacuous(value))
    yield order(f"{found['series']}, rate of {source}", source, text, value, found["mean"], note)


def _descent(found: pd.Series) -> Iterator[Bound]:
    """The row of 1 / (gamma^2 eta T), for runs of gradient descent."""
    if found["B"] == found["n"] and found["gamma"] > 0.0:
        value = 1.0 / (found["gamma"] ** 2 * found["eta"] * found["T"])
        text = place("rate_T", found, "panel", "n", "T", "eta")
        note = joined(f"gamma={found['gamma']:.4g}", vacuous(value))
        yield order("empirical risk of GD", "App. E", text, value, found["mean"], note)


def _widths(evidence: Evidence) -> Iterator[Bound]:
    """Rows of Theorem 4.1's limits beside the widths that the corollaries ask for."""
    table = rows(evidence, WIDTHS)
    keys = ("n", "gamma", "lam", "eps", "eta", "accountant", "logs")
    for found in each(table[table["series"].isin([admissible_width.LOWER, admissible_width.UPPER])]):
        where, text = {key: found[key] for key in keys}, place(WIDTHS, found, *keys)
        asked = first(table, **where, series=admissible_width.SIXTH)
        if asked is not None:
            measured = float(asked["mean"])
            why = "measured is gamma^-6, Corollary 5.3's width"
            yield order(f"width, {found['series']}", "Thm 4.1, Cor. 5.3", text, float(found["mean"]), measured, why)
