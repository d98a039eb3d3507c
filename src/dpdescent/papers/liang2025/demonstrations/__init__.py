"""Scripts that show findings of liang2025 by themselves: numpy and scipy alone, for the letters to the authors."""
