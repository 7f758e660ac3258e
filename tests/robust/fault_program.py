"""Makes CANN's functions fail, one call after the other, while work runs on the simulator; prints what it saw.

Run as a program, with a kind of work ("destroying": the functions that end objects, which are left over then), or with
"start" for what is called once in a process. A failure must be an exception that names the function, or do no harm;
either way the arrays that have nothing to do with it keep their values, nothing stays allocated, and the same work,
tried again, gives NumPy's values. Prints the functions whose failure was raised, and those whose failure did no harm,
as JSON.
"""

from __future__ import annotations

import gc
import itertools
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy import cann, cannsim

CODE = 500000
LARGE = np.arange(9 << 20, dtype="uint8")  # some pieces of pinned memory
Work = Callable[[Any, Any, Any], Iterator[Any]]  # (namespace, x float32[n, 4], k int64[3]) -> arrays


def elementwise(xp: Any, x: Any, k: Any) -> Iterator[Any]:
    y = xp.exp(x * 0.125) + x
    yield y
    yield xp.where(y > 2, y, x)
    yield xp.sqrt(abs(x[:, ::2])) * np.float32(len(x) + 0.5)


def reductions(xp: Any, x: Any, k: Any) -> Iterator[Any]:
    yield (x * 2).sum(0)
    yield x.max(1)
    yield x.mean()
    yield xp.argmax(x, 1)
    yield xp.cumsum(x, 0)


def products(xp: Any, x: Any, k: Any) -> Iterator[Any]:
    yield x @ x.T
    yield x.T @ x + x[:4]


def copies(xp: Any, x: Any, k: Any) -> Iterator[Any]:
    yield x.T.copy()
    yield x[::-1, ::-1] + 0
    yield xp.concatenate([x, x[1:]], 0)
    yield x.astype("int32")
    yield xp.asarray(np.full(5 << 18, len(x), "int32"))[::999]  # more than one piece of pinned memory


def in_place(xp: Any, x: Any, k: Any) -> Iterator[Any]:
    y = x.copy()
    y *= 2
    y += 1
    xp.exp(y[1], out=y[1])
    y[1:3] -= y[2:4]
    y[0] = 7
    yield y


def indexing(xp: Any, x: Any, k: Any) -> Iterator[Any]:
    yield xp.take(x, k, 0)
    yield x[k, 1:]
    yield x[x > 3]
    yield xp.nonzero(x > 3)[0]
    y = x.copy()
    y[k] = 5
    yield y
    z = x.copy()
    z[z > 4] = 0
    yield z


def on_the_host(xp: Any, x: Any, k: Any) -> Iterator[Any]:
    yield xp.linalg.svd(x.astype("float64"))[1]
    yield xp.sort(x, 0)
    yield x.astype("float64") @ x.T.astype("float64")


def tensor_lists(xp: Any, x: Any, k: Any) -> Iterator[Any]:
    if xp is np:
        yield np.concatenate([x, x], 0)
        return
    out = xp.empty((2 * len(x), 4), dtype="float32")
    yield cann.op("aclnnCat")([x, x], 0, out)


def streams(xp: Any, x: Any, k: Any) -> Iterator[Any]:
    if xp is np:
        yield x * 2
        yield x * 2 + 1
        return
    one, two = two_streams()
    with one:
        y = x * 2
        event = one.record()
    with two:
        two.wait_event(event)
        z = y + 1
        two.wait_stream(one)
    later = two.record()
    two.synchronize()
    assert two.done and later.done and event.elapsed_time(later) >= 0
    yield y
    yield z


def options(xp: Any, x: Any, k: Any) -> Iterator[Any]:
    if xp is np:
        yield x * 2
        return
    with ap.config.using(timeout=100, deterministic=True):
        y = x * 2
        ap.Event().record(ap.Stream.default("ascend:0")).synchronize()
        ap.synchronize()
        yield y


@cache
def two_streams() -> tuple[Any, Any]:
    return ap.Stream("ascend:0"), ap.Stream("ascend:0")


KINDS: dict[str, Work] = {
    one.__name__: one
    for one in (
        elementwise, reductions, products, copies, in_place, indexing, on_the_host, tensor_lists, streams, options,
    )
}
_sizes = itertools.count(5)


class Attempt:
    """The work on arrays of a size that was not used before, so that no call has an executor that is kept."""

    def __init__(self, work: Work) -> None:
        n = next(_sizes)
        x = np.arange(4 * n, dtype="float32").reshape(n, 4) % 7
        k = np.array([n - 1, 0, 2])
        self.expected = list(work(np, x, k))
        self._inputs, self._work = (x, k), work
        self._results: list[Any] | None = None

    def run(self) -> None:
        """Records the work if that was not done yet, and compares its values."""
        if self._results is None:
            x, k = map(ap.from_numpy, self._inputs)
            self._results = list(self._work(ap, x, k))
        ap.synchronize()  # a failure of any array shows here; who reads one array is told of what concerns that one
        for got, expected in zip(self._results, self.expected, strict=True):
            np.testing.assert_allclose(ap.to_numpy(got), expected, rtol=1e-5)


