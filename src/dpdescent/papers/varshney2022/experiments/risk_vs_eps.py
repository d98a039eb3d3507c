"""Excess risk against epsilon."""

from dpdescent.papers.varshney2022.risk_runs import releases as releases
from dpdescent.papers.varshney2022.risk_runs import run as run
