"""The demonstration's four workloads: array code written once, with the array library passed in."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy.demo import image
from asnumpy.demo.measure import Check, close, mostly_equal
from asnumpy.demo.photograph import photographs


@dataclass
class Workload:
    """One line of the demonstration's table."""

    group: str
    name: str
    size: str
    work: Callable[..., Any]  # work(xp, *inputs)
    inputs: list[np.ndarray]
    check: Check


def add(xp: Any, a: Any, b: Any) -> Any:
    return a + b


def product(xp: Any, a: Any, b: Any) -> Any:
    return a * b


def product_sum(xp: Any, a: Any, b: Any) -> Any:
    return xp.sum(a * b)


def matrix_product(xp: Any, a: Any, b: Any) -> Any:
    return a @ b


def product_plus(xp: Any, a: Any, b: Any, c: Any) -> Any:
    return xp.dot(a, b) + c


def picture_hsv(xp: Any, rgb: Any) -> Any:
    return image.rgb_to_hsv(xp, rgb)


def picture_equalise(xp: Any, hsv: Any) -> Any:
    return image.equalise(xp, hsv[..., 2])


def picture_canny(xp: Any, rgb: Any) -> Any:
    return image.canny(xp, image.grey(xp, rgb))


def picture_pipeline(xp: Any, rgb: Any) -> Any:
    return image.enhance(xp, rgb)


def room() -> int:
    """Return the free bytes of the device or of the host, which has NumPy's arrays: the fewer of the two."""
    return min(ap.memory_info(device)["available"] for device in (None, "cpu"))


def matrix_side(quick: bool) -> int:
    """Return the side of the normal matrices: 20000 (quick: 3000), or what the free memory allows."""
    # Two inputs and a result for each library, and what comparing the results takes.
    elements = room() / 1.15 / 8 / 6.2
    return min(3000 if quick else 20000, int(elements**0.5) // 1000 * 1000 or 500)


def halved(side: int, size: int) -> int:
    """Return `side`, halved until side x side elements of `size` bytes, of all arrays together, fit into memory."""
    while side > 1 and side * side * size > room() / 1.5:
        side //= 2
    return side


def additions(rng: np.random.Generator) -> Iterator[Workload]:
    for shape in ((100, 100, 10), (1000, 100, 10), (1000, 1000, 10), (1000, 1000, 100)):
        elements = int(np.prod(shape))
        if elements * 4 * 6 > room() / 1.5:
            continue
        inputs = [rng.integers(-(2**30), 2**30, size=shape, dtype=np.int32) for _ in range(2)]
        yield Workload("add", "a + b, int32", str(shape), add, inputs, close(0))


def matrices(rng: np.random.Generator, quick: bool) -> Iterator[Workload]:
    side = matrix_side(quick)
    inputs = [rng.standard_normal((side, side)) for _ in range(2)]
    size = f"{side} x {side}"
    yield Workload("matrices", "a * b, float64", size, product, inputs, close(0))
    yield Workload("matrices", "sum(a * b), float64", size, product_sum, inputs, close(1e-8))


def products(rng: np.random.Generator, quick: bool) -> Iterator[Workload]:
    for side in dict.fromkeys(halved(side, 4 * 7) for side in ((1024, 2048) if quick else (1024, 2048, 4096))):
        inputs = [rng.standard_normal((side, side), dtype=np.float32) for _ in range(3)]
        size = f"{side} x {side}"
        yield Workload("products", "a @ b, float32", size, matrix_product, inputs[:2], close(1e-5))
        yield Workload("products", "dot(a, b) + c, float32", size, product_plus, inputs, close(1e-5))


def pictures(quick: bool) -> Iterator[Workload]:
    count = 2 if quick else 8
    side = halved(1024, count * 3 * 4 * 10)
    rgb = photographs(count, side)
    hsv = image.rgb_to_hsv(np, rgb)
    size = f"{count} x {side} x {side}"
    yield Workload("pictures", "RGB to HSV", size, picture_hsv, [rgb], close(1e-6))
    yield Workload("pictures", "equalise", size, picture_equalise, [hsv], close(1e-6))
    yield Workload("pictures", "Canny edges", size, picture_canny, [rgb], mostly_equal(0.999))
    yield Workload("pictures", "whole pipeline", size, picture_pipeline, [rgb], mostly_equal(0.999))


def workloads(quick: bool) -> Iterator[Workload]:
    """Yield every workload; inputs are made when their turn comes and may be large, so keep none."""
    rng = np.random.default_rng()
    yield from additions(rng)
    yield from matrices(rng, quick)
    yield from products(rng, quick)
    yield from pictures(quick)


def count(quick: bool) -> int:
    """Return how many workloads there are at most."""
    return 4 + 2 + (4 if quick else 6) + 4
