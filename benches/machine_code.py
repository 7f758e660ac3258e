"""Programs as machine code: without it, with it, beside NumPy and libraries that compile, where they are installed.

Each program first runs until its code has settled: compiled, compared with its steps one after the other, and kept
where it is quicker. Then all contenders take turns in one process. Figures are NumPy's time divided by the contender's,
by the lower quartiles of the rounds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy import _core
from asnumpy.compiled import status
from asnumpy.demo import image
from asnumpy.demo.measure import as_numpy, close, interleave, settle
from measure import SHORT_SECONDS, aligned

try:
    from numba import prange
except ImportError:
    prange = range

OFF, BACKGROUND = 0, 1     # of the core; told to it directly, since a call of 10,000 elements takes microseconds
MOST_SECONDS = 30          # that a program may take to settle
COLUMNS = ("work", "size", "NumPy us", "off", "background", "background / off", "numba", "numexpr", "code")


@dataclass
class Work:
    """A program, its inputs, and what other libraries run for it."""

    name: str
    size: str
    run: Callable[..., Any]                                         # run(xp, *inputs)
    inputs: Callable[[], list[np.ndarray]]
    numba: Callable[[], Callable[..., Any]] | None = None           # makes a function of the inputs
    numexpr: str | None = None                                      # of the inputs by the names a, b, c...


def chain(xp: Any, a: Any, b: Any) -> Any:
    return ((a * b + a) * b - a) * 0.5 + b * a - b


def exponential(xp: Any, a: Any, b: Any) -> Any:
    return xp.exp(a * b + a) * b


def choices(xp: Any, a: Any, b: Any) -> Any:
    return xp.where((a > b) & (a < 1), xp.clip(a * 2, 0, 1), b - a)


def sweep(xp: Any, u: Any) -> Any:
    return (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) * 0.25


def distances(xp: Any, p: Any, q: Any) -> Any:
    return xp.sqrt(((p[:, None, :] - q[None, :, :]) ** 2).sum(axis=-1))


def option_price(xp: Any, s: Any, k: Any, t: Any) -> Any:
    """Calls by Black and Scholes, with a logistic curve for the normal distribution."""
    root = xp.sqrt(t) * 0.2
    d1 = (xp.log(s / k) + t * 0.05) / root
    d2 = d1 - root
    return s / (1 + xp.exp(d1 * -1.702)) - k * xp.exp(t * -0.03) / (1 + xp.exp(d2 * -1.702))


def squares(xp: Any, a: Any, b: Any) -> Any:
    return ((a - b) ** 2).sum()


def row_norms(xp: Any, a: Any, b: Any) -> Any:
    return abs(a * 2 - b).max(axis=1)


def column_sums(xp: Any, a: Any, b: Any) -> Any:
    return ((a - b) * a).sum(axis=0)


def shares(xp: Any, a: Any, b: Any) -> Any:
    return (a > b).sum() + xp.count_nonzero(a * b > 1)


def softmax(xp: Any, a: Any) -> Any:
    e = xp.exp(a - a.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def elementwise(types: str, function: Callable[..., Any]) -> Callable[[], Callable[..., Any]]:
    """A function of numbers as a parallel loop of numba's."""

    def make() -> Callable[..., Any]:
        import numba

        kind = getattr(numba, types)
        count = function.__code__.co_argcount
        made: Callable[..., Any] = numba.vectorize([kind(*[kind] * count)], target="parallel")(function)
        return made

    return make


def numba_chain(a, b):  # type: ignore[no-untyped-def]
    return ((a * b + a) * b - a) * np.float32(0.5) + b * a - b


def numba_exponential(a, b):  # type: ignore[no-untyped-def]
    return np.exp(a * b + a) * b


def numba_choices(a, b):  # type: ignore[no-untyped-def]
    if a > b and a < 1:
        return min(max(a * np.float32(2), np.float32(0)), np.float32(1))
    return b - a


def numba_price(s, k, t):  # type: ignore[no-untyped-def]
    root = np.sqrt(t) * 0.2
    d1 = (np.log(s / k) + t * 0.05) / root
    d2 = d1 - root
    return s / (1 + np.exp(d1 * -1.702)) - k * np.exp(t * -0.03) / (1 + np.exp(d2 * -1.702))


def numba_sweep() -> Callable[..., Any]:
    import numba

    @numba.njit(parallel=True)
    def loop(u):  # type: ignore[no-untyped-def]
        n, m = u.shape
        out = np.empty((n - 2, m - 2), u.dtype)
        for i in numba.prange(n - 2):
            for j in range(m - 2):
                out[i, j] = (u[i, j + 1] + u[i + 2, j + 1] + u[i + 1, j] + u[i + 1, j + 2]) * 0.25
        return out

    return loop  # type: ignore[no-any-return]


