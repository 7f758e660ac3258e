"""What the host does for an elementwise operation on an Ascend device, beyond the operator's own two phases.

Runs on the CANN simulator with the operators' bodies switched off, so that all time is the host's:

    ASNUMPY_CANN=sim CANNSIM_COMPUTE=0 python benches/ascend.py

`beyond us` is the time of the loop less what was spent inside the operators' phases, for each operation. The first loop
never repeats a call (each shape comes once), the others do. The last column says what the simulator saw in 1000
further rounds: memory asked of CANN and waits of the host, which a steady loop has none of.

The table of single operators is the processor time of this thread for a call by name (`asnumpy.cann`) that recurs:
checked once, then made by the core's caller; a plan's run beside it.

The last table is what the host does for a whole program that recurs, and for functions under jit, launched operator by
operator and replayed as a captured graph (`ap.config.graph_replay`), turn by turn. In both the time of the simulated
CANN is part of `total`; `modelled` is by the simulator's clock: what the launches cost the host of an NPU, and that
with what the device takes until all is done.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("ASNUMPY_CANN", "sim")
os.environ.setdefault("CANNSIM_COMPUTE", "0")

import asnumpy as ap
from asnumpy import _core, cann, cannsim

ROUNDS = 15
ALLOCATION = ("aclrtMalloc", "aclrtFree", "aclrtMallocHost")
WAITS = ("aclrtSynchronizeStream", "aclrtSynchronizeEvent", "aclrtSynchronizeDevice", "aclrtMemcpy")


def inside() -> tuple[int, int]:
    """Nanoseconds inside the phases of all operators so far, and how many calls there were."""
    counts = _core.cann_call_counts(0).values()
    return sum(one[4] for one in counts), sum(one[0] for one in counts)


def measure(work: Callable[[int], Any], times: int) -> dict[str, float]:
    """Microseconds for each operator call, in all and beyond the phases: the median of some rounds."""
    totals, beyond = [], []
    for start in range(ROUNDS):
        ap.synchronize()
        within, calls = inside()
        evaluate = ap.eval  # launches it; nobody waits
        began = time.perf_counter_ns()
        for i in range(start * times, (start + 1) * times):
            evaluate(work(i))
        took = time.perf_counter_ns() - began
        ap.synchronize()
        within_now, calls_now = inside()
        calls_now -= calls
        totals.append(took / calls_now / 1000)
        beyond.append((took - (within_now - within)) / calls_now / 1000)
    return {"total us": statistics.median(totals), "beyond us": statistics.median(beyond)}


def seen_in_a_steady_loop(work: Callable[[int], Any]) -> dict[str, int]:
    """What the simulator's log has of 1000 rounds after some that warm up."""
    for i in range(300):
        ap.eval(work(i))
    cannsim.configure(log=True)
    cannsim.clear()
    for i in range(1000):
        ap.eval(work(i))
    calls = [entry["function"] for entry in cannsim.log()]
    cannsim.configure(log=False)
    cannsim.clear()
    return {
        "allocations": sum(name in ALLOCATION for name in calls),
        "waits": sum(name in WAITS for name in calls),
        "calls": len(calls),
    }


def cases() -> dict[str, tuple[Callable[[int], Any], int]]:
    device = ap.Device("ascend:0")
    x = ap.ones(1000, dtype="float32", device=device)
    y = ap.ones(1000, dtype="float32", device=device)
    z = ap.ones((100, 100), dtype="float32", device=device)
    base = ap.ones(100000, dtype="float32", device=device)
    long = ap.ones(100000, dtype="float32", device=device)  # long enough to be recorded first

    def chain(_: int) -> Any:
        return ((x + y) * x - y) * x

    return {
        "x[i:] + y[i:], each shape once": (lambda i: base[i:] + base[i:], 1000),
        "x + y": (lambda _: x + y, 1000),
        "x + 1": (lambda _: x + 1, 1000),
        "x += y": (lambda _: x.__iadd__(y), 1000),
        "z[:, ::2] * z[:, 1::2]": (lambda _: z[:, ::2] * z[:, 1::2], 1000),
        "long + long": (lambda _: long + long, 1000),
        "((x + y) * x - y) * x": (chain, 250),
    }


def singles() -> dict[str, Callable[[], Any]]:
    """Calls of operators by name, in the forms that a program has."""
    x, y, out = (ap.ones(1000, dtype="float32", device=ap.Device("ascend:0")) for _ in range(3))
    a, b, c = (cann.empty(1000) for _ in range(3))
    add = cann.op("aclnnAdd")
    return {
        "cann.op(name)(x, y, 1, out)": lambda: cann.op("aclnnAdd")(x, y, 1, out),
        "by names of parameters": lambda: add(self=x, other=y, alpha=1, out=out),
        "cann.Tensor in place of arrays": lambda: add(a, b, 1, c),
        "plan.run()": add.plan(x, y, 1, out).run,
    }


