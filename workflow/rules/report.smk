# Files that the papers share: claims, findings and the ledger in one file each, the report, the manifest, all costs.
from dpdescent.replication.report.about import about
from dpdescent.replication.report.about import software
from dpdescent.replication.report.api import fingerprint as reference_fingerprint
from dpdescent.replication.report.demonstrations import demonstrations
from dpdescent.replication.report.pages import assets
from dpdescent.replication.report.pages import made_on_request
from dpdescent.replication.report.pages import site_files
from dpdescent.replication.report.pages import trials


rule collect:
    input:
        begun=BEGUN,
        claims=expand(f"{BUILD}/claims/{{key}}.csv", key=PROJECT.papers),
        claims_cells=expand(f"{BUILD}/claims_cells/{{key}}.csv", key=PROJECT.papers),
        findings=expand(f"{BUILD}/findings/{{key}}.csv", key=PROJECT.papers),
        privacy=expand(f"{BUILD}/audit/{{key}}/privacy.csv", key=PROJECT.papers),
        audit=expand(f"{BUILD}/audit/{{key}}/audit.csv", key=PROJECT.papers),
        parts=expand(f"{BUILD}/fingerprints/{{item}}.csv", item=DEFAULT),
        seed_check=own(OTHER_SEED),
    output:
        [f"{RESULTS}/seed_check.csv" for _ in OTHER_SEED],
        claims=f"{RESULTS}/claims.csv",
        claims_cells=f"{RESULTS}/claims_cells.csv",
        findings=f"{RESULTS}/findings.csv",
        privacy=f"{RESULTS}/privacy.csv",
        notes=f"{RESULTS}/privacy_notes.csv",
        audit=f"{RESULTS}/audit.csv",
        parts=f"{RESULTS}/parts.csv",
    log:
        f"{BUILD}/logs/collect.log",
    benchmark:
        f"{BUILD}/benchmarks/collect.tsv"
    params:
        code=code("collect"),
        folder=subpath(output.claims, parent=True),
        seed_check=lambda wildcards, input: option("seed_check", input.seed_check),
    message:
        "collect claims, findings, privacy, audits and parts"
    shell:
        f"{RUN}/collect.py"
        " --claims {input.claims:q} --findings {input.findings:q}"
        " --claims_cells {input.claims_cells:q}"
        " --privacy {input.privacy:q} --audit {input.audit:q} --parts {input.parts:q} {params.seed_check}"
        " --output {params.folder} > {log} 2>&1"


# One page to the authors for each finding from severity medium on. The scripts that
# demonstrate these findings show which they are before any job runs, because their docstrings begin with the finding.
DEMONSTRATIONS = demonstrations(SOURCE, PROJECT.papers)


rule letters:
    input:
        begun=BEGUN,
        findings=expand(f"{BUILD}/findings/{{key}}.csv", key=PROJECT.papers),
        shown=expand(f"{BUILD}/findings/{{key}}.json", key=PROJECT.papers),
    output:
        [f"{RESULTS}/letters/{name}.md" for name in DEMONSTRATIONS],
    log:
        f"{BUILD}/logs/letters.log",
    benchmark:
        f"{BUILD}/benchmarks/letters.tsv"
    params:
        code=code("letters"),
        texts=files_fingerprint(list(DEMONSTRATIONS.values())),
        papers=verbatim(json.dumps({key: paper.about for key, paper in PROJECT.papers.items()})),
        demonstrations=json.dumps({name: str(file.relative_to(ROOT)) for name, file in DEMONSTRATIONS.items()}),
        folder=subpath(output[0], parent=True),
        label=verbatim(FIGURE_LABEL),
    message:
        "write letters to the authors"
    shell:
        f"{RUN}/letters.py"
        " --findings {input.findings:q} --shown {input.shown:q}"
        " --papers {params.papers:q} --demonstrations {params.demonstrations:q} --label={params.label:q}"
        " --output {params.folder:q} > {log} 2>&1"


rule summary:
    input:
        begun=BEGUN,
        claims=f"{RESULTS}/claims.csv",
        findings=f"{RESULTS}/findings.csv",
        audit=f"{RESULTS}/audit.csv",
    output:
        f"{RESULTS}/README.md",
    log:
        f"{BUILD}/logs/summary.log",
    benchmark:
        f"{BUILD}/benchmarks/summary.tsv"
    params:
        code=code("summary"),
        folder=subpath(output[0], parent=True),
        label=verbatim(FIGURE_LABEL),
        papers=verbatim(
            json.dumps(
                {key: {name: a.title for name, a in paper.artefacts.items()} for key, paper in PROJECT.papers.items()}
            )
        ),
    message:
        "write the page of verdicts"
    shell:
        f"{RUN}/summary.py"
        " --results {params.folder} --papers {params.papers:q}"
        " --label={params.label:q} --output {output:q} > {log} 2>&1"


# The source of each value, and the data of the report on a paper beside its results.
rule settings:
    input:
        begun=BEGUN,
    output:
        settings=f"{RESULTS}/{{key}}/settings.csv",
        about=f"{BUILD}/about/{{key}}.json",
    log:
        f"{BUILD}/logs/settings/{{key}}.log",
    benchmark:
        f"{BUILD}/benchmarks/settings/{{key}}.tsv"
    params:
        code=code("settings"),
        about=lambda wildcards: json.dumps(about(PROJECT, wildcards.key, ROOT), separators=(",", ":")),
    message:
        "{wildcards.key}: list who chose what"
    shell:
        f"{RUN}/settings.py"
        " --about {params.about:q} --settings {output.settings:q}"
        " --output {output.about:q} > {log} 2>&1"


