"""Functions of scipy.linalg that asnumpy.linalg has for devices."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg as _theirs

from asnumpy import linalg as _own
from asnumpy._public import beside
from asnumpy._types import ndarray
from asnumpy.scipy._host import on_host
from asnumpy.ufunc.functions import isfinite

_FLOATS = (np.float32, np.float64)


def _plain(given: tuple[Any, ...]) -> bool:
    """Whether all are matrices of floats on a device, where a copy to the host and back is what is to be spared."""
    return all(
        isinstance(one, ndarray) and one.dtype in _FLOATS and one.ndim in (1, 2) and not one._host_visible
        and one.size > 0 and one.dtype == given[0].dtype for one in given
    ) and given[0].ndim == 2


def _as_ours(own: Callable[..., ndarray], name: str, count: int) -> Any:
    """SciPy's function of `count` matrices; without options it is `own` on a device."""
    theirs = getattr(_theirs, name)
    whole = on_host(theirs, f"scipy.linalg.{name}")

    def call(*args: Any, **kwargs: Any) -> Any:
        check = kwargs.get("check_finite", True)
        if len(args) != count or not kwargs.keys() <= {"check_finite", "overwrite_a"} or not _plain(args):
            return whole(*args, **kwargs)
        if check and not all(bool(isfinite(one).all()) for one in args):
            raise ValueError("array must not contain infs or NaNs")
        return own(*args)

    functools.update_wrapper(call, theirs)
    call.__module__ = "asnumpy.scipy.linalg"
    return beside(call, theirs)


det = _as_ours(_own.det, "det", 1)
inv = _as_ours(_own.inv, "inv", 1)
norm = _as_ours(_own.norm, "norm", 1)
solve = _as_ours(_own.solve, "solve", 2)
svdvals = _as_ours(_own.svdvals, "svdvals", 1)
