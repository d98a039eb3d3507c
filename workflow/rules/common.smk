# Names of files and fingerprints of code; the checks and the lines of a call stand in `replication/build/call.py`.
import gc
import json
import os
import runpy
import shlex
from functools import cache

# Run by its file, because an import by name may find the module of another checkout, or none.
runpy.run_path(str(ROOT / "src/dpdescent/replication/own_code.py"))["require"](ROOT)

from dpdescent.replication.build import known_code
from dpdescent.replication.build import landing_page
from dpdescent.replication.build.call import Call
from dpdescent.replication.build.fingerprint import code_fingerprint
from dpdescent.replication.build.fingerprint import files_fingerprint
from dpdescent.replication.build.fingerprint import versions
from dpdescent.replication.configuration import packs
from dpdescent.replication.configuration import project as project_of
from dpdescent.replication.configuration import values
from dpdescent.replication.configuration.values import ConfigError
from dpdescent.replication.report import datapackage
from dpdescent.replication.report.about import captions

# Snakemake's rules for names, with those of the workflow around; kept, because they hold only while this file is read.
NAMING = workflow.modifier
AT_HOME = NAMING.is_main_snakefile() and ROOT.samefile(os.getcwd())
SOURCE = ROOT / "src"
SCRIPTS = ROOT / "workflow/scripts"
CAPTION = str(ROOT / "workflow/report/artefact.rst")
# The command with which a rule runs a script. Snakemake records commands before it fills in the braces, and compares
# them: at home nothing in a command depends on the place of the checkout, so that a moved checkout runs nothing again.
RUN = "{sys.executable:q} " + (
    "workflow/scripts" if AT_HOME else shlex.quote(str(SCRIPTS)).replace("{", "{{").replace("}", "}}")
)
KNOWN_CODE = Path(".snakemake/dpdescent/known_code.json")


def placed(path):
    """The path of a file: a workflow that has this one as a module may put a prefix before the names of all files."""
    return str(NAMING.modify_path(path))


def own(files):
    """Files of the checkout as inputs; elsewhere by their whole paths, before which nobody puts a prefix."""
    return files if AT_HOME else [str(ROOT / file) for file in files]


def configured():
    """The top-level values; in a module the given values over the defaults, without others of the workflow around."""
    if NAMING.is_main_snakefile():
        return dict(config)
    default, given = values.read_yaml(ROOT / "config/config.yaml"), config
    if not NAMING.skip_configfile:
        given = {key: value for key, value in config.items() if key in default}
    return default | given


# Collected less often, because a plan has little garbage and would spend a tenth of its time on looking for it.
gc.set_threshold(50_000, 20, 20)
known_code.recall(KNOWN_CODE)
try:
    PROJECT = project_of.load(configured(), ROOT)
    COLUMNS = datapackage.columns(PROJECT, ROOT)
except ConfigError as error:
    sys.exit(f"Config error: {error}")

SCALE = PROJECT.scale
RESULTS = f"results/{SCALE}"
BUILD = f"build/{SCALE}"
FIGURE_LABEL = project_of.figure_label(PROJECT, ROOT)
YOURS = [key for key, paper in PROJECT.papers.items() if paper.yours]
DEFAULT = {artefact.item: artefact for artefact in PROJECT.artefacts()}
ARTEFACTS = DEFAULT | {artefact.item: artefact for artefact in PROJECT.on_request()}
FIGURES = [item for item, artefact in ARTEFACTS.items() if not artefact.is_table]
TABLES = [item for item, artefact in ARTEFACTS.items() if artefact.is_table]
# Packs with the artefact to which they belong, by the name of their file.
PACKS = {f"{item}/{pack.name}": (artefact, pack) for item, artefact in ARTEFACTS.items() for pack in artefact.packs}
# Verdicts at another master seed, which are no part of a build; they are about the papers' own scale alone.
OTHER_SEED = [file for file in ["docs/other_seed.csv"] if SCALE == "paper" and (ROOT / file).is_file()]
DATASETS = {f"{key}/{name}": (key, name) for key, paper in PROJECT.papers.items() for name in paper.datasets}

# Results that lie here before the first build of this checkout are a reference for comparison, and no reason to skip a
# job. The rule `begin` puts them aside and writes this file, which is newer than all files that came along and older than
# all that are made here. It lies beside Snakemake's records on purpose: who deletes those loses it too, and everything
# is rebuilt.
BEGUN = f".snakemake/dpdescent/{SCALE}.begun"
REFERENCE = f".snakemake/dpdescent/{SCALE}.reference"
CALL = Call(workflow, PROJECT, placed(BEGUN), placed(REFERENCE), placed(RESULTS), placed(BUILD))

# The text that `snakemake --report` prints below a figure. It lies in config, which its templates see, and in no parameter of a
# rule: another caption is no reason to draw again. A module's config is that of the workflow around.
if NAMING.is_main_snakefile():
    config["about"] = captions(PROJECT, ROOT)


def in_report(file, kind):
    """An output that `snakemake --report` shows, under its paper; its rule has the item as its only wildcard."""

    def paper(wildcards):
        return ARTEFACTS[wildcards[0]].paper

    def labels(wildcards):
        return {"place": ARTEFACTS[wildcards[0]].place, "what": ARTEFACTS[wildcards[0]].title, "as": kind}

    return report(file, caption=CAPTION, category=paper, labels=labels)


