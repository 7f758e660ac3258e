"""The .npy format: NumPy's reader and writer; arrays that are read are ours."""

from __future__ import annotations

from typing import Any

from numpy.lib import format as _numpy

from asnumpy._doors import door as _door

__all__ = [name for name in dir(_numpy) if not name.startswith("__")]

read_array, write_array = _door(_numpy.read_array), _door(_numpy.write_array)


def __getattr__(name: str) -> Any:
    return getattr(_numpy, name)
