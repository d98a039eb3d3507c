# Tables and figures from trials: the parts of an artefact are merged, sorted and summarised, and the table is drawn, or
# written ready to paste.


rule figure:
    input:
        begun=BEGUN,
        packs=lambda wildcards: packs_of([wildcards.figure]),
    output:
        table=in_report(f"{RESULTS}/{{figure}}.csv", "numbers"),
        svg=in_report(f"{RESULTS}/{{figure}}.svg", "figure"),
        png=f"{RESULTS}/{{figure}}.png",
        parts=f"{BUILD}/fingerprints/{{figure}}.csv",
    log:
        f"{BUILD}/logs/figure/{{figure}}.log",
    benchmark:
        f"{BUILD}/benchmarks/figure/{{figure}}.tsv"
    params:
        code=lambda wildcards: code("figure", ARTEFACTS[wildcards.figure].draw),
        draw=lambda wildcards: ARTEFACTS[wildcards.figure].draw,
        versions=versions("numpy", "pandas", "matplotlib"),
        spec=lambda wildcards: project_of.figure_json(PROJECT, ARTEFACTS[wildcards.figure], FIGURE_LABEL),
        folder=lambda wildcards: placed(f"{BUILD}/parts/{wildcards.figure}"),
        # The folder and not its files, because the names of thousands of them are more than a command line takes.
        packs=lambda wildcards: placed(f"{BUILD}/packs/{wildcards.figure}"),
        number=lambda wildcards, input: len(input.packs),
    message:
        "{wildcards.figure}: summarise trials and draw"
    shell:
        f"{RUN}/figure.py"
        " --draw {params.draw} --spec {params.spec:q} --packs {params.packs:q}"
        " --count {params.number} --folder {params.folder:q} --table {output.table:q} --fingerprints {output.parts:q} --svg {output.svg:q}"
        " --png {output.png:q} > {log} 2>&1"


rule table:
    input:
        begun=BEGUN,
        packs=lambda wildcards: packs_of([wildcards.table]),
    output:
        table=in_report(f"{RESULTS}/{{table}}.csv", "numbers"),
        md=f"{RESULTS}/{{table}}.md",
        tex=f"{RESULTS}/{{table}}.tex",
        parts=f"{BUILD}/fingerprints/{{table}}.csv",
    log:
        f"{BUILD}/logs/table/{{table}}.log",
    benchmark:
        f"{BUILD}/benchmarks/table/{{table}}.tsv"
    params:
        code=code("table"),
        versions=versions("numpy", "pandas"),
        spec=lambda wildcards: project_of.table_json(ARTEFACTS[wildcards.table]),
        folder=lambda wildcards: placed(f"{BUILD}/parts/{wildcards.table}"),
        # The folder and not its files, because the names of thousands of them are more than a command line takes.
        packs=lambda wildcards: placed(f"{BUILD}/packs/{wildcards.table}"),
        number=lambda wildcards, input: len(input.packs),
    message:
        "{wildcards.table}: summarise trials and write as Markdown and LaTeX"
    shell:
        f"{RUN}/table.py"
        " --spec {params.spec:q} --packs {params.packs:q}"
        " --count {params.number} --folder {params.folder:q} --table {output.table:q} --fingerprints {output.parts:q}"
        " --markdown {output.md:q} --latex {output.tex:q} > {log} 2>&1"


# Artefacts on request are judged, accounted for and hashed apart from a build, once their files are there. All of them
# are judged together, so that the files of a folder agree, whichever artefact was made last.
rule on_request:
    input:
        begun=BEGUN,
        files=lambda wildcards: artefact_files(ARTEFACTS[wildcards.requested]),
    output:
        touch(f"{BUILD}/judged/{{requested}}"),
    log:
        f"{BUILD}/logs/on_request/{{requested}}.log",
    benchmark:
        f"{BUILD}/benchmarks/on_request/{{requested}}.tsv"
    params:
        code=lambda wildcards: code("on_request", *judging_modules(ARTEFACTS[wildcards.requested])),
        versions=versions("dp-accounting", "numpy", "scipy"),
        scale=SCALE,
        results=placed(RESULTS),
    message:
        "{wildcards.requested}: judge, account for and attack what was made on request"
    shell:
        f"{RUN}/on_request.py" " --scale {params.scale} --results {params.results:q} > {log} 2>&1"
