"""Devices as CANN has them: starting and ending, the thread's device, properties, and the stream that arrays use."""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import operator
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from asnumpy import _core, config
from asnumpy.cann import _calls, _facts
from asnumpy.cann._calls import Pointer, call, check, find
from asnumpy.runtime import cann_search
from asnumpy.runtime.cann_error import CannError

_local = threading.local()
_set: list[int] = []                       # the devices that were set, once per thread and device
_at_end: list[Callable[[], None]] = []
_in_child: list[Callable[[], None]] = []
_lock = threading.RLock()
_started = False
_life = 0  # how often it was started: contexts of an earlier life are gone


def at_end(action: Callable[[], None]) -> Callable[[], None]:
    """Registers what gives back memory, streams and events before CANN ends."""
    _at_end.append(action)
    return action


def in_child(action: Callable[[], None]) -> Callable[[], None]:
    """Registers what makes a child of fork forget memory, streams and events, which are the parent's."""
    _in_child.append(action)
    return action


def _forget() -> None:
    global _started, _lock
    _started, _lock = False, threading.RLock()  # a thread that is not here may have held it
    _set.clear()
    for action in _in_child:
        action()


os.register_at_fork(after_in_child=_forget)


def init() -> None:
    """Loads and starts CANN. Every function that needs it does this by itself; here an error shows at once."""
    global _started, _life
    if _started:
        return
    with _lock:
        if not _started:
            _calls.find("aclInit")
            _started, _life = True, _life + 1
            if _life == 1:
                atexit.register(_finalize_at_exit)


def finalize() -> None:
    """Waits for what was enqueued, gives back what `asnumpy.cann` took, and lets go of its devices.

    Plans and memory that were made before must not be used again. CANN itself ends with the process, because arrays use
    it too. Done at exit if not before.
    """
    global _started
    with _lock:
        if not _started:
            return
        steps: list[Callable[[], None]] = list(reversed(_at_end))
        steps += [partial(call, "aclrtResetDevice", device) for device in _set]
        failures = []
        for step in steps:  # what was built on the rest goes first
            try:
                step()
            except CannError as error:  # of a device that is lost, say; the others go on
                failures.append(error)
        _set.clear()
        _started = False
        if failures:
            raise failures[0]


def _finalize_at_exit() -> None:
    with contextlib.suppress(CannError):  # nobody is left who could do something about it
        finalize()


def device_count() -> int:
    """How many devices CANN sees; 0 without CANN."""
    return cann_search.search().devices


def checked(device: Any, function: str) -> int:
    """A device's number; ValueError where there is none of it."""
    try:
        number = operator.index(device)
    except TypeError:
        text = str(device)
        number = int(text.partition(":")[2] or 0) if text.partition(":")[0] == "ascend" else -1
    init()
    count = device_count()
    if not count:
        raise CannError(f"{function}: {cann_search.search().failure}")
    if not 0 <= number < count:
        raise ValueError(f"{function}: expected a device from ascend:0 to ascend:{count - 1}, got {device!r}")
    return number


def use(device: int) -> None:
    """Makes the device's context that of this thread, as CANN's calls need it."""
    if not _started or getattr(_local, "life", 0) != _life:
        init()
        _local.life, _local.contexts = _life, {}
    contexts: dict[int, Any] = _local.contexts
    if device not in contexts:
        call("aclrtSetDevice", device)
        with _lock:
            _set.append(device)
        context = Pointer()
        call("aclrtGetCurrentContext", ctypes.byref(context))
        contexts[device] = context
    call("aclrtSetCurrentContext", contexts[device])  # other libraries may have set theirs meanwhile


@contextlib.contextmanager
def beside(device: int) -> Iterator[None]:
    """The block works on the device, within a call that goes on where this thread was: streams are of one context."""
    before = Pointer()
    if _calls.function("aclrtGetCurrentContext")(ctypes.byref(before)):
        before = Pointer()
    use(device)
    try:
        yield
    finally:
        if before:
            call("aclrtSetCurrentContext", before)


