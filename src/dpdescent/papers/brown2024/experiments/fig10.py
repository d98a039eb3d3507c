"""Figure 10: Figure 5 with anisotropic covariates."""

from dpdescent.papers.brown2024.experiments.fig05 import releases as releases
from dpdescent.papers.brown2024.experiments.fig05 import run as run
