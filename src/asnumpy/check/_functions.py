"""Each function of CANN's that the backend calls, by itself: what it says must be so."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from asnumpy.cann import _calls, _devices, _facts
from asnumpy.cann._calls import Pointer, call, find
from asnumpy.check._steps import Case, Scope, Skip

BYTES = 1 << 16
ORDERS, TIMED = 1, 8  # ACL_EVENT_SYNC, ACL_EVENT_TIME_LINE
Number = Any
Work = Callable[[], dict[str, Any] | None]

KERNEL = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void add_places(GM_ADDR x, uint32_t n) {
    GlobalTensor<int32_t> xg;
    xg.SetGlobalBuffer((__gm__ int32_t*)x);
    for (uint32_t i = GetBlockIdx(); i < n; i += GetBlockNum()) xg.SetValue(i * 8, xg.GetValue(i * 8) + i + 1);
}
"""  # a number in each 32 bytes: cores do not share what they write at once


def need(*names: str) -> None:
    """Functions that not every version has."""
    lacking = [name for name in names if find(name) is None]
    if lacking:
        raise Skip(f"this CANN has no {', '.join(lacking)}; asnumpy does without")


def expect(holds: bool, text: str) -> None:
    if not holds:
        raise AssertionError(text)


def given(name: str, *arguments: Any, kind: Any = ctypes.c_int32) -> Number:
    """The number that a function writes to its last argument."""
    value = kind()
    call(name, *arguments, ctypes.byref(value))
    return value.value


@contextmanager
def taken(take: str, give: str, *arguments: Any) -> Iterator[Any]:
    """What one function takes and another gives back."""
    handle = Pointer()
    call(take, ctypes.byref(handle), *arguments)
    expect(bool(handle.value), f"{take} gave null")
    try:
        yield handle
    finally:
        call(give, handle)


def stream() -> Any:
    return taken("aclrtCreateStream", "aclrtDestroyStream")


def memory() -> Any:
    policy = _facts.enum("aclrtMemMallocPolicy")["ACL_MEM_MALLOC_HUGE_FIRST"]
    return taken("aclrtMalloc", "aclrtFree", ctypes.c_size_t(BYTES), policy)


def copy(to: Any, source: Any, kind: str, on: Any) -> None:
    number = _facts.enum("aclrtMemcpyKind")[f"ACL_MEMCPY_{kind}"]
    call("aclrtMemcpyAsync", to, ctypes.c_size_t(BYTES), source, ctypes.c_size_t(BYTES), number, on)
    call("aclrtSynchronizeStream", on)


def devices(scope: Scope) -> None:
    count = given("aclrtGetDeviceCount", kind=ctypes.c_uint32)
    expect(scope.number < count, f"aclrtGetDeviceCount says {count}")


def chip() -> None:
    name: Any = _calls.function("aclrtGetSocName")
    name.restype = ctypes.c_char_p
    expect((name() or b"").startswith(b"Ascend"), f"aclrtGetSocName says {name()!r}")


def context() -> None:
    current = given("aclrtGetCurrentContext", kind=Pointer)
    call("aclrtSetCurrentContext", Pointer(current))
    expect(given("aclrtGetCurrentContext", kind=Pointer) == current, "another context than the one that was set")


def device_memory() -> None:
    with memory() as first, memory() as second:
        expect(first.value % 64 == second.value % 64 == 0, "an address that is no multiple of 64")
        expect(abs(first.value - second.value) >= BYTES, "two allocations overlap")


def memory_figures() -> None:
    kind = _facts.enum("aclrtMemAttr")["ACL_HBM_MEM"]
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    call("aclrtGetMemInfo", kind, ctypes.byref(free), ctypes.byref(total))
    expect(0 < free.value <= total.value, f"aclrtGetMemInfo says {free.value} of {total.value} bytes are free")


def three_copies() -> None:
    values = np.random.default_rng().integers(0, 256, BYTES, np.uint8)
    with taken("aclrtMallocHost", "aclrtFreeHost", ctypes.c_size_t(BYTES)) as host, stream() as on:
        with memory() as first, memory() as second:
            ctypes.memmove(host, values.ctypes.data, BYTES)
            copy(first, host, "HOST_TO_DEVICE", on)
            ctypes.memset(host, 0, BYTES)
            copy(second, first, "DEVICE_TO_DEVICE", on)
            copy(host, second, "DEVICE_TO_HOST", on)
        got = np.ctypeslib.as_array(ctypes.cast(host, ctypes.POINTER(ctypes.c_uint8)), (BYTES,))
        expect(bool((got == values).all()), f"{int((got != values).sum())} of {BYTES} bytes differ after three copies")


