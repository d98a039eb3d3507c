# Every computable bound of a paper, evaluated at the experiments' settings beside what was measured.


rule bounds:
    input:
        stamp=STAMP,
        tables=lambda wildcards: tables_of(wildcards.key),
    output:
        f"{RESULTS}/{{key}}/bounds.csv",
    log:
        f"{BUILD}/logs/bounds/{{key}}.log",
    benchmark:
        f"{BUILD}/benchmarks/bounds/{{key}}.tsv"
    params:
        code=lambda wildcards: code("judge", paper_module(wildcards.key, "bounds")),
        spec=lambda wildcards: project_of.judging_json(PROJECT, wildcards.key),
    message:
        "{wildcards.key}: evaluate bounds"
    shell:
        "{sys.executable:q} workflow/scripts/judge.py bounds --spec {params.spec:q} --folder {RESULTS}/{wildcards.key}"
        " --output {output:q} > {log} 2>&1"
