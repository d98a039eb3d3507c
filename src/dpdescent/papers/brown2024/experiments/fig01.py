"""Figure 1: error against the dimension at n = 100p, isotropic covariates."""

from dpdescent.papers.brown2024.runs.fixed_ratio import releases as releases
from dpdescent.papers.brown2024.runs.fixed_ratio import run as run
