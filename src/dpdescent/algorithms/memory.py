"""Setting of the process to keep the memory of freed arrays.

glibc returns freed arrays above 128 kB to the system, and every new one then costs page faults that take longer than
its arithmetic. Freeing one large array (which is never touched) raises that limit to its size, 16 MB, for the process.
"""

import numpy as np


def keep_freed() -> None:
    """Raises glibc's limit to 16 MB; every module with blocks of that size calls it once, at import."""
    np.empty(1 << 21)
