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
        data=lambda wildcards: ledger_data(wildcards.key),
        tables=lambda wildcards: ledger_tables(wildcards.key),
    output:
        f"{BUILD}/privacy/{{key}}.csv",
    log:
        f"{BUILD}/logs/privacy/{{key}}.log",
    benchmark:
        f"{BUILD}/benchmarks/privacy/{{key}}.tsv"
    params:
        code=lambda wildcards: code("privacy", *ledger_modules(wildcards.key)),
        versions=versions("dp-accounting", "numpy", "scipy"),
        cells=lambda wildcards: packs.ledger_json(ledger_parts(wildcards.key)),
        data=lambda wildcards, input: f"--data {input.data}" if input.data else "",
        tables=lambda wildcards, input: f"--tables {input.tables}" if input.tables else "",
    message:
        "{wildcards.key}: account for privacy"
    shell:
        "{sys.executable:q} workflow/scripts/privacy.py --cells {params.cells:q} {params.data} {params.tables}"
        " --output {output:q} > {log} 2>&1"


def ledger_modules(key):
    return [paper_module(key, "audit"), *(experiment_module(item) for item in items_of(key))]


def ledger_parts(key):
    return [part for item in items_of(key) for part in ARTEFACTS[item].parts]


def ledger_data(key):
    datasets = {part.dataset for part in ledger_parts(key) if part.dataset}
    return [f"{BUILD}/data/{key}/{dataset}.csv" for dataset in sorted(datasets)]


def ledger_tables(key):
    return sorted({table for item in items_of(key) for table in tables_read(item)})
