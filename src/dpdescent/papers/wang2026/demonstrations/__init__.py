"""Scripts that show findings of wang2026 by themselves: numpy and scipy alone, for the letters to the authors."""
