"""The project's configuration: its papers and artefacts, their scale, and the parts that make them.

The Snakefile calls `load`. The module does not import numpy, because that would slow Snakemake's start.
"""

import hashlib
import itertools
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpdescent.replication.build.fingerprint import binds, module_file, reachable
from dpdescent.replication.configuration import consistency, overlays, schemas
from dpdescent.replication.configuration import values as conf
from dpdescent.replication.configuration.packs import LONGEST_ARGUMENT, Pack, ledger_json, packs_of
from dpdescent.replication.configuration.parts import Outline, Part, parts_of
from dpdescent.replication.configuration.values import ConfigError, Node

# Modules or packages of a paper's folder, in addition to those that make and draw its artefacts.
MODULES = ("audit", "bounds", "claims", "findings")

# Number of runs that suffices for a lower bound of nine tenths of a Gaussian-DP parameter of 0.14.
AUDIT_RUNS = 400_000

# Symbols that are checked in every paper, like its own symbols.
COUNTS: Node = {
    "trials": {"type": "integer", "minimum": 1, "maximum": 10**8, "single": True, "means": "number of trials"},
    "trials_per_part": {"type": "integer", "minimum": 1, "means": "trials of one part"},
    "parts_per_job": {"type": "integer", "minimum": 1, "means": "parts that one process trains"},
}


@dataclass(frozen=True)
class Artefact:
    """A figure or table of a paper.

    Attributes:
        paper, id: keys of the paper and the artefact; its results are at `<paper>/<id>`.
        code: module of the paper's folder on its subject, which makes it.
        title, place: title for captions, and place in the paper.
        caption: description of the plot, in words.
        keys: grid columns of its table, in the order of sorting.
        measures: further measured columns, averaged over trials.
        cells, arms: panels and inner axes of its headline.
        parts: its parts, which are trained separately.
        packs: its parts by job.
        reads: artefacts of the same paper whose tables its jobs read.
        same_runs: artefact of the same paper that makes the same runs and measures them for this one too, if any.
        on_request: whether it is made on request only, in a folder apart from a build's.
        display: values that only its figure reads.
        agrees_within: how far numbers may be from those of another class of processors, relative to themselves; 0 where
            only last digits differ.
    """

    paper: str
    id: str
    code: str
    title: str
    place: str
    caption: str
    keys: list[str]
    measures: list[str]
    cells: Node = field(repr=False)
    arms: Node = field(repr=False)
    parts: list[Part] = field(repr=False)
    reads: list[str]
    on_request: bool
    display: Node = field(repr=False)
    packs: list[Pack] = field(default_factory=list, repr=False)
    agrees_within: float = 0.0
    same_runs: str | None = None

    @property
    def run(self) -> str:
        """`module:function` that makes the rows of a part."""
        return f"{self._module}:run_{self.id}"

    @property
    def releases(self) -> str:
        """`module:function` that lists the ledger entries of a cell; a formula's artefact may have none."""
        return f"{self._module}:releases_{self.id}"

    @property
    def draw(self) -> str:
        """`module:function` that draws its table; a module of its own, because training imports no code that draws."""
        return f"{self._module}_figures:draw_{self.id}"

    @property
    def _module(self) -> str:
        return f"dpdescent.papers.{self.paper}.{self.code}"

    @property
    def item(self) -> str:
        """Path of the artefact in the results, without a suffix."""
        return f"on_request/{self.paper}/{self.id}" if self.on_request else f"{self.paper}/{self.id}"

    @property
    def settings(self) -> Node:
        """Settings of the artefact's headline."""
        return dict(self.parts[0].spec["settings"])

    @property
    def is_table(self) -> bool:
        return self.id.startswith("table")


@dataclass(frozen=True)
class Paper:
    """A paper: its artefacts, its data sets and its values with provenance stripped.

    `artefacts` are made by every build, `on_request` only on request, because they need data outside the package. In
    `annotated`, the file with provenance, values of a scale are marked as such.
    """

    key: str
    about: Node
    symbols: Node
    settings: Node
    datasets: dict[str, Node]
    published: Node
    artefacts: dict[str, Artefact]
    on_request: dict[str, Artefact]
    annotated: Node = field(repr=False)

    @property
    def yours(self) -> bool:
        """Whether experiments have values of the user's own, so that no claim is judged at the paper's values."""
        return overlays.has_yours(self.annotated)


