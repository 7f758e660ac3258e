"""Images of float32: colours, edges, filters, sizes. An image's edge goes on beyond it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.operators._operator import operator
from asnumpy.operators.library._kernels import element_by_element, kernel_of, launch


@operator("library.rgb_to_hsv(x: f4[..., 3]) -> y: f4[..., 3]")
def rgb_to_hsv(x: Any) -> Any:
    """Red, green and blue of 0 to 1 to hue, saturation and value of 0 to 1. Within 1e-6."""
    r, g, b = x[..., 0], x[..., 1], x[..., 2]
    value, low = ap.maximum(ap.maximum(r, g), b), ap.minimum(ap.minimum(r, g), b)
    spread = value - low
    some = ap.where(spread == 0, np.float32(1), spread)
    hue = ap.where(value == g, (b - r) / some + np.float32(2), (g - b) / some)
    hue = ap.where(value == b, (r - g) / some + np.float32(4), hue) / np.float32(6)
    hue = ap.where(spread == 0, np.float32(0), hue - ap.floor(hue))
    saturation = spread / ap.where(value == 0, np.float32(1), value)
    return ap.stack([hue, saturation, value], axis=-1)


@operator("library.hsv_to_rgb(x: f4[..., 3]) -> y: f4[..., 3]")
def hsv_to_rgb(x: Any) -> Any:
    """Hue, saturation and value of 0 to 1 to red, green and blue of 0 to 1. Within 1e-6."""
    hue, value = x[..., 0], x[..., 2]
    chroma = x[..., 1] * value
    channels = []
    for turn in (5, 3, 1):
        k = hue + np.float32(turn / 6)
        k = (k - ap.floor(k)) * np.float32(6)
        channels.append(value - chroma * ap.clip(ap.minimum(k, np.float32(4) - k), np.float32(0), np.float32(1)))
    return ap.stack(channels, axis=-1)


element_by_element(rgb_to_hsv, "pixels", "rgb_to_hsv", per=3)
element_by_element(hsv_to_rgb, "pixels", "hsv_to_rgb", per=3)


@operator("library.double_threshold(x: f4[...], *, low: float, high: float) -> y: u1[...]")
def double_threshold(x: Any, *, low: float, high: float) -> Any:
    """2 from `high` on, 1 from `low` on, 0 below: the strong and weak edges of Canny's method."""
    return (x >= np.float32(low)).astype(np.uint8) + (x >= np.float32(high)).astype(np.uint8)


@kernel_of(double_threshold)
def _double_threshold(x: Any, y: Any, *, low: float, high: float) -> None:
    launch("pixels", "levels", [x, y, x.size, low, high], items=x.size)


def _neighbours(x: Any) -> list[list[Any]]:
    """The image moved by a pixel up to down and left to right."""
    wide, (h, w) = ap.pad(x, 1, mode="edge"), x.shape
    return [[wide[i : i + h, j : j + w] for j in range(3)] for i in range(3)]


def _pieces(x: Any, rows: int = 8) -> int:
    """Pieces of an image that cores share."""
    h, w = x.shape
    return int(math.ceil(h / rows) * math.ceil(w / 512))


@operator("library.sobel(x: f4[h, w]) -> across: f4[h, w], down: f4[h, w]")
def sobel(x: Any) -> Any:
    """Differences across and down, each smoothed by 1 2 1 the other way."""
    if not x.size:
        return x.copy(), x.copy()
    n = _neighbours(x)
    across = (n[0][2] - n[0][0]) + 2 * (n[1][2] - n[1][0]) + (n[2][2] - n[2][0])
    return across, (n[2][0] - n[0][0]) + 2 * (n[2][1] - n[0][1]) + (n[2][2] - n[0][2])


@kernel_of(sobel)
def _sobel(x: Any, across: Any, down: Any) -> None:
    launch("images", "sobel", [x, across, down, *x.shape], items=_pieces(x), least=1)


@operator("library.thin_edges(size: f4[h, w], across: f4[h, w], down: f4[h, w]) -> y: f4[h, w]")
def thin_edges(size: Any, across: Any, down: Any) -> Any:
    """Non-maximum suppression: what is no less than both neighbours in the gradient's direction, 0 elsewhere.

    The direction is the nearest of four: across, down, and both diagonals.
    """
    if not size.size:
        return size.copy()
    n, slope = _neighbours(size), np.float32(0.41421356)  # the tangent of 22.5 degrees
    a, d = ap.absolute(across), ap.absolute(down)
    limit = ap.where(across * down >= 0, ap.maximum(n[0][0], n[2][2]), ap.maximum(n[0][2], n[2][0]))
    limit = ap.where(a <= slope * d, ap.maximum(n[0][1], n[2][1]), limit)
    limit = ap.where(d <= slope * a, ap.maximum(n[1][0], n[1][2]), limit)
    return ap.where(size >= limit, size, np.float32(0))


