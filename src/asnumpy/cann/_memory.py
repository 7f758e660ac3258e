"""Device memory of one's own: how it is allocated, filled from the host and read back."""

from __future__ import annotations

import contextlib
import ctypes
import weakref
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy.cann import _devices, _facts
from asnumpy.cann._calls import OUT_OF_MEMORY, Pointer, call, told
from asnumpy.cann._tensor import Tensor, contiguous, tensor
from asnumpy.runtime.cann_error import CannError

TO_DEVICE, TO_HOST = "ACL_MEMCPY_HOST_TO_DEVICE", "ACL_MEMCPY_DEVICE_TO_HOST"
PREFIX = "ACL_MEM_MALLOC_"


def policies() -> tuple[str, ...]:
    """The names of CANN's allocation policies: "huge_first", "normal_only"..."""
    return tuple(
        name.removeprefix(PREFIX).lower() for name in _facts.enum("aclrtMemMallocPolicy") if name.startswith(PREFIX)
    )


def policy_number(policy: str, function: str) -> int:
    """The policy's value; ValueError for one that CANN does not have."""
    number = _facts.enum("aclrtMemMallocPolicy").get(f"{PREFIX}{str(policy).upper()}")
    if number is None:
        raise ValueError(f"{function}: policy: expected one of {', '.join(policies())}, got {policy!r}")
    return number


_living: weakref.WeakSet[Memory] = weakref.WeakSet()


class Memory:
    """Memory of a device, allocated by one of CANN's policies and given back with the object.

    `pooled`: it comes from a pool of that policy and goes back there without a wait, because who gets it next uses it
    after all that was enqueued through asnumpy; otherwise CANN allocates it, and its end waits for the device.
    """

    def __init__(
        self, nbytes: int, policy: str = "huge_first", device: int | None = None, *, pooled: bool = True
    ) -> None:
        self.nbytes, self.policy, self.pooled = nbytes, policy, pooled
        self.device = _devices.current_device() if device is None else device
        self.address = self._stream = 0
        self._number = policy_number(policy, "cann.Memory")
        _devices.use(self.device)
        self.address = self._from_pool() if pooled else self._from_cann()
        _living.add(self)

    def _from_pool(self) -> int:
        try:
            address, self._stream = _core.cann_allocate(self.device, self._number, max(self.nbytes, 1))
        except MemoryError as error:
            text = told(OUT_OF_MEMORY, "aclrtMalloc", f"{self.nbytes} bytes", str(error))
            raise CannError(text, "aclrtMalloc", OUT_OF_MEMORY, str(error)) from None
        return address

    def _from_cann(self) -> int:
        address = Pointer()
        call("aclrtMalloc", ctypes.byref(address), ctypes.c_size_t(max(self.nbytes, 1)), self._number)
        low = address.value or 0
        _core.cann_heal(self.device, (low, low + self.nbytes, True))  # another owner's work may have failed there
        return low

    def release(self) -> None:
        """Gives the memory back; what is not pooled after a wait for the device."""
        if not self.address:
            return
        if not self.pooled:
            _devices.synchronize(self.device)
        address, self.address = self.address, 0
        if self.pooled:
            _core.cann_deallocate(self.device, self._number, address, max(self.nbytes, 1), self._stream)
        else:
            call("aclrtFree", Pointer(address))

    def __del__(self) -> None:
        for _ in range(2):  # the wait tells of other work's failure once
            if getattr(self, "address", 0):
                # A lost device has lost its memory, too; and objects die in the middle of other devices' calls.
                with contextlib.suppress(CannError), _devices.beside(self.device):
                    self.release()

    def __repr__(self) -> str:
        return f"cann.Memory({self.nbytes}, policy={self.policy!r}, device={self.device}) at {self.address:#x}"


@_devices.in_child
def _forget() -> None:
    for memory in list(_living):
        memory.address = 0


@_devices.at_end
def _release_all() -> None:
    failures = []
    for memory in list(_living):
        try:
            memory.release()
        except CannError as error:  # of a device that is lost, say; the others go on
            failures.append(error)
    _core.cann_free_blocks()
    if failures:
        raise failures[0]


def empty(shape: Any, dtype: Any = "float32", *, policy: str = "huge_first", device: Any = None) -> Tensor:
    """A tensor over device memory of its own, C-contiguous, with any values.

    Parameters: shape; dtype; policy, how CANN allocates: one of `cann.policies()`; device, a number or "ascend:1"
    (None: this thread's). RuntimeError when CANN cannot, with its message.
    """
    policy_number(policy, "cann.empty")
    number = _devices.current_device() if device is None else _devices.checked(device, "cann.empty")
    lengths = (shape,) if not isinstance(shape, list | tuple) else tuple(shape)
    model = tensor(0x40, lengths, dtype)  # says what is wrong with them before memory is taken
    memory = Memory(model.nbytes, policy, number)
    return tensor(memory.address, lengths, dtype, device=number, owner=memory)


def from_numpy(array: Any, *, policy: str = "huge_first", device: Any = None) -> Tensor:
    """A tensor with the values of a NumPy array, in device memory of its own; parameters as those of `cann.empty`."""
    values = np.asarray(array, order="C")
    made = empty(values.shape, values.dtype, policy=policy, device=device)
    write(made, values)
    return made


def write(to: Tensor, values: Any) -> None:
    """Copies values of the host, cast and broadcast, into a C-contiguous tensor, after all that was enqueued."""
    if to.strides != contiguous(to.shape):
        raise ValueError(f"cann.write: expected a C-contiguous tensor, got strides {to.strides}")
    data = np.ascontiguousarray(np.broadcast_to(np.asarray(values, to.dtype), to.shape))
    _devices.synchronize(to.device)
    if data.nbytes:
        start = to.address + to.offset * to.dtype.itemsize
        _copy(start, data.ctypes.data, data.nbytes, TO_DEVICE)
        _core.cann_heal(to.device, (start, start + data.nbytes, True))


def to_numpy(of: Tensor) -> np.ndarray:
    """The values of a tensor as a new NumPy array, after all that was enqueued."""
    item = of.dtype.itemsize
    if 0 in of.shape:
        return np.empty(of.shape, of.dtype)
    reach = sum((length - 1) * step for length, step in zip(of.shape, of.strides, strict=True)) + 1
    data = np.empty(reach, of.dtype)
    _devices.synchronize(of.device)
    start = of.address + of.offset * item
    _core.cann_expect_whole(of.device, (start, start + reach * item, False))
    _copy(data.ctypes.data, start, reach * item, TO_HOST)
    return np.lib.stride_tricks.as_strided(data, of.shape, [step * item for step in of.strides]).copy()


def _copy(to: int, source: int, nbytes: int, kind: str) -> None:
    size = ctypes.c_size_t(nbytes)
    call("aclrtMemcpy", Pointer(to), size, Pointer(source), size, _facts.enum("aclrtMemcpyKind")[kind])


