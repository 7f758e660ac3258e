"""The simulator's clock and log for the tests of streams, and back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from device_marks import SIMULATED
from robust.late import nothing_planned

import asnumpy as ap
from asnumpy import cannsim


@pytest.fixture
def streams_left_as_found() -> Iterator[None]:
    with ap.config.using(fallback="count"):
        yield
    if SIMULATED:
        cannsim.clear_faults()
        cannsim.configure(lag=0, log=False)


@pytest.fixture
def slow() -> None:
    """Each task starts late, so that a missing wait shows in the values, not only in the findings."""
    if SIMULATED:
        cannsim.configure(lag=200)


@pytest.fixture
def usual_settings() -> Iterator[None]:
    """The defaults of a user, and counts that start from nothing."""
    ap.forget_fallbacks()
    with ap.config.using(fallback="count", implicit_copies="warn"):
        yield
    ap.forget_fallbacks()


@pytest.fixture
def deferred() -> Iterator[None]:
    with ap.config.using(eager=False, eager_size=0):
        ap.synchronize()
        yield


@pytest.fixture
def kernels_wanted() -> Iterator[None]:
    ap.forget_demotions()
    with nothing_planned(), ap.config.using(machine_code="wait", eager=False):
        yield
    ap.forget_demotions()
