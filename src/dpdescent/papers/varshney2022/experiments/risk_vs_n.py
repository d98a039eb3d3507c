"""Excess risk against the number of records."""

from dpdescent.papers.varshney2022.risk_runs import releases as releases
from dpdescent.papers.varshney2022.risk_runs import run as run
