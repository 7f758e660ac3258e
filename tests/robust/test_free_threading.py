"""Threads share arrays, numbers, functions and generators with no lock around them, on either kind of Python.

Values are those of some order of the calls, and nothing else suffers: no crash, no memory that nobody gives back, no
error that is not its thread's.
"""

from __future__ import annotations

import gc
import sys
import sysconfig
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from robust.at_once import THREADS, together
from robust.processes import run_script

import asnumpy as ap
from asnumpy.tracing import _function

SIZES = (10, 9000)  # computed at its call, and recorded


@pytest.fixture(autouse=True)
def switching_often() -> Iterator[None]:
    """Where there is the interpreter's lock, it changes hands as often as it can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="a Python with the interpreter's lock")
def test_the_lock_stays_off() -> None:
    """Python turns it on for a module that does not say that it does without, and warns."""
    source = "import sys, asnumpy; print(sys._is_gil_enabled(), float((asnumpy.ones(3) * 2).sum()))"
    done = run_script(source, PYTHON_GIL="", PYTHONWARNINGS="error:The global interpreter lock:RuntimeWarning")
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "False 6.0\n")


@pytest.mark.parametrize("size", SIZES)
def test_writes_to_the_same_elements(size: int) -> None:
    """Updates may be lost, as NumPy's may; an element never has a value that nobody could have left there."""
    rounds = 40
    counts, marks = ap.zeros(size), ap.full(size, -1.0)

    def work(number: int) -> None:
        for k in range(rounds):
            counts[:] += 1
            marks[:] = number
            marks[number] = float(k % THREADS)
            marks[::3] = marks[::-3][: marks[::3].size]
            assert np.all(np.isin(ap.to_numpy(marks), [-1, *range(THREADS)]))

    together(work)
    found = ap.to_numpy(counts)
    assert np.all((found >= 1) & (found <= THREADS * rounds)) and np.array_equal(found, np.floor(found))
    counts += 1
    assert np.array_equal(ap.to_numpy(counts), found + 1)


@pytest.mark.parametrize("size", [7, 1500])
def test_elements_beside_work_on_the_rest(size: int) -> None:
    """Each thread has a part of one array, which lies on the host while elements are used, on the device for work."""
    shared = ap.zeros(THREADS * size)
    rounds = 12 if size > 100 else 60

    @ap.jit
    def add(x: Any, amount: float) -> None:
        x += amount

    def work(number: int) -> None:
        random = np.random.default_rng(number)
        part, mine = shared[number * size : (number + 1) * size], np.zeros(size)
        for k in range(rounds):
            for place in random.integers(size, size=4):
                part[place] = mine[place] = mine[place] + k
                part[int(place)] += 1.0
                mine[place] += 1
            for place in random.integers(size, size=4):
                assert part[int(place)] == mine[place]
            if k % 3 == number % 3:
                part += k
                mine += k
            if k % 4 == number % 4:
                add(part, 0.5)
                mine += 0.5
            few = slice(k % (size - 2), k % (size - 2) + 2)
            part[few] *= 2
            mine[few] *= 2
            assert float((part[few] + 1)[1]) == mine[few][1] + 1
            if k % 5 == number % 5:
                assert np.array_equal(ap.to_numpy(part), mine) and float(part.sum()) == mine.sum()
        assert np.array_equal(ap.to_numpy(part), mine)

    with ap.config.using(implicit_copies="count"):
        together(work)


@pytest.mark.parametrize("size", SIZES)
def test_a_number_is_learned_by_all(size: int) -> None:
    for k in range(30):
        total = (ap.arange(size) + k).sum()
        expected = size * (size - 1) // 2 + k * size
        made = [ap.array(2.5), ap.float64(4)]

        def work(number: int, total: Any = total, expected: int = expected, made: Any = made) -> None:
            ways: list[Callable[[], Any]] = [
                lambda: int(total), lambda: total + 0, lambda: np.asarray(total)[()], lambda: hash(total) and expected,
                lambda: (ap.zeros(3, np.int64) + total)[1], lambda: total.item(),
            ]
            for way in (*ways[number:], *ways[:number]):
                assert int(way()) == expected
            assert total == expected and bool(total)
            assert float(made[0] * made[1]) == 10 and np.asarray(made[1]) == 4

        together(work)


def test_first_calls_of_a_function() -> None:
    """Which loop a function has for dtypes is looked up by whoever comes first, and that may be several."""
    kinds = [np.dtype(code) for code in "bBhHiIlLefd"]
    functions = [("add", 2), ("multiply", 2), ("maximum", 2), ("hypot", 2), ("sqrt", 1), ("negative", 1), ("clip", 3)]
    x = {kind: ap.ones(3, kind) for kind in kinds}

    def work(number: int) -> None:
        for k, kind in enumerate(kinds):
            for name, count in functions:
                given = [kinds[(k + j * (number % 3)) % len(kinds)] for j in range(count)]
                if name == "negative" and kind.kind == "b":
                    continue
                made = getattr(ap, name)(*(x[each] for each in given))
                expected = getattr(np, name)(*(np.ones(3, each) for each in given))
                assert made.dtype == expected.dtype and np.array_equal(ap.to_numpy(made), expected)
                numbers = getattr(ap, name)(*(x[each][0] for each in given))
                assert numbers.dtype == expected.dtype and numbers == expected[0]

    with ap.config.using(implicit_copies="count"):  # a device's elements come to the host
        together(work)


