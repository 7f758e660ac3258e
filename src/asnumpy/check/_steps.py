"""The steps of the check: what each is about, and where its cases are."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any


@dataclass(frozen=True)
class Scope:
    """What a check is about: a device, and whether its quick form is wanted."""

    device: str = "ascend:0"
    quick: bool = False
    seconds: float = 60.0   # after which a case hangs
    until: float = inf      # by time.monotonic(): the whole check ends then

    @property
    def number(self) -> int:
        """The device's number."""
        return int(self.device.partition(":")[2] or 0)


class Skip(Exception):
    """Raised by a case that says nothing about this machine, with the reason."""


# What a case is called and what it does: it raises what is wrong, or gives figures, whose names end with their unit.
Case = tuple[str, Callable[[], dict[str, Any] | None]]


@dataclass(frozen=True)
class Step:
    """Cases that run one after the other in a process of their own."""

    name: str
    text: str
    patience: float = 1.0   # times the limit after which a case that has not ended hangs
    needs_device: bool = True

    def cases(self, scope: Scope) -> list[Case]:
        """The step's cases: `cases(scope)` of the module that has its name."""
        found: list[Case] = importlib.import_module(f"asnumpy.check._{self.name}").cases(scope)
        return found


STEPS = (
    Step("loading", "CANN and its libraries load; versions, permissions, operators", needs_device=False),
    Step("functions", "each function of CANN's runtime that the backend calls", needs_device=False),
    Step("elementwise", "each elementwise operation with each dtype, small and large arrays, against NumPy"),
    Step("layouts", "views, broadcasting, overlaps, sizes from none to many"),
    Step("reductions", "reductions and scans along every axis"),
    Step("products", "matrix products of all shapes, with sums and factors"),
    Step("structured", "indexing, selection, order, joining, activations"),
    Step("memory", "the device's memory to its limit, and back"),
    Step("streams", "streams, events, copies that are not waited for, pinned memory"),
    Step("graphs", "programs that recur are captured and replayed"),
    Step("processes", "two processes, two devices, torch_npu before and after", patience=3.0),
    Step("figures", "launches, copies, memory and operators by the clock"),
    Step("paths", "operations that slow cores compute, here and on the host: each goes where it is faster"),
)
BY_NAME = {step.name: step for step in STEPS}
