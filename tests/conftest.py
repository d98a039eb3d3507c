"""Makes the twins importable from every test folder, and hypothesis repeatable."""

# First of all imports, because it pins BLAS to one thread before numpy starts it.
import dpdescent  # isort: split

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

assert dpdescent.__doc__
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("repeatable")
