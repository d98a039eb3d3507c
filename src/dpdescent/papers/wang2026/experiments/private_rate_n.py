"""Averaged risk of private training against the number of records."""

from dpdescent.papers.wang2026.runs.scaled import releases as releases
from dpdescent.papers.wang2026.runs.scaled import run as run
