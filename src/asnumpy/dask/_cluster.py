"""A worker process for each device of this machine."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Sequence
from typing import Any

import dask.config
from dask.utils import parse_bytes
from distributed import LocalCluster
from distributed.worker_memory import parse_memory_limit

import asnumpy as ap
from asnumpy.dask._spill import results
from asnumpy.runtime import cann_search

VISIBLE = "ASCEND_RT_VISIBLE_DEVICES"


def device_numbers(devices: Iterable[Any] | int | None) -> list[int]:
    """The numbers of NPUs: of all that there are, of the first so many, or of those named by number or name."""
    there = [device.id for device in ap.devices() if device.kind == "ascend"]
    if devices is None:
        wanted = there
    elif isinstance(devices, int):
        wanted = list(range(devices))
    else:
        wanted = [one if isinstance(one, int) else ap.Device(one).id for one in devices]
    if not wanted or not set(wanted) <= set(there):
        raise ValueError(f"expected NPUs among {there or 'none that this machine has'}, got {wanted}; "
                         "workers without an NPU are distributed.LocalCluster's")
    return wanted


def environment(number: int, workers: int) -> dict[str, str]:
    """The variables of a process that sees one device, as number 0, and has its share of the host's processors."""
    threads = os.environ.get("ASNUMPY_NUM_THREADS") or str(max(1, len(os.sched_getaffinity(0)) // workers))
    if cann_search.simulated():
        return {"CANNSIM_DEVICES": "1", "ASNUMPY_NUM_THREADS": threads}
    visible = [name.strip() for name in os.environ.get(VISIBLE, "").split(",") if name.strip()]
    return {VISIBLE: visible[number] if visible else str(number), "ASNUMPY_NUM_THREADS": threads}


def limit_of(value: Any) -> float:
    """Bytes ("8GB", 8e9), or a share of what the device has (0.8, "0.8")."""
    try:
        number = float(value)
    except ValueError:
        number = float(parse_bytes(value))
    if number <= 0:
        raise ValueError(f"device_memory_limit: expected bytes or a share of the device's memory, got {value!r}")
    return number


def worker_options(number: int, workers: int, memory_limit: Any, device_memory_limit: Any) -> dict[str, Any]:
    """Of distributed.Nanny, for the worker of a device."""
    limit = parse_memory_limit(memory_limit, 1, workers, logger=logging.getLogger("distributed.worker.memory"))
    target = dask.config.get("distributed.worker.memory.target") or 1.0
    kept = {"device_limit": limit_of(device_memory_limit), "host_limit": int(target * (limit or 1 << 62))}
    return {
        "env": environment(number, workers), "memory_limit": limit, "preload": ["asnumpy.dask"],
        "data": (results, kept),
    }


class LocalAscendCluster(LocalCluster):
    """A distributed cluster on this machine: a scheduler, and for each NPU a worker process that sees no other.

    Parameters: devices, whose workers there shall be, as numbers or names (None: all; an int: the first so many);
    memory_limit, the host's memory for each worker, as LocalCluster takes it ("auto": a share); device_memory_limit,
    the bytes of results ("8GB"), or the share of the device's memory (0.8), beyond which those that were not used for
    the longest time move to the host, and from there to disk; threads_per_worker, tasks that a worker runs at a time;
    all else is LocalCluster's. ValueError where there are no such devices.
    """

    def __init__(
        self, devices: Sequence[Any] | int | None = None, *, memory_limit: Any = "auto",
        device_memory_limit: Any = 0.8, threads_per_worker: int = 1, **kwargs: Any,
    ) -> None:
        numbers = device_numbers(devices)
        options = {
            number: worker_options(number, len(numbers), memory_limit, device_memory_limit) for number in numbers
        }
        every: dict[str, Any] = {"n_workers": 0, "threads_per_worker": threads_per_worker, "memory_limit": None}
        super().__init__(**every, **kwargs)  # type: ignore[no-untyped-call]
        ordinary: Any = self.new_spec
        self.new_spec = None  # a worker more would have no device
        for number in numbers:
            self.worker_spec[number] = {**ordinary, "options": {**ordinary["options"], **options[number]}}
        if not self.called_from_running_loop:
            self.sync(self._correct_state)  # type: ignore[no-untyped-call]
