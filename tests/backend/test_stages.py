"""Programs that share their lines run some lines at a time: the same bits as one after the other, and less memory."""

from __future__ import annotations

import io
import itertools
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from backend.explained import programs

import asnumpy as ap
from asnumpy import _core

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
ON_CPU = ap.Device() == "cpu"


@pytest.fixture(autouse=True)
def deferred() -> Iterator[None]:
    with ap.config.using(eager=False, eager_size=0):
        ap.synchronize()
        yield


def softmax(xp: Any, x: Any) -> Any:
    e = xp.exp(x - xp.max(x, axis=-1, keepdims=True))
    return e / xp.sum(e, axis=-1, keepdims=True)


def log_softmax(xp: Any, x: Any) -> Any:
    shifted = x - xp.max(x, axis=-1, keepdims=True)
    return shifted - xp.log(xp.sum(xp.exp(shifted), axis=-1, keepdims=True))


def layer_norm(xp: Any, x: Any) -> Any:
    mean, spread = xp.mean(x, axis=-1, keepdims=True), xp.var(x, axis=-1, keepdims=True)
    return (x - mean) / xp.sqrt(spread + x.dtype.type(1e-5)) * xp.arange(x.shape[-1]).astype(x.dtype) + x.dtype.type(2)


def share(xp: Any, x: Any) -> Any:
    return x / xp.sum(xp.abs(x), axis=-1, keepdims=True)


def centred(xp: Any, x: Any) -> Any:
    return x - xp.mean(x, axis=-1)[..., None]


def scaled(xp: Any, x: Any) -> Any:
    low, high = xp.min(x, axis=-1, keepdims=True), xp.max(x, axis=-1, keepdims=True)
    return (x - low) / (high - low)


def both_kept(xp: Any, x: Any) -> Any:
    """What lies between is seen outside."""
    e = xp.sqrt(xp.abs(x - xp.max(x, axis=-1, keepdims=True)))
    total = xp.sum(e, axis=-1, keepdims=True)
    return xp.concatenate((e / total, e, xp.broadcast_to(total, x.shape)))


def in_place(xp: Any, x: Any) -> Any:
    e = xp.abs(x) + x.dtype.type(1)
    e -= xp.min(e, axis=-1, keepdims=True)
    e /= xp.max(e, axis=-1, keepdims=True)
    e *= xp.sum(e, axis=-1, keepdims=True)
    return e


def input_in_place(xp: Any, x: Any) -> Any:
    x = x.copy()
    xp.asarray(x[:1]).sum()
    if xp is ap:
        ap.eval(x)
    x -= xp.max(x, axis=-1, keepdims=True)
    x /= xp.min(x, axis=-1, keepdims=True)
    return x


def over_all(xp: Any, x: Any) -> Any:
    """The whole array lies between: nothing can go row by row."""
    e = x - xp.max(x)
    return e / xp.min(e)


def other_rows(xp: Any, x: Any) -> Any:
    """Each row needs the one before."""
    e = x - xp.max(x, axis=-1, keepdims=True)
    e[1:] = e[:-1] + xp.min(e[1:], axis=-1, keepdims=True)
    return e - xp.max(e, axis=-1, keepdims=True)


def columns(xp: Any, x: Any) -> Any:
    e = x - xp.max(x, axis=0)
    return e - xp.min(e, axis=0) - xp.max(e, axis=-1, keepdims=True)


def backwards(xp: Any, x: Any) -> Any:
    e = x - xp.max(x, axis=-1, keepdims=True)
    return e[::-1] - xp.min(e, axis=-1, keepdims=True)


FORMS = [softmax, log_softmax, layer_norm, share, centred, scaled, both_kept, in_place, input_in_place, over_all,
         other_rows, columns, backwards]
LAYOUTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "C": lambda x: x,
    "F": np.asfortranarray,
    "every other row": lambda x: np.repeat(x, 2, axis=0)[::2],
    "every other column": lambda x: np.repeat(x, 2, axis=1)[:, ::2],
    "rows reversed": lambda x: x[::-1],
    "all reversed": lambda x: x[::-1, ::-1],
    "one row": lambda x: np.broadcast_to(x[0], x.shape),
    "three axes": lambda x: x.reshape(3, -1, x.shape[1]),
    "axes exchanged": lambda x: x.reshape(3, -1, x.shape[1]).transpose(1, 0, 2),
    "square": lambda x: np.resize(x, (300, 300)),
    "few long rows": lambda x: np.resize(x, (37, 8000)),
    "many short rows": lambda x: np.resize(x, (30011, 7)),
}


def data(dtype: str, layout: str, special: bool = False) -> np.ndarray:
    x = np.random.default_rng(5).standard_normal((603, 257)) * 3
    if special:
        x[3, 4], x[7, 0], x[9, 9], x[602, 256] = np.nan, np.inf, -np.inf, np.nan
        x[11] = -np.inf
    return LAYOUTS[layout](x.astype(dtype))


