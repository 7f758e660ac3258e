"""Between controls a recorded function is one captured graph: the bits of its programs, and one call of CANN's."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from device_marks import needs_two

import asnumpy as ap
from asnumpy import _core, cann, cannsim
from cann.recorded import (
    ROUNDS,
    STEADY,
    bits,
    calls_of,
    captured,
    figures,
    launches,
    steps,
    there,
    update,
    values,
    without,
)


@pytest.fixture(autouse=True)
def graphs() -> Iterator[None]:
    with captured():
        yield


@pytest.mark.parametrize("function", [steps, update], ids=lambda f: f.__name__)
def test_one_call_from_then_on(simulator: None, function: Callable[..., Any]) -> None:
    fast = ap.jit(function)
    x, y = there(values(), values(seed=1))
    fast(x, y)
    several = launches(calls_of(lambda: fast(x, y)))
    for _ in range(STEADY):
        fast(x, y)
    before = figures()
    for _ in range(3):
        counted = calls_of(lambda: fast(x, y))
        assert launches(counted) == counted["aclmdlRIExecuteAsync"] == 1 < several
        assert not counted["aclrtMalloc"] and not counted["aclrtMemcpyAsync"] and not counted["aclrtSynchronizeStream"]
    after = figures()
    assert after["replays"] == before["replays"] + 3 and after["captures"] == before["captures"]


def test_the_books_stay_true(simulator: None) -> None:
    fast = ap.jit(steps)
    x, y = there(values(), values(seed=1))
    for _ in range(STEADY):
        fast(x, y)
    ap.synchronize()
    cannsim.clear()
    engine = cann.engine_metrics(0)
    for _ in range(5):
        fast(x, y)
    ap.synchronize()
    now = cann.engine_metrics(0)
    counted = {name: one["count"] - engine[name]["count"] for name, one in now.items()}
    replayed = {name: one["replayed"] - engine[name]["replayed"] for name, one in now.items()}
    simulated = {one["name"]: one["count"] for one in cannsim.report()["tasks"] if one["name"].startswith("aclnn")}
    assert {name: n for name, n in counted.items() if n} == simulated == {name: n for name, n in replayed.items() if n}


@pytest.mark.parametrize("function", [steps, update], ids=lambda f: f.__name__)
def test_bits_are_those_without(function: Callable[..., Any]) -> None:
    fast = ap.jit(function)
    before = figures()
    x, y = there(values(), values(seed=1))
    for seed in range(ROUNDS):
        a, b = values(seed=seed), values(seed=seed + 100)
        x[...], y[...] = there(a, b)
        expected, changed = without(function, a, b)
        assert bits(fast(x, y)) == expected
        assert bits((x, y)) == changed
    assert figures()["replays"] > before["replays"]


def test_results_that_are_kept_stay() -> None:
    """Each call's results lie elsewhere: a graph is used where it has the call's addresses, and nowhere else."""
    fast = ap.jit(steps)
    x, y = there(values(), values(seed=1))
    kept = [(fast(x, y), k) for k in range(12)]
    expected, _ = without(steps, values(), values(seed=1))
    for made, _ in kept:
        assert bits(made) == expected
    del made, kept
    for _ in range(ROUNDS):
        assert bits(fast(x, y)) == expected


def test_arguments_that_move() -> None:
    fast = ap.jit(steps)
    places = [there(values(seed=k), values(seed=k + 50)) for k in range(5)]
    expected = [without(steps, values(seed=k), values(seed=k + 50))[0] for k in range(5)]
    before = figures()
    for turn in range(40):
        k = turn * 3 % 5
        assert bits(fast(*places[k])) == expected[k]
    between = figures()
    assert between["captures"] > before["captures"] and between["replays"] > before["replays"]
    held = []
    for seed in range(40):  # none comes again
        held.append(there(values(seed=seed), values(seed=seed + 50)))
        assert bits(fast(*held[-1])) == without(steps, values(seed=seed), values(seed=seed + 50))[0]
    assert figures()["kept"] <= 256


def test_arguments_at_other_alignments() -> None:
    fast = ap.jit(lambda x, y: ((x * 2 + y).cumsum() * x).sum() + y)
    a, b = values(500), values(500, seed=1)
    whole, other = there(a, b)
    for start in (0, 1, 3, 8, 0, 1, 3, 8, 0, 1, 3, 8, 0, 1, 3, 8):
        expected, _ = without(lambda x, y: ((x * 2 + y).cumsum() * x).sum() + y, a[start : start + 400], b[:400])
        assert bits(fast(whole[start : start + 400], other[:400])) == expected


def test_results_in_donated_memory() -> None:
    def step(u: Any, v: Any) -> Any:
        u = u * 0.5 + v.sum(axis=0)
        return u - u.mean()

    fast, plain = ap.jit(step, donate="u"), ap.jit(step)
    (v,) = there(values(seed=1))
    (u,), (w,) = there(values()), there(values())
    before = figures()
    for _ in range(2 * ROUNDS):
        u = fast(u, v)
        with ap.config.using(graph_replay=False):
            w = plain(w, v)
    assert bits(u) == bits(w) and figures()["replays"] > before["replays"]


def test_a_loop_inside(simulator: None) -> None:
    def root(a: Any, n: Any) -> Any:
        b = a * a + a.sum() * 0
        x = ap.range(0, n, lambda i, x: (x + a / x.clip(0.1, 9).cumsum() * 0.5) / 2 + x.mean(), b)
        return x.cumsum() + b

    fast = ap.jit(root, static_argnames="n")
    a = abs(values(200)) + 1
    with ap.config.using(graph_replay=False):
        expected = bits(ap.jit(root, static_argnames="n")(*there(a), 30))
    (x,) = there(a)
    before = figures()
    for _ in range(5):
        assert bits(fast(x, 30)) == expected
    after = figures()
    assert after["replays"] - before["replays"] > 50
    assert after["kept"] < 20


def test_a_call_of_the_host_in_the_middle(simulator: None) -> None:
    def function(a: Any, b: Any) -> Any:
        c = (a @ b + a).cumsum(axis=0) * 0.01
        d = ap.linalg.inv(c @ c.T + 9 * ap.eye(6, dtype="float32"))
        e = d.cumsum(axis=1) * b
        return e @ c + e.sum()

    fast = ap.jit(function)
    a, b = values((6, 6)), values((6, 6), seed=1)
    expected, _ = without(function, a, b)
    x, y = there(a, b)
    for _ in range(STEADY):
        assert bits(fast(x, y)) == expected
    counted = calls_of(lambda: fast(x, y))
    assert counted["aclmdlRIExecuteAsync"] == launches(counted) == 2


def test_draws_are_other_numbers_each_time() -> None:
    def function(x: Any, n: int) -> Any:
        y = x.cumsum() * 0.5
        z = y - y.mean()
        r = rng.random(n, dtype="float32")
        return (z + r).cumsum() * r.sum()

    a = values(70_000)
    got = []
    for on in (False, True):
        rng = ap.random.default_rng(7)
        with ap.config.using(graph_replay=on):
            fast = ap.jit(function, static_argnames="n")
            (x,) = there(a)
            got.append([bits(fast(x, 70_000)) for _ in range(ROUNDS)])
    assert got[0] == got[1] and len({one[0] for one in got[1]}) == ROUNDS


def test_indices_are_checked_before_what_comes_after() -> None:
    def function(x: Any, i: Any) -> Any:
        y = (x * 2).cumsum() + 1
        z = y[i] * 2
        x += z.sum()
        x *= 0.5
        return z.cumsum()

    fast = ap.jit(function)
    a, i = values(50), np.arange(0, 40, 2)
    x, index = there(a, i)
    for _ in range(ROUNDS):
        x[...] = ap.from_numpy(a)
        expected, changed = without(function, a, i)
        assert bits(fast(x, index)) == expected
        assert bits(x) == changed[:1]
    index[3] = 50
    x[...] = ap.from_numpy(a)
    with pytest.raises(IndexError, match="index 50 is out of bounds"):
        fast(x, index)
    assert bits(x) == [a.tobytes()]
    index[3] = 6
    assert bits(fast(x, index)) == without(function, a, i)[0]


def test_memory_of_a_graph_is_free_memory_and_goes_back() -> None:
    fast = ap.jit(steps)
    x, y = there(values((300, 400)), values((300, 400), seed=1))
    made = fast(x, y)
    expected = bits(made)
    in_use = ap.memory_info("ascend:0")["in_use"]
    for _ in range(ROUNDS):
        made = fast(x, y)
    held = figures()
    assert held["kept"] and held["bytes"] > 0 and ap.memory_info("ascend:0")["in_use"] == in_use
    others = [ap.full((300, 400), k, dtype="float32", device="ascend:0") for k in range(20)]
    ap.eval(*others)
    for _ in range(3):
        assert bits(fast(x, y)) == expected
    for k, other in enumerate(others):
        assert (ap.to_numpy(other) == k).all()
    del others
    ap.free_all_blocks("ascend:0")
    assert figures()["kept"] == figures()["bytes"] == 0
    for _ in range(ROUNDS):
        assert bits(fast(x, y)) == expected
    assert figures()["kept"]
    del fast
    gc.collect()
    assert figures()["kept"] == figures()["bytes"] == 0


def test_graphs_give_way_before_memory_runs_out() -> None:
    fast = ap.jit(steps)
    x, y = there(values((300, 400)), values((300, 400), seed=1))
    for _ in range(ROUNDS):
        made = fast(x, y)
    expected, info = bits(made), ap.memory_info("ascend:0")
    assert figures()["kept"]
    _core.set_memory_limit(info["in_use"] + info["cached"], "ascend:0")
    fill = []
    try:
        while figures()["kept"]:  # a megabyte each, until there is no more beside the graphs
            fill.append(ap.ones(1 << 18, dtype="float32", device="ascend:0"))
            ap.eval(fill[-1])
        assert all((ap.to_numpy(one) == 1).all() for one in fill)
    finally:
        _core.set_memory_limit(0, "ascend:0")
    for _ in range(ROUNDS):
        assert bits(fast(x, y)) == expected


def test_several_functions_and_forms() -> None:
    functions = [ap.jit(steps), ap.jit(update), ap.jit(lambda x, y: (x @ y.T).cumsum(axis=1) + x.sum())]
    plain = [steps, update, lambda x, y: (x @ y.T).cumsum(axis=1) + x.sum()]
    shapes = [(30, 40), (20, 20)]
    given = {shape: there(values(shape), values(shape, seed=1)) for shape in shapes}
    for turn in range(3 * ROUNDS):
        shape = shapes[turn % 2]
        x, y = given[shape]
        x[...], y[...] = there(values(shape), values(shape, seed=1))
        which = turn % 3
        expected, changed = without(plain[which], values(shape), values(shape, seed=1))
        assert bits(functions[which](x, y)) == expected
        assert bits((x, y)) == changed


def test_several_threads() -> None:
    expected, _ = without(steps, values(), values(seed=1))
    shared = ap.jit(steps)
    failed: list[BaseException] = []

    def work(function: Any) -> None:
        try:
            with ap.Device("ascend:0"):
                x, y = there(values(), values(seed=1))
                for _ in range(2 * ROUNDS):
                    assert bits(function(x, y)) == expected
        except BaseException as error:
            failed.append(error)

    before = figures()
    threads = [threading.Thread(target=work, args=(f,)) for f in (shared, shared, ap.jit(steps))]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert not failed, failed
    assert figures()["replays"] > before["replays"]


def test_in_order_with_every_stream() -> None:
    def function(out: Any, x: Any) -> Any:
        out[...] = x * 2 + out
        out -= out.mean(axis=0)
        out *= out.sum(axis=1, keepdims=True)
        return out.max()

    fast = ap.jit(function)
    a = values()
    streams = [ap.Stream(device="ascend:0") for _ in range(2)]
    expected = there(values(seed=3))[0]
    with ap.config.using(graph_replay=False):
        plain = ap.jit(function)
        (x,) = there(a)
        for _ in range(2 * ROUNDS):
            plain(expected, x)
            x *= 0.5
    out, x = there(values(seed=3), a)
    before = figures()["replays"]
    for turn in range(2 * ROUNDS):
        with streams[turn % 2]:
            fast(out, x)
        x *= 0.5
        ap.eval(x)
    assert bits(out) == bits(expected) and figures()["replays"] > before


@needs_two
def test_two_devices() -> None:
    fast = ap.jit(steps)
    expected, _ = without(steps, values(), values(seed=1))
    devices = ("ascend:0", "ascend:1")
    given = {device: there(values(), values(seed=1), device=device) for device in devices}
    ap.eval(*(a + 1 for pair in given.values() for a in pair))
    before = {device: figures(device) for device in devices}
    for _ in range(ROUNDS):
        for device in devices:
            with ap.Device(device):
                assert bits(fast(*given[device])) == expected
    for device in devices:
        assert figures(device)["replays"] > before[device]["replays"]


def test_a_profile_shows_the_call() -> None:
    fast = ap.jit(steps)
    x, y = there(values(), values(seed=1))
    for _ in range(STEADY):
        made = fast(x, y)
    with ap.profiler.record() as trace:
        again = fast(x, y)
    assert bits(again) == bits(made)
    graphs = [event for event in trace.events if event["name"] == "graph"]
    assert len(graphs) == 1 and "programs by one call" in graphs[0]["detail"]
    assert not [event for event in trace.events if event["name"] == "program"]
    with ap.config.using(graph_replay=False), ap.profiler.record() as trace:
        fast(x, y)
    assert not [event for event in trace.events if event["name"] == "graph"]
    assert [event for event in trace.events if event["name"] == "program"]


def test_it_can_be_switched_off(simulator: None) -> None:
    fast = ap.jit(steps)
    x, y = there(values(), values(seed=1))
    for _ in range(ROUNDS):
        fast(x, y)
    with ap.config.using(graph_replay=False):
        assert figures()["kept"] == 0
        counted = calls_of(lambda: fast(x, y))
        assert launches(counted) > 1 and not counted["aclmdlRIExecuteAsync"]
