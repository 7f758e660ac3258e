"""A device's memory: taken until there is none, right all the while, and given back."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import asnumpy as ap
from asnumpy import cann
from asnumpy.check._agreement import compare, values
from asnumpy.check._steps import Case, Scope

PIECES = 40        # into which the free memory is cut
PROBE = 1 << 12    # bytes at both ends of a piece that are written and read


def free(scope: Scope) -> int:
    return int(cann.device_properties(scope.number)["memory_free"])


def to_the_limit(scope: Scope) -> dict[str, Any]:
    """Every piece keeps what was written to it; the refusal comes near the figure that CANN gave."""
    ap.free_all_blocks(scope.device)
    before = free(scope)
    piece = before // PIECES
    kept: list[cann.Memory] = []
    ends: list[tuple[Any, int]] = []
    refused = ""
    while len(kept) < 2 * PIECES:
        try:
            memory = cann.Memory(piece, device=scope.number, pooled=False)
        except cann.CannError as error:
            refused = str(error)
            break
        kept.append(memory)
        for at in (0, (piece - PROBE) // 64 * 64):
            spot = cann.tensor(memory.address + at, (PROBE // 4,), "int32", device=scope.number, owner=memory)
            cann.write(spot, len(ends))
            ends.append((spot, len(ends)))
    if not refused:
        raise AssertionError(f"CANN said that {before} bytes are free, and gave {len(kept) * piece}")
    for spot, number in ends:
        compare(cann.to_numpy(spot), np.full(PROBE // 4, number, np.int32))
    taken = len(kept) * piece
    ends.clear()
    for memory in kept:
        memory.release()
    kept.clear()
    after = free(scope)
    if taken < before * 0.8:
        raise AssertionError(f"of {before} bytes that are free only {taken} could be taken: {refused}")
    if after < before * 0.95:
        raise AssertionError(f"{before} bytes were free before, {after} are after all was given back")
    return {"memory_bytes": before, "taken_bytes": taken}


def arrays_run_out(scope: Scope) -> None:
    """MemoryError; what lives is right, and there is memory again."""
    plain = values("float32", 10_000)
    x = ap.from_numpy(plain)
    ap.synchronize()
    count = 2 * free(scope) // 4 + (1 << 20)
    try:
        ap.eval(ap.zeros(count, "float32") + 1)
    except MemoryError:
        compare(x * 2, plain * 2)
        return
    raise AssertionError(f"an array of {count * 4} bytes, twice as many as are free, gave no MemoryError")


def reused() -> None:
    """Arrays that come and go: what one leaves behind shows in no other."""
    rng = np.random.default_rng(9)
    kept: list[tuple[Any, np.ndarray]] = []
    for turn in range(200):
        plain = rng.integers(-1000, 1000, int(rng.integers(1, 200_000))).astype(np.int32)
        kept.append((ap.from_numpy(plain) + turn, plain + turn))
        if len(kept) > 12:
            mine, theirs = kept.pop(int(rng.integers(len(kept))))
            compare(mine, theirs)
    for mine, theirs in kept:
        compare(mine, theirs)


def limit_of_the_pool(scope: Scope) -> None:
    """The limit that a program sets."""
    from asnumpy import _core

    ap.synchronize()
    ap.free_all_blocks(scope.device)
    limit = ap.memory_info(scope.device)["in_use"] + (8 << 20)
    _core.set_memory_limit(limit, scope.device)
    try:
        ap.eval(ap.zeros(16 << 20, "int8") + 1)
    except MemoryError:
        return
    finally:
        _core.set_memory_limit(0, scope.device)
    raise AssertionError("more was taken than the limit allows")


def cases(scope: Scope) -> list[Case]:
    return [
        ("to the limit and back", partial(to_the_limit, scope)),
        ("arrays run out of memory", partial(arrays_run_out, scope)),
        ("memory that is used again", reused), ("the pool's limit", partial(limit_of_the_pool, scope)),
    ]
