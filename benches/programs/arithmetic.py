"""Finance, signals and checks: long expressions over arrays, and loops over single elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from .program import EQUAL, FUNCTIONS, REORDERED, Program, Size, prange

Random = np.random.Generator


def normal_share(xp: Any, x: Any) -> Any:
    """The normal distribution's share below x, by a rational approximation."""
    t = 1 / (1 + 0.2316419 * xp.abs(x))
    series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    tail = 0.3989422804014327 * xp.exp(-0.5 * x * x) * series
    return xp.where(x > 0, 1 - tail, tail)


def options(xp: Any, price: Any, strike: Any, years: Any) -> Any:
    """European calls and puts by Black and Scholes."""
    root = 0.3 * xp.sqrt(years)
    one = (xp.log(price / strike) + (0.02 + 0.045) * years) / root
    two = one - root
    discounted = strike * xp.exp(-0.02 * years)
    call = price * normal_share(xp, one) - discounted * normal_share(xp, two)
    return call, call - price + discounted


def options_loops(price: Any, strike: Any, years: Any) -> Any:
    call, put = np.empty_like(price), np.empty_like(price)
    for i in prange(len(price)):
        root = 0.3 * np.sqrt(years[i])
        one = (np.log(price[i] / strike[i]) + (0.02 + 0.045) * years[i]) / root
        discounted = strike[i] * np.exp(-0.02 * years[i])
        first = second = 0.0
        for k in range(2):
            x = one - k * root
            t = 1 / (1 + 0.2316419 * abs(x))
            series = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
            tail = 0.3989422804014327 * np.exp(-0.5 * x * x) * series
            first, second = second, 1 - tail if x > 0 else tail
        call[i] = price[i] * first - discounted * second
        put[i] = call[i] - price[i] + discounted
    return call, put


def market(size: Size, rng: Random) -> tuple[Any, ...]:
    count = size[0]
    return 50 + 100 * rng.random(count), 50 + 100 * rng.random(count), 0.1 + 3 * rng.random(count)


def distances(xp: Any, first: Any, second: Any) -> Any:
    """Between places on a sphere, each of one list with each of the other."""
    half = 0.5 * (second[:, 0] - first[:, 0, None])
    across = 0.5 * (second[:, 1] - first[:, 1, None])
    chord = xp.sin(half) ** 2 + xp.cos(first[:, 0, None]) * xp.cos(second[:, 0]) * xp.sin(across) ** 2
    return 12742.0 * xp.arcsin(xp.sqrt(xp.minimum(chord, 1)))


def bounded(xp: Any, a: Any, b: Any) -> Any:
    """Integers, held within bounds and weighted."""
    return xp.clip(a, 2, 10) * 4 + b * 3 + 9


def diagonal_tanh(xp: Any, a: Any) -> Any:
    """A loop over the diagonal that adds up one function of it, and the matrix plus that."""
    trace = 0.0
    for i in range(a.shape[0]):
        trace += xp.tanh(a[i, i])
    return a + trace


def diagonal_tanh_loops(a: Any) -> Any:
    trace = 0.0
    for i in range(a.shape[0]):
        trace += np.tanh(a[i, i])
    return a + trace


def checksum(xp: Any, octets: Any, table: Any) -> Any:
    """The cyclic redundancy check of bytes, one after the other."""
    value = table[0] ^ 0xFFFFFFFF
    for octet in octets:
        value = table[(value ^ octet) & 0xFF] ^ (value >> 8)
    return value


def checksum_loops(octets: Any, table: Any) -> Any:
    value = table[0] ^ 0xFFFFFFFF
    for octet in octets:
        value = table[(value ^ octet) & 0xFF] ^ (value >> 8)
    return value


def message(size: Size, rng: Random) -> tuple[Any, ...]:
    table = np.arange(256, dtype=np.int64)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ 0xEDB88320, table >> 1)
    return rng.integers(0, 256, size[0]), table


def sieve(xp: Any, limit: int) -> Any:
    """The prime numbers below a limit, multiples struck out by strided slices."""
    prime = xp.ones(limit, dtype=bool)
    prime[:2] = False
    for i in range(2, int(limit**0.5) + 1):
        if prime[i]:
            prime[i * i :: i] = False
    return xp.nonzero(prime)[0]


def sieve_loops(limit: int) -> Any:
    prime = np.ones(limit, dtype=np.bool_)
    prime[:2] = False
    for i in range(2, int(limit**0.5) + 1):
        if prime[i]:
            for j in range(i * i, limit, i):
                prime[j] = False
    return np.nonzero(prime)[0]


def runge_kutta(xp: Any, state: Any, steps: int) -> Any:
    """Many weather systems of three variables, by the classical rule of fourth order."""

    def slope(s: Any) -> Any:
        x, y, z = s
        return xp.stack([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    for _ in range(steps):
        one = slope(state)
        two = slope(state + 0.0025 * one)
        three = slope(state + 0.0025 * two)
        four = slope(state + 0.005 * three)
        state = state + 0.005 / 6 * (one + 2 * two + 2 * three + four)
    return state


def bisection(xp: Any, targets: Any) -> Any:
    """The root of x + sin(x)/2 = target for many targets at once, until the widest interval is small."""
    low, high = targets - 1, targets + 1
    while (high - low).max() > 1e-6:
        middle = 0.5 * (low + high)
        above = middle + 0.5 * xp.sin(middle) > targets
        low, high = xp.where(above, low, middle), xp.where(above, middle, high)
    return low


PROGRAMS = (
    Program("Black and Scholes", options, market, ((2000,), (100_000,), (2_000_000,)), FUNCTIONS, options_loops, True),
    Program("distances on a sphere", distances, lambda s, g: (g.random((s[0], 2)), g.random((s[1], 2))),
            ((60, 60), (320, 320), (2000, 2000)), FUNCTIONS),
    Program("bounded integers", bounded, lambda s, g: (g.integers(0, 1000, s), g.integers(0, 1000, s)),
            ((64, 64), (320, 320), (3000, 3000)), EQUAL),
    Program("sum along a diagonal by elements", diagonal_tanh, lambda s, g: (g.random((s[0], s[0])),),
            ((60,), (320,), (2500,)), FUNCTIONS, diagonal_tanh_loops),
    Program("checksum of bytes by elements", checksum, message, ((2000,), (10_000,), (50_000,)), EQUAL, checksum_loops),
    Program("sieve of primes", sieve, lambda s, g: s, ((5000,), (100_000,), (5_000_000,)), EQUAL, sieve_loops),
    Program("Runge-Kutta, many systems", runge_kutta, lambda s, g: (g.normal(size=(3, s[0])), s[1]),
            ((1000, 30), (40_000, 10), (1_000_000, 2)), REORDERED),
    Program("roots by bisection", bisection, lambda s, g: (g.normal(size=s[0]),), ((4000,), (100_000,), (2_000_000,)),
            FUNCTIONS),
)
