"""The project as a whole: which papers and artefacts there are, at which scale, and the parts that make them.

`load` is what the Snakefile calls; nothing here imports numpy, because Snakemake's start would pay for it.
"""

import hashlib
import itertools
import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import jsonschema

from dpdescent.replication.build.fingerprint import module_file, reachable
from dpdescent.replication.configuration import values as conf
from dpdescent.replication.configuration.packs import Pack, packs_of
from dpdescent.replication.configuration.parts import Outline, Part, parts_of
from dpdescent.replication.configuration.values import ConfigError, Node

# What a paper's folder holds beside its experiments, each a module or a package.
MODULES = ("audit", "bounds", "claims", "figures", "findings")

# Enough to find nine tenths of a Gaussian-DP parameter of 0.14.
AUDIT_RUNS = 400_000

# Checked like a paper's own symbols, in every paper.
COUNTS: Node = {
    "trials": {"type": "integer", "minimum": 1, "means": "number of trials"},
    "trials_per_part": {"type": "integer", "minimum": 1, "means": "trials of one part"},
    "parts_per_job": {"type": "integer", "minimum": 1, "means": "parts that one process trains"},
}


@dataclass(frozen=True)
class Artefact:
    """A figure or table of a paper.

    Attributes:
        paper, id: its address, `<paper>/<id>` in results.
        title, place: for captions: what it is, and where the paper has it.
        caption: what is plotted, in words.
        keys: grid columns of its table, in the order of sorting.
        measures: further measured columns, averaged over trials.
        cells, arms: its panels and inner axes, as the headline has them.
        parts: what is trained for it.
        reads: artefacts of the same paper whose tables its jobs read.
        on_request: whether it is made only when it is asked for, and kept apart from what a build makes.
        display: what only its figure reads.
        packs: its parts by job.
    """

    paper: str
    id: str
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

    @property
    def item(self) -> str:
        """Its place in results, without the kind of file."""
        return f"on_request/{self.paper}/{self.id}" if self.on_request else f"{self.paper}/{self.id}"

    @property
    def settings(self) -> Node:
        """The settings that it uses, as the headline has them."""
        return dict(self.parts[0].spec["settings"])

    @property
    def is_table(self) -> bool:
        return self.id.startswith("table")


