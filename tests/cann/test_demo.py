"""The demonstration on a device: what it says was modelled, what it says was left to the host."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import cannsim
from asnumpy.demo import report, run, workloads
from asnumpy.demo.measure import close, settle
from asnumpy.runtime import cann_search


def product(xp: Any, a: Any) -> Any:
    return a @ a


def outcome(dtype: str) -> report.Outcome:
    a = np.linspace(0, 1, 64 * 64).reshape(64, 64).astype(dtype)
    workload = workloads.Workload("products", "a @ a", dtype, product, [a], close(1e-5))
    with ap.Device("ascend:0"), ap.config.using(fallback="count"):
        return run.measure(workload, quick=True, simulated=cann_search.search().simulated, pictures=[])


def test_work_left_to_the_host_is_marked() -> None:
    native, left = outcome("float32"), outcome("float64")
    assert native.agrees and left.agrees
    assert not native.left and left.left
    told = report.about_fallbacks(ap.fallbacks())
    assert "matmul (float64, float64)" in told and "\n" not in told


@pytest.mark.usefixtures("simulator")
def test_modelled_time_is_the_models_and_not_the_clocks() -> None:
    seconds = outcome("float32").modelled_seconds
    assert seconds is not None
    x = ap.ones((64, 64), dtype="float32", device="ascend:0")
    ap.synchronize()
    before = {task["name"]: task["modelled_seconds"] for task in cannsim.report()["tasks"]}
    again = run.modelled(lambda: settle(x @ x))
    tasks = {task["name"]: task["modelled_seconds"] for task in cannsim.report()["tasks"]}
    busy = sum(tasks.values()) - sum(before.values())
    # Besides the tasks the model has their calls, 2 microseconds each, whatever this host takes.
    assert 0 < busy <= again <= busy + 2e-5
    assert busy <= seconds <= busy + 2e-5
