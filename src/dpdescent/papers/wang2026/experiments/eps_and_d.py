"""Averaged risk of private training against epsilon and against the dimension."""

from dpdescent.papers.wang2026.scaled_runs import releases as releases
from dpdescent.papers.wang2026.scaled_runs import run as run