@dataclass(frozen=True)
class Paper:
    """A paper: its artefacts, its data sets and its values with provenance stripped.

    `artefacts` are those that every build makes, `on_request` those that need more than the package brings.
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


@dataclass(frozen=True)
class Project:
    """All that one build makes.

    Attributes:
        scale, seed: as configured.
        papers: by key.
        audit_runs: runs of an audit on each side of its pair.
    """

    scale: str
    seed: int
    papers: dict[str, Paper]
    audit_runs: int = AUDIT_RUNS

    def artefacts(self) -> list[Artefact]:
        """Those that every build makes."""
        return [artefact for paper in self.papers.values() for artefact in paper.artefacts.values()]

    def on_request(self) -> list[Artefact]:
        """Those that are made only when they are asked for."""
        return [artefact for paper in self.papers.values() for artefact in paper.on_request.values()]


def load(config: Node, root: Path) -> Project:
    """Resolves the configuration of one build.

    Args:
        config: the top-level values (config/config.yaml as Snakemake merged it with the command line).
        root: the project's directory.

    Raises:
        ConfigError: with one line that names the key, the value and the mend.
    """
    _validate(config, root / "workflow/schemas/config.schema.yaml", "config/config.yaml")
    changes = _scale_overlay(config["scale"], root)
    available = sorted(path.stem for path in (root / "config/papers").glob("*.yaml"))
    chosen = available if config["papers"] == "all" else list(config["papers"])
    for key in [*chosen, *changes.get("papers", {})]:
        if key not in available:
            raise ConfigError(f"papers: {key!r} is not a paper{conf.did_you_mean(key, available)}")
    seed: int = changes["seed"] if "seed" in changes else config["seed"]
    papers = {key: _load_paper(key, changes, config["scale"], seed, root) for key in chosen}
    _check_code(list(papers), root.resolve())
    runs = int(changes.get("audit_runs") or config.get("audit_runs") or AUDIT_RUNS)
    return Project(config["scale"], seed, papers, runs)


def _scale_overlay(scale: str, root: Path) -> Node:
    """`paper` is the configuration as it stands; any other scale is an overlay with a results folder of its own."""
    if scale == "paper":
        return {}
    scales = sorted(path.stem for path in (root / "config/scales").glob("*.yaml"))
    if scale not in scales:
        raise ConfigError(f"scale: {scale!r} is not a scale{conf.did_you_mean(scale, ['paper', *scales])}")
    if not re.fullmatch(r"[\w.-]+", scale, re.ASCII):
        raise ConfigError(f"scale: {scale!r} is to be a folder's name; use letters, digits and . - only")
    changes = conf.read_yaml(root / f"config/scales/{scale}.yaml")
    _validate(changes, root / "workflow/schemas/scale.schema.yaml", f"config/scales/{scale}.yaml")
    return changes


def _load_paper(key: str, changes: Node, scale: str, seed: int, root: Path) -> Paper:
    where = f"config/papers/{key}.yaml"
    annotated = conf.read_yaml(root / where)
    plain = _checked(annotated, where, root)
    if key in changes.get("papers", {}):
        where = f"config/scales/{scale}.yaml"
        annotated = conf.overlay(annotated, changes["papers"][key], where, f"papers.{key}")
        # Checked again: an overlay can put anything in the place of a value.
        plain = _checked(annotated, where, root)
    _cap_trials(plain["artefacts"], changes.get("trials_at_most"))
    for node in plain["artefacts"].values():
        node["parts_per_job"] = max(node.get("parts_per_job", 1), changes.get("parts_per_job_at_least", 1))
    artefacts = {name: _artefact(key, name, plain, seed, where, root) for name in plain["artefacts"]}
    return Paper(
        key, plain["paper"], plain["symbols"], plain["settings"], plain.get("datasets", {}),
        plain.get("published", {}), {name: made for name, made in artefacts.items() if not made.on_request},
        {name: made for name, made in artefacts.items() if made.on_request}, annotated,
    )  # fmt: skip


def _checked(annotated: Node, where: str, root: Path) -> Node:
    """The plain values of a paper's file, if all of them are allowed."""
    _validate(annotated, root / "workflow/schemas/paper.schema.yaml", where)
    _check_annotations(annotated, where)
    plain: Node = conf.strip_provenance(annotated)
    symbols, at_most = plain["symbols"], plain.get("at_most", [])
    for name in itertools.chain.from_iterable(at_most):
        if name not in symbols:
            raise ConfigError(f"{where}: at_most: {name!r} is not a symbol{conf.did_you_mean(name, symbols)}")
    for section in ("settings", "artefacts"):
        conf.check_symbols(plain[section], symbols | COUNTS, at_most, where, section)
        plain[section] = conf.as_floats(plain[section], symbols)
    for name, dataset in plain.get("datasets", {}).items():
        _check_source(dataset["source"], f"{where}: datasets.{name}.source", root)
    return plain


def _check_source(source: str, here: str, root: Path) -> None:
    """A data set is a user's own CSV, or bundled with the package under its name."""
    bundled = sorted(file.stem for file in (root / "src/dpdescent/data/files").glob("*.csv"))
    if source.endswith(".csv") and not (root / source).is_file():
        names = ", ".join(bundled)
        raise ConfigError(f"{here}: there is no file {source!r}; give the path of a CSV, or one of {names}")
    if not source.endswith(".csv") and source not in bundled:
        raise ConfigError(f"{here}: {source!r} is not bundled{conf.did_you_mean(source, bundled)}")


def _cap_trials(node: Node, most: int | None) -> None:
    """A scale may cap every number of trials at once, variants included."""
    for key, value in node.items():
        if key == "trials" and most is not None:
            node[key] = min(value, most)
        elif isinstance(value, dict):
            _cap_trials(value, most)


def _check_annotations(annotated: Node, where: str) -> None:
    for path, value in conf.annotated_values(annotated):
        if sum(kind in value for kind in conf.PROVENANCE) != 1:
            raise ConfigError(f"{where}: {path} must say where it comes from: one of {', '.join(conf.PROVENANCE)}")


def _artefact(paper: str, name: str, plain: Node, seed: int, where: str, root: Path) -> Artefact:
    node, here = plain["artefacts"][name], f"{where}: artefacts.{name}"
    module = root / f"src/dpdescent/papers/{paper}/experiments/{name}.py"
    if not module.is_file():
        raise ConfigError(f"{here} has no experiment: write {module.relative_to(root)}, or remove it")
    settings = _used_settings(node, plain["settings"], here)
    _check_axes(node, here)
    _check_reads(name, plain["artefacts"], here)
    outline = Outline(
        paper, name, seed, node, settings, plain.get("at_most", []), list(plain.get("datasets", {})), here
    )
    parts = parts_of(outline)
    return Artefact(
        paper, name, node["title"], node["place"], node["caption"], node["keys"], node.get("measures", []),
        node["cells"], node.get("arms", {}), parts, node.get("reads", []), "on_request" in node,
        node.get("display", {}), packs_of(parts, node["parts_per_job"]),
    )  # fmt: skip


