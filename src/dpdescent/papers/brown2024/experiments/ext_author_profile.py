"""Figures 2 and 8 at what the first author's public scripts use, on the same draws."""

from dpdescent.papers.brown2024.runs.cost_of_privacy import releases as releases
from dpdescent.papers.brown2024.runs.cost_of_privacy import run as run
