"""Transforms by stages, waves by lifting, and integrals by histograms and sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import EQUAL, FUNCTIONS, REORDERED, Program, Size, prange

Random = np.random.Generator


def fft_stages(xp: Any, x: Any) -> Any:
    """The Fourier transform of a power of two, halves joined stage by stage without reordering."""
    n = x.size
    y = x.reshape(n, 1)
    while y.shape[0] > 1:
        half = y.shape[0] // 2
        count = y.shape[1]
        even, odd = y[:half], y[half:]
        turn = xp.exp(-1j * xp.pi * xp.arange(count) / count)
        turned = odd * turn
        y = xp.concatenate([even + turned, even - turned], axis=1)
    return y.ravel()


def walsh(xp: Any, x: Any) -> Any:
    """Sums and differences over growing distances, in place."""
    x = x.copy()
    width = 1
    while width < x.size:
        pairs = x.reshape(-1, 2, width)
        left, right = pairs[:, 0].copy(), pairs[:, 1].copy()
        pairs[:, 0] = left + right
        pairs[:, 1] = left - right
        width *= 2
    return x


def walsh_loops(x: Any) -> Any:
    x = x.copy()
    width = 1
    while width < x.size:
        for start in range(0, x.size, 2 * width):
            for i in range(start, start + width):
                left, right = x[i], x[i + width]
                x[i], x[i + width] = left + right, left - right
        width *= 2
    return x


def wavelets(xp: Any, x: Any) -> Any:
    """A wavelet transform by lifting: differences from the neighbours' mean, then means mended by them."""
    pieces = []
    while x.size > 8:
        even, odd = x[::2], x[1::2]
        detail = odd - 0.5 * (even + xp.roll(even, -1))
        x = even + 0.25 * (detail + xp.roll(detail, 1))
        pieces.append(detail)
    pieces.append(x)
    return xp.concatenate(pieces[::-1])


def cosine_transform(xp: Any, blocks: Any) -> Any:
    """The cosine transform of square blocks, coefficients rounded, and back."""
    n = blocks.shape[-1]
    k = xp.arange(n)
    basis = xp.cos(xp.pi * (2 * k + 1) * k[:, None] / (2 * n)) * xp.sqrt(2 / n)
    basis[0] /= xp.sqrt(2.0)
    coefficients = basis @ blocks @ basis.T
    kept = xp.where(xp.abs(coefficients) < 0.25, 0, coefficients)
    return basis.T @ kept @ basis


def azimuthal(xp: Any, radius: Any, values: Any, bins: int) -> Any:
    """The mean of a detector's values on each ring."""
    ring = xp.minimum((radius / radius.max() * bins).astype(xp.int64), bins - 1)
    total = xp.bincount(ring, weights=values, minlength=bins)
    count = xp.bincount(ring, minlength=bins)
    return total / xp.maximum(count, 1)


def azimuthal_loops(radius: Any, values: Any, bins: int) -> Any:
    most = radius.max()
    total, count = np.zeros(bins), np.zeros(bins, dtype=np.int64)
    for i in range(radius.size):
        ring = min(int(radius[i] / most * bins), bins - 1)
        total[ring] += values[i]
        count[ring] += 1
    for b in range(bins):
        total[b] /= max(count[b], 1)
    return total


def azimuthal_histogram(xp: Any, radius: Any, values: Any, bins: int) -> Any:
    """The same by two histograms with equal bins."""
    total = xp.histogram(radius, bins, weights=values)[0]
    count, borders = xp.histogram(radius, bins)
    return total / xp.maximum(count, 1), borders


def detector(size: Size, rng: Random) -> tuple[Any, ...]:
    count, bins = size
    return 100 * np.sqrt(rng.random(count)), rng.random(count), bins


