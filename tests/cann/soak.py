"""A program that works on two simulated devices from four threads, on several streams, through faults and full memory.

python tests/cann/soak.py SECONDS prints figures as JSON. Every value is compared with NumPy's; an operation may fail
only where a fault was planned or memory was short, and what was not concerned must keep its values.
"""

from __future__ import annotations

import collections
import gc
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy import cann, cannsim

THREADS, DEVICES = 4, 2
FAULTS = [
    "aclrtMalloc", "aclrtMallocHost", "aclrtMemcpyAsync", "aclrtMemcpy", "aclrtRecordEvent", "aclrtStreamWaitEvent",
    "aclnnAdd", "aclnnMul", "aclnnNegGetWorkspaceSize", "aclnnAddGetWorkspaceSize", "aclnnInplaceAdd",
    "aclrtSynchronizeStream", "aclrtSynchronizeEvent",
]
PLANNED = 500000  # the code of planned faults: "an internal error"
EXPECTED = {PLANNED: "planned", 207001: "memory"}  # codes in the messages of exceptions


class Worker:
    """One thread's rounds: each draws a device and something to do there."""

    def __init__(self, number: int, shared: list[tuple[ap.ndarray, np.ndarray]]) -> None:
        self.rng = np.random.default_rng(number)
        self.shared = shared
        self.kept: list[tuple[ap.ndarray, np.ndarray]] = []  # results of earlier rounds
        self.counts: collections.Counter[str] = collections.Counter()
        self.rounds: list[Callable[[int], None]] = [
            self.program, self.program, self.views, self.updates, self.travel, self.batch, self.batch, self.keep,
            self.check_kept, self.refused, self.fault, self.full if number == 0 else self.program, self.pinned,
            self.crossing,
        ]

    def run(self, end: float) -> None:
        while time.monotonic() < end:
            work = self.rounds[int(self.rng.integers(len(self.rounds)))]
            device = int(self.rng.integers(DEVICES))
            try:
                with self.place(device):
                    work(device)
                self.counts[work.__name__] += 1
            except MemoryError:
                self.counts["failed: memory"] += 1
            except RuntimeError as error:
                kind = next((kind for code, kind in EXPECTED.items() if f" {code} " in str(error)), None)
                if kind is None:
                    raise
                self.counts[f"failed: {kind}"] += 1
        self.kept.clear()

    def place(self, device: int) -> ap.Device | ap.Stream:
        """The device with the stream it always has, or with one of this moment's own."""
        return ap.Stream(f"ascend:{device}") if self.rng.integers(2) else ap.Device(f"ascend:{device}")

    def draw(self, dtype: Any = "int32", most: int = 6000) -> tuple[ap.ndarray, np.ndarray]:
        plain = self.rng.integers(-50, 50, int(self.rng.integers(2, most))).astype(dtype)
        return ap.from_numpy(plain), plain

    def same(self, got: ap.ndarray, expected: np.ndarray) -> None:
        np.testing.assert_array_equal(ap.to_numpy(got), expected, strict=True)

    def program(self, device: int) -> None:
        x, plain = self.draw(self.rng.choice(["int32", "float32", "int16", "int64"]))
        y, expected = x, plain
        for k in range(int(self.rng.integers(1, 12))):
            y, expected = y + x * k - 3, expected + plain * k - 3
        self.same(y, expected)
        self.same(ap.where(y > 0, y, -x), np.where(expected > 0, expected, -plain))
        assert int(x.max()) == plain.max() and int((y < 0).sum()) == (expected < 0).sum()
        common, values = self.shared[device]
        self.same(common[: x.size].astype(plain.dtype) + x, values[: x.size].astype(plain.dtype) + plain)

    def views(self, device: int) -> None:
        rows, columns = (int(n) for n in self.rng.integers(1, 60, 2))
        plain = self.rng.integers(0, 99, (rows, columns)).astype("int32")
        x = ap.from_numpy(plain)
        self.same(x.T[::2] + x.T[::2], plain.T[::2] * 2)
        self.same(x[:, ::-1] - x, plain[:, ::-1] - plain)
        self.same(x[rows // 2 :].reshape(-1) + 1, plain[rows // 2 :].reshape(-1) + 1)
        self.same(x.sum(0), plain.sum(0))

    def updates(self, device: int) -> None:
        x, plain = self.draw()
        part, theirs = x[1::2], plain[1::2]
        for k in range(int(self.rng.integers(1, 8))):
            part += k
            theirs += k
            x[1:] += x[:-1]
            plain[1:] += plain[:-1]
            if self.rng.integers(3) == 0:
                x[x > 40] = 7
                plain[plain > 40] = 7
        self.same(part, theirs)
        self.same(x, plain)

    def travel(self, device: int) -> None:
        x, plain = self.draw("float32", 40_000)
        other = (x + 1).to_device(f"ascend:{1 - device}")
        home = (other * 2).to_device("cpu") - 1
        self.same(home, (plain + 1) * 2 - 1)
        self.same(home.to_device(f"ascend:{device}")[::3] + x[::3], ((plain + 1) * 2 - 1)[::3] + plain[::3])

    def pinned(self, device: int) -> None:
        _, plain = self.draw("float32", 60_000)
        source = ap.empty_like_pinned(plain)
        source[...] = plain
        x = ap.from_numpy(source, blocking=bool(self.rng.integers(2)))
        back = ap.to_numpy(x * 2, blocking=False)
        event = ap.current_stream().record()
        del x
        event.synchronize()
        np.testing.assert_array_equal(back, plain * 2)

    def crossing(self, device: int) -> None:
        streams = [self.place(device) for _ in range(3)]
        x, plain = self.draw("int32", 30_000)
        y, expected = x, plain
        for k in range(int(self.rng.integers(1, 9))):
            with streams[k % 3]:
                y, expected = y[::-1] + x * k, expected[::-1] + plain * k
                x[k:] -= 1
                plain = plain.copy()
                plain[k:] -= 1
        common, values = self.shared[device]
        self.same(common[: y.size] + y[:6000].astype("float32"), values[: y.size] + expected[:6000].astype("float32"))
        self.same(y, expected)

    def batch(self, device: int) -> None:
        cann.set_device(device)
        plain = self.rng.integers(0, 9, (4, 300)).astype("float32")
        tensors = [cann.from_numpy(row, device=device) for row in plain]
        total = cann.from_numpy(np.zeros(300, "float32"), device=device)
        common, values = self.shared[device]
        with cann.batch(streams=int(self.rng.integers(1, 4))):
            outs = [cann.op("aclnnNeg")(row, cann.empty((300,), device=device)) for row in tensors]
            for out in outs:
                cann.op("aclnnInplaceAdd")(total, out, 1.0)
            mixed = cann.op("aclnnMul")(common[:300], tensors[0], cann.empty((300,), device=device))
        np.testing.assert_array_equal(cann.to_numpy(total), -plain.sum(0))
        np.testing.assert_array_equal(cann.to_numpy(mixed), values[:300] * plain[0])

    def keep(self, device: int) -> None:
        x, plain = self.draw()
        self.kept.append((x * 2 + 1, plain * 2 + 1))
        del self.kept[:-20]

    def check_kept(self, device: int) -> None:
        for x, plain in self.kept:
            self.same(x, plain)

    def refused(self, device: int) -> None:
        x, _ = self.draw()
        for wrong in (lambda: x + ap.ones(x.size + 1), lambda: x[x.size], lambda: x + x.to_device("cpu")):
            try:
                wrong()
            except (ValueError, IndexError):
                continue
            raise AssertionError("a wrong call was accepted")

    def fault(self, device: int) -> None:
        cannsim.fail(str(self.rng.choice(FAULTS)), int(self.rng.integers(1, 15)), PLANNED)
        self.program(device)

    def full(self, device: int) -> None:
        """Takes all memory there is and lets it go."""
        held = []
        size = ap.memory_info()["total"] // 10
        try:
            for _ in range(20):
                held.append(ap.full(size // 4, 3, dtype="float32"))
                ap.synchronize()
        except MemoryError:
            self.counts["memory was full"] += 1
            if held:
                assert float(held[0][-1]) == 3
            return
        raise AssertionError("twice the memory there is was given")


def figures() -> dict[str, Any]:
    """What is still held, after all that is only cached was given back."""
    ap.synchronize()
    for device in range(DEVICES):
        cann.synchronize(device)
    cann.finalize()
    pools = []
    for device in range(DEVICES):
        ap.free_all_blocks(f"ascend:{device}")
        pools.append({name: ap.memory_info(f"ascend:{device}")[name] for name in ("in_use", "cached", "blocks")})
    report = cannsim.report()
    return {"pools": pools, "memory": report["memory"], "findings": report["findings"]}


def host_kilobytes() -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


def main(seconds: float) -> dict[str, Any]:
    ap.config.fallback = "count"
    values = np.arange(6000) % 100
    shared = [
        (ap.from_numpy(values.astype("float32"), device=f"ascend:{device}"), values.astype("float32"))
        for device in range(DEVICES)
    ]
    workers = [Worker(number, shared) for number in range(THREADS)]
    failures: list[BaseException] = []
    end = time.monotonic() + seconds

    def body(worker: Worker) -> None:
        try:
            worker.run(end)
        except BaseException as error:  # the main thread ends the process
            failures.append(error)

    threads = [threading.Thread(target=body, args=(worker,), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    resident = []
    while any(thread.is_alive() for thread in threads):
        time.sleep(min(10.0, seconds / 10))
        resident.append(host_kilobytes())
        if failures or time.monotonic() > end + 120:
            break
    stuck = sum(thread.is_alive() for thread in threads)
    if failures or (stuck and time.monotonic() > end):
        for error in failures:
            sys.excepthook(type(error), error, error.__traceback__)
        print(f"{stuck} threads have not ended", file=sys.stderr, flush=True)
        os._exit(1)
    cannsim.clear_faults()  # those that nothing met
    for array, plain in shared:
        np.testing.assert_array_equal(ap.to_numpy(array), plain)
    counts = sum((worker.counts for worker in workers), collections.Counter())
    del array, shared, workers[:], threads[:], thread, body
    gc.collect()  # the workers are cycles
    return {"seconds": seconds, "counts": dict(sorted(counts.items())), "resident": resident, **figures()}


if __name__ == "__main__":
    print(json.dumps(main(float(sys.argv[1]))))
