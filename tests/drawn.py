"""Cases that hypothesis draws once for many tests, where drawing them takes most of the time."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import hypothesis
from hypothesis.strategies import SearchStrategy

_KEPT: dict[tuple[str, int], list[Any]] = {}


def for_each(
    check: Callable[[Any], None], strategy: SearchStrategy[Any], settings: hypothesis.settings, key: str,
) -> None:
    """Checks the cases of a strategy, the same ones whenever key is the same: new ones each time in the long form.

    Where one fails, hypothesis looks for the smallest that does."""

    def draw(work: Callable[[Any], None]) -> None:
        @settings
        @hypothesis.given(strategy)
        def each(case: Any) -> None:
            work(case)

        each()

    if os.environ.get("ASNUMPY_THOROUGH"):
        draw(check)
        return
    if (key, settings.max_examples) not in _KEPT:
        found: list[Any] = []
        draw(found.append)
        _KEPT[key, settings.max_examples] = found
    cases = _KEPT[key, settings.max_examples]
    assert cases
    try:
        for case in cases:
            check(case)
    except Exception:
        draw(check)
        raise
