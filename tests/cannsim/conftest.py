"""One device, initialised once; findings are of the test that made them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from cannsim import acl


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    acl.start()
    acl.sim.cannsim_clear()
    yield
    acl.sim.cannsim_clear_faults()
    acl.sim.cannsim_clear()
