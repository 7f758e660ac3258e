"""What Dask is told about arrays of ours, once."""

from __future__ import annotations

from typing import Any

from dask import config
from dask.array import dispatch, register_chunk_type
from dask.array.backends import _nannumel, _numel_arraylike, array_creation_dispatch, percentile
from dask.callbacks import Callback
from dask.sizeof import sizeof
from dask.tokenize import normalize_token

import asnumpy as ap
from asnumpy.dask import _backend, _kept
from asnumpy.dask._arrays import held_bytes
from asnumpy.dask._backend import Backend
from asnumpy.dask._tasks import evaluate_in_its_thread
from asnumpy.host.door import numpy_view


def _token(array: ap.ndarray) -> tuple[Any, ...]:
    # the same elements in NumPy's array, or on another device, are another chunk
    plain = numpy_view(array)
    return "asnumpy.ndarray", str(array.device), plain.dtype.name, normalize_token(plain)


def _token_of_ufunc(function: ap.ufunc) -> tuple[str, str]:
    return "asnumpy.ufunc", function.__name__


def register() -> None:
    """Chunk type, lookups, sizes, tokens, the backend, and the end of tasks under the schedulers of one process."""
    register_chunk_type(ap.ndarray)
    dispatch.concatenate_lookup.register(ap.ndarray, ap.concatenate)
    dispatch.tensordot_lookup.register(ap.ndarray, ap.tensordot)
    dispatch.einsum_lookup.register(ap.ndarray, ap.einsum)
    dispatch.take_lookup.register(ap.ndarray, ap.take)
    dispatch.empty_lookup.register(ap.ndarray, ap.empty)
    dispatch.divide_lookup.register(ap.ndarray, ap.divide)
    dispatch.percentile_lookup.register(ap.ndarray, percentile)
    dispatch.numel_lookup.register(ap.ndarray, _numel_arraylike)
    dispatch.nannumel_lookup.register(ap.ndarray, _nannumel)
    dispatch.to_numpy_dispatch.register(ap.ndarray, lambda data, **kwargs: ap.to_numpy(data))
    sizeof.register(ap.ndarray, held_bytes)
    normalize_token.register(ap.ndarray, _token)
    normalize_token.register(ap.ufunc, _token_of_ufunc)
    array_creation_dispatch.register_backend("asnumpy", Backend())
    Callback(pretask=evaluate_in_its_thread).register()
    if not config.get("array.query-planning", False):  # whose functions are others
        _kept.keep()
        _backend.create()
