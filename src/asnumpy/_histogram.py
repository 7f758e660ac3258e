"""Counting into bins, on the host, where NumPy's own rules for edges and widths apply."""

from __future__ import annotations

from typing import Any

import numpy as np

from asnumpy._array import ndarray
from asnumpy._convert import asarray
from asnumpy._host import host
from asnumpy._public import public


@public
def bincount(x: Any, /, weights: Any = None, minlength: int = 0) -> ndarray:
    return host(np.bincount, x, weights, minlength)


@public
def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> ndarray:
    return host(np.histogram_bin_edges, asarray(a), bins, range, weights)


@public
def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None,
) -> tuple[ndarray, ndarray]:
    return host(np.histogram, asarray(a), bins, range, density, weights)


@public
def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None,
) -> tuple[ndarray, ndarray, ndarray]:
    return host(np.histogram2d, x, y, bins, range, density, weights)


@public
def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: bool | None = None, weights: Any = None,
) -> tuple[ndarray, tuple[ndarray, ...]]:
    return host(np.histogramdd, sample, bins, range, density, weights)
