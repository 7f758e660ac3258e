"""How other libraries meet our arrays: NumPy's protocols and the array API."""
