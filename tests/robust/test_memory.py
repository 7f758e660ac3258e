"""Memory: too much of it raises MemoryError and harms nothing else; all of it comes back."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import _core

pytestmark = pytest.mark.host_memory  # the figures of a device hold what its operators work in, too

MEGABYTE = 1 << 20
LENGTH = MEGABYTE  # elements: 8 MB of float64


@pytest.fixture(autouse=True)
def deferred() -> Iterator[None]:
    with ap.config.using(eager=False, eager_size=0):
        ap.synchronize()
        yield
        _core.set_memory_limit(0)


def limit_to(room: int) -> None:
    """Lets the pool take so many bytes more than it holds."""
    gc.collect()  # arrays that only a caught exception's frames still name would make room later
    ap.free_all_blocks()
    info = ap.memory_info()
    ap.config.memory_limit = info["in_use"] + info["cached"] + room


def ones_beside(room: int) -> ap.ndarray:
    """LENGTH computed ones, beside which the pool may take so many bytes."""
    x = ap.ones(LENGTH)
    ap.eval(x)
    limit_to(room)
    return x


HUGE: dict[str, Callable[[], object]] = {
    "zeros": lambda: ap.zeros(1 << 50),
    "empty": lambda: ap.empty((1 << 30, 1 << 20), np.int8),
    "full": lambda: ap.full((1 << 25, 1 << 25), 1.5),
    "ones_like": lambda: ap.ones_like(ap.ones(3), shape=(1 << 48,)),
    "broadcast sum": lambda: ap.ones((1 << 21, 1)) + ap.ones((1, 1 << 21)),
    "outer": lambda: ap.multiply.outer(ap.ones(1 << 21), ap.ones(1 << 21)),
    "astype": lambda: ap.broadcast_to(ap.ones(1), (1 << 45,)).astype(np.float32),
    "copy": lambda: ap.broadcast_to(ap.ones(1), (1 << 45,)).copy(),
    "arange": lambda: ap.arange(1 << 50),
}


@pytest.mark.parametrize("case", HUGE)
def test_huge_array_raises_at_the_call(case: str) -> None:
    kept = ap.arange(1000) * 2
    with pytest.raises(MemoryError) as caught:
        HUGE[case]()
    text = str(caught.value)
    assert "allocate" in text and "shape" in text, text
    assert int(kept.sum()) == 999_000


@pytest.mark.parametrize("shape", [(1 << 62, 4), (1 << 32, 1 << 32), (-1,), (3, -2), (2**63,)])
def test_impossible_shape_raises_as_numpy(shape: tuple[int, ...]) -> None:
    with pytest.raises((ValueError, OverflowError)) as expected:
        np.empty(shape)
    with pytest.raises(expected.type):
        ap.empty(shape)


def test_limit_is_met_at_the_flush_and_others_survive() -> None:
    kept = ap.arange(LENGTH, dtype=np.float64)
    other = kept[::-1]
    ap.eval(kept)
    limit_to(20 * MEGABYTE)
    late = [kept * k for k in range(1, 6)]  # 40 MB
    small = kept[:1000] + 1
    with pytest.raises(MemoryError) as caught:
        ap.synchronize()
    assert "MB" in str(caught.value) or "bytes" in str(caught.value)
    assert float(small.sum()) == 1000 * 999 / 2 + 1000
    assert float(kept[5]) == 5 and float(other[5]) == LENGTH - 6
    done = [k for k, array in enumerate(late) if not array._pending]
    assert len(done) <= 2  # what fits has run, the rest still waits
    with pytest.raises(MemoryError):
        for array in late:
            float(array[1])
    ap.config.memory_limit = 0
    for k, array in enumerate(late, start=1):
        assert float(array[LENGTH - 1]) == (LENGTH - 1) * k
    assert _core.pending_count() == 0


def test_what_depends_on_a_failure_waits_with_it() -> None:
    x = ones_beside(4 * MEGABYTE)
    y = x + 1
    z = y[::-1] * 2
    total = z.sum() if z.size else z
    x += 10  # must not overtake the pending reader of its old values
    for array in (y, z, total):
        with pytest.raises(MemoryError):
            ap.to_numpy(array)
    ap.config.memory_limit = 0
    assert float(total) == 4 * LENGTH
    assert float(y[0]) == 2 and float(z[0]) == 4 and float(x[0]) == 11


def test_dropping_what_failed_clears_the_queue() -> None:
    x = ones_beside(4 * MEGABYTE)
    y = x + 1
    with pytest.raises(MemoryError):
        ap.synchronize()
    del y
    ap.synchronize()
    assert _core.pending_count() == 0


def test_freeing_makes_room() -> None:
    x = ones_beside(9 * MEGABYTE)
    y = x + 1
    ap.eval(y)
    z = x + 2
    with pytest.raises(MemoryError):
        ap.eval(z)
    del y
    assert float(z.sum()) == 3 * LENGTH


def test_cached_memory_is_given_up_before_an_error() -> None:
    ap.free_all_blocks()
    x = ap.ones(LENGTH)
    ap.eval(x)
    for size in (LENGTH, LENGTH // 2, LENGTH // 4):
        scratch = [x[:size] + k for k in range(2)]
        ap.eval(*scratch)
    del scratch
    info = ap.memory_info()
    assert info["cached"] >= 16 * MEGABYTE
    ap.config.memory_limit = info["in_use"] + info["cached"] + 12 * MEGABYTE
    y = ap.concatenate([x, x, x])  # 24 MB in one piece
    assert float(y.sum()) == 3 * LENGTH


def test_eager_failure_raises_at_the_call() -> None:
    x = ap.ones(LENGTH)
    with ap.config.using(eager=True):
        limit_to(4 * MEGABYTE)
        with pytest.raises(MemoryError):
            x + 1
        ap.config.memory_limit = 0
        assert float((x + 1)[3]) == 2


def test_limit_below_use_refuses_only_new_memory() -> None:
    x = ap.ones(LENGTH)
    ap.eval(x)
    ap.config.memory_limit = 1
    x *= 3
    assert np.asarray(x)[7] == 3  # in place: nothing new
    with pytest.raises(MemoryError):
        x + 1
        ap.synchronize()


def settle() -> tuple[int, int]:
    gc.collect()
    ap.synchronize()
    info = ap.memory_info()
    return info["blocks"], info["in_use"]


def errors_and_views(x: ap.ndarray) -> None:
    for bad in (lambda: x + ap.ones(7), lambda: x[100_000], lambda: x.reshape(7, -1), lambda: x.sum(axis=5),
                lambda: ap.concatenate([x, ap.ones((2, 2))]), lambda: ap.sin(["a"]), lambda: x.astype("no dtype")):
        with pytest.raises((ValueError, IndexError, TypeError)):
            bad()
    views = [x[::2], x.reshape(50, 60).T, x[None], ap.broadcast_to(x, (3, 3000)), x[10:20][::-1]]
    assert sum(view.size for view in views) == 1500 + 3000 + 3000 + 9000 + 10


WORK: dict[str, Callable[[ap.ndarray], object]] = {
    "arithmetic": lambda x: (x + 1) * x - x / 3,
    "never read": lambda x: [x + k for k in range(200)] and None,
    "reductions": lambda x: [float(x.sum()), float(x.max()), int(x.argmax()), float(ap.cumsum(x)[-1])],
    "errors and views": errors_and_views,
    "in place": lambda x: x.__iadd__(1),
    "overlap": lambda x: x.__setitem__(slice(1, None), x[:-1]),
    "indexing": lambda x: (x[[1, 2, 3]], x[x > 5], x.__setitem__([0, 1], 5)),
    "exports": lambda x: (np.asarray(x + 1).sum(), memoryview(x + 2)[0], np.from_dlpack(x + 3)[1]),
    "exports in a circle": lambda x: ap.from_dlpack(np.asarray(ap.from_dlpack(np.asarray(x + 1)))) + 1,
    "capsules unused": lambda x: (x + 1).__dlpack__(),
    "host door": lambda x: ap.linalg.norm(x.reshape(60, 50) + 1),
    "casts": lambda x: (x.astype(np.int8), x.astype(np.complex128), x.astype(ap.bfloat16).sum()),
    "products": lambda x: x.reshape(60, 50) @ x.reshape(50, 60) + 1,
    "printing": lambda x: (repr(x), str(x + 1), x.tolist()),
    "pickle": lambda x: __import__("pickle").loads(__import__("pickle").dumps(x + 1, protocol=5)),
    "cycle": lambda x: (lambda box: box.append((box, x + 1)))([]),
    "explained": lambda x: _core.explain(x + 1),
}


@pytest.mark.parametrize("how", ["recorded", "at once when small", "eager"])
@pytest.mark.parametrize("work", WORK)
def test_everything_comes_back(work: str, how: str) -> None:
    x = ap.ones(3000)
    ap.eval(x)
    with ap.config.using(eager=how == "eager", eager_size=0 if how == "recorded" else 4096):
        WORK[work](x)  # what is made once and kept for ever
        before = settle()
        for _ in range(25):
            WORK[work](x)
        assert settle() == before


def test_failed_flushes_lose_nothing() -> None:
    x = ap.ones(LENGTH)
    ap.eval(x)
    before = settle()
    limit_to(4 * MEGABYTE)
    for _ in range(5):
        y = x + 1
        with pytest.raises(MemoryError):
            ap.eval(y)
        del y
    ap.config.memory_limit = 0
    assert settle() == before


def test_figures() -> None:
    blocks, in_use = settle()
    ap.reset_peak()
    x = ap.empty(LENGTH)
    assert ap.memory_info()["in_use"] == in_use, "memory is taken when it is first needed"
    x[...] = 1
    ap.eval(x)
    info = ap.memory_info()
    assert info["blocks"] == blocks + 1 and info["in_use"] >= in_use + 8 * MEGABYTE
    assert info["peak"] == info["in_use"]
    requests, hits = info["requests"], info["hits"]
    del x
    y = ap.ones(LENGTH)
    ap.eval(y)
    info = ap.memory_info()
    assert info["requests"] == requests + 1 and info["hits"] == hits + 1
    del y
    assert settle() == (blocks, in_use)
    assert ap.memory_info()["cached"] >= 8 * MEGABYTE
    ap.free_all_blocks()
    assert ap.memory_info()["cached"] < 8 * MEGABYTE
    assert settle() == (blocks, in_use)


def test_zero_sized_arrays_take_nothing() -> None:
    before = settle()
    arrays = [ap.zeros((0, 5)), ap.ones(0) + 1, ap.empty((3, 0, 2)).sum(axis=1), ap.arange(0)]
    ap.eval(*arrays)
    assert ap.memory_info()["in_use"] <= before[1] + 6 * 64  # the reduced one has elements
    assert arrays[2].tolist() == [[0.0, 0.0]] * 3
    del arrays
    assert settle() == before
