"""Which lines of a program made the arrays that live, while `asnumpy.config.track_arrays` is on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from asnumpy import _core


class Living(NamedTuple):
    """An array object, in the core's order; number: the how-manieth that was made."""

    number: int
    buffer: int        # the same for arrays that share memory
    bytes: int         # of the buffer
    has_memory: bool   # not while it is pending
    foreign: bool      # the memory is somebody else's: a NumPy array's
    is_view: bool
    device: str
    shape: tuple[int, ...]
    dtype: str
    line: str          # "file:line", empty where it is not known


def living(after: int = 0) -> list[Living]:
    """The array objects that live and were made after that one, in the order in which they were made."""
    return sorted(one for one in map(Living._make, _core.living.arrays()) if one.number > after)


def by_line(arrays: Iterable[Living]) -> list[dict[str, Any]]:
    """What each line holds, the most bytes first; memory that several share counts where its first array was made."""
    buffers: dict[int, Living] = {}
    for one in arrays:
        held = buffers.setdefault(one.buffer, one)
        if held.is_view and not one.is_view:
            buffers[one.buffer] = one
    found: dict[str, dict[str, Any]] = {}
    for one in sorted(buffers.values(), key=lambda held: (-held.bytes, held.number)):
        line = found.setdefault(
            one.line, {"line": one.line, "bytes": 0, "arrays": 0, "shape": one.shape, "dtype": one.dtype}
        )
        line["bytes"] += one.bytes
        line["arrays"] += 1
    return sorted(found.values(), key=lambda line: -line["bytes"])


def holders(device: str, most: int) -> list[dict[str, Any]]:
    """The lines whose arrays hold most of a device's memory."""
    return by_line(one for one in living() if one.device == device and one.has_memory and not one.foreign)[:most]
