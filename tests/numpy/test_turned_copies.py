"""Rolled arrays that are read where their source lies: NumPy's values, and the same bits with and without the pass."""

from __future__ import annotations

import io
from typing import Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st
from test_random_programs import EXAMPLES, settings

import asnumpy as ap

SHAPES = [(1,), (2,), (700,), (5000,), (1, 9), (9, 1), (6, 300), (40, 50), (3, 4, 5), (2, 3, 300), (0,), (3, 0)]
DTYPES = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128"]
AXES = [None, 0, -1, (0, 1), (0, 0), (0, 1, 2), (-1, 0)]

# One step: what is done, with which two arrays, along which axis, by how much; the last number chooses a variant.
step = st.tuples(
    st.integers(0, 10), *[st.integers(0, 7)] * 2, st.sampled_from(AXES), st.integers(-7, 7), st.integers(0, 5)
)


def turned(xp: Any, x: Any, axis: Any, by: int) -> Any:
    """A roll along as many of the axes as there are."""
    if isinstance(axis, tuple):
        axis = tuple(one for one in axis if -x.ndim <= one < x.ndim)
        return xp.roll(x, tuple(by + place for place in range(len(axis))), axis) if axis else x
    return xp.roll(x, by * 3 if by % 2 else by, axis)


def values(shape: tuple[int, ...], dtype: str, seed: int) -> np.ndarray:
    return ((np.arange(np.prod(shape, dtype=int)) * (2 * seed + 3) + seed) % 11).reshape(shape).astype(dtype)


