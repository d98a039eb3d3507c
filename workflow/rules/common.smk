# What every stage shares: the resolved configuration, names of files, fingerprints of code, the reference copy.
import json

from dpdescent.replication import own_data
from dpdescent.replication import project as project_of
from dpdescent.replication.configuration import ConfigError
from dpdescent.replication.fingerprint import code_fingerprint, module_file, versions

ROOT = Path(workflow.basedir)
SOURCE = ROOT / "src"
SCRIPTS = ROOT / "workflow/scripts"

try:
    PROJECT = project_of.load(dict(config), ROOT)
except ConfigError as error:
    sys.exit(f"Config error: {error}")

SCALE = PROJECT.scale
RESULTS = f"results/{SCALE}"
BUILD = f"build/{SCALE}"
DEFAULT = {artefact.item: artefact for artefact in PROJECT.artefacts()}
ARTEFACTS = DEFAULT | {artefact.item: artefact for artefact in PROJECT.on_request()}
FIGURES = [item for item, artefact in ARTEFACTS.items() if not artefact.is_table]
TABLES = [item for item, artefact in ARTEFACTS.items() if artefact.is_table]
PARTS = {(item, part.name): part for item, artefact in ARTEFACTS.items() for part in artefact.parts}

# What lies in results before the first build of this checkout is a reference to compare with, and no reason to skip.
# The stamp is newer than such files and older than what is made here; it lies beside Snakemake's records on purpose:
# who deletes those loses it too, and all is rebuilt.
STAMP = f".snakemake/dpdescent/{SCALE}.stamp"
REFERENCE = f".snakemake/dpdescent/{SCALE}.reference"
if not os.path.isdir(REFERENCE):
    os.makedirs(os.path.dirname(STAMP), exist_ok=True)
    with open(STAMP, "w") as stamp:
        stamp.write("Results that are older than this file were not made in this checkout.\n")


def keep_reference():
    """Copies the results that came with the checkout, once, before the first job."""
    if not os.path.isdir(REFERENCE):
        os.makedirs(RESULTS, exist_ok=True)
        shell("rm -rf {REFERENCE}.new && cp -r {RESULTS} {REFERENCE}.new && mv {REFERENCE}.new {REFERENCE}")


def warn_of_own_data():
    """Says, once a build, what the noise is not made for, where a data set in use is a user's own CSV."""
    datasets = [dataset for paper in PROJECT.papers.values() for dataset in paper.datasets.values()]
    own = sorted({dataset["source"] for dataset in datasets if dataset["source"].endswith(".csv")})
    if own:
        print(own_data.pipeline_notice(own), flush=True)


def report_build():
    """After a full build: how it compares with what came with the checkout, and what to open."""
    if os.path.exists(f"{RESULTS}/MANIFEST.sha256"):
        shell("{sys.executable:q} workflow/scripts/compare.py --made {RESULTS} --reference {REFERENCE} --build {BUILD}")


def artefact_files(artefact):
    kinds = ("csv", "md", "tex") if artefact.is_table else ("csv", "png", "svg")
    return [f"{RESULTS}/{artefact.item}.{kind}" for kind in kinds]


def code(stage, *modules):
    """Fingerprint of a stage's script and of the modules that it imports by name."""
    files = [module_file(SOURCE, module) for module in modules]
    return code_fingerprint(SOURCE, [SCRIPTS / f"{stage}.py", *files])


def paper_module(key, module):
    return f"dpdescent.papers.{key}.{module}"


def experiment_module(item):
    return paper_module(ARTEFACTS[item].paper, f"experiments.{ARTEFACTS[item].id}")


def tables_read(item):
    return [f"{RESULTS}/{ARTEFACTS[item].paper}/{other}.csv" for other in ARTEFACTS[item].reads]


def tables_of(key):
    return [f"{RESULTS}/{artefact.item}.csv" for artefact in PROJECT.papers[key].artefacts.values()]
