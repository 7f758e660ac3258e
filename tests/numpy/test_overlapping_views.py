"""Writing to views whose elements overlap each other: NumPy's results, whichever element wins there.

Every write is made by both libraries on buffers of the same numbers. The views have strides that are zero, small,
negative, and in any order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import drawn
import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

import asnumpy as ap
from asnumpy import _core

LENGTH = 48
SLOW = settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))


@dataclass(frozen=True)
class Layout:
    """A view of a vector: shape, strides in elements, the first element."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    start: int

    def of(self, xp: Any, buffer: Any) -> Any:
        # Negative strides: the view of their sizes, from the lowest element, turned round.
        low = self.start + sum((n - 1) * min(step, 0) for n, step in zip(self.shape, self.strides, strict=True))
        steps = tuple(abs(step) * buffer.itemsize for step in self.strides)
        view = xp.lib.stride_tricks.as_strided(buffer[low:], self.shape, steps)
        return view[tuple(slice(None, None, -1 if step < 0 else 1) for step in self.strides) or ...]


@st.composite
def layouts(draw: Any, shape: tuple[int, ...] | None = None) -> Layout:
    if shape is None:
        shape = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 4]), min_size=1, max_size=4)))
    strides, below, above = [], 0, 0
    for length in shape:
        room = (LENGTH - 1 - below - above) // max(length - 1, 1)
        step = draw(st.sampled_from([s for s in (0, 1, 1, 2, 3, -1, -2, 4, 6, -5) if abs(s) <= room]))
        strides.append(step)
        below, above = below + (length - 1) * max(-step, 0), above + (length - 1) * max(step, 0)
    return Layout(shape, tuple(strides), draw(st.integers(below, LENGTH - 1 - above)))


@st.composite
def fitting(draw: Any, shape: tuple[int, ...]) -> Layout:
    """An operand that broadcasts to the shape."""
    narrower = tuple(draw(st.sampled_from([n, n, n, 1])) for n in shape)
    return draw(layouts(narrower[draw(st.sampled_from([0, 0, 0, len(shape)])):]))


@dataclass(frozen=True)
class Operands:
    target: Any
    left: Any
    right: Any
    inside: Any    # of the target's memory
    whole: Any     # of the target's shape
    row: Any       # of the target's shape without its first axis
    mask: Any
    index: Any
    picked: Any    # what target[index] = may take


def _into_row(xp: Any, o: Operands) -> None:
    """A reduction into a row of the target."""
    xp.add.reduce(o.whole, axis=0, out=o.row)