@dataclass(frozen=True)
class Project:
    """The resolved configuration of one build.

    Attributes:
        scale, seed: configured scale and seed.
        papers: papers by key.
        audit_runs: number of an audit's runs on each data set of its pair.
        given: seed and number of audit runs, annotated with their source, where they differ from config/config.yaml.
    """

    scale: str
    seed: int
    papers: dict[str, Paper]
    audit_runs: int = AUDIT_RUNS
    given: Node = field(default_factory=dict)

    def artefacts(self) -> list[Artefact]:
        """Artefacts of all papers that every build makes."""
        return [artefact for paper in self.papers.values() for artefact in paper.artefacts.values()]

    def on_request(self) -> list[Artefact]:
        """Artefacts of all papers that are made on request only."""
        return [artefact for paper in self.papers.values() for artefact in paper.on_request.values()]


def load(config: Node, root: Path) -> Project:
    """Resolves the configuration of one build.

    Args:
        config: the top-level values (config/config.yaml as Snakemake merged it with the command line).
        root: the project's directory.

    Raises:
        ConfigError: with one line that names the key, the value and the remedy.
    """
    schemas.validate(config, root / "workflow/schemas/config.schema.yaml", "config/config.yaml")
    changes = _scale_overlay(config["scale"], root)
    available = sorted(path.stem for path in (root / "config/papers").glob("*.yaml"))
    chosen = available if config["papers"] == "all" else list(config["papers"])
    for key in [*chosen, *changes.get("papers", {})]:
        if key not in available:
            raise ConfigError(f"papers: {conf.short(key)} is not a paper{conf.did_you_mean(key, available)}")
    seed: int = changes["seed"] if "seed" in changes else config["seed"]
    _check_code(chosen, root.resolve())
    papers = {key: _load_paper(key, changes, config["scale"], seed, root) for key in chosen}
    runs = int(changes.get("audit_runs") or config.get("audit_runs") or AUDIT_RUNS)
    overridden = _overridden({"seed": seed, "audit_runs": runs}, changes, config["scale"], root)
    return Project(config["scale"], seed, papers, runs, overridden)


def _overridden(current: Node, changes: Node, scale: str, root: Path) -> Node:
    """Values of the whole build that differ from config/config.yaml, annotated with their source."""
    file = root / "config/config.yaml"
    default = {"audit_runs": AUDIT_RUNS} | (conf.read_yaml(file) if file.is_file() else current)
    changed = {}
    for name, value in current.items():
        replaced = f"in place of {default[name]} in config/config.yaml"
        if value != default[name]:
            source = conf.source_of(scale) if name in changes else conf.YOURS
            place = f"config/scales/{scale}.yaml" if name in changes else "--config"
            changed[name] = {"value": value, source: f"{place}: {replaced}"}
    return changed


def _scale_overlay(scale: str, root: Path) -> Node:
    """Reads the overlay of a scale; it is empty for `paper`. Each scale has its own results folder."""
    if scale == "paper":
        return {}
    scales = sorted(path.stem for path in (root / "config/scales").glob("*.yaml"))
    if scale not in scales:
        raise ConfigError(f"scale: {conf.short(scale)} is not a scale{conf.did_you_mean(scale, ['paper', *scales])}")
    # Names `.` and `..` are refused, because results of another scale lie there.
    if not re.fullmatch(r"\w[\w.-]*", scale, re.ASCII):
        raise ConfigError(
            f"scale: {scale!r} is to be a folder's name; use letters, digits and . - only, and begin with a letter"
        )
    changes = conf.read_yaml(root / f"config/scales/{scale}.yaml")
    schemas.validate(changes, root / "workflow/schemas/scale.schema.yaml", f"config/scales/{scale}.yaml")
    return changes


