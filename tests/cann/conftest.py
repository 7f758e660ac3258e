"""Single operators need a device: CANN's, or the simulator that ASNUMPY_CANN=sim or test_cann_alone.py sees to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from asnumpy import cannsim
from asnumpy.runtime import cann_search


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ours = [item for item in items if "tests/cann/" in item.path.as_posix()]
    if ours and (failure := cann_search.search().failure):
        for item in ours:
            item.add_marker(pytest.mark.skip(reason=f"no Ascend device: {failure.splitlines()[0]}"))


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    """Nothing that the simulator finds wrong, unless the test says which it provoked."""
    from asnumpy import cann

    simulated = cann_search.search().simulated
    if simulated:
        cannsim.clear()
    cann.reset_metrics()
    yield
    if simulated:
        cannsim.clear_faults()
        cann.synchronize()
        found = cannsim.findings()
        cannsim.clear()
        assert not found, found


@pytest.fixture
def simulator() -> None:
    """For tests that plan faults or set the simulator."""
    if not cann_search.search().simulated:
        pytest.skip("only the simulator can be told to fail")
