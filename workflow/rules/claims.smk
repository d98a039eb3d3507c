# Judgement: bounds at the experiments' settings beside measured values, claims and findings from tables and bounds, the
# privacy ledger from the released events.


rule bounds:
    input:
        begun=BEGUN,
        tables=lambda wildcards: tables_of(items_of(wildcards.key)),
    output:
        f"{RESULTS}/{{key}}/bounds.csv",
    log:
        f"{BUILD}/logs/bounds/{{key}}.log",
    benchmark:
        f"{BUILD}/benchmarks/bounds/{{key}}.tsv"
    params:
        code=lambda wildcards: code("judge", paper_module(wildcards.key, "bounds:evaluate")),
        spec=lambda wildcards: project_of.judging_json(PROJECT, wildcards.key),
        folder=lambda wildcards: placed(f"{RESULTS}/{wildcards.key}"),
    message:
        "{wildcards.key}: evaluate bounds"
    shell:
        f"{RUN}/judge.py"
        " bounds --spec {params.spec:q} --folder {params.folder:q}"
        " --output {output:q} > {log} 2>&1"


rule claims:
    input:
        begun=BEGUN,
        tables=lambda wildcards: tables_of(items_of(wildcards.key)),
        bounds=f"{RESULTS}/{{key}}/bounds.csv",
        other_seed=own(OTHER_SEED),
    output:
        claims=f"{BUILD}/claims/{{key}}.csv",
        cells=f"{BUILD}/claims_cells/{{key}}.csv",
    log:
        f"{BUILD}/logs/claims/{{key}}.log",
    benchmark:
        f"{BUILD}/benchmarks/claims/{{key}}.tsv"
    params:
        code=lambda wildcards: code("judge", paper_module(wildcards.key, "claims:judge")),
        spec=lambda wildcards: project_of.judging_json(PROJECT, wildcards.key),
        folder=lambda wildcards: placed(f"{RESULTS}/{wildcards.key}"),
        other_seed=lambda wildcards, input: option("other_seed", input.other_seed),
    message:
        "{wildcards.key}: judge claims"
    shell:
        f"{RUN}/judge.py"
        " claims --spec {params.spec:q} --folder {params.folder:q}"
        " {params.other_seed} --output {output.claims:q} --cells {output.cells:q} > {log} 2>&1"


rule findings:
    input:
        begun=BEGUN,
        tables=lambda wildcards: tables_of(items_of(wildcards.key)),
        bounds=f"{RESULTS}/{{key}}/bounds.csv",
    output:
        findings=f"{BUILD}/findings/{{key}}.csv",
        shown=f"{BUILD}/findings/{{key}}.json",
    log:
        f"{BUILD}/logs/findings/{{key}}.log",
    benchmark:
        f"{BUILD}/benchmarks/findings/{{key}}.tsv"
    params:
        code=lambda wildcards: code("judge", paper_module(wildcards.key, "findings:demonstrate")),
        spec=lambda wildcards: project_of.judging_json(PROJECT, wildcards.key),
        folder=lambda wildcards: placed(f"{RESULTS}/{wildcards.key}"),
    message:
        "{wildcards.key}: demonstrate findings"
    shell:
        f"{RUN}/judge.py"
        " findings --spec {params.spec:q} --folder {params.folder:q}"
        " --output {output.findings:q} --shown {output.shown:q} > {log} 2>&1"


rule privacy:
    input:
        begun=BEGUN,
        data=lambda wildcards: data_of(parts_of(items_of(wildcards.key)), wildcards.key),
        tables=lambda wildcards: tables_of(items_read(items_of(wildcards.key))),
    output:
        f"{BUILD}/privacy/{{key}}.csv",
    log:
        f"{BUILD}/logs/privacy/{{key}}.log",
    benchmark:
        f"{BUILD}/benchmarks/privacy/{{key}}.tsv"
    params:
        code=lambda wildcards: code(
            "privacy",
            paper_module(wildcards.key, "audit:request"),
            *(ARTEFACTS[item].releases for item in items_of(wildcards.key)),
        ),
        versions=versions("dp-accounting", "numpy", "scipy"),
        releases=lambda wildcards: json.dumps(
            {ARTEFACTS[item].id: ARTEFACTS[item].releases for item in items_of(wildcards.key)}
        ),
        cells=lambda wildcards: packs.ledger_json(parts_of(items_of(wildcards.key))),
        data=lambda wildcards, input: option("data", input.data),
        tables=lambda wildcards, input: option("tables", input.tables),
    message:
        "{wildcards.key}: account for privacy"
    shell:
        f"{RUN}/privacy.py"
        " --cells {params.cells:q} --releases {params.releases:q} {params.data} {params.tables}"
        " --output {output:q} > {log} 2>&1"