def configured_stream() -> None:
    need("aclrtCreateStreamWithConfig")
    with taken("aclrtCreateStreamWithConfig", "aclrtDestroyStream", ctypes.c_uint32(0), ctypes.c_uint32(0)) as on:
        call("aclrtSynchronizeStream", on)


def stream_status() -> None:
    need("aclrtStreamQuery")
    with stream() as on:
        call("aclrtSynchronizeStream", on)
        expect(given("aclrtStreamQuery", on) == 0, "a stream without work is not said to be done")


@contextmanager
def event(flags: int, maker: str = "aclrtCreateEventWithFlag") -> Iterator[Any]:
    with taken(maker, "aclrtDestroyEvent", ctypes.c_uint32(flags)) as made:
        yield made


def events(maker: str) -> None:
    need(maker)
    with stream() as first, stream() as second, event(ORDERS, maker) as start, event(ORDERS, maker) as end:
        call("aclrtRecordEvent", start, first)
        call("aclrtStreamWaitEvent", second, start)
        call("aclrtRecordEvent", end, second)
        call("aclrtSynchronizeEvent", end)
        expect(given("aclrtQueryEventStatus", end) == 1, "an event that was waited for is not said to have happened")
        for on in (first, second):
            call("aclrtSynchronizeStream", on)


def elapsed() -> None:
    with stream() as on, event(TIMED) as start, event(TIMED) as end:
        call("aclrtRecordEvent", start, on)
        call("aclrtRecordEvent", end, on)
        call("aclrtSynchronizeStream", on)
        passed = ctypes.c_float(-1)
        call("aclrtEventElapsedTime", ctypes.byref(passed), start, end)
        expect(0 <= passed.value < 10_000, f"{passed.value} ms between two events that follow each other")


def timed_wait(name: str) -> None:
    need(name)
    with stream() as on, event(ORDERS) as done:
        call("aclrtRecordEvent", done, on)
        call(name, done if "Event" in name else on, ctypes.c_int32(10_000))
        call("aclrtSynchronizeStream", on)


def objects() -> None:
    with memory() as data:
        dims, number = (ctypes.c_int64 * 1)(4), _calls.dtype_number(np.dtype("float32"))
        one = (ctypes.c_int64 * 1)(1)
        made = _calls.function("aclCreateTensor")(
            dims, ctypes.c_uint64(1), number, one, ctypes.c_int64(0), _facts.formats()["ND"], dims,
            ctypes.c_uint64(1), data,
        )
        expect(bool(made), "aclCreateTensor gave null")
        listed = _calls.function("aclCreateTensorList")((Pointer * 1)(made), ctypes.c_uint64(1))
        expect(bool(listed), "aclCreateTensorList gave null")
        call("aclDestroyTensorList", Pointer(listed))  # with the tensor


def scalars() -> None:
    first = _calls.create_scalar(np.float32(1.5))
    second = _calls.create_scalar(np.int32(7))
    listed = _calls.function("aclCreateScalarList")((Pointer * 1)(second.value), ctypes.c_uint64(1))
    expect(bool(listed), "aclCreateScalarList gave null")
    call("aclDestroyScalarList", Pointer(listed))
    call("aclDestroyScalar", first)


def lists(kind: str, ctype: Any) -> None:
    made = _calls.function(f"aclCreate{kind}")((ctype * 3)(1, 0, 1), ctypes.c_uint64(3))
    expect(bool(made), f"aclCreate{kind} gave null")
    call(f"aclDestroy{kind}", Pointer(made))


def peers() -> None:
    count = given("aclrtGetDeviceCount", kind=ctypes.c_uint32)
    if count < 2:
        raise Skip("there is one device")
    able = ctypes.c_int32()
    call("aclrtDeviceCanAccessPeer", ctypes.byref(able), 0, 1)
    if able.value:
        _devices.use(0)
        call("aclrtDeviceEnablePeerAccess", 1, ctypes.c_uint32(0))


