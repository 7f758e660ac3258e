"""Products and sums of sparse arrays: of the host the core's operations, of a device gathers and sums by groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._types import ndarray
from asnumpy.creation.arrays import ones, zeros
from asnumpy.indexing.selection import take
from asnumpy.manipulation.joining import concatenate
from asnumpy.manipulation.shapes import transpose
from asnumpy.scipy.sparse._blocks import STORED
from asnumpy.scipy.sparse._door import Held
from asnumpy.scipy.sparse._segments import by_pointers, numbers_of, sorted_by
from asnumpy.statistics.groups import Groups
from asnumpy.ufunc.functions import multiply

_FORMATS = ("csr", "csc", "coo")
_COMPRESSED = ("csr", "csc")
ADDED = STORED[:-2]  # extended precision is a processor's
_AT_ONCE = 1 << 24  # products with a matrix that exist at the same time


def on_device(held: Held) -> bool:
    """Whether its sums are made there: a matrix whose elements the host does not see, of a dtype that SciPy adds."""
    data = held._parts[0]
    return (
        held.format in _FORMATS and len(held._shape) == 2 and not data._host_visible and data.dtype.char in ADDED
    )


def coordinates(held: Held, axis: int) -> ndarray:
    """The index along an axis of each value."""
    if held.format == "coo":
        coords: ndarray = held._parts[1][axis]
        return coords
    _, minor, pointers = held._parts
    if axis == (1 if held.format == "csr" else 0):
        found: ndarray = minor
        return found
    if "major" not in held._groups:
        held._groups["major"] = numbers_of(pointers, minor.dtype, minor)
    major: ndarray = held._groups["major"]
    return major


def _groups(held: Held, axis: int) -> Groups:
    """The values that have the same index along this axis."""
    if axis not in held._groups:
        if held.format == ("csr", "csc")[axis]:
            held._groups[axis] = Groups(by_pointers(held._parts[2]), None, held._parts[0])
        else:
            held._groups[axis] = sorted_by(coordinates(held, axis), held._shape[axis], held._parts[0])
    groups: Groups = held._groups[axis]
    return groups


def on_host(held: Held) -> bool:
    """Whether the core has its products and sums: compressed rows or columns that lie on the host."""
    data = held._parts[0]
    if held.format not in _COMPRESSED or len(held._shape) != 2 or not data._host_visible:
        return False
    if data.dtype.char not in STORED:
        return False
    if _core.tracing():
        return True  # its indices are looked at as the core follows them
    if "inside" not in held._groups:  # and again then
        length = held._shape[1 if held.format == "csr" else 0]
        held._groups["inside"] = _core.is_sparse_pattern(held._parts[2], held._parts[1], length)
    return bool(held._groups["inside"])


def _in_core(held: Held, axis: int, dense: ndarray, dtype: np.dtype) -> ndarray | None:
    """The sum over `axis` of the matrix times the lines of `dense`."""
    data, indices, pointers = held._parts
    values, lines = data.astype(dtype, copy=False), dense.astype(dtype, copy=False)
    added = axis != (1 if held.format == "csr" else 0)
    return _core.sparse_product(pointers, indices, values, lines, added, held._shape[1 - axis])


def summed(held: Held, axis: int, dtype: np.dtype) -> ndarray | None:
    """The sum along an axis of a matrix; None: SciPy is to compute it."""
    data = held._parts[0]
    if not data._host_visible:
        return _groups(held, 1 - axis).sums(data, dtype)
    if axis == (1 if held.format == "csr" else 0):
        return _core.sparse_sums(held._parts[2], data.astype(dtype, copy=False))
    return _in_core(held, axis, ones(held._shape[axis], dtype, device=data.device), dtype)


def _times(held: Held, axis: int, dense: ndarray) -> ndarray:
    """The sum over `axis` of the matrix times the lines of `dense`, whose first axis has the same length."""
    data, dtype = held._parts[0], np.result_type(held._parts[0].dtype, dense.dtype)
    groups, where = _groups(held, 1 - axis), coordinates(held, axis)
    if dense.ndim == 1:
        return groups.sums(multiply(data, take(dense, where, 0), dtype=dtype), dtype)
    columns = max(1, _AT_ONCE // max(1, data.shape[0]))
    parts = [
        groups.sums(multiply(data[:, None], take(dense[:, first:first + columns], where, 0), dtype=dtype), dtype)
        for first in range(0, dense.shape[1], columns)
    ]
    if not parts:
        return zeros((held._shape[1 - axis], 0), dtype, device=data.device)
    return parts[0] if len(parts) == 1 else concatenate(parts, axis=1)


def product(held: Held, dense: Any, axis: int) -> Any:
    """held @ dense (axis 1) or dense @ held (axis 0); None: SciPy is to compute or to refuse it."""
    if not isinstance(dense, ndarray) or dense.ndim not in (1, 2) or len(held._shape) != 2:
        return None
    data = held._parts[0]
    if dense.shape[axis - 1] != held._shape[axis] or dense._device_name != data._device_name:
        return None
    if dense.dtype.char not in STORED:
        return None
    if on_host(held):
        dtype = data.dtype if data.dtype == dense.dtype else np.result_type(data.dtype, dense.dtype)
        made = _in_core(held, axis, dense if axis == 1 else transpose(dense), dtype)
        return made if made is None or axis == 1 else transpose(made)
    if not on_device(held) or dense.dtype.char not in ADDED:
        return None
    made = _times(held, 1, dense) if axis == 1 else transpose(_times(held, 0, transpose(dense)))
    # SciPy's coordinate arrays give a number in the place of one element.
    return made.reshape(()) if held.format == "coo" and made.shape == (1,) else made


def dense_of(held: Held) -> ndarray | None:
    """The elements as an array of the device; None where several values may be at one place."""
    if not on_device(held) or not held.has_canonical_format:  # type: ignore[attr-defined]
        return None
    data = held._parts[0]
    made = zeros(held._shape, data.dtype, device=data.device)
    if data.shape[0]:
        made[coordinates(held, 0), coordinates(held, 1)] = data
    return made
