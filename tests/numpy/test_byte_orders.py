"""Elements in the other byte order stay in NumPy's arrays through every function, and compute beside ours."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import asnumpy as ap

FUNCTIONS = """
    sort argsort cumsum ravel transpose mean var median amax argmin sum nanmax nan_to_num unique flip flipud diff
    gradient sqrt abs floor round isfinite nonzero count_nonzero squeeze atleast_1d atleast_2d atleast_3d zeros_like
    ones_like real conj diag asarray array copy block real_if_close trim_zeros fft.fft linalg.norm hstack vstack stack
    array_repr vander array_split:2 split:2 insert:1:9 delete:1 pad:1 roll:1 tile:2 repeat:2 setdiff1d:[1]
    expand_dims:0 full_like:3 partition:2 take:[0,1] append:1 resize:6 clip:1:2 digitize:[1,2] searchsorted:2
    percentile:30 broadcast_to:(2,4) moveaxis:0:0 swapaxes:0:0 polyval:2 convolve:[1,2] isin:[1] where:1:0
    add:1 multiply:2 equal:2
""".split()


def agrees(ours: Any, expected: Any) -> None:
    if isinstance(expected, (list, tuple)):
        assert len(ours) == len(expected)
        for one, other in zip(ours, expected, strict=True):
            agrees(one, other)
        return
    assert np.asarray(ours).dtype.str == np.asarray(expected).dtype.str
    assert np.array_equal(np.asarray(ours), expected)
    if not np.asarray(expected).dtype.isnative:
        assert isinstance(ours, (np.ndarray, np.generic))
    elif not isinstance(expected, str):
        assert isinstance(ours, (ap.ndarray, int))


@pytest.mark.parametrize("call", FUNCTIONS)
@pytest.mark.parametrize("dtype", [">f8", ">i4"])
def test_functions(call: str, dtype: str) -> None:
    path, *rest = call.split(":")
    values = np.array([3, 1, 2, 4], dtype)

    def result(xp: Any) -> Any:
        function = xp
        for name in path.split("."):
            function = getattr(function, name)
        return function(values.copy(), *map(eval, rest))

    agrees(result(ap), result(np))


def test_views_of_functions_show_what_is_written() -> None:
    values = np.arange(6, dtype=">i4").reshape(2, 3)
    ap.transpose(values)[2, 0] = 9
    ap.ravel(values)[0] = 8
    assert values.tolist() == [[8, 1, 9], [3, 4, 5]]


@pytest.mark.parametrize("use", [
    lambda a, b: a + b, lambda a, b: b - a, lambda a, b: a @ b, lambda a, b: b @ a, lambda a, b: a < b,
    lambda a, b: a[b.astype(">i2")[:2]], lambda a, b: (a.__iadd__(b), a)[1],
    lambda a, b: (a.__setitem__(slice(1, 3), b[:2]), a)[1],
])
def test_beside_arrays_of_ours(use: Any) -> None:
    ours = use(ap.arange(4.0), np.arange(4, dtype=">f8"))
    assert isinstance(ours, ap.ndarray)
    agrees(ours[()], use(np.arange(4.0), np.arange(4, dtype=">f8"))[()])


def test_error_setting_refuses_functions() -> None:
    with ap.config.using(unsupported="error"), pytest.raises(TypeError, match="byte order"):
        ap.sort(np.arange(3, dtype=">i4"))
    assert (ap.from_numpy(np.arange(3, dtype=">i4")) == ap.arange(3)).all()
