# Data generation and training runs: one job a part (an outer cell of a grid and a range of trials).


rule train:
    input:
        stamp=STAMP,
        data=lambda wildcards: part_data(wildcards),
        tables=lambda wildcards: tables_read(wildcards.item),
    output:
        f"{BUILD}/parts/{{item}}/{{part}}.csv",
    log:
        f"{BUILD}/logs/train/{{item}}/{{part}}.log",
    benchmark:
        f"{BUILD}/benchmarks/train/{{item}}/{{part}}.tsv"
    params:
        code=lambda wildcards: code("train", experiment_module(wildcards.item)),
        versions=versions("numpy", "scipy"),
        spec=lambda wildcards: PARTS[wildcards.item, wildcards.part].json(),
        data=lambda wildcards, input: f"--data {input.data}" if input.data else "",
        tables=lambda wildcards, input: f"--tables {input.tables}" if input.tables else "",
    message:
        "{wildcards.item}: train {wildcards.part}"
    shell:
        "{sys.executable:q} workflow/scripts/train.py --spec {params.spec:q} {params.data} {params.tables} --output {output:q} > {log} 2>&1"


def part_data(wildcards):
    part = PARTS[wildcards.item, wildcards.part]
    return f"{BUILD}/data/{part.spec['paper']}/{part.dataset}.csv" if part.dataset else []


def part_files(item):
    return [f"{BUILD}/parts/{item}/{part.name}.csv" for part in ARTEFACTS[item].parts]
