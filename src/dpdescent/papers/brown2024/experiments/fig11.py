"""Figure 11: Figure 6 with anisotropic covariates."""

from dpdescent.papers.brown2024.experiments.fig06 import releases as releases
from dpdescent.papers.brown2024.experiments.fig06 import run as run
