"""Which lines made the arrays that live, and what outlives a block."""

from __future__ import annotations

import gc
import re
import threading
from typing import Any

import numpy as np
import pytest
from device_marks import each_device

import asnumpy as ap
from asnumpy import _core

HERE = __file__


def line_of(text: str) -> int:
    """The number of the first line of this file that holds a text."""
    with open(HERE, encoding="utf-8") as file:
        return next(number for number, line in enumerate(file, 1) if text in line)


@each_device
def test_the_largest_holders_are_named(device: str) -> None:
    with ap.Device(device), ap.config.using(track_arrays=True):
        large = ap.ones((300, 1000)) * 2.0  # the large one
        small = [ap.zeros(1000) + k for k in range(4)]  # the small ones
        view = large[10:]
        gone = ap.ones(500_000) + 1
        ap.eval(large, *small, gone)
        del gone
        found = ap.memory_info(device, holders=2)["holders"]
        assert [(one["line"], one["bytes"], one["arrays"], one["shape"], one["dtype"]) for one in found] == [
            (f"{HERE}:{line_of('# the large one')}", 2_400_000, 1, (300, 1000), "float64"),
            (f"{HERE}:{line_of('# the small ones')}", 32_000, 4, (1000,), "float64"),
        ]
        assert len(ap.memory_info(device, holders=1)["holders"]) == 1
        del large
        again = ap.memory_info(device, holders=1)["holders"][0]
        assert again["bytes"] == 2_400_000, "the view holds it"
        assert again["line"] == f"{HERE}:{line_of('# the large one')}"
        del view
        assert ap.memory_info(device, holders=1)["holders"][0]["bytes"] == 32_000
        del small


def test_what_has_no_memory_of_its_own_holds_none() -> None:
    plain = np.ones(100_000)
    with ap.Device("cpu"), ap.config.using(track_arrays=True, eager=False, eager_size=0):
        shared = ap.from_dlpack(plain)
        waiting = ap.ones(100_000) * 3
        assert waiting._pending
        lines = {one["line"] for one in ap.memory_info("cpu", holders=10)["holders"]}
        assert f"{HERE}:{line_of('waiting = ap.ones')}" not in lines, "it waits"
        assert f"{HERE}:{line_of('shared = ap.from_dlpack')}" not in lines, "NumPy holds it"
        ap.eval(waiting)
        lines = {one["line"] for one in ap.memory_info("cpu", holders=10)["holders"]}
        assert f"{HERE}:{line_of('waiting = ap.ones')}" in lines
        del shared


def test_it_is_off_by_itself() -> None:
    if ap.config.track_arrays:
        pytest.skip("ASNUMPY_TRACK_ARRAYS is set")
    kept = ap.ones(1000) + 1
    ap.eval(kept)
    with pytest.raises(ValueError, match="track_arrays to be on, got False"):
        ap.memory_info(holders=3)
    assert "holders" not in ap.memory_info()
    with ap.config.using(track_arrays=True):
        assert ap.memory_info(holders=3)["holders"] == [], "what was made before is not known"
        made = ap.ones(1000) + 1
        ap.eval(made)
        with ap.config.using(track_arrays=True):
            pass
        assert len(ap.memory_info(holders=3)["holders"]) == 1, "a block within ends nothing"
    assert _core.living.arrays() == []
    with pytest.raises(TypeError):
        ap.memory_info(None, 3)  # type: ignore[call-overload]


def test_what_stays_is_named_with_its_line() -> None:
    kept: list[Any] = []

    def work() -> None:
        kept.append(ap.ones(2000) * 2)  # this one stays
        kept.append(ap.ones((3, 4), dtype="float32"))  # a small one stays
        ap.eval(ap.ones(10_000) - 1, *kept)

    with pytest.raises(AssertionError) as caught:
        with ap.testing.assert_no_leaks():
            work()
    lines = str(caught.value).splitlines()
    assert len(lines) == 3
    assert lines[1] == f"  {HERE}:{line_of('# this one stays')}: 1 array, 16,000 bytes; the largest is float64 (2000,)"
    assert re.fullmatch(rf"  {re.escape(HERE)}:\d+: 1 array, [\d,]+ bytes; the largest is float32 \(3, 4\)", lines[2])


def test_what_goes_is_none() -> None:
    before = ap.ones(1000) + 1

    def work() -> float:
        x = (before * 2)[::3].reshape(-1, 2).T @ ap.ones((167, 3))
        cycle: list[Any] = [x]
        cycle.append(cycle)
        return float(x.sum())

    with ap.testing.assert_no_leaks():
        assert work() == 4.0 * 167 * 6
        twice = ap.jit(lambda x: x * 2 + before)
        for _ in range(3):
            twice(before)
        del twice
        gc.collect()
    with ap.testing.assert_no_leaks(), ap.testing.assert_no_leaks():
        x = ap.arange(100) + 1
        x[3:5] = 7
        del x


def test_views_and_pending_arrays_stay_too() -> None:
    x = ap.ones(1000)
    with pytest.raises(AssertionError, match=r"1 array, 8,000 bytes"):
        with ap.testing.assert_no_leaks():
            view = x[3:]
    with pytest.raises(AssertionError, match=r"1 array, 800,000 bytes"):
        with ap.testing.assert_no_leaks(), ap.config.using(eager=False, eager_size=0):
            waiting = ap.ones(100_000) + 1
    del view, waiting


def test_an_error_of_the_block_is_what_is_raised() -> None:
    kept = []
    with pytest.raises(KeyError):
        with ap.testing.assert_no_leaks():
            kept.append(ap.ones(100))
            raise KeyError
    assert not ap.config.track_arrays


def test_derived_classes_and_threads() -> None:
    class Own(ap.ndarray):
        pass

    kept: list[Any] = []
    with pytest.raises(AssertionError, match="2 array"):
        with ap.testing.assert_no_leaks():
            thread = threading.Thread(target=lambda: kept.extend((ap.ones(5) + k).view(Own) for k in range(2)))
            thread.start()
            thread.join()
            del thread
    with ap.config.using(track_arrays=True):
        stop = threading.Event()

        def churn() -> None:
            while not stop.is_set():
                for k in range(50):
                    ap.ones(10 + k)[1:] + 1

        threads = [threading.Thread(target=churn) for _ in range(2)]
        for one in threads:
            one.start()
        try:
            for _ in range(100):
                for entry in _core.living.arrays():
                    assert entry[0] > 0 and len(entry) == 10
        finally:
            stop.set()
            for one in threads:
                one.join()
    assert _core.living.arrays() == []
