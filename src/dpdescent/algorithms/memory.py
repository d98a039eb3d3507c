"""Memory of freed arrays is kept by the process.

glibc hands freed arrays above 128 kB back to the system, and every new one then costs page faults, more than its
arithmetic. Freeing one large array (which is never touched) raises that limit to its size, 16 MB, for the process.
"""

import numpy as np


def keep_freed() -> None:
    """Raises the limit; every module with blocks of that size calls it once, at import."""
    np.empty(1 << 21)
