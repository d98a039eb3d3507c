"""Figure 11: as Figure 5, at weak privacy."""

from dpdescent.papers.liang2025.runs.real_data import learning_paths as run
from dpdescent.papers.liang2025.runs.real_data import releases

__all__ = ["releases", "run"]
