"""Several Python threads record, read, write and drop arrays at once; values must be those of a single thread."""

from __future__ import annotations

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
    assert left == 0 or (ap.Device() != "cpu" and left < 8 * 3000), "less than one array: what operators work in"


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
