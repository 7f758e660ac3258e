"""What operators have cost, as a dict and as Prometheus reads it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from asnumpy import cann

SAMPLE = re.compile(r'(asnumpy_cann_[a-z_]+)\{operator="(\w+)",simulated="(true|false)"(,quantile="0\.\d+")?\} (\S+)')


def test_counts_bytes_and_time() -> None:
    x, out = cann.from_numpy(np.ones((10, 10), "f4")), cann.empty((10, 10))
    for _ in range(3):
        cann.op("aclnnExp")(x, out)
    cann.op("aclnnInplaceNeg")(x)
    figures = cann.metrics()
    assert list(figures) == ["aclnnExp", "aclnnInplaceNeg"]
    assert figures["aclnnExp"]["count"] == 3 and figures["aclnnExp"]["bytes"] == 3 * 2 * 400
    assert figures["aclnnInplaceNeg"]["bytes"] == 2 * 400  # read and written
    assert figures["aclnnExp"]["host_seconds"] > 0
    assert figures["aclnnExp"]["timed"] == 0 and figures["aclnnExp"]["bytes_per_second"] is None


def test_plans_count_at_each_run() -> None:
    plan = cann.op("aclnnNeg").plan(cann.from_numpy(np.ones(4, "f4")), cann.empty((4,)))
    assert cann.metrics() == {}
    for _ in range(4):
        plan.run()
    assert cann.metrics()["aclnnNeg"]["count"] == 4


def test_time_on_the_device_is_measured_when_asked() -> None:
    x, out = cann.from_numpy(np.ones(1 << 16, "f4")), cann.empty((1 << 16,))
    with cann.timing():
        for _ in range(5):
            cann.op("aclnnExp")(x, out)
    cann.op("aclnnExp")(x, out)
    one = cann.metrics()["aclnnExp"]
    assert one["count"] == 6 and one["timed"] == 5 and one["device_seconds"] > 0
    assert one["bytes_per_second"] == pytest.approx(5 * 2 * (4 << 16) / one["device_seconds"])


def test_many_timed_calls_are_settled_on_the_way() -> None:
    x, out = cann.from_numpy(np.ones(4, "f4")), cann.empty((4,))
    with cann.timing():
        for _ in range(600):
            cann.op("aclnnNeg")(x, out)
    assert cann.metrics()["aclnnNeg"]["timed"] == 600


def test_refused_calls_are_failures() -> None:
    x = cann.from_numpy(np.ones(4, "f4"))
    with pytest.raises(cann.CannError):
        cann.op("aclnnAdd")(x, x, 1, cann.empty((5,)))
    assert cann.metrics()["aclnnAdd"]["failures"] == 1 and cann.metrics()["aclnnAdd"]["count"] == 0


def test_prometheus_text() -> None:
    x, out = cann.from_numpy(np.ones(4, "f4")), cann.empty((4,))
    with cann.timing():
        cann.op("aclnnExp")(x, out)
    cann.op("aclnnNeg")(x, out)
    text = cann.metrics_text()
    assert text.endswith("\n")
    figures, kinds, helped, samples = cann.metrics(), {}, set(), {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            name, kind = line.split()[2:]
            kinds[name] = kind
        elif line.startswith("# HELP "):
            helped.add(line.split()[2])
        else:
            match = SAMPLE.fullmatch(line)
            assert match, line
            family = re.sub("_(sum|count)$", "", match[1])
            assert family in kinds and family in helped  # said before the first sample
            assert (match[4] is not None) == (kinds[family] == "summary" and family == match[1])
            samples[match[1], match[2]] = float(match[5])
    summaries = {"asnumpy_cann_call_host_seconds", "asnumpy_cann_call_device_seconds"}
    kind_of = {True: "counter", False: "gauge"}
    assert {name: kind for name, kind in kinds.items() if name not in summaries} == {
        name: kind_of[name.endswith("_total")] for name in kinds if name not in summaries
    }
    assert {kinds[name] for name in summaries} == {"summary"}
    assert samples["asnumpy_cann_calls_total", "aclnnExp"] == 1
    assert samples["asnumpy_cann_bytes_total", "aclnnNeg"] == 32
    assert samples["asnumpy_cann_bytes_per_second", "aclnnExp"] == figures["aclnnExp"]["bytes_per_second"]
    assert ("asnumpy_cann_bytes_per_second", "aclnnNeg") not in samples


def test_reset() -> None:
    cann.op("aclnnNeg")(cann.from_numpy(np.ones(4, "f4")), cann.empty((4,)))
    cann.reset_metrics()
    assert cann.metrics() == {} and not SAMPLE.search(cann.metrics_text())
