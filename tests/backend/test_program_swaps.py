"""When a program's kernel takes the place of its operators, and what happens where it fails."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest
from backend.program_kernels import (
    LARGE,
    check,
    computed,
    expect_equal,
    launched,
    needs_kernels,
    numbers,
    there,
)  # fmt: skip
from backend.simulated_calls import names_of
from device_marks import OTHERS, needs_two
from robust.late import VECTOR, expect_told, fail

import asnumpy as ap
from asnumpy import cannsim

pytestmark = [*needs_kernels, pytest.mark.usefixtures("kernels_wanted")]

LAUNCH = "aclrtLaunchKernelWithHostArgs"


def chain(xp: Any, x: Any, y: Any) -> list[Any]:
    return [((x * y + x) * y - x) * 2]


def test_no_kernel_where_it_is_not_wanted() -> None:
    x, y = numbers(np.dtype("float32"), LARGE, 1), numbers(np.dtype("float32"), LARGE, 2)
    with ap.config.using(machine_code="off"):
        check(chain, x, y, kernels=0)
    check(chain, x, y, kernels=1)


@pytest.mark.parametrize("replay", [False, True], ids=["", "where graphs are replayed"])
def test_a_kernel_comes_when_it_is_ready(replay: bool) -> None:
    x, y = numbers(np.dtype("float32"), 1 << 19, 1), numbers(np.dtype("float32"), 1 << 19, 2)

    def program(xp: Any, x: Any, y: Any) -> list[Any]:
        return [((x - y) * x + y) * xp.float32(5 if replay else 3) - (y if replay else x)]

    with ap.config.using(machine_code="background", graph_replay=replay):
        check(program, x, y, kernels=0)
        until = time.monotonic() + 300
        while not computed(program, x, y)[1]:
            assert time.monotonic() < until
            time.sleep(0.1)
        check(program, x, y, kernels=1)


def test_what_has_no_instructions_is_left_to_operators() -> None:
    x, y = np.linspace(1, 2, LARGE, dtype="float32"), np.linspace(3, 4, LARGE, dtype="float32")
    check(lambda xp, x, y: [xp.floor_divide(x + y, y) * 2], x, y, kernels=0)
    check(lambda xp, x, y: [(x + y) * 2], x.astype("float64"), y.astype("float64"), kernels=0)
    check(lambda xp, x, y: [x + y], x, y, kernels=0)  # one operator does it as well


@needs_two
def test_on_two_devices() -> None:
    x, y = numbers(np.dtype("float32"), LARGE, 1), numbers(np.dtype("float32"), LARGE, 2)
    for device in OTHERS[:2]:
        a, b = there(x, device), there(y, device)
        before = launched()
        (got,) = chain(ap, a, b)
        with np.errstate(all="ignore"):
            expect_equal(ap.to_numpy(got), chain(np, x, y)[0], device)
        assert launched() == before + 1


def test_on_a_stream_of_its_own() -> None:
    x, y = np.ones(LARGE, "float32"), np.full(LARGE, 2, "float32")
    a, b = there(x), there(y)
    computed(chain, x, y)
    cannsim.configure(lag=100)
    try:
        with ap.Stream(OTHERS[0]):
            a += 1
            (z,) = chain(ap, a, b)
        got = ap.to_numpy(z - 1)
    finally:
        cannsim.configure(lag=0)
    np.testing.assert_array_equal(got, chain(np, x + 1, y)[0] - 1)


def test_a_launch_that_is_refused_is_done_by_operators() -> None:
    x, y = np.arange(LARGE, dtype="float32") % 7, np.arange(LARGE, dtype="float32") % 5
    computed(chain, x, y)
    cannsim.fail(LAUNCH, 1, 107000)
    check(chain, x, y, kernels=0)
    (one,) = ap.demotions()
    assert one["what"].startswith("kernel program_") and "107000" in one["reason"]
    assert LAUNCH not in names_of(lambda: computed(chain, x, y))
    ap.forget_demotions()
    check(chain, x, y, kernels=1)


def test_a_device_without_resources_is_no_refusal() -> None:
    x, y = np.arange(LARGE, dtype="float32") % 7, np.arange(LARGE, dtype="float32") % 5
    computed(chain, x, y)
    a, b = there(x), there(y)
    ap.synchronize()
    cannsim.fail(LAUNCH, 1, 207008)
    a *= b
    a += 1
    a *= 2
    with pytest.raises(RuntimeError, match="207008"):
        ap.synchronize()
    np.testing.assert_array_equal(ap.to_numpy(a), (x * y + 1) * 2)
    assert not ap.demotions()


def test_a_kernel_that_fails_late() -> None:
    x, y = np.arange(LARGE, dtype="float32") % 7, np.arange(LARGE, dtype="float32") % 5
    computed(chain, x, y)
    a, b, other = there(x), there(y), there(y) + 1
    ap.synchronize()
    fail(code=VECTOR)
    (z,) = chain(ap, a, b)
    assert "program_" in str(expect_told(lambda: ap.to_numpy(z), VECTOR))
    np.testing.assert_array_equal(ap.to_numpy(other), y + 1)
    np.testing.assert_array_equal(ap.to_numpy(chain(ap, a, b)[0]), chain(np, x, y)[0])