def bits(x: Any) -> bytes:
    x = np.ascontiguousarray(ap.to_numpy(x))
    return np.where(np.isnan(x), x.dtype.type(0), x).tobytes() + np.isnan(x).tobytes()


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_same_bits_as_one_after_the_other(form: Callable[..., Any], layout: str) -> None:
    for dtype, special in (("float32", False), ("float64", True), ("float16", False)):
        plain = data(dtype, layout, special)
        x = ap.from_numpy(plain)
        together = form(ap, x)
        programs()  # the grammar
        ap.eval(together)
        with ap.config.using(eager=True):
            alone = form(ap, ap.from_numpy(plain))
        assert together.dtype == alone.dtype and together.shape == alone.shape
        if layout not in ("F", "few long rows"):  # sums over tiles, which fused programs cut otherwise
            assert bits(together) == bits(alone), dtype
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = form(np, plain)
        bound = {"float16": 2e-2, "float32": 1e-3, "float64": 1e-9}[dtype]
        if dtype != "float16" or form in (softmax, log_softmax, share, centred, columns):
            np.testing.assert_allclose(ap.to_numpy(together), expected, rtol=bound, atol=bound * 10)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_switched_off(form: Callable[..., Any]) -> None:
    results = []
    for passes in ("all", "-together", "together", "none"):
        with ap.config.using(passes=passes):
            made = form(ap, ap.from_numpy(data("float32", "C")))
            assert "together" in ap.config.passes or passes == "all" or not any(one.lines for one in programs(made))
            ap.eval(made)
            results.append(bits(made))
    assert results[1:] == results[:1] * 3


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_threads_have_no_influence(form: Callable[..., Any]) -> None:
    results = []
    for threads in (1, 2):
        with ap.config.using(num_threads=threads):
            made = form(ap, ap.from_numpy(data("float32", "C")))
            ap.eval(made)
            results.append(bits(made))
    assert results[0] == results[1]


def pairs(x: Any) -> Any:
    """What each point gets from all others: the short axis of coordinates is reduced first, then that of points."""
    apart = x[None, :, :] - x[:, None, :]
    square = (apart * apart).sum(axis=2) + x.dtype.type(0.01)
    return ((1 / (square * ap.sqrt(square)))[:, :, None] * apart).sum(axis=1)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "float16"])
@pytest.mark.parametrize("shape", [(301, 3), (257, 2), (260, 7), (263, 15), (270, 16), (290, 1), (255, 3), (20000, 4)])
def test_short_axes_are_reduced_with_the_lines(dtype: str, shape: tuple[int, int]) -> None:
    x = ap.from_numpy((np.random.default_rng(3).standard_normal(shape) * 5).astype(dtype))

    def near(x: Any) -> Any:  # of few neighbours, where all pairs are too many
        apart = x[:, None, :] - x[None, :9, :]
        square = (apart * apart).sum(axis=2)
        return square - square.max(axis=1, keepdims=True), (apart * square[:, :, None]).sum(axis=1)

    results = []
    for passes in ("all", "-together"):
        with ap.config.using(passes=passes):
            made = near(x) if len(x) > 1000 else (pairs(x),)
            lines = [one.lines for one in programs(made[0])]
            ap.eval(*made)
            results.append(list(map(bits, made)))
            if ON_CPU and shape == (301, 3) and dtype == "float64":
                assert any(lines) == (passes == "all")
    assert results[0] == results[1]


@pytest.mark.parametrize("dtype", ["int32", "uint8", "int64", "bool"])
def test_integers(dtype: str) -> None:
    plain = (np.arange(700 * 300) * 7919 % 101).astype(dtype).reshape(700, 300)
    x = ap.from_numpy(plain)
    for xp, a, results in ((np, plain, (mine := [])), (ap, x, (theirs := []))):
        e = a + xp.max(a, axis=1, keepdims=True)
        e = e * xp.sum(e, axis=1, keepdims=True) + xp.any(a > 50, axis=1)[:, None]
        results += [e, e.min(axis=1), xp.count_nonzero(e > 3, axis=1)]
    for expected, got in zip(mine, theirs, strict=True):
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(ap.to_numpy(got), expected)


@pytest.mark.parametrize("shape", [(0, 300), (300, 0), (1, 100000), (100000, 1), (2, 50000), (17, 5003)])
def test_odd_shapes(shape: tuple[int, ...]) -> None:
    plain = np.random.default_rng(2).standard_normal(shape)
    for form in (share, centred):
        np.testing.assert_allclose(ap.to_numpy(form(ap, ap.from_numpy(plain))), form(np, plain), rtol=1e-9, atol=1e-9)


@pytest.mark.skipif(not ON_CPU, reason="how many lines is a matter of the CPU's caches")
def test_explain_says_so() -> None:
    x = ap.from_numpy(data("float32", "C"))
    found = programs(softmax(ap, x))
    assert len(found) == 3 and found[0].lines > 1 and found[0].lines == found[1].lines and found[2].lines == 0
    ap.flush()
    text = ap.explain(softmax(ap, x), file=io.StringIO())
    assert text.splitlines()[0] == "together: 5 of 5 instructions, in programs that run together"
    assert "together: 5 of 5" in ap.jit(softmax, static_argnames="xp").compile(ap, x).explain()
    assert all(program.lines == 0 for program in programs(over_all(ap, x)))
    assert all(program.lines == 0 for program in programs(softmax(ap, x[:100])))  # small


