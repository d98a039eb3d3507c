# Judgement: claims and findings from tables and bounds, the privacy ledger from the released events.


rule claims:
    input:
        stamp=STAMP,
        tables=lambda wildcards: tables_of(wildcards.key),
        bounds=f"{RESULTS}/{{key}}/bounds.csv",
    output:
        f"{BUILD}/claims/{{key}}.csv",
    log:
        f"{BUILD}/logs/claims/{{key}}.log",
    benchmark:
        f"{BUILD}/benchmarks/claims/{{key}}.tsv"
    params:
        code=lambda wildcards: code("judge", paper_module(wildcards.key, "claims")),
        spec=lambda wildcards: project_of.judging_json(PROJECT, wildcards.key),
    message:
        "{wildcards.key}: judge claims"
    shell:
        "{sys.executable:q} workflow/scripts/judge.py claims --spec {params.spec:q} --folder {RESULTS}/{wildcards.key}"
        " --output {output:q} > {log} 2>&1"


rule findings:
    input:
        stamp=STAMP,
        tables=lambda wildcards: tables_of(wildcards.key),
        bounds=f"{RESULTS}/{{key}}/bounds.csv",
    output:
        f"{BUILD}/findings/{{key}}.csv",
    log:
        f"{BUILD}/logs/findings/{{key}}.log",
    benchmark:
        f"{BUILD}/benchmarks/findings/{{key}}.tsv"
    params:
        code=lambda wildcards: code("judge", paper_module(wildcards.key, "findings")),
        spec=lambda wildcards: project_of.judging_json(PROJECT, wildcards.key),
    message:
        "{wildcards.key}: demonstrate findings"
    shell:
        "{sys.executable:q} workflow/scripts/judge.py findings --spec {params.spec:q} --folder {RESULTS}/{wildcards.key}"
        " --output {output:q} > {log} 2>&1"


rule privacy:
    input:
        stamp=STAMP,
        data=lambda wildcards: part_datasets(wildcards.item),
        tables=lambda wildcards: tables_read(wildcards.item),
    output:
        f"{BUILD}/privacy/{{item}}.csv",
    log:
        f"{BUILD}/logs/privacy/{{item}}.log",
    benchmark:
        f"{BUILD}/benchmarks/privacy/{{item}}.tsv"
    params:
        code=lambda wildcards: code("privacy", experiment_module(wildcards.item)),
        versions=versions("dp-accounting", "numpy", "scipy"),
        spec=lambda wildcards: json.dumps(ledger_spec(wildcards.item), sort_keys=True),
        tables=lambda wildcards, input: f"--tables {input.tables}" if input.tables else "",
    message:
        "{wildcards.item}: account for privacy"
    shell:
        "{sys.executable:q} workflow/scripts/privacy.py --spec {params.spec:q} {params.tables} --output {output:q} > {log} 2>&1"


def part_datasets(item):
    parts = ARTEFACTS[item].parts
    return sorted({f"{BUILD}/data/{part.spec['paper']}/{part.dataset}.csv" for part in parts if part.dataset})


def ledger_spec(item):
    """Each distinct cell of an artefact once, without trials: what is released does not depend on them."""
    cells = {}
    for part in ARTEFACTS[item].parts:
        spec = {key: value for key, value in part.spec.items() if key != "trials"}
        if part.dataset:
            spec["data"] = f"{BUILD}/data/{part.spec['paper']}/{part.dataset}.csv"
        cells[json.dumps(spec, sort_keys=True)] = spec
    return list(cells.values())
