"""A program that a type checker has to understand: each line says what it takes the type to be."""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np

import asnumpy as ap
from asnumpy.typing import ArrayLike, DTypeLike, NDArray

Reals = NDArray[ap.float64]


def distance(a: Reals, b: ArrayLike, dtype: DTypeLike = ap.float64) -> Reals:
    difference = ap.asarray(b, dtype=dtype) - a
    return ap.sqrt((difference * difference).sum(axis=-1))


def image(width: int, height: int) -> ap.ndarray:
    grid: ap.ndarray = ap.zeros((height, width), dtype="float32")
    grid[1:-1, ::2] = 1.0
    grid += ap.linspace(0, 1, width)
    grid[grid > 0.5] = 0
    return grid.reshape(-1, width)[..., None].astype(ap.uint8)


points: Reals = ap.linspace(0, 1, 30).reshape(10, 3)
assert_type(ap.exp(points), ap.ndarray)
assert_type(ap.add(points, [1.0, 2.0, 3.0], out=points), ap.ndarray)
assert_type(ap.divmod(points, 2), tuple[ap.ndarray, ap.ndarray])
assert_type(ap.add.reduce(points, axis=0, keepdims=True), ap.ndarray)
assert_type(points.shape, tuple[int, ...])
assert_type(points + 1, ap.ndarray)
assert_type(2.0 * points, ap.ndarray)
assert_type(points @ points.T, ap.ndarray)
assert_type(points > 0, ap.ndarray)
assert_type(points.dtype, np.dtype[np.float64])
assert_type(points.sum(), ap.ndarray)
assert_type(points.flags.writeable, bool)
assert_type(ap.to_numpy(points), "np.ndarray[Any, Any]")
assert_type(ap.memory_info(), dict[str, int])
assert_type(ap.memory_info(holders=3), dict[str, Any])
assert_type(ap.nn.softmax(points), ap.ndarray)
assert_type(ap.float32(3), np.float32)
assert_type(ap.__version__, str)
assert_type(ap.isdtype(ap.dtype("f4"), "real floating"), bool)

total: float = float(distance(points, ap.ones(3)).max())
values: list[float] = points.tolist()
host: np.ndarray[Any, Any] = np.asarray(points)
first, second = ap.unstack(points[:2])
rows, columns = ap.nonzero(points > 0)
joined = ap.concatenate([points, points[::-1]], axis=1)
decomposed = ap.linalg.svd(points)
spectrum = ap.fft.rfft(points, axis=0)
fast = ap.vectorize(lambda x: x * 2)(points)
with ap.errstate(divide="ignore"), ap.config.using(num_threads=1):
    print(image(8, 4), total, first / second, joined.mean(), spectrum, fast)