def _load_paper(key: str, changes: Node, scale: str, seed: int, root: Path) -> Paper:
    where = f"config/papers/{key}.yaml"
    annotated = original = conf.read_yaml(root / where)
    plain = _checked(annotated, where, root)
    if key in changes.get("papers", {}):
        where = f"config/scales/{scale}.yaml"
        consistency.check_scaled(changes["papers"][key], key, where)
        original, annotated = overlays.applied(annotated, changes["papers"][key], where, f"papers.{key}")
        # Checked again, because an overlay may replace a value by anything.
        plain = _checked(annotated, where, root)
    if (most := changes.get("trials_at_most")) is not None:
        annotated, plain = ({**node, "artefacts": _capped(node["artefacts"], most)} for node in (annotated, plain))
    if annotated is not original:
        annotated = overlays.marked(original, annotated, conf.source_of(scale), where)
    for node in plain["artefacts"].values():
        node["parts_per_job"] = max(node.get("parts_per_job", 1), changes.get("parts_per_job_at_least", 1))
    artefacts = {name: _artefact(key, name, plain, seed, where, root) for name in plain["artefacts"]}
    cells = ledger_json(part for artefact in artefacts.values() if not artefact.on_request for part in artefact.parts)
    if len(cells) > LONGEST_ARGUMENT:
        raise ConfigError(
            f"{where}: the cells of all artefacts are described by {len(cells):,} bytes, more than the command line of"
            " the privacy ledger takes; make `split` grids coarser, or divide them between scales"
        )
    return Paper(
        key, plain["paper"], plain["symbols"], plain["settings"], plain.get("datasets", {}),
        plain.get("published", {}), {name: artefact for name, artefact in artefacts.items() if not artefact.on_request},
        {name: artefact for name, artefact in artefacts.items() if artefact.on_request}, annotated,
    )  # fmt: skip


def _checked(annotated: Node, where: str, root: Path) -> Node:
    """Checks the values of a paper's file and returns them without provenance."""
    schemas.validate(annotated, root / "workflow/schemas/paper.schema.yaml", where)
    _check_annotations(annotated, where)
    consistency.check_annotated(annotated, where)
    plain: Node = conf.strip_provenance(annotated)
    consistency.check_plain(plain, where, root)
    symbols, at_most = plain["symbols"], plain.get("at_most", [])
    for name in itertools.chain.from_iterable(at_most):
        if name not in symbols:
            raise ConfigError(f"{where}: at_most: {name!r} is not a symbol{conf.did_you_mean(name, symbols)}")
    for section in ("settings", "artefacts"):
        conf.check_symbols(plain[section], symbols | COUNTS, at_most, where, section)
        plain[section] = conf.as_floats(plain[section], symbols)
    return plain


def _capped(node: Any, most: int) -> Any:
    """Limits every number of trials, annotated or not, to the largest one of the scale, variants included."""
    if not isinstance(node, dict):
        return node
    return {
        key: _at_most(value, most) if key == "trials" else value if key == "display" else _capped(value, most)
        for key, value in node.items()
    }


def _at_most(trials: Any, most: int) -> Any:
    if isinstance(trials, dict):
        return {**trials, "value": min(trials["value"], most)}
    return min(trials, most)


def _check_annotations(annotated: Node, where: str) -> None:
    for path, value in conf.annotated_values(annotated):
        if sum(kind in value for kind in conf.PROVENANCE) != 1:
            raise ConfigError(f"{where}: {path} must say where it comes from: one of {', '.join(conf.PROVENANCE)}")


