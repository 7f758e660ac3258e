"""What tests of work that fails late have in common: planning it, and being told."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from device_marks import OTHERS

import asnumpy as ap
from asnumpy import cann, cannsim

AICORE, AICPU, VECTOR = 507015, 507018, 507035


@contextlib.contextmanager
def nothing_planned() -> Iterator[None]:
    """Work is launched one by one, and no fault outlives the block."""
    with ap.config.using(fallback="count", eager_size=0):
        yield
        cannsim.clear_faults()
        settle()


def settle() -> None:
    """Lets what failed be told, whoever it concerns."""
    for _ in range(3):
        try:
            ap.synchronize()
            return
        except cann.CannError:
            pass
    raise AssertionError("the same failure is told again and again")


def there(x: Any) -> Any:
    return ap.from_numpy(np.asarray(x), device=OTHERS[0])


def fail(nth: int = 1, code: int = AICORE, operator: str = "*") -> None:
    ap.synchronize()
    cannsim.fail_task(nth, code, operator)


def expect_told(read: Callable[[], object], code: int = AICORE) -> cann.CannError:
    with pytest.raises(cann.CannError) as caught:
        read()
    assert caught.value.code == code and str(code) in str(caught.value)
    return caught.value