@pytest.mark.skipif(not ON_CPU, reason="how many lines is a matter of the CPU's caches")
def test_what_nobody_sees_takes_no_memory() -> None:
    ap.synchronize()
    x = ap.from_numpy(np.random.default_rng(1).random((2000, 500)))
    ap.free_all_blocks()
    ap.reset_peak()
    before = ap.memory_info()["in_use"]
    result = softmax(ap, x)
    ap.eval(result)
    assert ap.memory_info()["peak"] - before < 1.5 * result.nbytes


def test_failure_leaves_a_queue_that_still_runs() -> None:
    plain = np.random.default_rng(1).random((2000, 500))
    x = ap.from_numpy(plain).copy()
    ap.eval(x)
    ap.free_all_blocks()
    ap.config.memory_limit = ap.memory_info()["in_use"] + 4_000_000  # for what a device's operators use besides
    try:
        kept = ap.max(x, axis=1)
        shares = x / x.sum(axis=1, keepdims=True)
        with pytest.raises(MemoryError):
            ap.synchronize()
        np.testing.assert_array_equal(ap.to_numpy(kept), plain.max(axis=1))  # there is memory for that one
        with pytest.raises(MemoryError):
            ap.to_numpy(shares)
    finally:
        ap.config.memory_limit = 0
    x += 1  # after the pending reader
    np.testing.assert_allclose(ap.to_numpy(shares), share(np, plain), rtol=1e-12)
    np.testing.assert_array_equal(ap.to_numpy(x), plain + 1)
    assert _core.pending_count() == 0


def test_long_lines_of_stages() -> None:
    """More stages than run together, each with lines of its own length."""
    plain = np.random.default_rng(3).integers(0, 9, (400, 400))
    x, expected = ap.from_numpy(plain), plain
    for k, axis in zip(range(60), itertools.cycle((1, 1, 0)), strict=False):
        x = x + x.max(axis=axis, keepdims=True) % (k + 3)
        expected = expected + expected.max(axis=axis, keepdims=True) % (k + 3)
    np.testing.assert_array_equal(ap.to_numpy(x), expected)


OTHER_VIEWS: dict[str, Callable[[Any, Any], Any]] = {
    "C": lambda xp, x: x.copy(),
    "F": lambda xp, x: x.T.copy().T,
    "rows reversed": lambda xp, x: x.copy()[::-1],
    "a part": lambda xp, x: xp.pad(x, 5)[5:-5, 5:-5],
    "every other": lambda xp, x: xp.repeat(xp.repeat(x, 2, axis=0), 2, axis=1)[::2, ::2],
    "one row": lambda xp, x: xp.broadcast_to(x[0].copy(), x.shape),
}


@pytest.mark.parametrize("form", [softmax, in_place, input_in_place, other_rows, backwards])
def test_what_was_found_for_other_views_is_not_taken(form: Callable[..., Any]) -> None:
    """The same program over arrays that lie otherwise, on other threads, and again: each time as by itself."""
    square = np.random.default_rng(7).standard_normal((300, 300)).astype("float32")
    results: dict[str, set[bytes]] = {name: set() for name in OTHER_VIEWS}
    for threads, name in itertools.product((1, 2, 2), (*OTHER_VIEWS, "C", "rows reversed", "C")):
        with ap.config.using(num_threads=threads):
            view = OTHER_VIEWS[name](ap, ap.from_numpy(square))
            ap.eval(view)
            made = form(ap, view)
            ap.eval(made)
        results[name].add(bits(made))
        expected = form(np, np.ascontiguousarray(OTHER_VIEWS[name](np, square)))
        np.testing.assert_allclose(ap.to_numpy(made), expected, rtol=2e-3, atol=1e-3)
    assert all(len(found) == 1 for found in results.values())


def test_arrays_with_values_and_without_are_told_apart() -> None:
    """What is partly overwritten before it is read has values of its own, or none that count."""
    rows = np.random.default_rng(8).standard_normal((400, 500))
    for turn in range(6):
        if turn % 2:
            e, expected = ap.from_numpy(rows).copy(), rows.copy()
            ap.eval(e)
        else:
            e, expected = ap.empty((400, 500)), rows.copy()
            e[:, 250:] = ap.from_numpy(rows[:, 250:])
        e[:, :250] = ap.from_numpy(rows[:, :250]) * 2
        expected[:, :250] = rows[:, :250] * 2
        shares = e / ap.sum(ap.abs(e), axis=-1, keepdims=True)
        del e
        np.testing.assert_allclose(ap.to_numpy(shares), share(np, expected), rtol=1e-12)


def test_two_threads_run_the_same_program() -> None:
    """What is kept of it is for one of them at a time."""

    def work(k: int) -> None:
        plain = np.random.default_rng(k).standard_normal((700, 300))
        wanted = softmax(np, plain)
        for _ in range(20):
            np.testing.assert_allclose(ap.to_numpy(softmax(ap, ap.from_numpy(plain))), wanted, rtol=1e-12, atol=1e-8)

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(work, range(2)))