def set_device(device: Any) -> None:
    """Sets the device of this thread for `cann.empty`, `cann.from_numpy` and operators without tensors.

    Parameters: device, its number or "ascend:1". ValueError where there is none of it.
    """
    number = checked(device, "cann.set_device")
    use(number)
    _local.device = number


def current_device() -> int:
    """The number of this thread's device: what `set_device` chose, else 0."""
    return int(getattr(_local, "device", 0))


def synchronize(device: Any = None) -> None:
    """Waits for all that was enqueued on a device (None: this thread's), for `asnumpy.config.timeout` seconds at most.

    CannError for what failed there, or when the time is over.
    """
    number = current_device() if device is None else checked(device, "cann.synchronize")
    use(number)
    _core.cann_pause_graphs(number)  # a wait for the whole device and another thread's capture break each other
    try:
        with telling_arrays(number):
            _wait(number)
        _core.cann_awaited(number)
    finally:
        _core.cann_resume_graphs(number)


@contextlib.contextmanager
def telling_arrays(device: int) -> Iterator[None]:
    """Around a wait: CANN tells each failure once, and arrays may be concerned, too."""
    try:
        yield
    except CannError as error:
        _core.cann_failed(device, str(error), error.function, error.code, error.message)
        raise


def _wait(number: int) -> None:
    limited, most = "aclrtSynchronizeDeviceWithTimeout", _core.cann_wait_milliseconds()
    if most and find(limited):
        about = f"ascend:{number}, waited for up to {config.timeout:g} s (asnumpy.config.timeout)"
        check(_calls.function(limited)(ctypes.c_int32(most)), limited, about)
    else:
        call("aclrtSynchronizeDevice")


def default_stream(device: int) -> int:
    """The stream on which this thread's arrays of a device are computed: operators on it are in order with them."""
    return _core.cann_stream(device)


PROPERTIES = {
    "cube_cores": "ACL_DEV_ATTR_CUBE_CORE_NUM", "vector_cores": "ACL_DEV_ATTR_VECTOR_CORE_NUM",
    "aicpu_cores": "ACL_DEV_ATTR_AICPU_CORE_NUM", "l2_bytes": "ACL_DEV_ATTR_L2_CACHE_SIZE",
}
OLDER = {
    "cube_cores": "ACL_DEVICE_INFO_AI_CORE_NUM", "vector_cores": "ACL_DEVICE_INFO_VECTOR_CORE_NUM",
    "l2_bytes": "ACL_DEVICE_INFO_L2_SIZE",
}


def _property(device: int, name: str) -> int | None:
    """A property by the newer or the older function; None where this CANN tells neither."""
    value = ctypes.c_int64()
    asked = (("aclrtGetDeviceInfo", "aclrtDevAttr", PROPERTIES), ("aclGetDeviceCapability", "aclDeviceInfo", OLDER))
    for function, enum, names in asked:
        ask = find(function)
        number = _facts.enum(enum).get(names.get(name, ""))
        if ask and number is not None and ask(ctypes.c_uint32(device), number, ctypes.byref(value)) == 0:
            return value.value
    return None


def memory_of(device: int) -> tuple[int, int]:
    """Free and total bytes of a device's memory."""
    use(device)
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    call("aclrtGetMemInfo", _facts.enum("aclrtMemAttr")["ACL_HBM_MEM"], ctypes.byref(free), ctypes.byref(total))
    return free.value, total.value


def device_properties(device: Any = 0) -> dict[str, Any]:
    """What is known of a device.

    Returns a dict: `device` ("ascend:0"), `chip`, `simulated`, `memory_total` and `memory_free` in bytes, `cube_cores`,
    `vector_cores`, `aicpu_cores`, `l2_bytes` (None: this CANN does not tell), and `cann`, its version. ValueError where
    there is no such device, RuntimeError without CANN.
    """
    number = checked(device, "cann.device_properties")
    found = cann_search.search()
    free, total = memory_of(number)
    return {
        "device": f"ascend:{number}", "chip": found.chip, "simulated": found.simulated, "memory_total": total,
        "memory_free": free, **{name: _property(number, name) for name in PROPERTIES}, "cann": found.version,
    }
