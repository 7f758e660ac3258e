"""The .npy format over arrays of ours: NumPy's own functions, with names for the dtypes that NumPy does not have."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.lib.format as _numpy

from asnumpy._public import public_in
from asnumpy.io.files import original_dtype, restored, stored, stored_dtype


@public_in(_numpy)
def dtype_to_descr(dtype: Any) -> Any:
    """What the header of a file says about a dtype."""
    return _numpy.dtype_to_descr(stored_dtype(np.dtype(dtype)))


@public_in(_numpy)
def descr_to_dtype(descr: Any) -> np.dtype:
    """The dtype of which the header of a file says this."""
    return original_dtype(_numpy.descr_to_dtype(descr))


@public_in(_numpy)
def write_array(
    fp: Any, array: Any, version: Any = None, allow_pickle: bool = True, pickle_kwargs: Any = None,
) -> None:
    """Writes an array to an open file, header included."""
    _numpy.write_array(fp, stored(array), version, allow_pickle, pickle_kwargs)


@public_in(_numpy)
def read_array(
    fp: Any, allow_pickle: bool = False, pickle_kwargs: Any = None, *, max_header_size: int = 10000,
) -> Any:
    """Reads an array, header included, from an open file."""
    return restored(_numpy.read_array(fp, allow_pickle, pickle_kwargs, max_header_size=max_header_size))


@public_in(_numpy)
def open_memmap(
    filename: Any, mode: str = "r+", dtype: Any = None, shape: Any = None, fortran_order: bool = False,
    version: Any = None, *, max_header_size: int = 10000,
) -> Any:
    """Maps the elements of a .npy file, which it creates for mode "w+"."""
    kind = None if dtype is None else stored_dtype(np.dtype(dtype))
    made = _numpy.open_memmap(filename, mode, kind, shape, fortran_order, version, max_header_size=max_header_size)
    return restored(made)
