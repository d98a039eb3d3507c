# Every computable bound of a paper, evaluated at the experiments' settings beside what was measured.


rule bounds:
    input:
        stamp=STAMP,
        tables=lambda wildcards: tables_of(wildcards.key),
    output:
        f"{RESULTS}/{{key}}/bounds.csv",
    params:
        code=lambda wildcards: code("judge", paper_module(wildcards.key, "bounds")),
        spec=lambda wildcards: json.dumps(judging_spec(wildcards.key), sort_keys=True),
    log:
        f"{BUILD}/logs/bounds/{{key}}.log",
    benchmark:
        f"{BUILD}/benchmarks/bounds/{{key}}.tsv"
    message:
        "{wildcards.key}: evaluate bounds"
    shell:
        "{sys.executable} workflow/scripts/judge.py bounds --spec {params.spec:q} --folder {RESULTS}/{wildcards.key}"
        " --output {output:q} > {log} 2>&1"


def judging_spec(key):
    """What bounds, claims and findings may know: settings, published values, and each artefact's cells and arms."""
    paper = PROJECT.papers[key]
    return {
        "paper": key,
        "seed": PROJECT.seed,
        "settings": paper.settings,
        "published": paper.published,
        "artefacts": list(paper.artefacts),
    }
