"""Overlays of a scale: the values that they change in a paper's file, and the source of the changed values.

A value that an overlay replaces is no longer the paper's, nor ours: its source is `yours`, or the name of the scale
where that comes with the project. The module does not import numpy, because that would slow Snakemake's start.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dpdescent.checks import as_list
from dpdescent.replication.configuration import choices
from dpdescent.replication.configuration import values as conf
from dpdescent.replication.configuration.values import ConfigError, Node

# The keys that may stand for a zCDP budget in an overlay, an epsilon with its delta, and the keys for which they stand:
# one budget, or the budgets of two stages.
EPSILON, DELTA, RHO, STAGES, DP_DELTA = "epsilon", "delta", "rho", ("rho1", "rho2"), "dp_delta"
# Limits of epsilon and delta: beyond them the search for rho has no digits left, and an epsilon would mean nothing.
EPSILONS, LARGEST_DELTA = (1e-6, 1e6), 0.5

# Sections of a paper's file with values of experiments, and those in which such a value needs no annotation.
VALUES, PLAIN = ("settings", "datasets", "published", "artefacts"), ("datasets", "dataset", "variants")
# Keys that stand among values and hold no value of an experiment: words about values, the panels of a variant, and
# settings that only a figure reads.
WORDS = ("about", "why", "panels", "display")


def applied(annotated: Node, changes: Node, where: str, path: str) -> tuple[Node, Node]:
    """A paper's file, and the same file with the changes of an overlay.

    An overlay may change, in an artefact's `settings`, every shared setting that the artefact uses: in both files these
    settings stand among the artefact's own. `epsilon` may stand for `rho`, or for `rho1` and `rho2` together, which
    keep their ratio.

    Args:
        annotated: content of the paper's file, with provenance.
        changes: the overlay's values for the paper.
        where, path: the overlay's file, and the place of `changes` in it, for messages.

    Raises:
        ConfigError: for a key that is not there, with the place where it is, or an epsilon that stands for no rho.
    """
    base = _with_used(annotated, changes)
    changes = _converted(changes, base, [], where, path, annotated["symbols"].get(RHO, {}).get("spent", {}))
    for steps, node in _unknown(changes, base):
        here = ".".join([path, *steps])
        raise ConfigError(f"{where}: {here} overlays nothing: no such key{_hint(steps, node, base, path)}")
    return base, conf.overlay(base, changes, where, path)


def _with_used(annotated: Node, changes: Node) -> Node:
    """A paper's file; a shared setting that an overlay changes for an artefact is written among the artefact's own."""
    artefacts = dict(annotated["artefacts"])
    for name, node in _mapping(changes.get("artefacts")).items():
        if name in artefacts and "settings" in _mapping(node):
            changed = _mapping(node["settings"])
            names = {
                *changed,
                *([RHO, *STAGES] if EPSILON in changed else []),
                *([DP_DELTA] if DELTA in changed else []),
            }
            uses, shared = artefacts[name].get("uses", []), annotated["settings"]
            used = {key: shared[key] for key in uses if key in names and key in shared}
            artefacts[name] = artefacts[name] | {"settings": used | artefacts[name].get("settings", {})}
    return annotated | {"artefacts": artefacts}


def _converted(
    changes: Any, base: Any, near: Sequence[Node], where: str, path: str, spent: Mapping[str, int], *steps: str
) -> Any:
    """The changes of an overlay, with zCDP budgets in the place of every epsilon.

    Args:
        changes, base: one mapping of the overlay and of the paper's file, or anything in the place of one.
        near: the settings around the mapping, the nearest first.
        where, path: as in `applied`.
        spent: number of times that a run spends its rho, by the artefact's name; `all` stands for other artefacts.
        steps: keys that lead to the mapping.
    """
    if not (isinstance(changes, dict) and isinstance(base, dict)) or "value" in changes or "value" in base:
        return changes
    near = [*(_mapping(node.get("settings")) for node in (changes, base)), *near]
    new = {
        key: _converted(value, base.get(key), near, where, path, spent, *steps, str(key))
        for key, value in changes.items()
    }
    if EPSILON not in new or EPSILON in base:
        return new
    here = ".".join([path, *steps])
    plain = conf.strip_provenance(new)
    delta = _delta(plain, [plain, conf.strip_provenance(base), *map(conf.strip_provenance, near)], where, here)
    name = steps[1] if steps[:1] == ("artefacts",) and len(steps) > 1 else "all"
    budgets = _budgets(plain, conf.strip_provenance(base), delta, spent.get(name, spent.get("all")), where, here)
    if DELTA in plain and DP_DELTA in base:
        budgets |= {DP_DELTA: {"value": delta, "chosen": f"the delta of epsilon {choices.text_of(plain[EPSILON])}"}}
    return {key: value for key, value in new.items() if key not in (EPSILON, DELTA)} | budgets


def _delta(plain: Node, near: Sequence[Node], where: str, path: str) -> float:
    """The delta beside an epsilon, or else the nearest one in the settings around it."""
    candidates = (plain.get(DELTA), *(node.get(DP_DELTA) for node in near))
    delta = next((value for value in candidates if value is not None), None)
    if delta is None:
        raise ConfigError(f"{where}: {path}.{EPSILON} needs a {DELTA} beside it, such as {DELTA}: 1.0e-6")
    if not (_is_number(delta) and 0 < delta <= LARGEST_DELTA):
        raise ConfigError(
            f"{where}: {path}.{DELTA} = {conf.short(delta)} is not allowed; give one number, such as 1.0e-6"
        )
    if DELTA in plain and plain.get(DP_DELTA, delta) != delta:
        raise ConfigError(f"{where}: {path} has {DELTA} and another {DP_DELTA}; give one of them")
    return float(delta)


def _budgets(plain: Node, base: Node, delta: float, times: int | None, where: str, path: str) -> Node:
    """The zCDP budgets that Gaussian noise of an epsilon spends exactly, annotated with their reason.

    Args:
        plain, base: the mapping with the epsilon, and the mapping that it overlays, both without provenance.
        delta: the delta of the epsilon.
        times: number of times that a run spends the rho; None where the paper's rho is no zCDP budget.
        where, path: as in `applied`.
    """
    # Imported here, because it needs numpy, and hardly any overlay needs it.
    from dpdescent.privacy.accounting import tight_rho

    stands_for = [RHO] if RHO in base and times is not None else [name for name in STAGES if name in base]
    if stands_for != [RHO] and not (len(stands_for) == 2 and all(_is_number(base[name]) for name in STAGES)):
        what = f"{RHO}, which is no key there; give it beside a {RHO}"
        if stands_for:
            what = (
                f"one {STAGES[0]} and one {STAGES[1]} together, which are not both there; give budgets by these names"
            )
        elif RHO in base:
            what = f"a zCDP budget, which the {RHO} there is not; give {RHO}"
        raise ConfigError(f"{where}: {path}.{EPSILON} stands for {what}")
    if both := [name for name in stands_for if name in plain]:
        raise ConfigError(f"{where}: {path} has {EPSILON} and {both[0]}, which are one budget; give one of them")
    most = math.inf if stands_for == [RHO] else 1
    for item in (epsilons := as_list(plain[EPSILON])):
        if not (_is_number(item) and EPSILONS[0] <= item <= EPSILONS[1] and len(epsilons) <= most):
            raise ConfigError(
                f"{where}: {path}.{EPSILON} = {conf.short(item if most > 1 else plain[EPSILON])} is not allowed; give "
                f"{'numbers' if most > 1 else 'one number'} from {EPSILONS[0]:g} to {EPSILONS[1]:g}"
            )
    whole = [tight_rho(float(item), delta) for item in epsilons]
    reason = (
        f"epsilon {choices.text_of(plain[EPSILON])} at delta {delta:g}, converted exactly for Gaussian noise and not as"
        " the paper does"
    )
    if stands_for != [RHO]:
        reason += f"; divided between both stages as {base[STAGES[0]]:g} to {base[STAGES[1]]:g}, as it was"
        parts = {name: base[name] / (base[STAGES[0]] + base[STAGES[1]]) for name in STAGES}
        return {name: {"value": _rounded_down(part * whole[0]), "chosen": reason} for name, part in parts.items()}
    reason += f"; of the whole run, which spends this {times} times" * (times != 1)
    budgets = [_rounded_down(item / (times or 1)) for item in whole]
    return {RHO: {"value": budgets if isinstance(plain[EPSILON], list) else budgets[0], "chosen": reason}}


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _rounded_down(rho: float) -> float:
    """A budget in six digits, so that it is the same on all machines; downwards, so that it keeps the epsilon."""
    digit = 10.0 ** (math.floor(math.log10(rho)) - 5)
    return float(f"{math.floor(rho / digit) * digit:.6g}")


def _unknown(changes: Mapping[str, Any], base: Node, *above: str) -> Iterator[tuple[tuple[str, ...], Node]]:
    """Yields the keys that overlay nothing: the steps that lead to a key, and the mapping that lacks it."""
    for key, value in changes.items():
        if key not in base:
            yield (*above, str(key)), base
        elif isinstance(base[key], dict) and "value" not in base[key] and isinstance(value, Mapping):
            yield from _unknown(value, base[key], *above, key)


def _hint(steps: Sequence[str], node: Node, base: Node, path: str) -> str:
    """A hint for a key that overlays nothing: the place where that key is, or the names that there are."""
    key, name = steps[-1], steps[1] if steps[0] == "artefacts" and len(steps) > 2 else None
    if places := _places(key, base, name):
        return f"; it is {path}.{places[0]}"
    if name and steps[2] == "settings":
        uses = base["artefacts"][name].get("uses", [])
        if key in base["settings"]:
            return f"; {name} does not use it, only {', '.join(uses) or 'none'}"
        return conf.did_you_mean(key, [*dict.fromkeys([*node, *uses])])
    return conf.did_you_mean(key, node)


def _places(key: str, base: Node, name: str | None) -> list[str]:
    """Places of a key in an artefact or, where no artefact is named, among the shared settings."""
    if name is None:
        return [f"settings.{key}"] if key in base["settings"] else []
    node = base["artefacts"][name]
    sections = {section: node.get(section, {}) for section in ("arms", "settings")}
    sections |= {f"cells.{panel}": cell for panel, cell in node["cells"].items()}
    paths = [f"{section}.{key}" for section, values in sections.items() if key in values]
    paths += [f"settings.{key}"] if key in node.get("uses", []) else []
    return [f"artefacts.{name}.{place}" for place in [*paths, *([key] if key in node else [])]]


def _mapping(node: Any) -> Node:
    """The node if it is a mapping, else an empty one: an overlay may hold anything before it is checked."""
    return node if isinstance(node, dict) else {}


def marked(old: Node, new: Node, source: str, file: str) -> Node:
    """Content of a paper's file in which every value that a scale changed has its source and the value it replaced.

    Values that are equal keep their source. Plain values get an annotation where they are changed.

    Args:
        old, new: content of the paper's file with provenance, before and after the changes of the scale.
        source: the source of changed values, one of `values.OVERLAID`.
        file: the overlay's name.
    """
    return new | {key: _marked(old[key], new[key], source, file, key in PLAIN) for key in VALUES if key in new}


def _marked(old: Any, new: Any, source: str, file: str, plain: bool) -> Any:
    annotated = [isinstance(node, dict) and "value" in node for node in (old, new)]
    if not any(annotated) and isinstance(old, dict) and isinstance(new, dict):
        return {
            key: _marked(old.get(key), value, source, file, plain or key in PLAIN) if key not in WORDS else value
            for key, value in new.items()
        }
    was, value = conf.strip_provenance(old), conf.strip_provenance(new)
    if was == value or not (plain or any(annotated)):
        return old if was == value else new
    before = old if annotated[0] else {}
    reasons = [new[kind] for kind in conf.PROVENANCE if annotated[1] and kind in new and new[kind] != before.get(kind)]
    return {"value": value, source: f"{file}: {'; '.join([*reasons, f'in place of {_replaced(old, was)}'])}"}


def _replaced(old: Any, was: Any) -> str:
    """Text for the replaced value and its source; without apostrophes, because they are long on a command line."""
    text = choices.text_of(was)
    text = text if len(text) <= 40 else f"{text[:37]}..."
    whose = {"stated": "stated in {}", "code": "from the code of an author", "chosen": "chosen by the project"}
    kind = next((kind for kind in conf.PROVENANCE if isinstance(old, dict) and kind in old), None)
    return f"{text}, {whose[kind].format(old[kind])}" if kind else text


def has_yours(annotated: Node) -> bool:
    """Whether a paper's experiments have values of the user's own."""
    nodes = (annotated.get(section, {}) for section in VALUES)
    return any(conf.YOURS in value for node in nodes for _, value in conf.annotated_values(node))
