"""What fused work allocates: the pool's figures show which arrays never took memory."""

from __future__ import annotations

import numpy as np
import pytest

import asnumpy as ap

pytestmark = pytest.mark.usefixtures("deferred")

MEGABYTE = 1 << 20
BIG = 1 << 20  # elements: 8 MB of float64


def peak_of(work: object) -> int:
    """Bytes that the pool handed out beyond what was in use before."""
    ap.synchronize()
    ap.reset_peak()
    before = ap.memory_info()["in_use"]
    work()  # type: ignore[operator]
    return ap.memory_info()["peak"] - before


@pytest.mark.host_memory
def test_intermediates_take_no_memory() -> None:
    x = ap.ones(BIG)
    ap.eval(x)
    kept = []

    def chain() -> None:
        y = x
        for _ in range(20):
            y = (y + x) * 0.5
        ap.eval(y)
        kept.append(y)

    assert peak_of(chain) <= 8 * MEGABYTE + MEGABYTE
    np.testing.assert_array_equal(np.asarray(kept[0][:5]), np.ones(5), strict=True)


@pytest.mark.host_memory
def test_fused_reduction_takes_no_array() -> None:
    x = ap.ones(BIG)
    ap.eval(x)
    assert peak_of(lambda: float(((x + 1) * x).sum())) <= MEGABYTE


@pytest.mark.host_memory
def test_in_place_update_takes_no_array() -> None:
    x = ap.ones(BIG)
    ap.eval(x)

    def update() -> None:
        nonlocal x
        x += 1
        x *= x
        ap.eval(x)

    assert peak_of(update) <= MEGABYTE


def test_recording_takes_no_memory() -> None:
    x = ap.ones(BIG)
    ap.eval(x)

    def record() -> None:
        y = x + 1
        z = y * 2
        assert z._pending
        del y, z
        ap.synchronize()

    assert peak_of(record) <= MEGABYTE
