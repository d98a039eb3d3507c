"""Roles of a table's columns in an instrumental-variable model, without numpy, because Snakemake's start reads them."""

from collections.abc import Sequence


def conflict(
    instruments: Sequence[str], regressors: Sequence[str], outcome: str, count: str | None = None
) -> str | None:
    """Returns words on the column whose two roles exclude each other, and the mend; None if there is none.

    A control is both an instrument and a regressor, which is allowed. A column that stands twice in one role, or that
    is also the outcome, would make moments singular, or an estimate meaningless.
    """
    # In this order, because without instruments the regressors stand in both places, and a user has named no others.
    for role, names in (("regressors", regressors), ("instruments", instruments)):
        twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
        if twice is not None:
            return f"{role}: column '{twice}' stands twice; name it once"
        if outcome in names:
            return f"{role}: column '{outcome}' is the outcome; take it out of one of them"
        if count is not None and count in names:
            return f"{role}: column '{count}' is the column of counts; take it out of one of them"
    if outcome == count:
        return f"outcome: column '{outcome}' is the column of counts; name another"
    return None
