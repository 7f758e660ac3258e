"""Work in several threads that start at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable

THREADS = 6
PATIENCE = 120.0  # seconds after which a thread counts as stuck


def together(work: Callable[[int], None], count: int = THREADS) -> None:
    """Runs work(0), work(1), ... in threads that start at the same moment; the first failure is raised here."""
    start = threading.Barrier(count)
    failures: list[BaseException] = []

    def body(number: int) -> None:
        try:
            start.wait()
            work(number)
        except BaseException as error:  # handed to the main thread
            failures.append(error)

    threads = [threading.Thread(target=body, args=(k,), daemon=True) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    stuck = [thread.name for thread in threads if thread.is_alive()]
    assert not stuck, f"{stuck} did not end: a deadlock"
    if failures:
        raise failures[0]