def in_use() -> tuple[int, int]:
    gc.collect()
    ap.synchronize()
    return ap.memory_info()["in_use"], len(cannsim.findings())


def calls_of(work: Work) -> Counter[str]:
    """How often each function is called."""
    cannsim.configure(log=True)
    cannsim.clear()
    Attempt(work).run()
    ap.free_all_blocks()
    cannsim.configure(log=False)
    return Counter(one["function"] for one in cannsim.log())


def main(kind: str, destroying: bool) -> None:
    ap.config.fallback = "count"
    work = KINDS[kind]
    kept = ap.arange(50.0, dtype="float32") + 1
    for _ in range(3):
        Attempt(work).run()
    counts = calls_of(work)
    before = in_use()
    tried, raised = set(), set()
    for function, count in counts.items():
        if function.startswith(("aclDestroy", "aclrtDestroy")) != destroying:
            continue
        tried.add(function)
        for nth in sorted({0, 1, 2, 3, (count + 1) // 2, count}):  # 0: every call
            pending = kept * 2
            attempt = Attempt(work)
            ap.free_all_blocks()
            cannsim.fail(function, nth, CODE)
            try:
                attempt.run()
            except cann.CannError as error:
                assert function in str(error) and str(CODE) in str(error), str(error)
                assert error.code == CODE or function.startswith("aclCreate"), error.code  # these only give null
                raised.add(function)
            finally:
                cannsim.clear_faults()
            attempt.run()  # what was recorded runs now
            np.testing.assert_array_equal(ap.to_numpy(pending), np.arange(50.0) * 2 + 2)
            np.testing.assert_array_equal(ap.to_numpy(kept), np.arange(50.0) + 1)
            Attempt(work).run()
            del attempt, pending
            assert in_use() == before, f"{function}, call {nth}: in use {in_use()}, before {before}"
    print(json.dumps({"raised": sorted(raised), "silent": sorted(tried - raised)}))


def first_work(function: str, nth: int) -> dict[str, Any]:
    """What a process does that has not used a device: CANN starts, and its ring of pinned memory fills."""
    seen: dict[str, Any] = {"function": function, "raised": False, "again": True}
    cannsim.configure(log=not function)
    if function:
        cannsim.fail(function, nth, CODE)

    def work() -> None:
        with ap.Device("ascend:0"):
            for kind in KINDS.values():
                Attempt(kind).run()
            ap.synchronize()
            np.testing.assert_array_equal(ap.to_numpy(ap.from_numpy(LARGE)), LARGE)
            assert ap.memory_info()["total"] > 0
            if len(ap.devices()) > 2:
                there = ap.ones(100, dtype="float32").to_device("ascend:1")
                assert there.to_device("ascend:0").tolist() == [1] * 100

    try:
        work()
    except cann.CannError as error:
        seen["raised"] = True
        assert function in str(error) and str(CODE) in str(error), str(error)
    finally:
        cannsim.clear_faults()
    with ap.Device("cpu"):
        assert float((ap.ones(5000) + 1).sum()) == 10000
    try:
        work()
    except cann.CannError as error:
        seen["again"] = False
        assert function in str(error) and str(CODE) in str(error), str(error)  # it says so every time
    seen["called"] = sorted({one["function"] for one in cannsim.log()}) if not function else []
    return seen


def in_a_child(function: str, nth: int) -> dict[str, Any]:
    """A child of this process, which has imported everything and started nothing."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(theirs, json.dumps(first_work(function, nth)).encode())
        sys.exit(0)
    os.close(theirs)
    with open(ours) as said:
        text = said.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status == 0, f"{function}, call {nth}: the process ended with {status}"
    return dict(json.loads(text))


def start() -> None:
    ap.config.fallback = "count"
    left = ("aclDestroy", "aclrtDestroy", "aclnn")
    called = [name for name in in_a_child("", 0)["called"] if not name.startswith(left)]
    results = [in_a_child(name, nth) for name in called for nth in (0, 1, 2)]
    raised = {one["function"] for one in results if one["raised"]}
    print(json.dumps({
        "raised": sorted(raised), "silent": sorted(set(called) - raised),
        "for good": sorted({one["function"] for one in results if not one["again"]}),
    }))


if __name__ == "__main__":
    if sys.argv[1] == "start":
        start()
    else:
        main(sys.argv[1], sys.argv[2:] == ["destroying"])