def _check_axes(node: Node, here: str) -> None:
    """The names in `split` and `variants`: a misspelt one would change nothing, and nobody would notice."""
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
    """A table that is read is there before: none that itself reads, so that no two could wait for each other."""
    for other in nodes[name].get("reads", []):
        if other not in nodes:
            raise ConfigError(f"{here}.reads: {other!r} is not an artefact{conf.did_you_mean(other, nodes)}")
        if other == name or nodes[other].get("reads"):
            raise ConfigError(f"{here}.reads: {other!r} reads a table itself; name artefacts that read none")


def _check_code(papers: list[str], root: Path) -> None:
    """Every module that a job could run is there and parses: left to Snakemake, either is a page of traceback."""
    folders = [root / "src/dpdescent/papers" / paper for paper in papers]
    modules = [module_file(folder, name) for folder in folders for name in MODULES]
    for module in modules:
        if not module.is_file():
            raise ConfigError(f"papers: {module.relative_to(root)} does not exist; write it, or leave the paper out")
    experiments = [file for folder in folders for file in folder.glob("experiments/*.py")]
    scripts = (root / "workflow/scripts").glob("*.py")
    try:
        reachable(root / "src", [*scripts, *experiments, *modules])
    except SyntaxError as error:
        file = Path(str(error.filename)).relative_to(root)
        raise ConfigError(f"code: {file} line {error.lineno}: {error.msg}; mend it before anything can run") from None


def _used_settings(node: Node, settings: Node, here: str) -> Node:
    """Only what an artefact says it uses reaches its jobs, so that another setting's edit reruns nothing of it."""
    for key in node.get("uses", []):
        if key not in settings:
            raise ConfigError(f"{here}.uses: {key!r} is not a setting{conf.did_you_mean(key, settings)}")
    used = {key: settings[key] for key in node.get("uses", [])}
    return conf.overlay(used, node.get("settings", {}), here, "settings")


def _validate(content: Node, schema_path: Path, where: str) -> None:
    schema = conf.read_yaml(schema_path)
    error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(content))
    if error is None:
        return
    key = ".".join(str(step) for step in error.absolute_path) or "the file"
    if error.validator == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        stray = sorted(set(error.instance) - set(known), key=str)
        raise ConfigError(f"{where}: {key}: unknown key {stray[0]!r}{conf.did_you_mean(stray[0], known)}")
    mend = _description(error)
    if error.validator == "required":
        raise ConfigError(f"{where}: {key}: {error.message}; {mend}")
    raise ConfigError(f"{where}: {key} = {conf.short(error.instance)} is not allowed; {mend}")


def _description(error: jsonschema.ValidationError) -> str:
    """What the schema says about the key at fault, or else about what it belongs to."""
    while "description" not in error.schema and error.parent is not None:
        error = error.parent
    return str(error.schema.get("description", "see config/README.md"))


def scale_label(scale: str, root: Path) -> str:
    """Words that figures of an overlay carry, so that nobody takes them for the paper's scale."""
    return str(_scale_overlay(scale, root).get("label", f"scale: {scale}"))


def config_hash(project: Project) -> str:
    """Hash of all resolved values; provenance texts and file layout do not enter."""
    values = [part.json() for artefact in project.artefacts() for part in artefact.parts]
    for key, paper in project.papers.items():
        values += [json.dumps(data_spec(project, key, dataset), sort_keys=True) for dataset in paper.datasets]
    return hashlib.sha256("\n".join(values).encode()).hexdigest()[:16]


def judging_json(project: Project, paper: str) -> str:
    """What bounds, claims and findings may know, as JSON: settings, published values; cells, arms, own settings."""
    about = project.papers[paper]
    artefacts = {
        name: {"cells": artefact.cells, "arms": artefact.arms, "settings": artefact.settings}
        for name, artefact in about.artefacts.items()
    }
    spec = {"paper": paper, "seed": project.seed, "settings": about.settings, "published": about.published}
    return json.dumps({**spec, "artefacts": artefacts}, sort_keys=True)


def data_spec(project: Project, paper: str, dataset: str) -> Node:
    """What the data stage gets for one data set."""
    columns = {key: value for key, value in project.papers[paper].datasets[dataset].items() if key != "about"}
    return {**columns, "seed": project.seed, "paper": paper, "name": dataset}
