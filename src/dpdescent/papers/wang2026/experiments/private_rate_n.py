"""Averaged risk of private training against the number of records."""

from dpdescent.papers.wang2026.scaled_runs import releases as releases
from dpdescent.papers.wang2026.scaled_runs import run as run
