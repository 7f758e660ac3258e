"""Operators on asnumpy's own arrays: deferred work comes first, what follows sees the results, views."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import cann, cannsim

DEVICE = "ascend:0"


def array(values: Any, dtype: str = "float32") -> Any:
    return ap.asarray(np.asarray(values, dtype), device=DEVICE)


def test_pending_work_is_enqueued_first_and_what_follows_sees_the_result() -> None:
    x = array(np.arange(6).reshape(2, 3))
    y = x * 2 + 1                                   # recorded, not run
    out = ap.empty((2, 3), "float32", device=DEVICE)
    assert cann.op("aclnnNeg")(y, out) is out
    z = out - 1
    y += 100                                        # after the operator has read it
    np.testing.assert_array_equal(ap.to_numpy(z), -(np.arange(6).reshape(2, 3) * 2 + 1) - 1)
    np.testing.assert_array_equal(ap.to_numpy(out), -(np.arange(6).reshape(2, 3) * 2 + 1))


def test_recorded_writes_of_the_output_come_first() -> None:
    out = array(np.zeros(4))
    out += 5
    cann.op("aclnnInplaceAdd")(out, array(np.ones(4)), 1.0)
    assert ap.to_numpy(out).tolist() == [6, 6, 6, 6]


def test_views() -> None:
    x = array(np.arange(24).reshape(4, 6))
    out = array(np.zeros((4, 6)))
    cann.op("aclnnNeg")(x[1:3, ::2].T, out[:3, 1:3])
    expected = np.zeros((4, 6), "f4")
    expected[:3, 1:3] = -np.arange(24, dtype="f4").reshape(4, 6)[1:3, ::2].T
    np.testing.assert_array_equal(ap.to_numpy(out), expected)
    cann.op("aclnnAdd")(ap.broadcast_to(x[0], (4, 6)), x, 1.0, out)
    np.testing.assert_array_equal(ap.to_numpy(out), np.arange(24).reshape(4, 6) + np.arange(6))


def test_reversed_view_is_refused_with_the_remedy() -> None:
    x = array(np.arange(4))
    with pytest.raises(ValueError, match=r"aclnnNeg: self: expected strides of at least 0, got a reversed view"):
        cann.op("aclnnNeg")(x[::-1], array(np.zeros(4)))


def test_read_only_output() -> None:
    x = array(np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"aclnnNeg: out: expected an array that may be written, .*read-only"):
        cann.op("aclnnNeg")(x, ap.broadcast_to(array([0]), (2, 2)))


def test_a_plan_sees_what_was_recorded_between_its_runs() -> None:
    x, out = array(np.ones(4)), array(np.zeros(4))
    plan = cann.op("aclnnNeg").plan(x, out)
    for step in range(1, 4):
        plan.run()
        np.testing.assert_array_equal(ap.to_numpy(out), np.full(4, -float(step)))
        x += 1
        out *= 0
    plan.run(self=x * 10)                            # a temporary that only the plan holds
    np.testing.assert_array_equal(ap.to_numpy(out), np.full(4, -40.0))


def test_arrays_in_a_batch(simulator: None) -> None:
    cannsim.configure(lag=200)
    try:
        sources = [array(np.full(64, i)) + 1 for i in range(6)]
        with cann.batch(streams=3):
            outs = [cann.op("aclnnNeg")(x, ap.empty(64, "float32", device=DEVICE)) for x in sources]
            del sources
        total = sum(outs[1:], outs[0])
        assert (ap.to_numpy(total) == -21).all()
    finally:
        cannsim.configure(lag=0)


def test_an_array_with_a_format() -> None:
    x = array(np.arange(16).reshape(1, 1, 4, 4))
    given = cann.tensor(x, format="NCHW")
    assert given.format == "NCHW" and given.shape == (1, 1, 4, 4) and given.owner is x
    with pytest.raises(TypeError, match=r"cann.tensor: an array brings its own shape"):
        cann.tensor(x, shape=(16,))
    with pytest.raises(ValueError, match=r"cann.tensor: expected an array on an Ascend device, got one on cpu"):
        cann.tensor(ap.ones(3, device="cpu"))


def test_what_programs_call_is_counted_apart() -> None:
    before = cann.engine_metrics(0).get("aclnnExp", {"count": 0, "bytes": 0})
    x = array(np.ones(1000))
    ap.to_numpy(ap.exp(x))
    after = cann.engine_metrics("ascend:0")["aclnnExp"]
    assert after["count"] == before["count"] + 1 and after["bytes"] == before["bytes"] + 8000
    assert after["host_seconds"] >= after["cann_seconds"] >= 0 and "aclnnExp" not in cann.metrics()


def test_steady_calls_neither_allocate_nor_wait(simulator: None) -> None:
    x, out = array(np.ones(1000)), array(np.zeros(1000))
    op = cann.op("aclnnNeg")
    op(x, out)
    cannsim.configure(log=True)
    try:
        for _ in range(10):
            op(x, out)
        called = {one["function"] for one in cannsim.log()}
    finally:
        cannsim.configure(log=False)
    assert "aclnnNeg" in called
    costly = ("Malloc", "Free", "Synchronize", "Memcpy")
    assert not {name for name in called if any(word in name for word in costly)}
