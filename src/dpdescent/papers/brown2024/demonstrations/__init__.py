"""Scripts that show findings of brown2024 by themselves: numpy and scipy alone, for the letters to the authors."""
