"""A worker's results: on the device, beyond a limit in the host's memory, and beyond another one on disk."""

from __future__ import annotations

import os
from collections.abc import Iterator, MutableMapping
from typing import Any

from dask.sizeof import sizeof
from distributed.spill import SpillBuffer
from zict import Buffer, Func

import asnumpy as ap
from asnumpy.dask._arrays import device_bytes, replaced


class OnHost:
    """The elements of an array that lay on a device, in pinned memory, and where they lay."""

    __slots__ = ("device", "elements")

    def __init__(self, array: ap.ndarray) -> None:
        self.device = array.device
        self.elements = ap.to_numpy(array, out=ap.empty_like_pinned(array, device=array.device))

    def array(self) -> ap.ndarray:
        """The array, on its device again."""
        return ap.from_numpy(self.elements, device=self.device)

    def __sizeof__(self) -> int:
        return int(self.elements.nbytes)


sizeof.register(OnHost, OnHost.__sizeof__)


def to_host(value: Any) -> Any:
    """The value, with what lies on a device moved to the host."""
    return replaced(value, lambda one: OnHost(one) if device_bytes(one) else one)


def to_device(value: Any) -> Any:
    """Back again."""
    return replaced(value, lambda one: one.array() if isinstance(one, OnHost) else one)


class Results(MutableMapping[Any, Any]):
    """A worker's `data`, in three layers, of which the lower two are distributed's own.

    Parameters: worker_local_directory, under which files go; device_limit and host_limit, the bytes of results on the
    device and in the host's memory from which on the least recently used move down.
    """

    def __init__(self, worker_local_directory: str, device_limit: int, host_limit: int) -> None:
        self.host = SpillBuffer(os.path.join(worker_local_directory, "storage"), target=host_limit)
        lower: Func[Any, Any, Any] = Func(to_host, to_device, self.host)
        self.device: Buffer[Any, Any] = Buffer({}, lower, n=device_limit, weight=lambda key, value: device_bytes(value))

    def __setitem__(self, key: Any, value: Any) -> None:
        if device_bytes(value):
            self.device[key] = value
            return
        self.device.fast.pop(key, None)
        self.host[key] = value

    def __getitem__(self, key: Any) -> Any:
        if key in self.device.fast:
            return self.device[key]
        value = to_device(self.host[key])
        if 0 < device_bytes(value) <= self.device.n:  # used again: it stays on the device
            self.device[key] = value
        return value

    def __delitem__(self, key: Any) -> None:
        del self.device[key]

    def __contains__(self, key: object) -> bool:
        return key in self.device

    def __iter__(self) -> Iterator[Any]:
        return iter(self.device)

    def __len__(self) -> int:
        return len(self.device)

    # --- what distributed asks of a worker's data when the process's memory grows, and for its figures ---

    @property
    def fast(self) -> Any:
        return self.host.fast

    def evict(self) -> int:
        """Moves the least recently used result from the host's memory to disk; its bytes, or -1 where that failed."""
        return self.host.evict()

    @property
    def memory(self) -> Any:
        return {**self.device.fast, **self.host.memory}

    @property
    def disk(self) -> Any:
        return self.host.disk

    @property
    def spilled_total(self) -> Any:
        return self.host.spilled_total


def results(worker_local_directory: str, device_limit: float, host_limit: int) -> Results:
    """`Results` for the worker in this process; a device limit of at most 1 is a share of the device's memory."""
    whole = device_limit if device_limit > 1 else device_limit * ap.memory_info()["total"]
    return Results(worker_local_directory, int(whole), host_limit)