WRITES: dict[str, Callable[[Any, Operands], Any]] = {
    "assign": lambda xp, o: o.target.__setitem__(..., o.left),
    "assign its own memory": lambda xp, o: o.target.__setitem__(..., o.inside) if o.target.ndim > 1 else None,
    "assign a number": lambda xp, o: o.target.__setitem__(..., 7),
    "assign another dtype": lambda xp, o: o.target.__setitem__(..., o.left.astype("float32")),
    "fill": lambda xp, o: o.target.fill(3),
    "flat": lambda xp, o: setattr(o.target, "flat", xp.arange(3.0)),
    "in place": lambda xp, o: o.target.__iadd__(1),
    "in place with an array": lambda xp, o: o.target.__isub__(o.left),
    "in place with its own memory": lambda xp, o: o.target.__imul__(o.inside),
    "out of one": lambda xp, o: xp.negative(o.left, out=o.target),
    "out of two": lambda xp, o: xp.subtract(o.left, o.right, out=o.target),
    "out of a number": lambda xp, o: xp.subtract(o.left, 1.0, out=o.target),
    "out beside its own memory": lambda xp, o: xp.subtract(o.inside, o.right, out=o.target),
    "out of another dtype": lambda xp, o: xp.subtract(o.left.astype("int32"), 1, out=o.target, casting="unsafe"),
    "out, masked": lambda xp, o: xp.subtract(o.left, o.right, out=o.target, where=o.mask),
    "two outs": lambda xp, o: xp.divmod(o.whole, 7.0, out=(o.target, None)),
    "reduce": _into_row,
    "accumulate": lambda xp, o: xp.add.accumulate(o.whole, axis=-1, out=o.target),
    "cumsum": lambda xp, o: xp.cumsum(o.whole, axis=0, out=o.target),
    "at": lambda xp, o: xp.add.at(o.target, o.index, 2.0),
    "index": lambda xp, o: o.target.__setitem__(o.index, o.picked),
    "mask": lambda xp, o: o.target.__setitem__(o.mask, xp.arange(float(o.mask.sum()))),
    "mask with a number": lambda xp, o: o.target.__setitem__(o.mask, 5.0),
    "copyto": lambda xp, o: xp.copyto(o.target, o.left),
    "copyto, masked": lambda xp, o: xp.copyto(o.target, o.left, where=o.mask),
    "put": lambda xp, o: xp.put(o.target, o.index, xp.asarray([1.0, 2.0, 3.0])),
    "putmask": lambda xp, o: xp.putmask(o.target, o.mask, o.whole),
    "place": lambda xp, o: xp.place(o.target, o.mask, xp.asarray([1.0, 2.0, 3.0])),
    "take": lambda xp, o: xp.take(o.left.reshape(-1), xp.zeros(o.target.shape, int), out=o.target),
    "clip": lambda xp, o: xp.clip(o.whole, 1005.0, 1020.0, out=o.target),
    "mean": lambda xp, o: xp.mean(o.whole, axis=0, out=o.row),
    "mean of its own memory": lambda xp, o: xp.mean(o.target, axis=0, out=o.row),
    "var": lambda xp, o: xp.var(o.whole, axis=0, out=o.row),
    "std of its own memory": lambda xp, o: xp.std(o.target, axis=0, out=o.row),
    "sum": lambda xp, o: xp.sum(o.target, axis=0, out=o.row),
    "prod": lambda xp, o: xp.prod(o.target % 7, axis=0, out=o.row),
    "max": lambda xp, o: xp.max(o.target, axis=0, out=o.row),
    "all": lambda xp, o: xp.all(o.target, axis=0, out=o.row),
    "nansum": lambda xp, o: xp.nansum(o.target, axis=0, out=o.row),
    "nanmean": lambda xp, o: xp.nanmean(o.target, axis=0, out=o.row),
    "nanmax": lambda xp, o: xp.nanmax(o.target, axis=0, out=o.row),
    "median": lambda xp, o: xp.median(o.target, axis=0, out=o.row),
    "quantile": lambda xp, o: xp.quantile(o.target, 0.25, axis=0, out=o.row),
    "cumsum of its own memory": lambda xp, o: xp.cumsum(o.inside + o.target, axis=0, out=o.target),
    "cumsum into itself": lambda xp, o: xp.cumsum(o.target, axis=0, out=o.target),
    "cumprod": lambda xp, o: xp.cumprod(o.whole % 5, axis=-1, out=o.target),
    "nancumsum": lambda xp, o: xp.nancumsum(o.target, axis=0, out=o.target),
    "maximum.accumulate": lambda xp, o: xp.maximum.accumulate(o.target, axis=0, out=o.target),
    "round": lambda xp, o: xp.round(o.whole / 7, 0, out=o.target),
    "clip into itself": lambda xp, o: xp.clip(o.target, 105.0, o.whole - 900, out=o.target),
    "clip by its own memory": lambda xp, o: xp.clip(o.whole, o.target, o.inside + 900, out=o.target),
    "nan_to_num": lambda xp, o: xp.nan_to_num(o.target, copy=False),
    "matmul": lambda xp, o: xp.matmul(o.target, o.whole[..., :1], out=o.target[..., :1]) if o.target.ndim > 1 else None,
    "matmul of its own memory": lambda xp, o: xp.matmul(o.target, o.target.swapaxes(-1, -2)[..., : o.target.shape[-1]],
                                                        out=o.target) if o.target.ndim == 2 else None,
    "dot": lambda xp, o: xp.dot(o.target, xp.eye(o.target.shape[-1]), out=o.target),
    "outer": lambda xp, o: xp.outer(o.target[:, 0], o.target[0], out=o.target) if o.target.ndim == 2 else None,
    "einsum": lambda xp, o: xp.einsum("i...->...", o.target, out=o.row),
    "trace": lambda xp, o: xp.trace(o.target, out=o.target[0, 0]) if o.target.ndim > 2 else None,
    "concatenate": lambda xp, o: xp.concatenate([o.target[1:], o.target[:1]], out=o.target),
    "stack": lambda xp, o: xp.stack(list(o.target)[::-1], out=o.target),
    "choose": lambda xp, o: xp.choose(o.mask, [o.target, o.whole], out=o.target),
    "compress": lambda xp, o: xp.compress(xp.ones(o.target.shape[0], bool), o.target, axis=0, out=o.target),
    "take of its own memory": lambda xp, o: xp.take(o.target, xp.asarray(range(o.target.shape[0])[::-1]), axis=0,
                                                    out=o.target),
    "reduceat": lambda xp, o: xp.add.reduceat(o.target, list(range(o.target.shape[0])), axis=0, out=o.target),
    "modf": lambda xp, o: xp.modf(o.whole / 4, out=(o.target, None)),
    "divmod into both": lambda xp, o: xp.divmod(o.target, 7.0, out=(o.target, o.inside)) if o.inside.shape
    == o.target.shape else None,
    "sort": lambda xp, o: o.target.sort(axis=-1),
    "put_along_axis": lambda xp, o: xp.put_along_axis(o.target, xp.zeros((1, *o.target.shape[1:]), int), o.row, 0),
    "fill_diagonal": lambda xp, o: xp.fill_diagonal(o.target, 3.0) if o.target.ndim == 2 else None,
    "shifted": lambda xp, o: o.target.__setitem__(slice(1, None), o.target[:-1]) if o.target.ndim > 1 else None,
}


