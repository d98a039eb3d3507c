# What every stage shares: the resolved configuration, names of files, fingerprints of code, the reference copy.
import atexit
import json
import re
from functools import cache

from snakemake import cli

from dpdescent.replication.ledger import own_data
from dpdescent.replication.build import preflight, store
from dpdescent.replication.configuration import packs
from dpdescent.replication.configuration import project as project_of
from dpdescent.replication.configuration.values import ConfigError
from dpdescent.replication.build.fingerprint import code_fingerprint
from dpdescent.replication.build.fingerprint import files_fingerprint
from dpdescent.replication.build.fingerprint import module_file
from dpdescent.replication.build.fingerprint import versions

ROOT = Path(workflow.basedir)
SOURCE = ROOT / "src"
SCRIPTS = ROOT / "workflow/scripts"
CAPTION = str(ROOT / "workflow/report/artefact.rst")

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
PACKS = {(item, pack.name): pack for item, artefact in ARTEFACTS.items() for pack in artefact.packs}

# What lies in results before the first build of this checkout is a reference to compare with, and no reason to skip.
# The stamp is newer than such files and older than what is made here; it lies beside Snakemake's records on purpose:
# who deletes those loses it too, and all is rebuilt.
STAMP = f".snakemake/dpdescent/{SCALE}.stamp"
REFERENCE = f".snakemake/dpdescent/{SCALE}.reference"
if not os.path.isdir(REFERENCE):
    os.makedirs(os.path.dirname(STAMP), exist_ok=True)
    with open(STAMP, "w") as stamp:
        stamp.write("Results that are older than this file were not made in this checkout.\n")


# What `snakemake --report` prints below a figure. It lies in config, which its templates see, and in no parameter of a
# rule: another caption is no reason to draw again.
config["about"] = {
    "label": "paper scale" if SCALE == "paper" else project_of.scale_label(SCALE, ROOT),
    "captions": {
        item: re.sub(r"([\\*`|_])", r"\\\1", f"{artefact.place}. {artefact.title}. {artefact.caption}")
        for item, artefact in ARTEFACTS.items()
    },
}


def in_report(file, kind):
    """An output that `snakemake --report` shows, under its paper; its rule has the item as its only wildcard."""

    def paper(wildcards):
        return ARTEFACTS[wildcards[0]].paper

    def labels(wildcards):
        return {"place": ARTEFACTS[wildcards[0]].place, "what": ARTEFACTS[wildcards[0]].title, "as": kind}

    return report(file, caption=CAPTION, category=paper, labels=labels)


def check_call():
    """Before any work: a wrong target, or an unlocking under a running build, ends with one line."""
    if not workflow.is_main_process or Path(sys.argv[0]).name not in ("snakemake", "__main__.py"):
        return
    if "--unlock" in sys.argv and (builds := preflight.builds_here()):
        sys.exit(preflight.not_unlocked(builds))
    known = known_targets()
    # Snakemake hands its targets to the workflow after the Snakefile is read. Its parser takes a third of a second,
    # which a call is spared that has no doubtful word.
    words = [word for word in sys.argv[1:] if not word.startswith("-") and not word.isdecimal() and "=" not in word]
    if preflight.no_target(words, known):
        asked = cli.get_argument_parser().parse_known_args(sys.argv[1:])[0].targets
        if line := preflight.no_target(asked, known):
            sys.exit(line)
    atexit.register(explain_lock)


def known_targets():
    names = [rule.name for rule in workflow.rules if not rule.has_wildcards()]
    stages = [rule.name for rule in workflow.rules if rule.has_wildcards()]
    listed = {f"{BUILD}/packs/{item}/{name}.csv" for item, name in PACKS}
    data = {f"{BUILD}/data/{key}/{name}.csv" for key, paper in PROJECT.papers.items() for name in paper.datasets}
    results = [file for artefact in ARTEFACTS.values() for file in artefact_files(artefact)]
    shared = [str(file) for rule in workflow.rules if not rule.has_wildcards() for file in rule.output]

    def makes(file):
        # Wildcards of these two match names that no configuration knows.
        if file.startswith((f"{BUILD}/packs/", f"{BUILD}/data/")):
            return file in listed | data
        return any(rule.is_producer(file) for rule in workflow.rules)

    files = [*results, *shared, *data, *listed]
    return preflight.Targets(names, stages, files, makes, list(PROJECT.papers), SCALE)


def explain_lock():
    """The last line of a call that met another's lock: Snakemake's own lock is gone by then."""
    if os.path.isdir(".snakemake/locks") and workflow._persistence is not None and workflow.persistence.locked:
        print(preflight.locked(preflight.builds_here()), file=sys.stderr)


def check_room():
    """Before the first job, not after hours: the jobs to run, and the copy of the results that came along."""
    copied = 0 if os.path.isdir(REFERENCE) else preflight.size(RESULTS)
    if line := preflight.no_room(len(workflow.dag), copied, [RESULTS, BUILD, ".snakemake"]):
        sys.exit(line)


def start_at_once():
    # Snakemake 9.27 limits how many jobs start in a second. On one machine the cores do that already, and each job that
    # ends adds a timer that wakes the scheduler once more a second while others wait: hundreds of jobs in, most of a core.
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


def forget_training():
    """Makes trained parts count for nothing where no build has begun in this checkout, or training is forced."""
    asked = workflow.dag_settings
    if asked.forceall or "train" in asked.forcerun or not os.path.isdir(REFERENCE):
        store.forget(Path(BUILD) / "parts")


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
    """What was asked for and where it lies; after a full build, how it compares with what came with the checkout."""
    rules = {rule.name: rule for rule in workflow.rules}
    for target in sorted(workflow.dag_settings.targets):
        files = [str(file) for file in rules[target].input] if target in rules else [target]
        print(f"{target}: {', '.join(files) if len(files) < 4 else os.path.commonpath(files)}", flush=True)
    if os.path.exists(f"{RESULTS}/MANIFEST.sha256"):
        shell("{sys.executable:q} workflow/scripts/compare.py --made {RESULTS} --reference {REFERENCE} --build {BUILD}")


def how_to_resume(logs):
    """The last line of a build that did not end well; Snakemake's own stand between it and the failed job's."""
    # Of Ctrl-C, and of a request to terminate, which lets running jobs end.
    asked = ("Terminating processes on user request", "Will exit after finishing currently running jobs (scheduler)")
    by_user = any(words in Path(log).read_text(encoding="utf-8") for log in logs for words in asked)
    why = "Interrupted" if by_user else "Not finished. The log of the failed job is printed above"
    line = f"{why}; logs are in {BUILD}/logs. What is made is kept: run the same command to resume."
    atexit.register(print, line, file=sys.stderr)


def artefact_files(artefact):
    kinds = ("csv", "md", "tex") if artefact.is_table else ("csv", "png", "svg")
    return [f"{RESULTS}/{artefact.item}.{kind}" for kind in kinds]


@cache
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
    return [f"{RESULTS}/{item}.csv" for item in items_of(key)]


def items_of(key):
    """Artefacts of a paper that every build makes."""
    return [artefact.item for artefact in PROJECT.papers[key].artefacts.values()]
