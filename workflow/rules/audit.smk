# Attacks on the arms of the ledger, one paper at a time: arms that ask for the same audit share its runs.


rule audit:
    input:
        begun=BEGUN,
        ledger=f"{BUILD}/privacy/{{key}}.csv",
    output:
        privacy=f"{BUILD}/audit/{{key}}/privacy.csv",
        audit=f"{BUILD}/audit/{{key}}/audit.csv",
    log:
        f"{BUILD}/logs/audit/{{key}}.log",
    benchmark:
        f"{BUILD}/benchmarks/audit/{{key}}.tsv"
    params:
        code=lambda wildcards: code(
            "audit", *(paper_module(wildcards.key, f"audit:{name}") for name in ("ATTACKS", "FINDINGS", "statements"))
        ),
        versions=versions("dp-accounting", "numpy", "scipy"),
        runs=PROJECT.audit_runs,
        seed=PROJECT.seed,
    message:
        "{wildcards.key}: audit the ledger"
    shell:
        f"{RUN}/audit.py"
        " --paper {wildcards.key} --ledger {input.ledger:q}"
        " --runs {params.runs} --seed {params.seed} --privacy {output.privacy:q} --audit {output.audit:q} > {log} 2>&1"


rule audit_figure:
    input:
        begun=BEGUN,
        table=f"{RESULTS}/audit.csv",
    output:
        svg=f"{RESULTS}/audit.svg",
        png=f"{RESULTS}/audit.png",
    log:
        f"{BUILD}/logs/audit_figure.log",
    benchmark:
        f"{BUILD}/benchmarks/audit_figure.tsv"
    params:
        code=code("audit_figure"),
        versions=versions("numpy", "pandas", "matplotlib"),
        label=verbatim(FIGURE_LABEL),
    message:
        "draw the audit"
    shell:
        f"{RUN}/audit_figure.py"
        " --table {input.table:q} --label={params.label:q}"
        " --svg {output.svg:q} --png {output.png:q} > {log} 2>&1"