def play(xp: Any, shape: tuple[int, ...], dtype: str, steps: list[Any]) -> list[np.ndarray]:
    """Follow the steps with arrays of xp; all that live at the end."""
    arrays = [xp.asarray(values(shape, dtype, seed)) for seed in (1, 2)]
    seen = []
    for action, i, j, axis, by, variant in steps:
        x, y = arrays[i % len(arrays)], arrays[j % len(arrays)]
        if action == 0:
            arrays.append(turned(xp, x, axis, by) + y)
        elif action == 1:
            is_more = turned(xp, x, axis, by) > turned(xp, x, axis, -by - 1)
            arrays.append(xp.where(is_more, x, turned(xp, y, axis, variant)))
        elif action == 2:  # in place, from old values of the same array
            x += turned(xp, x, axis, by) * y
        elif action == 3:
            x[...] = turned(xp, x, axis, by)
        elif action == 4:  # the source is written before its copy is read
            kept = turned(xp, x, axis, by)
            x[: variant + 1] = y[: variant + 1] + y[: variant + 1]
            arrays.append(kept * y + x)
        elif action == 5:  # read in another order, in part, broadcast
            kept = turned(xp, x, axis, by)
            arrays.append((kept[::-1] + y) if variant % 2 else (kept.T.copy().T * y))
            arrays.append(kept + kept[:1])
        elif action == 6:
            arrays.append(turned(xp, turned(xp, x, axis, by), 0, variant) + turned(xp, x + y, axis, by))
        elif action == 7 and len(x):
            cut = variant % (len(x) // 2 + 1)
            kept = xp.concatenate([x[cut:], x[:cut]])
            others = xp.concatenate([y[cut:], x[:cut]]) + xp.concatenate([x[:cut], x[:cut], x[2 * cut:]])
            arrays.append(kept + others)
        elif action == 8:
            seen.append(turned(xp, x, axis, by))  # somebody keeps it
            arrays.append(seen[-1] + y)
        elif action == 9:
            seen.append((turned(xp, x, axis, by) * y).max(axis=variant % x.ndim, initial=0))
            seen.append((turned(xp, x, axis, -by) + turned(xp, y, axis, by)).sum())
        elif action == 10 and len(arrays) > 2:
            arrays.pop(i % len(arrays))
    return [a if isinstance(a, np.ndarray | np.generic) else ap.to_numpy(a) for a in arrays + seen]


def bits(a: Any) -> bytes:
    return np.ascontiguousarray(a).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_steps(dtype: str) -> None:
    @hypothesis.settings(settings, max_examples=max(EXAMPLES // 4, 10))
    @hypothesis.given(st.sampled_from(SHAPES), st.lists(step, min_size=1, max_size=7))
    def compare(shape: tuple[int, ...], steps: list[Any]) -> None:
        hypothesis.assume(dtype[0] != "c" or all(action not in (1, 9) for action, *_ in steps))
        with np.errstate(all="ignore"):
            expected = play(np, shape, dtype, steps)
            with ap.config.using(eager=False, eager_size=0, fallback="count"):
                got = play(ap, shape, dtype, steps)
                with ap.config.using(passes="-turned"):
                    without = play(ap, shape, dtype, steps)
        for n, (mine, other, right) in enumerate(zip(got, without, expected, strict=True)):
            assert bits(mine) == bits(other), f"array {n} depends on the pass"
            if np.isfinite(right).all() and dtype not in ("float16", "complex64"):  # whose sums may round otherwise
                np.testing.assert_array_equal(mine, right, err_msg=f"array {n}", strict=True)

    compare()


def diffusion(xp: Any, u: Any, v: Any, steps: int) -> Any:
    for _ in range(steps):
        around = sum(xp.roll(u, by, axis) for by in (1, -1) for axis in (0, 1))
        u, v = u + 0.2 * (around - 4 * u) - u * v, v - 0.125 * (xp.roll(v, (1, -2), (0, 1)) - v)
        u += 0.25 * (xp.roll(u, 1) - u)
    return u, v


@pytest.mark.parametrize("shape", [(7, 9), (64, 64), (33, 300), (300, 700)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_steps_of_a_stencil(shape: tuple[int, int], dtype: str) -> None:
    """Every step has the content of the one before it; jit keeps its launches. All have NumPy's bits."""
    rng = np.random.default_rng(5)
    u, v = (rng.random(shape).astype(dtype) for _ in range(2))
    expected = diffusion(np, u, v, 6)
    for passes in ("all", "-turned", "turned"):
        with ap.config.using(eager=False, passes=passes):
            fast = ap.jit(lambda a, b: diffusion(ap, a, b, 2))
            plain = diffusion(ap, ap.array(u), ap.array(v), 6)
            recorded = ap.array(u), ap.array(v)
            for _ in range(3):
                recorded = fast(*recorded)
            for got in (plain, recorded):
                for mine, right in zip(got, expected, strict=True):
                    np.testing.assert_array_equal(ap.to_numpy(mine), right)


def test_jit_takes_other_arrays() -> None:
    """In another place, and of another alignment, and written by the function itself."""
    def work(x: Any, y: Any) -> Any:
        around = np.roll(x, 1, 0) * 2 if isinstance(x, np.ndarray) else ap.roll(x, 1, 0) * 2
        x[1:] += around[:-1] + y[1:]
        return around - x

    fast = ap.jit(work)
    for start in range(5):
        room = np.arange(90 * 80 + 5, dtype=np.float64)
        plain = room.copy()
        x, y = ap.array(room)[start : start + 80 * 80].reshape(80, 80), ap.array(room[: 80 * 80].reshape(80, 80) % 7)
        p, q = plain[start : start + 80 * 80].reshape(80, 80), room[: 80 * 80].reshape(80, 80) % 7
        np.testing.assert_array_equal(ap.to_numpy(fast(x, y)), work(p, q))
        np.testing.assert_array_equal(ap.to_numpy(x), p)


@pytest.mark.host_memory
def test_what_explain_tells() -> None:
    def told(x: Any) -> list[str]:
        with io.StringIO() as nowhere:
            text = ap.explain(x, file=nowhere)
        return [line for line in text.splitlines() if line.startswith(("turned:", "program"))]

    with ap.Device("cpu"), ap.config.using(eager=False, eager_size=0):
        x = ap.arange(6000).reshape(60, 100) % 7 + 0.5
        ap.flush()
        made = ap.roll(x, 1, 0) + ap.roll(x, -1, 0) + ap.roll(x, 1, 1) * ap.roll(x, (2, 3), (0, 1))
        assert told(made) == [
            "turned: 10 of 13 instructions, copies of pieces that are read where they lie",
            "program 0: over (60, 100), 3 instructions",
        ]
        with ap.config.using(passes="-turned"):
            assert len(told(made)) > 2
        total = ap.roll(x, 1, 0) * x
        assert len(told(total)) == 2
        total = total.sum()
        assert not any(line.startswith("turned") for line in told(total))  # in which order is added stays as it was
        kept = ap.roll(x, 1, 0)
        read = kept * 2
        assert not any(line.startswith("turned") for line in told(read))
        np.testing.assert_array_equal(kept * 2, read)