@kernel_of(thin_edges)
def _thin_edges(size: Any, across: Any, down: Any, y: Any) -> None:
    launch("images", "thin", [size, across, down, y, *size.shape], items=_pieces(size, 6), least=1)


@operator("library.median_filter(x: f4[h, w]) -> y: f4[h, w]")
def median_filter(x: Any) -> Any:
    """The median of each pixel and its eight neighbours."""
    if not x.size:
        return x.copy()
    return ap.median(ap.stack([one for row in _neighbours(x) for one in row]), axis=0)


@kernel_of(median_filter)
def _median_filter(x: Any, y: Any) -> None:
    launch("images", "median", [x, y, *x.shape], items=_pieces(x, 4), least=1)


MOST_WEIGHTS = 65


@operator("library.separable_filter(x: f4[h, w], weights: f4[k]) -> y: f4[h, w]")
def separable_filter(x: Any, weights: Any) -> Any:
    """Sums of neighbours, weighted down and then across: box and Gaussian filters. k is odd."""
    reach = _reach(weights)
    if not x.size:
        return x.copy()
    wide, (h, w) = ap.pad(x, reach, mode="edge"), x.shape
    down: Any = sum(wide[i : i + h] * weights[i] for i in range(2 * reach + 1))
    return sum(down[:, i : i + w] * weights[i] for i in range(2 * reach + 1))


def _reach(weights: Any) -> int:
    if weights.size % 2 == 0:
        raise ValueError(f"library.separable_filter: weights: expected an odd number of them, got {weights.size}")
    return int(weights.size) // 2


@kernel_of(separable_filter, when=lambda x, weights: weights.size % 2 == 1 and weights.size <= MOST_WEIGHTS)
def _separable_filter(x: Any, weights: Any, y: Any) -> None:
    (h, w), k = x.shape, weights.size
    wide = ap.pad(x, _reach(weights), mode="edge") if k > 1 else x
    down = ap.empty((h, wide.shape[1]), np.float32, device=x.device)
    launch("images", "filter", [wide, weights, down, *down.shape, k, 1], items=_pieces(down, 16), least=1)
    launch("images", "filter", [down, weights, y, h, w, k, 0], items=_pieces(y, 16), least=1)


def gaussian_weights(sigma: float, reach: int | None = None) -> Any:
    """Weights of a Gaussian for `separable_filter`, whose sum is 1; to four times sigma where `reach` is not given."""
    if not sigma > 0:
        raise ValueError(f"gaussian_weights: sigma: expected more than 0, got {sigma}")
    reach = math.ceil(4 * sigma) if reach is None else reach
    made = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    return ap.asarray((made / made.sum()).astype(np.float32))


LONGEST_LINE = 6144


@operator("library.resize_bilinear(x: f4[..., h, w], *, height: int, width: int) -> y: f4[..., height, width]")
def resize_bilinear(x: Any, *, height: int, width: int) -> Any:
    """An image of another size: pixels' centres meet, and between them it is a straight line."""
    for name, length in (("height", height), ("width", width)):
        if length < 0:
            raise ValueError(f"library.resize_bilinear: {name}: expected at least 0, got {length}")
    if not all(x.shape[-2:]):
        if height and width:
            raise ValueError(f"library.resize_bilinear: x: expected pixels, got the shape {x.shape}")
        return ap.zeros((*x.shape[:-2], height, width), np.float32)
    for axis, length in ((-2, height), (-1, width)):
        n = x.shape[axis]
        place = ap.clip((ap.arange(length) + 0.5) * (n / max(length, 1)) - 0.5, 0, n - 1)
        first = ap.floor(place).astype(np.int64)
        share = (place - first).astype(np.float32)
        if axis == -2:
            share = share[:, None]
        start = ap.take(x, first, axis=axis)
        x = start + (ap.take(x, ap.minimum(first + 1, n - 1), axis=axis) - start) * share
    return x


@kernel_of(
    resize_bilinear,
    when=lambda x, *, height, width: 0 < x.shape[-1] <= LONGEST_LINE and x.shape[-2] > 0 and 0 <= width <= LONGEST_LINE
)
def _resize_bilinear(x: Any, y: Any, *, height: int, width: int) -> None:
    h, w = x.shape[-2:]
    images = x.size // (h * w)
    launch("images", "resize", [x, y, images, h, w, height, width], items=images * height, least=1)