# --- names of files --------------------------------------------------------------------------------------------------


def artefact_files(artefact):
    """Files of an artefact that are committed; a figure's PNG is made beside them."""
    kinds = ("csv", "md", "tex") if artefact.is_table else ("csv", "svg")
    return [f"{RESULTS}/{artefact.item}.{kind}" for kind in kinds]


def page_without_report(report, name):
    """The page of an artefact or a paper by itself, where no whole build has made a report."""
    return [] if Path(placed(report)).is_file() else landing_page.own_page(BUILD, name)


def paper_of(name):
    """The key of a paper, or of an artefact's paper."""
    return ARTEFACTS[name].paper if name in ARTEFACTS else name


def items_shown(name):
    """The items that a page by itself shows: an artefact, or all artefacts of a paper."""
    return [name] if name in ARTEFACTS else items_of(name)


def items_of(key):
    """Artefacts of a paper that every build makes."""
    return [artefact.item for artefact in PROJECT.papers[key].artefacts.values()]


def items_read(items):
    """Artefacts whose tables the given ones read; artefacts on request may read others on request."""

    def named(key, other):
        paper = PROJECT.papers[key]
        return (paper.artefacts | paper.on_request)[other].item

    return sorted({named(ARTEFACTS[item].paper, other) for item in items for other in ARTEFACTS[item].reads})


def tables_of(items):
    return [f"{RESULTS}/{item}.csv" for item in items]


def statements_of(papers):
    """Inventories of what papers state; a paper may have none."""
    files = [f"docs/statements/{key}.csv" for key in papers]
    return [file for file in files if (ROOT / file).is_file()]


def packs_of(items):
    return [f"{BUILD}/packs/{item}/{pack.name}.csv" for item in items for pack in ARTEFACTS[item].packs]


def runs_of(name):
    """Packs of the artefact that makes the runs of a pack, if another one does."""
    artefact, pack = PACKS[name]
    if artefact.same_runs is None:
        return []
    other = PROJECT.papers[artefact.paper].artefacts[artefact.same_runs]
    return [f"{BUILD}/packs/{other.item}/{shared.name}.csv" for shared in packs.same_runs(pack, other.packs)]


def folder_of_runs(name):
    artefact, _ = PACKS[name]
    return placed(f"{BUILD}/parts/{artefact.paper}/{artefact.same_runs}")


def parts_of(items):
    return [part for item in items for part in ARTEFACTS[item].parts]


def data_of(parts, key):
    datasets = {part.dataset for part in parts if part.dataset}
    return [f"{BUILD}/data/{key}/{dataset}.csv" for dataset in sorted(datasets)]


def known_files():
    """The names of files that can be requested."""
    shared = [str(file) for rule in workflow.rules if not rule.has_wildcards() for file in rule.output]
    drawn = [file for artefact in ARTEFACTS.values() for file in artefact_files(artefact)]
    judged = [f"{RESULTS}/{key}/{name}.csv" for key in PROJECT.papers for name in ("bounds", "settings")]
    judged += [f"{BUILD}/{name}/{key}.csv" for key in PROJECT.papers for name in ("claims", "findings", "privacy")]
    return [*drawn, *judged, *shared, *packs_of(ARTEFACTS), *(f"{BUILD}/data/{name}.csv" for name in DATASETS)]


# --- fingerprints ----------------------------------------------------------------------------------------------------


@cache
def code(stage, *names):
    """Fingerprint of a stage's script and of what it imports by name: `module:function`, or all of a module."""
    return code_fingerprint(SOURCE, SCRIPTS / f"{stage}.py", names)


def paper_module(key, module):
    return f"dpdescent.papers.{key}.{module}"


def told_to_report(papers):
    """Modules of papers that tell the report which method to take, and what its documents quote."""
    modules = [paper_module(key, name) for key in papers for name in ("choice", "pages")]
    return [module for module in modules if (SOURCE / f"{module.replace('.', '/')}.py").is_file()]


def drawings(items):
    """Functions that draw figures, whose curves the report reads off what they draw."""
    return [ARTEFACTS[item].draw for item in items if not ARTEFACTS[item].is_table]


def judging_modules(artefact):
    """Modules that judge, account for and attack what a paper makes on request; it may have no claims about it."""
    judged = [paper_module(artefact.paper, "on_request")]
    known = SOURCE / "dpdescent" / "papers" / artefact.paper / "on_request.py"
    return [
        *(judged if known.is_file() else []),
        paper_module(artefact.paper, "audit"),
        artefact.releases,
    ]


# --- what jobs get ---------------------------------------------------------------------------------------------------


def own_file(name):
    """A user's own CSV is an input, so that a changed file is read again; bundled files are checked by their hash."""
    key, dataset = DATASETS[name]
    source = PROJECT.papers[key].datasets[dataset]["source"]
    return own([source]) if source.endswith(".csv") else []


def data_spec(name):
    """The specification for the data stage, with the path of a user's own CSV as its job finds it."""
    spec = project_of.data_spec(PROJECT, *DATASETS[name])
    return spec | {"source": file for file in own_file(name)}


def verbatim(text):
    """A parameter as it is: Snakemake would take a word in braces in a plain string, such as a title's, as a wildcard."""

    def value(wildcards):
        return text

    return value


def option(name, files):
    return f"--{name} {files}" if files else ""
