"""Filters of signals and pictures: recursive, by shifts, by order, by statistics."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import EQUAL, FUNCTIONS, REORDERED, SINGLE, Agreement, Program, Size, prange

Random = np.random.Generator

CANCELLED = Agreement(1e-6, "differences of running sums lose the digits that the sums have in common")


def recursive_rows(xp: Any, picture: Any) -> Any:
    """A second-order recursive smoother to the right and to the left, all rows at once."""
    columns = picture.shape[1]
    right, left = xp.zeros_like(picture), xp.zeros_like(picture)
    right[:, 0] = picture[:, 0]
    right[:, 1] = picture[:, 1] + 0.5 * right[:, 0]
    for j in range(2, columns):
        right[:, j] = 0.3 * picture[:, j] + 0.5 * right[:, j - 1] + 0.2 * right[:, j - 2]
    for j in range(columns - 3, -1, -1):
        left[:, j] = 0.3 * picture[:, j + 1] + 0.5 * left[:, j + 1] + 0.2 * left[:, j + 2]
    return right + left


def recursive_rows_loops(picture: Any) -> Any:
    rows, columns = picture.shape
    right, left = np.zeros_like(picture), np.zeros_like(picture)
    for i in prange(rows):
        right[i, 0] = picture[i, 0]
        right[i, 1] = picture[i, 1] + 0.5 * right[i, 0]
        for j in range(2, columns):
            right[i, j] = 0.3 * picture[i, j] + 0.5 * right[i, j - 1] + 0.2 * right[i, j - 2]
        for j in range(columns - 3, -1, -1):
            left[i, j] = 0.3 * picture[i, j + 1] + 0.5 * left[i, j + 1] + 0.2 * left[i, j + 2]
        for j in range(columns):
            right[i, j] += left[i, j]
    return right


def exponential_average(xp: Any, x: Any, weight: float) -> Any:
    """One element after the other."""
    y = xp.empty_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = weight * x[i] + (1 - weight) * y[i - 1]
    return y


def exponential_average_loops(x: Any, weight: float) -> Any:
    y = np.empty_like(x)
    y[0] = x[0]
    for i in range(1, len(x)):
        y[i] = weight * x[i] + (1 - weight) * y[i - 1]
    return y


def finite_response(xp: Any, x: Any, taps: Any) -> Any:
    """Shifted copies, weighted and added."""
    n = len(x) - len(taps) + 1
    y = xp.zeros(n)
    for k in range(len(taps)):
        y += taps[k] * x[k : k + n]
    return y


def finite_response_loops(x: Any, taps: Any) -> Any:
    n = len(x) - len(taps) + 1
    y = np.zeros(n)
    for i in prange(n):
        total = 0.0
        for k in range(len(taps)):
            total += taps[k] * x[i + k]
        y[i] = total
    return y


def gaussian_blur(xp: Any, picture: Any) -> Any:
    """Seven taps along each axis, by slices of a padded picture."""
    weights = [0.03, 0.11, 0.22, 0.28, 0.22, 0.11, 0.03]
    padded = xp.pad(picture, 3, mode="edge")
    rows, columns = picture.shape
    across = sum(w * padded[:, k : k + columns] for k, w in enumerate(weights))
    return sum(w * across[k : k + rows] for k, w in enumerate(weights))


def median_of_nine(xp: Any, picture: Any) -> Any:
    """The median of each 3 x 3 neighbourhood, by a network of minima and maxima."""
    rows, columns = picture.shape
    window = [picture[i : rows - 2 + i, j : columns - 2 + j] for i in range(3) for j in range(3)]

    def order(i: int, j: int) -> None:
        window[i], window[j] = xp.minimum(window[i], window[j]), xp.maximum(window[i], window[j])

    for triple in range(0, 9, 3):  # each row in order: then largest minimum, middle median, smallest maximum
        order(triple, triple + 1)
        order(triple + 1, triple + 2)
        order(triple, triple + 1)
    low = xp.maximum(xp.maximum(window[0], window[3]), window[6])
    high = xp.minimum(xp.minimum(window[2], window[5]), window[8])
    order(1, 4)
    order(4, 7)
    order(1, 4)
    middle = window[4]
    return xp.maximum(xp.minimum(low, middle), xp.minimum(xp.maximum(low, middle), high))


def edges(xp: Any, picture: Any) -> Any:
    """Gradients, their size and direction in quarters, and what is largest along it."""
    gx = picture[1:-1, 2:] - picture[1:-1, :-2] + 0.5 * (picture[2:, 2:] - picture[2:, :-2])
    gy = picture[2:, 1:-1] - picture[:-2, 1:-1] + 0.5 * (picture[2:, 2:] - picture[:-2, 2:])
    size = xp.sqrt(gx * gx + gy * gy)
    inner = size[1:-1, 1:-1]
    flat = xp.abs(gx)[1:-1, 1:-1] > xp.abs(gy)[1:-1, 1:-1]
    one = xp.where(flat, size[1:-1, 2:], size[2:, 1:-1])
    two = xp.where(flat, size[1:-1, :-2], size[:-2, 1:-1])
    return xp.where((inner >= one) & (inner >= two) & (inner > 0.3), inner, 0)


def bilateral(xp: Any, picture: Any, radius: int) -> Any:
    """Neighbours weigh by their distance and by how alike they are."""
    rows, columns = picture.shape
    padded = xp.pad(picture, radius, mode="reflect")
    total, weight = xp.zeros_like(picture), xp.zeros_like(picture)
    for i in range(2 * radius + 1):
        for j in range(2 * radius + 1):
            near = padded[i : i + rows, j : j + columns]
            w = xp.exp(-((i - radius) ** 2 + (j - radius) ** 2) / 8 - (near - picture) ** 2 / 0.02)
            total += w * near
            weight += w
    return total / weight


def bilateral_loops(picture: Any, radius: int) -> Any:
    rows, columns = picture.shape
    out = np.empty_like(picture)
    for y in prange(rows):
        for x in range(columns):
            total = weight = 0.0
            for i in range(-radius, radius + 1):
                r = abs(y + i)
                r = 2 * (rows - 1) - r if r >= rows else r
                for j in range(-radius, radius + 1):
                    c = abs(x + j)
                    c = 2 * (columns - 1) - c if c >= columns else c
                    near = picture[r, c]
                    w = np.exp(-(i * i + j * j) / 8 - (near - picture[y, x]) ** 2 / 0.02)
                    total += w * near
                    weight += w
            out[y, x] = total / weight
    return out


def kalman(xp: Any, f: Any, q: Any, h: Any, r: Any, measured: Any) -> Any:
    """State and uncertainty of a small system through time."""
    n = len(f)
    x, p = xp.zeros(n), xp.eye(n)
    states = xp.empty((len(measured), n))
    for t in range(len(measured)):
        x = f @ x
        p = f @ p @ f.T + q
        gain = p @ h.T @ xp.linalg.inv(h @ p @ h.T + r)
        x = x + gain @ (measured[t] - h @ x)
        p = (xp.eye(n) - gain @ h) @ p
        states[t] = x
    return states


def tracking(size: Size, rng: Random) -> tuple[Any, ...]:
    steps, n, m = size
    f = np.eye(n) + 0.1 * rng.normal(size=(n, n)) / n
    return f * 0.95, 0.1 * np.eye(n), rng.normal(size=(m, n)), 0.5 * np.eye(m), rng.normal(size=(steps, m))


def equalise(xp: Any, picture: Any) -> Any:
    """Grey values spread so that each occurs as often."""
    counts = xp.bincount(picture.ravel(), minlength=256)
    share = xp.cumsum(counts) / picture.size
    return (share * 255).astype(xp.uint8)[picture]


def moving_statistics(xp: Any, x: Any, width: int) -> Any:
    """Mean and spread in a moving window, by differences of running sums."""
    sums = xp.concatenate([xp.zeros(1), xp.cumsum(x)])
    squares = xp.concatenate([xp.zeros(1), xp.cumsum(x * x)])
    mean = (sums[width:] - sums[:-width]) / width
    variance = (squares[width:] - squares[:-width]) / width - mean * mean
    return mean, xp.sqrt(xp.maximum(variance, 0.25))


def noise(size: Size, rng: Random) -> tuple[Any, ...]:
    return (rng.random(size),)


PROGRAMS = (
    Program("recursive filter of rows", recursive_rows, noise, ((60, 60), (300, 320), (2000, 2000)), EQUAL,
            recursive_rows_loops, True),
    Program("exponential average by elements", exponential_average, lambda s, g: (g.random(s[0]), 0.1),
            ((2000,), (10_000,), (50_000,)), EQUAL, exponential_average_loops),
    Program("finite impulse response by shifts", finite_response, lambda s, g: (g.random(s[0]), g.random(s[1])),
            ((4000, 16), (100_000, 32), (2_000_000, 32)), EQUAL, finite_response_loops, True),
    Program("Gaussian blur by slices", gaussian_blur, lambda s, g: (g.random(s, dtype=np.float32),),
            ((64, 64), (320, 320), (2000, 2000)), SINGLE),
    Program("median of nine", median_of_nine, noise, ((64, 64), (320, 320), (2000, 2000)), EQUAL),
    Program("thin edges", edges, noise, ((64, 64), (320, 320), (2000, 2000)), EQUAL),
    Program("bilateral filter", bilateral, lambda s, g: (g.random(s[:2]), s[2]),
            ((40, 40, 2), (250, 250, 3), (800, 800, 3)), FUNCTIONS, bilateral_loops, True),
    Program("Kalman filter", kalman, tracking, ((60, 4, 2), (200, 24, 8), (100, 160, 40)), REORDERED),
    Program("equalised histogram", equalise, lambda s, g: (g.integers(0, 200, s).astype(np.uint8),),
            ((64, 64), (320, 320), (2500, 2500)), EQUAL),
    Program("moving mean and spread", moving_statistics, lambda s, g: (g.random(s[0]), s[1]),
            ((4000, 20), (100_000, 50), (5_000_000, 50)), CANCELLED),
)
