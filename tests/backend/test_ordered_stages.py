"""Stencils run some lines at a time, one step behind the other: NumPy's bits, in place and at edges, too."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from backend.explained import programs

import asnumpy as ap

ON_CPU = ap.Device() == "cpu"
STEPS = 4


@pytest.fixture(autouse=True)
def deferred() -> Iterator[None]:
    with ap.config.using(eager=False, eager_size=0):
        ap.synchronize()
        yield


def heat(xp: Any, u: Any, f: Any) -> Any:
    """Along the first axis, in place."""
    u = u.copy()
    for _ in range(STEPS):
        u[1:-1] = u[1:-1] + u.dtype.type(0.25) * (u[2:] - 2 * u[1:-1] + u[:-2])
    return u


def sweeps(xp: Any, u: Any, f: Any) -> Any:
    u = u.copy()
    for _ in range(STEPS):
        u[1:-1, 1:-1] = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - f[1:-1, 1:-1]
    return u


def to_and_fro(xp: Any, u: Any, f: Any) -> Any:
    a, b = u.copy(), f.copy()
    for _ in range(STEPS):
        b[1:-1] = a[:-2] - a[1:-1] + a[2:]
        a[2:-1] = b[:-3] + b[3:]
    return a, b


def waves(xp: Any, u: Any, f: Any) -> Any:
    last, now = u.copy(), f.copy()
    for _ in range(STEPS):
        after = 2 * now - last
        after[1:-1, 1:-1] += now[2:, 1:-1] + now[:-2, 1:-1] - now[1:-1, 2:]
        last, now = now, after
    return now


def walls(xp: Any, u: Any, f: Any) -> Any:
    """Edges are written after each sweep: columns, the first row, the last one."""
    u = u.copy()
    for step in range(STEPS):
        old = u.copy()
        u[1:-1, 1:-1] = old[2:, 1:-1] - old[:-2, 1:-1] + f[1:-1, 1:-1]
        u[:, -1] = u[:, -2]
        u[0, :] = u[1, :]
        u[:, 0] = step
        u[-1, :] = 0
    return u


def one_edge_first(xp: Any, u: Any, f: Any) -> Any:
    """The last row decides about the first ones: no line may run before."""
    u = u.copy()
    u[1:-1] = u[2:] - u[:-2]
    u[0] = u[-2]
    u[1:-1] = u[2:] + u[:-2]
    u[-1] = u[0]
    u[1:] = u[:-1] + f[1:]
    return u


def fields(xp: Any, u: Any, f: Any) -> Any:
    ex, ey, hz = u.copy(), f.copy(), u + f
    for step in range(STEPS):
        ey[0, :] = step
        ey[1:, :] -= hz[1:, :] - hz[:-1, :]
        ex[:, 1:] -= hz[:, 1:] - hz[:, :-1]
        hz[:-1, :-1] -= ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]
    return ex, ey, hz


def limited(xp: Any, u: Any, f: Any) -> Any:
    """What lies between has lines of other numbers, and is read one line further on."""
    bend = 4 * u[1:-1] - u[2:] - u[:-2]
    flux = bend[1:] - bend[:-1]
    flux = xp.where(flux * (u[2:-1] - u[1:-2]) > 0, 0, flux)
    return u[2:-2] - f[2:-2] * (flux[1:] - flux[:-1])


def limited_both_ways(xp: Any, u: Any, f: Any) -> Any:
    """Lines and columns beside, of what nobody sees."""
    bend = 4 * u[1:-1, 1:-1] - (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    down = bend[1:, 1:-1] - bend[:-1, 1:-1]
    down = xp.where(down * (u[2:-1, 2:-2] - u[1:-2, 2:-2]) > 0, 0, down)
    right = bend[1:-1, 1:] - bend[1:-1, :-1]
    right = xp.where(right * (u[2:-2, 2:-1] - u[2:-2, 1:-2]) > 0, 0, right)
    return u[2:-2, 2:-2] - f[2:-2, 2:-2] * (down[1:] - down[:-1] + right[:, 1:] - right[:, :-1])


def mirrored(xp: Any, u: Any, f: Any) -> Any:
    """Columns are read from the last one on, of lines before."""
    bend = u[1:] - f[:-1]
    flux = bend[2:, ::-1] - bend[:-2]
    return flux[3:] + flux[:-3, ::-1] - u[6:]


def all_seen(xp: Any, u: Any, f: Any) -> Any:
    bend = u[1:-1] - u[2:] - u[:-2]
    flux = bend[1:] - bend[:-1]
    return bend, flux, flux[3:] - bend[1:-3]


def far(xp: Any, u: Any, f: Any) -> Any:
    """One-sided, over many lines; then over too many."""
    u = u.copy()
    for distance in (1, 5, 20, len(u) // 2):
        u[distance:] = u[distance:] - u[:-distance]
        u[:-distance] = u[:-distance] + u[distance:] * f[distance:]
    return u


def backwards(xp: Any, u: Any, f: Any) -> Any:
    u = u.copy()
    u[1:-1] = u[2:] - u[:-2]
    u[:] = u[::-1] + f
    u[1:-1] = u[2:] - u[:-2]
    return u[::-1]


def other_dtypes(xp: Any, u: Any, f: Any) -> Any:
    """Lines of other widths in one chain; a mask between."""
    small = u.astype(np.float32)
    small[1:-1] = small[2:] - small[:-2]
    mask = small[1:] > small[:-1]
    counts = mask[1:].astype(np.int8) + mask[:-1]
    return xp.where(counts[1:] > counts[:-1], small[2:-1], u[3:] * f[:-3])


def half_steps(xp: Any, u: Any, f: Any) -> Any:
    """Every other line, from lines between."""
    u = u.copy()
    for _ in range(STEPS):
        u[1:-1:2] = u[2::2][: len(u[1:-1:2])] + u[:-2:2][: len(u[1:-1:2])]
        u[2:-1:2] = u[2:-1:2] - u[1:-2:2]
    return u


def around(xp: Any, u: Any, f: Any) -> Any:
    """What is only read goes round along both axes."""
    u = u.copy()
    for _ in range(STEPS):
        seen = xp.roll(f, 1, 0) * 2 + xp.roll(f, -3, 1) + u
        u[1:-1] += seen[2:] - seen[:-2]
    return u


FORMS = [heat, sweeps, to_and_fro, waves, walls, one_edge_first, fields, limited, limited_both_ways, mirrored, all_seen,
         far, backwards, other_dtypes, half_steps, around]
CHAINED = [heat, sweeps, to_and_fro, waves, walls, fields, limited, limited_both_ways, mirrored, all_seen]
LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": lambda x: x,
    "F": np.asfortranarray,
    "part of a larger one": lambda x: np.pad(x, 3)[3:-3, 3:-3],
    "every other row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "every other column": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "three axes": lambda x: x.reshape(-1, 50, 10),
    "short lines": lambda x: x.reshape(-1, 4),
    "long lines": lambda x: x.reshape(42, 250, 100),
}


def planes(layout: str, dtype: str, rows: int = 2100) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(8)
    # integers, so that sums of all orders would agree: what is compared is which elements are met, not how they round
    one, two = (LAYOUTS[layout](rng.integers(-9, 9, (rows, 500)).astype(dtype)) for _ in range(2))
    return one, two


def results(made: Any) -> list[Any]:
    return list(made) if isinstance(made, tuple) else [made]


def compare(form: Callable[..., Any], given: tuple[np.ndarray, ...]) -> None:
    arrays = [ap.from_numpy(x) for x in given]
    got = results(form(ap, *arrays))
    ap.eval(*got)
    with np.errstate(all="ignore"):
        expected = results(form(np, *given))
    for mine, theirs in zip(got, expected, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_array_equal(ap.to_numpy(mine), theirs)
    for array, before in zip(arrays, given, strict=True):
        np.testing.assert_array_equal(ap.to_numpy(array), before)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_bits_of_numpy(form: Callable[..., Any], layout: str) -> None:
    for dtype, threads in (("float64", 2), ("int64", 1)) if layout == "C" else (("float64", 2),):
        with ap.config.using(num_threads=min(threads, ap.config.num_threads)):
            compare(form, planes(layout, dtype))


@pytest.mark.parametrize("form", [heat, to_and_fro, limited, far, half_steps], ids=lambda form: form.__name__)
@pytest.mark.parametrize("length", [65_536, 1_100_001])
def test_lines_of_one_element(form: Callable[..., Any], length: int) -> None:
    rng = np.random.default_rng(4)
    compare(form, (rng.random(length), rng.random(length)))


def random_steps(xp: Any, arrays: list[Any], rng: np.random.Generator) -> list[Any]:
    """Reads at random distances, written where they came from or elsewhere, to part of an array or to a new one."""
    arrays = [x.copy() for x in arrays]
    length = len(arrays[0])
    for _ in range(int(rng.integers(4, 14))):
        one, two, to = (int(k) for k in rng.integers(0, len(arrays), 3))
        low, high = (int(k) for k in rng.integers(0, 4, 2))
        d, e, kept = (int(k) for k in rng.integers(-3, 4, 3))
        inner = slice(4 + low, length - 4 - high)

        def shifted(x: Any, by: int, inner: slice = inner) -> Any:
            return x[inner.start + by : inner.stop + by]

        value = shifted(arrays[one], d) - shifted(arrays[two], e)
        if kept == 3:
            value = xp.where(value > 0, value, shifted(arrays[to], d))
        if kept == -3:
            made = xp.zeros_like(arrays[to])
            made[inner] = value
            arrays[to] = made
        else:
            shifted(arrays[to], int(rng.integers(-3, 4)))[...] = value
        if kept == 2:
            arrays[to][0] = arrays[one][1]
    return arrays


@pytest.mark.parametrize("seed", range(12))
def test_random_chains(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = ((1_100_000,), (2200, 500), (550, 40, 50))[seed % 3]
    plain = [rng.integers(-99, 99, shape).astype(np.float64) for _ in range(3)]
    steps = int(rng.integers(1 << 30))
    got = random_steps(ap, [ap.from_numpy(x) for x in plain], np.random.default_rng(steps))
    ap.eval(*got)
    for mine, theirs in zip(got, random_steps(np, plain, np.random.default_rng(steps)), strict=True):
        np.testing.assert_array_equal(ap.to_numpy(mine), theirs)


def random_differences(xp: Any, arrays: list[Any], rng: np.random.Generator) -> Any:
    """New arrays of parts of earlier ones, moved along both axes; of those that nobody reads, the last one is seen."""
    arrays = list(arrays)
    for _ in range(int(rng.integers(3, 9))):
        pair = [arrays[-int(rng.integers(1, min(4, len(arrays)) + 1))], arrays[-1 - int(rng.integers(0, len(arrays)))]]
        lines, columns = (min(x.shape[axis] for x in pair) for axis in (0, 1))
        less = [(int(rng.integers(0, 3)), int(rng.integers(0, 3))) for _ in range(2)]
        parts = []
        for x, (line, column) in zip(pair, less, strict=True):
            parts.append(x[line : lines - 2 + line, column : columns - 2 + column])
        value = parts[0] - parts[1]
        if rng.integers(3) == 0:
            value = xp.where(value > parts[1], value, -value)
        arrays.append(value)
    return arrays[-1]


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.parametrize("shape", [(300, 400), (2200, 500), (100, 300, 40)], ids=str)
def test_random_chains_of_what_nobody_sees(shape: tuple[int, ...], seed: int) -> None:
    rng = np.random.default_rng(seed)
    plain = [rng.integers(-99, 99, shape).astype(np.float64) for _ in range(2)]
    steps = int(rng.integers(1 << 30))
    got = random_differences(ap, [ap.from_numpy(x) for x in plain], np.random.default_rng(steps))
    ap.eval(got)
    np.testing.assert_array_equal(ap.to_numpy(got), random_differences(np, plain, np.random.default_rng(steps)))


@pytest.mark.parametrize("form", [heat, sweeps, walls, fields, limited, around], ids=lambda form: form.__name__)
def test_recorded_functions(form: Callable[..., Any]) -> None:
    traced = ap.jit(lambda u, f: form(ap, u, f))
    for rows in (2100, 2100, 2300):
        given = planes("C", "float64", rows)
        got = results(traced(*(ap.from_numpy(x) for x in given)))
        for mine, theirs in zip(got, results(form(np, *given)), strict=True):
            np.testing.assert_array_equal(ap.to_numpy(mine), theirs)


@pytest.mark.skipif(not ON_CPU, reason="how many lines is a matter of the CPU's caches")
@pytest.mark.parametrize("form", CHAINED, ids=lambda form: form.__name__)
def test_explain_says_so(form: Callable[..., Any]) -> None:
    with ap.config.using(num_threads=1):
        u, f = (ap.zeros((20_000, 256)) for _ in range(2))
        ap.eval(u, f)
        made = results(form(ap, u, f))
        found = programs()
        assert len(found) >= 3
        assert sum(program.lines > 1 for program in found) >= len(found) // 2
        ap.eval(*made)
        small = results(form(ap, u[:60, :200], f[:60, :200]))
        assert all(program.lines == 0 for program in programs())
        ap.eval(*small)


@pytest.mark.skipif(not ON_CPU, reason="how many lines is a matter of the CPU's caches")
def test_what_lies_between_takes_no_memory() -> None:
    with ap.config.using(num_threads=1):
        u, f = (ap.ones((20_000, 256)) for _ in range(2))
        ap.eval(u, f)
        ap.free_all_blocks()
        ap.reset_peak()
        before = ap.memory_info()["in_use"]
        made = limited(ap, u, f)
        ap.eval(made)
        assert ap.memory_info()["peak"] - before < 1.5 * made.nbytes


def test_memory_that_runs_out_leaves_what_was_there() -> None:
    """An array that is updated in place is as it was, and the work is done when there is memory again."""
    plain = np.random.default_rng(1).random((3000, 500))
    u = ap.from_numpy(plain).copy()
    ap.eval(u)
    ap.free_all_blocks()
    ap.config.memory_limit = ap.memory_info()["in_use"] + 1_000_000
    try:
        u[1:-1] = u[2:] - u[:-2]
        bend = u[1:-1] - u[2:]
        flux = bend[1:] - bend[:-1]
        try:
            ap.eval(flux)
        except MemoryError:
            pass
        else:
            pytest.skip("the device did without the memory")
    finally:
        ap.config.memory_limit = 0
    expected = plain.copy()
    expected[1:-1] = expected[2:] - expected[:-2]
    np.testing.assert_array_equal(ap.to_numpy(u), expected)
    bend_expected = expected[1:-1] - expected[2:]
    np.testing.assert_array_equal(ap.to_numpy(flux), bend_expected[1:] - bend_expected[:-1])
