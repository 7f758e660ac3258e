"""The .npy format: NumPy's reader and writer; arrays that are read are ours."""

from __future__ import annotations

from typing import Any

from numpy.lib import format as _numpy

from asnumpy._host import through as _through

__all__ = [name for name in dir(_numpy) if not name.startswith("__")]

read_array, write_array = _through(_numpy.read_array), _through(_numpy.write_array)


def __getattr__(name: str) -> Any:
    return getattr(_numpy, name)
