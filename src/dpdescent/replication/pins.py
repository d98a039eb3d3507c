"""Pins BLAS, before numpy is imported anywhere: the first import of every script of the pipeline.

To one thread, because the number of threads changes the last bits of `solve` (parallelism is over jobs), and to one
kernel on every processor that has AVX2, because each kernel rounds in its own way. A variable that is already set is
left alone for the kernel, never for the threads. The library pins nothing: what a host program sets is its own.
"""

import os
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

_processor = Path("/proc/cpuinfo")
if _processor.exists():
    with _processor.open() as _lines:
        # The first processor's block is enough, and a few kB long.
        if " avx2 " in _lines.read(8192):
            os.environ.setdefault("OPENBLAS_CORETYPE", "Haswell")
