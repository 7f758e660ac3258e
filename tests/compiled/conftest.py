"""What tests of machine code have in common."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from asnumpy import config


@pytest.fixture
def deferred() -> Iterator[None]:
    """On the CPU, where programs are fused whatever their size."""
    with config.using(device="cpu", eager=False, eager_size=0):
        yield