ROUNDED = {"var", "std of its own memory", "matmul of its own memory", "dot", "quantile"}


@st.composite
def cases(draw: Any) -> tuple[Layout, dict[str, Layout], list[bool], list[int]]:
    target = draw(layouts())
    shape = target.shape
    others = {
        "left": draw(fitting(shape)), "right": draw(fitting(shape)), "inside": draw(fitting(shape)),
        "whole": draw(layouts(shape)), "row": draw(layouts(shape[1:])), "picked": draw(layouts((5, *shape[1:]))),
    }
    size = int(np.prod(shape))
    mask = draw(st.lists(st.booleans(), min_size=size, max_size=size))
    return target, others, mask, draw(st.lists(st.integers(-shape[0], shape[0] - 1), min_size=5, max_size=5))


def written(xp: Any, name: str, case: tuple[Layout, dict[str, Layout], list[bool], list[int]]) -> Any:
    """The buffer after the write; or the class of the error."""
    target, others, mask, index = case
    buffer, beside = xp.asarray(np.arange(100.0, 100.0 + LENGTH)), xp.asarray(np.arange(1000.0, 1000.0 + LENGTH))
    views = {key: layout.of(xp, buffer if key in ("inside", "row") else beside) for key, layout in others.items()}
    chosen = xp.asarray(np.array(mask).reshape(target.shape))
    operands = Operands(target=target.of(xp, buffer), mask=chosen, index=xp.asarray(index), **views)
    try:
        WRITES[name](xp, operands)
    except (ValueError, TypeError, IndexError) as error:
        return type(error)
    return np.asarray(buffer) if xp is np else ap.to_numpy(buffer)


@pytest.fixture(params=[True, False], ids=["at once", "deferred"], autouse=True, scope="module")
def eager(request: Any) -> Iterator[None]:
    with ap.config.using(eager_size=4096 if request.param else 0, fallback="count", implicit_copies="count"):
        yield


