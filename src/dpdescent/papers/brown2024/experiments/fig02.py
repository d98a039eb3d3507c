"""Figure 2: cost of privacy at p = 10 and rho = 0.1."""

from dpdescent.papers.brown2024.runs.cost_of_privacy import releases as releases
from dpdescent.papers.brown2024.runs.cost_of_privacy import run as run
