"""Pinned host arrays: NumPy arrays like any other, whose bytes a device moves by itself."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from device_marks import OTHERS, SIMULATED, each_device, needs_one, needs_simulator

import asnumpy as ap
from asnumpy import cannsim

LARGE = 50_000  # float64: more than what goes through staging memory at any rate


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    yield
    if SIMULATED:
        cannsim.clear_faults()
        cannsim.configure(lag=0, log=False)


def address(array: np.ndarray) -> int:
    return int(array.__array_interface__["data"][0])


def copies_of(work: Callable[[], Any]) -> list[dict[str, Any]]:
    cannsim.clear()
    cannsim.configure(log=True)
    try:
        work()
        return [call["arguments"] for call in cannsim.log() if call["function"] == "aclrtMemcpyAsync"]
    finally:
        cannsim.configure(log=False)


@each_device
@pytest.mark.parametrize("dtype", ["float32", "bool", "complex128", ">i4", "S3", [("a", "i4"), ("b", "f8")]], ids=str)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(3, 4), 7, (), (2, 0, 3), (100, 50, 3)], ids=str)
def test_are_numpy_arrays(device: ap.Device, dtype: Any, order: str, shape: Any) -> None:
    expected = np.zeros(shape, dtype, order)  # type: ignore[call-overload]
    for make in (ap.empty_pinned, ap.zeros_pinned):
        made = make(shape, dtype, order, device=device)
        assert type(made) is np.ndarray and made.flags.writeable
        assert (made.shape, made.dtype, made.strides) == (expected.shape, expected.dtype, expected.strides)
        made[...] = expected
        np.testing.assert_array_equal(made, expected)
    np.testing.assert_array_equal(ap.zeros_pinned(shape, dtype, order, device=device), expected)
    like = ap.zeros_like_pinned(expected, device=device)
    assert (like.shape, like.dtype, like.strides) == (expected.shape, expected.dtype, expected.strides)
    np.testing.assert_array_equal(like, expected)
    assert ap.empty_like_pinned(expected, "int16", device=device).dtype == np.int16
    with ap.Device(device):
        assert ap.empty_pinned(3).dtype == np.float64
        assert ap.zeros_like_pinned(ap.ones((2, 3), "float16")).dtype == np.float16


@each_device
def test_wrong_arguments(device: ap.Device) -> None:
    with pytest.raises(ValueError, match="negative dimensions"):
        ap.empty_pinned((3, -1), device=device)
    with pytest.raises(ValueError, match="negative dimensions"):
        ap.empty_pinned((-3, -1), device=device)
    with pytest.raises(ValueError, match="expected order 'C' or 'F', got 'K'"):
        ap.empty_pinned(3, order="K", device=device)
    with pytest.raises(TypeError, match="plain bytes"):
        ap.empty_pinned(3, object, device=device)
    with pytest.raises(TypeError):
        ap.empty_pinned(2.5, device=device)
    with pytest.raises(TypeError, match="nonsense"):
        ap.empty_pinned(2, "nonsense", device=device)
    with pytest.raises(ValueError, match="abacus"):
        ap.empty_pinned(3, device="abacus")


@each_device
@pytest.mark.parametrize("blocking", [True, False])
@pytest.mark.parametrize("layout", ["c", "fortran", "strided", "0-d", "empty"])
def test_there_and_back(device: ap.Device, blocking: bool, layout: str) -> None:
    plain = np.random.default_rng(1).standard_normal((120, 200))
    views = {"c": plain, "fortran": plain.T, "strided": plain[::2, 3:], "0-d": plain[1, 2, ...], "empty": plain[:0]}
    view = views[layout]
    pinned = ap.empty_like_pinned(view, device=device)
    pinned[...] = view
    stream = ap.Stream(device)
    with stream:
        there = ap.from_numpy(pinned, blocking=blocking)
        twice = there * 2
        back = ap.to_numpy(twice, blocking=blocking)
        into = ap.empty_pinned(view.shape, device=device)
        assert ap.to_numpy(twice, into, blocking=blocking) is into
    if not blocking:
        stream.synchronize()
    assert there.device == device
    np.testing.assert_array_equal(back, view * 2)
    np.testing.assert_array_equal(into, view * 2)
    assert (back.flags.writeable and back.flags.c_contiguous == into.flags.c_contiguous) or layout == "fortran"


@each_device
def test_out(device: ap.Device) -> None:
    plain = np.arange(12.0).reshape(3, 4)
    x = ap.from_numpy(plain, device=device)
    for out in (np.empty((3, 4)), np.empty((3, 4), order="F"), np.empty((6, 8))[::2, ::2], np.empty((3, 4), ">f8"),
                np.empty((3, 4), "complex64"), ap.empty_pinned((3, 4), device=device)):
        assert ap.to_numpy(x, out) is out
        np.testing.assert_array_equal(out, plain)
        out[...] = 0
        assert ap.to_numpy(plain.tolist(), out=out) is out
        np.testing.assert_array_equal(out, plain)
    with pytest.raises(ValueError, match=r"expected the shape \(3, 4\), got \(4, 3\)"):
        ap.to_numpy(x, np.empty((4, 3)))
    with pytest.raises(TypeError, match=r"out: expected a numpy\.ndarray, got list"):
        ap.to_numpy(x, [1])  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Cannot cast"):
        ap.to_numpy(x, np.empty((3, 4), "int32"))
    fixed = np.empty((3, 4))
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        ap.to_numpy(x, fixed)


@needs_simulator
def test_bytes_move_directly() -> None:
    pinned, ordinary = ap.zeros_pinned(LARGE, device=OTHERS[0]), np.zeros(LARGE)
    arrays: list[ap.ndarray] = []

    def work() -> None:
        for source in (pinned, ordinary, pinned[100:]):
            arrays.append(ap.from_numpy(source, device=OTHERS[0]))

    sources = [copy["src"] for copy in copies_of(work)]
    assert sources.count(f"{address(pinned):#x}") == 1 and f"{address(pinned[100:]):#x}" in sources
    assert f"{address(ordinary):#x}" not in sources and len(sources) == 3
    copies = copies_of(lambda: [ap.to_numpy(arrays[0], out) for out in (pinned, ordinary)])
    targets = [copy["dst"] for copy in copies]
    assert targets[0] == f"{address(pinned):#x}" and targets[1] != f"{address(ordinary):#x}"


@needs_simulator
def test_calls_return_before_the_bytes_have_moved() -> None:
    stream = ap.Stream(OTHERS[0])
    pinned, result = ap.empty_pinned(LARGE, device=OTHERS[0]), ap.empty_pinned(LARGE, device=OTHERS[0])
    pinned[...], result[...] = 3, -1
    cannsim.configure(lag=150_000)
    start = time.monotonic()
    with stream:
        x = ap.from_numpy(pinned, blocking=False)
        ap.to_numpy(x, result, blocking=False)
        assert not stream.done and result[0] == -1
        issued = time.monotonic() - start
        stream.synchronize()
        waited = time.monotonic() - start
    assert (result == 3).all() and issued < waited / 2
    cannsim.configure(lag=0)
    with stream:  # and it waits where it is told to
        for k in range(3):
            pinned[...] = k
            y = ap.from_numpy(pinned)
            pinned[...] = -1
            assert (ap.to_numpy(y, result) == k).all()


@needs_simulator
def test_memory_is_kept_while_bytes_move() -> None:
    stream = ap.Stream(OTHERS[0])
    first = ap.empty_pinned(LARGE, device=OTHERS[0])
    first[...] = 7
    where = address(first)
    with stream:
        cannsim.configure(lag=100_000)
        x = ap.from_numpy(first, blocking=False)
        del first
        second = ap.empty_pinned(LARGE, device=OTHERS[0])
        second[...] = 8  # must not be what the device still reads
        assert address(second) != where
        cannsim.configure(lag=0)
        assert (ap.to_numpy(x) == 7).all()
        third = ap.empty_pinned(LARGE, device=OTHERS[0])
        assert address(third) == where


@needs_simulator
def test_the_cache_gives_back_and_serves_again() -> None:
    ap.free_all_blocks(OTHERS[0])
    seen = set()
    for _ in range(20):
        array = ap.zeros_pinned(LARGE, device=OTHERS[0])
        part = array[10:20]
        seen.add(address(array))
        del array
        assert part.sum() == 0
        del part
    assert len(seen) == 1
    gc.collect()
    cannsim.configure(log=True)
    ap.free_all_blocks(OTHERS[0])
    assert "aclrtFreeHost" in {call["function"] for call in cannsim.log()}
    cannsim.configure(log=False)
    cannsim.fail("aclrtMallocHost", 0, 207001)
    with pytest.raises(MemoryError, match=r"pinned .* cannot allocate 400000 bytes: aclrtMallocHost .*207001"):
        ap.empty_pinned(LARGE, device=OTHERS[0])
    cannsim.clear_faults()
    assert ap.zeros_pinned(LARGE, device=OTHERS[0]).sum() == 0


@needs_simulator
@pytest.mark.parametrize(
    "function", ["aclrtMemcpyAsync", "aclrtRecordEvent", "aclrtSynchronizeEvent", "aclrtSynchronizeStream"]
)
@pytest.mark.parametrize("blocking", [True, False])
def test_a_refused_copy(function: str, blocking: bool) -> None:
    pinned, stream = ap.zeros_pinned(LARGE, device=OTHERS[0]), ap.Stream(OTHERS[0])
    with stream:
        x = ap.ones(LARGE)
        ap.synchronize()
        up, down = lambda: ap.from_numpy(pinned, blocking=blocking), lambda: ap.to_numpy(x, pinned, blocking=blocking)
        for work in (up, down):
            cannsim.fail(function, 1, 500000)  # of the call itself, and none that tells of work before
            try:
                work()
            except RuntimeError as error:
                assert function in str(error) and "500000" in str(error)
            cannsim.clear_faults()
            work()
        stream.synchronize()
    assert (pinned == 1).all() and float(x.sum()) == LARGE


@needs_one
def test_one_cache_for_all_devices() -> None:
    pinned = ap.empty_pinned(LARGE, device=OTHERS[0])
    pinned[...] = np.arange(LARGE)
    for device in ap.devices():
        np.testing.assert_array_equal(ap.to_numpy(ap.from_numpy(pinned, device=device) + 1), np.arange(LARGE) + 1)
