"""A program of NumPy's as it stands: `python -m asnumpy run script.py`, and `%load_ext asnumpy` in a notebook."""

from asnumpy.running._notebook import load_ipython_extension, unload_ipython_extension

__all__ = ["load_ipython_extension", "unload_ipython_extension"]