@pytest.mark.parametrize("size", SIZES)
def test_memory_that_is_shared_and_given_back(size: int) -> None:
    """While somebody has an array's address nothing on it waits; when nobody has, it may again."""
    shared = ap.arange(size) * 2.0

    def work(number: int) -> None:
        for _ in range(50):
            view, memory = np.asarray(shared), memoryview(shared)
            assert view[3] == 6 and memory[size - 1] == 2.0 * (size - 1)
            assert float((shared + number)[2]) == 4 + number
            del view
            memory.release()

    together(work)
    with ap.config.using(eager=False, eager_size=0):
        if ap.Device() == "cpu":
            assert (shared + 1)._pending
        assert float((shared + 1)[1]) == 3

    def take(_: int) -> None:
        assert shared.__array_interface__["shape"] == (size,)

    if ap.Device() == "cpu":
        together(take)
        assert not (shared + 1)._pending


def test_objects_that_come_and_go() -> None:
    """Arrays, views, numbers and weak references, made in one thread and dropped in another, beside the collector."""
    gc.collect()
    gc.freeze()  # the collector looks at what the threads make, not at what all tests before have left
    before = ap.memory_info()["in_use"]
    places: list[Any] = [None] * 8
    ended = threading.Event()

    def work(number: int) -> None:
        if number == 0:
            while not ended.wait(0.001):
                gc.collect()
            return
        try:
            for k in range(300):
                size = 2000 if (k + number) % 2 else 5
                made = ap.ones(size) * k
                seen = weakref.ref(made)
                other, places[(k * number) % 8] = places[(k * number) % 8], (k, made, made[1:], made.sum(), seen)
                del made
                if other is not None:
                    was, whole, rest, total, reference = other
                    assert float(rest[0]) == was and float(total) == was * whole.size and reference() is whole
                    del whole, rest, total
        finally:
            ended.set()

    try:
        together(work)
    finally:
        gc.unfreeze()
    places.clear()
    gc.collect()
    ap.synchronize()
    left = ap.memory_info()["in_use"] - before
    assert left <= (0 if ap.Device() == "cpu" else 8 * 2000)  # what was there before may have gone


@pytest.mark.parametrize("size", SIZES)
def test_a_jitted_function(size: int) -> None:
    """Traced by whoever comes first, or several; settings that change meanwhile make it anew."""

    @ap.jit
    def step(x: Any, y: Any, scale: float) -> Any:
        y += x * scale
        return y * 2, y.max()

    def work(number: int) -> None:
        for k in range(40):
            x, y = ap.arange(size) + number, ap.zeros(size if k % 5 else size + k % 3)[:size]
            made, largest = step(x, y, float(k))
            assert float(largest) == (size - 1 + number) * k
            assert np.array_equal(ap.to_numpy(made), (np.arange(size) + number) * k * 2.0)
            if k % 16 == number:
                with ap.config.using(contract=ap.config.contract):
                    pass

    together(work)


def test_more_forms_than_a_function_keeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Forms are forgotten while other threads look for theirs."""
    monkeypatch.setattr(_function, "_MOST_FORMS", 2)

    @ap.jit
    def double(x: Any) -> Any:
        return x * 2

    def work(number: int) -> None:
        for k in range(200):
            size = 1 + (k + number) % 3
            assert double(x=ap.ones(size)).sum() == 2 * size  # by keyword: Python looks for the form

    together(work)


def test_a_generator() -> None:
    """Each draw takes words of its own: together they are the stream."""
    shared, drawn = ap.random.default_rng(5), [[] for _ in range(THREADS)]  # type: list[Any]

    def work(number: int) -> None:
        for k in range(60):
            drawn[number].append(shared.random(3 if k % 2 else 2000))

    together(work)
    found = np.concatenate([ap.to_numpy(each) for some in drawn for each in some])
    expected = ap.to_numpy(ap.random.default_rng(5).random(found.size))
    assert np.array_equal(np.sort(found), np.sort(expected))


def test_errors_and_their_state() -> None:
    x, zero = ap.ones(20), ap.zeros(20)

    def work(number: int) -> None:
        for _ in range(60):
            if number % 3 == 0:
                with ap.errstate(divide="raise"), pytest.raises(FloatingPointError):
                    x / zero
            elif number % 3 == 1:
                assert np.all(np.isinf(ap.to_numpy(x / zero)))
            else:
                with pytest.raises(ValueError):
                    x + ap.ones(21)
                with pytest.raises(IndexError):
                    x[21]

    together(work)


def test_settings_and_contexts() -> None:
    """A thread's devices are its own; settings are the process's, and any of their values is right."""
    ended = threading.Event()

    def work(number: int) -> None:
        if number == 0:
            while not ended.is_set():
                for eager in (True, False):
                    ap.config.eager = eager
                    ap.config.passes = "none" if eager else "all"
            return
        try:
            for k in range(100):
                with ap.Device("cpu"):
                    y = ap.arange(5000) + k
                    assert y.device == "cpu" and int((y * 2)[7]) == 2 * (7 + k)
        finally:
            ended.set()

    before = ap.config.eager, ap.config.passes
    try:
        together(work)
    finally:
        ap.config.eager, ap.config.passes = before


def test_lists_that_change_meanwhile() -> None:
    parts = [ap.full(4, k) for k in range(6)]
    key: list[Any] = [0, 1, 2]
    x = ap.arange(50)
    ended = threading.Event()

    def work(number: int) -> None:
        if number == 0:
            while not ended.is_set():
                parts.append(ap.full(4, len(parts)))
                key.append(len(key) % 50)
                del parts[6:], key[3:]
            return
        try:
            for _ in range(200):
                joined = ap.concatenate(parts)
                assert joined.size in (24, 28) and int(joined[20]) == 5
                picked = x[key]
                assert picked.size in (3, 4) and int(picked[1]) == 1
                assert ap.zeros([2, 3]).shape == (2, 3)
        finally:
            ended.set()

    together(work)
