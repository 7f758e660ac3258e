"""A real scheduler and two worker processes, each with a simulated NPU of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from device_marks import needs_built_simulator
from distributed.protocol import deserialize, serialize
from distributed.protocol.serialize import deserialize_bytes, serialize_bytelist

import asnumpy as ap
from asnumpy.dask import LocalAscendCluster
from asnumpy.dask._cluster import VISIBLE, environment, limit_of, worker_options
from asnumpy.dask._spill import Results


@pytest.fixture(scope="module")
def told() -> Any:
    environment = {**os.environ, "ASNUMPY_CANN": "sim", "CANNSIM_DEVICES": "2", "ASNUMPY_FALLBACK": "count"}
    environment.pop("ASNUMPY_DEVICE", None)
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("cluster_program.py"))], capture_output=True, text=True,
        env={**environment, "PYTHONPATH": os.pathsep.join(sys.path)}, timeout=250,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@needs_built_simulator
def test_each_worker_sees_one_device(told: Any) -> None:
    assert len(told["identity"]) == 2
    assert all(seen[:2] == ["ascend:0", 2] for seen in told["identity"].values())  # that, and the CPU


@needs_built_simulator
@pytest.mark.parametrize("work", ["moments", "out_of_core"])
def test_mean_and_deviation(told: Any, work: str) -> None:
    found = told[work]
    np.testing.assert_allclose(found["mean"], found["numpys mean"], rtol=1e-5)
    np.testing.assert_allclose(found["deviation"], found["numpys deviation"], rtol=1e-5)


@needs_built_simulator
@pytest.mark.parametrize("work", ["tall_and_skinny", "stencil", "k_means"])
def test_work_with_neighbours(told: Any, work: str) -> None:
    assert told[work]["kind"] == "asnumpy.ndarray on ascend:0"
    assert told[work]["error"] < 1e-5


@needs_built_simulator
def test_draws_are_the_same_wherever_they_are_made(told: Any) -> None:
    assert told["draws"]["kind"] == "asnumpy.ndarray on ascend:0"
    assert told["draws"]["same"]
    assert abs(told["draws"]["mean"] - 0.5) < 0.02


@needs_built_simulator
def test_results_beyond_the_devices_limit_lie_on_the_host(told: Any) -> None:
    on_device, on_host, held = told["spilled"]["layers"]
    assert on_device <= 2 and on_device + on_host == 6 and held <= 1_000_000
    assert told["spilled"]["sums"] == [100_000.0 * n for n in range(6)]


@needs_built_simulator
def test_an_array_moves_between_workers(told: Any) -> None:
    assert told["moved"] == ["ascend:0", 999 * 500.0]


@needs_built_simulator
def test_errors_metrics_and_a_dead_worker(told: Any) -> None:
    assert told["failed"] == "ValueError"
    assert len(told["columns"]) == 2
    for one in told["columns"]:
        assert one["asnumpy_device"] == "ascend:0"
        assert one["asnumpy_peak"] >= 4000 and one["asnumpy_in_use"] >= 0 and one["asnumpy_fallbacks"] >= 0
    assert told["killed"] == {"total": 1000.0 * 66, "died": True}


@needs_built_simulator
def test_the_command_serves_a_scheduler(told: Any) -> None:
    assert told["served"] == {"names": ["npu-1"], "total": 4950.0, "status": 0}


def test_three_layers(tmp_path: Path) -> None:
    """Device, host, disk: beyond its limit each gives what was not used for the longest time to the next."""
    held = Results(str(tmp_path), device_limit=250_000, host_limit=250_000)
    for n in range(6):
        held[n] = (ap.full(25_000, n, "float32"), {"n": n})
    layers = [len(held.device.fast), len(held.host.fast), len(held.disk)]
    assert layers == ([2, 2, 2] if ap.Device() != "cpu" else [0, 2, 4])
    assert sorted(held) == list(range(6)) and len(held) == 6
    for n in (0, 5, 3):
        array, rest = held[n]
        assert array.device == ap.Device() and rest == {"n": n}
        np.testing.assert_array_equal(ap.to_numpy(array), np.full(25_000, n, np.float32))
    before = len(held.disk)
    assert held.evict() >= 100_000 and len(held.disk) == before + 1
    held[3] = 7
    del held[0], held[5]
    assert sorted(held) == [1, 2, 3, 4] and held[3] == 7 and 0 not in held
    assert held.spilled_total.memory >= 100_000


@pytest.mark.parametrize("given", [0, -1, "0", "-3GB"])
def test_a_limit_is_some_memory(given: Any) -> None:
    with pytest.raises(ValueError, match="device_memory_limit"):
        limit_of(given)


def test_limits() -> None:
    assert [limit_of(one) for one in (0.8, "0.8", 8e9, "8GB", "1MiB")] == [0.8, 0.8, 8e9, 8e9, 2.0**20]


def test_a_cluster_needs_devices() -> None:
    with pytest.raises(ValueError, match=r"LocalCluster"):
        LocalAscendCluster(devices=[57])


@pytest.mark.parametrize(("before", "names"), [
    (None, ["0", "1", "2"]), ("", ["0", "1", "2"]), ("6,3,4", ["6", "3", "4"]), (" 5, 7,1,", ["5", "7", "1"]),
])
def test_each_worker_on_real_npus_has_one_by_its_name(
    before: str | None, names: list[str], monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The process's NPU number n is the n-th that the variable names, where it names some already."""
    monkeypatch.setattr("asnumpy.runtime.cann_search.simulated", lambda: False)
    monkeypatch.setenv("ASNUMPY_NUM_THREADS", "3")
    if before is None:
        monkeypatch.delenv(VISIBLE, raising=False)
    else:
        monkeypatch.setenv(VISIBLE, before)
    for number, name in enumerate(names):
        expected = {"ASCEND_RT_VISIBLE_DEVICES": name, "ASNUMPY_NUM_THREADS": "3"}
        assert environment(number, 3) == expected
        assert worker_options(number, 3, "1GB", 0.8)["env"] == expected
    assert os.environ.get(VISIBLE) == before  # this process's own


