# One figure from one table.
FIGURE_LABEL = "" if SCALE == "paper" else project_of.scale_label(SCALE, ROOT)


rule figure:
    input:
        stamp=STAMP,
        table=f"{RESULTS}/{{figure}}.csv",
    output:
        png=in_report(f"{RESULTS}/{{figure}}.png", "figure"),
        svg=f"{RESULTS}/{{figure}}.svg",
    log:
        f"{BUILD}/logs/figure/{{figure}}.log",
    benchmark:
        f"{BUILD}/benchmarks/figure/{{figure}}.tsv"
    wildcard_constraints:
        figure="|".join(FIGURES) or "none",
    params:
        code=lambda wildcards: code("figure", paper_module(ARTEFACTS[wildcards.figure].paper, "figures")),
        versions=versions("numpy", "pandas", "matplotlib"),
        spec=lambda wildcards: json.dumps(figure_spec(wildcards.figure), sort_keys=True),
    message:
        "{wildcards.figure}: draw"
    shell:
        "{sys.executable:q} workflow/scripts/figure.py --spec {params.spec:q} --table {input.table:q}"
        " --png {output.png:q} --svg {output.svg:q} > {log} 2>&1"


def figure_spec(item):
    artefact = ARTEFACTS[item]
    known = {"cells": artefact.cells, "arms": artefact.arms, "published": PROJECT.papers[artefact.paper].published}
    return {
        "paper": artefact.paper,
        "artefact": artefact.id,
        "title": artefact.title,
        "place": artefact.place,
        "display": known | artefact.display,
        "label": FIGURE_LABEL,
    }
