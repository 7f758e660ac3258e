"""Several Python threads record, read, write and drop arrays at once; values must be those of a single thread."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from robust.at_once import PATIENCE, THREADS, together

import asnumpy as ap
from asnumpy import _core


@pytest.fixture(autouse=True, params=["recorded", "at once when small", "eager"])
def recording(request: pytest.FixtureRequest) -> Iterator[None]:
    size = 0 if request.param == "recorded" else 4096
    with ap.config.using(eager=request.param == "eager", eager_size=size):
        yield


def test_private_arrays() -> None:
    def work(number: int) -> None:
        rng = np.random.default_rng([number])
        for size in (10, 3000, 60000) * 4:
            plain = rng.integers(-100, 100, size)
            x = ap.from_numpy(plain)
            y, expected = x, plain
            for k in range(20):
                y, expected = y * 3 - x + k, expected * 3 - plain + k
                if k == 11:
                    y[1:] += y[:-1]
                    expected[1:] += expected[:-1]
            assert int(y.sum()) == int(expected.sum())
            assert np.array_equal(np.asarray(y), expected)

    together(work)


def test_shared_operands() -> None:
    plain = np.arange(20000.0)
    shared = ap.from_numpy(plain) * 2 + 1  # pending when the threads start
    expected = plain * 2 + 1

    def work(number: int) -> None:
        for k in range(60):
            y = shared * (number + 1) + k
            z = shared[::-1] - shared
            assert float(y.max()) == float((expected * (number + 1) + k).max())
            assert np.array_equal(ap.to_numpy(z), expected[::-1] - expected)

    together(work)
    assert np.array_equal(np.asarray(shared), expected)


def test_disjoint_parts_of_one_array() -> None:
    length, rounds = 3000, 50
    shared = ap.zeros(THREADS * length, dtype=np.int64)

    def work(number: int) -> None:
        part = shared[number * length : (number + 1) * length]
        for k in range(rounds):
            part += k
            part[1:] += part[:-1] * 0
            part[::2] -= 1
            if k % 10 == number:
                assert int(part[1]) == sum(range(k + 1))

    together(work)
    total = sum(range(rounds))
    expected = np.tile(np.where(np.arange(length) % 2 == 0, total - rounds, total), THREADS)
    assert np.array_equal(np.asarray(shared), expected)


def test_one_thread_records_what_another_reads() -> None:
    handed: list[ap.ndarray] = []
    filled = threading.Semaphore(0)

    def work(number: int) -> None:
        if number == 0:
            for k in range(200):
                handed.append((ap.full(2500, k) + 1) * 2)
                filled.release()
        else:
            for k in range(200):
                assert filled.acquire(timeout=PATIENCE)
                assert int(handed[k].sum()) == 2500 * (k + 1) * 2

    together(work, 2)


def test_one_array_read_by_all_at_once() -> None:
    for _ in range(30):
        x = ap.arange(30000)
        y = (x * 2 + 1)[::-1] - x
        found: list[int] = []
        together(lambda _, y=y, found=found: found.append(int(y[7])))  # type: ignore[misc]
        assert found == [(29992 * 2 + 1) - 7] * THREADS


def test_errors_stay_in_their_thread() -> None:
    def work(number: int) -> None:
        x = ap.ones(5000)
        for _ in range(100):
            if number % 2:
                with pytest.raises(ValueError):
                    x + ap.ones(4999)
                with pytest.raises(IndexError):
                    x[5000]
            else:
                x = x + 1
        assert float(x[0]) == (1 if number % 2 else 101)

    together(work)


def test_arrays_die_while_others_record() -> None:
    gc.collect()  # what earlier tests left is not counted
    before = ap.memory_info()["in_use"]

    def work(number: int) -> None:
        for k in range(100):
            x = ap.ones(3000 + number) * k
            view = np.asarray(x + 1) if k % 7 == 0 else None
            y = x[::2] + x[1::2][: x[::2].size] if x.size % 2 == 0 else x
            del x
            if view is not None:
                assert view[0] == k + 1
            if k % 5 == 0:
                assert float(y[0]) in (k, 2 * k)

    together(work)
    ap.synchronize()
    left = ap.memory_info()["in_use"] - before
    assert left <= (0 if ap.Device() == "cpu" else 8 * 3000), "less than one array: what operators work in"


def test_large_work_from_several_threads() -> None:
    """The worker threads of the device are shared between whoever comes."""

    def work(number: int) -> None:
        x = ap.full(400_000, number, dtype=np.float64)
        for _ in range(10):
            x = (x * 2 + 1) / 2 - 0.5
            assert float(x.sum()) == 400_000 * number

    with ap.config.using(num_threads=_core.max_threads()):
        together(work, 4)


def test_settings_change_while_others_compute() -> None:
    ended = threading.Event()

    def work(number: int) -> None:
        if number == 0:
            while not ended.is_set():
                for threads in range(1, _core.max_threads() + 1):
                    _core.set_num_threads(threads)
                _core.free_all_blocks()
                _core.flush()
        else:
            try:
                for k in range(60):
                    y = (ap.arange(100_000) + k) * 2
                    assert int(y[99_999]) == (99_999 + k) * 2
            finally:
                ended.set()

    before = _core.num_threads()
    try:
        together(work, 2)
    finally:
        _core.set_num_threads(before)


def test_questions_are_answered_while_others_compute() -> None:
    """What is asked of the queue waits for a flush under way, and the flush for nobody who asks."""
    ended = threading.Event()

    def work(number: int) -> None:
        if number == 0:
            while not ended.is_set():
                text = _core.explain(None)
                assert text.startswith(("program", "nothing")), text
                ap.memory_info()
                assert _core.pending_count() >= 0
        else:
            try:
                for k in range(4):
                    y = ap.full(200_000, float(k))
                    for _ in range(25):
                        y = ap.sqrt(y[::-1] * y)
                    assert np.array_equal(ap.to_numpy(y), np.full(200_000, float(k)))
            finally:
                ended.set()

    together(work, 2)


def random_step(rng: np.random.Generator, plain: list[np.ndarray], arrays: list[ap.ndarray]) -> None:
    """One operation on some of the arrays, which are int64, the same on both sides."""
    one, other, target = (int(k) for k in rng.integers(len(plain), size=3))
    own = target % 3 + len(plain) - 3  # the last three are the thread's own
    kind = int(rng.integers(7))
    start = int(rng.integers(1, 100))
    for values in (plain, arrays):
        if kind == 0:
            values[own] = (values[one] * 3 - values[other]) & 0xFFFFF  # type: ignore[call-overload]
        elif kind == 1:
            values[own] += values[one]
        elif kind == 2:
            values[own][start:] = values[one][:-start]
        elif kind == 3:
            values[own][::2] -= values[one][::-2]
        elif kind == 4:
            values[own] = values[one][::-1] ^ values[other]  # type: ignore[call-overload]
        elif kind == 5:
            values[own] = values[one].cumsum() & 1023  # type: ignore[call-overload]
        else:
            values[own] += values[one].max() & 7


def test_random_programs_on_own_and_shared_arrays() -> None:
    """What threads run at the same time: what they only read is shared, one array is changed under a lock."""
    length = 6000
    start = np.arange(length)
    plain_shared = [start % 17, start * 5 - 3]
    shared = [ap.asarray(x.copy()) * 1 for x in plain_shared]  # pending when the threads start
    plain_total, total, changing = np.zeros(length, np.int64), ap.zeros(length, np.int64), threading.Lock()

    def work(number: int) -> None:
        rng = np.random.default_rng([7, number])
        own = [start + number, start * number, start % (number + 2)]
        plain = [*plain_shared, *(x.copy() for x in own)]
        arrays = [*shared, *(ap.asarray(x.copy()) + 0 for x in own)]
        for k in range(60):
            random_step(rng, plain, arrays)
            if k % 11 == number:
                which = int(rng.integers(2, 5))
                assert np.array_equal(ap.to_numpy(arrays[which]), plain[which])
            if k % 13 == number:
                with changing:
                    plain_total[:] += plain[-1]
                    total[:] += arrays[-1]
        for x, expected in zip(arrays, plain, strict=True):
            assert np.array_equal(ap.to_numpy(x), expected)

    together(work)
    assert np.array_equal(ap.to_numpy(total), plain_total)


def test_recorded_functions_side_by_side() -> None:
    """Of each thread, one that all call, and lists beside them."""

    def step(x: ap.ndarray, y: ap.ndarray) -> ap.ndarray:
        y += x
        return (x * x + y)[::-1] - x

    everybodys = ap.jit(step)
    shared = ap.arange(20_000) * 2

    def work(number: int) -> None:
        own = ap.jit(step)
        y = ap.zeros(20_000, np.int64) + number
        plain, plain_shared = np.zeros(20_000, np.int64) + number, np.arange(20_000) * 2
        for k in range(20):
            made = (own if k % 2 else everybodys)(shared, y)
            expected = step(plain_shared, plain)
            after, expected_after = made + y, expected + plain
            if k % 4 == number % 4:
                assert np.array_equal(ap.to_numpy(after), expected_after)
        assert np.array_equal(ap.to_numpy(made), expected) and np.array_equal(ap.to_numpy(y), plain)

    together(work)
