"""Arrays that outlive a block of a test, and the lines that made them."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Iterator

from asnumpy import _core, config
from asnumpy.runtime.holders import by_line, living


@contextlib.contextmanager
def assert_no_leaks() -> Iterator[None]:
    """Fails where arrays that were made within the `with` block are still held at its end.

    The AssertionError names the lines that made them, with the number of arrays, their bytes, and shape and dtype of
    the largest. What the block itself still names counts as well: delete it there, or put the work into a function.
    Unreachable cycles are collected first; Numbers do not count. Nothing is looked at where the block raises.

    Examples
    --------
    >>> import asnumpy as ap
    >>> kept = []
    >>> with ap.testing.assert_no_leaks():
    ...     x = ap.ones(1000) * 2
    ...     del x
    """
    with config.using(track_arrays=True):
        before = _core.living.latest()
        yield
        gc.collect()
        left = living(before)
    if not left:
        return
    lines = [
        f"  {one['line'] or 'an unknown line'}: {one['arrays']} array{'s' * (one['arrays'] > 1)}, "
        f"{one['bytes']:,} bytes; the largest is {one['dtype']} {one['shape']}" for one in by_line(left)
    ]
    raise AssertionError("assert_no_leaks: arrays that were made within the block are still held\n" + "\n".join(lines))


assert_no_leaks.__module__ = "asnumpy.testing"
