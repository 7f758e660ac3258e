"""Devices: what they are called, and where new arrays are made."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from asnumpy import _core
from asnumpy._public import public


class Device:
    """A device on which arrays lie and are computed: `Device("cpu")`, `Device("ascend:0")`.

    It equals its name. As a context manager it is where this thread makes new arrays; results of operations lie where
    their arguments lie, whatever the context.
    """

    __slots__ = ("_entered", "_name")

    def __init__(self, name: Any = None) -> None:
        """Parameters: name, a str such as "ascend:1", another Device, or None for where new arrays are made."""
        self._name = _core.default_device() if name is None else _core.device_name(name)
        self._entered = threading.local()

    @property
    def kind(self) -> str:
        """`"cpu"` or `"ascend"`."""
        return self._name.partition(":")[0]

    @property
    def id(self) -> int:
        """The number among the devices of its kind."""
        return int(self._name.partition(":")[2] or 0)

    def __enter__(self) -> Device:
        before = vars(self._entered).setdefault("before", [])
        before.append(_core.exchange_thread_device(self._name))
        return self

    def __exit__(self, *error: object) -> None:
        _core.exchange_thread_device(self._entered.before.pop())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Device):
            return self._name == other._name
        if not isinstance(other, str):
            return NotImplemented
        try:
            return self._name == _core.device_name(other)
        except ValueError:
            return False

    def __hash__(self) -> int:
        return hash(self._name)

    def __str__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"Device('{self._name}')"

    def __reduce__(self) -> Any:
        return Device, (self._name,)


Device.__module__ = "asnumpy"

_known: dict[str, Device] = {}


def device_of(array: Any) -> Device:
    """The device of an array, one object for each device."""
    name = array._device_name
    found = _known.get(name)
    if found is None:
        found = _known[name] = Device(name)
    return found


@public
def devices() -> list[Device]:
    """The devices that can be used here: the CPU, then the NPUs that CANN (or its simulator) has.

    Returns a list of asnumpy.Device.
    """
    return [Device(name) for name in _core.devices()]


def over_host_memory(plain: np.ndarray, function: str, owner: Any = None) -> Any:
    """An array of ours over the memory of NumPy's, which a file or another object shares.

    Where new arrays are a device's, which cannot share it, it stays NumPy's: its elements go to the device when they
    meet arrays there. Unless the memory is that of an array of ours (`owner`): whoever gives one of the CPU's has
    chosen where the new one lies.
    """
    ours = isinstance(owner, _core.Array) or _core.default_device() == "cpu"
    return _core.wrap_numpy(plain, function) if ours else plain


class DeviceMemory:
    """The memory of an array on a device, which the host cannot read: its address, for kernels of other libraries."""

    __slots__ = ("_array",)

    def __init__(self, array: Any) -> None:
        self._array = array

    @property
    def ptr(self) -> int:
        """The address of the first element on the device. What is recorded is run."""
        return int(self._array._given_address)

    @property
    def device(self) -> Device:
        """Where the address means something."""
        return device_of(self._array)

    @property
    def nbytes(self) -> int:
        """The bytes of the array's elements."""
        return int(self._array.nbytes)

    def __repr__(self) -> str:
        return f"<memory of {self.nbytes} bytes on {self.device}>"


DeviceMemory.__module__ = "asnumpy"


def memory_of(array: Any) -> Any:
    """A memoryview where the host may read the memory, else its address."""
    return memoryview(array) if array._host_visible else DeviceMemory(array)
