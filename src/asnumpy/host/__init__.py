"""The host door: work that NumPy and SciPy do for us, counted."""
