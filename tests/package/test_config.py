"""The settings: each checked, each with an environment variable, each restored after a `with` block."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from agreement import calls_of_numpys

import asnumpy as ap
from asnumpy import _core, config


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    before = {name: value for name, value in config.settings().items() if value is not None}
    with config.using(**before):
        yield


GOOD: dict[str, list[tuple[Any, Any]]] = {
    "contract": [(True, True), (False, False), ("yes", True), (0, False)],
    "deterministic": [(True, True), (False, False), ("on", True)],
    "matmul_precision": [("hf32", "hf32"), ("float16", "float16"), ("float32", "float32")],
    "timeout": [(1.5, 1.5), ("2", 2.0), (0, 0.0)],
    "eager": [(True, True), (False, False), ("on", True), ("0", False), (1, True)],
    "eager_size": [(0, 0), (10**6, 10**6), ("17", 17)],
    "float": [("float32", "float32"), ("float64", "float64")],
    "graph_replay": [(True, True), (False, False), ("off", False), (1, True)],
    "num_threads": [(1, 1), ("1", 1), (_core.max_threads(), _core.max_threads())],
    "memory_limit": [(10**12, 10**12), ("2 TB", 2 * 10**12), ("1.5TiB", 3 << 39), ("900GB", 900 * 10**9), (0, 0)],
    "memory_policy": [("normal_only", "normal_only"), ("huge_only_p2p", "huge_only_p2p"), ("huge_first", "huge_first")],
    "jit": [(True, True), (False, False), ("off", False), (1, True)],
    "kernels": [("wait", "wait"), ("off", "off"), ("background", "background")],
    "machine_code": [("wait", "wait"), ("off", "off"), ("background", "background")],
    "passes": [
        ("none", "none"), ("all", "all"), ("dead,equal", "equal,dead"),
        ("-dead, -copies", "alternate,equal,accumulate,turned,together"),
        ("none,dead", "dead"), ("all,-dead", "alternate,equal,copies,accumulate,turned,together"),
        ("-dead,dead", "all"), ("alternate,equal,copies,dead,accumulate,turned,together", "all"),
    ],
    "host_calls": [("warn", "warn"), ("error", "error"), ("count", "count")],
    "device": [("cpu", "cpu"), ("cpu:0", "cpu"), (ap.Device("cpu"), "cpu")],
    "fallback": [("count", "count"), ("error", "error"), ("warn", "warn")],
    "implicit_copies": [("count", "count"), ("warn", "warn"), ("error", "error")],
    "progress": [("on", "on"), ("off", "off"), ("auto", "auto")],
    "scalars": [("numpy", "numpy"), ("number", "number")],
    "thumbnail": [(0, 0), (64, 64), ("200", 200)],
    "track_arrays": [(True, True), (False, False), ("on", True), (0, False)],
    "unsupported": [("error", "error"), ("numpy", "numpy")],
}
BAD: dict[str, list[Any]] = {
    "contract": [2, None, "fast", 0.5],
    "deterministic": [2, None, "maybe"],
    "matmul_precision": ["float64", True, None],
    "timeout": [-1, None, "long", float("inf"), float("nan"), True],
    "eager": [2, None, "maybe", 0.5, []],
    "eager_size": [-1, 1.5, "many", None],
    "float": ["float16", float, None],
    "graph_replay": [2, None, "maybe"],
    "num_threads": [0, -3, 2.0, "all", None],
    "memory_limit": [-1, "5 apples", 1.5, "GB", None],
    "memory_policy": ["huge", 0, True, None],
    "jit": [2, None, "maybe"],
    "kernels": ["always", True, None],
    "passes": ["every", "-every", "", "equal,", "-all", "-none", "equal;dead", True, None, 3, ["dead"]],
    "machine_code": ["always", True, None],
    "host_calls": ["never", True, None, 3],
    "device": ["gpu", "ascend:x", "ascend:-1", "cpu:1", "", None, 3],
    "fallback": ["allow", True, None],
    "implicit_copies": ["never", False, None],
    "progress": ["never", True, None],
    "scalars": ["python", True, None],
    "thumbnail": [-1, 1.5, "large", None],
    "track_arrays": [2, None, "maybe"],
    "unsupported": ["allow", True, None],
}


def test_every_setting_is_tested() -> None:
    assert set(config.settings()) == set(GOOD) == set(BAD)


@pytest.mark.parametrize("name", GOOD)
def test_accepted_values(name: str) -> None:
    for given, expected in GOOD[name]:
        setattr(config, name, given)
        assert getattr(config, name) == expected
        assert config.settings()[name] == expected


@pytest.mark.parametrize("name", BAD)
def test_refused_values_change_nothing(name: str) -> None:
    setattr(config, name, GOOD[name][0][0])
    before = getattr(config, name)
    for value in BAD[name]:
        with pytest.raises(ValueError, match=rf"asnumpy\.config\.{name}: expected .*, got ") as caught:
            setattr(config, name, value)
        assert repr(value) in str(caught.value)
        assert getattr(config, name) == before


def test_unknown_setting() -> None:
    with pytest.raises(AttributeError, match=r"no setting 'egaer'.*eager"):
        config.egaer = True
    with pytest.raises((AttributeError, TypeError)):
        with config.using(egaer=True):
            pass


def test_using_restores_also_after_an_error() -> None:
    config.eager, config.host_calls = False, "count"
    with pytest.raises(RuntimeError, match="inside"):
        with config.using(eager=True, host_calls="warn"):
            assert config.eager and config.host_calls == "warn"
            raise RuntimeError("inside")
    assert config.eager is False and config.host_calls == "count"
    with pytest.raises(ValueError):
        with config.using(eager=True, num_threads=0):
            pass
    assert config.eager is False


def test_using_nests() -> None:
    config.eager = False
    with config.using(eager=True):
        with config.using(eager=False):
            assert not config.eager
        assert config.eager
    assert not config.eager


def test_settings_reach_the_core() -> None:
    config.eager = True
    assert _core.eager()
    config.eager = False
    assert not _core.eager()
    config.num_threads = 1
    assert _core.num_threads() == 1
    config.memory_limit = 10**13
    assert _core.memory_info()["limit"] == 10**13


def test_threads_beyond_the_machine_are_not_started() -> None:
    config.num_threads = 10**6
    assert config.num_threads == _core.max_threads() == _core.num_threads()


def test_eager_size_decides_what_waits() -> None:
    """On the host: on a device a launch costs more than few elements do, so that they wait, too."""
    with ap.Device("cpu"), config.using(eager=False, eager_size=100):
        small, large = ap.ones(100), ap.ones(101)
        ap.synchronize()
        assert not (small + 1)._pending
        assert (large + 1)._pending


def environment(**variables: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([os.path.dirname(os.path.dirname(ap.__file__)), os.environ.get("PYTHONPATH", "")])
    plain = {name: value for name, value in os.environ.items() if not name.startswith("ASNUMPY_")}
    source = "import asnumpy as ap; print({k: v for k, v in ap.config.settings().items() if v is not None})"
    return subprocess.run(
        [sys.executable, "-c", source],
        capture_output=True,
        text=True,
        timeout=120,
        env={**plain, "PYTHONPATH": path, **variables},
    )


def test_environment_variables() -> None:
    done = environment(
        ASNUMPY_EAGER="1",
        ASNUMPY_EAGER_SIZE="5",
        ASNUMPY_NUM_THREADS="1",
        ASNUMPY_MEMORY_LIMIT="1GiB",
        ASNUMPY_HOST_CALLS="warn",
    )
    assert done.returncode == 0, done.stderr
    found = eval(done.stdout)
    assert found["eager"] is True and found["num_threads"] == 1
    assert found["memory_limit"] == 1 << 30 and found["host_calls"] == "warn"


def test_defaults() -> None:
    done = environment()
    assert done.returncode == 0, done.stderr
    found = eval(done.stdout)
    assert found["eager"] is False and found["memory_limit"] == 0 and found["host_calls"] == "count"
    assert found["num_threads"] == _core.max_threads()


# A device is looked for when it is needed: tests/robust/test_missing_cann.py.
@pytest.mark.parametrize("name", [name for name in BAD if name != "device"])
def test_bad_environment_variable_names_itself(name: str) -> None:
    variable = f"ASNUMPY_{name.upper()}"
    done = environment(**{variable: "nonsense"})
    assert done.returncode != 0
    assert f"environment variable {variable}: expected" in done.stderr and "'nonsense'" in done.stderr


def test_every_setting_names_its_variable() -> None:
    for name in config.settings():
        assert config.variable(name) == f"ASNUMPY_{name.upper()}"


def test_host_calls_are_counted_and_can_be_refused() -> None:
    x = ap.ones((3, 3))
    with config.using(host_calls="error"):
        before = calls_of_numpys().get("numpy.linalg.svd", 0)
        with pytest.raises(RuntimeError, match=r"numpy\.linalg\.svd.*host_calls"):
            ap.linalg.svd(x)
    with config.using(host_calls="count"):
        ap.linalg.svd(x)
        assert calls_of_numpys()["numpy.linalg.svd"] > before


def test_functions_that_travel_mean_the_settings_of_where_they_arrive() -> None:
    assert pickle.loads(pickle.dumps(ap.config)) is ap.config
