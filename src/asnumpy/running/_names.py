"""What `from numpy import *` gives: asnumpy's, by NumPy's list of names."""

from typing import Any as _Any

import numpy as _numpy

import asnumpy as _asnumpy

__all__ = [name for name in _numpy.__all__ if hasattr(_asnumpy, name)]


def __getattr__(name: str) -> _Any:
    return getattr(_asnumpy, name)
