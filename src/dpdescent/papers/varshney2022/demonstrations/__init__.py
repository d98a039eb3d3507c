"""Scripts that show findings of varshney2022 by themselves: numpy and scipy alone, for the letters to the authors."""
