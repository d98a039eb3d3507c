# The whole account at a glance: configuration, stages, targets. Each stage is one file under workflow/rules.
import os
import sys
from pathlib import Path

from snakemake.utils import min_version

min_version("9.27")


configfile: "config/config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/common.smk"


pathvars:
    results=RESULTS,
    build=BUILD,


wildcard_constraints:
    item="|".join(ARTEFACTS),
    key="|".join(PROJECT.papers),
    pack=r"\d+",
    dataset=r"[A-Za-z0-9_]+",


rule all:
    default_target: True
    input:
        f"{RESULTS}/MANIFEST.sha256",
        f"{RESULTS}/compute.csv",


include: "workflow/rules/data.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/tables.smk"
include: "workflow/rules/figures.smk"
include: "workflow/rules/bounds.smk"
include: "workflow/rules/claims.smk"
include: "workflow/rules/audit.smk"
include: "workflow/rules/report.smk"


# Names for people: `snakemake liang2025` makes a paper, `snakemake liang2025_fig04` one of its figures.
for key, paper in PROJECT.papers.items():

    rule:
        name:
            key
        input:
            [file for artefact in paper.artefacts.values() for file in artefact_files(artefact)],

    for artefact in (paper.artefacts | paper.on_request).values():

        rule:
            name:
                f"{key}_{artefact.id}"
            input:
                artefact_files(artefact),


check_call()


onstart:
    check_room()
    start_at_once()
    forget_training()
    keep_reference()
    warn_of_own_data()


onsuccess:
    report_build()


onerror:
    how_to_resume(log)
