# From trials to tables: the parts of an artefact merged, sorted and summarised.


rule table:
    input:
        stamp=STAMP,
        packs=lambda wildcards: pack_files(wildcards.item),
    output:
        table=in_report(f"{RESULTS}/{{item}}.csv", "numbers"),
        parts=f"{BUILD}/fingerprints/{{item}}.csv",
    log:
        f"{BUILD}/logs/table/{{item}}.log",
    benchmark:
        f"{BUILD}/benchmarks/table/{{item}}.tsv"
    params:
        code=code("table"),
        versions=versions("numpy", "pandas"),
        axes=lambda wildcards: ARTEFACTS[wildcards.item].keys,
        measures=lambda wildcards: ARTEFACTS[wildcards.item].measures,
    message:
        "{wildcards.item}: summarise trials"
    shell:
        "{sys.executable:q} workflow/scripts/table.py --item {wildcards.item} --folder {BUILD}/parts/{wildcards.item}"
        " --keys {params.axes:q} --measures {params.measures:q} --packs {input.packs:q}"
        " --output {output.table:q} --fingerprints {output.parts:q} > {log} 2>&1"


rule pasteable:
    input:
        stamp=STAMP,
        table=f"{RESULTS}/{{table}}.csv",
    output:
        md=f"{RESULTS}/{{table}}.md",
        tex=f"{RESULTS}/{{table}}.tex",
    log:
        f"{BUILD}/logs/pasteable/{{table}}.log",
    benchmark:
        f"{BUILD}/benchmarks/pasteable/{{table}}.tsv"
    wildcard_constraints:
        table="|".join(TABLES) or "none",
    params:
        code=code("pasteable"),
        title=lambda wildcards: ARTEFACTS[wildcards.table].title,
        columns=lambda wildcards: ARTEFACTS[wildcards.table].display.get("columns", []),
    message:
        "{wildcards.table}: write as Markdown and LaTeX"
    shell:
        "{sys.executable:q} workflow/scripts/pasteable.py --table {input.table:q} --title {params.title:q}"
        " --columns {params.columns:q} --markdown {output.md:q} --latex {output.tex:q} > {log} 2>&1"
