"""Which functions of CANN's the simulator saw while some work was done."""

from __future__ import annotations

import collections
from collections.abc import Callable
from typing import Any

from asnumpy import cannsim


def calls_of(work: Callable[[], Any]) -> list[dict[str, Any]]:
    cannsim.clear()
    cannsim.configure(log=True)
    try:
        work()
        return cannsim.log()
    finally:
        cannsim.configure(log=False)


def names_of(work: Callable[[], Any]) -> collections.Counter[str]:
    return collections.Counter(call["function"] for call in calls_of(work))
