"""What notebooks show of an array: facts always, values only where they are there and few."""

from __future__ import annotations

import numpy as np
import pytest
from device_marks import each_device

import asnumpy as ap


@pytest.fixture(autouse=True)
def deferred() -> None:
    ap.synchronize()


@each_device
def test_facts_and_values(device: str) -> None:
    x = ap.asarray(np.arange(6, dtype=np.float32).reshape(2, 3), device=device)
    ap.synchronize()
    html = x._repr_html_()
    assert html is not None
    for text in ("asnumpy.ndarray", "(2, 3)", "float32", str(x.device), ">24<", "[3. 4. 5.]"):
        assert text in html


def test_what_is_pending_stays_so() -> None:
    with ap.config.using(eager=False, eager_size=0):
        x = ap.ones(10_000, device="cpu") * 3.0 + 1.0
        count = ap.pending_count()
        html = x._repr_html_()
        assert html is not None and count > 0
        assert ap.pending_count() == count
        assert "pending" in html and "80,000" in html and "4." not in html
        assert x[0] == 4.0
        html = x._repr_html_()
        assert html is not None and "pending" not in html and "[4. 4. 4. ... 4. 4. 4.]" in html


def test_a_large_array_of_a_device_is_not_copied() -> None:
    device = ap.devices()[-1]
    if device == "cpu":
        pytest.skip("no device besides the CPU; ASNUMPY_CANN=sim simulates one")
    x = ap.zeros(100_000, device=device) + 7.0
    ap.synchronize()
    before = ap.fallbacks()
    html = x._repr_html_()
    assert html is not None and "on the device" in html and "7." not in html
    assert ap.fallbacks() == before


def test_text_is_escaped_and_numbers_have_none() -> None:
    class Own(ap.ndarray):
        pass

    html = ap.arange(3).view(Own)._repr_html_()
    assert html is not None and "Own" in html
    assert "&lt;U1" not in html
    assert ap.array(3.0)._repr_html_() is None
    assert ap.ones(3).sum()._repr_html_() is None
