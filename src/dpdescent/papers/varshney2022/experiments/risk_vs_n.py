"""Excess risk against the number of records."""

from dpdescent.papers.varshney2022.runs.risks import releases as releases
from dpdescent.papers.varshney2022.runs.risks import run as run
