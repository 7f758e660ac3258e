"""The .npy format over arrays of ours: NumPy's own functions, with names for the dtypes that NumPy does not have."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.lib.format as _numpy
from numpy.lib.format import (
    ARRAY_ALIGN,
    BUFFER_SIZE,
    EXPECTED_KEYS,
    GROWTH_AXIS_MAX_DIGITS,
    MAGIC_LEN,
    MAGIC_PREFIX,
    drop_metadata,
    header_data_from_array_1_0,
    isfileobj,
    magic,
    read_array_header_1_0,
    read_array_header_2_0,
    read_magic,
    write_array_header_1_0,
    write_array_header_2_0,
)

from asnumpy.io.files import original_dtype, restored, stored, stored_dtype

__all__ = [
    "ARRAY_ALIGN", "BUFFER_SIZE", "EXPECTED_KEYS", "GROWTH_AXIS_MAX_DIGITS", "MAGIC_LEN", "MAGIC_PREFIX",
    "descr_to_dtype", "drop_metadata", "dtype_to_descr", "header_data_from_array_1_0", "isfileobj", "magic",
    "open_memmap", "read_array", "read_array_header_1_0", "read_array_header_2_0", "read_magic", "write_array",
    "write_array_header_1_0", "write_array_header_2_0",
]


def dtype_to_descr(dtype: Any) -> Any:
    """What the header of a file says about a dtype."""
    return _numpy.dtype_to_descr(stored_dtype(np.dtype(dtype)))


def descr_to_dtype(descr: Any) -> np.dtype:
    """The dtype of which the header of a file says this."""
    return original_dtype(_numpy.descr_to_dtype(descr))


def write_array(
    fp: Any, array: Any, version: Any = None, allow_pickle: bool = True, pickle_kwargs: Any = None,
) -> None:
    """Writes an array to an open file, header included."""
    _numpy.write_array(fp, stored(array), version, allow_pickle, pickle_kwargs)


def read_array(
    fp: Any, allow_pickle: bool = False, pickle_kwargs: Any = None, *, max_header_size: int = 10000,
) -> Any:
    """Reads an array, header included, from an open file."""
    return restored(_numpy.read_array(fp, allow_pickle, pickle_kwargs, max_header_size=max_header_size))


def open_memmap(
    filename: Any, mode: str = "r+", dtype: Any = None, shape: Any = None, fortran_order: bool = False,
    version: Any = None, *, max_header_size: int = 10000,
) -> Any:
    """Maps the elements of a .npy file, which it creates for mode "w+"."""
    kind = None if dtype is None else stored_dtype(np.dtype(dtype))
    made = _numpy.open_memmap(filename, mode, kind, shape, fortran_order, version, max_header_size=max_header_size)
    return restored(made)