def _artefact(paper: str, name: str, plain: Node, seed: int, where: str, root: Path) -> Artefact:
    node, here = plain["artefacts"][name], f"{where}: artefacts.{name}"
    settings = _used_settings(node, plain["settings"], here)
    _check_axes(node, here)
    _check_reads(name, plain["artefacts"], here)
    _check_same_runs(name, plain["artefacts"], here)
    outline = Outline(
        paper, name, seed, node, settings, plain.get("at_most", []), list(plain.get("datasets", {})), here
    )
    parts = parts_of(outline)
    packs = packs_of(parts, node["parts_per_job"])
    for pack in packs:
        if (length := len(pack.json())) > LONGEST_ARGUMENT:
            raise ConfigError(
                f"{here}.parts_per_job = {node['parts_per_job']}: a job of {len(pack.parts)} parts is described by"
                f" {length:,} bytes, more than a command line takes; give fewer parts a job, or split a long grid"
            )
    artefact = Artefact(
        paper, name, node["code"], node["title"], node["place"], node["caption"], node["keys"],
        node.get("measures", []), node["cells"], node.get("arms", {}), parts, node.get("reads", []),
        "on_request" in node, node.get("display", {}), packs, float(node.get("agrees_within", 0.0)),
        node.get("same_runs"),
    )  # fmt: skip
    consistency.check_columns(node, _module(artefact, root, here), root / "src", here)
    return artefact


def _module(artefact: Artefact, root: Path, here: str) -> Path:
    """The file of the code that makes an artefact, after a check that its functions and those of its drawing exist."""
    wanted = [("experiment", artefact.run), *([] if artefact.is_table else [("drawing", artefact.draw)])]
    for what, name in wanted:
        module, _, function = name.partition(":")
        file = module_file(root / "src", module)
        if not file.is_file():
            raise ConfigError(f"{here} has no {what}: write {file.relative_to(root)}, or remove it")
        if not binds(file, function):
            raise ConfigError(
                f"{here} has no {what}: {file.relative_to(root)} has no {function}; write it there, or give the module "
                "that has it as `code`"
            )
    return module_file(root / "src", artefact.run.partition(":")[0])


def _check_axes(node: Node, here: str) -> None:
    """Checks the names in `split` and `variants`, because a misspelt one would have no effect."""
    axes = list(dict.fromkeys(axis for cell in node["cells"].values() for axis in cell))
    for axis in node["split"]:
        if axis not in axes:
            raise ConfigError(f"{here}.split: {axis!r} is not an axis of its cells{conf.did_you_mean(axis, axes)}")
    if "main" in node.get("variants", {}):
        raise ConfigError(f"{here}.variants: 'main' is the artefact itself; give the variant another name")
    for variant, changes in node.get("variants", {}).items():
        for panel in changes.get("panels", []):
            if panel not in node["cells"]:
                hint = conf.did_you_mean(panel, node["cells"])
                raise ConfigError(f"{here}.variants.{variant}.panels: {panel!r} is not a panel{hint}")


def _check_reads(name: str, nodes: Node, here: str) -> None:
    """Checks the tables that an artefact reads: the same call makes them first, and none of them reads another."""
    for other in nodes[name].get("reads", []):
        if other not in nodes:
            raise ConfigError(f"{here}.reads: {other!r} is not an artefact{conf.did_you_mean(other, nodes)}")
        if other == name or nodes[other].get("reads"):
            raise ConfigError(f"{here}.reads: {other!r} reads a table itself; name artefacts that read none")
        if "on_request" in nodes[other] and "on_request" not in nodes[name]:
            raise ConfigError(f"{here}.reads: {other!r} is made on request only; name artefacts that every build makes")


def _check_same_runs(name: str, nodes: Node, here: str) -> None:
    """Checks the artefact whose runs are shared: every build makes it, and it has runs of its own."""
    if (other := nodes[name].get("same_runs")) is None:
        return
    if other not in nodes:
        raise ConfigError(f"{here}.same_runs: {other!r} is not an artefact{conf.did_you_mean(other, nodes)}")
    if other == name or "same_runs" in nodes[other] or "on_request" in nodes[other]:
        raise ConfigError(f"{here}.same_runs: {other!r} has no runs of its own in every build; name one that has")


