"""An image pipeline in array code only: colour spaces, histogram equalisation and Canny edges of a batch of pictures.

Every function takes `xp`, the array library, and arrays of that library. A batch has the shape
(pictures, rows, columns, 3) with values between 0 and 1, a plane the shape (pictures, rows, columns).
"""

from __future__ import annotations

from typing import Any

LEVELS = 256  # of the histogram
GAUSSIAN = (0.0545, 0.2442, 0.4026, 0.2442, 0.0545)  # sigma 1, five taps
TAN_22_5 = 0.41421356
SWEEPS_BETWEEN_CHECKS = 8


def rgb_to_hsv(xp: Any, rgb: Any) -> Any:
    """Return hue, saturation and value, each between 0 and 1."""
    red, green, blue = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    value = xp.maximum(xp.maximum(red, green), blue)
    chroma = value - xp.minimum(xp.minimum(red, green), blue)
    coloured = chroma > 0
    divisor = xp.where(coloured, chroma, 1)
    hue = xp.where(
        value == red,
        (green - blue) / divisor,
        xp.where(value == green, 2 + (blue - red) / divisor, 4 + (red - green) / divisor),
    )
    hue = xp.where(coloured, xp.where(hue < 0, hue + 6, hue) / 6, 0)
    saturation = xp.where(coloured, chroma / xp.where(coloured, value, 1), 0)
    return xp.stack([hue, saturation, value], axis=-1)


def hsv_to_rgb(xp: Any, hsv: Any) -> Any:
    """Return red, green and blue; the inverse of rgb_to_hsv."""
    hue, saturation, value = hsv[..., 0] * 6, hsv[..., 1], hsv[..., 2]
    chroma = saturation * value

    def channel(shift: int) -> Any:
        # Around the colour circle a channel is full for a third, empty for a third, and a ramp between.
        place = hue + shift
        place = xp.where(place >= 6, place - 6, place)
        return value - chroma * xp.clip(xp.minimum(place, 4 - place), 0, 1)

    return xp.stack([channel(5), channel(3), channel(1)], axis=-1)


def equalise(xp: Any, plane: Any) -> Any:
    """Spread the values of each picture so that its cumulative histogram becomes a straight line."""
    pictures, pixels = plane.shape[0], plane.shape[1] * plane.shape[2]
    level = (plane * (LEVELS - 1) + 0.5).astype(xp.int64)
    # One histogram for the whole batch: each picture counts in bins of its own.
    level = level + xp.arange(pictures).reshape(-1, 1, 1) * LEVELS
    histogram = xp.bincount(level.reshape(-1), minlength=pictures * LEVELS).reshape(pictures, LEVELS)
    cumulative = xp.cumsum(histogram, axis=1)
    darkest = xp.min(xp.where(cumulative > 0, cumulative, pixels), axis=1, keepdims=True)
    table = xp.maximum(cumulative - darkest, 0) / xp.maximum(pixels - darkest, 1)
    return xp.take(table.astype(plane.dtype).reshape(-1), level)


def blur(xp: Any, plane: Any) -> Any:
    """Smooth with a Gaussian, rows and columns apart; the border repeats the edge pixels."""
    rows, columns = plane.shape[1:]
    reach = len(GAUSSIAN) // 2
    padded = xp.pad(plane, ((0, 0), (reach, reach), (0, 0)), mode="edge")
    plane = sum(weight * padded[:, i : i + rows, :] for i, weight in enumerate(GAUSSIAN))
    padded = xp.pad(plane, ((0, 0), (0, 0), (reach, reach)), mode="edge")
    return sum(weight * padded[:, :, i : i + columns] for i, weight in enumerate(GAUSSIAN))


def sobel(xp: Any, plane: Any) -> tuple[Any, Any]:
    """Return the gradient along columns and along rows."""
    p = xp.pad(plane, ((0, 0), (1, 1), (1, 1)), mode="edge")
    across = p[:, :-2, :] + 2 * p[:, 1:-1, :] + p[:, 2:, :]
    down = p[:, :, :-2] + 2 * p[:, :, 1:-1] + p[:, :, 2:]
    return across[:, :, 2:] - across[:, :, :-2], down[:, 2:, :] - down[:, :-2, :]


def ridge(xp: Any, gx: Any, gy: Any) -> Any:
    """Keep the magnitude of the gradient where neither neighbour along the gradient is larger, else 0."""
    magnitude = xp.sqrt(gx * gx + gy * gy)
    p = xp.pad(magnitude, ((0, 0), (1, 1), (1, 1)))
    up, down = p[:, :-2], p[:, 2:]
    ax, ay = xp.abs(gx), xp.abs(gy)
    flat, steep, falling = ay <= TAN_22_5 * ax, ax <= TAN_22_5 * ay, gx * gy > 0
    neighbour = xp.where(
        flat,
        xp.maximum(p[:, 1:-1, 2:], p[:, 1:-1, :-2]),
        xp.where(
            steep,
            xp.maximum(up[:, :, 1:-1], down[:, :, 1:-1]),
            xp.where(
                falling,
                xp.maximum(up[:, :, :-2], down[:, :, 2:]),
                xp.maximum(up[:, :, 2:], down[:, :, :-2]),
            ),
        ),
    )
    return xp.where(magnitude >= neighbour, magnitude, 0)


def grow(xp: Any, strong: Any, weak: Any, sweeps: int | None = None) -> Any:
    """Extend the strong pixels along connected weak ones, one pixel a sweep: `sweeps` times or until all is still."""
    pictures, rows, columns = strong.shape
    p = xp.zeros((pictures, rows + 2, columns + 2), dtype=bool)
    inner = p[:, 1:-1, 1:-1]
    inner[...] = strong
    done, count = 0, -1
    while sweeps is None or done < sweeps:
        beside = p[:, :, :-2] | p[:, :, 1:-1] | p[:, :, 2:]
        inner[...] = (beside[:, :-2] | beside[:, 1:-1] | beside[:, 2:]) & weak
        done += 1
        if sweeps is None and done % SWEEPS_BETWEEN_CHECKS == 0:
            before, count = count, int(xp.sum(inner))
            if count == before:
                break
    return inner.copy()


def canny(xp: Any, plane: Any, low: float = 0.1, high: float = 0.25, sweeps: int | None = None) -> Any:
    """Return True where a plane has an edge; `low` and `high` are the thresholds of the gradient."""
    magnitude = ridge(xp, *sobel(xp, blur(xp, plane)))
    return grow(xp, magnitude > high, magnitude > low, sweeps)


def grey(xp: Any, rgb: Any) -> Any:
    """Return the luminance of a batch."""
    return 0.299 * rgb[..., 0] + 0.587 * rgb[..., 1] + 0.114 * rgb[..., 2]


def enhance(xp: Any, rgb: Any) -> tuple[Any, Any]:
    """The whole pipeline: equalise the value channel of a batch and find the edges of the result."""
    hsv = rgb_to_hsv(xp, rgb)
    hsv[..., 2] = equalise(xp, hsv[..., 2])
    bright = hsv_to_rgb(xp, hsv)
    return bright, canny(xp, grey(xp, bright))
