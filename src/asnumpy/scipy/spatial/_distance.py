"""Distances between rows: on a device metrics that sum over columns are one program; on the host SciPy's."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.spatial.distance as _theirs

from asnumpy import _core
from asnumpy._public import beside
from asnumpy._types import ndarray
from asnumpy.creation.convert import asarray
from asnumpy.host.numpys import derived
from asnumpy.indexing.grids import triu_indices
from asnumpy.indexing.selection import select_where
from asnumpy.scipy._host import on_host
from asnumpy.ufunc.functions import absolute, add, divide, equal, maximum, not_equal, sqrt, square, subtract

_FLOAT64 = np.dtype(np.float64)
_FEW_COLUMNS = 16  # up to them a step for each column is cheaper than a sum along an axis that is so short

_host_cdist = on_host(_theirs.cdist, "scipy.spatial.distance.cdist")
_host_pdist = on_host(_theirs.pdist, "scipy.spatial.distance.pdist")


def _over_columns(a: ndarray, b: ndarray, term: Callable[[ndarray, ndarray], ndarray], fold: Any) -> ndarray:
    """`fold` over the columns of term(a's, b's), for each pair of rows."""
    columns = a.shape[1]
    if columns > _FEW_COLUMNS:
        whole: ndarray = fold.reduce(term(a[:, None, :], b[None, :, :]), axis=2)
        return whole
    made = term(a[:, None, 0], b[None, :, 0])
    for place in range(1, columns):
        made = fold(made, term(a[:, None, place], b[None, :, place]))
    return made


def _squared(a: ndarray, b: ndarray) -> ndarray:
    return _over_columns(a, b, lambda x, y: square(subtract(x, y)), add)


def _canberra(x: ndarray, y: ndarray) -> ndarray:
    whole = add(absolute(x), absolute(y))
    return select_where(equal(whole, 0.0), 0.0, divide(absolute(subtract(x, y)), whole), _FLOAT64)


_METRICS: dict[str, Callable[[ndarray, ndarray], ndarray]] = {
    "euclidean": lambda a, b: sqrt(_squared(a, b)),
    "sqeuclidean": _squared,
    "cityblock": lambda a, b: _over_columns(a, b, lambda x, y: absolute(subtract(x, y)), add),
    "chebyshev": lambda a, b: _over_columns(a, b, lambda x, y: absolute(subtract(x, y)), maximum),
    "canberra": lambda a, b: _over_columns(a, b, _canberra, add),
    "braycurtis": lambda a, b: divide(
        _over_columns(a, b, lambda x, y: absolute(subtract(x, y)), add),
        _over_columns(a, b, lambda x, y: absolute(add(x, y)), add),
    ),
    "hamming": lambda a, b: divide(
        _over_columns(a, b, lambda x, y: _core.cast(not_equal(x, y), _FLOAT64), add), float(a.shape[1]),
    ),
}
_ALIASES = {
    **dict.fromkeys(("euclid", "eu", "e"), "euclidean"), **dict.fromkeys(("sqe", "sqeuclid"), "sqeuclidean"),
    **dict.fromkeys(("cblock", "cb", "c"), "cityblock"),
    **dict.fromkeys(("chebychev", "cheby", "cheb", "ch"), "chebyshev"),
}


def _points(value: Any) -> ndarray | None:
    """Rows of float64 on a device, as SciPy's functions take them; None where they are to see it.

    On the host SciPy's loop over pairs is quicker than a program.
    """
    if derived(value):
        return None
    a = asarray(value)
    if a._host_visible or a.dtype.kind not in "iuf" or a.dtype.itemsize > 8 or a.ndim != 2 or not a.size:
        return None
    return a if a.dtype == _FLOAT64 else _core.cast(a, _FLOAT64)


def _metric(metric: Any) -> Callable[[ndarray, ndarray], ndarray] | None:
    if not isinstance(metric, str):
        metric = getattr(metric, "__name__", "") if metric in vars(_theirs).values() else ""
    return _METRICS.get(_ALIASES.get(metric.lower(), metric.lower()))


@functools.wraps(_theirs.cdist)
def _cdist(XA: Any, XB: Any, metric: Any = "euclidean", *, out: Any = None, **kwargs: Any) -> Any:
    compute = None if kwargs or out is not None else _metric(metric)
    a = None if compute is None else _points(XA)
    b = None if a is None else _points(XB)
    if compute is None or a is None or b is None or a.shape[1] != b.shape[1]:
        return _host_cdist(XA, XB, metric, out=out, **kwargs)
    return compute(a, b)


@functools.wraps(_theirs.pdist)
def _pdist(X: Any, metric: Any = "euclidean", *, out: Any = None, **kwargs: Any) -> Any:
    compute = None if kwargs or out is not None else _metric(metric)
    a = None if compute is None else _points(X)
    if compute is None or a is None:
        return _host_pdist(X, metric, out=out, **kwargs)
    return compute(a, a)[triu_indices(a.shape[0], 1)]


def _public(function: Any, theirs: Any) -> Any:
    function.__module__ = "asnumpy.scipy.spatial.distance"
    return beside(function, theirs)


cdist = _public(_cdist, _theirs.cdist)
pdist = _public(_pdist, _theirs.pdist)
