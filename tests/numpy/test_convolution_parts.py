"""Convolution and correlation of long lines on the CPU in parts that threads share: NumPy's results to the bit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import asnumpy as ap
from asnumpy import _core
from asnumpy.host import blocks
from asnumpy.statistics import convolution


@pytest.fixture(params=[1, 3])
def parts(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """How many parts each call had, where also short lines have some, which NumPy would answer at once."""
    had: list[int] = []

    def counted(work: Any, count: int) -> None:
        had.append(count)
        blocks.in_blocks(work, count)

    monkeypatch.setattr(convolution, "_EACH", 1)
    monkeypatch.setattr(convolution, "in_blocks", counted)
    before = ap.get_num_threads()
    ap.set_num_threads(request.param)
    for name in ("convolve", "correlate"):
        _core.answer_quickly(name, False)
    yield had
    for name in ("convolve", "correlate"):
        _core.answer_quickly(name, True)
    assert not had or set(had) <= set(range(2, request.param + 1))
    ap.set_num_threads(before)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.complex128, np.int64, np.uint8, bool, np.float16])
def test_parts_have_the_bits_of_the_whole(parts: list[int], dtype: Any) -> None:
    rng = np.random.default_rng(1)
    for length in (1, 100, 1003):
        for taps in (1, 2, 11, 12, 25, 80):
            a, v = ((rng.normal(size=count) * 9).astype(dtype) for count in (length, taps))
            if dtype is np.complex128:
                a, v = a + 1j * a[::-1], v - 2j * v
            for mode in ("full", "same", "valid"):
                for name in ("convolve", "correlate"):
                    given = [ap.asarray(one, device="cpu", copy=True) for one in (a, v)]
                    got, wanted = getattr(ap, name)(*given, mode), getattr(np, name)(a, v, mode)
                    assert got.dtype == wanted.dtype
                    np.testing.assert_array_equal(ap.to_numpy(got), wanted)
    assert bool(parts) == (ap.get_num_threads() > 1)


def test_strided_lines_and_short_ones(parts: list[int]) -> None:
    whole = np.random.default_rng(2).normal(size=4000)
    ours = ap.asarray(whole, device="cpu", copy=True)
    got = ap.convolve(ours[::-2], ours[5:20:3])
    np.testing.assert_array_equal(ap.to_numpy(got), np.convolve(whole[::-2], whole[5:20:3]))
    parts.clear()
    ap.convolve(ours[:7], ours)  # the longer one is the second
    assert not parts
    with pytest.raises(ValueError, match="cannot be empty"):
        ap.convolve(ours, ours[:0])
