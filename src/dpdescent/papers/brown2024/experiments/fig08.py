"""Figure 8: cost of privacy at rho = 0.015, p = 10 and p = 100."""

from dpdescent.papers.brown2024.runs.cost_of_privacy import releases as releases
from dpdescent.papers.brown2024.runs.cost_of_privacy import run as run
