# Real data: checksum, columns, subset and centring, once; the experiments read one small prepared file.


rule data:
    input:
        stamp=STAMP,
        source=lambda wildcards: own_file(wildcards),
    output:
        f"{BUILD}/data/{{key}}/{{dataset}}.csv",
    log:
        f"{BUILD}/logs/data/{{key}}/{{dataset}}.log",
    benchmark:
        f"{BUILD}/benchmarks/data/{{key}}/{{dataset}}.tsv"
    params:
        code=code("data"),
        versions=versions("numpy"),
        spec=lambda wildcards: json.dumps(
            project_of.data_spec(PROJECT, wildcards.key, wildcards.dataset), sort_keys=True
        ),
    message:
        "{wildcards.key}: prepare data set {wildcards.dataset}"
    shell:
        "{sys.executable:q} workflow/scripts/data.py --spec {params.spec:q} --output {output:q} > {log} 2>&1"


def own_file(wildcards):
    """A user's own CSV is an input, so that a changed file is read again; bundled files are checked by their hash."""
    source = PROJECT.papers[wildcards.key].datasets[wildcards.dataset]["source"]
    return [source] if source.endswith(".csv") else []