def numba_distances() -> Callable[..., Any]:
    import numba

    @numba.njit(parallel=True)
    def loop(p, q):  # type: ignore[no-untyped-def]
        out = np.empty((len(p), len(q)))
        for i in numba.prange(len(p)):
            for j in range(len(q)):
                total = 0.0
                for k in range(p.shape[1]):
                    total += (p[i, k] - q[j, k]) ** 2
                out[i, j] = np.sqrt(total)
        return out

    return loop  # type: ignore[no-any-return]


def numba_loop(function: Callable[..., Any]) -> Callable[[], Callable[..., Any]]:
    def make() -> Callable[..., Any]:
        import numba

        return numba.njit(parallel=True)(function)  # type: ignore[no-any-return]

    return make


def numba_squares(a, b):  # type: ignore[no-untyped-def]
    total = a.dtype.type(0)
    for i in prange(len(a)):
        total += (a[i] - b[i]) * (a[i] - b[i])
    return total


def numba_row_norms(a, b):  # type: ignore[no-untyped-def]
    out = np.empty(len(a), a.dtype)
    for i in prange(len(a)):
        most = a.dtype.type(0)
        for j in range(a.shape[1]):
            most = max(most, abs(a[i, j] * a.dtype.type(2) - b[i, j]))
        out[i] = most
    return out


def numba_column_sums(a, b):  # type: ignore[no-untyped-def]
    out = np.zeros(a.shape[1], a.dtype)
    for i in prange(len(a)):
        out += (a[i] - b[i]) * a[i]
    return out


def numba_shares(a, b):  # type: ignore[no-untyped-def]
    total = 0
    for i in prange(len(a)):
        total += int(a[i] > b[i]) + int(a[i] * b[i] > 1)
    return total


def numba_softmax(a):  # type: ignore[no-untyped-def]
    out = np.empty_like(a)
    for i in prange(len(a)):
        e = np.exp(a[i] - a[i].max())
        out[i] = e / e.sum()
    return out


def numba_hsv() -> Callable[..., Any]:
    import numba

    @numba.njit(parallel=True)
    def loop(rgb):  # type: ignore[no-untyped-def]
        out = np.empty_like(rgb)
        pictures, rows, columns, _ = rgb.shape
        for line in numba.prange(pictures * rows):
            p, i = line // rows, line % rows
            for j in range(columns):
                red, green, blue = rgb[p, i, j, 0], rgb[p, i, j, 1], rgb[p, i, j, 2]
                value = max(max(red, green), blue)
                chroma = value - min(min(red, green), blue)
                hue, saturation = np.float32(0), np.float32(0)
                if chroma > 0:
                    if value == red:
                        hue = (green - blue) / chroma
                    elif value == green:
                        hue = np.float32(2) + (blue - red) / chroma
                    else:
                        hue = np.float32(4) + (red - green) / chroma
                    hue = (hue + np.float32(6) if hue < 0 else hue) / np.float32(6)
                    saturation = chroma / value
                out[p, i, j, 0], out[p, i, j, 1], out[p, i, j, 2] = hue, saturation, value
        return out

    return loop  # type: ignore[no-any-return]


def normals(count: int | tuple[int, ...], dtype: Any) -> Callable[[], list[np.ndarray]]:
    return lambda: [np.random.default_rng(k).standard_normal(count, dtype=dtype) for k in range(2)]


def market() -> list[np.ndarray]:
    rng = np.random.default_rng()
    return [rng.random(1_000_000) * high + low for high, low in ((90, 10), (90, 10), (2, 0.1))]


def pictures() -> list[np.ndarray]:
    return [np.random.default_rng().random((8, 1024, 1024, 3), dtype=np.float32)]


CHAIN = "((a * b + a) * b - a) * h + b * a - b"


