"""Iterations of the plane: every point until the end, masks, and arrays that shrink."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import EQUAL, REORDERED, Program, Size, prange

Random = np.random.Generator


def plane(size: Size, rng: Random) -> tuple[Any, ...]:
    rows, columns, iterations = size
    x, y = np.linspace(-2, 0.6, columns), np.linspace(-1.2, 1.2, rows)
    return x[None, :] + 1j * y[:, None], iterations


def mandelbrot_masked(xp: Any, c: Any, iterations: int) -> Any:
    """Points that are left over, selected by a mask in each iteration."""
    z = xp.zeros_like(c)
    count = xp.zeros(c.shape, dtype=xp.int64)
    for step in range(iterations):
        inside = abs(z) < 2
        count[inside] = step
        z[inside] = z[inside] ** 2 + c[inside]
    return count


def mandelbrot_shrinking(xp: Any, c: Any, iterations: int) -> Any:
    """Points that are left over, moved together after each iteration."""
    count = xp.zeros(c.size, dtype=xp.int64)
    where = xp.arange(c.size)
    c = c.ravel()
    z = c.copy()
    for step in range(iterations):
        z = z * z + c
        out = abs(z) > 2
        count[where[out]] = step
        keep = ~out
        where, z, c = where[keep], z[keep], c[keep]
    return count


def mandelbrot_loops(c: Any, iterations: int) -> Any:
    rows, columns = c.shape
    count = np.zeros((rows, columns), dtype=np.int64)
    for i in prange(rows):
        for j in range(columns):
            z = 0j
            for step in range(iterations):
                if z.real * z.real + z.imag * z.imag >= 4:
                    break
                count[i, j] = step
                z = z * z + c[i, j]
    return count


def mandelbrot_shrinking_loops(c: Any, iterations: int) -> Any:
    points = c.ravel()
    count = np.zeros(points.size, dtype=np.int64)
    for i in prange(points.size):
        z = points[i]
        for step in range(iterations):
            z = z * z + points[i]
            if z.real * z.real + z.imag * z.imag > 4:
                count[i] = step
                break
    return count


def julia(xp: Any, x: Any, y: Any, iterations: int) -> Any:
    """Every point to the end, real and imaginary parts apart, with `where`."""
    x, y = x + xp.zeros_like(y), y + xp.zeros_like(x)
    count = xp.zeros(x.shape, dtype=xp.int32)
    for _ in range(iterations):
        xx, yy = x * x, y * y
        inside = xx + yy < 4
        count += inside
        x, y = xp.where(inside, xx - yy - 0.8, x), xp.where(inside, 2 * x * y + 0.156, y)
    return count


def julia_loops(x: Any, y: Any, iterations: int) -> Any:
    count = np.zeros((y.size, x.size), dtype=np.int32)
    for i in prange(y.size):
        for j in range(x.size):
            a, b = x[0, j], y[i, 0]
            for _ in range(iterations):
                aa, bb = a * a, b * b
                if aa + bb >= 4:
                    break
                count[i, j] += 1
                a, b = aa - bb - 0.8, 2 * a * b + 0.156
    return count


def newton(xp: Any, z: Any, iterations: int) -> Any:
    """Which root of z^3 = 1 Newton's method finds from each point of the plane."""
    for _ in range(iterations):
        square = z * z
        z = z - (square * z - 1) / (3 * square + 1e-12)
    angle = xp.arctan2(z.imag, z.real)
    return xp.where(angle > 1, 1, xp.where(angle < -1, 2, 0))


def logistic_map(xp: Any, rates: Any, iterations: int) -> Any:
    """Orbits of many rates at once, and the mean of the logarithm of their slopes."""
    x = xp.full(rates.shape, 0.5)
    total = xp.zeros_like(rates)
    for _ in range(iterations):
        x = rates * x * (1 - x)
        total += xp.log(xp.abs(rates * (1 - 2 * x)) + 1e-12)
    return total / iterations


PROGRAMS = (
    Program("Mandelbrot with masks", mandelbrot_masked, plane, ((60, 60, 30), (240, 320, 30), (1000, 1000, 20)),
            EQUAL, mandelbrot_loops, True),
    Program("Mandelbrot, shrinking", mandelbrot_shrinking, plane, ((60, 60, 30), (240, 320, 30), (1000, 1000, 20)),
            EQUAL, mandelbrot_shrinking_loops, True),
    Program("Julia set to the end", julia, lambda s, g: (np.linspace(-1.5, 1.5, s[1])[None, :],
            np.linspace(-1.5, 1.5, s[0])[:, None], s[2]), ((60, 60, 40), (240, 320, 40), (1000, 1000, 20)), EQUAL,
            julia_loops, True),
    Program("Newton's roots", newton, lambda s, g: (plane(s, g)[0] + 0.013, s[2]),
            ((50, 60, 12), (240, 320, 12), (1000, 1000, 8)), REORDERED),
    Program("logistic map", logistic_map, lambda s, g: (np.linspace(2.5, 3.5, s[0]), s[1]),
            ((2000, 40), (100_000, 20), (2_000_000, 6)), REORDERED),
)