def measure_singles() -> list[dict[str, Any]]:
    rows = []

    def row(name: str, work: Callable[[], Any]) -> None:
        took = []
        for _ in range(ROUNDS):
            began = time.thread_time_ns()
            for _ in range(1000):
                work()
            took.append((time.thread_time_ns() - began) / 1e6)
            ap.synchronize()
        rows.append({"work": name, "total us": statistics.median(took)})
        print(f"{name:32} {statistics.median(took):6.2f} us")

    for name, work in singles().items():
        row(name, work)
    with cann.batch(streams=4):
        row("in a batch of 4 streams", singles()["cann.op(name)(x, y, 1, out)"])
    return rows


def programs() -> dict[str, Callable[[], Any]]:
    """Recurring programs of 2, 4, 8 and 16 elementwise operations, and some with a reduction and with temporaries."""
    x = ap.ones(10000, dtype="float32", device=ap.Device("ascend:0"))
    y = ap.ones(10000, dtype="float32", device=ap.Device("ascend:0"))

    def chain(length: int) -> Callable[[], Any]:
        def work() -> Any:
            z = x
            for step in range(length):
                z = z * y if step % 2 else z + y
            return z
        return work

    square = ap.ones((64, 64), dtype="float32", device=ap.Device("ascend:0"))

    @ap.jit
    def relaxed(u: Any, v: Any) -> Any:
        for _ in range(8):
            u = u - 0.1 * (u - v.mean(axis=0))
            v = v @ u * 0.01
        return u, v

    @ap.jit
    def normalised(u: Any) -> Any:
        u = u - u.mean(axis=1, keepdims=True)
        u = u / ap.sqrt((u * u).mean(axis=1, keepdims=True) + 1e-5)
        e = ap.exp(u - u.max(axis=1, keepdims=True))
        return e / e.sum(axis=1, keepdims=True)

    return {f"{n} operations": chain(n) for n in (2, 4, 8, 16)} | {
        "jit: normalised and softmax": lambda: normalised(square),
        "jit: eight products and updates": lambda: relaxed(square, square)[0],
        "((x - y) ** 2).sum()": lambda: ((x - y) ** 2).sum(),
        "x / (1 + abs(x)) + exp(-y * y)": lambda: x / (1 + abs(x)) + ap.exp(-y * y),
    }


def compare_replays() -> list[dict[str, Any]]:
    rows = []
    for name, work in programs().items():
        took: dict[bool, dict[str, list[float]]] = {
            on: {"total": [], "beyond": [], "modelled": [], "modelled with the device": []} for on in (False, True)
        }
        for _ in range(ROUNDS):
            for replay in took:
                with ap.config.using(graph_replay=replay):
                    for _ in range(20):
                        ap.eval(work())
                    ap.synchronize()
                    within, _calls = inside()
                    modelled = cannsim.modelled_seconds()
                    began = time.perf_counter_ns()
                    for _ in range(300):
                        ap.eval(work())
                    nanoseconds = time.perf_counter_ns() - began
                    took[replay]["modelled"].append((cannsim.modelled_seconds() - modelled) * 1e6 / 300)
                    ap.synchronize()
                    took[replay]["total"].append(nanoseconds / 300_000)
                    took[replay]["beyond"].append((nanoseconds - (inside()[0] - within)) / 300_000)
                    took[replay]["modelled with the device"].append((cannsim.modelled_seconds() - modelled) * 1e6 / 300)
        row = {"work": name} | {
            f"{kind} {'replayed' if replay else 'launched'} us": statistics.median(figures)
            for replay, one in took.items() for kind, figures in one.items()
        }
        rows.append(row)
        ways = [
            f"{way} {row[f'total {way} us']:6.2f} us (beyond the phases {row[f'beyond {way} us']:6.2f}, "
            f"modelled {row[f'modelled {way} us']:6.2f}, "
            f"with the device {row[f'modelled with the device {way} us']:6.2f})"
            for way in ("launched", "replayed")
        ]
        print(f"{name:32} {'   '.join(ways)}")
    print(f"graphs: {_core.cann_graphs()['ascend:0']}")
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="writes the figures there")
    options = parser.parse_args()
    rows = []
    for name, (work, times) in cases().items():
        row: dict[str, Any] = {"work": name, **measure(work, times)}
        if "once" not in name:
            row |= seen_in_a_steady_loop(work)
        rows.append(row)
        print(f"{name:32} total {row['total us']:6.2f} us   beyond the phases {row['beyond us']:6.2f} us   "
              + (f"in 1000 rounds: {row['allocations']} allocations, {row['waits']} waits" if "calls" in row else ""))
    print("\nsingle operators by name, processor time a call:")
    rows += measure_singles()
    print("\na whole program that recurs, recording included:")
    rows += compare_replays()
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