def _check_code(papers: list[str], root: Path) -> None:
    """Checks that every module of a job exists and parses, because Snakemake would only show a long traceback."""
    folders = [root / "src/dpdescent/papers" / paper for paper in papers]
    modules = [module_file(folder, name) for folder in folders for name in MODULES]
    for module in modules:
        if not module.is_file():
            raise ConfigError(f"papers: {module.relative_to(root)} does not exist; write it, or leave the paper out")
    subjects = [file for folder in folders for file in folder.glob("*.py")]
    scripts = (root / "workflow/scripts").glob("*.py")
    try:
        reachable(root / "src", [*scripts, *subjects, *modules])
    except SyntaxError as error:
        file = Path(str(error.filename)).relative_to(root)
        raise ConfigError(f"code: {file} line {error.lineno}: {error.msg}; mend it before anything can run") from None


def _used_settings(node: Node, settings: Node, here: str) -> Node:
    """Selects the settings that an artefact uses, because an edit of other settings must not rerun its jobs."""
    for key in node.get("uses", []):
        if key not in settings:
            raise ConfigError(f"{here}.uses: {key!r} is not a setting{conf.did_you_mean(key, settings)}")
    used = {key: settings[key] for key in node.get("uses", [])}
    return conf.overlay(used, node.get("settings", {}), here, "settings")


def scale_label(scale: str, root: Path) -> str:
    """Label on figures of an overlay, which marks that they are not at the paper's scale."""
    return str(_scale_overlay(scale, root).get("label", f"scale: {scale}"))


def figure_label(project: Project, root: Path) -> str:
    """Label on the figures and pages of a scale, which also tells of values of the user's own; empty at paper scale."""
    if project.scale == "paper":
        return ""
    yours = ["values of yours"] if any(paper.yours for paper in project.papers.values()) else []
    return "; ".join([scale_label(project.scale, root), *yours])


def config_hash(project: Project) -> str:
    """Hash of all resolved values; provenance and file layout do not change it."""
    values = [part.json() for artefact in project.artefacts() for part in artefact.parts]
    for key, paper in project.papers.items():
        values += [json.dumps(data_spec(project, key, dataset), sort_keys=True) for dataset in paper.datasets]
    return hashlib.sha256("\n".join(values).encode()).hexdigest()[:16]


def judging_json(project: Project, paper: str) -> str:
    """Input of bounds, claims and findings as JSON: settings, published values, and each artefact's cells and arms."""
    about = project.papers[paper]
    artefacts = {
        name: {"cells": artefact.cells, "arms": artefact.arms, "settings": artefact.settings}
        for name, artefact in about.artefacts.items()
    }
    spec = {"paper": paper, "seed": project.seed, "settings": about.settings, "published": about.published}
    # The key is left out otherwise, because a build of the papers' own values must not be judged anew for it.
    spec |= {"yours": True} if about.yours else {}
    return json.dumps({**spec, "artefacts": artefacts}, sort_keys=True)


def figure_json(project: Project, artefact: Artefact, label: str) -> str:
    """Input of a figure as JSON: the columns of its table, its title, and the values that its drawing reads.

    All names are sorted, because curves are drawn in the order of names.

    Args:
        project, artefact: the configured project, and the artefact.
        label: label of a scale that is not the papers' own.
    """
    values = {"cells": artefact.cells, "arms": artefact.arms, "published": project.papers[artefact.paper].published}
    about = {"paper": artefact.paper, "artefact": artefact.id, "title": artefact.title, "place": artefact.place}
    spec = _summary_spec(artefact) | about | {"display": values | artefact.display, "label": label}
    return json.dumps(spec, sort_keys=True)


def table_json(artefact: Artefact) -> str:
    """Input of a written table as JSON: its columns, its title, and the columns to show."""
    shown = {"title": artefact.title, "columns": artefact.display.get("columns", [])}
    return json.dumps(_summary_spec(artefact) | shown, sort_keys=True)


def _summary_spec(artefact: Artefact) -> Node:
    return {"item": artefact.item, "keys": artefact.keys, "measures": artefact.measures}


def data_spec(project: Project, paper: str, dataset: str) -> Node:
    """Specification of one data set for the data stage."""
    columns = {key: value for key, value in project.papers[paper].datasets[dataset].items() if key != "about"}
    return {**columns, "seed": project.seed, "paper": paper, "name": dataset}
