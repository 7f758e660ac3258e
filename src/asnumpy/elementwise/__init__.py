"""Functions that act element by element and are not ufuncs, and Python functions applied to arrays."""
