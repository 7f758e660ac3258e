"""`dask.config.set({"array.backend": "asnumpy"})`: what dask.array makes from nothing has chunks of ours."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import dask.array
import dask.config
import numpy as np
from dask.array import creation
from dask.array.backends import ArrayBackendEntrypoint

import asnumpy as ap
from asnumpy.dask._kept import changed, with_our_chunks

# Of what makes arrays from nothing, those for which Dask asks no backend.
FROM_NOTHING = ("eye", "linspace")


def _with_numpys(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Dask's function for NumPy's chunks, which makes those of the sample (`meta` or `like`) that it is given."""
    with dask.config.set({"array.backend": "numpy"}):
        return getattr(dask.array, name)(*args, **kwargs)


def _like(name: str) -> Any:
    def made(*args: Any, meta: Any = None, **kwargs: Any) -> Any:
        return _with_numpys(name, args, {"meta": ap.empty((0,)) if meta is None else meta, **kwargs})

    made.__name__ = name
    return staticmethod(made)


class Backend(ArrayBackendEntrypoint):
    """asnumpy as a backend of dask.array."""

    ones, zeros, empty, full = _like("ones"), _like("zeros"), _like("empty"), _like("full")

    @staticmethod
    def arange(*args: Any, like: Any = None, **kwargs: Any) -> Any:
        return _with_numpys("arange", args, {"like": ap.empty((0,)) if like is None else like, **kwargs})

    @property
    def RandomState(self) -> Any:
        return ap.random.RandomState

    @property
    def default_bit_generator(self) -> Any:
        return ap.random.Philox

    @classmethod
    def to_backend_dispatch(cls) -> Any:
        return ap.asarray

    @classmethod
    def to_backend(cls, data: Any, **kwargs: Any) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        if isinstance(data._meta, ap.ndarray):
            return data
        meta = ap.asarray(data._meta) if isinstance(data._meta, np.ndarray) else None
        return data.map_blocks(ap.asarray, dtype=data.dtype, meta=meta, **kwargs)


def _of_the_backend(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, whose chunks are made by NumPy, and are ours with this backend."""

    @functools.wraps(function)
    def made(*args: Any, **kwargs: Any) -> Any:
        result = function(*args, **kwargs)
        return changed(result, with_our_chunks) if dask.config.get("array.backend", None) == "asnumpy" else result

    return made


def create() -> None:
    """Puts them in place for users; Dask's own modules, which may work on NumPy's arrays, keep what they have."""
    for name in FROM_NOTHING:
        made = _of_the_backend(getattr(creation, name))
        for module in (sys.modules["dask.array"], creation):  # `dask` may not have the name yet
            setattr(module, name, made)
