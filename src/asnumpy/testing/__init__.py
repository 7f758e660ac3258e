"""numpy.testing, whose comparisons take arrays of ours, also within lists, tuples and dicts; a check for leaks."""

import typing as _typing

import numpy.testing as _numpy

from asnumpy.testing._comparisons import (
    assert_allclose, assert_almost_equal, assert_approx_equal, assert_array_almost_equal,
    assert_array_almost_equal_nulp, assert_array_compare, assert_array_equal, assert_array_less, assert_array_max_ulp,
    assert_equal, assert_string_equal, build_err_msg, print_assert_equal,
)
from asnumpy.testing._leaks import assert_no_leaks

__all__ = [
    "assert_allclose", "assert_almost_equal", "assert_approx_equal", "assert_array_almost_equal",
    "assert_array_almost_equal_nulp", "assert_array_compare", "assert_array_equal", "assert_array_less",
    "assert_array_max_ulp", "assert_equal", "assert_no_leaks", "assert_string_equal", "build_err_msg",
    "print_assert_equal",
]

# All else is what the NumPy at hand has: versions differ.
if _typing.TYPE_CHECKING:
    from numpy.testing import (
        BLAS_SUPPORTS_FPE, HAS_LAPACK64, HAS_REFCOUNT, IS_64BIT, IS_EDITABLE, IS_INSTALLED, IS_MUSL, IS_PYPY,
        IS_PYSTON, IS_WASM, IgnoreException, KnownFailureException, NOGIL_BUILD, NUMPY_ROOT, SkipTest, TestCase,
        assert_, assert_no_gc_cycles, assert_no_warnings, assert_raises, assert_raises_regex, assert_warns,
        break_cycles, check_support_sve, clear_and_catch_warnings, jiffies, measure, memusage, overrides,
        run_threaded, rundocs, runstring, suppress_warnings, tempdir, temppath, verbose,
    )

    __all__ += [
        "BLAS_SUPPORTS_FPE", "HAS_LAPACK64", "HAS_REFCOUNT", "IS_64BIT", "IS_EDITABLE", "IS_INSTALLED", "IS_MUSL",
        "IS_PYPY", "IS_PYSTON", "IS_WASM", "IgnoreException", "KnownFailureException", "NOGIL_BUILD", "NUMPY_ROOT",
        "SkipTest", "TestCase", "assert_", "assert_no_gc_cycles", "assert_no_warnings", "assert_raises",
        "assert_raises_regex", "assert_warns", "break_cycles", "check_support_sve", "clear_and_catch_warnings",
        "jiffies", "measure", "memusage", "overrides", "run_threaded", "rundocs", "runstring", "suppress_warnings",
        "tempdir", "temppath", "verbose",
    ]
else:
    __all__ += [name for name in _numpy.__all__ if name not in __all__]

    def __getattr__(name):
        if name in _numpy.__all__:
            return getattr(_numpy, name)
        raise AttributeError(f"module 'asnumpy.testing' has no attribute {name!r}")