@pytest.mark.parametrize("name", WRITES)
def test_writes_as_numpy(name: str) -> None:
    def check(case: Any) -> None:
        expected, got = written(np, name, case), written(ap, name, case)
        if isinstance(expected, type):
            assert got is expected
        elif name in ROUNDED:
            np.testing.assert_allclose(got, expected, rtol=1e-12, err_msg=str(case))
        else:
            np.testing.assert_array_equal(got, expected, err_msg=str(case))

    drawn.for_each(check, cases(), SLOW, "writes")


# --- large ones, which threads would share ---

LARGE = {
    "windows": lambda xp, x: xp.lib.stride_tricks.sliding_window_view(x, 3, writeable=True),
    "turned windows": lambda xp, x: xp.lib.stride_tricks.sliding_window_view(x, 3, writeable=True)[::-1].T,
    "one row many times": lambda xp, x: xp.lib.stride_tricks.as_strided(x, (30_000, 4), (0, 8)),
    "one column many times": lambda xp, x: xp.lib.stride_tricks.as_strided(x, (200_000, 4), (8, 0)),
    "a band": lambda xp, x: xp.lib.stride_tricks.as_strided(x, (1000, 400), (8 * 100, 8)),
}


@pytest.mark.parametrize("layout", LARGE)
def test_large_targets(layout: str) -> None:
    def run(xp: Any) -> list[np.ndarray]:
        made = []
        values = xp.asarray(np.arange(300_000.0) % 1013)
        for write in (
            lambda w, v: w.__iadd__(1),
            lambda w, v: w.__setitem__(..., v),
            lambda w, v: xp.multiply(v, 3.0, out=w),
            lambda w, v: w.__imul__(v),
        ):
            x = xp.asarray(np.arange(300_000.0))
            w = LARGE[layout](xp, x)
            rows = values[: w.size].reshape(w.shape) if w.size <= values.size else values[: w.shape[-1]]
            y = x * 2  # reads the memory before it is written
            write(w, rows)
            made += [np.asarray(x) if xp is np else ap.to_numpy(x), np.asarray(y) if xp is np else ap.to_numpy(y)]
        return made

    with ap.config.using(num_threads=_core.max_threads()):
        for got, expected in zip(run(ap), run(np), strict=True):
            np.testing.assert_array_equal(got, expected)


def test_what_reads_such_a_view_and_what_follows() -> None:
    """The write has its place in the order of the program, whatever could have been joined with it."""
    def run(xp: Any) -> list[Any]:
        x = xp.asarray(np.arange(50_000.0))
        w = xp.lib.stride_tricks.sliding_window_view(x, 4, writeable=True)
        before = w + 1
        again = w + 1  # the same expression, and after the write another value
        w += before
        after = w + 1
        x += 1
        w[1:] = w[:-1]
        total = w.sum()
        return [before, again, after, x, w, total]

    for got, expected in zip(run(ap), run(np), strict=True):
        np.testing.assert_array_equal(ap.to_numpy(got) if isinstance(got, ap.ndarray) else got, expected)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16", "complex64", "complex128", "longdouble"])
def test_dtypes(dtype: str) -> None:
    def run(xp: Any) -> Any:
        x = xp.asarray((np.arange(40) % 11).astype(dtype))
        values = (np.arange(114) % 7).astype(dtype).reshape(38, 3)
        xp.lib.stride_tricks.sliding_window_view(x, 3, writeable=True)[...] = xp.asarray(values)
        return x

    np.testing.assert_array_equal(ap.to_numpy(run(ap)), run(np))


def test_broadcast_views_are_read_only_until_they_are_made_writeable() -> None:
    with pytest.raises(ValueError, match="read-only"):
        ap.broadcast_to(ap.ones(3), (2, 3))[...] = 1
    with pytest.raises(ValueError, match="read-only"):
        ap.lib.stride_tricks.sliding_window_view(ap.ones(5), 2)[...] = 1
