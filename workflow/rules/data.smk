# Real data: checksum, columns, subset and centring, once; the experiments read one small prepared file.


rule data:
    input:
        begun=BEGUN,
        source=lambda wildcards: own_file(wildcards.dataset),
    output:
        f"{BUILD}/data/{{dataset}}.csv",
    log:
        f"{BUILD}/logs/data/{{dataset}}.log",
    benchmark:
        f"{BUILD}/benchmarks/data/{{dataset}}.tsv"
    params:
        code=code("data"),
        versions=versions("numpy"),
        spec=lambda wildcards: json.dumps(data_spec(wildcards.dataset), sort_keys=True),
    message:
        "{wildcards.dataset}: prepare data set"
    shell:
        f"{RUN}/data.py" " --spec {params.spec:q} --output {output:q} > {log} 2>&1"
