# Before all other jobs, once per checkout and scale: results that came along are put aside as a reference.


rule begin:
    output:
        BEGUN,
    log:
        f"{BUILD}/logs/begin.log",
    params:
        results=placed(RESULTS),
        reference=placed(REFERENCE),
        parts=placed(f"{BUILD}/parts"),
    message:
        "put aside what came with this checkout, to compare with it"
    shell:
        f"{RUN}/begin.py"
        " --results {params.results:q} --reference {params.reference:q}"
        " --parts {params.parts:q} --output {output:q} > {log} 2>&1"
