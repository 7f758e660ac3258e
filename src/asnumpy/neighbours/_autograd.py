"""autograd differentiates by arrays and Numbers of ours: it knows what it may differentiate by by its class."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from asnumpy.array.ndarray import ndarray
from asnumpy.array.number import ComplexNumber, FloatNumber

_boxes: Any = importlib.import_module("autograd.numpy.numpy_boxes")
_spaces: Any = importlib.import_module("autograd.numpy.numpy_vspaces")


def _space(value: Any) -> Any:
    """The space of a value, by its shape and dtype alone: elements may lie on a device, or not be computed yet."""
    kind = _spaces.ComplexArrayVSpace if value.dtype.kind == "c" else _spaces.ArrayVSpace
    return kind(np.broadcast_to(np.zeros((), value.dtype), value.shape))


for _kind in (ndarray, FloatNumber, ComplexNumber):
    _boxes.ArrayBox.register(_kind)
    _spaces.VSpace.register(_kind, _space)
