"""Cases that are drawn once: each test sees all of them, and of those that fail the smallest."""

from __future__ import annotations

import drawn
import pytest
from hypothesis import settings
from hypothesis import strategies as st

NUMBERS, FEW = st.integers(0, 1000), settings(max_examples=40, database=None)


def test_every_test_sees_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASNUMPY_THOROUGH", raising=False)
    first: list[int] = []
    second: list[int] = []
    drawn.for_each(first.append, NUMBERS, FEW, "numbers of a test")
    drawn.for_each(second.append, st.nothing(), FEW, "numbers of a test")
    assert first == second and len(set(first)) > 20


@pytest.mark.parametrize("thorough", ["", "1"])
def test_the_smallest_that_fails_is_told(thorough: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASNUMPY_THOROUGH", thorough)

    def check(number: int) -> None:
        assert number < 17, f"got {number}"

    with pytest.raises(AssertionError, match="got 17"):
        drawn.for_each(check, NUMBERS, FEW, "numbers of a test")
