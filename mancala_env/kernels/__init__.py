"""How a game is played: compiled functions on flat arrays. They import only NumPy, Numba and each other."""
