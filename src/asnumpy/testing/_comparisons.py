"""numpy.testing's comparisons over arrays of ours, also within lists, tuples and dicts."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.testing as _numpy

from asnumpy import _core
from asnumpy.array.ndarray import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.dtypes.dtype import OWN, is_extended, wide_dtype
from asnumpy.host.door import as_numpy

_WITHIN_TOLERANCE = """
assert_allclose assert_almost_equal assert_approx_equal assert_array_almost_equal assert_array_compare
""".split()


def _plain(value: Any, widened: bool) -> Any:
    """NumPy's arrays for ours; with `widened` those of a dtype that NumPy cannot subtract in, in one that it can."""
    if isinstance(value, ndarray):
        view = _plain(_core.to_numpy_view(value, None), widened)
        return view[()] if _core.is_number(value) else view  # messages call it what NumPy's result would be
    if isinstance(value, np.ndarray):
        wide = value.dtype in OWN or (widened and is_extended(value.dtype))
        return value.astype(wide_dtype(value.dtype)) if wide else value
    if isinstance(value, (list, tuple)):
        items = [_plain(item, widened) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if type(value) is dict:
        return {key: _plain(item, widened) for key, item in value.items()}
    if hasattr(type(value), "__array__") and type(value).__module__ != "numpy":  # it may give an array of ours
        return _plain(as_numpy(value), widened)
    return value


def _comparison(function: Any) -> Any:
    widened = function.__name__ in _WITHIN_TOLERANCE

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        made = function(
            *[_plain(value, widened) for value in args],
            **{key: _plain(value, widened) for key, value in kwargs.items()},
        )
        return asarray(made) if isinstance(made, np.ndarray) else made

    call.__module__ = "asnumpy.testing"
    return call


assert_allclose = _comparison(_numpy.assert_allclose)
assert_almost_equal = _comparison(_numpy.assert_almost_equal)
assert_approx_equal = _comparison(_numpy.assert_approx_equal)
assert_array_almost_equal = _comparison(_numpy.assert_array_almost_equal)
assert_array_almost_equal_nulp = _comparison(_numpy.assert_array_almost_equal_nulp)
assert_array_compare = _comparison(_numpy.assert_array_compare)
assert_array_equal = _comparison(_numpy.assert_array_equal)
assert_array_less = _comparison(_numpy.assert_array_less)
assert_array_max_ulp = _comparison(_numpy.assert_array_max_ulp)
assert_equal = _comparison(_numpy.assert_equal)
assert_string_equal = _comparison(_numpy.assert_string_equal)
build_err_msg = _comparison(_numpy.build_err_msg)
print_assert_equal = _comparison(_numpy.print_assert_equal)
