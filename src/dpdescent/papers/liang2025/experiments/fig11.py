"""Figure 11: DP-2S-GD on the Angrist-Evans data at weak privacy: final estimates and learning paths."""

from dpdescent.papers.liang2025.runs.real_data import learning_paths as run
from dpdescent.papers.liang2025.runs.real_data import releases

__all__ = ["releases", "run"]
