"""Averaged risk of private training against epsilon and against the dimension."""

from dpdescent.papers.wang2026.runs.scaled import releases as releases
from dpdescent.papers.wang2026.runs.scaled import run as run
