"""Recurring programs are captured as graphs and replayed: same values, honest counts, memory that is nobody else's."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import _core, cann, cannsim

ROUNDS = 12


@pytest.fixture(autouse=True)
def recorded() -> Iterator[None]:
    with ap.config.using(eager=False, eager_size=0, graph_replay=True, device="ascend:0"):
        ap.free_all_blocks("ascend:0")
        yield


def figures() -> dict[str, int]:
    ap.synchronize()
    return cann.graph_metrics()["ascend:0"]


def values(n: int = 1000, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=n).astype(np.float32)


def formula(xp: Any, x: Any, y: Any) -> Any:
    return x / (1 + abs(x)) + xp.exp(-y * y)


def agree(got: Any, expected: np.ndarray) -> None:
    np.testing.assert_allclose(ap.to_numpy(got), expected, rtol=1e-5, atol=1e-6)


def repeat(work: Callable[[], Any], rounds: int = ROUNDS) -> Any:
    for _ in range(rounds):
        result = work()
        ap.eval(result)
    return result


def test_a_recurring_program_is_replayed_and_right() -> None:
    before, a, b = figures(), values(), values(seed=1)
    x, y = ap.asarray(a), ap.asarray(b)
    for _ in range(ROUNDS):
        agree(formula(ap, x, y), formula(np, a, b))
    after = figures()
    assert after["captures"] > before["captures"] and after["replays"] >= before["replays"] + ROUNDS // 2


def test_in_place_updates_count_every_replay() -> None:
    a = values()
    x, expected = ap.asarray(a.copy()), a.copy()
    before = figures()["replays"]
    for _ in range(ROUNDS):
        x *= -0.5
        x += 1
        x *= 1.5
        ap.eval(x)
        expected = (expected * np.float32(-0.5) + 1) * np.float32(1.5)
    agree(x, expected)
    assert figures()["replays"] > before


def test_new_values_in_the_same_memory_are_seen() -> None:
    x, y = ap.zeros(1000, dtype="float32"), ap.asarray(values())
    for seed in range(ROUNDS):
        a = values(seed=seed)
        x[...] = ap.asarray(a)
        agree(formula(ap, x, y), formula(np, a, values()))


def test_another_number_is_another_launch() -> None:
    a = values()
    x = ap.asarray(a)
    for i in range(40):
        number = float(i % 3)
        agree((x + number) * x - number, (a + np.float32(number)) * a - np.float32(number))


def test_the_device_is_told_once_and_the_books_stay_true(simulator: None) -> None:
    x, y = ap.asarray(values()), ap.asarray(values(seed=1))
    repeat(lambda: formula(ap, x, y), 20)
    ap.synchronize()
    cannsim.clear()
    cannsim.configure(log=True)
    engine = cann.engine_metrics(0)
    try:
        repeat(lambda: formula(ap, x, y), 10)
        ap.synchronize()
        called = Counter(entry["function"] for entry in cannsim.log())
        waits = [one["arguments"]["stream"] for one in cannsim.log() if one["function"] == "aclrtSynchronizeStream"]
    finally:
        cannsim.configure(log=False)
    assert called["aclmdlRIExecuteAsync"] == 10 and not any(name.startswith("aclnn") for name in called)
    assert not called["aclrtMalloc"] and not called["aclrtMemcpyAsync"]
    assert len(waits) == len(set(waits))  # once for each stream
    counted = {name: one["count"] - engine[name]["count"] for name, one in cann.engine_metrics(0).items()}
    replayed = {name: one["replayed"] - engine[name]["replayed"] for name, one in cann.engine_metrics(0).items()}
    simulated = {one["name"]: one["count"] for one in cannsim.report()["tasks"] if one["name"].startswith("aclnn")}
    assert counted["aclnnExp"] == replayed["aclnnExp"] == simulated["aclnnExp"] == 10
    assert {name: n for name, n in counted.items() if n} == simulated


def test_the_memory_of_a_graph_is_nobody_elses() -> None:
    a, b = values(5000), values(5000, seed=1)
    x, y = ap.asarray(a), ap.asarray(b)
    repeat(lambda: formula(ap, x, y))
    assert figures()["bytes"] > 0
    others = [ap.full(5000, i, dtype="float32") for i in range(50)]
    ap.eval(*others)
    repeat(lambda: formula(ap, x, y))
    for i, other in enumerate(others):
        assert (ap.to_numpy(other) == i).all()
    del others
    agree(formula(ap, x, y), formula(np, a, b))


def test_what_graphs_hold_is_free_memory() -> None:
    x, y = ap.asarray(values(5000)), ap.asarray(values(5000, seed=1))
    ap.eval(x, y)
    before = ap.memory_info("ascend:0")["in_use"]
    repeat(lambda: formula(ap, x, y))
    assert figures()["kept"] and ap.memory_info("ascend:0")["in_use"] == before
    ap.free_all_blocks("ascend:0")
    assert figures()["kept"] == figures()["bytes"] == 0
    agree(repeat(lambda: formula(ap, x, y)), formula(np, values(5000), values(5000, seed=1)))


def test_graphs_give_way_before_memory_runs_out() -> None:
    x, y = ap.asarray(values(100_000)), ap.asarray(values(100_000, seed=1))
    repeat(lambda: formula(ap, x, y))
    held = figures()["bytes"]
    assert held >= 400_000
    in_use = ap.memory_info("ascend:0")["in_use"]
    _core.set_memory_limit(in_use + held + 100_000, "ascend:0")
    try:
        big = ap.ones((held + 50_000) // 4, dtype="float32")
        ap.eval(big)
        assert figures()["kept"] == 0 and (ap.to_numpy(big) == 1).all()
    finally:
        _core.set_memory_limit(0, "ascend:0")


def test_graphs_are_bounded_in_number() -> None:
    x = ap.asarray(values(2000))
    before = figures()
    for _ in range(5):
        for n in range(100, 400):
            ap.eval((x[:n] + 1) * x[:n])
    after = figures()
    assert before["captures"] < after["captures"] and 0 < after["kept"] <= 256


@pytest.mark.parametrize(("n", "function"), [
    (71, "aclmdlRICaptureBegin"), (72, "aclmdlRICaptureEnd"), (73, "aclnnExp"), (74, "aclnnMul"),
    (75, "aclrtCreateStream"),
])  # a size of its own for each: what was refused once is not tried again
def test_a_capture_that_fails_is_an_ordinary_launch(simulator: None, n: int, function: str) -> None:
    a, b = values(n), values(n, seed=1)
    x, y = ap.asarray(a), ap.asarray(b)
    out = ap.zeros(n, dtype="float32")
    ap.eval(x, y, out)
    for _ in range(2):
        out[...] = formula(ap, x, y)
        ap.synchronize()
    before = figures()
    cannsim.fail(function, 1)
    out[...] = formula(ap, x, y)
    agree(out, formula(np, a, b))
    after = figures()
    cannsim.clear_faults()
    if function != "aclrtCreateStream":  # there was a stream for captures before
        assert after["refused"] == before["refused"] + 1 and after["captures"] == before["captures"]
    out[...] = 0
    for _ in range(4):
        out[...] = formula(ap, x, y)
        agree(out, formula(np, a, b))


def test_a_replay_that_fails_says_so_and_the_next_launch_works(simulator: None) -> None:
    a, b = values(70), values(70, seed=1)
    x, y, out = ap.asarray(a), ap.asarray(b), ap.zeros(70, dtype="float32")
    for _ in range(5):
        out[...] = formula(ap, x, y)
        ap.eval(out)
    cannsim.fail("aclmdlRIExecuteAsync", 1)
    out[...] = formula(ap, x, y)
    with pytest.raises(RuntimeError, match=r"aclmdlRIExecuteAsync.*500000"):
        ap.eval(out)
    cannsim.clear_faults()
    agree(out, formula(np, a, b))


def test_numbers_that_the_device_keeps_may_change() -> None:
    a = values(300) * 3
    x = ap.asarray(a)

    def work(xp: Any, v: Any, number: float) -> Any:
        return xp.copysign(xp.hypot(v, number), v) + xp.arctan2(v, number)

    for start in range(0, 600, 60):
        for i in range(start, start + 60):  # more than the device keeps
            ap.eval(work(ap, x, 1.0 + i))
        for _ in range(5):
            agree(work(ap, x, 0.5), work(np, a, np.float32(0.5)))


def test_other_threads_may_wait_for_the_device_meanwhile() -> None:
    x = ap.asarray(values(3000))
    y = ap.asarray(values(3000, seed=1))
    stop, failed = threading.Event(), []

    def wait() -> None:
        try:
            while not stop.is_set():
                cann.synchronize(0)
                ap.synchronize()
        except Exception as error:
            failed.append(error)

    waiters = [threading.Thread(target=wait) for _ in range(2)]
    for one in waiters:
        one.start()
    before = figures()
    for n in range(200, 260):
        a, b = values(3000)[:n], values(3000, seed=1)[:n]
        for _ in range(6):
            agree(formula(ap, x[:n], y[:n]), formula(np, a, b))
    stop.set()
    for one in waiters:
        one.join()
    assert not failed and figures()["captures"] > before["captures"]


def test_it_can_be_switched_off() -> None:
    x, y = ap.asarray(values()), ap.asarray(values(seed=1))
    repeat(lambda: formula(ap, x, y))
    with ap.config.using(graph_replay=False):
        before = figures()
        assert before["kept"] == 0
        repeat(lambda: formula(ap, x, y))
        assert figures() == before
    shown = ap.show_config("dicts")
    assert shown is not None and f"{before['captures']} captured, {before['replays']} replayed" in shown["graphs"]


def test_a_graph_is_in_order_with_every_stream() -> None:
    a, b = values(4000), values(4000, seed=1)
    x, y, out = ap.asarray(a), ap.asarray(b), ap.zeros(4000, dtype="float32")
    streams = [ap.Stream(device="ascend:0") for _ in range(2)]
    before = figures()["replays"]
    for i in range(ROUNDS):
        with streams[i % 2]:  # one graph, its memory and its output, on both
            out[...] = formula(ap, x, y)
            ap.eval(out)
        x += 1
        ap.eval(x)
        a += np.float32(1)
    agree(out, formula(np, a - np.float32(1), b))
    assert figures()["replays"] > before
