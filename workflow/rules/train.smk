# Data generation and training runs: one process per pack of parts (a part is an outer cell of a grid and a range of
# trials). A job trains those of its parts that are missing or were made from other inputs, and lists all of them. It
# measures the time of each part itself, because a part that is trained again must not change the times of the others.


rule train:
    input:
        begun=BEGUN,
        data=lambda wildcards: data_of(PACKS[wildcards.pack][1].parts, PACKS[wildcards.pack][0].paper),
        tables=lambda wildcards: tables_of(items_read([PACKS[wildcards.pack][0].item])),
        runs=lambda wildcards: runs_of(wildcards.pack),
    output:
        f"{BUILD}/packs/{{pack}}.csv",
    log:
        f"{BUILD}/logs/train/{{pack}}.log",
    params:
        code=lambda wildcards: code("train", PACKS[wildcards.pack][0].run),
        run=lambda wildcards: PACKS[wildcards.pack][0].run,
        versions=versions("numpy", "scipy"),
        pack=lambda wildcards: PACKS[wildcards.pack][1].json(),
        folder=lambda wildcards: placed(f"{BUILD}/parts/{PACKS[wildcards.pack][0].item}"),
        data=lambda wildcards, input: option("data", input.data),
        tables=lambda wildcards, input: option("tables", input.tables),
        runs=lambda wildcards, input: option("runs", input.runs and folder_of_runs(wildcards.pack)),
    message:
        "{wildcards.pack}: train"
    shell:
        f"{RUN}/train.py"
        " --pack {params.pack:q} --code {params.code} --run {params.run} {params.data}"
        " {params.tables} {params.runs} --folder {params.folder:q} --output {output:q} > {log} 2>&1"
