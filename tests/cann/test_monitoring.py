"""Percentiles, the exporter of metrics, and health: of a device that works, fails, computes wrongly, or hangs."""

from __future__ import annotations

import time
import urllib.request

import numpy as np
import pytest

from asnumpy import cann, cannsim
from asnumpy.cann import _health, _health_server, _metrics


def call(times: int = 1, name: str = "aclnnExp") -> None:
    x, out = cann.from_numpy(np.ones(64, "f4")), cann.empty(64)
    for _ in range(times):
        cann.op(name)(x, out)


def test_percentiles_are_those_of_the_nearest_rank() -> None:
    assert _metrics.percentiles([]) is None
    assert _metrics.percentiles([3.0]) == {"p50": 3.0, "p95": 3.0, "p99": 3.0}
    assert _metrics.percentiles(range(1, 101)) == {"p50": 50, "p95": 95, "p99": 99}
    assert _metrics.percentiles([4, 1, 3, 2]) == {"p50": 2, "p95": 4, "p99": 4}


def test_percentiles_and_memory_of_an_operator() -> None:
    with cann.timing():
        call(20)
    one = cann.metrics()["aclnnExp"]
    for key in ("host_percentiles", "device_percentiles"):
        assert 0 < one[key]["p50"] <= one[key]["p95"] <= one[key]["p99"]
    assert one["host_percentiles"]["p99"] <= one["host_seconds"]
    call(3, "aclnnAbs")
    assert cann.metrics()["aclnnAbs"]["device_percentiles"] is None
    x = cann.from_numpy(np.ones((64, 64), "f4"))
    cann.op("aclnnMax")(x, cann.empty(()))
    assert cann.metrics()["aclnnMax"]["workspace_bytes"] >= 0
    text = cann.metrics_text()
    assert '# TYPE asnumpy_cann_call_host_seconds summary' in text
    assert 'asnumpy_cann_call_host_seconds{operator="aclnnAbs",' in text and 'quantile="0.99"} ' in text
    assert 'asnumpy_cann_call_device_seconds_count{operator="aclnnExp",' in text
    assert 'asnumpy_cann_call_device_seconds{operator="aclnnAbs",' not in text


def test_only_recent_calls_count_for_percentiles() -> None:
    _metrics.record("aclnnExp", 0, 0, 9.0)
    for _ in range(_metrics.RECENT):
        _metrics.record("aclnnExp", 0, 0, 1.0)
    assert cann.metrics()["aclnnExp"]["host_percentiles"] == {"p50": 1.0, "p95": 1.0, "p99": 1.0}


def test_the_exporter_gives_what_the_text_says() -> None:
    parser = pytest.importorskip("prometheus_client.parser", reason="the exporter is its")
    with cann.timing():
        call(5)
    call(1, "aclnnAbs")
    server = cann.serve_metrics(0)
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{server.port}/metrics", timeout=30) as answer:
            served = answer.read().decode()
        parse = parser.text_string_to_metric_families
        def samples(text):
            every = [one for family in parse(text) for one in family.samples]
            return {(one.name, frozenset(one.labels.items())): one.value for one in every}
        ours = samples(cann.metrics_text())
        theirs = {key: value for key, value in samples(served).items() if not key[0].endswith("_created")}
        assert theirs == ours and len(ours) > 20
    finally:
        server.close()


def test_without_the_client_the_remedy_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "prometheus_client", None)
    with pytest.raises(ImportError, match=r'pip install "asnumpy\[monitor\]"'):
        cann.serve_metrics(0)


def test_a_device_that_works() -> None:
    found = cann.health()
    assert found and found.device == "ascend:0" and found.version
    assert [one.name for one in found.steps] == ["start", "allocate", "upload", "execute", "download", "compare"]
    assert all(one.ok and one.seconds >= 0 and not one.error for one in found.steps)
    assert str(found).startswith("ascend:0") and found.as_dict()["ok"] is True


@pytest.mark.parametrize(("function", "step"), [
    ("aclrtMalloc", "allocate"), ("aclrtMemcpy", "upload"), ("aclnnMul", "execute"),
])  # fmt: skip
def test_a_device_that_fails(simulator: None, function: str, step: str) -> None:
    cannsim.fail(function, nth=0, code=507015)
    found = cann.health(0)
    assert not found and found.steps[-1].name == step and "507015" in found.steps[-1].error
    cannsim.clear_faults()
    assert cann.health("ascend:0")


def test_a_device_that_does_not_exist() -> None:
    found = cann.health("ascend:77")
    assert not found and "expected a device" in found.steps[0].error and found.device == "ascend:77"


def test_a_device_that_computes_wrongly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_health, "to_numpy", lambda tensor: np.zeros(tensor.shape, np.float32))
    found = cann.health()
    assert not found and found.steps[-1].name == "compare" and "differ from the host's" in found.steps[-1].error


def test_a_device_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    """One check at a time; a later one may find that it works again."""
    calls = []

    def slow(device):
        calls.append(device)
        time.sleep(0.6)
        return cann.Health("ascend:0")

    monkeypatch.setattr(_health_server, "health", slow)
    watch = _health_server.Watch(0, every=60, seconds=0.1)
    for _ in range(3):
        found = watch.look()
        assert not found and "has not ended" in found.steps[0].error
    time.sleep(0.8)
    assert watch.look().ok and len(calls) == 1  # what the first has found in the end
    assert watch.look().ok and len(calls) == 1


def test_a_process_that_ends_or_hangs_is_a_finding(simulator: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASNUMPY_CANN", "sim")
    assert _health_server.checked_apart("ascend:0", 60)
    assert "did not end within 0.01 s" in _health_server.checked_apart("ascend:0", 0.01).steps[0].error
    monkeypatch.setenv("CANNSIM_CRASH", "aclnnMul")
    assert "ended with signal 6: it said nothing" in _health_server.checked_apart("ascend:0", 60).steps[0].error
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    found = _health_server.checked_apart("ascend:0", 60)
    assert not found and "ended with status 1" in found.steps[0].error
