"""Work of the host in blocks, on as many threads as programs use: loops of C that let go of the interpreter's lock."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

from asnumpy.runtime import get_num_threads


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="asnumpy-blocks")


os.register_at_fork(after_in_child=_pool.cache_clear)


def threads_for(work: int, each: int, most: int | None = None) -> int:
    """How many threads are worth their awakening, where each is to do so much of the work, and there are `most` parts
    of it: as many as programs use, or fewer, and 1 at least."""
    worth = work // each
    return max(1, min(get_num_threads(), worth if most is None else min(worth, most)))


def in_blocks(work: Callable[[int], Any], count: int) -> None:
    """Calls work(0) to work(count - 1), each once: whichever thread is free takes the next, the caller's among them."""
    threads = min(get_num_threads(), count)
    if threads < 2:
        for block in range(count):
            work(block)
        return
    numbers = itertools.count()  # which threads share: taking one is one step of the interpreter's

    def some() -> None:
        while (block := next(numbers)) < count:
            work(block)

    pool = _pool(threads - 1)
    others = [pool.submit(some) for _ in range(threads - 1)]
    try:
        some()
    finally:  # those that have not begun find nothing left; to wait for them would be for ever in a block's own blocks
        begun = [one for one in others if not one.cancel()]
        for one in begun:
            one.exception()
    for one in begun:
        one.result()


def parts_of(length: int, count: int) -> list[tuple[int, int]]:
    """Where `count` parts of a length, as equal as can be, begin and end."""
    return [(length * part // count, length * (part + 1) // count) for part in range(count)]