# The report, and the meanings of the columns of all tables, because both are made from the same files about the papers.
rule report:
    input:
        begun=BEGUN,
        about=expand(f"{BUILD}/about/{{key}}.json", key=PROJECT.papers),
        collected=rules.collect.output,
        letters=rules.letters.output,
        bounds=expand(f"{RESULTS}/{{key}}/bounds.csv", key=PROJECT.papers),
        tables=tables_of(DEFAULT),
        statements=own(statements_of(PROJECT.papers)),
        trials=own(trials(ROOT)),
    output:
        expand(f"{RESULTS}/report/{{name}}", name=site_files(PROJECT.papers, DEMONSTRATIONS)),
        datapackage=f"{RESULTS}/{datapackage.FILE}",
    log:
        f"{BUILD}/logs/report.log",
    benchmark:
        f"{BUILD}/benchmarks/report.tsv"
    params:
        code=lambda wildcards: code("report", *told_to_report(PROJECT.papers), *drawings(DEFAULT)),
        folder=subpath(output[0], ancestor=2),
        templates=files_fingerprint(assets()),
        # A function, so that jobs of other rules need not read the library's docstrings.
        reference=lambda wildcards: reference_fingerprint(),
        versions=versions("jinja2", "markdown-it-py", "pygments", "matplotlib"),
        software=verbatim(json.dumps(software(ROOT) | {"code": config.get("code_address") or ""})),
        label=verbatim(FIGURE_LABEL),
        scale=SCALE,
        columns=verbatim(json.dumps(COLUMNS)),
        trials=lambda wildcards, input: option("trials", input.trials),
        # A parameter and no input, because a build must not make artefacts on request.
        on_request=files_fingerprint(made_on_request(Path(placed(RESULTS)))),
    message:
        "write the report"
    shell:
        f"{RUN}/report.py"
        " --results {params.folder} --about {input.about:q}"
        " --statements {input.statements:q} {params.trials}"
        " --software {params.software:q} --label={params.label:q} --scale {params.scale} --columns {params.columns:q}"
        " --output {params.folder}/report > {log} 2>&1"


# A page by itself on one artefact, or on one paper, which a partial build shows where there is no report.
rule page:
    input:
        begun=BEGUN,
        about=lambda wildcards: f"{BUILD}/about/{paper_of(wildcards.page)}.json",
        files=lambda wildcards: [
            file for item in items_shown(wildcards.page) for file in artefact_files(ARTEFACTS[item])
        ],
    output:
        f"{BUILD}/pages/{{page}}.html",
    log:
        f"{BUILD}/logs/pages/{{page}}.log",
    benchmark:
        f"{BUILD}/benchmarks/pages/{{page}}.tsv"
    params:
        code=lambda wildcards: code("page", *drawings(items_shown(wildcards.page))),
        templates=files_fingerprint(assets()),
        versions=versions("jinja2", "matplotlib"),
        shown=lambda wildcards: items_shown(wildcards.page),
        results=placed(RESULTS),
        label=verbatim(FIGURE_LABEL),
    message:
        "{wildcards.page}: write a page by itself"
    shell:
        f"{RUN}/page.py"
        " --results {params.results:q} --about {input.about:q}"
        " --items {params.shown:q} --label={params.label:q} --output {output:q} > {log} 2>&1"


rule manifest:
    input:
        begun=BEGUN,
        summary=f"{RESULTS}/README.md",
        report=rules.report.output,
        letters=rules.letters.output,
        settings=expand(f"{RESULTS}/{{key}}/settings.csv", key=PROJECT.papers),
        collected=rules.collect.output,
        figure=f"{RESULTS}/audit.svg",
        artefacts=[file for artefact in DEFAULT.values() for file in artefact_files(artefact)],
        bounds=expand(f"{RESULTS}/{{key}}/bounds.csv", key=PROJECT.papers),
    output:
        manifest=f"{RESULTS}/MANIFEST.sha256",
        provenance=f"{RESULTS}/provenance.json",
    log:
        f"{BUILD}/logs/manifest.log",
    benchmark:
        f"{BUILD}/benchmarks/manifest.tsv"
    params:
        code=code("manifest"),
        folder=subpath(output.manifest, parent=True),
        spec=json.dumps(
            {
                "scale": SCALE,
                "seed": PROJECT.seed,
                "papers": list(PROJECT.papers),
                "config": project_of.config_hash(PROJECT),
                "artefacts": len(DEFAULT),
                "parts": sum(len(artefact.parts) for artefact in DEFAULT.values()),
                "agrees_within": {
                    item: artefact.agrees_within for item, artefact in DEFAULT.items() if artefact.agrees_within
                },
            }
            # Papers with values of the user's own, where there are any.
            | ({"yours": YOURS} if YOURS else {})
        ),
    message:
        "hash every table and figure"
    shell:
        f"{RUN}/manifest.py"
        " --results {params.folder} --spec {params.spec:q}"
        " --manifest {output.manifest:q} --provenance {output.provenance:q} > {log} 2>&1"


# Times and memory differ between runs: they lie beside the results, outside the manifest.
rule compute:
    input:
        f"{RESULTS}/MANIFEST.sha256",
    output:
        table=f"{RESULTS}/compute.csv",
        script=f"{RESULTS}/report/compute.js",
    log:
        f"{BUILD}/logs/compute.log",
    params:
        code=code("compute"),
        build=placed(BUILD),
        parts=placed(f"{RESULTS}/parts.csv"),
    message:
        "sum up times and memory"
    shell:
        f"{RUN}/compute.py"
        " --build {params.build} --parts {params.parts}"
        " --output {output.table:q} --script {output.script:q} > {log} 2>&1"
