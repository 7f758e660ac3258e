"""Images for the tests of asnumpy.scipy.ndimage, and how its results are held to those of scipy.ndimage."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.ndimage as theirs

import asnumpy as ap
import asnumpy.scipy.ndimage as own

MODES = ("reflect", "grid-mirror", "constant", "grid-constant", "nearest", "mirror", "wrap", "grid-wrap")
CROSS = np.array([[0, 1, 0], [1, 1, 1], [0, 1, 1]])
WEIGHTS = np.array([[0.5, -2.25, 1.0, 0.0], [3.0, 0.75, -1.5, 0.125], [0.0, 0.0, 2.5, -0.25]])


def image(dtype: Any, shape: tuple[int, ...] = (9, 12)) -> np.ndarray:
    values = np.random.default_rng(3).uniform(0, 120, shape)
    return values > 60 if dtype is bool else values.astype(dtype)


def with_arrays(options: dict[str, Any]) -> dict[str, Any]:
    return {key: ap.array(one) if isinstance(one, np.ndarray) else one for key, one in options.items()}


def agree(got: Any, wanted: Any, kind: Any = None) -> None:
    """Equal, or a few units of the result's dtype apart, or of `kind` where sums of that are in it."""
    wanted = np.asarray(wanted)
    assert got.dtype == wanted.dtype and got.shape == wanted.shape
    found = ap.to_numpy(got)
    if wanted.dtype.kind == "f":  # a device may add in another order
        few = 16 * float(np.finfo(kind or wanted.dtype).eps)
        scale = float(np.max(np.abs(wanted), initial=0, where=np.isfinite(wanted)))
        np.testing.assert_allclose(found, wanted, rtol=few, atol=few * (scale + 120))
    else:
        np.testing.assert_array_equal(found, wanted)


def compare(name: str, values: np.ndarray, **options: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of square roots of what has wrapped around
        wanted = getattr(theirs, name)(values, **options)
        agree(getattr(own, name)(ap.array(values), **with_arrays(options)), wanted,
              np.float32 if values.dtype == np.float32 else None)


def refuse_alike(name: str, *args: Any, ours: Callable[[Any], ap.ndarray] = ap.array, **options: Any) -> None:
    """SciPy's function raises for an image, and ours for the same one the same class with the same words."""
    values = image(np.float64)
    with pytest.raises(Exception) as wanted:
        getattr(theirs, name)(values, *args, **options)
    with pytest.raises(wanted.type) as got:
        getattr(own, name)(ours(values), *args, **options)
    assert got.type is wanted.type and str(got.value) == str(wanted.value)
