"""Scalar functions that have to be called for each element: they do more than compute, or raise in some element."""

from __future__ import annotations

import cmath
import math
import random

TABLE = [1.0, 2.0, 3.0]
SEEN: list[float] = []


def divides(x):
    return 1 / x if x < 5 else 0.0


def root(x):
    return math.sqrt(x) if x != 4 else 0.0


def grows(x):
    return math.exp(x * 1000) if x != 0 else 0.0


def raises(x):
    if x > 1:
        raise ValueError(f"too large: {x}")
    return x


def large(n):
    return n * n * n * n * n * n * n if n > 1 else n


def remembers(x):
    SEEN.append(x)
    return x if x > 0 else -x


def prints(x):
    if x > 2:
        print("large")
    return x


def draws(x):
    return x if x > 0 else random.random() * 0


def looks_up(x):
    return TABLE[int(x) % 3]


def tries(x):
    try:
        return 1 / x
    except ZeroDivisionError:
        return 0.0


def text(x):
    return "positive" if x > 0 else "other"


def nothing(x):
    if x > 1:
        return x


def unbound(x):
    if x > 0:
        y = x
    return y + 1


def complex_root(x):
    return cmath.sqrt(x) if x < 0 else x


def listed(x):
    return sum([x, 1, 2]) if x > 0 else x


def membership(x):
    return 1 if x in (1.0, 2.0) else 0


def factorial(n):
    return 1 if n < 2 else n * factorial(n - 1)


def counter():
    count = 0

    def count_up(x):
        nonlocal count
        count += 1
        return x if x > 0 else count

    return count_up


def asks_type(x):
    return 1 if isinstance(x, float) else 2


def formats(x):
    return len(f"{x:.1f}") if x > 0 else 0


CALLED = [
    divides, root, grows, raises, large, prints, looks_up, tries, text, nothing, unbound, complex_root, listed,
    membership, factorial, asks_type, formats,
]
