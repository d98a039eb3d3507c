"""dpdescent: the reproducible account of differentially private gradient descent.

BLAS is pinned to one thread here, before numpy is imported anywhere, because the number of threads changes the last
bits of `solve`. Parallelism is over jobs.
"""

import os

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"
