"""What all tests share: the configuration in the report's head, hypothesis without deadlines, an empty queue."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import hypothesis
import numpy_versions
import pytest

import asnumpy as ap

# A shared machine may stop for a while at any point, so an example has no deadline. Every run sees the same examples,
# so that a change answers for what it breaks and for nothing else; the long form looks for new ones.
hypothesis.settings.register_profile(
    "asnumpy",
    deadline=None,
    derandomize=not os.environ.get("ASNUMPY_THOROUGH"),
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("asnumpy")


# Everything else is as a user has it. A fallback is reported once in a process: in whichever test comes first.
if ap.Device() != "cpu":
    ap.config.fallback = "count"
    os.environ["ASNUMPY_FALLBACK"] = "count"  # for processes of their own


def pytest_report_header() -> str:
    how = f"{ap.Device()}, {'eager' if ap.config.eager else 'deferred'}"
    return f"asnumpy {ap.__version__} from {os.path.dirname(ap.__file__)}: {how}, {ap.config.num_threads} threads"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if reason := numpy_versions.reason_to_skip(item.name):
            item.add_marker(pytest.mark.skip(reason=reason))
    if os.environ.get("ASNUMPY_THOROUGH"):
        return
    for item in items:
        if "thorough" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="set ASNUMPY_THOROUGH=1 for the long form"))


@pytest.fixture(autouse=True)
def nothing_left_pending(request: pytest.FixtureRequest) -> Iterator[None]:
    """A failing flush must not surface in a later test."""
    on_cpu = request.node.get_closest_marker("host_memory") is not None
    with ap.Device("cpu") if on_cpu else contextlib.nullcontext():
        yield
    ap.synchronize()


@pytest.fixture(params=[1, 2], ids=["one thread", "two threads"])
def threads(request: pytest.FixtureRequest) -> Iterator[int]:
    """So many of asnumpy's, for one test."""
    before = ap.config.num_threads
    ap.set_num_threads(request.param)
    yield request.param
    ap.set_num_threads(before)
