"""Pinned settings, which numpy, BLAS and matplotlib would take from their surroundings; scripts import them first.

BLAS gets one thread, because the number of threads changes the last bits of `solve` (parallelism is over jobs), and one
kernel on every processor with AVX2, because each kernel rounds in its own way. A kernel that the environment sets is
kept; a number of threads is not. Drawing gets none of the user's settings: not a window or a notebook to draw in, which
this environment may lack, not a style, and not a folder for its list of fonts that cannot be written. No character that
is printed ends a job or a command. The library itself pins nothing, because its host program decides.

Because it is imported first, it also refuses to run a script of one checkout with the package of another.
"""

import contextlib
import os
import sys
from pathlib import Path

from dpdescent.commands import printing
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

os.environ["MPLBACKEND"] = "agg"
# The folder lies in the installation, because a list of fonts takes seconds to make; matplotlib takes a temporary one
# where it may not write there.
os.environ["MPLCONFIGDIR"] = str(Path(sys.prefix, "var/matplotlib"))
for _variable in ("MATPLOTLIBRC", "FREETYPE_PROPERTIES"):
    os.environ.pop(_variable, None)
# Settings in the working directory come before all others, and no variable turns that off.
if os.path.lexists("matplotlibrc"):
    with contextlib.chdir(sys.prefix):
        import matplotlib  # noqa: F401

printing.take_any_character()
