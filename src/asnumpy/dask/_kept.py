"""Functions of dask.array whose chunks, or what Dask believes of them, would be NumPy's for arrays of ours."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from dask.array import Array

import asnumpy as ap
from asnumpy.dtypes.dtype import supported
from asnumpy.host.door import host
from asnumpy.interop.arrivals import put

# By the module that defines them. Of these the chunks would be NumPy's: they make arrays of positions, zeros or
# structures without asking whose they should be; pandas and SciPy give NumPy's arrays; a function of the user's may.
CHUNKS = {
    "dask.array.linalg": ("inv", "lstsq", "lu", "solve", "solve_triangular"),
    "dask.array.reductions": ("argmax", "argmin", "nanargmax", "nanargmin"),
    "dask.array.routines": (
        "apply_along_axis", "argwhere", "histogramdd", "isnull", "notnull", "tril_indices_from", "triu_indices_from",
        "unique",
    ),
}
# Of these only the sample by which Dask knows whose they are: they try a function on an array of NumPy's, or take a
# number for one.
SAMPLES = {
    "dask.array._reductions_generic": ("partial_reduce",),  # in earlier versions in `reductions`
    "dask.array.reductions": ("nanmedian", "nanquantile", "partial_reduce", "prefixscan_blelloch", "quantile"),
    "dask.array.fft": (
        "fft", "fft2", "fftn", "hfft", "ifft", "ifft2", "ifftn", "ihfft", "irfft", "irfft2", "irfftn", "rfft", "rfft2",
        "rfftn",
    ),
    "dask.array.routines": ("coarsen", "gradient", "histogram", "ravel_multi_index"),
    "dask.array.slicing": ("slice_with_bool_dask_array",),
}


def is_ours(value: Any) -> bool:
    """Whether it is an array of ours, or one of Dask's whose chunks are."""
    return isinstance(value._meta if isinstance(value, Array) else value, ap.ndarray)


def _any_ours(values: Iterable[Any]) -> bool:
    """Whether one of a function's arguments is, or one in its lists (of coordinates, say)."""
    return any(any(map(is_ours, value)) if type(value) in (list, tuple) else is_ours(value) for value in values)


def with_our_chunks(value: Array) -> Array:
    meta = ap.empty((0,) * value.ndim, value.dtype)
    made: Array = value.map_blocks(ap.asarray, dtype=value.dtype, meta=meta)  # type: ignore[arg-type, call-arg]
    return made


def _with_our_sample(value: Any) -> Any:
    value._meta = ap.empty((0,) * value.ndim, value.dtype)
    return value


def changed(value: Any, change: Callable[[Array], Array]) -> Any:
    if type(value) in (list, tuple):
        return type(value)(changed(one, change) for one in value)
    return change(value) if isinstance(value, Array) and supported(value.dtype) else value


def kept(function: Callable[..., Any], change: Callable[[Array], Array]) -> Callable[..., Any]:
    """The function, whose results `change` makes ours where an argument is."""

    @functools.wraps(function)
    def keeping(*args: Any, **kwargs: Any) -> Any:
        made = function(*args, **kwargs)
        return changed(made, change) if _any_ours((*args, *kwargs.values())) else made

    return keeping


def _sample(before: Callable[..., Any]) -> Callable[..., Any]:
    """`meta_from_array` and `compute_meta`, which make an array of NumPy's of a number of ours."""

    @functools.wraps(before)
    def sample(*args: Any, **kwargs: Any) -> Any:
        made = before(*args, **kwargs)
        if type(made) is np.ndarray and made.ndim == 0 and supported(made.dtype):
            return ap.asarray(made) if any(map(is_ours, (*args, *kwargs.values()))) else made
        return made

    return sample


def _scipy_linalg(before: Callable[..., Any]) -> Callable[..., Any]:
    """`dask.array.utils.scipy_linalg_safe`, by which Dask gives chunks to SciPy's functions or CuPy's."""

    @functools.wraps(before)
    def scipy_linalg_safe(name: str, *args: Any, **kwargs: Any) -> Any:
        if not any(isinstance(value, ap.ndarray) for value in args):
            return before(name, *args, **kwargs)
        import scipy.linalg

        return host(getattr(scipy.linalg, name), *args, **kwargs)

    return scipy_linalg_safe


def _fft_wrap(before: Callable[..., Any]) -> Callable[..., Any]:
    """`dask.array.fft.fft_wrap`, which makes such a function of another library's."""

    @functools.wraps(before)
    def fft_wrap(*args: Any, **kwargs: Any) -> Any:
        return kept(before(*args, **kwargs), _with_our_sample)

    return fft_wrap


def _vectorized(before: Callable[..., Any]) -> Callable[..., Any]:
    """`apply_gufunc`, which gives a function of single elements to `np.vectorize`, that makes NumPy's arrays."""
    keeping = kept(before, with_our_chunks)

    @functools.wraps(before)
    def apply_gufunc(*args: Any, vectorize: bool | None = None, **kwargs: Any) -> Any:
        return (keeping if vectorize else before)(*args, vectorize=vectorize, **kwargs)

    return apply_gufunc


AROUND: dict[str, dict[str, Callable[..., Any]]] = {
    "dask.array.fft": {"fft_wrap": _fft_wrap},
    "dask.array.gufunc": {"apply_gufunc": _vectorized},
    "dask.array.utils": {"scipy_linalg_safe": _scipy_linalg, "meta_from_array": _sample, "compute_meta": _sample},
}


def keep() -> None:
    """Puts all of them in place."""
    for table, change in ((CHUNKS, with_our_chunks), (SAMPLES, _with_our_sample)):
        for module_name, names in table.items():
            for name in names:
                before = getattr(sys.modules.get(module_name), name, None)
                if before is not None:  # versions of Dask differ in where what is not public stands
                    put("dask.array", name, before, kept(before, change))
    for module_name, functions in AROUND.items():
        for name, around in functions.items():
            before = getattr(sys.modules[module_name], name)
            put("dask.array", name, before, around(before))
