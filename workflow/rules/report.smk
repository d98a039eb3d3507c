# What the papers share: claims, findings and the ledger in one file each, the manifest, where it all came from.


rule collect:
    input:
        stamp=STAMP,
        claims=expand(f"{BUILD}/claims/{{key}}.csv", key=PROJECT.papers),
        findings=expand(f"{BUILD}/findings/{{key}}.csv", key=PROJECT.papers),
        privacy=expand(f"{BUILD}/audit/{{key}}/privacy.csv", key=PROJECT.papers),
        audit=expand(f"{BUILD}/audit/{{key}}/audit.csv", key=PROJECT.papers),
        parts=expand(f"{BUILD}/fingerprints/{{item}}.csv", item=DEFAULT),
    output:
        claims=f"{RESULTS}/claims.csv",
        findings=f"{RESULTS}/findings.csv",
        privacy=f"{RESULTS}/privacy.csv",
        audit=f"{RESULTS}/audit.csv",
        parts=f"{RESULTS}/parts.csv",
    log:
        f"{BUILD}/logs/collect.log",
    benchmark:
        f"{BUILD}/benchmarks/collect.tsv"
    params:
        code=code("collect"),
    message:
        "collect claims, findings, privacy, audits and parts"
    shell:
        "{sys.executable:q} workflow/scripts/collect.py --claims {input.claims:q} --findings {input.findings:q}"
        " --privacy {input.privacy:q} --audit {input.audit:q} --parts {input.parts:q} --output {RESULTS} > {log} 2>&1"


rule summary:
    input:
        stamp=STAMP,
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
        label=FIGURE_LABEL,
        papers=json.dumps(
            {key: {name: a.title for name, a in paper.artefacts.items()} for key, paper in PROJECT.papers.items()}
        ),
    message:
        "write the page of verdicts"
    shell:
        "{sys.executable:q} workflow/scripts/summary.py --results {RESULTS} --papers {params.papers:q}"
        " --label={params.label:q} --output {output:q} > {log} 2>&1"


rule manifest:
    input:
        stamp=STAMP,
        summary=f"{RESULTS}/README.md",
        collected=rules.collect.output,
        figure=[f"{RESULTS}/audit.png", f"{RESULTS}/audit.svg"],
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
        spec=json.dumps(
            {
                "scale": SCALE,
                "seed": PROJECT.seed,
                "papers": list(PROJECT.papers),
                "config": project_of.config_hash(PROJECT),
                "artefacts": len(DEFAULT),
                "parts": sum(len(artefact.parts) for artefact in DEFAULT.values()),
            }
        ),
    message:
        "hash every table and figure"
    shell:
        "{sys.executable:q} workflow/scripts/manifest.py --results {RESULTS} --spec {params.spec:q}"
        " --manifest {output.manifest:q} --provenance {output.provenance:q} > {log} 2>&1"


# Times and memory differ between runs: they lie beside the results, outside the manifest.
rule compute:
    input:
        f"{RESULTS}/MANIFEST.sha256",
    output:
        f"{RESULTS}/compute.csv",
    log:
        f"{BUILD}/logs/compute.log",
    params:
        code=code("compute"),
    message:
        "sum up times and memory"
    shell:
        "{sys.executable:q} workflow/scripts/compute.py --benchmarks {BUILD}/benchmarks --parts {RESULTS}/parts.csv"
        " --output {output:q} > {log} 2>&1"