def simpson(xp: Any, x: Any, y: Any) -> Any:
    """A double integral by weights along both axes."""
    weight_x, weight_y = xp.ones_like(x), xp.ones_like(y)
    weight_x[1:-1:2], weight_x[2:-1:2] = 4, 2
    weight_y[1:-1:2], weight_y[2:-1:2] = 4, 2
    values = xp.exp(-(x[:, None] ** 2 + y**2)) * xp.cos(x[:, None] * y)
    return (weight_x[:, None] * weight_y * values).sum() * (x[1] - x[0]) * (y[1] - y[0]) / 9


def simpson_loops(x: Any, y: Any) -> Any:
    total = 0.0
    for i in prange(len(x)):
        one = 1 if i in (0, len(x) - 1) else 4 if i % 2 else 2
        for j in range(len(y)):
            two = 1 if j in (0, len(y) - 1) else 4 if j % 2 else 2
            total += one * two * np.exp(-(x[i] * x[i] + y[j] * y[j])) * np.cos(x[i] * y[j])
    return total * (x[1] - x[0]) * (y[1] - y[0]) / 9


def chebyshev(xp: Any, x: Any, coefficients: Any) -> Any:
    """A series by the recurrence from its last term."""
    later, latest = xp.zeros_like(x), xp.zeros_like(x)
    for c in coefficients[:0:-1]:
        later, latest = 2 * x * later - latest + c, later
    return x * later - latest + coefficients[0]


def goertzel(xp: Any, signal: Any, frequencies: Any) -> Any:
    """The strength of some frequencies, sample by sample."""
    twice = 2 * xp.cos(frequencies)
    last, before = xp.zeros_like(frequencies), xp.zeros_like(frequencies)
    for sample in signal:
        last, before = sample + twice * last - before, last
    return last * last + before * before - twice * last * before


def monte_carlo(xp: Any, points: Any) -> Any:
    """The volume of a ball and its moments from random points."""
    square = (points**2).sum(axis=1)
    inside = square < 1
    return inside.mean(), points[inside].mean(axis=0), square[inside].std()


PROGRAMS = (
    Program("Fourier transform by stages", fft_stages, lambda s, g: (g.normal(size=s[0]) + 1j * g.normal(size=s[0]),),
            ((4096,), (131_072,), (2_097_152,)), FUNCTIONS),
    Program("Walsh transform in place", walsh, lambda s, g: (g.normal(size=s[0]),), ((4096,), (131_072,), (4_194_304,)),
            EQUAL, walsh_loops),
    Program("wavelets by lifting", wavelets, lambda s, g: (g.normal(size=s[0]),), ((4096,), (131_072,), (4_194_304,)),
            EQUAL),
    Program("cosine transform of blocks", cosine_transform, lambda s, g: (g.random((s[0], 8, 8)),),
            ((60,), (1600,), (32_000,)), REORDERED),
    Program("rings of a detector", azimuthal, detector, ((4000, 50), (100_000, 300), (4_000_000, 1000)), REORDERED,
            azimuthal_loops),
    Program("rings by histograms", azimuthal_histogram, detector, ((4000, 50), (100_000, 300), (4_000_000, 1000)),
            REORDERED),
    Program("double integral", simpson, lambda s, g: (np.linspace(-2, 2, s[0]), np.linspace(-1, 1, s[1])),
            ((61, 61), (321, 321), (2001, 2001)), FUNCTIONS, simpson_loops, True),
    Program("Chebyshev series", chebyshev, lambda s, g: (np.linspace(-1, 1, s[0]), g.normal(size=s[1])),
            ((4000, 30), (100_000, 30), (2_000_000, 20)), EQUAL),
    Program("frequencies by samples", goertzel, lambda s, g: (g.normal(size=s[0]), np.linspace(0.1, 3, s[1])),
            ((200, 20), (500, 200), (500, 20_000)), REORDERED),
    Program("volume by random points", monte_carlo, lambda s, g: (2 * g.random((s[0], 3)) - 1,),
            ((1500,), (40_000,), (1_500_000,)), REORDERED),
)
