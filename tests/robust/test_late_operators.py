"""Operators called by name whose work fails late: nobody reads what they wrote, and memory is used again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from device_marks import OTHERS, needs_simulator
from robust.late import AICORE, expect_told, fail, nothing_planned, settle, there

import asnumpy as ap
from asnumpy import cann, cannsim

pytestmark = needs_simulator

VALUES = np.arange(16, dtype="f4")


@pytest.fixture(autouse=True)
def faults_end() -> Iterator[None]:
    with nothing_planned():
        yield


def add(x: Any, y: Any, out: Any) -> None:
    cann.op("aclnnAdd")(x, y, 1, out)


def planned(x: Any, y: Any, out: Any) -> None:
    cann.op("aclnnAdd").plan(x, y, 1, out).run()


def batched(x: Any, y: Any, out: Any) -> None:
    with cann.batch(2):
        add(x, y, out)


def planned_in_a_batch(x: Any, y: Any, out: Any) -> None:
    plan = cann.op("aclnnAdd").plan(x, y, 1, out)
    with cann.batch(2):
        plan.run()


def on_a_stream(x: Any, y: Any, out: Any) -> None:
    cann.op("aclnnAdd")(x, y, 1, out, stream=ap.Stream(OTHERS[0]))


def by_address(x: Any, y: Any, out: Any) -> None:
    cann.op("aclnnAdd")(x, y, 1, out, stream=ap.Stream.default(OTHERS[0]).ptr)


WAYS = [add, planned, batched, planned_in_a_batch, on_a_stream, by_address]
MAKERS: list[Callable[[Any], Any]] = [there, cann.from_numpy]


def values(x: Any) -> Any:
    return cann.to_numpy(x) if isinstance(x, cann.Tensor) else ap.to_numpy(x)


@pytest.mark.parametrize("make", MAKERS, ids=["array", "tensor"])
@pytest.mark.parametrize("call", WAYS, ids=lambda way: way.__name__)
def test_what_they_wrote_is_not_read(call: Callable[[Any, Any, Any], None], make: Callable[[Any], Any]) -> None:
    x, y, out, other = make(VALUES), make(VALUES), make(VALUES), make(VALUES)
    call(x, y, out)  # what comes a second time goes another way
    for _ in range(2):
        fail(operator="aclnnAdd")
        call(x, y, out)
        error = expect_told(cann.synchronize)
        assert error.code == AICORE
        for _ in range(2):
            expect_told(lambda: values(out))
            expect_told(lambda: call(out, y, other))
            expect_told(lambda: call(x, out, other))
        for whole in (x, y, other):
            np.testing.assert_array_equal(values(whole), VALUES)
        call(x, y, out)
        np.testing.assert_array_equal(values(out), 2 * VALUES)


@pytest.mark.parametrize("make", MAKERS, ids=["array", "tensor"])
def test_what_they_would_update_is_refused(make: Callable[[Any], Any]) -> None:
    x, y = make(VALUES), make(VALUES)
    update = cann.op("aclnnInplaceAdd")
    for call in (update, lambda *given: update.plan(*given).run()):
        fail(operator="aclnnInplaceAdd")
        call(x, y, 1)
        expect_told(cann.synchronize)
        expect_told(partial(call, x, y, 1))
        expect_told(lambda: values(x))
        expect_told(lambda: cann.op("aclnnInplaceCopy")(x, y))  # by its facts it reads what it updates
        if isinstance(x, ap.ndarray):
            x[...] = y
        else:
            cann.write(x, VALUES)
        np.testing.assert_array_equal(values(x), VALUES)


def test_a_refused_call_leaves_it_damaged() -> None:
    x, out = there(VALUES), there(VALUES)
    exp = cann.op("aclnnExp")
    for call in (exp, lambda *given: exp.plan(*given).run()):
        fail(operator="aclnnExp")
        call(x, out)
        expect_told(cann.synchronize)
        cannsim.fail("aclnnExp", 1, 561103)
        with pytest.raises(cann.CannError, match="561103"):
            call(x, out)
        expect_told(out.tolist)
        call(x, out)
        np.testing.assert_allclose(ap.to_numpy(out), np.exp(VALUES), rtol=1e-5)


def test_memory_has_no_mark_for_who_gets_it_next() -> None:
    for pooled in (True, False):
        for _ in range(4):
            memory = cann.Memory(4096, pooled=pooled)
            out = cann.tensor(memory.address, (16,), "float32", owner=memory)
            fail(operator="aclnnExp")
            cann.op("aclnnExp")(cann.from_numpy(VALUES), out)
            expect_told(cann.synchronize)
            expect_told(partial(cann.to_numpy, out))
            memory.release()
            again = [cann.Memory(4096, pooled=pooled) for _ in range(2)]
            for one in again:
                assert cann.to_numpy(cann.tensor(one.address, (1024,), "float32", owner=one)).shape == (1024,)


def test_safe_execution_tries_again() -> None:
    x, out = there(VALUES), there(VALUES)
    fail(operator="aclnnExp")
    outcome = cann.safe("aclnnExp", x, out, retry=cann.Retry(codes=[AICORE], wait=0))
    assert [one.code for one in outcome.attempts] == [AICORE, 0]
    np.testing.assert_allclose(ap.to_numpy(out), np.exp(VALUES), rtol=1e-5)
    settle()


def test_calls_of_a_batch_are_told_apart() -> None:
    x, outs = there(VALUES), [there(VALUES) for _ in range(4)]
    ap.synchronize()
    fail(operator="aclnnExp")
    names = ["aclnnExp", "aclnnSin", "aclnnCos", "aclnnTanh"]
    results = cann.batch(4).run([(name, x, out) for name, out in zip(names, outs, strict=True)])
    assert isinstance(results[0], cann.CannError) and results[0].code == AICORE
    expect_told(outs[0].tolist)
    for function, result, out in zip((np.sin, np.cos, np.tanh), results[1:], outs[1:], strict=True):
        assert result is out
        np.testing.assert_allclose(ap.to_numpy(out), function(VALUES), rtol=1e-5, atol=1e-6)
