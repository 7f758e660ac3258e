"""Two states of the C library's allocator: what is freed goes back to the system, or is kept for the next request.

NumPy's temporaries live in that memory. By default glibc maps a block of 128 KiB or more afresh, so that each of its
pages is a page fault, until it has seen a block that large freed: which of the two a program meets depends on what ran
before it.
"""

from __future__ import annotations

import ctypes

__all__ = ["STATES", "choose"]

STATES = ("kept", "fresh")

# Parameters of mallopt, from its manual page.
TRIM_THRESHOLD, MMAP_THRESHOLD, MMAP_MAX = -1, -3, -4
MAP_FROM = 128 * 1024  # the threshold that glibc starts with; once it is set, it stays
NEVER = 2**31 - 1


def choose(state: str) -> bool:
    """Put this process into a state, before anything large is allocated; False where the C library has no choice."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    wanted = {
        "kept": {MMAP_MAX: 0, TRIM_THRESHOLD: NEVER},
        "fresh": {MMAP_THRESHOLD: MAP_FROM, TRIM_THRESHOLD: MAP_FROM},
    }
    return all(mallopt(parameter, value) == 1 for parameter, value in wanted[state].items())
