# The whole account at a glance: configuration, stages, targets. Each stage is one file under workflow/rules.
import os
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.27")


# The checkout, which is neither the working directory (`snakemake -s CHECKOUT/Snakefile -d elsewhere`) nor the folder of
# the Snakefile that is called, where a workflow has this one as a module.
ROOT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True))


configfile: os.path.relpath(ROOT / "config/config.yaml")


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"


pathvars:
    results=RESULTS,
    build=BUILD,


# Only what is declared matches, so that a wrong name is no target rather than an error of an input function.
wildcard_constraints:
    figure="|".join(FIGURES) or "none",
    table="|".join(TABLES) or "none",
    key="|".join(PROJECT.papers),
    pack="|".join(PACKS),
    dataset="|".join(DATASETS) or "none",
    page="|".join([*ARTEFACTS, *PROJECT.papers]),
    requested="|".join(item for item in ARTEFACTS if item not in DEFAULT) or "none",


# Seconds of work each, which no cluster's queue is worth.
LOCAL = (
    "all",
    "audit_figure",
    "begin",
    "bounds",
    "claims",
    "collect",
    "compute",
    "data",
    "figure",
    "findings",
    "letters",
    "manifest",
    "page",
    "report",
    "settings",
    "summary",
    "table",
    "trained",
)
workflow.localrules(*map(NAMING.modify_rulename, LOCAL))


include: "workflow/rules/begin.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/artefacts.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/audit.smk"
include: "workflow/rules/report.smk"


# Every result by name, BEGUN among them, so that one that is gone is made again.
rule all:
    default_target: NAMING.is_main_snakefile()
    input:
        rules.manifest.input,
        rules.manifest.output,
        rules.compute.output,
    message:
        "every result is there"


# All training and no more, for a machine that shares a build with others (`make parts`).
rule trained:
    input:
        BEGUN,
        packs_of(DEFAULT),
    message:
        "every part is trained"


# Names for people: `snakemake liang2025` makes a paper, `snakemake liang2025_fig04` one of its figures, and
# `snakemake liang2025_claims` the verdicts on its claims. BEGUN is asked for first of all, because a file that is only
# needed on the way would not be made where the results that came along look finished.
for key, paper in PROJECT.papers.items():

    rule:
        name:
            key
        input:
            BEGUN,
            [file for artefact in paper.artefacts.values() for file in artefact_files(artefact)],
            page_without_report(f"{RESULTS}/report/{key}.html", key),

    rule:
        name:
            f"{key}_claims"
        input:
            BEGUN,
            f"{BUILD}/claims/{key}.csv",

    for artefact in (paper.artefacts | paper.on_request).values():

        rule:
            name:
                f"{key}_{artefact.id}"
            input:
                BEGUN,
                artefact_files(artefact),
                page_without_report(landing_page.report_page(RESULTS, artefact), artefact.item),
                [] if artefact.item in DEFAULT else f"{BUILD}/judged/{artefact.item}",


CALL.check(known_files())


onstart:
    CALL.start()
    known_code.keep(KNOWN_CODE)


onsuccess:
    CALL.finish()


onerror:
    CALL.how_to_resume(log)