def works() -> list[Work]:
    found = []
    for count, size in ((10_000, "10,000"), (1_000_000, "1,000,000"), (20_000_000, "20,000,000")):
        found.append(Work("8 operations, float32", size, chain, normals(count, np.float32),
                          elementwise("float32", numba_chain), CHAIN))  # fmt: skip
    for dtype in ("float32", "float64"):
        found.append(Work(f"exp(a*b+a)*b, {dtype}", "1,000,000", exponential, normals(1_000_000, dtype),
                          elementwise(dtype, numba_exponential), "exp(a * b + a) * b"))  # fmt: skip
    for dtype in ("float32", "float64"):
        for count, size in ((100_000, "100,000"), (4_000_000, "4,000,000")):
            # Numba gives the sum of a parallel loop over float32 as float64.
            found.append(Work(f"sum((a-b)**2), {dtype}", size, squares, normals(count, dtype),
                              numba_loop(numba_squares) if dtype == "float64" else None))  # fmt: skip
    found += [
        Work("abs(a*2-b).max(1), float32", "1000 x 1000", row_norms, normals((1000, 1000), np.float32),
             numba_loop(numba_row_norms)),
        Work("((a-b)*a).sum(0), float32", "1000 x 1000", column_sums, normals((1000, 1000), np.float32),
             numba_loop(numba_column_sums)),
        Work("counts of comparisons, float32", "1,000,000", shares, normals(1_000_000, np.float32),
             numba_loop(numba_shares)),
        Work("softmax, float32", "4096 x 1024", softmax, lambda: normals((4096, 1024), np.float32)()[:1],
             numba_loop(numba_softmax)),
        Work("Jacobi sweep, float64", "200 x 200", sweep, lambda: [np.random.default_rng().random((200, 200))],
             numba_sweep),
        Work("where and clip, float32", "1,000,000", choices, normals(1_000_000, np.float32),
             elementwise("float32", numba_choices)),
        Work("Jacobi sweep, float64", "2000 x 2000", sweep, lambda: [np.random.default_rng().random((2000, 2000))],
             numba_sweep),
        Work("pairwise distances, float64", "(2000, 3) x (2000, 3)", distances,
             lambda: [np.random.default_rng(k).random((2000, 3)) for k in range(2)], numba_distances),
        Work("option prices, float64", "1,000,000", option_price, market, elementwise("float64", numba_price),
             "a / (1 + exp((log(a / b) + c * 0.05) / (sqrt(c) * 0.2) * -1.702))"
             " - b * exp(c * -0.03) / (1 + exp(((log(a / b) + c * 0.05) / (sqrt(c) * 0.2) - sqrt(c) * 0.2) * -1.702))"),
        Work("RGB to HSV, float32", "8 x 1024 x 1024", image.rgb_to_hsv, pictures, numba_hsv),
    ]  # fmt: skip
    return found


_outcomes: dict[tuple[Any, ...], str] = {}


def settled(program: tuple[Any, ...], run: Callable[[], Any]) -> str:
    """Runs until the program's code is there and has been compared with its steps; what came of it, for all sizes."""
    if program in _outcomes:
        return _outcomes[program]
    before = _core.programs.use()
    end, calm = time.perf_counter() + MOST_SECONDS, 0
    while time.perf_counter() < end and calm < 300:
        run()
        after = _core.programs.use()
        calm = calm + 1 if sum(after) > sum(before) else 0
    names = ("quicker", "slower")
    changes = [f"{b - a} {name}" for name, a, b in zip(names, before, after, strict=True) if b > a]
    _outcomes[program] = ", ".join(changes) or "none"
    return _outcomes[program]


def others(work: Work, inputs: list[np.ndarray]) -> dict[str, Callable[[], Any]]:
    """What the other libraries run, where they are installed and compute the same."""
    found: dict[str, Callable[[], Any]] = {}
    try:
        if work.numba:
            function = work.numba()
            found["numba"] = lambda: function(*inputs)
    except ImportError:
        pass
    try:
        if work.numexpr:
            import numexpr

            names = dict(zip("abc", inputs, strict=False))
            found["numexpr"] = lambda: numexpr.evaluate(work.numexpr, {"h": np.float32(0.5), **names})
    except ImportError:
        pass
    expected = work.run(np, *inputs)
    for name in list(found):
        same, how = close(1e-3)(as_numpy(expected), as_numpy(found[name]()))
        if not same:
            print(f"{work.name}: {name} computes something else ({how})", file=sys.stderr)
            del found[name]
    return found


def measured(work: Work, rounds: int) -> tuple[str, ...]:
    inputs = work.inputs()
    arrays = [ap.from_numpy(x) for x in inputs]

    def in_mode(mode: int) -> Callable[[], Any]:
        def run() -> Any:
            _core.programs.set_mode(mode)
            return settle(work.run(ap, *arrays))

        return run

    off, background = in_mode(OFF), in_mode(BACKGROUND)
    code = settled((work.run, *(x.dtype for x in inputs)), background)
    wanted, got = as_numpy(off()), as_numpy(background())
    if [x.tobytes() for x in wanted] != [x.tobytes() for x in got]:
        raise AssertionError(f"{work.name}: other bits with machine code than without")
    beside = others(work, inputs)
    times = interleave([lambda: work.run(np, *inputs), off, background, *beside.values()], rounds, SHORT_SECONDS)
    base, plain, compiled, *rest = (float(np.quantile(one.rounds, 0.25)) for one in times)
    ratios = {name: f"{base / seconds:.2f}" for name, seconds in zip(beside, rest, strict=True)}
    return (
        work.name, work.size, f"{base * 1e6:.0f}", f"{base / plain:.2f}", f"{base / compiled:.2f}",
        f"{plain / compiled:.2f}", ratios.get("numba", ""), ratios.get("numexpr", ""), code,
    )  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", default="", help="works whose name contains this")
    options = parser.parse_args()
    lines: list[tuple[str, ...]] = [COLUMNS]
    for work in works():
        if options.only in work.name:
            lines.append(measured(work, options.rounds))
            print(aligned([COLUMNS, lines[-1]]).splitlines()[-1], flush=True)
    print(f"\n{aligned(lines)}\n\nmachine code: {status()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
