"""Scalar functions with branches and loops, as users write them: these are compiled."""

from __future__ import annotations

import math
from math import sqrt

import numpy as np

LIMIT = 3.5
STEPS = 20


def clamp(x):
    if x < -1:
        return -1
    elif x > 1:
        return 1
    return x


def relu(x):
    return max(0, x)


def relu_float(x):
    return max(0.0, x)


def piecewise(x):
    if x < 0:
        y = -x
    elif x < LIMIT:
        y = x * x + 1
    else:
        y = 2 * x - 1.5
    return y


def sign(x):
    return 1 if x > 0 else -1 if x < 0 else 0


def guarded(x, y):
    return x / y if y != 0 else 0.0


def guarded_and(x, y):
    return 1.0 if y != 0 and x / y > 0.5 else 0.0


def either_or(x, y):
    return x or y


def both_and(x, y):
    return x and y


def negation(x, y):
    return not (x > 0 or not y > 0)


def chain(x, y):
    return -1 < x <= y < 3


def absolute_difference(x, y):
    d = x - y
    if d < 0:
        d = -d
    return d


def powers(x):
    total = 0
    for k in range(5):
        if k == 3:
            continue
        total += x * k
    return total


def with_break(x):
    total = 0.0
    for k in range(STEPS):
        if total > 10:
            break
        total += abs(x) + k
    return total


def for_else(x):
    for k in range(6):
        if k * k > x:
            found = k
            break
    else:
        found = -1
    return found


def nested(x):
    count = 0
    for i in range(4):
        for j in range(3):
            if i * j > x:
                break
            if (i + j) % 2:
                continue
            count += i + j
    return count


def collatz(n):
    if n < 1:
        return 0
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


def halvings(x):
    count = 0
    while abs(x) > 1 and count < 60:
        x = x / 2
        count += 1
    return count


def while_else(x):
    k = 0
    while k < x:
        k += 1
        if k == 5:
            break
    else:
        k = -k
    return k


def escape(x, y):
    a = b = 0.0
    for i in range(40):
        if a * a + b * b > 4:
            return i
        a, b = a * a - b * b + x, 2 * a * b + y
    return 40


def escape_complex(c):
    z = 0j
    n = 0
    while z.real * z.real + z.imag * z.imag <= 4.0 and n < 30:
        z = z * z + c
        n += 1
    return n


def escape_abs(c):
    z = c
    for n in range(25):
        if abs(z) > 2:
            return n
        z = z ** 2 + c
    return 25


def root_of_unity(z):
    for n in range(30):
        if z == 0:
            return -1
        step = (z * z * z - 1) / (3 * z * z)
        z = z - step
        if abs(step) < 1e-6:
            return n
    return 30


def inverse(z):
    return (1 + 2j) / z if z != 0 else z / 2


def newton(a):
    if a < 0:
        return -1.0
    x = a if a > 1 else 1.0
    for _ in range(60):
        new = 0.5 * (x + a / x)
        if abs(new - x) < 1e-12:
            break
        x = new
    return x


def digits(n):
    n = abs(n)
    total = 0
    while n:
        n, digit = divmod(n, 10)
        total += digit
    return total


def gcd(a, b):
    a, b = abs(a), abs(b)
    while b:
        a, b = b, a % b
    return a


def square(x):
    return x * x


def calls_another(x, y):
    return square(x) + clamp(y) if x > y else square(y)


def default(x, low=-0.5, high=0.5):
    return min(max(x, low), high)


def roots(x):
    return math.sqrt(x) if x >= 0 else -sqrt(-x)


def sigmoid(x):
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    e = math.exp(x)
    return e / (1 + e)


def logistic_class(x):
    return 1 if x > -700 and 1 / (1 + math.exp(-x)) > 0.5 else 0


def bits(n, m):
    if n > m:
        return (n & m) ^ (n | 3)
    return ~n if n < 0 else n << 2


def shifts(n):
    return n >> 1 if n > 0 else (-n) << 3


def truncated(x):
    return int(x) if abs(x) < 1e6 else 0


def floors(x):
    if math.isnan(x) or math.isinf(x):
        return 0
    return math.floor(x) + math.ceil(x) - round(x)


def remainders(x, y):
    if y == 0:
        return 0
    return x // y + x % y


def two(x, y):
    if x > y:
        return x, y
    return y, x


def asserted(x):
    assert x == x
    return x + 1 if x > 0 else x


def xor(p, q):
    return (p or q) and not (p and q)


def mixed(x):
    s = 0
    if x > 0:
        s = s + x * 0.5
    s -= 1
    return s * -1


def cube(n):
    return n ** 3 if n > 0 else n ** 2


def first_power(x):
    return x ** 1 if x == 0 else x


def parts(z):
    return z.conjugate() * 2 if z.real > z.imag else z - 1j


def infinite_or_not(x):
    return float("inf") if x > 0 else x


def unequal_kinds(x):
    return 2.5 if x > 1 else True


def numpys_root(x):
    return np.sqrt(x) if x >= 0 else 1 / np.sqrt(-x)


def numpys_decay(x):
    if np.isnan(x):
        return 0.0
    return np.exp(-x) if x > 0 else 1.0


def numpys_rounding(x, y):
    return np.floor(x) if x > y else np.maximum(x, y) / np.minimum(x, 0.5)


def numpys_quotient(x):
    return 1 / np.floor(x) if x > -0.5 else np.floor(x) % 3


def numpys_truths(x):
    return (np.floor(x) > 1) + (x > 0) if x < 3 else 0


COMPILED = {
    "x": [
        clamp, relu, relu_float, piecewise, sign, powers, with_break, for_else, nested, halvings, while_else, newton,
        default, truncated, floors, asserted, mixed, unequal_kinds, first_power,
    ],
    "x, y": [
        guarded, guarded_and, either_or, both_and, negation, chain, absolute_difference, escape, calls_another,
        remainders, two, xor,
    ],
    "n": [collatz, digits, shifts, cube],
    "n, m": [gcd, bits],
    "z": [escape_complex, escape_abs, parts, root_of_unity, inverse],
    "near": [roots, sigmoid, logistic_class, numpys_root, numpys_decay, numpys_quotient],
    "near, y": [numpys_rounding],
}
