"""Figures 2 and 8 at the settings of the first author's public scripts, on the same draws."""

from dpdescent.papers.brown2024.runs.cost_of_privacy import releases as releases
from dpdescent.papers.brown2024.runs.cost_of_privacy import run as run
