# Data generation and training runs: one process a pack of parts (a part is an outer cell of a grid and a range of
# trials). A job trains those of its parts that are not there or are made from something else, and lists them all. It
# measures each part itself, because one that is trained again leaves the times of its neighbours alone.


rule train:
    input:
        stamp=STAMP,
        data=lambda wildcards: pack_data(wildcards),
        tables=lambda wildcards: tables_read(wildcards.item),
    output:
        f"{BUILD}/packs/{{item}}/{{pack}}.csv",
    log:
        f"{BUILD}/logs/train/{{item}}/{{pack}}.log",
    params:
        code=lambda wildcards: code("train", experiment_module(wildcards.item)),
        versions=versions("numpy", "scipy"),
        pack=lambda wildcards: PACKS[wildcards.item, wildcards.pack].json(),
        data=lambda wildcards, input: f"--data {input.data}" if input.data else "",
        tables=lambda wildcards, input: f"--tables {input.tables}" if input.tables else "",
    message:
        "{wildcards.item}: train pack {wildcards.pack}"
    shell:
        "{sys.executable:q} workflow/scripts/train.py --pack {params.pack:q} --code {params.code} {params.data}"
        " {params.tables} --folder {BUILD}/parts/{wildcards.item} --output {output:q} > {log} 2>&1"


def pack_data(wildcards):
    dataset = PACKS[wildcards.item, wildcards.pack].dataset
    return f"{BUILD}/data/{ARTEFACTS[wildcards.item].paper}/{dataset}.csv" if dataset else []


def pack_files(item):
    return [f"{BUILD}/packs/{item}/{pack.name}.csv" for pack in ARTEFACTS[item].packs]
