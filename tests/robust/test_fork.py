"""fork() with work pending, worker threads started, or another thread in the middle of a flush."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest
from device_marks import needs_built_simulator
from robust.processes import run_script, start_child, wait_for

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
    assert y._pending

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


# --- a device does not come along; the simulator, in its strictest mode, ends a child that calls it ---

PARENT = """
import multiprocessing, os, sys, threading
import numpy as np
import asnumpy as ap
from asnumpy import cann, cannsim

ap.config.eager, ap.config.eager_size, ap.config.fallback = False, 0, "count"
there = ap.arange(1000.0, dtype="float32", device="ascend:0")
here = ap.arange(1000.0, device="cpu")
tensor, plan = cann.from_numpy(np.ones(8, "f4")), cann.op("aclnnExp").plan(there, ap.empty_like(there))
plan.run()
recorded, kept = there * 2 + 1, here * 2 + 1
assert recorded._pending and kept._pending and ap.pending_count() >= 4

def refused(call):
    try:
        call()
    except cann.CannError as error:
        assert "child of fork" in str(error) and "spawn" in str(error) and 'to_device("cpu")' in str(error), error
    else:
        raise AssertionError("nothing was raised")

def forked(work, at_end=os._exit):
    number = os.fork()
    if number == 0:
        work()
        print("child done", flush=True)
        at_end(0)
    assert os.waitstatus_to_exitcode(os.waitpid(number, 0)[1]) == 0
"""

IN_CHILD = {
    "arrays of the CPU work": """
        assert ap.pending_count() == 2, ap.explain()     # what was recorded for the CPU
        assert float(kept.sum()) == 1_000_000
        with ap.Device("cpu"):
            assert ap.linspace(0, 1, 5).tolist() == [0, 0.25, 0.5, 0.75, 1]
        ap.flush()
        ap.synchronize()
        ap.config.device = "cpu"
        assert ap.devices() == ["cpu"] and float(ap.ones(5000).sum()) == 5000""",
    "arrays of the device are refused": """
        for call in (
            lambda: ap.to_numpy(there), lambda: recorded.tolist(), lambda: float(there[1]), lambda: print(there),
            lambda: ap.eval(there + 1), lambda: here.to_device("ascend:0"), lambda: ap.ones(3).tolist(),
            lambda: there.data.ptr and there.to_device("cpu"), lambda: ap.zeros(3, device="ascend:0").item(0),
        ):
            refused(call)
        ap.synchronize()
        assert float(kept.sum()) == 1_000_000""",
    "arrays of the device are dropped": """
        global there, recorded
        del there, recorded
        ap.free_all_blocks("cpu")""",
    "single operators are refused": """
        for call in (lambda: cann.to_numpy(tensor), plan.run, lambda: cann.empty(3), cann.synchronize, cann.init,
                     lambda: cann.op("aclnnAbs")(tensor, tensor), lambda: cann.from_numpy(np.ones(3))):
            refused(call)
        assert cann.device_count() == 0
        globals().update(tensor=None, plan=None)""",
}

STRICT = {"ASNUMPY_CANN": "sim", "ASNUMPY_DEVICE": "", "ASNUMPY_EAGER": "", "CANNSIM_STRICT": "abort",
          "PYTHONWARNINGS": "ignore:This process:DeprecationWarning"}  # that it has threads is the point


@needs_built_simulator
@pytest.mark.parametrize("at_end", ["os._exit", "sys.exit"])
@pytest.mark.parametrize("case", IN_CHILD)
def test_a_device_stays_with_the_parent(case: str, at_end: str) -> None:
    source = f"{PARENT}\ndef work():{IN_CHILD[case]}\nforked(work, {at_end})\n"
    done = run_script(source + "assert float(recorded[1]) == 3\nprint(cann.to_numpy(tensor)[0])", **STRICT)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout.splitlines() == ["child done", "1.0"]


@needs_built_simulator
def test_a_pool_of_forked_processes_computes_on_the_cpu() -> None:
    """And a worker's error about the device comes back to the parent as what it is."""
    source = PARENT + """
def on_cpu(k):
    return float((ap.ones(5000, device="cpu") * k).sum())
def on_device(k):
    return float((ap.ones(5000) * k).sum())
with multiprocessing.get_context("fork").Pool(2) as pool:
    assert pool.map(on_cpu, range(9)) == [5000.0 * k for k in range(9)]
    refused(lambda: pool.map(on_device, [1]))
assert on_device(2) == 10000 and float(recorded[1]) == 3
"""
    done = run_script(source, **STRICT)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")


@needs_built_simulator
def test_a_fork_while_threads_use_the_device() -> None:
    source = PARENT + """
ended = threading.Event()
def busy():
    while not ended.is_set():
        assert float((ap.ones(3000) * 2).sum()) == 6000
        ap.free_all_blocks()
threads = [threading.Thread(target=busy) for _ in range(3)]
for thread in threads:
    thread.start()
def work():
    global there, recorded
    refused(lambda: ap.to_numpy(there))
    del there, recorded
    assert float((ap.ones(3000, device="cpu") * 2).sum()) == 6000
for _ in range(10):
    forked(work, sys.exit)
ended.set()
for thread in threads:
    thread.join()
"""
    done = run_script(source, **STRICT)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout == "child done\n" * 10


@needs_built_simulator
def test_a_child_may_start_cann_where_the_parent_has_not() -> None:
    source = """
import multiprocessing
import asnumpy as ap
def total(k):
    x = ap.ones(1000) * k
    return str(x.device), float(x.sum())
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(total, [1, 2]))
"""
    done = run_script(source, **STRICT)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout == "[('ascend:0', 1000.0), ('ascend:0', 2000.0)]\n"
