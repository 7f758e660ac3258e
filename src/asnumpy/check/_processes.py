"""Processes and devices beside each other, and torch_npu in the same process."""

from __future__ import annotations

import importlib.util
import os
import subprocess
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import asnumpy as ap
from asnumpy import cannsim
from asnumpy.cannsim._command import UNQUEUED
from asnumpy.check._agreement import compare, values
from asnumpy.check._steps import Case, Scope, Skip
from asnumpy.runtime import cann_search
from asnumpy.runtime.apart import told_apart


def peer(
    device: str, seed: int, order: str, seconds: float, environment: Mapping[str, str] | None = None
) -> int:
    """What a process did in its time; AssertionError where it ended otherwise."""
    try:
        told, ended = told_apart(
            "asnumpy.check._peer", device, str(seed), order, seconds=seconds, environment=environment
        )
    except subprocess.TimeoutExpired:
        raise AssertionError(f"a process on {device} has not ended after {seconds:g} s") from None
    if ended:
        raise AssertionError(f"a process on {device} {ended}")
    return int(told["rounds"])


def at_once(devices: list[str], seconds: float) -> dict[str, Any]:
    with ThreadPoolExecutor(len(devices)) as pool:
        rounds = list(pool.map(lambda one: peer(one[1], 100 * one[0], "alone", seconds), enumerate(devices)))
    return {f"rounds_of_process_{number}": done for number, done in enumerate(rounds)}


def two_devices(scope: Scope) -> tuple[str, str]:
    others = [str(device) for device in ap.devices() if device not in ("cpu", scope.device)]
    if not others:
        raise Skip("there is one device")
    return scope.device, others[0]


def across(scope: Scope) -> None:
    """Copies between two devices, and work of both at once."""
    first, second = two_devices(scope)
    plain = values("float32", 300_000)
    x = ap.from_numpy(plain, device=first)
    for _ in range(5):
        y = (x + 1).to_device(second)
        x = (y * 2).to_device(first)
        plain = (plain + 1) * 2
    compare(x, plain)
    try:
        ap.eval(x + x.to_device(second))
    except ValueError:
        return
    raise AssertionError("arrays of two devices in one call gave no ValueError")


def both(scope: Scope) -> dict[str, Any]:
    return at_once(list(two_devices(scope)), 2 * scope.seconds)


def beside_torch(scope: Scope, order: str) -> None:
    if importlib.util.find_spec("torch_npu") is None:
        raise Skip("torch_npu is not installed")
    found = cannsim.environment() if cann_search.search().simulated else {}  # libraries that torch_npu looks for itself
    peer(scope.device, 7, order, 2 * scope.seconds, {**UNQUEUED, **os.environ, **found})


def cases(scope: Scope) -> list[Case]:
    return [
        ("two processes", partial(at_once, [scope.device] * 2, 2 * scope.seconds)),
        ("two devices", partial(across, scope)), ("two processes on two devices", partial(both, scope)),
        *((f"torch_npu imported {order}", partial(beside_torch, scope, order)) for order in ("before", "after")),
    ]