@pytest.mark.parametrize(("processors", "workers", "threads"), [(8, 2, "4"), (8, 3, "2"), (2, 8, "1")])
def test_workers_share_the_processors(
    processors: int, workers: int, threads: str, monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("ASNUMPY_NUM_THREADS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(processors)))
    for simulated in (False, True):
        monkeypatch.setattr("asnumpy.runtime.cann_search.simulated", lambda is_so=simulated: is_so)
        made = environment(0, workers)
        assert made["ASNUMPY_NUM_THREADS"] == threads
        assert (VISIBLE in made) is not simulated and ("CANNSIM_DEVICES" in made) is simulated


def test_serialised_arrays_share_memory_on_the_host() -> None:
    x = ap.asarray(np.random.default_rng(1).normal(size=(50, 4)), device="cpu")
    header, frames = serialize(x)
    assert any(np.shares_memory(np.asarray(x), np.frombuffer(frame, "u1")) for frame in frames[1:])
    back = deserialize(header, frames)
    assert isinstance(back, ap.ndarray)
    assert np.shares_memory(np.asarray(back), np.asarray(x))
    np.testing.assert_array_equal(np.asarray(back), np.asarray(x))


@pytest.mark.parametrize("dtype", ["float64", "int8", "bool", "complex64", ap.bfloat16])
@pytest.mark.parametrize("layout", ["C", "F", "steps", "broadcast", "empty", "number"])
def test_serialised_in_bytes(dtype: Any, layout: str) -> None:
    whole = ap.arange(24).reshape(4, 6).astype(dtype)
    x = {"C": whole, "F": whole.T, "steps": whole[::2, 1:5], "broadcast": ap.broadcast_to(whole[0], (3, 6)),
         "empty": whole[:0], "number": whole[1, 2]}[layout]
    back = deserialize_bytes(b"".join(serialize_bytelist({"of": [x]})))["of"][0]
    assert type(back) is type(x) and back.dtype == x.dtype and back.device == x.device
    np.testing.assert_array_equal(ap.to_numpy(back), ap.to_numpy(x))