def limit_of_operators() -> None:
    need("aclrtSetOpExecuteTimeOut")
    call("aclrtSetOpExecuteTimeOut", ctypes.c_uint32(600))


def repeated_executor(scope: Scope) -> None:
    need("aclSetAclOpExecutorRepeatable", "aclDestroyAclOpExecutor")
    from asnumpy import cann

    values = np.arange(1000, dtype=np.float32)
    x, y = cann.from_numpy(values, device=scope.number), cann.from_numpy(values + 1, device=scope.number)
    out = cann.empty(values.shape, device=scope.number)
    plan = cann.op("aclnnMul").plan(x, x, out)
    plan.run()
    first = cann.to_numpy(out)
    plan.run(self=y, other=y)
    expect(bool((first == values**2).all() and (cann.to_numpy(out) == (values + 1) ** 2).all()),
           "an executor that runs again with other addresses gives other values")


def cores(scope: Scope) -> None:
    need("aclrtGetDeviceInfo")
    kind = _facts.enum("aclrtDevAttr")["ACL_DEV_ATTR_VECTOR_CORE_NUM"]
    count = given("aclrtGetDeviceInfo", ctypes.c_uint32(scope.number), kind, kind=ctypes.c_int64)
    expect(count > 0, f"aclrtGetDeviceInfo says that there are {count} cores for vectors")


def kernel(scope: Scope) -> None:
    need("aclrtBinaryLoadFromData", "aclrtLaunchKernelWithHostArgs")
    import asnumpy as ap
    from asnumpy.operators import RawKernel
    from asnumpy.operators._compiler import CompilerMissing

    values = np.arange(80, dtype=np.int32)
    x = ap.from_numpy(values, device=scope.device)
    try:
        RawKernel(KERNEL, "add_places")(3, (x, np.uint32(10)))
    except CompilerMissing as missing:
        raise Skip(f"{missing}; asnumpy does without") from None
    values[::8] += np.arange(1, 11, dtype=np.int32)
    expect(bool((ap.to_numpy(x) == values).all()), "a kernel that was compiled and launched gave other values")


def cases(scope: Scope) -> list[Case]:
    """Cases are called by the functions that they are about."""

    def on_device(work: Work) -> Work:
        def run() -> dict[str, Any] | None:
            _devices.use(_devices.checked(scope.device, "check"))
            return work()
        return run

    made: list[Case] = [
        ("aclrtGetDeviceCount", partial(devices, scope)), ("aclrtGetSocName", chip),
        ("aclrtGetCurrentContext aclrtSetCurrentContext", context), ("aclrtMalloc aclrtFree", device_memory),
        ("aclrtGetMemInfo", memory_figures), ("aclrtMallocHost aclrtFreeHost aclrtMemcpyAsync", three_copies),
        ("aclrtCreateStreamWithConfig", configured_stream), ("aclrtStreamQuery", stream_status),
        *((f"{maker} aclrtRecordEvent aclrtStreamWaitEvent aclrtSynchronizeEvent aclrtQueryEventStatus",
           partial(events, maker)) for maker in ("aclrtCreateEventWithFlag", "aclrtCreateEventExWithFlag")),
        ("aclrtEventElapsedTime", elapsed),
        *((name, partial(timed_wait, name)) for name in (
            "aclrtSynchronizeStreamWithTimeout", "aclrtSynchronizeEventWithTimeout")),
        ("aclCreateTensor aclCreateTensorList", objects), ("aclCreateScalar aclCreateScalarList", scalars),
        *((f"aclCreate{kind}", partial(lists, kind, ctype)) for kind, ctype in (
            ("IntArray", ctypes.c_int64), ("FloatArray", ctypes.c_float), ("BoolArray", ctypes.c_bool))),
        ("aclrtDeviceCanAccessPeer aclrtDeviceEnablePeerAccess", peers),
        ("aclrtSetOpExecuteTimeOut", limit_of_operators),
        ("aclSetAclOpExecutorRepeatable aclSetTensorAddr", partial(repeated_executor, scope)),
        ("aclrtGetDeviceInfo", partial(cores, scope)),
        ("aclrtBinaryLoadFromData aclrtBinaryGetFunction aclrtLaunchKernelWithHostArgs", partial(kernel, scope)),
    ]
    return [(name, on_device(work)) for name, work in made]
