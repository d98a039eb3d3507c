"""Figure 9: Figure 1 with anisotropic covariates."""

from dpdescent.papers.brown2024.runs.fixed_ratio import releases as releases
from dpdescent.papers.brown2024.runs.fixed_ratio import run as run
