"""Pins BLAS before numpy is imported; it must be the first import of every script of the pipeline.

BLAS gets one thread, because the number of threads changes the last bits of `solve` (parallelism is over jobs), and one
kernel on every processor with AVX2, because each kernel rounds in its own way. A kernel that the environment sets is
kept; a number of threads is not. The library itself pins nothing, because its host program decides.

As what comes first, it also refuses to run a script of one checkout with the package of another.
"""

import os
from pathlib import Path

from dpdescent.replication import own_code

own_code.require_of_script()

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

_processor = Path("/proc/cpuinfo")
if _processor.exists():
    with _processor.open() as _lines:
        # The block of the first processor, a few kB long, is enough.
        if " avx2 " in _lines.read(8192):
            os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")
