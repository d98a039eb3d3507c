"""Makes the twins importable from every test folder, and hypothesis repeatable."""

import sys
from pathlib import Path

from hypothesis import settings

import dpdescent

sys.path.insert(0, str(Path(__file__).parent))

assert dpdescent.__doc__, "imported first, because it pins BLAS to one thread"
settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=60)
settings.load_profile("repeatable")
