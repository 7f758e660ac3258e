"""fork() with work pending, worker threads started, or another thread in the middle of a flush."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from robust.processes import start_child, wait_for

import asnumpy as ap
from asnumpy import _core

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="fork() as Linux has it"),
    pytest.mark.host_memory,  # a child of fork() has no NPU
]


@pytest.fixture(autouse=True)
def deferred() -> Iterator[None]:
    with ap.config.using(eager=False, eager_size=0, num_threads=_core.max_threads()):
        yield


def test_pending_work_runs_on_both_sides() -> None:
    plain = np.arange(100_000)
    x = ap.from_numpy(plain)
    y = (x + 1) * 3
    x += 5
    assert y.pending

    def child() -> None:
        assert np.array_equal(ap.to_numpy(y), (plain + 1) * 3)
        assert np.array_equal(ap.to_numpy(x), plain + 5)
        assert int((y + x).sum()) == int(((plain + 1) * 3 + plain + 5).sum())

    number = start_child(child)
    child()
    wait_for(number)


def test_child_uses_worker_threads_again() -> None:
    x = ap.ones(2_000_000)
    assert float((x * 2).sum()) == 4_000_000  # the workers have started

    def child() -> None:
        for k in range(5):
            assert float((x * k + 1).sum()) == 2_000_000 * (k + 1)
        grandchild = start_child(lambda: exec("assert float((x - 1).sum()) == 0", {"x": x}))
        wait_for(grandchild)

    number = start_child(child)
    child()
    wait_for(number)


def test_memory_is_not_shared_after_the_fork() -> None:
    x = ap.zeros(500_000)
    ap.eval(x)
    view = np.asarray(ap.zeros(1000))
    shared = ap.from_dlpack(view)

    def child() -> None:
        nonlocal x
        x += 7
        assert float(x.sum()) == 3_500_000
        shared[...] = 3
        assert view[999] == 3

    wait_for(start_child(child))
    assert float(x.sum()) == 0
    assert view[999] == 0


def test_fork_while_other_threads_compute() -> None:
    ended = threading.Event()
    failures: list[BaseException] = []

    def busy(size: int) -> None:
        k = 0
        try:
            while not ended.is_set():
                k += 1
                y = ap.full(size, k, device="cpu") * 2 + 1
                assert int(y.sum()) == size * (2 * k + 1)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=busy, args=(size,), daemon=True) for size in (300, 5000, 600_000)]
    for thread in threads:
        thread.start()
    plain = np.arange(50_000)

    def child() -> None:
        z = ap.from_numpy(plain)[::-1] * 2
        assert np.array_equal(ap.to_numpy(z), plain[::-1] * 2)
        assert float(ap.ones(1_000_000).sum()) == 1_000_000
        ap.free_all_blocks()

    try:
        for _ in range(15):
            wait_for(start_child(child))
    finally:
        ended.set()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert not failures, failures[0]
    child()


table = np.arange(30_000)


def row_of_table(k: int) -> int:
    return int((ap.from_numpy(table) * k + 1).sum())


def test_multiprocessing_pool() -> None:
    assert row_of_table(1) == int((table + 1).sum())
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = pool.map_async(row_of_table, range(20)).get(timeout=120)
    assert results == [int((table * k + 1).sum()) for k in range(20)]


def test_arrays_travel_to_spawned_processes() -> None:
    """Pickled, pending or not; the other process imports asnumpy anew."""
    context = multiprocessing.get_context("spawn")
    x = ap.arange(1000) * 2
    with context.Pool(1) as pool:
        total, back = pool.apply_async(spawned, (x,)).get(timeout=120)
    assert total == 999_000 and isinstance(back, ap.ndarray)
    assert np.array_equal(np.asarray(back), np.arange(1000) * 2 + 1)


def spawned(x: ap.ndarray) -> tuple[int, ap.ndarray]:
    return int(x.sum()), x + 1
